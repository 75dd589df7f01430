"""Games that leak what is hidden: faults that any game may have, and the table of a game's faults.

A leaking game is a class with a fault from here, or one of its own, before the game's rules:
`class KeepsStream(hidden_faults.KeepsStream, Game)`. `test_hidden_faults.py` runs the tables.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chromazoo.envs.fields import VIEWS
from chromazoo.envs.game import Game
from chromazoo.envs.state import State
from chromazoo.envs.svg import Viewer

AnyType = type[Any]
BatchCheck = Callable[[Any, Any], None]  # of rules and games
SingleCheck = Callable[[AnyType], None]  # of a type of rules


@dataclass(frozen=True)
class HiddenFaults:
    """The leaks of one game, with the checks that must find them.

    Attributes:
        game: The type of its rules, which have no fault.
        positions: Options, and games that are played with these.
        checks: All checks of batches.
        in_batches: Faults, and checks of `checks` that find them in the positions.
        in_single_games: Faults, and checks that play games of their own.
        found_by: What such a check raises.
    """

    game: AnyType
    positions: Callable[[], list[tuple[dict[str, Any], Any]]]
    checks: list[BatchCheck]
    in_batches: list[tuple[AnyType, BatchCheck]]
    in_single_games: list[tuple[AnyType, SingleCheck]]
    found_by: tuple[type[BaseException], ...] = (AssertionError,)

    def check_all(self, game: AnyType, check: BatchCheck) -> None:
        """Run a check on all positions."""
        for options, state in self.positions():
            check(game(**options), state)


class Fault(Game[Any]):
    """What all faults share."""

    @property
    def rules(self) -> Any:
        """The rules without the fault."""
        return super()


class Shows(Fault):
    """Changes the whole observation."""

    def change(self, state: Any, eyes: Any, seen: Any) -> None:
        """Change what the eyes see."""
        raise NotImplementedError

    def observe(self, state: Any, seats: Any = None, views: Any = VIEWS, *, out: Any = None) -> Any:
        seen = self.rules.observe(state, seats, views, out=out)
        if views == VIEWS:
            self.change(state, np.asarray(state.seat if seats is None else seats), seen)
        return seen

    def following(self, state: State, eyes: Any) -> tuple[Any, Any]:
        """Index the next seat of every game."""
        return np.arange(len(state)), (eyes + 1) % self.num_seats


class TextShowsHands(Fault):
    def text(self, state: Any, row: int = 0, seat: Viewer = "public") -> str:
        return f"{self.rules.text(state, row, seat)}\n{state.hands[row].tolist()}"


class RedealsNothing(Fault):
    def redeal(self, state: Any, seats: Any, seeds: Any) -> Any:
        world = state.copy()
        world.stream = self.rules.redeal(state, seats, seeds).stream
        return world


class KeepsStream(Fault):
    def redeal(self, state: Any, seats: Any, seeds: Any) -> Any:
        world = self.rules.redeal(state, seats, seeds)
        world.stream = state.stream.copy()
        return world


class ForgetsSeeds(Fault):
    def redeal(self, state: Any, seats: Any, seeds: Any) -> Any:
        world = self.rules.redeal(state, seats, np.zeros(len(state), np.int64))
        world.stream = self.rules.redeal(state, seats, seeds).stream
        return world
