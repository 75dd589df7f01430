
"use strict";
(() => {
  const contents = JSON.parse(document.getElementById("contents").textContent);
  const plies = contents.turns.length;
  const parts = {};
  for (const node of document.querySelectorAll("[id]")) parts[node.id] = node;
  const parser = new DOMParser();
  const svgSpace = "http://www.w3.org/2000/svg";

  let position = 0;
  let view = contents.views[0];
  let timer = null;

  // Pictures

  const framesOf = new Map();

  function pictures(shown) {
    if (!framesOf.has(shown)) {
      const frames = [];
      let lines = [];
      for (const changes of shown.frames) {
        lines = lines.slice();
        for (const [place, count, ...numbers] of changes.slice().reverse())
          lines.splice(place, count, ...numbers);
        frames.push(lines);
      }
      framesOf.set(shown, frames);
    }
    return framesOf.get(shown);
  }

  function draw() {
    const text = pictures(view)[position].map((number) => contents.lines[number]).join("\n");
    const picture = document.importNode(
      parser.parseFromString(text, "image/svg+xml").documentElement, true);
    picture.removeAttribute("width");
    picture.removeAttribute("height");
    for (const [x, y, width, height] of view.marks[position]) {
      const mark = document.createElementNS(svgSpace, "rect");
      const place = { x, y, width, height, rx: 5, class: "mark" };
      for (const name in place) mark.setAttribute(name, place[name]);
      picture.append(mark);
    }
    const { width, height } = picture.viewBox.baseVal;
    parts.board.style.aspectRatio = parts.board.className ? "" : `${width} / ${height}`;
    parts.board.replaceChildren(picture);
  }

  // Words

  function made(tag, name, text) {
    const node = document.createElement(tag);
    if (name) node.className = name;
    node.textContent = text;
    return node;
  }

  function tell() {
    const lines = [];
    if (position === 0) lines.push(made("b", "", "Before the first move"));
    else lines.push(made("b", "", view.words[position - 1]));
    if (position === plies) lines.push(made("span", "end", `The end: ${contents.result}`));
    else lines.push(made("span", "next", `${contents.seats[contents.turns[position]]} decides next`));
    parts.status.replaceChildren(lines[0], document.createElement("br"), lines[1]);
  }

  function list() {
    const items = ["Before the first move", ...view.words].map((words, number) => {
      const button = document.createElement("button");
      button.type = "button";
      button.tabIndex = -1; // one tab stop for the whole list: the current move
      button.append(made("span", "number", number || "–"), made("span", "words", words));
      for (const note of (number && view.notes[number - 1]) || []) button.append(made("code", "", note));
      button.addEventListener("click", () => { pause(); go(number); });
      const item = document.createElement("li");
      item.append(button);
      return item;
    });
    parts.moves.replaceChildren(...items);
  }

  function mark() {
    const old = parts.moves.querySelector("[aria-current]");
    const item = parts.moves.children[position];
    const button = item.firstChild;
    if (old) {
      old.removeAttribute("aria-current");
      old.tabIndex = -1;
    }
    button.setAttribute("aria-current", "step");
    button.tabIndex = 0;
    if (parts.moves.contains(document.activeElement)) button.focus({ preventScroll: true });
    const room = parts.moves;
    const low = item.offsetTop - 40;
    const high = item.offsetTop + item.offsetHeight + 40;
    if (low < room.scrollTop) room.scrollTop = low;
    else if (high > room.scrollTop + room.clientHeight) room.scrollTop = high - room.clientHeight;
  }

  // Steps

  function show() {
    draw();
    tell();
    mark();
    parts.slider.value = position;
    parts.slider.setAttribute("aria-valuetext", `${position} of ${plies}`);
    parts.counter.textContent = `${position} of ${plies}`;
    for (const name of ["first", "back"]) enable(parts[name], position > 0);
    for (const name of ["forward", "last"]) enable(parts[name], position < plies);
  }

  function enable(button, possible) {
    if (!possible && document.activeElement === button) parts.play.focus();
    button.disabled = !possible;
  }

  function go(to) {
    position = Math.max(0, Math.min(plies, to));
    show();
  }

  function tick() {
    if (position < plies) go(position + 1);
    if (position === plies) pause();
  }

  function play() {
    if (position === plies) go(0);
    parts.status.setAttribute("aria-live", "off");
    timer = setInterval(tick, Number(parts.speed.value));
    name();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    parts.status.removeAttribute("aria-live");
    name();
  }

  function name() {
    const words = timer === null ? "Play" : "Pause";
    parts.play.setAttribute("aria-label", words);
    parts.play.title = words;
    parts.play.classList.toggle("playing", timer !== null);
  }

  const toggle = () => (timer === null ? play() : pause());
  const jump = (to) => { pause(); go(to); };

  parts.first.addEventListener("click", () => jump(0));
  parts.back.addEventListener("click", () => jump(position - 1));
  parts.play.addEventListener("click", toggle);
  parts.forward.addEventListener("click", () => jump(position + 1));
  parts.last.addEventListener("click", () => jump(plies));
  parts.slider.addEventListener("input", () => jump(Number(parts.slider.value)));
  parts.speed.addEventListener("change", () => {
    if (timer !== null) { pause(); play(); }
  });
  parts.zoom.addEventListener("click", () => {
    const large = parts.board.classList.toggle("large");
    if (large) parts.board.tabIndex = 0; // so that keys scroll it
    else parts.board.removeAttribute("tabindex");
    parts.zoom.setAttribute("aria-pressed", large);
    draw();
  });
  parts.view.addEventListener("change", () => {
    view = contents.views[parts.view.selectedIndex];
    list();
    show();
  });

  const keys = {
    ArrowLeft: () => jump(position - 1),
    ArrowRight: () => jump(position + 1),
    Home: () => jump(0),
    End: () => jump(plies),
    " ": toggle,
  };

  const keysInList = { ...keys, ArrowUp: keys.ArrowLeft, ArrowDown: keys.ArrowRight };

  document.addEventListener("keydown", (event) => {
    const act = (parts.moves.contains(event.target) ? keysInList : keys)[event.key];
    if (!act || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("select, #board.large")) return;
    if (event.key === " " && event.target.closest("button, summary")) return;
    event.preventDefault();
    act();
  });

  // The beginning

  parts.game.textContent = contents.title;
  for (const [option, value] of contents.options)
    parts.options.append(made("dt", "", option), made("dd", "", value));
  for (const each of contents.views) parts.view.append(made("option", "", each.name));
  if (contents.views.length === 1) {
    parts.view.replaceWith(made("span", "", view.name));
  }
  parts.slider.max = plies;
  list();
  name();
  show();
})();
