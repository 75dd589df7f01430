from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.agents import Agent, RandomAgent, load
from chromazoo.agents.agent import Decision
from chromazoo.agents.guardians import (
    CERTAIN,
    GuardiansHeuristic,
    Odds,
    Options,
    Weights,
    list_options,
    outcomes,
)
from chromazoo.agents.guardians_worlds import Sight, imagine, look, play_turns, share_out
from chromazoo.agents.match import evaluate, play_games
from chromazoo.envs import kroma_v0
from chromazoo.envs.errors import InvalidArgument, UnknownName
from chromazoo.envs.guardians.cards import BESIDE, BIT, MARKS, flags
from chromazoo.envs.guardians.config import COLOUR_NAMES
from chromazoo.envs.guardians.rules import Game, GuardiansState
from chromazoo.envs.randomness import as_seeds
from chromazoo.envs.registry import make_game
from tests.agents import positions
from tests.agents.positions import (
    check_decides_alike_alone,
    check_decides_by_what_it_knows,
    under_way,
)

VARIANTS: list[dict[str, Any]] = [
    {},
    {"rounds": 3, "colors": [colour for colour in range(5) for _ in range(10)]},
    {"duel": False, "rounds": 2},
    {"num_players": 3},
    {"num_players": 4},
    {"num_players": 5, "rounds": 2},
]


def names(options: object) -> str:
    return str(options)[:50]


def decided(game: Game, state: GuardiansState, **options: Any) -> NDArray[np.int64]:
    return positions.decided(GuardiansHeuristic(game, **options), game, state)


def score(agent: Agent, opponent: Agent, games: int = 2000, **options: Any) -> dict[str, Any]:
    return evaluate(Game(**options), agent, {"it": opponent}, games=games, seed=1)["it"]


def colours(**groups: list[int]) -> list[int]:
    """Give the numbers named their colours; the others get what is left, the first first."""
    given = {number: name for name, numbers in groups.items() for number in numbers}
    left = Counter(dict.fromkeys(COLOUR_NAMES, 10)) - Counter(given.values())
    rest = list(left.elements())
    return [COLOUR_NAMES.index(given.get(number) or rest.pop(0)) for number in range(1, 51)]


def dealt(game: Game, hands: list[list[int]], pile: list[int]) -> GuardiansState:
    """Deal one game: hands that begin with the cards given, filled up with the lowest others.

    All rounds have the same deck.
    """
    named = {card for cards in [*hands, pile] for card in cards}
    rest = [card for card in range(50, 0, -1) if card not in named]
    deck = [card for hand in hands for card in hand + [rest.pop() for _ in range(9 - len(hand))]]
    return game.from_setup([{"decks": [[*deck, *pile, *rest]] * game.config.rounds}])


def played(game: Game, state: GuardiansState, *cards: int) -> GuardiansState:
    """Choose cards, by their numbers, for the seats in order."""
    for card in cards:
        game.step(state, np.array([card - 1]))
    return state


def test_heuristic_beats_random_in_the_duel() -> None:
    found = score(load("heuristic", Game()), RandomAgent())
    assert found["games"] == 2000
    assert found["low"] > 0.82


def test_heuristic_beats_three_random_agents() -> None:
    agent = GuardiansHeuristic(Game(num_players=4))
    found = score(agent, RandomAgent(), num_players=4)
    assert found["low"] > 0.53  # 0.567 measured, low end 0.545; a quarter for equals


@pytest.mark.parametrize(
    ("options", "least"),
    [({"duel": False}, 0.7), ({"num_players": 3}, 0.57), ({"num_players": 5}, 0.37)],
    ids=str,
)
def test_heuristic_beats_random_with_other_players(options: dict[str, Any], least: float) -> None:
    agent = GuardiansHeuristic(Game(**options))
    assert score(agent, RandomAgent(), games=1000, **options)["low"] > least


def test_heuristic_gains_by_more_worlds() -> None:
    few, many = GuardiansHeuristic(Game(), samples=2), GuardiansHeuristic(Game())
    assert score(many, few, games=600)["low"] > 0.5


def test_heuristic_refuses_another_game() -> None:
    with pytest.raises(UnknownName, match="plays Guardians, not kroma"):
        GuardiansHeuristic(kroma_v0.Game())  # type: ignore[arg-type]


