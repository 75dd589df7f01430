"""Letters drawn as lines, so that a picture needs no font and looks the same on every machine.

A glyph is written on a grid: the baseline is at 0, small letters are 10 high, capitals and digits
14, and y goes up. `M` begins a line, `L` draws a straight one, `Q` a quarter of an ellipse, whose
corner comes before its end.
"""

import re
from functools import lru_cache

UNIT = 20
"""Units of the grid in the size of a text: capitals are 0.7 of the size high."""
_GAP, _SPACE = 3.4, 5.0
_BEND = 0.5523  # a quarter of a circle as a cubic curve
_BOWL = "M4.25 10Q0 10 0 5Q0 0 4.25 0Q8.5 0 8.5 5Q8.5 10 4.25 10"
_ARCH = "M0 5.5Q0 10 4 10Q7.8 10 7.8 6L7.8 0"
_P = "M0 0L0 14L5 14Q9 14 9 10.25Q9 6.5 5 6.5L0 6.5"
_O = "M5.5 14Q0 14 0 7Q0 0 5.5 0Q11 0 11 7Q11 14 5.5 14"
_UNKNOWN = "M0 0L0 14L8 14L8 0L0 0M2.5 3L5.5 11"

GLYPHS = {
    "0": "M4.5 14Q0 14 0 7Q0 0 4.5 0Q9 0 9 7Q9 14 4.5 14",
    "1": "M0 11L4 14L4 0",
    "2": "M0 10.5Q0 14 4.4 14Q8.6 14 8.6 10.5Q8.6 8.5 6 6L0 0L9 0",
    "3": "M0.5 14L8.5 14L4 8.5Q9 8.5 9 4.25Q9 0 4.5 0Q1 0 0 2.5",
    "4": "M7 0L7 14L0 4.2L9.5 4.2",
    "5": "M8.2 14L1 14L0.5 7.8Q2 9 4.5 9Q9 9 9 4.5Q9 0 4.5 0Q1 0 0 2.5",
    "6": "M8 13Q6.5 14 5 14Q0 14 0 6L0 4.5Q0 0 4.5 0Q9 0 9 4.5Q9 9 4.5 9Q0 9 0 4.5",
    "7": "M0 14L9 14L3.5 0",
    "8": (
        "M4.5 7.7Q0.7 7.7 0.7 10.85Q0.7 14 4.5 14Q8.3 14 8.3 10.85Q8.3 7.7 4.5 7.7"
        "Q0 7.7 0 3.85Q0 0 4.5 0Q9 0 9 3.85Q9 7.7 4.5 7.7"
    ),
    "9": "M1 1Q2.5 0 4 0Q9 0 9 8L9 9.5Q9 14 4.5 14Q0 14 0 9.5Q0 5 4.5 5Q9 5 9 9.5",
    "A": "M0 0L5 14L10 0M1.8 5L8.2 5",
    "B": "M0 0L0 14L5 14Q8.5 14 8.5 10.75Q8.5 7.5 5 7.5L0 7.5M5 7.5Q9 7.5 9 3.75Q9 0 5 0L0 0",
    "C": "M10 11.2Q8.8 14 5.5 14Q0 14 0 7Q0 0 5.5 0Q8.8 0 10 2.8",
    "D": "M0 0L0 14L4 14Q10 14 10 7Q10 0 4 0L0 0",
    "E": "M8 14L0 14L0 0L8 0M0 7.4L6.6 7.4",
    "F": "M8 14L0 14L0 0M0 7.2L6.4 7.2",
    "G": "M10 11.2Q8.8 14 5.5 14Q0 14 0 7Q0 0 5.5 0Q8.8 0 10.2 2L10.2 6.6L6 6.6",
    "H": "M0 0L0 14M9.5 0L9.5 14M0 7.4L9.5 7.4",
    "I": "M0 0L0 14",
    "J": "M6 14L6 4Q6 0 3 0Q0.5 0 0 2.5",
    "K": "M0 0L0 14M9 14L0 5.5M3.3 8.6L9.5 0",
    "L": "M0 14L0 0L8 0",
    "M": "M0 0L0 14L6 4L12 14L12 0",
    "N": "M0 0L0 14L9.5 0L9.5 14",
    "O": _O,
    "P": _P,
    "Q": _O + "M7 4L11 -0.8",
    "R": _P + "M4.6 6.5L9.5 0",
    "S": (
        "M8.6 11.4Q7.6 14 4.6 14Q0.5 14 0.5 10.7Q0.5 7.3 4.6 7.3Q9 7.3 9 3.7Q9 0 4.5 0Q1 0 0 2.7"
    ),
    "T": "M0 14L10 14M5 14L5 0",
    "U": "M0 14L0 5Q0 0 4.75 0Q9.5 0 9.5 5L9.5 14",
    "V": "M0 14L5 0L10 14",
    "W": "M0 14L3.75 0L7.5 12L11.25 0L15 14",
    "X": "M0 0L9.5 14M0 14L9.5 0",
    "Y": "M0 14L5 7L10 14M5 7L5 0",
    "Z": "M0 14L9 14L0 0L9 0",
    "a": "M0.8 8.4Q2 10 4.2 10Q8 10 8 6.5L8 0M8 5.8L4 5.8Q0 5.8 0 2.9Q0 0 3.4 0Q6.8 0 8 3",
    "b": "M0 14L0 0" + _BOWL,
    "c": "M7.6 8Q6.6 10 4.2 10Q0 10 0 5Q0 0 4.2 0Q6.6 0 7.6 2",
    "d": "M8.5 14L8.5 0" + _BOWL,
    "e": "M0 5.2L8.4 5.2Q8.4 10 4.2 10Q0 10 0 5Q0 0 4.4 0Q7 0 8 2",
    "f": "M5.5 14Q2 14 2 11L2 0M0 9.4L5 9.4",
    "g": "M8.5 10L8.5 -0.5Q8.5 -4.2 4.4 -4.2Q1.5 -4.2 0.6 -2.6" + _BOWL,
    "h": "M0 14L0 0" + _ARCH,
    "i": "M0 10L0 0M0 13.6L0 13.8",
    "j": "M2.5 10L2.5 -1.5Q2.5 -4.2 0 -4.2M2.5 13.6L2.5 13.8",
    "k": "M0 14L0 0M7 10L0 3.6M2.8 6.2L7.4 0",
    "l": "M0 14L0 2Q0 0 2 0",
    "m": "M0 10L0 0M0 6Q0 10 3.2 10Q6 10 6 6.5L6 0M6 6Q6 10 9.2 10Q12 10 12 6.5L12 0",
    "n": "M0 10L0 0" + _ARCH,
    "o": _BOWL,
    "p": "M0 10L0 -4.2" + _BOWL,
    "q": "M8.5 10L8.5 -4.2" + _BOWL,
    "r": "M0 10L0 0M0 5.5Q0 10 5 9.9",
    "s": "M6.6 8.3Q5.8 10 3.6 10Q0.4 10 0.4 7.6Q0.4 5.2 3.6 5.2Q7 5.2 7 2.6Q7 0 3.6 0Q0.8 0 0 1.9",
    "t": "M2 13L2 3Q2 0 5.5 0M0 10L5 10",
    "u": "M0 10L0 4Q0 0 3.8 0Q7.8 0 7.8 4.5M7.8 10L7.8 0",
    "v": "M0 10L4 0L8 10",
    "w": "M0 10L3 0L6 9L9 0L12 10",
    "x": "M0 0L7.5 10M0 10L7.5 0",
    "y": "M0 10L4 0M8 10L3.3 -2Q2.4 -4.2 0.4 -4.2",
    "z": "M0 10L7.5 10L0 0L7.5 0",
    ".": "M0 0L0 0.2",
    ",": "M0.9 0.2L0 -2.6",
    ":": "M0 0.6L0 0.8M0 8.6L0 8.8",
    ";": "M0.9 0.2L0 -2.6M0.9 8.6L0.9 8.8",
    "!": "M0 14L0 4.4M0 0L0 0.2",
    "?": "M0 10.8Q0 14 4 14Q7.8 14 7.8 10.8Q7.8 8.6 5.8 7.4Q4 6.2 4 4.2M4 0L4 0.2",
    "'": "M0 14L0 10.4",
    '"': "M0 14L0 10.4M3 14L3 10.4",
    "-": "M0 5.6L5 5.6",
    "–": "M0 5.6L8 5.6",
    "_": "M0 -1.5L8 -1.5",
    "+": "M0 6L8 6M4 10L4 2",
    "=": "M0 4L8 4M0 8L8 8",
    "×": "M0 2.5L7 9.5M0 9.5L7 2.5",
    "·": "M0 6L0 6.2",
    "*": "M3.5 13.5L3.5 6.5M0.5 11.8L6.5 8.2M0.5 8.2L6.5 11.8",
    "/": "M0 -1.5L6 15",
    "|": "M0 -3L0 15",
    "(": "M3 15.5Q0 13 0 6.5Q0 0 3 -2.5",
    ")": "M0 15.5Q3 13 3 6.5Q3 0 0 -2.5",
    "[": "M3 15.5L0 15.5L0 -2.5L3 -2.5",
    "]": "M0 15.5L3 15.5L3 -2.5L0 -2.5",
    "<": "M7 11L0 6L7 1",
    ">": "M0 11L7 6L0 1",
    "#": "M2 0L4 14M7 0L9 14M0.6 4.6L10 4.6M1 9.4L10.4 9.4",
    "%": "M9.5 14L1 0M2.2 14Q0 14 0 11.6Q0 9.2 2.2 9.2Q4.4 9.2 4.4 11.6Q4.4 14 2.2 14"
    "M8.3 4.8Q6.1 4.8 6.1 2.4Q6.1 0 8.3 0Q10.5 0 10.5 2.4Q10.5 4.8 8.3 4.8",
}

