"""The policy network of Guardians: what it is told, and what its logits depend on."""

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from chromazoo.agents.agent import RandomAgent, decide
from chromazoo.agents.guardians_network import GuardiansNetwork
from chromazoo.agents.guardians_sight import NONE, Eyes
from chromazoo.agents.listing import Listing
from chromazoo.agents.network import build_network
from chromazoo.agents.ppo import PPOAgent, dump_policy, parse_policy
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.guardians.cards import ARROWS, MARKS
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.guardians.queue import COLUMNS
from chromazoo.envs.guardians.rules import Game, GuardiansState
from chromazoo.envs.randomness import as_seeds
from tests.games import EXAMPLES, GUARDIANS
from tests.guardians.reference import Config, Placement, begin

SMALL = {"width": 12, "channels": 8}
NAMES = list(GUARDIANS)


def network_for(game: Any, seed: int = 1) -> GuardiansNetwork:
    """A network with weights large enough to have clear opinions."""
    network = GuardiansNetwork(game, **SMALL)
    network.initialise(torch.Generator().manual_seed(seed))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
    return network.double().eval().requires_grad_(False)


def middle(game: Game, games: int = 200) -> GuardiansState:
    """Games that are under way, after any number of decisions."""
    state, stream = game.deal(range(games)), as_seeds(range(games))
    length = 8 * game.num_seats * game.choices * game.config.rounds
    for number in range(length):
        rows = np.flatnonzero((np.arange(games) % length > number) & ~state.over)
        if len(rows):
            part, own = state.take(rows), stream[rows]
            game.step(part, decide(RandomAgent(), game, part, own))
            stream[rows] = own
            state.put(rows, part)
    return state.take(np.flatnonzero(~state.over))


@pytest.mark.parametrize("name", NAMES)
def test_the_legal_cards_alone_have_the_logits_they_have_among_all(name: str) -> None:
    game: Any = GUARDIANS[name]
    network, state = network_for(game), middle(game)
    seen, mask = torch.from_numpy(game.observe(state)), game.action_mask(state)
    logits, values = network(seen)
    assert logits.shape == (len(state), CARDS)
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


@pytest.mark.parametrize("name", NAMES)
def test_gradients_reach_every_weight(name: str) -> None:
    game: Any = GUARDIANS[name]
    network, state = network_for(game).requires_grad_(), middle(game)
    listing = Listing.of_mask(game.action_mask(state))
    logits, values = network.judge(network.describe(game.observe(state), listing))
    (logits.square().sum() + values.square().sum()).backward()
    for key, parameter in network.named_parameters():
        assert parameter.grad is not None, key
        assert parameter.grad.abs().sum() > 0, key


@pytest.mark.parametrize("name", NAMES)
def test_any_observation_is_judged(name: str) -> None:
    game: Any = GUARDIANS[name]
    network = network_for(game)
    highest = torch.from_numpy(game.fields.high)[None]
    state = game.deal([1])
    while not state.over.all():
        game.step(state, game.packing.select(game.legal(state), [0]))
    for seen in (highest, 0 * highest, torch.from_numpy(game.observe(state))):
        logits, values = network(seen)
        assert logits.isfinite().all()
        assert values.isfinite().all()


@pytest.mark.parametrize("name", NAMES)
def test_odds_are_those_of_all_ways_to_fill_a_turn(name: str) -> None:
    game: Any = GUARDIANS[name]
    state = middle(game, 120).take(np.arange(0, 120, 10))
    eyes = Eyes(game)
    sight = eyes.look(game.observe(state))
    rows, cards = np.arange(len(state)), sight.hand.argmax(axis=1)
    known = np.stack([sight.first, sight.chief])
    ranks, hits, _, figures, *_ = eyes.follow(sight, rows, cards, known)
    hidden = game.choices * (game.num_seats - 1) + game.face_down
    arrows = np.array([int(ARROWS) >> card & 1 for card in range(CARDS)])
    for row, card in enumerate(cards):
        others = [other for other in known[:, row] if other != NONE]
        unseen = np.flatnonzero(np.diff(sight.unseen[row]))
        mates = np.setdiff1d(np.flatnonzero(sight.hand[row]), card)
        wait = game.choices == 2 and sight.first[row] == NONE
        found = np.zeros(COLUMNS)
        for mate in mates if wait else [None]:
            placed = others + ([] if mate is None else [mate])
            assert 1 + len(placed) + hidden == COLUMNS
            lower = unseen < card
            base = sum(other < card for other in placed)
            ways = np.zeros(COLUMNS)
            for number in range(hidden + 1):
                ways[min(base + number, COLUMNS - 1)] += _share(lower, hidden, number)
            found += ways / (len(mates) if wait else 1)
        np.testing.assert_allclose(ranks[:, row], found, atol=1e-5)
        touching = sight.lowest[:, row] == eyes.colour[card] + 1
        np.testing.assert_allclose(hits[:, row], found * touching, atol=1e-5)
        pulling = arrows[unseen] > 0
        have = arrows[card] + sum(arrows[other] for other in others)
        odds = sum(_share(pulling, hidden, n) for n in range(hidden + 1) if have + n >= 3)
        assert figures[6, row] == pytest.approx(odds, abs=1e-5)


