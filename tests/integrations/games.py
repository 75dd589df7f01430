"""What other libraries show of our games is compared here with the games themselves."""

import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.envs.registry import make_game

SEED = 11
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "kroma": ("kroma", {"size": "baby"}),
    "kroma-standard": ("kroma", {}),
    "chroma": ("chroma", {}),
    "chroma-4": ("chroma", {"num_players": 4}),
    "guardians": ("guardians", {}),
    "guardians-3": ("guardians", {"num_players": 3}),
}
SIMULTANEOUS = ("guardians", "guardians-3")


def library(name: str) -> Any:
    """Import a library of others, whatever it warns of; skip the test where there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        if error.name != package:
            raise
        pytest.skip(f"{package} is not installed here; `make integrations` has it")


def make(name: str, kind: str = "env") -> Any:
    """Make one of our environments: `env` or `parallel_env` of a name in `GAMES`."""
    game, options = GAMES[name]
    return getattr(import_module(f"chromazoo.envs.{game}_v0"), kind)(**options)


class Shadow:
    """The same game on the engine: what a library shows is compared with it at every decision.

    Attributes:
        game: The rules.
        decisions: How many were compared.
    """

    def __init__(self, name: str, seed: int = SEED) -> None:
        """Deal the game that an environment of that name deals from the seed."""
        game, options = GAMES[name]
        self.game = make_game(game, **options)
        self.decisions = 0
        self._state = self.game.deal(seed)
        self._random = np.random.default_rng(seed)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self._state.over[0])

    @property
    def rewards(self) -> dict[str, float]:
        """Seat -> its reward in the end."""
        return {
            f"player_{seat}": float(reward) for seat, reward in enumerate(self._state.rewards[0])
        }

    def choose(self, agent: str, observation: Any, mask: Any) -> int:
        """Choose a random action by the mask that has arrived, and compare what has.

        Args:
            agent: Whose decision it is.
            observation: (F,), what the library gives to its policy.
            mask: (A,), the action mask that it gives to it.

        Returns:
            An action that the mask allows.
        """
        seat = np.array([int(agent.removeprefix("player_"))])
        shown, allowed = np.asarray(observation), np.asarray(mask)
        assert self._state.pending[0, seat[0]]
        assert np.array_equal(shown, self.game.observe(self._state, seat)[0])
        assert np.array_equal(allowed, self.game.action_mask(self._state, seat)[0])
        self.decisions += 1
        return int(self._random.choice(np.flatnonzero(allowed)))

    def step(self, actions: dict[str, int]) -> None:
        """Take actions, by seat, in seat order."""
        for agent, action in sorted(actions.items()):
            seat: NDArray[np.int64] = np.array([int(agent.removeprefix("player_"))])
            self.game.step(self._state, [action], seat)
