"""A plain MaskablePPO learns in the environments of one seat, as they are and in SB3's vectors."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from chromazoo.envs import chroma_v0, guardians_v0, kroma_v0

MAKERS: dict[str, Callable[[], Any]] = {
    "kroma": partial(kroma_v0.single_env, size="baby"),
    "chroma": partial(chroma_v0.single_env, ["random", "heuristic"], seat=1, num_players=3),
    "guardians": partial(guardians_v0.single_env, "heuristic"),
}


def learned(env: Any, steps: int = 256) -> tuple[MaskablePPO, list[float]]:
    """Train a stock MaskablePPO; the model and the results of its last games."""
    torch.manual_seed(1)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=2, seed=1, device="cpu"
    )
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(total_timesteps=steps)
    after = list(model.policy.parameters())
    assert model.num_timesteps >= steps
    assert any(not torch.equal(one, two) for one, two in zip(before, after, strict=True))
    assert all(torch.isfinite(parameter).all() for parameter in after)
    assert model.ep_info_buffer
    return model, [float(episode["r"]) for episode in model.ep_info_buffer]


@pytest.mark.parametrize("name", MAKERS)
def test_on_one_environment(name: str) -> None:
    model, results = learned(MAKERS[name]())
    assert min(results) < 0
    assert set(results) <= {-1.0, -0.5, 0.0, 0.25, 0.5, 1.0}
    env = MAKERS[name]()
    observation, _ = env.reset(seed=3)
    assert is_masking_supported(env)
    assert get_action_masks(env).dtype == np.bool_
    ended = False
    while not ended:
        action, _ = model.predict(observation, action_masks=env.action_masks())
        observation, _, terminated, truncated, _ = env.step(action)
        ended = terminated or truncated


@pytest.mark.parametrize("name", MAKERS)
def test_on_a_vector_of_them(name: str) -> None:
    env = DummyVecEnv([lambda: Monitor(MAKERS[name]()) for _ in range(3)])
    masks = [model_masks(env) for _ in range(2)]
    assert (masks[0] == masks[1]).all()
    _, results = learned(env)
    assert {-1.0, -0.5} & set(results)


def model_masks(env: VecEnv) -> Any:
    """The masks of first positions of a seed, as sb3-contrib asks for them."""
    env.seed(5)
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (3, env.action_space.n)  # type: ignore[attr-defined]
    assert masks.any(axis=1).all()
    return masks


@pytest.mark.parametrize("name", ["Kroma", "Guardians"])
def test_by_name(name: str) -> None:
    """SB3 asks for the render mode `rgb_array`, and does without where it is not to be had."""
    options = {"opponent": "random", **({"size": "baby"} if name == "Kroma" else {})}
    place = f"chromazoo.envs:chromazoo/{name}-v0"
    env = make_vec_env(place, n_envs=2, seed=4, env_kwargs=options)
    learned(env)


def test_training_is_reproducible() -> None:
    states = [learned(MAKERS["kroma"]())[0].policy.state_dict() for _ in range(2)]
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])
