"""The networks of the games, which judge legal actions one by one: what is demanded of all."""

from typing import Any

import numpy as np
import pytest
import torch

from chromazoo.agents.agent import decide
from chromazoo.agents.chroma_network import ChromaNetwork
from chromazoo.agents.guardians_network import GuardiansNetwork
from chromazoo.agents.listing import Listing
from chromazoo.agents.network import Network, build_network
from chromazoo.agents.policy_files import dump_policy, parse_policy
from chromazoo.agents.ppo import PPOAgent
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import as_seeds
from tests.agents.networks import network_for
from tests.agents.positions import under_way
from tests.games import CHROMA, EXAMPLES, GUARDIANS, KROMA

GAMES = KROMA | CHROMA | GUARDIANS
NETWORKS: dict[str, type[Network]] = {"chroma": ChromaNetwork, "guardians": GuardiansNetwork}
ALL = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
SOME = ["kroma-advanced", "chroma-3", "guardians-3"]
ONE_EACH = pytest.mark.parametrize("game", [GAMES[name] for name in SOME], ids=SOME)


@ALL
def test_the_legal_actions_alone_have_the_logits_they_have_among_all(game: Game[Any]) -> None:
    network, state = network_for(game).double(), under_way(game, 60)
    seen, mask = torch.from_numpy(game.observe(state)), game.action_mask(state)
    logits, values = network(seen)
    assert logits.shape == (len(state), game.num_actions)
    assert values.shape == (len(state),)
    description = network.describe(seen.numpy(), Listing.of_mask(mask))
    listed, same = network.judge(description)
    torch.testing.assert_close(listed, logits[torch.from_numpy(mask)])
    torch.testing.assert_close(same, values)
    torch.testing.assert_close(network.forward_critic(seen), values)
    torch.testing.assert_close(network.forward_actor(seen), logits)
    order = np.array([3, 0, 0, len(state) - 1])
    some, _ = network.judge(description.take(order))
    torch.testing.assert_close(some, logits[order][torch.from_numpy(mask[order])])


@ALL
def test_gradients_reach_every_weight(game: Game[Any]) -> None:
    network, state = network_for(game).double().requires_grad_(), under_way(game, 200)
    listing = Listing.of_mask(game.action_mask(state))
    logits, values = network.judge(network.describe(game.observe(state), listing))
    (logits.square().sum() + values.square().sum()).backward()
    drops = (
        game.id == "kroma" and (listing.actions >= game.num_actions - 2 * game.board.width).any()
    )
    for key, parameter in network.named_parameters():
        assert parameter.grad is not None, key
        unused = key.startswith("drops.") and not drops
        assert (parameter.grad.abs().sum() > 0) != unused, key


@ONE_EACH
def test_the_gradients_are_those_of_finite_differences(game: Game[Any]) -> None:
    network, state = network_for(game).double().requires_grad_(), under_way(game, 40)
    listing = Listing.of_mask(game.action_mask(state))
    description = network.describe(game.observe(state), listing)
    weights = torch.randn(len(listing.places), generator=torch.Generator().manual_seed(2)).double()

    def total() -> torch.Tensor:
        return (network.judge(description)[0] * weights).sum()

    total().backward()
    judging = [
        parameter
        for name, parameter in network.named_parameters()
        if name in ("spread.weight", "action.weight", "key", "ends.weight", "reach_bias")
    ]
    assert len(judging) == 3
    for parameter in judging:
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


@ALL
def test_any_observation_is_judged(game: Game[Any]) -> None:
    network = network_for(game)
    highest = torch.from_numpy(game.fields.high)[None]
    state = game.deal([1])
    while not state.over.all():
        game.step(state, game.packing.select(game.legal(state), np.array([0])))
    for seen in (highest, 0 * highest, torch.from_numpy(game.observe(state))):
        logits, values = network(seen)
        assert logits.isfinite().all()
        assert values.isfinite().all()


@ALL
def test_networks_of_one_seed_are_the_same_and_survive_a_policy_file(game: Game[Any]) -> None:
    one, two, other = network_for(game), network_for(game), network_for(game, seed=2)
    read = parse_policy(game, dump_policy(one, game, 5))
    assert type(read) is type(one)
    for key, value in one.state_dict().items():
        assert (value == two.state_dict()[key]).all()
        assert (value == read.state_dict()[key]).all()
    assert any((value != other.state_dict()[key]).any() for key, value in one.state_dict().items())


@ONE_EACH
def test_a_decision_is_the_same_in_any_batch(game: Game[Any]) -> None:
    agent, state = PPOAgent(network_for(game).double()), under_way(game, 60)
    streams = as_seeds(range(len(state)))
    whole = decide(agent, game, state, streams.copy())
    for row in range(0, len(state), 7):
        alone = decide(agent, game, state.take(np.array([row])), streams[row : row + 1].copy())
        assert alone.tolist() == [whole[row]]


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_game_has_a_network_of_its_own_which_plays_nothing_else(kind: str) -> None:
    assert type(build_network(GAMES[kind], {})) is NETWORKS[kind]
    with pytest.raises(InvalidConfig, match=f"(?i)plays {kind}, not kroma"):
        build_network(EXAMPLES["basic"], {"kind": kind})
    with pytest.raises(InvalidConfig, match=f"{kind}: width from 1 to 4096, not 0"):
        build_network(GAMES[kind], {"width": 0})
    with pytest.raises(InvalidConfig, match="there are width, channels"):
        build_network(GAMES[kind], {"depth": 2})
