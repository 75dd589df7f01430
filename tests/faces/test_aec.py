from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from chromazoo.envs.aec import AECFace, Env, make_env
from chromazoo.envs.errors import (
    ChromazooError,
    IllegalAction,
    InvalidArgument,
    InvalidConfig,
    InvalidPosition,
    InvalidSetup,
)
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.randomness import as_seeds, mix
from chromazoo.envs.vector import VectorFace
from tests.faces.play import Players, play_aec
from tests.games import EXAMPLES
from tests.tiny.game import STOP, TO_SELF
from tests.tiny.game import Game as TinyGame

GAMES = [
    *("tiny", "tiny-biggest", "baby", "basic-reversed", "kroma", "kroma-random", "chroma-4"),
    *("guardians", "guardians-3"),
]
STALEMATE = "4/2p1/4/4/4/P3 pybo/pybo/pybo/pybo/pybo/pybo w 0"


def finish(env: Env, seed: int = 0) -> None:
    """Play on at random to the last decision; leave the dead steps to come."""
    players = Players([seed], len(env.possible_agents))
    while not any((*env.terminations.values(), *env.truncations.values())):
        seen = env.observe(env.agent_selection)
        assert seen is not None
        seat = env.possible_agents.index(env.agent_selection)
        env.step(int(players.act(seen["action_mask"][None], [seat])[0]))


def test_env_enforces_the_order_of_calls() -> None:
    env = make_env(TinyGame())
    assert isinstance(env, OrderEnforcingWrapper)
    assert isinstance(env.unwrapped, AECFace)
    assert str(env) == "tiny_v0"
    env.reset(seed=1)
    with pytest.raises(IllegalAction, match="took 99"):
        env.step(99)
    before = make_env(TinyGame())
    with pytest.raises(AttributeError, match="before reset"):
        _ = before.agents
    with pytest.raises(AssertionError, match="before step"):
        before.step(0)


@pytest.mark.parametrize("action", [-1, 2**63, 2**64 - 1, 2**70])
def test_numbers_that_are_no_action_are_named_as_they_were_given(action: int) -> None:
    env = AECFace(TinyGame())
    env.reset(seed=1)
    parallel = ParallelFace(TinyGame())
    parallel.reset(seed=1)
    for step in (
        lambda: env.step(action),
        lambda: parallel.step(dict.fromkeys(parallel.agents, action)),
    ):
        with pytest.raises(IllegalAction, match=str(action)) as caught:
            step()
        assert (caught.value.seat, caught.value.action) == (0, action)


@pytest.mark.parametrize("face", [AECFace, ParallelFace, partial(VectorFace, num_envs=2)])
def test_wrong_arguments_of_reset_are_refused_in_a_line(face: Callable[..., Any]) -> None:
    env = face(TinyGame())
    for seed in ([1, 2], "1", 1.5, np.zeros(2)):
        with pytest.raises(ChromazooError, match="a seed is one whole number"):
            env.reset(seed=seed)
    for options in ([1], "position", 5):
        with pytest.raises(ChromazooError, match="options are a mapping"):
            env.reset(seed=1, options=options)


def test_agents_that_do_not_exist_are_named() -> None:
    env = AECFace(TinyGame())
    env.reset(seed=1)
    for ask in (env.observe, env.observation_space, env.action_space):
        with pytest.raises(InvalidArgument, match="no agent 'player_7'; the agents are player_0"):
            ask("player_7")


def test_names_and_metadata() -> None:
    env = AECFace(TinyGame())
    assert env.metadata == {
        "name": "tiny_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
    }
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    env.reset(seed=1)
    assert env.agents == env.possible_agents
    assert env.agents is not env.possible_agents


