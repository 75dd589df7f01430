"""Random play for the checks of the contract, the same whatever the batch."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.game import Game
from chromazoo.envs.randomness import Stream, as_seeds, below, mix
from chromazoo.envs.state import GamesLast, State, lanes

AnyGame = Game[Any]
S = TypeVar("S", bound=State)
LONGEST = 500  # plies after which play is cut off, for configs that could go on for ever


def player_stream(seeds: Any) -> Stream:
    """Open the streams from which random play draws seats and actions."""
    return mix(as_seeds(seeds), 1234)


def pick_seats(state: State, stream: Stream) -> NDArray[np.int64]:
    """Pick one of the pending seats of each game; the seat that moved last where all is over."""
    place = below(stream, state.pending.sum(axis=1))
    picked = (state.pending.cumsum(axis=1) > place[:, None]).argmax(axis=1)
    return np.where(state.over, state.seat, picked)


def seated(state: State, seat: int) -> NDArray[np.int64]:
    """Name the same seat in every game."""
    return np.full(len(state), seat)


def play(
    game: Game[S], state: S, stream: Stream, longest: int = LONGEST
) -> Iterator[tuple[S, NDArray[np.int64], NDArray[np.int64]]]:
    """Play on at random, in place, until all games are over.

    Yields:
        After every step the state itself, the seats that acted and their actions.
    """
    for _ in range(longest):
        if state.over.all():
            return
        seats = pick_seats(state, stream)
        actions = game.packing.pick(game.legal(state, seats), stream)
        game.step(state, actions, seats)
        yield state, seats, actions


def history(game: Game[S], state: S, stream: Stream, longest: int = LONGEST) -> list[S]:
    """Play a copy on at random; return the state now and after every step."""
    return [state.copy(), *(now.copy() for now, _, _ in play(game, state.copy(), stream, longest))]


def mixed(game: Game[S], games: int = 40, seed: int = 1) -> S:
    """Make a batch whose games are at all stages, from the first decision to the end."""
    state: S = _mixed(type(game), game, games, seed).copy()
    return state


@lru_cache(maxsize=8)
def _mixed(_kind: type[AnyGame], game: AnyGame, games: int, seed: int) -> Any:
    """See `mixed`; the type is named since games are equal by their names and options alone."""
    seeds = mix(as_seeds(seed), np.arange(games, dtype=np.uint64))
    states = history(game, game.deal(seeds), player_stream(seeds))
    at = (states[-1].plies * np.linspace(0, 1, games)).round().astype(int)
    state = states[0].copy()
    for row in range(games):
        state.put([row], states[at[row]].take([row]))
    return state.take(np.argsort(mix(seeds, 5)))  # stages in no order


@dataclass
class Moves:
    """Choices (row, seat, action), the same number of each."""

    rows: NDArray[np.int64]
    seats: NDArray[np.int64]
    actions: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def some(self, most: int) -> "Moves":
        """Keep at most that many, spread at random but always the same."""
        order = np.argsort(mix(as_seeds(0), np.arange(len(self), dtype=np.uint64)))[:most]
        return Moves(self.rows[order], self.seats[order], self.actions[order])


def moves(game: AnyGame, state: State, legal: bool) -> Moves:
    """List all choices of all seats in unfinished games that are legal, or that are not."""
    masks = [game.action_mask(state, seated(state, seat)) for seat in range(game.num_seats)]
    wanted = (np.stack(masks, axis=1) == legal) & ~state.over[:, None, None]
    return Moves(*np.nonzero(wanted))


def content(state: State) -> dict[str, bytes]:
    """Name of the array -> its bytes."""
    return {name: array.tobytes() for name, array in state.arrays.items()}


def differences(one: State, other: State, ignore: tuple[str, ...] = ()) -> list[str]:
    """Name the arrays in which two states differ, in values, dtype or shape."""
    assert type(one) is type(other)
    return [
        name
        for name, array in one.arrays.items()
        if name not in ignore
        and not (
            array.dtype == other.arrays[name].dtype and np.array_equal(array, other.arrays[name])
        )
    ]


def assert_same(one: State, other: State, ignore: tuple[str, ...] = ()) -> None:
    """Demand that two states are the same, but for the arrays to ignore."""
    assert not differences(one, other, ignore)


def assert_memory_order(state: State) -> None:
    """Demand that games are the last axis in memory, or the first where a state says so."""
    for name, array in state.arrays.items():
        first = name in state.rowwise or type(state.memory) is not GamesLast
        assert (array if first else lanes(array)).flags.c_contiguous, name
