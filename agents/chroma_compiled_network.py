"""What the policy network of CHROMA is told, by compiled code; see `chroma_network.py`."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.chroma_compiled_sight import (
    CARDS,
    COUNT,
    OPEN,
    PHASE,
    PLACES,
    SPOT,
    TOTAL,
    Numbers,
    Octets,
    Places,
    Room,
    beside_card,
    count_copies,
    counted,
    look,
    make_room,
    marked,
    most_touched,
    odds_of,
    places_of,
    survey,
    touches_to_win,
)
from chromazoo.agents.chroma_sight import LOG1P, PERFECT, Eyes
from chromazoo.agents.listing import Listing
from chromazoo.envs.chroma import rules
from chromazoo.envs.chroma.board import ANY_COLOUR, OFF, SPACES
from chromazoo.envs.chroma.cards import POWERS
from chromazoo.envs.chroma.config import COLOURS, WILD
from chromazoo.envs.compiled import compiled, index, popcount, signed
from chromazoo.envs.fields import Observation

Features = NDArray[np.float32]

_ONE = np.uint64(1)
_NOTHING, _YES = np.float32(0), np.float32(1)


class Tables(NamedTuple):
    """What is known of the actions of a config, and how they are described.

    Attributes:
        moves: bool (A,), whether an action moves a card.
        types: int64 (A,), the types of the cards that actions move.
        spaces: int64 (A,), where they lay them, `OFF` for nowhere.
        others: int64 (A,), the numbers of actions that move no card.
        power: int64 (T,), the power of each type, 4 for none.
        plain: int64 (k,), which entries of an observation are told as they are.
        high: float32 (k,), their highest values.
        log1p: float32 (256,), ln(1 + k).
        boards: int64 (2 N,), where the fields of Magnets and of Locks begin.
        unmoving: How many actions move no card.
        most: Numbers in hands and in the pile beyond which all look alike.
        left: The same of cards left in the own hand.
        scale: Brings numbers of colours close to 1.
    """

    moves: NDArray[np.bool_]
    types: Numbers
    spaces: Numbers
    others: Numbers
    power: Numbers
    plain: Numbers
    high: Features
    log1p: Features
    boards: Numbers
    unmoving: int
    most: int
    left: int
    scale: np.float32


_TABLES = len(Tables._fields)
_BOTH = _TABLES + PLACES


class Describer:
    """Describes positions and legal actions as `ChromaNetwork` does, to the last bit."""

    def __init__(self, game: rules.Game, eyes: Eyes, shape: tuple[int, int], **tables: Any) -> None:
        """Get ready.

        Args:
            game: CHROMA with any options.
            eyes: What reads its observations.
            shape: Numbers of features of positions and of actions.
            tables: `Tables`, as far as they are known to the network alone.
        """
        layout = game.fields
        names = ("phase", "replaying", "power", "partner", "pile", "passes")
        plain = np.concatenate([np.arange(game.num_features)[layout.slices[n]] for n in names])
        starts = [layout.slices[name].start for name in ("magnets", "locks")]
        boards = [start + seat * SPACES for start in starts for seat in range(game.num_seats)]
        self._shape = shape
        self._places = places_of(game, eyes)
        self._tables = Tables(
            power=np.where(game.cards.power < 0, len(POWERS), game.cards.power).astype(np.int64),
            plain=plain,
            high=layout.high[plain].astype(np.float32),
            log1p=LOG1P.astype(np.float32),
            boards=np.array(boards),
            **tables,
        )
        self._seats = game.num_seats

    def describe(self, seen: Observation, listing: Listing) -> tuple[Features, Features]:
        """Describe positions and their legal actions; see `Network.describe`.

        Args:
            seen: uint8 (n, F).
            listing: The legal actions, m in all.

        Returns:
            float32 (n, features) and (m, features).
        """
        positions = np.empty((len(seen), self._shape[0]), np.float32)
        actions = np.empty((len(listing.places), self._shape[1]), np.float32)
        _describe_all(
            np.ascontiguousarray(seen),
            listing.counts,
            listing.actions,
            positions,
            actions,
            *self._tables,
            *self._places,
            # Made anew: threads may share a network, and compiled code runs side by side.
            *make_room(self._seats),
        )
        return positions, actions

    def __deepcopy__(self, memo: dict[int, Any]) -> "Describer":
        """Return itself: nothing in it is ever learnt."""
        return self


@compiled
def _describe_all(
    seen: Observation,
    counts: Numbers,
    actions: Numbers,
    positions: Features,
    told: Features,
    *given: Any,
) -> None:
    """Describe positions and their listed actions."""
    tables = Tables(*given[:_TABLES])
    places = Places(*given[_TABLES:_BOTH])
    room = Room(*given[_BOTH:])
    entry = 0
    for position in range(len(seen)):
        look(seen[position], places, room)
        _tell_position(seen[position], tables, places, room, positions[position])
        for _ in range(counts[position]):
            action, out = index(actions[entry]), told[entry]
            out[:] = _NOTHING
            if tables.moves[action]:
                card, space = tables.types[action], tables.spaces[action]
                _tell_card(tables, places, room, card, space, out)
            else:
                out[len(out) - tables.unmoving + tables.others[action]] = _YES
            entry += 1


@compiled
def _share(number: int, whole: Any) -> np.float32:
    """Divide in the width of features."""
    return np.float32(number) / np.float32(whole)


@compiled
def _tell_position(seen: Octets, tables: Tables, places: Places, room: Room, out: Features) -> None:
    """Tell what a seat knows; see `ChromaNetwork._about_positions`."""
    numbers, most, scale = room.numbers, tables.most, tables.scale
    out[:] = _NOTHING
    at = 0
    for entry in range(len(tables.plain)):
        out[at] = np.float32(seen[tables.plain[entry]]) / tables.high[entry]
        at += 1
    for board in range(len(tables.boards)):
        out[at] = np.float32(marked(seen, tables.boards[board]))
        at += 1
    out[at] = _share(min(signed(seen[places.pile]), most), most)
    at += 1
    for seat in range(places.seats):
        out[at + min(signed(seen[places.sizes + seat]), most)] = _YES
        at += most + 1
    for card in range(len(tables.power)):
        out[at + tables.power[card]] += np.float32(seen[places.hand + card])
    at += len(POWERS) + 1
    hand = room.hand[0]
    counts = survey(room, hand)
    for least in range(PERFECT):
        reach = room.reach[least]
        out[at + least] = _share(popcount(reach & hand), scale)
        out[at + PERFECT + least] = _share(popcount(reach), COLOURS)
        out[at + 2 * PERFECT + least] = tables.log1p[counted(counts, least + 1)]
    at += 3 * PERFECT
    at = _tell_prospects(places, room, counts, numbers[CARDS], out, at)
    for other in range(places.seats - 1):
        out[at] = _share(room.strangers[other], most)
        at += 1
    spot = numbers[SPOT]
    for side in range(4):
        near = places.near[spot, side]
        touches = signed(room.touches[near])
        _add_taken(tables, room, room.fits[near], touches, hand, out, at)


@compiled
def _tell_card(
    tables: Tables, places: Places, room: Room, card: int, space: int, out: Features
) -> None:
    """Tell of a card on its way; see `ChromaNetwork._about_cards`."""
    colour = card % COLOURS
    bit = _ONE << np.uint64(colour)
    hand = room.hand[0] & ~bit | room.hand[1] & bit
    hidden = room.numbers[PHASE] == WILD
    touched, here = signed(room.touches[space]), room.fits[space]
    left = room.numbers[CARDS] - 1
    if space != OFF and not hidden:
        left += signed(touched == 1) - signed(touched == 3)
    width = 3 + places.seats
    at = PERFECT * width
    out[at + touched] = _YES
    at += PERFECT + 1
    out[at + min(max(left, 0), tables.left)] = _YES
    at += tables.left + 1
    out[at + tables.power[card]] = _YES
    at += len(POWERS) + 1
    out[at] = np.float32((hand & bit) != 0)
    at += 1
    _add_takers(tables, room, here, hand, out, at)
    at += width
    counts = _lay_and_survey(
        tables, places, room, space, ANY_COLOUR if hidden else colour, hand, out
    )
    for least in range(PERFECT):
        out[at + least] = tables.log1p[counted(counts, least + 1)]
        out[at + PERFECT + least] = _share(popcount(room.reach[least] & hand), tables.scale)
    _tell_prospects(places, room, counts, left, out, at + 2 * PERFECT)


@compiled
def _lay_and_survey(
    tables: Tables,
    places: Places,
    room: Room,
    space: int,
    shown: int,
    hand: np.uint64,
    out: Features,
) -> np.uint64:
    """Tell of the spaces around a card once it lies there, and survey the board as it is then."""
    reach, counts = room.reach, np.uint64(0)
    first, second, third, fourth = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    near_0, near_1 = places.near[space, 0], places.near[space, 1]
    near_2, near_3 = places.near[space, 2], places.near[space, 3]
    for number in range(room.numbers[OPEN]):
        other = room.spaces[number]
        fits, touches = room.fits[other], signed(room.touches[other])
        apart = (
            (other != space)
            & (other != near_0)
            & (other != near_1)
            & (other != near_2)
            & (other != near_3)
        )
        fits &= -np.uint64(apart)
        first |= fits
        second |= fits & -np.uint64(touches >= 2)
        third |= fits & -np.uint64(touches >= 3)
        fourth |= fits & -np.uint64(touches >= 4)
        counts += np.uint64((fits & hand) != 0) << np.uint64(COUNT * touches)
    for side in range(4):
        near = places.near[space, side]
        fits, touches = beside_card(places, room, near, shown), signed(room.touches[near]) + 1
        first |= fits
        second |= fits & -np.uint64(touches >= 2)
        third |= fits & -np.uint64(touches >= 3)
        fourth |= fits & -np.uint64(touches >= 4)
        counts += np.uint64((fits & hand) != 0) << np.uint64(COUNT * touches)
        _add_taken(tables, room, fits, touches, hand, out, 0)
    reach[0], reach[1], reach[2], reach[3] = first, second, third, fourth
    return counts


@compiled
def _tell_prospects(
    places: Places, room: Room, counts: np.uint64, cards: int, out: Features, at: int
) -> int:
    """Tell what may be placed next, and whether it wins: see `_prospects`; where it ends."""
    others = places.seats - 1
    for least in range(PERFECT):
        reach = room.reach[least]
        copies = count_copies(room, reach)
        for other in range(others):
            odds = np.float32(odds_of(places, room, other, reach, copies))
            out[at + least * others + other] = odds
            if touches_to_win(room.sizes[other]) == least + 1:
                out[at + PERFECT * others + other] = odds
    at += (PERFECT + 1) * others
    out[at] = np.float32(most_touched(counts) >= touches_to_win(cards))
    return at + 1


@compiled
def _add_taken(
    tables: Tables,
    room: Room,
    fits: np.uint64,
    touches: int,
    hand: np.uint64,
    out: Features,
    at: int,
) -> None:
    """Add who may have something for a space to what is told of those that touch as many cards."""
    if 1 <= touches <= PERFECT:
        width = 4 + len(room.known)
        _add_takers(tables, room, fits, hand, out, at + (touches - 1) * width)


@compiled
def _add_takers(
    tables: Tables, room: Room, fits: np.uint64, hand: np.uint64, out: Features, at: int
) -> None:
    """Add who may have something for a space; see `ChromaNetwork._takers`."""
    if fits == 0:
        return
    own = fits & hand
    out[at] += _YES
    out[at + 1] += np.float32(own != 0)
    out[at + 2] += _share(popcount(own), tables.scale)
    out[at + 3] += _share(count_copies(room, fits), max(room.numbers[TOTAL], 1))
    for other in range(len(room.known)):
        out[at + 4 + other] += np.float32((fits & room.known[other]) != 0)
