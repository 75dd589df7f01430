"""The heuristic of CHROMA in compiled code, one action after another; see `chroma.py`."""

import math
from typing import Any, NamedTuple

import numpy as np

from chromazoo.agents.chroma import (
    AT_ONCE,
    EXPONENTIAL,
    HIGHEST,
    LN_2,
    LOG2_E,
    LOST,
    SURE,
    TWO_TO,
    Weights,
)
from chromazoo.agents.chroma_compiled_sight import (
    CARDS,
    OPEN,
    PARTNER,
    PHASE,
    PILE,
    PLACES,
    POWER,
    SPOT,
    Numbers,
    Octets,
    Places,
    Room,
    beside_card,
    count_copies,
    counted,
    look,
    make_room,
    most_touched,
    odds_of,
    places_of,
    survey,
    touches_to_win,
)
from chromazoo.agents.chroma_sight import LOG1P, PERFECT, Eyes, Worth
from chromazoo.envs.chroma import rules
from chromazoo.envs.chroma.board import ANY_COLOUR, OFF, SPACES
from chromazoo.envs.chroma.cards import GIFT, LOCK, MAGNET, NO_POWER, POWERS, REPLAY
from chromazoo.envs.chroma.config import COLOURS, GIVE, PLACE, WILD
from chromazoo.envs.chroma.config import POWER as USE
from chromazoo.envs.compiled import compiled, index, signed
from chromazoo.envs.fields import Observation
from chromazoo.envs.masks import Words

_ONE = np.uint64(1)
_HALF_TURN = len(TWO_TO) // 2
_OPENINGS = 3
_PLAIN = -1  # not the use of a power


class Mind(NamedTuple):
    """What the heuristic values, and what it knows of the actions.

    Attributes:
        cards: See `Weights`, as of those that follow.
        chance: See `Weights`.
        shed: See `Weights`.
        ready: See `Weights`.
        swap: See `Weights`.
        openings: float64 (3,).
        powers: float64 (5,), the last of no power.
        power_of: int64 (T,), the power of each type, -1 for none.
        log1p: float64 (256,).
        series: See `EXPONENTIAL`.
        two_to: See `TWO_TO`.
        draw: The number of the action, as of those that follow.
        skip: To do without a power.
        gift: The first action that uses a Gift.
        give: The first action that gives a card back.
    """

    cards: float
    chance: float
    shed: float
    ready: float
    swap: float
    openings: Worth
    powers: Worth
    power_of: Numbers
    log1p: Worth
    series: Worth
    two_to: Worth
    draw: int
    skip: int
    gift: int
    give: int


_MIND = len(Mind._fields)
_MIND_AND_PLACES = _MIND + PLACES


class Desk(NamedTuple):
    """Room for what an action leaves.

    Attributes:
        fits: uint64 (5,), what fitted the spaces around a card, and its own, before it was laid.
        touches: uint8 (4,), how many cards touched those around.
        beside: uint64 (4,), as a room's `reach`, but beside the placed card.
        apart: uint64 (4,), the same elsewhere.
        odds: float64 (4,), of one other seat.
    """

    fits: Words
    touches: Octets
    beside: Words
    apart: Words
    odds: Worth


_DESK = len(Desk._fields)
_ALL_BUT_ROOM = _MIND_AND_PLACES + _DESK


class Turn(NamedTuple):
    """What an action leaves of the own seat and of the turn.

    Attributes:
        hand: The colours in hand.
        cards: How many cards.
        powers: What their powers are worth.
        pile: Cards in the draw pile.
        power: The power of the placed card, -1 for none.
        spot: Where it lies.
        counts: How many spaces own cards fit, by how many cards they touch there, 8 bits each.
        wild: Whether a face-down card is still to come.
    """

    hand: np.uint64
    cards: int
    powers: float
    pile: int
    power: int
    spot: int
    counts: np.uint64
    wild: bool


