"""A policy network for Guardians: it judges each card by where it may land and what may explode.

A card in hand is described by the odds of its columns, by what explodes there, and by its
neighbours in the turn; so are, beside it, the own card chosen before and the chief's, whose columns
depend on it. All this is counted (`guardians_sight.py`) and learns nothing. Two layers judge it,
together with a summary of all that the seat knows, which is the same for all of its cards.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from chromazoo.agents.guardians_sight import NONE, Cards, Eyes, Features, Sight
from chromazoo.agents.listing import Listing
from chromazoo.agents.network import Description, Network, check_sizes, orthogonal
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Game
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import MARKS
from chromazoo.envs.guardians.config import CARDS, COLOURS
from chromazoo.envs.guardians.queue import SPACES

_ROWS = 3  # spaces of a column that the network is told, from below
_SCALE = 10  # brings numbers of marks and cards close to 1


class GuardiansNetwork(Network):
    """Judges the cards in a hand of Guardians one by one."""

    kind = "guardians"

    def __init__(self, game: Game[Any], width: int = 128, channels: int = 64) -> None:
        """Build the layers.

        Args:
            game: Guardians with any options.
            width: Units of the layers over all that a seat knows.
            channels: Units of the layers over one card.

        Raises:
            InvalidConfig: a size is out of range, or the game is not Guardians.
        """
        sizes = {"width": width, "channels": channels}
        check_sizes(self.kind, sizes, 4096)
        if not isinstance(game, rules.Game):
            raise InvalidConfig(f"network {self.kind} plays Guardians, not {game.id}")
        super().__init__(game, **sizes)
        self._game = game
        self._eyes = Eyes(game)
        # An observation of nothing tells how many features there are.
        nothing, one = np.zeros((1, game.num_features), np.uint8), np.zeros(1, np.int64)
        sight = self._eyes.look(nothing)
        self.whole = nn.Linear(self._about_positions(nothing, sight).shape[1], width)
        self.summary = nn.Linear(width, width)
        self.spread = nn.Linear(width, channels, bias=False)
        self.action = nn.Linear(self._about_cards(sight, one, one).shape[1], channels)
        self.card = nn.Parameter(torch.zeros(CARDS, channels))
        self.inner = nn.Linear(channels, channels)
        self.score = nn.Linear(channels, 1)
        self.value_head = nn.Linear(width, 1)
        self.float()

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Judge n positions; see `Network.forward`."""
        shape = len(observation), self._game.num_actions
        every = Listing.of_mask(np.ones(shape, np.bool_))
        logits, values = self.judge(self.describe(observation.to(torch.uint8).numpy(), every))
        return logits.view(shape), values

    def forward_critic(self, observation: Tensor) -> Tensor:
        """Return the values alone; see `Network.forward_critic`."""
        seen = observation.to(torch.uint8).numpy()
        about = self._about_positions(seen, self._eyes.look(seen))
        values: Tensor = self.value_head(self._summarise(about)).squeeze(1)
        return values

    def describe(self, observation: Observation, listing: Listing) -> Description:
        """Gather what the network is told; see `Network.describe`."""
        sight = self._eyes.look(observation)
        about = self._about_cards(sight, listing.rows, listing.actions)
        return Description(listing, self._about_positions(observation, sight), about)

    def judge(self, description: Description) -> tuple[Tensor, Tensor]:
        """Judge n positions and no actions but the legal ones; see `Network.judge`."""
        listing = description.listing
        summary = self._summarise(description.positions)
        about = torch.from_numpy(description.actions).to(summary.dtype)
        shared = self.spread(summary).index_select(0, torch.from_numpy(listing.rows))
        cards = F.embedding(torch.from_numpy(listing.actions), self.card)
        hidden = (self.action(about) + cards + shared).relu_()
        hidden = (self.inner(hidden) + hidden).relu_()
        return self.score(hidden).squeeze(1), self.value_head(summary).squeeze(1)

    def _summarise(self, positions: Features) -> Tensor:
        """Sum up all that is known of n positions: (n, width)."""
        about = torch.from_numpy(positions).to(self.scale.dtype)
        summary: Tensor = self.summary(self.whole(about).relu_()).relu_()
        return summary

    def initialise(self, generator: torch.Generator) -> None:
        """Draw orthogonal weights; the policy begins close to uniform."""
        orthogonal(self, generator, {self.score: 0.01, self.value_head: 0.1})
        nn.init.zeros_(self.card)

    # What the layers are told

    def _about_positions(self, seen: NDArray[np.uint8], sight: Sight) -> Features:
        """Describe all that seats know.

        Args:
            seen: uint8 (n, F), their observations.
            sight: The same, counted.

        Returns:
            float32 (n, features).
        """
        fields, games = self._game.fields, len(seen)
        names = ("taken", "sizes", "turn", "round", "hand", "chosen", "chief", "colours")
        taken, sizes, turn, rounds, hand, chosen, chief, colours = (
            fields.get(seen, name) for name in names
        )
        turns = turn.reshape(games).astype(np.int64)
        marks = taken.astype(np.float32)
        ahead = (marks[:, :1] - marks[:, 1:]) / _SCALE
        # The spaces above those that come next, from below: (n, colours, columns, rows).
        spaces = (turns[:, None] - 1 - np.arange(_ROWS)).clip(0)[:, None, None]
        near = np.take_along_axis(colours, spaces, axis=3)
        parts = [
            ahead,
            np.sort(ahead, axis=1),
            np.tanh(ahead * (1 + turns[:, None])),
            marks / _SCALE,
            sizes / _SCALE,
            np.eye(SPACES + 1)[turns],
            rounds.reshape(games, 1) / np.float32(2),
            sight.beside[:, None] / _SCALE,
            hand,
            chosen,
            chief,
            near.reshape(games, -1),
            np.eye(COLOURS + 1)[sight.lowest.T].reshape(games, -1),
            sight.stakes.T / 3,
            colours.sum(axis=(1, 3)) / np.float32(SPACES),
            sight.unseen_of[:, :, -1].T / _SCALE,
            sight.held_of / 3,
            (hand @ MARKS.astype(np.float32))[:, None] / _SCALE,
        ]
        return np.concatenate([np.asarray(part, np.float32) for part in parts], axis=1)

    def _about_cards(self, sight: Sight, rows: Cards, cards: Cards) -> Features:
        """Describe cards to choose, each with the other own card of the turn and the chief's.

        Args:
            sight: n positions.
            rows: int64 (m,), the position of each card.
            cards: int64 (m,).

        Returns:
            float32 (m, features).
        """
        first, chief = sight.first[rows], sight.chief[rows]
        told = self._eyes.follow(sight, rows, cards, np.stack([first, chief]))
        colour = self._eyes.colour[cards]
        told += [
            np.eye(COLOURS)[colour].T,
            (cards[None] - CARDS / 2) / CARDS,
            sight.held_of[rows, colour][None] / 3,
            sight.unseen_of[colour, rows, -1][None] / _SCALE,
        ]
        for other, known in ((first, chief), (chief, first)):
            there = np.flatnonzero(other != NONE)
            about = self._eyes.follow(
                sight, rows[there], other[there], np.stack([cards[there], known[there]])
            )
            features = np.zeros((sum(len(part) for part in about), len(cards)), np.float32)
            features[:, there] = np.concatenate(about)
            told += [features, (other != NONE)[None]]
        return np.concatenate([np.asarray(part, np.float32) for part in told]).T.copy()