@pytest.mark.parametrize("samples", [2, 5])
@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_heuristic_plays_legal_moves_to_the_end(options: dict[str, Any], samples: int) -> None:
    game = Game(**options)
    agents = [GuardiansHeuristic(game, samples)] * game.num_seats
    outcome = play_games(game, agents, np.arange(30))  # refuses illegal ones
    assert (outcome.plies == 8 * game.config.rounds * game.choices * game.num_seats).all()


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_heuristic_decides_alike_alone_and_in_a_batch(options: dict[str, Any]) -> None:
    game = Game(**options)
    state = under_way(game, 120)
    check_decides_alike_alone(GuardiansHeuristic(game), game, state)
    assert set(state.turn.tolist()) == set(range(8))


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_heuristic_decides_by_what_its_seat_knows(options: dict[str, Any]) -> None:
    game = Game(**options)
    check_decides_by_what_it_knows(GuardiansHeuristic(game), game, under_way(game, 120), "hands")


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_heuristic_decides_alike_on_both_engines(options: dict[str, Any]) -> None:
    pytest.importorskip("numba")
    game, fast = Game(**options), make_game("guardians", engine="compiled", **options)
    state = under_way(game, 300)
    for samples, weights in ((2, Weights()), (9, Weights(0.5, 2, 1)), (64, Weights())):
        plain = GuardiansHeuristic(game, samples, weights)
        other = GuardiansHeuristic(fast, samples, weights)
        expected = positions.decided(plain, game, state)
        found = positions.decided(other, fast, fast.adopt(state))
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_what_is_hidden_from_a_seat_is_what_it_counts_as_unseen(options: dict[str, Any]) -> None:
    game = Game(**options)
    state = under_way(game, 120)
    held = state.hands | state.chosen
    for seat in range(game.num_seats):
        unseen = look(game, game.observe(state, np.full(len(state), seat))).unseen
        others = np.bitwise_or.reduce(np.delete(held, seat, axis=1), axis=1) | state.chief[:, 1]
        assert (others & ~unseen == 0).all()
        assert ((held[:, seat] | state.chief[:, 0]) & unseen == 0).all()
        gone = (state.places > 0).sum(axis=1)
        known = np.bitwise_count(held[:, seat] | state.chief[:, 0])
        assert (np.bitwise_count(unseen) == 50 - gone - known).all()


def test_turns_to_come_are_those_of_all_rounds() -> None:
    game = Game(rounds=3)
    state = under_way(game, 120)
    ended = 8 * state.round.astype(int) + state.turn
    assert (look(game, game.observe(state)).left == 23 - ended).all()
    assert len(set(ended.tolist())) > 20


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_imagined_worlds_are_drawn_evenly_from_what_is_unseen(options: dict[str, Any]) -> None:
    game, samples = Game(**options), 4000
    state = under_way(game, 8)
    sight = look(game, game.observe(state))
    worlds = imagine(game, sight, as_seeds(range(len(state))), samples)
    others = imagine(game, sight, as_seeds(range(50, 50 + len(state))), samples)
    assert (worlds != others).any(axis=(0, 1)).all()
    sizes = [game.choices] * (game.num_seats - 1) + [game.face_up + game.face_down]
    assert (np.bitwise_count(worlds) == np.array(sizes)[:, None, None]).all()
    assert (np.bitwise_count(np.bitwise_or.reduce(worlds)) == sum(sizes)).all()
    assert ((worlds & sight.chief)[-1] == sight.chief).all()
    worlds[-1] ^= sight.chief
    assert (worlds & ~sight.unseen == 0).all()
    for seat, cards in enumerate(np.bitwise_count(worlds).max(axis=(1, 2))):
        counts = flags(worlds[seat]).sum(axis=0)  # (games, cards)
        chance = flags(sight.unseen) * cards / np.bitwise_count(sight.unseen)[:, None]
        spread = np.sqrt(samples * chance * (1 - chance))
        assert (abs(counts - samples * chance) <= 5 * spread).all()


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_turns_play_out_as_in_the_engine(options: dict[str, Any]) -> None:
    game, games = Game(**options), 100
    state, stream = game.deal(range(games)), as_seeds(range(games))
    turns, every = 0, np.arange(games)
    while not state.over.all():
        before, actions = state.copy(), game.packing.pick(game.legal(state), stream)
        game.step(state, actions)
        if (before.chosen.any(axis=1) & ~state.chosen.any(axis=1)).all():
            sets = before.chosen.copy()
            sets[every, before.seat] |= BIT[actions]
            for seat in range(game.num_seats):
                order = (seat + np.arange(game.num_seats)) % game.num_seats
                sight = look(game, game.observe(before, np.full(games, seat)))
                chief = before.chief[:, :1] | before.chief[:, 1:]
                brought = np.concatenate([sets[:, order], chief], axis=1).T[:, None]
                found = play_turns(game, sight, every, brought)[:, 0].T  # (games, seats + 1)
                assert found[:, :-1].tolist() == game.marks(state)[:, order].tolist()
                if (state.round == before.round).all():
                    assert found[:, -1].tolist() == ((state.places == BESIDE) @ MARKS).tolist()
            turns += 1
    assert turns == 8 * game.config.rounds


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_shared_out_worlds_hold_every_unseen_card_as_often(options: dict[str, Any]) -> None:
    game = Game(**options)
    state = under_way(game, 60)
    sight = look(game, game.observe(state))
    worlds = share_out(game, sight, as_seeds(range(len(state))), 50)
    one = imagine(game, sight, as_seeds(range(len(state))), 1)
    assert (np.bitwise_count(worlds) == np.bitwise_count(one)).all()
    assert ((worlds & sight.chief)[-1] == sight.chief).all()
    worlds[-1] ^= sight.chief
    brought = np.bitwise_or.reduce(worlds)
    assert (np.bitwise_count(brought) == np.bitwise_count(worlds).sum(axis=0)).all()
    assert (brought & ~sight.unseen == 0).all()
    counts = flags(brought).sum(axis=0)  # (games, cards)
    unseen = flags(sight.unseen)
    low = np.where(unseen, counts, 99).min(axis=1)
    assert (np.where(unseen, counts, 0).max(axis=1) - low <= 1).all()
    others = share_out(game, sight, as_seeds(range(99, 99 + len(state))), 50)
    assert (worlds != others).any(axis=(0, 1)).all()