class Weigher:
    """Weighs actions as `ChromaHeuristic` does, to the last bit."""

    def __init__(self, game: rules.Game, eyes: Eyes, weights: Weights) -> None:
        """Get ready.

        Args:
            game: CHROMA with any options.
            eyes: What reads its observations.
            weights: What the heuristic values.
        """
        mind = Mind(
            cards=weights.cards,
            chance=weights.chance,
            shed=weights.shed,
            ready=weights.ready,
            swap=weights.swap,
            openings=np.array(weights.openings),
            powers=np.append(weights.powers, 0.0),
            power_of=game.cards.power.astype(np.int64),
            log1p=LOG1P,
            series=EXPONENTIAL,
            two_to=TWO_TO,
            draw=game.draw,
            skip=game.skip,
            gift=game.gift,
            give=game.give,
        )
        self._seats = game.num_seats
        self._given = (*mind, *places_of(game, eyes))

    def weigh(self, observation: Observation, rows: Numbers, actions: Numbers) -> Worth:
        """Weigh actions.

        Args:
            observation: uint8 (n, F).
            rows: int64 (m,), the position of each action, ascending.
            actions: int64 (m,), legal ones.

        Returns:
            float64 (m,): the chance to win that each leaves, and `AT_ONCE` where it wins.
        """
        worth = np.empty(len(rows))
        # Made anew each time: threads may share an agent, and compiled code runs side by side.
        desk, room = _make_desk(), make_room(self._seats)
        seen = np.ascontiguousarray(observation)
        _weigh_all(seen, rows, actions, worth, *self._given, *desk, *room)
        return worth


def _make_desk() -> Desk:
    """Make room for what an action leaves."""
    return Desk(
        fits=np.zeros(5, np.uint64),
        touches=np.zeros(4, np.uint8),
        beside=np.zeros(PERFECT, np.uint64),
        apart=np.zeros(PERFECT, np.uint64),
        odds=np.zeros(PERFECT),
    )


@compiled
def _weigh_all(
    seen: Observation, rows: Numbers, actions: Numbers, worth: Worth, *given: Any
) -> None:
    """Weigh the listed actions of all positions."""
    mind, places = Mind(*given[:_MIND]), Places(*given[_MIND:_MIND_AND_PLACES])
    desk, room = Desk(*given[_MIND_AND_PLACES:_ALL_BUT_ROOM]), Room(*given[_ALL_BUT_ROOM:])
    last, powers = signed(-1), 0.0
    for entry in range(len(rows)):
        if rows[entry] != last:
            last = rows[entry]
            look(seen[last], places, room)
            powers = _worth_of_powers(seen[last], mind, places)
        worth[entry] = _weigh_action(mind, places, desk, room, powers, actions[entry])


@compiled
def _worth_of_powers(seen: Octets, mind: Mind, places: Places) -> float:
    """Add up what the powers in hand are worth, one power after another."""
    total = 0.0
    for power in range(len(POWERS)):
        cards = 0
        for card in range(len(mind.power_of)):
            if mind.power_of[card] == power:
                cards += signed(seen[places.hand + card])
        total += mind.powers[power] * cards
    return total


