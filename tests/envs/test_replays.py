"""Replays: every position of a record, and the page that shows them."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html.parser import HTMLParser
from itertools import combinations, islice
from typing import Any

import numpy as np
import pytest

from chromazoo.envs import registry
from chromazoo.envs.errors import InvalidArgument, InvalidRecord
from chromazoo.envs.records import replay
from chromazoo.envs.registry import make_game
from chromazoo.envs.replay_page import changes, contents, harmless
from chromazoo.envs.replays import Replay
from chromazoo.envs.svg import Picture, Viewer
from tests.contract.golden import file_of
from tests.records.sampling import good, sample

GOLDEN = ("kroma", "chroma", "guardians")
GAMES = ("tiny", *GOLDEN)


@pytest.fixture(scope="module", autouse=True)
def tiny_is_a_game() -> Iterator[None]:
    """Let Tiny be found by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry.MODULES, "tiny", "tests.tiny.game")
        yield


def golden(game: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file_of(game).read_text(encoding="utf-8").splitlines()]


@cache
def made(game: str) -> Replay:
    """A game of some twenty plies or more."""
    if game == "tiny":
        return Replay(good(make_game("tiny", cards=9)))
    long = [record for record in golden(game) if len(record["plies"]) > 20]
    return Replay(min(long, key=lambda record: len(record["plies"])))


# Positions


@pytest.mark.parametrize("game", GOLDEN)
def test_golden_records_have_all_their_positions(game: str) -> None:
    for record in golden(game)[::6]:
        found = Replay(record)
        plies = record["plies"]
        assert len(found.states) == found.plies + 1 == len(plies) + 1
        assert found.states.plies.tolist() == list(range(len(plies) + 1))
        assert found.states.over.tolist() == [False] * len(plies) + [True]
        assert found.states.seat[:-1].tolist() == [ply["player"] for ply in plies]
        assert [found.move(number) for number in range(len(plies))] == [p["move"] for p in plies]
        assert [found.seat(number) for number in range(len(plies))] == [p["player"] for p in plies]
        chances = [found.chance(number) for number in range(len(plies))]
        assert chances == [ply.get("chance") for ply in plies]


@pytest.mark.parametrize("game", GAMES)
def test_every_position_leads_to_the_next(game: str) -> None:
    found = made(game)
    rules = found.game
    for ply, action in enumerate(found.actions):
        state = found.states.take([ply])
        rules.step(state, np.array([action]), chance=[found.chance(ply)])
        assert rules.dumps(state) == rules.dumps(found.states.take([ply + 1]))
    _, final = replay(found.record)
    assert rules.dumps(final) == rules.dumps(found.states.take([found.plies]))


@pytest.mark.parametrize("game", GAMES)
def test_a_record_and_its_line_give_the_same(game: str) -> None:
    one = made(game)
    line = json.dumps(one.record)
    for other in (Replay(line), Replay(line.encode() + b"\n"), Replay(one.record)):
        assert other.record == one.record
        assert other.game == one.game
        assert other.game.dumps(other.states) == one.game.dumps(one.states)
    assert other.page(0) == one.page(0)


def test_engines_replay_alike() -> None:
    pytest.importorskip("numba")
    slow = made("kroma")
    fast = Replay(slow.record, engine="compiled")
    assert fast.game.engine == "compiled"
    assert fast.page(None) == slow.page(None)


def test_records_that_do_not_fit_are_refused_with_the_place() -> None:
    record = json.loads(json.dumps(made("kroma").record))
    record["plies"][5]["move"] = "a1-a1"
    with pytest.raises(InvalidRecord, match="ply 5: ") as caught:
        Replay(record)
    assert caught.value.ply == 5
    with pytest.raises(InvalidRecord, match="not a whole JSON object"):
        Replay("{")


@pytest.mark.parametrize("number", [-1, 10**6, 0.5, True, "1", None])
def test_positions_that_do_not_exist_are_refused(number: Any) -> None:
    found = made("guardians")
    for ask in (found.svg, found.text, found.move, found.chance, found.seat, found.news):
        with pytest.raises(InvalidArgument, match="from 0 to"):
            ask(number)
    with pytest.raises(InvalidArgument, match="from 0 to"):
        found.seat(found.plies)  # nobody decides at the end
    with pytest.raises(InvalidArgument, match="seat: from 0 to"):
        found.page(9)


