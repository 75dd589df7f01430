"""A heuristic agent for Guardians: plays the turn through with each card, in worlds that may be."""

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Decision
from chromazoo.agents.choice import best
from chromazoo.envs.errors import InvalidArgument, UnknownName
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Game
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import ARROWS, BIT, MARKS, ONE, lowest
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.guardians.queue import COLUMNS, PLANES, SPACES, explosion_steps, insert, set_up
from chromazoo.envs.masks import Words, kth_bit
from chromazoo.envs.randomness import Stream, below, draw, mix, uniform

Counts = NDArray[np.int64]
Worth = NDArray[np.float64]

SAMPLES = 64
"""Worlds that a decision is judged by where no other number is given."""
_TRIAL = 4  # one world in four tries all options
_FINALISTS = 4  # how many options the other worlds try
_DECIDED = 0.01  # turns to come where none is
_HOPELESS = 700.0  # a deficit, over the uncertainty, whose exponential is still a number
_BLOCK = 1 << 16  # turns played through at once
_DECK = np.uint64((1 << CARDS) - 1)


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
        InvalidArgument: a spread that is not above 0, or a weight that is no finite number.
    """

    spread: float = 2.0
    edge: float = 0.4
    last: float = 0.1

    def __post_init__(self) -> None:
        """Refuse weights that mean nothing."""
        for name, value in vars(self).items():
            if not isinstance(value, (int, float)) or not isfinite(value):
                raise InvalidArgument(f"{name}: a finite number, not {value!r:.60}")
        if self.spread <= 0:
            raise InvalidArgument(f"spread: above 0, not {self.spread!r}")


@dataclass
class Sight:
    """What the deciding seats know in n games; sets of cards as in `envs/guardians/cards.py`.

    Attributes:
        colours: uint64 (3, n), the bit planes of the queue.
        marks: uint64 (3, n), those of the marks of the cards in the queue.
        turns: uint64 (n,), turns of this round that are over.
        left: int64 (n,), turns to come after this one, in all rounds.
        chief: uint64 (n,), the card that lies face up.
        chosen: uint64 (n,), the own choices of this turn.
        unseen: uint64 (n,), the cards of which nobody but their holder knows where they are.
        taken: int64 (N + 1, n), the marks of each seat, the own first, and those beside the chief.
    """

    colours: Words
    marks: Words
    turns: Words
    left: Counts
    chief: Words
    chosen: Words
    unseen: Words
    taken: Counts


@dataclass
class Options:
    """What may be brought into the turn: m options, game by game.

    Attributes:
        rows: int64 (m,), the game of each, ascending.
        cards: int64 (m,), the card to choose now.
        brought: uint64 (m,), all own cards of the turn.
        cost: float64 (m,), what it costs not to keep them, in marks.
    """

    rows: Counts
    cards: Counts
    brought: Words
    cost: Worth

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
        self._weights = weights or Weights()

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        sight = look(self.game, decision.observation)
        worlds = imagine(self.game, sight, draw(decision.stream), self._samples)
        options = self._list(decision, sight)
        trial = max(1, self._samples // _TRIAL)
        worth = self._weigh(sight, worlds[:, :trial], options)
        finalists = _best_few(options.rows, worth.round(9))
        options = options.take(finalists)
        worth = worth[finalists] + self._weigh(sight, worlds[:, trial:], options)
        return best(options.rows, options.cards, worth.round(9), uniform(decision.stream))

    def _list(self, decision: Decision, sight: Sight) -> Options:
        """List what may be brought: single cards, or pairs where two are to be chosen."""
        rows, cards = self.game.packing.listed(decision.legal)  # (cards,) each
        pairing = (sight.chosen[rows] == 0) & (self.game.choices == 2)
        place = np.arange(len(rows))
        further = rows.searchsorted(rows, side="right") - 1 - place  # cards of that game
        partners = np.where(pairing, further, 1)
        first = place.repeat(partners)  # (options,)
        gap = np.arange(len(first)) - (partners.cumsum() - partners)[first] + 1
        second = first + gap * pairing[first]  # the same where no partner is wanted
        cost = self._cost(sight, rows, cards)
        return Options(
            rows=rows[first],
            cards=cards[first],
            brought=sight.chosen[rows[first]] | BIT[cards[first]] | BIT[cards[second]],
            cost=cost[first] + cost[second] * pairing[first],
        )

    def _cost(self, sight: Sight, rows: Counts, cards: Counts) -> Worth:
        """Tell what it costs to choose cards instead of keeping them, in marks: (cards,)."""
        middle = (CARDS - 1) / 2
        later = self._weights.edge * self.game.choices * abs(cards - middle) / middle
        later *= sight.turns[rows] < rules.TURNS - 1
        return np.where(sight.left[rows] > 0, later, -self._weights.last * MARKS[cards])

    def _weigh(self, sight: Sight, worlds: Words, options: Options) -> Worth:
        """Add up the chances to win that options leave in some worlds.

        Args:
            sight: n games.
            worlds: uint64 (N, w, n), what the others and the chief bring.
            options: m options.

        Returns:
            float64 (m,).
        """
        step = max(1, _BLOCK // worlds.shape[1])
        worth = np.empty(len(options.rows))
        for start in range(0, len(worth), step):
            block = slice(start, start + step)
            rows = options.rows[block]
            brought = np.empty((len(worlds) + 1, worlds.shape[1], len(rows)), np.uint64)
            brought[0], brought[1:] = options.brought[block], worlds[:, :, rows]
            marks = play_turns(self.game, sight, rows, brought)
            lead = marks[1:-1] - marks[0] - options.cost[block]  # (others, worlds, options)
            turns = np.sqrt(sight.left[rows].clip(_DECIDED))
            uncertainty = self._weights.spread * self.game.choices * turns
            against = np.exp((-lead / uncertainty).clip(max=_HOPELESS)).sum(axis=0)
            worth[block] = (1 / (1 + against)).sum(axis=0)
        return worth


def look(game: rules.Game, observation: Observation) -> Sight:
    """Read observations.

    Args:
        game: The rules.
        observation: uint8 (n, F), with all views.

    Returns:
        What they tell.
    """

    def field(name: str) -> NDArray[np.uint8]:
        return game.fields.get(observation, name)

    def cards(name: str) -> Words:
        return game.packing.pack(field(name).astype(np.bool_))[:, 0]

    turns, numbers, chosen = field("turn").astype(np.int64), field("numbers"), cards("chosen")
    beside = (field("beside") * MARKS).sum(axis=1, dtype=np.int64)
    rounds = game.config.rounds - 1 - field("round").astype(np.int64)
    return Sight(
        colours=_planes(np.append(np.uint8(0), game.code)[numbers]),
        marks=_planes(np.append(np.uint8(0), MARKS)[numbers]),
        turns=turns.astype(np.uint64),
        left=rules.TURNS * (1 + rounds) - 1 - turns,
        chief=cards("chief"),
        chosen=chosen,
        unseen=_DECK & ~(cards("hand") | chosen | cards("seen")),
        taken=np.append(field("taken").T, beside[None], axis=0),
    )


def imagine(game: rules.Game, sight: Sight, seeds: Stream, samples: int) -> Words:
    """Draw what the others and the chief may bring into the turn, evenly from the unseen cards.

    Args:
        game: The rules.
        sight: n games.
        seeds: uint64 (n,).
        samples: Number of worlds to draw, w.

    Returns:
        uint64 (N, w, n), sets of cards: the others in turn order, then the chief, face up and down.
    """
    stream = mix(seeds, np.arange(samples, dtype=np.uint64)[:, None]).reshape(-1)
    unseen = np.tile(sight.unseen, samples)
    worlds = np.zeros((game.num_seats, len(unseen)), np.uint64)
    worlds[-1] = np.tile(sight.chief, samples)
    for number in range(COLUMNS - game.choices - game.face_up):
        card = BIT.take(kth_bit(unseen, below(stream, np.bitwise_count(unseen))))
        worlds[min(number // game.choices, game.num_seats - 1)] |= card
        unseen ^= card
    return worlds.reshape(game.num_seats, samples, -1)


def play_turns(game: rules.Game, sight: Sight, rows: Counts, brought: Words) -> Counts:
    """Play turns through, each in some worlds.

    Args:
        game: The rules.
        sight: n games.
        rows: int64 (m,), the game of each turn.
        brought: uint64 (N + 1, w, m), the cards of each seat, the own first, and of the chief.

    Returns:
        int64 (N + 1, w, m), the marks of each seat, and those beside the chief.
    """
    shape = brought.shape
    rows, brought = np.tile(rows, shape[1]), brought.reshape(len(brought), -1)
    turns, cards = sight.turns.take(rows), np.bitwise_or.reduce(brought, axis=0)
    backwards = np.bitwise_count(cards & ARROWS) >= 3
    served = np.empty((COLUMNS, len(rows)), np.uint8)
    for column in range(COLUMNS):
        served[column] = lowest(cards)
        cards &= cards - ONE
    served = np.where(backwards, served[::-1], served)

    def queue(planes: Words, codes: NDArray[np.uint8]) -> Words:
        """Put the cards into queues, by colours or by marks."""
        words = set_up(planes.take(rows, axis=1), turns, backwards)
        bytes_ = np.zeros((len(rows), 8), np.uint8)
        bytes_[:, :COLUMNS] = codes.take(served).T
        insert(words, bytes_, np.array(SPACES - 1, np.uint64))
        return words

    ones, twos, _ = queue(sight.marks, MARKS)
    taken = sight.taken.take(rows, axis=1)
    for which, gone, causes in explosion_steps(queue(sight.colours, game.code)):
        marks = np.bitwise_count(gone & ones.take(which)).astype(np.int64)
        marks += 2 * np.bitwise_count(gone & twos.take(which))
        cause = causes * np.int64(len(rows)) + which
        by = (brought.take(which, axis=1) & BIT.take(served.take(cause))) != 0  # (N + 1, games)
        pile = taken[-1].take(which) * (marks > 0)  # which the chief only takes back
        taken[-1, which] -= pile
        taken[by.argmax(axis=0), which] += marks + pile
    return taken.reshape(shape)


def _planes(codes: NDArray[np.uint8]) -> Words:
    """Make the bit planes of queues: codes by column and space, (n, 5, 8) -> (3, n)."""
    bits = codes >> np.arange(PLANES, dtype=np.uint8)[:, None, None, None] & 1
    columns = np.zeros((PLANES, len(codes), 8), np.uint8)
    columns[..., :COLUMNS] = np.packbits(bits, axis=-1, bitorder="little")[..., 0]
    planes: Words = columns.view(np.uint64)[..., 0]
    return planes


def _best_few(rows: Counts, worth: Worth) -> Counts:
    """Find each game's best options, with those that equal the last of them.

    Args:
        rows: int64 (m,), the game of each option, ascending.
        worth: float64 (m,).

    Returns:
        int64, the numbers of the options, ascending.
    """
    order = np.lexsort((-worth, rows))
    first, end = (rows.searchsorted(rows, side) for side in ("left", "right"))
    last = order[np.minimum(first + _FINALISTS, end) - 1]
    return np.flatnonzero(worth >= worth[last])