@compiled
def _weigh_action(
    mind: Mind, places: Places, desk: Desk, room: Room, powers: float, action: int
) -> float:
    """Weigh one action."""
    numbers = room.numbers
    phase = numbers[PHASE]
    if action == mind.draw:
        return 0.0
    hand, cards, pile = room.hand[0], numbers[CARDS], numbers[PILE]
    power, spot, space, shown = numbers[POWER], numbers[SPOT], signed(OFF), signed(0)
    wild, perfect, taker, seat = False, False, signed(-1), signed(-1)
    bit = np.uint64(0)
    if phase == USE:
        if action == mind.skip:
            power = signed(NO_POWER)
        else:
            seat = signed(max(action - mind.gift, 0))
    else:
        card = index(action - mind.give if phase == GIVE else action // SPACES)
        bit = _ONE << np.uint64(card % COLOURS)
        hand = hand & ~bit | room.hand[1] & bit
        cards -= 1
        powers -= mind.powers[mind.power_of[card]]
        if phase == GIVE:
            power, taker = signed(NO_POWER), numbers[PARTNER]
        else:
            space = action % SPACES
            shown = signed(ANY_COLOUR if phase == WILD else card % COLOURS)
    if phase == PLACE:
        touches = signed(room.touches[space])
        wild, perfect = touches == 3 and cards > 0, touches == PERFECT
        drawn = signed(touches == 1 and pile > 0)
        cards += drawn - signed(wild)
        pile -= drawn
        power, spot = mind.power_of[index(action // SPACES)], space
    if perfect:
        return AT_ONCE
    _lay(places, desk, room, space, shown)
    known, size = np.uint64(0), signed(0)
    if taker >= 0:
        known, size = room.known[taker], room.sizes[taker]
        room.known[taker] = known | bit
        room.sizes[taker] = size + 1
    counts = survey(room, hand)
    turn = Turn(hand, cards, powers, pile, power, spot, counts, wild)
    worth = _weigh_turn(mind, places, desk, room, turn, seat)
    if taker >= 0:
        room.known[taker], room.sizes[taker] = known, size
    _take_back(places, desk, room, space)
    return worth


@compiled
def _lay(places: Places, desk: Desk, room: Room, space: int, shown: int) -> None:
    """Lay a card that shows a colour; note what was there before."""
    if space == OFF:
        return
    count = room.numbers[OPEN]
    for side in range(4):
        near = places.near[space, side]
        desk.fits[side], desk.touches[side] = room.fits[near], room.touches[near]
        if near != OFF:
            fits = beside_card(places, room, near, shown)
            if room.touches[near] == 0 and fits:
                room.spaces[count] = near
                count += 1
            room.fits[near] = fits
            room.touches[near] += 1
    desk.fits[4] = room.fits[space]
    room.fits[space] = 0
    # `_take_back` knows what was added to the list: spaces where nothing had fitted before.
    room.numbers[OPEN] = count


@compiled
def _take_back(places: Places, desk: Desk, room: Room, space: int) -> None:
    """Take the card away again."""
    if space == OFF:
        return
    count = room.numbers[OPEN]
    for side in range(4):
        near = places.near[space, side]
        if near != OFF:
            if desk.touches[side] == 0 and room.fits[near]:
                count -= 1
            room.fits[near], room.touches[near] = desk.fits[side], desk.touches[side]
    room.fits[space] = desk.fits[4]
    room.numbers[OPEN] = count


@compiled
def _weigh_turn(mind: Mind, places: Places, desk: Desk, room: Room, turn: Turn, seat: int) -> float:
    """Weigh what an action leaves.

    Args:
        mind: What is valued.
        places: What is known of the config.
        desk: Room.
        room: What is seen.
        turn: What the action leaves.
        seat: Where the action is the use of a power: the seat that a Gift takes from; else -1. All
            uses of the power are weighed then, and to end the turn without.
    """
    worth, used = LOST, seat >= 0
    first, last = signed(_PLAIN), signed(_PLAIN) + 1
    if turn.power != NO_POWER:
        last = len(room.sizes) if turn.power == GIFT else signed(1)
    if used:
        first = seat if turn.power == GIFT else signed(0)
        last = first + 1
    for use in range(first, last):
        if use == _PLAIN or worth < SURE:
            found = _weigh_use(mind, places, desk, room, turn, use)
            if use == _PLAIN:
                settled = turn.power == NO_POWER or (turn.power == REPLAY and turn.cards == 0)
                worth = AT_ONCE if settled and not turn.wild and found == SURE else found
                if worth >= SURE:
                    break
            else:
                worth = max(worth, found)
    return worth


@compiled
def _weigh_use(mind: Mind, places: Places, desk: Desk, room: Room, turn: Turn, use: int) -> float:
    """Weigh the use of a power, or doing without where `use` is `_PLAIN`."""
    cards, powers, marked = turn.cards, turn.powers, signed(NO_POWER)
    known, strangers, other = np.uint64(0), signed(0), index(max(use, 0))
    gift = use != _PLAIN and turn.power == GIFT
    if gift:
        powers += mind.swap
        known, strangers = room.known[other], room.strangers[other]
        room.known[other] = known if room.sizes[other] != 1 else np.uint64(0)
        room.strangers[other] = max(strangers - 1, 0)
    elif use != _PLAIN and turn.power == REPLAY:
        touches = most_touched(turn.counts)
        cards = 0 if touches == PERFECT else max(cards - max(touches - 1, 0), 0)
    elif use != _PLAIN:
        marked = turn.power
    wild = turn.wild and use == _PLAIN
    worth = _weigh_end(mind, places, desk, room, turn, cards, powers, marked, wild)
    if gift:
        room.known[other], room.strangers[other] = known, strangers
    return worth


@compiled
def _log1p(mind: Mind, cards: int) -> float:
    """Return ln(1 + cards)."""
    value: float = mind.log1p[index(min(max(cards, 0), len(mind.log1p) - 1))]
    return value


@compiled
def _weigh_end(
    mind: Mind,
    places: Places,
    desk: Desk,
    room: Room,
    turn: Turn,
    cards: int,
    powers: float,
    marked: int,
    wild: bool,
) -> float:
    """Estimate the chance to win when the turn ends like this; see `ChromaHeuristic`."""
    if cards == 0:
        return SURE
    colours = turn.hand | room.unseen[0]
    for other in range(len(room.known)):
        colours |= room.known[other]
    if turn.pile == 0 or ((room.reach[0] & colours) == 0 and not wild):
        return _fewest(room, cards)
    if marked != NO_POWER:
        _look_beside(places, desk, room, turn.spot)
    own, stronger = _strength(mind, turn, cards, powers), 0.0
    for other in range(len(room.sizes)):
        theirs = _strength_of(mind, places, desk, room, other, marked)
        stronger += _exponential(mind, theirs - own)
    return 1 / (1 + stronger)


@compiled
def _fewest(room: Room, cards: int) -> float:
    """Return the share in a win by fewest cards."""
    shared = 0
    for other in range(len(room.sizes)):
        if room.sizes[other] < cards:
            return LOST
        shared += room.sizes[other] == cards
    return 1 / (1 + shared)


@compiled
def _strength(mind: Mind, turn: Turn, cards: int, powers: float) -> float:
    """Judge the own seat."""
    ready = 1.0 if most_touched(turn.counts) >= touches_to_win(cards) else 0.0
    strength = mind.ready * ready - mind.cards * _log1p(mind, cards)
    strength += powers
    for least in range(1, _OPENINGS + 1):
        spaces = 0
        for touches in range(least, PERFECT + 2):
            spaces += counted(turn.counts, touches)
        strength += mind.openings[least - 1] * mind.log1p[index(spaces)]
    return strength


@compiled
def _look_beside(places: Places, desk: Desk, room: Room, spot: int) -> None:
    """Find what fits beside the placed card, and what elsewhere."""
    desk.beside[:], desk.apart[:] = 0, 0
    for number in range(room.numbers[OPEN]):
        space = room.spaces[number]
        near = False
        for side in range(4):
            near |= places.near[spot, side] == space
        reach = desk.beside if near else desk.apart
        for least in range(min(signed(room.touches[space]), PERFECT)):
            reach[least] |= room.fits[space]


@compiled
def _strength_of(
    mind: Mind, places: Places, desk: Desk, room: Room, other: int, marked: int
) -> float:
    """Judge another seat."""
    odds = desk.odds
    for least in range(PERFECT):
        colours = room.reach[least]
        if marked == LOCK:
            colours = desk.apart[least]
        elif marked == MAGNET:
            colours |= desk.beside[0]
        odds[least] = odds_of(places, room, other, colours, count_copies(room, colours))
    if marked == MAGNET:  # beside the Magnet, or elsewhere with no card that fits there
        beside = desk.beside
        first = odds_of(places, room, other, beside[0], count_copies(room, beside[0]))
        for least in range(PERFECT):
            there = odds_of(places, room, other, beside[least], count_copies(room, beside[least]))
            odds[least] = there + (odds[least] - first)
    size = room.sizes[other]
    chance = odds[index(touches_to_win(size) - 1)]
    for _ in range(other):
        chance *= 0.5
    shed = odds[0] + odds[1] + odds[2] - 1
    strength: float = mind.chance * chance + mind.shed * shed - mind.cards * _log1p(mind, size)
    return strength


@compiled
def _exponential(mind: Mind, exponent: float) -> float:
    """Calculate e to the power of a number; see `chroma.exponential`."""
    exponent = min(max(exponent, -HIGHEST), HIGHEST)
    twos = math.floor(exponent * LOG2_E + 0.5)
    rest = exponent - twos * LN_2
    found = mind.series[0]
    for place in range(1, len(EXPONENTIAL)):
        found = found * rest + mind.series[place]
    power: float = found * mind.two_to[index(int(twos) + _HALF_TURN)]
    return power
