"""What the compiled engines of all games do alike."""

import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.compiled import mixed
from chromazoo.envs.compiled_masks import CompiledPacking, find_illegal
from chromazoo.envs.compiled_memory import GamesFirst
from chromazoo.envs.compiled_states import shaped
from chromazoo.envs.fields import Layout, Observation
from chromazoo.envs.game import Game, S, Seats, Seeds
from chromazoo.envs.randomness import CHANCE, Stream
from chromazoo.envs.state import Parts


class CompiledEngine(Game[S]):
    """What all games on the compiled engine do alike.

    Beginning from set-ups and positions and drawing hidden things anew is left to the numpy engine:
    it happens seldom.

    Attributes:
        numpy_type: The same game on the numpy engine.
    """

    engine = "compiled"
    memory_order = GamesFirst
    numpy_type: ClassVar[type[Any]]
    _observed_whole = sys.maxsize

    def __init__(self, /, *, engine: str = "compiled", **options: Any) -> None:
        """Configure the game; see `Game.__init__`."""
        super().__init__(**options)
        self._numpy: Game[S] = self.numpy_type(**options)
        self.packing = packing = CompiledPacking.of(self.packing)
        self._places = packing.places
        self._shapes: NDArray[np.void] | None = None

    def _fresh(self, seeds: Stream) -> S:
        """Make games with nothing dealt; see `Game._fresh`."""
        state = self._model.repeat(len(seeds))
        mixed(seeds, CHANCE, out=state.stream)
        return state

    def setups(self, seeds: Seeds) -> list[dict[str, Any]]:
        """Draw set-ups; see `Game.setups`."""
        return self._numpy.setups(seeds)

    def from_setup(self, setups: Sequence[Mapping[str, Any]], seeds: Seeds | None = None) -> S:
        """Begin games from set-ups; see `Game.from_setup`."""
        return self.adopt(self._numpy.from_setup(setups, seeds))

    def from_position(self, texts: Sequence[str], seeds: Seeds | None = None) -> S:
        """Begin games from positions; see `Game.from_position`."""
        return self.adopt(self._numpy.from_position(texts, seeds))

    def redeal(self, state: S, seats: Seats, seeds: Seeds) -> S:
        """Draw anew what a seat does not know; see `Game.redeal`."""
        self._demand_own(state)
        return self.adopt(self._numpy.redeal(self._numpy.adopt(state), seats, seeds))

    def loads(self, content: bytes, name: str = "state") -> S:
        """Read a state from bytes; see `Game.loads`."""
        return self.adopt(self._numpy.loads(content, name))

    def _decide(
        self,
        state: S,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> int | None:
        """Play in all games; see `Game._decide`."""
        illegal = -1
        if chance is not None:  # is read by what the actions do, so they are looked at first
            illegal = self._find_illegal(state, actions, seats)
            chance = self._live_chance(state, chance)
        if illegal < 0:
            illegal = self._play_all(state, actions, seats, chance)
        return None if illegal < 0 else illegal

    def _find_illegal(self, state: S, actions: NDArray[np.int64], seats: Seats) -> int:
        """Find the first row in which an action is not legal, -1 if there is none.

        One seat of a game decides at a time, and `legal` is a view of the state.
        """
        words, movers = self._legal(state, None), seats.astype(np.int64)
        return find_illegal(actions, movers, words, state.seat, state.over, self._places)

    @abstractmethod
    def _play_all(
        self,
        state: S,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> int:
        """Play in the games that are not over, in place, if every action is legal.

        Chance outcomes that do not fit are refused with `InvalidChance` before anything changes;
        what is said of finished games is left out already. To look for illegal actions and to play
        is one call of compiled code: threads wait for each other between calls.

        Returns:
            The first row in which the action is not legal, -1 if there is none.
        """

    def _live_chance(self, state: S, chance: Sequence[str | None]) -> Sequence[str | None]:
        """Leave out what is said of finished games, which ignore it."""
        return [None if over else text for over, text in zip(state.over, chance, strict=True)]

    def _know_shapes(self) -> None:
        """Let the compiler know the shapes of this game's states; see `compiled_states`."""
        self._shapes = shaped(cast(GamesFirst, self._model.memory))

    def _parts(self, state: S) -> Parts:
        """Return what compiled code opens: the arrays of a state, or its bytes and their shapes."""
        return state.listed if self._shapes is None else (*state.parts, self._shapes)

    def _observe(self, state: S, eyes: Seats, fields: Layout, seen: Observation) -> None:
        """Observe; see `Game._observe`."""
        every = fields is self.fields
        whole = seen if every else np.empty((len(state), self.fields.size), np.uint8)
        self._write_observations(self._parts(state), eyes.astype(np.int64), whole)
        if not every:
            wanted = [self.fields.slices[field.name] for field in fields]
            parts = [whole[:, :0], *(whole[:, where] for where in wanted)]
            np.concatenate(parts, axis=1, out=seen)

    @abstractmethod
    def _write_observations(self, parts: Parts, eyes: NDArray[np.int64], seen: Observation) -> None:
        """Write what a seat of each game knows, of all views, to uint8 (B, F)."""
