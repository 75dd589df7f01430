"""CHROMA's agents in compiled code against the same in numpy: equal to the last bit."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.agents.listing import Listing
from chromazoo.agents.network import Network
from chromazoo.envs.chroma.config import PHASES
from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.randomness import agent_stream, as_seeds
from tests.agents.networks import network_for
from tests.games import CHROMA_OPTIONS

ALL = pytest.mark.parametrize("options", CHROMA_OPTIONS.values(), ids=CHROMA_OPTIONS)


def both(options: dict[str, Any]) -> tuple[Game, Game]:
    """The same game on either engine."""
    return Game(**options), Game(engine="compiled", **options)


def whole_games(game: Game, games: int) -> list[ChromaState]:
    """All positions of whole games of random play."""
    seeds = as_seeds(range(games))
    state, stream = game.deal(seeds), agent_stream(seeds, 0)
    seen = []
    while not state.over.all():
        live = np.flatnonzero(~state.over)
        seen.append(state.take(live))
        game.step(state, game.packing.pick(game.legal(state), stream))
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
    for state in whole_games(games[0], 12):
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
