"""A policy network for CHROMA: it judges each legal action by what the action leaves on the board.

CHROMA has thousands of actions of which a dozen are legal, so the network looks at those alone. A
card on its way to a space is described by its power, by how many cards it will touch, by the spaces
around once it lies there, and by the whole board as it is then: what own cards, unseen cards and
cards known in other hands could be laid, touching how many, and whether that wins. All this is
counted from sets of colours and learns nothing. Two layers judge it, together with a summary of all
that the seat knows, which is the same for all of its actions.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.action_network import ActionNetwork, Features
from chromazoo.agents.chroma_sight import (
    BITS,
    LOG1P,
    PERFECT,
    Colours,
    Counts,
    Eyes,
    Sight,
    find_reach,
    odds_of,
    touchable,
    touches_to_win,
)
from chromazoo.agents.listing import Listing
from chromazoo.agents.network import Description
from chromazoo.envs.chroma import rules
from chromazoo.envs.chroma.board import ANY_COLOUR, NEIGHBOURS, OFF, SPACES
from chromazoo.envs.chroma.cards import POWERS
from chromazoo.envs.chroma.config import COLOURS, WILD
from chromazoo.envs.fields import Observation

_BLOCK = 4096  # so many boards are looked at together
_SCALE = 5  # brings numbers of colours close to 1
_HAND = 5  # cards left; more look alike
_SIZES = 10  # hands of so many cards and more look alike


class ChromaNetwork(ActionNetwork):
    """Judges the legal actions of CHROMA one by one."""

    kind = "chroma"
    plays = rules.Game
    game: rules.Game

    def __init__(self, game: rules.Game, width: int = 128, channels: int = 32) -> None:
        """Build the layers.

        Args:
            game: CHROMA with any options.
            width: Units of the layers over all that a seat knows.
            channels: Units of the layers over one action.

        Raises:
            InvalidConfig: a size is out of range, or the game is not CHROMA.
        """
        super().__init__(game, width=width, channels=channels)
        self._eyes = Eyes(game)
        self._power_of = np.eye(len(POWERS) + 1, dtype=np.float32)[game.cards.power]  # none: last
        # Of each action: whether it moves a card, the card's type, its space, else its number.
        actions, others = np.arange(game.num_actions), game.give - game.draw
        self._moves = (actions < game.draw) | (actions >= game.give)
        self._type = np.where(actions < game.draw, actions // SPACES, actions - game.give)
        self._space = np.where(actions < game.draw, actions % SPACES, OFF)
        self._number = np.where(self._moves, others, actions - game.draw)
        self._other = np.eye(others + 1, others, dtype=np.float32)  # the last row: moves a card
        self._compiled: Any = None
        self._build(width, channels, self._space)
        if game.engine == "compiled":
            self._compiled = self._compile()

    def _compile(self) -> Any:
        """Make what describes in compiled code."""
        from chromazoo.agents.chroma_compiled_network import Describer

        return Describer(
            self.game,
            self._eyes,
            (self.whole.in_features, self.action.in_features),
            moves=self._moves,
            types=self._type,
            spaces=self._space,
            others=self._number,
            unmoving=self._other.shape[1],
            most=_SIZES,
            left=_HAND,
            scale=np.float32(_SCALE),
        )

    def describe(self, observation: Observation, listing: Listing) -> Description:
        """Gather what the network is told; see `Network.describe`."""
        if self._compiled is None:
            return super().describe(observation, listing)
        return Description(listing, *self._compiled.describe(observation, listing))

    def _look(self, seen: Observation) -> Sight:
        """Turn what seats see into sets of colours: uint8 (n, F)."""
        return self._eyes.look(seen)

    def _about_positions(self, seen: NDArray[np.uint8], sight: Sight) -> Features:
        """Describe all that seats know.

        Args:
            seen: uint8 (n, F), their observations.
            sight: The same as sets of colours.

        Returns:
            float32 (n, features).
        """
        layout, games = self.game.fields, len(seen)

        def field(name: str) -> Features:
            where = layout.slices[name]
            scaled: Features = np.divide(seen[:, where], layout.high[where], dtype=np.float32)
            return scaled

        marks = [
            seen[:, layout.slices[name]].reshape(games, -1, SPACES).any(axis=2)
            for name in ("magnets", "locks")
        ]
        sizes = np.vstack([sight.cards, sight.sizes])  # (seats, games)
        reach, touches = find_reach(sight.fits, sight.touches), touchable(sight)
        spaces = [LOG1P[(touches == k).sum(axis=0)] for k in range(1, PERFECT + 1)]
        rows = np.arange(games)
        near = NEIGHBOURS[:, sight.spot]
        around = self._around(
            sight, rows, sight.fits[near, rows], sight.touches[near, rows], sight.hand[0]
        )
        parts = [
            *(field(name) for name in ("phase", "replaying", "power", "partner", "pile", "passes")),
            *marks,
            np.minimum(sight.pile, _SIZES)[:, None] / _SIZES,
            np.eye(_SIZES + 1)[np.minimum(sizes, _SIZES)].transpose(1, 0, 2).reshape(games, -1),
            seen[:, layout.slices["hand"]] @ self._power_of,
            np.bitwise_count(reach & sight.hand[0]).T / _SCALE,
            np.bitwise_count(reach).T / COLOURS,
            np.stack(spaces, axis=1),
            *_prospects(sight, rows, reach, touches, sight.cards),
            sight.strangers.T / _SIZES,
            around,
        ]
        return np.concatenate([np.asarray(part, np.float32) for part in parts], axis=1)

    def _about_actions(self, sight: Sight, listing: Listing) -> Features:
        """Describe actions: (m, features). One that moves no card has its number alone."""
        cards = np.flatnonzero(self._moves[listing.actions])
        blocks = np.split(cards, range(_BLOCK, len(cards), _BLOCK))
        found = np.concatenate([self._about_block(sight, listing, block) for block in blocks])
        features = found.shape[1]
        numbers = self._other[self._number[listing.actions]]
        about = np.zeros((len(numbers), features + numbers.shape[1]), np.float32)
        about[cards, :features], about[:, features:] = found, numbers
        return about

    def _about_block(self, sight: Sight, listing: Listing, cards: Counts) -> Features:
        """Describe some of the listed actions, all of which move a card: (c, features)."""
        rows, actions = listing.rows[cards], listing.actions[cards]
        return self._about_cards(sight, rows, self._type[actions], self._space[actions])

    def _about_cards(self, sight: Sight, rows: Counts, types: Counts, spaces: Counts) -> Features:
        """Describe cards on their ways to spaces, or to another seat.

        Args:
            sight: n games.
            rows: int64 (c,), the game of each card.
            types: int64 (c,), the cards' types.
            spaces: int64 (c,), where they are to lie; `OFF` for none.

        Returns:
            float32 (c, features).
        """
        bit = BITS[types % COLOURS]
        hand = sight.hand[0, rows] & ~bit | sight.hand[1, rows] & bit
        shown = np.where(sight.phase[rows] == WILD, ANY_COLOUR, types % COLOURS)
        fits, touches = self._eyes.surroundings(sight, rows, spaces, shown)
        here, touched = sight.fits[spaces, rows], sight.touches[spaces, rows]
        face_up = (spaces != OFF) & (shown != ANY_COLOUR)
        left = sight.cards[rows] - 1 + face_up * ((touched == 1) * 1 - (touched == 3))
        parts = [
            self._around(sight, rows, fits, touches, hand),
            np.eye(PERFECT + 1)[touched],
            np.eye(_HAND + 1)[left.clip(0, _HAND)],
            self._power_of[types],
            (hand & bit != 0)[:, None],
            self._takers(sight, rows, here[None], hand)[0].T,
            *self._afterwards(sight, rows, spaces, fits, touches, hand, left),
        ]
        return np.concatenate([np.asarray(part, np.float32) for part in parts], axis=1)

    def _afterwards(
        self,
        sight: Sight,
        rows: Counts,
        spaces: Counts,
        fits: Colours,
        touches: NDArray[np.uint8],
        hand: Colours,
        left: Counts,
    ) -> list[NDArray[Any]]:
        """Describe the whole board once a card lies on a space.

        Args:
            sight: n games.
            rows: int64 (c,), the game of each card.
            spaces: int64 (c,), where the cards are to lie.
            fits: uint32 (4, c), what fits the spaces around then.
            touches: uint8 (4, c), how many cards touch them then.
            hand: uint32 (c,), the colours left in the own hand.
            left: int64 (c,), how many cards are left in it.

        Returns:
            The logarithm of how many spaces an own card would touch 1, 2, 3, 4 cards on, (c, 4);
            how many own colours would touch at least so many, (c, 4); and `_prospects`.
        """
        near, cards = NEIGHBOURS[:, spaces], np.arange(len(rows))
        all_fits, all_touches = sight.fits.take(rows, axis=1), sight.touches.take(rows, axis=1)
        all_fits[near, cards], all_touches[near, cards] = fits, touches
        all_fits[spaces, cards] = 0
        reach = find_reach(all_fits, all_touches)
        own = all_touches * (all_fits & hand != 0)
        openings = [(own == k).sum(axis=0, dtype=np.uint8) for k in range(1, PERFECT + 1)]
        return [
            LOG1P[np.stack(openings, axis=1)],
            np.bitwise_count(reach & hand).T / _SCALE,
            *_prospects(sight, rows, reach, own, left),
        ]

    def _around(
        self,
        sight: Sight,
        rows: Counts,
        fits: Colours,
        touches: NDArray[np.uint8],
        hand: Colours,
    ) -> Features:
        """Describe the spaces around others, by how many cards touch them.

        Args:
            sight: n games.
            rows: int64 (c,), the game of each space.
            fits: uint32 (4, c), what fits the four spaces around each.
            touches: uint8 (4, c), how many cards touch them.
            hand: uint32 (c,), the colours in the own hand.

        Returns:
            float32 (c, features).
        """
        takers = self._takers(sight, rows, fits, hand)  # (4, features, c)
        classes = [(takers * (touches == k)[:, None]).sum(axis=0) for k in range(1, PERFECT + 1)]
        return np.concatenate(classes).T

    def _takers(self, sight: Sight, rows: Counts, fits: Colours, hand: Colours) -> Features:
        """Tell who may have something for some spaces.

        Args:
            sight: n games.
            rows: int64 (c,), games.
            fits: uint32 (k, c), what fits k spaces of each.
            hand: uint32 (c,), the colours in the own hand.

        Returns:
            float32 (k, 3 + N, c): whether anything fits, whether an own card does, how many of the
            own colours, the share of the unseen cards, and whether a card known in each other
            hand does.
        """
        found = np.empty((len(fits), 3 + self.game.num_seats, fits.shape[1]), np.float32)
        own = fits & hand
        found[:, 0], found[:, 1] = fits != 0, own != 0
        found[:, 2] = np.bitwise_count(own) / np.float32(_SCALE)
        unseen = sight.unseen[:, rows]
        copies = np.bitwise_count(fits[:, None] & unseen).sum(axis=1, dtype=np.float32)
        found[:, 3] = copies / np.maximum(np.bitwise_count(unseen).sum(axis=0, dtype=np.float32), 1)
        found[:, 4:] = fits[:, None] & sight.known[:, rows] != 0
        return found


def _prospects(
    sight: Sight, rows: Counts, reach: Colours, own: NDArray[np.uint8], cards: Counts
) -> list[NDArray[Any]]:
    """Estimate what may be placed next, and whether it wins.

    Args:
        sight: n games.
        rows: int64 (c,), games.
        reach: uint32 (4, c), the colours that fit where they touch 1, 2, 3, 4 cards.
        own: uint8 (78, c), how many cards an own card would touch on each space.
        cards: int64 (c,), own cards.

    Returns:
        For each other seat the odds that it has a card that touches as many, (c, 4 (N - 1)), and
        enough to win, (c, N - 1); whether an own card does, (c, 1).
    """
    odds = odds_of(sight, reach, rows)  # (touches, others, cards)
    needed = touches_to_win(sight.sizes[:, rows])
    wins = np.take_along_axis(odds, needed[None] - 1, axis=0)[0]
    ready = own.max(axis=0) >= touches_to_win(cards)
    return [np.concatenate(odds).T, wins.T, ready[:, None]]
