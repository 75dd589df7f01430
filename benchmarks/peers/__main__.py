"""`python -m chromazoo.benchmarks.peers`: one table of our games and of other suites'."""

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path

from chromazoo.benchmarks.machine import machine
from chromazoo.benchmarks.peers.play import Found
from chromazoo.benchmarks.peers.suites import ADAPTERS, ENTRIES, Entry, chosen
from chromazoo.benchmarks.peers.table import Row, notes, text, with_ratios
from chromazoo.benchmarks.peers.worker import Failed, measure
from chromazoo.benchmarks.throughput import LONGEST
from chromazoo.envs.errors import InvalidArgument


def row_of(entry: Entry, seconds: float) -> Row:
    """Measure one entry; a suite that is not installed is skipped.

    Args:
        entry: What to measure.
        seconds: How long each measurement lasts.

    Returns:
        Its row, without a ratio.
    """
    suite = entry.suite
    lacks = suite.missing
    if lacks:
        return Row(
            entry, suite.version, why=f"no module {lacks}: pip install '{suite.requirement}'"
        )
    try:
        answer = measure(f"{ADAPTERS}.{entry.adapter}", entry.game, entry.batches, seconds)
    except Failed as error:
        return Row(entry, suite.version, why=str(error), failed=True)
    pinned = answer.pop("pinned")
    return Row(entry, suite.version, Found(**answer), pinned=pinned)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print.

    Args:
        arguments: Those of the command line, if not given.

    Returns:
        The exit status: 0; 1 if a measurement failed. Bad usage exits with 2.
    """
    parser = argparse.ArgumentParser(
        prog="python -m chromazoo.benchmarks.peers",
        description="Measure random play of our games and of other suites', each on one core.",
        epilog="Suites: " + ", ".join(dict.fromkeys(entry.suite.name for entry in ENTRIES)) + ".",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--seconds", type=float, default=5.0, help="how long a measurement lasts (default: 5)"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="a suite, or a game such as pgx/leduc_holdem; may be repeated",
    )
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the rates as well")
    options = parser.parse_args(arguments)
    if options.plot and find_spec("matplotlib") is None:
        parser.error("--plot needs matplotlib: pip install 'chromazoo[peers]'")
    if options.plot and not options.plot.parent.is_dir():
        parser.error(f"--plot {options.plot}: no such folder")
    if not 0 < options.seconds <= LONGEST:
        parser.error(f"--seconds: more than 0, up to {LONGEST}, not {options.seconds}")
    try:
        entries = chosen(options.only)
    except InvalidArgument as error:
        parser.error(f"--only: {error}")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    rows = []
    for number, entry in enumerate(entries, start=1):
        print(f"{number}/{len(entries)} {entry.name}", file=sys.stderr, flush=True)
        rows.append(row_of(entry, options.seconds))
    rows, host = with_ratios(rows), machine()
    if options.plot and any(row.found for row in rows):
        from chromazoo.benchmarks.peers.plot import draw_rates

        draw_rates(rows, options.plot)
    if options.json:
        shown = [row.as_json() for row in rows]
        found = {"machine": host, "seconds": options.seconds, "rows": shown, "notes": notes(rows)}
        print(json.dumps(found))
    else:
        print(", ".join(f"{key}: {value}" for key, value in host.items()))
        print(text(rows))
    return int(any(row.failed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
