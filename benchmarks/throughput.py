"""How fast games run: the rates of `chromazoo bench`.

Every rate is the median of some runs in a row; `spread` tells how far they lay apart. All work on
games at every stage: a pool of rows, each played on from its deal for a random number of plies.
"""

import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from chromazoo.envs.aec import AECFace, make_env
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import Stream, agent_stream, as_seeds, below, mix
from chromazoo.envs.state import State

WHATS = (
    "deal",
    "legal",
    "mask",
    "step",
    "observe",
    "redeal",
    "play",
    "play+mask",
    "play+mask+observe",
    "aec",
    "aec-raw",
)
BATCHES = (1, 64, 1024, 4096, 16384)
RUNS = 5
ENGINES = ("numpy",)
LARGEST = 2**18  # games in a batch
LONGEST = 3600  # seconds of one measurement

_POOL = 1024  # rows at all stages, from which every batch is made
_SUPPLY = int.from_bytes(b"supply", "little")
_AHEAD = 1024  # games dealt at once, for when games end
_STAGES = 256  # plies that a row of the pool is played on at most
_SNAPSHOTS = 16  # batches at different stages, where a batch is smaller than the pool

Work = Callable[[], tuple[int, float]]  # one pass: games or decisions done, and seconds it took


@dataclass(frozen=True)
class Rate:
    """One measured rate.

    Attributes:
        game: The game's name.
        config: All its options.
        engine: Which engine ran.
        threads: Number of threads.
        what: What was done; see `measure`.
        batch: Number of games at once.
        per_second: Median of the runs: games dealt, decisions asked about, or decisions taken.
        spread: Difference of the fastest and the slowest run, over the median.
    """

    game: str
    config: dict[str, Any]
    engine: str
    threads: int
    what: str
    batch: int
    per_second: float
    spread: float

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON types."""
        return asdict(self)


def machine() -> dict[str, Any]:
    """Describe this machine: processor, cores, system, versions of Python and numpy."""
    return {
        "cpu": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    """Name the processor."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def measure(
    game: Game[Any],
    whats: Sequence[str] = WHATS,
    batches: Sequence[int] = BATCHES,
    seconds: float = 1.0,
    runs: int = RUNS,
    seed: int = 0,
    engine: str = "numpy",
    threads: int = 1,
) -> Iterator[Rate]:
    """Measure how fast a game runs.

    `play` is whole random play from packed legal sets, with new games where games end, up to
    1,024 of them dealt at once, but no more than the batch holds;
    `play+mask` unpacks every action mask besides, `play+mask+observe` makes every observation too.
    `step` times `Game.step` alone. `legal`, `mask`, `observe` and `redeal` are asked of standing
    games; `legal` costs next to nothing where the engine keeps legal sets in the state, and shows
    up in `step`. `aec` and `aec-raw` time `step` and `last` of `env()` and `raw_env()`, one game
    at a time; choosing and `reset` are not timed.

    Args:
        game: The rules.
        whats: What to measure, of `WHATS`, in order.
        batches: Numbers of games at once, in order; of no concern to the AEC face.
        seconds: How long each measurement lasts.
        runs: Of how many runs the median is taken.
        seed: The seed of all deals and choices.
        engine: Which engine runs, of `ENGINES`.
        threads: On how many threads; the numpy engine has one.

    Yields:
        One rate at a time, `what` by `what`.

    Raises:
        InvalidConfig: something that cannot be measured.
    """
    _check(whats, batches, seconds, engine, threads)
    pool = _pool(game, seed)
    for what in whats:
        alone = what in ("aec", "aec-raw")
        for batch in (1,) if alone else batches:
            work = _face(game, what, seed) if alone else _work(game, what, pool, batch, seed)
            per_second, spread = _rate(work, seconds, runs)
            yield Rate(game.id, game.options, engine, threads, what, batch, per_second, spread)


def _check(
    whats: Sequence[str], batches: Sequence[int], seconds: float, engine: str, threads: int
) -> None:
    """Refuse what cannot be measured."""
    for what in whats:
        if what not in WHATS:
            raise InvalidConfig(f"cannot measure {what!r}, only {', '.join(WHATS)}")
    for batch in batches:
        if not 1 <= batch <= LARGEST:
            raise InvalidConfig(f"batches hold 1 to {LARGEST} games, not {batch}")
    if not 0 < seconds <= LONGEST:
        raise InvalidConfig(f"a measurement lasts up to {LONGEST} seconds, not {seconds}")
    if engine not in ENGINES:
        raise InvalidConfig(f"no engine {engine!r}; engines are {', '.join(ENGINES)}")
    if threads != 1:
        raise InvalidConfig(f"the {engine} engine runs on 1 thread, not {threads}")


def count(whats: Sequence[str], batches: Sequence[int]) -> int:
    """Tell how many rates `measure` yields."""
    alone = sum(what in ("aec", "aec-raw") for what in whats)
    return alone + (len(whats) - alone) * len(batches)


