"""Ratings: how strong the entrants of an arena are, on the scale of Elo.

The model is Luce's (Individual Choice Behavior, 1959), for two seats that of Bradley and Terry
("Rank analysis of incomplete block designs", Biometrika 39, 1952): the chance that a seat has the
win is exp(theta) / sum of exp(theta) over the table, theta being the strength of whoever sits
there. A win that is shared counts as parts of wins. Strengths are those of highest likelihood.

Every two entrants have met once more than they did and shared that win, half a win each, so that
nobody is infinitely strong. That game counts nothing among thousands, except where one always won:
there no rating is the likeliest, as the likelihood grows for ever with the distance (Ford,
"Solution of a ranking problem from binary comparisons", American Mathematical Monthly 64, 1957),
and the distance that is told, 400 lg(2 n + 1) after n games between two, grows with n. All that
such games tell is a bound, the end of the interval on this side; `Ratings` says where that is so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse.csgraph import shortest_path

from chromazoo.benchmarks.bootstrap import generator, interval, resampled_means

REFITS = 200
_ELO = 400 / log(10)  # of one unit of strength
_VIRTUAL = 0.5  # wins of either side in the game that two entrants are taken to have shared
_LEAST = 1e-4  # below 2.5% of the draws from Gamma(1/2)


@dataclass(frozen=True)
class Ratings:
    """Ratings of K entrants, whose mean is 0.

    Attributes:
        elo: float64 (K,), the ratings: 400 more is ten times the chance to win.
        low: float64 (K,), the lower ends of their 95% intervals.
        high: float64 (K,), the upper ends.
        open_above: bool (K,), whether the games set no upper bound, as somebody never won so much
            as a part of a win against this entrant and those who won against it, in turn. Then
            `elo` and `high` rest on the virtual games, and `low` alone on those that were played.
        open_below: bool (K,), the same of lower bounds.
    """

    elo: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    open_above: NDArray[np.bool_]
    open_below: NDArray[np.bool_]


def rate(
    tables: NDArray[np.int64], wins: NDArray[np.integer], unit: int, entrants: int, seed: int
) -> Ratings:
    """Rate entrants by what they won at tables.

    Intervals come from refits to resampled deals. In each refit the half wins of the virtual games
    are drawn anew, each from Gamma(1/2): so the chance of a win between two that met n times is
    drawn as from its posterior under Jeffreys' prior, Beta(1/2, 1/2). Deals alone would give no
    interval at all where one side won every game.

    They would give none either where every deal gave a table the same and the win was shared out,
    as where the seat decides. There the parts of the win are drawn as if each deal had one winner
    by these chances, which is the most that a deal can vary, and what the intervals of scores take
    it for there: in each refit they are Dirichlet, of as many observations as there are deals.

    Args:
        tables: int64 (T, N), the entrant at each place of each table.
        wins: Integers (D, T, N), by deal and table: what each place won, in units.
        unit: How many units make a win.
        entrants: How many there are, K.
        seed: The seed of the intervals.

    Returns:
        The ratings.
    """
    deals = len(wins)
    total = wins.sum(axis=0) / unit  # (tables, places)
    pairs = np.stack(np.triu_indices(entrants, k=1), axis=1)
    even = np.full(pairs.shape, _VIRTUAL)
    best = _fit(tables, total, pairs, even, np.zeros(entrants))
    rng, others = generator(seed, b"ratings"), generator(seed, b"alike")
    alike = _alike(tables, wins)
    refits = []
    for means in resampled_means(wins.reshape(deals, -1), REFITS, rng):
        for mean in means:
            prior = rng.gamma(0.5, size=pairs.shape).clip(min=_LEAST)
            won = mean.reshape(total.shape) * (deals / unit)
            won[alike] = _redrawn(total[alike], deals, others)
            refits.append(_fit(tables, won, pairs, prior, best))
    low, high = interval(np.stack(refits))
    above = _unreached(tables, total, entrants)
    return Ratings(
        _ELO * best,
        _ELO * np.minimum(low, best),
        _ELO * np.maximum(high, best),
        np.asarray(above.any(axis=1)),
        np.asarray(above.any(axis=0)),
    )


def _alike(tables: NDArray[np.int64], wins: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Tell at which tables all deals gave each entrant the same, and none of them all.

    Args:
        tables: int64 (T, N), the entrant at each place of each table.
        wins: Integers (D, T, N), by deal and table: what each place won.

    Returns:
        bool (T,).
    """
    own = tables[:, :, None] == tables[:, None, :]  # (tables, places, places), of one entrant
    first = (own @ wins[0, :, :, None])[..., 0]
    alike: NDArray[np.bool_] = first.max(axis=1) < wins[0].sum(axis=1)
    for table in np.flatnonzero(alike):
        alike[table] = (wins[:, table] @ own[table] == first[table]).all()
    return alike


