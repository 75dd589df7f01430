"""What a seat of Guardians observes: its hand and choices, the queue, and what has been open."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.fields import Field, Layout, Observation
from chromazoo.envs.game import Seats
from chromazoo.envs.guardians import knowledge
from chromazoo.envs.guardians.cards import BESIDE, MARKS, TAKEN, flags
from chromazoo.envs.guardians.config import CARDS, COLOUR_NAMES, COLOURS
from chromazoo.envs.guardians.queue import COLUMNS, SPACES
from chromazoo.envs.state import starts

if TYPE_CHECKING:
    from chromazoo.envs.guardians.rules import Game, GuardiansState

_MOST_MARKS = 80  # of a round
_ENTRY = "entry c is card c + 1"
_CARDS = tuple(str(card + 1) for card in range(CARDS))
_NUMBER_MARKS = np.append(np.uint8(0), MARKS)
_EVERY_COLOUR = np.arange(COLOURS, dtype=np.uint8)[:, None, None]


def layout(seats: int, rounds: int) -> Layout:
    """Lay out the fields.

    Args:
        seats: Number of seats, N.
        rounds: Number of rounds.

    Returns:
        The layout. Seats are in turn order from the own one.
    """
    queue = (COLUMNS, SPACES)
    return Layout(
        [
            Field(
                "colours",
                (COLOURS, *queue),
                1,
                "the queue's cards: colour, column, space",
                entries=(COLOUR_NAMES,),
            ),
            Field("marks", queue, 3, "marks of the queue's cards"),
            Field("numbers", queue, CARDS, "numbers of the queue's cards, 0 for none"),
            Field(
                "chief",
                (CARDS,),
                1,
                f"the chief's card that lies face up; {_ENTRY}",
                entries=(_CARDS,),
            ),
            Field(
                "beside", (CARDS,), 1, f"the cards beside the chief; {_ENTRY}", entries=(_CARDS,)
            ),
            Field("taken", (seats,), _MOST_MARKS * rounds, "marks taken in all rounds"),
            Field("sizes", (seats,), 10, "cards in hand, with those chosen in this turn"),
            Field("turn", (), 8, "turns of this round that are over"),
            Field("round", (), max(1, rounds - 1), "round, from 0"),
            Field(
                "hand",
                (CARDS,),
                1,
                f"own cards, without those chosen; {_ENTRY}",
                "private",
                (_CARDS,),
            ),
            Field(
                "chosen", (CARDS,), 1, f"own choices of this turn; {_ENTRY}", "private", (_CARDS,)
            ),
            Field(
                "seen",
                (CARDS,),
                1,
                f"cards that have been open in this round; {_ENTRY}",
                "memory",
                (_CARDS,),
            ),
            Field(
                "revealed",
                (seats + 1, CARDS),
                1,
                "cards of the last turn, be it of the round before: whose (N: the chief); "
                f"{_ENTRY}",
                "memory",
                ((), _CARDS),
            ),
            Field(
                "exploded",
                (seats, CARDS),
                1,
                f"cards in front of each seat; {_ENTRY}",
                "memory",
                ((), _CARDS),
            ),
        ]
    )


def observe(
    game: "Game", state: "GuardiansState", seats: Seats, fields: Layout, seen: Observation
) -> None:
    """Observe as the given seats.

    Args:
        game: The rules.
        state: B games.
        seats: (B,) who looks.
        fields: The fields to include.
        seen: uint8 (B, F) with these fields, written.
    """
    rows, eyes, number = starts(len(state)), np.asarray(seats).astype(np.int64), game.num_seats
    order = (eyes[:, None] + np.arange(number)) % number  # (games, seats)
    colour = np.append(np.uint8(255), game.code - 1)[state.numbers]  # (games, columns, spaces)
    held = np.bitwise_count(state.hands) + np.bitwise_count(state.chosen)
    values: dict[str, NDArray[Any]] = {
        "colours": colour[:, None] == _EVERY_COLOUR,
        "marks": _NUMBER_MARKS[state.numbers],
        "numbers": state.numbers,
        "chief": flags(state.chief[:, 0]),
        "beside": state.places == BESIDE,
        "taken": np.take_along_axis(game.marks(state), order, axis=1),
        "sizes": np.take_along_axis(held, order, axis=1),
        "turn": state.turn,
        "round": state.round,
    }
    if "hand" in fields.slices:
        values["hand"] = flags(state.hands[rows, eyes])
        values["chosen"] = flags(state.chosen[rows, eyes])
    if "seen" in fields.slices:
        values["seen"] = knowledge.opened(state)
        last = np.concatenate([order, np.full((len(state), 1), number)], axis=1)
        values["revealed"] = flags(np.take_along_axis(state.revealed, last, axis=1))
        taken = (TAKEN + order).astype(state.places.dtype)  # compared in their own dtype, faster
        values["exploded"] = state.places[:, None] == taken[:, :, None]
    fields.fill(seen, values)
