"""The Gymnasium faces, one game and many, beside a plain loop and Gymnasium's own vectors."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as vector_wrappers

from chromazoo.agents.agent import Agent, RandomAgent, load
from chromazoo.agents.single import SingleFace, SingleVectorFace
from chromazoo.envs import chroma_v0, guardians_v0, kroma_v0
from chromazoo.envs.errors import (
    ChromazooError,
    IllegalAction,
    InvalidAgent,
    InvalidArgument,
    InvalidConfig,
    InvalidPosition,
    UnknownName,
)
from tests.faces.single import FirstAgent, LastAgent, choice, played_alone, told_by
from tests.games import EXAMPLES
from tests.tiny.game import Game as TinyGame
from tests.tiny.hasty import HastyGame

GAMES = [
    *("tiny", "tiny-biggest", "baby", "baby-short", "basic-random"),
    *("chroma", "chroma-3", "chroma-6", "guardians", "guardians-3", "guardians-5"),
]
MODULES: dict[str, Any] = {"Kroma": kroma_v0, "Chroma": chroma_v0, "Guardians": guardians_v0}
SMALL: dict[str, dict[str, Any]] = {"Kroma": {"size": "baby"}, "Chroma": {}, "Guardians": {}}
ROWS = 5


def others(name: str) -> list[Agent]:
    """An agent for each other seat, all of them different where there are few."""
    kinds: list[Agent] = [RandomAgent(), LastAgent(), FirstAgent()]
    return [kinds[seat % 3] for seat in range(EXAMPLES[name].num_seats - 1)]


def equal(one: Any, two: Any) -> bool:
    return data_equivalence(one, two, exact=True)


def act(infos: dict[str, Any], time: int) -> np.ndarray[Any, Any]:
    """An action for each row, 0 where nothing is legal."""
    return np.array([choice(mask, time) if mask.any() else 0 for mask in infos["action_mask"]])


# One game


@pytest.mark.parametrize(
    ("name", "max_plies"), [*((name, None) for name in GAMES), ("baby-endless", 9), ("tiny", 3)]
)
def test_it_tells_what_a_plain_loop_gives(name: str, max_plies: int | None) -> None:
    game = EXAMPLES[name]
    env = SingleFace(game, others(name), max_plies=max_plies)
    for seed in (3, 2**64 - 1):
        course = told_by(env, seed, game.num_seats + 1)
        alone = played_alone(game, seed, others(name), max_plies=max_plies)
        assert course == [next(alone) for _ in course]
        assert {told.learner for told in course} == set(range(game.num_seats))
        assert any(told.truncated for told in course) or max_plies is None


@pytest.mark.parametrize("name", GAMES)
def test_the_learner_keeps_a_seat_that_is_fixed(name: str) -> None:
    game = EXAMPLES[name]
    for seat in range(game.num_seats):
        course = told_by(SingleFace(game, others(name), seat=seat), 8, 2)
        alone = played_alone(game, 8, others(name), seat=seat)
        assert course == [next(alone) for _ in course]


def test_results_are_the_learners_and_come_at_the_end() -> None:
    course = told_by(SingleFace(EXAMPLES["baby"]), 1, 12)
    results = {told.reward for told in course if told.terminated}
    assert results == {-1.0, 1.0}
    assert not any(told.reward for told in course if not told.terminated)
    types = {(type(told.reward), type(told.terminated), type(told.truncated)) for told in course}
    assert types == {(float, bool, bool)}


def test_seeds() -> None:
    env, twin = SingleFace(EXAMPLES["tiny"]), SingleFace(EXAMPLES["tiny"])
    first = told_by(env, 5, 4)
    assert told_by(env, 5, 4) == first
    assert told_by(twin, 5 - 2**64, 4) == first
    assert told_by(env, 6, 4) != first
    fresh = [[SingleFace(EXAMPLES["tiny"]).reset()[0].tolist() for _ in range(9)] for _ in "ab"]
    assert fresh[0] != fresh[1]
    env.reset(seed=5)
    assert env.np_random.integers(2**60) == np.random.default_rng(5).integers(2**60)


@pytest.mark.parametrize("name", GAMES)
def test_an_illegal_action_changes_nothing(name: str) -> None:
    env, twin = SingleFace(EXAMPLES[name]), SingleFace(EXAMPLES[name])
    _, info = env.reset(seed=9)
    twin.reset(seed=9)
    for time in range(8):
        mask = info["action_mask"]
        if not mask.any():
            break
        for wrong in (-1, len(mask), 2**70, int(mask.argmin())):
            if not (0 <= wrong < len(mask) and mask[wrong]):
                with pytest.raises(IllegalAction) as caught:
                    env.step(wrong)
                assert caught.value.seat == env.learner
        for wild in (1.0, None, "x", [0], np.array([0, 1])):
            with pytest.raises(InvalidArgument, match="one integer"):
                env.step(wild)  # type: ignore[arg-type]
        action = choice(mask, time)
        *told, info = env.step(np.int64(action))
        assert equal((*told, info), twin.step(action))


def test_there_is_nothing_to_do_before_and_after_a_game() -> None:
    env = SingleFace(EXAMPLES["tiny"], render_mode="ansi")
    for use in (lambda: env.step(0), env.render, lambda: env.learner):
        with pytest.raises(ChromazooError, match=r"reset\(\)"):
            use()
    told_by(env, 1, 1)
    assert not env.action_masks().any()
    with pytest.raises(ChromazooError, match=r"reset\(\)"):
        env.step(0)
    assert env.render()


def test_games_without_a_decision_of_the_learner_are_passed_over() -> None:
    game = HastyGame()
    course = told_by(SingleFace(game, others("tiny")), 4, 6)
    alone = played_alone(game, 4, others("tiny"))
    assert course == [next(alone) for _ in course]
    assert sum(told.terminated for told in course) == 6


def test_positions_and_set_ups() -> None:
    position = "py/py/PY/PY py/py/py/py w 0"
    env = kroma_v0.single_env(FirstAgent(), seat=0, size="baby", render_mode="ansi")
    env.reset(seed=1, options={"position": position})
    assert env.render() == env.game.text(env.game.from_position([position]))
    setup = env.game.setups([9])[0]
    env.reset(options={"setup": setup})
    assert env.render() == env.game.text(env.game.from_setup([setup]))
    env.reset(options={"position": position.replace(" w ", " b ")})
    assert env.render() != env.game.text(env.game.from_position([position.replace(" w ", " b ")]))
    drawn, mask = env.render(), env.action_masks()
    for options, error in [
        ({"position": "x"}, InvalidPosition),
        ({"position": position, "setup": setup}, ChromazooError),
        ({"place": 1}, ChromazooError),
        (5, ChromazooError),
    ]:
        with pytest.raises(error):
            env.reset(seed=99, options=options)  # type: ignore[arg-type]
        assert env.render() == drawn
        assert np.array_equal(env.action_masks(), mask)
    twin = kroma_v0.single_env(FirstAgent(), seat=0, size="baby")
    for _ in range(4):
        observation = twin.reset(seed=None if _ else 1)[0]
    assert equal(env.reset()[0], observation)


def test_a_position_without_a_decision_of_the_learner_is_refused() -> None:
    env = kroma_v0.single_env("heuristic", seat=1, size="basic")
    env.reset(seed=1)
    position = "4/4/4/p3/P3/4 pybo/pybo/pybo/pybo/pybo/pybo w 0"
    with pytest.raises(ChromazooError, match="ends before the learner"):
        env.reset(options={"position": position})
    with pytest.raises(ChromazooError, match=r"reset\(\)"):
        env.step(0)
    assert env.reset()[1]["action_mask"].any()


def test_drawing(capsys: pytest.CaptureFixture[str]) -> None:
    env = kroma_v0.single_env(seat=0, size="baby", render_mode="human")
    _, info = env.reset(seed=1)
    drawn = env.game.text(env.game.deal([1]))
    assert capsys.readouterr().out == drawn + "\n"
    env.step(choice(info["action_mask"], 0))
    assert capsys.readouterr().out
    silent = kroma_v0.single_env(size="baby")
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert silent.render() is None
    batch = kroma_v0.single_vector_env(2, seat=0, size="baby", render_mode="ansi")
    batch.reset(seed=1)
    assert batch.render() == (drawn, env.game.text(env.game.deal([2])))
    batch = kroma_v0.single_vector_env(2, seat=0, size="baby", render_mode="human")
    batch.reset(seed=1)
    assert not capsys.readouterr().out
    assert batch.render() is None
    assert drawn in capsys.readouterr().out


# Opponents


def test_opponents_may_be_named() -> None:
    game = EXAMPLES["baby"]
    agents = {"random": RandomAgent(), "heuristic": load("heuristic", game)}
    for name, agent in (agents | {f"{__name__}:make_first": FirstAgent()}).items():
        course = told_by(SingleFace(game, agent), 3, 3)
        for named in (name, [name], (agent,)):
            assert told_by(SingleFace(game, named), 3, 3) == course
    assert told_by(SingleFace(game), 3, 3) == told_by(SingleFace(game, "random"), 3, 3)
    assert told_by(SingleFace(game), 3, 3) != told_by(SingleFace(game, "heuristic"), 3, 3)


def make_first(game: Any) -> Agent:
    return FirstAgent()


def test_a_pool_is_drawn_from_by_weight() -> None:
    game = EXAMPLES["tiny"]
    pool: list[Agent | str] = ["random", FirstAgent(), LastAgent()]
    envs = SingleVectorFace(game, 3000, pool, weights=[1, 0, 3])
    envs.reset(seed=2)
    drawn = envs._games._opponents
    assert ((drawn == -1).argmax(axis=1) == envs.learner).all()
    shares = np.bincount(drawn[drawn >= 0], minlength=3) / 6000
    assert shares[1] == 0
    assert abs(shares[0] - 0.25) < 0.03
    sure = SingleFace(game, pool, weights=[0, 1, 0])
    assert told_by(sure, 3, 4) == told_by(SingleFace(game, FirstAgent()), 3, 4)


WRONG: list[tuple[dict[str, Any], type[ChromazooError], str]] = [
    ({"seat": 3}, InvalidConfig, "from 0 to 2"),
    ({"seat": -1}, InvalidConfig, "from 0 to 2"),
    ({"seat": True}, InvalidConfig, "from 0 to 2"),
    ({"opponent": []}, InvalidConfig, "a list of 2"),
    ({"opponent": ["random"]}, InvalidConfig, "a list of 2"),
    ({"opponent": ["random"] * 3}, InvalidConfig, "a list of 2"),
    ({"opponent": "random", "weights": [1.0]}, InvalidConfig, "list of opponents"),
    ({"opponent": ["random"], "weights": [1.0, 2.0]}, InvalidConfig, "weights"),
    ({"opponent": ["random"], "weights": [0.0]}, InvalidConfig, "weights"),
    ({"opponent": "nobody"}, UnknownName, "no agent 'nobody'"),
    ({"opponent": "heuristic"}, UnknownName, "no heuristic"),
    ({"opponent": 5}, InvalidAgent, "no agent"),
    ({"opponent": RandomAgent}, InvalidAgent, "no agent"),
    ({"opponent": ["random", None]}, InvalidAgent, "no agent"),
    ({"opponent": load("heuristic", EXAMPLES["baby"])}, InvalidAgent, "made for"),
    ({"render_mode": "rgb"}, InvalidConfig, "render_mode"),
    ({"max_plies": 0}, InvalidConfig, "max_plies"),
]


@pytest.mark.parametrize(("options", "error", "said"), WRONG)
def test_wrong_arguments_are_refused(
    options: dict[str, Any], error: type[ChromazooError], said: str
) -> None:
    for make in (SingleFace, partial(SingleVectorFace, num_envs=2)):
        with pytest.raises(error, match=said) as caught:
            make(TinyGame(), **options)
        assert "\n" not in str(caught.value)


def test_games_that_might_never_end_need_a_limit() -> None:
    for make in (SingleFace, partial(SingleVectorFace, num_envs=2)):
        with pytest.raises(InvalidConfig, match="max_plies"):
            make(EXAMPLES["baby-endless"])


# Many games


def singles(name: str, mode: AutoresetMode, max_plies: int | None) -> SyncVectorEnv:
    make = partial(SingleFace, EXAMPLES[name], others(name), max_plies=max_plies)
    return SyncVectorEnv([make] * ROWS, autoreset_mode=mode)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize(
    ("name", "max_plies"), [*((name, None) for name in GAMES), ("baby-endless", 9), ("tiny", 3)]
)
def test_rows_are_single_games(name: str, max_plies: int | None, mode: AutoresetMode) -> None:
    """All that Gymnasium's own vector of single environments tells, its final infos too."""
    ours = SingleVectorFace(
        EXAMPLES[name], ROWS, others(name), max_plies=max_plies, autoreset_mode=mode
    )
    theirs = singles(name, mode, max_plies)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    for seed in (4, None):
        told: tuple[Any, ...] = ours.reset(seed=seed)
        assert equal(told, theirs.reset(seed=seed))
        infos, ends = told[1], 0
        for time in range(60):
            actions = act(infos, time)
            told = ours.step(actions)
            assert equal(told, theirs.step(actions))
            infos = told[-1]
            assert np.array_equal(ours.action_masks(), infos["action_mask"])
            assert ours.learner.tolist() == list(theirs.get_attr("learner"))
            ends += int((told[2] | told[3]).sum())
        assert ends > 0


