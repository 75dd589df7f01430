from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.agents import Agent, RandomAgent, decide, load
from chromazoo.agents.chroma import ChromaHeuristic, Weights, exponential
from chromazoo.agents.chroma_sight import MOST, missed_odds
from chromazoo.agents.match import evaluate, play_games
from chromazoo.envs import kroma_v0
from chromazoo.envs.chroma.board import space_name
from chromazoo.envs.chroma.cards import GIFT, LOCK, MAGNET, REPLAY
from chromazoo.envs.chroma.config import PHASES, POWER, WHEELS
from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.errors import InvalidArgument, UnknownName
from chromazoo.envs.randomness import agent_stream, as_seeds
from tests.agents import positions
from tests.agents.plain_chroma import PlainRule
from tests.agents.positions import (
    check_decides_alike_alone,
    check_decides_by_what_it_knows,
    check_wins_at_once,
    last_chances,
    under_way,
)

OWN_WHEEL = {
    "names": [f"shade-{number}" for number in range(20)],
    "compatible": [list(pair) for pair in WHEELS["ring"].compatible[::2]],
}
VARIANTS: list[dict[str, Any]] = [
    {},
    {"wheel": "narrow", "power_copies": 0, "num_players": 3},
    {"wheel": "ring", "power_copies": 2, "num_players": 4},
    {"wheel": OWN_WHEEL, "power_copies": 3, "num_players": 5, "first_player": 4},
    {"power_copies": 4, "num_players": 6},
]


def names(options: object) -> str:
    return str(options)[:60]


def offered(game: Game, power: int, games: int, next_cards: int = 40) -> ChromaState:
    """Return the first positions of games of plain play in which a power is on offer.

    The seat that comes next holds `next_cards` cards at most.
    """
    seeds = as_seeds(range(games))
    state, stream = game.deal(seeds), agent_stream(seeds, 0)
    while True:
        following = state.sizes[np.arange(games), (state.seat + 1) % game.num_seats]
        fine = (state.phase == POWER) & (state.power == power) & (following <= next_cards)
        wait = np.flatnonzero(~state.over & ~fine)
        if not len(wait):
            return state.take(np.flatnonzero(~state.over))
        part, draws = state.take(wait), stream[wait]
        game.step(part, decide(PlainRule(), game, part, draws))
        state.put(wait, part)
        stream[wait] = draws


def decided(game: Game, state: ChromaState) -> NDArray[np.int64]:
    return positions.decided(ChromaHeuristic(game), game, state)


def after(game: Game, state: ChromaState, actions: NDArray[np.int64]) -> ChromaState:
    state = state.copy()
    game.step(state, actions)
    return state


def about_to_win(game: Game, state: ChromaState) -> NDArray[np.bool_]:
    """Tell where the one card of the seat to decide can be placed without drawing another."""
    rows, actions = game.packing.listed(game.legal(state))
    placed = after(game, state.take(rows), actions)
    winning = placed.sizes[np.arange(len(rows)), state.seat[rows]] == 0
    found = np.zeros(len(state), np.bool_)
    found[rows[winning]] = True
    return found


def score(agent: Agent, opponent: Agent, **options: Any) -> dict[str, Any]:
    return evaluate(Game(**options), agent, {"it": opponent}, games=2000, seed=1)["it"]


def test_plain_rule_beats_random() -> None:
    assert score(PlainRule(), RandomAgent())["low"] > 0.96  # 0.977 measured, low end 0.969


def test_heuristic_beats_random() -> None:
    found = score(load("heuristic", Game()), RandomAgent())
    assert found["games"] == 2000
    assert found["low"] > 0.97  # 0.987 measured, low end 0.980


def test_heuristic_beats_the_plain_rule() -> None:
    assert (
        score(ChromaHeuristic(Game()), PlainRule())["low"] > 0.76
    )  # 0.802 measured, low end 0.784


def test_heuristic_beats_three_random_agents() -> None:
    agent = ChromaHeuristic(Game(num_players=4))
    assert score(agent, RandomAgent(), num_players=4)["low"] > 0.95  # 0.974 measured, low end 0.966


def test_heuristic_beats_three_plain_rules() -> None:
    agent = ChromaHeuristic(Game(num_players=4))
    found = score(agent, PlainRule(), num_players=4)
    assert found["low"] > 0.39  # 0.438 measured, low end 0.416; a quarter for equals


def test_heuristic_refuses_another_game() -> None:
    with pytest.raises(UnknownName, match="plays CHROMA, not kroma"):
        ChromaHeuristic(kroma_v0.Game())  # type: ignore[arg-type]


def test_the_exponential_function_is_that_of_numpy() -> None:
    exponents = np.linspace(-40, 40, 100_001)
    np.testing.assert_allclose(exponential(exponents), np.exp(exponents), rtol=1e-13)
    beyond = exponential(np.array([-1e300, 1e300]))
    assert beyond.tolist() == exponential(exponents[[0, -1]]).tolist()