@pytest.mark.parametrize("name", GAMES)
def test_spaces_are_the_same_objects_at_every_call_one_for_each_seat(name: str) -> None:
    env = AECFace(EXAMPLES[name])
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.observation_space(agent) is env.observation_spaces[agent]
        assert env.action_space(agent) is env.action_spaces[agent]
    first, second = env.possible_agents[:2]
    assert env.observation_space(first) is not env.observation_space(second)
    assert env.action_space(first) is not env.action_space(second)
    assert env.observation_space(first) == env.observation_space(second)


@pytest.mark.parametrize("name", GAMES)
def test_observations_are_in_their_spaces_and_masks_only_of_the_seat_to_decide(name: str) -> None:
    env = AECFace(EXAMPLES[name], max_plies=60)
    env.reset(seed=3)
    players = Players([3], env.game.num_seats)
    while env.agents:
        deciding = not (env.terminations[env.agents[0]] or env.truncations[env.agents[0]])
        state = env._playing
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["observation"].dtype == np.uint8
            assert seen["action_mask"].dtype == np.int8
            assert seen["action_mask"].any() == (deciding and agent == env.agent_selection)
            observed = env.game.observe(state, np.array([seat]))
            assert np.array_equal(seen["observation"], observed[0])
        seen = env.observe(env.agent_selection)
        if deciding:
            assert np.array_equal(seen["action_mask"], env.game.action_mask(state)[0])
            seat = env.possible_agents.index(env.agent_selection)
            env.step(players.act(seen["action_mask"][None], [seat])[0])
        else:
            env.step(None)


@pytest.mark.parametrize("name", GAMES)
def test_the_end(name: str) -> None:
    """Every seat gets its reward in `rewards` at once, and in `last()` at its dead step."""
    env = make_env(EXAMPLES[name])
    env.reset(seed=5)
    assert set(env.rewards.values()) == {0.0}
    finish(env)
    state = env.unwrapped._playing  # type: ignore[attr-defined]
    rewards = dict(zip(env.possible_agents, state.rewards[0].tolist(), strict=True))
    assert env.rewards == rewards
    assert abs(sum(rewards.values())) < 1e-9
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert env.truncations == dict.fromkeys(env.possible_agents, False)
    for end in (*env.terminations.values(), *env.truncations.values()):
        assert type(end) is bool
    seen_dead = []
    for agent in env.agent_iter():
        seen, reward, termination, truncation, info = env.last()
        assert (reward, termination, truncation, info) == (rewards[agent], True, False, {})
        assert type(reward) is float
        assert seen is not None
        assert not seen["action_mask"].any()
        if not seen_dead:
            with pytest.raises(ValueError, match="None"):
                env.step(0)
        env.step(None)
        seen_dead.append(agent)
    assert seen_dead == env.possible_agents
    assert env.agents == []
    with pytest.raises(ChromazooError, match=r"reset\(\)"):
        env.unwrapped.step(0)
    EnvLogger.suppress_output()
    env.step(0)  # the wrapper warns
    EnvLogger.unsuppress_output()
    env.reset(seed=5)
    assert env.agents == env.possible_agents


def test_a_reset_amid_dead_steps_begins_a_whole_game() -> None:
    env = make_env(TinyGame())
    for dead_steps in (1, 2, 3, 0):
        env.reset(seed=dead_steps)
        finish(env)
        for _ in range(dead_steps):
            env.step(None)
        env.reset(seed=9)
        course = play_aec(env, Players([9], 3))
        env.reset(seed=9)
        assert course == play_aec(env, Players([9], 3))
        assert len(course.last_views) == 3