def _rate(work: Work, seconds: float, runs: int) -> tuple[float, float]:
    """Repeat work for some seconds in all; return the median rate of the runs and their spread."""
    work()
    rates = []
    for _ in range(runs):
        done, spent, end = 0, 0.0, time.perf_counter() + seconds / runs
        while True:
            units, lasted = work()
            done += units
            spent += lasted
            if time.perf_counter() >= end:
                break
        rates.append(done / spent)
    middle = median(rates)
    return middle, (max(rates) - min(rates)) / middle


class _Supply:
    """Deals fresh games, some ahead, as numpy deals many at once for little more than one."""

    def __init__(self, game: Game[Any], batch: int, seed: int) -> None:
        """Deal the first games: up to `_AHEAD` at once, but no more than are played at once."""
        self._game, self._number = game, min(batch, _AHEAD)
        self._seeds = mix(as_seeds(seed), _SUPPLY)  # other games than those to begin with
        self._deal()

    def _deal(self) -> None:
        """Deal the next games; those that end before they begin are left out."""
        numbers = np.arange(self._number, dtype=np.uint64)
        dealt: State = self._game.deal(mix(self._seeds, numbers))
        self._seeds += np.uint64(1)
        live = np.flatnonzero(~dealt.over)
        self._games, self._used = dealt if len(live) == len(dealt) else dealt.take(live), 0

    def renew(self, state: State) -> None:
        """Put fresh games where games have ended."""
        rows = np.flatnonzero(state.over)
        while len(rows):
            some = rows[: len(self._games) - self._used]
            end = self._used + len(some)
            state.put(some, self._games.take(slice(self._used, end)))
            self._used, rows = end, rows[len(some) :]
            if self._used == len(self._games):
                self._deal()


def _pool(game: Game[Any], seed: int) -> State:
    """Make games at all stages: each is played on at random for 0 to `_STAGES` - 1 plies."""
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


def _batches(pool: State, batch: int) -> list[State]:
    """Make batches of games at all stages: several, where one would not hold them all."""
    number = max(1, min(_SNAPSHOTS, len(pool) // batch))
    rows = np.arange(number * batch) % len(pool)
    return [pool.take(part) for part in np.split(rows, number)]


def _work(game: Game[Any], what: str, pool: State, batch: int, seed: int) -> Work:
    """Make one pass of what is measured on a batch of games."""
    seeds = mix(as_seeds(seed + 1), np.arange(batch, dtype=np.uint64))
    stream = agent_stream(seeds, 0)
    states = _batches(pool, batch)
    if what == "deal":
        return _timed(batch, lambda: game.deal(seeds))
    if what == "step":
        return _steps(game, states, stream)
    if what.startswith("play"):
        supply = _Supply(game, batch, seed + 1)
        return _play(game, states[0], supply, stream, "mask" in what, "observe" in what)
    standing = cycle(states)
    asked: dict[str, Callable[[State], object]] = {
        "legal": game.legal,
        "mask": game.action_mask,
        "observe": game.observe,
        "redeal": lambda state: game.redeal(state, state.seat, seeds),
    }
    ask = asked[what]
    return _timed(batch, lambda: ask(next(standing)))


def _timed(batch: int, work: Callable[[], object], passes: int = 8) -> Work:
    """Time some calls at once."""

    def run() -> tuple[int, float]:
        begin = time.perf_counter()
        for _ in range(passes):
            work()
        return batch * passes, time.perf_counter() - begin

    return run


def _steps(game: Game[Any], states: list[State], stream: Stream) -> Work:
    """Time `step` alone: each call takes one random legal action in a copy of standing games."""
    standing = cycle([(state, game.packing.pick(game.legal(state), stream)) for state in states])

    def run() -> tuple[int, float]:
        state, actions = next(standing)
        copy = state.copy()
        begin = time.perf_counter()
        game.step(copy, actions)
        return len(actions), time.perf_counter() - begin

    return run


def _play(
    game: Game[Any], state: State, supply: _Supply, stream: Stream, mask: bool, observe: bool
) -> Work:
    """Time whole random play; new games are dealt where games end."""
    legal, pick, step = game.legal, game.packing.pick, game.step

    def play() -> None:
        if mask:
            game.action_mask(state)
        if observe:
            game.observe(state)
        step(state, pick(legal(state), stream))
        if state.over.any():
            supply.renew(state)

    return _timed(len(state), play)


def _face(game: Game[Any], what: str, seed: int) -> Work:
    """Time `step` and `last` of the AEC face, decision by decision."""
    env = make_env(game) if what == "aec" else AECFace(game)
    stream = agent_stream(as_seeds(seed), 0)
    env.reset(seed=seed)

    def run() -> tuple[int, float]:
        while any(env.terminations.values()):
            env.reset()
        seen: Any = env.observe(env.agent_selection)
        legal = np.flatnonzero(seen["action_mask"])
        action = int(legal[below(stream, len(legal))[0]])
        begin = time.perf_counter()
        env.step(action)
        env.last()
        return 1, time.perf_counter() - begin

    return run