Point = tuple[float, float]
Pieces = list[tuple[str, tuple[Point, ...]]]
"""What a glyph is drawn of: `M`, `L` or `C` (a cubic curve), and its points."""


@lru_cache(maxsize=256)
def _glyph(letter: str) -> tuple[Pieces, float]:
    """Read a glyph: its pieces, and its width."""
    pieces: Pieces = []
    here, width = (0.0, 0.0), 0.0
    for command, text in re.findall(r"([MLQ])([^MLQ]+)", GLYPHS.get(letter, _UNKNOWN)):
        numbers = [float(number) for number in text.split()]
        end = (numbers[-2], numbers[-1])
        if command == "Q":
            corner = (numbers[0], numbers[1])
            pieces.append(("C", (_towards(here, corner), _towards(end, corner), end)))
        else:
            pieces.append((command, (end,)))
        here, width = end, max(width, *numbers[::2])
    return pieces, width


def _towards(start: Point, corner: Point) -> Point:
    """Return where the handle of a quarter of an ellipse lies."""
    return (
        start[0] + _BEND * (corner[0] - start[0]),
        start[1] + _BEND * (corner[1] - start[1]),
    )


def width(text: str, size: float) -> float:
    """Measure a text.

    Args:
        text: What is written, on one line.
        size: Its size; capitals are 0.7 of it high.

    Returns:
        How wide it is, without the half of its line's width that reaches over either end.
    """
    if not text:
        return 0.0
    steps = sum(_SPACE if letter == " " else _glyph(letter)[1] for letter in text)
    return (steps + _GAP * (len(text) - 1)) * size / UNIT


