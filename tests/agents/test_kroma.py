import numpy as np
import pytest

from chromazoo.agents import RandomAgent, decide
from chromazoo.agents.kroma import KromaHeuristic
from chromazoo.agents.match import evaluate
from chromazoo.envs import kroma_v0
from chromazoo.envs.kroma.rules import KromaState
from chromazoo.envs.randomness import agent_stream, as_seeds

VARIANTS = [
    {"size": "standard"},
    {"size": "standard", "influence": "reversed", "symmetry": "flipped", "leap": False},
    {"size": "basic", "influence": "public", "setup": "advanced"},
    {"size": "baby", "piece_rows": 1, "random": True},
]


def midgame(game: kroma_v0.Game, games: int, plies: int) -> KromaState:
    """Return games that random agents have begun, without those that are over."""
    seeds = as_seeds(range(games))
    state, stream = game.deal(seeds), agent_stream(seeds, 0)
    for _ in range(plies):
        game.step(state, game.packing.pick(game.legal(state), stream))
    return state.take(np.flatnonzero(~state.over))


def last_chances(game: kroma_v0.Game, games: int) -> KromaState:
    """Return the positions in which random agents made the winning move."""
    seeds = as_seeds(range(games))
    state, stream = game.deal(seeds), agent_stream(seeds, 0)
    found = state.copy()
    while not state.over.all():
        live = np.flatnonzero(~state.over)
        found.put(live, state.take(live))
        game.step(state, game.packing.pick(game.legal(state), stream))
    return found.take(np.flatnonzero(state.rewards.any(axis=1)))


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
    movers = state.seat.copy()
    game.step(state, decide(KromaHeuristic(game), game, state, as_seeds(range(len(state)))))
    assert (state.rewards[np.arange(len(state)), movers] == 1).all()


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_heuristic_decides_alike_alone_and_in_a_batch(options: dict[str, object]) -> None:
    game = kroma_v0.Game(**options)
    state = midgame(game, 60, 9)
    agent = KromaHeuristic(game)
    together = decide(agent, game, state, as_seeds(range(len(state))))
    alone = [
        decide(agent, game, state.take([row]), as_seeds([row])).item() for row in range(len(state))
    ]
    assert together.tolist() == alone
    assert game.packing.contains(game.legal(state), together).all()


def test_heuristic_breaks_ties_evenly() -> None:
    game = kroma_v0.Game(size="baby")
    games = 4000
    first = decide(KromaHeuristic(game), game, game.deal(range(games)), as_seeds(range(games)))
    counts = np.unique(first, return_counts=True)[1]  # the first drop: L:purple or L:yellow
    assert len(counts) == 2
    assert abs(counts - games / 2).max() < 5 * np.sqrt(games / 4)
