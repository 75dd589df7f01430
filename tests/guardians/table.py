"""Small games laid out by hand, played by engine and reference side by side.

What is to be chosen in each turn is written, and the cards' colours.

A turn is written as the cards of seat 0, of seat 1, ..., then after a `+` those of the chief, face
up before face down, each with the first letter of its colour: `11r 12g 23b 34y + 45p` with four
players. A letter once given need not be given again; cards without one get what is left.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tests.contract.agreement import legal_texts
from tests.guardians.agreement import assert_agree, assert_seen, pair
from tests.guardians.reference import (
    CARDS,
    COLOURS,
    HAND,
    TURNS,
    Config,
    Guardians,
    Placement,
    begin,
)

LETTERS = "".join(colour[0] for colour in COLOURS)


@dataclass
class Turn:
    """What a turn's text says: the cards of each seat, and the chief's."""

    chosen: list[list[int]]
    chief: list[int]


class SideBySide:
    """A game played by engine and reference; every choice compares them."""

    def __init__(self, setup: dict[str, Any], **options: Any) -> None:
        """Deal.

        Args:
            setup: As in the record.
            options: The game's.
        """
        self.game, self.config = pair(**options)
        self.setup = setup
        self.reference: Guardians = begin(self.config, setup)
        self.state = self.game.from_setup([setup])
        self.check()

    def check(self) -> None:
        """Engine and reference tell the same, to all seats."""
        assert_agree(self.game, self.state, 0, self.reference)
        assert_seen(self.game, self.state, [0], [self.reference])

    def choose(self, seat: int, *cards: int) -> Self:
        """Choose cards of a seat."""
        for card in cards:
            action = self.game.parse_move(self.state, 0, str(card), seat)
            self.reference = self.reference.after(str(card), seat)
            self.game.step(self.state, [action], np.array([seat]))
            self.check()
        return self

    def legal(self, seat: int | None = None) -> list[str]:
        """The engine's legal moves of a seat, of the lowest pending one if not given."""
        return legal_texts(self.game, self.state, 0, self.seat if seat is None else seat)

    @property
    def pending(self) -> list[int]:
        """The seats that owe a decision."""
        return self.reference.pending

    @property
    def seat(self) -> int:
        return int(self.state.seat[0])

    @property
    def over(self) -> bool:
        return bool(self.state.over[0])

    @property
    def round(self) -> int:
        return self.reference.round

    @property
    def turn(self) -> int:
        return self.reference.turn

    @property
    def sizes(self) -> list[int]:
        """How many cards are in each hand."""
        return [len(hand) for hand in self.reference.hands]

    def knows(self, seat: int) -> dict[str, Any]:
        """What a seat may know."""
        return self.reference.knowledge(seat)

    def see(self, seat: int, field: str) -> Any:
        """A field of what a seat observes, in plain numbers."""
        seen = self.game.observe(self.state, np.array([seat]))[0]
        return self.game.fields.get(seen, field).tolist()

    @property
    def queue(self) -> str:
        return self.reference.queue_text()

    @property
    def marks(self) -> list[int]:
        return self.reference.marks

    @property
    def beside(self) -> list[int]:
        """The cards beside the chief, sorted."""
        return sorted(self.reference.beside)

    def exploded(self, seat: int) -> list[int]:
        """The cards in front of a seat, sorted."""
        return sorted(self.reference.exploded[seat])

    @property
    def placements(self) -> list[Placement]:
        """The last turn's."""
        return self.reference.placements

    @property
    def order(self) -> list[int]:
        """The cards of the last turn in the order in which they were placed."""
        return [placement.card for placement in self.placements]

    @property
    def explosions(self) -> dict[int, list[list[int]]]:
        """The last turn's explosions, step by step, by the card that caused them."""
        return {each.card: each.explosions for each in self.placements if each.explosions}

    def ended(self) -> tuple[str, list[float], list[int], list[int]]:
        """Reason, rewards, marks and last cards of the finished game."""
        assert self.over
        result = self.game.result(self.state)
        return result["reason"], result["rewards"], result["marks"], result["last_cards"]


class Table(SideBySide):
    """A game whose decks are laid out so that the turns written can be played.

    What is to be drawn by a seat in the duel variant comes as it is needed.
    """

    def __init__(self, *turns: str, last: str = "", **options: Any) -> None:
        """Deal; nothing is played yet.

        Args:
            turns: The turns from the first one on; those of later rounds follow.
            last: The cards left in the hands of the seats in the end; `9 10 / 10 9` if they differ
                from round to round. Any others if not given.
            options: The game's; by default five players.
        """
        options = {"num_players": 5, **options}
        letters: dict[int, str] = {}
        texts = [[_cards(part, letters) for part in turn.partition("+")[::2]] for turn in turns]
        if letters:
            options["colors"] = _colours(letters)
        config = Config(**options)
        each = config.choices
        self.turns = [
            Turn([cards[at : at + each] for at in range(0, len(cards), each)], chief)
            for cards, chief in texts
        ]
        for turn in self.turns:
            assert len(turn.chosen) == config.num_players
            assert len(turn.chief) == sum(config.chief_cards)
        lasts = [_cards(part, letters) for part in last.split("/")]
        lasts *= config.rounds // len(lasts)
        rounds = [self.turns[TURNS * number :][:TURNS] for number in range(config.rounds)]
        decks = [_deck(config, some, left) for some, left in zip(rounds, lasts, strict=True)]
        super().__init__({"decks": decks}, **options)
        self.played = 0

    def play(self, turns: int | None = None) -> Self:
        """Play the next turns that are written; all of them if no number is given."""
        end = len(self.turns) if turns is None else self.played + turns
        for turn in self.turns[self.played : end]:
            for seat, cards in enumerate(turn.chosen):
                self.choose(seat, *cards)
        self.played = end
        return self


def _cards(text: str, letters: dict[int, str]) -> list[int]:
    """Read cards, and note their letters."""
    cards = []
    for word in text.split():
        number = word.rstrip(LETTERS)
        letter = word.removeprefix(number)
        cards.append(int(number))
        if letter:
            assert letters.setdefault(int(number), letter) == letter, f"two colours for {number}"
    return cards


def _colours(letters: dict[int, str]) -> list[int]:
    """Give cards without a letter the colours that are left."""
    left = Counter(dict.fromkeys(LETTERS, 10))
    left.subtract(letters.values())
    assert min(left.values()) >= 0, "more than ten cards of a colour"
    rest = list(left.elements())
    return [LETTERS.index(letters[card] if card in letters else rest.pop()) for card in CARDS]


def _deck(config: Config, turns: list[Turn], last: list[int]) -> list[int]:
    """Put the cards where they are needed, and fill up with the others, the highest first."""
    named = [card for turn in turns for cards in [*turn.chosen, turn.chief] for card in cards]
    assert len({*named, *last}) == len(named) + len(last), "a card is named twice"
    rest = [card for card in CARDS if card not in named and card not in last]
    held, drawn = TURNS * config.choices, sum(config.chief_cards)
    sequences = []  # what each seat gets, in order
    for seat in range(config.num_players):
        cards = [card for turn in turns for card in turn.chosen[seat]]
        cards += [rest.pop() for _ in range(held - len(cards))]
        sequences.append([*cards, last[seat] if last else rest.pop()])
    pile = []
    for number in range(TURNS):
        written = number < len(turns)
        pile += turns[number].chief if written else [rest.pop() for _ in range(drawn)]
        if config.is_duel:
            pile += [cards[HAND + number] for cards in sequences]
    return [*(card for cards in sequences for card in cards[:HAND]), *pile, *rest]
