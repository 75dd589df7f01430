"""CHROMA as its rules page tells it: plain, slow, one game at a time, with nothing of the engine.

A space is a pair (column, row), both from 1, columns from the left, rows from the bottom. A card is
its text, such as `red` or `red+replay`. Decision numbers (C1 ... C16) are those of the rules page.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

COLUMNS, ROWS = 11, 7
LETTERS = "abcdefghijk"
CENTRE = (6, 4)
HAND = 5
COPIES = 5
POWERS = ["replay", "gift", "magnet", "lock"]
HUES = ["red", "orange", "yellow", "green", "blue", "purple"]
TONES = ["light", "mid", "dark"]
REASONS = ["perfect", "empty-hand", "pile", "blocked", "passes"]  # C16

Space = tuple[int, int]


def space_name(space: Space) -> str:
    return LETTERS[space[0] - 1] + str(space[1])


def space_of(name: str) -> Space:
    return LETTERS.index(name[0]) + 1, int(name[1:])


@cache
def neighbours(space: Space) -> list[Space]:
    """The spaces that share a side with one."""
    column, row = space
    around = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
    return [(c, r) for c, r in around if 1 <= c <= COLUMNS and 1 <= r <= ROWS]


SPACES = [(column, row) for row in range(1, ROWS + 1) for column in range(1, COLUMNS + 1)]


def colour_of(card: str) -> str:
    return card.split("+")[0]


def power_of(card: str) -> str | None:
    return card.split("+")[1] if "+" in card else None


# Wheels (C1)


def _tone_name(hue: str, tone: str) -> str:
    return hue if tone == "mid" else f"{tone}-{hue}"


def _tones(distances: list[tuple[int, int]]) -> tuple[list[str], set[frozenset[str]]]:
    """A wheel of six hues in three tones; distances (of hues, of tones) of compatible colours."""
    names = [_tone_name(hue, tone) for hue in HUES for tone in TONES] + ["white", "black"]
    pairs = set()
    for first in range(18):
        for second in range(18):
            hues = abs(first // 3 - second // 3)
            hues = min(hues, 6 - hues)
            tones = abs(first % 3 - second % 3)
            if (hues, tones) in distances:
                pairs.add(frozenset([names[first], names[second]]))
    for hue in HUES:
        pairs.add(frozenset(["white", f"light-{hue}"]))
        pairs.add(frozenset(["black", f"dark-{hue}"]))
    return names, pairs


def _ring() -> tuple[list[str], set[frozenset[str]]]:
    names = [f"hue-{number}" for number in range(18)] + ["white", "black"]
    pairs = set()
    for number in range(18):
        for distance in (1, 2):
            pairs.add(frozenset([names[number], names[(number + distance) % 18]]))
        pairs.add(frozenset([names[number], "white" if number <= 8 else "black"]))
    return names, pairs


def wheel_of(wheel: str | dict[str, Any]) -> tuple[list[str], set[frozenset[str]]]:
    """The names of the 20 colours and the compatible pairs of names."""
    if isinstance(wheel, dict):
        names = wheel["names"]
        return names, {frozenset([names[i], names[j]]) for i, j in wheel["compatible"]}
    if wheel == "tones":
        return _tones([(0, 1), (1, 0), (1, 1)])
    if wheel == "narrow":
        return _tones([(0, 1), (1, 0)])
    assert wheel == "ring"
    return _ring()


@dataclass(frozen=True)
class Config:
    """The options of the record."""

    num_players: int = 2
    wheel: Any = "tones"
    power_copies: int = 1
    first_player: int | None = None

    @cached_property
    def colours(self) -> list[str]:
        return wheel_of(self.wheel)[0]

    @cached_property
    def pairs(self) -> set[frozenset[str]]:
        return wheel_of(self.wheel)[1]

    def compatible(self, one: str, other: str) -> bool:
        """Whether two colours may touch; a colour is no partner of itself."""
        return frozenset([one, other]) in self.pairs

    @cached_property
    def pack(self) -> list[str]:
        """The 100 cards, in no meaningful order (C2)."""
        cards = []
        for number, colour in enumerate(self.colours):
            for copy in range(COPIES):
                if copy < self.power_copies:
                    cards.append(f"{colour}+{POWERS[(number + copy) % 4]}")
                else:
                    cards.append(colour)
        return cards


@dataclass
class Chroma:
    """One game. Nothing in it is ever changed: `after` makes a new one.

    Attributes:
        config: The options.
        first: The seat that began.
        seat: Who is to decide; once the game is over, who decided last.
        phase: `place`, `draw`, `wild`, `power`, `give` or `over`.
        shown: The face-up cards by space.
        wilds: The face-down cards by space.
        hands: The cards of each seat.
        pile: The draw pile, next card first.
        magnets: The seats of the active Magnets, by the space of the card.
        locks: The seats of the active Locks, by the space of the card.
        passes: Passes in a row.
        placed: Where this turn's last placement went; None before the first.
        giving_to: The seat that a card was taken from in this turn, and is given one.
        again: Whether the placement that is owed is one of a Replay.
        known: `known[a][b]`: the cards that seat a knows to be in the hand of seat b (C13).
        insight: The seats that know the face-down card of a space.
        reason: Why the game ended.
        winners: Who won.
    """

    config: Config
    first: int
    seat: int
    phase: str
    shown: dict[Space, str]
    wilds: dict[Space, str]
    hands: list[list[str]]
    pile: list[str]
    magnets: dict[Space, int] = field(default_factory=dict)
    locks: dict[Space, int] = field(default_factory=dict)
    passes: int = 0
    placed: Space | None = None
    giving_to: int | None = None
    again: bool = False
    known: list[list[Counter[str]]] = field(default_factory=list)
    insight: dict[Space, set[int]] = field(default_factory=dict)
    reason: str | None = None
    winners: list[int] = field(default_factory=list)

    def copy(self) -> "Chroma":
        return Chroma(
            self.config,
            self.first,
            self.seat,
            self.phase,
            dict(self.shown),
            dict(self.wilds),
            [list(hand) for hand in self.hands],
            list(self.pile),
            dict(self.magnets),
            dict(self.locks),
            self.passes,
            self.placed,
            self.giving_to,
            self.again,
            [[Counter(cards) for cards in row] for row in self.known],
            {space: set(seats) for space, seats in self.insight.items()},
            self.reason,
            list(self.winners),
        )

    @property
    def seats(self) -> range:
        return range(self.config.num_players)

    @property
    def hand(self) -> list[str]:
        return self.hands[self.seat]

    @property
    def power(self) -> str | None:
        """The power of the card that this turn placed last."""
        return power_of(self.shown[self.placed]) if self.placed else None

    # Where cards may go

    def occupied(self, space: Space) -> bool:
        return space in self.shown or space in self.wilds

    def empty_spaces(self) -> list[Space]:
        return [space for space in SPACES if not self.occupied(space)]

    def touched(self, space: Space) -> list[Space]:
        """The cards, face up or down, that a card on this space touches."""
        return [around for around in neighbours(space) if self.occupied(around)]

    def frontier(self) -> list[Space]:
        """The empty spaces that touch a card."""
        return [space for space in self.empty_spaces() if self.touched(space)]

    def fits(self, colour: str, space: Space) -> bool:
        """Whether the colour rule alone lets a card go to this space of the frontier."""
        return all(
            around in self.wilds or self.config.compatible(colour, colour_of(self.shown[around]))
            for around in self.touched(space)
        )

    def next_to(self, space: Space, markers: dict[Space, int]) -> bool:
        """Whether a space is next to a Magnet, or a Lock, of another player."""
        return any(markers.get(around, self.seat) != self.seat for around in neighbours(space))

    def placements(self) -> list[tuple[str, Space]]:
        """The legal placements of the seat to decide (C8, C9, C10)."""
        unlocked = [space for space in self.frontier() if not self.next_to(space, self.locks)]
        free = [
            (card, space)
            for card in sorted(set(self.hand))
            for space in unlocked
            if self.fits(colour_of(card), space)
        ]
        bound = [(card, space) for card, space in free if self.next_to(space, self.magnets)]
        return bound or free

    # What may be decided

    def legal(self) -> list[str]:
        """The legal moves' texts, sorted by code point; none once the game is over."""
        return list(self._legal)

    @cached_property
    def _legal(self) -> list[str]:
        return sorted(self._options())

    def _options(self) -> Iterator[str]:
        cards = set(self.hand)  # C15
        if self.phase == "place":
            for card, space in self.placements():
                yield f"{card}@{space_name(space)}"
        elif self.phase == "draw":
            yield "draw"
        elif self.phase == "wild":
            for card in cards:
                for space in self.empty_spaces():
                    yield f"wild:{card}@{space_name(space)}"
        elif self.phase == "power":
            yield "skip"
            if self.power == "gift":
                yield from (f"gift:{seat}" for seat in self.seats if seat != self.seat)
            else:
                yield "use"
        elif self.phase == "give":
            yield from (f"give:{card}" for card in cards)

    def chance_due(self, text: str) -> bool:
        return text.startswith("gift:")

    def chances(self, text: str) -> list[str]:
        """The cards that a Gift may take, as often as they are in the hand."""
        return self.hands[int(text.removeprefix("gift:"))]

    def after(self, text: str, chance: str | None = None) -> "Chroma":
        """The game after a legal move, which chance answers where it is a Gift."""
        if text not in self.legal():
            raise ValueError(f"{text} is not legal")
        if self.chance_due(text):
            if chance not in self.chances(text):
                raise ValueError(f"{chance} cannot be taken")
        elif chance is not None:
            raise ValueError("no chance is due")
        game = self.copy()
        if text == "draw":
            game._draw()
            game.passes += 1
            game._end_turn()
        elif text == "skip":
            game._end_turn()
        elif text == "use":
            game._use()
        elif text.startswith("gift:"):
            assert chance is not None
            game._take(int(text.removeprefix("gift:")), chance)
        elif text.startswith("give:"):
            game._give(text.removeprefix("give:"))
        elif text.startswith("wild:"):
            card, name = text.removeprefix("wild:").split("@")
            game._place_wild(card, space_of(name))
        else:
            card, name = text.split("@")
            game._place(card, space_of(name))
        game._show_single_cards()
        return game

    # A turn

    def _begin_turn(self) -> None:
        for markers in (self.magnets, self.locks):
            for space in [space for space, seat in markers.items() if seat == self.seat]:
                del markers[space]
        self.placed = self.giving_to = None
        self.phase = "place" if self.placements() else "draw"

    def _draw(self) -> None:
        if self.pile:  # C5
            self.hand.append(self.pile.pop(0))

    def _place(self, card: str, space: Space) -> None:
        touches = len(self.touched(space))
        self._leaves(card, self.seat, everyone=True)
        self.shown[space] = card
        self.placed = space
        self.again = False
        self.passes = 0
        if touches == 4:
            self._end("perfect", [self.seat])
        elif touches == 3 and self.hand and self.empty_spaces():
            self.phase = "wild"
        else:
            if touches == 1:
                self._draw()
            self._offer_power()

    def _place_wild(self, card: str, space: Space) -> None:
        seen = len(self.hand) == 1
        self._leaves(card, self.seat, everyone=seen)
        self.wilds[space] = card
        self.insight[space] = set(self.seats) if seen else {self.seat}
        self._offer_power()

    def _offer_power(self) -> None:
        if self.power is None or (self.power == "replay" and not self.placements()):
            self._end_turn()
        else:
            self.phase = "power"  # also with an empty hand: C11

    def _use(self) -> None:
        assert self.placed is not None
        if self.power == "replay":
            self.phase, self.again = "place", True
            return
        markers = self.magnets if self.power == "magnet" else self.locks
        markers[self.placed] = self.seat
        self._end_turn()

    def _take(self, other: int, card: str) -> None:
        seen = len(self.hands[other]) == 1
        self._leaves(card, other, everyone=seen, concerned=self.seat)
        self._joins(card, self.seat, everyone=seen, concerned=other)
        self.giving_to = other
        self.phase = "give"

    def _give(self, card: str) -> None:
        assert self.giving_to is not None
        other = self.giving_to
        seen = len(self.hand) == 1
        self._leaves(card, self.seat, everyone=seen, concerned=other)
        self._joins(card, other, everyone=seen, concerned=self.seat)
        self._end_turn()

    def _end_turn(self) -> None:
        if not self.hand:
            self._end("empty-hand", [self.seat])
        elif not self.pile:  # C4
            self._end("pile", self._fewest())
        elif not self._any_card_fits():  # C6
            self._end("blocked", self._fewest())
        elif self.passes >= 2 * self.config.num_players:  # C7
            self._end("passes", self._fewest())
        else:
            self.seat = (self.seat + 1) % self.config.num_players
            self._begin_turn()

    def _any_card_fits(self) -> bool:
        left = {colour_of(card) for cards in [*self.hands, self.pile] for card in cards}
        return any(self.fits(colour, space) for colour in left for space in self.frontier())

    def _fewest(self) -> list[int]:
        least = min(len(hand) for hand in self.hands)
        return [seat for seat in self.seats if len(self.hands[seat]) == least]

    def _end(self, reason: str, winners: list[int]) -> None:
        self.phase, self.reason, self.winners = "over", reason, winners

    def result(self) -> dict[str, Any] | None:
        """The record's `result`, or None while the game goes on."""
        if self.reason is None:
            return None
        seats, won = self.config.num_players, len(self.winners)
        share = (seats - won) / (won * (seats - 1))
        lost = -1 / (seats - 1)
        return {
            "rewards": [share if seat in self.winners else lost for seat in self.seats],
            "reason": self.reason,
            "hand_sizes": [len(hand) for hand in self.hands],
        }

    # What seats know (C13)

    def _leaves(self, card: str, holder: int, everyone: bool, concerned: int | None = None) -> None:
        """Take a card out of a hand; who does not see it drops what they knew of that hand."""
        self.hands[holder].remove(card)
        for viewer in self.seats:
            of_hand = self.known[viewer][holder]
            if not everyone and viewer not in (holder, concerned):
                of_hand.clear()
            elif of_hand[card]:
                of_hand[card] -= 1

    def _joins(self, card: str, holder: int, everyone: bool, concerned: int) -> None:
        """Put a card into a hand; those who see it know it to be there."""
        self.hands[holder].append(card)
        for viewer in self.seats:
            if everyone or viewer == concerned:
                self.known[viewer][holder][card] += 1

    def _show_single_cards(self) -> None:
        for holder, hand in enumerate(self.hands):
            if len(hand) == 1:
                for viewer in self.seats:
                    self.known[viewer][holder] = Counter(hand)

    def knows_of(self, viewer: int, holder: int) -> Counter[str]:
        """The cards that a seat knows to be in a hand; of its own hand, all."""
        if viewer == holder:
            return Counter(self.hands[holder])
        return +self.known[viewer][holder]

    def knows_wilds(self, viewer: int) -> dict[Space, str]:
        """The face-down cards that a seat knows."""
        return {space: self.wilds[space] for space in self.wilds if viewer in self.insight[space]}

    def unseen(self, viewer: int) -> Counter[str]:
        """The cards of which a seat does not know where they are."""
        left = Counter(self.config.pack)
        left -= Counter(self.shown.values())
        left -= Counter(self.knows_wilds(viewer).values())
        for holder in self.seats:
            left -= self.knows_of(viewer, holder)
        return left

    def in_world(
        self, seat: int, hands: list[list[str]], wilds: dict[Space, str], pile: list[str]
    ) -> "Chroma":
        """The game as it may be for all that a seat knows, with other hidden cards.

        Whether a turn begins with a pass may change. What the other seats know of each other is
        theirs; it is nothing here, but for single cards, which all see.
        """
        game = self.copy()
        game.hands, game.wilds, game.pile = hands, wilds, pile
        for viewer in self.seats:
            for holder in self.seats:
                if seat not in (viewer, holder):
                    game.known[viewer][holder].clear()
        game._show_single_cards()
        if self.phase in ("place", "draw"):
            game.phase = "place" if game.placements() else "draw"
        return game


def begin(config: Config, setup: dict[str, Any]) -> Chroma:
    """The game before its first ply; `setup` as in the record."""
    deck, first = setup["deck"], setup["first_player"]
    if sorted(deck) != sorted(config.pack):
        raise ValueError("this is not the pack")
    if first not in range(config.num_players) or config.first_player not in (None, first):
        raise ValueError("this seat does not begin")
    hands = [deck[1 + HAND * seat : 1 + HAND * (seat + 1)] for seat in range(config.num_players)]
    game = Chroma(
        config=config,
        first=first,
        seat=first,
        phase="place",
        shown={CENTRE: deck[0]},
        wilds={},
        hands=hands,
        pile=deck[1 + HAND * config.num_players :],
        known=[[Counter() for _ in hands] for _ in hands],
    )
    game._begin_turn()
    return game
