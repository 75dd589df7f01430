"""The policy network of CHROMA: what it is told of boards, and what its logits depend on."""

from typing import Any

import numpy as np
import pytest
import torch

from chromazoo.agents.agent import RandomAgent, decide
from chromazoo.agents.chroma_network import ChromaNetwork
from chromazoo.agents.chroma_sight import BITS, PERFECT, find_reach, touchable
from chromazoo.agents.listing import Listing
from chromazoo.agents.ppo import dump_policy, parse_policy
from chromazoo.envs.chroma.board import NEIGHBOURS, OFF, SPACES
from chromazoo.envs.chroma.config import COLOURS
from chromazoo.envs.chroma.rules import PLACE, POWER, ChromaState, Game
from chromazoo.envs.randomness import as_seeds
from tests.games import CHROMA, EXAMPLES

SMALL = {"width": 12, "channels": 8}
NAMES = list(CHROMA)


def network_for(game: Any, seed: int = 1) -> ChromaNetwork:
    """A network with weights large enough to have clear opinions."""
    network = ChromaNetwork(game, **SMALL)
    network.initialise(torch.Generator().manual_seed(seed))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
    return network.double().eval().requires_grad_(False)


def middle(game: Game, games: int = 200) -> ChromaState:
    """Games that are under way, in every phase."""
    state, stream = game.deal(range(games)), as_seeds(range(games))
    for row in range(40):
        part = state.take(np.flatnonzero((np.arange(games) % 40 >= row) & ~state.over))
        rows = np.flatnonzero((np.arange(games) % 40 >= row) & ~state.over)
        if len(rows):
            own = stream[rows]
            game.step(part, decide(RandomAgent(), game, part, own))
            stream[rows] = own
            state.put(rows, part)
    return state.take(np.flatnonzero(~state.over))


@pytest.mark.parametrize("name", NAMES)
def test_the_legal_actions_alone_have_the_logits_they_have_among_all(name: str) -> None:
    game: Any = CHROMA[name]
    network, state = network_for(game), middle(game, 40)
    seen, mask = torch.from_numpy(game.observe(state)), game.action_mask(state)
    assert set(state.phase) >= {0, 2} if game.config.power_copies else {0}
    logits, values = network(seen)
    assert logits.shape == (len(state), game.num_actions)
    description = network.describe(seen.numpy(), Listing.of_mask(mask))
    listed, same = network.judge(description)
    torch.testing.assert_close(listed, logits[torch.from_numpy(mask)])
    torch.testing.assert_close(same, values)
    torch.testing.assert_close(network.forward_critic(seen), values)
    torch.testing.assert_close(network.forward_actor(seen), logits)
    order = np.array([3, 0, 0, len(state) - 1])
    some, _ = network.judge(description.take(order))
    torch.testing.assert_close(some, logits[order][torch.from_numpy(mask[order])])


@pytest.mark.parametrize("name", NAMES)
def test_gradients_reach_every_weight(name: str) -> None:
    game: Any = CHROMA[name]
    network, state = network_for(game).requires_grad_(), middle(game)
    listing = Listing.of_mask(game.action_mask(state))
    logits, values = network.judge(network.describe(game.observe(state), listing))
    (logits.square().sum() + values.square().sum()).backward()
    for key, parameter in network.named_parameters():
        assert parameter.grad is not None, key
        assert parameter.grad.abs().sum() > 0, key


def test_the_gradients_are_those_of_finite_differences() -> None:
    game: Any = CHROMA["chroma-3"]
    network, state = network_for(game).requires_grad_(), middle(game, 40)
    listing = Listing.of_mask(game.action_mask(state))
    description = network.describe(game.observe(state), listing)
    weights = torch.randn(len(listing.places), generator=torch.Generator().manual_seed(2)).double()

    def total() -> torch.Tensor:
        return (network.judge(description)[0] * weights).sum()

    total().backward()
    for parameter in (network.spread.weight, network.place, network.action.weight):
        grad = parameter.grad
        assert grad is not None
        place = int(grad.abs().argmax())
        with torch.no_grad():
            ends = []
            for step in (1e-6, -2e-6):
                parameter.view(-1)[place] += step
                ends.append(total().item())
            parameter.view(-1)[place] += 1e-6
        assert grad.view(-1)[place].item() == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_surroundings_are_what_the_board_shows_after_the_placement(name: str) -> None:
    game: Any = CHROMA[name]
    network, state = network_for(game), middle(game)
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
    network = network_for(game)
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
    network, state = network_for(game), middle(game)
    offered = state.take(np.flatnonzero(state.phase == POWER))
    listing = Listing.of_mask(game.action_mask(offered))
    logits, _ = network.judge(network.describe(game.observe(offered), listing))
    assert len(offered) > 5
    assert len(set(logits.tolist())) == len(logits)


def test_networks_of_one_seed_are_the_same_and_survive_a_policy_file() -> None:
    game: Any = CHROMA["chroma-4"]
    one, two = network_for(game).float(), network_for(game).float()
    other = network_for(game, seed=2).float()
    read = parse_policy(game, dump_policy(one, game, 5))
    assert isinstance(read, ChromaNetwork)
    for key, value in one.state_dict().items():
        assert (value == two.state_dict()[key]).all()
        assert (value == read.state_dict()[key]).all()
    assert any((value != other.state_dict()[key]).any() for key, value in one.state_dict().items())


def test_the_wheel_is_the_game_s_own() -> None:
    # Observations are the same with any wheel, so a policy may play with another one.
    tones, ring = Game(), Game(wheel="ring")
    network = network_for(tones).float()
    other = parse_policy(ring, dump_policy(network, tones, 5))
    state = middle(tones, 20)
    seen = torch.from_numpy(tones.observe(state))
    assert (network(seen)[0] != other(seen)[0]).any()
    assert EXAMPLES["chroma"].digest == ring.digest
