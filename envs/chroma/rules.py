"""The rules of CHROMA on batches of games (rules page `chroma.md`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma import drawing, knowledge, notation, observation
from chromazoo.envs.chroma.board import (
    ANY_COLOUR,
    CENTRE,
    EVERY_LANE,
    LANE_BITS,
    LANE_OF,
    LANES,
    NEIGHBOURS,
    OFF,
    SPACES,
    SURROUNDINGS,
    WORD,
    WORDS,
    Room,
    fitting_anywhere,
)
from chromazoo.envs.chroma.cards import (
    COLOUR,
    COLOUR_BIT,
    COPIES,
    GIFT,
    LOCK,
    NO_POWER,
    PACK,
    PLANE,
    REPLAY,
    Cards,
)
from chromazoo.envs.chroma.config import COLOURS, Config
from chromazoo.envs.errors import InvalidChance, InvalidMove, InvalidSetup
from chromazoo.envs.fields import VIEWS, Block, Layout, Observation, View
from chromazoo.envs.game import Game as Contract
from chromazoo.envs.game import (
    Seats,
    Seeds,
    State,
    blank,
    first_streams,
    games_last,
    lanes,
    win_rewards,
)
from chromazoo.envs.masks import Packing, Words
from chromazoo.envs.randomness import Stream, as_seeds, below, chance_stream, mix, shuffled

Rows = NDArray[np.int64]

HAND = 5  # cards a player is dealt
FACE_DOWN = 255  # on the board
PLACE, WILD, POWER, GIVE = range(4)
PHASES = ("place", "wild", "power", "give")
REASONS = ("", "perfect", "empty-hand", "pile", "blocked", "passes")
PERFECT, EMPTY_HAND, PILE, BLOCKED, PASSES = range(1, 6)
_ONE = np.uint64(1)
# Deals and redeals draw from streams of their own.
_DEAL = int.from_bytes(b"deal", "little")
_REDEAL = int.from_bytes(b"redeal", "little")


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
        held: uint32 (B, N, P), the types in hand as sets: bit c of entry j for type 20 j + c.
        sizes: uint8 (B, N), cards in hand.
        known: uint8 (B, N, N, T), what seat i knows for certain of the hand of seat j (C13).
        deck: uint8 (B, 100), the types of the pack's cards, next ones from `drawn` on.
        drawn: uint8 (B,), cards that have left the deck.
        on_board: uint8 (B, 20), cards of each colour on the board, face up or down.
        left: uint64 (B,), the colours that are not all on the board, bit c for colour c.
        marks: int8 (B, N), the space of each seat's active Magnet or Lock, -1 for none.
        locks: bool (B, N), whether that is a Lock.
        phase: int8 (B,), index in `PHASES`.
        replaying: bool (B,), whether a card is being placed by Replay.
        power: int8 (B,), the power of the card placed last in this turn, -1 for none.
        spot: int8 (B,), where it was placed.
        partner: int8 (B,), the seat that a card was taken from, while one is to be given back.
        passes: int8 (B,), passes in a row.
        first: int8 (B,), the seat that began.
        reason: int8 (B,), why the game ended: index in `REASONS`.
        moves: uint64 (B, W), the legal set of the seat to decide.
    """

    board: NDArray[np.uint8]
    room: Words
    hidden: NDArray[np.uint8]
    knowers: NDArray[np.uint8]
    hands: NDArray[np.uint8]
    held: NDArray[np.uint32]
    sizes: NDArray[np.uint8]
    known: NDArray[np.uint8]
    deck: NDArray[np.uint8]
    drawn: NDArray[np.uint8]
    on_board: NDArray[np.uint8]
    left: Words
    marks: NDArray[np.int8]
    locks: NDArray[np.bool_]
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
    config_type = Config
    state_type = ChromaState
    config: Config

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
        self.room = Room(self.config.colours.table)
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
        self.fields: Layout = observation.layout(self.num_seats, len(self.cards))

    def _lay_out(self) -> Packing:
        """Lay out legal sets: 26 words for each type that a colour has, then the rest."""
        card, space = np.divmod(np.arange(self.draw), SPACES)
        self._card, self._space = card, space
        plane, colour = np.divmod(card, COLOURS)
        rest = np.arange(3 + self.num_seats - 1 + len(self.cards))
        word = np.concatenate([plane * WORDS + WORD[space], self._card_words + rest // 64])
        bit = np.concatenate([LANE_OF[space] * COLOURS + colour, rest % 64])
        return Packing(word, bit)

    # Beginning a game

    def setups(self, seeds: Seeds) -> list[dict[str, Any]]:
        """Draw the deck and who begins; see `Game.setups`."""
        decks, first = self._shuffle(as_seeds(seeds))
        return [
            {"deck": [self.cards.names[card] for card in deck], "first_player": seat}
            for deck, seat in zip(decks.tolist(), first.tolist(), strict=True)
        ]

    def deal(self, seeds: Seeds) -> ChromaState:
        """Begin fresh games; see `Game.deal`."""
        seeds = as_seeds(seeds)
        return self._begin(*self._shuffle(seeds), chance_stream(seeds))

    def _shuffle(self, seeds: Stream) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
        """Draw decks (B, 100) and the seats that begin (B,) (C14), apart from later chance."""
        stream = mix(seeds, _DEAL)
        decks = self.cards.pack[shuffled(stream, PACK)]
        first = below(stream, self.num_seats).astype(np.int8)
        if self.config.first_player is not None:
            first[:] = self.config.first_player
        return decks, first

    def from_setup(
        self, setups: Sequence[Mapping[str, Any]], seeds: Seeds | None = None
    ) -> ChromaState:
        """Begin games whose decks are given; see `Game.from_setup`."""
        stream = chance_stream(first_streams(seeds, len(setups)))
        decks = [self._read_deck(row, setup) for row, setup in enumerate(setups)]
        first = np.array([setup["first_player"] for setup in setups], np.int8)
        return self._begin(np.array(decks, np.uint8).reshape(-1, PACK), first, stream)

    def _read_deck(self, row: int, setup: Mapping[str, Any]) -> list[int]:
        """Read one set-up: its deck as types."""
        if not isinstance(setup, Mapping) or set(setup) != {"deck", "first_player"}:
            raise InvalidSetup(f"game {row}: the set-up's keys are deck and first_player")
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

    def _begin(
        self, decks: NDArray[np.uint8], first: NDArray[np.int8], stream: Stream
    ) -> ChromaState:
        """Lay the first card on the centre and deal the hands."""
        games, seats, types = len(stream), self.num_seats, len(self.cards)
        state = ChromaState(
            seat=first.copy(),
            pending=blank(games, seats, dtype=np.bool_),
            over=blank(games, dtype=np.bool_),
            rewards=blank(games, seats, dtype=np.float64),
            plies=blank(games, dtype=np.int32),
            stream=stream,
            board=blank(games, SPACES + 1, dtype=np.uint8),
            room=games_last(self.room.empty(games)),
            hidden=blank(games, SPACES, dtype=np.uint8),
            knowers=blank(games, SPACES, dtype=np.uint8),
            hands=blank(games, seats, types, dtype=np.uint8),
            held=blank(games, seats, self.cards.planes, dtype=np.uint32),
            sizes=blank(games, seats, dtype=np.uint8),
            known=blank(games, seats, seats, types, dtype=np.uint8),
            deck=games_last(decks.T),
            drawn=blank(games, dtype=np.uint8),
            on_board=blank(games, COLOURS, dtype=np.uint8),
            left=np.full(games, (1 << COLOURS) - 1, np.uint64),
            marks=blank(games, seats, dtype=np.int8),
            locks=blank(games, seats, dtype=np.bool_),
            phase=blank(games, dtype=np.int8),
            replaying=blank(games, dtype=np.bool_),
            power=blank(games, dtype=np.int8),
            spot=blank(games, dtype=np.int8),
            partner=blank(games, dtype=np.int8),
            passes=blank(games, dtype=np.int8),
            first=first,
            reason=blank(games, dtype=np.int8),
            moves=blank(games, self.packing.num_words, dtype=np.uint64),
        )
        rows = np.arange(games)
        state.marks[:], state.power[:], state.spot[:], state.partner[:] = -1, NO_POWER, -1, -1
        state.pending[rows, first] = True
        self._put_down(state, rows, np.full(games, CENTRE), decks[:, 0], COLOUR.take(decks[:, 0]))
        state.drawn[:] = 1 + HAND * seats
        dealt = decks[:, 1 : 1 + HAND * seats].reshape(games, seats, HAND).astype(np.int64)
        place = (rows[:, None, None] * seats + np.arange(seats)[:, None]) * types + dealt
        hands = np.bincount(place.ravel(), minlength=games * seats * types)
        state.hands[:] = hands.reshape(games, seats, types)
        state.sizes[:] = HAND
        self._note_held(state)
        self._find_moves(state, fitting_anywhere(lanes(state.room)[:WORDS]))
        return state

    def _note_held(self, state: ChromaState) -> None:
        """Write `held` anew from the hands."""
        bits = COLOUR_BIT[:COLOURS]
        has = (state.hands > 0).reshape(*state.held.shape, COLOURS)
        state.held[:] = (has * bits).sum(axis=-1, dtype=np.uint32)

    # Playing

    def legal(self, state: ChromaState, seats: Seats | None = None) -> Words:
        """Tell the legal actions, packed: a view of `state.moves`; see `Game.legal`."""
        if seats is None:
            return state.moves
        movers = self._checked_seats(state, seats)
        return games_last(lanes(state.moves) * (movers == state.seat))

    def _advance(
        self,
        state: ChromaState,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> None:
        """Play legal actions; see `Game._advance`.

        Games of a batch are in different phases, so all cards that leave hands do so together, then
        all that come into hands; what follows from it works on the rows it concerns. Rows whose
        turn ends are gathered and passed on together.
        """
        gifts = np.flatnonzero((actions >= self.gift) & (actions < self.give))
        taken = self._read_taken(state, gifts, actions, chance)
        state.plies += 1
        laying = np.flatnonzero(actions < self.draw)
        draws, gives = np.flatnonzero(actions == self.draw), np.flatnonzero(actions >= self.give)
        cards, touches = self._lay(state, laying, actions[laying])
        passing, givers, takers, passed = self._pass(state, gifts, gives, actions, taken)
        self._change_hands(
            state,
            np.concatenate([laying, passing]),
            np.concatenate([seats[laying], givers]),
            np.concatenate([cards, passed]),
            -1,
        )
        drawing, drawn = self._draw(state, np.concatenate([laying[touches == 1], draws]))
        self._change_hands(
            state,
            np.concatenate([passing, drawing]),
            np.concatenate([takers, seats[drawing]]),
            np.concatenate([passed, drawn]),
            1,
        )
        state.passes[draws] += np.int8(1)
        ended = [
            self._resolve(state, laying, touches),
            self._use(state, np.flatnonzero(actions == self.use)),
            np.flatnonzero(actions == self.skip),
            draws,
            gives,
        ]
        knowledge.show_single_cards(state, np.arange(len(state)), seats)
        knowledge.show_single_cards(state, passing, state.partner[passing])
        fitting = fitting_anywhere(lanes(state.room)[:WORDS])
        self._end_turn(state, np.concatenate(ended), fitting)
        self._find_moves(state, fitting)

    def _change_hands(
        self, state: ChromaState, rows: Rows, seats: Seats, cards: NDArray[np.integer], by: int
    ) -> None:
        """Put a card into a hand (`by` = 1) or take one out (-1), one in each of some games."""
        games, types, planes = len(state), len(self.cards), self.cards.planes
        step = np.uint8(by % 256)
        hands = lanes(state.hands).reshape(-1)
        place = (seats * np.int64(types) + cards) * games + rows
        count = hands.take(place) + step
        hands[place] = count
        sizes = lanes(state.sizes).reshape(-1)
        sizes[seats * np.int64(games) + rows] += step
        held = lanes(state.held).reshape(-1)
        word = (seats * np.int64(planes) + PLANE.take(cards)) * games + rows
        bit = COLOUR_BIT.take(cards)
        held[word] = (held.take(word) & ~bit) | bit * (count > 0)

    def _lay(
        self, state: ChromaState, rows: Rows, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Lay cards on the board: placements and wild cards.

        Args:
            state: The games; their hands stay as they are.
            rows: int64 (n,), those in which a card is laid.
            actions: int64 (n,), the actions.

        Returns:
            The cards, int64 (n,), and how many cards each placement touches, 0 for wild cards.
        """
        cards, spaces = self._card.take(actions), self._space.take(actions)
        near = NEIGHBOURS.take(spaces, axis=1) * len(state) + rows  # (neighbours, rows)
        touches = np.count_nonzero(lanes(state.board).reshape(-1).take(near), axis=0)
        wild = state.phase[rows] == WILD
        touches[wild] = 0
        self._put_down(state, rows, spaces, cards, np.where(wild, ANY_COLOUR, COLOUR.take(cards)))
        hidden, shown = np.flatnonzero(wild), np.flatnonzero(~wild)
        self._hide(state, rows[hidden], spaces[hidden], cards[hidden])
        placed = rows[shown]
        knowledge.forget_card(state, placed, state.seat[placed], cards[shown])
        state.passes[placed] = 0
        state.replaying[placed] = False
        state.power[placed] = self.cards.power.take(cards[shown])
        state.spot[placed] = spaces[shown]
        return cards, touches

    def _put_down(
        self,
        state: ChromaState,
        rows: Rows,
        spaces: NDArray[np.int64],
        cards: NDArray[np.integer],
        colours: NDArray[np.integer],
    ) -> None:
        """Put a card on a space, with the colour it shows (`ANY_COLOUR`: face down)."""
        games = len(state)
        face = np.where(colours == ANY_COLOUR, FACE_DOWN, cards + 1).astype(np.uint8)
        lanes(state.board).reshape(-1)[spaces * games + rows] = face
        self.room.occupy(lanes(state.room), rows, spaces, colours)
        on_board = lanes(state.on_board).reshape(-1)
        count = COLOUR.take(cards) * games + rows
        laid = on_board.take(count) + np.uint8(1)
        on_board[count] = laid
        state.left[rows] &= ~(COLOUR_BIT.take(cards) * (laid == COPIES)).astype(np.uint64)

    def _hide(
        self, state: ChromaState, rows: Rows, spaces: NDArray[np.int64], cards: NDArray[np.int64]
    ) -> None:
        """Note what lies face down and who knows it: all, where it was the only card (C13)."""
        seats = state.seat[rows]
        single = state.sizes[rows, seats] == 1
        everyone = np.uint8((1 << self.num_seats) - 1)
        state.hidden[rows, spaces] = cards + 1
        state.knowers[rows, spaces] = np.where(
            single, everyone, np.uint8(1) << seats.view(np.uint8)
        )
        knowledge.forget_hand(state, rows, seats)

    def _resolve(self, state: ChromaState, rows: Rows, touches: NDArray[np.int64]) -> Rows:
        """Resolve what cards touched; return the rows whose turn ends."""
        won = rows[touches == 4]
        self._finish(state, won, PERFECT, state.seat[won, None] == np.arange(self.num_seats))
        three = rows[touches == 3]
        full = np.count_nonzero(lanes(state.board).take(three, axis=1), axis=0) == SPACES
        wild = three[(state.sizes[three, state.seat[three]] > 0) & ~full]
        state.phase[wild] = WILD
        going = np.zeros(len(state), np.bool_)
        going[rows] = True
        going[won] = going[wild] = False
        return self._offer_power(state, np.flatnonzero(going))

    def _offer_power(self, state: ChromaState, rows: Rows) -> Rows:
        """Offer the power of the card that was placed; return the rows that have none on offer."""
        powers = state.power[rows]
        offered = powers != NO_POWER
        replays = np.flatnonzero(powers == REPLAY)
        if len(replays):
            offered[replays] = self.can_place(state, rows[replays])
        state.phase[rows] = np.where(offered, POWER, PLACE)
        ended: Rows = rows[~offered]
        return ended

    def _draw(self, state: ChromaState, rows: Rows) -> tuple[Rows, NDArray[np.uint8]]:
        """Draw a card each; return the rows that have one, none from an empty pile (C5)."""
        rows = rows[state.drawn[rows] < PACK]
        drawn = state.drawn[rows]
        state.drawn[rows] = drawn + np.uint8(1)
        return rows, lanes(state.deck).reshape(-1).take(drawn * np.int64(len(state)) + rows)

    def _use(self, state: ChromaState, rows: Rows) -> Rows:
        """Use Replay, Magnet or Lock; return the rows whose turn ends."""
        powers, seats = state.power[rows], state.seat[rows]
        replay = powers == REPLAY
        state.phase[rows[replay]] = PLACE
        state.replaying[rows[replay]] = True
        marking: Rows = rows[~replay]
        state.marks[marking, seats[~replay]] = state.spot[marking]
        state.locks[marking, seats[~replay]] = powers[~replay] == LOCK
        return marking

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
            card = self.cards.number.get(text or "", -1)
            if card < 0 or not state.hands[row, partner, card]:
                held = np.flatnonzero(state.hands[row, partner])
                names = ", ".join(self.cards.names[each] for each in held)
                raise InvalidChance(row, f"one of {names} was expected, not {text!r:.60}")
            cards.append(card)
        return np.array(cards, np.int64)

    def _pass(
        self,
        state: ChromaState,
        gifts: Rows,
        gives: Rows,
        actions: NDArray[np.int64],
        taken: NDArray[np.int64] | None,
    ) -> tuple[Rows, NDArray[np.int8], NDArray[np.int8], NDArray[np.int64]]:
        """Choose the cards that go from hand to hand, and note who sees them.

        Args:
            state: The games; their hands stay as they are.
            gifts: int64 (n,), those in which a random card is taken, each with the same chance.
            gives: int64 (m,), those in which a card is given back.
            actions: int64 (B,), the actions.
            taken: int64 (n,), the cards taken; drawn if not given.

        Returns:
            Rows, givers, takers and cards: (n + m,) each.
        """
        others = state.seat[gifts] + 1 + actions[gifts] - self.gift
        state.partner[gifts] = others % self.num_seats
        state.phase[gifts] = GIVE
        if taken is None:
            taken = self._draw_from_hands(state, gifts)
        rows = np.concatenate([gifts, gives])
        cards = np.concatenate([taken, actions[gives] - self.give])
        giving = np.arange(len(rows)) >= len(gifts)
        seats, partners = state.seat[rows], state.partner[rows]
        givers, takers = np.where(giving, seats, partners), np.where(giving, partners, seats)
        if len(rows):
            knowledge.pass_card(state, rows, givers, takers, cards)
        return rows, givers, takers, cards

    def _draw_from_hands(self, state: ChromaState, rows: Rows) -> NDArray[np.int64]:
        """Draw a card of the partner's hand in some games, each card with the same chance."""
        partners = state.partner[rows]
        stream = state.stream[rows]
        number = below(stream, state.sizes[rows, partners])
        state.stream[rows] = stream
        before = state.hands[rows, partners].cumsum(axis=1, dtype=np.uint8)  # (rows, types)
        cards: NDArray[np.int64] = np.count_nonzero(before <= number[:, None], axis=1)
        return cards

    def _end_turn(self, state: ChromaState, rows: Rows, fitting: Words) -> None:
        """End the game where an end is reached, in the order of C16; else pass the turn on.

        Args:
            state: The games.
            rows: Those in which a turn ends.
            fitting: uint64 (B,), the colours that fit some space of each game (C6).
        """
        seats = state.seat[rows]
        sizes = lanes(state.sizes).take(rows, axis=1)  # (seats, rows)
        done = lanes(state.sizes).reshape(-1).take(seats * np.int64(len(state)) + rows) == 0
        reason = (state.passes[rows] >= 2 * self.num_seats) * np.int8(PASSES)
        reason[(fitting[rows] & state.left[rows]) == 0] = BLOCKED
        reason[state.drawn[rows] == PACK] = PILE
        reason[done] = EMPTY_HAND
        over = reason > 0
        if over.any():
            winners = sizes[:, over].T
            winners = winners == winners.min(axis=1, keepdims=True)
            alone = np.arange(self.num_seats) == seats[over, None]
            winners = np.where(done[over, None], alone, winners)
            self._finish(state, rows[over], reason[over], winners)
            rows, seats = rows[~over], seats[~over]
        following = seats + np.int8(1)
        following *= following < self.num_seats
        games = np.int64(len(state))
        old, new = seats * games + rows, following * games + rows
        pending = lanes(state.pending).reshape(-1)
        pending[old], pending[new] = False, True
        lanes(state.marks).reshape(-1)[new] = -1
        lanes(state.locks).reshape(-1)[new] = False
        state.seat[rows] = following
        state.phase[rows] = PLACE
        state.power[rows], state.spot[rows], state.partner[rows] = NO_POWER, -1, -1

    def _finish(
        self,
        state: ChromaState,
        rows: Rows,
        reason: int | NDArray[np.int8],
        winners: NDArray[np.bool_],
    ) -> None:
        """End games; winners: bool (rows, seats)."""
        if not len(rows):
            return
        state.rewards[rows] = win_rewards(winners)
        state.over[rows] = True
        state.pending[rows] = False
        state.reason[rows] = reason

    # Legal sets

    def _find_moves(self, state: ChromaState, fitting: Words) -> None:
        """Write the legal sets of the seats to decide.

        Args:
            state: The games.
            fitting: uint64 (B,), the colours that fit some space of each game.
        """
        words = lanes(state.moves)
        placing = (state.phase == PLACE) & ~state.over
        hand = self._hand(state, np.arange(len(state))) * placing  # (planes, games)
        colours = np.bitwise_or.reduce(hand, axis=0)
        stuck = placing & (fitting & colours == 0)
        room = lanes(state.room)[:WORDS]
        for plane, held in enumerate(hand * np.uint64(EVERY_LANE)):
            np.bitwise_and(room, held, out=words[plane * WORDS : (plane + 1) * WORDS])
        words[self._card_words :] = 0
        bound = np.flatnonzero((lanes(state.marks) >= 0).any(axis=0) & placing)
        if len(bound):
            left = self._heed_marks(state, bound)
            for plane, held in enumerate(hand[:, bound] * np.uint64(EVERY_LANE)):
                words[plane * WORDS : (plane + 1) * WORDS, bound] = left & held
            stuck[bound] = fitting_anywhere(left) & colours[bound] == 0
        words[self.packing.word[self.draw]] |= stuck * self._bit(self.draw)
        self._find_other_moves(state, words)

    def can_place(self, state: ChromaState, rows: Rows) -> NDArray[np.bool_]:
        """Tell where the seat to decide has a placement, Magnets and Locks heeded.

        Args:
            state: B games.
            rows: int64 (n,), the games.

        Returns:
            bool (n,).
        """
        colours = np.bitwise_or.reduce(self._hand(state, rows), axis=0)
        can: NDArray[np.bool_] = fitting_anywhere(self._heed_marks(state, rows)) & colours != 0
        return can

    def _hand(self, state: ChromaState, rows: Rows) -> Words:
        """Return the types in hand of the seats to decide, as sets of colours: (planes, rows)."""
        planes = np.arange(self.cards.planes)[:, None]
        place = state.seat[rows] * np.int64(self.cards.planes) + planes
        held = lanes(state.held).reshape(-1).take(place * len(state) + rows)
        return held.astype(np.uint64)

    def _heed_marks(self, state: ChromaState, rows: Rows) -> Words:
        """Find what fits by colour, without what Locks forbid and Magnets rule out (C8 - C10).

        A Magnet binds where that leaves the seat to decide a placement.

        Args:
            state: The games.
            rows: int64 (n,), those in which the seat to decide is to place.

        Returns:
            uint64 (26, n).
        """
        left = lanes(state.room)[:WORDS].take(rows, axis=1)
        magnets = np.zeros_like(left)
        seats = state.seat[rows]
        for seat in range(self.num_seats):
            spots = lanes(state.marks)[seat].take(rows)
            active = (spots >= 0) & (seats != seat)
            if not active.any():
                continue
            near = SURROUNDINGS.take(np.where(active, spots, OFF), axis=1)
            locks = lanes(state.locks)[seat].take(rows)
            left &= ~(near * locks)
            magnets |= near * ~locks
        bound = left & magnets
        colours = np.bitwise_or.reduce(self._hand(state, rows), axis=0)
        obeyed = fitting_anywhere(bound) & colours != 0
        return np.where(obeyed, bound, left)

    def _find_other_moves(self, state: ChromaState, words: Words) -> None:
        """Add the legal actions of the phases that place no card."""
        waiting = np.flatnonzero((state.phase != PLACE) & ~state.over)
        if not len(waiting):
            return
        phase = state.phase[waiting]
        wild = waiting[phase == WILD]
        if len(wild):
            self._find_wilds(state, wild, words)
        powers = waiting[phase == POWER]
        gift = state.power[powers] == GIFT
        self._allow(words, powers, self.skip)
        self._allow(words, powers[~gift], self.use)
        for other in range(self.num_seats - 1):
            self._allow(words, powers[gift], self.gift + other)
        giving = waiting[phase == GIVE]
        first = 3 + self.num_seats - 1  # bit of the first type to give, in the words of the rest
        for plane, held in enumerate(self._hand(state, giving)):
            word, bit = divmod(first + plane * COLOURS, 64)
            words[self._card_words + word, giving] |= held << np.uint64(bit)
            if bit + COLOURS > 64:
                words[self._card_words + word + 1, giving] |= held >> np.uint64(64 - bit)

    def _find_wilds(self, state: ChromaState, rows: Rows, words: Words) -> None:
        """Add the wild cards: every type in hand on every empty space."""
        free = (lanes(state.board)[:SPACES].take(rows, axis=1) == 0).astype(np.uint64)
        empty = np.zeros((WORDS, len(rows)), np.uint64)
        for lane in range(LANES):
            spaces = free[lane * WORDS : (lane + 1) * WORDS]  # lane l of word w: space 26 l + w
            empty[: len(spaces)] |= spaces * LANE_BITS[lane * WORDS]
        held = state.held[rows, state.seat[rows]].astype(np.uint64) * np.uint64(EVERY_LANE)
        for plane in range(self.cards.planes):
            words[plane * WORDS : (plane + 1) * WORDS, rows] = empty & held[:, plane]

    def _allow(self, words: Words, rows: Rows, action: int) -> None:
        """Make one action legal in some games."""
        words[self.packing.word[action], rows] |= self._bit(action)

    def _bit(self, action: int) -> np.uint64:
        """Return the bit of an action in its word."""
        return _ONE << np.uint64(self.packing.bit[action])

    # Seeing

    def observe(
        self, state: ChromaState, seats: Seats | None = None, views: Sequence[View] = VIEWS
    ) -> Observation:
        """Tell what a seat may know; see `Game.observe`."""
        seen = state.seat if seats is None else self._checked_seats(state, seats)
        return observation.observe(self, state, seen, self.fields.only(views))

    def redeal(self, state: ChromaState, seats: Seats, seeds: Seeds) -> ChromaState:
        """Draw the deck, the others' unknown cards and unknown face-down cards anew.

        Cards that the seat knows stay where they are. Another seat that is offered Replay, or
        places a card by it, keeps a card it can place. What the other seats know of each other is
        dropped, but for single cards, which all see. See `Game.redeal`.
        """
        eyes = self._checked_seats(state, seats)
        own = mix(first_streams(seeds, len(state)), _REDEAL)  # the game's own seeds tell nothing
        world = knowledge.redeal(self, state, eyes, own)
        self._note_held(world)
        self._find_moves(world, fitting_anywhere(lanes(world.room)[:WORDS]))
        return world

    def text(self, state: ChromaState, row: int = 0) -> str:
        """Draw one game in text; see `Game.text`."""
        return drawing.text(self, state, row)

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
