"""Tianshou's wrapper of PettingZoo environments takes ours as they are."""

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
