"""RLlib's wrappers of PettingZoo environments take ours as they are."""

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict

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


def test_its_own_module_with_masks_plays_by_them() -> None:
    torch = library("torch")
    wrappers = library("ray.rllib.env.wrappers.pettingzoo_env")
    classes = library("ray.rllib.examples.rl_modules.classes.action_masking_rlm")
    config = library("ray.rllib.core.rl_module.default_model_config").DefaultModelConfig
    torch.manual_seed(SEED)
    env = wrappers.PettingZooEnv(make("guardians"))
    features, actions = Shadow("guardians").game.num_features, env.action_spaces["player_0"]
    spaces = {  # it calls the observation `observations`
        "observations": Box(0, 255, (features,), np.float32),
        "action_mask": Box(0, 1, (actions.n,), np.float32),
    }
    module = classes.ActionMaskingTorchRLModule(
        observation_space=Dict(spaces),
        action_space=actions,
        model_config=config(fcnet_hiddens=[16]),
    )
    choices = module.get_exploration_action_dist_cls()
    seen, _ = env.reset(seed=SEED)
    decisions, over = 0, False
    while not over:
        ((agent, parts),) = seen.items()
        values = {
            "observations": torch.tensor(parts["observation"][None], dtype=torch.float32),
            "action_mask": torch.tensor(parts["action_mask"][None], dtype=torch.float32),
        }
        logits = module.forward_exploration({"obs": values})["action_dist_inputs"]
        legal = logits[0].detach().numpy() > -1e30
        assert np.array_equal(legal, parts["action_mask"].astype(bool))
        action = int(choices.from_logits(logits).sample()[0])
        seen, _, terminated, _, _ = env.step({agent: action})  # IllegalAction if it is not legal
        decisions, over = decisions + 1, terminated["__all__"]
    assert decisions == 32
