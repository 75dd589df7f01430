"""What somebody who looks on knows of cards that do not lie open, for drawings."""

from typing import TYPE_CHECKING

import numpy as np

from chromazoo.envs.chroma import knowledge
from chromazoo.envs.chroma.config import COLOURS
from chromazoo.envs.svg import Viewer

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game


def hands(game: "Game", state: "ChromaState", viewer: Viewer) -> list[list[int]]:
    """List the types that a viewer knows of each hand, by colour, then power.

    Args:
        game: The rules.
        state: One game.
        viewer: Who looks on; see `Game.svg`.

    Returns:
        A list a seat.
    """
    seats = game.num_seats
    counts = np.zeros_like(state.hands[0])  # (seats, types)
    if viewer is None:
        counts[:] = state.hands[0]
    elif isinstance(viewer, int):
        counts[viewer] = state.hands[0, viewer]
        others = (viewer + np.arange(1, seats)) % seats
        counts[others] = knowledge.known_hands(state, np.array([viewer]))[0]
    single = state.sizes[0] == 1
    counts[single] = state.hands[0, single]
    types = np.arange(len(game.cards))
    order = np.lexsort((types, types % COLOURS))  # by colour, then power
    return [order.repeat(held[order]).tolist() for held in counts]


def under(state: "ChromaState", viewer: Viewer) -> list[int]:
    """List the types of cards face down that a viewer knows, by space, -1 elsewhere.

    Args:
        state: One game.
        viewer: Who looks on; see `Game.svg`.

    Returns:
        A type a space.
    """
    hidden = state.hidden[0].astype(np.int64)
    if isinstance(viewer, int):
        hidden *= knowledge.knows_hidden(state, np.array([viewer]))[0]
    elif viewer == "public":
        hidden *= 0
    types: list[int] = (hidden - 1).tolist()
    return types
