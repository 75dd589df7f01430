"use strict";

// The page of a seat. The server tells what the seat sees and which clicks make which move; this
// knows nothing of any game.

const MOST_BUTTONS = 12; // that stand out
const MOST_LISTED = 16; // that are listed without being asked for, where the picture is small
const MOST_ODDS = 12;
const LEAST_ODDS = 0.0005; // that is told apart from nothing
const PAUSE = 1000; // milliseconds between looks at what others do

const small = matchMedia("(max-width: 860px)");
const at = (id) => document.getElementById(id);
let view = null;
let path = []; // names of the spots that have been clicked for the move to come
let hinted = null; // the move that is shown as a hint
let busy = false;
let lost = false; // whether the trouble that is shown is that others could not be looked at
let stopped = false; // whether the server did not answer when it was last asked

function make(tag, text, properties = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  Object.assign(element, properties);
  return element;
}

// Talking with the server

async function ask(name, body) {
  const post = body !== undefined && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(name, post || {});
  } catch {
    stopped = true;
    throw new Error("The server has stopped.");
  }
  stopped = false;
  const found = await answer.json().catch(() => ({ error: failed(answer.status) }));
  if (!answer.ok) throw new Error(found.error || failed(answer.status));
  return found;
}

function failed(status) {
  if (status === 404) return "This table is no longer served: see the server's terminal.";
  return `The server answers with error ${status}.`;
}

async function during(work) {
  if (busy) return;
  busy = true;
  document.body.setAttribute("aria-busy", "true");
  const focused = focusKey();
  for (const button of document.querySelectorAll("button")) button.disabled = true;
  let trouble = "";
  try {
    await work();
  } catch (error) {
    trouble = error.message;
  }
  busy = false;
  for (const button of document.querySelectorAll("button")) button.disabled = false;
  tell(stopped && view ? "" : trouble);
  if (view) draw();
  focusAgain(focused);
  document.body.setAttribute("aria-busy", "false");
}

function tell(trouble, ofLooking = false) {
  at("trouble").textContent = trouble;
  at("trouble").hidden = !trouble;
  lost = ofLooking && trouble !== "";
}

// Buttons that are disabled or made anew lose the focus of those who use the keyboard.

function focusKey() {
  const { id, dataset } = document.activeElement || document.body;
  if (id) return `#${id}`;
  if (dataset.spot) return `.spot[data-spot="${CSS.escape(dataset.spot)}"]`;
  return dataset.choice ? `.choice[data-choice="${CSS.escape(dataset.choice)}"]` : "";
}

function focusAgain(key) {
  if (key && document.activeElement === document.body) {
    document.querySelector(key)?.focus({ preventScroll: true });
  }
}

function receive(found) {
  if (found.picture === undefined) return false;
  view = found;
  path = [];
  hinted = null;
  at("advice").replaceChildren();
  return true;
}

function change(name, body) {
  return during(async () => {
    const waiting = view.people > 1 ? "" : "The others are thinking …";
    at("turn").className = "";
    at("prompt").textContent = waiting || "One moment …";
    try {
      receive(await ask(name, { ...body, version: view.version }));
    } catch (error) {
      path = [];
      receive(await ask("state"));
      throw error;
    }
  }).then(focusChoice);
}

async function look() {
  if (!busy && view) {
    const before = stopped;
    try {
      const found = await ask(`state?known=${view.version}`);
      if (!busy && receive(found)) {
        const focused = focusKey();
        draw();
        focusAgain(focused);
      }
      if (lost && !busy) tell("");
    } catch (error) {
      if (!busy && !stopped) tell(error.message, true);
    }
    if (!busy && stopped !== before) drawTurn();
  }
  setTimeout(look, PAUSE);
}

// Choosing a move, click by click

function candidates() {
  return view.moves.filter((move) => path.every((spot, step) => move.clicks[step][0] === spot));
}

function choices() {
  const found = new Map();
  for (const move of candidates()) {
    const [spot, words, prompt] = move.clicks[path.length];
    if (!found.has(spot)) found.set(spot, { words, prompt });
  }
  return found;
}

function choose(spot) {
  path.push(spot);
  const move = candidates().find((each) => each.clicks.length === path.length);
  if (move) {
    change("play", { action: move.action });
    return;
  }
  draw();
  focusChoice();
}

// So that the next choice is at hand for those who use the keyboard.
function focusChoice() {
  const next = document.querySelector(".spot:not([tabindex]), #buttons .choice") || at("frame");
  next.focus({ preventScroll: true });
}

function back() {
  if (!path.length || busy) return;
  path.pop();
  draw();
  focusChoice();
}

// Drawing

