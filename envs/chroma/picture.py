"""CHROMA's table as a picture: the board, the pile, and every seat's hand.

A card has its colour, the colour's letters and, below, its number; what is known of a card face
down is shown on a small card inside it. A seat's view shows its own hand and whatever it knows for
certain of other cards (C13); what all may see is the board, and hands of one card.
"""

from functools import cached_property, lru_cache
from math import cos, pi, sin
from typing import TYPE_CHECKING

import numpy as np

from chromazoo.envs.chroma import seen
from chromazoo.envs.chroma.board import (
    COLUMNS,
    FACE_DOWN,
    LOCK_MARK,
    MAGNET_MARK,
    ROWS,
    SPACES,
    space_name,
)
from chromazoo.envs.chroma.cards import GIFT, LOCK, MAGNET, NO_POWER, PACK, POWERS, REPLAY
from chromazoo.envs.chroma.config import (
    BLACK,
    COLOURS,
    GIVE,
    HUES,
    PLACE,
    POWER,
    WHEELS,
    WHITE,
    WILD,
    Wheel,
)
from chromazoo.envs.svg import (
    ACCENT,
    FAINT,
    FELT,
    INK,
    LINE,
    PANEL,
    Box,
    Canvas,
    Colour,
    Picture,
    Viewer,
    cells,
    mixed,
    result_text,
    viewer_text,
)
from chromazoo.envs.svg import HUES as FILLS

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game

_CELL = 54
_GRID = Box(44, 62, _CELL * COLUMNS, _CELL * ROWS)
_SIDE = Box(_GRID.x + _GRID.width + 26, 56, 430, 486)
_RATIO = 0.72  # width of a card in hand over its height
_MOST = 92  # height of a card in hand, at most
_FOOT = 30  # height of the legend
_UNKNOWN = -1


def draw(game: "Game", state: "ChromaState", viewer: Viewer) -> Picture:
    """Draw one game.

    Args:
        game: The rules.
        state: The game, alone.
        viewer: Who looks on; see `Game.svg`.

    Returns:
        The picture, always of the same size.
    """
    return _Drawing(game, state, viewer).drawn()


@lru_cache(maxsize=32)
def tones(wheel: Wheel) -> tuple[Colour, ...]:
    """Give the colours of a wheel their letters and hues.

    The hues are those of their names where the names are those of the game's own wheels of hues and
    tones; else the colours go round a circle of hues, and the last two are white and black.
    """
    named = wheel.names == WHEELS["tones"].names
    fills = [_tone(number) if named else _ring(number) for number in range(COLOURS)]
    fills[WHITE], fills[BLACK] = "#fbfaf6", "#1c1d22"
    letters = _letters(wheel.names)
    return tuple(map(Colour, wheel.names, letters, fills))


def _tone(number: int) -> str:
    """Return the fill of a colour of six hues in three tones."""
    hue, tone = divmod(min(number, WHITE - 1), 3)
    fill = FILLS[HUES[hue]]
    return (mixed(fill, "#ffffff", 0.55), fill, mixed(fill, "#000000", 0.42))[tone]


def _ring(number: int) -> str:
    """Return the fill of one of 18 hues in a circle; neighbours differ in lightness."""
    angle = 2 * pi * number / WHITE + 0.45
    light, chroma = (0.60, 0.78, 0.69)[number % 3], 0.135
    return _from_oklch(light, chroma * cos(angle), chroma * sin(angle))


def _from_oklch(light: float, a: float, b: float) -> str:
    """Turn a colour of the Oklab space (Ottosson 2020) into `#rrggbb`, clipped to what there is."""
    root = np.array(
        [
            light + 0.3963377774 * a + 0.2158037573 * b,
            light - 0.1055613458 * a - 0.0638541728 * b,
            light - 0.0894841775 * a - 1.2914855480 * b,
        ]
    )
    matrix = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.7076147010],
        ]
    )
    linear = np.clip(matrix @ root**3, 0, 1)
    parts = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts.tolist())


