"""`chromazoo check`: replay records."""

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Annotated, BinaryIO

import typer

from chromazoo.cli.options import AsJson, Engine, counted, print_json
from chromazoo.cli.progress import progress_bar
from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.game import ENGINES
from chromazoo.envs.records import Report, check_lines

EXAMPLES = (
    "chromazoo check games.jsonl",
    "chromazoo sample kroma --games 10 --seed 1 | chromazoo check - --json",
)


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files of records; - is standard input.")
    ],
    engine: Engine = ENGINES[0],
    as_json: AsJson = False,
) -> int:
    """Replay game records and list those that are wrong.

    A line is right if it is a finished game: every move legal, every chance outcome due and
    possible, every legal set that is given the right one, and the result what the rules give.

    Exit status: 0 all is right, 1 some line is not, 2 a file cannot be read.
    """
    report = Report()
    for file in files:
        if file == "-" and sys.stdin is None:
            raise InvalidFile("-: standard input is closed")
        with (
            nullcontext(sys.stdin.buffer) if file == "-" else open(file, "rb") as lines,
            progress_bar(f"bytes of {file}", _size(lines)) as advance,
        ):
            check_lines(_telling(lines, advance), file, report, engine)
    if as_json:
        print_json(report.as_json())
    else:
        for failure in report.failed:
            print(failure)
        counts = counted(report.records, "record"), counted(report.plies, "ply", "plies")
        print(f"{', '.join(counts)}, {len(report.failed)} failed")
    return 1 if report.failed else 0


def _size(lines: BinaryIO) -> int | None:
    """Tell how many bytes a file has, None for a pipe or a terminal."""
    try:
        about = os.fstat(lines.fileno())
    except io.UnsupportedOperation:  # what stands in for standard input has no file
        return None
    return about.st_size if stat.S_ISREG(about.st_mode) else None


def _telling(lines: BinaryIO, advance: Callable[[int], None]) -> Iterator[bytes]:
    """Hand lines on, and tell how many bytes they have."""
    for line in lines:
        yield line
        advance(len(line))
