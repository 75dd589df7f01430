"""How fast games run: the rates of `chromazoo bench`.

Every rate is the median of some runs; `spread` tells how far they lay apart. Runs go round: all
rates once, then all once more. So a machine that is slow for a while slows no rate alone, and shows
in the spread. What is done is told in `workloads.py` (batches) and `single_game.py` (the AEC face),
how it is timed in `clock.py`.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from chromazoo.benchmarks.clock import fitting, run
from chromazoo.benchmarks.numpy_calls import numpy_calls
from chromazoo.benchmarks.single_game import FACES, time_face
from chromazoo.benchmarks.workloads import IN_STEP, make_pool, make_works
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.game import Game
from chromazoo.envs.state import State

WHATS = (
    "deal",
    "legal",
    "mask",
    "step",
    "observe",
    "redeal",
    "play",
    IN_STEP,
    "play+mask",
    "play+mask+observe",
    *FACES,
)
BATCHES = (1, 16, 64, 256, 1024, 4096, 16384)
RUNS = 5
SECONDS = 0.6  # of a measurement: a game has some 70 of them and takes about a minute
LARGEST = 2**18  # games in a batch
LONGEST = 3600  # seconds of one measurement
MOST_THREADS = 256
SUITE: dict[str, tuple[dict[str, Any], ...]] = {
    "kroma": ({"size": "standard"}, {"size": "basic"}, {"size": "baby"}),
    "chroma": ({"num_players": 2}, {"num_players": 4}),
    "guardians": ({"num_players": 2}, {"num_players": 4}),
}
"""The main configurations of each game, the default one first."""


class Key(NamedTuple):
    """What a measurement is known by: equal keys measure the same.

    Attributes:
        game: The game's name.
        config: All its options, as JSON.
        engine: Which engine runs.
        threads: Number of threads.
        what: What is done; see `measure`.
        batch: Number of games at once.
    """

    game: str
    config: str
    engine: str
    threads: int
    what: str
    batch: int


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
        per_second: Median of the runs, in units a second.
        spread: Difference of the fastest and the slowest run, over the median.
        unit: `games`, or `decisions` (taken, or asked about).
        slowest: The rate of the slowest run.
        fastest: The rate of the fastest run.
        bytes_per_game: Bytes of a state, a game.
        microseconds: Of a decision in the AEC face: the mean over whole games, of the run of which
            `per_second` is the rate.
        p99_microseconds: The same, 99th percentile of the decisions of all runs.
        numpy_calls: The same, numpy calls; see `chromazoo.benchmarks.numpy_calls`.
    """

    game: str
    config: dict[str, Any]
    engine: str
    threads: int
    what: str
    batch: int
    per_second: float
    spread: float
    unit: str
    slowest: float
    fastest: float
    bytes_per_game: float
    microseconds: float | None = None
    p99_microseconds: float | None = None
    numpy_calls: float | None = None

    @property
    def key(self) -> Key:
        """What it measures."""
        config = config_text(self.config)
        return Key(self.game, config, self.engine, self.threads, self.what, self.batch)

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON types; what it does not have is left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def config_text(config: dict[str, Any]) -> str:
    """Write the options of a game so that equal options are equal texts."""
    return json.dumps(config, sort_keys=True)


def plan(
    game: Game[Any],
    whats: Sequence[str] = WHATS,
    batches: Sequence[int] = BATCHES,
    threads: int = 1,
) -> list[Key]:
    """Tell what `measure` measures, in order.

    Args:
        game: The rules.
        whats: What to measure, of `WHATS`; `play in step` is left out where games differ in length.
        batches: Numbers of games at once; of no concern to the AEC face.
        threads: Number of threads; fewer where a batch has not so many games, or only one.

    Returns:
        The key of each measurement.

    Raises:
        InvalidConfig: something that cannot be measured.
    """
    for what in whats:
        if what not in WHATS:
            raise InvalidConfig(f"cannot measure {what!r}, only {', '.join(WHATS)}")
    for batch in batches:
        if not 1 <= batch <= LARGEST:
            raise InvalidConfig(f"batches hold 1 to {LARGEST} games, not {batch}")
    if not 1 <= threads <= MOST_THREADS:
        raise InvalidConfig(f"there can be 1 to {MOST_THREADS} threads, not {threads}")
    config, engine = config_text(game.options), game.engine
    return [
        Key(game.id, config, engine, min(threads, batch), what, batch)
        for what in whats
        if what != IN_STEP or game.fixed_length is not None
        for batch in ((1,) if what in FACES else batches)
    ]


