"""The rules of CHROMA on the compiled engine: one game after another (rules page `chroma.md`)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs import compiled_lanes as lanes
from chromazoo.envs.chroma import rules
from chromazoo.envs.chroma.board import (
    ALL_COLOURS,
    ASKED_BY_MARK,
    ASKED_NEAR,
    CENTRE,
    EVERY_LANE,
    FACE_DOWN,
    LANE_BITS,
    LANE_WIDTH,
    LOCK_MARK,
    MAGNET_MARK,
    NEAR_MARK,
    NEIGHBOURS,
    NO_MARK,
    SPACES,
    WORD,
    WORDS,
)
from chromazoo.envs.chroma.cards import LOCK, NO_POWER, PACK, PLANES, REPLAY
from chromazoo.envs.chroma.compiled_knowledge import (
    forget_card,
    forget_hand,
    pass_card,
    show_single_card,
)
from chromazoo.envs.chroma.compiled_observation import observe_all, sight
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
    WILD,
    Config,
)
from chromazoo.envs.chroma.rules import HAND, ChromaState
from chromazoo.envs.compiled import (
    as_compiled,
    below,
    compiled,
    draw,
    index,
    mixed,
    seat_after,
    share_of_win,
    shuffled,
    signed,
)
from chromazoo.envs.compiled_game import CompiledEngine
from chromazoo.envs.compiled_masks import find_illegal
from chromazoo.envs.compiled_states import opener
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import DEAL, Seats
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import Stream
from chromazoo.envs.state import Parts

Arrays = as_compiled(ChromaState, __name__)
"""What compiled code has for a `ChromaState`."""
as_state = opener(Arrays)
"""Opens what `CompiledEngine._parts` returns, in compiled code: makes an `Arrays` of it."""

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_TYPES = PLANES * COLOURS  # of a word of a set of types
# What lies around each space: spaces (77 off the board), their words, the bits of the colours in
# their lanes (none off the board), and the first of those.
_NEAR = np.ascontiguousarray(NEIGHBOURS[:, :SPACES].T.astype(np.uint8))  # (spaces, 4)
_NEAR_WORD = np.ascontiguousarray(NEAR_MARK[:, MAGNET_MARK:LOCK_MARK].T.astype(np.uint8))
_NEAR_LANE = np.ascontiguousarray(ASKED_NEAR[:, MAGNET_MARK:LOCK_MARK].T)
_NEAR_FIRST = _NEAR_LANE & (~_NEAR_LANE + _ONE)
# All lanes around each space: (spaces, 26).
_BESIDE = np.ascontiguousarray(ASKED_BY_MARK[:, MAGNET_MARK:LOCK_MARK].T)
_LANES = LANE_BITS[:SPACES:WORDS].copy()  # of a word
_EIGHTS = WORDS // 8 * 8  # words that fill lanes
_TO_DRAW = np.zeros(0, np.int64)  # taken cards, where chance is to be drawn

# What comes after a decision: the phase in which the same seat goes on, or one of these.
_TURN_OVER, _WON = 4, 5

_DEFAULTS = Config.num_players, Config.power_copies + 1

_Range = tuple[int, ...] | NDArray[np.int64]


class Tables(NamedTuple):
    """What compiled code knows of a config.

    Attributes:
        place: uint16 (A,), where each action's bit is in the legal set: 64 * word + bit.
        fitting: uint64 (20,), the colours that go with each colour.
        openings: uint64 (20, 27), the room around a first card of each colour.
        power: int8 (T,), the power of each type.
        pack: uint8 (100,), the types of all cards.
        choices: uint64 (4,), what may be done with each power, in the first word of the rest.
        seats: 0 ... N - 1. This and `planes` are tuples for the default numbers, so that these are
            known when loops are compiled; else they are arrays int64, and all share machine code.
        planes: 0 ... P - 1, the types that each colour has.
        first: The seat that begins, -1 for a random one.
        rest: The first word of a legal set that is not about cards on spaces.
        draw: The action of drawing and passing.
        use: The action of using a power.
        gift: The first action of using Gift.
        give: The first action of giving a card.
    """

    place: NDArray[np.uint16]
    fitting: Words
    openings: Words
    power: NDArray[np.int8]
    pack: NDArray[np.uint8]
    choices: Words
    seats: _Range
    planes: _Range
    first: int
    rest: int
    draw: int
    use: int
    gift: int
    give: int


_TABLES = len(Tables._fields)


class Game(CompiledEngine[ChromaState], rules.Game):
    """CHROMA on the compiled engine; see `rules.Game`."""

    numpy_type = rules.Game

    def __init__(self, /, **options: Any) -> None:
        """Configure the game and tabulate its cards; see `rules.Game`."""
        super().__init__(**options)
        colours = np.arange(COLOURS)
        pairs = self.config.colours.table
        seats, planes = self._ranges()
        self._tables = Tables(
            place=self._places,
            fitting=(pairs * (_ONE << colours.astype(np.uint64))).sum(axis=1, dtype=np.uint64),
            openings=np.ascontiguousarray(self.fits.openings(colours).T),
            power=self.cards.power,
            pack=self.cards.pack,
            choices=self._choices,
            seats=seats,
            planes=planes,
            first=-1 if self.config.first_player is None else self.config.first_player,
            rest=self._card_words,
            draw=self.draw,
            use=self.use,
            gift=self.gift,
            give=self.give,
        )
        self._sight = sight(self.fields, self.cards.copies)
        if self._is_usual():
            self._know_shapes()

    def _ranges(self) -> tuple[_Range, _Range]:
        """Tell `Tables.seats` and `Tables.planes`."""
        if self._is_usual():
            return tuple(range(self.num_seats)), tuple(range(self.cards.planes))
        return np.arange(self.num_seats), np.arange(self.cards.planes)

    def _is_usual(self) -> bool:
        """Tell whether states are as those of the default config."""
        return (self.num_seats, self.cards.planes) == _DEFAULTS

    def _deal(self, state: ChromaState, seeds: Stream) -> None:
        """Begin games with a shuffled deck; see `Game._deal`."""
        stream = mixed(seeds, DEAL)
        order = shuffled(stream, PACK)
        _begin_all(order, stream, *self._tables, *self._parts(state))

    def _play_all(
        self,
        state: ChromaState,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> int:
        """Play in all games; see `CompiledEngine._play_all`."""
        taken = _TO_DRAW if chance is None else self._read_chance(state, actions, chance)
        movers = seats.astype(np.int64)
        return _play_all(actions, movers, taken, *self._tables, *self._parts(state))

    def _read_chance(
        self, state: ChromaState, actions: NDArray[np.int64], chance: Sequence[str | None]
    ) -> NDArray[np.int64]:
        """Read the cards that recorded chance takes by Gifts: int64 (B,), -1 where it has no say.

        Raises:
            InvalidChance: it does not fit.
        """
        gifts = ~state.over & (self.gift <= actions) & (actions < self.give)
        taken = np.full(len(state), -1)
        taken[gifts] = self._read_taken(state, gifts.nonzero()[0], actions, chance)
        return taken

    def _write_observations(self, parts: Parts, eyes: NDArray[np.int64], seen: Observation) -> None:
        """Write observations; see `CompiledEngine._write_observations`."""
        observe_all(eyes, seen, *self._sight, *parts)


# All games of a batch


@compiled
def _begin_all(order: NDArray[np.unsignedinteger], stream: Stream, *given: Any) -> None:
    """Begin games, given the order of their packs (B, 100) and the streams to draw from (C14)."""
    tables, state = Tables(*given[:_TABLES]), as_state(given[_TABLES:])
    for game in range(len(order)):
        for number in range(PACK):
            state.deck[game, number] = tables.pack[index(order[game, number])]
        first = below(draw(stream, game), len(tables.seats))
        _begin(state, tables, game, index(first if tables.first < 0 else tables.first))


@compiled
def _play_all(
    actions: NDArray[np.int64], seats: NDArray[np.int64], taken: NDArray[np.int64], *given: Any
) -> int:
    """Play in all games that are not over; see `CompiledEngine._play_all`.

    Args:
        actions: int64 (B,), the actions.
        seats: int64 (B,), whose they are.
        taken: int64 (B,), the types of the cards that Gifts take; none if chance is to be drawn.
        given: The entries of the `Tables`, then what `_parts` returns.
    """
    tables, state = Tables(*given[:_TABLES]), as_state(given[_TABLES:])
    illegal = find_illegal(actions, seats, state.moves, state.seat, state.over, tables.place)
    if illegal >= 0:
        return illegal
    for game in range(len(actions)):
        if not state.over[game]:
            card = taken[game] if len(taken) else -1
            _play(state, tables, game, actions[game], card)
    return illegal


# Turns


@compiled
def _begin(state: ChromaState, tables: Tables, game: int, first: int) -> None:
    """Lay the first card on the centre, deal the hands, and begin the first turn."""
    state.seat[game] = state.first[game] = first
    state.pending[game, first] = True
    centre = signed(state.deck[game, 0])
    state.board[game, CENTRE] = centre + 1
    for word in range(WORDS):
        state.room[game, word] = tables.openings[centre % COLOURS, word]
    number = 1
    for seat in range(len(tables.seats)):
        for _ in range(HAND):
            card = signed(state.deck[game, number])
            state.hands[game, seat, card] += 1
            state.held[game, seat, card // _TYPES] |= _bit(card % _TYPES)
            number += 1
    fits = _match_hand(state, tables, game, first)
    _write_turn(state, tables, game, fits)


@compiled
def _play(state: ChromaState, tables: Tables, game: int, action: int, taken: int) -> None:
    """Take one decision: do what it says, and see who decides what next."""
    state.plies[game] += 1
    seat = index(state.seat[game])
    if action < tables.draw:
        card, space = index(action) // index(SPACES), index(action) % index(SPACES)
        if state.phase[game] == WILD:
            after = _hide(state, tables, game, seat, card, space)
        else:
            after = _place(state, tables, game, seat, card, space)
    elif action == tables.draw:
        after = _pass(state, game, seat)
    elif action >= tables.give:
        after = _give_back(state, tables, game, seat, index(action - tables.give))
    elif action >= tables.gift:
        after = _take_card(state, tables, game, seat, action - tables.gift, taken)
    elif action == tables.use:
        after = _use(state, game, seat)
    else:
        after = _TURN_OVER
    show_single_card(state, game, seat, len(tables.seats))
    if after == POWER and not _is_offered(state, tables, game, seat):
        after = _TURN_OVER
    if after == PLACE or after >= _TURN_OVER:
        _let_place(state, tables, game, seat, after)
    else:
        _let_choose(state, tables, game, seat, after)


@compiled
def _let_place(state: ChromaState, tables: Tables, game: int, seat: int, after: int) -> None:
    """Let the same seat place one more card, or end its turn: the next seat's begins, or none."""
    ended = after >= _TURN_OVER
    placer = seat_after(seat, int(ended), len(tables.seats))
    fits = _match_hand(state, tables, game, placer)
    if ended:
        reason = PERFECT if after == _WON else _find_reason(state, tables, game, seat, fits)
        if reason:
            _end(state, tables, game, seat, reason)
            return
        _begin_turn(state, game, seat, placer)
    state.phase[game] = PLACE
    _write_turn(state, tables, game, fits)


