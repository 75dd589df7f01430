"""A policy network for Guardians: it judges each card by where it may land and what it leads to.

A card in hand is described by the odds of its columns, by what explodes there, and by its
neighbours in the turn; so are, beside it, the own card chosen before and the chief's, whose columns
depend on it (`guardians_sight.py`). It is also tried in worlds that may be, and described by the
chances to win and the marks that follow (`guardians_survey.py`). All this is counted and learns
nothing. Two layers judge it, together with a summary of all that the seat knows, which is the same
for all of its cards; what they say is added to the chances, so that a network that has learnt
nothing plays by these.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from chromazoo.agents.action_network import ActionNetwork
from chromazoo.agents.guardians import Odds, Weights
from chromazoo.agents.guardians_sight import NONE, Eyes, Features, Sight
from chromazoo.agents.guardians_survey import CARD_FEATURES, POSITION_FEATURES, Survey, survey
from chromazoo.agents.guardians_worlds import look
from chromazoo.agents.listing import Listing
from chromazoo.agents.network import Description, check_sizes
from chromazoo.envs.fields import Observation
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import MARKS
from chromazoo.envs.guardians.config import CARDS, COLOURS
from chromazoo.envs.guardians.queue import SPACES

LEAN = 10.0
"""What the first number that a survey tells of a card counts for its logit, where nothing is learnt
yet, times the number of seats."""
MOST_WORLDS = 256
"""As many worlds a policy file may ask for: time and memory of a decision grow with them."""
_ROWS = 3  # spaces of a column that the network is told, from below
_SCALE = 10  # brings numbers of marks and cards close to 1


class GuardiansNetwork(ActionNetwork):
    """Judges the cards in a hand of Guardians one by one."""

    kind = "guardians"
    plays = rules.Game
    game: rules.Game
    value_gain = 0.1

    def __init__(
        self, game: rules.Game, width: int = 128, channels: int = 64, worlds: int = 32
    ) -> None:
        """Build the layers.

        Args:
            game: Guardians with any options.
            width: Units of the layers over all that a seat knows.
            channels: Units of the layers over one card.
            worlds: Worlds in which each card is tried, 256 at most; the best are in four times as
                many.

        Raises:
            InvalidConfig: a size is out of range, or the game is not Guardians.
        """
        check_sizes(self.kind, {"worlds": worlds}, MOST_WORLDS)
        super().__init__(game, width=width, channels=channels, worlds=worlds)
        self._eyes, self._odds, self._worlds = Eyes(game), Odds(game, Weights()), worlds
        self.lean, self.hope = nn.Parameter(torch.zeros(())), nn.Parameter(torch.zeros(()))
        self._build(width, channels, np.arange(CARDS))

    def judge(self, description: Description) -> tuple[Tensor, Tensor]:
        """Judge legal actions, beginning with what the survey says; see `Network.judge`."""
        logits, values = super().judge(description)
        # The survey comes last, and in it how far a card is behind the best.
        behind = torch.from_numpy(description.actions[:, -CARD_FEATURES]).to(logits.dtype)
        return logits + self.lean * behind, values + self._hoped(description.positions)

    def forward_critic(self, observation: Tensor) -> Tensor:
        """Return the values alone; see `Network.forward_critic`."""
        seen = observation.to(torch.uint8).numpy()
        about = self._about_positions(seen, self._look(seen))
        values: Tensor = self.value_head(self._summarise(about)).squeeze(1)
        return values + self._hoped(about)

    def _hoped(self, about: Features) -> Tensor:
        """Return the part of the values that the survey says: (n,)."""
        return self.hope * torch.from_numpy(about[:, -POSITION_FEATURES]).to(self.hope.dtype)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw weights; the policy begins close to the choice of what has the best chances."""
        super().initialise(generator)
        nn.init.constant_(self.lean, LEAN * self.game.num_seats)
        nn.init.constant_(self.hope, 1.0)

    def _look(self, seen: Observation) -> tuple[Sight, Survey]:
        """Count what seats see, and survey their hands: uint8 (n, F)."""
        hands = survey(self.game, self._odds, look(self.game, seen), self._worlds)
        return self._eyes.look(seen), hands

    def _about_positions(self, seen: NDArray[np.uint8], counted: tuple[Sight, Survey]) -> Features:
        """Describe all that seats know.

        Args:
            seen: uint8 (n, F), their observations.
            counted: The same, counted, and a survey.

        Returns:
            float32 (n, features).
        """
        sight, hands = counted
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
            hands.positions,
        ]
        return np.concatenate([np.asarray(part, np.float32) for part in parts], axis=1)

    def _about_actions(self, counted: tuple[Sight, Survey], listing: Listing) -> Features:
        """Describe cards to choose, each with the other own card of the turn and the chief's.

        Args:
            counted: n positions, counted, and a survey.
            listing: The cards, m in all.

        Returns:
            float32 (m, features).
        """
        sight, hands = counted
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
        told.append(hands.cards[hands.places[rows, cards]].T)
        return np.concatenate([np.asarray(part, np.float32) for part in told]).T.copy()