@dataclass
class _Measurement:
    """A measurement under way.

    Attributes:
        key: What is measured.
        passes: Passes of a run; found in the first.
        rates: Units a second of each run so far.
        lasted: Seconds of each decision in the AEC face.
    """

    key: Key
    passes: int = 0
    rates: list[float] = field(default_factory=list)
    lasted: list[float] = field(default_factory=list)

    def run_batch(self, game: Game[Any], pool: State, seconds: float, seed: int) -> None:
        """Do a run on a batch."""
        key = self.key
        works = make_works(game, key.what, pool, key.batch, key.threads, seed)
        if self.passes:
            run(works, 1)  # fills caches
        else:
            self.passes = fitting(works, seconds)
        done = run(works, self.passes)
        self.rates.append(done.units / done.seconds)

    def run_face(self, game: Game[Any], seconds: float, seed: int) -> None:
        """Do a run in the AEC face."""
        lasted = time_face(game, self.key.what, seconds, seed)
        self.rates.append(len(lasted) / sum(lasted))
        self.lasted += lasted


def measure(
    game: Game[Any],
    whats: Sequence[str] = WHATS,
    batches: Sequence[int] = BATCHES,
    seconds: float = SECONDS,
    runs: int = RUNS,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> list[Rate]:
    """Measure how fast a game runs.

    `play` is whole random play from packed legal sets, of games at every stage, with new games
    where games end, up to 2,048 of them dealt at once, but no more than the batch holds; `play in
    step` is the same with all games at the same stage;
    `play+mask` unpacks every action mask besides, `play+mask+observe` makes every observation too.
    `step` times `Game.step` alone. `legal`, `mask`, `observe` and `redeal` are asked of standing
    games; `legal` costs next to nothing where the engine keeps legal sets in the state, and shows
    up in `step`. `aec` and `aec-raw` time `step` and `last` of `env()` and `raw_env()`, one game
    at a time; choosing and `reset` are not timed.

    Every thread has its share of the batch. A rate is what all of them did over the time from their
    common start until the last was done.

    Args:
        game: The rules.
        whats: What to measure, of `WHATS`, in order; see `plan`.
        batches: Numbers of games at once, in order.
        seconds: How long all runs of a measurement last together, about.
        runs: Of how many runs the median is taken.
        seed: The seed of all deals and choices.
        threads: On how many threads.
        progress: Called with 1 after each run.

    Returns:
        The rates, as `plan` tells.

    Raises:
        InvalidConfig: something that cannot be measured.
    """
    measurements = [_Measurement(key) for key in plan(game, whats, batches, threads)]
    if not 0 < seconds <= LONGEST:
        raise InvalidConfig(f"a measurement lasts up to {LONGEST} seconds, not {seconds}")
    pool = make_pool(game, seed)
    calls = numpy_calls(game, seed) if {*whats} & {*FACES} else {}
    for number in range(runs):
        for one in measurements:
            if one.key.what in FACES:
                one.run_face(game, seconds / runs, seed + number)
            else:
                one.run_batch(game, pool, seconds / runs, seed)
            if progress is not None:
                progress(1)
    return [_rate(game, pool, one, calls.get(one.key.what)) for one in measurements]


def _rate(game: Game[Any], pool: State, done: _Measurement, calls: float | None) -> Rate:
    """Sum up the runs of a measurement."""
    key, middle = done.key, median(done.rates)
    lasted = done.lasted
    return Rate(
        game=game.id,
        config=game.options,
        engine=key.engine,
        threads=key.threads,
        what=key.what,
        batch=key.batch,
        per_second=middle,
        spread=(max(done.rates) - min(done.rates)) / middle,
        unit="games" if key.what in ("deal", "redeal") else "decisions",
        slowest=min(done.rates),
        fastest=max(done.rates),
        bytes_per_game=pool.nbytes / len(pool),
        microseconds=1e6 / middle if lasted else None,
        p99_microseconds=1e6 * float(np.percentile(lasted, 99)) if lasted else None,
        numpy_calls=calls,
    )
