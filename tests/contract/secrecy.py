"""What the checks of hidden information of several games share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.game import Game
from chromazoo.envs.randomness import Stream, as_seeds, mix
from chromazoo.envs.state import State
from tests.contract.play import seated


def see(game: Game[Any], state: State, seat: int, field: str) -> NDArray[np.uint8]:
    """A field of what a seat observes of every game."""
    return game.fields.get(game.observe(state, seated(state, seat)), field)


def some_seeds(state: State, number: int) -> Stream:
    """Seeds for every game."""
    return mix(as_seeds(number), np.arange(len(state), dtype=np.uint64))


def varies(values: NDArray[Any]) -> bool:
    """Whether the rows of an array are not all the same."""
    return bool((values != values[0]).any())