def _share(marked: NDArray[np.bool_], drawn: int, wanted: int) -> float:
    """How likely so many marked cards are among those drawn, one drawn after the other."""
    odds, total = {0: 1.0}, int(marked.sum())
    for number in range(drawn):
        further: dict[int, float] = defaultdict(float)
        for have, odd in odds.items():
            share = (total - have) / (len(marked) - number)
            further[have + 1] += odd * share
            further[have] += odd * (1 - share)
        odds = further
    return odds.get(wanted, 0.0)


@pytest.mark.parametrize("backwards", [False, True])
def test_stakes_are_what_the_reference_explodes(backwards: bool) -> None:
    game: Any = GUARDIANS["guardians"]
    state = middle(game, 150)
    seen = game.observe(state)
    sight = Eyes(game).look(seen)
    some = 0
    for row, column in product(range(len(state)), range(COLUMNS)):
        code = sight.lowest[column, row]
        if code == 0:
            assert sight.stakes[column, row] == 0
            continue
        found = _stake(game, state, row, column, int(code) - 1, backwards)
        assert sight.stakes[column, row] == found
        some += found > 3
    assert some > 5  # chains


def _stake(
    game: Game, state: GuardiansState, row: int, column: int, colour: int, backwards: bool
) -> int:
    """Marks that explode when a card touches the lowest of a column, played by the reference.

    Columns that are served before hold cards of no colour, and later ones no new card.
    """
    turn = int(state.turn[row])
    config = Config(num_players=2)
    config.__dict__["colours"] = [*config.colours, *range(5, 5 + COLUMNS), colour]
    table = begin(config, game.setups([1])[0])
    table.queue = {
        (int(place) + 1, int(space)): int(state.numbers[row, place, space])
        for place, space in zip(*state.numbers[row].nonzero(), strict=True)
    }
    table.ends = dict.fromkeys(range(1, COLUMNS + 1), turn)
    for before in range(column + 2, COLUMNS + 1) if backwards else range(1, column + 1):
        table.queue[before, turn] = CARDS + before
        table.ends[before] += 1
    placed = CARDS + 1 + COLUMNS
    table._place(Placement(placed, None, column + 1))
    return sum(int(MARKS[card - 1]) for card in table.beside if card != placed)


def test_the_card_chosen_first_and_the_chief_s_move_logits() -> None:
    game: Any = GUARDIANS["guardians"]
    network, state = network_for(game), middle(game)
    state = state.take(np.flatnonzero(state.chosen[np.arange(len(state)), state.seat] > 0))
    seen = game.observe(state)
    listing = Listing.of_mask(game.action_mask(state))
    logits, _ = network.judge(network.describe(seen, listing))
    for name in ("chosen", "chief"):
        blind = seen.copy()
        game.fields.get(blind, name)[...] = 0
        others, _ = network.judge(network.describe(blind, listing))
        assert (logits != others).all()


def test_colours_of_one_s_own_are_played() -> None:
    # Observations are the same with any colours, so a policy may play with others.
    bands, runs = Game(num_players=4), GUARDIANS["guardians-4"]
    network = network_for(bands).float()
    other = parse_policy(runs, dump_policy(network, bands, 5))
    seen = torch.from_numpy(runs.observe(middle(bands, 20)))
    assert (network(seen)[0] != other(seen)[0]).any()


@pytest.mark.parametrize("name", NAMES)
def test_networks_of_one_seed_are_the_same_and_survive_a_policy_file(name: str) -> None:
    game: Any = GUARDIANS[name]
    one, two = network_for(game).float(), network_for(game).float()
    other = network_for(game, seed=2).float()
    read = parse_policy(game, dump_policy(one, game, 5))
    assert isinstance(read, GuardiansNetwork)
    for key, value in one.state_dict().items():
        assert (value == two.state_dict()[key]).all()
        assert (value == read.state_dict()[key]).all()
    assert any((value != other.state_dict()[key]).any() for key, value in one.state_dict().items())


def test_a_game_plays_out_the_same_in_any_batch() -> None:
    game: Any = GUARDIANS["guardians-3"]
    agent, state = PPOAgent(network_for(game)), middle(game, 60)
    streams = as_seeds(range(len(state)))
    whole = decide(agent, game, state, streams.copy())
    for row in range(0, len(state), 7):
        alone = decide(agent, game, state.take(np.array([row])), streams[row : row + 1].copy())
        assert alone.tolist() == [whole[row]]


def test_guardians_has_a_network_of_its_own_which_plays_nothing_else() -> None:
    assert isinstance(build_network(GUARDIANS["guardians"], {}), GuardiansNetwork)
    with pytest.raises(InvalidConfig, match="plays Guardians, not kroma"):
        build_network(EXAMPLES["basic"], {"kind": "guardians"})
    with pytest.raises(InvalidConfig, match="guardians: width from 1 to 4096, not 0"):
        build_network(GUARDIANS["guardians"], {"width": 0})
    with pytest.raises(InvalidConfig, match="there are width, channels"):
        build_network(GUARDIANS["guardians"], {"depth": 2})
