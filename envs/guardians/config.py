"""The options of Guardians (rules page `guardians.md`; decisions G1 and G7)."""

from dataclasses import dataclass

from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.options import check_whole

CARDS = 50
COLOURS = 5
COLOUR_NAMES = ("red", "yellow", "green", "blue", "purple")
BANDS = tuple((number - 1) % COLOURS for number in range(1, CARDS + 1))
"""The colours of the cards 1 to 50 where no others are given (G1)."""


@dataclass(frozen=True)
class Config:
    """The options of a game.

    Attributes:
        num_players: Number of players, 2 to 5.
        rounds: Number of rounds, 1 to 3.
        duel: Whether two players play the duel variant (G7): each draws a card before choosing, and
            chooses two. If not given, two players do and more do not.
        colors: The colours of the cards 1 to 50, as 50 numbers from 0 to 4, ten of each (G1);
            (number - 1) modulo 5 if not given.
    """

    num_players: int = 2
    rounds: int = 1
    duel: bool | None = None
    colors: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse values out of range and options that contradict each other.

        Raises:
            InvalidConfig: one is.
        """
        check_whole(self, "guardians", "num_players", 2, 5)
        check_whole(self, "guardians", "rounds", 1, 3)
        if self.duel is not None and type(self.duel) is not bool:
            raise InvalidConfig(f"guardians: duel is true or false, not {self.duel!r:.80}")
        if self.duel and self.num_players != 2:
            raise InvalidConfig(f"guardians: a duel has 2 players, not {self.num_players}")
        duel = self.num_players == 2 if self.duel is None else self.duel
        object.__setattr__(self, "duel", duel)
        object.__setattr__(self, "colors", _checked_colors(self.colors))


def _checked_colors(colors: object) -> tuple[int, ...]:
    """Return the colours of the cards, the usual ones where none are given."""
    if colors is None:
        return BANDS
    listed = isinstance(colors, (list, tuple)) and all(type(colour) is int for colour in colors)
    if not listed or sorted(colors) != sorted(BANDS):  # type: ignore[call-overload]
        given = " ".join(repr(colors).split())
        raise InvalidConfig(
            f"guardians: colors are 50 numbers from 0 to 4, ten of each, not {given:.80}"
        )
    return tuple(colors)  # type: ignore[arg-type]