@compiled
def _begin_turn(state: ChromaState, game: int, seat: int, following: int) -> None:
    """Let the next seat decide; its Magnet or Lock ends here."""
    state.pending[game, seat] = False
    state.pending[game, following] = True
    state.seat[game] = following
    state.marks[game, following] = NO_MARK
    state.power[game] = NO_POWER
    state.spot[game] = state.partner[game] = -1


@compiled
def _let_choose(state: ChromaState, tables: Tables, game: int, seat: int, phase: int) -> None:
    """Let the same seat choose a wild card, what to do with its power, or a card to give."""
    state.phase[game] = phase
    if phase == WILD:  # after a placement, beside which nothing else was legal
        _match_empty(state, tables, game, seat)
        return
    moves = state.moves[game]
    moves[:] = 0
    if phase == POWER:
        moves[tables.rest] = tables.choices[state.power[game]]
    else:
        _write_gifts(state, tables, game, seat)


# What a decision does


@compiled
def _place(state: ChromaState, tables: Tables, game: int, seat: int, card: int, space: int) -> int:
    """Place a card, see the result, and come to its power."""
    touches = _count_touching(state, game, space)
    forget_card(state, game, seat, card, len(tables.seats))
    _lose(state, game, seat, card)
    _lay(state, game, space, card + 1, tables.fitting[card % COLOURS])
    state.power[game] = tables.power[card]
    state.spot[game] = space
    state.replaying[game] = False
    state.passes[game] = 0
    if touches == 4:
        return _WON
    if touches == 3 and state.sizes[game, seat] > 0 and _has_space(state, tables, game):
        return WILD
    _draw_card(state, game, seat, touches == 1)
    return POWER