def test_heuristic_breaks_ties_evenly() -> None:
    """Eight cards in a row, of one colour and worth, that no other seat's card can part."""
    game = Game(num_players=5, colors=colours(red=[*range(21, 30), 40]))
    state = dealt(game, [[29, *range(21, 29)], [40], [2], [12], [32]], [])
    state = played(game, state, 29, 40, 2, 12, 32).take([0] * 4000)
    counts = Counter((decided(game, state, weights=Weights(edge=0)) + 1).tolist())
    assert set(counts) == set(range(21, 29))
    assert all(abs(count - 500) < 5 * np.sqrt(4000 * 7 / 64) for count in counts.values())


def test_heuristic_avoids_the_card_that_explodes() -> None:
    """Its card is the lowest and goes under the red 11; all but one of its cards are red."""
    reds = [1, 3, 4, 5, 6, 7, 8, 11]
    game = Game(
        num_players=5,
        colors=colours(red=reds, yellow=[2, 16], green=[21], blue=[26], purple=[31]),
    )
    state = dealt(game, [[11, 1, 2, 3, 4, 5, 6, 7, 8], [16], [21], [26], [31]], [])
    state = played(game, state, 11, 16, 21, 26, 31)
    assert set(decided(game, state.take([0] * 200)) + 1) == {2}


def test_heuristic_finds_the_pair_that_does_not_explode() -> None:
    """Its cards are the lowest; the lower goes under the red 11, the other under the yellow 16."""
    reds = [1, 3, 4, 5, 6, 7, 8, 11]
    game = Game(colors=colours(red=reds, yellow=[16], green=[9, 21], blue=[2, 26], purple=[31]))
    state = dealt(game, [[11, 16, 1, 3, 4, 5, 6, 7, 8], [21, 26]], [31, 2, 44, 36, 9, 45])
    state = played(game, state, 11, 16, 21, 26).take([0] * 200)
    first = decided(game, state)
    game.step(state, first)
    pairs = np.sort(np.stack([first, decided(game, state)], axis=1) + 1, axis=1)
    assert set(pairs[:, 0]) == {2}


def two_reds_left(last: list[int], **options: Any) -> tuple[Game, GuardiansState]:
    """The last turn of a round: two red cards in hand, of which neither can explode."""
    reds = [21, 23, 25, 27, 29, 31]
    game = Game(num_players=5, colors=colours(red=[*last, *reds, 33, 35]), **options)
    state = dealt(game, [[*reds, 40, *last], [33, 35], [], [], []], [])
    deck = state.decks[0, 0].astype(int).reshape(-1)
    for turn in range(7):
        for seat in range(5):
            game.step(state, deck[[9 * seat + turn]])
    lowest = game.fields.get(game.observe(state), "colours")[0, 0, :, 6]  # (columns,)
    assert not lowest.any()
    return game, state.take([0] * 200)


def test_heuristic_keeps_the_better_last_card() -> None:
    """5 counts three marks, 6 one."""
    assert set(decided(*two_reds_left([5, 6])) + 1) == {5}


