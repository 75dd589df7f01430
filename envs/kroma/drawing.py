"""Kroma's board in text."""

from typing import TYPE_CHECKING

from chromazoo.envs.kroma.board import LETTERS, Board

if TYPE_CHECKING:
    from chromazoo.envs.kroma.rules import KromaState

SEATS = ("White", "Black")


def text(board: Board, state: "KromaState", row: int) -> str:
    """Draw one game as White sees it: on each square the piece, if any, and the square's colour.

    Args:
        board: The board.
        state: B games.
        row: Which of them.

    Returns:
        Lines from the top row to row 1, then the columns' letters and what is to happen.
    """
    turn = int(state.turn[row])
    white, black = state.pieces[row][[turn, 1 - turn]]
    pieces = [
        *zip(white.tolist(), LETTERS.upper(), strict=False),
        *zip(board.turn(black).tolist(), LETTERS, strict=False),
    ]
    colours = list(zip(state.squares[row][turn].tolist(), LETTERS, strict=False))
    lines = []
    for number in reversed(range(board.height)):
        squares = range(number * board.width, (number + 1) * board.width)
        cells = [_at(pieces, square) + _at(colours, square) for square in squares]
        lines.append(f"{number + 1} {' '.join(cells)}")
    lines.append("  " + " ".join(f"{letter:2}" for letter in "abcdef"[: board.width]).rstrip())
    return "\n".join([*lines, _status(board, state, row, turn)])


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
