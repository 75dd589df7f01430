"""The policy network of CHROMA: what it is told of boards, and what its logits depend on."""

from typing import Any

import numpy as np
import pytest
import torch

from chromazoo.agents.chroma_sight import BITS, PERFECT, find_reach, touchable
from chromazoo.agents.listing import Listing
from chromazoo.agents.policy_files import dump_policy, parse_policy
from chromazoo.envs.chroma.board import NEIGHBOURS, OFF, SPACES
from chromazoo.envs.chroma.config import COLOURS, PLACE, POWER
from chromazoo.envs.chroma.rules import Game
from chromazoo.envs.randomness import as_seeds
from tests.agents.networks import network_for
from tests.agents.positions import under_way
from tests.games import CHROMA, EXAMPLES

NAMES = list(CHROMA)


def test_positions_of_every_phase_are_judged() -> None:
    for game in CHROMA.values():
        phases = set(under_way(game, 60).phase)
        assert phases >= {PLACE, POWER} if game.config.power_copies else {PLACE}


@pytest.mark.parametrize("name", NAMES)
def test_surroundings_are_what_the_board_shows_after_the_placement(name: str) -> None:
    game: Any = CHROMA[name]
    network: Any = network_for(game).double()
    state = under_way(game, 200)
    state = state.take(np.flatnonzero(state.phase == PLACE))
    actions = game.packing.pick(game.legal(state), as_seeds(range(len(state))))
    state = state.take(np.flatnonzero(actions < game.draw))
    actions = actions[actions < game.draw]
    assert len(actions) > 20
    types, spaces = np.divmod(actions, SPACES)
    rows = np.arange(len(actions))
    before = network._eyes.look(game.observe(state))
    fits, touches = network._eyes.surroundings(before, rows, spaces, types % COLOURS)
    hand = before.hand[0].copy()
    hand &= ~np.where(before.hand[1] & BITS[types % COLOURS], 0, BITS[types % COLOURS])
    left = before.cards - 1
    told = np.hstack(network._afterwards(before, rows, spaces, fits, touches, hand, left))
    seats = state.seat.copy()
    game.step(state, actions)
    after = network._eyes.look(game.observe(state, seats))
    near = NEIGHBOURS[:, spaces]
    assert (fits == after.fits[near, rows]).all()
    assert (touches == after.touches[near, rows])[near != OFF].all()
    assert (fits[near == OFF] == 0).all()
    wanted = np.concatenate(
        [
            np.log1p([(touchable(after) == k).sum(axis=0) for k in range(1, PERFECT + 1)]),
            np.bitwise_count(find_reach(after.fits, after.touches) & hand) / 5,
        ]
    )
    # A hand that drew or swapped cards has other openings.
    kept = (after.hand[0] == hand) & (after.cards == before.cards - 1)
    assert kept.sum() > 10
    np.testing.assert_allclose(told.T[: 2 * PERFECT, kept], wanted[:, kept], rtol=1e-6)


def test_a_placement_depends_on_its_surroundings() -> None:
    game: Any = CHROMA["chroma"]
    network = network_for(game).double()
    seen = np.zeros((1, game.num_features), np.uint8)
    get = {name: game.fields.get(seen, name) for name in ("colours", "hand", "unseen", "phase")}
    get["phase"][:, PLACE] = 1
    get["hand"][:, :4] = 1
    get["unseen"][:, :20] = 4
    get["colours"][:, 0, 3, 5] = 1
    every = Listing.of_mask(np.ones((1, game.num_actions), np.bool_))
    first = SPACES * game.cards.number["orange"]
    orange = slice(first, first + SPACES)
    told, logits = [], []
    for colour in (None, 1):
        if colour is not None:
            get["colours"][:, colour, 3, 8] = 1
        description = network.describe(seen, every)
        told.append(description.actions[orange, : PERFECT * (3 + game.num_seats)])
        logits.append(network.judge(description)[0][orange])
    distance = np.abs(np.arange(7) - 3)[:, None] + np.abs(np.arange(11) - 8)
    beside = (distance > 0) & (distance <= 2)
    moved = (told[0] != told[1]).any(axis=1).reshape(7, 11)
    assert moved[beside].all()
    assert not moved[distance > 2].any()
    assert (logits[0] != logits[1]).reshape(7, 11)[torch.from_numpy(beside)].all()


def test_positions_without_cards_to_move_are_judged() -> None:
    game: Any = CHROMA["chroma"]
    network, state = network_for(game).double(), under_way(game, 200)
    offered = state.take(np.flatnonzero(state.phase == POWER))
    listing = Listing.of_mask(game.action_mask(offered))
    logits, _ = network.judge(network.describe(game.observe(offered), listing))
    assert len(offered) > 5
    assert len(set(logits.tolist())) == len(logits)


def test_the_wheel_is_the_game_s_own() -> None:
    # Observations are the same with any wheel, so a policy may play with another one.
    tones, ring = Game(), Game(wheel="ring")
    network = network_for(tones)
    other = parse_policy(ring, dump_policy(network, tones, 5))
    state = under_way(tones, 20)
    seen = torch.from_numpy(tones.observe(state))
    assert (network(seen)[0] != other(seen)[0]).any()
    assert EXAMPLES["chroma"].digest == ring.digest
