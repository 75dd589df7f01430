"""Pictures as SVG: a canvas with the few shapes that games are drawn of, and colours.

A picture is self-contained and needs no font: all that is written on it is drawn as lines
(`lettering.py`). Nothing is transformed: what a shape says of its place holds for the sheet.
Every colour of a game carries letters of its own besides.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.guidance import won_by
from chromazoo.envs.lettering import outline, tidy, width

Viewer = int | Literal["public"] | None
"""Who looks at a picture: a seat, `public` for what all seats may see, None for everything."""

PAPER, PANEL, FELT, LINE, INK, FAINT, ACCENT, BACK, BACK_LINE = (
    "#f7f5f0",
    "#ffffff",
    "#e9e5dc",
    "#cfc9bc",
    "#22262e",
    "#6d7078",
    "#0b6e8f",
    "#4a5366",
    "#8b95a9",
)
"""What a picture is made of besides the colours of a game; `BACK` is that of a card face down."""

HUES = {
    "red": "#c8202f",
    "orange": "#f28c28",
    "yellow": "#f6d743",
    "green": "#23b08a",
    "blue": "#3d85d6",
    "purple": "#6a2c91",
}
"""Six hues that stay apart for colour-blind people too: they differ in lightness besides."""

Anchor = Literal["start", "middle", "end"]
_SHIFT: dict[Anchor, float] = {"start": 0.0, "middle": 0.5, "end": 1.0}
_CAPITALS = 0.7  # of the size of a text
_HEAD = re.compile('<svg [^>]*?width="([0-9.]+)" height="([0-9.]+)"')
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Picture(str):
    """A picture: SVG as text, which notebooks show as a picture by itself.

    Attributes:
        spots: Name of a spot -> where it is, at least one box: what people may click, or have to
            look at. It is no part of the text, and copies and pickles do without it.

    >>> written("bid, on the table: 3").size
    (640.0, 440.0)
    """

    __slots__ = ("spots",)

    spots: "Mapping[str, Sequence[Box]]"

    def __new__(
        cls, text: str = "", spots: "Mapping[str, Sequence[Box]] | None" = None
    ) -> "Picture":
        """Make a picture of SVG."""
        picture = super().__new__(cls, text)
        picture.spots = spots or {}
        return picture

    def __reduce__(self) -> "tuple[type[Picture], tuple[str]]":
        """Pickle the text."""
        return Picture, (str(self),)

    @property
    def size(self) -> tuple[float, float]:
        """Its width and height, in pixels."""
        wide, high = _HEAD.match(self).groups()  # type: ignore[union-attr]
        return float(wide), float(high)

    def _repr_svg_(self) -> str:
        """Return the text, under the name by which notebooks ask for it."""
        return str(self)


class Colour(NamedTuple):
    """A colour of a game.

    Attributes:
        name: Its name.
        letters: What is written on it, so that nobody has to tell it by its hue.
        fill: Its hue, `#rrggbb`.
    """

    name: str
    letters: str
    fill: str

    @property
    def ink(self) -> str:
        """The colour of letters on it: dark or light, whichever stands out more."""
        return ink_on(self.fill)


class Box(NamedTuple):
    """A rectangle: its left and upper edge, width and height."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> tuple[float, float]:
        """Its middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    def inset(self, by: float) -> "Box":
        """Return what is left within a margin."""
        return Box(self.x + by, self.y + by, self.width - 2 * by, self.height - 2 * by)

    def stacked(self, count: int, gap: float) -> list["Box"]:
        """Divide it into so many boxes of one height, one below the other, with gaps between."""
        pitch = (self.height + gap) / count
        return [Box(self.x, self.y + n * pitch, self.width, pitch - gap) for n in range(count)]


def luminance(fill: str) -> float:
    """Return the relative luminance of a colour `#rrggbb`, 0 to 1, as WCAG 2 defines it."""
    parts = [int(fill[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ink_on(fill: str) -> str:
    """Return the ink, black or white, that has more contrast (WCAG 2) on a colour `#rrggbb`.

    It is 4.5 at least, which that standard asks of texts.
    """
    light = luminance(fill) + 0.05
    return "#000000" if light / 0.05 > 1.05 / light else "#ffffff"


def mixed(one: str, other: str, share: float) -> str:
    """Mix two colours `#rrggbb`; `share` is that of the other, 0 to 1."""
    pairs = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


class Canvas:
    """Takes shapes in turn, later ones over earlier ones, and makes a picture of them."""

    def __init__(self, wide: float, high: float, label: str) -> None:
        """Begin with an empty sheet.

        Args:
            wide: Width in pixels.
            high: Height in pixels.
            label: What the picture shows, in words, for those who do not see it.
        """
        self.wide, self.high = wide, high
        self._label = label
        self._parts: list[str] = []
        self._spots: dict[str, list[Box]] = {}
        self.rect(Box(0, 0, wide, high), PAPER)

    def rect(
        self,
        box: Box,
        fill: str,
        *,
        line: str = "none",
        weight: float = 1,
        radius: float = 0,
        dashed: bool = False,
    ) -> None:
        """Draw a rectangle, with rounded corners if there is a radius."""
        places = zip(("x", "y", "width", "height"), box, strict=True)
        shape = " ".join(f'{name}="{tidy(value)}"' for name, value in places)
        rounded = f' rx="{tidy(radius)}"' if radius else ""
        self._add(f"rect {shape}{rounded}", fill, line, weight, dashed)

    def circle(
        self, x: float, y: float, radius: float, fill: str, *, line: str = "none", weight: float = 1
    ) -> None:
        """Draw a disc."""
        shape = f'circle cx="{tidy(x)}" cy="{tidy(y)}" r="{tidy(radius)}"'
        self._add(shape, fill, line, weight, False)

    def lines(
        self,
        *strokes: Sequence[tuple[float, float]],
        line: str = INK,
        weight: float = 1.5,
        fill: str = "none",
        cap: Literal["round", "butt"] = "round",
    ) -> None:
        """Draw lines through points."""
        data = "".join(
            "".join(
                f"{'L' if number else 'M'}{tidy(x)} {tidy(y)}" for number, (x, y) in enumerate(each)
            )
            for each in strokes
        )
        self._add(f'path stroke-linecap="{cap}" d="{data}"', fill, line, weight, False)

    def text(
        self,
        words: str,
        x: float,
        y: float,
        size: float,
        *,
        colour: str = INK,
        anchor: Anchor = "start",
        bold: bool = False,
        fit: float | None = None,
    ) -> float:
        """Write on one line.

        Args:
            words: What to write.
            x: Where it begins, has its middle, or ends, by `anchor`.
            y: The middle of its capitals.
            size: Its size; capitals are 0.7 of it high.
            colour: Its ink.
            anchor: `start`, `middle` or `end`.
            bold: Whether lines are thick.
            fit: The greatest width: what would be wider is written smaller.

        Returns:
            How wide it has become, the ends of its lines included.
        """
        share = 0.125 if bold else 0.085
        wide = width(words, size) + share * size
        if fit is not None and wide > fit:
            size, wide = size * fit / wide, fit
        weight = share * size
        left = x - _SHIFT[anchor] * wide + weight / 2
        data = outline(words, left, y + _CAPITALS * size / 2, size)
        if data:
            label = f'path role="text" aria-label="{_quoted(words)}" stroke-linecap="round"'
            self._add(f'{label} stroke-linejoin="round" d="{data}"', "none", colour, weight, False)
        return wide

    def place(self, picture: Picture, box: Box) -> None:
        """Draw another picture, as large as the box: in scale if that has its proportions."""
        wide, high = picture.size
        places = zip(("x", "y", "width", "height"), box, strict=True)
        shape = " ".join(f'{name}="{tidy(value)}"' for name, value in places)
        body = picture.partition(">")[2]
        self._parts.append(f'<svg {shape} viewBox="0 0 {tidy(wide)} {tidy(high)}">{body}')

    def picture(self) -> Picture:
        """Return the picture of all that has been drawn."""
        size = f'width="{tidy(self.wide)}" height="{tidy(self.high)}"'
        view = f'viewBox="0 0 {tidy(self.wide)} {tidy(self.high)}"'
        label = f'role="img" aria-label="{_quoted(self._label)}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} {label}>'
        return Picture("\n".join([head, *self._parts, "</svg>"]), self._spots)

    def spot(self, name: str, box: Box) -> None:
        """Note where something is that people may click or have to look at; nothing is drawn.

        Args:
            name: The name of the spot, as `Game.clicks` and `Game.news` have it.
            box: Its place, or one more of its places.
        """
        self._spots.setdefault(name, []).append(box)

    def _add(self, shape: str, fill: str, line: str, weight: float, dashed: bool) -> None:
        """Add a shape with its colours."""
        look = f' fill="{fill}"'
        if line != "none":
            look += f' stroke="{line}" stroke-width="{tidy(weight)}"'
        if dashed:
            look += f' stroke-dasharray="{tidy(3 * weight)} {tidy(2 * weight)}"'
        self._parts.append(f"<{shape}{look}/>")

    # What several games are drawn of

    def face_down(self, box: Box) -> None:
        """Draw a card face down."""
        self.rect(box, BACK, line=INK, weight=1, radius=0.12 * min(box.width, box.height))
        inner = box.inset(0.14 * min(box.width, box.height))
        self.rect(inner, "none", line=BACK_LINE, weight=1, radius=0.06 * inner.width)
        x, y = box.centre
        reach = 0.2 * min(box.width, box.height)
        diamond = [(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y), (x, y - reach)]
        self.lines(diamond, line=BACK_LINE, weight=1.2)

    def panel(self, box: Box, *, active: bool = False, own: bool = False) -> None:
        """Draw the panel of a seat: with a bar where it is to decide, framed where it looks on."""
        edge, weight = (ACCENT, 2) if own else (LINE, 1)
        self.rect(box, PANEL, line=edge, weight=weight, radius=8)
        if active:
            self.rect(Box(box.x + 4, box.y + 6, 4, box.height - 12), ACCENT, radius=2)

    def heading(self, title: str, status: str, tag: str) -> None:
        """Write the first line: the game, how it stands, and, at its end, whose view it is."""
        used = self.text(title, 20, 26, 22, bold=True, fit=0.4 * self.wide)
        taken = width(tag, 13) + 6
        self.text(tag, self.wide - 20, 27, 13, colour=FAINT, anchor="end", fit=0.3 * self.wide)
        room = self.wide - 40 - used - 16 - min(taken, 0.3 * self.wide) - 16
        self.text(status, 20 + used + 16, 27, 15, fit=room)


def viewer_text(viewer: Viewer) -> str:
    """Say who looks on."""
    if viewer is None:
        return "all cards open"
    return "what all may see" if viewer == "public" else f"as seat {viewer} sees it"


def result_text(rewards: NDArray[np.float64], reason: str) -> str:
    """Say which seats won: those of the highest reward, of float64 (N,), and why."""
    winners = np.flatnonzero(rewards == rewards.max()).tolist()
    return won_by([f"seat {seat}" for seat in winners], reason)


def cells(count: int, box: Box, ratio: float, most: float, gap: float = 3) -> list[Box]:
    """Share out room among cards: as large as they can be with all of them inside.

    Args:
        count: How many cards.
        box: The room.
        ratio: Width of a card over its height.
        most: The greatest height of a card.
        gap: Between cards, at most: it shrinks with them.

    Returns:
        A box a card, line by line from the upper left corner.

    >>> [cell.x for cell in cells(3, Box(0, 0, 100, 20), ratio=1, most=20, gap=5)]
    [0.0, 25.0, 50.0]
    >>> {cell.y for cell in cells(11, Box(0, 0, 100, 20), ratio=1, most=20, gap=0)}
    {0.0, 10.0}
    """
    if not count:
        return []
    best, columns = 0.0, 1
    for across in range(1, count + 1):
        down = -(-count // across)
        share = gap / most
        high = min(
            box.width / (across * ratio + (across - 1) * share),
            box.height / (down + (down - 1) * share),
            most,
        )
        if high > best + 1e-9 or (high == most == best and across > columns):
            best, columns = high, across
    gap *= best / most
    step_x, step_y = best * ratio + gap, best + gap
    return [
        Box(
            box.x + number % columns * step_x,
            box.y + number // columns * step_y,
            best * ratio,
            best,
        )
        for number in range(count)
    ]


def sheet(pictures: Sequence[Picture], captions: Sequence[str], across: int = 2) -> Picture:
    """Draw pictures of one size side by side, smaller, with a caption over each.

    Args:
        pictures: At least one.
        captions: One a picture.
        across: How many at most stand in a line.

    Returns:
        The sheet.
    """
    scale, gap, line = 0.62, 16.0, 24.0
    wide, high = (scale * side for side in pictures[0].size)
    columns = min(across, len(pictures))
    rows = -(-len(pictures) // columns)
    canvas = Canvas(columns * (wide + gap) + gap, rows * (high + line) + gap, ", ".join(captions))
    for number, (picture, caption) in enumerate(zip(pictures, captions, strict=True)):
        x = gap + number % columns * (wide + gap)
        y = number // columns * (high + line)
        canvas.text(caption, x, y + line / 2 + 3, 13, colour=FAINT, fit=wide)
        canvas.place(picture, Box(x, y + line, wide, high))
    return canvas.picture()


def written(text: str) -> Picture:
    """Draw a text of some lines, at most 64 letters wide and 24 lines high.

    Args:
        text: What to write.

    Returns:
        The picture, always of the same size.
    """
    canvas = Canvas(640, 440, text)
    for number, line in enumerate(text.splitlines()[:24]):
        canvas.text(line, 20, 28 + 17 * number, 14, fit=600)
    return canvas.picture()


def _quoted(words: str) -> str:
    """Write a text as the value of an attribute in double quotes."""
    return escape(_NO_XML.sub("\ufffd", words), {'"': "&quot;", "\n": " ", "\t": " ", "\r": " "})
