"""What the tests of pictures read off an SVG: shapes with their places, and the texts."""

import re
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from chromazoo.envs.game import Game
from chromazoo.envs.state import State
from chromazoo.envs.svg import Picture

_NAMESPACE = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Shape:
    """A shape of a picture.

    Attributes:
        kind: `rect`, `circle`, `path`, or `text` for a path that is written.
        words: What a text says.
        fill: Its fill.
        left, top, right, bottom: The edges of what it covers, its line included for texts.
    """

    kind: str
    words: str
    fill: str
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: "Shape", slack: float = 0.0) -> bool:
        """Whether another shape lies within this one."""
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and self.right + slack >= other.right
            and self.bottom + slack >= other.bottom
        )

    def meets(self, other: "Shape") -> bool:
        """Whether two shapes share some room."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > 0 and down > 0

    @property
    def area(self) -> float:
        """How much room it takes."""
        return (self.right - self.left) * (self.bottom - self.top)


def shapes(picture: str) -> list[Shape]:
    """List the shapes of a picture without pictures in it, in the order in which they are drawn."""
    return [_shape(element) for element in ElementTree.fromstring(picture)]


def texts(picture: str) -> list[Shape]:
    """List the texts of a picture."""
    return [shape for shape in shapes(picture) if shape.kind == "text"]


def _shape(element: ElementTree.Element) -> Shape:
    kind = element.tag.removeprefix(_NAMESPACE)
    known = {name: element.get(name, "") for name in ("fill", "aria-label")}

    def number(name: str) -> float:
        return float(element.attrib[name])

    if kind == "rect":
        left, top = number("x"), number("y")
        edges = left, top, left + number("width"), top + number("height")
    elif kind == "circle":
        x, y, radius = number("cx"), number("cy"), number("r")
        edges = x - radius, y - radius, x + radius, y + radius
    else:
        assert kind == "path"
        across, down = zip(*_points(element.attrib["d"]), strict=True)
        margin = number("stroke-width") / 2 if element.get("role") == "text" else 0.0
        edges = min(across) - margin, min(down) - margin, max(across) + margin, max(down) + margin
        kind = "text" if element.get("role") == "text" else kind
    return Shape(kind, known["aria-label"], known["fill"], *edges)


def _points(data: str) -> list[tuple[float, float]]:
    """List the points of a path, handles of its curves among them."""
    points = [(0.0, 0.0)]
    for command, text in re.findall("([A-Za-z])([^A-Za-z]*)", data):
        assert command in "MLmlc"
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", text)]
        assert len(numbers) == (6 if command == "c" else 2)
        x, y = points[-1] if command.islower() else (0.0, 0.0)
        points += [(x + a, y + b) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
    return points[2:] if data.startswith("M") and data[1:].find("m") > 0 else points[1:]


def overflows(picture: Picture, slack: float = 0.5) -> list[str]:
    """Name what reaches over the sheet, over the card or panel that it is on, or into a text."""
    wide, high = picture.size
    sheet = Shape("rect", "", "", 0, 0, wide, high)
    drawn = shapes(picture)
    found = [f"{shape} leaves the sheet" for shape in drawn if not sheet.holds(shape, slack)]
    for number, shape in enumerate(drawn):
        if shape.kind != "text":
            continue
        middle = (shape.left + shape.right) / 2, (shape.top + shape.bottom) / 2
        point = Shape("point", "", "", *middle, *middle)
        under = [other for other in drawn[:number] if other.kind == "rect" and other.holds(point)]
        if not min(under, key=lambda other: other.area).holds(shape, slack):
            found.append(f"{shape} leaves what it is written on")
    written = [shape for shape in drawn if shape.kind == "text"]
    for number, shape in enumerate(written):
        found += [f"{shape} meets {other}" for other in written[:number] if shape.meets(other)]
    return found


def leaks(game: Game[Any], state: State, seeds: Any, seats: Any) -> list[int]:
    """List the seats whose pictures of a state of one game tell something that they cannot know.

    What all may see must be the same in the worlds of any seat.
    """
    found = []
    for seat in seats:
        world = game.redeal(state, np.array([seat]), seeds)
        if any(game.svg(state, 0, who) != game.svg(world, 0, who) for who in (seat, "public")):
            found.append(seat)
    return found