function draw() {
  const shown = view.open && at("open").checked ? view.open : view.picture;
  document.title = `${view.deciding ? "● " : ""}${view.title} – Chromazoo`;
  at("title").textContent = view.title;
  const others = view.seats.filter((_, seat) => seat !== view.seat);
  const names = [...new Set(others.map((each) => each.player))].join(", ");
  at("who").textContent = `You are ${view.seats[view.seat].name}, against ${names}`;
  at("undo").disabled = !view.undo;
  at("new").hidden = view.finished;
  drawTurn();
  drawResult();
  drawPicture(shown);
  drawChoices(shown);
  keepRoom();
  drawNews();
  drawSeats();
  for (const id of ["hint", "odds"]) at(id).disabled = !view.deciding;
}

function drawTurn() {
  at("turn").className = stopped ? "stopped" : view.deciding ? "mine" : "";
  at("turn").hidden = view.finished && !stopped;
  at("back").hidden = !path.length;
  if (stopped) {
    at("prompt").textContent = "The server has stopped: nothing more can be done here.";
    return;
  }
  if (!view.deciding) {
    const whom = view.waiting.join(" and ") || "the others";
    at("prompt").textContent = view.finished ? "" : `Waiting for ${whom} …`;
    return;
  }
  const prompts = new Set([...choices().values()].map((choice) => choice.prompt));
  at("prompt").textContent = [...prompts].join(" – or: ");
}

// The picture is not to jump: what the bar above it has once needed stays reserved.
function keepRoom() {
  const { height } = at("turn").getBoundingClientRect();
  at("turn").style.minHeight = height ? `${height}px` : "";
}

function drawResult() {
  at("result").hidden = !view.finished;
  if (!view.finished) return;
  const seed = view.seed === null ? "" : ` Seed ${view.seed}.`;
  at("outcome").textContent = view.result + seed;
  for (const id of ["replay", "record"]) {
    at(id).hidden = !view.over;
    at(id).href = id;
  }
  at("open-choice").hidden = !view.open;
}

let drawn = "";

function drawPicture(picture) {
  if (picture.svg === drawn) return;
  drawn = picture.svg;
  const parsed = new DOMParser().parseFromString(picture.svg, "image/svg+xml");
  at("picture").replaceChildren(document.importNode(parsed.documentElement, true));
}

function placed(element, box, [wide, high]) {
  const [x, y, width, height] = box;
  element.style.left = `${(100 * x) / wide}%`;
  element.style.top = `${(100 * y) / high}%`;
  element.style.width = `${(100 * width) / wide}%`;
  element.style.height = `${(100 * height) / high}%`;
  return element;
}

function drawChoices(picture) {
  const found = view.deciding ? choices() : new Map();
  const spots = [];
  const buttons = [];
  const list = [];
  for (const [spot, { words }] of found) {
    const boxes = picture.spots[spot] || [];
    boxes.forEach((box, number) => {
      const button = make("button", "", { type: "button", className: "spot choice", title: words });
      button.setAttribute("aria-label", words);
      button.dataset.spot = spot;
      if (number) button.tabIndex = -1;
      button.addEventListener("click", () => choose(spot));
      spots.push(placed(button, box, picture.size));
    });
    const button = make("button", words, { type: "button", className: "choice" });
    button.dataset.choice = spot;
    button.addEventListener("click", () => choose(spot));
    if (boxes.length) list.push(button);
    else buttons.push(button);
  }
  if (buttons.length <= MOST_BUTTONS) for (const button of buttons) button.classList.add("main");
  at("spots").replaceChildren(...spots);
  at("buttons").replaceChildren(...buttons);
  at("buttons").hidden = !buttons.length;
  at("list").replaceChildren(...list);
  at("listed").hidden = !list.length;
  if (small.matches) at("listed").open = list.length <= MOST_LISTED;
  at("listed-title").textContent = `The same choices in words (${list.length})`;
  drawMarks(picture);
}

function drawMarks(picture) {
  const marks = [];
  const mark = (names, kind) => {
    for (const name of names) {
      for (const box of picture.spots[name] || []) {
        marks.push(placed(make("div", "", { className: `mark ${kind}` }), box, picture.size));
      }
    }
  };
  const fresh = view.news.slice(view.news.length - view.fresh);
  mark(new Set(fresh.flatMap((each) => each.spots)), "fresh");
  if (hinted) mark(hinted.clicks.map((click) => click[0]), "hinted");
  mark(path, "chosen");
  at("marks").replaceChildren(...marks);
}

function drawNews() {
  const first = view.news.length - view.fresh;
  const items = view.news.map((each, number) =>
    make("li", each.words, { className: number < first ? "" : "fresh" }),
  );
  at("news").replaceChildren(...items);
  const fresh = view.news.slice(first).map((each) => each.words);
  const told = [...fresh, view.finished ? view.result : ""].join(" ").trim();
  if (at("told").textContent !== told) at("told").textContent = told; // is read aloud
  at("news").scrollTop = at("news").scrollHeight;
}