def outline(text: str, x: float, y: float, size: float) -> str:
    """Write a text as the data of an SVG path that is to be stroked with round ends.

    Args:
        text: What is written, on one line; a box stands for letters that are not known.
        x: Where it begins.
        y: Its baseline; downward, as in SVG.
        size: Its size.

    Returns:
        An `M` to the beginning, then relative commands `m`, `l` and `c`; empty if there is nothing
        to see.

    >>> outline("L", 10, 40, 20)
    'M10 40m0-14l0 14l8 0'
    """
    strokes = _strokes(text, size)
    return f"M{tidy(x)} {tidy(y)}{strokes}" if strokes else ""


@lru_cache(maxsize=4096)
def _strokes(text: str, size: float) -> str:
    """Write the relative commands of a text.

    All places are whole tenths from the beginning, so that steps add up without drifting.
    """
    scale, at, drawn = 10 * size / UNIT, 0.0, []
    here = (0, 0)
    for letter in text:
        if letter == " ":
            at += _SPACE + _GAP
            continue
        pieces, wide = _glyph(letter)
        for command, points in pieces:
            places = [(round(scale * (at + a)), round(-scale * b)) for a, b in points]
            steps = [
                _step(value - start)
                for place in places
                for value, start in zip(place, here, strict=True)
            ]
            drawn.append(command.lower() + " ".join(steps).replace(" -", "-"))
            here = places[-1]
        at += wide + _GAP
    return "".join(drawn)


@lru_cache(maxsize=4096)
def _step(tenths: int) -> str:
    """Write a whole number of tenths."""
    return tidy(tenths / 10)


def tidy(number: float) -> str:
    """Write a coordinate to a tenth, without needless digits.

    >>> tidy(3.0), tidy(-0.01), tidy(2.52)
    ('3', '0', '2.5')
    """
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