@pytest.mark.parametrize("name", ["tiny", "baby", "guardians-3"])
def test_without_autoreset_rows_are_reset_by_hand(name: str) -> None:
    ours = SingleVectorFace(EXAMPLES[name], ROWS, others(name), autoreset_mode="Disabled")
    theirs = singles(name, AutoresetMode.DISABLED, None)
    (_, infos), _ = ours.reset(seed=4), theirs.reset(seed=4)
    ends = 0
    for time in range(80):
        actions = act(infos, time)
        told = ours.step(actions)
        assert equal(told, theirs.step(actions))
        observations, _, terminations, truncations, infos = told
        done = terminations | truncations
        if done.any():
            again = ours.step(actions) if done.all() else None
            if again is not None:  # nothing happens to rows at rest
                assert equal(again[0], observations)
                assert not again[1].any()
                assert again[2].all()
            ends += 1
            observations, infos = ours.reset(options={"reset_mask": done})
            assert equal(observations, theirs.reset(options={"reset_mask": done.copy()})[0])
            assert infos["action_mask"].any(axis=1).all()
    assert ends > 2


def test_the_last_observation_of_a_game_is_told_in_every_mode() -> None:
    game, seen = EXAMPLES["tiny"], {}
    for mode in AutoresetMode:
        envs = SingleVectorFace(game, ROWS, autoreset_mode=mode)
        assert envs.metadata["autoreset_mode"] is mode
        _, infos = envs.reset(seed=6)
        done, time = np.zeros(ROWS, np.bool_), 0
        while not done.any():
            observations, rewards, terminations, _, infos = envs.step(act(infos, time))
            done, time = terminations, time + 1
        row = int(done.argmax())
        if mode is AutoresetMode.SAME_STEP:
            assert infos["action_mask"][row].any()
            assert infos["_final_obs"].tolist() == done.tolist()
            assert infos["final_obs"][row].tolist() != observations[row].tolist()
            last, mask = infos["final_obs"][row], infos["final_info"]["action_mask"][row]
        else:
            last, mask = observations[row], infos["action_mask"][row]
        assert not mask.any()
        seen[mode] = (time, row, rewards.tolist(), last.tolist())
        if mode is AutoresetMode.NEXT_STEP:
            wild = np.where(done, -7, act(infos, time))  # ignored where games have ended
            _, rewards, terminations, _, infos = envs.step(wild)
            assert not rewards[done].any()
            assert not terminations[done].any()
            assert infos["action_mask"][row].any()
    assert len({str(told) for told in seen.values()}) == 1


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name", ["tiny", "baby-short", "chroma-3", "guardians"])
def test_an_illegal_action_leaves_all_games_as_they_were(name: str, mode: AutoresetMode) -> None:
    make = partial(SingleVectorFace, EXAMPLES[name], ROWS, autoreset_mode=mode, max_plies=25)
    envs, twin = make(), make()
    for face in (envs, twin):  # every other game a decision ahead, so that not all end at once
        face.step(act(face.reset(seed=9)[1], 0))
        _, infos = face.reset(options={"reset_mask": np.arange(ROWS) % 2 == 0})
    beside_ended = 0
    for time in range(50):
        masks, actions = infos["action_mask"], act(infos, time)
        live = np.flatnonzero(masks.any(axis=1))
        if len(live):
            row = int(live[time % len(live)])
            for wrong in (-1, envs.game.num_actions, int(masks[row].argmin())):
                mixed = actions.copy()
                mixed[row] = wrong
                if not (0 <= wrong < envs.game.num_actions and masks[row, wrong]):
                    with pytest.raises(IllegalAction) as caught:
                        envs.step(mixed)
                    assert (caught.value.row, caught.value.action) == (row, wrong)
                    assert caught.value.seat == envs.learner[row]
                    beside_ended += len(live) < ROWS
        told = envs.step(actions)
        assert equal(told, twin.step(actions))
        infos = told[-1]
    assert beside_ended or mode is AutoresetMode.SAME_STEP


