"""The shipped policy of baby Kroma hardly ever gives away value; and the measure of that."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.agents import load
from chromazoo.agents.agent import Agent, Decision, RandomAgent
from chromazoo.agents.choice import best
from chromazoo.agents.ppo import PPOAgent
from chromazoo.envs.errors import UnknownName
from chromazoo.envs.kroma.rules import Game, KromaState
from chromazoo.envs.randomness import uniform
from tests.kroma.batch_solving import Solution, keys_of
from tests.kroma.reference import Config, begin, from_position
from tests.kroma.solving import key_of
from tests.kroma.solving import solve as solve_by_reference
from tests.kroma.value_lost import Judgement, judge_games, solved

GAMES = 1000  # against each opponent, half of them at each seat
OPPONENTS = ("random", "heuristic")
ALLOWED = 0.02
SEED = 7


@dataclass
class Solver:
    """Takes an action of the highest value, or of the lowest; evenly among equals.

    Attributes:
        sign: 1 for the highest value, -1 for the lowest.
        choices: Of each decision, whether its actions differ in value.
    """

    game: Game
    solution: Solution
    sign: int
    choices: list[bool] = field(default_factory=list)
    name = "solver"
    wants_states = True

    def act(self, decision: Decision) -> NDArray[np.int64]:
        assert isinstance(decision.states, KromaState)
        rows, actions = self.game.packing.listed(decision.legal)
        following = decision.states.take(rows)
        self.game.step(following, actions)
        places = self.solution.places(keys_of(self.game, following))
        worth = -self.sign * self.solution.value[places].astype(np.float64)
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        spread = np.maximum.reduceat(worth, first) - np.minimum.reduceat(worth, first)
        self.choices += (spread > 0).tolist()
        return best(rows, actions, worth, uniform(decision.stream))


class Scribe(RandomAgent):
    """Chooses at random and writes down positions and moves."""

    name = "scribe"
    wants_states = True

    def __init__(self, game: Game) -> None:
        self.game = game
        self.written: list[tuple[str, str]] = []

    def act(self, decision: Decision) -> NDArray[np.int64]:
        assert isinstance(decision.states, KromaState)
        actions = super().act(decision)
        self.written += [
            (
                self.game.position_text(decision.states, row),
                self.game.move_text(decision.states, row, int(action)),
            )
            for row, action in enumerate(actions)
        ]
        return actions


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(size="baby")


@pytest.fixture(scope="module")
def solution(game: Game) -> Solution:
    return solved(game)


def judged(game: Game, solution: Solution, player: Agent, chooser: Agent) -> Judgement:
    """Judge choices in what a player meets against both opponents."""
    opponents = [load(name, game) for name in OPPONENTS]
    return Judgement.joined(
        [judge_games(game, solution, player, chooser, each, GAMES, SEED) for each in opponents]
    )


def test_the_best_choice_gives_nothing_away(game: Game, solution: Solution) -> None:
    solver = Solver(game, solution, 1)
    for player in (solver, RandomAgent()):
        judgement = judged(game, solution, player, solver)
        assert len(judgement.lost) > 6 * GAMES
        assert set(judgement.value.tolist()) == {-1, 0, 1}
        assert judgement.share == judgement.distinct_share == 0


def test_the_worst_choice_gives_value_away_wherever_it_can(game: Game, solution: Solution) -> None:
    worst = Solver(game, solution, -1)
    judgement = judged(game, solution, RandomAgent(), worst)
    assert (judgement.lost > 0).tolist() == worst.choices
    assert set(judgement.lost[judgement.value == 1].tolist()) == {0, 1, 2}
    assert not judgement.lost[judgement.value == -1].any()


def test_random_choices_give_away_far_more_than_is_allowed(game: Game, solution: Solution) -> None:
    judgement = judged(game, solution, RandomAgent(), RandomAgent())
    assert judgement.share > 5 * ALLOWED
    assert judgement.distinct_share > 5 * ALLOWED


def test_the_reference_finds_the_same_values() -> None:
    options: dict[str, Any] = {
        "size": "baby",
        "piece_rows": 1,
    }  # a small game, which the reference solves soon
    game = Game(**options, random=True)
    config = Config(**options, no_capture_limit=0)
    values = {key: value for key, (value, _) in solve_by_reference(begin(config)).items()}
    scribe = Scribe(game)
    judgement = judge_games(
        game, solved(Game(**options)), RandomAgent(), scribe, RandomAgent(), 60, SEED
    )
    assert len(scribe.written) > 200
    expected = []
    for position, move in scribe.written:
        before = from_position(config, position)
        value, enemy = values[key_of(before)], values[key_of(before.after(move))]
        expected.append((value, value + enemy))
    assert list(zip(judgement.value, judgement.lost, strict=True)) == expected


def test_the_shipped_policy_gives_away_little(game: Game, solution: Solution) -> None:
    try:
        player = load("ppo", game)
    except UnknownName as error:
        pytest.skip(str(error))
    assert isinstance(player, PPOAgent)
    greedy = PPOAgent(player.network, greedy=True)
    judgement = judged(game, solution, player, greedy)
    found = f"{judgement.share:.2%} of {len(judgement.lost)} decisions give value away"
    assert judgement.share <= ALLOWED, found
    assert judgement.distinct_share <= ALLOWED, found
