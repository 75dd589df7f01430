"""SelfPlayVecEnv, compared with a loop over one game at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecMonitor

from chromazoo.agents.agent import Agent, Decision, RandomAgent, decide
from chromazoo.envs.errors import IllegalAction, InvalidArgument, InvalidConfig, InvalidFile
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import Stream, agent_stream, as_seeds, mix
from chromazoo.training.selfplay import SelfPlayVecEnv
from tests.games import EXAMPLES
from tests.tiny.hasty import HastyGame

GAMES = [
    *("tiny", "tiny-biggest", "baby", "baby-short", "basic-random", "basic-short"),
    *("guardians", "guardians-3"),
]
SEED = 40
AnyGame = Game[Any]


class FirstAgent:
    """Takes the first legal action."""

    name = "first"
    wants_states = False

    def act(self, decision: Decision) -> NDArray[np.int64]:
        return decision.action_mask.argmax(axis=1).astype(np.int64)


class StateAgent(RandomAgent):
    """Asks for states as search does, and needs them."""

    wants_states = True

    def act(self, decision: Decision) -> NDArray[np.int64]:
        assert decision.states is not None
        assert len(decision.states) == len(decision.seats)
        return super().act(decision)


def choice(masks: NDArray[np.bool_], time: int) -> NDArray[np.int64]:
    """A learner that depends on nothing but its masks and the time."""
    picked = [np.flatnonzero(mask) for mask in masks]
    return np.array([legal[(7 * time + 3 * len(legal)) % len(legal)] for legal in picked])


@dataclass
class Told:
    """What an environment tells of one row at one time."""

    observation: list[int]
    mask: list[bool]
    reward: float = 0.0
    done: bool = False
    truncated: bool = False
    terminal: list[int] | None = None


def told_by(env: SelfPlayVecEnv, steps: int) -> list[list[Told]]:
    """Play some steps; by row, what was told after the reset and after each step."""
    observations = env.reset()
    masks = env.action_masks()
    rows = [[Told(o.tolist(), m.tolist())] for o, m in zip(observations, masks, strict=True)]
    for time in range(steps):
        observations, rewards, dones, infos = env.step(choice(env.action_masks(), time))
        for row, info in enumerate(infos):
            last = info.get("terminal_observation")
            rows[row].append(
                Told(
                    observations[row].tolist(),
                    env.action_masks()[row].tolist(),
                    float(rewards[row]),
                    bool(dones[row]),
                    info.get("TimeLimit.truncated", False),
                    None if last is None else last.tolist(),
                )
            )
    return rows


def played_alone(game: AnyGame, row: int, opponent: Agent, max_plies: int | None) -> Iterator[Told]:
    """What one row must tell, from a plain loop over one game at a time."""
    time, turn = 0, 0
    told = Told([], [])
    while True:
        seed: Stream = as_seeds(SEED + row)
        if turn:
            seed = mix(seed, turn)
        learner = (row + turn) % game.num_seats
        turn += 1
        state = game.deal(seed)
        streams = [agent_stream(seed, seat) for seat in range(game.num_seats)]
        decided = cut = False
        while not (state.over[0] or cut):
            if state.pending[0, learner]:
                seats = np.array([learner])
                mask = game.action_mask(state, seats)
                told.observation = game.observe(state, seats)[0].tolist()
                told.mask = mask[0].tolist()
                yield told
                told = Told([], [])
                game.step(state, choice(mask, time), seats)
                time, decided = time + 1, True
            else:
                game.step(state, decide(opponent, game, state, streams[state.seat[0]]))
            cut = not state.over[0] and max_plies is not None and state.plies[0] >= max_plies
        if decided:
            told.reward = float(state.rewards[0, learner])
            told.done, told.truncated = True, bool(cut)
            told.terminal = game.observe(state, np.array([learner]))[0].tolist()


@pytest.mark.parametrize("opponent", [RandomAgent(), FirstAgent(), StateAgent()])
@pytest.mark.parametrize(
    ("name", "max_plies"), [*((name, None) for name in GAMES), ("baby-endless", 9), ("tiny", 4)]
)
def test_every_row_is_what_a_plain_loop_gives(
    name: str, max_plies: int | None, opponent: Agent
) -> None:
    game, rows, steps = EXAMPLES[name], 4, 50
    env = SelfPlayVecEnv(game, rows, [opponent], seed=SEED, max_plies=max_plies)
    for row, told in enumerate(told_by(env, steps)):
        alone = played_alone(game, row, opponent, max_plies)
        assert told == [next(alone) for _ in range(steps + 1)], f"row {row}"


@pytest.mark.parametrize("name", GAMES)
def test_shapes_dtypes_and_spaces(name: str) -> None:
    game = EXAMPLES[name]
    env = SelfPlayVecEnv(game, 6, [RandomAgent()], seed=1)
    observations = env.reset()
    seen = set()
    for time in range(80):
        masks = env.action_masks()
        assert masks.shape == (6, game.num_actions)
        assert masks.dtype == np.bool_
        assert masks.any(axis=1).all()
        observations, rewards, dones, infos = env.step(choice(masks, time))
        assert observations.shape == (6, game.num_features)
        assert observations.dtype == np.uint8
        assert all(env.observation_space.contains(row) for row in observations)
        assert rewards.shape == dones.shape == (6,)
        assert (rewards.dtype, dones.dtype) == (np.float32, np.bool_)
        assert len({id(info) for info in infos}) == 6
        for row in range(6):
            assert ("terminal_observation" in infos[row]) == dones[row]
        assert not rewards[~dones].any()
        seen |= set(rewards[dones].round(6).tolist())
    if game.num_seats == 2:
        assert {-1.0, 1.0} <= seen or "short" in name
    else:
        assert min(seen) < 0 < max(seen)


def test_a_row_does_not_depend_on_the_others() -> None:
    game = EXAMPLES["baby"]
    many = told_by(SelfPlayVecEnv(game, 7, [RandomAgent(), FirstAgent()], seed=3), 50)
    few = told_by(SelfPlayVecEnv(game, 2, [RandomAgent(), FirstAgent()], seed=3), 50)
    assert many[:2] == few
    assert many[0] != many[2]


def test_seeds() -> None:
    env = SelfPlayVecEnv(EXAMPLES["tiny"], 3, [RandomAgent()], seed=5)
    first = told_by(env, 30)
    later = told_by(env, 30)
    assert later != first, "a reset without a seed goes on to other games"
    assert env.seed(5) == [5, 6, 7]
    assert told_by(env, 30) == first
    fresh = [SelfPlayVecEnv(EXAMPLES["tiny"], 3, [RandomAgent()]) for _ in range(2)]
    assert told_by(fresh[0], 30) != told_by(fresh[1], 30)


def test_the_learner_sits_everywhere_in_turn() -> None:
    env = SelfPlayVecEnv(EXAMPLES["tiny"], 4, [RandomAgent()], seed=5)
    env.reset()
    seats = [[int(seat)] for seat in env.games.learner]
    for time in range(60):
        _, _, dones, _ = env.step(choice(env.action_masks(), time))
        for row in np.flatnonzero(dones):
            seats[row].append(int(env.games.learner[row]))
    for row, order in enumerate(seats):
        assert len(order) > 3
        assert order == [(row + turn) % 3 for turn in range(len(order))]


def test_opponents_are_drawn_by_weight() -> None:
    env = SelfPlayVecEnv(
        EXAMPLES["tiny"], 3000, [RandomAgent(), FirstAgent(), RandomAgent()], [1, 0, 3], seed=2
    )
    env.reset()
    drawn = env.games._opponents
    assert ((drawn == -1).sum(axis=1) == 1).all()
    assert (drawn[np.arange(3000), env.games.learner] == -1).all()
    shares = np.bincount(drawn[drawn >= 0], minlength=3) / 6000
    assert shares[1] == 0
    assert abs(shares[0] - 0.25) < 0.03


def test_a_pool_may_grow_and_tallies_follow() -> None:
    env = SelfPlayVecEnv(EXAMPLES["baby"], 16, [RandomAgent()], seed=2)
    env.reset()
    total = np.zeros(16)
    finished = 0
    for time in range(150):
        if time == 50:
            env.set_opponents([RandomAgent(), FirstAgent()], [0.0, 1.0])
        _, rewards, dones, _ = env.step(choice(env.action_masks(), time))
        total += rewards
        finished += int(dones.sum())
    games, reward, theirs, decisions = env.tallies().T
    assert games.sum() == finished
    assert (games > 0).all()
    assert reward.sum() == total.sum() == -theirs.sum()
    assert decisions.sum() <= 150 * 16
    env.clear_tallies()
    assert not env.tallies().any()
    with pytest.raises(InvalidConfig, match="never fewer"):
        env.set_opponents([RandomAgent()])


def test_games_without_a_decision_of_the_learner_are_passed_over() -> None:
    env = SelfPlayVecEnv(HastyGame(), 8, [RandomAgent()], seed=2)
    env.reset()
    finished = 0
    for time in range(40):
        state = env.games.state
        assert not state.over.any()
        assert state.pending[np.arange(8), env.games.learner].all()
        _, _, dones, infos = env.step(choice(env.action_masks(), time))
        finished += int(dones.sum())
        assert all(("terminal_observation" in infos[row]) == dones[row] for row in range(8))
    assert env.tallies()[0, 0] == 2 * finished  # two opponents a game
    assert env.games.dealt.sum() > 1.5 * finished


def test_what_sb3_contrib_asks_for_masks() -> None:
    env = SelfPlayVecEnv(EXAMPLES["tiny"], 4, [RandomAgent()], seed=2)
    env.reset()
    masks = env.action_masks()
    for face in (env, VecMonitor(env)):
        assert face.has_attr("action_masks")
        assert not face.has_attr("no_such_thing")
        assert (np.stack(face.env_method("action_masks")) == masks).all()
        assert (np.stack(face.env_method("action_masks", indices=[2])) == masks[[2]]).all()
        assert [(method() == masks[row]).all() for row, method in
                enumerate(face.get_attr("action_masks"))] == [True] * 4  # fmt: skip
    assert env.get_attr("render_mode") == [None] * 4
    with pytest.raises(AttributeError):
        env.env_method("fly")


def test_an_illegal_action_changes_nothing() -> None:
    env = SelfPlayVecEnv(EXAMPLES["tiny"], 4, [RandomAgent()], seed=2)
    env.reset()
    before = env.dump()
    actions = choice(env.action_masks(), 0)
    actions[2] = int((~env.action_masks()[2]).argmax())
    with pytest.raises(IllegalAction, match="game 2"):
        env.step(actions)
    after = env.dump()
    assert all((before[name] == after[name]).all() for name in before)


@pytest.mark.parametrize(
    ("name", "onward"),
    [
        ("tiny", "tiny"),
        ("basic-random", "basic-random"),
        ("basic-random", "basic-random-fast"),
        ("basic-random-fast", "basic-random"),
    ],
)
def test_going_on_from_a_dump(name: str, onward: str) -> None:
    pool = [RandomAgent(), FirstAgent()]
    env = SelfPlayVecEnv(EXAMPLES[name], 5, pool, seed=2)
    told_by(env, 23)
    arrays = {key: array.copy() for key, array in env.dump().items()}
    other = SelfPlayVecEnv(EXAMPLES[onward], 5, pool, seed=99)
    observations = other.restore(arrays)
    assert (observations == env._look()).all()
    assert (other.action_masks() == env.action_masks()).all()
    for time in range(60):
        ours = env.step(choice(env.action_masks(), time))
        theirs = other.step(choice(other.action_masks(), time))
        for one, two in zip(ours[:3], theirs[:3], strict=True):
            assert (one == two).all()
    assert (env.tallies() == other.tallies()).all()


def test_a_dump_that_does_not_fit_is_refused() -> None:
    env = SelfPlayVecEnv(EXAMPLES["tiny"], 5, [RandomAgent()], seed=2)
    env.reset()
    arrays = env.dump()
    with pytest.raises(InvalidFile):
        SelfPlayVecEnv(EXAMPLES["tiny"], 4, [RandomAgent()]).restore(arrays)
    with pytest.raises(InvalidFile):
        SelfPlayVecEnv(EXAMPLES["baby"], 5, [RandomAgent()]).restore(arrays)
    for name in arrays:
        with pytest.raises(InvalidFile):
            env.restore({key: value for key, value in arrays.items() if key != name})


def test_bad_arguments_are_refused() -> None:
    game = EXAMPLES["tiny"]
    with pytest.raises(InvalidConfig, match="max_plies"):
        SelfPlayVecEnv(EXAMPLES["baby-endless"], 2, [RandomAgent()])
    with pytest.raises(InvalidConfig, match="num_envs"):
        SelfPlayVecEnv(game, 0, [RandomAgent()])
    with pytest.raises(InvalidConfig, match="at least one"):
        SelfPlayVecEnv(game, 2, [])
    wrong: list[Any] = [
        [1.0, 1.0],
        [-1.0],
        [float("nan")],
        [0.0],
        [10**400],
        ["a"],
        [None],
        [[1.0]],
    ]
    for weights in wrong:
        with pytest.raises(InvalidConfig, match="weights"):
            SelfPlayVecEnv(game, 2, [RandomAgent()], weights)
    with pytest.raises(InvalidConfig, match="weights"):
        SelfPlayVecEnv(game, 2, [RandomAgent()] * 2, [1.7e308, 1.7e308])
    env = SelfPlayVecEnv(game, 2, [RandomAgent()])
    for call in (env.step_wait, env.dump):
        with pytest.raises(InvalidArgument, match="reset"):
            call()
    with pytest.raises(InvalidArgument, match="max_plies"):
        env.set_attr("max_plies", 5, indices=[0])