def test_heuristic_keeps_nothing_for_turns_of_another_round() -> None:
    """6 is nearer to the edge than 7, and otherwise the same; the next round is dealt anew."""
    assert set(decided(*two_reds_left([6, 7], rounds=2)) + 1) == {6, 7}


def listed(game: Game, state: GuardiansState, weights: Weights) -> tuple[Sight, Options]:
    """What seats see, and the options that they weigh."""
    sight = look(game, game.observe(state))
    return sight, list_options(game, Odds(game, weights), sight, game.legal(state))


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_options_cost_what_all_their_new_cards_are_worth(options: dict[str, Any]) -> None:
    """An edge card is worth `edge` while turns of the round are to come; `last` counts marks."""
    game, weights = Game(**options), Weights(edge=3, last=0.5)
    state = under_way(game, 120)
    sight, found = listed(game, state, weights)
    for row, brought, kept in zip(found.rows, found.brought, found.kept, strict=True):
        cards = np.flatnonzero(flags(brought & ~sight.chosen[row]))
        edge = sum(3 * game.choices * abs(card - 24.5) / 24.5 for card in cards)
        if state.turn[row] == 7:
            over = state.round[row] == game.config.rounds - 1
            edge = -0.5 * sum(MARKS[cards].tolist()) if over else 0
        turns = max(sight.left[row], 0.01)
        assert np.log(kept) * 2 * game.choices * np.sqrt(turns) == pytest.approx(edge)
    new = np.bitwise_count(found.brought & ~sight.chosen[found.rows])
    assert set(new.tolist()) == set(range(1, game.choices + 1))


def test_a_lead_after_the_last_turn_decides() -> None:
    game = Game(num_players=3)
    state = under_way(game, 200)
    state = state.take(np.flatnonzero(state.turn == 7))
    sight, options = listed(game, state, Weights())
    sight.taken[1:3] = 1
    sight.taken[0] = np.arange(len(state)) % 3
    worlds = imagine(game, sight, as_seeds(range(len(state))), 1)
    marks = outcomes(game, sight, worlds, options.rows, options.brought)[:-1, 0]
    left = sight.left[options.rows]
    worth = Odds(game, Weights()).chances(left, marks, options.kept) / CERTAIN
    lead = marks[1:].min(axis=0) - marks[0]
    assert (worth[lead > 0] > 0.95).all()
    assert (worth[lead < 0] < 0.05).all()
    assert {-1, 0, 1} <= {*lead.tolist()}


def test_a_hopeless_deficit_is_no_error() -> None:
    """157 marks behind on the last turn: `filterwarnings` makes a warning an error."""
    game = Game(num_players=3, rounds=3)
    state = under_way(game, 150)
    state = state.take(np.flatnonzero((state.turn == 7) & (state.round == 2)))
    assert len(state)
    seen, legal = game.observe(state), game.legal(state)
    for behind in (157, 240):
        seen[:, game.fields.slices["taken"]] = [behind, 0, 0]
        seeds = as_seeds(range(len(state)))
        decision = Decision(game, state.seat, legal, seeds, lambda: seen)
        actions = GuardiansHeuristic(game).act(decision)
        assert game.packing.contains(legal, actions).all()


@pytest.mark.parametrize("samples", [1, 0, "8", 8.0, None])
def test_wrong_numbers_of_worlds_are_refused(samples: Any) -> None:
    with pytest.raises(InvalidArgument, match="samples: a whole number of at least 2, not"):
        GuardiansHeuristic(Game(), samples=samples)


@pytest.mark.parametrize("name", ["spread", "edge", "last"])
@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), "x", None, [1.0], True, 1e300, -1e300, 1000.1, 10**400]
)
def test_weights_that_are_no_sensible_numbers_are_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidArgument, match=rf"{name}: from (-1000|0\.01) to 1000 marks, not"):
        Weights(**{name: value})


@pytest.mark.parametrize("spread", [0, -1, 0.009, 1e-300])
def test_a_spread_is_above_zero(spread: float) -> None:
    with pytest.raises(InvalidArgument, match=f"spread: from 0.01 to 1000 marks, not {spread}"):
        Weights(spread=spread)


@pytest.mark.parametrize("spread", [0.01, 1000])
@pytest.mark.parametrize("other", [-1000, 1000])
def test_the_outermost_weights_play(spread: float, other: float) -> None:
    game = Game(num_players=3)
    heuristic = GuardiansHeuristic(game, samples=4, weights=Weights(spread, other, other))
    with np.errstate(all="raise", under="ignore"):
        outcome = play_games(game, [heuristic] * 3, range(4))
    assert (outcome.rewards.sum(axis=1) == 0).all()
