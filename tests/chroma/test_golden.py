"""The engine against the golden records, through the contract."""

import json
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.records import check_lines
from tests.chroma import golden
from tests.chroma.agreement import assert_same_result, legal_texts

RECORDS = golden.records()
CONFIGS = list(dict.fromkeys(json.dumps(record["config"]) for record in RECORDS))


def check_ply(game: Game, state: ChromaState, row: int, ply: dict[str, Any]) -> int:
    """Compare one ply with the record; return its action."""
    assert state.seat[row] == ply["player"]
    legal = legal_texts(game, state, row)
    assert len(legal) == ply["legal_count"] == game.packing.count(game.legal(state))[row]
    assert golden.legal_crc(legal) == ply["legal_crc"]
    return game.parse_move(state, row, ply["move"])


def chance_of(ply: dict[str, Any]) -> str | None:
    chance: str | None = ply.get("chance")
    return chance


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
        before = state.copy()
        game.step(state, [action], chance=[chance_of(ply)])
        assert game.chance_text(before, state, 0, action) == chance_of(ply)
    assert state.over[0]
    assert_same_result(game.result(state), record["result"])
    assert_same_result({**record["result"], "rewards": state.rewards[0]}, record["result"])


@pytest.mark.parametrize("number", range(len(CONFIGS)))
def test_records_of_a_config_in_one_batch(number: int) -> None:
    """Every record of a config, some ahead of others, so that phases and ends mix in the batch."""
    config = json.loads(CONFIGS[number])
    game = Game(**config)
    records = [record for record in RECORDS if record["config"] == config] * 3
    state = game.from_setup([record["setup"] for record in records])
    done = np.zeros(len(records), np.int64)
    for row, record in enumerate(records):
        alone = state.take([row])
        for ply in record["plies"][: min(5 * row, len(record["plies"]) - 1)]:
            game.step(alone, [game.parse_move(alone, 0, ply["move"])], chance=[chance_of(ply)])
        state.put([row], alone)
        done[row] = alone.plies[0]
    while not state.over.all():
        actions = np.full(len(records), -1)  # finished games ignore theirs
        chances: list[str | None] = [None] * len(records)
        for row in np.flatnonzero(~state.over).tolist():
            ply = records[row]["plies"][done[row]]
            actions[row] = game.parse_move(state, row, ply["move"])
            chances[row] = chance_of(ply)
            assert state.seat[row] == ply["player"]
            assert game.packing.count(game.legal(state))[row] == ply["legal_count"]
        done += ~state.over
        game.step(state, actions, chance=chances)
    assert done.tolist() == [len(record["plies"]) for record in records]
    for row, record in enumerate(records):
        assert_same_result(game.result(state, row), record["result"])


def test_the_records_check() -> None:
    """All lines are valid for the reader of records, and one damaged digest is found."""
    lines = golden.FILE.read_text().splitlines()
    report = check_lines(lines, "golden")
    assert (report.records, report.failed) == (len(lines), [])
    wrong = lines[0].replace('"legal_crc":', '"legal_crc":1', 1)
    assert [failure.line for failure in check_lines([lines[1], wrong], "golden").failed] == [2]
