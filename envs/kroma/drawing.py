"""Kroma's board in text."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.kroma.board import LETTERS, Board
from chromazoo.envs.svg import Viewer

if TYPE_CHECKING:
    from chromazoo.envs.kroma.rules import KromaState

SEATS = ("White", "Black")


def text(board: Board, state: "KromaState", row: int, viewer: Viewer) -> str:
    """Draw one game: on each square the piece, if any, and the square's colour.

    Args:
        board: The board.
        state: B games.
        row: Which of them.
        viewer: Who looks on; the board stands as White sees it, or as Black does for seat 1.

    Returns:
        Lines from the top row to the lowest, then the columns' letters and what is to happen.
    """
    turn = int(state.turn[row])
    below = viewer if isinstance(viewer, int) else 0
    own, other = state.pieces[row][[turn ^ below, turn ^ below ^ 1]]
    white, black = (board.turn(other), own) if below else (own, board.turn(other))
    pieces = [
        *zip(white.tolist(), LETTERS.upper(), strict=False),
        *zip(black.tolist(), LETTERS, strict=False),
    ]
    colours = list(zip(state.squares[row][turn ^ below].tolist(), LETTERS, strict=False))
    names = [board.square_name(int(square)) for square in _names(board, below)]
    lines = []
    for number in reversed(range(board.height)):
        squares = range(number * board.width, (number + 1) * board.width)
        cells = [_at(pieces, square) + _at(colours, square) for square in squares]
        lines.append(f"{names[squares[0]][1]} {' '.join(cells)}")
    letters = [name[0] for name in names[: board.width]]
    lines.append("  " + " ".join(f"{letter:2}" for letter in letters).rstrip())
    return "\n".join([*lines, _status(board, state, row, turn)])


def _names(board: Board, below: int) -> NDArray[np.int64]:
    """Tell which square of White's view each square of the lower seat's view is."""
    return board.turned if below else np.arange(board.squares)


def _at(sets: list[tuple[int, str]], square: int) -> str:
    """Return the letter of what is on a square, a dot for nothing."""
    return next((letter for word, letter in sets if word >> square & 1), ".")


def _status(board: Board, state: "KromaState", row: int, turn: int) -> str:
    """Say whose turn it is or how the game ended."""
    if state.over[row]:
        if state.rewards[row].any():
            return f"{SEATS[1 - turn]} wins: {SEATS[turn]} has no legal move"
        return f"draw: {state.clock[row]} plies without a capture"
    if state.left[row]:
        line = int(state.line[row])
        squares = [LETTERS[(line >> 4 * place & 15) - 1] for place in range(8) if line >> 4 * place]
        return f"{SEATS[turn]} to drop; the row so far: {''.join(squares) or 'empty'}"
    return f"{SEATS[turn]} to move; {state.clock[row]} plies without a capture"
