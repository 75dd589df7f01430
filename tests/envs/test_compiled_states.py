"""States whose shapes the compiler knows are the states that they are without."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.envs.compiled import as_compiled, compiled
from chromazoo.envs.compiled_memory import GamesFirst
from chromazoo.envs.compiled_states import opener, shaped
from chromazoo.envs.registry import make_game
from chromazoo.envs.state import Parts, State


@dataclass(eq=False)
class AllKinds(State):
    """A state of arrays of all widths, some of them empty, some of bools."""

    flags: NDArray[np.bool_]
    octets: NDArray[np.uint8]
    nothing: NDArray[np.uint8]
    small: NDArray[np.int8]
    words: NDArray[np.uint64]
    none: NDArray[np.bool_]


Arrays = as_compiled(AllKinds, __name__)
opened = opener(Arrays)
KINDS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "seat": (np.int8, ()),
    "pending": (np.bool_, (3,)),
    "over": (np.bool_, ()),
    "rewards": (np.float64, (3,)),
    "plies": (np.int32, ()),
    "stream": (np.uint64, ()),
    "flags": (np.bool_, (2, 3)),
    "octets": (np.uint8, (3, 0, 5)),
    "nothing": (np.uint8, (0,)),
    "small": (np.int8, (7,)),
    "words": (np.uint64, (2, 2, 3)),
    "none": (np.bool_, (0, 2)),
}


@compiled
def turned(found: NDArray[np.float64], *given: Any) -> None:
    """Read some entries of each game, and write them elsewhere in it."""
    state = opened(given)
    for game in range(len(found)):
        found[game] = state.rewards[game, 2] + state.plies[game] + state.small[game, 6]
        found[game] += state.words[game, 1, 0, 2] >> np.uint64(40)
        found[game] += state.octets.shape[3] + state.nothing.shape[1] + len(state.none[game])
        state.flags[game, 1, 2] = not state.over[game]
        state.over[game] = state.pending[game, 1]
        for place in range(3):
            state.words[game, 0, 1, place] = state.words[game, 1, 0, place]
        state.seat[game] = -state.small[game, 0]


def filled(games: int) -> tuple[GamesFirst, Parts]:
    """Fill games with random bytes."""
    listed = [(field.name, *KINDS[field.name]) for field in fields(AllKinds)]
    kinds = [(name, shape, np.dtype(dtype)) for name, dtype, shape in listed]
    memory, rng = GamesFirst(kinds, frozenset()), np.random.default_rng(games)
    parts = memory.empty(games)
    for name, _, dtype in kinds:
        array = memory.view(parts, name)
        array[...] = rng.integers(0, 2 if dtype == np.bool_ else 100, array.shape)
    memory.view(parts, "words")[...] <<= np.uint64(40)
    return memory, parts


@pytest.mark.parametrize("games", [0, 1, 9])
def test_all_arrays_are_found_with_and_without_their_shapes(games: int) -> None:
    memory, parts = filled(games)
    others = memory.copy(parts)
    found = np.zeros((2, games))
    turned(found[0], *parts, shaped(memory))
    turned(found[1], *memory.views(others))
    assert np.array_equal(*found)
    assert parts[0].tobytes() == others[0].tobytes()
    assert games == 0 or len(set(found[0].tolist())) == games


SHAPED = [
    ("kroma", {}, True),
    ("kroma", {"size": "baby"}, True),
    ("chroma", {}, True),
    ("chroma", {"wheel": "ring"}, True),
    ("chroma", {"num_players": 3}, False),
    ("chroma", {"power_copies": 0}, False),
    ("guardians", {}, True),
    ("guardians", {"num_players": 5}, True),
    ("guardians", {"rounds": 2}, False),
]


@pytest.mark.parametrize(("name", "options", "known"), SHAPED, ids=str)
def test_the_compiler_knows_the_shapes_of_usual_states(
    name: str, options: dict[str, Any], known: bool
) -> None:
    game: Any = make_game(name, engine="compiled", **options)
    state = game.deal([1])
    parts = game._parts(state)
    assert len(parts) == (2 if known else len(state.arrays))
