"""The options of CHROMA, its colour wheels, and what its phases and ends are called.

Rules page `chroma.md`; decisions C1 to C3, C14 and C16.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.options import check_whole

COLOURS = 20
HUES = ("red", "orange", "yellow", "green", "blue", "purple")
TONES = ("light-{}", "{}", "dark-{}")
WHITE, BLACK = 18, 19
PHASES = ("place", "wild", "power", "give")
PLACE, WILD, POWER, GIVE = range(4)
REASONS = ("", "perfect", "empty-hand", "pile", "blocked", "passes")
PERFECT, EMPTY_HAND, PILE, BLOCKED, PASSES = range(1, 6)


def _is_list(value: Any) -> bool:
    """Tell whether a value is a list or a tuple."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _is_pair(value: Any) -> bool:
    """Tell whether a value is two integers."""
    return _is_list(value) and len(value) == 2 and all(type(number) is int for number in value)


@dataclass(frozen=True)
class Wheel:
    """A colour wheel: which colours may lie side by side.

    Attributes:
        names: The 20 colours' names, in order of their numbers.
        compatible: Pairs (i, j) of colour numbers, i < j, each once; every pair holds both ways.
    """

    names: tuple[str, ...]
    compatible: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        """Refuse what is not a wheel; make tuples of lists."""
        if not _is_list(self.names) or not all(isinstance(name, str) for name in self.names):
            raise InvalidConfig("chroma: wheel: names are a list of texts")
        if not _is_list(self.compatible) or not all(map(_is_pair, self.compatible)):
            raise InvalidConfig(
                "chroma: wheel: compatible is a list of pairs [i, j] of colour numbers"
            )
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "compatible", tuple((i, j) for i, j in self.compatible))
        bad = [name for name in self.names if not re.fullmatch(r"[^+@:\s\ud800-\udfff]+", name)]
        if len(set(self.names)) != COLOURS or len(self.names) != COLOURS or bad:
            raise InvalidConfig(
                "chroma: wheel: names are 20 different texts without '+', '@', ':' or white space"
            )
        for first, second in self.compatible:
            if not 0 <= first < second < COLOURS:
                raise InvalidConfig(
                    f"chroma: wheel: a pair is [i, j] with 0 <= i < j < 20, not [{first}, {second}]"
                )
        if len(set(self.compatible)) != len(self.compatible):
            raise InvalidConfig("chroma: wheel: a compatible pair is given twice")

    @property
    def table(self) -> NDArray[np.bool_]:
        """Which colours go together: bool (20, 20), symmetric."""
        table = np.zeros((COLOURS, COLOURS), np.bool_)
        for first, second in self.compatible:
            table[first, second] = table[second, first] = True
        return table


def _tones(*, neighbours_in_next_tone: bool) -> Wheel:
    """Make the wheels of six hues in three tones, white and black (C1)."""
    names = [tone.format(hue) for hue in HUES for tone in TONES]
    pairs = {(colour, WHITE) for colour in range(0, 18, 3)}
    pairs |= {(colour, BLACK) for colour in range(2, 18, 3)}
    for colour in range(18):
        hue, tone = divmod(colour, 3)
        for other in range(18):
            other_hue, other_tone = divmod(other, 3)
            apart = (hue - other_hue) % 6
            step = abs(tone - other_tone)
            beside = apart in (1, 5) and (step == 0 or (step == 1 and neighbours_in_next_tone))
            if colour < other and (beside or (apart == 0 and step == 1)):
                pairs.add((colour, other))
    return Wheel((*names, "white", "black"), tuple(sorted(pairs)))


def _ring() -> Wheel:
    """Make the wheel of 18 hues in a circle, white and black (C1)."""
    names = [f"hue-{hue}" for hue in range(18)]
    pairs = {(hue, WHITE) for hue in range(9)} | {(hue, BLACK) for hue in range(9, 18)}
    for hue in range(18):
        for distance in (1, 2):
            other = (hue + distance) % 18
            pairs.add((min(hue, other), max(hue, other)))
    return Wheel((*names, "white", "black"), tuple(sorted(pairs)))


WHEELS = {
    "tones": _tones(neighbours_in_next_tone=True),
    "narrow": _tones(neighbours_in_next_tone=False),
    "ring": _ring(),
}


@dataclass(frozen=True)
class Config:
    """The options.

    Attributes:
        num_players: Number of players, 2 to 6 (C3).
        wheel: `tones`, `narrow`, `ring`, or a `Wheel` of one's own, which may be given as a mapping
            with `names` and `compatible` (C1).
        power_copies: How many of the five cards of each colour have a power, 0 to 4 (C2).
        first_player: The seat that begins, None for a random one (C14).

    Raises:
        InvalidConfig: a value out of range, or no wheel.
    """

    num_players: int = 2
    wheel: str | Wheel = field(default="tones", metadata={"values": tuple(WHEELS)})
    power_copies: int = 1
    first_player: int | None = None

    def __post_init__(self) -> None:
        """Refuse values out of range; make a wheel of a mapping."""
        check_whole(self, "chroma", "num_players", 2, 6)
        check_whole(self, "chroma", "power_copies", 0, 4)
        if self.first_player is not None:
            check_whole(self, "chroma", "first_player", 0, self.num_players - 1)
        object.__setattr__(self, "wheel", _read_wheel(self.wheel))

    @property
    def colours(self) -> Wheel:
        """The colour wheel in use."""
        return self.wheel if isinstance(self.wheel, Wheel) else WHEELS[self.wheel]


def _read_wheel(wheel: Any) -> str | Wheel:
    """Read the option `wheel`."""
    if isinstance(wheel, Wheel) or (isinstance(wheel, str) and wheel in WHEELS):
        return wheel
    if not isinstance(wheel, Mapping) or set(wheel) != {"names", "compatible"}:
        raise InvalidConfig(
            f"chroma: wheel is one of {', '.join(WHEELS)}, or a table with the keys names and "
            f"compatible, not {wheel!r:.60}"
        )
    return Wheel(wheel["names"], wheel["compatible"])
