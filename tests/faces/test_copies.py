"""Copies and pickles made in the middle of a game go on as the original does, and apart from it."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.aec import AECFace, make_env
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.vector import VectorFace
from tests.faces.checkers import ROWS, by_row, moment, play_on
from tests.faces.play import Players, play_aec, play_parallel
from tests.games import EXAMPLES, TINY

GAMES = ["tiny", "baby", "basic-flipped", "kroma-random", "chroma-3", "guardians", "guardians-3"]
Copy = Callable[[Any], Any]
COPIES: list[Copy] = [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]


@pytest.mark.parametrize("copied", COPIES, ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("make", [AECFace, make_env])
@pytest.mark.parametrize("decisions", [0, 1, 4])
def test_aec(copied: Copy, name: str, make: Any, decisions: int) -> None:
    env = make(EXAMPLES[name], max_plies=60)
    before = copied(env)
    env.reset(seed=4)
    for _ in range(decisions):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    twin, third = copied(env), copied(env)
    told = env.state().tobytes()
    course = play_aec(twin, Players([4], len(env.possible_agents)))
    assert env.state().tobytes() == told
    assert play_aec(env, Players([4], len(env.possible_agents))) == course
    assert play_aec(third, Players([4], len(env.possible_agents))) == course
    views = []
    for face in (env, twin, third):  # the following game is the same too
        face.reset()
        views.append(face.state().tobytes())
    assert len(set(views)) == 1
    before.reset(seed=4)
    assert len(before.agents) == len(env.possible_agents)


@pytest.mark.parametrize("copied", COPIES, ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("name", [*TINY, "guardians", "guardians-3"])
@pytest.mark.parametrize("steps", [0, 1, 2])
def test_parallel(copied: Copy, name: str, steps: int) -> None:
    """In a duel of Guardians a turn has two steps: after one of them a card of each is sealed."""
    env = ParallelFace(EXAMPLES[name])
    seats = env.game.num_seats
    seen, _ = env.reset(seed=4)
    for _ in range(steps):
        seen, *_ = env.step({agent: part["action_mask"].argmax() for agent, part in seen.items()})
    twin, told = copied(env), env.state().tobytes()
    course = play_parallel(twin, Players([4], seats), seen)
    assert env.agents == env.possible_agents
    assert env.state().tobytes() == told
    assert play_parallel(env, Players([4], seats), seen) == course


@pytest.mark.parametrize("copied", COPIES, ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("name", GAMES)
def test_vector(copied: Copy, name: str) -> None:
    env = VectorFace(EXAMPLES[name], ROWS, max_plies=20)
    env.reset(seed=4)
    list(play_on(env, Players(np.arange(ROWS), env.game.num_seats), 15))
    twin = copied(env)
    told = by_row([moment(env)])
    course = by_row(list(play_on(twin, Players(np.arange(ROWS), env.game.num_seats), 40)))
    assert by_row([moment(env)]) == told
    players = Players(np.arange(ROWS), env.game.num_seats)
    assert by_row(list(play_on(env, players, 40))) == course


def test_samples_of_a_copy_do_not_disturb_the_original() -> None:
    env = AECFace(EXAMPLES["baby"])
    env.action_space("player_0").seed(1)
    twin = copy.deepcopy(env)
    drawn = [twin.action_space("player_0").sample() for _ in range(5)]
    assert [env.action_space("player_0").sample() for _ in range(5)] == drawn
