"""Guardians as its rules page tells it: plain, slow, one game at a time, nothing of the engine.

A card is its number, 1 to 50. A space is a pair (column, row), columns from 1 at the left, rows
from 0 at the top. Decision numbers (G1 ... G9) are those of the rules page.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

CARDS = range(1, 51)
COLUMNS = [1, 2, 3, 4, 5]
COLOURS = ["red", "yellow", "green", "blue", "purple"]  # G8
HAND = 9
TURNS = 8
REASONS = ["marks", "tie-break", "shared"]

Space = tuple[int, int]


def marks_on(card: int) -> int:
    """The points of a card."""
    if 1 <= card <= 5 or 46 <= card <= 50:
        return 3
    if 16 <= card <= 20 or 31 <= card <= 35:
        return 2
    return 1


def has_arrow(card: int) -> bool:
    return 1 <= card <= 10 or 41 <= card <= 50


def neighbours(space: Space) -> list[Space]:
    """The spaces that share a side with one; some of them may lie outside the queue."""
    column, row = space
    return [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]


@dataclass(frozen=True)
class Config:
    """The options of the record; `duel` and `colors` as None are the defaults."""

    num_players: int = 2
    rounds: int = 1
    duel: bool | None = None
    colors: Sequence[int] | None = None

    @property
    def is_duel(self) -> bool:
        """Whether the duel variant is played, the default for two (G7)."""
        return self.num_players == 2 if self.duel is None else self.duel

    @property
    def choices(self) -> int:
        """How many cards every player chooses in a turn."""
        return 2 if self.is_duel else 1

    @property
    def chief_cards(self) -> tuple[int, int]:
        """How many cards the chief gets in a turn, face up and face down (G2)."""
        if self.is_duel:
            return 1, 0
        return {2: (1, 2), 3: (1, 1), 4: (1, 0), 5: (0, 0)}[self.num_players]

    @cached_property
    def colours(self) -> list[int]:
        """The number of every card's colour (G1)."""
        return [(card - 1) % 5 for card in CARDS] if self.colors is None else list(self.colors)

    def colour_of(self, card: int) -> int:
        """The number of a card's colour."""
        return self.colours[card - 1]


@dataclass
class Placement:
    """One card that was placed in a turn.

    Attributes:
        card: The card.
        owner: The seat that played it; None is the chief.
        column: Where it went.
        explosions: The cards that exploded, at once, in each step of the chain.
    """

    card: int
    owner: int | None
    column: int
    explosions: list[list[int]] = field(default_factory=list)


