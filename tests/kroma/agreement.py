"""Comparing the engine with the reference, game by game."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.kroma.rules import Game, KromaState
from tests.contract.agreement import assert_fields, legal_texts
from tests.kroma.reference import Config, Kroma, Square


def pair(**options: Any) -> tuple[Game, Config]:
    """The engine and the reference's config with the same options."""
    return Game(**options), Config(**options)


def assert_agree(game: Game, state: KromaState, row: int, reference: Kroma) -> None:
    """All that the contract tells of one game is what the reference says."""
    result = reference.result()
    assert bool(state.over[row]) == (result is not None)
    if result is None:
        assert state.seat[row] == reference.seat
        assert state.pending[row].tolist() == [reference.seat == 0, reference.seat == 1]
        assert state.rewards[row].tolist() == [0, 0]
    else:
        assert game.result(state, row) == result
        assert state.seat[row] == 1 - reference.seat  # the seat that moved last
        assert not state.pending[row].any()
        assert state.rewards[row].tolist() == result["rewards"]
    assert legal_texts(game, state, row) == reference.legal()
    if not reference.placing:
        assert game.position_text(state, row) == reference.position()


def assert_seen(game: Game, state: KromaState, row: int, reference: Kroma) -> None:
    """What both seats observe is what the reference says they see."""
    for seat in (0, 1):
        seen = game.observe(state.take([row]), np.array([seat]))[0]
        assert_fields(game, seen, observation(reference, seat), f"game {row}, seat {seat}")


def viewed(config: Config, seat: int, square: Square) -> tuple[int, int]:
    """Row and column, from 0, at which a seat sees a square."""
    column, row = square
    if seat == 1:
        row = config.height + 1 - row
        if config.symmetry == "flipped":
            column = config.width + 1 - column
    return row - 1, column - 1


def observation(reference: Kroma, seat: int) -> dict[str, NDArray[np.int64]]:
    """The fields of an observation, unclipped, put together from the reference."""
    config = reference.config
    number = {colour: index for index, colour in enumerate(config.colours)}
    width, planes = config.width, (config.width, config.height, config.width)
    own, enemy, squares = (np.zeros(planes, np.int64) for _ in range(3))
    for square, (owner, colour) in reference.pieces.items():
        (own if owner == seat else enemy)[(number[colour], *viewed(config, seat, square))] = 1
    for square, colour in reference.squares.items():
        squares[(number[colour], *viewed(config, seat, square))] = 1
    line = np.zeros((width, width), np.int64)
    for place, colour in enumerate(reference.row):
        line[place, number[colour]] = 1
    return {
        "own_pieces": own,
        "enemy_pieces": enemy,
        "squares": squares,
        "own_reach": reach_table(reference, seat),
        "enemy_reach": reach_table(reference, 1 - seat),
        "line": line,
        "placing": np.array(int(reference.placing)),
        "rows_built": np.array(len(reference.built)),
        "clock": np.array(reference.clock),
    }


def reach_table(reference: Kroma, seat: int) -> NDArray[np.int64]:
    """Entry k, c: whether the seat's pieces of colour c reach as colour k."""
    colours = reference.config.colours
    enabled = [reference.enabled(seat, colour) for colour in colours]
    return np.array([[int(reach in found) for found in enabled] for reach in colours])
