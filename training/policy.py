"""The learner's policy: sb3-contrib's masked actor and critic, on the legal actions alone."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from chromazoo.agents.listing import Listing
from chromazoo.agents.network import Description, Network, build_network
from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.game import Game
from chromazoo.training.distribution import LegalCategorical


class NetworkPolicy(MaskableActorCriticPolicy):
    """Puts a `Network` in the place of the extractors and heads of `MaskableActorCriticPolicy`.

    The methods that training needs are replaced by faster ones with the same results. `save` and
    `load` refuse, since their files are pickles; `chromazoo.agents.policy_files` is for them.

    Attributes:
        network: The network.
        generator: Where actions are drawn from; no global generator is touched.
    """

    network: Network

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Schedule,
        game: Game[Any],
        architecture: Mapping[str, Any],
        seed: int = 0,
        **kwargs: Any,
    ) -> None:
        """Build the policy.

        Args:
            observation_space: Flat observations of the game.
            action_space: The game's actions.
            lr_schedule: Progress that remains, from 1 to 0 -> learning rate.
            game: The rules.
            architecture: What `build_network` takes.
            seed: Seed of the first weights and of the draws.
            kwargs: What else `MaskableActorCriticPolicy` takes.
        """
        self._game = game
        self._architecture = architecture
        self._seed = seed
        self.generator = np.random.default_rng(seed)
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        """Create the network and the optimiser."""
        self.network = build_network(self._game, self._architecture)
        self.network.initialise(torch.Generator().manual_seed(self._seed))
        self.mlp_extractor = self.network  # type: ignore[assignment]
        self.action_net = nn.Identity()
        self.value_net = nn.Identity()  # type: ignore[assignment]
        self.optimizer = self.optimizer_class(
            self.network.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]
            **self.optimizer_kwargs,
        )

    def forward(
        self,
        obs: Tensor,
        deterministic: bool = False,
        action_masks: NDArray[np.bool_] | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Choose actions; see `MaskableActorCriticPolicy.forward`.

        Args:
            obs: uint8 or floating (n, F).
            deterministic: Whether to take the likeliest actions.
            action_masks: bool (n, A); all actions are legal if not given.

        Returns:
            Actions int64 (n,), values (n,) and log-probabilities of the actions (n,).
        """
        return self.choose(self.describe(obs, action_masks), deterministic)

    def describe(self, obs: Tensor, action_masks: NDArray[np.bool_] | None) -> Description:
        """Gather what the network is told of some positions.

        Args:
            obs: uint8 or floating (n, F).
            action_masks: bool (n, A); all actions are legal if not given.
        """
        if action_masks is None:
            action_masks = np.ones((len(obs), self._game.num_actions), np.bool_)
        observation = obs.to(torch.uint8).numpy()
        return self.network.describe(observation, Listing.of_mask(action_masks))

    def choose(
        self, description: Description, deterministic: bool = False
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Choose actions in the positions described; see `forward`."""
        logits, values = self.network.judge(description)
        uniforms = None if deterministic else self.generator.random(len(values))
        actions, log_prob = LegalCategorical(logits, description.listing).choose(uniforms)
        return actions, values, log_prob

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Judge actions; see `MaskableActorCriticPolicy.evaluate_actions`.

        Args:
            obs: uint8 or floating (n, F).
            actions: int64 (n,).
            action_masks: bool (n, A); all actions are legal if not given.

        Returns:
            Values (n,), log-probabilities of the actions (n,) and entropies (n,).
        """
        masks = None if action_masks is None else action_masks.bool().numpy()
        return self.evaluate(self.describe(obs, masks), actions)

    def evaluate(self, description: Description, actions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Judge actions in the positions described; see `evaluate_actions`."""
        logits, values = self.network.judge(description)
        log_prob, entropy = LegalCategorical(logits, description.listing).evaluate(actions)
        return values, log_prob, entropy

    def _predict(  # type: ignore[override]
        self,
        observation: Tensor,
        deterministic: bool = False,
        action_masks: NDArray[np.bool_] | None = None,
    ) -> Tensor:
        """Choose actions; see `MaskableActorCriticPolicy._predict`."""
        actions: Tensor = self(observation, deterministic, action_masks)[0]
        return actions

    def save(self, path: str) -> None:
        """Refuse; see the class.

        Raises:
            InvalidArgument: always.
        """
        raise InvalidArgument(f"{path}: policies are written by chromazoo.agents.policy_files")

    @classmethod
    def load(cls, path: str, device: Any = "auto") -> Any:
        """Refuse; see the class.

        Raises:
            InvalidArgument: always.
        """
        raise InvalidArgument(f"{path}: policies are read by chromazoo.agents.ppo.load_ppo")
