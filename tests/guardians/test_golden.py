"""The engine against the golden records, through the contract and the reader of records."""

import json
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.guardians.rules import Game, GuardiansState
from chromazoo.envs.records import check_lines, replay
from tests.guardians import golden
from tests.guardians.agreement import assert_same_result, legal_texts

RECORDS = golden.records()
KINDS = sorted(
    {(record["config"]["num_players"], record["config"]["rounds"]) for record in RECORDS}
)


def check_ply(game: Game, state: GuardiansState, row: int, ply: dict[str, Any]) -> int:
    """Compare one ply with the record; return its action."""
    assert state.seat[row] == ply["player"]
    legal = legal_texts(game, state, row, ply["player"])
    assert len(legal) == ply["legal_count"] == game.packing.count(game.legal(state))[row]
    assert golden.legal_crc(legal) == ply["legal_crc"]
    return game.parse_move(state, row, ply["move"])


@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_records_alone(number: int) -> None:
    record = RECORDS[number]
    game = Game(**record["config"])
    assert game.options == record["config"]
    assert list(game.options) == list(record["config"])
    state = game.from_setup([record["setup"]])
    for done, ply in enumerate(record["plies"]):
        assert not state.over[0]
        assert state.plies[0] == done
        action = check_ply(game, state, 0, ply)
        assert game.move_text(state, 0, action) == ply["move"]
        before = state.copy()
        game.step(state, [action], chance=[None])
        assert game.chance_text(before, state, 0, action) is None
    assert state.over[0]
    assert_same_result(game.result(state), record["result"])
    assert_same_result({**record["result"], "rewards": state.rewards[0]}, record["result"])


@pytest.mark.parametrize(("num_players", "rounds"), KINDS)
def test_records_in_one_batch(num_players: int, rounds: int) -> None:
    """Every record of a kind many times over, some ahead of others, so that stages mix.

    Those of one batch have the same options, so records of other colours are played in turn.
    """
    some = [record for record in RECORDS if kind(record) == (num_players, rounds)]
    for config in {json.dumps(record["config"]) for record in some}:
        alike = [record for record in some if json.dumps(record["config"]) == config]
        check_batch(Game(**json.loads(config)), alike * (90 // len(alike)))


def kind(record: dict[str, Any]) -> tuple[int, int]:
    return record["config"]["num_players"], record["config"]["rounds"]


def check_batch(game: Game, records: list[dict[str, Any]]) -> None:
    """Play records side by side; row i begins i / 3 plies ahead."""
    state = game.from_setup([record["setup"] for record in records])
    ahead = [min(row // 3, len(record["plies"]) - 1) for row, record in enumerate(records)]
    for number in range(max(ahead)):
        rows = [row for row, plies in enumerate(ahead) if plies > number]
        part = state.take(rows)
        moves = [records[row]["plies"][number]["move"] for row in rows]
        game.step(part, [game.parse_move(part, row, text) for row, text in enumerate(moves)])
        state.put(rows, part)
    while not state.over.all():
        actions = np.full(len(records), -1)  # finished games ignore theirs
        counts = game.packing.count(game.legal(state))
        for row in np.flatnonzero(~state.over).tolist():
            ply = records[row]["plies"][state.plies[row]]
            actions[row] = game.parse_move(state, row, ply["move"])
            assert state.seat[row] == ply["player"]
            assert counts[row] == ply["legal_count"]
        game.step(state, actions)
    for row, record in enumerate(records):
        assert state.plies[row] == len(record["plies"])
        assert_same_result(game.result(state, row), record["result"])


def test_the_records_check() -> None:
    """All lines are valid for the reader of records, and one damaged digest is found."""
    lines = golden.FILE.read_text().splitlines()
    report = check_lines(lines, "golden")
    assert (report.records, report.failed) == (len(lines), [])
    wrong = lines[0].replace('"legal_crc":', '"legal_crc":1', 1)
    assert [failure.line for failure in check_lines([lines[1], wrong], "golden").failed] == [2]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"marks": [0, 0]}, "marks"),
        ({"last_cards": [1, 2]}, "last_cards"),
        ({"reason": "shared"}, "reason"),
        ({"rewards": [0.0, 0.0]}, "rewards"),
    ],
)
def test_records_with_another_result_are_refused(change: dict[str, Any], why: str) -> None:
    record = next(record for record in RECORDS if record["config"]["num_players"] == 2)
    replay(record)
    with pytest.raises(ValueError, match=f"result: {why}"):
        replay({**record, "result": {**record["result"], **change}})


def test_records_with_another_order_of_seats_are_refused() -> None:
    """In the record of a duel each seat chooses twice: 0, 0, 1, 1."""
    record = next(record for record in RECORDS if record["config"]["duel"])
    plies = record["plies"]
    assert [ply["player"] for ply in plies[:4]] == [0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"ply 1: player: 0 was expected, not 1"):
        replay({**record, "plies": [plies[0], plies[2], plies[1], *plies[3:]]})