@dataclass
class Guardians:
    """One game. Nothing in it is ever changed: `after` makes a new one.

    Attributes:
        config: The options.
        decks: The order of the cards in each round.
        round: The round, from 0.
        turn: The turn of the round, from 0.
        hands: The cards of each seat.
        chosen: The cards that each seat has chosen in this turn, still face down.
        pile: The draw pile, next card first.
        face_up: The chief's cards that all see.
        face_down: The chief's cards that nobody sees.
        queue: The cards of the queue by space.
        ends: The row of each column's queue card, which is the number of cards it has received.
        beside: The cards beside the chief.
        exploded: The cards in front of each seat, of this round.
        marks: The marks that each seat has taken in all rounds.
        seen: The cards that all have seen in this round.
        revealed: The cards that were revealed in the last turn, by seat, the chief's last; in the
            first turn of a later round those of the round before.
        placements: The last turn's placements in order.
        decided: The seat that decided last.
        over: Whether the game has ended.
    """

    config: Config
    decks: list[list[int]]
    round: int = -1
    turn: int = 0
    hands: list[list[int]] = field(default_factory=list)
    chosen: list[list[int]] = field(default_factory=list)
    pile: list[int] = field(default_factory=list)
    face_up: list[int] = field(default_factory=list)
    face_down: list[int] = field(default_factory=list)
    queue: dict[Space, int] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    beside: list[int] = field(default_factory=list)
    exploded: list[list[int]] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    revealed: list[list[int]] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    decided: int = 0
    over: bool = False

    def copy(self) -> "Guardians":
        return Guardians(
            self.config,
            self.decks,
            self.round,
            self.turn,
            [list(hand) for hand in self.hands],
            [list(cards) for cards in self.chosen],
            list(self.pile),
            list(self.face_up),
            list(self.face_down),
            dict(self.queue),
            dict(self.ends),
            list(self.beside),
            [list(cards) for cards in self.exploded],
            list(self.marks),
            set(self.seen),
            [list(cards) for cards in self.revealed],
            list(self.placements),
            self.decided,
            self.over,
        )

    @property
    def seats(self) -> range:
        return range(self.config.num_players)

    # What may be decided

    def owing(self, seat: int) -> int:
        """How many cards a seat still has to choose in this turn."""
        return 0 if self.over else self.config.choices - len(self.chosen[seat])

    @property
    def pending(self) -> list[int]:
        """The seats that owe a decision."""
        return [seat for seat in self.seats if self.owing(seat)]

    @property
    def seat(self) -> int:
        """The lowest seat that owes a decision; once the game is over, who decided last."""
        return self.decided if self.over else self.pending[0]

    def legal(self, seat: int | None = None) -> list[str]:
        """The legal moves' texts, sorted by code point; none where a seat owes no decision."""
        whose = self.seat if seat is None else seat
        return sorted(str(card) for card in self.hands[whose]) if self.owing(whose) else []

    def after(self, text: str, seat: int | None = None) -> "Guardians":
        """The game after a legal choice of a seat, the lowest pending one if not given."""
        whose = self.seat if seat is None else seat
        if text not in self.legal(whose):
            raise ValueError(f"{text} is not legal for seat {whose}")
        game = self.copy()
        game.hands[whose].remove(int(text))
        game.chosen[whose].append(int(text))
        game.decided = whose
        if not game.pending:
            game._reveal()
            game._end_turn()
        return game

    # A round

    def _begin_round(self) -> None:
        self.round += 1
        self.turn = 0
        deck = self.decks[self.round]
        self.hands = [deck[HAND * seat : HAND * (seat + 1)] for seat in self.seats]
        self.pile = deck[HAND * self.config.num_players :]
        self.queue = {}
        self.ends = dict.fromkeys(COLUMNS, 0)
        self.beside = []  # G5
        self.exploded = [[] for _ in self.seats]
        self.seen = set()
        self.placements = []
        self._begin_turn()

    def _begin_turn(self) -> None:
        up, down = self.config.chief_cards
        self.face_up = [self.pile.pop(0) for _ in range(up)]
        self.face_down = [self.pile.pop(0) for _ in range(down)]
        self.seen.update(self.face_up)
        if self.config.is_duel:
            for hand in self.hands:  # G4
                hand.append(self.pile.pop(0))
        self.chosen = [[] for _ in self.seats]

    def _end_turn(self) -> None:
        self.turn += 1
        if self.turn < TURNS:
            self._begin_turn()
        elif self.round + 1 < self.config.rounds:
            self._begin_round()
        else:
            self.over = True

    # A turn

    def _reveal(self) -> None:
        """Turn up what was chosen and what the chief has, and place it."""
        self.revealed = [*self.chosen, self.face_up + self.face_down]
        owners: dict[int, int | None] = {}
        for seat in self.seats:
            for card in self.chosen[seat]:
                owners[card] = seat
        for card in self.face_up + self.face_down:
            owners[card] = None
        self.seen.update(owners)
        self.chosen = [[] for _ in self.seats]
        self.face_up, self.face_down = [], []
        goes_to = list(zip(COLUMNS, sorted(owners), strict=True))
        if sum(has_arrow(card) for card in owners) >= 3:
            goes_to.reverse()
        self.placements = []
        for column, card in goes_to:
            self._place(Placement(card, owners[card], column))

    def _place(self, placement: Placement) -> None:
        """Put a card between its column and the queue card, and resolve the explosions."""
        space = (placement.column, self.ends[placement.column])
        self.queue[space] = placement.card
        self.ends[placement.column] += 1
        group = self._group(space)
        exploding = group if len(group) > 1 else set()
        while exploding:
            placement.explosions.append(sorted(self.queue.pop(each) for each in exploding))
            self._slide()
            exploding = self._touching()
        self.placements.append(placement)
        if placement.explosions:
            self._hand_over(placement)

    def _alike(self, space: Space) -> list[Space]:
        """The neighbours with a card of the same colour as the card on a space."""
        colour = self.config.colour_of(self.queue[space])
        return [
            around
            for around in neighbours(space)
            if around in self.queue and self.config.colour_of(self.queue[around]) == colour
        ]

    def _group(self, space: Space) -> set[Space]:
        """The connected spaces of one colour that a space belongs to."""
        group, new = {space}, [space]
        while new:
            for around in self._alike(new.pop()):
                if around not in group:
                    group.add(around)
                    new.append(around)
        return group

    def _touching(self) -> set[Space]:
        """Every space whose card touches one of its colour."""
        return {space for space in self.queue if self._alike(space)}

    def _slide(self) -> None:
        """Close the holes above the queue cards, which stay where they are (G6)."""
        for column in COLUMNS:
            cards = self.column(column)
            for row in range(self.ends[column]):
                self.queue.pop((column, row), None)
            top = self.ends[column] - len(cards)
            for row, card in enumerate(cards, start=top):
                self.queue[column, row] = card

    def _hand_over(self, placement: Placement) -> None:
        """Give what exploded to the seat that caused it, with what lies beside the chief."""
        cards = [card for step in placement.explosions for card in step]
        if placement.owner is None:
            self.beside += cards
            return
        cards += self.beside
        self.beside = []
        self.exploded[placement.owner] += cards
        self.marks[placement.owner] += sum(marks_on(card) for card in cards)

    # What the queue looks like

    def column(self, column: int) -> list[int]:
        """The cards of a column from top to bottom."""
        rows = sorted(row for other, row in self.queue if other == column)
        return [self.queue[column, row] for row in rows]

    def queue_text(self) -> str:
        """The queue in the notation of the rules page."""
        columns = [
            ",".join(str(self.queue.get((column, row), "-")) for row in range(self.ends[column]))
            for column in COLUMNS
        ]
        return " | ".join(columns)

    # The end

    def result(self) -> dict[str, Any] | None:
        """The record's `result`, or None while the game goes on."""
        if not self.over:
            return None
        last_cards = [hand[0] for hand in self.hands]
        winners = [seat for seat in self.seats if self.marks[seat] == min(self.marks)]
        reason = "marks"
        if len(winners) > 1:
            fewest = min(marks_on(last_cards[seat]) for seat in winners)
            winners = [seat for seat in winners if marks_on(last_cards[seat]) == fewest]
            reason = "tie-break" if len(winners) == 1 else "shared"
        seats, won = self.config.num_players, len(winners)
        share = (seats - won) / (won * (seats - 1))
        lost = -1 / (seats - 1)
        return {
            "rewards": [share if seat in winners else lost for seat in self.seats],
            "reason": reason,
            "marks": list(self.marks),
            "last_cards": last_cards,
        }

    # What seats know (G9)

    def knowledge(self, viewer: int) -> dict[str, Any]:
        """All that a seat with a perfect memory of the round may know, by name.

        It sees how many cards each seat has, but not who has already chosen.
        """
        result = self.result()
        return {
            "hand": sorted(self.hands[viewer]),
            "chosen": sorted(self.chosen[viewer]),
            "sizes": [
                len(hand) + len(sealed)
                for hand, sealed in zip(self.hands, self.chosen, strict=True)
            ],
            "queue": self.queue_text(),
            "face_up": list(self.face_up),
            "beside": sorted(self.beside),
            "exploded": [sorted(cards) for cards in self.exploded],
            "marks": list(self.marks),
            "revealed": [sorted(cards) for cards in self.revealed],
            "seen": sorted(self.seen),
            "turn": self.turn,
            "round": self.round,
            "rewards": None if result is None else result["rewards"],
        }

    def unseen(self, viewer: int) -> set[int]:
        """The cards of which a seat does not know where they are.

        They are the others' hands and sealed choices, the chief's face-down cards and the pile.
        """
        return set(CARDS) - self.seen - set(self.hands[viewer]) - set(self.chosen[viewer])

    def in_world(
        self,
        hands: list[list[int]],
        chosen: list[list[int]],
        face_down: list[int],
        pile: list[int],
        later: list[list[int]],
    ) -> "Guardians":
        """The game with other hidden cards, and other decks in the rounds to come."""
        game = self.copy()
        game.hands = [list(hand) for hand in hands]
        game.chosen = [list(cards) for cards in chosen]
        game.face_down, game.pile = list(face_down), list(pile)
        game.decks = [*self.decks[: self.round + 1], *(list(deck) for deck in later)]
        return game


def begin(config: Config, setup: dict[str, Any]) -> Guardians:
    """The game before its first choice; `setup` as in the record."""
    decks = [list(deck) for deck in setup["decks"]]
    if len(decks) != config.rounds or any(sorted(deck) != list(CARDS) for deck in decks):
        raise ValueError("these are not the decks")
    game = Guardians(config, decks, marks=[0] * config.num_players)
    game.revealed = [[] for _ in [*game.seats, None]]
    game._begin_round()
    return game
