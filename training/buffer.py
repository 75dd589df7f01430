"""The learner's rollout buffer: sb3-contrib's, smaller, and ready for networks of legal actions.

Masks are kept as booleans and observations as they are, and all is allocated once. An update reads
neither: what the network is told was gathered when it decided, and is kept.
"""

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from torch import Tensor

from chromazoo.agents.network import Description


class Batch(NamedTuple):
    """Some of the decisions in a buffer.

    Attributes:
        description: What the network was told.
        actions: int64 (n,), what was chosen.
        old_values: float32 (n,), what the positions were thought to be worth.
        old_log_prob: float32 (n,), how likely the actions were.
        advantages: float32 (n,).
        returns: float32 (n,).
    """

    description: Description
    actions: Tensor
    old_values: Tensor
    old_log_prob: Tensor
    advantages: Tensor
    returns: Tensor


class SelfPlayRolloutBuffer(MaskableRolloutBuffer):
    """Keeps masks as booleans, observations as uint8, and everything in the order it came in.

    It also keeps what the network was told, so that this is gathered once and not in every epoch.
    Batches are those of `MaskableRolloutBuffer` for the same permutation.

    Attributes:
        generator: Where the permutations are drawn from; no global generator is touched.
        descriptions: What the network was told, one for each step of all environments.
    """

    def __init__(
        self, *args: Any, generator: np.random.Generator | np.random.RandomState, **kwargs: Any
    ) -> None:
        """Allocate the buffer.

        Args:
            args: What `MaskableRolloutBuffer` takes.
            generator: Where the permutations are drawn from.
            kwargs: What `MaskableRolloutBuffer` takes.
        """
        self.generator = generator
        self._allocated = False
        super().__init__(*args, **kwargs)

    def reset(self) -> None:
        """Empty the buffer; its arrays stay where they are."""
        if not self._allocated:
            super().reset()
            self.action_masks = np.ones(self.action_masks.shape, np.bool_)
            self._allocated = True
        self.descriptions: list[Description] = []
        self.pos = 0
        self.full = False

    def get(self, batch_size: int | None = None) -> Generator[Batch, None, None]:  # type: ignore[override]
        """Yield all that was collected, in shuffled batches.

        Args:
            batch_size: Decisions a batch; all in one if not given.

        Yields:
            One batch.
        """
        self.descriptions = [Description.joined(self.descriptions)]
        total = self.buffer_size * self.n_envs
        # MaskableRolloutBuffer numbers its decisions environment by environment.
        row, step = np.divmod(self.generator.permutation(total), self.buffer_size)
        order = step * self.n_envs + row
        size = batch_size or total
        for start in range(0, total, size):
            yield self._get_samples(order[start : start + size])

    def _get_samples(self, batch_inds: NDArray[np.int64], env: object = None) -> Batch:  # type: ignore[override]
        """Gather some decisions."""

        def gather(array: NDArray[Any]) -> Tensor:
            return torch.from_numpy(array.reshape(-1).take(batch_inds))

        return Batch(
            description=self.descriptions[0].take(batch_inds),
            actions=gather(self.actions),
            old_values=gather(self.values),
            old_log_prob=gather(self.log_probs),
            advantages=gather(self.advantages),
            returns=gather(self.returns),
        )
