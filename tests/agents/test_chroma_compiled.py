"""CHROMA's agents in compiled code against the same in numpy: equal to the last bit."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, RandomAgent, decide
from chromazoo.agents.chroma import ChromaHeuristic, Weights
from chromazoo.agents.listing import Listing
from chromazoo.agents.match import play_games
from chromazoo.agents.network import Network
from chromazoo.envs.chroma.config import PHASES
from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.randomness import agent_stream, as_seeds
from tests.agents.networks import network_for
from tests.agents.positions import under_way
from tests.games import CHROMA_OPTIONS

ALL = pytest.mark.parametrize("options", CHROMA_OPTIONS.values(), ids=CHROMA_OPTIONS)


def both(options: dict[str, Any]) -> tuple[Game, Game]:
    """The same game on either engine."""
    return Game(**options), Game(engine="compiled", **options)


def whole_games(game: Game, games: int, agent: Agent) -> list[ChromaState]:
    """All positions of whole games between copies of an agent."""
    seeds = as_seeds(range(games))
    state, stream = game.deal(seeds), agent_stream(seeds, 0)
    seen = []
    while not state.over.all():
        live = np.flatnonzero(~state.over)
        part, draws = state.take(live), stream[live]
        seen.append(part.copy())
        game.step(part, decide(agent, game, part, draws))
        state.put(live, part)
        stream[live] = draws
    return seen


def assert_described_alike(
    networks: list[Network], seen: NDArray[np.uint8], listing: Listing
) -> None:
    plain, fast = (network.describe(seen, listing) for network in networks)
    assert plain.positions.dtype == fast.positions.dtype == np.float32
    assert plain.actions.dtype == fast.actions.dtype == np.float32
    assert plain.positions.tobytes() == fast.positions.tobytes()
    assert plain.actions.tobytes() == fast.actions.tobytes()
    assert fast.listing is listing


@ALL
def test_positions_of_whole_games_are_described_alike(options: dict[str, Any]) -> None:
    games = both(options)
    networks, phases = [network_for(game) for game in games], set()
    for state in whole_games(games[0], 12, RandomAgent()):
        seen = games[0].observe(state)
        listing = Listing.of_words(games[0].packing, games[0].legal(state))
        assert_described_alike(networks, seen, listing)
        phases |= {PHASES[phase] for phase in state.phase}
    assert phases >= ({*PHASES} if games[0].config.power_copies else {"place", "wild"})


@ALL
def test_any_observation_and_any_action_are_described_alike(options: dict[str, Any]) -> None:
    networks = [network_for(game) for game in both(options)]
    game, random = networks[0].game, np.random.default_rng(5)
    high = game.fields.high.astype(np.int64)
    some = random.integers(0, high + 1, (6, len(high)))
    seen = np.concatenate(
        [
            np.zeros((1, len(high)), np.uint8),
            game.fields.high[None],
            np.full((1, len(high)), 255, np.uint8),
            some.astype(np.uint8),
            (some * (random.random(some.shape) < 0.05)).astype(np.uint8),
        ]
    )
    every = Listing.of_mask(np.ones((len(seen), game.num_actions), np.bool_))
    assert_described_alike(networks, seen, every)
    assert_described_alike(networks, np.asfortranarray(seen), every)


@ALL
def test_actions_in_whole_games_are_weighed_alike(options: dict[str, Any]) -> None:
    plain, fast = (ChromaHeuristic(game) for game in both(options))
    game = plain.game
    for seen_by in (RandomAgent(), plain):
        for state in whole_games(game, 12, seen_by):
            rows, actions = game.packing.listed(game.legal(state))
            seen = game.observe(state)
            worth = plain._weigh_all(seen, rows, actions)
            assert worth.tobytes() == fast._compiled.weigh(seen, rows, actions).tobytes()


def test_heuristics_of_both_engines_play_the_same_games() -> None:
    outcomes = []
    for game in both({"num_players": 4}):
        found = play_games(game, [ChromaHeuristic(game)] * 4, np.arange(60))
        outcomes.append((found.rewards.tolist(), found.plies.tolist()))
    assert outcomes[0] == outcomes[1]


def test_other_weights_weigh_alike() -> None:
    weights = Weights(1.1, 3.3, 0.4, 0.7, (0.1, 0.2, 0.3), (0.4, 0.3, 0.2, 0.1), 0.05)
    plain, fast = (ChromaHeuristic(game, weights) for game in both({"power_copies": 4}))
    state = under_way(plain.game, 300)
    rows, actions = plain.game.packing.listed(plain.game.legal(state))
    seen = plain.game.observe(state)
    worth = plain._weigh_all(seen, rows, actions)
    assert worth.tobytes() == fast._compiled.weigh(seen, rows, actions).tobytes()
    other = ChromaHeuristic(plain.game)._weigh_all(seen, rows, actions)
    assert worth.tobytes() != other.tobytes()


def test_threads_may_share_an_agent_and_a_network() -> None:
    game = Game(engine="compiled")
    agent, network = ChromaHeuristic(game), network_for(game)
    state = under_way(game, 600)
    halves = [state.take(np.arange(start, len(state), 2)) for start in (0, 1)]

    def tell(part: ChromaState) -> tuple[bytes, bytes]:
        listing = Listing.of_words(game.packing, game.legal(part))
        seen = game.observe(part)
        worth = agent._compiled.weigh(seen, listing.rows, listing.actions)
        return worth.tobytes(), network.describe(seen, listing).actions.tobytes()

    alone = [tell(part) for part in halves]
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(tell, halves * 20)) == alone * 20
