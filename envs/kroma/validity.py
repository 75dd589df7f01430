"""Whether a state of Kroma that somebody hands in could be one; see `envs/validity.py`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.kroma.board import REACHES
from chromazoo.envs.kroma.config import LONGEST_CLOCK
from chromazoo.envs.validity import Flaw, outside, somewhere, unlike

if TYPE_CHECKING:
    from chromazoo.envs.kroma.rules import Game, KromaState

_MOST_CLOCK = 2 * LONGEST_CLOCK  # of positions, and as many plies after them
_JUDGED = ("over", "reason", "rewards", "seat", "pending", "moves")


def flaws(game: "Game", state: "KromaState") -> Iterator[Flaw]:
    """Look at what is Kroma's own.

    Squares and pieces may be those of any position (`Game.from_position`).

    Args:
        game: The rules, on the numpy engine.
        state: B games.

    Yields:
        One thing after another; see `envs/validity.py`.
    """
    total, width = game._total_drops, game.board.width
    first = total if game.config.random else 0
    yield Flaw("drops", outside(state.drops, first, total), f"{first} to {total}")
    placing = state.drops < total
    clock = outside(state.clock, 0, _MOST_CLOCK) | placing & (state.clock != 0)
    yield Flaw("clock", clock, f"0 to {_MOST_CLOCK}, 0 while the board is built")
    parity = placing & (state.seat != state.drops % 2)
    yield Flaw("seat", parity, "the seats in turn while the board is built")
    taken, wrong = _read_line(state, width)
    yield Flaw("line", wrong, "as many different colours as drops in the row")
    left = np.where(placing, (1 << width) - 1 ^ taken, 0)
    yield Flaw("left", state.left != left, "the colours that are not in the row")
    yield from _flaws_of_sets(game, state, placing)
    yield from _flaws_of_result(game, state)


def _read_line(state: "KromaState", width: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Read the rows being built.

    Returns:
        The colours in each, bit c for colour c, int64 (B,); and bool (B,), where it is no row.
    """
    place = np.arange(8)  # of four bits
    squares = state.line.astype(np.int64)[:, None] >> 4 * place & 15  # (games, places)
    there = place < (state.drops % width)[:, None]
    taken = np.bitwise_or.reduce(1 << squares >> 1, axis=1)
    wrong = ((squares > 0) != there) | (squares > width)
    double = np.bitwise_count(taken) != state.drops % width
    return taken, somewhere(wrong) | double


def _flaws_of_sets(game: "Game", state: "KromaState", placing: NDArray[np.bool_]) -> Iterator[Flaw]:
    """Look at pieces and squares."""
    board = game.board
    for name, sets in (("pieces", state.pieces), ("squares", state.squares)):
        yield Flaw(name, somewhere(sets & ~board.everything != 0), "on the board")
    own, other = state.squares[:, 0], state.squares[:, 1]  # (games, colours)
    turned = somewhere(board.turn(own) != other) | placing & somewhere(own != other)
    yield Flaw("squares", turned, "the same for both seats")
    groups = np.bitwise_or.accumulate(np.bitwise_or.reduce(game._row_bits, axis=1))
    built = np.append(np.uint64(0), groups)[state.drops // board.width]
    rows = np.array([board.rows(row) for row in range(board.height)], np.uint64)
    each = np.bitwise_count(own[:, None] & rows[:, None])  # (games, rows, colours)
    finished = built[:, None] & rows != 0
    wrong = somewhere(each != finished[:, :, None])
    wrong |= np.bitwise_or.reduce(own, axis=1) != built
    yield Flaw("squares", wrong, "every colour once in each row that is built")
    pieces = state.pieces.reshape(len(state), 2 * board.width)
    yield Flaw("pieces", placing & somewhere(pieces != 0), "none while the board is built")
    mine, theirs = (np.bitwise_or.reduce(state.pieces[:, seat], axis=1) for seat in range(2))
    count = np.bitwise_count(pieces).sum(axis=1)
    double = np.bitwise_count(mine | board.turn(theirs)) != count
    yield Flaw("pieces", double, "at most one on each square")


def _flaws_of_result(game: "Game", state: "KromaState") -> Iterator[Flaw]:
    """Look at legal sets and ends: judge the games again."""
    again = state.copy()
    again.seat = state.turn
    again.over[:] = False
    again.pending[:] = again.seat[:, None] == np.arange(2)
    again.rewards[:] = again.reason[:] = again.moves[:] = 0
    ends = np.where(state.line > 0, (1 << game.board.width) + 1, 1).astype(np.uint64)
    again.moves[:, len(REACHES)] = state.left * ends
    game._judge(again)
    for name in _JUDGED:
        yield unlike(state, again, name, "what follows from the position")
