"""Ratings: strengths are found again, and intervals are honest."""

from itertools import permutations
from math import log10

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("scipy")

from chromazoo.agents.match import score_interval
from chromazoo.benchmarks import ratings
from chromazoo.benchmarks.arena import make_tables
from chromazoo.benchmarks.ratings import rate


def simulated(
    tables: NDArray[np.int64], elo: NDArray[np.float64], deals: int, seed: int
) -> NDArray[np.int64]:
    """Play games by Luce's model: who wins, int64 (deals, tables, places); a deal is N games."""
    rng = np.random.default_rng(seed)
    powers = 10 ** (elo[tables] / 400)
    chances = powers / powers.sum(axis=1, keepdims=True)
    drawn = [rng.multinomial(tables.shape[1], chance, size=deals) for chance in chances]
    return np.stack(drawn, axis=1)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_known_strengths_are_found_again(seats: int) -> None:
    elo = np.array([-210.0, -90.0, 0.0, 80.0, 220.0])
    tables = make_tables(5, seats)
    found = rate(tables, simulated(tables, elo, 6000, 1), 1, 5, seed=1)
    assert found.elo == pytest.approx(elo, abs=12)
    assert found.elo.mean() == pytest.approx(0, abs=1e-9)
    assert (found.low < found.elo).all()
    assert (found.elo < found.high).all()
    assert (found.high - found.low < 30).all()


def test_entrants_that_sit_twice_at_a_table_are_found_again() -> None:
    elo = np.array([-100.0, 0.0, 100.0])
    tables = make_tables(3, 4)
    found = rate(tables, simulated(tables, elo, 6000, 2), 1, 3, seed=1)
    assert found.elo == pytest.approx(elo, abs=12)


@pytest.mark.parametrize(("won", "lost"), [(700, 300), (1, 0), (1999, 1), (10_000_000, 0), (0, 7)])
def test_two_entrants_differ_by_their_odds(won: int, lost: int) -> None:
    wins = np.array([[[won, lost]]])
    found = rate(np.array([[0, 1]]), wins, 1, 2, seed=1)
    odds = (won + 0.5) / (lost + 0.5)  # half a win each of the virtual game
    assert found.elo[0] - found.elo[1] == pytest.approx(400 * log10(odds), abs=0.01)


def test_shared_wins_count_as_parts_of_wins() -> None:
    table = np.array([[0, 1, 2]])
    shared = np.array([[[3, 3, 0]], [[6, 0, 0]], [[0, 2, 4]], [[2, 2, 2]]])  # in sixths
    found = rate(table, shared, 6, 3, seed=1)
    whole = rate(table, np.array([[[11, 7, 6]]]), 6, 3, seed=1)
    assert found.elo == pytest.approx(whole.elo, abs=1e-6)
    even = rate(np.array([[0, 1]]), np.array([[[1, 1]]] * 9), 2, 2, seed=1)
    assert even.elo == pytest.approx([0, 0], abs=1e-6)


def test_the_order_of_entrants_does_not_matter() -> None:
    tables = make_tables(3, 2)
    wins = simulated(tables, np.array([0.0, 30.0, 60.0]), 200, 3)
    usual = rate(tables, wins, 1, 3, seed=1).elo
    for order in permutations(range(3)):
        moved = rate(np.array(order)[tables], wins, 1, 3, seed=1).elo
        assert moved[list(order)] == pytest.approx(usual, abs=1e-4)


def test_who_always_won_has_a_wide_interval() -> None:
    found = rate(np.array([[0, 1]]), np.array([[[2, 0]]] * 500), 1, 2, seed=1)
    gap, low, high = (2 * part[0] for part in (found.elo, found.low, found.high))
    assert np.isfinite([gap, low, high]).all()
    # Jeffreys' interval for 1000 wins of 1000 begins at a chance of 0.9975 to win.
    assert low == pytest.approx(400 * log10(0.9975 / 0.0025), abs=60)
    assert high > gap + 300