@pytest.mark.parametrize("name", GAMES)
def test_illegal_actions_raise_and_change_nothing(name: str) -> None:
    env = AECFace(EXAMPLES[name], "ansi")
    env.reset(seed=7)
    players = Players([7], env.game.num_seats)
    for _ in range(12):
        agent = env.agent_selection
        seat = env.possible_agents.index(agent)
        seen = env.observe(agent)
        illegal = np.flatnonzero(seen["action_mask"] == 0)[:3]
        for action in (-1, env.game.num_actions, *illegal):
            told = (env.render(), env.state().tobytes(), env.rewards, env.terminations)
            with pytest.raises(IllegalAction) as caught:
                env.step(action)
            assert (caught.value.row, caught.value.seat, caught.value.action) == (0, seat, action)
            again = (env.render(), env.state().tobytes(), env.rewards, env.terminations)
            assert again == told
            assert env.agent_selection == agent
        with pytest.raises(ChromazooError, match="not None"):
            env.step(None)
        with pytest.raises(InvalidArgument, match="an action is one integer"):
            env.step(0.0)  # type: ignore[arg-type]
        env.step(players.act(seen["action_mask"][None], [seat])[0])
        if any(env.terminations.values()):
            break


def test_an_array_without_axes_is_an_action() -> None:
    env = make_env(TinyGame())
    for action in (1, np.int8(1), np.uint16(1), np.array(1)):
        env.reset(seed=1)
        env.step(action)
        assert env.agent_selection == "player_1"


@pytest.mark.parametrize("name", GAMES)
def test_state_is_what_all_seats_know(name: str) -> None:
    env = make_env(EXAMPLES[name])
    env.reset(seed=3)
    space = env.unwrapped.state_space  # type: ignore[attr-defined]
    players = Players([3], len(env.possible_agents))
    for _ in range(10):
        told = env.state()
        views = [env.observe(agent) for agent in env.possible_agents]
        assert space.contains(told)
        assert np.array_equal(told, np.concatenate([seen["observation"] for seen in views]))  # type: ignore[index]
        if any(env.terminations.values()):
            break
        seat = env.possible_agents.index(env.agent_selection)
        mask = views[seat]["action_mask"]  # type: ignore[index]
        env.step(int(players.act(mask[None], [seat])[0]))


def test_a_seed_is_a_game_and_without_one_every_game_is_another() -> None:
    game = TinyGame(cards=16)
    env = AECFace(game)

    def dealt() -> bytes:
        return env.state().tobytes()

    env.reset(seed=5)
    assert np.array_equal(env.state(), game.observe(game.deal([5] * 3), np.arange(3)).ravel())
    series = [dealt()]
    for number in range(1, 6):
        env.reset()
        series.append(dealt())
        seed = mix(as_seeds(5), number)
        again = AECFace(game)
        again.reset(seed=int(seed[0]))
        assert again.state().tobytes() == series[-1]
    assert len(set(series)) == 6
    env.reset(seed=5)
    assert dealt() == series[0]
    first_games = set()
    for _ in range(4):
        env = AECFace(game)
        env.reset()
        first_games.add(dealt())
    assert len(first_games) > 1


def test_reset_from_a_setup() -> None:
    game = TinyGame()
    env = make_env(game, "ansi")
    setup = {"secrets": [3, 0, 5], "first": 2}
    env.reset(seed=4, options={"setup": setup})
    expected = game.from_setup([setup] * 3, [4] * 3)
    assert np.array_equal(env.state(), game.observe(expected, np.arange(3)).ravel())
    courses = set()
    for seed in range(12):
        env.reset(seed=seed, options={"setup": setup})
        for action in (0, 0, 1, 3):  # the leader draws
            env.step(action)
        courses.add(env.render())
    assert len(courses) > 1
    for wrong in ({}, {"secrets": [0, 0, 1], "first": 0}, None, "x", [setup]):
        with pytest.raises(InvalidSetup):
            env.reset(options={"setup": wrong})


def test_reset_from_a_position() -> None:
    env = make_env(EXAMPLES["basic"])
    position = "4/p3/4/4/1Y2/P3 pybo/pybo/pybo/pybo/pybo/pybo b 3"
    env.reset(options={"position": position})
    assert env.agent_selection == "player_1"
    expected = EXAMPLES["basic"].from_position([position])
    state = env.unwrapped._playing  # type: ignore[attr-defined]
    assert np.array_equal(state.pieces, expected.pieces)  # type: ignore[attr-defined]
    for wrong in ("", "x", 5, None, [position], position.replace("4", "5")):
        with pytest.raises(InvalidPosition):
            env.reset(options={"position": wrong})
    with pytest.raises(InvalidPosition, match="no notation"):
        make_env(TinyGame()).reset(options={"position": position})


