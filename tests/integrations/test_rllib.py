"""RLlib's wrappers of PettingZoo environments take ours as they are."""

import pytest

from tests.integrations.games import GAMES, SEED, SIMULTANEOUS, Shadow, library, make

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", GAMES)
def test_turn_by_turn(name: str) -> None:
    wrappers = library("ray.rllib.env.wrappers.pettingzoo_env")
    env = wrappers.PettingZooEnv(make(name))
    shadow = Shadow(name)
    assert set(env.possible_agents) == set(shadow.rewards)
    seen, _ = env.reset(seed=SEED)
    rewards = dict.fromkeys(shadow.rewards, 0.0)
    while not shadow.over:
        ((agent, parts),) = seen.items()
        assert env.observation_spaces[agent].contains(parts)
        actions = {agent: shadow.choose(agent, parts["observation"], parts["action_mask"])}
        shadow.step(actions)
        seen, gained, terminated, truncated, _ = env.step(actions)
        for seat, reward in gained.items():
            rewards[seat] += reward
    assert terminated["__all__"]
    assert not truncated["__all__"]
    assert set(seen) == set(rewards)
    assert rewards == shadow.rewards


@pytest.mark.parametrize("name", SIMULTANEOUS)
def test_all_at_once(name: str) -> None:
    wrappers = library("ray.rllib.env.wrappers.pettingzoo_env")
    env = wrappers.ParallelPettingZooEnv(make(name, "parallel_env"))
    shadow = Shadow(name)
    seen, _ = env.reset(seed=SEED)
    while not shadow.over:
        actions = {
            agent: shadow.choose(agent, parts["observation"], parts["action_mask"])
            for agent, parts in seen.items()
        }
        shadow.step(actions)
        seen, rewards, terminated, _, _ = env.step(actions)
    assert terminated["__all__"]
    assert rewards == shadow.rewards
