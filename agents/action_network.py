"""Policy networks that judge legal actions one by one.

Where a game has many actions of which few are legal, a network need look at those alone. What is
told of an action and of a position is counted from the observation and learns nothing; each game
says how. Two layers judge an action, together with a summary of all that the seat knows, which is
the same for all of its actions.
"""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from chromazoo.agents.listing import Listing
from chromazoo.agents.network import Description, Network, orthogonal
from chromazoo.envs.fields import Observation

Features = NDArray[np.float32]


class ActionNetwork(Network):
    """Judges the legal actions of a game one by one.

    A game's own network makes ready what its descriptions need, and then calls `_build`.

    Attributes:
        value_gain: Gain of the first weights of the value.
    """

    value_gain: ClassVar[float] = 1.0
    _key_of: NDArray[np.int64]

    @abstractmethod
    def _look(self, seen: Observation) -> Any:
        """Count what n observations tell, for the descriptions."""

    @abstractmethod
    def _about_positions(self, seen: Observation, sight: Any) -> Features:
        """Describe n positions: float32 (n, features)."""

    @abstractmethod
    def _about_actions(self, sight: Any, listing: Listing) -> Features:
        """Describe m actions: float32 (m, features)."""

    def _build(self, width: int, channels: int, key_of: NDArray[np.int64]) -> None:
        """Make the layers.

        Args:
            width: Units of the layers over all that a seat knows.
            channels: Units of the layers over one action.
            key_of: int64 (A,), which of the learnt vectors, numbered from 0, each action has.
        """
        self._key_of = key_of
        # An observation of nothing tells how many features there are.
        nothing = np.zeros((1, self.game.num_features), np.uint8)
        first = Listing(np.zeros(1, np.int64), np.ones(1, np.int64), self.game.num_actions)
        like = self.describe(nothing, first)
        self.whole = nn.Linear(like.positions.shape[1], width)
        self.summary = nn.Linear(width, width)
        self.spread = nn.Linear(width, channels, bias=False)
        self.action = nn.Linear(like.actions.shape[1], channels)
        self.key = nn.Parameter(torch.zeros(int(key_of.max()) + 1, channels))
        self.inner = nn.Linear(channels, channels)
        self.score = nn.Linear(channels, 1)
        self.value_head = nn.Linear(width, 1)
        self.float()

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Judge n positions; see `Network.forward`."""
        shape = len(observation), self.game.num_actions
        every = Listing.of_mask(np.ones(shape, np.bool_))
        logits, values = self.judge(self.describe(observation.to(torch.uint8).numpy(), every))
        return logits.view(shape), values

    def forward_critic(self, observation: Tensor) -> Tensor:
        """Return the values alone; see `Network.forward_critic`."""
        seen = observation.to(torch.uint8).numpy()
        summary = self._summarise(self._about_positions(seen, self._look(seen)))
        values: Tensor = self.value_head(summary).squeeze(1)
        return values

    def describe(self, observation: Observation, listing: Listing) -> Description:
        """Gather what the network is told; see `Network.describe`."""
        sight = self._look(observation)
        about = self._about_actions(sight, listing)
        return Description(listing, self._about_positions(observation, sight), about)

    def judge(self, description: Description) -> tuple[Tensor, Tensor]:
        """Judge n positions and no actions but the legal ones; see `Network.judge`."""
        listing = description.listing
        summary = self._summarise(description.positions)
        about = torch.from_numpy(description.actions).to(summary.dtype)
        keys = F.embedding(torch.from_numpy(self._key_of[listing.actions]), self.key)
        shared = _Repeated.apply(self.spread(summary), listing.rows)  # type: ignore[no-untyped-call]
        hidden = (self.action(about) + keys + shared).relu_()
        hidden = (self.inner(hidden) + hidden).relu_()
        return self.score(hidden).squeeze(1), self.value_head(summary).squeeze(1)

    def _summarise(self, positions: Features) -> Tensor:
        """Sum up all that is known of n positions: (n, width)."""
        about = torch.from_numpy(positions).to(self.scale.dtype)
        summary: Tensor = self.summary(self.whole(about).relu_()).relu_()
        return summary

    def initialise(self, generator: torch.Generator) -> None:
        """Draw orthogonal weights; the policy begins close to uniform."""
        orthogonal(self, generator, {self.score: 0.01, self.value_head: self.value_gain})
        nn.init.zeros_(self.key)


class _Repeated(torch.autograd.Function):
    """Rows of a table, each any number of times, in order: the same as indexing, but faster."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: NDArray[np.int64]) -> Tensor:
        """Index: (n, k), int64 (m,) in rising order -> (m, k)."""
        ctx.rows, ctx.length = rows, len(table)
        return table.index_select(0, torch.from_numpy(rows))

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        """Add up what each row is given."""
        found = np.zeros((ctx.length, grad.shape[1]), grad.numpy().dtype)
        starts = np.flatnonzero(np.diff(ctx.rows, prepend=-1))
        if len(starts):
            found[ctx.rows[starts]] = np.add.reduceat(grad.numpy(), starts)
        return torch.from_numpy(found), None
