"""Whether a batch of games that somebody hands in could be one: nothing in it contradicts.

Engines trust their states, and the compiled one looks nothing up twice: a seat or a card out of
range would be read, or written, beyond an array. So `Game.loads` asks for the *flaws* of a state
first: those of any game (here), then those of the game's own arrays (`validity.py` of each game).
What is an index comes first, so that later checks may look things up.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.state import State

if TYPE_CHECKING:
    from chromazoo.envs.game import Game

MOST_PLIES = 2 * 10**9
"""More than any game has, and few enough to go on counting in an int32."""


class Flaw(NamedTuple):
    """One thing that is looked at in all games.

    Attributes:
        field: The array that is wrong where it is.
        found: bool (B,), in which games.
        due: What would be right, as a phrase.
    """

    field: str
    found: NDArray[np.bool_]
    due: str


def flaws(game: "Game[Any]", state: State) -> Iterator[Flaw]:
    """Look at what the states of all games have in common.

    Args:
        game: The rules.
        state: B games in the order of the numpy engine.

    Yields:
        One thing after another; a later one may raise anything where an earlier one was found.
    """
    for name, array in state.arrays.items():
        if array.dtype == np.bool_:
            yield Flaw(name, somewhere(array.view(np.uint8) > 1), "true or false")
    yield Flaw("seat", outside(state.seat, 0, game.num_seats - 1), f"0 to {game.num_seats - 1}")
    yield Flaw("plies", outside(state.plies, 0, MOST_PLIES), f"0 to {MOST_PLIES}")
    owing: NDArray[np.int64] = state.pending.sum(axis=1)
    most = game.num_seats if game.simultaneous else 1
    wrong = ((owing == 0) != state.over) | (owing > most)
    yield Flaw("pending", wrong, "none in a finished game, else the seats to decide")
    lowest = state.pending.argmax(axis=1)
    yield Flaw("seat", ~state.over & (state.seat != lowest), "the lowest pending seat")
    early = (state.rewards != 0) & ~state.over[:, None]
    wrong = somewhere(early | ~np.isfinite(state.rewards))
    yield Flaw("rewards", wrong, "zero until the game ends, then a share of the win")


def refuse_flaws(found: Iterable[Flaw]) -> None:
    """Refuse the first game in which anything is wrong, and ask for nothing after it.

    Args:
        found: What is looked at, in turn.

    Raises:
        InvalidFile: a game and its array, by name.
    """
    for flaw in found:
        if flaw.found.any():
            row = int(flaw.found.argmax())
            raise InvalidFile(f"game {row} has a wrong {flaw.field}: {flaw.due}")


def somewhere(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell in which games any flag is set: (B, ...) to bool (B,)."""
    axes = tuple(range(1, flags.ndim))
    found: NDArray[np.bool_] = np.logical_or.reduce(flags, axis=axes)
    return found


def outside(numbers: NDArray[Any], low: int, high: int) -> NDArray[np.bool_]:
    """Tell in which games any number is below or above bounds: (B, ...) to bool (B,)."""
    return somewhere((numbers < low) | (numbers > high))


def unlike(state: State, other: State, name: str, due: str) -> Flaw:
    """Compare an array with what it should be, in a state made anew."""
    return Flaw(name, somewhere(getattr(state, name) != getattr(other, name)), due)
