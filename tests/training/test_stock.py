"""Our learner and sb3-contrib's, wholly as it comes: the same losses, gradients and weights.

Both learn the same network, from the same first weights, of the same rollout. Numbers are added up
in another order, so they agree as float32 does: losses to 1e-6 of 1, gradients to 1e-6 of the
greatest, and weights after many steps of Adam, which divides by gradients close to zero, to 2e-5.
"""

from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor

from chromazoo.benchmarks.free import FreeSettings, FreeVecEnv, our_learner, stock_learner
from chromazoo.training.ppo import SelfPlayPPO

LOSS, GRADIENT, WEIGHT = 2e-6, 2e-6, 2e-5
ACTIONS = 700
COPIED = (
    "observations", "actions", "rewards", "episode_starts", "values", "log_probs", "advantages",
    "returns", "action_masks",
)  # fmt: skip


def environment(settings: FreeSettings) -> FreeVecEnv:
    """Few legal actions in most positions, some hundred in others, one alone in some."""
    env = FreeVecEnv(ACTIONS, 12, settings)
    env.masks[::5, :, ::2] = True
    only = env.masks[::7].argmax(axis=2)
    env.masks[::7] = False
    np.put_along_axis(env.masks[::7], only[..., None], True, axis=2)
    return env


def both(**changes: Any) -> tuple[SelfPlayPPO, MaskablePPO]:
    """Make both learners, with the same rollout in their buffers."""
    sizes = {name: changes.pop(name) for name in ("batch", "epochs")}
    settings = FreeSettings(envs=16, steps=16, width=24, features=40, **sizes)
    common = {"ent_coef": 0.02, "learning_rate": 3e-3, **changes}
    ours = our_learner(environment(settings), settings, **common)
    stock = stock_learner(environment(settings), settings, ours.policy.network, **common)
    _, callback = ours._setup_learn(1, None)
    stock._setup_learn(1, None)
    assert ours.env is not None
    move_both(ours, stock, 0.2)  # far from uniform
    ours.collect_rollouts(ours.env, callback, ours.rollout_buffer, settings.steps)
    for name in COPIED:
        getattr(stock.rollout_buffer, name)[:] = getattr(ours.rollout_buffer, name)
    stock.rollout_buffer.full = True
    move_both(ours, stock, 0.03)  # away from the rollout, so that some ratios are clipped
    ours.rollout_buffer.generator = np.random.RandomState(11)  # type: ignore[attr-defined]
    return ours, stock


def move_both(ours: SelfPlayPPO, stock: MaskablePPO, distance: float) -> None:
    """Move all weights by as much as that, of both learners to the same place."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for one, other in zip(weights(ours), weights(stock), strict=True):
            one.add_(torch.randn(one.shape, generator=generator), alpha=distance)
            other.copy_(one)


def weights(model: MaskablePPO) -> list[torch.nn.Parameter]:
    """The parameters in one order: layers, head of the logits, head of the value."""
    policy: Any = model.policy
    if isinstance(model, SelfPlayPPO):
        parts = [policy.network.trunk, policy.network.policy_head, policy.network.value_head]
    else:
        parts = [policy.features_extractor, policy.action_net, policy.value_net]
    found = [parameter for part in parts for parameter in part.parameters()]
    assert {id(each) for each in found} == {id(each) for each in policy.parameters()}
    return found


def train_both(ours: SelfPlayPPO, stock: MaskablePPO) -> None:
    """Do one update each, on batches of the same permutations."""
    np.random.seed(11)  # noqa: NPY002
    ours.train()
    stock.train()


def assert_near(ours: list[Tensor], stock: list[Tensor], tolerance: float) -> None:
    """Compare tensors: differences as shares of the greatest number."""
    greatest = max(float(each.abs().max()) for each in stock)
    assert greatest > 0
    for one, other in zip(ours, stock, strict=True):
        assert one.shape == other.shape
        assert float((one - other).abs().max()) <= tolerance * greatest


def gradients(model: MaskablePPO) -> list[Tensor]:
    """The gradients of all parameters, as the latest step left them."""
    found = []
    for parameter in weights(model):
        assert parameter.grad is not None
        assert parameter.grad.any()
        found.append(parameter.grad)
    return found


def test_stock_is_stock() -> None:
    _, stock = both(batch=256, epochs=1)
    assert type(stock) is MaskablePPO
    assert type(stock.policy) is MaskableActorCriticPolicy
    assert type(stock.rollout_buffer) is MaskableRolloutBuffer
    assert stock.policy.optimizer.defaults == both(batch=256, epochs=1)[0].policy.optimizer.defaults


@pytest.mark.parametrize(
    ("batch", "epochs"), [(256, 1), (256, 6), (64, 1), (100, 5)], ids=lambda number: str(number)
)
@pytest.mark.parametrize("clip_range_vf", [None, 0.5])
@pytest.mark.parametrize("max_grad_norm", [0.5, 1e6])
def test_a_whole_update_is_stock(
    batch: int, epochs: int, clip_range_vf: float | None, max_grad_norm: float
) -> None:
    """One batch alone; several epochs of it; several batches; several epochs, a rest in each."""
    ours, stock = both(
        batch=batch, epochs=epochs, clip_range_vf=clip_range_vf, max_grad_norm=max_grad_norm
    )
    before = [parameter.clone() for parameter in weights(ours)]
    train_both(ours, stock)
    log, wanted = ours.logger.name_to_value, stock.logger.name_to_value
    assert set(log) == set(wanted)
    for name, value in wanted.items():
        near = 0.01 if name == "train/clip_fraction" else LOSS  # a ratio may lie at the very border
        assert log[name] == pytest.approx(value, rel=near, abs=near), name
    assert wanted["train/clip_fraction"] > 0.05
    assert_near(gradients(ours), gradients(stock), GRADIENT)
    assert_near(
        [parameter.detach() for parameter in weights(ours)],
        [parameter.detach() for parameter in weights(stock)],
        WEIGHT,
    )
    for parameter, first in zip(weights(ours), before, strict=True):
        assert (parameter != first).any()


def test_a_difference_would_be_found() -> None:
    ours, stock = both(batch=256, epochs=1)
    ours.ent_coef = 0.0201
    train_both(ours, stock)
    with pytest.raises(AssertionError):
        assert_near(gradients(ours), gradients(stock), GRADIENT)
