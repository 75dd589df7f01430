"""The pages of `chromazoo play --web`, in a browser, from the first click to the end of a game."""

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Page, expect

from chromazoo.agents.agent import load
from chromazoo.agents.table import Table
from chromazoo.cli.web.room import Room
from chromazoo.cli.web.server import HOST, _listen, make_app
from chromazoo.envs import registry
from chromazoo.envs.records import check_lines
from chromazoo.envs.registry import make_game
from tests.browser.conftest import NARROW, WIDE, Open
from tests.browser.watching import Watch, overflows

GAMES: dict[str, dict[str, Any]] = {
    "kroma": {"size": "baby"},
    "chroma": {"num_players": 3, "power_copies": 2},
    "guardians": {},
}
Serve = Callable[..., "Served"]
PATIENCE = 180_000  # milliseconds: the server is a thread of a process that may have to wait

expect.set_options(timeout=PATIENCE)


class Served:
    """A room that is served, and the addresses of its people."""

    def __init__(self, table: Table) -> None:
        self.table = table
        room = Room(table, ["heuristic", "random"])
        listener = _listen(0)
        port = listener.getsockname()[1]
        self.addresses = {
            seat: f"http://{HOST}:{port}/seat/{token}/" for token, seat in room.tokens.items()
        }
        config = uvicorn.Config(make_app(room), log_level="error", lifespan="off")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=[[listener]])
        self.thread.start()

    def stop(self) -> None:
        self.server.should_exit = True
        self.server.force_exit = True
        self.thread.join()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Serve tables until the test is done: `serve(game, people, **options)`.

    Tests name it before the pages, so that these are closed before the server stops.
    """
    monkeypatch.setitem(registry.MODULES, "tiny", "tests.tiny.game")
    running = []

    def start(
        game_id: str, people: tuple[int, ...] = (0,), seed: int = 5, **options: Any
    ) -> Served:
        game = make_game(game_id, **options)
        agent = load("random", game)
        seats = [None if seat in people else agent for seat in range(game.num_seats)]
        running.append(Served(Table(game, seats, seed)))
        return running[-1]

    yield start
    for served in running:
        served.stop()


def at_rest(page: Page) -> None:
    """Wait until the page has been answered."""
    page.wait_for_selector('body[aria-busy="false"]')


def enter(page: Page, address: str) -> None:
    """Open the page of a seat and close the rules."""
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    at_rest(page)
    page.click("#hide-rules")


def click_once(page: Page, random: Random) -> None:
    """Click one of the highlighted spots, or a button where there is no spot."""
    choices = page.locator(".spot:not([tabindex]), #buttons .choice")
    choices.nth(random.randrange(choices.count())).click()
    at_rest(page)


def finished(page: Page) -> bool:
    return page.is_visible("#result")


def play_on(page: Page, random: Random, longest: int = 1500) -> None:
    """Click at random until the game has ended."""
    for _ in range(longest):
        if finished(page):
            return
        click_once(page, random)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_played_by_clicks_from_the_first_to_the_end(
    serve: Serve, page: Page, watch: Watch, tmp_path: Path, game: str
) -> None:
    served = serve(game, **GAMES[game])
    enter(page, served.addresses[0])
    expect(page.locator("#prompt")).to_contain_text("Choose")
    play_on(page, Random(3))
    assert served.table.over
    expect(page.locator("#outcome")).to_contain_text("Seed 5")
    with page.expect_download() as download:
        page.click("#record")
    download.value.save_as(tmp_path / "record")
    lines = (tmp_path / "record").read_text().splitlines()
    assert check_lines(lines, "record").failed == []
    for size in (WIDE, NARROW):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert overflows(page) == []
    if page.is_visible("#open-choice"):
        before = page.inner_html("#picture")
        page.check("#open")
        assert page.inner_html("#picture") != before
    page.click("#again")
    at_rest(page)
    assert not finished(page)
    assert served.table.seed == 5
    assert len(watch.requests) > 10


def test_a_game_is_played_by_hints_and_odds_are_shown(serve: Serve, page: Page) -> None:
    served = serve("kroma", size="baby")
    enter(page, served.addresses[0])
    while not finished(page):
        page.click("#odds")
        at_rest(page)
        shares = page.locator("#advice .share").all_inner_texts()
        assert sum(float(share.split()[0]) for share in shares) == pytest.approx(100, abs=1)
        page.click("#hint")
        at_rest(page)
        expect(page.locator("#advice")).to_contain_text("heuristic would play")
        page.click("#play-hint")
        at_rest(page)
    assert served.table.over


def test_advice_is_in_the_words_of_the_rest_of_the_page(serve: Serve, open_page: Open) -> None:
    page = open_page()
    served = serve("kroma", size="baby")
    enter(page, served.addresses[0])
    page.click("#hint")
    at_rest(page)
    told = page.inner_text("#advice span")
    assert re.fullmatch(r"heuristic would play (\w+) at the left end L:\1", told)
    page.click("#odds")
    at_rest(page)
    expect(page.locator("#advice li").first).to_contain_text(" at the left end L:")
    served, page = serve("guardians"), open_page()
    enter(page, served.addresses[0])
    page.click("#hint")
    at_rest(page)
    assert re.fullmatch(
        r"heuristic would play (\d+) \w+, \d mark.*", page.inner_text("#advice span")
    )
    assert not page.locator("#advice .notation").count()


def top(page: Page) -> float:
    box = page.locator("#frame").bounding_box()
    assert box
    return box["y"] + float(page.evaluate("scrollY"))


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_picture_stays_where_it_is(serve: Serve, open_page: Open, size: Any) -> None:
    served = serve("chroma", **GAMES["chroma"])
    page = open_page(size=size)
    enter(page, served.addresses[0])
    places, random, buttons = [], Random(2), 0
    for _ in range(60):
        if finished(page):
            break
        places.append(round(top(page)))
        buttons += page.locator("#buttons .choice").count()
        click_once(page, random)
    assert buttons
    assert places == sorted(places)
    assert len(set(places)) == 1 or size == NARROW
    assert max(places) - min(places) < 80


def test_a_larger_picture_can_be_made_small_again(serve: Serve, open_page: Open) -> None:
    page = open_page(size=NARROW)
    enter(page, serve("chroma").addresses[0])
    width = "document.getElementById('board').offsetWidth"
    small = page.evaluate(width)
    page.click("#larger")
    expect(page.locator("#larger")).to_have_text("Smaller picture")
    expect(page.locator("#scrolls")).to_be_visible()
    assert page.evaluate(width) > 2 * small
    assert overflows(page) == []
    page.click("#larger")
    expect(page.locator("#larger")).to_have_text("Larger picture")
    expect(page.locator("#scrolls")).to_be_hidden()
    assert page.evaluate(width) == small


def test_it_is_told_at_once_that_the_server_has_stopped(
    serve: Serve, page: Page, watch: Watch
) -> None:
    served = serve("kroma", size="baby")
    enter(page, served.addresses[0])
    served.stop()
    expect(page.locator("#prompt")).to_contain_text("The server has stopped")
    for _ in range(2):
        click_once(page, Random(1))
    expect(page.locator("#prompt")).to_contain_text("The server has stopped")
    expect(page.locator("#trouble")).to_be_hidden()
    watch.faults = [fault for fault in watch.faults if "ERR_CONNECTION_REFUSED" not in fault]


def test_undo_and_back(serve: Serve, page: Page) -> None:
    served = serve("chroma", first_player=0)
    enter(page, served.addresses[0])
    expect(page.locator("#undo")).to_be_disabled()
    first = page.inner_html("#picture")
    prompt = page.inner_text("#prompt")
    page.locator(".spot").first.click()
    assert page.inner_text("#prompt") != prompt
    page.click("#back")
    assert page.inner_text("#prompt") == prompt
    page.locator(".spot").first.click()
    page.keyboard.press("Escape")
    assert page.inner_text("#prompt") == prompt
    expect(page.locator("#back")).to_be_hidden()
    for _ in range(2):
        click_once(page, Random(1))
    assert page.inner_html("#picture") != first
    expect(page.locator("#news")).to_contain_text("You: ")
    page.click("#undo")
    at_rest(page)
    assert page.inner_html("#picture") == first
    assert served.table.plies == []


def test_the_keyboard_alone_suffices(serve: Serve, page: Page) -> None:
    served = serve("kroma", size="basic", random=True)
    enter(page, served.addresses[0])
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "spot choice":
            break
    for ply in range(3):
        page.keyboard.press("Enter")
        expect(page.locator("#back")).to_be_visible()
        assert page.evaluate("document.activeElement.className") == "spot choice"
        page.keyboard.press("Space")
        at_rest(page)
        expect(page.locator("#back")).to_be_hidden()
        assert len(served.table.plies) == 2 * ply + 2


def focused(page: Page) -> Any:
    return page.evaluate("document.activeElement.id || document.activeElement.dataset.spot")


def test_the_keyboard_stays_where_it_is(serve: Serve, page: Page, open_page: Open) -> None:
    served = serve("guardians", (0, 1), num_players=3)
    enter(page, served.addresses[0])
    for name in ("hint", "odds"):
        page.focus(f"#{name}")
        page.keyboard.press("Enter")
        expect(page.locator("#advice")).to_contain_text("would" if name == "hint" else "How likely")
        at_rest(page)
        assert focused(page) == name
    spot = page.locator(".spot").nth(2)
    spot.focus()
    name = focused(page)
    assert name.startswith("card:")
    other = open_page()
    enter(other, served.addresses[1])
    other.locator(".spot").first.click()
    expect(page.locator("#seats")).not_to_contain_text("seat 1: a person, to decide")
    assert focused(page) == name


def test_what_happened_is_told_to_those_who_do_not_see_it(serve: Serve, page: Page) -> None:
    served = serve("guardians")
    enter(page, served.addresses[0])
    expect(page.locator("#told")).to_have_text("")
    for _ in range(2):
        click_once(page, Random(1))
    expect(page.locator("#told")).to_contain_text("Turn 1")
    play_on(page, Random(3))
    assert page.inner_text("#told").endswith(page.inner_text("#outcome").partition(" Seed")[0])


def test_trouble_stays_until_something_else_is_done(
    serve: Serve, page: Page, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve("kroma", size="baby")
    enter(page, served.addresses[0])

    def fail(decision: Any) -> Any:
        raise ValueError("broken")

    monkeypatch.setattr(served.table.players[1], "act", fail)
    for _ in range(2):
        click_once(page, Random(1))
    expect(page.locator("#trouble")).to_contain_text("agent random failed as Black was to decide")
    for _ in range(2):  # looks at what others do
        with page.expect_response(lambda answer: "state?known" in answer.url):
            pass
    expect(page.locator("#trouble")).to_contain_text("agent random failed as Black was to decide")
    page.click("#undo")
    at_rest(page)
    expect(page.locator("#trouble")).to_be_hidden()
    assert served.table.deciding == (0,)
    watch.faults = [
        fault for fault in watch.faults if "409" not in fault
    ]  # which the console tells


def test_two_tabs_of_one_seat_do_not_disturb_each_other(
    serve: Serve, open_page: Open, watches: dict[Page, Watch]
) -> None:
    served = serve("kroma", size="baby")
    ahead, behind = open_page(), open_page()
    for tab in (ahead, behind):
        enter(tab, served.addresses[0])
    for _ in range(2):
        click_once(ahead, Random(1))
    plies = len(served.table.plies)
    for _ in range(2):
        click_once(behind, Random(1))
    expect(behind.locator("#trouble")).to_contain_text("look again")
    assert len(served.table.plies) == plies
    assert behind.inner_html("#picture") == ahead.inner_html("#picture")
    watches[behind].faults = [fault for fault in watches[behind].faults if "409" not in fault]


def test_two_people_play_on_two_pages(serve: Serve, open_page: Open) -> None:
    served = serve("guardians", (0, 1, 2), num_players=4)
    pages = {seat: open_page() for seat in served.table.people}
    for seat, page in pages.items():
        enter(page, served.addresses[seat])
        expect(page.locator("#who")).to_contain_text(f"You are seat {seat}")
    for turn in range(2):
        for seat in (2, 0, 1):
            expect(pages[seat].locator("#prompt")).to_contain_text("Choose a card")
            pages[seat].locator(".spot").first.click()
        for page in pages.values():
            expect(page.locator("#news")).to_contain_text(f"Turn {turn + 1}")
    hands = {seat: page.locator(".spot").count() for seat, page in pages.items()}
    assert hands == {0: 7, 1: 7, 2: 7}
    pages[1].click("#undo")
    expect(pages[2].locator("#news")).to_contain_text("seat 1 took a move back")
    expect(pages[2].locator("#news")).not_to_contain_text("Turn 2")
    expect(pages[0].locator("#news")).to_contain_text("seat 1 took a move back")


def test_a_game_without_code_of_its_own_is_played_by_buttons(serve: Serve, page: Page) -> None:
    served = serve("tiny", seed=3)
    enter(page, served.addresses[0])
    assert page.locator("#buttons .choice").all_inner_texts() == ["bid:0", "bid:1", "bid:2"]
    play_on(page, Random(2))
    assert served.table.over


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("game", GAMES)
def test_nothing_overflows(serve: Serve, open_page: Open, game: str, size: Any) -> None:
    page = open_page(size=size)
    page.set_default_timeout(PATIENCE)
    page.goto(serve(game, **GAMES[game]).addresses[0])
    at_rest(page)
    expect(page.locator("#rules-text h1")).to_be_visible()
    assert overflows(page) == []
    page.click("#hide-rules")
    for _ in range(3):
        page.click("#hint")
        at_rest(page)
        assert overflows(page) == []
        click_once(page, Random(4))
    if page.is_enabled("#odds"):
        page.click("#odds")
        at_rest(page)
    assert overflows(page) == []


def test_rules_are_shown_first_and_then_on_demand(serve: Serve, page: Page) -> None:
    served = serve("kroma")
    page.goto(served.addresses[0])
    expect(page.locator("#rules-text")).to_contain_text("You win when your enemy is to move")
    page.click("#hide-rules")
    page.reload()
    at_rest(page)
    expect(page.locator("#rules")).to_be_hidden()
    page.click("#show-rules")
    expect(page.locator("#rules")).to_be_visible()


def test_the_replay_of_a_game_opens(serve: Serve, page: Page, open_page: Open) -> None:
    served = serve("kroma", size="baby")
    enter(page, served.addresses[0])
    play_on(page, Random(7))
    address = page.get_attribute("#replay", "href")
    replay = open_page()
    replay.goto(served.addresses[0] + str(address))
    expect(replay.locator("h1")).to_have_text("Replay")
    replay.keyboard.press("End")
    assert replay.locator("#board > svg").count() == 1
