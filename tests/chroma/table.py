"""Small hand-built games, played by engine and reference side by side."""

from collections import Counter
from itertools import combinations
from typing import Any, Self

import numpy as np

from tests.chroma.agreement import assert_agree, assert_seen, pair, types_of
from tests.chroma.reference import HAND, SPACES, Config, begin, space_of
from tests.contract.agreement import legal_texts

NAMES = [f"c{number}" for number in range(20)]


def wheel(*groups: str, apart: str = "") -> dict[str, Any]:
    """A wheel in which all colours of a group go together, but for the pairs named apart.

    Args:
        groups: Colours of `NAMES`; `wheel("c0 c1 c2", "c2 c3")`.
        apart: Pairs; `"c0-c1 c1-c2"`.
    """
    no = {frozenset(both.split("-")) for both in apart.split()}
    pairs = {
        (NAMES.index(one), NAMES.index(other))
        for group in groups
        for one, other in combinations(sorted(group.split(), key=NAMES.index), 2)
        if frozenset([one, other]) not in no
    }
    return {"names": NAMES, "compatible": [list(both) for both in sorted(pairs)]}


EVERY = wheel(" ".join(NAMES))  # all colours but the own one go together


class Table:
    """A game whose cards are laid out by hand; every ply compares engine and reference.

    With `power_copies` 4, the default here, each colour has one card of each power and a plain one.
    """

    def __init__(self, *hands: str, centre: str = "c0", pile: str = "", **options: Any) -> None:
        """Deal the hands; what is not named is filled up with the cards that are left.

        Args:
            hands: For each seat, up to five cards.
            centre: The card on the centre.
            pile: The first cards of the draw pile.
            options: The game's; by default seat 0 begins, all colours go together.
        """
        options = {
            "num_players": len(hands),
            "wheel": EVERY,
            "power_copies": 4,
            "first_player": 0,
            **options,
        }
        self.game, config = pair(**options)
        self.types = types_of(self.game)
        self.setup: dict[str, Any] = {"deck": _deck(config, hands, centre, pile), "first_player": 0}
        if options["first_player"] is not None:
            self.setup["first_player"] = options["first_player"]
        self.state = self.game.from_setup([self.setup])
        self.reference = begin(config, self.setup)
        self.check()

    def check(self) -> None:
        """Engine and reference tell the same, to all seats."""
        assert_agree(self.game, self.state, 0, self.reference)
        assert_seen(self.game, self.types, self.state, [0], [self.reference])

    def play(self, moves: str) -> Self:
        """Play moves, separated by spaces; `gift:1=c3` takes the card c3."""
        for move in moves.split():
            text, _, chance = move.partition("=")
            assert text in self.legal, f"{text} is none of {self.legal}"
            self.reference = self.reference.after(text, chance or None)
            action = self.game.parse_move(self.state, 0, text)
            self.game.step(self.state, [action], chance=[chance or None])
            self.check()
        return self

    def lay(self, cards: dict[str, str]) -> Self:
        """Lay cards face up as no play does, whatever they touch: space -> card.

        They are the next ones of the pile, in this order.
        """
        self.reference = self.reference.copy()
        for name, card in cards.items():
            assert self.reference.pile.pop(0) == card
            self.reference.shown[space_of(name)] = card
            space = np.array([SPACES.index(space_of(name))])
            action = self.types.index(card) * len(SPACES) + space
            left = self.game._face.take(action), self.game._fit.take(action)
            self.game._cover(self.state, space, *left)
            self.state.drawn += np.uint8(1)
        self.game._note_moves(self.state)
        self.check()
        return self

    @property
    def legal(self) -> list[str]:
        """The engine's legal moves."""
        return legal_texts(self.game, self.state, 0)

    @property
    def seat(self) -> int:
        return int(self.state.seat[0])

    def spaces(self, card: str) -> set[str]:
        """Where a card may be placed now."""
        return {move.split("@")[1] for move in self.legal if move.startswith(f"{card}@")}

    def see(self, seat: int, field: str) -> Any:
        """A field of what a seat observes, in plain numbers."""
        seen = self.game.observe(self.state, np.array([seat]))[0]
        return self.game.fields.get(seen, field).tolist()

    def hand(self, seat: int) -> list[str]:
        """The cards in a hand, sorted."""
        counts = dict(zip(self.types, self.see(seat, "hand"), strict=True))
        return sorted(Counter(counts).elements())

    def known(self, seat: int, holder: int) -> list[str]:
        """The cards that a seat knows in another hand, sorted."""
        place = (holder - seat) % self.game.num_seats - 1
        counts = dict(zip(self.types, self.see(seat, "known")[place], strict=True))
        return sorted(Counter(counts).elements())

    def known_wild(self, seat: int, space: str) -> str | None:
        """The face-down card on a space, if a seat knows it."""
        column, row = "abcdefghijk".index(space[0]), int(space[1]) - 1
        number = self.see(seat, "own_wild")[row][column]
        return self.types[number - 1] if number else None

    def marks(self, field: str) -> dict[str, int]:
        """The active Magnets or Locks: space -> seat."""
        return {
            f"{'abcdefghijk'[column]}{row + 1}": seat
            for seat, board in enumerate(self.see(0, field))
            for row, cells in enumerate(board)
            for column, cell in enumerate(cells)
            if cell
        }

    def ended(self) -> tuple[str, list[float], list[int]]:
        """Reason, rewards and hand sizes of the finished game."""
        assert self.state.over[0]
        result = self.game.result(self.state)
        return result["reason"], result["rewards"], result["hand_sizes"]


def _deck(config: Config, hands: tuple[str, ...], centre: str, pile: str) -> list[str]:
    """Put the named cards in their places and fill up with the others, the last ones first."""
    dealt = [hand.split() for hand in hands]
    left = Counter(config.pack)
    left.subtract([centre, *pile.split(), *(card for hand in dealt for card in hand)])
    assert min(left.values()) >= 0, "a card is named too often"
    rest = list(left.elements())
    for hand in dealt:
        while len(hand) < HAND:
            hand.append(rest.pop())
    return [centre, *(card for hand in dealt for card in hand), *pile.split(), *rest]


MOST = " ".join(NAMES[:19])  # a group that leaves c19 apart
HANDS = ("c1 c2 c3 c4 c5", "c6 c7 c8 c9 c10")

# Two players with `HANDS`: seat 1 fills column e and touches one each time, seat 0 fills column f
# and touches two: it has c5 and the first card of the pile left, then only that one.
TWO_LEFT = "c1@e4 c6@e5 c2@f5 c7@e6 c3@f6 c8@e7 c4@f7"
ONE_LEFT = TWO_LEFT + " c9@e3 c5@f3"
# Then d4 comes to touch three, e4, d5 and d3; seat 0's only card is the seventh of the pile.
ONE_LEFT_AND_A_HOLE = ONE_LEFT + " c10@d5 c11@g4 c12@d3"


def pile(*named: str, first: int = 0) -> str:
    """The plain cards c11 to c18 as the first ones of the pile; named ones in their place."""
    cards = [f"c{number}" for number in range(11, 19)]
    cards[first : first + len(named)] = named
    return " ".join(cards)
