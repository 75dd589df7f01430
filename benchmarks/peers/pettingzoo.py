"""PettingZoo's AEC interface: one game at a time, through `env()` as its documents advise.

PettingZoo's classic games give the mask inside the observation, so there is no play without. Our
own AEC face is played by the same loop.
"""

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from chromazoo.benchmarks.peers.play import WITH, Peer, Tally, measured, shape_text

_STEPS = 64


def make(game: str, batch: int) -> Peer:
    """Make a game of `pettingzoo.classic`, such as `chess_v6`."""
    return peer(import_module(f"pettingzoo.classic.{game}").env())


def peer(env: Any) -> Peer:
    """Make ready an AEC environment whose observations have `observation` and `action_mask`."""
    env.reset(seed=0)
    seen = env.last()[0]
    return Peer(
        actions=len(seen["action_mask"]),
        observation=shape_text(seen["observation"].shape, seen["observation"].dtype),
        plays={WITH: partial(_play, env, np.random.default_rng(0))},
    )


def _play(env: Any, random: np.random.Generator) -> Tally:
    """Take some steps; a new game begins as soon as one has ended."""
    choices = games = 0
    for draw in random.random(_STEPS).tolist():
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            games += 1
            env.reset()
            seen = env.last()[0]
        legal = np.flatnonzero(seen["action_mask"])
        choices += len(legal)
        env.step(int(legal[int(draw * len(legal))]))
    return Tally(_STEPS, choices, games)


run = partial(measured, make)