def _redrawn(
    wins: NDArray[np.float64], deals: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw what places won anew, (tables, places), in as many wins, as the deals let it vary."""
    games = wins.sum(axis=1, keepdims=True)
    parts = rng.gamma(deals * wins / games)
    drawn: NDArray[np.float64] = parts / parts.sum(axis=1, keepdims=True) * games
    return drawn


def _unreached(
    tables: NDArray[np.int64], wins: NDArray[np.float64], entrants: int
) -> NDArray[np.bool_]:
    """Tell who is above whom without a bound, as no chain of wins leads from below to above.

    Args:
        tables: int64 (T, N), the entrant at each place of each table.
        wins: float64 (T, N), what each place won.
        entrants: How many there are, K.

    Returns:
        bool (K, K): whether the row's entrant is above the column's.
    """
    won = np.zeros((entrants, entrants), np.bool_)  # by the row's where the column's sat, too
    table, place = np.nonzero(wins > 0)
    won[tables[table, place][:, None], tables[table]] = True
    reached = np.isfinite(shortest_path(won, unweighted=True))
    above: NDArray[np.bool_] = reached & ~reached.T
    return above


def _fit(
    tables: NDArray[np.int64],
    wins: NDArray[np.float64],
    pairs: NDArray[np.int64],
    virtual: NDArray[np.float64],
    start: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Find the strengths of highest likelihood, with mean 0.

    `tables` (T, N) goes with `wins` (T, N), `pairs` (P, 2) with `virtual` (P, 2).
    """
    parts = (_Part(tables, wins, len(start)), _Part(pairs, virtual, len(start)))
    games = sum(part.games.sum() for part in parts)

    def loss(strength: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        values, slopes = zip(*(part.loss(strength) for part in parts), strict=True)
        middle = strength.mean()  # nothing but this term decides where the mean lies
        return sum(values) / games + middle**2, sum(slopes) / games + 2 * middle / len(strength)

    def bend(strength: NDArray[np.float64]) -> NDArray[np.float64]:
        whole = sum(part.bend(strength) for part in parts) / games
        return np.asarray(whole + 2 / len(strength) ** 2, np.float64)

    found: NDArray[np.float64] = minimize(
        loss, start, jac=True, hess=bend, method="trust-exact", options={"gtol": 1e-8}
    ).x
    return _polished(found, lambda at: loss(at)[1], bend)


def _polished(
    strength: NDArray[np.float64],
    slope: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    bend: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Take Newton's last steps, for which the loss is too flat to be compared."""
    for _ in range(4):
        strength = strength - np.linalg.solve(bend(strength), slope(strength))
    middled: NDArray[np.float64] = strength - strength.mean()
    return middled


class _Part:
    """The likelihood of what was won at some tables."""

    def __init__(self, tables: NDArray[np.int64], wins: NDArray[np.float64], entrants: int) -> None:
        self.tables, self.entrants = tables, entrants
        self.games = wins.sum(axis=1)  # (tables,)
        self.won = self._by_entrant(wins)

    def loss(self, strength: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return minus the logarithm of the likelihood, and its gradient."""
        places = strength[self.tables]  # (tables, places)
        top = places.max(axis=1, keepdims=True)
        powers = np.exp(places - top)
        sums = powers.sum(axis=1, keepdims=True)
        logs = (np.log(sums) + top)[:, 0]
        expected = self._by_entrant(powers / sums * self.games[:, None])
        return float(self.games @ logs - self.won @ strength), expected - self.won

    def bend(self, strength: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix of second derivatives."""
        places = strength[self.tables]
        powers = np.exp(places - places.max(axis=1, keepdims=True))
        chances = powers / powers.sum(axis=1, keepdims=True)  # (tables, places)
        both = chances[:, :, None] * chances[:, None, :] * self.games[:, None, None]
        matrix = np.zeros((self.entrants, self.entrants))
        np.subtract.at(matrix, (self.tables[:, :, None], self.tables[:, None, :]), both)
        own = self._by_entrant(chances * self.games[:, None])
        matrix[np.diag_indices(self.entrants)] += own
        return matrix

    def _by_entrant(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up values (tables, places) by entrant."""
        sums: NDArray[np.float64] = np.bincount(
            self.tables.ravel(), values.ravel(), minlength=self.entrants
        )  # type: ignore[assignment]  # of weights, not a count
        return sums