def test_what_users_do_with_arrays_changes_nothing() -> None:
    envs, twin = (SingleVectorFace(EXAMPLES["tiny"], ROWS) for _ in "ab")
    told: tuple[Any, ...] = envs.reset(seed=3)
    other: tuple[Any, ...] = twin.reset(seed=3)
    for time in range(30):
        assert equal(told, other)
        actions = act(told[-1], time)
        for array in (*told[:-1], *told[-1].values(), envs.action_masks(), envs.learner):
            array[:] = 1
        told, other = envs.step(actions), twin.step(actions)


@pytest.mark.parametrize("actions", [[0], [[0], [0]], [0.0, 0.0], [True, True], 0, None])
def test_actions_are_one_integer_a_row(actions: Any) -> None:
    envs = SingleVectorFace(TinyGame(), 2)
    with pytest.raises(ChromazooError, match=r"reset\(\)"):
        envs.step([0, 0])
    with pytest.raises(ChromazooError, match=r"reset\(\)"):
        envs.reset(options={"reset_mask": np.ones(2, np.bool_)})
    envs.reset(seed=1)
    with pytest.raises(InvalidArgument, match="2 integers needed"):
        envs.step(actions)


def test_wrong_resets_are_refused() -> None:
    envs = SingleVectorFace(TinyGame(), 2)
    first, _ = envs.reset(seed=1)
    for mask in ([True], [1, 0], "x", np.ones((2, 2), np.bool_), None):
        with pytest.raises(ChromazooError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    for face in (envs, SingleFace(TinyGame())):
        for seed in (1.0, "x", [1, 2]):
            with pytest.raises(InvalidArgument, match="one whole number"):
                face.reset(seed=seed)  # type: ignore[arg-type]
    kept, _ = envs.reset(options={"reset_mask": np.zeros(2, np.bool_)})
    assert equal(kept, first)
    fresh, _ = envs.reset(seed=7, options={"reset_mask": np.array([False, True])})
    assert equal(fresh[0], first[0])
    assert equal(fresh[1], SingleFace(TinyGame()).reset(seed=8)[0])


@pytest.mark.parametrize("num_envs", [0, -1, 2.0, True, "x", None])
def test_numbers_of_games_are_whole(num_envs: Any) -> None:
    with pytest.raises(InvalidConfig, match="num_envs"):
        SingleVectorFace(TinyGame(), num_envs)
    with pytest.raises(InvalidConfig, match="autoreset_mode"):
        SingleVectorFace(TinyGame(), 2, autoreset_mode=num_envs)


@pytest.mark.parametrize("name", ["kroma", "baby-short", "chroma-4", "guardians-3"])
def test_both_engines_play_the_same_games(name: str) -> None:
    courses = []
    for game in (EXAMPLES[name], EXAMPLES[f"{name}-fast"]):
        envs = SingleVectorFace(game, ROWS, max_plies=50)
        told: tuple[Any, ...] = envs.reset(seed=3)
        course = [told]
        for time in range(50):
            told = envs.step(act(told[-1], time))
            course.append(told)
        courses.append(course)
    assert all(map(equal, *courses))


Copy = Callable[[Any], Any]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("name", ["tiny", "baby", "guardians", "chroma-3"])
def test_copies_go_on_as_the_original_does(name: str, copied: Copy) -> None:
    envs = SingleVectorFace(EXAMPLES[name], ROWS, others(name), max_plies=30)
    _, infos = envs.reset(seed=4)
    for time in range(7):
        *_, infos = envs.step(act(infos, time))
    twin = copied(envs)
    for time in range(40):
        actions = act(infos, time)
        told = envs.step(actions)
        assert equal(told, twin.step(actions))
        infos = told[-1]
    env = SingleFace(EXAMPLES[name], others(name), max_plies=30)
    env.reset(seed=4)
    assert told_by(copied(env), 5, 2) == told_by(env, 5, 2)


# What Gymnasium asks for


@pytest.mark.parametrize("name", MODULES)
def test_gymnasium_makes_them_by_name(name: str) -> None:
    module, options = MODULES[name], SMALL[name]
    place = f"chromazoo.envs:chromazoo/{name}-v0"
    env = gymnasium.make(place, opponent="heuristic", seat=0, **options)
    assert isinstance(env.unwrapped, SingleFace)
    assert env.spec is not None
    assert (env.spec.namespace, env.spec.name, env.spec.version) == ("chromazoo", name, 0)
    drawn = gymnasium.make(place, render_mode="ansi", **options)
    drawn.reset(seed=3)
    assert drawn.render()
    direct = module.single_env("heuristic", seat=0, **options)
    observation, info = env.reset(seed=3)
    assert equal((observation, info), direct.reset(seed=3))
    ended = False
    while not ended:  # Gymnasium's passive checker watches, and its warnings would be errors
        env.action_space.seed(3)
        action = env.action_space.sample(info["action_mask"])
        _, _, terminated, truncated, info = env.step(action)
        ended = terminated or truncated
    envs = gymnasium.make_vec(place, num_envs=3, opponent="random", seat=None, **options)
    assert isinstance(envs.unwrapped, SingleVectorFace)
    assert envs.num_envs == 3
    assert equal(envs.reset(seed=3), module.single_vector_env(3, **options).reset(seed=3))
    assert envs.unwrapped.spec is not None
    again = gymnasium.make_vec(envs.unwrapped.spec)
    assert equal(again.reset(seed=3), envs.reset(seed=3))
    loops = gymnasium.make_vec(place, num_envs=3, vectorization_mode="sync", **options)
    assert equal(loops.reset(seed=3), envs.reset(seed=3))


def test_gymnasiums_wrappers_of_vectors() -> None:
    envs = vector_wrappers.RecordEpisodeStatistics(guardians_v0.single_vector_env(3))
    listed = vector_wrappers.DictInfoToList(envs)
    _, infos = listed.reset(seed=1)
    episodes: list[Any] = []
    for _ in range(40):
        actions = np.array([info["action_mask"].argmax() for info in infos])
        *_, infos = listed.step(actions)
        episodes += [info["episode"] for info in infos if "episode" in info]
    assert {float(episode["r"]) for episode in episodes} <= {-1.0, 0.0, 1.0}
    assert len(episodes) > 3
    listed.close()


def test_spaces_hold_what_is_told() -> None:
    for name in GAMES:
        env, envs = SingleFace(EXAMPLES[name]), SingleVectorFace(EXAMPLES[name], 2)
        assert env.observation_space == envs.single_observation_space
        assert env.action_space == envs.single_action_space
        assert envs.observation_space is envs.observation_space
        assert envs.action_space.shape == (2,)
        (one, info), (many, infos) = env.reset(seed=1), envs.reset(seed=1)
        for time in range(20):
            assert env.observation_space.contains(one)
            assert envs.observation_space.contains(many)
            assert infos["action_mask"].dtype == np.int8
            assert env.action_masks().dtype == envs.action_masks().dtype == np.bool_
            many, rewards, terminations, truncations, infos = envs.step(act(infos, time))
            dtypes = [part.dtype for part in (rewards, terminations, truncations)]
            assert dtypes == [np.float64, np.bool_, np.bool_]
            if info["action_mask"].any():
                one, *_, info = env.step(choice(info["action_mask"], time))


ALONE = """
import sys, pkgutil, importlib
import gymnasium
import chromazoo.envs
for found in pkgutil.walk_packages(chromazoo.envs.__path__, "chromazoo.envs."):
    if "compiled" not in found.name:
        importlib.import_module(found.name)
print([name for name in sys.modules if name.startswith("chromazoo.") and ".envs" not in name])
gymnasium.make("chromazoo/Kroma-v0", size="baby")
print("chromazoo.agents" in sys.modules, "torch" in sys.modules)
"""


def test_the_games_load_no_agents_before_they_are_asked_for() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[]", "True False"]
