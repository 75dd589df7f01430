"""The rules of Guardians on the compiled engine: one game after another (page `guardians.md`)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.compiled import (
    as_compiled,
    compiled,
    highest,
    lowest,
    mixed,
    popcount,
    seat_after,
    share_of_win,
    shuffled,
    where,
)
from chromazoo.envs.compiled_game import CompiledEngine
from chromazoo.envs.compiled_states import opener
from chromazoo.envs.compiled_vectors import finding, write_bits
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import DEAL, Seats
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import ARROWS, BESIDE, HIDDEN, MARKS, QUEUED, TAKEN
from chromazoo.envs.guardians.config import CARDS, COLOURS
from chromazoo.envs.guardians.queue import COLUMNS, SPACES
from chromazoo.envs.guardians.rules import (
    FEWEST,
    HAND,
    SHARED,
    TIE_BREAK,
    TURNS,
    GuardiansState,
)
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import Stream
from chromazoo.envs.state import Parts

Planes = tuple[np.uint64, np.uint64, np.uint64]
"""The queue's colours in bit planes; see `queue.py`."""

Unsigned = NDArray[np.uint64]
"""Numbers of seats or games as indices: arrays need not look whether they are negative."""

Arrays = as_compiled(GuardiansState, __name__)
"""What compiled code has for a `GuardiansState`."""
as_state = opener(Arrays)
"""Opens what `CompiledEngine._parts` returns, in compiled code: makes an `Arrays` of it."""

_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)
_BYTE, _LAST_BIT, _NUM_CARDS = np.uint64(0xFF), np.uint64(63), np.uint64(CARDS)
_NOT_BOTTOM = np.uint64(0x7F7F7F7F7F)  # the spaces that have one below
_TWO, _THREE = (
    np.uint64(sum(1 << card for card in range(CARDS) if MARKS[card] >= marks)) for marks in (2, 3)
)  # the cards with so many marks or more
_M0, _M1, _M2, _M3 = (np.uint8(marks) for marks in range(4))  # so that loops are vectorised
_lying = finding(CARDS)  # the cards in a place, as a set
_LASTS = 1 + int(MARKS.max())  # so many sorts of last cards
_WORST = 2**16  # a rank that no seat has
_MOST_CARDS = 10  # in hand
_SPACES = COLUMNS * SPACES
_SEEN_QUEUE = (COLOURS + 2) * _SPACES  # where the fields of the queue end


class Tables(NamedTuple):
    """What compiled code knows of a config.

    Attributes:
        code: uint8 (50,), 1 + colour of each card.
        choices: Number of cards that each seat chooses in a turn.
        face_up: Number of cards that the chief gets face up in a turn.
        face_down: Number of those it gets face down.
        draws: Number of cards that the seats together draw in a turn.
        from_pile: All these together.
        rounds: Number of rounds.
        seats: 0 ... N - 1; a tuple, so that the number is known when loops are compiled.
    """

    code: NDArray[np.uint8]
    choices: int
    face_up: int
    face_down: int
    draws: int
    from_pile: int
    rounds: int
    seats: tuple[int, ...]


_TABLES = len(Tables._fields)