@pytest.mark.parametrize("game", GOLDEN)
def test_the_result_is_told_in_words(game: str) -> None:
    who = r"(White|Black|seat \d)"
    for record in golden(game)[::9]:
        found = Replay(record)
        told, reason = found.result, re.escape(found.game.ending(found.states, found.plies))
        assert reason != re.escape(record["result"]["reason"])  # but in words for people
        assert re.fullmatch(
            rf"({who} wins|{who}( and {who})+ share the win|a draw): {reason}", told
        )
        assert told.startswith("a draw") == (not any(record["result"]["rewards"]))


# The page


def decoded(page: dict[str, Any], view: int) -> list[str]:
    """Draw the pictures of a view as the page does."""
    pictures, numbers = [], list[int]()
    for frame in page["views"][view]["frames"]:
        for place, count, *added in reversed(frame):
            numbers[place : place + count] = added
        pictures.append("\n".join(page["lines"][number] for number in numbers))
    return pictures


@pytest.mark.parametrize("game", GAMES)
def test_the_page_draws_exactly_what_the_game_draws(game: str) -> None:
    found = made(game)
    page = json.loads(json.dumps(contents(found, found.viewers)))
    assert len(page["views"]) == found.game.num_seats + (1 if game == "kroma" else 2)
    for view, viewer in enumerate(found.viewers):
        drawn = [found.game.svg(found.states, row, viewer) for row in range(found.plies + 1)]
        assert decoded(page, view) == drawn
        assert page["views"][view]["words"] == [
            found.news(ply, viewer).words for ply in range(found.plies)
        ]
    assert len(set(page["lines"])) == len(page["lines"])
    assert page["turns"] == [ply["player"] for ply in found.record["plies"]]
    assert page["result"] == found.result


def test_changes_undo_nothing_and_lose_nothing() -> None:
    texts = ["a\nb\nc", "a\nb\nc", "b\nc", "x\nb\ny\nc\nz", "", "a\na\na", "a\na", "c\nb\na"]
    lines: dict[str, int] = {}
    frames = list(changes(map(Picture, texts), lines))
    assert decoded({"lines": list(lines), "views": [{"frames": frames}]}, 0) == texts
    assert frames[1] == []


@pytest.mark.parametrize("game", GOLDEN)
def test_a_page_is_small_beside_its_pictures(game: str) -> None:
    found = made(game)
    drawn = sum(len(picture) for viewer in found.viewers for picture in found.pictures(viewer))
    assert len(found.page()) < min(drawn / 5, 10**6)


