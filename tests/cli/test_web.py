"""Play in the browser, on the wire: who is answered, and that a seat receives nothing hidden."""

import json
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from time import sleep
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
import pytest

from chromazoo.agents.agent import RandomAgent, load
from chromazoo.agents.table import Table
from chromazoo.envs import registry
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import as_seeds, below, mix
from chromazoo.envs.records import check_lines
from tests.cli.process import start
from tests.games import EXAMPLES

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from chromazoo.cli.web import server
from chromazoo.cli.web.room import Room
from chromazoo.cli.web.server import make_app

SEED = 987654321987
BASE = "http://127.0.0.1:8000"
JSON = {"origin": BASE, "content-type": "application/json"}


class Web:
    """A room with a client: what each seat's page asks for and sends."""

    def __init__(self, table: Table, save: str | None = None, advisers: Any = ("random",)) -> None:
        self.table = table
        self.room = Room(table, advisers, save)
        self.client = TestClient(make_app(self.room), base_url=BASE)
        self.tokens = {seat: token for token, seat in self.room.tokens.items()}

    def get(self, seat: int, name: str = "state", **more: Any) -> Any:
        return self.client.get(f"/seat/{self.tokens[seat]}/{name}", **more)

    def post(self, seat: int, name: str, **body: Any) -> Any:
        address = f"/seat/{self.tokens[seat]}/{name}"
        sent = json.dumps({"version": self.room._version, **body})
        return self.client.post(address, content=sent, headers=JSON)

    def view(self, seat: int) -> Any:
        found = self.get(seat)
        assert found.status_code == 200
        return found.json()


def seat_people(
    name: str, people: tuple[int, ...], agent: str = "random", seed: int = SEED
) -> Table:
    """A table of a game of the examples, with agents at the seats without people."""
    game = EXAMPLES[name]
    other = load(agent, game)
    return Table(game, [None if seat in people else other for seat in range(game.num_seats)], seed)


@pytest.fixture
def web() -> Web:
    """Basic Kroma, where both seats are people's."""
    return Web(seat_people("basic", (0, 1)))


# Who is answered


def test_a_seat_has_its_page_and_no_other(web: Web) -> None:
    page = web.get(0, "")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert web.view(0)["seat"] == 0
    assert web.view(1)["seat"] == 1
    assert len(set(web.tokens.values())) == 2
    assert all(len(token) >= 22 for token in web.tokens.values())
    for wrong in ("", "0", web.tokens[0][:-1], web.tokens[0] + "x", "../" + web.tokens[0]):
        assert web.client.get(f"/seat/{wrong}/state").status_code == 404
    assert web.client.get("/").status_code == 404
    assert web.tokens[1] not in page.text + web.get(0).text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil", "[::1]", ""]
)
def test_other_hosts_are_refused(web: Web, host: str) -> None:
    assert web.get(0, headers={"host": host}).status_code == 400


def test_what_other_places_send_is_refused(web: Web) -> None:
    address = f"/seat/{web.tokens[0]}/undo"

    def status(headers: dict[str, str], content: str = "{}") -> int:
        given = {"content-type": "application/json", **headers}
        return int(web.client.post(address, content=content, headers=given).status_code)

    assert status({}) == 403
    for origin in (
        "http://evil.example",
        "http://127.0.0.1:8001",
        "https://127.0.0.1:8000",
        "null",
    ):
        assert status({"origin": origin}) == 403
    assert status({"origin": BASE, "content-type": "text/plain"}) == 415
    assert status({"origin": BASE}, "{" + " " * 5000 + "}") == 413
    assert status({"origin": BASE}) == 409  # there is nothing to undo
    parts = iter([b"{", b" " * 5000, b"}"])  # whose length is not told
    headers = {"content-type": "application/json", "origin": BASE}
    assert web.client.post(address, content=parts, headers=headers).status_code == 413
    assert web.client.get(address).status_code == 405
    assert web.client.options(address, headers={"origin": "http://evil.example"}).status_code == 405


