"""`chromazoo replay`: step through a record, or make a page of it."""

import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from chromazoo.cli.options import AsJson, Engine, counted, filled, print_json
from chromazoo.cli.progress import progress_bar
from chromazoo.cli.stepping import step_through
from chromazoo.envs.errors import InvalidConfig, InvalidFile, InvalidRecord
from chromazoo.envs.files import require_folder, write_atomic
from chromazoo.envs.game import ENGINES
from chromazoo.envs.records import Failure
from chromazoo.envs.replays import Replay
from chromazoo.envs.svg import Viewer
from chromazoo.envs.titles import game_title

EXAMPLES = (
    "chromazoo replay games.jsonl",
    "chromazoo replay games.jsonl --line 7 --html game.html",
    "chromazoo replay games.jsonl --seat 1 --html as-seat-1.html",
    "chromazoo sample guardians --agent heuristic --seed 4 | chromazoo replay -",
)


def replay(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of records; - is standard input.")
    ],
    line: Annotated[
        int, typer.Option("--line", min=1, metavar="N", help="Which line, from 1.")
    ] = 1,
    seat: Annotated[
        str | None,
        typer.Option(
            "--seat",
            metavar="WHO",
            callback=filled,
            help="Who looks on: a seat, public for what all seats may see, or open for everything. "
            "Without it, a page has all these views, and the terminal shows everything.",
        ),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            metavar="OUT",
            callback=filled,
            help="Write a page instead: one file that browsers open, also from disk, and that "
            "needs nothing else.",
        ),
    ] = None,
    engine: Engine = ENGINES[0],
    as_json: AsJson = False,
) -> int:
    """Step through a game record, in the terminal or on a page.

    In a terminal, keys step through the game; where the output goes elsewhere, all positions are
    printed in turn. --html writes a page with pictures, the list of moves and a player. With --seat
    nothing in it tells what that seat cannot know by the end.

    --json prints what record it is, and shows no position.

    Exit status: 0 done, 1 the record does not follow the rules, 2 it cannot be read.
    """
    if html is not None:
        _check_target(html)
    try:
        found = Replay(_read(file, line), engine)
    except InvalidRecord as error:
        failure = Failure(file, line, error.ply, error.why)
        if as_json:
            print_json(asdict(failure))
        else:
            print(failure)
        return 1
    viewers = _viewers(found, seat)
    if html is not None:
        with progress_bar("pictures", len(viewers) * (found.plies + 1)) as advance:
            page = found.page(*viewers, progress=advance)
        write_atomic(html, page)
    if as_json:
        _print_json(found, file, line, html)
    elif html is not None:
        print(f"{html}: {game_title(found.game)}, {counted(found.plies, 'ply', 'plies')}")
    else:
        step_through(found, viewers, keys=sys.stdin is not None and _has_keys(file))
    return 0


def _check_target(html: str) -> None:
    """Refuse the name of a page that could not be written, before anything is done."""
    require_folder(html)
    if Path(html).is_dir():
        raise InvalidFile(f"--html {html}: a folder; the name of a file was expected")


def _read(file: str, line: int) -> bytes:
    """Read a line of a file."""
    if file != "-":
        with open(file, "rb") as lines:
            return _pick(file, lines, line)
    if sys.stdin is None:
        raise InvalidFile("-: standard input is closed")
    return _pick(file, sys.stdin.buffer, line)


def _pick(file: str, lines: Iterable[bytes], line: int) -> bytes:
    """Return a line, by its number from 1."""
    number = 0
    for number, content in enumerate(lines, start=1):
        if number == line:
            return content
    raise InvalidFile(f"{file}: {counted(number, 'line')}; there is no line {line}")


def _viewers(found: Replay, seat: str | None) -> tuple[Viewer, ...]:
    """Read `--seat`."""
    if seat is None:
        return found.viewers
    named: dict[str, Viewer] = {"open": None, "public": "public"}
    named |= {str(number): number for number in range(found.game.num_seats)}
    if seat not in named:
        raise InvalidConfig(
            f"--seat: from 0 to {found.game.num_seats - 1}, public or open, not {seat!r:.60}"
        )
    return (named[seat],)


def _has_keys(file: str) -> bool:
    """Tell whether somebody sits at a terminal; keys do not come from standard input."""
    return sys.stdout.isatty() and (file == "-" or sys.stdin.isatty())


def _print_json(found: Replay, file: str, line: int, html: str | None) -> None:
    """Print which record it is, and where its page is."""
    print_json(
        {
            "file": file,
            "line": line,
            "game": found.game.id,
            "config": found.game.options,
            "plies": found.plies,
            "result": found.record["result"],
            "out": html,
        }
    )
