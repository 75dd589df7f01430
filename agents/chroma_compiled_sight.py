"""What a seat of CHROMA sees, for compiled code; see `chroma_sight.py`.

One seat at a time is looked at, and what is found is kept in the same room for all that are looked
at in one call. Sets of colours are `uint64` with bit c for colour c.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.chroma_sight import ALL, MOST, PERFECT, Eyes, missed_odds
from chromazoo.envs.chroma import rules
from chromazoo.envs.chroma.board import ANY_COLOUR, NEIGHBOURS, OFF, SPACES
from chromazoo.envs.chroma.cards import COPIES, NO_POWER, POWERS
from chromazoo.envs.chroma.config import COLOURS, PHASES
from chromazoo.envs.compiled import compiled, highest, index, lowest, popcount, signed
from chromazoo.envs.compiled_vectors import finding
from chromazoo.envs.masks import Words

Octets = NDArray[np.uint8]
Numbers = NDArray[np.int64]

NEAR = np.ascontiguousarray(NEIGHBOURS.T)
"""The spaces around each: int64 (78, 4)."""
COUNT = 8
"""Bits of each of the numbers of spaces that share a word; see `survey`."""
_ONE, _ALL, _COUNTED = np.uint64(1), np.uint64(ALL), np.uint64((1 << COUNT) - 1)
_HALF = (SPACES + 1) // 2
_ALL_OF_HALF = np.uint64((1 << _HALF) - 1)
_CHUNK = 64
_LAST_CHUNK = COLOURS * SPACES - _CHUNK
_find_in_half = finding(_HALF)
_find_in_chunk = finding(_CHUNK)


class Places(NamedTuple):
    """What compiled code knows of a config: where the fields begin, and what fits.

    Attributes:
        beside: uint64 (22,), see `Eyes`.
        near: int64 (78, 4), the spaces around each.
        missed: float64, see `missed_odds`.
        seats: Number of seats, N.
        planes: Types of each colour.
        colours: Where the field begins, and so on.
    """

    beside: Words
    near: Numbers
    missed: NDArray[np.float64]
    seats: int
    planes: int
    colours: int
    wild: int
    phase: int
    power: int
    spot: int
    partner: int
    sizes: int
    pile: int
    hand: int
    known: int
    unseen: int


PLACES = len(Places._fields)


class Room(NamedTuple):
    """What one seat sees; see `Sight`.

    Attributes:
        board: uint8 (78,), what each space shows: 0 nothing, 1 + colour, 21 a face-down card.
        fits: uint64 (78,), the colours that fit each space.
        touches: uint8 (78,), how many cards touch each space.
        spaces: int64 (78,), the spaces where anything fits, `numbers[OPEN]` of them.
        hand: uint64 (5,), the colours of which the own hand has at least 1, ..., 5 cards.
        unseen: uint64 (5,), the same of all cards that are somewhere unseen.
        known: uint64 (N - 1,), the colours known in the others' hands.
        sizes: int64 (N - 1,), cards in them.
        strangers: int64 (N - 1,), how many of them are not known.
        reach: uint64 (4,), the colours that fit where they touch at least 1, ..., 4 cards.
        numbers: int64 (8,), see `OPEN` and the like.
    """

    board: Octets
    fits: Words
    touches: Octets
    spaces: Numbers
    hand: Words
    unseen: Words
    known: Words
    sizes: Numbers
    strangers: Numbers
    reach: Words
    numbers: Numbers


ROOM = len(Room._fields)
OPEN, CARDS, PILE, PHASE, POWER, SPOT, PARTNER, TOTAL = range(8)
"""Entries of a room's numbers: spaces where anything fits, own cards, cards in the pile, the phase,
the power of the placed card, its space, the seat that a card is owed to, and all unseen cards."""


def places_of(game: rules.Game, eyes: Eyes) -> Places:
    """Tell what compiled code needs to know of a game."""
    starts = {name: game.fields.slices[name].start for name in Places._fields[5:]}
    return Places(
        beside=eyes.beside.astype(np.uint64),
        near=NEAR,
        missed=missed_odds(),
        seats=game.num_seats,
        planes=game.cards.planes,
        **starts,
    )


def make_room(seats: int) -> Room:
    """Make room for what one of so many seats sees."""
    return Room(
        board=np.zeros(SPACES + 1, np.uint8),
        fits=np.zeros(SPACES + 1, np.uint64),
        touches=np.zeros(SPACES + 1, np.uint8),
        spaces=np.zeros(SPACES + 1, np.int64),
        hand=np.zeros(COPIES, np.uint64),
        unseen=np.zeros(COPIES, np.uint64),
        known=np.zeros(seats - 1, np.uint64),
        sizes=np.zeros(seats - 1, np.int64),
        strangers=np.zeros(seats - 1, np.int64),
        reach=np.zeros(PERFECT, np.uint64),
        numbers=np.zeros(8, np.int64),
    )


@compiled
def look(seen: Octets, places: Places, room: Room) -> None:
    """Read an observation, uint8 (F,), into a room; see `Eyes.look`."""
    _see_board(seen, places, room)
    _see_fits(places, room)
    _count_up(seen, places.hand, places.planes, room.hand)
    _count_up(seen, places.unseen, places.planes, room.unseen)
    total = 0
    for least in range(COPIES):
        total += popcount(room.unseen[least])
    _see_others(seen, places, room)
    numbers = room.numbers
    numbers[TOTAL] = total
    numbers[CARDS] = signed(seen[places.sizes])
    numbers[PILE] = signed(seen[places.pile])
    numbers[PHASE] = _find_mark(seen, places.phase, len(PHASES), 0)
    numbers[POWER] = _find_mark(seen, places.power, len(POWERS), NO_POWER)
    numbers[PARTNER] = _find_mark(seen, places.partner, places.seats, 0) - 1
    numbers[SPOT] = _find_spot(seen, places.spot)


@compiled
def _find_mark(seen: Octets, start: int, count: int, otherwise: int) -> int:
    """Find the highest of some entries, the first of equals, unless all are 0."""
    found, best = signed(otherwise), signed(0)
    for place in range(count):
        if signed(seen[start + place]) > best:
            found, best = signed(place), signed(seen[start + place])
    return found


@compiled
def marked(seen: Octets, start: int) -> bool:
    """Tell whether any entry of a field of the board, which begins at `start`, is not 0."""
    low = _find_in_half(seen[start : start + _HALF], 0)
    high = _find_in_half(seen[start + SPACES - _HALF : start + SPACES], 0)
    return bool((low & high & _ALL_OF_HALF) != _ALL_OF_HALF)


@compiled
def _find_spot(seen: Octets, start: int) -> int:
    """Find the marked space, the first if there are several, `OFF` if there is none."""
    for first in (0, SPACES - _HALF):
        there = ~_find_in_half(seen[start + first : start + first + _HALF], 0) & _ALL_OF_HALF
        if there:
            return signed(first + lowest(there))
    return signed(OFF)


@compiled
def _see_board(seen: Octets, places: Places, room: Room) -> None:
    """See what lies on the board."""
    board = room.board
    board[:] = 0
    for first in (0, SPACES - _HALF):
        start = places.wild + first
        there = ~_find_in_half(seen[start : start + _HALF], 0) & _ALL_OF_HALF
        while there:
            board[index(first + lowest(there))] = 1 + ANY_COLOUR
            there &= there - _ONE
    first = 0
    while first <= _LAST_CHUNK:
        start = places.colours + first
        there = ~_find_in_chunk(seen[start : start + _CHUNK], 0)
        while there:
            card = index(first + lowest(there))
            board[card % SPACES] = 1 + card // SPACES
            there &= there - _ONE
        first = min(first + _CHUNK, _LAST_CHUNK) if first < _LAST_CHUNK else _LAST_CHUNK + 1


@compiled
def _see_fits(places: Places, room: Room) -> None:
    """Find out what fits each space and how many cards touch it."""
    board, fits, touches = room.board, room.fits, room.touches
    fits[:] = _ALL
    touches[:] = 0
    for first in (0, _HALF):
        there = ~_find_in_half(board[first : first + _HALF], 0) & _ALL_OF_HALF
        while there:
            space = index(first + lowest(there))
            there &= there - _ONE
            beside = places.beside[board[space]]
            for side in range(4):
                near = places.near[space, side]
                touches[near] += 1
                fits[near] &= beside
    touches[OFF], fits[OFF] = 0, 0
    count = 0
    for space in range(SPACES):
        if board[space] != 0 or touches[space] == 0:
            fits[space] = 0
        if fits[space]:
            room.spaces[count] = space
            count += 1
    room.numbers[OPEN] = count


@compiled
def _count_up(seen: Octets, start: int, planes: int, sets: Words) -> None:
    """Find the colours of which there are at least 1, ..., 5 cards of a field by types."""
    sets[:] = 0
    for colour in range(COLOURS):
        count = 0
        for plane in range(planes):
            count += signed(seen[start + plane * COLOURS + colour])
        for least in range(min(count, COPIES)):
            sets[least] |= _ONE << np.uint64(colour)


@compiled
def _see_others(seen: Octets, places: Places, room: Room) -> None:
    """See how many cards the others hold, and what is known of them."""
    for other in range(len(room.sizes)):
        start, known, count = places.known + other * places.planes * COLOURS, np.uint64(0), 0
        for colour in range(COLOURS):
            cards = 0
            for plane in range(places.planes):
                cards += signed(seen[start + plane * COLOURS + colour])
            count += cards
            known |= np.uint64(cards > 0) << np.uint64(colour)
        room.known[other] = known
        room.sizes[other] = signed(seen[places.sizes + 1 + other])
        room.strangers[other] = room.sizes[other] - count


@compiled
def beside_card(places: Places, room: Room, near: int, shown: int) -> np.uint64:
    """Tell what fits a space once a card lies next to it that shows a colour."""
    before = room.fits[near] if room.touches[near] else _ALL
    free = room.board[near] == 0 and near != OFF
    return before & places.beside[1 + shown] if free else np.uint64(0)


@compiled
def count_copies(room: Room, colours: np.uint64) -> int:
    """Count the unseen cards of some colours."""
    count = 0
    for least in range(COPIES):
        count += popcount(room.unseen[least] & colours)
    return count


@compiled
def odds_of(places: Places, room: Room, other: int, colours: np.uint64, copies: int) -> float:
    """Estimate the probability that another seat holds a card of some colours.

    See `chroma_sight.odds_of`.

    Args:
        places: What is known of the config.
        room: What is seen.
        other: Which of the others.
        colours: The colours.
        copies: How many unseen cards there are of them.
    """
    if room.known[other] & colours:
        return 1.0
    strangers = min(max(room.strangers[other], 0), MOST)
    missed: float = places.missed[index(room.numbers[TOTAL]), index(strangers), index(copies)]
    return 1.0 - missed


@compiled
def touches_to_win(cards: int) -> int:
    """Tell how many cards a placement has to touch to win; see `chroma_sight.touches_to_win`."""
    return min(cards + 1, PERFECT)


@compiled
def survey(room: Room, hand: np.uint64) -> np.uint64:
    """Find what fits on the whole board, and count the spaces where an own card does.

    Args:
        room: What is seen; its `reach` is written to.
        hand: The colours in the own hand.

    Returns:
        Numbers of spaces by how many cards they touch, `COUNT` bits each; see `counted`.
    """
    counts = np.uint64(0)
    first, second, third, fourth = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    for number in range(room.numbers[OPEN]):
        space = room.spaces[number]
        fits, touches = room.fits[space], signed(room.touches[space])
        first |= fits
        second |= fits & -np.uint64(touches >= 2)
        third |= fits & -np.uint64(touches >= 3)
        fourth |= fits & -np.uint64(touches >= 4)
        counts += np.uint64((fits & hand) != 0) << np.uint64(COUNT * touches)
    room.reach[0], room.reach[1], room.reach[2], room.reach[3] = first, second, third, fourth
    return counts


@compiled
def counted(counts: np.uint64, touches: int) -> int:
    """Read off how many spaces touch so many cards."""
    return index(counts >> np.uint64(COUNT * touches) & _COUNTED)


@compiled
def most_touched(counts: np.uint64) -> int:
    """Return how many cards an own card can touch at most, 0 if none fits."""
    return highest(counts) // COUNT if counts else 0
