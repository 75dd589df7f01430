"""Kroma's board as a picture.

A square has its colour and, in its corner, the colour's letter; a piece is a disc with a light rim
(White) or a dark one (Black), and its letter as in the notation: a capital for White, a small one
for Black. At the side stands what each seat's pieces reach, colour by colour.
"""

from typing import TYPE_CHECKING

import numpy as np

from chromazoo.envs.kroma.board import COLOURS, LETTERS, REACHES
from chromazoo.envs.svg import (
    ACCENT,
    FAINT,
    FELT,
    HUES,
    INK,
    LINE,
    PANEL,
    Box,
    Canvas,
    Colour,
    Picture,
    Viewer,
    ink_on,
    mixed,
)

if TYPE_CHECKING:
    from chromazoo.envs.kroma.rules import Game, KromaState

SEATS = ("White", "Black")
TONES = tuple(
    Colour(name, letter.upper(), HUES[name]) for name, letter in zip(COLOURS, LETTERS, strict=True)
)
_CELL = {"standard": 62, "basic": 76, "baby": 92}
_LEFT, _TOP, _SIDE = 44, 60, 400
_STEP, _GAP = 100, 16  # of windows, and between those of the two seats
_RIM = "#fdfcf8"


def draw(game: "Game", state: "KromaState", viewer: Viewer) -> Picture:
    """Draw one game; nothing is hidden in it.

    Args:
        game: The rules.
        state: The game, alone.
        viewer: A seat, which then plays upward; else White does.

    Returns:
        The picture; its size depends on the config alone.
    """
    return _Drawing(game, state, viewer).drawn()


