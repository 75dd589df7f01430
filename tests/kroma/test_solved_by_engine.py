"""The engine solves baby Kroma whole, in batches, and finds every golden value and count."""

from typing import Any

import numpy as np
import pytest

from chromazoo.envs.kroma.rules import Game
from tests.kroma import golden
from tests.kroma.batch_solving import PARTS, Solution, keys_of, solve

STARTS = golden.solved()["starts"]
POSITIONS = golden.solved()["positions"]
EMPTY = [entry for entry in STARTS if entry["phase"] == "placement"]


def config_but_random(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry["config"].items() if name != "random"}


@pytest.mark.parametrize(
    "entry",
    EMPTY,
    ids=lambda e: "{influence}-{symmetry}-{piece_rows}".format(**e["config"]),
)
def test_baby(entry: dict[str, Any]) -> None:
    game = Game(**entry["config"])
    empty = game.deal([0])
    solution = solve(game, empty)
    assert len(solution.keys) == entry["reachable"]
    assert solution.of(keys_of(game, empty)[0]) == (entry["value"], entry["distance"])

    for start in STARTS:
        if start["phase"] == "placement" or config_but_random(start) != config_but_random(entry):
            continue
        state = game.from_position([start["position"]])
        random = Game(**start["config"])
        drawn = random.from_setup([{"drops": start["drops"]}])
        key = keys_of(game, state)[0]
        assert keys_of(random, drawn)[0] == key
        assert solution.of(key) == (start["value"], start["distance"])
        assert reachable_on_same_board(game, solution, key) == start["reachable"]

    for position in POSITIONS:
        if config_but_random(position) == config_but_random(entry):
            key = keys_of(game, game.from_position([position["position"]]))[0]
            assert solution.of(key) == (position["value"], position["distance"])


def reachable_on_same_board(game: Game, solution: Solution, key: np.uint64) -> int:
    """Count the positions with the squares of another: a board has one start of movement."""
    before = sum(
        game.fields.slices[part].stop - game.fields.slices[part].start for part in PARTS[:2]
    )
    bits = np.unpackbits(solution.keys.view(np.uint8).reshape(-1, 8), axis=1)
    wanted = np.unpackbits(np.array([key]).view(np.uint8))
    squares = slice(before, before + 16)
    return int((bits[:, squares] == wanted[squares]).all(axis=1).sum())
