"""What a seat of CHROMA observes: the board, its hand, and what it knows of all other cards."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma import knowledge
from chromazoo.envs.chroma.board import (
    ANY_COLOUR,
    COLUMNS,
    FACE_DOWN,
    LOCK_MARK,
    MAGNET_MARK,
    ROWS,
    SPACES,
)
from chromazoo.envs.chroma.cards import COPIES, PACK, POWERS
from chromazoo.envs.chroma.config import COLOURS, PHASES
from chromazoo.envs.fields import Field, Layout, Observation
from chromazoo.envs.game import Seats
from chromazoo.envs.state import starts

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game

# In the dtypes of what they are compared with, which is several times faster than in others.
_COLOUR_UP = np.full(FACE_DOWN + 1, ANY_COLOUR, np.uint8)  # by what lies on a space
_COLOUR_UP[1:FACE_DOWN] = np.arange(FACE_DOWN - 1) % COLOURS
_EVERY_COLOUR = np.arange(COLOURS, dtype=np.uint8)[:, None]
_SPACES = np.arange(SPACES, dtype=np.int8)
_MAGNETS = _SPACES.astype(np.uint8) + np.uint8(MAGNET_MARK)
_LOCKS = _SPACES.astype(np.uint8) + np.uint8(LOCK_MARK)
_PHASES = np.arange(len(PHASES), dtype=np.int8)
_POWERS = np.arange(len(POWERS), dtype=np.int8)


def layout(seats: int, names: tuple[str, ...]) -> Layout:
    """Lay out the fields.

    Args:
        seats: Number of seats, N.
        names: The names of the types of cards, T of them.

    Returns:
        The layout. Seats are in turn order from the own one.
    """
    board, others, types = (ROWS, COLUMNS), seats - 1, len(names)
    return Layout(
        [
            Field(
                "colours",
                (COLOURS, *board),
                1,
                "cards face up: colour, row, column",
                entries=(names[:COLOURS],),
            ),
            Field("wild", board, 1, "cards face down: row, column"),
            Field("magnets", (seats, *board), 1, "active Magnets: whose, row, column"),
            Field("locks", (seats, *board), 1, "active Locks: whose, row, column"),
            Field("spot", board, 1, "the card whose result or power is being resolved"),
            Field("turn", (seats,), 1, "whose decision it is"),
            Field(
                "phase",
                (len(PHASES),),
                1,
                "place, wild, power, give; place once the game is over",
                entries=(PHASES,),
            ),
            Field("replaying", (), 1, "1 while a card is placed by Replay"),
            Field(
                "power",
                (len(POWERS),),
                1,
                "the power of the card placed in this turn",
                entries=(POWERS,),
            ),
            Field("partner", (seats,), 1, "who gets a card back after a Gift"),
            Field("first", (seats,), 1, "who began"),
            Field("sizes", (seats,), 40, "cards in hand"),
            Field("pile", (), PACK, "cards in the draw pile"),
            Field("passes", (), 2 * seats, "passes in a row"),
            Field("hand", (types,), COPIES, "own cards by type", "private", (names,)),
            Field(
                "own_wild",
                board,
                types,
                "1 + type of face-down cards that one knows",
                "memory",
                values=names,
            ),
            Field(
                "known",
                (others, types),
                COPIES,
                "cards known in others' hands",
                "memory",
                ((), names),
            ),
            Field(
                "unseen",
                (types,),
                COPIES,
                "cards whose place one does not know",
                "memory",
                (names,),
            ),
        ]
    )


def observe(
    game: "Game", state: "ChromaState", seats: Seats, fields: Layout, seen: Observation
) -> None:
    """Observe as the given seats.

    Args:
        game: The rules.
        state: B games.
        seats: (B,) who looks.
        fields: The fields to include.
        seen: uint8 (B, F) with these fields, written.
    """
    rows, eyes = starts(len(state)), np.asarray(seats).astype(np.int64)
    order = (eyes[:, None] + np.arange(game.num_seats)) % game.num_seats  # (games, seats)
    board = state.board[:, :SPACES]
    marks = np.take_along_axis(state.marks, order, axis=1)[:, :, None]  # (games, seats, 1)
    values: dict[str, NDArray[Any]] = {
        "colours": _COLOUR_UP.take(board)[:, None, :] == _EVERY_COLOUR,
        "wild": board == FACE_DOWN,
        "magnets": marks == _MAGNETS,
        "locks": marks == _LOCKS,
        "spot": state.spot[:, None] == _SPACES,
        "turn": (order == state.seat[:, None]) & ~state.over[:, None],
        "phase": state.phase[:, None] == _PHASES,
        "replaying": state.replaying,
        "power": state.power[:, None] == _POWERS,
        "partner": order == state.partner[:, None],
        "first": order == state.first[:, None],
        "sizes": np.take_along_axis(state.sizes, order, axis=1),
        "pile": PACK - state.drawn,
        "passes": state.passes,
    }
    if "hand" in fields.slices:
        values["hand"] = state.hands[rows, eyes]
    if "unseen" in fields.slices:
        values["own_wild"] = knowledge.knows_hidden(state, eyes) * state.hidden
        values["known"] = knowledge.known_hands(state, eyes)
        values["unseen"] = knowledge.unseen(game, state, eyes)
    fields.fill(seen, values)
