"""How games of Kroma end (rules page, End; K6 and K7), and what influence does to that."""

from typing import Any

import numpy as np
import pytest

from chromazoo.envs.kroma.rules import Game, KromaState
from tests.contract.agreement import legal_texts

COLUMNS = "py/py/py/py"  # the squares of a baby board


def baby(position: str, **options: Any) -> tuple[Game, KromaState]:
    game = Game(size="baby", **options)
    return game, game.from_position([position])


def play(game: Game, state: KromaState, *moves: str) -> None:
    for move in moves:
        game.step(state, [game.parse_move(state, 0, move)])


WON = {"rewards": [1.0, -1.0], "reason": "stalemate"}
LOST = {"rewards": [-1.0, 1.0], "reason": "stalemate"}
DRAWN = {"rewards": [0.0, 0.0], "reason": "no-capture"}


@pytest.mark.parametrize("limit", [0, 4, 5, 100])
def test_the_ply_that_reaches_the_limit_can_still_win(limit: int) -> None:
    game, state = baby(f"2/y1/2/P1 {COLUMNS} w 3", no_capture_limit=limit)
    play(game, state, "a1-b1")  # no black piece stands on a yellow square: black cannot move
    assert state.over[0]
    assert game.result(state) == WON


def test_the_ply_that_reaches_the_limit_draws() -> None:
    game, state = baby(f"1y/2/2/P1 {COLUMNS} w 3", no_capture_limit=5)
    play(game, state, "a1-a2")
    assert not state.over[0]
    assert state.clock[0] == 4
    play(game, state, "b4-a3")  # a yellow piece reaches diagonally from where it stands
    assert state.over[0]
    assert game.result(state) == DRAWN
    assert state.seat[0] == 1
    assert not game.action_mask(state).any()


def test_a_capture_resets_the_clock() -> None:
    game, state = baby(f"yy/2/p1/P1 {COLUMNS} w 4", no_capture_limit=5)
    play(game, state, "a1-a2")
    assert not state.over[0]
    assert state.clock[0] == 0
    assert game.position_text(state) == f"yy/2/P1/2 {COLUMNS} b 0"


def test_the_clock_starts_with_movement() -> None:
    game = Game(size="baby", piece_rows=1, no_capture_limit=2)
    state = game.deal([0])
    play(game, state, "L:purple", "R:yellow")
    assert state.clock[0] == 0
    play(game, state, "a1-a2")
    assert not state.over[0]
    play(game, state, "a4-a3")
    assert game.result(state) == DRAWN


@pytest.mark.parametrize("influence", ["friendly", "public", "reversed"])
@pytest.mark.parametrize(
    ("position", "result"),
    [
        (f"2/2/2/2 {COLUMNS} w 0", LOST),
        (f"2/2/2/2 {COLUMNS} b 0", WON),
        (f"py/2/2/2 {COLUMNS} w 7", LOST),
        (f"2/2/2/PY {COLUMNS} b 7", WON),
        (f"2/2/2/PY {COLUMNS} b 100", WON),
    ],
)
def test_no_pieces_is_stalemate(influence: str, position: str, result: dict[str, Any]) -> None:
    game, state = baby(position, influence=influence)
    assert state.over[0]
    assert game.result(state) == result
    assert state.rewards[0].tolist() == result["rewards"]
    assert not state.pending[0].any()
    assert game.packing.count(game.legal(state)).tolist() == [0]
    assert game.position_text(state) == position


def test_the_last_piece_captured_is_stalemate() -> None:
    game, state = baby(f"2/2/p1/P1 {COLUMNS} w 9", no_capture_limit=10)
    play(game, state, "a1-a2")
    assert game.result(state) == WON


@pytest.mark.parametrize("clock", [5, 6, 1_000_000_000])
def test_a_position_at_or_beyond_the_limit_is_drawn(clock: int) -> None:
    game, state = baby(f"py/2/2/PY {COLUMNS} b {clock}", no_capture_limit=5)
    assert game.result(state) == DRAWN
    game, state = baby(f"py/2/2/PY {COLUMNS} b {clock}", no_capture_limit=0)
    assert not state.over[0]


@pytest.mark.parametrize(
    ("influence", "moves"),
    [
        # White: purple on purple at a1. Black: purple on yellow at b4, yellow on purple at a4.
        ("friendly", ["a1-a2", "a1-b1"]),
        ("public", ["a1-a2", "a1-b1", "a1-b2"]),
        ("reversed", ["a1-b2"]),
    ],
)
def test_whose_pieces_count(influence: str, moves: list[str]) -> None:
    game, state = baby(f"yp/2/2/P1 {COLUMNS} w 0", influence=influence)
    assert legal_texts(game, state, 0) == moves


@pytest.mark.parametrize(
    ("influence", "moves"),
    [
        ("friendly", ["a4-a3", "b4-a3"]),
        ("public", ["a4-a3", "b4-a3", "b4-b3"]),
        ("reversed", ["b4-b3"]),
    ],
)
def test_whose_pieces_count_for_black(influence: str, moves: list[str]) -> None:
    game, state = baby(f"yp/2/2/P1 {COLUMNS} b 0", influence=influence)
    assert legal_texts(game, state, 0) == moves


@pytest.mark.parametrize(
    ("third_row", "second_row", "leaping", "walking"),
    [
        # c1 is blue on blue (two squares in a line), d1 orange on orange (two diagonally, over c2)
        ("4", "4", ["c1-a1", "c1-c3", "d1-b3"], ["c1-a1", "c1-c3", "d1-b3"]),
        ("4", "2y1", ["c1-a1", "c1-c3", "d1-b3"], ["c1-a1"]),
        ("4", "2B1", ["c1-a1", "c1-c3", "d1-b3"], ["c1-a1"]),
        ("1pp1", "4", ["c1-a1", "c1-c3", "d1-b3"], ["c1-a1", "c1-c3", "d1-b3"]),
        ("1OB1", "4", ["c1-a1"], ["c1-a1"]),
    ],
)
def test_leap(third_row: str, second_row: str, leaping: list[str], walking: list[str]) -> None:
    """K1: any piece between blocks, one on the target only if it is one's own."""
    squares = "/".join(["pybo"] * 6)
    position = f"4/4/4/{third_row}/{second_row}/2BO {squares} w 0"
    for leap, moves in ((True, leaping), (False, walking)):
        game = Game(size="basic", leap=leap)
        state = game.from_position([position])
        found = [move for move in legal_texts(game, state, 0) if move[:2] in ("c1", "d1")]
        assert found == moves


@pytest.mark.parametrize("leap", [True, False])
def test_knight_moves_always_leap(leap: bool) -> None:
    squares = "/".join(["pyborg"] * 8)
    game = Game(leap=leap)
    state = game.from_position([f"6/6/6/6/6/6/3ppp/3pRG {squares} w 0"])
    assert legal_texts(game, state, 0) == ["e1-d3", "e1-f3", "f1-d2"]


def test_rewards_are_given_once() -> None:
    game, state = baby(f"2/y1/2/P1 {COLUMNS} w 0")
    play(game, state, "a1-b1")
    before = state.rewards.copy()
    game.step(state, [10**6])
    assert np.array_equal(state.rewards, before)
    assert state.plies[0] == 1
