"""A heuristic agent for CHROMA: weighs the chances that every legal action leaves to all seats."""

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Decision
from chromazoo.agents.choice import best, best_shares
from chromazoo.agents.chroma_sight import (
    BITS,
    LOG1P,
    PERFECT,
    Colours,
    Counts,
    Eyes,
    Sight,
    Worth,
    find_reach,
    odds_of,
    touchable,
    touches_to_win,
)
from chromazoo.envs.chroma import rules
from chromazoo.envs.chroma.board import ANY_COLOUR, NEIGHBOURS, SPACES
from chromazoo.envs.chroma.cards import GIFT, LOCK, NO_POWER, POWERS, REPLAY
from chromazoo.envs.chroma.config import COLOURS
from chromazoo.envs.errors import InvalidArgument, UnknownName
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import uniform

AT_ONCE = 2.0
"""The worth of a win on the spot; all else is a chance to win."""
SURE, LOST = 1.0, 0.0
"""A chance that is certain, and one that is none."""
HIGHEST, LOG2_E, LN_2 = 40.0, 1 / math.log(2), math.log(2)
EXPONENTIAL: Worth = np.array([1 / math.factorial(power) for power in range(13, -1, -1)])
"""The series of the exponential function, the highest power first: float64 (14,)."""
TWO_TO: Worth = np.exp2(np.arange(-64.0, 65.0))
"""2 to the power of -64, ..., 64: float64 (129,)."""

_BLOCK = 4096
_HEAVIEST = 1_000_000


@dataclass(frozen=True)
class Weights:
    """What makes a seat strong: it wins with a probability in proportion to exp(strength).

    Attributes:
        cards: Times -ln(1 + cards in hand).
        chance: The probability that another seat can win in its next turn; half as much for each
            seat that comes before it.
        shed: How many cards less another seat is expected to hold after its next turn.
        ready: Whether the own seat could win now.
        openings: Times ln(1 + number of spaces) where an own card would touch at least 1, 2, 3.
        powers: Each own card with Replay, Gift, Magnet, Lock.
        swap: The use of a Gift, for the better hand that it leaves.

    Raises:
        InvalidArgument: a weight that is no number, or too large, or one too few or too many.
    """

    cards: float = 1.5
    chance: float = 4.2
    shed: float = 0.8
    ready: float = 0.95
    openings: tuple[float, float, float] = (0.05, 0.45, 0.6)
    powers: tuple[float, float, float, float] = (0.5, 0.3, 0.15, 0.0)
    swap: float = 0.1

    def __post_init__(self) -> None:
        """Refuse weights that mean nothing: what they add up to is looked up in tables."""
        for field in fields(self):
            value = getattr(self, field.name)
            due = len(field.default) if isinstance(field.default, tuple) else 1
            numbers = value if due > 1 and isinstance(value, (tuple, list)) else (value,)
            fine = all(isinstance(n, (int, float)) and abs(n) <= _HEAVIEST for n in numbers)
            if not fine or len(numbers) != due:
                wanted = "a number" if due == 1 else f"{due} numbers"
                raise InvalidArgument(
                    f"{field.name}: {wanted} from -1,000,000 to 1,000,000, not {value!r:.60}"
                )


