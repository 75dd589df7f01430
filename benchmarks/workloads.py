"""What `chromazoo bench` runs on batches of games: each workload, made for one thread or more.

All work on games at every stage: a pool of rows, each played on from its deal for a random number
of plies. Only `play in step` keeps all rows at the same stage.

Action masks and observations are written to the same arrays over and over (`out`), as a program
would that is in a hurry: the system maps new ones of over 32 MB anew at every call, which takes
longer than to fill them.
"""

import time
from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.benchmarks.clock import Work
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import Stream, agent_stream, as_seeds, below, mix
from chromazoo.envs.state import State

IN_STEP = "play in step"

_POOL = 1024  # rows at all stages, from which every batch is made
_SUPPLY = int.from_bytes(b"supply", "little")
_AHEAD = 2048  # games dealt at once, for when games end
_STAGES = 256  # plies that a row of the pool is played on at most
_SNAPSHOTS = 16  # batches at different stages, where a batch is smaller than the pool


class _Supply:
    """Deals fresh games, some ahead, as numpy deals many at once for little more than one."""

    def __init__(self, game: Game[Any], batch: int, seed: int) -> None:
        """Deal the first games: up to `_AHEAD` at once, but no more than are played at once."""
        self._game, self._number = game, min(batch, _AHEAD)
        self._seeds = np.arange(self._number, dtype=np.uint64)
        self._seeds += mix(as_seeds(seed), _SUPPLY)  # other games than those to begin with
        self._deal()

    def _deal(self) -> None:
        """Deal the next games; those that end before they begin are left out."""
        dealt: State = self._game.deal(self._seeds)
        self._seeds += np.uint64(self._number)
        if dealt.over.any():
            dealt = dealt.take(np.flatnonzero(~dealt.over))
        self._games, self._used = dealt, 0

    def renew(self, state: State) -> None:
        """Put fresh games where games have ended."""
        rows = np.flatnonzero(state.over)
        while len(rows):
            some = rows[: len(self._games) - self._used]
            end = self._used + len(some)
            state.put(some, self._games, slice(self._used, end))
            self._used, rows = end, rows[len(some) :]
            if self._used == len(self._games):
                self._deal()


def make_pool(game: Game[Any], seed: int) -> State:
    """Make games at all stages: each is played on at random for 0 to 255 plies.

    Args:
        game: The rules.
        seed: The seed of deals and choices.

    Returns:
        1,024 unfinished games.
    """
    seeds = mix(as_seeds(seed), np.arange(_POOL, dtype=np.uint64))
    stream = agent_stream(seeds, 0)
    stop = below(stream, _STAGES)
    supply = _Supply(game, _POOL, seed)
    state: State = game.deal(seeds)
    supply.renew(state)
    pool: State = state.copy()
    for plies in range(_STAGES):
        rows = np.flatnonzero(stop == plies)
        pool.put(rows, state.take(rows))
        game.step(state, game.packing.pick(game.legal(state), stream))
        supply.renew(state)
    return pool


def make_works(
    game: Game[Any], what: str, pool: State, batch: int, threads: int, seed: int
) -> list[Work]:
    """Share a batch among threads, each with states, random streams and fresh games of its own.

    Args:
        game: The rules, which all threads use.
        what: What to measure; see `chromazoo.benchmarks.throughput.measure`.
        pool: What `make_pool` returned.
        batch: Number of games at once, on all threads together.
        threads: Number of threads, at most `batch`.
        seed: The seed of deals and choices.

    Returns:
        The work of each thread.
    """
    shares = [batch // threads + (part < batch % threads) for part in range(threads)]
    return [
        _make_work(game, what, _turned(pool, part * len(pool) // threads), share, seed + 1 + part)
        for part, share in enumerate(shares)
    ]


def _turned(pool: State, first: int) -> State:
    """Let the rows of a pool begin with another one."""
    return pool.take(np.roll(np.arange(len(pool)), -first))


def _batches(pool: State, batch: int) -> list[State]:
    """Make batches of games at all stages: several, where one would not hold them all."""
    number = max(1, min(_SNAPSHOTS, len(pool) // batch))
    rows = np.arange(number * batch) % len(pool)
    return [pool.take(part) for part in np.split(rows, number)]


def _make_work(game: Game[Any], what: str, pool: State, batch: int, seed: int) -> Work:
    """Make the work of one thread."""
    seeds = mix(as_seeds(seed), np.arange(batch, dtype=np.uint64))
    stream = agent_stream(seeds, 0)
    if what == "deal":
        return _calls(batch, lambda: game.deal(seeds))
    if what == IN_STEP:
        fresh: State = game.deal(seeds)
        a_game = game.fixed_length or 1
        return _play(game, fresh, _Supply(game, batch, seed), stream, what, a_game)
    states = _batches(pool, batch)
    if what == "step":
        return _steps(game, states, stream)
    if what.startswith("play"):
        return _play(game, states[0], _Supply(game, batch, seed), stream, what)
    standing = cycle(states)
    mask, seen = _room(game, batch, what)
    asked: dict[str, Callable[[State], object]] = {
        "legal": game.legal,
        "mask": lambda state: game.action_mask(state, out=mask),
        "observe": lambda state: game.observe(state, out=seen),
        "redeal": lambda state: game.redeal(state, state.seat, seeds),
    }
    ask = asked[what]
    return _calls(batch, lambda: ask(next(standing)))


def _room(
    game: Game[Any], batch: int, what: str
) -> tuple[NDArray[np.bool_] | None, Observation | None]:
    """Make room for action masks (B, A) and observations (B, F), where they are asked for."""
    mask = np.empty((batch, game.num_actions), np.bool_) if "mask" in what else None
    seen = np.empty((batch, game.num_features), np.uint8) if "observe" in what else None
    return mask, seen


def _calls(batch: int, call: Callable[[], object]) -> Work:
    """Call something over and over."""

    def work(passes: int) -> tuple[int, float]:
        for _ in range(passes):
            call()
        return batch * passes, 0.0

    return work


def _steps(game: Game[Any], states: list[State], stream: Stream) -> Work:
    """Call `step` alone: each call takes one random legal action in a copy of standing games.

    Copying does not count. The copy is made just before the step, so that it lies in the cache as
    far as a state does in play.
    """
    standing = cycle([(state, game.packing.pick(game.legal(state), stream)) for state in states])

    def work(passes: int) -> tuple[int, float]:
        apart = 0.0
        for _ in range(passes):
            begin = time.perf_counter()
            state, actions = next(standing)
            copy = state.copy()
            apart += time.perf_counter() - begin
            game.step(copy, actions)
        return passes * len(states[0]), apart

    return work


def _play(
    game: Game[Any], state: State, supply: _Supply, stream: Stream, what: str, plies: int = 1
) -> Work:
    """Play at random, so many plies a pass; new games are dealt where games end."""
    legal, pick, step = game.legal, game.packing.pick, game.step
    mask, seen = _room(game, len(state), what)

    def work(passes: int) -> tuple[int, float]:
        for _ in range(passes * plies):
            if mask is not None:
                game.action_mask(state, out=mask)
            if seen is not None:
                game.observe(state, out=seen)
            step(state, pick(legal(state), stream))
            supply.renew(state)
        return passes * plies * len(state), 0.0

    return work