@compiled
def _hide(state: ChromaState, tables: Tables, game: int, seat: int, card: int, space: int) -> int:
    """Put a card face down on a space; all know it if it is the only one in hand (C13)."""
    single = state.sizes[game, seat] == 1
    everyone = (1 << len(tables.seats)) - 1
    state.hidden[game, space] = card + 1
    state.knowers[game, space] = everyone if single else 1 << seat
    forget_hand(state, game, seat, len(tables.seats))
    _lose(state, game, seat, card)
    _lay(state, game, space, FACE_DOWN, ALL_COLOURS)
    return POWER


@compiled
def _pass(state: ChromaState, game: int, seat: int) -> int:
    """Draw a card and pass."""
    state.passes[game] += _draw_card(state, game, seat, True)
    return _TURN_OVER


@compiled
def _use(state: ChromaState, game: int, seat: int) -> int:
    """Use Replay, Magnet or Lock."""
    if state.power[game] == REPLAY:
        state.replaying[game] = True
        return PLACE
    first = LOCK_MARK if state.power[game] == LOCK else MAGNET_MARK
    state.marks[game, seat] = first + state.spot[game]
    return _TURN_OVER


@compiled
def _take_card(
    state: ChromaState, tables: Tables, game: int, seat: int, steps: int, taken: int
) -> int:
    """Use Gift: take a card of another seat's hand, a random one if none is given."""
    partner = seat_after(seat, steps + 1, len(tables.seats))
    state.partner[game] = partner
    card = taken if taken >= 0 else _draw_from_hand(state, game, partner)
    pass_card(state, game, partner, seat, card, len(tables.seats))
    _lose(state, game, partner, card)
    _gain(state, game, seat, card)
    show_single_card(state, game, partner, len(tables.seats))
    return GIVE