class ChromaHeuristic:
    """Takes the action after which it is most likely to win; ties are broken at random.

    It does not search. It looks at the board as the action leaves it, and judges from it how close
    each seat is to winning: by the cards in hand, by the spaces where its own cards fit, and by the
    odds that the others' unknown cards fit where they would touch many.
    """

    name = "heuristic"
    wants_states = False

    def __init__(self, game: Game[rules.ChromaState], weights: Weights | None = None) -> None:
        """Set the agent up.

        Args:
            game: CHROMA with any options.
            weights: What it values.

        Raises:
            UnknownName: the game is not CHROMA.
        """
        if not isinstance(game, rules.Game):
            raise UnknownName(f"this heuristic plays CHROMA, not {game.id}")
        self.game = game
        self._weights = weights or Weights()
        self._powers: Worth = np.append(self._weights.powers, 0.0)[game.cards.power]  # (types,)
        self._eyes = Eyes(game, self._weights.powers)
        self._compiled: Any = None
        if game.engine == "compiled":
            from chromazoo.agents.chroma_compiled_heuristic import Weigher

            self._compiled = Weigher(game, self._eyes, self._weights)

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        return best(*self._weighed(decision), uniform(decision.stream))

    def probabilities(self, decision: Decision) -> NDArray[np.float64]:
        """Tell the chance of each action: even among the best; see `Candid.probabilities`."""
        return best_shares(*self._weighed(decision), self.game.num_actions)

    def _weighed(self, decision: Decision) -> tuple[NDArray[np.int64], NDArray[np.int64], Worth]:
        """List the legal actions: their games, they, and what they are worth: (actions,) each."""
        rows, actions = decision.game.packing.listed(decision.legal)
        weigh = self._compiled.weigh if self._compiled else self._weigh_all
        worth: Worth = weigh(decision.observation, rows, actions)
        return rows, actions, worth.round(12)

    def _weigh_all(
        self, observation: Observation, rows: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> Worth:
        """Weigh actions.

        Args:
            observation: uint8 (n, F).
            rows: int64 (m,), the position of each action, ascending.
            actions: int64 (m,).

        Returns:
            float64 (m,): the chance to win that each leaves, and `AT_ONCE` where it wins.
        """
        sight = self._eyes.look(observation)
        phase = np.where(actions == self.game.draw, -1, sight.phase[rows])
        worth = np.zeros(len(rows))
        for number, weigh in enumerate((self._place, self._lay_wild, self._use, self._give)):
            due = np.flatnonzero(phase == number)
            for start in range(0, len(due), _BLOCK):
                part = due[start : start + _BLOCK]
                worth[part] = weigh(sight.take(rows[part]), actions[part])
        return worth

    # One method a phase. Each is given a sight for every action, and tells what the actions are
    # worth: (actions,).

    def _place(self, sight: Sight, actions: NDArray[np.int64]) -> Worth:
        """Weigh placements."""
        types, spaces = np.divmod(actions, SPACES)
        touches = sight.touches[spaces, np.arange(len(actions))]
        after = self._without(sight, types)
        self._lay(after, spaces, types % COLOURS)
        wild = (touches == 3) & (after.cards > 0)
        drawn = (touches == 1) & (after.pile > 0)
        after.cards += drawn
        after.cards -= wild
        after.pile -= drawn
        after.power, after.spot = self.game.cards.power[types].astype(np.int64), spaces
        worth = self._weigh(after, wild)
        worth[touches == PERFECT] = AT_ONCE
        return worth

    def _lay_wild(self, sight: Sight, actions: NDArray[np.int64]) -> Worth:
        """Weigh face-down cards."""
        types, spaces = np.divmod(actions, SPACES)
        after = self._without(sight, types)
        self._lay(after, spaces, np.full(len(actions), ANY_COLOUR))
        return self._weigh(after)

    def _use(self, sight: Sight, actions: NDArray[np.int64]) -> Worth:
        """Weigh using a power and doing without."""
        skip = actions == self.game.skip
        worth = np.empty(len(actions))
        plain = replace(sight, power=np.full(len(actions), NO_POWER)).take(np.flatnonzero(skip))
        worth[skip] = self._weigh(plain)
        for power in range(len(POWERS)):
            used = np.flatnonzero((sight.power == power) & ~skip)
            if len(used):
                seats = actions[used] - self.game.gift
                worth[used] = self._weigh_use(sight.take(used), power, seats)
        return worth

    def _give(self, sight: Sight, actions: NDArray[np.int64]) -> Worth:
        """Weigh cards to give back."""
        types = actions - self.game.give
        after = self._without(sight, types)
        given = np.arange(len(sight.sizes))[:, None] == sight.partner  # (others, actions)
        after.sizes = after.sizes + given
        after.known = after.known | given * BITS[types % COLOURS]
        after.power = np.full(len(actions), NO_POWER)
        return self._weigh(after)

    def _without(self, sight: Sight, types: Counts) -> Sight:
        """Take a card out of each own hand."""
        bits = BITS[types % COLOURS]
        hand = sight.hand & ~bits
        hand[:-1] |= sight.hand[1:] & bits
        powers = sight.powers - self._powers[types]
        return replace(sight, hand=hand, cards=sight.cards - 1, powers=powers)

    def _lay(self, sight: Sight, spaces: Counts, colours: Counts) -> None:
        """Lay a card that shows the given colour; changes the sight."""
        games = np.arange(len(spaces))
        near = NEIGHBOURS[:, spaces]  # (neighbours, games)
        fits, touches = self._eyes.surroundings(sight, games, spaces, colours)
        sight.fits[near, games], sight.touches[near, games] = fits, touches
        sight.fits[spaces, games] = 0
        sight.empty[spaces, games] = False

    # Judging what an action leaves

    def _weigh(self, sight: Sight, wild: NDArray[np.bool_] | None = None) -> Worth:
        """Weigh what is left when nothing of the turn is to come but the placed card's power.

        Args:
            sight: n games.
            wild: bool (n,), where a face-down card is still to come; it is no longer counted
                among the cards in hand.

        Returns:
            float64 (n,).
        """
        worth = self._weigh_end(sight, wild)
        settled = (sight.power == NO_POWER) | ((sight.power == REPLAY) & (sight.cards == 0))
        if wild is not None:
            settled &= ~wild
        worth[settled & (worth == SURE)] = AT_ONCE
        for power in range(len(POWERS)):
            offered = np.flatnonzero((sight.power == power) & (worth < SURE))
            if len(offered):
                part = sight.take(offered)
                for seat in range(len(sight.sizes) if power == GIFT else 1):
                    used = self._weigh_use(part, power, np.full(len(offered), seat))
                    worth[offered] = np.maximum(worth[offered], used)
        return worth

    def _weigh_use(self, sight: Sight, power: int, seats: Counts) -> Worth:
        """Weigh the use of a power.

        Args:
            sight: n games in which a card with that power has been placed.
            power: The power.
            seats: int64 (n,), the other seat that a Gift takes from.

        Returns:
            float64 (n,).
        """
        if power == REPLAY:
            touches = touchable(sight).max(axis=0).astype(np.int64)
            left = sight.cards - np.maximum(touches - 1, 0)
            left[touches == PERFECT] = 0
            return self._weigh_end(replace(sight, cards=np.maximum(left, 0)))
        if power == GIFT:
            swapped = _after_gift(sight, seats)
            return self._weigh_end(replace(swapped, powers=sight.powers + self._weights.swap))
        return self._weigh_end(sight, marked=power)

    def _weigh_end(
        self, sight: Sight, wild: NDArray[np.bool_] | None = None, marked: int = NO_POWER
    ) -> Worth:
        """Estimate the chance to win when the turn ends like this.

        Args:
            sight: n games.
            wild: See `_weigh`.
            marked: `MAGNET` or `LOCK` where the card on the spot has become one.

        Returns:
            float64 (n,).
        """
        reach = find_reach(sight.fits, sight.touches)
        others = self._strength_of_others(sight, reach, marked)
        stronger = exponential(others - self._strength(sight)).sum(axis=0)
        worth: Worth = 1 / (1 + stronger)
        colours = sight.hand[0] | sight.unseen[0] | np.bitwise_or.reduce(sight.known, axis=0)
        over = reach[0] & colours == 0
        if wild is not None:
            over &= ~wild
        over |= sight.pile == 0
        if over.any():
            worth[over] = _fewest(sight.cards[over], sight.sizes[:, over])
        worth[sight.cards == 0] = SURE
        return worth

    def _strength(self, sight: Sight) -> Worth:
        """Judge the own seat: float64 (n,)."""
        weights, touches = self._weights, touchable(sight)
        ready = touches.max(axis=0) >= touches_to_win(sight.cards)
        strength: Worth = weights.ready * ready - weights.cards * _log1p(sight.cards)
        strength += sight.powers
        for least, weight in enumerate(weights.openings, 1):
            spaces = (touches >= least).sum(axis=0, dtype=np.uint8)
            strength += weight * LOG1P[spaces]
        return strength

    def _strength_of_others(self, sight: Sight, reach: Colours, marked: int) -> Worth:
        """Judge the other seats: float64 (N - 1, n).

        Args:
            sight: n games.
            reach: uint32 (4, n), see `_reach`.
            marked: See `_weigh_end`.
        """
        weights = self._weights
        if marked == NO_POWER:
            odds = odds_of(sight, reach)
        else:
            near, games = NEIGHBOURS[:, sight.spot], np.arange(len(sight.spot))
            beside = find_reach(sight.fits[near, games], sight.touches[near, games])
            if marked == LOCK:
                apart = sight.fits.copy()
                apart[near, games] = 0
                odds = odds_of(sight, find_reach(apart, sight.touches))
            else:  # beside the Magnet, or elsewhere with no card that fits there
                odds = odds_of(sight, beside)
                odds += odds_of(sight, reach | beside[0]) - odds[:1]
        needed = touches_to_win(sight.sizes)  # (others, games)
        chance = np.take_along_axis(odds, needed[None] - 1, axis=0)[0]
        chance *= 0.5 ** np.arange(len(chance))[:, None]
        shed = odds[:3].sum(axis=0) - 1
        strength: Worth = (
            weights.chance * chance + weights.shed * shed - weights.cards * _log1p(sight.sizes)
        )
        return strength


def _after_gift(sight: Sight, seats: Counts) -> Sight:
    """Expect that an unknown card, if there is one, becomes a card that fits nowhere."""
    chosen = np.arange(len(sight.sizes))[:, None] == seats  # (others, games)
    single = chosen & (sight.sizes == 1)
    return replace(
        sight,
        known=sight.known * ~single,
        strangers=np.maximum(sight.strangers - chosen, 0),
    )


def _fewest(cards: Counts, sizes: Counts) -> Worth:
    """Return the share in a win by fewest cards: (n,), (N - 1, n) -> (n,)."""
    shared = 1 / (1 + (sizes == cards).sum(axis=0))
    return np.where(cards <= sizes.min(axis=0), shared, LOST)


def _log1p(cards: Counts) -> Worth:
    """Return ln(1 + cards), of any shape, for numbers up to 255."""
    found: Worth = LOG1P[cards.clip(0, len(LOG1P) - 1)]
    return found


def exponential(exponents: Worth) -> Worth:
    """Calculate e to the power of numbers of any shape, from -40 to 40 at most.

    It takes products and sums alone, in the same order in compiled code, so that both agree to the
    last bit.

    >>> exponential(np.array([0.0, 1.0, -100.0])).round(6).tolist()
    [1.0, 2.718282, 0.0]
    """
    exponents = exponents.clip(-HIGHEST, HIGHEST)
    twos = np.floor(exponents * LOG2_E + 0.5)
    rest = exponents - twos * LN_2
    found = np.full(exponents.shape, EXPONENTIAL[0])
    for factor in EXPONENTIAL[1:]:
        found = found * rest + factor
    powers: Worth = found * TWO_TO[twos.astype(np.int64) + len(TWO_TO) // 2]
    return powers