class _Drawing:
    """One picture in the making."""

    def __init__(self, game: "Game", state: "KromaState", viewer: Viewer) -> None:
        """Look at a game from a side."""
        self.game, self.board = game, game.board
        self.state, self.viewer = state, viewer
        self.turn = int(state.turn[0])
        self.below = viewer if isinstance(viewer, int) else 0
        self.cell = _CELL[self.board.size]
        self.grid = Box(_LEFT, _TOP, self.cell * self.board.width, self.cell * self.board.height)
        self.side = Box(self.grid.x + self.grid.width + 24, _TOP, _SIDE, self.grid.height)
        wide, high = self.side.x + _SIDE + 20, _TOP + self.grid.height + 34
        self.canvas = Canvas(wide, high, f"Kroma: {self.status()}")

    def drawn(self) -> Picture:
        """Draw everything."""
        tag = f"seen from {SEATS[self.below]}'s side"
        self.canvas.heading("Kroma", self.status(), tag)
        self.squares()
        self.pieces()
        self.edges()
        self.seats()
        self.sidebar()
        letters = ", ".join(f"{tone.letters} {tone.name}" for tone in TONES[: self.board.width])
        low = self.canvas.high - 15
        self.canvas.text(letters, self.side.x, low, 13, colour=FAINT, fit=_SIDE)
        return self.canvas.picture()

    def status(self) -> str:
        """Say whose turn it is or how the game ended."""
        state, turn = self.state, self.turn
        if state.over[0]:
            if state.rewards[0].any():
                return f"{SEATS[1 - turn]} wins: {SEATS[turn]} has no legal move"
            return f"draw: {state.clock[0]} plies without a capture"
        doing = "drop a square" if state.left[0] else "move"
        return f"{SEATS[turn]} to {doing}"

    def place(self, square: int) -> Box:
        """Return where a square of the lower seat's view is."""
        up, right = divmod(square, self.board.width)
        return Box(
            self.grid.x + right * self.cell,
            self.grid.y + (self.board.height - 1 - up) * self.cell,
            self.cell,
            self.cell,
        )

    def name(self, square: int) -> str:
        """Name a square of the lower seat's view."""
        white = int(self.board.turned[square]) if self.below else square
        return self.board.square_name(white)

    def members(self, words: "np.ndarray[tuple[int], np.dtype[np.uint64]]") -> list[list[int]]:
        """List the squares of some sets."""
        squares = range(self.board.squares)
        return [[square for square in squares if word >> square & 1] for word in words.tolist()]

    def squares(self) -> None:
        """Draw the board: squares that are built, and the places of those that are not."""
        outer = self.grid.inset(-5)
        self.canvas.rect(outer, INK, radius=6)
        self.canvas.rect(self.grid, FELT)
        for square in range(self.board.squares):
            box = self.place(square)
            self.canvas.rect(box.inset(0.5), FELT, line=LINE)
            self.canvas.spot(f"square:{self.name(square)}", box)
        seen = self.state.squares[0, self.below ^ self.turn]
        for tone, squares in zip(TONES, self.members(seen), strict=False):
            fill = mixed(tone.fill, "#ffffff", 0.32)
            for square in squares:
                box = self.place(square)
                self.canvas.rect(box.inset(0.5), fill)
                at = box.x + 0.07 * self.cell, box.y + 0.14 * self.cell
                small = tone.letters.lower()
                self.canvas.text(small, *at, 0.2 * self.cell, colour=ink_on(fill), bold=True)

    def pieces(self) -> None:
        """Draw the pieces of both seats."""
        for seat in (0, 1):
            sets = self.state.pieces[0, seat ^ self.turn]
            if seat != self.below:
                sets = self.board.turn(sets)
            for number, squares in enumerate(self.members(sets)):
                for square in squares:
                    x, y = self.place(square).centre
                    self.piece(number, seat, x, y, 0.33 * self.cell)

    def piece(self, number: int, seat: int, x: float, y: float, radius: float) -> None:
        """Draw a piece of a colour."""
        tone, rim = TONES[number], INK if seat else _RIM
        self.canvas.circle(x, y, radius, rim, line=INK, weight=1)
        inner = 0.76 if seat else 0.8
        self.canvas.circle(x, y, inner * radius, tone.fill, line=INK, weight=0.6)
        letter = tone.letters.lower() if seat else tone.letters
        self.canvas.text(letter, x, y, 0.9 * radius, colour=tone.ink, anchor="middle", bold=True)

    def edges(self) -> None:
        """Write columns' letters and rows' numbers."""
        for place in range(max(self.board.width, self.board.height)):
            for square, down in ((place, True), (place * self.board.width, False)):
                if place >= (self.board.width if down else self.board.height):
                    continue
                name = self.name(square)
                x, y = self.place(square).centre
                if down:
                    under = self.grid.y + self.grid.height + 19
                    self.canvas.text(name[0], x, under, 14, colour=FAINT, anchor="middle")
                else:
                    self.canvas.text(name[1], _LEFT - 20, y, 14, colour=FAINT, anchor="middle")

    def seats(self) -> None:
        """Draw the seats at the side, the lower one below."""
        high = 58
        for seat in (0, 1):
            own = seat == self.below
            top = self.side.y + self.side.height - high if own else self.side.y
            self.seat(seat, Box(self.side.x, top, _SIDE, high))

    def seat(self, seat: int, box: Box) -> None:
        """Draw a seat: its name, pieces left, and its result."""
        state, canvas = self.state, self.canvas
        canvas.panel(box, active=bool(state.pending[0, seat]), own=seat == self.viewer)
        x, y = box.x + 32, box.y + box.height / 2
        canvas.circle(x, y, 13, INK if seat else _RIM, line=INK, weight=1.2)
        canvas.text(SEATS[seat], x + 24, y - 11, 16, bold=True)
        count = int(np.bitwise_count(state.pieces[0, seat ^ self.turn]).sum())
        told = f"seat {seat}, {count} piece{'' if count == 1 else 's'}"
        canvas.text(told, x + 24, y + 11, 13, colour=FAINT)
        if state.over[0]:
            reward = float(state.rewards[0, seat])
            result = "wins" if reward > 0 else "loses" if reward < 0 else "draws"
            at = box.x + box.width - 16
            canvas.text(result, at, y, 16, colour=ACCENT, anchor="end", bold=True)

    def sidebar(self) -> None:
        """Draw the row that is being built, or the moves that the colours of both seats have."""
        box = Box(self.side.x, self.side.y + 70, _SIDE, self.side.height - 140)
        state = self.state
        if state.left[0]:
            self.row_so_far(box)
            reaches = [[number] for number in range(self.board.width)]
            room = Box(box.x, box.y, _SIDE, box.height - 84)
            self.patterns("The reach that each colour lends", None, reaches, room, 3)
            return
        limit = self.game.config.no_capture_limit
        of = f" of {limit}" if limit else ""
        told = f"{state.clock[0]}{of} plies without a capture"
        self.canvas.text(told, box.x, box.y + box.height - 8, 13, colour=FAINT, fit=_SIDE)
        wide = (_SIDE - _GAP) / 2
        for place, seat in enumerate((self.below, 1 - self.below)):
            title = f"What {SEATS[seat]}'s pieces reach"
            room = Box(box.x + place * (wide + _GAP), box.y, wide, box.height - 26)
            self.patterns(title, seat, self.reaches(seat), room, 2)

    def reaches(self, seat: int) -> list[list[int]]:
        """List the colours whose reach pieces of each colour have, those of a seat."""
        state, influence = self.state, self.game.config.influence
        view = seat ^ self.turn
        counted = np.zeros(self.board.width, np.uint64)
        if influence != "reversed":
            counted |= state.pieces[0, view]
        if influence != "friendly":
            counted |= self.board.turn(state.pieces[0, 1 - view])
        squares = state.squares[0, view]
        lent = (squares[:, None] & counted) != 0  # (colours of squares, colours of pieces)
        return [np.flatnonzero(each).tolist() for each in lent]

    def row_so_far(self, box: Box) -> None:
        """Draw the row that is being built, at the foot of the sidebar, and the colours left."""
        line, left = int(self.state.line[0]), int(self.state.left[0])
        laid = [(line >> 4 * place & 15) - 1 for place in range(self.board.width)]
        laid = [number for number in laid if number >= 0]
        missing = [number for number in range(self.board.width) if left >> number & 1]
        pitch = min(34, (_SIDE - 104) / self.board.width)
        for words, numbers, up in (("the row so far", laid, 62), ("still to drop", missing, 24)):
            y = box.y + box.height - up
            self.canvas.text(words, box.x, y + 8, 13, colour=FAINT, fit=100)
            for place, number in enumerate(numbers):
                tile = Box(box.x + 104 + place * pitch, y - 6, pitch - 4, pitch - 4)
                self.canvas.rect(tile, TONES[number].fill, line=INK, weight=0.8, radius=3)
                if numbers is missing:
                    self.canvas.spot(f"drop:{TONES[number].name}", tile)
                tone = TONES[number]
                at = tile.centre
                self.canvas.text(tone.letters, *at, 15, colour=tone.ink, anchor="middle", bold=True)

    def patterns(
        self, title: str, seat: int | None, reaches: list[list[int]], box: Box, across: int
    ) -> None:
        """Draw the 5 × 5 window around a piece of each colour, with the squares that it reaches.

        Args:
            title: What stands above.
            seat: Whose pieces they are, None for nobody's.
            reaches: The colours that lend each colour their reach.
            box: The room.
            across: How many windows stand in a line, at most.
        """
        self.canvas.text(title, box.x, box.y + 8, 14, bold=True, fit=box.width)
        across = min(across, self.board.width)
        down = -(-self.board.width // across)
        step = min(_STEP, box.width / across, (box.height - 28) / down)
        for number, colours in enumerate(reaches):
            x = box.x + number % across * step
            y = box.y + 26 + number // across * step
            self.pattern(number, seat, colours, Box(x, y, step, step).inset(4))

    def pattern(self, number: int, seat: int | None, colours: list[int], box: Box) -> None:
        """Draw one window: the piece in its middle, on each square it reaches the lender's letter.

        Two colours never reach the same square.
        """
        step = box.width / 5
        self.canvas.rect(box, PANEL, line=LINE, radius=4)
        for place in range(25):
            up, right = divmod(place, 5)
            spot = Box(box.x + right * step, box.y + up * step, step, step)
            self.canvas.circle(*spot.centre, 0.08 * step, LINE)
        for reach, (up, right) in enumerate(REACHES):
            lender = reach // 4
            if lender in colours:
                tone = TONES[lender]
                spot = Box(box.x + (2 + right) * step, box.y + (2 - up) * step, step, step)
                self.canvas.rect(spot.inset(0.06 * step), tone.fill, radius=2)
                self.canvas.text(
                    tone.letters,
                    *spot.centre,
                    0.62 * step,
                    colour=tone.ink,
                    anchor="middle",
                    bold=True,
                )
        middle = box.centre
        if seat is None:
            self.canvas.circle(*middle, 0.4 * step, FAINT)
        else:
            self.piece(number, seat, *middle, 0.5 * step)
