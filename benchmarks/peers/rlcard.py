"""RLCard: one game at a time, in Python.

`Env` makes an observation at every step. Play without steps the game beneath it, whose own state,
cards and legal actions by name, cannot be left out; masks are made of those names.
"""

import random
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from chromazoo.benchmarks.peers.play import WITH, WITHOUT, Peer, Tally, measured, shape_text

_STEPS = 64


def make(game: str, batch: int) -> Peer:
    """Make a game of RLCard, such as `uno`."""
    import rlcard

    with_observations = _WithObservations(rlcard.make(game, config={"seed": 0}))
    without = _Without(rlcard.make(game, config={"seed": 0}), _indices(game))
    return Peer(
        actions=with_observations.env.num_actions,
        observation=shape_text(with_observations.seen.shape, with_observations.seen.dtype),
        plays={WITHOUT: without.play, WITH: with_observations.play},
    )


def _indices(game: str) -> Mapping[str, int]:
    """Number the actions of a game by their names, as its `Env` does."""
    if game == "uno":
        from rlcard.games.uno.utils import ACTION_SPACE

        numbered: Mapping[str, int] = ACTION_SPACE
        return numbered
    import rlcard

    return {name: index for index, name in enumerate(rlcard.make(game).actions)}


class _WithObservations:
    """Plays `Env`."""

    def __init__(self, env: Any) -> None:
        """Begin the first game."""
        self.env, self._random = env, random.Random(0)
        self._state = env.reset()[0]
        self.seen = self._state["obs"]

    def play(self) -> Tally:
        """Take some steps; a new game begins as soon as one has ended."""
        env, choices, games = self.env, 0, 0
        for _ in range(_STEPS):
            legal = list(self._state["legal_actions"])
            mask = np.zeros(env.num_actions, bool)
            mask[legal] = True
            choices += len(legal)
            self._state, _ = env.step(legal[int(self._random.random() * len(legal))])
            if env.is_over():
                games += 1
                self._state, _ = env.reset()
        return Tally(_STEPS, choices, games)


class _Without:
    """Plays the game beneath `Env`."""

    def __init__(self, env: Any, indices: Mapping[str, int]) -> None:
        """Begin the first game."""
        self._game, self._actions, self._indices = env.game, env.num_actions, indices
        self._state, self._random = self._game.init_game()[0], random.Random(0)

    def play(self) -> Tally:
        """Take some steps; a new game begins as soon as one has ended."""
        game, choices, games = self._game, 0, 0
        for _ in range(_STEPS):
            legal = self._state["legal_actions"]
            mask = np.zeros(self._actions, bool)
            mask[[self._indices[name] for name in legal]] = True
            choices += len(legal)
            self._state, _ = game.step(legal[int(self._random.random() * len(legal))])
            if game.is_over():
                games += 1
                self._state, _ = game.init_game()
        return Tally(_STEPS, choices, games)


run = partial(measured, make)