def test_a_game_that_is_over_at_once_gives_its_rewards() -> None:
    env = make_env(EXAMPLES["basic-reversed"])
    env.reset(options={"position": STALEMATE})
    assert env.terminations == {"player_0": True, "player_1": True}
    told = {}
    for agent in env.agent_iter():
        _, told[agent], termination, _, _ = env.last()
        assert termination
        env.step(None)
    assert told == {"player_0": -1.0, "player_1": 1.0}


@pytest.mark.parametrize("options", [{"positon": "x"}, {"seed": 1}, {"setup": {}, "position": ""}])
def test_wrong_reset_options_are_refused_and_the_game_goes_on(options: dict[str, object]) -> None:
    env = make_env(TinyGame())
    env.reset(seed=1)
    env.step(2)
    told = env.state().tobytes()
    with pytest.raises(ValueError, match="reset"):
        env.reset(seed=2, options=options)
    assert env.state().tobytes() == told
    assert env.agent_selection == "player_1"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"render_mode": "rgb"}, "human, ansi or rgb_array, not 'rgb'"),
        ({"max_plies": 0}, "max_plies"),
        ({"max_plies": True}, "max_plies"),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidConfig, match=said):
        make_env(TinyGame(), **options)  # type: ignore[arg-type]


def test_human_prints_after_reset_and_every_decision(capsys: pytest.CaptureFixture[str]) -> None:
    env = make_env(TinyGame(), "human")
    drawn = make_env(TinyGame(), "ansi")
    for face in (env, drawn):
        face.reset(seed=1)
    expected = [drawn.render()]
    for action in (2, 0, 1, STOP):
        for face in (env, drawn):
            face.step(action)
        expected.append(drawn.render())
    for _ in range(3):
        env.step(None)  # the dead steps print nothing
    assert capsys.readouterr().out == "".join(f"{text}\n" for text in expected)
    assert env.render() is None
    assert capsys.readouterr().out == f"{expected[-1]}\n"


def test_rendering_without_a_mode_warns() -> None:
    env = make_env(TinyGame())
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_a_multi_step_turn_stays_with_its_seat() -> None:
    env = make_env(TinyGame())
    env.reset(options={"setup": {"secrets": [3, 0, 5], "first": 2}})
    turns = []
    for action in (0, 2, 0, 3, TO_SELF + 1):
        turns.append(env.agent_selection)
        env.step(action)
    assert turns == ["player_0", "player_1", "player_2", "player_1", "player_1"]
    assert env.agent_selection == "player_0"


@pytest.mark.parametrize(
    "options", [{"bad": 1}, {"position": "none"}, {"setup": {"secrets": [0, 1]}}], ids=str
)
def test_a_refused_reset_does_not_move_on_to_the_next_game(options: dict[str, object]) -> None:
    env, same = AECFace(TinyGame()), AECFace(TinyGame())
    for each in (env, same):
        each.reset(seed=9)
    for seed in (None, 4):
        with pytest.raises(ChromazooError):
            env.reset(seed=seed, options=options)
    for each in (env, same):
        each.reset()
    assert (env.state() == same.state()).all()


@pytest.mark.parametrize("action", [-1, 10**6, 2**70, np.uint64(2**64 - 1)])
def test_actions_out_of_range_are_illegal_by_their_own_number(action: int) -> None:
    env = AECFace(TinyGame())
    env.reset(seed=1)
    with pytest.raises(IllegalAction) as caught:
        env.step(action)
    assert caught.value.action == int(action)
