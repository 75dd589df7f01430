"""The rules of CHROMA on batches of games (rules page `chroma.md`)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import constant
from chromazoo.envs.chroma import (
    drawing,
    guide,
    hands,
    knowledge,
    legal,
    notation,
    observation,
    picture,
    validity,
)
from chromazoo.envs.chroma.board import (
    ANY_COLOUR,
    CENTRE,
    FACE_DOWN,
    LANE_OF,
    LANE_WIDTH,
    LOCK_MARK,
    MAGNET_MARK,
    NEIGHBOURS,
    NO_MARK,
    OFF,
    SPACES,
    WORD,
    WORDS,
    Fits,
    fit_of,
    fitting_anywhere,
)
from chromazoo.envs.chroma.cards import (
    COLOUR,
    COPIES,
    GIFT,
    NO_POWER,
    PACK,
    POWERS,
    REPLAY,
    Cards,
)
from chromazoo.envs.chroma.config import (
    BLOCKED,
    COLOURS,
    EMPTY_HAND,
    GIVE,
    PASSES,
    PERFECT,
    PILE,
    POWER,
    REASONS,
    WILD,
    Config,
)
from chromazoo.envs.chroma.legal import LegalSets, OtherPhases
from chromazoo.envs.errors import InvalidChance, InvalidMove
from chromazoo.envs.fields import Block, Layout, Observation
from chromazoo.envs.game import Game as Contract
from chromazoo.envs.game import Seats, Seeds, deal_stream, win_rewards
from chromazoo.envs.guidance import Click, News
from chromazoo.envs.masks import Packing, Words
from chromazoo.envs.randomness import Stream, as_seeds, below, shuffled
from chromazoo.envs.state import (
    State,
    entries,
    entries_of,
    flat,
    integer,
    starts,
    write_lanes,
)
from chromazoo.envs.svg import Picture, Viewer
from chromazoo.envs.validity import Flaw

Rows = NDArray[np.int64]

HAND = 5  # cards a player is dealt
# Kinds of actions, in the order of their blocks.
LAYING, DRAWING, USING, _, GIFTING, GIVING = range(6)
_ONE = np.uint64(1)
_FIRST_MARK = np.array([NO_MARK, NO_MARK, MAGNET_MARK, LOCK_MARK], np.uint8)  # of each power
# Numbers as arrays; see `constant`.
_LAYING, _DRAWING, _USING, _GIFTING, _GIVING = (
    constant(kind, np.uint8) for kind in (LAYING, DRAWING, USING, GIFTING, GIVING)
)
_WILD, _POWER = (constant(phase, np.int8) for phase in (WILD, POWER))
_NO_POWER, _REPLAY = (constant(power, np.int8) for power in (NO_POWER, REPLAY))
_NOTHING, _ONE_CARD, _WILD_CARD, _FOUR = (constant(n, np.uint8) for n in (0, 1, 3, 4))
_PACK, _FULL, _COPIES = (constant(n, np.uint8) for n in (PACK, SPACES, COPIES))
_ONE_PLY = constant(1, np.int32)
_NO_GIFTS = hands.Gifts(*(np.zeros(0, np.int64) for _ in range(3)))


class _Played(NamedTuple):
    """What the seats to decide play, in all B games.

    Attributes:
        actions: int64 (B,).
        kinds: uint8 (B,), the kinds of the actions.
        seats: int64 (B,), who plays them.
        cards: int64 (B,), the types of the cards that they lay or give.
        spaces: int64 (B,), where they lay them, `board.OFF` where they do not.
        laid: bool (B,), where they lay cards.
        hidden: int64 (m,), the games in which these are wild: they lie face down.
    """

    actions: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    seats: NDArray[np.int64]
    cards: NDArray[np.int64]
    spaces: NDArray[np.int64]
    laid: NDArray[np.bool_]
    hidden: Rows


class _Standing(NamedTuple):
    """How B games stand when something has been played: how they go on follows from this.

    Attributes:
        touches: uint8 (B,), how many cards a card that was placed touches; 0 elsewhere.
        sizes: uint8 (B,), cards in the hand of the seat that played.
        types: uint64 (H, B), the types in it.
        fitting: uint64 (B,), the colours that fit some space.
        on_board: uint8 (B,), cards on the board.
    """

    touches: NDArray[np.uint8]
    sizes: NDArray[np.uint8]
    types: Words
    fitting: Words
    on_board: NDArray[np.uint8]


@dataclass(eq=False)
class ChromaState(State):
    """B games of CHROMA with N seats and T types of cards (see `Cards`).

    Attributes:
        board: uint8 (B, 78), what lies on each space: 0 nothing, 1 + type a card face up, 255 a
            card face down; the last entry is off the board and stays 0.
        room: uint64 (B, 27), which colours fit each space; see `board`.
        hidden: uint8 (B, 77), 1 + type of the face-down card on each space, 0 where there is none.
        knowers: uint8 (B, 77), the seats that know that card, bit s for seat s (C13).
        hands: uint8 (B, N, T), cards in hand by type.
        held: uint64 (B, N, H), the types in hand as sets; see `Cards.words`.
        sizes: uint8 (B, N), cards in hand.
        known: uint8 (B, N, N - 1, T), what is known for certain of the hand of seat i by the other
            seats, counted from the next one (C13).
        deck: uint8 (B, 100), the types of the pack's cards, next ones from `drawn` on.
        drawn: uint8 (B,), cards that have left the deck.
        marks: uint8 (B, N), each seat's active Magnet or Lock; see `board.MAGNET_MARK`.
        phase: int8 (B,), index in `config.PHASES`.
        replaying: bool (B,), whether a card is being placed by Replay.
        power: int8 (B,), the power of the card placed last in this turn, -1 for none.
        spot: int8 (B,), where it was placed.
        partner: int8 (B,), the seat that a card was taken from, while one is to be given back.
        passes: int8 (B,), passes in a row.
        first: int8 (B,), the seat that began.
        reason: int8 (B,), why the game ended: index in `config.REASONS`.
        moves: uint64 (B, W), the legal set of the seat to decide.
    """

    rowwise = frozenset({"board", "hidden", "knowers", "hands", "known", "deck"})

    board: NDArray[np.uint8]
    room: Words
    hidden: NDArray[np.uint8]
    knowers: NDArray[np.uint8]
    hands: NDArray[np.uint8]
    held: Words
    sizes: NDArray[np.uint8]
    known: NDArray[np.uint8]
    deck: NDArray[np.uint8]
    drawn: NDArray[np.uint8]
    marks: NDArray[np.uint8]
    phase: NDArray[np.int8]
    replaying: NDArray[np.bool_]
    power: NDArray[np.int8]
    spot: NDArray[np.int8]
    partner: NDArray[np.int8]
    passes: NDArray[np.int8]
    first: NDArray[np.int8]
    reason: NDArray[np.int8]
    moves: Words


class Game(Contract[ChromaState]):
    """CHROMA for two to six players.

    >>> game = Game(num_players=3, first_player=2)
    >>> state = game.deal([1])
    >>> state.sizes.tolist(), state.seat.tolist()
    ([[5, 5, 5]], [2])
    """

    id = "chroma"
    compiled = "chromazoo.envs.chroma.compiled:Game"
    config_type = Config
    state_type = ChromaState
    config: Config
    setup_keys = ("deck", "first_player")

    def __init__(self, /, **options: Any) -> None:
        """Configure the game and tabulate its cards.

        Args:
            options: The options by name; see `Config`.

        Raises:
            InvalidConfig: the options do not fit.
        """
        super().__init__(**options)
        self.num_seats = self.config.num_players
        self.cards = Cards(self.config)
        self.fits = Fits(self.config.colours.table)
        types, others = len(self.cards), self.num_seats - 1
        self.blocks = (
            Block("card", (types, 7, 11), "type of card, row, column: a placement or a wild card"),
            Block("draw", (1,), "draw a card and pass"),
            Block("use", (1,), "use Replay, Magnet or Lock"),
            Block("skip", (1,), "do without the power"),
            Block("gift", (others,), "seat to take a card from, counted from the next one"),
            Block("give", (types,), "type of the card to give"),
        )
        self.draw = types * SPACES
        self.use, self.skip, self.gift = self.draw + 1, self.draw + 2, self.draw + 3
        self.give = self.gift + others
        self._card_words = self.cards.planes * WORDS
        self.packing = self._lay_out()
        self._choices = self._tabulate_choices()
        self._legal_sets = LegalSets(self.cards, self.packing, self._choices, self.draw, self.give)
        seats = np.arange(self.num_seats)
        self._seats = seats.astype(np.int8)[:, None]  # (seats, 1)
        # Who knows a card that a seat laid face down: that seat, or all if it was its only one.
        everyone = np.full(self.num_seats, (1 << self.num_seats) - 1)
        self._knowers = np.concatenate([1 << seats, everyone]).astype(np.uint8)
        winners = (np.arange(1 << self.num_seats)[:, None] >> seats & 1).astype(np.bool_)
        winners[0] = True  # in place of nobody, which does not occur
        self._shares = np.ascontiguousarray(win_rewards(winners).T)  # by the winners, bit s: seat s
        self._seats_in_all = constant(self.num_seats, np.int8)
        self._most_passes = constant(2 * self.num_seats, np.int8)
        self._partner_offset = np.arange(self.num_actions) - (self.gift - 1)  # from the mover
        ends = [0, self.draw, self.use, self.skip, self.gift, self.give, self.num_actions]
        self._kind = np.repeat(np.arange(6, dtype=np.uint8), np.diff(ends))
        self._model = self._undealt()
        self.fields: Layout = observation.layout(self.num_seats, self.cards.names)

    def _lay_out(self) -> Packing:
        """Lay out legal sets: 26 words for each type that a colour has, then the rest.

        Tabulates besides what each action does: the type of card that it lays or gives, the space
        that this goes to, `OFF` for none, what lies there then, which colours fit around it then,
        as `Fits.occupy` wants it, and its power.
        """
        card, space = np.divmod(np.arange(self.draw), SPACES)
        types = np.arange(len(self.cards))
        self._card = np.concatenate([card, np.zeros(self.give - self.draw, np.int64), types])
        self._space = np.append(space, np.full(len(self._card) - self.draw, OFF))
        plane, colour = np.divmod(card, COLOURS)
        laying = self._space != OFF
        self._face = ((self._card + 1) * laying).astype(np.uint8)
        self._fit = fit_of(COLOUR[self._card], self._space)
        self._power = self.cards.power.take(self._card)
        rest = np.arange(len(self._card) - self.draw)
        word = np.concatenate([plane * WORDS + WORD[space], self._card_words + rest // 64])
        bit = np.concatenate([LANE_OF[space] * LANE_WIDTH + colour, rest % 64])
        return Packing(word, bit)

    def _tabulate_choices(self) -> Words:
        """Tabulate what a seat may do with each power, in the first word of the rest: (4,)."""
        gifts = sum(self._bit(self.gift + other) for other in range(self.num_seats - 1))
        skip = self._bit(self.skip)
        choices = np.full(len(POWERS), self._bit(self.use) | skip, np.uint64)
        choices[GIFT] = np.uint64(gifts) | skip
        return choices

    def _bit(self, action: int) -> np.uint64:
        """Return the bit of an action in its word."""
        return _ONE << np.uint64(self.packing.bit[action])

    # Beginning a game

    def setups(self, seeds: Seeds) -> list[dict[str, Any]]:
        """Draw the deck and who begins; see `Game.setups`."""
        decks, first = self._shuffle(as_seeds(seeds))
        return [
            {"deck": [self.cards.names[card] for card in deck], "first_player": seat}
            for deck, seat in zip(decks.tolist(), first.tolist(), strict=True)
        ]

    def _deal(self, state: ChromaState, seeds: Stream) -> None:
        """Begin games with a shuffled deck; see `Game._deal`."""
        self._begin(state, *self._shuffle(seeds))

    def _shuffle(self, seeds: Stream) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
        """Draw decks (B, 100) and the seats that begin (B,) (C14)."""
        stream = deal_stream(seeds)
        decks = self.cards.pack.take(shuffled(stream, PACK))
        first = below(stream, self.num_seats).astype(np.int8)
        if self.config.first_player is not None:
            first[:] = self.config.first_player
        return decks, first

    def _set_up(self, state: ChromaState, setups: Sequence[Mapping[str, Any]]) -> None:
        """Begin games whose decks are given; see `Game._set_up`."""
        decks = [notation.read_deck(self, row, setup) for row, setup in enumerate(setups)]
        first = np.array([setup["first_player"] for setup in setups], np.int8)
        self._begin(state, np.array(decks, np.uint8).reshape(-1, PACK), first)

    def _undealt(self) -> ChromaState:
        """Make one game with nothing dealt, the model of all others."""
        seats, types = self.num_seats, len(self.cards)
        state = self._blank(
            board=(np.uint8, (SPACES + 1,)),
            room=(np.uint64, (WORDS + 1,)),
            hidden=(np.uint8, (SPACES,)),
            knowers=(np.uint8, (SPACES,)),
            hands=(np.uint8, (seats, types)),
            held=(np.uint64, (seats, self.cards.words)),
            sizes=(np.uint8, (seats,)),
            known=(np.uint8, (seats, seats - 1, types)),
            deck=(np.uint8, (PACK,)),
            drawn=np.uint8,
            marks=(np.uint8, (seats,)),
            phase=np.int8,
            replaying=np.bool_,
            power=np.int8,
            spot=np.int8,
            partner=np.int8,
            passes=np.int8,
            first=np.int8,
            reason=np.int8,
            moves=(np.uint64, (self.packing.num_words,)),
        )
        state.power[:], state.spot[:], state.partner[:] = NO_POWER, -1, -1
        state.drawn[:] = 1 + HAND * seats
        state.sizes[:] = HAND
        return state

    def _begin(self, state: ChromaState, decks: NDArray[np.uint8], first: NDArray[np.int8]) -> None:
        """Lay the first card on the centre and deal the hands."""
        games, seats, rows = len(state), self.num_seats, starts(len(state))
        state.seat, state.first, state.deck = first, first, decks
        state.pending[rows, first] = True
        state.board[:, CENTRE] = decks[:, 0] + 1
        state.lanes.room[:] = self.fits.openings(COLOUR.take(decks[:, 0]))
        dealt = decks[:, 1 : 1 + HAND * seats].reshape(games, seats, HAND)
        counts = state.flat.hands
        hand = (rows[:, None] * seats + np.arange(seats)) * len(self.cards)  # (games, seats)
        held = np.zeros((self.cards.words, games, seats), np.uint64)
        for card in range(HAND):
            counts[hand + dealt[:, :, card]] += np.uint8(1)
            held |= self.cards.bits.take(dealt[:, :, card], axis=1)
        state.held[:] = held.transpose(1, 2, 0)
        self._note_moves(state)

    # Playing

    def _legal(self, state: ChromaState, seats: Seats | None) -> Words:
        """Tell the legal actions, packed: a view of `state.moves`; see `Game.legal`."""
        return self._of_seats(state, state.moves, seats)

    def _advance(
        self,
        state: ChromaState,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> None:
        """Play legal actions; see `Game._advance`.

        Games of a batch are in different phases. What happens in most of them at every step, such
        as drawing and the end of a turn, is worked out for all at once; what takes long or is rare,
        for the rows in which it happens.
        """
        kinds = self._kind.take(actions)
        gifts = self._take_gifts(state, (kinds == _GIFTING).nonzero()[0], actions, chance)
        plies = state.plies  # arrays are changed by names of their own, which is faster
        plies += _ONE_PLY
        laid = kinds == _LAYING
        hidden = (laid & (state.phase == _WILD)).nonzero()[0]
        cards, spaces = self._card.take(actions), self._space.take(actions)
        played = _Played(actions, kinds, state.seat.astype(np.int64), cards, spaces, laid, hidden)
        touches = self._lay(state, played)
        drawn, draws = self._draw(state, (kinds == _DRAWING) | (touches == _ONE_CARD))
        self._note_placements(state, played, draws)
        every = starts(len(state))
        change = hands.Change(every, played.seats, cards, laid | (kinds == _GIVING), drawn, draws)
        sizes, types = self._change_hands(state, played, gifts, change)
        fitting = fitting_anywhere(state.lanes.room[:WORDS])
        standing = _Standing(touches, sizes, types, fitting, _on_board(state))
        ended, other = self._find_phases(state, played, gifts.rows, standing)
        self._end_turns(state, ended, standing, other)

    # Placements and what they result in

    def _lay(self, state: ChromaState, played: _Played) -> NDArray[np.uint8]:
        """Put cards on the board, face up or face down.

        What else is played goes to the space that stands for all off the board, and leaves nothing.

        Returns:
            uint8 (B,), how many cards a card that was placed touches; 0 elsewhere.
        """
        actions, spaces, hidden = played.actions, played.spaces, played.hidden
        near = NEIGHBOURS.take(spaces, axis=1)  # (neighbours, games)
        near += starts(len(state), SPACES + 1)
        beside = (state.flat.board.take(near) > _NOTHING).view(np.uint8)
        touches: NDArray[np.uint8] = beside[0] + beside[1]
        touches += beside[2]
        touches += beside[3]
        faces, fits = self._face.take(actions), self._fit.take(actions)
        if len(hidden):
            self._hide(state, played)
            touches[hidden] = 0
            faces[hidden], fits[hidden] = FACE_DOWN, fit_of(ANY_COLOUR, spaces.take(hidden))
        knowledge.forget_cards(state, played.seats, played.cards, played.laid)
        self._cover(state, spaces, faces, fits)
        return touches

    def _cover(
        self,
        state: ChromaState,
        spaces: NDArray[np.int64],
        faces: NDArray[np.uint8],
        fits: NDArray[np.int64],
    ) -> None:
        """Cover a space of each game; `faces` lie there then, of `fits` see `Fits.occupy`."""
        state.flat.board[starts(len(state), SPACES + 1) + spaces] = faces
        self.fits.occupy(state.lanes.room, spaces, fits)

    def _hide(self, state: ChromaState, played: _Played) -> None:
        """Note which cards lie face down and who knows them: all, where it was the only one (C13).

        Args:
            state: The games, before the cards leave the hands.
            played: What is played in them.
        """
        rows = played.hidden
        seats, cards = played.seats.take(rows), played.cards.take(rows)
        single = state.flat.sizes.take(entries_of(rows, seats, len(state))) == _ONE_CARD
        place = rows * integer(SPACES) + played.spaces.take(rows)
        state.flat.hidden[place] = cards + integer(1)
        state.flat.knowers[place] = self._knowers.take(seats + single * integer(self.num_seats))
        knowledge.forget_hands(state, rows, seats)

    def _draw(
        self, state: ChromaState, owed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Draw the cards that are owed; nothing is drawn from an empty pile (C5).

        Returns:
            The cards, uint8 (B,), and where they are drawn, bool (B,).
        """
        drawn = state.drawn
        drawing = owed & (drawn < _PACK)
        cards = state.flat.deck.take(starts(len(state), PACK) + drawn, mode="clip")
        drawn += drawing.view(np.uint8)
        return cards, drawing

    def _note_placements(
        self, state: ChromaState, played: _Played, draws: NDArray[np.bool_]
    ) -> None:
        """Note what was placed where, face up, and the passes in a row."""
        power, spot, passes, replaying = state.power, state.spot, state.passes, state.replaying
        placed = played.laid
        if len(played.hidden):
            placed = placed.copy()
            placed[played.hidden] = False
        there = placed.view(np.int8)
        power += (self._power.take(played.actions) - power) * there
        spot += (played.spaces.astype(np.int8) - spot) * there
        passes += draws.view(np.int8)
        others = ~placed
        passes *= others.view(np.int8)
        replaying &= others

    # Hands

    def _take_gifts(
        self,
        state: ChromaState,
        rows: Rows,
        actions: NDArray[np.int64],
        chance: Sequence[str | None] | None,
    ) -> hands.Gifts:
        """Take a card of another seat's hand in some games: as recorded chance says, or drawn."""
        taken = self._read_taken(state, rows, actions, chance)
        if not len(rows):
            return _NO_GIFTS
        partners = self._partner_offset.take(actions.take(rows)) + state.seat.take(rows)
        partners %= integer(self.num_seats)
        if taken is None:
            taken = hands.draw_from_hands(state, rows, partners)
        return hands.Gifts(rows, partners, taken)

    def _read_taken(
        self,
        state: ChromaState,
        gifts: Rows,
        actions: NDArray[np.int64],
        chance: Sequence[str | None] | None,
    ) -> NDArray[np.int64] | None:
        """Read the cards that recorded chance takes, None where chance is to be drawn."""
        if chance is None:
            return None
        due = {row: chance[row] for row in gifts.tolist()}
        self._no_chance([None if row in due else text for row, text in enumerate(chance)])
        cards = []
        for row, text in due.items():
            partner = (state.seat[row] + self._partner_offset[actions[row]]) % self.num_seats
            card = self.cards.number.get(text, -1) if isinstance(text, str) else -1
            if card < 0 or not state.hands[row, partner, card]:
                held = np.flatnonzero(state.hands[row, partner])
                names = ", ".join(self.cards.names[each] for each in held)
                raise InvalidChance(row, f"one of {names} was expected, not {text!r:.60}")
            cards.append(card)
        return np.array(cards, np.int64)

    def _change_hands(
        self, state: ChromaState, played: _Played, gifts: hands.Gifts, change: hands.Change
    ) -> tuple[NDArray[np.uint8], Words]:
        """Let cards come to hands and leave them.

        Args:
            state: The games.
            played: What is played in them.
            gifts: The cards that are taken.
            change: How the hands of those who play change, but for what is taken.

        Returns:
            The sizes of these hands then, uint8 (B,), and the types in them, uint64 (H, B).
        """
        gives = (played.kinds == _GIVING).nonzero()[0]
        if len(gifts.rows) or len(gives):
            hands.pass_cards(self, state, gifts, gives, change)
        return hands.change_hands(self, state, change)

    # How a turn goes on

    def _find_phases(
        self, state: ChromaState, played: _Played, gifts: Rows, standing: _Standing
    ) -> tuple[NDArray[np.bool_], OtherPhases]:
        """Write what is due next: a wild card, a power, a card to be given back, or a placement.

        Args:
            state: The games.
            played: What was played.
            gifts: int64 (n,), the games in which a card was taken.
            standing: How the games stand.

        Returns:
            Where a turn ends, bool (B,), and where something else than a placement is due.
        """
        touches = standing.touches
        hiding = touches == _WILD_CARD
        hiding &= standing.sizes > _NOTHING
        hiding &= standing.on_board < _FULL
        offered = played.laid & ~(hiding | (touches == _FOUR))
        self._offer_powers(state, offered, standing)
        replaying = self._use(state, (played.kinds == _USING).nonzero()[0])
        phase = state.phase
        np.multiply(offered.view(np.int8), _POWER, out=phase)
        phase += hiding.view(np.int8) * _WILD
        phase[gifts] = GIVE
        ended = ~(hiding | offered)
        ended[gifts] = ended[replaying] = False
        return ended, OtherPhases(hiding.nonzero()[0], offered.nonzero()[0], gifts)

    def _offer_powers(
        self, state: ChromaState, offered: NDArray[np.bool_], standing: _Standing
    ) -> None:
        """Offer the power of the card placed last; Replay only if there is a placement.

        Args:
            state: The games.
            offered: bool (B,), where its result is over; changed to where a power is on offer.
            standing: How the games stand.
        """
        power = state.power
        offered &= power != _NO_POWER
        replays = (offered & (power == _REPLAY)).nonzero()[0]
        if len(replays):
            types, fitting = standing.types.take(replays, axis=1), standing.fitting.take(replays)
            offered[replays] = self._legal_sets.has_placement(state, replays, types, fitting)

    def _use(self, state: ChromaState, rows: Rows) -> Rows:
        """Use Replay, Magnet or Lock; return the rows in which a card is to be placed at once."""
        powers = state.power.take(rows)
        replay = powers == _REPLAY
        state.replaying[rows] = replay
        place = entries_of(rows, state.seat.take(rows), len(state))
        mark = _FIRST_MARK.take(powers) + state.spot.take(rows).view(np.uint8)
        state.flat.marks[place] = mark * ~replay  # there is no mark yet
        again: Rows = rows[replay]
        return again

    # The end of a turn

    def _end_turns(
        self,
        state: ChromaState,
        ended: NDArray[np.bool_],
        standing: _Standing,
        other: OtherPhases,
    ) -> None:
        """Pass the turn on where one ends, end games, and write the legal sets.

        Args:
            state: The games.
            ended: bool (B,), where a turn ends.
            standing: How the games stand.
            other: Where something else than a placement is due then.
        """
        following = state.seat + ended.view(np.int8)
        following *= (following < self._seats_in_all).view(np.int8)
        types = hands.types_held(state, starts(len(state)), following)
        hand = self._legal_sets.hand(types, standing.fitting)
        ends = self._find_ends(state, ended, standing, hand.stuck)
        closing = np.logical_or.reduce(ends, axis=0).nonzero()[0]
        if len(closing):
            self._close(state, closing, ends.take(closing, axis=1).argmax(axis=0) + 1)
        self._begin_turns(state, ended & ~state.over, following)
        self._legal_sets.write(state, hand, other)

    def _find_ends(
        self,
        state: ChromaState,
        ended: NDArray[np.bool_],
        standing: _Standing,
        stuck: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        """Find why games end, if they do.

        Args:
            state: The games.
            ended: bool (B,), where a turn ends.
            standing: How the games stand.
            stuck: bool (B,), where no colour of the following seat fits any space.

        Returns:
            bool (5, B), the reasons in the order in which they are looked at (C16).
        """
        ends = np.empty((PASSES, len(state)), np.bool_)
        np.equal(standing.touches, _FOUR, out=ends[PERFECT - 1])
        np.equal(standing.sizes, _NOTHING, out=ends[EMPTY_HAND - 1])
        np.equal(state.drawn, _PACK, out=ends[PILE - 1])
        # The five cards of every colour that fits would have to lie on the board.
        copies = np.bitwise_count(standing.fitting)
        copies *= _COPIES
        np.less_equal(copies, standing.on_board, out=ends[BLOCKED - 1])
        ends[BLOCKED - 1] &= stuck
        np.greater_equal(state.passes, self._most_passes, out=ends[PASSES - 1])
        ends[EMPTY_HAND - 1 :] &= ended
        rows = ends[BLOCKED - 1].nonzero()[0]
        if len(rows):
            ends[BLOCKED - 1, rows] = legal.is_blocked(state, rows, standing.fitting.take(rows))
        return ends

    def _close(self, state: ChromaState, rows: Rows, reasons: NDArray[np.int64]) -> None:
        """End games.

        Args:
            state: The games.
            rows: int64 (n,), those that end.
            reasons: int64 (n,), why.
        """
        state.over[rows], state.reason[rows] = True, reasons
        sizes = state.lanes.sizes.take(rows, axis=1)  # (seats, rows)
        # A seat wins at once as if it held no card; the fewest cards win.
        mover = entries(state.seat.take(rows))
        flat(sizes)[mover] = flat(sizes).take(mover) * (reasons != PERFECT)
        fewest = np.minimum.reduce(sizes, axis=0)
        winners = np.packbits(sizes == fewest, axis=0, bitorder="little")[0]
        write_lanes(state.lanes.rewards, rows, self._shares.take(winners, axis=1))

    def _begin_turns(
        self, state: ChromaState, begun: NDArray[np.bool_], seats: NDArray[np.int8]
    ) -> None:
        """Let the next seat decide where its turn begins; its Magnet or Lock ends there."""
        seat = state.seat
        seat += (seats - seat) * begun.view(np.int8)
        pending, marks = state.lanes.pending, state.lanes.marks
        np.equal(seat, self._seats, out=pending)
        marks *= ~(pending & begun)
        pending &= ~state.over
        none = -begun.view(np.int8)  # -1 has all bits
        for kept in (state.power, state.spot, state.partner):
            kept |= none

    # Legal sets

    def _note_moves(self, state: ChromaState) -> None:
        """Write the legal sets of the seats to decide anew."""
        types = hands.types_held(state, starts(len(state)), state.seat)
        hand = self._legal_sets.hand(types, fitting_anywhere(state.lanes.room[:WORDS]))
        live = ~state.over
        phases = (((state.phase == phase) & live).nonzero()[0] for phase in (WILD, POWER, GIVE))
        self._legal_sets.write(state, hand, OtherPhases(*phases))

    def can_place(self, state: ChromaState, rows: Rows) -> NDArray[np.bool_]:
        """Tell where the seat to decide has a placement, Magnets and Locks heeded.

        Args:
            state: B games.
            rows: int64 (n,), the games.

        Returns:
            bool (n,).
        """
        types = hands.types_held(state, rows, state.seat.take(rows))
        return self._legal_sets.has_placement(state, rows, types, _fitting(state, rows))

    def is_blocked(self, state: ChromaState, rows: Rows) -> NDArray[np.bool_]:
        """Tell where no card of a hand or the pile fits a space by its colour (C6).

        Args:
            state: B games.
            rows: int64 (n,), the games.

        Returns:
            bool (n,).
        """
        return legal.is_blocked(state, rows, _fitting(state, rows))

    # Seeing

    def _observe(self, state: ChromaState, eyes: Seats, fields: Layout, seen: Observation) -> None:
        """Tell what a seat may know; see `Game.observe`."""
        observation.observe(self, state, eyes, fields, seen)

    def _redraw(self, world: ChromaState, eyes: Seats) -> None:
        """Draw the deck, the others' unknown cards and unknown face-down cards anew.

        Cards that the seat knows stay where they are. Another seat that is offered Replay, or
        places a card by it, keeps a card it can place; where a turn begins, some hand or the pile
        keeps a card that fits. What the other seats know of each other is dropped, but for single
        cards, which all see. See `Game.redeal`.
        """
        knowledge.redraw(self, world, eyes)
        self._note_moves(world)

    def text(self, state: ChromaState, row: int = 0, seat: Viewer = "public") -> str:
        """Draw one game in text; see `Game.text`."""
        return drawing.text(self, state.take([row]), self._checked_viewer(seat))

    def _picture(self, state: ChromaState, viewer: Viewer) -> Picture:
        """Draw the table; see `Game.svg`."""
        return picture.draw(self, state, viewer)

    def _flaws(self, state: ChromaState) -> Iterator[Flaw]:
        """Look for what contradicts; see `Game._flaws`."""
        yield from super()._flaws(state)
        yield from validity.flaws(self, state)

    # People who play

    def primer(self) -> str:
        """Tell the rules in short; see `Game.primer`."""
        return guide.primer(self)

    def ending(self, state: ChromaState, row: int = 0) -> str:
        """Say why a finished game ended, to people; see `Game.ending`."""
        return guide.ending(self, state, row)

    def clicks(
        self, state: ChromaState, row: int, action: int, seat: int | None = None
    ) -> tuple[Click, ...]:
        """Tell which clicks make a move; see `Game.clicks`."""
        return guide.clicks(self, state, row, action)

    def news(
        self,
        before: ChromaState,
        after: ChromaState,
        row: int,
        action: int,
        seat: int,
        viewer: Viewer,
    ) -> News:
        """Tell what a viewer learns of an action; see `Game.news`."""
        return guide.news(self, before, after, row, action, viewer)

    # Notation and records

    def move_text(self, state: ChromaState, row: int, action: int, seat: int | None = None) -> str:
        """Write an action; see `Game.move_text`."""
        mover = int(state.seat[row]) if seat is None else seat
        if not 0 <= action < self.num_actions:
            raise InvalidMove(f"actions go from 0 to {self.num_actions - 1}, not {action}")
        return notation.move_text(self, mover, bool(state.phase[row] == WILD), action)

    def parse_move(self, state: ChromaState, row: int, text: str, seat: int | None = None) -> int:
        """Read an action; see `Game.parse_move`."""
        mover = int(state.seat[row]) if seat is None else seat
        return notation.parse_move(self, mover, bool(state.phase[row] == WILD), text)

    def chance_text(
        self, before: ChromaState, after: ChromaState, row: int, action: int
    ) -> str | None:
        """Write the card that a Gift took; see `Game.chance_text`."""
        if before.over[row] or not self.gift <= action < self.give:
            return None
        seat = before.seat[row]
        gained = after.hands[row, seat] > before.hands[row, seat]
        return self.cards.names[int(np.argmax(gained))]

    def result(self, state: ChromaState, row: int = 0) -> dict[str, Any]:
        """Tell how a finished game ended; see `Game.result`."""
        return {
            "rewards": state.rewards[row].tolist(),
            "reason": REASONS[state.reason[row]],
            "hand_sizes": state.sizes[row].tolist(),
        }


def _fitting(state: ChromaState, rows: Rows) -> Words:
    """Find the colours that fit some space of some games: uint64 (n,)."""
    return fitting_anywhere(state.lanes.room[:WORDS].take(rows, axis=1))


def _on_board(state: ChromaState) -> NDArray[np.uint8]:
    """Count the cards on the board: those that have left the deck and are in no hand.

    Returns:
        uint8 (B,).
    """
    on_board: NDArray[np.uint8] = state.drawn
    for held in state.lanes.sizes:
        on_board = on_board - held
    return on_board
