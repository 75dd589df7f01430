"""The options of Kroma (rules page `kroma.md`; decisions K1, K4 and K6)."""

from dataclasses import dataclass
from typing import Literal, get_args

from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.options import check_choice, check_whole

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
        check_choice("kroma: size", self.size, get_args(Size))
        check_choice("kroma: influence", self.influence, get_args(Influence))
        check_choice("kroma: symmetry", self.symmetry, get_args(Symmetry))
        check_choice("kroma: setup", self.setup, get_args(Setup))
        if self.setup not in SETUPS[self.size]:
            has = " or ".join(SETUPS[self.size])
            raise InvalidConfig(f"kroma: size {self.size} has set-up {has}, not {self.setup}")
        for name in ("random", "leap"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidConfig(f"kroma: {name} is true or false, not {getattr(self, name)!r}")
        check_whole(self, "kroma", "piece_rows", 1, 2)
        check_whole(self, "kroma", "no_capture_limit", 0, LONGEST_CLOCK)
