"""Kroma as its rules page tells it: plain, slow, one game at a time, with nothing of the engine.

A square is a pair (column, row), both from 1, columns from the left as White sees them, rows from
White's side. Decision numbers (K1 ... K8) are those of the rules page.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

COLOURS = ["purple", "yellow", "blue", "orange", "red", "green"]
COLOUR_OF_LETTER = {colour[0]: colour for colour in COLOURS}
BOARDS = {"standard": (6, 8), "basic": (4, 6), "baby": (2, 4)}
SETUPS = {
    "standard": ["standard", "intermediate", "advanced"],
    "basic": ["standard", "advanced"],
    "baby": ["standard"],
}
# Steps (columns, rows) that a piece standing on a square of the mover's colour enables.
REACH = {
    "purple": [(1, 0), (-1, 0), (0, 1), (0, -1)],
    "yellow": [(1, 1), (1, -1), (-1, 1), (-1, -1)],
    "blue": [(2, 0), (-2, 0), (0, 2), (0, -2)],
    "orange": [(2, 2), (2, -2), (-2, 2), (-2, -2)],
    "red": [(1, 2), (1, -2), (-1, 2), (-1, -2)],
    "green": [(2, 1), (2, -1), (-2, 1), (-2, -1)],
}

Square = tuple[int, int]


@dataclass(frozen=True)
class Config:
    """The options of the record."""

    size: str = "standard"
    influence: str = "friendly"
    symmetry: str = "mirrored"
    setup: str = "standard"
    random: bool = False
    leap: bool = True
    piece_rows: int = 2
    no_capture_limit: int = 100

    @property
    def width(self) -> int:
        return BOARDS[self.size][0]

    @property
    def height(self) -> int:
        return BOARDS[self.size][1]

    @property
    def colours(self) -> list[str]:
        return COLOURS[: self.width]

    @property
    def building(self) -> list[list[int]]:
        """The rows that each built row becomes, in the order of building."""
        middle = self.height // 2
        if self.setup == "standard":
            return [list(range(middle, 0, -1))]
        if self.setup == "intermediate":
            return [[4, 3], [2, 1]]
        return [[row] for row in range(middle, 0, -1)]


def all_variants() -> list[dict[str, Any]]:
    """The 72 variants, as options."""
    return [
        {
            "size": size,
            "influence": influence,
            "symmetry": symmetry,
            "setup": setup,
            "random": random,
        }
        for size in BOARDS
        for influence, symmetry, setup, random in product(
            ["friendly", "public", "reversed"],
            ["mirrored", "flipped"],
            SETUPS[size],
            [False, True],
        )
    ]


def square_name(square: Square) -> str:
    return "abcdef"[square[0] - 1] + str(square[1])


def square_of(name: str) -> Square:
    return "abcdef".index(name[0]) + 1, int(name[1:])


@dataclass(frozen=True)
class Kroma:
    """One game. Nothing in it is ever changed: `after` makes a new one.

    Attributes:
        config: The options.
        seat: Who is to move: 0 White, 1 Black.
        built: The finished rows, each a list of colours from left to right.
        row: The row that is being built.
        placing: Whether squares are still to be dropped.
        squares: Colour of each square of the finished rows and their copies.
        pieces: Seat and colour of each piece; empty in the placement phase.
        clock: Plies since the last capture.
    """

    config: Config
    seat: int
    built: list[list[str]]
    row: list[str]
    squares: dict[Square, str]
    pieces: dict[Square, tuple[int, str]]
    clock: int
    placing: bool

    # The placement phase

    def legal_drops(self) -> list[str]:
        missing = [colour for colour in self.config.colours if colour not in self.row]
        ends = "LR" if self.row else "L"  # K2
        return sorted(f"{end}:{colour}" for end in ends for colour in missing)

    def _after_drop(self, text: str) -> "Kroma":
        end, colour = text.split(":")
        row = [colour, *self.row] if end == "L" else [*self.row, colour]
        other = 1 - self.seat
        if len(row) < self.config.width:
            return replace(self, seat=other, row=row)
        built = [*self.built, row]
        squares = self._board(built)
        following = replace(self, seat=other, built=built, row=[], squares=squares)
        if len(built) < len(self.config.building):
            return following
        return replace(following, placing=False, pieces=self._army(squares))

    def _board(self, built: list[list[str]]) -> dict[Square, str]:
        width, height = self.config.width, self.config.height
        squares = {}
        for colours, rows in zip(built, self.config.building, strict=False):
            for row in rows:
                for column, colour in enumerate(colours, 1):
                    squares[column, row] = colour
        for (column, row), colour in list(squares.items()):
            if self.config.symmetry == "mirrored":
                squares[column, height + 1 - row] = colour
            else:
                squares[width + 1 - column, height + 1 - row] = colour
        return squares

    def _army(self, squares: dict[Square, str]) -> dict[Square, tuple[int, str]]:
        pieces = {}
        for (column, row), colour in squares.items():
            if row <= self.config.piece_rows:  # K4
                pieces[column, row] = (0, colour)
            if row > self.config.height - self.config.piece_rows:
                pieces[column, row] = (1, colour)
        return pieces

    # The movement phase

    def counts(self, owner: int, seat: int) -> bool:
        """Whether a piece of `owner` enables moves of `seat`."""
        if self.config.influence == "friendly":
            return owner == seat
        if self.config.influence == "reversed":
            return owner != seat
        return True

    def enabled(self, seat: int, colour: str) -> set[str]:
        """The colours whose reach the pieces of this seat and colour have."""
        return {
            piece_colour
            for square, (owner, piece_colour) in self.pieces.items()
            if self.squares[square] == colour and self.counts(owner, seat)
        }

    def targets(self, square: Square) -> list[Square]:
        """Where the piece on a square may go."""
        column, row = square
        seat, colour = self.pieces[square]
        found = []
        for reach in self.enabled(seat, colour):
            for across, up in REACH[reach]:
                target = (column + across, row + up)
                if target not in self.squares:
                    continue
                if target in self.pieces and self.pieces[target][0] == seat:
                    continue
                if not self.config.leap and reach in ("blue", "orange"):  # K1
                    between = (column + across // 2, row + up // 2)
                    if between in self.pieces:
                        continue
                found.append(target)
        return found

    def moves_of(self, seat: int) -> list[str]:
        return sorted(
            f"{square_name(square)}-{square_name(target)}"
            for square, (owner, _) in self.pieces.items()
            if owner == seat
            for target in self.targets(square)
        )

    def _after_move(self, text: str) -> "Kroma":
        start, target = map(square_of, text.split("-"))
        pieces = dict(self.pieces)
        clock = 0 if target in pieces else self.clock + 1  # K7
        pieces[target] = pieces.pop(start)
        return replace(self, seat=1 - self.seat, pieces=pieces, clock=clock)

    # Both phases

    @cached_property
    def candidates(self) -> list[str]:
        """What the seat to move could play if the game is not over, sorted by code point."""
        return self.legal_drops() if self.placing else self.moves_of(self.seat)

    def result(self) -> dict[str, Any] | None:
        """The record's `result`, or None while the game goes on."""
        if not self.candidates:
            return {
                "rewards": [-1.0, 1.0] if self.seat == 0 else [1.0, -1.0],
                "reason": "stalemate",
            }
        limit = self.config.no_capture_limit
        if not self.placing and limit and self.clock >= limit:  # K6
            return {"rewards": [0.0, 0.0], "reason": "no-capture"}
        return None

    def legal(self) -> list[str]:
        """The legal moves' texts, sorted by code point; none once the game is over."""
        return [] if self.result() else self.candidates

    def after(self, text: str) -> "Kroma":
        """The game after a legal move."""
        if text not in self.legal():
            raise ValueError(f"{text} is not legal")
        return self._after_drop(text) if self.placing else self._after_move(text)

    def position(self) -> str:
        """The position's text; only in the movement phase."""
        width, height = self.config.width, self.config.height
        piece_rows, square_rows = [], []
        for row in range(height, 0, -1):
            letters = ""
            empty = 0
            for column in range(1, width + 1):
                if (column, row) not in self.pieces:
                    empty += 1
                    continue
                seat, colour = self.pieces[column, row]
                letters += str(empty) if empty else ""
                letters += colour[0].upper() if seat == 0 else colour[0]
                empty = 0
            piece_rows.append(letters + (str(empty) if empty else ""))
            square_rows.append(
                "".join(self.squares[column, row][0] for column in range(1, width + 1))
            )
        return f"{'/'.join(piece_rows)} {'/'.join(square_rows)} {'wb'[self.seat]} {self.clock}"


