"""Tiny: a game of a screenful with everything that a game of this suite may have.

Rules. Three seats and a pack of cards of ranks 0, 1, 2, ... Each seat is dealt one card, its
secret; the rest is the pile. A round has two parts:

1. Every seat bids 0, 1 or 2, sealed; the bids are revealed together. The highest bid leads, among
   equals the one that comes first in turn order from the seat `first`. The leader pays the bid.
2. The leader either stops, which ends the game, or draws a card of the pile, face up, and then
   gives it to any seat; to itself only if the card is higher than its secret.

The game ends when a leader stops or the pile is used up; then the secrets are shown. A seat's score
is its secret, plus the cards it was given, minus the bids it paid. The highest score wins; equals
share the win.

Notation. Moves: `bid:2`, `draw`, `stop`, `give:1` (to seat 1). Chance answers `draw` with the rank
of the card drawn, `4`. Set-up: `{"secrets": [3, 0, 5], "first": 2}`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidChance, InvalidConfig, InvalidMove, InvalidSetup
from chromazoo.envs.fields import Block, Field, Layout, Observation
from chromazoo.envs.game import Game as BaseGame
from chromazoo.envs.game import Seats, Seeds, win_rewards
from chromazoo.envs.masks import Packing, Words
from chromazoo.envs.randomness import Stream, as_seeds, below, chance_stream, mix, shuffled
from chromazoo.envs.state import State
from chromazoo.envs.svg import Viewer

SEATS = 3
PHASES = ("bid", "turn", "give", "over")
BID, TURN, GIVE, OVER = range(4)

BLOCKS = (
    Block("bid", (3,), "the bid"),
    Block("turn", (2,), "draw, stop"),
    Block("give", (SEATS,), "receiver, counted from the own seat in turn order"),
)
DRAW, STOP, TO_SELF = 3, 4, 5  # the bids are actions 0, 1 and 2
LEGAL = np.array([0b00000111, 0b00011000, 0b11100000, 0], np.uint64)  # by phase
NONE = -1


@dataclass(frozen=True)
class Config:
    """The options of Tiny.

    Attributes:
        cards: Number of cards in the pack, 4 to 16; a game has at most `cards - 3` rounds.
    """

    cards: int = 6

    def __post_init__(self) -> None:
        """Refuse packs that are too small or too big."""
        if isinstance(self.cards, bool) or not isinstance(self.cards, int):
            raise InvalidConfig(f"cards: an integer from 4 to 16, not {self.cards!r}")
        if not 4 <= self.cards <= 16:
            raise InvalidConfig(f"cards: from 4 to 16, not {self.cards}")


@dataclass(eq=False)
class TinyState(State):
    """A batch of B games of Tiny.

    Attributes:
        phase: int8 (B,), index in `PHASES`.
        first: int8 (B,), the seat that wins equal bids first.
        secrets: int8 (B, 3), rank of each seat's secret card.
        bids: int8 (B, 3), the bids of this round, -1 where there is none.
        table: int8 (B,), rank of the card that was drawn and not yet given, -1 if none.
        drawn: bool (B, cards), the cards that have left the pile.
        given: int8 (B, 3), sum of the cards given to each seat.
        paid: int8 (B, 3), sum of the bids paid by each seat.
    """

    phase: NDArray[np.int8]
    first: NDArray[np.int8]
    secrets: NDArray[np.int8]
    bids: NDArray[np.int8]
    table: NDArray[np.int8]
    drawn: NDArray[np.bool_]
    given: NDArray[np.int8]
    paid: NDArray[np.int8]


def _one_hot(values: NDArray[np.integer], size: int) -> NDArray[np.bool_]:
    """Turn numbers of shape (...) into bools of shape (..., size), all False for -1."""
    hot: NDArray[np.bool_] = values[..., None] == np.arange(size)
    return hot


class Game(BaseGame[TinyState]):
    """The rules of Tiny for batches of games; see the module's docstring."""

    id = "tiny"
    config_type = Config
    state_type = TinyState
    num_seats = SEATS
    blocks = BLOCKS
    setup_keys = ("secrets", "first")
    packing = Packing.dense(sum(block.size for block in BLOCKS))
    simultaneous = True

    def __init__(self, /, **options: Any) -> None:
        """Configure the game; see `Config`."""
        super().__init__(**options)
        cards = self.config.cards
        self.fields = Layout(
            [
                Field("phase", (4,), 1, "bid, turn, give or over"),
                Field("pending", (SEATS,), 1, "seats that owe a decision"),
                Field("first", (SEATS,), 1, "the seat that wins equal bids first"),
                Field("bids", (SEATS, 3), 1, "the bids of this round, once all are revealed"),
                Field("table", (cards,), 1, "the card drawn and not yet given"),
                Field("given", (SEATS,), 120, "sum of the cards given to each seat"),
                Field("paid", (SEATS,), 26, "sum of the bids paid by each seat"),
                Field("shown", (SEATS, cards), 1, "the secret cards, once the game is over"),
                Field("secret", (cards,), 1, "the own secret card", "private"),
                Field("own_bid", (3,), 1, "the own bid of this round", "private"),
                Field("drawn", (cards,), 1, "the cards that have left the pile", "memory"),
            ]
        )
        self._model = self._undealt()

    # Beginning a game

    def _undealt(self) -> TinyState:
        """Make one game with nothing dealt, before the first bids."""
        state = self._blank(
            phase=np.int8,
            first=np.int8,
            secrets=(np.int8, (SEATS,)),
            bids=(np.int8, (SEATS,)),
            table=np.int8,
            drawn=(np.bool_, (self.config.cards,)),
            given=(np.int8, (SEATS,)),
            paid=(np.int8, (SEATS,)),
        )
        state.pending[:] = True
        state.bids[:] = NONE
        state.table[:] = NONE
        return state

    def setups(self, seeds: Seeds) -> list[dict[str, Any]]:
        """Draw the secrets and the first seat; see `Game.setups`."""
        secrets, first = self._shuffle(as_seeds(seeds))
        return [
            {"secrets": cards, "first": seat}
            for cards, seat in zip(secrets.tolist(), first.tolist(), strict=True)
        ]

    def _deal(self, state: TinyState, seeds: Stream) -> None:
        """Begin fresh games; see `Game._deal`."""
        self._begin(state, *self._shuffle(seeds))

    def _set_up(self, state: TinyState, setups: Sequence[Mapping[str, Any]]) -> None:
        """Begin games whose secrets and first seat are given; see `Game._set_up`."""
        for row, setup in enumerate(setups):
            self._check_setup(row, setup)
        secrets = np.array([setup["secrets"] for setup in setups], np.int8).reshape(-1, SEATS)
        first = np.array([setup["first"] for setup in setups], np.int8)
        self._begin(state, secrets, first)

    def _shuffle(self, seeds: Stream) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw secrets (B, 3) and first seats (B,), apart from the stream of later chance."""
        stream = mix(chance_stream(seeds), 0)
        return shuffled(stream, self.config.cards)[:, :SEATS], below(stream, SEATS)

    def _check_setup(self, row: int, setup: Mapping[str, Any]) -> None:
        """Refuse a set-up that `setups` could not have drawn."""
        secrets, first, pack = setup["secrets"], setup["first"], range(self.config.cards)
        right = isinstance(secrets, list) and all(type(card) is int for card in secrets)
        if not right or len(secrets) != SEATS or len({*secrets} & {*pack}) != SEATS:
            raise InvalidSetup(f"game {row}: secrets are 3 different ranks, not {secrets!r}")
        if type(first) is not int or first not in range(SEATS):
            raise InvalidSetup(f"game {row}: first is a seat from 0 to 2, not {first!r}")

    def _begin(
        self, state: TinyState, secrets: NDArray[np.integer], first: NDArray[np.integer]
    ) -> None:
        """Deal secrets before the first bids."""
        state.first[:] = first
        state.secrets[:] = secrets

    # Deciding

    def _legal(self, state: TinyState, seats: Seats | None) -> Words:
        """Tell the legal actions, packed; see `Game.legal`."""
        movers = state.seat if seats is None else seats
        rows = np.arange(len(state))
        words = LEGAL[state.phase]
        may_keep = state.table > state.secrets[rows, movers]
        words[(state.phase == GIVE) & ~may_keep] &= ~np.uint64(1 << TO_SELF)
        words[~state.pending[rows, movers]] = 0
        return words[:, None]

    def _advance(
        self,
        state: TinyState,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> None:
        """Play legal actions; see `Game._advance`."""
        draws = np.flatnonzero(actions == DRAW)
        cards = self._draw(state, draws) if chance is None else self._read(state, draws, chance)
        state.plies += 1
        bids = np.flatnonzero(actions < DRAW)
        self._bid(state, bids, seats[bids], actions[bids])
        self._show(state, draws, cards)
        gifts = np.flatnonzero(actions >= TO_SELF)
        self._give(state, gifts, (seats[gifts] + actions[gifts] - TO_SELF) % SEATS)
        self._end(state, np.flatnonzero(actions == STOP))

    def _pile(self, state: TinyState) -> NDArray[np.bool_]:
        """Tell which cards are in the pile: (B, cards)."""
        return ~state.drawn & ~_one_hot(state.secrets, self.config.cards).any(axis=1)

    def _draw(self, state: TinyState, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Draw the rank of a card of the pile in some games, from their streams."""
        pile = self._pile(state)[rows]  # (games, cards)
        stream = state.stream[rows]
        place = below(stream, pile.sum(axis=1))
        state.stream[rows] = stream
        cards: NDArray[np.int64] = (pile.cumsum(axis=1) > place[:, None]).argmax(axis=1)
        return cards

    def _read(
        self, state: TinyState, rows: NDArray[np.int64], chance: Sequence[str | None]
    ) -> NDArray[np.int64]:
        """Read the ranks of the cards drawn in some games from recorded chance."""
        due = {row: chance[row] for row in rows.tolist()}
        self._no_chance([None if row in due else text for row, text in enumerate(chance)])
        pile = self._pile(state)
        for row, text in due.items():
            cards = [str(card) for card in np.flatnonzero(pile[row])]
            if text not in cards:
                raise InvalidChance(row, f"one of {', '.join(cards)} is due, not {text!r}")
        return np.array([int(text or 0) for text in due.values()], np.int64)

    def _bid(
        self, state: TinyState, rows: NDArray[np.int64], seats: Seats, bids: NDArray[np.int64]
    ) -> None:
        """Seal a bid of one seat; reveal the bids where it was the last."""
        state.bids[rows, seats] = bids
        state.pending[rows, seats] = False
        state.seat[rows] = state.pending[rows].argmax(axis=1)
        rows = rows[~state.pending[rows].any(axis=1)]
        distance = (np.arange(SEATS) - state.first[rows, None]) % SEATS
        leader = (state.bids[rows] * SEATS - distance).argmax(axis=1)
        state.paid[rows, leader] += state.bids[rows, leader]
        state.phase[rows] = TURN
        state.seat[rows] = leader
        state.pending[rows, leader] = True

    def _show(self, state: TinyState, rows: NDArray[np.int64], cards: NDArray[np.int64]) -> None:
        """Lay a card of the pile face up; the leader goes on."""
        state.table[rows] = cards
        state.drawn[rows, cards] = True
        state.phase[rows] = GIVE

    def _give(
        self, state: TinyState, rows: NDArray[np.int64], receivers: NDArray[np.int64]
    ) -> None:
        """Give the card on the table away, and begin the next round while there is a pile."""
        state.given[rows, receivers] += state.table[rows]
        state.table[rows] = NONE
        used_up = ~self._pile(state)[rows].any(axis=1)
        self._end(state, rows[used_up])
        rows = rows[~used_up]
        state.bids[rows] = NONE
        state.phase[rows] = BID
        state.seat[rows] = 0
        state.pending[rows] = True

    def _end(self, state: TinyState, rows: NDArray[np.int64]) -> None:
        """End some games; equal highest scores share the win."""
        scores = self._scores(state)[rows]
        state.rewards[rows] = win_rewards(scores == scores.max(axis=1, keepdims=True))
        state.over[rows] = True
        state.phase[rows] = OVER
        state.pending[rows] = False

    def _scores(self, state: TinyState) -> NDArray[np.int8]:
        """Tell the scores of all seats: (B, 3)."""
        return state.secrets + state.given - state.paid

    # Seeing

    def _observe(self, state: TinyState, eyes: Seats, fields: Layout, seen: Observation) -> None:
        """Tell what a seat may know; see `Game.observe`."""
        order = (eyes[:, None] + np.arange(SEATS)) % SEATS  # (games, seats), own seat first
        revealed = (state.phase != BID)[:, None]
        cards = self.config.cards

        def turned(array: NDArray[Any]) -> NDArray[Any]:
            return np.take_along_axis(array, order, axis=1)

        values = {
            "phase": _one_hot(state.phase, len(PHASES)),
            "pending": turned(state.pending),
            "first": order == state.first[:, None],
            "bids": _one_hot(turned(np.where(revealed, state.bids, NONE)), 3),
            "table": _one_hot(state.table, cards),
            "given": turned(state.given),
            "paid": turned(state.paid),
            "shown": _one_hot(turned(np.where(state.over[:, None], state.secrets, NONE)), cards),
            "secret": _one_hot(turned(state.secrets)[:, 0], cards),
            "own_bid": _one_hot(turned(state.bids)[:, 0], 3),
            "drawn": state.drawn,
        }
        fields.fill(seen, values)

    def _redraw(self, world: TinyState, eyes: Seats) -> None:
        """Draw the others' secrets and sealed bids anew; see `Game.redeal`.

        In a finished game all is known; only the chance stream changes.
        """
        rows = np.flatnonzero(~world.over)
        stream = world.stream[rows]
        own = eyes[rows, None]  # (games, 1)
        unseen = self._unseen(world.take(rows), eyes[rows], stream)
        world.secrets[rows[:, None], (own + np.arange(1, SEATS)) % SEATS] = unseen[:, : SEATS - 1]
        bids = np.stack([below(stream, 3) for _ in range(SEATS)], axis=1)
        sealed = (world.phase[rows, None] == BID) & ~world.pending[rows] & (np.arange(SEATS) != own)
        world.bids[rows] = np.where(sealed, bids, world.bids[rows])
        world.stream[rows] = stream

    def _unseen(self, state: TinyState, eyes: Seats, stream: Stream) -> NDArray[np.int64]:
        """Shuffle the pack with the cards that a seat has never seen first: (B, cards)."""
        own = state.secrets[np.arange(len(state)), eyes]
        seen = state.drawn | _one_hot(own, self.config.cards)
        order = shuffled(stream, self.config.cards)
        seen_last = np.take_along_axis(seen, order, axis=1).argsort(axis=1, kind="stable")
        return np.take_along_axis(order, seen_last, axis=1)

    def text(self, state: TinyState, row: int = 0, seat: Viewer = "public") -> str:
        """Draw one game; see `Game.text`."""
        viewer = self._checked_viewer(seat)
        phase, over = int(state.phase[row]), bool(state.over[row])
        table = int(state.table[row])
        lines = [f"{PHASES[phase]}, on the table: {'-' if table == NONE else table}"]
        for each in range(SEATS):
            bid = int(state.bids[row, each])
            secret = over or viewer in (each, None)
            sealed = phase == BID and viewer not in (each, None)
            lines.append(
                f"{'>' if state.pending[row, each] else ' '} seat {each}"
                f"{'*' if each == state.first[row] else ' '}"
                f" bid {'-' if bid == NONE else '?' if sealed else bid}"
                f" paid {state.paid[row, each]} given {state.given[row, each]}"
                f" secret {state.secrets[row, each] if secret else '?'}"
            )
        return "\n".join(lines)

    # Notation and records

    def move_text(self, state: TinyState, row: int, action: int, seat: int | None = None) -> str:
        """Write an action; see `Game.move_text`."""
        mover = int(state.seat[row]) if seat is None else seat
        if not 0 <= action < self.num_actions:
            raise InvalidMove(f"actions go from 0 to {self.num_actions - 1}, not {action}")
        if action < DRAW:
            return f"bid:{action}"
        if action < TO_SELF:
            return "draw" if action == DRAW else "stop"
        return f"give:{(mover + action - TO_SELF) % SEATS}"

    def parse_move(self, state: TinyState, row: int, text: str, seat: int | None = None) -> int:
        """Read an action; see `Game.parse_move`."""
        for action in range(self.num_actions):
            if self.move_text(state, row, action, seat) == text:
                return action
        raise InvalidMove(f"{text!r} is no move; moves are bid:0 to 2, draw, stop, give:0 to 2")

    def chance_text(self, before: TinyState, after: TinyState, row: int, action: int) -> str | None:
        """Write the card that answered a draw; see `Game.chance_text`."""
        return str(after.table[row]) if action == DRAW and not before.over[row] else None

    def result(self, state: TinyState, row: int = 0) -> dict[str, Any]:
        """Tell how a game ended: `stop`, or `pile` when it was used up; see `Game.result`."""
        return {
            "rewards": state.rewards[row].tolist(),
            "reason": "stop" if self._pile(state)[row].any() else "pile",
            "scores": self._scores(state)[row].tolist(),
        }
