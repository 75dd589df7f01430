"""What is timed in the AEC face."""

import pytest

from chromazoo.benchmarks import single_game
from chromazoo.benchmarks.single_game import FACES, make_face, play_game, time_face
from chromazoo.envs.aec import AECFace
from chromazoo.envs.randomness import agent_stream, as_seeds
from tests.benchmarks.counting import Counting
from tests.games import EXAMPLES


def test_the_faces_are_those_that_users_get() -> None:
    game = EXAMPLES["kroma"]
    assert type(make_face(game, "aec-raw")) is AECFace
    wrapped = make_face(game, "aec")
    assert type(wrapped) is not AECFace
    assert type(wrapped.unwrapped) is AECFace


@pytest.mark.parametrize("what", FACES)
def test_whole_games_are_timed_decision_by_decision(what: str) -> None:
    game = Counting()
    env = make_face(game, what)
    ticks = iter(range(10**6))
    for seed in range(20):
        before = game.decided
        lasted = play_game(env, seed, agent_stream(as_seeds(seed), 0), lambda: next(ticks))
        assert env.unwrapped.terminations
        assert all(env.unwrapped.terminations.values())
        assert len(lasted) == game.decided - before > 0
        assert set(lasted) == {1}


def test_step_and_last_are_timed_and_no_more() -> None:
    game = Counting()
    env = make_face(game, "aec-raw")
    stream = agent_stream(as_seeds(0), 0)
    assert set(play_game(env, 3, stream, lambda: game.decided)) == {1}  # step
    assert set(play_game(env, 3, stream, lambda: game.looked)) == {1}  # last
    assert set(play_game(env, 3, stream, lambda: game.dealt)) == {0}  # reset


def test_a_game_that_could_go_on_for_ever_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_game, "_LONGEST", 7)
    endless, other = EXAMPLES["baby-endless"], EXAMPLES["baby"]
    stream = agent_stream(as_seeds(0), 0)
    assert max(len(play_game(make_face(endless, "aec"), seed, stream)) for seed in range(9)) == 7
    assert max(len(play_game(make_face(other, "aec"), seed, stream)) for seed in range(9)) > 7


def test_one_game_at_least_is_timed() -> None:
    lasted = time_face(EXAMPLES["tiny"], "aec", 0.0, 0)
    assert lasted
    assert min(lasted) > 0
