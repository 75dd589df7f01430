"""What a seat of Kroma observes: the whole board, turned so that the seat plays upward."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import blocks
from chromazoo.envs.fields import Field, Layout, Observation
from chromazoo.envs.game import Seats
from chromazoo.envs.kroma.board import Board
from chromazoo.envs.kroma.config import Config
from chromazoo.envs.masks import Words

if TYPE_CHECKING:
    from chromazoo.envs.kroma.rules import Game, KromaState

_HIGHEST = 255
_ONE = np.uint64(1)


def layout(board: Board, config: Config) -> Layout:
    """Lay out the fields for a board and the options.

    Args:
        board: The board.
        config: The options.

    Returns:
        The layout; all of it is public.
    """
    width, names = board.width, board.colours
    planes = (width, board.height, width)
    limit = min(config.no_capture_limit or _HIGHEST, _HIGHEST)
    return Layout(
        [
            Field(
                "own_pieces",
                planes,
                1,
                "own pieces: colour, row, column, from the own side",
                entries=(names,),
            ),
            Field("enemy_pieces", planes, 1, "enemy pieces: colour, row, column", entries=(names,)),
            Field(
                "squares", planes, 1, "squares of the board: colour, row, column", entries=(names,)
            ),
            Field(
                "own_reach",
                (width, width),
                1,
                "own pieces of colour [1] reach as colour [0]",
                entries=(names, names),
            ),
            Field(
                "enemy_reach",
                (width, width),
                1,
                "the same of the enemy's pieces",
                entries=(names, names),
            ),
            Field(
                "line",
                (width, width),
                1,
                "the row being built: place from its left, colour",
                entries=((), names),
            ),
            Field("placing", (), 1, "1 in the placement phase"),
            Field("rows_built", (), board.height // 2, "rows built so far, copies not counted"),
            Field("clock", (), limit, "plies since the last capture"),
        ]
    )


def observe(game: "Game", state: "KromaState", seats: Seats, seen: Observation) -> None:
    """Observe as the given seats.

    All fields but the last two are flags, so they are gathered as bits and unpacked at once.

    Args:
        game: The rules.
        state: B games.
        seats: (B,) who looks.
        seen: uint8 (B, F), written.
    """
    own, enemy, squares, enemy_squares = _as_seen(state, seats)
    board, generator = game.board, game.generator
    flags = board.width**2
    rest = concatenate_bits(
        [
            (generator.reach_flags(own, enemy, squares, enemy_squares), flags),
            (generator.reach_flags(enemy, own, enemy_squares, squares), flags),
            (_line_flags(board, state), flags),
            ((state.left > 0).astype(np.uint64), 1),
        ]
    )
    planes = np.concatenate([own, board.turn(enemy), squares])  # (planes, games)
    octets = np.concatenate([board.octets(planes), rest], axis=1)  # (games, octets)
    for some in blocks(len(seen)):
        seen[some] = np.unpackbits(octets[some], axis=1, count=game.num_features, bitorder="little")
    seen[:, -2] = state.drops // board.width
    seen[:, -1] = np.minimum(state.clock, game.fields.high[-1])


def _line_flags(board: Board, state: "KromaState") -> Words:
    """Tell what stands at each place of the row being built: bit place * C + colour, (B,)."""
    flags = np.zeros(len(state), np.uint64)
    building = np.flatnonzero(state.line)
    line = state.line[building].astype(np.uint64)
    for place in range(board.width):
        here = (line >> np.uint64(4 * place)) & np.uint64(15)  # colour + 1, 0 for none
        flag = (_ONE << here) >> _ONE
        flag[here == 0] = 0
        flags[building] |= flag << np.uint64(place * board.width)
    return flags


def concatenate_bits(parts: Sequence[tuple[Words, int]]) -> NDArray[np.uint8]:
    """Write bit strings one after the other.

    Args:
        parts: uint64 (B,) words and how many of their lowest bits to take, at most 64.

    Returns:
        uint8 (B, n), the whole string, lowest bits first, filled up with zeros.

    >>> concatenate_bits([(np.array([1], np.uint64), 7), (np.array([3], np.uint64), 2)])[:, :2]
    array([[129,   1]], dtype=uint8)
    """
    length = sum(width for _, width in parts)
    words = np.zeros((-(-length // 64), len(parts[0][0])), np.uint64)  # (words, games)
    start = 0
    for part, width in parts:
        word, offset = divmod(start, 64)
        words[word] |= part << np.uint64(offset)
        if offset + width > 64:
            words[word + 1] |= part >> np.uint64(64 - offset)
        start += width
    return np.ascontiguousarray(words.T).view(np.uint8)


def _as_seen(state: "KromaState", seats: Seats) -> tuple[Words, Words, Words, Words]:
    """Return own and enemy pieces, own and enemy view of the squares: uint64 (C, B) each."""
    pieces, squares = state.lanes.pieces, state.lanes.squares
    waiting = np.asarray(seats) != state.turn  # (games,)
    if not waiting.any():
        return pieces[0], pieces[1], squares[0], squares[1]
    return (
        np.where(waiting, pieces[1], pieces[0]),
        np.where(waiting, pieces[0], pieces[1]),
        np.where(waiting, squares[1], squares[0]),
        np.where(waiting, squares[0], squares[1]),
    )
