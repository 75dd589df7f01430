"""Tiny once more, for one game and in plain Python, to compare the batched rules with."""

from dataclasses import dataclass, field


@dataclass
class Reference:
    """One game; moves and chance are texts.

    Attributes:
        cards: Number of cards in the pack.
        secrets: Each seat's secret card.
        first: The seat that wins equal bids first.
    """

    cards: int
    secrets: list[int]
    first: int
    bids: dict[int, int] = field(default_factory=dict)
    leader: int | None = None
    table: int | None = None
    gone: list[int] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    over: bool = False

    def __post_init__(self) -> None:
        self.scores = list(self.secrets)

    @property
    def pile(self) -> list[int]:
        """The cards that can be drawn."""
        return [card for card in range(self.cards) if card not in self.gone + self.secrets]

    @property
    def pending(self) -> list[int]:
        """The seats that owe a decision."""
        if self.over:
            return []
        if self.leader is None:
            return [seat for seat in range(3) if seat not in self.bids]
        return [self.leader]

    def legal(self, seat: int) -> list[str]:
        """The moves of a seat, sorted."""
        if seat not in self.pending:
            return []
        if self.leader is None:
            return ["bid:0", "bid:1", "bid:2"]
        if self.table is None:
            return ["draw", "stop"]
        keeps = self.table > self.secrets[seat]
        return [f"give:{other}" for other in range(3) if other != seat or keeps]

    def move(self, seat: int, text: str, chance: str | None) -> None:
        """Take a move, with the rank that answers it if it is a draw."""
        kind, _, number = text.partition(":")
        if kind == "bid":
            self.bids[seat] = int(number)
            if len(self.bids) == 3:
                in_turn = [(self.first + away) % 3 for away in range(3)]
                self.leader = max(in_turn, key=lambda seat: self.bids[seat])
                self.scores[self.leader] -= self.bids[self.leader]
        elif kind == "draw":
            self.table = int(chance or "")
            self.gone.append(self.table)
        elif kind == "give":
            self.scores[int(number)] += self.table or 0
            self.table, self.leader, self.bids = None, None, {}
            self.over = not self.pile
        else:
            self.over = True

    @property
    def rewards(self) -> list[float]:
        """What each seat gets in the end."""
        if not self.over:
            return [0.0] * 3
        winners = self.scores.count(max(self.scores))
        share = {1: 1.0, 2: 0.25, 3: 0.0}[winners]
        return [share if score == max(self.scores) else -0.5 for score in self.scores]
