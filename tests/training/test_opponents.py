"""The pool of opponents: which snapshots it keeps, and how often it draws them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chromazoo.agents.match import win_share
from chromazoo.agents.network import build_network
from chromazoo.training.opponents import OpponentPool, least_missed
from chromazoo.training.selfplay import SelfPlayVecEnv
from chromazoo.training.settings import OpponentSettings
from tests.games import EXAMPLES
from tests.training.test_selfplay import FirstAgent, choice

HALF_LIFE = 1000


def pool_of(number: int, game: str = "baby", **settings: Any) -> OpponentPool:
    """A pool with snapshots of 0, 100, 200... steps."""
    network = build_network(EXAMPLES[game], {"kind": "mlp", "width": 4, "depth": 1})
    chosen = OpponentSettings(max_snapshots=8, half_life=HALF_LIFE, **settings)
    pool = OpponentPool(EXAMPLES[game], network, chosen)
    for place in range(1, number):
        pool.add_snapshot(100 * place)
    return pool


def results(pool: OpponentPool, games: int, scores: list[float]) -> NDArray[np.float64]:
    """Tallies of games of two against all snapshots, and none against others."""
    tallies = np.zeros((len(pool.agents), 4))
    tallies[-len(scores) :, 0] = games
    tallies[-len(scores) :, 1] = games * (2 * np.array(scores) - 1)
    tallies[-len(scores) :, 2] = -tallies[-len(scores) :, 1]
    return tallies


def test_those_that_beat_the_learner_come_more_often() -> None:
    pool = pool_of(3, snapshots=0.5, even=0.3, priority=2.0)
    assert pool.names == ["random", "heuristic", "current", *["snapshots"] * 3]
    assert pool.weights == pytest.approx([0.05, 0.1, 0.6, *[0.5 / 3] * 3])
    pool.record(results(pool, 10_000, [0.9, 0.5, 0.2]), steps=1)
    assert pool.snapshot_scores == pytest.approx([0.9, 0.5, 0.2], abs=2e-3)
    squares = np.array([0.01, 0.25, 0.64])
    wanted = 0.5 * (0.7 * squares / squares.sum() + 0.1)
    assert pool.weights == pytest.approx([0.05, 0.1, 0.6, *wanted], abs=2e-3)


@pytest.mark.parametrize("priority", [0.0, 1.0, 100.0])
@pytest.mark.parametrize("even", [0.0, 0.2, 1.0])
def test_priorities_of_any_settings(priority: float, even: float) -> None:
    pool = pool_of(4, even=even, priority=priority)
    for games, scores in ((5, [0, 1, 1, 0.5]), (10**9, [1, 1, 1, 1]), (10**9, [0.99, 1, 0, 1])):
        pool.record(results(pool, games, scores), steps=1)
        shares = pool.priorities
        assert np.isfinite(shares).all()
        assert shares.sum() == pytest.approx(1)
        assert (shares >= even / 4 - 1e-12).all()
        if priority == 0 or even == 1:
            assert shares == pytest.approx(0.25)
        else:
            assert (np.diff(shares[np.argsort(pool.snapshot_scores)]) <= 0).all()
            assert shares.max() > shares.min()


def test_what_was_long_ago_is_forgotten() -> None:
    pool = pool_of(1)
    pool.record(results(pool, 100, [1.0]), steps=1)
    assert pool.snapshot_scores == pytest.approx(110 / 120)
    nothing = np.zeros((len(pool.agents), 4))
    pool.record(nothing, steps=HALF_LIFE)
    assert pool.snapshot_scores == pytest.approx(60 / 70)
    pool.record(nothing, steps=50 * HALF_LIFE)
    assert pool.snapshot_scores == pytest.approx(0.5)


def test_a_snapshot_in_the_place_of_another_begins_anew() -> None:
    pool = pool_of(8)
    pool.record(results(pool, 100, [0.9] * 8), steps=1)
    pool.add_snapshot(800)
    assert pool.snapshot_steps == [800, 100, 200, 300, 400, 500, 600, 700]
    assert pool.snapshot_scores == pytest.approx([0.5, *[100 / 120] * 7])


@pytest.mark.parametrize("name", ["baby", "tiny"])
def test_scores_are_shares_of_the_win_head_to_head(name: str) -> None:
    """Also at tables of three, where two strangers meet the learner."""
    game = EXAMPLES[name]
    pool = pool_of(2, name)
    agents = [FirstAgent(), *pool.agents[1:]]
    env = SelfPlayVecEnv(game, 60, agents, seed=3)
    env.reset()
    points, games = np.zeros(len(agents)), np.zeros(len(agents))
    for time in range(60):
        seated, learner = env.games._opponents.copy(), env.games.learner.copy()
        env.games.step(choice(env.action_masks(), time))
        while len(rows := env.games.settle()):
            shares = win_share(env.games.state.rewards[rows])
            for share, row in zip(shares, rows, strict=True):
                for seat, player in enumerate(seated[row]):
                    if player >= 0:
                        points[player] += (1 + share[learner[row]] - share[seat]) / 2
                        games[player] += 1
            env.games.deal(rows)
            seated, learner = env.games._opponents.copy(), env.games.learner.copy()
        env._look()
    assert games.all()
    row = pool.record(env.tallies(), steps=1)
    kinds = np.array(pool.names)
    for kind in dict.fromkeys(pool.names):
        mean = points[kinds == kind].sum() / games[kinds == kind].sum()
        assert row[f"score_against_{kind}"] == pytest.approx(mean)
    estimated = (points[-2:] + 10) / (games[-2:] + 20)
    assert [row["score_against_snapshot_1"], row["score_against_snapshot_2"]] == pytest.approx(
        estimated
    )
    assert (row["steps_of_snapshot_1"], row["steps_of_snapshot_2"]) == (0, 100)


@given(st.integers(1, 12), st.integers(1, 300), st.integers(1, 50))
def test_kept_snapshots_lie_evenly_over_the_whole_run(most: int, number: int, every: int) -> None:
    kept = [0]
    for steps in range(every, every * (number + 1), every):
        if len(kept) < most:
            kept.append(steps)
        else:
            kept[least_missed(kept, steps)] = steps
        assert steps in kept
    gaps = np.diff([0, *sorted(kept)]) if number >= most else np.diff(sorted(kept))
    assert len(set(kept)) == min(most, number + 1)
    if number > most > 1:
        assert gaps.max() <= 4 * number * every / most
        assert min(kept) > 0


def test_every_seat_draws_an_opponent_of_its_own() -> None:
    """So tables of more than two players are mixed."""
    weights = np.array([0.5, 0.2, 0.3])
    env = SelfPlayVecEnv(EXAMPLES["tiny"], 20_000, [FirstAgent()] * 3, weights.tolist(), seed=9)
    env.reset()
    others = env.games._opponents
    pairs = others[others >= 0].reshape(-1, 2)
    shares = np.bincount(3 * pairs[:, 0] + pairs[:, 1], minlength=9) / len(pairs)
    assert shares == pytest.approx(np.outer(weights, weights).ravel(), abs=0.015)
