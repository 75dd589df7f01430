"""The page of a replay, opened from disk."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from chromazoo.envs.registry import make_game
from chromazoo.envs.replays import Replay
from chromazoo.envs.svg import Viewer
from tests.browser.conftest import NARROW, WIDE, Open
from tests.browser.watching import Watch, overflows
from tests.contract.golden import file_of
from tests.records.sampling import sample

GAMES = ("kroma", "chroma", "guardians")
Shown = Callable[..., Replay]


def short(game: str) -> dict[str, Any]:
    """A golden record of some plies, but not of many."""
    with file_of(game).open(encoding="utf-8") as lines:
        records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return min((each for each in records if len(each["plies"]) > 20), key=lambda r: len(r["plies"]))


@cache
def replayed(game: str) -> Replay:
    return Replay(short(game))


@pytest.fixture
def shown(page: Page, tmp_path: Path) -> Shown:
    """Open the page of a game in `page`."""

    def show(game: str, *viewers: Viewer, on: Page = page) -> Replay:
        replay = replayed(game)
        file = tmp_path / "replay.html"
        file.write_text(replay.page(*viewers), encoding="utf-8")
        on.goto(file.as_uri())
        return replay

    return show


def board(page: Page) -> str:
    """What the picture says, in words, place by place."""
    texts = page.locator("#board [aria-label]").evaluate_all(
        "all => all.map(one => `${one.getAttribute('aria-label')} ${one.getAttribute('d') || ''}`)"
    )
    return "\n".join(texts)


def said(picture: str) -> str:
    """The same of a picture as Python draws it."""
    return "\n".join(
        f"{unquoted(label)} {data}"
        for label, data in re.findall(r'aria-label="([^"]*)"(?:[^>]*? d="([^"]*)")?', picture)
    )


def unquoted(text: str) -> str:
    for name, letter in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(name, letter)
    return text


def at(page: Page, position: int, replay: Replay, seen: bool = True) -> None:
    """Wait for a position, and compare all that tells of it."""
    expect(page.locator("#counter")).to_have_text(f"{position} of {replay.plies}")
    expect(page.locator("#slider")).to_have_js_property("value", str(position))
    current = page.locator("#moves [aria-current=step]")
    expect(current).to_have_count(1)
    expect(current.locator(".number")).to_have_text(str(position or "–"))
    if seen:
        expect(current).to_be_in_viewport()


@pytest.mark.parametrize("game", GAMES)
def test_it_steps_by_buttons_keys_slider_and_list(page: Page, shown: Shown, game: str) -> None:
    replay = shown(game)
    last = replay.plies
    at(page, 0, replay)
    expect(page.get_by_role("button", name="One step back")).to_be_disabled()
    page.get_by_role("button", name="One step forward").click()
    at(page, 1, replay)
    assert board(page) == said(replay.svg(1))
    page.get_by_role("button", name="Last position").click()
    at(page, last, replay)
    assert board(page) == said(replay.svg(last))
    expect(page.locator("#status")).to_contain_text(f"The end: {replay.result}")
    expect(page.get_by_role("button", name="One step forward")).to_be_disabled()
    page.get_by_role("button", name="One step back").click()
    at(page, last - 1, replay)
    page.get_by_role("button", name="First position").click()
    at(page, 0, replay)
    for key, position in (
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("Home", 0)
    ):  # fmt: skip
        page.keyboard.press(key)
        at(page, position, replay)
    page.locator("#slider").fill("7")
    at(page, 7, replay)
    assert board(page) == said(replay.svg(7))
    page.locator("#moves li").nth(last // 2).get_by_role("button").click()
    at(page, last // 2, replay)
    assert board(page) == said(replay.svg(last // 2))
    words = replay.news(last // 2 - 1).words
    expect(page.locator("#status b")).to_have_text(words)
    for key, position in (("ArrowRight", 1), ("ArrowDown", 2), ("ArrowUp", 1)):
        page.keyboard.press(key)
        at(page, last // 2 + position, replay)
        expect(page.locator("#moves [aria-current=step]")).to_be_focused()
    assert page.locator("#moves [tabindex='0']").count() == 1
    page.keyboard.press("Tab")
    expect(page.locator("summary")).to_be_focused()


def test_it_plays_pauses_and_begins_anew_at_the_end(page: Page, shown: Shown) -> None:
    page.clock.install(time=0)
    replay = shown("guardians")
    page.clock.pause_at(3_600_000)  # from now on, time passes in `run_for` alone
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.clock.run_for(3100)
    at(page, 3, replay)
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(9000)
    at(page, 3, replay)
    page.locator("#speed").select_option("4 ×")
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(1100)
    at(page, 7, replay)
    page.keyboard.press("ArrowLeft")  # whoever steps has stopped it
    page.clock.run_for(1000)
    at(page, 6, replay)
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(250 * replay.plies)
    at(page, replay.plies, replay)
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(300)
    at(page, 1, replay)


@pytest.mark.parametrize("game", GAMES)
def test_every_view_is_what_that_seat_sees(page: Page, shown: Shown, game: str) -> None:
    replay = shown(game)
    page.locator("#slider").fill("9")
    for number, viewer in enumerate(replay.viewers):
        page.locator("#view").select_option(index=number)
        at(page, 9, replay)
        assert board(page) == said(replay.svg(9, viewer))
        expect(page.locator("#status b")).to_have_text(replay.news(8, viewer).words)
    assert page.locator("#view option").count() == len(replay.viewers)


@pytest.mark.parametrize("game", GAMES)
def test_a_page_of_one_seat_has_no_other_view(page: Page, shown: Shown, game: str) -> None:
    replay = shown(game, 1)
    page.keyboard.press("ArrowRight")
    at(page, 1, replay)
    assert page.locator("#view").count() == 0
    expect(page.locator("#views")).to_contain_text(f"As {replay.game.seat_name(1)} sees it")
    assert board(page) == said(replay.svg(1, 1))
    assert page.locator("#moves code").count() == 0


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_nothing_overflows(open_page: Open, shown: Shown, game: str, size: Any) -> None:
    page = open_page(size=size)
    replay = shown(game, on=page)
    for position in (0, replay.plies // 2, replay.plies):
        page.locator("#slider").fill(str(position))
        assert overflows(page) == []
    page.get_by_text("Options of the game").click()
    assert overflows(page) == []
    if size == NARROW:
        before = page.locator("#board svg").bounding_box()
        page.get_by_role("button", name="Larger picture").click()
        after = page.locator("#board svg").bounding_box()
        assert before
        assert after
        assert after["width"] > 2 * before["width"]
        assert overflows(page) == []
        page.get_by_role("group", name="Board").focus()
        page.keyboard.press("ArrowRight")  # scrolls, and does not step
        at(page, replay.plies, replay, seen=False)
        expect(page.locator("#board")).not_to_have_js_property("scrollLeft", 0)
    else:  # all of it is in the window
        assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight")


def test_it_asks_for_nothing_but_itself(page: Page, watch: Watch, shown: Shown) -> None:
    replay = shown("chroma")
    page.keyboard.press("End")
    at(page, replay.plies, replay)
    assert len(watch.requests) == 1


def test_frames_in_one_document_do_not_meet(page: Page) -> None:
    replay = replayed("kroma")
    page.set_content(replay._repr_html_() + replayed("guardians")._repr_html_())
    one, other = (page.locator("iframe").nth(number).content_frame for number in (0, 1))
    one.get_by_role("button", name="One step forward").click()
    expect(one.locator("#counter")).to_have_text(f"1 of {replay.plies}")
    expect(other.locator("#counter")).to_have_text(f"0 of {replayed('guardians').plies}")
    reach = "() => { try { return parent.document.title } catch { return 0 } }"
    outer = one.locator("body").evaluate(reach)
    assert outer == 0


def test_what_a_stranger_writes_is_no_more_than_text(
    page: Page, watch: Watch, tmp_path: Path
) -> None:
    evil = "</script><img/src=http://127.0.0.1:9/x/onerror=alert(1)><!--"
    record = short("chroma")
    names = [f"{number}{evil}".replace(":", "").replace("@", "") for number in range(20)]
    record["config"]["wheel"] = {"names": names, "compatible": [[0, 1]]}
    file = tmp_path / "replay.html"
    file.write_text(stranger(record).page(), encoding="utf-8")
    page.goto(file.as_uri())
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_text("Options of the game").click()
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    expect(page.locator("#options")).to_contain_text("</script><img")
    assert overflows(page) == []
    assert len(watch.requests) == 1


def test_its_policy_keeps_other_scripts_from_running(
    page: Page, watch: Watch, shown: Shown
) -> None:
    shown("kroma")
    page.evaluate(
        "new Promise(done => { const one = document.createElement('script');"
        " one.textContent = 'window.reached = true'; document.body.append(one);"
        " document.body.insertAdjacentHTML('beforeend', '<img onerror=reached=1>');"
        " const image = document.body.lastChild; image.addEventListener('error', () => done());"
        " image.src = 'data:,' })"
    )
    assert page.evaluate("window.reached") is None
    assert any("Content Security Policy" in fault for fault in watch.faults)
    watch.faults.clear()


def stranger(record: dict[str, Any]) -> Replay:
    """Play a game by a record's options, whoever wrote them."""
    game = make_game("chroma", **record["config"])
    lines, _, _ = sample(game, 1)
    return Replay(lines[0])
