"""The engine against the golden records and perft tables, through the contract."""

from typing import Any

import numpy as np
import pytest

from chromazoo.envs.kroma.perft import divide, perft
from chromazoo.envs.kroma.rules import Game, KromaState
from tests.kroma import golden
from tests.kroma.agreement import legal_texts
from tests.kroma.reference import Config, from_position
from tests.kroma.reference import perft as slow_perft

RECORDS = golden.records()
CONFIGS = list(dict.fromkeys(tuple(record["config"].items()) for record in RECORDS))


def check_ply(game: Game, state: KromaState, row: int, ply: dict[str, Any]) -> int:
    """Compare one ply with the record; return its action."""
    assert state.seat[row] == ply["player"]
    legal = legal_texts(game, state, row)
    assert len(legal) == ply["legal_count"] == game.packing.count(game.legal(state))[row]
    assert golden.legal_crc(legal) == ply["legal_crc"]
    return game.parse_move(state, row, ply["move"])


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: "-".join(map(str, r["config"].values())))
def test_records_alone(record: dict[str, Any]) -> None:
    game = Game(**record["config"])
    assert game.options == record["config"]
    assert list(game.options) == list(record["config"])
    state = game.from_setup([record["setup"]])
    for number, ply in enumerate(record["plies"]):
        assert not state.over[0]
        assert state.plies[0] == number
        game.step(state, [check_ply(game, state, 0, ply)])
    assert state.over[0]
    assert game.result(state) == record["result"]
    assert state.rewards[0].tolist() == record["result"]["rewards"]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: "-".join(str(value) for _, value in c))
def test_records_of_a_config_in_one_batch(config: tuple[tuple[str, Any], ...]) -> None:
    """Every record of a config, some ahead of others, so that phases and ends mix in the batch."""
    game = Game(**dict(config))
    records = [record for record in RECORDS if record["config"] == dict(config)] * 3
    state = game.from_setup([record["setup"] for record in records])
    done = np.zeros(len(records), np.int64)
    for row, record in enumerate(records):
        ahead = min(5 * row, len(record["plies"]) - 1)
        alone = state.take([row])
        for ply in record["plies"][:ahead]:
            game.step(alone, [game.parse_move(alone, 0, ply["move"])])
        state.put([row], alone)
        done[row] = ahead
    while not state.over.all():
        actions = np.full(len(records), -1)  # finished games ignore theirs
        for row in np.flatnonzero(~state.over).tolist():
            actions[row] = check_ply(game, state, row, records[row]["plies"][done[row]])
        done += ~state.over
        game.step(state, actions)
    assert done.tolist() == [len(record["plies"]) for record in records]
    results = [game.result(state, row) for row in range(len(records))]
    assert results == [record["result"] for record in records]


@pytest.mark.parametrize("table", golden.perft_tables(), ids=lambda t: t["position"])
def test_perft(table: dict[str, Any]) -> None:
    options = {key: table[key] for key in ("size", "influence", "symmetry", "leap")}
    game = Game(no_capture_limit=0, **options)
    counts = perft(game, table["position"], len(table["perft"]))
    assert counts == table["perft"], divided(game, options, table["position"])


def divided(game: Game, options: dict[str, Any], position: str) -> str:
    """The moves below which engine and reference differ at depth 2, for the message."""
    reference = from_position(Config(**options), position)
    slow = {move: slow_perft(reference.after(move), 1)[0] for move in reference.legal()}
    fast = divide(game, position, 2)
    differing = [move for move in {*slow, *fast} if slow.get(move) != fast.get(move)]
    return "; ".join(f"{m}: {fast.get(m)} instead of {slow.get(m)}" for m in sorted(differing))


def test_divide_adds_up() -> None:
    position = "py/py/PY/PY py/py/py/py w 0"
    game = Game(size="baby", influence="public", no_capture_limit=0)
    counts = perft(game, position, 4)
    for depth in (1, 2, 3, 4):
        assert sum(divide(game, position, depth).values()) == counts[depth - 1]
    assert list(divide(game, position, 1)) == legal_texts(game, game.from_position([position]), 0)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_perft_heeds_the_limit_it_is_given(limit: int) -> None:
    """With a limit on, finished games have no children in either count."""
    position = "py/2/2/PY py/py/py/py w 0"
    game = Game(size="baby", no_capture_limit=limit)
    level = [from_position(Config(size="baby", no_capture_limit=limit), position)]
    expected = []
    for _ in range(5):
        level = [node.after(move) for node in level for move in node.legal()]
        expected.append(len(level))
    assert perft(game, position, 5) == expected
