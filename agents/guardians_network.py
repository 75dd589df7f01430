"""A policy network for Guardians: it judges each card by where it may land and what may explode.

A card in hand is described by the odds of its columns, by what explodes there, and by its
neighbours in the turn; so are, beside it, the own card chosen before and the chief's, whose columns
depend on it. All this is counted (`guardians_sight.py`) and learns nothing. Two layers judge it,
together with a summary of all that the seat knows, which is the same for all of its cards.
"""

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.action_network import ActionNetwork
from chromazoo.agents.guardians_sight import NONE, Eyes, Features, Sight
from chromazoo.agents.listing import Listing
from chromazoo.envs.fields import Observation
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import MARKS
from chromazoo.envs.guardians.config import CARDS, COLOURS
from chromazoo.envs.guardians.queue import SPACES

_ROWS = 3  # spaces of a column that the network is told, from below
_SCALE = 10  # brings numbers of marks and cards close to 1


class GuardiansNetwork(ActionNetwork):
    """Judges the cards in a hand of Guardians one by one."""

    kind = "guardians"
    plays = rules.Game
    game: rules.Game
    value_gain = 0.1

    def __init__(self, game: rules.Game, width: int = 128, channels: int = 64) -> None:
        """Build the layers.

        Args:
            game: Guardians with any options.
            width: Units of the layers over all that a seat knows.
            channels: Units of the layers over one card.

        Raises:
            InvalidConfig: a size is out of range, or the game is not Guardians.
        """
        super().__init__(game, width=width, channels=channels)
        self._eyes = Eyes(game)
        self._build(width, channels, np.arange(CARDS))

    def _look(self, seen: Observation) -> Sight:
        """Count what seats see: uint8 (n, F)."""
        return self._eyes.look(seen)

    def _about_positions(self, seen: NDArray[np.uint8], sight: Sight) -> Features:
        """Describe all that seats know.

        Args:
            seen: uint8 (n, F), their observations.
            sight: The same, counted.

        Returns:
            float32 (n, features).
        """
        fields, games = self.game.fields, len(seen)
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

    def _about_actions(self, sight: Sight, listing: Listing) -> Features:
        """Describe cards to choose, each with the other own card of the turn and the chief's.

        Args:
            sight: n positions.
            listing: The cards, m in all.

        Returns:
            float32 (m, features).
        """
        rows, cards = listing.rows, listing.actions
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
