"""The golden records of all games: played by the engine, by the references, and read as records."""

import json
from typing import Any

import numpy as np
import pytest

import tests.chroma.reference as chroma
import tests.guardians.reference as guardians
import tests.kroma.reference as kroma
from chromazoo.envs.game import Game
from chromazoo.envs.records import check_lines
from chromazoo.envs.registry import make_game
from chromazoo.envs.state import State
from tests.contract import golden
from tests.contract.agreement import TOLERANCE, assert_same_result, legal_texts
from tests.games import COMPILED

REFERENCES = {"kroma": kroma, "chroma": chroma, "guardians": guardians}
TOLERANCES = {"kroma": 0.0, "chroma": TOLERANCE, "guardians": TOLERANCE}
ROWS = {"kroma": 3, "chroma": 3, "guardians": 90}  # at least, in a batch
CONFIGS = {
    game_id: list(dict.fromkeys(json.dumps(record["config"]) for record in golden.records(game_id)))
    for game_id in REFERENCES
}
ALL = pytest.mark.parametrize(
    ("game_id", "number"),
    [(game, number) for game in REFERENCES for number in range(len(golden.records(game)))],
)
ENGINES = [
    (game, engine)
    for game in REFERENCES
    for engine in ("numpy", "compiled")
    if engine == "numpy" or game in COMPILED
]


def check_ply(game: Game[Any], state: State, row: int, ply: dict[str, Any]) -> int:
    """Compare one ply with the record; return its action."""
    assert state.seat[row] == ply["player"]
    legal = legal_texts(game, state, row)
    assert len(legal) == ply["legal_count"] == game.packing.count(game.legal(state))[row]
    assert golden.legal_crc(legal) == ply["legal_crc"]
    action = game.parse_move(state, row, ply["move"])
    assert game.move_text(state, row, action) == ply["move"]
    return action


def check_end(game: Game[Any], state: State, row: int, record: dict[str, Any]) -> None:
    """A game has come to the end of the record."""
    assert state.over[row]
    assert state.plies[row] == len(record["plies"])
    result, tolerance = game.result(state, row), TOLERANCES[game.id]
    assert_same_result(result, record["result"], tolerance)
    assert_same_result({**result, "rewards": state.rewards[row]}, record["result"], tolerance)


@pytest.mark.parametrize(
    ("game_id", "engine", "number"),
    [(game, engine, n) for game, engine in ENGINES for n in range(len(golden.records(game)))],
)
def test_the_engine_plays_records_alone(game_id: str, engine: str, number: int) -> None:
    record = golden.records(game_id)[number]
    game = make_game(game_id, engine=engine, **record["config"])
    assert game.options == record["config"]
    assert list(game.options) == list(record["config"])
    state = game.from_setup([record["setup"]])
    for done, ply in enumerate(record["plies"]):
        assert not state.over[0]
        assert state.plies[0] == done
        action = check_ply(game, state, 0, ply)
        before = state.copy()
        game.step(state, [action], chance=[ply.get("chance")])
        assert game.chance_text(before, state, 0, action) == ply.get("chance")
    check_end(game, state, 0, record)


@pytest.mark.parametrize(
    ("game_id", "engine", "number"),
    [(game, engine, number) for game, engine in ENGINES for number in range(len(CONFIGS[game]))],
)
def test_the_engine_plays_records_of_a_config_in_one_batch(
    game_id: str, engine: str, number: int
) -> None:
    """Some ahead of others, so that phases and ends mix in the batch."""
    config = json.loads(CONFIGS[game_id][number])
    game = make_game(game_id, engine=engine, **config)
    records = [record for record in golden.records(game_id) if record["config"] == config]
    records *= max(3, ROWS[game_id] // len(records))
    state = game.from_setup([record["setup"] for record in records])
    for row, record in enumerate(records):
        alone = state.take([row])
        for ply in record["plies"][: len(record["plies"]) * row // len(records)]:
            action = game.parse_move(alone, 0, ply["move"])
            game.step(alone, [action], chance=[ply.get("chance")])
        state.put([row], alone)
    while not state.over.all():
        actions = np.full(len(records), -1)  # finished games ignore theirs
        chances: list[str | None] = [None] * len(records)
        for row in np.flatnonzero(~state.over).tolist():
            ply = records[row]["plies"][state.plies[row]]
            actions[row] = check_ply(game, state, row, ply)
            chances[row] = ply.get("chance")
        game.step(state, actions, chance=chances)
    for row, record in enumerate(records):
        check_end(game, state, row, record)


@ALL
def test_the_reference_plays_records(game_id: str, number: int) -> None:
    record = golden.records(game_id)[number]
    *_, last = golden.replay(REFERENCES[game_id], record)
    assert last.legal() == []
    assert_same_result(last.result(), record["result"], TOLERANCES[game_id])


@pytest.mark.parametrize("game_id", REFERENCES)
def test_the_records_check(game_id: str) -> None:
    """All lines are valid for the reader of records, and one damaged digest is found."""
    lines = golden.file_of(game_id).read_text().splitlines()
    report = check_lines(lines, "golden")
    assert (report.records, report.failed) == (len(lines), [])
    assert report.records == len(golden.records(game_id)) > 0
    assert report.plies == sum(len(record["plies"]) for record in golden.records(game_id))
    wrong = lines[0].replace('"legal_crc":', '"legal_crc":1', 1)
    assert [failure.line for failure in check_lines([lines[1], wrong], "golden").failed] == [2]
