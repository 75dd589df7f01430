"""Tianshou's wrapper of PettingZoo environments takes ours as they are."""

from typing import Any

import pytest

from tests.integrations.games import GAMES, SEED, Shadow, library, make

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", GAMES)
def test_turn_by_turn(name: str) -> None:
    wrappers = library("tianshou.env.pettingzoo_env")
    env = wrappers.PettingZooEnv(make(name))
    shadow = Shadow(name)
    seen, _ = env.reset(seed=SEED)
    terminated = False
    while not shadow.over:
        assert not terminated
        agent = seen["agent_id"]
        action = shadow.choose(agent, seen["obs"], seen["mask"])
        shadow.step({agent: action})
        seen, rewards, terminated, truncated, _ = env.step(action)
    assert terminated
    assert not truncated
    assert rewards == list(shadow.rewards.values())


@pytest.mark.parametrize("name", ["chroma-4", "guardians"])
def test_its_own_random_policy_keeps_to_the_masks(name: str) -> None:
    wrappers, data = library("tianshou.env"), library("tianshou.data")
    masked = library("tianshou.algorithm.random").MARLRandomDiscreteMaskedOffPolicyAlgorithm
    several = library("tianshou.algorithm.multiagent.marl").MultiAgentOffPolicyAlgorithm

    def one() -> Any:
        return wrappers.PettingZooEnv(make(name))

    env = one()
    players = several(algorithms=[masked(env.action_space) for _ in env.agents], env=env)
    games = wrappers.DummyVectorEnv([one, one])
    collector = data.Collector(players, games, data.VectorReplayBuffer(2000, 2))
    played = collector.collect(n_episode=4, reset_before_collect=True)  # IllegalAction if not
    assert played.n_collected_episodes == 4
    assert played.returns.shape == (4, len(env.agents))
    assert played.returns.sum(axis=1) == pytest.approx(0)
    assert played.returns.any()