class Reader(HTMLParser):
    """Reads the tags of a page, and what its elements hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.held: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.held.append((self.tags[-1][0], data))

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def test_the_page_needs_nothing_but_itself() -> None:
    page = Reader(made("kroma").page())
    names = {name for _, given in page.tags for name in given}
    assert not names & {"src", "href", "srcset", "style", "action", "background", "data"}
    assert not [name for name in names if name.startswith("on")]
    held = [text for tag, text in page.held if tag in ("style", "script")]
    style, data, script = held
    assert json.loads(data)["title"].startswith("kroma")
    assert not re.search(r"url\(|@import|https?:", style)
    assert re.findall(r"https?:[^\"]*", script) == ["http://www.w3.org/2000/svg"]  # no address
    assert not re.search(r"fetch|XMLHttp|WebSocket|import\(|eval|innerHTML|write\(", script)
    (policy,) = [given["content"] for _, given in page.tags if "http-equiv" in given]
    assert policy
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules == {
        "default-src": "'none'",
        "style-src": digest(style),
        "script-src": digest(script),
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


HOSTILE = [
    "</script><img/src=x/onerror=alert(1)>",
    "<!--<script>",
    "-->",
    "]]>",
    "&lt;b&gt;",
    "{{script}}",
    "{{data}}",
    "\\u003c",
    "\u2028\u202e",
    "\x1b[2J\x00",
    "'\"`${1}",
    "\U0001f600",
]


def test_what_a_stranger_writes_stays_text() -> None:
    names = [re.sub(r"\s", "", name) for name in HOSTILE]  # which the rules refuse
    names += [f"{number}" for number in range(20 - len(names))]
    game = make_game("chroma", wheel={"names": names, "compatible": [[0, 1], [2, 3]]})
    lines, _, _ = sample(game, 1)
    found = Replay(lines[0])
    page, plain = Reader(found.page()), Reader(made("chroma").page())
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in plain.tags]
    assert page.comments == []
    (data,) = [text for tag, text in page.held if tag == "script"][:1]
    assert json.loads(data) == json.loads(json.dumps(contents(found, found.viewers)))
    assert "</script><img/src=x" in dict(json.loads(data)["options"])["wheel"]


@pytest.mark.parametrize("text", HOSTILE)
def test_json_in_a_page_is_harmless_and_the_same(text: str) -> None:
    written = harmless({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert written.isascii()
    assert not set(written) & {"<", ">", "&"}


def test_notebooks_show_the_page_in_a_frame_of_its_own() -> None:
    found = made("tiny")
    ((tag, given),) = Reader(found._repr_html_()).tags
    assert tag == "iframe"
    assert given["sandbox"] == "allow-scripts"
    assert given["srcdoc"] == found.page()


# What a seat may not know


def deck_of(record: dict[str, Any]) -> list[Any]:
    """The cards of the only deck, or of the last round."""
    deck: list[Any] = record["setup"].get("deck") or record["setup"]["decks"][-1]
    return deck


def exchanged(record: dict[str, Any], here: int, there: int, seat: int) -> dict[str, Any]:
    """Exchange two cards of the deck, and what other seats have laid face down of them."""
    other: dict[str, Any] = json.loads(json.dumps(record))
    deck = deck_of(other)
    one, two = deck[here], deck[there]
    deck[here], deck[there] = two, one
    names = {f"wild:{one}": f"wild:{two}", f"wild:{two}": f"wild:{one}"}
    for ply in other["plies"]:
        ply.pop("legal_count", None)
        ply.pop("legal_crc", None)
        card, at, space = ply["move"].partition("@")
        if ply["player"] != seat:
            ply["move"] = names.get(card, card) + at + space
    last = other["result"].get("last_cards", [])
    last[:] = [{one: two, two: one}.get(card, card) for card in last]
    return other


def unlike(found: Replay, seat: int) -> Iterator[Replay]:
    """Find games that went otherwise, though a seat has seen the same throughout."""
    eyes = np.full(found.plies + 1, seat)
    seen = found.game.observe(found.states, eyes)
    played = {ply["move"].partition("@")[0] for ply in found.record["plies"]}
    deck = deck_of(found.record)
    pairs = list(combinations([at for at, card in enumerate(deck) if str(card) not in played], 2))
    for number in np.random.default_rng(1).permutation(len(pairs)).tolist():
        here, there = pairs[number]
        try:
            other = Replay(exchanged(found.record, here, there, seat))
        except InvalidRecord:
            continue
        same = np.array_equal(other.game.observe(other.states, eyes), seen)
        if same and any(found.text(row, None) != other.text(row, None) for row in range(len(eyes))):
            yield other


@pytest.mark.parametrize("game", ["chroma", "guardians"])
def test_a_page_of_one_view_tells_only_what_that_viewer_may_know(game: str) -> None:
    found = made(game)
    others = list(islice(unlike(found, 0), 4))
    assert len(others) == 4
    page, public, opened = found.page(0), found.page("public"), found.page(None)
    for other in others:
        assert other.page(0) == page
        assert other.page("public") == public
        assert other.page(None) != opened


def test_cards_that_others_lay_face_down_stay_hidden() -> None:
    told = 0
    for record in golden("chroma"):
        wild = [ply for ply in record["plies"] if ply["move"].startswith("wild:")]
        if not wild or len(record["plies"]) > 60:
            continue
        found = Replay(record)
        for viewer in ("public", *range(found.game.num_seats)):
            words = [found.news(ply, viewer).words for ply in range(found.plies)]
            for number, ply in enumerate(record["plies"]):
                card = ply["move"].removeprefix("wild:").partition("@")[0]
                if ply["move"].startswith("wild:") and ply["player"] != viewer:
                    assert card not in words[number]
                    told += 1
    assert told


@pytest.mark.parametrize("game", GAMES)
def test_notation_and_chance_are_in_the_open_view_alone(game: str) -> None:
    found = made(game)
    viewers: Sequence[Viewer] = found.viewers
    page = contents(found, viewers)
    for view, viewer in zip(page["views"], viewers, strict=True):
        if viewer is not None:
            assert view["notes"] == []
            continue
        for ply, (words, notes) in enumerate(zip(view["words"], view["notes"], strict=True)):
            everything = " ".join([words, *notes])
            assert found.move(ply) in everything
            assert (found.chance(ply) or "") in everything
