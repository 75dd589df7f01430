"""All faces give the same game for the same seed and the same choices."""

from typing import Any

import numpy as np
import pytest

from chromazoo.envs.aec import AECFace
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.vector import VectorFace
from tests.faces.checkers import play_on
from tests.faces.play import Course, Players, play_aec, play_parallel
from tests.games import EXAMPLES, TINY

GAMES = [
    *("tiny", "tiny-biggest", "baby-one-row", "basic-flipped", "kroma-random"),
    *("guardians", "guardians-3"),
]
SEEDS = 12
LIMIT = 400


def aec_courses(name: str, limit: int) -> list[Course]:
    env = AECFace(EXAMPLES[name], max_plies=limit)
    courses = []
    for seed in range(SEEDS):
        env.reset(seed=seed)
        courses.append(play_aec(env, Players([seed], env.game.num_seats)))
    return courses


def vector_courses(name: str, limit: int) -> list[Course]:
    env = VectorFace(EXAMPLES[name], SEEDS, max_plies=limit)
    env.reset(seed=0)
    courses = [Course(rewards=[0.0] * env.game.num_seats) for _ in range(SEEDS)]
    playing = set(range(SEEDS))
    before: Any = None
    for now in play_on(env, Players(np.arange(SEEDS), env.game.num_seats), limit):
        for row in sorted(playing):
            course = courses[row]
            if before is not None:
                mask = before.mask[row].tobytes()
                course.alone[len(course.decisions)] = before.observation[row].tobytes()
                course.decisions.append((int(before.seats[row]), mask, int(now.actions[row])))
            if now.done[row]:
                course.rewards = now.rewards[row].tolist()
                course.truncated = bool(now.truncations[row])
                views = env.game.observe(
                    env._playing.take([row] * env.game.num_seats), np.arange(env.game.num_seats)
                )
                course.last_views = [view.tobytes() for view in views]
                playing.remove(row)
        before = now
    assert not playing
    return courses


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("limit", [2, 7, LIMIT])
def test_the_batched_face_gives_the_game_of_the_aec_face(name: str, limit: int) -> None:
    courses = aec_courses(name, limit)
    assert vector_courses(name, limit) == courses
    assert any(course.truncated for course in courses) == (limit < LIMIT)


@pytest.mark.parametrize("name", [*TINY, "guardians-3"])
@pytest.mark.parametrize("limit", [4, 7, LIMIT])
def test_the_parallel_face_gives_the_game_of_the_aec_face(name: str, limit: int) -> None:
    env = ParallelFace(EXAMPLES[name], max_plies=limit)
    for seed, course in enumerate(aec_courses(name, limit)):
        seen, _ = env.reset(seed=seed)
        parallel = play_parallel(env, Players([seed], env.game.num_seats), seen)
        assert parallel.decisions[: len(course.decisions)] == course.decisions
        assert len(parallel.decisions) - len(course.decisions) in (
            range(3) if course.truncated else [0]
        )
        assert parallel.last_views == course.last_views
        assert parallel.rewards == course.rewards
        assert parallel.truncated == course.truncated
        assert parallel.alone or name not in TINY
        for number, view in parallel.alone.items():
            assert course.alone[number] == view


@pytest.mark.parametrize("limit", [4, 7, LIMIT])
def test_a_seat_that_chooses_twice_gives_the_same_game_in_both_faces(limit: int) -> None:
    """In a duel of Guardians seats choose in the order 0, 0, 1, 1 one by one, and 0, 1 a step."""
    env = ParallelFace(EXAMPLES["guardians"], max_plies=limit)
    for seed, course in enumerate(aec_courses("guardians", limit)):
        seen, _ = env.reset(seed=seed)
        parallel = play_parallel(env, Players([seed], 2), seen)
        for seat in range(2):
            one, other = ([part for part in each.decisions if part[0] == seat]
                          for each in (course, parallel))  # fmt: skip
            assert one == other[: len(one)]
            assert len(other) == len(one) or course.truncated
        assert parallel.last_views == course.last_views
        assert (parallel.rewards, parallel.truncated) == (course.rewards, course.truncated)