function drawSeats() {
  const items = view.seats.map(({ name, player }, seat) => {
    const now = seat === view.seat ? view.deciding : view.waiting.includes(name);
    const words = `${name}: ${player}${now ? ", to decide" : ""}`;
    return make("li", words, { className: now ? "now" : "" });
  });
  at("seats").replaceChildren(...items);
  if (at("adviser").childElementCount !== view.advisers.length) {
    const options = view.advisers.map((name) => make("option", name, { value: name }));
    at("adviser").replaceChildren(...options);
  }
}

// Advice

// A move in words, and its notation where they do not have it.
function inWords({ action, text }) {
  const move = view.moves.find((each) => each.action === action);
  const words = move ? move.clicks.map((click) => click[1]).join(" ") : text;
  if (words.includes(text)) return [words];
  return [`${words} `, make("span", text, { className: "notation" })];
}

function hint() {
  during(async () => {
    const found = await ask("hint", { agent: at("adviser").value });
    const move = view.moves.find((each) => each.action === found.action);
    if (!move) {
      receive(await ask("state"));
      throw new Error("The game has gone on; look again.");
    }
    hinted = move;
    path = [];
    const play = make("button", "Play it", { type: "button", id: "play-hint" });
    play.addEventListener("click", () => change("play", { action: found.action }));
    const row = make("p", "", { className: "row" });
    const told = make("span", `${found.agent} would play `);
    told.append(...inWords(found));
    row.append(told, play);
    at("advice").replaceChildren(row);
  });
}

function odds() {
  during(async () => {
    const found = await ask("odds", { agent: at("adviser").value });
    if (!found.moves) {
      at("advice").replaceChildren(make("p", `${found.agent} does not tell how likely its moves are.`));
      return;
    }
    const list = make("ol", "");
    const row = (share, told) => {
      const item = make("li", "");
      const bar = make("div", "", { className: "bar" });
      bar.style.width = `${100 * share}%`;
      item.append(make("span", `${(100 * share).toFixed(1)} %`, { className: "share" }));
      const words = make("span", "");
      words.append(...told);
      item.append(words, bar);
      list.append(item);
    };
    const shown = found.moves.filter((move) => move.share >= LEAST_ODDS).slice(0, MOST_ODDS);
    for (const move of shown) row(move.share, inWords(move));
    const rest = found.moves.slice(shown.length);
    const left = rest.reduce((sum, move) => sum + move.share, 0);
    if (rest.length) row(left, rest.length === 1 ? inWords(rest[0]) : [`${rest.length} others`]);
    const title = make("p", `How likely ${found.agent} would make each move:`);
    at("advice").replaceChildren(title, list);
  });
}

// The rest

function showRules(shown) {
  at("rules").hidden = !shown;
  at("show-rules").setAttribute("aria-expanded", String(shown));
  try {
    localStorage.setItem("chromazoo-rules", shown ? "shown" : "hidden");
  } catch {
    // the page does without
  }
}

function anew(same) {
  const all = view.people > 1 ? ", for everybody at the table" : "";
  const sure = view.finished || !view.news.length || confirm(`Give this game up${all}?`);
  if (sure) change("deal", { same });
}

function listen() {
  at("undo").addEventListener("click", () => change("undo", {}));
  at("new").addEventListener("click", () => anew(false));
  at("another").addEventListener("click", () => anew(false));
  at("again").addEventListener("click", () => anew(true));
  at("back").addEventListener("click", back);
  at("hint").addEventListener("click", hint);
  at("odds").addEventListener("click", odds);
  at("open").addEventListener("change", draw);
  at("show-rules").addEventListener("click", () => showRules(at("rules").hidden));
  at("hide-rules").addEventListener("click", () => {
    showRules(false);
    at("show-rules").focus();
  });
  at("larger").addEventListener("click", () => {
    const larger = at("board").classList.toggle("larger");
    at("larger").textContent = larger ? "Smaller picture" : "Larger picture";
    at("scrolls").hidden = !larger;
  });
  addEventListener("resize", () => {
    at("turn").style.minHeight = "";
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") back();
  });
}

async function begin() {
  listen();
  await during(async () => {
    receive(await ask("state"));
    at("rules-text").innerHTML = (await ask("rules")).html;
    let kept = null;
    try {
      kept = localStorage.getItem("chromazoo-rules");
    } catch {
      // the page does without
    }
    showRules(kept !== "hidden");
  });
  setTimeout(look, PAUSE);
}

begin();
