"""The options of Kroma (rules page `kroma.md`; decisions K1, K4 and K6)."""

from dataclasses import dataclass
from typing import Literal, get_args

from chromazoo.envs.errors import InvalidConfig

Size = Literal["standard", "basic", "baby"]
Influence = Literal["friendly", "public", "reversed"]
Symmetry = Literal["mirrored", "flipped"]
Setup = Literal["standard", "intermediate", "advanced"]

SETUPS: dict[Size, tuple[Setup, ...]] = {
    "standard": ("standard", "intermediate", "advanced"),
    "basic": ("standard", "advanced"),
    "baby": ("standard",),
}
LONGEST_CLOCK = 10**9  # so that no game that begins there overflows an int32


@dataclass(frozen=True)
class Config:
    """One of the 72 variants, with the options of the decisions.

    Attributes:
        size: The board: `standard` 6 × 8, `basic` 4 × 6, `baby` 2 × 4 (columns × rows).
        influence: Whose pieces give reach: `friendly` the mover's, `public` both players',
            `reversed` the enemy's.
        symmetry: How Black's side follows from White's: `mirrored` or `flipped`.
        setup: How many rows of squares are built: `standard` one, `intermediate` two (6 × 8 only),
            `advanced` all of White's side (not on the baby board).
        random: Whether chance makes all drops (K8) instead of the players.
        leap: Whether moves of two squares in a line jump over pieces (K1).
        piece_rows: Rows of pieces a side, 1 or 2 (K4).
        no_capture_limit: Plies in a row without a capture that end the game as a draw, 0 for never
            (K6).

    Raises:
        InvalidConfig: a value out of range, or a set-up that the size does not have.
    """

    size: Size = "standard"
    influence: Influence = "friendly"
    symmetry: Symmetry = "mirrored"
    setup: Setup = "standard"
    random: bool = False
    leap: bool = True
    piece_rows: int = 2
    no_capture_limit: int = 100

    def __post_init__(self) -> None:
        """Refuse values out of range and contradictions."""
        _one_of("size", self.size, get_args(Size))
        _one_of("influence", self.influence, get_args(Influence))
        _one_of("symmetry", self.symmetry, get_args(Symmetry))
        _one_of("setup", self.setup, get_args(Setup))
        if self.setup not in SETUPS[self.size]:
            has = " or ".join(SETUPS[self.size])
            raise InvalidConfig(f"kroma: size {self.size} has set-up {has}, not {self.setup}")
        for name in ("random", "leap"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidConfig(f"kroma: {name} is true or false, not {getattr(self, name)!r}")
        _whole("piece_rows", self.piece_rows, 1, 2)
        _whole("no_capture_limit", self.no_capture_limit, 0, LONGEST_CLOCK)


def _one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse a value that is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidConfig(f"kroma: {name} is one of {', '.join(choices)}, not {value!r}")


def _whole(name: str, value: object, low: int, high: int) -> None:
    """Refuse a value that is not a whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidConfig(f"kroma: {name} is a whole number from {low} to {high}, not {value!r}")
