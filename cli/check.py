"""`chromazoo check`: replay records."""

import os
import stat
import sys
from contextlib import nullcontext
from typing import Annotated

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
    report, sizes = Report(), [_size(file) for file in files]
    total = sum(size or 0 for size in sizes)
    with progress_bar("bytes", total, shown=None not in sizes) as advance:
        for file in files:
            if file == "-" and sys.stdin is None:
                raise InvalidFile("-: standard input is closed")
            with nullcontext(sys.stdin.buffer) if file == "-" else open(file, "rb") as lines:
                check_lines(lines, file, report, engine, progress=advance)
    if as_json:
        print_json(report.as_json())
    else:
        for failure in report.failed:
            print(failure)
        counts = counted(report.records, "record"), counted(report.plies, "ply", "plies")
        print(f"{', '.join(counts)}, {len(report.failed)} failed")
    return 1 if report.failed else 0


def _size(file: str) -> int | None:
    """Tell how many bytes there are to read, None where nobody knows, such as of a pipe."""
    try:
        if file != "-":
            about, done = os.stat(file), 0
        else:
            about, done = os.fstat(sys.stdin.buffer.fileno()), sys.stdin.buffer.tell()
    except (OSError, AttributeError):  # no such file, or no standard input: said in its turn
        return None
    return about.st_size - done if stat.S_ISREG(about.st_mode) else None
