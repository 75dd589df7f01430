import numpy as np
import pytest

from chromazoo.agents import RandomAgent, decide
from chromazoo.agents.kroma import KromaHeuristic
from chromazoo.agents.match import evaluate
from chromazoo.envs import kroma_v0
from chromazoo.envs.randomness import as_seeds
from tests.agents.positions import (
    check_decides_alike_alone,
    check_wins_at_once,
    last_chances,
    under_way,
)

VARIANTS = [
    {"size": "standard"},
    {"size": "standard", "influence": "reversed", "symmetry": "flipped", "leap": False},
    {"size": "basic", "influence": "public", "setup": "advanced"},
    {"size": "baby", "piece_rows": 1, "random": True},
]


def test_heuristic_beats_random_on_the_standard_board() -> None:
    game = kroma_v0.Game()
    random = {"random": RandomAgent()}
    found = evaluate(game, KromaHeuristic(game), random, games=2000, seed=1)["random"]
    assert found["games"] == 2000
    assert found["low"] > 0.99  # 0.998 measured


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_heuristic_wins_at_once_where_it_can(options: dict[str, object]) -> None:
    game = kroma_v0.Game(**options)
    state = last_chances(game, 200)
    assert len(state) > 0
    check_wins_at_once(KromaHeuristic(game), game, state)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_heuristic_decides_alike_alone_and_in_a_batch(options: dict[str, object]) -> None:
    game = kroma_v0.Game(**options)
    check_decides_alike_alone(KromaHeuristic(game), game, under_way(game, 60))


def test_heuristic_breaks_ties_evenly() -> None:
    game = kroma_v0.Game(size="baby")
    games = 4000
    first = decide(KromaHeuristic(game), game, game.deal(range(games)), as_seeds(range(games)))
    counts = np.unique(first, return_counts=True)[1]  # the first drop: L:purple or L:yellow
    assert len(counts) == 2
    assert abs(counts - games / 2).max() < 5 * np.sqrt(games / 4)
