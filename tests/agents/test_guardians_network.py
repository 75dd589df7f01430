"""The policy network of Guardians: what it is told, and what its logits depend on."""

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from chromazoo.agents.guardians import Odds, Weights
from chromazoo.agents.guardians_sight import NONE, Eyes
from chromazoo.agents.guardians_survey import survey
from chromazoo.agents.guardians_worlds import look
from chromazoo.agents.listing import Listing
from chromazoo.agents.network import build_network
from chromazoo.agents.policy_files import dump_policy, parse_policy
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.guardians.cards import ARROWS, MARKS
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.guardians.queue import COLUMNS
from chromazoo.envs.guardians.rules import Game, GuardiansState
from tests.agents.networks import network_for
from tests.agents.positions import under_way
from tests.games import GUARDIANS
from tests.guardians.reference import Config, Placement, begin

NAMES = list(GUARDIANS)


@pytest.mark.parametrize("name", NAMES)
def test_odds_are_those_of_all_ways_to_fill_a_turn(name: str) -> None:
    game: Any = GUARDIANS[name]
    state = under_way(game, 120).take(np.arange(0, 120, 10))
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
    state = under_way(game, 150)
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
    network, state = network_for(game).double(), under_way(game, 200)
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
    network = network_for(bands)
    other = parse_policy(runs, dump_policy(network, bands, 5))
    seen = torch.from_numpy(runs.observe(under_way(runs, 20)))
    assert (network(seen)[0] != other(seen)[0]).any()


@pytest.mark.parametrize("options", [{}, {"num_players": 4}], ids=str)
def test_a_network_that_has_learnt_nothing_plays_by_its_survey(options: dict[str, Any]) -> None:
    game: Any = Game(**options)
    network = build_network(game, {"worlds": 4})
    network.initialise(torch.Generator().manual_seed(1))
    seen = game.observe(state := under_way(game, 100))
    listing = Listing.of_mask(game.action_mask(state))
    hands = survey(game, Odds(game, Weights()), look(game, seen), 4)
    behind = hands.cards[hands.places[listing.rows, listing.actions], 0]
    with torch.no_grad():
        logits, values = network.judge(network.describe(seen, listing))
        critic = network.forward_critic(torch.from_numpy(seen))
    assert np.corrcoef(logits.numpy(), behind)[0, 1] > 0.95
    assert np.corrcoef(values.numpy(), hands.positions[:, 0])[0, 1] > 0.9
    torch.testing.assert_close(critic, values)


def test_a_policy_cannot_ask_for_worlds_without_end() -> None:
    with pytest.raises(InvalidConfig, match="guardians: worlds from 1 to 256, not 257"):
        build_network(Game(), {"worlds": 257})
