"""The rules of Guardians on batches of games (rules page `guardians.md`)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import constant
from chromazoo.envs.errors import InvalidMove, InvalidSetup
from chromazoo.envs.fields import Block, Layout, Observation
from chromazoo.envs.game import Game as Contract
from chromazoo.envs.game import Seats, Seeds, deal_stream, win_rewards
from chromazoo.envs.guardians import drawing, guide, knowledge, observation, picture, validity
from chromazoo.envs.guardians.cards import ARROWS, BESIDE, BIT, MARKS, ONE, QUEUED, TAKEN, lowest
from chromazoo.envs.guardians.config import CARDS, Config
from chromazoo.envs.guardians.queue import (
    COLUMNS,
    PLANES,
    SPACES,
    Explosions,
    arrange,
    explode,
    insert,
    set_up,
    sides,
    taken_down,
    true_columns,
)
from chromazoo.envs.guidance import Click, News
from chromazoo.envs.masks import Packing, Words
from chromazoo.envs.randomness import Stream, as_seeds, shuffled
from chromazoo.envs.state import State, entries, flat, integer, lanes, starts, write_lanes
from chromazoo.envs.svg import Picture, Viewer
from chromazoo.envs.validity import Flaw

Rows = NDArray[np.int64]

HAND = 9  # cards a player is dealt
TURNS = 8
REASONS = ("", "marks", "tie-break", "shared")
FEWEST, TIE_BREAK, SHARED = range(1, 4)
CHIEF_CARDS = {2: (1, 2), 3: (1, 1), 4: (1, 0), 5: (0, 0)}  # face up and face down
_QUEUE = COLUMNS * SPACES
_BYTES = 8  # of a word, one a column
_TOP_SPACES = np.arange(COLUMNS)[:, None] * SPACES
_NONE = constant(0, np.uint64)
_ONE, _LAST_TURN = constant(1, np.uint8), constant(TURNS, np.uint8)
_ONE_SEAT = constant(1, np.int8)
_ONE_PLY = constant(1, np.int32)
_TIES = 4  # more than the marks of a card
_MARKS = MARKS.astype(np.float32)  # numpy has no quick product of integers


@dataclass(eq=False)
class GuardiansState(State):
    """B games of Guardians with N seats and R rounds; sets of cards as in `cards.py`.

    Attributes:
        hands: uint64 (B, N), the cards in hand, without those chosen in this turn.
        chosen: uint64 (B, N), the sealed choices of this turn.
        chief: uint64 (B, 2), the chief's cards of this turn, face up and face down.
        revealed: uint64 (B, N + 1), what each seat and the chief brought into the last turn, be it
            that of the round before.
        colours: uint64 (B, 3), the bit planes of the queue; see `queue.py`.
        numbers: uint8 (B, 5, 8), the numbers in the queue by column and space, 0 for none.
        places: uint8 (B, 50), where each card lies, as far as all know: see `cards.HIDDEN`.
        stacked: bool (B,), whether cards lie beside the chief.
        scores: uint8 (B, N), marks of earlier rounds.
        turn: uint8 (B,), from 0; 8 in a finished game.
        round: uint8 (B,), from 0.
        decks: uint8 (B, R, 50), the decks of all rounds; cards from 0.
        moves: uint64 (B, 1), the legal set of the seat to decide.
        reason: int8 (B,), why the game ended: index in `REASONS`.
    """

    rowwise = frozenset({"numbers", "places", "decks"})

    hands: Words
    chosen: Words
    chief: Words
    revealed: Words
    colours: Words
    numbers: NDArray[np.uint8]
    places: NDArray[np.uint8]
    stacked: NDArray[np.bool_]
    scores: NDArray[np.uint8]
    turn: NDArray[np.uint8]
    round: NDArray[np.uint8]
    decks: NDArray[np.uint8]
    moves: Words
    reason: NDArray[np.int8]


class _Turn(NamedTuple):
    """The turns that are resolved in n games.

    Attributes:
        rows: int64 (n,), the games.
        number: uint64 (n,), which turn of the round, from 0.
        brought: N + 1 times uint64 (n,), what each seat and the chief brought into it.
        cards: uint8 (5, n), the cards by column.
        backwards: bool (n,), whether columns are served from the last to the first.
    """

    rows: Rows
    number: Words
    brought: list[Words]
    cards: NDArray[np.uint8]
    backwards: NDArray[np.bool_]


class Game(Contract[GuardiansState]):
    """Guardians for two to five players.

    Attributes:
        choices: Number of cards that each seat chooses in a turn, 2 in a duel, else 1.
        face_up: Number of cards that the chief gets face up in a turn.
        face_down: Number of those it gets face down.
        draws: Number of cards that the seats together draw in a turn: none but in a duel.
        from_pile: Number of cards of the pile that a turn takes, all these together.
        code: uint8 (50,), 1 + colour of each card.

    >>> game = Game()
    >>> state = game.deal([1])
    >>> state.pending.tolist(), game.packing.count(game.legal(state)).tolist()
    ([[True, True]], [10])
    """

    id = "guardians"
    compiled = "chromazoo.envs.guardians.compiled:Game"
    config_type = Config
    state_type = GuardiansState
    config: Config
    setup_keys = ("decks",)
    packing = Packing.dense(CARDS)
    blocks = (Block("card", (CARDS,), "number of the card to choose, less 1"),)
    simultaneous = True

    def __init__(self, /, **options: Any) -> None:
        """Configure the game and tabulate its cards.

        Args:
            options: The options by name; see `Config`.

        Raises:
            InvalidConfig: the options do not fit.
        """
        super().__init__(**options)
        self.num_seats = self.config.num_players
        duel = bool(self.config.duel)
        self.choices = 2 if duel else 1
        self.fixed_length = self.config.rounds * TURNS * self.num_seats * self.choices
        self.face_up, self.face_down = (1, 0) if duel else CHIEF_CARDS[self.num_seats]
        self.draws = self.num_seats if duel else 0
        self.from_pile = self.face_up + self.face_down + self.draws
        self.code = 1 + np.array(self.config.colors, np.uint8)
        seats = np.arange(self.num_seats)[:, None]
        members = np.arange(1, 1 << self.num_seats) >> seats & 1 == 1  # (seats, sets of seats)
        self._shares = np.pad(win_rewards(members.T).T, ((0, 0), (1, 0)))
        self._several = np.pad(members.sum(axis=0) > 1, (1, 0)).astype(np.int8)
        self._model = self._undealt()
        self.fields: Layout = observation.layout(self.num_seats, self.config.rounds)

    # Beginning a game

    def setups(self, seeds: Seeds) -> list[dict[str, Any]]:
        """Draw the decks of all rounds; see `Game.setups`."""
        return [{"decks": decks} for decks in (self._shuffle(as_seeds(seeds)) + 1).tolist()]

    def _deal(self, state: GuardiansState, seeds: Stream) -> None:
        """Begin games with shuffled decks; see `Game._deal`."""
        self._begin(state, self._shuffle(seeds))

    def _shuffle(self, seeds: Stream) -> NDArray[np.uint8]:
        """Draw the decks of all rounds: (B, R, 50)."""
        stream = deal_stream(seeds)
        decks = [shuffled(stream, CARDS) for _ in range(self.config.rounds)]
        return np.stack([deck.astype(np.uint8) for deck in decks], axis=1)

    def _set_up(self, state: GuardiansState, setups: Sequence[Mapping[str, Any]]) -> None:
        """Begin games whose decks are given; see `Game._set_up`."""
        decks = [self._read_decks(row, setup) for row, setup in enumerate(setups)]
        shape = (len(setups), self.config.rounds, CARDS)
        self._begin(state, np.array(decks, np.uint8).reshape(shape))

    def _read_decks(self, row: int, setup: Mapping[str, Any]) -> list[list[int]]:
        """Read one set-up: its decks as cards from 0."""
        decks, rounds = setup["decks"], self.config.rounds
        if not isinstance(decks, list) or len(decks) != rounds:
            raise InvalidSetup(f"game {row}: decks is a list of as many decks as rounds, {rounds}")
        for number, deck in enumerate(decks):
            right = isinstance(deck, list) and all(type(card) is int for card in deck)
            if not right or sorted(deck) != list(range(1, CARDS + 1)):
                raise InvalidSetup(f"game {row}: deck {number} is not the numbers 1 to {CARDS}")
        return [[card - 1 for card in deck] for deck in decks]

    def _undealt(self) -> GuardiansState:
        """Make one game with nothing dealt, the model of all others."""
        seats = self.num_seats
        state = self._blank(
            hands=(np.uint64, (seats,)),
            chosen=(np.uint64, (seats,)),
            chief=(np.uint64, (2,)),
            revealed=(np.uint64, (seats + 1,)),
            colours=(np.uint64, (PLANES,)),
            numbers=(np.uint8, (COLUMNS, SPACES)),
            places=(np.uint8, (CARDS,)),
            stacked=np.bool_,
            scores=(np.uint8, (seats,)),
            turn=np.uint8,
            round=np.uint8,
            decks=(np.uint8, (self.config.rounds, CARDS)),
            moves=(np.uint64, (self.packing.num_words,)),
            reason=np.int8,
        )
        state.pending[:] = True
        return state

    def _begin(self, state: GuardiansState, decks: NDArray[np.uint8]) -> None:
        """Begin the first turn of the first round."""
        state.decks = decks
        every = starts(len(state))
        self._deal_hands(state, every)
        self._begin_turn(state, every)
        state.moves = self._sets(state, state.seat)

    def _deal_hands(self, state: GuardiansState, rows: Rows) -> None:
        """Deal nine cards to each seat, from the deck of the round."""
        first = self._first_of_deck(state, rows)
        for seat in range(self.num_seats):
            place = first + (seat * HAND + np.arange(HAND))[:, None]  # (cards, rows)
            cards = BIT.take(state.flat.decks.take(place))
            state.lanes.hands[seat][rows] = np.bitwise_or.reduce(cards, axis=0)

    def _first_of_deck(self, state: GuardiansState, rows: Rows) -> Rows:
        """Tell where in `state.flat.decks` the round's deck begins: int64 (n,), a new array."""
        first = rows * (self.config.rounds * CARDS)
        if self.config.rounds > 1:
            first += state.round.take(rows) * integer(CARDS)
        return first

    def next_card(self, state: GuardiansState, rows: Rows) -> NDArray[np.int64]:
        """Tell where in the round's deck the turn's first card lies.

        Args:
            state: B games.
            rows: int64 (n,), the games.

        Returns:
            int64 (n,).
        """
        return HAND * self.num_seats + state.turn.take(rows).astype(np.int64) * self.from_pile

    def _begin_turn(self, state: GuardiansState, rows: Rows) -> None:
        """Give the chief its cards and, in a duel, each seat one (G4)."""
        first = self._first_of_deck(state, rows)
        first += self.next_card(state, rows)
        decks = state.flat.decks
        drawn = BIT.take(decks.take(first + np.arange(self.from_pile)[:, None]))  # (cards, rows)
        up, down = self.face_up, self.face_up + self.face_down
        for lane, some in zip(state.lanes.chief, (drawn[:up], drawn[up:down]), strict=True):
            if len(some):
                lane[rows] = reduce(np.bitwise_or, some)
        for hands, card in zip(state.lanes.hands, drawn[down:], strict=False):
            hands[rows] = hands.take(rows) | card
        state.seat[rows] = 0
        for pending in state.lanes.pending:
            pending[rows] = True

    # Playing

    def _legal(self, state: GuardiansState, seats: Seats | None) -> Words:
        """Tell the cards that a seat may choose, packed; see `Game.legal`."""
        return state.moves if seats is None else self._sets(state, seats)

    def _sets(self, state: GuardiansState, seats: Seats) -> Words:
        """Return the legal sets of one seat of each game: (B, 1)."""
        place = entries(seats)
        cards = state.flat.hands.take(place)
        cards *= state.flat.pending.take(place)
        return cards[:, None]

    def _advance(
        self,
        state: GuardiansState,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> None:
        """Seal one choice in each game, and resolve the turns that are complete."""
        self._no_chance(chance)
        plies = state.plies
        plies += _ONE_PLY
        card = ONE << actions.view(np.uint64)
        movers = seats.astype(np.int64)
        place = entries(movers)
        hands, chosen = state.flat.hands, state.flat.chosen
        hands[place] = hands.take(place) ^ card
        sealed = chosen.take(place) | card
        chosen[place] = sealed
        owing = np.bitwise_count(sealed) < self.choices
        state.flat.pending[place] = owing
        self._pass_on(state)
        complete = ~np.logical_or.reduce(state.lanes.pending, axis=0)
        if np.count_nonzero(complete):
            self._resolve(state, complete.nonzero()[0])
        moves = state.lanes.moves[0]
        moves[:] = hands.take(entries(state.seat))
        ended = state.over.nonzero()[0]
        state.seat[ended] = movers.take(ended)
        moves[ended] = _NONE

    def _pass_on(self, state: GuardiansState) -> None:
        """Let the lowest pending seat decide."""
        first, *others = reversed(lanes(~state.pending[:, :-1]).view(np.int8))
        seat = first  # whether it is the last one
        for waits in others:
            seat = (seat + _ONE_SEAT) * waits
        state.seat = seat

    def _resolve(self, state: GuardiansState, rows: Rows) -> None:
        """Reveal and place the cards of a turn, let them explode, and begin the next turn."""
        turn = self._reveal(state, rows)
        self._place(state, turn)
        explosions = self._explode(state, turn)
        if len(explosions.games):
            self._hand_out(state, turn, explosions)
            arrange(state.numbers, rows, explosions.gone, turn.number, turn.backwards)
        following = state.turn.take(rows) + _ONE
        state.turn[rows] = following
        ended = following == _LAST_TURN
        self._begin_turn(state, rows[~ended])
        self._end_round(state, rows[ended])

    def _reveal(self, state: GuardiansState, rows: Rows) -> _Turn:
        """Reveal the five cards of a turn, and tell their columns and how those are served."""
        up, down = state.lanes.chief
        brought = [chosen.take(rows) for chosen in state.lanes.chosen]
        brought.append(up.take(rows) | down.take(rows))
        write_lanes(state.lanes.revealed, rows, brought)
        for chosen in state.lanes.chosen:
            chosen[rows] = _NONE
        sets = np.bitwise_or.reduce(brought, axis=0)
        return _Turn(
            rows=rows,
            number=state.turn.take(rows).astype(np.uint64),
            brought=brought,
            cards=_in_order(sets),
            backwards=np.bitwise_count(sets & ARROWS) >= 3,
        )

    def _place(self, state: GuardiansState, turn: _Turn) -> None:
        """Put the numbers of a turn's cards into the columns."""
        spaces = _TOP_SPACES + _spaces_of(turn)
        state.flat.numbers[spaces] = turn.cards + _ONE
        state.flat.places[turn.rows * integer(CARDS) + turn.cards] = QUEUED

    def _explode(self, state: GuardiansState, turn: _Turn) -> Explosions:
        """Put the colours of a turn's cards in, resolve all explosions, and tell those."""
        codes = np.zeros((len(turn.rows), _BYTES), np.uint8)
        codes[:, :COLUMNS] = self.code.take(turn.cards).T
        colours = state.lanes.colours.take(turn.rows, axis=1)
        insert(colours, codes, turn.number)
        colours = set_up(colours, turn.number, turn.backwards)
        explosions = explode(colours)
        left = taken_down(colours, turn.number, turn.backwards)
        write_lanes(state.lanes.colours, turn.rows, left)
        return explosions

    def _hand_out(self, state: GuardiansState, turn: _Turn, explosions: Explosions) -> None:
        """Give the cards that exploded in a turn to whose cards caused it.

        Those of the chief, and all that lie beside it, go to the next seat that causes an explosion
        in the turn; if none does they lie beside the chief.
        """
        games = explosions.games
        side = sides(turn.backwards).take(games)
        places = self._find_takers(state, turn, explosions, side)
        which, spaces = _exploded(turn, explosions, side)
        first = (turn.rows * integer(CARDS) - integer(1)).take(games)  # cards are numbered from 1
        cards = state.flat.numbers.take(spaces).astype(np.int64)
        cards += first.take(which)
        state.flat.places[cards] = places.take(which)

    def _find_takers(
        self, state: GuardiansState, turn: _Turn, explosions: Explosions, side: Rows
    ) -> NDArray[np.uint8]:
        """Find where cards that exploded go, and give away what lay beside the chief.

        Args:
            state: The games.
            turn: The turns.
            explosions: What exploded in them.
            side: int64 (m,), from which side columns are served there; see `queue.sides`.

        Returns:
            uint8 (m,), the places.
        """
        games, causes = explosions.games, explosions.causes.astype(np.int64)
        places = self._places_of(turn, games, true_columns(causes, side))
        chief = (places == TAKEN + self.num_seats).nonzero()[0]
        places[chief] = 0
        causing = np.zeros((len(turn.rows), _BYTES), np.uint8)
        flat(causing)[games * _BYTES + causes] = places
        takers = causing.view(np.uint64)[:, 0]
        games = games.take(chief)
        later = takers.take(games) >> (_BYTES * (1 + causes.take(chief))).view(np.uint64)
        places[chief] = beside = first_taker(later)
        self._hand_out_beside(state, turn.rows, takers)
        stacked = games.take((beside == BESIDE).nonzero()[0])
        state.stacked[turn.rows.take(stacked)] = True
        return places

    def _places_of(self, turn: _Turn, games: Rows, columns: Rows) -> NDArray[np.uint8]:
        """Find where what a card makes explode goes: TAKEN + N for cards of the chief.

        Args:
            turn: The turns.
            games: int64 (m,), of which of them some cards are.
            columns: int64 (m,), the columns of these cards.

        Returns:
            uint8 (m,).
        """
        card = BIT.take(flat(turn.cards).take(columns * len(turn.rows) + games))
        places = np.full(len(games), TAKEN, np.uint8)
        for seat, brought in enumerate(turn.brought[1:], 1):
            own = (brought.take(games) & card) != _NONE
            places += own.view(np.uint8) * np.uint8(seat)
        return places

    def _hand_out_beside(self, state: GuardiansState, rows: Rows, takers: Words) -> None:
        """Give what lay beside the chief when a turn began to the first who causes an explosion.

        Args:
            state: The games.
            rows: int64 (n,), those in which a turn is resolved.
            takers: uint64 (n,), who causes explosions; see `first_taker`.
        """
        stacked = (state.stacked.take(rows) & (takers != _NONE)).nonzero()[0]
        taken = rows.take(stacked)
        places = state.places.take(taken, axis=0)
        further = first_taker(takers.take(stacked)) - _BESIDE
        places += (places == BESIDE).view(np.uint8) * further[:, None]
        state.places[taken] = places
        state.stacked[taken] = False

    def marks(self, state: GuardiansState, rows: Rows | None = None) -> NDArray[np.int64]:
        """Count the marks that each seat has taken, in all rounds.

        Args:
            state: B games.
            rows: int64 (n,), which of them; all if not given.

        Returns:
            int64 (n, N).
        """
        chosen = np.arange(len(state)) if rows is None else rows
        seats = np.arange(TAKEN, TAKEN + self.num_seats, dtype=np.uint8)
        taken = state.places.take(chosen, axis=0)[:, None] == seats[:, None]  # (rows, seats, cards)
        counts = (taken.reshape(-1, CARDS) @ _MARKS).reshape(-1, self.num_seats)
        marks: NDArray[np.int64] = counts.astype(np.int64)
        marks += state.lanes.scores.take(chosen, axis=1).T
        return marks

    def _end_round(self, state: GuardiansState, rows: Rows) -> None:
        """End a round: the last ends the game, others deal the next hands."""
        if not len(rows):
            return
        last = state.round[rows] == self.config.rounds - 1
        self._end_game(state, rows[last])
        rows = rows[~last]
        if len(rows):
            state.scores[rows] = self.marks(state, rows)
            state.colours[rows] = state.numbers[rows] = state.places[rows] = 0
            state.stacked[rows] = False
            state.turn[rows] = 0
            state.round[rows] += _ONE
            self._deal_hands(state, rows)
            self._begin_turn(state, rows)

    def _end_game(self, state: GuardiansState, rows: Rows) -> None:
        """End games: fewest marks win, among equals the last card with the fewest."""
        if not len(rows):
            return
        marks = self.marks(state, rows).T  # (seats, rows)
        last = MARKS.take(lowest(state.lanes.hands.take(rows, axis=1)))
        count = marks * _TIES + last  # so that the last card decides between equals
        fewest = np.minimum.reduce(count, axis=0)
        tied = _seats(marks == fewest // _TIES)
        winners = _seats(count == fewest)
        write_lanes(state.lanes.rewards, rows, self._shares.take(winners, axis=1))
        state.reason[rows] = FEWEST + (self._several.take(tied) + self._several.take(winners))
        state.over[rows] = True
        for chief in state.lanes.chief:
            chief[rows] = _NONE

    # Seeing

    def _observe(
        self, state: GuardiansState, eyes: Seats, fields: Layout, seen: Observation
    ) -> None:
        """Tell what a seat may know; see `Game.observe`."""
        observation.observe(self, state, eyes, fields, seen)

    def _redraw(self, world: GuardiansState, eyes: Seats) -> None:
        """Draw the others' hands and choices, the chief's face-down cards and the piles anew.

        See `Game.redeal`.
        """
        knowledge.redraw(self, world, eyes)
        world.moves = self._sets(world, world.seat)

    def text(self, state: GuardiansState, row: int = 0, seat: Viewer = "public") -> str:
        """Draw one game in text; see `Game.text`."""
        return drawing.text(self, state, row, self._checked_viewer(seat))

    def _picture(self, state: GuardiansState, viewer: Viewer) -> Picture:
        """Draw the table; see `Game.svg`."""
        return picture.draw(self, state, viewer)

    def _flaws(self, state: GuardiansState) -> Iterator[Flaw]:
        """Look for what contradicts; see `Game._flaws`."""
        yield from super()._flaws(state)
        yield from validity.flaws(self, state)

    # People who play

    def primer(self) -> str:
        """Tell the rules in short; see `Game.primer`."""
        return guide.primer(self)

    def ending(self, state: GuardiansState, row: int = 0) -> str:
        """Say why a finished game ended, to people; see `Game.ending`."""
        return guide.ending(self, state, row)

    def clicks(
        self, state: GuardiansState, row: int, action: int, seat: int | None = None
    ) -> tuple[Click, ...]:
        """Tell which click chooses a card; see `Game.clicks`."""
        mover = int(state.seat[row]) if seat is None else seat
        return guide.clicks(self, state, row, action, mover)

    def news(
        self,
        before: GuardiansState,
        after: GuardiansState,
        row: int,
        action: int,
        seat: int,
        viewer: Viewer,
    ) -> News | None:
        """Tell what a viewer learns of a choice; see `Game.news`."""
        return guide.news(self, before, after, row, action, seat, viewer)

    # Notation and records

    def move_text(
        self, state: GuardiansState, row: int, action: int, seat: int | None = None
    ) -> str:
        """Write an action, the card's number; see `Game.move_text`."""
        if not 0 <= action < CARDS:
            raise InvalidMove(f"actions go from 0 to {CARDS - 1}, not {action}")
        return str(action + 1)

    def parse_move(
        self, state: GuardiansState, row: int, text: str, seat: int | None = None
    ) -> int:
        """Read an action; see `Game.parse_move`."""
        if text not in _NUMBERS:
            raise InvalidMove(f"a move is a card's number, 1 to {CARDS}, not {text!r:.60}")
        return _NUMBERS[text]

    def result(self, state: GuardiansState, row: int = 0) -> dict[str, Any]:
        """Tell how a finished game ended; see `Game.result`."""
        ended = state.take([row])
        return {
            "rewards": ended.rewards[0].tolist(),
            "reason": REASONS[ended.reason[0]],
            "marks": self.marks(ended)[0].tolist(),
            "last_cards": (lowest(ended.hands)[0].astype(int) + 1).tolist(),
        }


def _in_order(sets: Words) -> NDArray[np.uint8]:
    """List the five cards of sets, the lowest first, as they go to the columns: uint8 (5, n)."""
    cards = np.empty((COLUMNS, len(sets)), np.uint8)
    left = sets
    for column in cards:
        below = left - ONE
        left = left & below  # without the lowest card
        below ^= left
        np.bitwise_count(below, out=column)
    return cards


def _spaces_of(turn: _Turn) -> Rows:
    """Tell where the first column's card of each turn lies in `state.flat.numbers`: (n,)."""
    return turn.rows * integer(_QUEUE) + turn.number.view(np.int64)


def _exploded(turn: _Turn, explosions: Explosions, side: Rows) -> tuple[Rows, Rows]:
    """List the cards that exploded, one by one.

    Args:
        turn: The turns.
        explosions: What exploded in them, up to eight cards each.
        side: int64 (m,), from which side columns are served there; see `queue.sides`.

    Returns:
        int64 (k,) each: in which explosion, and where in `state.flat.numbers` the card's number
        lies.
    """
    top = true_columns(explosions.columns, side)
    top *= SPACES
    top += (_spaces_of(turn) - (SPACES - 1)).take(explosions.games)  # of queues that are set up
    bits = np.unpackbits(explosions.cards, bitorder="little")
    cards = bits.view(np.bool_).nonzero()[0]  # eight an explosion
    which = cards >> 3
    spaces = cards & 7
    spaces += top.take(which)
    return which, spaces


def first_taker(causing: Words) -> NDArray[np.uint8]:
    """Find who takes what the chief's card caused.

    Args:
        causing: uint64 (n,), the places of those seats whose cards then caused explosions, a byte a
            column in the order of serving; 0 where none did.

    Returns:
        uint8 (n,): the first such place, BESIDE where there is none.
    """
    before = np.bitwise_count((causing & -causing) - ONE) & _WHOLE_BYTES
    takers: NDArray[np.uint8] = np.maximum((causing >> before).astype(np.uint8), _BESIDE)
    return takers


_WHOLE_BYTES, _BESIDE = constant(0b111000, np.uint8), constant(BESIDE, np.uint8)


def _seats(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Pack flags of up to eight seats, bool (N, n), into sets: uint8 (n,)."""
    sets: NDArray[np.uint8] = np.packbits(flags, axis=0, bitorder="little")[0]
    return sets


_NUMBERS = {str(card + 1): card for card in range(CARDS)}
