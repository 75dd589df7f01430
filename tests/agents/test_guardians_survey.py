"""What Guardians' network is told of each card: surveys of the turn in worlds that may be."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from chromazoo.agents import guardians_survey
from chromazoo.agents.guardians import CERTAIN, Odds, Weights
from chromazoo.agents.guardians_survey import FIGURES, Survey, _survey, blank, seeds_of, survey
from chromazoo.agents.guardians_worlds import look, play_turns, share_out
from chromazoo.envs.guardians.cards import BIT, flags
from chromazoo.envs.guardians.rules import Game
from chromazoo.envs.randomness import as_seeds
from chromazoo.envs.registry import make_game
from tests.agents.positions import under_way

VARIANTS: list[dict[str, Any]] = [
    {},
    {"rounds": 3, "colors": [colour for colour in range(5) for _ in range(10)]},
    {"duel": False, "rounds": 2},
    {"num_players": 4},
    {"num_players": 5, "rounds": 2},
]


def names(options: object) -> str:
    return str(options)[:50]


def surveyed(game: Game, observation: Any, worlds: int = 8) -> Survey:
    return survey(game, Odds(game, Weights()), look(game, observation), worlds)


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_surveys_are_alike_on_both_engines(options: dict[str, Any]) -> None:
    pytest.importorskip("numba")
    game, fast = Game(**options), make_game("guardians", engine="compiled", **options)
    seen = game.observe(under_way(game, 200))
    for worlds in (1, 8):
        plain, other = surveyed(game, seen, worlds), surveyed(fast, seen, worlds)
        for name in Survey._fields:
            assert getattr(plain, name).tobytes() == getattr(other, name).tobytes(), name


@pytest.mark.parametrize("engine", ["numpy", "compiled"])
def test_what_nobody_can_see_is_surveyed_without_harm(engine: str) -> None:
    """Any bytes may be observed: networks are asked about observations of nothing."""
    if engine == "compiled":
        pytest.importorskip("numba")
    game: Any = make_game("guardians", engine=engine)
    random = np.random.default_rng(1)
    high = game.fields.high.astype(int)
    for seen in (
        np.zeros((3, game.num_features), np.uint8),
        random.integers(0, high + 1, (20, game.num_features)).astype(np.uint8),
        random.integers(0, 256, (20, game.num_features)).astype(np.uint8),
    ):
        found = surveyed(game, seen, 2)
        assert np.isfinite(found.cards).all()
        assert np.isfinite(found.positions).all()


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_figures_are_sums_over_worlds_of_the_best_pair(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guardians_survey, "FINALISTS", 99)
    game, worlds = Game(**options), 4 * guardians_survey.MORE
    state = under_way(game, 60)
    sight, odds = look(game, game.observe(state)), Odds(game, Weights(edge=0))
    held = np.bitwise_count(sight.hand).astype(int)
    figures = blank(held.sum())
    _survey(game, odds, sight, figures, 4)
    drawn = share_out(game, sight, seeds_of(sight), worlds)
    for row in range(0, len(state), 6):
        place = held[:row].sum()
        cards = np.flatnonzero(flags(sight.hand[[row]])[0])
        pairing = game.choices == 2 and not sight.chosen[row]
        for card in cards:
            pairs = [pair for pair in combinations(cards, 2) if card in pair]
            chances, gains, mates = [], [], []
            for pair in pairs if pairing else [(card,)]:
                own = np.bitwise_or.reduce(BIT[list(pair)]) | sight.chosen[row]
                brought = np.insert(drawn[:, :, row], 0, own, axis=0)[..., None]
                marks = play_turns(game, sight, np.array([row]), brought)[..., 0]
                left = sight.left[[row] * worlds]
                kept = np.full(worlds, odds.kept[left[0], list(pair)].prod())
                chances.append(int(odds.chances(left, marks[:-1], kept).sum()))
                gains.append(marks - sight.taken[:, [row]])
                mates.append(([other for other in pair if other != card] or [-1])[0])
            best = int(np.argmax(chances))
            told = dict(zip(FIGURES, figures[place].tolist(), strict=True))
            assert told["chances"] == chances[best]
            assert told["all_chances"] == sum(chances)
            assert told["pairs"] == len(chances)
            assert told["mate"] == mates[best]
            assert told["own"] == gains[best][0].sum()
            assert told["others"] == gains[best][1:-1].sum()
            assert told["beside"] == gains[best][-1].sum()
            assert told["hits"] == (gains[best][0] > 0).sum()
            assert told["squares"] == (gains[best][0] ** 2).sum()
            assert 0 <= told["chances"] <= worlds * CERTAIN
            place += 1


@pytest.mark.parametrize("options", VARIANTS, ids=names)
def test_a_survey_is_a_function_of_the_observation(options: dict[str, Any]) -> None:
    game = Game(**options)
    state = under_way(game, 100)
    whole = surveyed(game, game.observe(state))
    world = game.redeal(state, state.seat, as_seeds(range(len(state))))
    again = surveyed(game, game.observe(world, state.seat))
    assert all(np.array_equal(one, other) for one, other in zip(whole, again, strict=True))
    for row in range(0, len(state), 9):
        alone = surveyed(game, game.observe(state.take([row])))
        assert np.array_equal(alone.positions[0], whole.positions[row])
        cards = whole.cards[whole.places[row]]
        assert np.array_equal(alone.cards[alone.places[0]], cards)


def test_worlds_differ_from_one_observation_to_another() -> None:
    game = Game()
    sight = look(game, game.observe(under_way(game, 500)))
    assert len(set(seeds_of(sight).tolist())) == len(sight.turns)