class Game(CompiledEngine[GuardiansState], rules.Game):
    """Guardians on the compiled engine; see `rules.Game`."""

    numpy_type = rules.Game

    def __init__(self, /, **options: Any) -> None:
        """Configure the game; see `rules.Game`."""
        super().__init__(**options)
        if self.config.rounds == 1:
            self._know_shapes()
        self._tables = Tables(
            code=self.code,
            choices=self.choices,
            face_up=self.face_up,
            face_down=self.face_down,
            draws=self.draws,
            from_pile=self.from_pile,
            rounds=self.config.rounds,
            seats=tuple(range(self.num_seats)),
        )

    def _deal(self, state: GuardiansState, seeds: Stream) -> None:
        """Begin games with shuffled decks; see `Game._deal`."""
        stream = mixed(seeds, DEAL)
        for number in range(self.config.rounds):
            shuffled(stream, CARDS, out=state.decks[:, number])
        _begin_all(*self._tables, *self._parts(state))

    def _sets(self, state: GuardiansState, seats: Seats) -> Words:
        """Return the legal sets of one seat of each game; see `rules.Game`."""
        sets = np.empty((len(state), 1), np.uint64)
        _write_sets(seats.astype(np.uint64), sets, *self._parts(state))
        return sets

    def _find_illegal(self, state: GuardiansState, actions: NDArray[np.int64], seats: Seats) -> int:
        """Find the first row in which an action is not legal, of any pending seat."""
        return _look_for_illegal(actions, seats.astype(np.uint64), *self._parts(state))

    def _play_all(
        self,
        state: GuardiansState,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> int:
        """Play in all games; see `CompiledEngine._play_all`."""
        self._no_chance(chance)
        movers, complete = seats.astype(np.uint64), np.empty(len(state), np.uint64)
        return _play_all(actions, movers, complete, *self._tables, *self._parts(state))

    def _write_observations(self, parts: Parts, eyes: NDArray[np.int64], seen: Observation) -> None:
        """Write observations; see `CompiledEngine._write_observations`."""
        _observe_all(eyes, seen, *self._tables, *parts)


# Batches


@compiled
def _begin_all(*given: Any) -> None:
    """Begin the first turn of the first round, from decks that lie ready."""
    tables, state = Tables(*given[:_TABLES]), as_state(given[_TABLES:])
    for game in range(len(state.seat)):
        _deal_hands(state, tables, game)
        _begin_turn(state, tables, game)


@compiled
def _write_sets(seats: NDArray[np.int64], sets: Words, *given: Any) -> None:
    """Write the cards that a seat of each game may choose: uint64 (B, 1)."""
    state = as_state(given)
    for game in range(len(seats)):
        sets[game, 0] = _choices(state, game, seats[game])


@compiled
def _look_for_illegal(actions: NDArray[np.int64], seats: Unsigned, *given: Any) -> int:
    """Find the first game in which an action is not legal, -1 if there is none."""
    return _find_illegal(as_state(given), actions, seats)


@compiled
def _find_illegal(state: GuardiansState, actions: NDArray[np.int64], seats: Unsigned) -> int:
    """Find the first game in which an action is not legal, -1 if there is none."""
    for game in range(len(actions)):
        seat, action = seats[game], np.uint64(actions[game])
        held = (state.hands[game, seat] >> (action & _LAST_BIT) & _ONE) != _ZERO
        legal = held & state.pending[game, seat] & (action < _NUM_CARDS)
        if not (legal | state.over[game]):
            return game
    return -1


@compiled
def _play_all(actions: NDArray[np.int64], seats: Unsigned, complete: Unsigned, *given: Any) -> int:
    """Play in all games that are not over; the turns that are complete last.

    Their games are listed in `complete`, uint64 (B,), so that nothing hangs on what processors
    cannot foresee. See `CompiledEngine._play_all`.
    """
    tables, state = Tables(*given[:_TABLES]), as_state(given[_TABLES:])
    illegal = _find_illegal(state, actions, seats)
    if illegal >= 0:
        return illegal
    count = 0
    for game in range(len(actions)):
        if not state.over[game]:
            complete[count] = game
            count += _seal(state, tables, game, seats[game], actions[game])
    for place in range(count):
        game = complete[place]
        _resolve(state, tables, game)
        if state.over[game]:
            state.seat[game] = seats[game]
    return illegal


@compiled
def _observe_all(eyes: NDArray[np.int64], seen: Observation, *given: Any) -> None:
    """Write what a seat of each game sees; see `observation.observe`."""
    tables, state = Tables(*given[:_TABLES]), as_state(given[_TABLES:])
    numbers = state.numbers.reshape(len(eyes), _SPACES)
    for game in range(len(eyes)):
        _observe_queue(state.colours[game], numbers[game], seen[game])
        _observe(state, tables, game, eyes[game], seen[game])


# Dealing


@compiled
def _deal_hands(state: GuardiansState, tables: Tables, game: int) -> None:
    """Deal nine cards to each seat, from the deck of the round."""
    deck, hands = state.decks[game, state.round[game]], state.hands[game]
    for seat in range(len(tables.seats)):
        hands[seat] = _cards(deck, HAND * seat, HAND)


@compiled
def _begin_turn(state: GuardiansState, tables: Tables, game: int) -> None:
    """Give the chief its cards and, in a duel, each seat one (G4)."""
    deck, hands, chief = state.decks[game, state.round[game]], state.hands[game], state.chief[game]
    place = HAND * len(tables.seats) + state.turn[game] * tables.from_pile
    chief[0] = _cards(deck, place, tables.face_up)
    chief[1] = _cards(deck, place + tables.face_up, tables.face_down)
    place += tables.face_up + tables.face_down
    for seat in range(tables.draws):
        hands[seat] |= _card(deck[place + seat])
    for seat in range(len(tables.seats)):
        state.pending[game, seat] = True
    _let_decide(state, game, 0)


@compiled
def _cards(deck: NDArray[np.uint8], start: int, count: int) -> np.uint64:
    """Take some cards of a deck, as a set."""
    cards = _ZERO
    for place in range(start, start + count):
        cards |= _card(deck[place])
    return cards


@compiled
def _card(card: int) -> np.uint64:
    """Return the set of one card, from 0."""
    return _ONE << np.uint64(card)


# Choosing


@compiled
def _choices(state: GuardiansState, game: int, seat: int) -> np.uint64:
    """Return the cards that a seat may choose."""
    hand: np.uint64 = state.hands[game, seat]
    return hand & where(np.uint64(state.pending[game, seat]))


@compiled
def _let_decide(state: GuardiansState, game: int, seat: int) -> None:
    """Let a pending seat decide."""
    state.seat[game] = seat
    state.moves[game, 0] = state.hands[game, seat]


@compiled
def _seal(state: GuardiansState, tables: Tables, game: int, seat: int, action: int) -> bool:
    """Seal one choice (G7); tell whether the turn's choices are complete."""
    chosen, pending, card = state.chosen[game], state.pending[game], _card(action)
    state.plies[game] += 1
    state.hands[game, seat] ^= card
    chosen[seat] |= card
    pending[seat] = popcount(chosen[seat]) < tables.choices
    decider, complete = 0, True
    for later in range(len(tables.seats)):
        other = len(tables.seats) - 1 - later  # so that the lowest comes last
        decider = other if pending[other] else decider
        complete &= not pending[other]
    _let_decide(state, game, decider)
    return complete


# Resolving a turn


@compiled
def _resolve(state: GuardiansState, tables: Tables, game: int) -> None:
    """Reveal and place the cards of a turn, and begin the next turn or end the game."""
    cards = _reveal(state, tables, game)
    _place_all(state, tables, game, cards)
    state.turn[game] += 1
    if state.turn[game] == TURNS and state.round[game] < tables.rounds - 1:
        _next_round(state, tables, game)
    if state.turn[game] < TURNS:
        _begin_turn(state, tables, game)
    else:
        _end_game(state, tables, game)


@compiled
def _reveal(state: GuardiansState, tables: Tables, game: int) -> np.uint64:
    """Lay the chosen cards open and the chief's face-down cards; return all five."""
    chosen, brought = state.chosen[game], state.revealed[game]
    cards: np.uint64 = state.chief[game, 0] | state.chief[game, 1]
    brought[len(tables.seats)] = cards
    for seat in range(len(tables.seats)):
        cards |= chosen[seat]
        brought[seat] = chosen[seat]
        chosen[seat] = _ZERO
    return cards


@compiled
def _place_all(state: GuardiansState, tables: Tables, game: int, cards: np.uint64) -> None:
    """Place five cards, the smallest in the first column; with three arrows the largest first."""
    colours, numbers = state.colours[game], state.numbers[game].view(np.uint64)  # (columns, 1)
    turn, backwards = int(state.turn[game]), popcount(cards & ARROWS) >= 3
    queue = (colours[0], colours[1], colours[2])  # kept at hand, which is quicker
    for served in range(COLUMNS):
        column = COLUMNS - 1 - served if backwards else served
        card = highest(cards) if backwards else lowest(cards)
        cards ^= _card(card)
        state.places[game, card] = QUEUED
        numbers[column, 0] |= np.uint64(card + 1) << np.uint64(8 * turn)
        queue = _put(queue, int(tables.code[card]), np.uint64(SPACES * column + turn))
        if _touching(queue):
            place = _receiving(state, tables, game, card)
            queue = _explode(queue, numbers, state.places[game], place)
    for plane in range(len(queue)):
        colours[plane] = queue[plane]


@compiled
def _explode(queue: Planes, numbers: Words, places: NDArray[np.uint8], place: int) -> Planes:
    """Let all cards explode that touch, until none do, and put them in a place."""
    exploding = _touching(queue)
    while exploding:
        while exploding:  # from the top of a column down, so that those below stay
            space = lowest(exploding)
            exploding &= exploding - _ONE
            places[_take_out(numbers, space >> 3, np.uint64(space & 7)) - 1] = place
            queue = _taken_out(queue, space)
        exploding = _touching(queue)
    return queue


@compiled
def _put(queue: Planes, code: int, space: np.uint64) -> Planes:
    """Put a card of a colour on a space of the queue."""
    first, second, third = np.uint64(code & 1), np.uint64(code >> 1 & 1), np.uint64(code >> 2)
    return queue[0] | first << space, queue[1] | second << space, queue[2] | third << space


@compiled
def _touching(queue: Planes) -> np.uint64:
    """Find the cards that share a side with one of their colour."""
    first, second, third = queue
    cards = first | second | third
    below = first ^ first >> _ONE | second ^ second >> _ONE | third ^ third >> _ONE
    beside = first ^ first >> _EIGHT | second ^ second >> _EIGHT | third ^ third >> _EIGHT
    above = cards & ~below & _NOT_BOTTOM  # those that are like the card below
    before = cards & ~beside
    return above | above << _ONE | before | before << _EIGHT


@compiled
def _taken_out(queue: Planes, space: int) -> Planes:
    """Take a card out of the queue; those above it slide down."""
    card = _card(space)
    above = card - (_ONE << np.uint64(space & ~7))
    return (
        _closed(queue[0], above, card, _ONE),
        _closed(queue[1], above, card, _ONE),
        _closed(queue[2], above, card, _ONE),
    )


@compiled
def _take_out(numbers: Words, column: int, space: np.uint64) -> int:
    """Take the number on a space out of a column; those above it slide down."""
    column_numbers, shift = numbers[column, 0], _EIGHT * space
    above = (_ONE << shift) - _ONE
    numbers[column, 0] = _closed(column_numbers, above, _BYTE << shift, _EIGHT)
    return int(column_numbers >> shift & _BYTE)


@compiled
def _closed(word: np.uint64, above: np.uint64, gap: np.uint64, size: np.uint64) -> np.uint64:
    """Close a gap in a word of bits or bytes: what is above (the lower bits) moves by its size."""
    return word & ~(above | gap) | (word & above) << size


@compiled
def _receiving(state: GuardiansState, tables: Tables, game: int, card: int) -> int:
    """Tell where cards go that a card lets explode; a seat takes those beside the chief as well."""
    place = BESIDE
    for seat in range(len(tables.seats)):
        if state.revealed[game, seat] >> np.uint64(card) & _ONE:
            place = TAKEN + seat
    if place != BESIDE and state.stacked[game]:
        for lying in range(CARDS):
            if state.places[game, lying] == BESIDE:
                state.places[game, lying] = place
    state.stacked[game] = place == BESIDE
    return place


# Ending rounds and the game


@compiled
def _marks(cards: np.uint64) -> int:
    """Count the marks of a set of cards."""
    return popcount(cards) + popcount(cards & _TWO) + popcount(cards & _THREE)


@compiled
def _marks_of(state: GuardiansState, game: int, seat: int) -> int:
    """Count the marks that a seat has taken, in all rounds."""
    return int(state.scores[game, seat]) + _marks(_lying(state.places[game], TAKEN + seat))


@compiled
def _next_round(state: GuardiansState, tables: Tables, game: int) -> None:
    """Deal the hands of the next round; the pile beside the chief is dropped (G5)."""
    for seat in range(len(tables.seats)):
        state.scores[game, seat] = _marks_of(state, game, seat)
    state.colours[game] = _ZERO
    state.numbers[game] = 0
    state.places[game] = HIDDEN
    state.stacked[game] = False
    state.turn[game] = 0
    state.round[game] += 1
    _deal_hands(state, tables, game)


@compiled
def _end_game(state: GuardiansState, tables: Tables, game: int) -> None:
    """End a game: fewest marks win, among equals the last card with the fewest."""
    rewards = state.rewards[game]  # the seats' ranks, at first
    seats, best = len(tables.seats), _WORST
    for seat in range(seats):
        rank = _LASTS * _marks_of(state, game, seat) + _marks(state.hands[game, seat])
        rewards[seat] = rank
        best = min(best, rank)
    equal = winners = 0
    for seat in range(seats):
        equal += rewards[seat] // _LASTS == best // _LASTS
        winners += rewards[seat] == best
    for seat in range(seats):
        rewards[seat] = share_of_win(rewards[seat] == best, winners, seats)
    state.reason[game] = FEWEST if equal == 1 else TIE_BREAK if winners == 1 else SHARED
    state.over[game] = True
    state.chief[game] = state.moves[game] = _ZERO


# Seeing


@compiled
def _observe(state: GuardiansState, tables: Tables, game: int, eye: int, seen: Observation) -> None:
    """Write what one seat sees besides the queue: what is of no seat or the own one, then all."""
    seats, open_card = len(tables.seats), state.chief[game, 0]
    marks = _SEEN_QUEUE + 2 * CARDS
    sizes, turn = marks + seats, marks + 2 * seats
    hand = turn + 2
    revealed = hand + 3 * CARDS
    exploded = revealed + (seats + 1) * CARDS
    _flag(seen, _SEEN_QUEUE, open_card)
    _flag(seen, _SEEN_QUEUE + CARDS, _lying(state.places[game], BESIDE))
    seen[turn], seen[turn + 1] = state.turn[game], state.round[game]
    _flag(seen, hand, state.hands[game, eye])
    _flag(seen, hand + CARDS, state.chosen[game, eye])
    _flag(seen, hand + 2 * CARDS, ~_lying(state.places[game], HIDDEN) | open_card)
    for number in range(seats):
        seat = seat_after(eye, number, seats)
        taken = _lying(state.places[game], TAKEN + seat)
        held = popcount(state.hands[game, seat]) + popcount(state.chosen[game, seat])
        seen[marks + number] = state.scores[game, seat] + _marks(taken)
        seen[sizes + number] = min(held, _MOST_CARDS)
        _flag(seen, revealed + number * CARDS, state.revealed[game, seat])
        _flag(seen, exploded + number * CARDS, taken)
    _flag(seen, exploded - CARDS, state.revealed[game, seats])


@compiled
def _observe_queue(colours: Words, numbers: NDArray[np.uint8], seen: Observation) -> None:
    """Write the colours, marks and numbers in the queue; the loop is vectorised."""
    first, second, third = colours
    for colour in range(COLOURS):
        code = colour + 1
        unlike = first ^ _plane(code, 0) | second ^ _plane(code, 1) | third ^ _plane(code, 2)
        write_bits(seen, colour * _SPACES, ~unlike, _SPACES)
    marks = seen[COLOURS * _SPACES : (COLOURS + 1) * _SPACES]
    shown = seen[(COLOURS + 1) * _SPACES : _SEEN_QUEUE]
    for space in range(_SPACES):
        shown[space] = numbers[space]
        marks[space] = _marks_on(numbers[space])


@compiled
def _marks_on(number: np.uint8) -> np.uint8:
    """Return the marks on a card, 0 where there is none: as `MARKS`, but without looking it up."""
    inner = min(number, np.uint8(CARDS + 1 - number))  # the marks are alike from both ends
    marks = _M2 if inner >= 16 and inner <= 20 else _M1
    marks = _M3 if inner <= 5 else marks
    return marks if inner > 0 else _M0


@compiled
def _plane(code: int, plane: int) -> np.uint64:
    """Return a plane of a queue that is full of one colour."""
    return where(np.uint64(code >> plane & 1))


@compiled
def _flag(seen: Observation, place: int, cards: np.uint64) -> None:
    """Write a set of cards as flags."""
    write_bits(seen, place, cards, CARDS)
