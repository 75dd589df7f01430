"""The learner's policy: sb3-contrib's masked actor and critic, with one masked softmax a batch.

The probabilities are those of `MaskableActorCriticPolicy`. What is left out is what it does more
than once: it builds its masked categorical three times a batch, exponentiates logarithms of masked
entries, and draws by `multinomial`. Here each batch is normalised once, the gradients of
log-probability and entropy are written out, and actions are drawn by inverting cumulated
probabilities.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn
from torch.nn import functional as F

from chromazoo.agents.network import Network, build_network
from chromazoo.agents.ppo import masked_logits, sample_actions
from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.game import Game


class NetworkPolicy(MaskableActorCriticPolicy):
    """Puts a `Network` in the place of the extractors and heads of `MaskableActorCriticPolicy`.

    The methods that training needs are replaced by faster ones with the same results. `save` and
    `load` refuse, since their files are pickles; `chromazoo.agents.ppo` writes and reads policies.

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
        logits, values = self.network(obs)
        if action_masks is not None:
            logits = masked_logits(logits, torch.as_tensor(action_masks))
        probabilities = F.softmax(logits, dim=1)
        if deterministic:
            actions = probabilities.argmax(dim=1)
        else:
            uniforms = self.generator.random(len(probabilities))
            actions = torch.from_numpy(sample_actions(probabilities.detach().numpy(), uniforms))
        log_prob = F.log_softmax(logits, dim=1).gather(1, actions[:, None]).squeeze(1)
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
        logits, values = self.network(obs)
        if action_masks is not None:
            logits = masked_logits(logits, action_masks.bool())
        log_prob, entropy = evaluate_categorical(logits, actions)
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
        raise InvalidArgument(f"{path}: policies are written by chromazoo.agents.ppo.dump_policy")

    @classmethod
    def load(cls, path: str, device: Any = "auto") -> Any:
        """Refuse; see the class.

        Raises:
            InvalidArgument: always.
        """
        raise InvalidArgument(f"{path}: policies are read by chromazoo.agents.ppo.load_ppo")


def evaluate_categorical(logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    """Return log-probabilities and entropies of categorical distributions.

    Args:
        logits: (n, A), those of illegal actions as `masked_logits` makes them.
        actions: int64 (n,).

    Returns:
        Log-probabilities of the actions (n,) and entropies (n,), with gradients.
    """
    found: tuple[Tensor, Tensor] = _Categorical.apply(logits, actions)  # type: ignore[no-untyped-call]
    return found


class _Categorical(torch.autograd.Function):
    """Both from one normalisation.

    With p the probabilities, l their logarithms, H the entropy and z the logits:
    dl_a/dz = [a] - p and dH/dz = -p (l + H).
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Normalise once."""
        probabilities = F.softmax(logits, dim=1)
        logs = F.log_softmax(logits, dim=1)
        entropy = -(probabilities * logs).sum(1)
        ctx.save_for_backward(probabilities, logs, entropy, actions)
        return logs.gather(1, actions[:, None]).squeeze(1), entropy

    @staticmethod
    def backward(ctx: Any, log_prob_grad: Tensor, entropy_grad: Tensor) -> tuple[Tensor, None]:
        """Apply the formulas above."""
        probabilities, logs, entropy, actions = ctx.saved_tensors
        grad = (logs + entropy[:, None]).mul_(entropy_grad[:, None])
        grad = grad.add_(log_prob_grad[:, None]).mul_(probabilities).neg_()
        grad.scatter_add_(1, actions[:, None], log_prob_grad[:, None])
        return grad, None
