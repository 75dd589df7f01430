"""What an arena found: scores, the cross table and ratings, with 95% intervals."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from chromazoo.agents.match import score_interval
from chromazoo.benchmarks.arena import Results, Tournament
from chromazoo.benchmarks.bootstrap import generator, interval, resampled_means
from chromazoo.benchmarks.ratings import Ratings, rate

RESAMPLES = 1000


class Estimates(NamedTuple):
    """Some means with their 95% intervals; NaN where there were no games.

    Attributes:
        mean: float64, the means.
        low: float64, the lower ends.
        high: float64, the upper ends.
    """

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True)
class Report:
    """What has been found.

    Attributes:
        tournament: Who met whom.
        results: All games, from deal 0 on.
        score: (K,), each entrant's mean share of the win.
        table: (K, K), the mean share of the row's entrant in games where the column's sits too; NaN
            on the diagonal.
        ratings: Elo.
    """

    tournament: Tournament
    results: Results
    score: Estimates
    table: Estimates
    ratings: Ratings

    @property
    def games(self) -> int:
        """How many games were played, counted as `Tournament.games` is."""
        return self.results.end * (self.tournament.games // self.tournament.deals)

    def open_side(self, row: int) -> str | None:
        """Tell on which side the games set no bound to the rating of an entrant.

        Returns:
            `above`, `below`, `both` or None; see `Ratings`.
        """
        above, below = self.ratings.open_above[row], self.ratings.open_below[row]
        if above and below:
            return "both"
        return "above" if above else "below" if below else None

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON types.

        Returns:
            `agents` (names, one a row), `games` (of each pair at games of two seats, else in all),
            `table`, `table_low`, `table_high` (row i, column j: the mean score of i in games where
            j sits too; null on the diagonal), `score` and `rating` (one entry a row; `open` as
            `open_side` tells it), `truncated` (how many games), `finished` (false after an
            interruption), `games_in_all`, `deals`, `seconds` (of playing), and `game`, `config`,
            `seed`, `max_plies`.
        """
        own, names = self.tournament, self.tournament.names
        return {
            "agents": list(names),
            "games": self.games,
            "table": _nested(self.table.mean),
            "table_low": _nested(self.table.low),
            "table_high": _nested(self.table.high),
            "score": _entries(
                names, mean=self.score.mean, low=self.score.low, high=self.score.high
            ),
            "rating": [
                row | {"open": self.open_side(number)}
                for number, row in enumerate(
                    _entries(
                        names, elo=self.ratings.elo, low=self.ratings.low, high=self.ratings.high
                    )
                )
            ],
            "truncated": int(self.results.truncated.sum()),
            "finished": self.results.end == own.deals,
            "games_in_all": int(self.results.plies.size),
            "deals": self.results.end,
            "seconds": round(self.results.seconds, 3),
            "game": own.game.id,
            "config": own.game.options,
            "seed": own.seed,
            "max_plies": own.max_plies,
        }


def estimate_scores(tournament: Tournament, results: Results) -> tuple[Estimates, Estimates]:
    """Estimate scores and the cross table.

    Intervals are percentile intervals of a bootstrap over deals: all games of a deal go together,
    as they share its luck. Where every deal gave the same score, resampling would take it for
    certain; there it is the score interval of Wilson, over so many deals. With few deals, below
    some twenty, intervals are too narrow.

    Args:
        tournament: Who met whom.
        results: All games from deal 0 on.

    Returns:
        The scores (K,), and the cross table (K, K); see `Report`.
    """
    return _estimates(tournament, tournament.wins(results))


def _estimates(tournament: Tournament, wins: NDArray[np.int64]) -> tuple[Estimates, Estimates]:
    """Estimate scores and the cross table from what places won, (deals, tables, places)."""
    entrants = len(tournament.names)
    adds = _adds(tournament.tables, entrants)
    sums = wins.reshape(len(wins), -1) @ adds  # (deals, scores)
    most = adds.sum(axis=0) * tournament.game.num_seats * tournament.unit
    found = _estimate(sums, most, tournament.seed)
    return (
        Estimates(*(part[:entrants] for part in found)),
        Estimates(*(part[entrants:].reshape(entrants, entrants) for part in found)),
    )


def summarise(tournament: Tournament, results: Results) -> Report:
    """Work out scores, the cross table and ratings.

    Args:
        tournament: Who met whom.
        results: All games from deal 0 on; the tournament need not be finished.

    Returns:
        The report, the same for the same results.
    """
    wins = tournament.wins(results)
    score, table = _estimates(tournament, wins)
    ratings = rate(tournament.tables, wins, tournament.unit, len(tournament.names), tournament.seed)
    return Report(tournament, results, score, table, ratings)


def _adds(tables: NDArray[np.int64], entrants: int) -> Any:
    """Tell which places count for which scores.

    Args:
        tables: int64 (T, N), the entrant at each place.
        entrants: How many there are, K.

    Returns:
        A sparse matrix of 0 and 1: int64 (T N, K + K K), a row for each place, a column for the
        score of each entrant, and one for each cell of the cross table, row by row.
    """
    table, other = np.nonzero((tables[:, :, None] == np.arange(entrants)).any(axis=1))
    rows, columns = [np.arange(tables.size)], [tables.ravel()]
    for place in range(tables.shape[1]):
        own = tables[table, place]
        meets = own != other
        rows.append((table * tables.shape[1] + place)[meets])
        columns.append((entrants + own * entrants + other)[meets])
    at = np.concatenate(rows), np.concatenate(columns)
    shape = (tables.size, entrants + entrants**2)
    return csr_array((np.ones(len(at[0]), np.int64), at), shape=shape)


def _estimate(sums: NDArray[np.integer], most: NDArray[np.integer], seed: int) -> Estimates:
    """Estimate scores: what each deal gave, (deals, scores), of the most it could give, (scores,).

    The most is 0 where there are no games.
    """
    played = most > 0
    whole = np.where(played, most, 1)
    samples = np.concatenate([*resampled_means(sums, RESAMPLES, generator(seed, b"scores"))])
    low, high = (end / whole for end in interval(samples))
    mean = sums.mean(axis=0) / whole
    for number in np.flatnonzero((sums == sums[0]).all(axis=0)):
        _, low[number], high[number] = score_interval(np.full(len(sums), mean[number]))
    none = np.where(played, 0.0, np.nan)
    return Estimates(mean + none, np.minimum(low, mean) + none, np.maximum(high, mean) + none)


def _nested(table: NDArray[np.float64]) -> list[list[float | None]]:
    """Return a table as lists, None for NaN."""
    return [[None if np.isnan(value) else float(value) for value in row] for row in table]


def _entries(names: tuple[str, ...], **columns: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Return one dictionary an entrant."""
    return [
        {"agent": name} | {key: float(column[row]) for key, column in columns.items()}
        for row, name in enumerate(names)
    ]
