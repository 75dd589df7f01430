"""What guides people who play Kroma: the rules in short, clicks, and news of moves."""

from pathlib import Path
from typing import TYPE_CHECKING

from chromazoo.envs.guidance import Click, News
from chromazoo.envs.kroma.board import COLOURS
from chromazoo.envs.svg import Viewer

if TYPE_CHECKING:
    from chromazoo.envs.kroma.rules import Game, KromaState

_END_WORDS = {"L": "the left end", "R": "the right end"}
_INFLUENCE = {
    "friendly": "Only **your own** pieces do this for you",
    "public": "The pieces of **both** players do this for you",
    "reversed": "Only **your enemy's** pieces do this for you",
}
_REACHES = (
    "one square up, down, left or right",
    "one square diagonally",
    "exactly two squares up, down, left or right",
    "exactly two squares diagonally",
    "two squares up or down and one to the side, as a knight",
    "two squares to the side and one up or down, as a knight",
)


def primer(game: "Game") -> str:
    """Tell the rules in short for the game's options; see `Game.primer`."""
    config, board = game.config, game.board
    text = (Path(__file__).parent / "primer.md").read_text(encoding="utf-8")
    parts = text.split("<!-- placement -->\n")
    if config.random:
        parts[1] = "The coloured squares have been laid at random.\n"
    mirrored = "the same column" if config.symmetry == "mirrored" else "the opposite column"
    long = "Long moves jump over whatever stands between. "
    if not config.leap and board.width > 2:
        long = "Straight and diagonal moves of two squares need the square between to be empty. "
    limit = config.no_capture_limit
    draw = f" After {limit} moves in a row without a capture the game is a draw." if limit else ""
    reaches = "".join(
        f"- **{colour}**: {reach}\n" for colour, reach in zip(board.colours, _REACHES, strict=False)
    )
    return "".join(parts).format(
        one=board.colours[-1],
        other=board.colours[0],
        influence=_INFLUENCE[config.influence],
        reaches=reaches.rstrip(),
        long=long if board.width > 2 else "",
        draw=draw,
        side=mirrored,
        groups=_groups(game),
        rows="two rows" if config.piece_rows == 2 else "row",
    )


def _groups(game: "Game") -> str:
    """Say how many rows are built and what becomes of them."""
    half = game.board.height // 2
    rows = {"standard": 1, "intermediate": 2, "advanced": half}[game.config.setup]
    if rows == 1:
        return f"One row is built, and all {half} rows of White's side look like it"
    share = half // rows
    each = "one row" if share == 1 else f"{share} rows"
    return (
        f"{rows} rows are built, the middle of the board first; each fills {each} of White's side"
    )


def clicks(game: "Game", state: "KromaState", row: int, action: int) -> tuple[Click, ...]:
    """Tell which clicks make a move; see `Game.clicks`."""
    words = game.move_text(state, row, action)
    if state.left[row]:
        end, _, colour = words.partition(":")
        which, where = "next", f"Choose where in the row {colour} goes"
        if not state.line[row]:
            which = "first"
            where = (
                f"The row is empty, so there is one place only: {colour} is the first in the row"
            )
        return (
            Click(f"drop:{colour}", colour, f"Choose the colour of the {which} square of the row"),
            Click(f"end:{end}", f"at {_END_WORDS[end]}", where),
        )
    origin, _, target = words.partition("-")
    own, enemy = _at(game, state, row, origin, 0), _at(game, state, row, target, 1)
    takes = f", takes {enemy}" if enemy else ""
    return (
        Click(f"square:{origin}", f"{own} on {origin}", "Choose a piece to move"),
        Click(f"square:{target}", f"to {target}{takes}", "Choose the square it moves to"),
    )


def news(game: "Game", before: "KromaState", row: int, action: int, viewer: Viewer) -> News:
    """Tell what a move was; see `Game.news`."""
    seat, words = int(before.seat[row]), game.move_text(before, row, action)
    who = game.called(seat, viewer)
    if before.left[row]:
        end, _, colour = words.partition(":")
        return News(f"{who}: {colour} at {_END_WORDS[end]}")
    origin, _, target = words.partition("-")
    taken = _at(game, before, row, target, 1)
    told = f"{who}: {_at(game, before, row, origin, 0)} {words}"
    squares = f"square:{origin}", f"square:{target}"
    return News(f"{told}, takes {taken}" if taken else told, squares)


def _at(game: "Game", state: "KromaState", row: int, name: str, side: int) -> str:
    """Name the colour of the piece on a square: of who moves (0) or of the other seat (1)."""
    square = game.board.square_number(name)
    assert square is not None
    if int(state.turn[row]) ^ side:
        square = int(game.board.turned[square])
    for colour, pieces in zip(COLOURS, state.pieces[row, side].tolist(), strict=False):
        if pieces >> square & 1:
            return colour
    return ""


def ending(game: "Game", state: "KromaState", row: int) -> str:
    """Say why a finished game ended; see `Game.ending`."""
    if state.rewards[row].any():
        return f"{game.seat_name(int(state.turn[row]))} has no legal move"
    return f"{state.clock[row]} moves in a row without a capture"