def test_bodies_that_are_no_objects_are_refused(web: Web) -> None:
    address = f"/seat/{web.tokens[0]}/play"
    for content in ("", "[", "[1]", "1", "\ud800".encode("utf-8", "surrogatepass"), "[" * 4000):
        answer = web.client.post(address, content=content, headers=JSON)
        assert answer.status_code == 409
        assert answer.json() == {"error": "a JSON object was expected"}


@pytest.mark.parametrize("name", ["", "state", "rules", "record", "nothing"])
def test_answers_are_kept_between_server_and_page(web: Web, name: str) -> None:
    headers = web.get(0, name).headers
    policy = headers["content-security-policy"]
    assert policy.startswith(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:;"
    )
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert not [name for name in headers if name.startswith("access-control")]


def test_the_page_asks_for_nothing_elsewhere(web: Web) -> None:
    page = web.get(0, "").text
    names = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert sorted(names) == ["/static/play.css", "/static/play.js", "data:,"]
    for name in names[1:]:
        found = web.client.get(name)
        assert found.status_code == 200
        assert "://" not in found.text
    assert not re.search(r"<script>|<style>|style=|onclick", page)
    for wrong in (
        "play.py",
        "..%2froom.py",
        "%2e%2e/server.py",
        "nothing.js",
        "__init__.py",
        "%00.js",
        300 * "a",
    ):
        assert web.client.get(f"/static/{wrong}").status_code == 404


# What a seat receives

GAMES = [
    ("kroma", (0,), "random"),
    ("baby-flipped", (0, 1), "random"),
    ("chroma", (0,), "heuristic"),
    ("chroma-3", (0, 2), "random"),
    ("chroma-4", (0, 1, 2, 3), "random"),
    ("guardians", (0, 1), "random"),
    ("guardians-3", (1, 2), "heuristic"),
    ("guardians-5", (0, 4), "random"),
    ("tiny", (0, 1), "random"),
]


def through(web: Web, looked: Callable[[int], None], longest: int = 400) -> None:
    """Play a whole game by requests, people at random; `looked` is called between moves."""
    stream = as_seeds(4)
    for number in range(longest):
        deciding = web.table.deciding
        if not deciding:
            return
        looked(number)
        seat = deciding[int(below(stream, len(deciding))[0])]
        view = web.view(seat)
        assert view["deciding"]
        move = view["moves"][int(below(stream, len(view["moves"]))[0])]
        answer = web.post(seat, "play", action=move["action"], version=view["version"])
        assert answer.status_code == 200, answer.text


def answers(web: Web, seat: int) -> list[tuple[int, bytes, dict[str, str]]]:
    """All that a seat's page is answered, whole: statuses, bodies and headers."""
    names = ("", "state", "rules", "record", "replay")
    found = [web.get(seat, name) for name in names]
    for agent in web.room.advisers:
        found += [web.post(seat, name, agent=agent) for name in ("hint", "odds")]
    found.append(web.post(seat, "play", action=-1, version=0))
    return [(each.status_code, each.content, dict(each.headers)) for each in found]


