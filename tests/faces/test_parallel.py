from functools import partial

import numpy as np
import pytest

from chromazoo.envs.errors import (
    ChromazooError,
    IllegalAction,
    InvalidArgument,
    InvalidConfig,
    InvalidSetup,
)
from chromazoo.envs.parallel import ParallelFace
from tests.faces import checkers
from tests.games import EXAMPLES, TINY
from tests.tiny.game import STOP, TO_SELF
from tests.tiny.game import Game as TinyGame

SETUP = {"secrets": [3, 0, 5], "first": 2}


@pytest.mark.parametrize("name", [*TINY, "guardians", "guardians-3"])
@pytest.mark.parametrize(
    "check",
    [
        checkers.check_parallel_seeds,
        checkers.check_parallel_forms,
        checkers.check_parallel_illegal,
        checkers.check_parallel_truncation,
    ],
)
def test_the_parallel_face(check: object, name: str) -> None:
    assert callable(check)
    check(partial(ParallelFace, EXAMPLES[name]))


def test_games_without_simultaneous_decisions_are_refused() -> None:
    with pytest.raises(InvalidConfig, match="no simultaneous decisions"):
        ParallelFace(EXAMPLES["baby"])


def test_metadata_and_spaces() -> None:
    env = ParallelFace(TinyGame(), "ansi")
    assert str(env) == "tiny_v0"
    assert env.metadata["is_parallelizable"] is True
    assert env.metadata["render_modes"] == ["human", "ansi", "rgb_array"]
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)


def test_one_step_is_one_choice_of_every_pending_seat() -> None:
    env = ParallelFace(TinyGame())
    seen, _ = env.reset(seed=1, options={"setup": SETUP})
    assert [int(part["action_mask"].sum()) for part in seen.values()] == [3, 3, 3]
    seen, *_ = env.step({"player_0": 0, "player_1": 2, "player_2": np.int64(1)})
    assert [int(part["action_mask"].sum()) for part in seen.values()] == [0, 2, 0]
    seen, *_ = env.step({"player_1": 3})
    assert seen["player_1"]["action_mask"].any()
    seen, rewards, terminations, truncations, _ = env.step({"player_1": TO_SELF + 1, "player_0": 7})
    assert [int(part["action_mask"].sum()) for part in seen.values()] == [3, 3, 3]
    assert set(rewards.values()) == {0.0}
    assert not any((*terminations.values(), *truncations.values()))


def test_a_refused_step_changes_nothing() -> None:
    env = ParallelFace(TinyGame(), "ansi")
    env.reset(seed=1, options={"setup": SETUP})
    told = (env.state().tobytes(), env.render())
    for actions, seat, action in (
        ({"player_0": 0, "player_1": 1, "player_2": STOP}, 2, STOP),
        ({"player_0": 99, "player_1": 1, "player_2": 1}, 0, 99),
    ):
        with pytest.raises(IllegalAction) as caught:
            env.step(actions)
        assert (caught.value.seat, caught.value.action) == (seat, action)
        assert (env.state().tobytes(), env.render()) == told
    for missing in ({}, {"player_0": 0, "player_1": 1}, {f"player_{n}": None for n in range(3)}):
        with pytest.raises(ChromazooError, match="owes a decision"):
            env.step(missing)
        assert (env.state().tobytes(), env.render()) == told
    for wrong in (None, [], [1, 2, 3], "x"):
        with pytest.raises(ChromazooError, match="a mapping of seats to actions"):
            env.step(wrong)
    for action in (1.0, "1"):
        with pytest.raises(InvalidArgument, match="player_2: an action is one integer"):
            env.step({"player_0": 0, "player_1": 1, "player_2": action})
        assert (env.state().tobytes(), env.render()) == told
    with pytest.raises(InvalidSetup):
        env.reset(options={"setup": {}})
    with pytest.raises(ChromazooError, match="no option"):
        env.reset(options={"surplus": 1})
    assert (env.state().tobytes(), env.render()) == told


def test_stepping_before_reset_is_refused() -> None:
    with pytest.raises(ChromazooError, match=r"reset\(\)"):
        ParallelFace(TinyGame()).step({})


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_reaching_the_limit_truncates_even_amid_a_step(limit: int) -> None:
    env = ParallelFace(TinyGame(), max_plies=limit)
    seen, _ = env.reset(seed=1)
    for _ in range(2):
        assert env.agents
        actions = {agent: int(part["action_mask"].argmax()) for agent, part in seen.items()}
        seen, rewards, terminations, truncations, _ = env.step(actions)
        if limit <= 3:
            break
    assert env.agents == []
    assert set(truncations.values()) == {True}
    assert set(terminations.values()) == {False}
    assert set(rewards.values()) == {0.0}
    assert not any(part["action_mask"].any() for part in seen.values())


def test_human_prints_after_reset_and_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env, drawn = ParallelFace(TinyGame(), "human"), ParallelFace(TinyGame(), "ansi")
    for face in (env, drawn):
        face.reset(seed=1)
    expected = [drawn.render()]
    for face in (env, drawn):
        face.step({"player_0": 0, "player_1": 2, "player_2": 0})
    expected.append(drawn.render())
    assert capsys.readouterr().out == "".join(f"{text}\n" for text in expected)
