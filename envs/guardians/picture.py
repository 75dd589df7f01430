"""Guardians' table as a picture: the queue, the chief, and what each seat holds and has taken.

A card shows its number, its colour with the colour's letter, a dot a mark, and an arrow if it has
one. The queue stands as on the table: spaces count from the top, the queue cards lie below them.
"""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from chromazoo.envs.guardians.cards import ARROWS, BESIDE, MARKS, TAKEN
from chromazoo.envs.guardians.config import CARDS, COLOUR_NAMES
from chromazoo.envs.guardians.guide import reason_words
from chromazoo.envs.guardians.queue import COLUMNS, SPACES
from chromazoo.envs.svg import (
    ACCENT,
    FAINT,
    FELT,
    HUES,
    INK,
    LINE,
    Box,
    Canvas,
    Colour,
    Picture,
    Viewer,
    cells,
    result_text,
    viewer_text,
)

if TYPE_CHECKING:
    from chromazoo.envs.guardians.rules import Game, GuardiansState

TONES = tuple(Colour(name, name[0].upper(), HUES[name]) for name in COLOUR_NAMES)
_RATIO = 1.2  # width of a card over its height
_HIGH = 44  # of a space of the queue
_WIDE = _HIGH * _RATIO
_STEP = _WIDE + 7, _HIGH + 4
_QUEUE = Box(40, 80, COLUMNS * _STEP[0], (SPACES + 1) * _STEP[1])
_CHIEF = Box(24, _QUEUE.y + _QUEUE.height + 12, _QUEUE.width + 16, 116)
_SIDE = Box(_CHIEF.x + _CHIEF.width + 18, 56, 740, _CHIEF.y + _CHIEF.height - 56)
_LABEL = 13
_MOST = 54  # height of a seat's cards, at most
_UNKNOWN = -1


def draw(game: "Game", state: "GuardiansState", viewer: Viewer) -> Picture:
    """Draw one game.

    Args:
        game: The rules.
        state: The game, alone.
        viewer: Who looks on; see `Game.svg`.

    Returns:
        The picture, always of the same size.
    """
    return _Drawing(game, state, viewer).drawn()


