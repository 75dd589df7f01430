"""What a seat of Kroma observes: the whole board, turned so that the seat plays upward."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.fields import Field, Layout, Observation
from chromazoo.envs.game import Seats, lanes
from chromazoo.envs.kroma.board import Board
from chromazoo.envs.kroma.config import Config

if TYPE_CHECKING:
    from chromazoo.envs.kroma.rules import Game, KromaState

_HIGHEST = 255


def layout(board: Board, config: Config) -> Layout:
    """Lay out the fields for a board and the options.

    Args:
        board: The board.
        config: The options.

    Returns:
        The layout; all of it is public.
    """
    width = board.width
    planes = (width, board.height, width)
    limit = min(config.no_capture_limit or _HIGHEST, _HIGHEST)
    return Layout(
        [
            Field("own_pieces", planes, 1, "own pieces: colour, row, column, from the own side"),
            Field("enemy_pieces", planes, 1, "enemy pieces: colour, row, column"),
            Field("squares", planes, 1, "squares of the board: colour, row, column"),
            Field("own_reach", (width, width), 1, "own pieces of colour [1] reach as colour [0]"),
            Field("enemy_reach", (width, width), 1, "the same of the enemy's pieces"),
            Field("line", (width, width), 1, "the row being built: place from its left, colour"),
            Field("placing", (), 1, "1 in the placement phase"),
            Field("rows_built", (), board.height // 2, "rows built so far, copies not counted"),
            Field("clock", (), limit, "plies since the last capture"),
        ]
    )


def observe(game: "Game", state: "KromaState", seats: Seats, fields: Layout) -> Observation:
    """Observe as the given seats.

    Args:
        game: The rules.
        state: B games.
        seats: (B,) who looks.
        fields: The fields to include.

    Returns:
        uint8 (B, F).
    """
    own, enemy, squares, enemy_squares = _as_seen(state, seats)
    board, generator = game.board, game.generator
    planes = np.concatenate([own, board.turn(enemy), squares])  # (planes, games)
    bits = board.unpack(planes).reshape(len(state), 3, -1)
    places = np.arange(board.width, dtype=np.uint32)[:, None] * np.uint32(4)
    built = (lanes(state.line) >> places) & np.uint32(15)  # (places, games)
    colours = np.arange(1, board.width + 1)
    values: dict[str, NDArray[Any]] = {
        "own_pieces": bits[:, 0],
        "enemy_pieces": bits[:, 1],
        "squares": bits[:, 2],
        "own_reach": np.moveaxis(generator.reach_table(own, enemy, squares, enemy_squares), -1, 0),
        "enemy_reach": np.moveaxis(
            generator.reach_table(enemy, own, enemy_squares, squares), -1, 0
        ),
        "line": built.T[:, :, None] == colours,
        "placing": state.left > 0,
        "rows_built": state.drops // board.width,
        "clock": state.clock,
    }
    return fields.fill(len(state), values)


def _as_seen(
    state: "KromaState", seats: Seats
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
    """Return own and enemy pieces, own and enemy view of the squares: uint64 (C, B) each."""
    pieces, squares = lanes(state.pieces), lanes(state.squares)
    waiting = np.asarray(seats) != state.turn  # (games,)
    if not waiting.any():
        return pieces[0], pieces[1], squares[0], squares[1]
    return (
        np.where(waiting, pieces[1], pieces[0]),
        np.where(waiting, pieces[0], pieces[1]),
        np.where(waiting, squares[1], squares[0]),
        np.where(waiting, squares[0], squares[1]),
    )