def _letters(names: tuple[str, ...]) -> list[str]:
    """Abbreviate names, each differently: `dark-red` to dR, `blue` to B and then `black` to K.

    The last part of a name gives a capital, the first of its letters that is still free from both
    ends; the parts before it a small letter each. Where none is free, the number stands for it.
    """
    found: list[str] = []
    for number, name in enumerate(names):
        *before, last = [part for part in name.split("-") if part] or ["?"]
        start = "".join(part[0].lower() for part in before)[:2]
        if last.isdigit():
            choices = [start + last[:3]]
        else:
            choices = [start + letter.upper() for letter in (last[0], *reversed(last))]
        free = [choice for choice in choices if choice not in found]
        found.append(free[0] if free else str(number))
    return found


def _arc(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """List points of the upper half of a circle, from the left."""
    turns = [step * pi / 12 for step in range(13)]
    return [(x - radius * cos(turn), y - radius * sin(turn)) for turn in turns]


class _Drawing:
    """One picture in the making, of a state of one game."""

    def __init__(self, game: "Game", state: "ChromaState", viewer: Viewer) -> None:
        """Look at a game."""
        self.game, self.state, self.viewer = game, state, viewer
        self.tones = tones(game.config.colours)
        wide, high = _SIDE.x + _SIDE.width + 20, _SIDE.y + _SIDE.height + _FOOT
        self.canvas = Canvas(wide, high, f"CHROMA: {self.status()}")

    def drawn(self) -> Picture:
        """Draw everything."""
        self.canvas.heading("CHROMA", self.status(), viewer_text(self.viewer))
        self.board()
        self.marks()
        self.pile()
        self.legend()
        for seat, box in enumerate(_SIDE.stacked(self.game.num_seats, 8)):
            self.seat(seat, box)
        return self.canvas.picture()

    def status(self) -> str:
        """Say whose decision it is or how the game ended."""
        state = self.state
        if state.over[0]:
            return result_text(state.rewards[0], self.game.ending(state, 0))
        power = int(state.power[0])
        if state.phase[0] == GIVE:
            doing = f"gives seat {state.partner[0]} a card"
        elif state.phase[0] == POWER:
            doing = f"may use {POWERS[power]}"
        elif state.phase[0] == WILD:
            doing = "lays a card face down"
        else:
            assert state.phase[0] == PLACE
            doing = "places one more card" if state.replaying[0] else "places a card or draws"
        return f"seat {state.seat[0]} {doing}"

    # What the viewer knows

    @cached_property
    def hands(self) -> list[list[int]]:
        """The types that the viewer knows of each hand, in order."""
        return seen.hands(self.game, self.state, self.viewer)

    @cached_property
    def under(self) -> list[int]:
        """The types of cards face down that the viewer knows, by space, -1 elsewhere."""
        return seen.under(self.state, self.viewer)

    # The board

    def place(self, space: int) -> Box:
        """Return where a space is."""
        up, right = divmod(space, COLUMNS)
        x, y = _GRID.x + right * _CELL, _GRID.y + (ROWS - 1 - up) * _CELL
        return Box(x, y, _CELL, _CELL).inset(2)

    def board(self) -> None:
        """Draw the spaces and what lies on them."""
        state = self.state
        self.canvas.rect(_GRID.inset(-6), FELT, radius=8)
        for space, card in enumerate(state.board[0, :SPACES].tolist()):
            box = self.place(space)
            self.canvas.spot(f"space:{space_name(space)}", box)
            if not card:
                self.canvas.rect(box, "#f3f0e9", line=LINE, radius=5)
            elif card == FACE_DOWN:
                self.canvas.face_down(box)
                if self.under[space] != _UNKNOWN:
                    self.card(self.under[space], box.inset(11))
            else:
                self.card(card - 1, box)
        if state.spot[0] >= 0:
            box = self.place(int(state.spot[0])).inset(-2)
            self.canvas.rect(box, "none", line=ACCENT, weight=3.5, radius=7)
        for number, letter in enumerate("abcdefghijk"):
            x = _GRID.x + (number + 0.5) * _CELL
            under = _GRID.y + _GRID.height + 18
            self.canvas.text(letter, x, under, 13, colour=FAINT, anchor="middle")
        for number in range(ROWS):
            y = _GRID.y + (ROWS - number - 0.5) * _CELL
            self.canvas.text(str(number + 1), 24, y, 13, colour=FAINT, anchor="middle")

    def marks(self) -> None:
        """Draw active Magnets and Locks on their cards, with the seats whose they are."""
        marks = enumerate(self.state.marks[0].tolist())
        by_space: dict[int, list[tuple[int, int]]] = {}
        for seat, mark in marks:
            if mark >= LOCK_MARK:
                by_space.setdefault(mark - LOCK_MARK, []).append((seat, LOCK))
            elif mark >= MAGNET_MARK:
                by_space.setdefault(mark - MAGNET_MARK, []).append((seat, MAGNET))
        for space, found in by_space.items():
            box = self.place(space)
            self.canvas.rect(box.inset(-2), "none", line=INK, weight=3, radius=7)
            for seat, power in found:
                # over the sign of the card's power, which is the same
                badge = Box(box.x + box.width - 28, box.y + box.height - 20, 27, 19)
                self.canvas.rect(badge, PANEL, line=INK, weight=1.2, radius=7)
                self.icon(power, Box(badge.x + 3, badge.y + 4, 11, 11), INK)
                x, y = badge.x + 20, badge.centre[1]
                self.canvas.text(str(seat), x, y, 13, anchor="middle", bold=True)

    def card(self, card: int, box: Box) -> None:
        """Draw a card face up."""
        colour, power = card % COLOURS, int(self.game.cards.power[card])
        tone = self.tones[colour]
        small = min(box.width, box.height)
        self.canvas.rect(box, tone.fill, line=INK, weight=0.8, radius=0.12 * small)
        x, y = box.centre
        up = y - 0.14 * box.height
        size = min(0.52 * box.width, 0.46 * box.height)
        fit = 0.84 * box.width
        self.canvas.text(
            tone.letters, x, up, size, colour=tone.ink, anchor="middle", bold=True, fit=fit
        )
        low = box.y + 0.79 * box.height
        if power == NO_POWER:
            self.canvas.text(
                str(colour), x, low, 0.56 * size, colour=tone.ink, anchor="middle", fit=fit
            )
            return
        left = box.x + 0.27 * box.width
        self.canvas.text(
            str(colour), left, low, 0.56 * size, colour=tone.ink, anchor="middle", fit=0.4 * fit
        )
        side = 0.3 * min(box.width, 1.2 * box.height)
        right = box.x + 0.71 * box.width
        self.icon(power, Box(right - side / 2, low - side / 2, side, side), tone.ink)

    def icon(self, power: int, box: Box, ink: str) -> None:
        """Draw the sign of a power in a square."""
        x, y, side, _ = box
        weight = 0.13 * side

        def at(right: float, down: float) -> tuple[float, float]:
            return x + right * side, y + down * side

        if power == REPLAY:  # two triangles: go on
            for start in (0.02, 0.5):
                points = [at(start, 0.12), at(start + 0.46, 0.5), at(start, 0.88), at(start, 0.12)]
                self.canvas.lines(points, line=ink, weight=0.06 * side, fill=ink)
        elif power == GIFT:  # a box with a ribbon
            corners = ((0.08, 0.34), (0.92, 0.34), (0.92, 0.94), (0.08, 0.94), (0.08, 0.34))
            frame = [at(*corner) for corner in corners]
            ribbon = [at(0.5, 0.34), at(0.5, 0.94)]
            bow = [at(0.26, 0.06), at(0.5, 0.34), at(0.74, 0.06)]
            self.canvas.lines(frame, ribbon, bow, line=ink, weight=weight)
        elif power == MAGNET:  # a horseshoe with the tips set off
            bend = _arc(0.5, 0.42, 0.34)
            shoe = [at(0.16, 0.62), *(at(*point) for point in bend), at(0.84, 0.62)]
            tips = [[at(side, 0.84), at(side, 0.94)] for side in (0.16, 0.84)]
            self.canvas.lines(shoe, *tips, line=ink, weight=1.7 * weight, cap="butt")
        else:  # a padlock
            bow = [at(*point) for point in _arc(0.5, 0.34, 0.26)]
            self.canvas.lines([at(0.24, 0.5), *bow, at(0.76, 0.5)], line=ink, weight=weight)
            self.canvas.rect(Box(*at(0.08, 0.46), 0.84 * side, 0.5 * side), ink, radius=0.1 * side)

    # The pile and the seats

    def pile(self) -> None:
        """Draw the draw pile; the open picture shows its next cards."""
        state, left = self.state, PACK - int(self.state.drawn[0])
        y = _GRID.y + _GRID.height + 32
        box = Box(_GRID.x, y, 35, 48)
        if left:
            self.canvas.face_down(box)
        else:
            self.canvas.rect(box, FELT, line=LINE, radius=5, dashed=True)
        self.canvas.spot("pile", box.inset(-3))
        across = box.x + 48
        self.canvas.text(f"pile: {left} card{'' if left == 1 else 's'}", across, y + 14, 14)
        passes = int(state.passes[0])
        told = f"passes in a row: {passes} of {2 * self.game.num_seats}"
        self.canvas.text(told, across, y + 36, 13, colour=FAINT)
        if self.viewer is None and left:
            self.canvas.text("next", across + 188, y + 24, 13, colour=FAINT, anchor="end")
            drawn = int(state.drawn[0])
            cards = state.deck[0, drawn : drawn + 9].tolist()
            room = Box(across + 198, y + 2, _GRID.x + _GRID.width - across - 198, 46)
            for card, place in zip(cards, cells(len(cards), room, _RATIO, 46, 4), strict=True):
                self.card(card, place)

    def legend(self) -> None:
        """Tell what signs and letters stand for, in the last line."""
        x, y = _GRID.x, self.canvas.high - 15
        for power, name in enumerate(POWERS):
            self.icon(power, Box(x, y - 6, 12, 12), FAINT)
            x += 17 + self.canvas.text(name, x + 17, y, 13, colour=FAINT) + 14
        x += self.canvas.text("active: with its seat's number", x - 4, y, 13, colour=FAINT) + 10
        if self.game.config.colours.names == WHEELS["tones"].names:
            bases = [*range(1, WHITE, 3), WHITE, BLACK]
            told = ", ".join(
                f"{self.tones[base].letters} {self.tones[base].name}" for base in bases
            )
            told += "; l light, d dark"
            room = self.canvas.wide - 20 - x
            self.canvas.text(
                told, self.canvas.wide - 20, y, 13, colour=FAINT, anchor="end", fit=room
            )

    def seat(self, seat: int, box: Box) -> None:
        """Draw a seat: its name, how many cards it holds, and those that the viewer knows."""
        state, canvas = self.state, self.canvas
        own = seat == self.viewer
        canvas.panel(box, active=bool(state.pending[0, seat]), own=own)
        canvas.spot(f"seat:{seat}", box)
        size, y = int(state.sizes[0, seat]), box.y + 15
        used = canvas.text(f"seat {seat}", box.x + 18, y, 15, bold=True)
        told = f"{size} card{'' if size == 1 else 's'}"
        if not own and isinstance(self.viewer, int) and self.hands[seat]:
            told += f", {len(self.hands[seat])} known"
        if state.first[0] == seat:
            told += ", began"
        canvas.text(told, box.x + 30 + used, y, 13, colour=FAINT)
        if state.over[0]:
            reward = float(state.rewards[0, seat])
            end = box.x + box.width - 14
            canvas.text(f"{reward:+.2g}", end, y, 15, colour=ACCENT, anchor="end", bold=True)
        room = Box(box.x + 18, box.y + 27, box.width - 32, box.height - 34)
        most = min(_MOST, room.height)
        cards = self.hands[seat] + [_UNKNOWN] * (size - len(self.hands[seat]))
        for card, place in zip(cards, cells(size, room, _RATIO, most, 5), strict=True):
            if card == _UNKNOWN:
                canvas.face_down(place)
            else:
                self.card(card, place)
                if own:
                    canvas.spot(f"card:{self.game.cards.names[card]}", place)
