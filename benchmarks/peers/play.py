"""The measure that all suites share: play for some seconds, count decisions."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, NamedTuple

RUNS = 5
WITHOUT = "play+mask"
WITH = "play+mask+observe"


class Tally(NamedTuple):
    """What some play amounted to.

    Attributes:
        decisions: Number of actions taken.
        choices: Number of legal actions at all of these decisions together.
        games: Number of games that ended.
    """

    decisions: int
    choices: int
    games: int


Play = Callable[[], Tally]  # plays on for some decisions


@dataclass(frozen=True)
class Peer:
    """A game of some suite, ready to play.

    Attributes:
        actions: Number of actions, the length of a mask.
        observation: Shape and dtype of one observation.
        plays: How to play on, `WITH` observations and, where the suite can, `WITHOUT`.
    """

    actions: int
    observation: str
    plays: Mapping[str, Play]


@dataclass(frozen=True)
class Found:
    """What was measured of a game.

    Attributes:
        batch: Number of games at once.
        per_second: Decisions a second: median of the runs; by `WITH` and `WITHOUT`.
        spread: Difference of the fastest and the slowest run, over the median; likewise.
        actions: Number of actions.
        choices: Mean number of legal actions at a decision.
        plies: Mean number of decisions in a game; None if none ended.
        observation: Shape and dtype of one observation.
    """

    batch: int
    per_second: dict[str, float]
    spread: dict[str, float]
    actions: int
    choices: float
    plies: float | None
    observation: str

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON types."""
        return asdict(self)


def measured(
    make: Callable[[str, int], Peer], game: str, batches: Sequence[int], seconds: float
) -> Found:
    """Measure a game at some batches, and keep the best.

    Args:
        make: Makes a game at a batch.
        game: Its name in its suite.
        batches: Numbers of games at once, the smallest first: it plays most games, so numbers of
            choices and plies are taken from it.
        seconds: How long each measurement lasts, with and without observations each.

    Returns:
        What was measured at the batch that is fastest with observations.
    """
    tried = [_at(make(game, batch), batch, seconds) for batch in batches]
    best = max(tried, key=lambda found: found.per_second[WITH])
    facts = {"choices": tried[0].choices, "plies": tried[0].plies}
    return Found(**(best.as_json() | facts))


def _at(peer: Peer, batch: int, seconds: float) -> Found:
    """Measure a game at one batch: a pass to warm up, then runs with and without in turn."""
    total = [play() for play in peer.plays.values()]
    rates: dict[str, list[float]] = {what: [] for what in peer.plays}
    for _ in range(RUNS):
        for what, play in peer.plays.items():
            tally, lasted = played(play, seconds / RUNS)
            rates[what].append(tally.decisions / lasted)
            total.append(tally)
    decisions, choices, games = map(sum, zip(*total, strict=True))
    return Found(
        batch=batch,
        per_second={what: median(rate) for what, rate in rates.items()},
        spread={what: spread(rate) for what, rate in rates.items()},
        actions=peer.actions,
        choices=choices / decisions,
        plies=decisions / games if games else None,
        observation=peer.observation,
    )


def played(
    play: Play, seconds: float, clock: Callable[[], float] = time.perf_counter
) -> tuple[Tally, float]:
    """Play on until some seconds have passed; return what was played and the seconds it took."""
    begin = clock()
    tallies = []
    while True:
        tallies.append(play())
        lasted = clock() - begin
        if lasted >= seconds:
            return Tally(*map(sum, zip(*tallies, strict=True))), lasted


def spread(rates: Sequence[float]) -> float:
    """Tell how far rates lie apart, over their median.

    >>> spread([90.0, 100.0, 120.0])
    0.3
    """
    return (max(rates) - min(rates)) / median(rates)


def shape_text(shape: Sequence[int], dtype: object) -> str:
    """Write shape and dtype of an array.

    >>> shape_text((8, 8, 111), "bool")
    '8×8×111 bool'
    """
    return f"{'×'.join(map(str, shape))} {dtype}"
