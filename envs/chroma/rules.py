"""The rules of CHROMA on batches of games (rules page `chroma.md`)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma import drawing, knowledge, notation, observation, validity
from chromazoo.envs.chroma.board import (
    ALL_COLOURS,
    ANY_COLOUR,
    ASKED_NEAR,
    CENTRE,
    EVERY_LANE,
    FACE_DOWN,
    LANE_OF,
    LANE_WIDTH,
    LANES,
    LEFT_NEAR,
    LOCK_MARK,
    MAGNET_MARK,
    NEAR_MARK,
    NEIGHBOURS,
    NO_MARK,
    OFF,
    SPACES,
    WORD,
    WORDS,
    Fits,
    fitting_anywhere,
    fold,
)
from chromazoo.envs.chroma.cards import (
    COLOUR,
    COPIES,
    GIFT,
    NO_POWER,
    PACK,
    PLANES,
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
    PLACE,
    POWER,
    REASONS,
    WILD,
    Config,
)
from chromazoo.envs.errors import InvalidChance, InvalidMove, InvalidSetup
from chromazoo.envs.fields import Block, Layout, Observation
from chromazoo.envs.game import Game as Contract
from chromazoo.envs.game import Seats, Seeds, deal_stream, win_rewards
from chromazoo.envs.masks import Packing, Words
from chromazoo.envs.randomness import Stream, as_seeds, below, shuffled
from chromazoo.envs.state import State, entries, flat, lanes, scatter, starts
from chromazoo.envs.validity import Flaw

Rows = NDArray[np.int64]

HAND = 5  # cards a player is dealt
# Kinds of actions, in the order of their blocks.
LAYING, DRAWING, USING, _, GIFTING, GIVING = range(6)
_ONE = np.uint64(1)
_Bits = TypeVar("_Bits", np.bool_, np.uint8, np.uint64)
# The lanes of some spaces of a word, by their bits.
_SOME_LANES = np.array(
    [
        sum(int(ALL_COLOURS) << LANE_WIDTH * lane for lane in range(LANES) if some >> lane & 1)
        for some in range(1 << LANES)
    ],
    np.uint64,
)
_COLOUR_BIT = _ONE << COLOUR.astype(np.uint64)  # of each type
_FIRST_MARK = np.array([NO_MARK, NO_MARK, MAGNET_MARK, LOCK_MARK])  # of each power


class _Laid(NamedTuple):
    """Cards that are laid on the board, in some games.

    Attributes:
        rows: int64 (n,), the games.
        seats: int64 (n,), who lays them.
        cards: int64 (n,), their types.
        spaces: int64 (n,), where they go.
    """

    rows: Rows
    seats: NDArray[np.int64]
    cards: NDArray[np.int64]
    spaces: NDArray[np.int64]


class _OtherPhases(NamedTuple):
    """The unfinished games in which no placement is due: int64 (n,) each.

    Attributes:
        wild: Where a wild card is to be laid.
        choosing: Where a power is on offer.
        giving: Where a card is to be given back.
    """

    wild: Rows
    choosing: Rows
    giving: Rows


class _Change(NamedTuple):
    """Cards that leave hands, and that come to them.

    Attributes:
        rows: int64 (n,), the games of the hands.
        seats: int64 (n,), whose hands; no hand occurs twice.
        leaving: int64 (n,), the cards that leave.
        leaves: bool (n,), where they do.
        coming: Integers (n,), the cards that come.
        comes: bool (n,), where they do.
    """

    rows: Rows
    seats: NDArray[np.int64]
    leaving: NDArray[np.int64]
    leaves: NDArray[np.bool_]
    coming: NDArray[np.integer]
    comes: NDArray[np.bool_]


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
        seats = np.arange(self.num_seats)
        self._seats = seats.astype(np.int8)[:, None]  # (seats, 1)
        self._alone = np.uint8(1) << seats.astype(np.uint8)
        self._everyone = np.uint8((1 << self.num_seats) - 1)
        winners = (np.arange(1 << self.num_seats)[:, None] >> seats & 1).astype(np.bool_)
        winners[0] = True  # in place of nobody, which does not occur
        self._shares = win_rewards(winners)  # by the winners, bit s for seat s
        word, place = np.divmod(np.arange(self.cards.planes), PLANES)
        self._plane_word, self._plane_shift = word, (place * COLOURS).astype(np.uint64)[:, None]
        # The words of legal sets around each mark, by plane; the last one for none.
        near = NEAR_MARK + np.arange(self.cards.planes)[:, None, None] * WORDS
        self._near_mark = np.where(NEAR_MARK < WORDS, near, self._card_words)
        ends = [0, self.draw, self.use, self.skip, self.gift, self.give, self.num_actions]
        self._kind = np.repeat(np.arange(6, dtype=np.uint8), np.diff(ends))
        self._model = self._undealt()
        self.fields: Layout = observation.layout(self.num_seats, self.cards.names)

    def _lay_out(self) -> Packing:
        """Lay out legal sets: 26 words for each type that a colour has, then the rest.

        Tabulates besides the type of card that each action lays or gives, and the space it goes to.
        """
        card, space = np.divmod(np.arange(self.draw), SPACES)
        types = np.arange(len(self.cards))
        self._card = np.concatenate([card, np.zeros(self.give - self.draw, np.int64), types])
        self._space = np.append(space, np.full(len(self._card) - self.draw, OFF))
        plane, colour = np.divmod(card, COLOURS)
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
        decks = [self._read_deck(row, setup) for row, setup in enumerate(setups)]
        first = np.array([setup["first_player"] for setup in setups], np.int8)
        self._begin(state, np.array(decks, np.uint8).reshape(-1, PACK), first)

    def _read_deck(self, row: int, setup: Mapping[str, Any]) -> list[int]:
        """Read one set-up: its deck as types."""
        seat, fixed = setup["first_player"], self.config.first_player
        if type(seat) is not int or not 0 <= seat < self.num_seats or fixed not in (None, seat):
            due = f"a seat below {self.num_seats}" if fixed is None else fixed
            raise InvalidSetup(f"game {row}: first_player is {due}, not {seat!r:.60}")
        texts = setup["deck"]
        if not isinstance(texts, list) or len(texts) != PACK:
            raise InvalidSetup(f"game {row}: the deck is a list of {PACK} cards")
        for number, text in enumerate(texts):
            if not isinstance(text, str) or text not in self.cards.number:
                raise InvalidSetup(
                    f"game {row}: card {number} of the deck is no card: {text!r:.60}"
                )
        deck = [self.cards.number[text] for text in texts]
        found = np.bincount(deck, minlength=len(self.cards))
        if (found != self.cards.copies).any():
            card = int(np.argmax(found != self.cards.copies))
            raise InvalidSetup(
                f"game {row}: the deck has {found[card]} cards {self.cards.names[card]}, "
                f"not {self.cards.copies[card]}"
            )
        return deck

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
        lanes(state.room)[:] = self.fits.openings(COLOUR.take(decks[:, 0]))
        dealt = decks[:, 1 : 1 + HAND * seats].reshape(games, seats, HAND)
        hands = flat(state.hands)
        hand = (rows[:, None] * seats + np.arange(seats)) * len(self.cards)  # (games, seats)
        held = np.zeros((self.cards.words, games, seats), np.uint64)
        for card in range(HAND):
            hands[hand + dealt[:, :, card]] += np.uint8(1)
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
        gifts = (kinds == GIFTING).nonzero()[0]
        taken = self._read_taken(state, gifts, actions, chance)
        plies = state.plies  # arrays are changed by names of their own, which is faster
        plies += 1
        movers = state.seat.astype(np.int64)
        cards, spaces = self._card.take(actions), self._space.take(actions)
        laid, draws = kinds == LAYING, kinds == DRAWING
        rows = laid.nonzero()[0]
        laying = _Laid(rows, movers.take(rows), cards.take(rows), spaces.take(rows))
        hidden = (state.phase.take(rows) == WILD).nonzero()[0]
        touches = self._lay(state, laying, hidden)
        placed = laid.copy()
        placed[rows.take(hidden)] = False
        drawn, draws = self._draw(state, draws | (touches == 1))
        self._note_placements(state, placed, draws, cards, spaces)
        giving = kinds == GIVING
        gives = giving.nonzero()[0]
        hands = _Change(starts(len(state)), movers, cards, laid | giving, drawn, draws)
        if len(gifts) or len(gives):
            hands = self._pass_cards(state, gifts, gives, actions, taken, hands)
        new, held = self._change_hands(state, hands)
        sizes = new[: len(state)]
        single = (new == 1).nonzero()[0]
        if len(single):
            places = hands.rows.take(single), hands.seats.take(single)
            knowledge.show_single_cards(state, *places, held.take(single, axis=1))

        fitting = fitting_anywhere(lanes(state.room)[:WORDS])
        won = touches == 4
        on_board = _on_board(state)
        hiding = (touches == 3) & (sizes > 0) & (on_board < SPACES)
        offered = laid & (state.power != NO_POWER) & ~(hiding | won)
        replays = (offered & (state.power == REPLAY)).nonzero()[0]
        if len(replays):
            hand = held.take(replays, axis=1)
            offered[replays] = self._has_placement(state, replays, hand, fitting.take(replays))
        replaying = self._use(state, (kinds == USING).nonzero()[0])
        np.add(hiding * np.int8(WILD), offered * np.int8(POWER), out=state.phase)
        state.phase[gifts] = GIVE
        ended = ~(hiding | offered)
        ended[gifts] = ended[replaying] = False
        other = _OtherPhases(hiding.nonzero()[0], offered.nonzero()[0], gifts)
        self._end_turns(state, ended, sizes, won, fitting, on_board, other)

    def _lay(self, state: ChromaState, laid: _Laid, hidden: Rows) -> NDArray[np.uint8]:
        """Put cards on the board.

        Args:
            state: The games.
            laid: The cards.
            hidden: int64 (m,), which of them are wild: they lie face down.

        Returns:
            uint8 (B,), how many cards a card that was placed touches; 0 elsewhere.
        """
        rows, seats, cards, spaces = laid
        near = NEIGHBOURS.take(spaces, axis=1)  # (neighbours, cards)
        near += rows * (SPACES + 1)
        beside = (flat(state.board).take(near) > 0).view(np.uint8)
        touches = np.zeros(len(state), np.uint8)
        touches[rows] = np.add.reduce(beside, axis=0, dtype=np.uint8)
        if len(hidden):
            self._hide(state, _Laid(*(each.take(hidden) for each in laid)))
            touches[rows.take(hidden)] = 0
        knowledge.forget_cards(state, rows, seats, cards)  # those of wild cards are forgotten
        self._cover(state, rows, cards, spaces, hidden)
        return touches

    def _cover(
        self,
        state: ChromaState,
        rows: Rows,
        cards: NDArray[np.int64],
        spaces: NDArray[np.int64],
        hidden: Rows,
    ) -> None:
        """Cover spaces with cards; see `_Laid` and `_lay`."""
        face, colours = (cards + 1).astype(np.uint8), COLOUR.take(cards)
        face[hidden], colours[hidden] = FACE_DOWN, ANY_COLOUR
        flat(state.board)[rows * (SPACES + 1) + spaces] = face
        self.fits.occupy(lanes(state.room), rows, spaces, colours)

    def _hide(self, state: ChromaState, wild: _Laid) -> None:
        """Note which cards lie face down and who knows them: all, where it was the only one (C13).

        Args:
            state: The games, before the cards leave the hands.
            wild: The cards.
        """
        single = flat(lanes(state.sizes)).take(wild.seats * len(state) + wild.rows) == 1
        place = wild.rows * SPACES + wild.spaces
        flat(state.hidden)[place] = wild.cards + 1
        known = np.where(single, self._everyone, self._alone.take(wild.seats))
        flat(state.knowers)[place] = known
        knowledge.forget_hands(state, wild.rows, wild.seats)

    def _draw(
        self, state: ChromaState, owed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Draw the cards that are owed; nothing is drawn from an empty pile (C5).

        Returns:
            The cards, uint8 (B,), and where they are drawn, bool (B,).
        """
        drawn = state.drawn
        drawing = owed & (drawn < PACK)
        cards = flat(state.deck).take(starts(len(state), PACK) + drawn, mode="clip")
        drawn += drawing
        return cards, drawing

    def _change_hands(self, state: ChromaState, change: _Change) -> tuple[NDArray[np.uint8], Words]:
        """Take a card out of hands, and put one into them.

        Returns:
            The sizes of those hands then, uint8 (n,), and the types in them, uint64 (H, n).
        """
        rows, seats, leaving, leaves, coming, comes = change
        hands, first = flat(state.hands), (rows * self.num_seats + seats) * len(self.cards)
        place = first + leaving
        left = hands.take(place) - leaves
        hands[place] = left
        first += coming
        hands[first] = hands.take(first) + comes
        sizes, place = flat(lanes(state.sizes)), seats * len(state) + rows
        new = sizes.take(place) + comes - leaves
        sizes[place] = new
        held, gone = flat(lanes(state.held)), left == 0
        types = np.empty((self.cards.words, len(rows)), np.uint64)
        for word, bits in enumerate(self.cards.bits):
            if self.cards.words > 1:
                place = (seats * self.cards.words + word) * len(state) + rows
            found = held.take(place)
            found &= ~(bits.take(leaving) * gone)
            found |= bits.take(coming) * comes
            held[place] = types[word] = found
        return new, types

    def _pass_cards(
        self,
        state: ChromaState,
        gifts: Rows,
        gives: Rows,
        actions: NDArray[np.int64],
        taken: NDArray[np.int64] | None,
        movers: _Change,
    ) -> _Change:
        """Let cards go from hand to hand: note who knows, and which hands change.

        Args:
            state: The games.
            gifts: int64 (n,), those in which a random card is taken, each with the same chance.
            gives: int64 (m,), those in which a card is given back.
            actions: int64 (B,), the actions.
            taken: int64 (n,), the cards taken; drawn if not given.
            movers: How the hands of the seats that decide change; changed.

        Returns:
            How all hands change.
        """
        others = movers.seats.take(gifts) + actions.take(gifts) - (self.gift - 1)
        others %= self.num_seats
        state.partner[gifts] = others
        if taken is None:
            taken = self._draw_from_hands(state, gifts, others)
        movers.coming[gifts], movers.comes[gifts] = taken, True
        rows = np.concatenate([gifts, gives])
        giving = np.arange(len(rows)) >= len(gifts)
        seats = movers.seats.take(rows)
        partners = np.concatenate([others, state.partner.take(gives)])
        cards = np.concatenate([taken, movers.leaving.take(gives)])
        givers, takers = np.where(giving, seats, partners), np.where(giving, partners, seats)
        knowledge.pass_cards(state, rows, givers, takers, cards)
        own = _Change(rows, partners, cards, ~giving, cards, giving)
        return _Change._make(map(np.concatenate, zip(movers, own, strict=True)))

    def _draw_from_hands(
        self, state: ChromaState, rows: Rows, partners: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Draw a card of the partner's hand in some games, each card with the same chance."""
        stream = state.stream.take(rows)
        sizes = flat(lanes(state.sizes)).take(partners * len(state) + rows)
        number = below(stream, sizes)
        state.stream[rows] = stream
        hands = state.hands.reshape(-1, len(self.cards))
        before = hands.take(rows * self.num_seats + partners, axis=0)  # (rows, types)
        before = before.cumsum(axis=1, dtype=np.uint8)
        cards: NDArray[np.int64] = (before > number[:, None]).argmax(axis=1)
        return cards

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
            partner = (state.seat[row] + 1 + actions[row] - self.gift) % self.num_seats
            card = self.cards.number.get(text, -1) if isinstance(text, str) else -1
            if card < 0 or not state.hands[row, partner, card]:
                held = np.flatnonzero(state.hands[row, partner])
                names = ", ".join(self.cards.names[each] for each in held)
                raise InvalidChance(row, f"one of {names} was expected, not {text!r:.60}")
            cards.append(card)
        return np.array(cards, np.int64)

    def _note_placements(
        self,
        state: ChromaState,
        placed: NDArray[np.bool_],
        draws: NDArray[np.bool_],
        cards: NDArray[np.int64],
        spaces: NDArray[np.int64],
    ) -> None:
        """Note what was placed where, and the passes in a row."""
        power, spot, passes, replaying = state.power, state.spot, state.passes, state.replaying
        power += (self.cards.power.take(cards) - power) * placed
        spot += (spaces.astype(np.int8) - spot) * placed
        passes += draws
        others = ~placed
        passes *= others
        replaying &= others

    def _use(self, state: ChromaState, rows: Rows) -> Rows:
        """Use Replay, Magnet or Lock; return the rows in which a card is to be placed at once."""
        powers = state.power.take(rows)
        replay = powers == REPLAY
        state.replaying[rows] = replay
        place = state.seat.take(rows) * np.int64(len(state)) + rows
        mark = _FIRST_MARK.take(powers) + state.spot.take(rows)
        flat(lanes(state.marks))[place] = mark * ~replay  # there is no mark yet
        again: Rows = rows[replay]
        return again

    def _end_turns(
        self,
        state: ChromaState,
        ended: NDArray[np.bool_],
        sizes: NDArray[np.uint8],
        won: NDArray[np.bool_],
        fitting: Words,
        on_board: NDArray[np.uint8],
        other: _OtherPhases,
    ) -> None:
        """Pass the turn on where one ends, end games, and write the legal sets.

        Args:
            state: The games.
            ended: bool (B,), where a turn ends.
            sizes: uint8 (B,), cards in the hand of the seat whose turn it was.
            won: bool (B,), where a placement touched four cards.
            fitting: uint64 (B,), the colours that fit some space of each game.
            on_board: uint8 (B,), cards on the board.
            other: Where something else than a placement is due then.
        """
        following = state.seat + ended
        following *= following < self.num_seats
        hand = self._hand(state, starts(len(state)), following)
        planes = self._planes(hand)
        stuck = fitting & _colours(planes) == 0
        ends = np.empty((PASSES, len(state)), np.bool_)  # in the order of C16
        ends[PERFECT - 1] = won
        np.equal(sizes, 0, out=ends[EMPTY_HAND - 1])
        np.equal(state.drawn, PACK, out=ends[PILE - 1])
        # The five cards of every colour that fits would have to lie on the board.
        np.less_equal(np.bitwise_count(fitting) * COPIES, on_board, out=ends[BLOCKED - 1])
        ends[BLOCKED - 1] &= stuck
        np.greater_equal(state.passes, 2 * self.num_seats, out=ends[PASSES - 1])
        ends[EMPTY_HAND - 1 :] &= ended
        blocked = ends[BLOCKED - 1].nonzero()[0]
        if len(blocked):
            ends[BLOCKED - 1, blocked] = self._is_blocked(state, blocked, fitting[blocked])
        closing = np.logical_or.reduce(ends, axis=0).nonzero()[0]
        if len(closing):
            self._close(state, closing, ends.take(closing, axis=1).argmax(axis=0) + 1)
        self._begin_turns(state, ended & ~state.over, following)
        self._find_moves(state, hand, planes, stuck, other)

    def _close(self, state: ChromaState, rows: Rows, reasons: NDArray[np.int64]) -> None:
        """End games.

        Args:
            state: The games.
            rows: int64 (n,), those that end.
            reasons: int64 (n,), why.
        """
        state.over[rows], state.reason[rows] = True, reasons
        sizes = lanes(state.sizes).take(rows, axis=1)  # (seats, rows)
        # A seat wins at once as if it held no card; the fewest cards win.
        mover = entries(state.seat.take(rows))
        flat(sizes)[mover] = flat(sizes).take(mover) * (reasons != PERFECT)
        winners = np.packbits(sizes == sizes.min(axis=0), axis=0, bitorder="little")[0]
        state.rewards[rows] = self._shares.take(winners, axis=0)

    def _begin_turns(
        self, state: ChromaState, begun: NDArray[np.bool_], seats: NDArray[np.int8]
    ) -> None:
        """Let the next seat decide where its turn begins; its Magnet or Lock ends there."""
        seat = state.seat
        seat += (seats - seat) * begun
        pending = lanes(state.pending)
        np.equal(seat, self._seats, out=pending)
        marks = lanes(state.marks)
        marks *= ~(pending & begun)
        pending &= ~state.over
        none = -begun.view(np.int8)  # -1 has all bits
        for kept in (state.power, state.spot, state.partner):
            kept |= none

    # Legal sets

    def _note_moves(self, state: ChromaState) -> None:
        """Write the legal sets of the seats to decide anew."""
        hand = self._hand(state, starts(len(state)), state.seat)
        planes = self._planes(hand)
        fitting = fitting_anywhere(lanes(state.room)[:WORDS])
        stuck = fitting & _colours(planes) == 0
        live = ~state.over
        phases = (((state.phase == phase) & live).nonzero()[0] for phase in (WILD, POWER, GIVE))
        self._find_moves(state, hand, planes, stuck, _OtherPhases(*phases))

    def _find_moves(
        self,
        state: ChromaState,
        hand: Words,
        planes: Words,
        stuck: NDArray[np.bool_],
        other: _OtherPhases,
    ) -> None:
        """Write the legal sets of the seats to decide.

        Args:
            state: The games.
            hand: uint64 (H, B), the types in hand of the seats to decide.
            planes: uint64 (P, B), the same cut into sets of colours.
            stuck: bool (B,), where none of their colours fits any space; changed.
            other: Where something else than a placement is due.
        """
        words, room = lanes(state.moves), lanes(state.room)[:WORDS]
        placing = (state.phase == PLACE) & ~state.over
        cards = words[: self._card_words]
        np.bitwise_and(
            room,
            (planes * (placing * EVERY_LANE))[:, None],
            out=cards.reshape(len(planes), WORDS, len(state)),
        )
        bound = (_marked(state) & placing).nonzero()[0]
        if len(bound):
            self._heed_marks(state, bound, stuck)
        words[self._card_words + 1 :] = 0
        wild, choosing, giving = other
        if len(wild):
            held = planes.take(wild, axis=1) * EVERY_LANE
            spaces = _empty(state, wild) & held[:, None]  # (planes, 26, rows)
            scatter(cards, wild, spaces.reshape(len(cards), -1))
        rest = (stuck & placing) * self._bit(self.draw)
        rest[choosing] = self._choices.take(state.power[choosing])
        words[self._card_words] = rest
        if len(giving):
            self._find_gifts(state, giving, hand.take(giving, axis=1))

    def _planes(self, hand: Words) -> Words:
        """Cut sets of types, uint64 (H, n), into sets of colours, uint64 (P, n)."""
        whole = hand if len(hand) == 1 else hand.take(self._plane_word, axis=0)
        planes: Words = whole >> self._plane_shift
        planes &= ALL_COLOURS
        return planes

    def can_place(self, state: ChromaState, rows: Rows) -> NDArray[np.bool_]:
        """Tell where the seat to decide has a placement, Magnets and Locks heeded.

        Args:
            state: B games.
            rows: int64 (n,), the games.

        Returns:
            bool (n,).
        """
        fitting = fitting_anywhere(lanes(state.room)[:WORDS].take(rows, axis=1))
        hand = self._hand(state, rows, state.seat.take(rows))
        return self._has_placement(state, rows, hand, fitting)

    def _has_placement(
        self, state: ChromaState, rows: Rows, hand: Words, fitting: Words
    ) -> NDArray[np.bool_]:
        """Tell the same, given the types in its hand and the colours that fit some space.

        A Magnet takes no placement from a seat that would have none left (C9), a Lock may.
        """
        colours = _colours(self._planes(hand))
        can: NDArray[np.bool_] = fitting & colours != 0
        marks = self._opposing_marks(state, rows)
        locked = _union(marks >= LOCK_MARK).nonzero()[0]
        if len(locked):
            left = _left_by_locks(state, rows[locked], marks[:, locked])
            fits = np.bitwise_or.reduce(left, axis=0) & colours.take(locked) * EVERY_LANE
            can[locked] = fits != 0
        return can

    def is_blocked(self, state: ChromaState, rows: Rows) -> NDArray[np.bool_]:
        """Tell where no card of a hand or the pile fits a space by its colour (C6).

        Args:
            state: B games.
            rows: int64 (n,), the games.

        Returns:
            bool (n,).
        """
        return self._is_blocked(
            state, rows, fitting_anywhere(lanes(state.room)[:WORDS].take(rows, axis=1))
        )

    def _is_blocked(self, state: ChromaState, rows: Rows, fitting: Words) -> NDArray[np.bool_]:
        """Tell the same, given the colours that fit some space."""
        held = np.bitwise_or.reduce(lanes(state.held).take(rows, axis=2), axis=(0, 1))
        deck = _COLOUR_BIT.take(state.deck.take(rows, axis=0))  # (rows, cards)
        deck *= starts(PACK) >= state.drawn.take(rows)[:, None]
        left = np.bitwise_or.reduce(deck, axis=1)
        left |= fold(held, COLOURS)
        blocked: NDArray[np.bool_] = left & fitting == 0
        return blocked

    def _hand(self, state: ChromaState, rows: Rows, seats: Seats) -> Words:
        """Return the types in a hand of each of some games: uint64 (H, rows)."""
        place = seats * np.int64(self.cards.words * len(state))
        place += rows
        if self.cards.words > 1:
            place = place + starts(self.cards.words, len(state))[:, None]
        found: Words = flat(lanes(state.held)).take(place)
        return found.reshape(self.cards.words, len(rows))

    def _opposing_marks(self, state: ChromaState, rows: Rows) -> NDArray[np.uint8]:
        """Return the marks of the others than the seat to decide: uint8 (N - 1, rows)."""
        marks: NDArray[np.uint8] = lanes(state.marks).take(rows, axis=1)
        # The seat to decide has no mark, which sorts first.
        if self.num_seats == 2:
            marks[1] |= marks[0]
        else:
            marks.sort(axis=0)
        return marks[1:]

    def _heed_marks(self, state: ChromaState, rows: Rows, stuck: NDArray[np.bool_]) -> None:
        """Take out of legal sets what Locks forbid, then what Magnets rule out (C8 - C10).

        Args:
            state: The games; all placements are written that colours allow.
            rows: int64 (n,), those with Magnets or Locks.
            stuck: bool (B,), where the seat to decide has no placement; written for those rows.
        """
        cards = lanes(state.moves)[: self._card_words]
        words, marks = flat(lanes(state.moves)), self._opposing_marks(state, rows)
        places = [self._near_mark.take(each, axis=2) for each in marks]  # (planes, 4, rows)
        for each, place in zip(marks, places, strict=True):  # two may share a word
            place *= len(state)
            place += rows
            words[place] = words.take(place) & LEFT_NEAR.take(each, axis=1)
        asked = [
            words.take(place) & ASKED_NEAR.take(each, axis=1)
            for each, place in zip(marks, places, strict=True)
        ]
        found = [np.bitwise_or.reduce(each, axis=(0, 1)) for each in asked]
        obeyed = _union(found) != 0
        scatter(cards, rows[obeyed], np.False_)
        for place, each in zip(places, asked, strict=True):
            each *= obeyed
            words[place] = words.take(place) | each
        locked = _union(marks >= LOCK_MARK).nonzero()[0]
        left = cards.take(rows[locked], axis=1)
        stuck[rows[locked]] = np.bitwise_or.reduce(left, axis=0) == 0

    def _find_gifts(self, state: ChromaState, rows: Rows, hand: Words) -> None:
        """Add the cards that may be given back: every type in hand."""
        words = lanes(state.moves)
        for number, types in enumerate(hand):
            first = self.give + number * PLANES * COLOURS
            word, bit = self.packing.word[first], self.packing.bit[first]
            words[word][rows] |= types << bit
            if word + 1 < len(words):
                words[word + 1][rows] |= types >> np.uint8(64 - bit)

    def _bit(self, action: int) -> np.uint64:
        """Return the bit of an action in its word."""
        return _ONE << np.uint64(self.packing.bit[action])

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

    def text(self, state: ChromaState, row: int = 0) -> str:
        """Draw one game in text; see `Game.text`."""
        return drawing.text(self, state, row)

    def _flaws(self, state: ChromaState) -> Iterator[Flaw]:
        """Look for what contradicts; see `Game._flaws`."""
        yield from super()._flaws(state)
        yield from validity.flaws(self, state)

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


def _marked(state: ChromaState) -> NDArray[np.bool_]:
    """Tell where a Magnet or Lock is active: bool (B,)."""
    return _union(lanes(state.marks) != NO_MARK)


def _on_board(state: ChromaState) -> NDArray[np.uint8]:
    """Count the cards on the board: those that have left the deck and are in no hand.

    Returns:
        uint8 (B,).
    """
    on_board: NDArray[np.uint8] = state.drawn
    for held in lanes(state.sizes):
        on_board = on_board - held
    return on_board


def _left_by_locks(state: ChromaState, rows: Rows, marks: NDArray[np.uint8]) -> Words:
    """Find what fits each space by colour where no Lock forbids it (C9).

    Args:
        state: The games.
        rows: int64 (n,), some of them.
        marks: uint8 (k, n), marks in them.

    Returns:
        uint64 (27, n), a copy.
    """
    left = lanes(state.room).take(rows, axis=1)
    whole = flat(left)
    for each in marks:  # two may share a word
        place = NEAR_MARK.take(each, axis=1)  # (4, rows)
        place *= len(rows)
        place += starts(len(rows))
        whole[place] = whole.take(place) & LEFT_NEAR.take(each, axis=1)
    return left


def _colours(planes: Words) -> Words:
    """Unite sets of colours, (planes, n), to one, (n,)."""
    return _union(planes)


def _union(sets: Sequence[NDArray[_Bits]] | NDArray[_Bits]) -> NDArray[_Bits]:
    """Unite a few sets of each game, (k, n) to (n,), faster than numpy begins to reduce them."""
    found: NDArray[_Bits] = sets[0]
    for each in sets[1:]:
        found = found | each
    return found


def _empty(state: ChromaState, rows: Rows) -> Words:
    """Find the empty spaces of some games, where every wild card may go: uint64 (26, n)."""
    free = (state.board.take(rows, axis=0) == 0).view(np.uint8)
    free[:, OFF] = 0
    free = free.reshape(len(rows), LANES, WORDS)  # lane l of word w: space 26 l + w
    lanes = free[:, 0] | free[:, 1] << 1 | free[:, 2] << 2  # (rows, words)
    empty: Words = _SOME_LANES.take(lanes.T)
    return empty