@pytest.mark.parametrize(
    ("wins", "above", "below"),
    [
        ([[9, 0], [9, 0], [9, 0]], [1, 1, 0], [0, 1, 1]),
        ([[9, 0], [9, 0], [8, 1]], [1, 0, 0], [0, 1, 1]),
        ([[9, 0], [8, 1], [9, 0]], [0, 0, 0], [0, 0, 0]),  # each behind somebody, in a circle
        ([[8, 1], [9, 0], [9, 0]], [1, 1, 0], [0, 0, 1]),
        ([[5, 4], [5, 4], [5, 4]], [0, 0, 0], [0, 0, 0]),
    ],
)
def test_where_games_set_no_bound(
    wins: list[list[int]], above: list[int], below: list[int]
) -> None:
    found = rate(make_tables(3, 2), np.array([wins]), 1, 3, seed=1)  # of 0-1, 0-2 and 1-2
    assert found.open_above.tolist() == [bool(side) for side in above]
    assert found.open_below.tolist() == [bool(side) for side in below]


def test_an_open_rating_grows_with_the_games_and_its_bound_less() -> None:
    tables = np.array([[0, 1]])
    few, many = (rate(tables, np.array([[[2, 0]]] * n), 1, 2, seed=1) for n in (50, 5000))
    assert 2 * few.elo[0] == pytest.approx(400 * log10(2 * 100 + 1), abs=0.01)
    assert many.elo[0] > few.elo[0] > few.low[0] > 0
    assert many.low[0] > few.low[0]


@pytest.mark.parametrize(("deals", "wins"), [(20, [1, 1]), (500, [1, 1]), (200, [3, 1])])
def test_deals_that_all_gave_the_same_are_as_uncertain_as_their_score(
    deals: int, wins: list[int]
) -> None:
    found = rate(np.array([[0, 1]]), np.array([[wins]] * deals), 1, 2, seed=1)
    _, low, high = score_interval([wins[0] / sum(wins)] * deals)
    wilson = [400 * log10(end / (1 - end)) for end in (low, high)]
    width = wilson[1] - wilson[0]
    assert 2 * found.low[0] == pytest.approx(wilson[0], abs=0.15 * width)
    assert 2 * found.high[0] == pytest.approx(wilson[1], abs=0.15 * width)


def test_one_deal_tells_hardly_anything() -> None:
    found = rate(np.array([[0, 1]]), np.array([[[1, 1]]]), 1, 2, seed=1)
    assert found.high[0] - found.low[0] > 400


def test_deals_that_gave_entrants_the_same_at_different_places_are_alike() -> None:
    table = np.array([[0, 0, 1, 1]])
    wins = np.array([[[2, 0, 1, 1]], [[1, 1, 0, 2]]] * 10)
    alike, apart = (rate(table, own, 1, 2, seed=1) for own in (wins, wins[:, :, [0, 2, 1, 3]]))
    assert (alike.high - alike.low > 120).all()
    assert (apart.high - apart.low < alike.high - alike.low).all()


def test_a_table_where_all_deals_are_alike_leaves_others_as_they_are() -> None:
    tables = make_tables(3, 2)  # of 0-1, 0-2 and 1-2
    varied = simulated(tables, np.array([0.0, 0.0, 100.0]), 400, 5)
    even = varied.copy()
    even[:, 0] = 1  # where the seat decides
    usual, found = (rate(tables, wins, 1, 3, seed=1) for wins in (varied, even))
    assert (found.high - found.low > 0.8 * (usual.high - usual.low)).all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "_redrawn", lambda wins, *others: wins)
        fixed = [rate(tables, wins, 1, 3, seed=1) for wins in (varied, even)]
    assert np.array_equal(fixed[0].low, usual.low), "nothing is drawn where deals vary"
    assert (fixed[1].high - fixed[1].low < found.high - found.low)[:2].all()


def test_intervals_hold_the_truth_often_enough() -> None:
    elo = np.array([-60.0, 0.0, 60.0])
    tables = make_tables(3, 2)
    held = np.zeros(3)
    for seed in range(20):
        found = rate(tables, simulated(tables, elo, 100, seed), 1, 3, seed)
        held += (found.low <= elo) & (elo <= found.high)
    # Of 60, each with a chance of 92%: fewer than 43 once in a million.
    assert held.sum() >= 43


def test_the_seed_fixes_the_intervals() -> None:
    tables = make_tables(3, 2)
    wins = simulated(tables, np.zeros(3), 50, 4)
    first, again, other = (rate(tables, wins, 1, 3, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.low, again.low)
    assert not np.array_equal(first.low, other.low)
    assert np.array_equal(first.elo, other.elo)