@compiled
def _give_back(state: ChromaState, tables: Tables, game: int, seat: int, card: int) -> int:
    """Give a card to the seat from which Gift took one."""
    partner = index(state.partner[game])
    pass_card(state, game, seat, partner, card, len(tables.seats))
    _lose(state, game, seat, card)
    _gain(state, game, partner, card)
    show_single_card(state, game, partner, len(tables.seats))
    return _TURN_OVER


@compiled
def _is_offered(state: ChromaState, tables: Tables, game: int, seat: int) -> bool:
    """Tell whether the card placed last has a power, and Replay a legal placement."""
    if state.power[game] != REPLAY:
        return bool(state.power[game] != NO_POWER)
    fits = _match_hand(state, tables, game, seat)
    return bool(_heed_marks(state, tables, game, fits) != _ZERO)


# Cards


@compiled
def _bit(number: int, there: bool = True) -> np.uint64:
    """Return the word in which one bit is set, or none."""
    return np.uint64(there) << np.uint64(number)


@compiled
def _lose(state: ChromaState, game: int, seat: int, card: int) -> None:
    """Take a card out of a hand."""
    left = state.hands[game, seat, card] - 1
    state.hands[game, seat, card] = left
    state.sizes[game, seat] -= 1
    state.held[game, seat, card // _TYPES] &= ~_bit(card % _TYPES, left == 0)


@compiled
def _gain(state: ChromaState, game: int, seat: int, card: int, gained: bool = True) -> None:
    """Put a card into a hand, or none."""
    state.sizes[game, seat] += gained
    state.hands[game, seat, card] += gained
    state.held[game, seat, card // _TYPES] |= _bit(card % _TYPES, gained)


@compiled
def _draw_card(state: ChromaState, game: int, seat: int, owed: bool) -> bool:
    """Draw a card if it is owed, none from an empty pile (C5); tell whether one is drawn.

    Half of the placements draw a card, so nothing branches here.
    """
    number = signed(state.drawn[game])
    drawn = owed & (number < PACK)
    state.drawn[game] = number + drawn
    _gain(state, game, seat, signed(state.deck[game, min(number, PACK - 1)]), drawn)
    return drawn


@compiled
def _draw_from_hand(state: ChromaState, game: int, holder: int) -> int:
    """Draw a card of a hand, each card with the same chance; return its type."""
    left = below(draw(state.stream, game), state.sizes[game, holder])
    card = 0
    while left >= state.hands[game, holder, card]:
        left -= state.hands[game, holder, card]
        card += 1
    return card


@compiled
def _count_touching(state: ChromaState, game: int, space: int) -> int:
    """Count the cards that touch a space."""
    touches = 0
    for number in range(4):
        touches += int(state.board[game, _NEAR[space, number]] > 0)
    return touches


@compiled
def _lay(state: ChromaState, game: int, space: int, face: int, fitting: np.uint64) -> None:
    """Lay a card: around it only what goes with it fits now, and on its space nothing.

    A lane in which nothing was touched opens to all colours first: 2^20 - 1 below its flag.
    """
    state.board[game, space] = face
    room, fits = state.room[game], fitting * EVERY_LANE
    for number in range(4):
        word = _NEAR_WORD[space, number]
        lane = room[word]
        lane -= lane >> np.uint64(COLOURS) & _NEAR_FIRST[space, number]
        room[word] = lane & (fits | ~_NEAR_LANE[space, number])
    room[WORD[space]] &= ~(LANE_BITS[space] | LANE_BITS[space] << _ONE)


@compiled
def _has_space(state: ChromaState, tables: Tables, game: int) -> bool:
    """Tell whether a space is empty: cards out of the deck are in hands or on the board."""
    on_board = signed(state.drawn[game])
    for seat in range(len(tables.seats)):
        on_board -= state.sizes[game, seat]
    return bool(on_board < SPACES)


# Ends


@compiled
def _find_reason(state: ChromaState, tables: Tables, game: int, seat: int, fits: np.uint64) -> int:
    """Tell why the game ends at the end of a seat's turn, 0 if it goes on (C16).

    A game in which something fits in the next hand is not blocked.
    """
    if state.sizes[game, seat] == 0:
        return EMPTY_HAND
    if state.drawn[game] == PACK:
        return PILE
    if fits == _ZERO and _is_blocked(state, tables, game):
        return BLOCKED
    if state.passes[game] >= 2 * len(tables.seats):
        return PASSES
    return 0


@compiled
def _is_blocked(state: ChromaState, tables: Tables, game: int) -> bool:
    """Tell whether no card of a hand or the pile fits a space by its colour (C6)."""
    left = room = _ZERO
    for number in range(state.drawn[game], PACK):
        left |= _bit(signed(state.deck[game, number]) % COLOURS)
    for seat in range(len(tables.seats)):
        for word in range(_count_words(tables)):
            left |= _fold(state.held[game, seat, word], COLOURS)
    for word in range(WORDS):
        room |= state.room[game, word]
    return bool(left & _fold(room, LANE_WIDTH) == _ZERO)


@compiled
def _count_words(tables: Tables) -> int:
    """Count the words of a set of types."""
    return (len(tables.planes) + PLANES - 1) // PLANES


@compiled
def _fold(word: np.uint64, width: int) -> np.uint64:
    """Unite the three sets of colours in a word."""
    union = word | word >> np.uint64(width) | word >> np.uint64(2 * width)
    return union & ALL_COLOURS


@compiled
def _end(state: ChromaState, tables: Tables, game: int, seat: int, reason: int) -> None:
    """End a game and share out the win: the seat's, or theirs who hold the fewest cards."""
    seats = len(tables.seats)
    state.over[game] = True
    state.reason[game] = reason
    state.phase[game] = PLACE
    state.pending[game, seat] = False
    for word in range(state.moves.shape[1]):
        state.moves[game, word] = _ZERO
    alone = reason <= EMPTY_HAND
    fewest, winners = PACK, 0
    for each in range(seats):
        fewest = min(fewest, signed(state.sizes[game, each]))
    for each in range(seats):
        winners += int(_wins(state, game, seat, each, alone, fewest))
    for each in range(seats):
        won = _wins(state, game, seat, each, alone, fewest)
        state.rewards[game, each] = share_of_win(won, winners, seats)


@compiled
def _wins(state: ChromaState, game: int, seat: int, each: int, alone: bool, fewest: int) -> bool:
    """Tell whether a seat wins: the one whose turn it was, or any with the fewest cards."""
    return bool(each == seat if alone else state.sizes[game, each] == fewest)


# Legal sets


@compiled
def _write_turn(state: ChromaState, tables: Tables, game: int, fits: np.uint64) -> None:
    """Finish the legal set of a seat that is to place a card, or to draw if it cannot.

    Args:
        state: The games.
        tables: The config.
        game: Which of them.
        fits: What `_match_hand` found.
    """
    moves = state.moves[game]
    for word in range(tables.rest + 1, len(moves)):
        moves[word] = _ZERO
    stuck = _heed_marks(state, tables, game, fits) == _ZERO
    moves[tables.rest] = _bit(signed(tables.place[tables.draw]) & 63, stuck)


@compiled
def _match_hand(state: ChromaState, tables: Tables, game: int, seat: int) -> np.uint64:
    """Write where the cards of a hand fit by colour; return all these words, united."""
    moves, room = state.moves[game], state.room[game]
    fits = lanes.spread(_ZERO)
    for plane in range(len(tables.planes)):
        hand = _plane(state, game, seat, plane)
        fits = fits | _write_plane(moves, plane * WORDS, room, hand)
    return lanes.united(fits)


@compiled
def _match_empty(state: ChromaState, tables: Tables, game: int, seat: int) -> None:
    """Write the cards of a hand on all empty spaces: space 26 l + w is lane l of word w."""
    moves, board = state.moves[game], state.board[game]
    for word in range(WORDS):
        moves[word] = (
            (board[word] == 0) * _LANES[0]
            | (board[WORDS + word] == 0) * _LANES[1]
            | (board[2 * WORDS + word] == 0) * _LANES[2]
        )
    moves[WORDS - 1] &= ~_LANES[2]  # off the board
    for plane in range(len(tables.planes) - 1, -1, -1):
        _write_plane(moves, plane * WORDS, moves, _plane(state, game, seat, plane))


@compiled
def _write_plane(moves: Words, start: int, room: Words, hand: np.uint64) -> lanes.Lanes:
    """Write what a hand of some colours may do in a room, from some word on; return its union."""
    every = lanes.spread(hand)
    union = lanes.spread(_ZERO)
    for word in range(0, _EIGHTS, 8):
        fits = lanes.load(room, word) & every
        lanes.store(moves, start + word, fits)
        union = union | fits
    for word in range(_EIGHTS, WORDS):
        fit = room[word] & hand
        moves[start + word] = fit
        union = union | lanes.spread(fit)
    return union


@compiled
def _plane(state: ChromaState, game: int, seat: int, plane: int) -> np.uint64:
    """Cut a plane out of the types in a hand: a set of colours, one in every lane."""
    types = state.held[game, seat, plane // PLANES] >> np.uint64(plane % PLANES * COLOURS)
    return np.uint64((types & ALL_COLOURS) * EVERY_LANE)


@compiled
def _heed_marks(state: ChromaState, tables: Tables, game: int, fits: np.uint64) -> np.uint64:
    """Take out what Locks forbid and Magnets rule out (C8 - C10).

    The seat to decide has no mark.

    Args:
        state: The games.
        tables: The config.
        game: Which of them.
        fits: The union of all words.

    Returns:
        The union of what is left; for Magnets, of some of it.
    """
    marked = locks = magnets = False
    for seat in range(len(tables.seats)):
        marked |= state.marks[game, seat] != NO_MARK
    if not marked:
        return fits
    for seat in range(len(tables.seats)):
        mark = state.marks[game, seat]
        locks |= mark >= LOCK_MARK
        magnets |= MAGNET_MARK <= mark < LOCK_MARK
    if locks:
        fits = _heed_locks(state, tables, game)
    if magnets:
        asked = _find_asked(state, tables, game)
        if asked:
            _heed_magnets(state, tables, game)
            fits = asked
    return fits


@compiled
def _heed_locks(state: ChromaState, tables: Tables, game: int) -> np.uint64:
    """Take out the spaces next to a Lock; return the union of what is left."""
    moves = state.moves[game]
    for seat in range(len(tables.seats)):
        if state.marks[game, seat] >= LOCK_MARK:
            space = signed(state.marks[game, seat]) - LOCK_MARK
            for plane in range(len(tables.planes)):
                for number in range(4):
                    word = plane * WORDS + _NEAR_WORD[space, number]
                    moves[word] &= ~_NEAR_LANE[space, number]
    left = _ZERO
    for word in range(len(tables.planes) * WORDS):
        left |= moves[word]
    return left


@compiled
def _find_asked(state: ChromaState, tables: Tables, game: int) -> np.uint64:
    """Unite what is left next to any Magnet."""
    moves = state.moves[game]
    asked = _ZERO
    for seat in range(len(tables.seats)):
        if MAGNET_MARK <= state.marks[game, seat] < LOCK_MARK:
            space = signed(state.marks[game, seat]) - MAGNET_MARK
            for plane in range(len(tables.planes)):
                for number in range(4):
                    here = moves[plane * WORDS + _NEAR_WORD[space, number]]
                    asked |= here & _NEAR_LANE[space, number]
    return asked


@compiled
def _heed_magnets(state: ChromaState, tables: Tables, game: int) -> None:
    """Take out all spaces that are not next to a Magnet."""
    for word in range(WORDS):
        beside = _ZERO
        for seat in range(len(tables.seats)):
            if MAGNET_MARK <= state.marks[game, seat] < LOCK_MARK:
                beside |= _BESIDE[signed(state.marks[game, seat]) - MAGNET_MARK, word]
        for plane in range(len(tables.planes)):
            state.moves[game, plane * WORDS + word] &= beside


@compiled
def _write_gifts(state: ChromaState, tables: Tables, game: int, seat: int) -> None:
    """Add the cards that may be given back: every type in hand."""
    moves = state.moves[game]
    for number in range(_count_words(tables)):
        types = state.held[game, seat, number]
        place = signed(tables.place[tables.give + number * _TYPES])
        word, bit = place >> 6, place & 63
        moves[word] |= types << np.uint64(bit)
        if word + 1 < len(moves):
            moves[word + 1] |= types >> np.uint64(63 - bit) >> _ONE
