"""How long a decision takes in the AEC face, one game at a time."""

import time
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from chromazoo.envs.aec import AECFace, Env, make_env
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import Stream, agent_stream, as_seeds, below, mix

FACES = ("aec", "aec-raw")

_LONGEST = 1000  # plies of a game that could go on for ever


def make_face(game: Game[Any], what: str) -> Env:
    """Make the face that is measured.

    Args:
        game: The rules.
        what: `aec` for what `env()` makes, `aec-raw` for `raw_env()`.

    Returns:
        The environment; a game that could go on for ever is broken off after 1,000 plies.
    """
    limit = None if game.always_ends else _LONGEST
    make: Callable[..., Env] = make_env if what == "aec" else AECFace
    return make(game, max_plies=limit)


def play_game(
    env: Env, seed: int, stream: Stream, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Play a whole game at random, and read a clock before `step` and after `last`.

    `reset`, choosing and dead steps lie outside.

    Args:
        env: The environment.
        seed: The game's seed.
        stream: uint64 (1,), the stream of the choices; changed.
        clock: Tells the time, or anything else that grows.

    Returns:
        How much the clock went on in each decision.
    """
    env.reset(seed=seed)
    seen, _, over, broken_off, _ = env.last()
    lasted = []
    while not (over or broken_off):
        legal = np.flatnonzero(seen["action_mask"])  # type: ignore[index]
        action = int(legal[below(stream, len(legal))[0]])
        begin = clock()
        env.step(action)
        seen, _, over, broken_off, _ = env.last()
        lasted.append(clock() - begin)
    return lasted


def time_face(game: Game[Any], what: str, seconds: float, seed: int) -> list[float]:
    """Time `step` and `last` together, decision by decision, in whole games.

    Args:
        game: The rules.
        what: `aec` or `aec-raw`; see `make_face`.
        seconds: For how long games are begun; the last is played to its end.
        seed: The seed of deals and choices.

    Returns:
        The seconds of each decision, of one game at least.
    """
    env, stream = make_face(game, what), agent_stream(as_seeds(seed), 0)
    seeds = (int(mix(as_seeds(seed), number)[0]) for number in count())
    play_game(env, next(seeds), stream)  # to warm up
    end = time.perf_counter() + seconds
    lasted: list[float] = []
    while not lasted or time.perf_counter() < end:
        lasted += play_game(env, next(seeds), stream)
    return lasted
