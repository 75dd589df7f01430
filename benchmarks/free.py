"""An environment that costs nothing, and two learners of it: sb3-contrib's and ours.

Both have the same network with the same first weights, and see the same data whatever they do.
"""

import copy
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices
from torch import Tensor

from chromazoo.agents.network import MLP, Network
from chromazoo.envs.fields import Field, Layout, Observation
from chromazoo.envs.game import Game
from chromazoo.training.ppo import SelfPlayPPO


@dataclass(frozen=True)
class FreeSettings:
    """What both learners are told.

    Attributes:
        envs: Environments.
        steps: Steps of each in a rollout.
        batch: Decisions in one step of the optimiser.
        epochs: How often an update goes through all decisions.
        width: Units of each hidden layer.
        depth: Number of hidden layers.
        features: Length of an observation: bits, as uint8.
        seed: The seed of the data, and of the first weights.
    """

    envs: int = 64
    steps: int = 64
    batch: int = 2048
    epochs: int = 4
    width: int = 128
    depth: int = 2
    features: int = 256
    seed: int = 1


@Game.register
class FreeGame:
    """The sizes of a game that has no rules, which is all that networks of kind `mlp` ask for."""

    id = "free"

    def __init__(self, num_actions: int, num_features: int) -> None:
        """Note the sizes."""
        self.num_actions = num_actions
        self.num_features = num_features
        self.fields = Layout([Field("bits", (num_features,), 1, "drawn")])


class FreeVecEnv(VecEnv):
    """Goes round the steps of one rollout, drawn beforehand, whatever the actions are.

    Attributes:
        observations: uint8 (steps, envs, F), bits.
        masks: bool (steps, envs, A), as many legal actions in each.
        rewards: float32 (steps, envs).
        dones: bool (steps, envs), one in 32.
    """

    def __init__(self, actions: int, legal: int, settings: FreeSettings) -> None:
        """Draw the data.

        Args:
            actions: Number of actions, A.
            legal: How many of them are legal.
            settings: Numbers of environments, steps and features, and the seed.
        """
        size = settings.features
        self.render_mode: str | None = None
        super().__init__(
            settings.envs,
            gymnasium.spaces.Box(0, 1, (size,), np.uint8),
            gymnasium.spaces.Discrete(actions),
        )
        drawn = np.random.default_rng(settings.seed)
        shape = settings.steps, settings.envs
        self.observations = drawn.integers(0, 2, (*shape, size), np.uint8)
        self.rewards = drawn.standard_normal(shape, np.float32)
        self.dones = drawn.random(shape) < 1 / 32
        self.masks = np.zeros((*shape, actions), np.bool_)
        for masks in self.masks:
            chosen = drawn.random(masks.shape, np.float32).argpartition(legal, axis=1)
            np.put_along_axis(masks, chosen[:, :legal], True, axis=1)
        self._place = 0

    def reset(self) -> Observation:
        """Begin at the first step."""
        self._place = 0
        first: Observation = self.observations[0]
        return first

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Pay no attention to the actions."""

    def step_wait(
        self,
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Go on to the next step."""
        here = self._place
        self._place = (here + 1) % len(self.masks)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self.observations[self._place], self.rewards[here].copy(), self.dones[here], infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Tell the legal actions: bool (envs, A)."""
        masks: NDArray[np.bool_] = self.masks[self._place]
        return masks

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Tell the legal actions one environment after the other."""
        return list(getattr(self, method_name)())

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, once for each environment."""
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute."""
        setattr(self, attr_name, value)

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Any = None
    ) -> list[bool]:
        """Tell that no environment is wrapped."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


class Trunk(BaseFeaturesExtractor):
    """The layers of an `MLP`, where stock looks for layers that logits and value share."""

    def __init__(self, observation_space: gymnasium.spaces.Box, network: MLP) -> None:
        """Take the layers of a network over; they are not copied."""
        super().__init__(observation_space, network.value_head.in_features)
        self.trunk = network.trunk

    def forward(self, observations: Tensor) -> Tensor:
        """Run the layers: bits (n, F) -> (n, width)."""
        latent: Tensor = self.trunk(observations)
        return latent


def our_learner(env: FreeVecEnv, settings: FreeSettings, **changes: Any) -> SelfPlayPPO:
    """Make our learner.

    Args:
        env: Where it learns.
        settings: What it is told.
        changes: What else `MaskablePPO` takes.
    """
    width, depth = settings.width, settings.depth
    assert isinstance(env.action_space, gymnasium.spaces.Discrete)
    model = SelfPlayPPO(
        env,
        seed=settings.seed,
        policy_kwargs={
            "game": FreeGame(int(env.action_space.n), settings.features),
            "architecture": {"kind": MLP.kind, "width": width, "depth": depth},
        },
        **_common(settings),
        **changes,
    )
    model.set_logger(Logger(None, []))
    return model


def stock_learner(
    env: FreeVecEnv, settings: FreeSettings, network: Network, **changes: Any
) -> MaskablePPO:
    """Make sb3-contrib's learner, with its own policy, distribution and rollout buffer.

    Args:
        env: Where it learns.
        settings: What it is told.
        network: An `MLP` with the first weights; they are copied.
        changes: What else `MaskablePPO` takes.
    """
    assert isinstance(network, MLP)
    with torch.random.fork_rng(devices=[]):  # the layers draw first weights, which are not kept
        like = copy.deepcopy(network)
        model = MaskablePPO(
            "MlpPolicy",
            env,
            policy_kwargs={
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {"network": like},
                "net_arch": [],
                "ortho_init": False,
            },
            device="cpu",
            **_common(settings),
            **changes,
        )
    policy: Any = model.policy
    copies = (
        (policy.features_extractor.trunk, network.trunk),
        (policy.action_net, network.policy_head),
        (policy.value_net, network.value_head),
    )
    for theirs, ours in copies:
        theirs.load_state_dict(ours.state_dict())
    model.set_logger(Logger(None, []))
    return model


def _common(settings: FreeSettings) -> dict[str, Any]:
    """Name what both learners are told as `MaskablePPO` calls it."""
    return {
        "n_steps": settings.steps,
        "batch_size": settings.batch,
        "n_epochs": settings.epochs,
    }
