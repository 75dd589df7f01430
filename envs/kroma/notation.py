"""Kroma's moves and positions as text (rules page `kroma.md`, Notation)."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chromazoo.envs.errors import InvalidMove, InvalidPosition
from chromazoo.envs.kroma.board import COLOURS, DIMENSIONS, ENDS, LETTERS, Board
from chromazoo.envs.kroma.config import LONGEST_CLOCK, Size
from chromazoo.envs.masks import Words

if TYPE_CHECKING:
    from chromazoo.envs.kroma.rules import KromaState

_SHORTEN = 60


def drop_text(board: Board, drop: int) -> str:
    """Write a drop: end × colour, counted in C order, such as `L:purple`."""
    end, colour = divmod(drop, board.width)
    return f"{ENDS[end]}:{board.colours[colour]}"


def drop_number(board: Board, text: str) -> int | None:
    """Read a drop, None where the text is none."""
    end, _, colour = text.partition(":")
    if end not in tuple(ENDS) or colour not in board.colours:
        return None
    return ENDS.index(end) * board.width + board.colours.index(colour)


def move_text(board: Board, seat: int, origin: int, target: int) -> str:
    """Write a move between squares of the seat's view, such as `a2-b4`."""
    names = [board.square_name(_white(board, seat, square)) for square in (origin, target)]
    return "-".join(names)


def parse_move(board: Board, seat: int, text: str) -> tuple[int, int]:
    """Read a move as origin and target in the seat's view.

    Raises:
        InvalidMove: the text is no move on this board.
    """
    names = text.split("-")
    squares = [board.square_number(name) for name in names]
    if len(squares) != 2 or squares[0] is None or squares[1] is None:
        ends = ", ".join(board.colours)
        raise InvalidMove(
            f"{_short(text)}: a move is two squares such as a2-b3, a drop L: or R: and {ends}"
        )
    return _white(board, seat, squares[0]), _white(board, seat, squares[1])


def _white(board: Board, seat: int, square: int) -> int:
    """Lead a square between a seat's view and White's."""
    return int(board.turned[square]) if seat else square


def position(board: Board, state: "KromaState", row: int) -> str:
    """Write a position of the movement phase: `pieces squares side clock`."""
    turn = int(state.turn[row])
    white, black = state.pieces[row][[turn, 1 - turn]]  # each seat's pieces in its own view
    squares = state.squares[row][turn]
    letters = LETTERS[: board.width]
    pieces = _letters(board, white, letters.upper())
    pieces |= _letters(board, board.turn(black), letters)
    colours = _letters(board, squares, letters)
    return " ".join(
        [_rows(board, pieces), _rows(board, colours), "wb"[turn], str(int(state.clock[row]))]
    )


def _letters(board: Board, sets: Words, letters: str) -> dict[int, str]:
    """Name what stands on each square: square -> letter, from one set a letter."""
    return {
        square: letter
        for word, letter in zip(sets.tolist(), letters, strict=True)
        for square in range(board.squares)
        if word >> square & 1
    }


def _rows(board: Board, letters: dict[int, str]) -> str:
    """Write rows from the top, runs of empty squares as digits."""
    rows = []
    for row in reversed(range(board.height)):
        squares = range(row * board.width, (row + 1) * board.width)
        text = "".join(letters.get(square, " ") for square in squares)
        rows.append(re.sub(" +", lambda run: str(len(run[0])), text))
    return "/".join(rows)


@dataclass(frozen=True)
class Position:
    """A position as read, in White's view.

    Attributes:
        pieces: uint64 (2, C), white and black pieces by colour.
        squares: uint64 (2, C), the squares by colour, twice.
        side: 0 where White is to move, 1 for Black.
        clock: Plies since the last capture.
    """

    pieces: Words
    squares: Words
    side: int
    clock: int


def size_of(text: str) -> Size:
    """Read the size of the board off a position.

    Args:
        text: A position.

    Returns:
        The size.

    Raises:
        InvalidPosition: no board has so many rows and columns.

    >>> size_of("py/py/PY/PY py/py/py/py w 0")
    'baby'
    """
    parts = text.split(" ")
    rows = parts[1].split("/") if len(parts) == 4 else []
    for size, (width, height) in DIMENSIONS.items():
        if len(rows) == height and len(rows[0]) == width:
            return size
    raise InvalidPosition(
        f"{_short(text)}: a position is 'pieces squares side clock' on a board of 6 × 8, 4 × 6 or "
        "2 × 4 squares (columns × rows)"
    )


def parse_position(board: Board, text: str) -> Position:
    """Read a position of the movement phase.

    Args:
        board: The board.
        text: `pieces squares side clock`.

    Returns:
        The position. Its squares need not be symmetric.

    Raises:
        InvalidPosition: the text is not a position of this board; the message says why.
    """
    parts = text.split(" ") if isinstance(text, str) else []
    if len(parts) != 4:
        raise InvalidPosition(f"{_short(text)}: four fields needed: pieces squares side clock")
    letters = LETTERS[: board.width]
    pieces = _read_rows(board, "pieces", parts[0], letters.upper() + letters)
    squares = _read_rows(board, "squares", parts[1], letters)
    for row in range(board.height):
        colours = squares[row * board.width : (row + 1) * board.width]
        if sorted(colours) != sorted(letters):
            raise InvalidPosition(
                f"squares, row {row + 1}: {_short(colours)} has not every colour of "
                f"{letters!r} once"
            )
    if parts[2] not in ("w", "b"):
        raise InvalidPosition(f"side: w or b needed, not {_short(parts[2])}")
    if not re.fullmatch("[0-9]{1,10}", parts[3]) or int(parts[3]) > LONGEST_CLOCK:
        raise InvalidPosition(f"clock: a number of plies needed, not {_short(parts[3])}")
    return Position(
        np.array([_sets(pieces, letters.upper()), _sets(pieces, letters)], np.uint64),
        np.array([_sets(squares, letters)] * 2, np.uint64),
        "wb".index(parts[2]),
        int(parts[3]),
    )


def _read_rows(board: Board, what: str, text: str, letters: str) -> str:
    """Read rows as one letter a square from row 1, a space for an empty one."""
    rows = text.split("/")
    if len(rows) != board.height:
        raise InvalidPosition(f"{what}: {board.height} rows needed, not {len(rows)}")
    whole = []
    for number, row in zip(range(board.height, 0, -1), rows, strict=True):
        if re.search("[0-9]{2}|[0789]", row) or not set(row) <= set(letters + "123456"):
            raise InvalidPosition(
                f"{what}, row {number}: {_short(row)} has more than {letters} and gaps"
            )
        squares = re.sub("[1-6]", lambda run: " " * int(run[0]), row)
        if len(squares) != board.width:
            raise InvalidPosition(
                f"{what}, row {number}: {_short(row)} fills {len(squares)} squares of {board.width}"
            )
        whole.append(squares)
    return "".join(reversed(whole))


def _sets(squares: str, letters: str) -> list[int]:
    """Return the set of squares that hold each letter."""
    return [
        sum(1 << square for square, found in enumerate(squares) if found == letter)
        for letter in letters
    ]


def _short(text: object) -> str:
    """Quote a text, cut where it is long."""
    quoted = repr(text)
    return quoted if len(quoted) <= _SHORTEN else f"{quoted[:_SHORTEN]}…'"


assert "".join(colour[0] for colour in COLOURS) == LETTERS
