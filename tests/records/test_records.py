"""Records written, replayed, and refused for every fault that the rules page lists."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.errors import InvalidRecord
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import as_seeds, mix
from chromazoo.envs.records import (
    BLOCK,
    FORMAT,
    check_lines,
    dumps,
    legal_crc,
    parse,
    replay,
)
from tests.games import EXAMPLES
from tests.records.sampling import good, sample
from tests.tiny.game import Game as TinyGame

Json = dict[str, Any]


def refusal(line: str | bytes | Json) -> tuple[int | None, str]:
    """Check one line among good ones; tell the ply and the complaint, having checked the line."""
    fine = dumps(good(TinyGame(), 3))
    text = dumps(line) if isinstance(line, dict) else line
    report = check_lines([fine, text, fine], "some.jsonl")
    assert report.records == 3
    assert [failure.line for failure in report.failed] == [2]
    failure = report.failed[0]
    assert str(failure).startswith("some.jsonl:2: ")
    assert "\n" not in str(failure)
    assert len(str(failure)) < 700
    return failure.ply, failure.why


# Writing and replaying


@pytest.mark.parametrize("name", EXAMPLES)
def test_records_replay_to_the_same_ends(name: str) -> None:
    game = EXAMPLES[name]
    lines, outcome, recorder = sample(game, 30, max_plies=150)
    report = check_lines(lines, name)
    assert report.failed == []
    assert report.records == len(lines) == 30 - recorder.truncated
    assert recorder.truncated == outcome.truncated.sum()
    assert report.plies == outcome.plies[~outcome.truncated].sum()
    kept = np.flatnonzero(~outcome.truncated)
    for number, line in list(zip(kept, lines, strict=True))[:5]:
        replayed, state = replay(line)
        assert replayed == game
        assert np.array_equal(state.rewards[0], outcome.rewards[number])
        assert state.plies[0] == outcome.plies[number]


def test_records_replay_to_the_very_same_state() -> None:
    game = TinyGame(cards=9)
    lines, _, _ = sample(game, 20)
    seeds = mix(as_seeds(9), np.arange(20, dtype=np.uint64))
    for seed, line in zip(seeds, lines, strict=True):
        state = game.deal(seed[None])
        for ply in json.loads(line)["plies"]:
            game.step(state, [game.parse_move(state, 0, ply["move"])])  # chance from the stream
        _, again = replay(line)
        for key, array in state.arrays.items():
            if key != "stream":
                assert np.array_equal(array, again.arrays[key]), key


def test_a_record_has_what_the_rules_page_says() -> None:
    record = good(TinyGame())
    assert list(record) == ["format", "game", "config", "setup", "plies", "result"]
    assert record["format"] == FORMAT == "chromazoo-record/1"
    assert record["game"] == "tiny"
    assert record["config"] == {"cards": 6}
    assert set(record["setup"]) == {"secrets", "first"}
    assert [ply["player"] for ply in record["plies"][:3]] == [0, 1, 2]  # sealed bids by seat
    for ply in record["plies"]:
        assert list(ply) == ["player", "move"] + ["chance"] * (ply["move"] == "draw")
    assert "scores" in record["result"]


def test_the_same_bytes_whatever_the_batch() -> None:
    game = TinyGame()
    assert sample(game, 50)[0] == sample(game, 50, batch=7)[0] == sample(game, 50, batch=1)[0]
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in sample(game, 5)[0])


def test_truncated_games_are_left_out_in_order() -> None:
    game = TinyGame(cards=16)
    free, outcome, _ = sample(game, 50)
    cut, _, recorder = sample(game, 50, batch=9, max_plies=6)
    short = np.flatnonzero(outcome.plies <= 6)
    assert 0 < len(short) < 50
    assert cut == [free[number] for number in short]
    assert recorder.truncated == 50 - len(short)


def test_many_records_of_several_configs() -> None:
    lines = [line for cards in (4, 6, 9) for line in sample(TinyGame(cards=cards), 150)[0]]
    lines = lines[::2] + lines[1::2]
    assert len(lines) > BLOCK
    broken = json.loads(lines[300])
    broken["plies"].pop()
    lines[300] = dumps(broken)
    report = check_lines(lines, "many")
    assert (report.records, [failure.line for failure in report.failed]) == (450, [301])
    assert report.plies == sum(len(json.loads(line)["plies"]) for line in lines)
    check_lines(lines[:10], "again", report)
    assert report.records == 460
    assert report.as_json()["failed"] == [
        {
            "file": "many",
            "line": 301,
            "ply": len(broken["plies"]),
            "why": report.failed[0].why,
        }
    ]


def test_legal_sets_are_compared_where_given() -> None:
    game = TinyGame()
    record = good(game)
    state = game.from_setup([record["setup"]])
    for ply in record["plies"]:
        legal = np.flatnonzero(game.action_mask(state)[0]).tolist()
        texts = [game.move_text(state, 0, action) for action in legal]
        ply["legal_count"], ply["legal_crc"] = len(texts), legal_crc(texts)
        action = game.parse_move(state, 0, ply["move"])
        game.step(state, [action], chance=[ply.get("chance")])
    assert check_lines([dumps(record)], "x").failed == []
    for key in ("legal_count", "legal_crc"):
        for wrong in (record["plies"][4][key] + 1, "3", None, True, 3.0):
            broken = copy.deepcopy(record)
            broken["plies"][4][key] = wrong
            ply, why = refusal(broken)
            assert ply == 4
            assert f"{key}: {record['plies'][4][key]} was expected" in why


def test_games_are_begun_once_and_faulty_set_ups_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [dumps(json.loads(line)) for line in sample(TinyGame(), 12)[0]]
    begun: list[int] = []
    begin = TinyGame.from_setup

    def counted(self: TinyGame, setups: Any, seeds: Any = None) -> Any:
        begun.append(len(setups))
        return begin(self, setups, seeds)

    monkeypatch.setattr(TinyGame, "from_setup", counted)
    assert check_lines(lines, "x").failed == []
    assert begun == [12]
    broken = json.loads(lines[3])
    broken["setup"]["first"] = 7
    mixed = [*lines[:3], dumps(broken), *lines[4:]]
    assert [failure.line for failure in check_lines(mixed, "x").failed] == [4]
    assert [failure.line for failure in check_lines([dumps(broken)] * 3, "x").failed] == [1, 2, 3]


# Refusing


def _with(path: list[Any], value: Any) -> Callable[[Json], None]:
    def change(record: Json) -> None:
        place: Any = record
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def _without(path: list[Any]) -> Callable[[Json], None]:
    def change(record: Json) -> None:
        place: Any = record
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]

    return change


def _move(number: int, **changes: Any) -> Callable[[Json], None]:
    return lambda record: record["plies"][number].update(changes)


# One record of Tiny, broken in every way: the ply that is named, and what is said of it.
# Plies 0 to 2 are bids, 3 is the leader's draw with its chance, 4 its gift; the game goes on.
FAULTS: dict[str, tuple[Callable[[Json], None], int | None, str]] = {
    "no-format": (_without(["format"]), None, "key 'format' is missing"),
    "other-format": (_with(["format"], "chromazoo-record/2"), None, "'chromazoo-record/1' was"),
    "no-game": (_without(["game"]), None, "key 'game' is missing"),
    "unknown-game": (_with(["game"], "chess"), None, "no game 'chess'"),
    "game-no-text": (_with(["game"], ["tiny"]), None, "game: text was expected"),
    "surplus-key": (_with(["engine"], "numpy"), None, "unknown key 'engine'"),
    "config-missing": (_without(["config", "cards"]), None, "config: key 'cards' is missing"),
    "config-unknown": (_with(["config", "batch"], 3), None, "config: unknown key 'batch'"),
    "config-range": (_with(["config", "cards"], 17), None, "cards: from 4 to 16, not 17"),
    "config-bool": (_with(["config", "cards"], True), None, "cards"),
    "config-float": (_with(["config", "cards"], 6.0), None, "cards"),
    "config-list": (_with(["config"], [6]), None, "config: an object was expected"),
    "setup-missing": (_without(["setup", "first"]), None, "setup: the set-up's keys"),
    "setup-unknown": (_with(["setup", "more"], 1), None, "setup: the set-up's keys"),
    "setup-wrong": (_with(["setup", "secrets"], [0, 0, 1]), None, "setup: secrets are"),
    "setup-null": (_with(["setup"], None), None, "setup: an object was expected"),
    "plies-object": (_with(["plies"], {}), None, "plies: a list was expected"),
    "ply-no-object": (_with(["plies", 1], "bid:0"), 1, "an object was expected, not 'bid:0'"),
    "ply-no-player": (_without(["plies", 2, "player"]), 2, "key 'player' is missing"),
    "ply-no-move": (_without(["plies", 2, "move"]), 2, "key 'move' is missing"),
    "ply-unknown-key": (_with(["plies", 2, "chanse"], "1"), 2, "unknown key 'chanse'"),
    "player-wrong": (_move(1, player=2), 1, "player: 1 was expected, not 2"),
    "player-bool": (_move(1, player=True), 1, "player: 1 was expected, not True"),
    "player-float": (_move(1, player=1.0), 1, "player: 1 was expected, not 1.0"),
    "move-no-text": (_move(1, move=2), 1, "move: text was expected"),
    "move-of-no-game": (_move(1, move="a2-b4"), 1, "'a2-b4' is no move"),
    "move-illegal": (_move(1, move="draw"), 1, "one of 3 legal moves was expected: bid:0, bid:1"),
    "move-other-spelling": (_move(1, move="bid:00"), 1, "legal moves was expected"),
    "chance-not-due": (_move(1, chance="3"), 1, "chance: chance '3' given where none is due"),
    "chance-null": (_move(1, chance=None), 1, "chance: text was expected, not None"),
    "chance-missing": (_without(["plies", 3, "chance"]), 3, "chance: one of"),
    "chance-impossible": (_move(3, chance="17"), 3, "chance: one of"),
    "chance-number": (_move(3, chance=4), 3, "chance: text was expected, not 4"),
    "result-no-rewards": (_without(["result", "rewards"]), -1, "result: key 'rewards' is missing"),
    "result-rewards": (_with(["result", "rewards"], [1, 0, -1]), -1, "result: rewards:"),
    "result-rewards-two": (_with(["result", "rewards"], [1, -1]), -1, "result: rewards:"),
    "result-rewards-bool": (_with(["result", "rewards"], True), -1, "result: rewards:"),
    "result-reason": (_with(["result", "reason"], "boredom"), -1, "was expected, not 'boredom'"),
    "result-no-scores": (_without(["result", "scores"]), -1, "result: key 'scores' is missing"),
    "result-scores": (_with(["result", "scores", 0], 99), -1, "result: scores:"),
    "result-text": (_with(["result"], "won"), None, "result: an object was expected"),
    "unfinished": (lambda record: record["plies"].pop(), -1, "the game is not over"),
    "no-plies": (_with(["plies"], []), 0, "a move of player 0 was expected"),
    "surplus-ply": (
        lambda record: record["plies"].append({"player": 0, "move": "bid:0"}),
        -2,
        "the game is over; no more plies were expected, not 1",
    ),
}


@pytest.fixture(scope="module")
def record() -> Json:
    record = good(TinyGame())
    assert [ply["move"] for ply in record["plies"]][3] == "draw"
    assert len(record["plies"]) > 5
    return record


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_refused_with_its_line_and_ply(record: Json, fault: str) -> None:
    change, ply, words = FAULTS[fault]
    broken = copy.deepcopy(record)
    change(broken)
    if ply in (-1, -2):  # after the last ply that could be replayed
        ply += len(broken["plies"]) + 1
    found, why = refusal(broken)
    assert found == ply
    assert words in why
    with pytest.raises(InvalidRecord) as caught:
        replay(broken)
    assert (caught.value.ply, caught.value.why) == (ply, why)


def test_rewards_are_compared_within_a_billionth(record: Json) -> None:
    for change, refused in ((1e-10, False), (1e-8, True)):
        near = copy.deepcopy(record)
        near["result"]["rewards"][0] += change
        assert bool(check_lines([dumps(near)], "x").failed) == refused
    whole = copy.deepcopy(record)
    whole["result"]["rewards"] = [int(r) if r == int(r) else r for r in record["result"]["rewards"]]
    assert check_lines([dumps(whole)], "x").failed == []


def test_unknown_keys_of_the_result_are_ignored(record: Json) -> None:
    more = copy.deepcopy(record)
    more["result"]["weather"] = {"rain": [1, 2]}
    assert check_lines([dumps(more)], "x").failed == []


def test_the_order_of_keys_does_not_matter(record: Json) -> None:
    assert check_lines([json.dumps(record, sort_keys=True)], "x").failed == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"", "an empty line"),
        (b"  \r\n", "an empty line"),
        (b"\xff\xfe{", "not UTF-8 at byte 0"),
        (b"{", "not a whole JSON object"),
        (b"[]", "a JSON object was expected, not []"),
        (b"null", "a JSON object was expected, not None"),
        (b"NaN", "NaN is not JSON"),
        (b'{"format": -Infinity}', "-Infinity is not JSON"),
        (b'{"a": 1, "b": 2, "a": 1}', "key 'a' twice in one object"),
        (b"[" * 100_000, "nested deeper than 16 levels"),
        (b"[" * 100_000 + b"]" * 100_000, "nested deeper than 16 levels"),
        (b'{"format":' + b"[" * 20 + b"]" * 20 + b"}", "nested deeper than 16 levels"),
        (b"9" * 5000, "an integer of more than 18 digits"),
        (b"1e999", "1e999 is too big a number"),
        (b'{"format": "\\ud800"}', "key 'game' is missing"),
        (b"\x00", "not a whole JSON object"),
    ],
)
def test_lines_that_are_no_records(line: bytes, words: str) -> None:
    ply, why = refusal(line)
    assert ply is None
    assert words in why


def test_a_line_cut_anywhere_is_refused(record: Json) -> None:
    text = dumps(record)
    for length in range(0, len(text), 7):
        ply, _ = refusal(text[:length])
        assert ply is None


def test_parse_reads_what_dumps_writes(record: Json) -> None:
    assert parse(dumps(record)) == parse(dumps(record).encode() + b"\r\n") == record


def test_the_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(InvalidRecord("too late", 4)))
    assert (error.why, error.ply, str(error)) == ("too late", 4, "ply 4: too late")


def test_replay_takes_records_lines_and_bytes(record: Json) -> None:
    for form in (record, dumps(record), dumps(record).encode()):
        game, state = replay(form)
        assert isinstance(game, Game)
        assert state.over.tolist() == [True]
