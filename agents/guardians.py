"""A heuristic agent for Guardians: plays the turn through with each card, in worlds that may be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Decision
from chromazoo.agents.choice import best, frequencies
from chromazoo.agents.guardians_worlds import Counts, Sight, imagine, look, play_turns
from chromazoo.envs.errors import InvalidArgument, UnknownName
from chromazoo.envs.game import Game
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import BIT, MARKS
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import draw, uniform

Worth = NDArray[np.float64]

SAMPLES = 64
"""Worlds that a decision is judged by where no other number is given."""
CERTAIN = 1 << 32
"""What counts as a certain win in one world: chances are whole numbers, so that their sums are the
same in any order."""
FARTHEST = 512
"""Marks that no seat is ahead of another."""
FINALISTS = 4
"""How many options are tried in all worlds."""
_TRIAL = 4  # one world in four tries all options
_TIMES = 200  # decisions by which probabilities are estimated
_DECIDED = 0.01  # turns to come where none is
_LEAST_SPREAD, _MOST = 0.01, 1000  # marks; what is beyond means the same, or nothing
_HOPELESS = 300.0  # a deficit, over the uncertainty, whose exponential is still a number
_BLOCK = 1 << 16  # turns played through at once


@dataclass(frozen=True)
class Weights:
    """What makes an outcome good.

    Attributes:
        spread: How uncertain the turns to come make a lead, in marks: times the cards that a seat
            chooses in a turn, times the square root of the number of turns.
        edge: What it is worth to keep a 1 or 50 for later turns instead of a card from the middle,
            in marks, times the cards that a seat chooses in a turn; in between it goes by the
            distance from the middle.
        last: How much of a mark each mark of the very last card counts, which breaks ties.

    Raises:
        InvalidArgument: a spread that is not from 0.01 to 1,000, or another weight that is not from
            -1,000 to 1,000. A turn of a whole game moves some tens of marks.
    """

    spread: float = 2.0
    edge: float = 0.4
    last: float = 0.1

    def __post_init__(self) -> None:
        """Refuse weights that mean nothing."""
        for name, value in vars(self).items():
            low = _LEAST_SPREAD if name == "spread" else -_MOST
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not low <= value <= _MOST:
                raise InvalidArgument(f"{name}: from {low} to {_MOST} marks, not {value!r:.60}")


class Odds:
    """The odds against a win, in tables by the number of turns to come.

    Against each other seat the odds are exp(marks behind / uncertainty); cards that are not kept
    for later turns count as marks.

    Attributes:
        behind: float64 (turns, 1025), by the marks behind another seat, from -512.
        kept: float64 (turns, 50), by the card, the factor for not keeping it.
    """

    def __init__(self, game: rules.Game, weights: Weights) -> None:
        """Tabulate.

        Args:
            game: Guardians with any options.
            weights: What an outcome is worth.
        """
        left = np.arange(rules.TURNS * game.config.rounds)[:, None]  # (turns, 1)
        uncertainty = weights.spread * game.choices * np.sqrt(left.clip(_DECIDED))
        middle, cards = (CARDS - 1) / 2, np.arange(CARDS)
        later = (
            weights.edge * game.choices * abs(cards - middle) / middle * (left % rules.TURNS > 0)
        )
        cost = np.where(left > 0, later, -weights.last * MARKS.astype(np.float64))
        marks = np.arange(-FARTHEST, FARTHEST + 1)
        self.behind = np.exp((marks / uncertainty).clip(-_HOPELESS, _HOPELESS))
        self.kept = np.exp((cost / uncertainty).clip(-_HOPELESS / 2, _HOPELESS / 2))

    def chances(self, left: Counts, marks: Counts, kept: Worth) -> Counts:
        """Tell the chances to win.

        Args:
            left: int64 (m,), turns to come.
            marks: int64 (N, ..., m), the marks of each seat, the own first.
            kept: float64 (m,), the product of the factors of the own cards.

        Returns:
            int64 (..., m), from 0 to `CERTAIN`.
        """
        behind = self.behind.reshape(-1)
        place = left * self.behind.shape[1] + FARTHEST + marks[0]
        against = behind.take(place - marks[1])
        for other in marks[2:]:
            against += behind.take(place - other)
        chances: Counts = (CERTAIN / (1 + kept * against)).astype(np.int64)
        return chances


@dataclass
class Options:
    """What may be brought into the turn: m options, game by game.

    Attributes:
        rows: int64 (m,), the game of each, ascending.
        cards: int64 (m,), the card to choose now.
        brought: uint64 (m,), all own cards of the turn.
        kept: float64 (m,), how the odds against a win grow because they are not kept.
    """

    rows: Counts
    cards: Counts
    brought: Words
    kept: Worth

    def take(self, some: Counts) -> "Options":
        """Copy some options out."""
        return Options(**{name: array.take(some) for name, array in vars(self).items()})


class GuardiansHeuristic:
    """Chooses the cards after whose turn it is most likely to win; ties are broken at random.

    It looks one turn ahead. Worlds are drawn evenly from those that agree with what its seat
    knows; in each of them the others choose at random. All own cards (in a duel all pairs, or all
    partners of the card already chosen) are tried in a quarter of the worlds, the best few in the
    others too, the same worlds for all. An outcome counts as the chance to win that the marks of
    all seats then leave: against each other seat the odds are exp(lead / uncertainty).
    """

    name = "heuristic"
    wants_states = False

    def __init__(
        self,
        game: Game[rules.GuardiansState],
        samples: int = SAMPLES,
        weights: Weights | None = None,
    ) -> None:
        """Set the agent up.

        Args:
            game: Guardians with any options.
            samples: Number of worlds; time grows with it.
            weights: What it values.

        Raises:
            UnknownName: the game is not Guardians.
            InvalidArgument: samples are no whole number of at least two.
        """
        if not isinstance(game, rules.Game):
            raise UnknownName(f"this heuristic plays Guardians, not {game.id}")
        if not isinstance(samples, int) or samples < 2:
            raise InvalidArgument(f"samples: a whole number of at least 2, not {samples!r:.60}")
        self.game = game
        self._samples = samples
        self._trial = max(1, samples // _TRIAL)
        self._odds = Odds(game, weights or Weights())

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        sight = look(self.game, decision.observation)
        seeds, draws = draw(decision.stream), uniform(decision.stream)
        if self.game.engine == "compiled":
            from chromazoo.agents.guardians_compiled_heuristic import choose

            return choose(
                self.game,
                self._odds,
                sight,
                decision.legal,
                seeds,
                draws,
                self._samples,
                self._trial,
            )
        worlds = imagine(self.game, sight, seeds, self._samples)
        options = list_options(self.game, self._odds, sight, decision.legal)
        worth = self._weigh(sight, worlds[:, : self._trial], options)
        finalists = best_few(options.rows, worth, FINALISTS)
        options = options.take(finalists)
        worth = worth[finalists] + self._weigh(sight, worlds[:, self._trial :], options)
        return best(options.rows, options.cards, worth.astype(np.float64), draws)

    def probabilities(self, decision: Decision) -> NDArray[np.float64]:
        """Estimate the chance of each card, over the worlds that it may draw.

        It decides 200 times with random numbers of its own; the standard error is 0.036 at most.
        See `Candid.probabilities`.
        """
        return frequencies(self, decision, _TIMES)

    def _weigh(self, sight: Sight, worlds: Words, options: Options) -> Counts:
        """Add up the chances to win that options leave in some worlds.

        Args:
            sight: n games.
            worlds: uint64 (N, w, n), what the others and the chief bring.
            options: m options.

        Returns:
            int64 (m,), from 0 to w times `CERTAIN`.
        """
        step = max(1, _BLOCK // worlds.shape[1])
        worth = np.empty(len(options.rows), np.int64)
        for start in range(0, len(worth), step):
            block = slice(start, start + step)
            marks = outcomes(self.game, sight, worlds, options.rows[block], options.brought[block])
            left = sight.left[options.rows[block]]
            chances = self._odds.chances(left, marks[:-1], options.kept[block])
            worth[block] = chances.sum(axis=0)
        return worth


def outcomes(game: rules.Game, sight: Sight, worlds: Words, rows: Counts, brought: Words) -> Counts:
    """Play the turn through with own cards, each in some worlds.

    Args:
        game: The rules.
        sight: n games.
        worlds: uint64 (N, w, n), what the others and the chief bring.
        rows: int64 (m,), the game of each turn.
        brought: uint64 (m,), the own cards.

    Returns:
        int64 (N + 1, w, m), the marks of each seat, the own first, and those beside the chief.
    """
    every = np.empty((len(worlds) + 1, worlds.shape[1], len(rows)), np.uint64)
    every[0], every[1:] = brought, worlds[:, :, rows]
    return play_turns(game, sight, rows, every)


def list_options(game: rules.Game, odds: Odds, sight: Sight, legal: Words) -> Options:
    """List what may be brought: single cards, or pairs where two are to be chosen.

    Args:
        game: The rules.
        odds: What it costs not to keep cards.
        sight: n games.
        legal: uint64 (n, 1), the cards to choose from.

    Returns:
        The options, pairs once, by their lower card.
    """
    rows, cards = game.packing.listed(legal)  # (cards,) each
    pairing = (sight.chosen[rows] == 0) & (game.choices == 2)
    place = np.arange(len(rows))
    further = rows.searchsorted(rows, side="right") - 1 - place  # cards of that game
    partners = np.where(pairing, further, 1)
    first = place.repeat(partners)  # (options,)
    gap = np.arange(len(first)) - (partners.cumsum() - partners)[first] + 1
    second = first + gap * pairing[first]  # the same where no partner is wanted
    kept = odds.kept[sight.left[rows], cards]
    return Options(
        rows=rows[first],
        cards=cards[first],
        brought=sight.chosen[rows[first]] | BIT[cards[first]] | BIT[cards[second]],
        kept=kept[first] * np.where(pairing[first], kept[second], 1),
    )


def best_few(rows: Counts, worth: Counts, number: int) -> Counts:
    """Find each game's best options, with those that equal the last of them.

    Args:
        rows: int64 (m,), the game of each option, ascending.
        worth: int64 (m,).
        number: How many, or all where there are fewer.

    Returns:
        int64, the numbers of the options, ascending.
    """
    order = np.lexsort((-worth, rows))
    first, end = (rows.searchsorted(rows, side) for side in ("left", "right"))
    last = order[np.minimum(first + number, end) - 1]
    return np.flatnonzero(worth >= worth[last])