def test_missed_odds_are_powers() -> None:
    total, cards, number = np.ogrid[1:101, : MOST + 1, :101]
    wanted = (1 - np.minimum(number / total, 1)) ** cards
    np.testing.assert_allclose(missed_odds()[1:], wanted, rtol=1e-13)
    assert (missed_odds()[0, :, 0] == 1).all()


@pytest.mark.parametrize("name", ["cards", "swap"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -2e6, "x", None, (1.0,)])
def test_weights_that_are_no_numbers_are_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidArgument, match=f"{name}: a number from -1,000,000 to 1"):
        Weights(**{name: value})


@pytest.mark.parametrize("value", [(), (1, 2), (1, 2, 3, 4), (1, 2, float("nan")), 1.0, "abc"])
def test_there_are_as_many_weights_as_are_used(value: Any) -> None:
    with pytest.raises(InvalidArgument, match="openings: 3 numbers from -1,000,000 to 1"):
        Weights(openings=value)


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_heuristic_plays_legal_moves_to_the_end(options: dict[str, Any]) -> None:
    game = Game(**options)
    seeds = np.arange(40)
    outcome = play_games(game, [ChromaHeuristic(game)] * game.num_seats, seeds)  # refuses illegal
    assert not outcome.truncated.any()
    assert (outcome.plies > 0).all()


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_heuristic_wins_at_once_where_it_can(options: dict[str, Any]) -> None:
    game = Game(**options)
    state = last_chances(game, 400)
    assert len(state) > 100
    check_wins_at_once(ChromaHeuristic(game), game, state)


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_heuristic_decides_alike_alone_and_in_a_batch(options: dict[str, Any]) -> None:
    game = Game(**options)
    state = under_way(game, 240)
    check_decides_alike_alone(ChromaHeuristic(game), game, state)
    if game.config.power_copies:
        assert {PHASES[phase] for phase in state.phase} == set(PHASES)


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_heuristic_decides_by_what_its_seat_knows(options: dict[str, Any]) -> None:
    game = Game(**options)
    check_decides_by_what_it_knows(ChromaHeuristic(game), game, under_way(game, 240), "deck")


def test_heuristic_breaks_ties_evenly() -> None:
    game, games = Game(power_copies=0), 4000
    state = game.deal([3]).take([0] * games)  # one card on the centre: four spaces alike
    cards, spaces = np.divmod(decided(game, state), 77)
    counts = Counter(space_name(space) for space in spaces.tolist())
    assert set(counts) == {"e4", "f3", "f5", "g4"}
    assert len(set(cards.tolist())) == 1
    assert all(abs(count - games / 4) < 5 * np.sqrt(games * 3 / 16) for count in counts.values())


def test_heuristic_uses_replay_where_it_shortens_the_hand() -> None:
    game = Game(power_copies=4)
    state = offered(game, REPLAY, 3000)
    before = state.sizes[np.arange(len(state)), state.seat]
    placing = after(game, state, np.full(len(state), game.use))
    rows, actions = game.packing.listed(game.legal(placing))
    placed = after(game, placing.take(rows), actions)
    fewer = placed.sizes[np.arange(len(rows)), state.seat[rows]] < before[rows]
    shortens = np.zeros(len(state), np.bool_)
    shortens[rows[fewer]] = True
    assert 20 < shortens.sum() < len(state)
    assert (decided(game, state)[shortens] == game.use).all()


@pytest.mark.parametrize("power", [LOCK, MAGNET])
def test_heuristic_uses_lock_and_magnet_against_a_win(power: int) -> None:
    game = Game(power_copies=4)
    state = offered(game, power, 2000, next_cards=1)
    danger = about_to_win(game, after(game, state, np.full(len(state), game.skip)))
    averted = ~about_to_win(game, after(game, state, np.full(len(state), game.use)))
    state = state.take(np.flatnonzero(danger & averted))
    assert len(state) > 20
    assert (decided(game, state) == game.use).all()


def test_heuristic_takes_by_gift_from_the_seat_about_to_win() -> None:
    game = Game(power_copies=4, num_players=3)
    state = offered(game, GIFT, 1000, next_cards=1)
    danger = about_to_win(game, after(game, state, np.full(len(state), game.skip)))
    state = state.take(np.flatnonzero(danger))
    assert len(state) > 20
    assert (decided(game, state) == game.gift).all()


def test_heuristic_uses_gift_but_with_an_empty_hand() -> None:
    game = Game(power_copies=4, num_players=4)
    state = offered(game, GIFT, 2000)
    empty = state.sizes[np.arange(len(state)), state.seat] == 0
    assert empty.any()
    assert ((decided(game, state) == game.skip) == empty).all()