@pytest.mark.parametrize(("name", "people", "agent"), GAMES)
def test_a_seat_receives_nothing_that_it_may_not_know(
    monkeypatch: pytest.MonkeyPatch, name: str, people: tuple[int, ...], agent: str
) -> None:
    """In a world where all that a seat does not know is other, its page receives the same bytes."""
    monkeypatch.setitem(registry.MODULES, "tiny", "tests.tiny.game")
    game = EXAMPLES[name]
    advisers = ["random"] + (["heuristic"] if game.id != "tiny" else [])
    web = Web(seat_people(name, people, agent), advisers=advisers)
    every, changed = 5, 0

    def looked(number: int) -> None:
        nonlocal changed
        for seat in people:
            assert str(SEED).encode() not in web.get(seat).content
            view = web.view(seat)
            assert view["open"] is None
            assert view["seed"] is None
            assert view["picture"]["svg"] == game.svg(web.table.state, seat=seat)
            assert [move["action"] for move in view["moves"]] == web.table.legal(seat).tolist()
        if number % every:
            return
        seat = people[number // every % len(people)]
        told = answers(web, seat)
        table = web.table
        kept = table.state, table.seed, table.streams
        table.state = game.redeal(table.state, [seat], [number])
        table.seed, table.streams = 5, mix(table.streams, 3)
        changed += game.dumps(table.state) != game.dumps(kept[0])
        again = answers(web, seat)
        table.state, table.seed, table.streams = kept
        assert told == again

    through(web, looked)
    assert changed >= 1
    assert web.table.over
    for seat in people:
        view = web.view(seat)
        assert view["finished"]
        assert view["seed"] == str(SEED)
        shown = view["picture"] if game.id == "kroma" else view["open"]  # which hides nothing
        assert shown["svg"] == game.svg(web.table.state, seat=seat if game.id == "kroma" else None)
        assert (view["open"] is None) == (game.id == "kroma")
        assert view["result"]


def other_past(table: Table, seat: int) -> list[Any]:
    """What may have happened as far as a seat knows: others held, and hid, other cards.

    Every decision of another seat is replaced by one, in a redealt world, after which the seat
    observes the same.
    """
    game, found = table.game, []
    states = [*(ply.before for ply in table.plies), table.state]
    exchanging = False
    for number, ply in enumerate(table.plies):
        gifts = game.id == "chroma" and ply.action >= game.gift  # type: ignore[attr-defined]
        if ply.seat == seat or gifts or exchanging:  # of exchanged cards a seat may know
            found.append(ply)
            exchanging = gifts
            continue
        exchanging = False
        world = game.redeal(ply.before, [seat], [number])
        mover = np.array([ply.seat])
        legal = game.packing.listed(game.legal(world, mover))[1]
        after = world.repeat(len(legal))
        game.step(after, legal, mover.repeat(len(legal)))
        eyes = np.full(len(legal), seat)
        same = (game.observe(after, eyes) == game.observe(states[number + 1], eyes[:1])).all(axis=1)
        other = legal[same & (legal != ply.action)]
        keeps = [*other.tolist(), ply.action][0]
        found.append(ply._replace(before=world, action=keeps))
    return found


@pytest.mark.parametrize("name", ["chroma-3", "guardians-3"])
def test_what_others_have_hidden_is_not_in_the_past_that_is_told(name: str) -> None:
    web = Web(seat_people(name, (0, 1, 2)))
    hidden = 0

    def looked(number: int) -> None:
        nonlocal hidden
        if number % 9 != 8:
            return
        for seat in range(3):
            told, kept = web.get(seat).content, web.table.plies
            web.table.plies = other_past(web.table, seat)
            pairs = zip(kept, web.table.plies, strict=True)
            hidden += sum(one.action != other.action for one, other in pairs)
            assert web.get(seat).content == told
            web.table.plies = kept

    through(web, looked)
    assert hidden > 5


def test_the_check_finds_a_past_that_tells_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    kind: Any = type(EXAMPLES["guardians-3"])
    news = kind.news

    def leaking(self: Any, *arguments: Any) -> Any:
        return news(self, *arguments[:-1], None)

    monkeypatch.setattr(kind, "news", leaking)
    with pytest.raises(AssertionError):
        test_what_others_have_hidden_is_not_in_the_past_that_is_told("guardians-3")


def test_the_check_finds_pages_that_receive_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaking(self: Room, seat: int) -> Any:
        return {
            **standing(self, seat),
            "open": str(self.table.game.text(self.table.state, 0, None)),
        }

    standing = Room._standing
    web = Web(seat_people("chroma-3", (0,)))
    monkeypatch.setattr(Room, "_standing", leaking)
    before = web.get(0).content
    web.table.state = web.table.game.redeal(web.table.state, [0], [1])
    assert web.get(0).content != before


def test_choices_of_others_stay_sealed() -> None:
    web = Web(seat_people("guardians", (0, 1)))
    before = web.view(0)
    for _ in range(2):
        move = web.view(1)["moves"][0]
        assert web.post(1, "play", action=move["action"], version=web.view(1)["version"]).is_success
    after = web.view(0)
    assert after["waiting"] == []
    assert after["picture"]["spots"] == before["picture"]["spots"]
    assert after["news"] == before["news"] == []
    assert not web.view(1)["deciding"]
    assert web.view(1)["waiting"] == ["seat 0"]


# Playing


def test_nothing_new_is_not_sent_again(web: Web) -> None:
    version = web.view(0)["version"]
    assert web.get(0, f"state?known={version}").json() == {"version": version}
    for wrong in ("", "x", "-1", str(version + 1), "9" * 40):
        assert "picture" in web.get(0, f"state?known={wrong}").json()


def test_wrong_moves_are_refused_and_change_nothing(web: Web) -> None:
    version = web.view(0)["version"]
    for action in (-1, 10**6, "L:purple", None, True, 1.5, [0]):
        answer = web.post(0, "play", action=action, version=version)
        assert answer.status_code == 409
        assert list(answer.json()) == ["error"]
    assert web.post(1, "play", action=web.view(0)["moves"][0]["action"]).status_code == 409
    assert web.table.plies == []


def test_pages_that_are_behind_are_told_so(web: Web) -> None:
    first = web.view(0)
    move = {"action": first["moves"][0]["action"], "version": first["version"]}
    assert web.post(0, "play", **move).status_code == 200
    assert web.post(1, "play", **move).json()["error"] == "the game has gone on; look again"
    web.post(0, "undo")
    assert web.post(0, "play", **move).json()["error"] == "the game has gone on; look again"
    assert web.post(0, "play", **{**move, "version": 99}).status_code == 409


def test_pages_that_are_behind_undo_and_deal_nothing(web: Web) -> None:
    for seat in (0, 1):
        move = web.view(seat)["moves"][0]["action"]
        assert web.post(seat, "play", action=move).status_code == 200
    for name, version in (("undo", 0), ("deal", 0), ("undo", 1), ("undo", None), ("deal", 99)):
        answer = web.post(0, name, version=version)
        assert answer.status_code == 409
        assert "look again" in answer.json()["error"] or version is None
    assert len(web.table.plies) == 2
    assert web.table.seed == SEED
    assert web.post(0, "deal", version=web.view(0)["version"]).status_code == 200


def test_what_others_choose_in_secret_makes_no_page_behind() -> None:
    web = Web(seat_people("guardians-4", (0, 1, 2, 3)))
    versions = [web.view(seat)["version"] for seat in range(4)]
    for seat in (2, 0, 3, 1):
        action = web.view(seat)["moves"][0]["action"]
        assert web.post(seat, "play", action=action, version=versions[seat]).status_code == 200
    assert web.table.state.turn.tolist() == [1]  # type: ignore[attr-defined]


def test_the_news_of_the_turn_are_told_apart() -> None:
    web = Web(seat_people("guardians", (0,)))
    for choice in range(4):
        view = web.view(0)
        fresh = [each["words"] for each in view["news"][len(view["news"]) - view["fresh"] :]]
        assert len(fresh) == choice % 2 + (choice > 1)
        if choice > 1:
            assert fresh[0].startswith("Turn 1: ")
        web.post(0, "play", action=view["moves"][0]["action"], version=view["version"])


def test_undo_and_other_games(web: Web) -> None:
    first = web.view(0)
    assert not first["undo"]
    web.post(0, "play", action=first["moves"][0]["action"], version=first["version"])
    assert web.view(1)["fresh"] == 1
    assert web.post(1, "undo").status_code == 409
    back = web.post(0, "undo").json()
    assert back["picture"] == first["picture"]
    assert web.post(0, "deal", same=True).status_code == 409
    assert web.post(0, "deal", same=False).status_code == 200
    assert web.table.seed != SEED


def told(web: Web, seat: int) -> list[str]:
    return [each["words"] for each in web.view(seat)["news"]]


def test_people_are_told_what_others_do_to_the_game(web: Web) -> None:
    def play(seat: int) -> None:
        assert web.post(seat, "play", action=web.view(seat)["moves"][0]["action"]).is_success

    undone, begun = "White took a move back", "White began a new game"
    play(0)
    play(1)
    answer = web.post(0, "undo")
    assert answer.json()["error"] == "Black has decided since your last move, so it stands"
    assert len(web.table.plies) == 2
    before = told(web, 1)
    play(0)
    for _ in range(2):
        assert web.post(0, "undo").is_success
        assert told(web, 1) == [*before, undone]
        assert web.view(1)["fresh"] >= 1
        assert undone not in told(web, 0)
        play(0)
        assert told(web, 1)[:-1] == [*before, undone]
    assert web.post(1, "undo").status_code == 409
    web.post(0, "deal")
    assert told(web, 0) == []
    assert told(web, 1) == [begun]
    assert web.view(1)["fresh"] == 1
    play(0)
    assert told(web, 1)[0] == begun
    assert len(told(web, 1)) == 2


def test_seeds_of_other_games_are_too_many_to_be_tried_one_by_one(web: Web) -> None:
    seeds = set()
    for _ in range(20):
        web.post(0, "deal")
        seeds.add(web.table.seed)
    assert len(seeds) == 20
    assert max(seeds) > 2**60


def test_advice_is_asked_of_nobody_but_the_advisers(web: Web) -> None:
    found = web.post(0, "odds", agent="random").json()
    assert found["agent"] == "random"
    assert sum(move["share"] for move in found["moves"]) == pytest.approx(1)
    move = web.post(0, "hint", agent="random").json()
    assert move["action"] in web.table.legal(0)
    assert web.post(1, "hint", agent="random").status_code == 409
    for name in ("heuristic", "os:getcwd", None, 3, ["random"]):
        answer = web.post(0, "hint", agent=name)
        assert answer.status_code == 409
        assert answer.json()["error"].startswith("no adviser")


def test_agents_without_odds_say_so(web: Web) -> None:
    class Silent:
        name = "silent"
        wants_states = False
        act = RandomAgent.act

    web.room._load = lambda _: Silent()  # type: ignore[method-assign, assignment]
    assert web.post(0, "odds", agent="random").json() == {"agent": "silent", "moves": None}


def test_agents_that_fail_are_told_of_and_moves_can_be_undone() -> None:
    class Broken:
        name = "broken"
        wants_states = False

        def act(self, decision: Any) -> Any:
            return np.zeros((2, 2))

    web = Web(Table(EXAMPLES["basic"], [None, Broken()], SEED))
    view = web.view(0)
    answer = web.post(0, "play", action=view["moves"][0]["action"], version=view["version"])
    assert answer.status_code == 409
    assert "agent broken" in answer.json()["error"]
    assert web.post(0, "undo").json()["picture"] == view["picture"]


class Talkative:
    """Fails, and tells what it holds."""

    name = "talkative"
    wants_states = False

    def act(self, decision: Any) -> Any:
        raise KeyError(f"holding {np.flatnonzero(decision.action_mask)}")


def test_agents_that_fail_tell_nothing_of_what_they_hold() -> None:
    web = Web(Table(EXAMPLES["guardians-3"], [None, Talkative(), None], SEED))
    answer = web.post(0, "play", action=web.view(0)["moves"][0]["action"])
    assert answer.status_code == 409
    why = "agent talkative failed as seat 1 was to decide: KeyError, of which an arena tells more"
    assert answer.json() == {"error": why}
    assert "holding" not in web.get(0).text + web.get(2).text
    assert web.view(0)["undo"]
    assert web.post(2, "play", action=-1).json()["error"] == "-1 is not legal now"


def test_what_should_not_fail_tells_nothing(
    web: Web, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(seat: int) -> Any:
        raise RuntimeError("a card")

    monkeypatch.setattr(web.table, "moves", fail)
    answer = web.get(0)
    assert answer.status_code == 500
    assert list(answer.json()) == ["error"]
    assert "a card" not in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert "RuntimeError: a card" in capsys.readouterr().err


def test_the_name_of_a_record_tells_nothing_of_a_game_that_has_begun_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    web = Web(seat_people("guardians", (0,)))
    through(web, lambda _: None)

    async def late(ask: Callable[[], Any]) -> Any:
        found = ask()
        web.room.deal(0, False, web.room._version)
        return found

    monkeypatch.setattr(server, "run_in_threadpool", late)
    named = web.get(0, "record").headers["content-disposition"]
    assert named == f'attachment; filename="guardians-{SEED}.jsonl"'
    assert web.table.seed != SEED


def test_games_that_have_ended_leave_records_and_a_replay(tmp_path: Path) -> None:
    path = tmp_path / "games"
    web = Web(seat_people("guardians", (0,)), str(path))
    assert web.get(0, "record").status_code == 409
    assert web.get(0, "replay").status_code == 409
    through(web, lambda _: None)
    record = web.get(0, "record")
    assert "attachment" in record.headers["content-disposition"]
    assert check_lines(record.text.splitlines(), "web").failed == []
    assert path.read_text() == record.text
    replay = web.get(0, "replay")
    assert (
        replay.headers["content-security-policy"] == "sandbox allow-scripts; frame-ancestors 'none'"
    )
    assert "<title>Replay of guardians" in replay.text
    assert web.post(0, "deal", same=True).status_code == 200
    assert web.table.seed == SEED
    through(web, lambda _: None)
    assert path.read_text() == 2 * record.text
    web.post(0, "undo")
    through(web, lambda _: None)
    assert path.read_text().splitlines()[0] == record.text.strip()
    assert len(path.read_text().splitlines()) == 2


def test_the_rules_are_told_as_html(web: Web) -> None:
    html = web.get(0, "rules").json()["html"]
    assert html.startswith("<h1>Kroma in short</h1>")
    names = ["<img", "&amp;", *(f"c{number}" for number in range(18))]
    game: Game[Any] = type(EXAMPLES["chroma"])(wheel={"names": names, "compatible": [[0, 1]]})
    told = Web(Table(game, [None, RandomAgent()], 1)).get(0, "rules").json()["html"]
    assert "<img" not in told
    assert "&lt;img" in told


# Serving


def test_a_port_that_is_taken_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"--port {port}: "):
            server._listen(port)


def test_it_listens_on_this_machine_alone() -> None:
    listener = server._listen(0)
    try:
        assert listener.getsockname()[0] == "127.0.0.1"
    finally:
        listener.close()


def test_the_command_serves_until_it_is_interrupted() -> None:
    process = start("play", "kroma", "--web", "--no-open", "--seat", "1", "--opponent", "random")
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.fullmatch(r"Black: (http://127\.0\.0\.1:\d+/seat/[\w-]{22}/)\n", line)
    assert found
    assert process.stdout.readline().endswith("Ctrl-C ends the game.\n")
    with urlopen(found[1] + "state") as answer:
        assert json.load(answer)["seat"] == 1
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err == ""


PONDERER = """
import threading
from pathlib import Path
from chromazoo.agents.agent import RandomAgent

class Ponderer(RandomAgent):
    def act(self, decision):
        Path("pondering").touch()
        threading.Event().wait()

def make(game):
    return Ponderer()
"""


def test_an_interrupt_waits_for_no_agent(tmp_path: Path) -> None:
    (tmp_path / "ponderer.py").write_text(PONDERER)
    options = ("--web", "--no-open", "--opponent", "ponderer:make")
    process = start("play", "kroma", *options, cwd=tmp_path)
    assert process.stdout is not None
    address = process.stdout.readline().split()[-1]
    with urlopen(address + "state") as answer:
        view = json.load(answer)
    origin = address.partition("/seat")[0]
    move = json.dumps({"action": view["moves"][0]["action"], "version": view["version"]})
    headers = {"origin": origin, "content-type": "application/json"}
    request = Request(address + "play", move.encode(), headers)

    def ask() -> None:
        with suppress(OSError, HTTPException):
            urlopen(request).close()

    asking = threading.Thread(target=ask)
    asking.start()
    while not (tmp_path / "pondering").exists():
        assert process.poll() is None
        sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    asking.join()
    assert process.returncode == 130
    assert err == ""


def test_the_extra_is_named_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "chromazoo.cli.web.server")
    error = refused("play", "kroma", "--web")
    assert "--web needs uvicorn, which is not installed: pip install 'chromazoo[web]'" in error


def test_requests_at_once_are_answered_one_after_the_other(web: Web) -> None:
    found: list[int] = []
    action = web.view(0)["moves"][0]["action"]

    def press() -> None:
        found.append(web.post(0, "play", action=action, version=0).status_code)

    threads = [threading.Thread(target=press) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200, 409, 409, 409, 409, 409]
    assert len(web.table.plies) == 1
