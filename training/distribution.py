"""The learner's distributions: categorical ones over the legal actions alone.

The probabilities are those of sb3-contrib's `MaskableCategoricalDistribution`, which normalises
over all actions, several times a batch, though few are legal. Here the legal ones are listed, each
batch is normalised once, the gradients of log-probability and entropy are written out, and actions
are drawn by inverting cumulated probabilities.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from chromazoo.agents.listing import Listing
from chromazoo.agents.ppo import sample_actions


class LegalCategorical:
    """Categorical distributions over the legal actions of n positions.

    Attributes:
        logits: (m,), those of the listed actions.
        listing: The legal actions.
    """

    def __init__(self, logits: Tensor, listing: Listing) -> None:
        """Take logits as they are; nothing is calculated yet."""
        self.logits = logits
        self.listing = listing

    def choose(self, uniforms: NDArray[np.float64] | None = None) -> tuple[Tensor, Tensor]:
        """Choose an action of each position.

        Args:
            uniforms: (n,), numbers from [0, 1) with which to sample; the likeliest actions if not
                given.

        Returns:
            The actions int64 (n,) and their log-probabilities (n,), without gradients.
        """
        listing = self.listing
        probabilities, logs = listing.softmax(self.logits.detach().numpy())
        table = listing.pad(probabilities)  # (positions, legal actions)
        chosen = table.argmax(axis=1) if uniforms is None else sample_actions(table, uniforms)
        chosen += listing.starts
        return torch.from_numpy(listing.actions[chosen]), torch.from_numpy(logs[chosen])

    def evaluate(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Tell how likely actions are, and how undecided the distributions.

        Args:
            actions: int64 (n,), legal ones.

        Returns:
            Log-probabilities of the actions (n,) and entropies (n,), with gradients.

        Raises:
            InvalidArgument: an action is not legal.
        """
        chosen = self.listing.find(actions.numpy())
        found: tuple[Tensor, Tensor] = _Evaluation.apply(self.logits, self.listing, chosen)  # type: ignore[no-untyped-call]
        return found


class _Evaluation(torch.autograd.Function):
    """Log-probabilities and entropies from one normalisation.

    With p the probabilities, l their logarithms, H the entropy and z the logits of a position:
    dl_a/dz = [a] - p and dH/dz = -p (l + H).
    """

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, listing: Listing, chosen: NDArray[np.int64]
    ) -> tuple[Tensor, Tensor]:
        """Normalise once."""
        probabilities, logs = listing.softmax(logits.detach().numpy())
        entropy = -listing.total(probabilities * logs)
        ctx.kept = probabilities, logs, entropy, listing, chosen
        return torch.from_numpy(logs[chosen]), torch.from_numpy(entropy)

    @staticmethod
    def backward(
        ctx: Any, log_prob_grad: Tensor, entropy_grad: Tensor
    ) -> tuple[Tensor, None, None]:
        """Apply the formulas above."""
        probabilities, logs, entropy, listing, chosen = ctx.kept
        rows, pull = listing.rows, log_prob_grad.numpy()
        grad = (logs + entropy[rows]) * entropy_grad.numpy()[rows] + pull[rows]
        grad *= -probabilities
        grad[chosen] += pull
        return torch.from_numpy(grad), None, None
