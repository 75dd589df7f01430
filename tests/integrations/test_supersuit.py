"""SuperSuit's wrappers take ours as they are, and what wants flat observations gets them."""

import re
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box

from tests.integrations.games import GAMES, SEED, SIMULTANEOUS, Shadow, library, make
from tests.project.layout import ROOT

pytestmark = pytest.mark.filterwarnings("ignore")


def flat(parts: dict[str, Any], space: Any) -> Any:
    """Put the mask behind the observation, in one array."""
    return np.concatenate([parts["observation"], parts["action_mask"].astype(np.uint8)])


def flat_space(space: Any) -> Box:
    """Tell the space of that."""
    high = np.concatenate([space["observation"].high, space["action_mask"].high.astype(np.uint8)])
    return Box(np.zeros_like(high), high, dtype=np.uint8)


def play(env: Any, name: str, split: Any) -> dict[str, float]:
    """Play a game in an AEC environment; `split` cuts what it shows into observation and mask."""
    shadow = Shadow(name)
    env.reset(seed=SEED)
    gained = {}
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            gained[agent] = reward
            env.step(None)
            continue
        action = shadow.choose(agent, *split(seen))
        env.step(action)
        shadow.step({agent: action})
    assert shadow.over
    assert shadow.decisions
    return gained


@pytest.mark.parametrize("name", GAMES)
def test_rewards_are_changed_and_masks_are_not(name: str) -> None:
    supersuit = library("supersuit")
    env = supersuit.reward_lambda_v0(make(name), lambda reward: 10 * reward)
    gained = play(env, name, lambda seen: (seen["observation"], seen["action_mask"]))
    plain = play(make(name), name, lambda seen: (seen["observation"], seen["action_mask"]))
    assert any(plain.values())
    assert gained == {agent: pytest.approx(10 * reward) for agent, reward in plain.items()}


@pytest.mark.parametrize("name", GAMES)
def test_flat_observations_may_carry_the_mask(name: str) -> None:
    supersuit = library("supersuit")
    env = supersuit.observation_lambda_v0(make(name), flat, flat_space)
    features = Shadow(name).game.num_features
    play(env, name, lambda seen: (seen[:features], seen[features:]))


@pytest.mark.parametrize("name", SIMULTANEOUS)
def test_a_vector_of_seats_has_their_masks(name: str) -> None:
    supersuit = library("supersuit")
    env = supersuit.pettingzoo_env_to_vec_env_v1(make(name, "parallel_env"))
    shadow = Shadow(name)
    seen, _ = env.reset(seed=SEED)
    while not shadow.over:
        actions = {
            agent: shadow.choose(agent, seen["observation"][row], seen["action_mask"][row])
            for row, agent in enumerate(shadow.rewards)
        }
        shadow.step(actions)
        seen, rewards, terminated, _, _ = env.step(np.array(list(actions.values())))
    assert terminated.all()
    assert rewards.tolist() == pytest.approx(list(shadow.rewards.values()))


@pytest.mark.parametrize("name", GAMES)
def test_a_vector_of_games_has_their_masks(name: str) -> None:
    supersuit = library("supersuit")
    env = supersuit.vectorize_aec_env_v0(
        supersuit.observation_lambda_v0(make(name), flat, flat_space), 2
    )
    shadows = [Shadow(name, SEED + row) for row in range(2)]
    features = shadows[0].game.num_features
    env.reset(seed=SEED)
    waiting = {0, 1}  # for the end of their games
    while waiting:
        agent = env.agent_selection
        seen, _, terminated, _, _, _, passes, _ = env.last()
        actions = [int(row[features:].argmax()) for row in seen]  # the first legal ones
        for row in sorted(waiting):
            if terminated[row]:  # SuperSuit begins the next game in this step
                gained = {seat: float(rewards[row]) for seat, rewards in env.rewards.items()}
                assert gained == pytest.approx(shadows[row].rewards)
                waiting.remove(row)
            elif not passes[row]:
                split = seen[row][:features], seen[row][features:]
                actions[row] = shadows[row].choose(agent, *split)
                shadows[row].step({agent: actions[row]})
        env.step(actions)
    assert all(shadow.over for shadow in shadows)


def test_the_example_of_the_document_runs() -> None:
    library("supersuit")
    text = (ROOT / "docs/integrations.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python no-run\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    env = names["env"]
    env.reset(seed=SEED)
    seen = env.last()[0]
    space = make("chroma").observation_space("player_0")
    assert seen.shape == (16, sum(np.prod(part.shape) for part in space.values()))
