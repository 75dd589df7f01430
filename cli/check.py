"""`chromazoo check`: replay records."""

import sys
from typing import Annotated

import typer

from chromazoo.cli.options import AsJson, Engine, counted, print_json
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
        if file == "-":
            check_lines(sys.stdin.buffer, "-", report, engine)
        else:
            with open(file, "rb") as lines:
                check_lines(lines, file, report, engine)
    if as_json:
        print_json(report.as_json())
    else:
        for failure in report.failed:
            print(failure)
        counts = counted(report.records, "record"), counted(report.plies, "ply", "plies")
        print(f"{', '.join(counts)}, {len(report.failed)} failed")
    return 1 if report.failed else 0