class _Drawing:
    """One picture in the making, of a state of one game."""

    def __init__(self, game: "Game", state: "GuardiansState", viewer: Viewer) -> None:
        """Look at a game."""
        self.game, self.state, self.viewer = game, state, viewer
        self.turn = int(state.turn[0])
        wide, high = _SIDE.x + _SIDE.width + 20, _SIDE.y + _SIDE.height + 30
        self.canvas = Canvas(wide, high, f"Guardians: {self.status()}")

    def drawn(self) -> Picture:
        """Draw everything."""
        self.canvas.heading("Guardians", self.status(), viewer_text(self.viewer))
        self.queue()
        self.chief()
        for seat, box in enumerate(_SIDE.stacked(self.game.num_seats, 8)):
            self.seat(seat, box)
        letters = ", ".join(f"{tone.letters} {tone.name}" for tone in TONES)
        told = (
            f"{letters}; a card has a dot for each of its marks; "
            "on the queue card, with two lines, the column's next card is laid"
        )
        fit = self.canvas.wide - 20 - _CHIEF.x
        self.canvas.text(told, _CHIEF.x, self.canvas.high - 15, 13, colour=FAINT, fit=fit)
        return self.canvas.picture()

    def status(self) -> str:
        """Tell round and turn, or how the game ended."""
        state = self.state
        if state.over[0]:
            why = reason_words(self.game.result(state, 0)["reason"])
            return result_text(state.rewards[0], why)
        rounds = self.game.config.rounds
        before = f"round {int(state.round[0]) + 1} of {rounds}, " if rounds > 1 else ""
        return f"{before}turn {self.turn + 1} of 8"

    @cached_property
    def totals(self) -> list[int]:
        """The marks of all seats."""
        totals: list[int] = self.game.marks(self.state)[0].tolist()
        return totals

    def sees(self, seat: int) -> bool:
        """Tell whether the viewer sees a seat's hand and choices."""
        return self.viewer is None or self.viewer == seat

    # The queue and the chief

    def queue(self) -> None:
        """Draw the columns, from the top to the queue cards."""
        felt = Box(_CHIEF.x, 56, _CHIEF.width, _QUEUE.y + _QUEUE.height - 56)
        self.canvas.rect(felt, FELT, radius=8)
        for column in range(COLUMNS):
            x = _QUEUE.x + column * _STEP[0] - 4
            self.canvas.text(str(column + 1), x + _WIDE / 2, 69, 14, colour=FAINT, anchor="middle")
            for space in range(SPACES + 1):
                box = Box(x, _QUEUE.y + space * _STEP[1], _WIDE, _HIGH)
                number = int(self.state.numbers[0, column, space]) if space < SPACES else 0
                if number and space < self.turn:
                    self.card(number - 1, box)
                    self.canvas.spot(f"queued:{number}", box)
                elif space == self.turn:
                    self.queue_card(box)
                else:
                    self.canvas.rect(box, "#f3f0e9", line=LINE, radius=5)

    def queue_card(self, box: Box) -> None:
        """Draw the card at the lower end of a column."""
        self.canvas.rect(box, "#ded8ca", line=FAINT, weight=1.2, radius=5)
        for down in (0.36, 0.64):
            y = box.y + down * box.height
            left, right = box.x + 0.22 * box.width, box.x + 0.78 * box.width
            self.canvas.lines([(left, y), (right, y)], line=FAINT, weight=2)

    def chief(self) -> None:
        """Draw the chief's cards of this turn and of the last, what lies beside, and the pile."""
        state, box = self.state, _CHIEF
        self.canvas.panel(box)
        self.canvas.text("Multicolour Chief", box.x + 14, box.y + 15, 15, bold=True, fit=150)
        left = self.left_in_pile()
        told = f"pile: {left} card{'' if left == 1 else 's'}"
        end = box.x + box.width - 12
        self.canvas.text(told, end, box.y + 15, 13, colour=FAINT, anchor="end")
        up = _listed(state.chief[0, 0])
        down = _listed(state.chief[0, 1])
        if self.viewer is not None:
            down = [_UNKNOWN] * len(down)
        third = (box.width - 28) / 3
        x, y = box.x + 14, box.y + 30
        self.group("this turn", up + down, Box(x, y, third - 8, 78), 36)
        self.group("last turn", self.last(-1), Box(x + third, y, third - 8, 78), 36)
        beside = np.flatnonzero(state.places[0] == BESIDE).tolist()
        self.group("beside", beside, Box(x + 2 * third, y, third, 78), 36, "taken")

    def left_in_pile(self) -> int:
        """Count the cards of the round's pile."""
        drawn = int(self.game.next_card(self.state, np.zeros(1, np.int64))[0])
        if not self.state.over[0]:
            drawn += self.game.from_pile
        return max(0, CARDS - drawn)

    def last(self, who: int) -> list[int]:
        """List what a seat, or -1 for the chief, brought into the last turn."""
        return _listed(self.state.revealed[0, who])

    # The seats

    def seat(self, seat: int, box: Box) -> None:
        """Draw a seat: marks, hand, this turn's choices, those of the last turn, cards taken."""
        state, canvas = self.state, self.canvas
        canvas.panel(box, active=bool(state.pending[0, seat]), own=seat == self.viewer)
        y, marks = box.y + 14, self.totals[seat]
        used = canvas.text(f"seat {seat}", box.x + 18, y, 15, bold=True)
        told = f"{marks} mark{'' if marks == 1 else 's'}"
        canvas.text(told, box.x + 32 + used, y, 15)
        if state.over[0]:
            reward = f"{float(state.rewards[0, seat]):+.2g}"
            end = box.x + box.width - 14
            canvas.text(reward, end, y, 15, colour=ACCENT, anchor="end", bold=True)
        hand, chosen = _listed(state.hands[0, seat]), _listed(state.chosen[0, seat])
        if not self.sees(seat):
            hand, chosen = [_UNKNOWN] * len(hand), [_UNKNOWN] * len(chosen)
        taken = np.flatnonzero(state.places[0] == TAKEN + seat).tolist()
        last = self.last(seat)
        x, y, high = box.x + 18, box.y + 27, (box.height - 32) / 2
        narrow = 184 if self.game.choices > 1 else 137
        wide = box.width - 32
        left = wide - 2 * narrow
        spots = "card" if seat == self.viewer else ""
        self.line("hand", hand, Box(x, y, left - 14, high - 4), spots)
        self.line("chosen", chosen, Box(x + left, y, narrow - 10, high - 4))
        self.line("last turn", last, Box(x + left + narrow, y, narrow, high - 4))
        self.line("taken", taken, Box(x, y + high, wide, high - 4), "taken")

    def line(self, label: str, cards: list[int], box: Box, spots: str = "") -> None:
        """Draw cards beside a label; `spots` is what their spots are called, if they have any."""
        high = min(_MOST, box.height)
        self.canvas.text(label, box.x, box.y + high / 2, _LABEL, colour=FAINT, fit=56)
        self.spread(cards, Box(box.x + 62, box.y, box.width - 62, box.height), high, spots)

    def group(self, label: str, cards: list[int], box: Box, most: float, spots: str = "") -> None:
        """Draw cards under a label; `spots` as of `line`."""
        self.canvas.text(label, box.x, box.y + 6, _LABEL, colour=FAINT, fit=box.width)
        self.spread(cards, Box(box.x, box.y + 15, box.width, box.height - 18), most, spots)

    def spread(self, cards: list[int], box: Box, most: float, spots: str = "") -> None:
        """Draw cards side by side, or a dash for none."""
        if not cards:
            self.canvas.text("–", box.x, box.y + most / 2, _LABEL, colour=FAINT)
        for card, place in zip(cards, cells(len(cards), box, _RATIO, most, 5), strict=True):
            if card == _UNKNOWN:
                self.canvas.face_down(place)
            else:
                self.card(card, place)
                if spots:
                    self.canvas.spot(f"{spots}:{card + 1}", place)

    def card(self, card: int, box: Box) -> None:
        """Draw a card face up: its number is `card` + 1."""
        tone = TONES[int(self.game.code[card]) - 1]
        high = box.height
        self.canvas.rect(box, tone.fill, line=INK, weight=0.8, radius=0.12 * high)
        x, y = box.centre
        fit = 0.8 * box.width
        number = str(card + 1)
        low = y + 0.05 * high
        self.canvas.text(
            number, x, low, 0.5 * high, colour=tone.ink, anchor="middle", bold=True, fit=fit
        )
        up, left = box.y + 0.19 * high, box.x + 0.09 * box.width
        self.canvas.text(tone.letters, left, up, 0.34 * high, colour=tone.ink, bold=True)
        for mark in range(int(MARKS[card])):
            at = box.x + box.width - (0.14 + 0.16 * mark) * high
            self.canvas.circle(at, up, 0.06 * high, tone.ink)
        if int(ARROWS) >> card & 1:
            self.arrow(box, tone.ink)

    def arrow(self, box: Box, ink: str) -> None:
        """Draw the arrow of a card along its lower edge."""
        y, reach = box.y + 0.87 * box.height, 0.2 * box.width
        x, tip = box.centre[0], 0.07 * box.height
        shaft = [(x - reach, y), (x + reach, y)]
        heads = [
            [(end - turn * tip, y - tip), (end, y), (end - turn * tip, y + tip)]
            for turn, end in ((-1, x - reach), (1, x + reach))
        ]
        self.canvas.lines(shaft, *heads, line=ink, weight=0.045 * box.height)


def _listed(cards: np.uint64) -> list[int]:
    """List a set of cards, in order of their numbers."""
    return [card for card in range(CARDS) if int(cards) >> card & 1]