def begin(config: Config, setup: dict[str, list[str]] | None = None) -> Kroma:
    """The game before its first ply; `setup` as in the record."""
    game = Kroma(config, 0, [], [], {}, {}, 0, placing=True)
    for drop in (setup or {}).get("drops", []):
        game = game.after(drop)
    assert game.placing != config.random
    return game


def from_position(config: Config, text: str) -> Kroma:
    """The game at a position, whose text must be right."""
    piece_rows, square_rows, side, clock = text.split(" ")
    squares, pieces = {}, {}
    for row, letters in zip(range(config.height, 0, -1), square_rows.split("/"), strict=True):
        for column, letter in enumerate(letters, 1):
            squares[column, row] = COLOUR_OF_LETTER[letter]
    for row, letters in zip(range(config.height, 0, -1), piece_rows.split("/"), strict=True):
        column = 1
        for letter in letters:
            if letter.isdigit():
                column += int(letter)
                continue
            pieces[column, row] = (int(letter.islower()), COLOUR_OF_LETTER[letter.lower()])
            column += 1
    return Kroma(config, "wb".index(side), [], [], squares, pieces, int(clock), placing=False)


def perft(game: Kroma, depth: int) -> list[int]:
    """Count the leaf nodes at depths 1 ... depth, the no-capture limit off."""
    level = [replace(game, config=replace(game.config, no_capture_limit=0))]
    nodes = []
    for _ in range(depth):
        level = [node.after(move) for node in level for move in node.legal()]
        nodes.append(len(level))
    return nodes
