"""The table of `python -m chromazoo.benchmarks.peers`: rows, ratios, notes."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from textwrap import wrap
from typing import Any

from chromazoo.benchmarks.peers.play import WITH, WITHOUT, Found
from chromazoo.benchmarks.peers.suites import OURS, Entry

_HEAD = ("suite", "game", "version", "at once", "steps/s", "with observations", "ratio", "to")
_LEFT = {0, 1, 2, 7}  # columns of text
_WIDTH = 100
_MEASURED = [field.name for field in fields(Found)]
CAVEATS = (
    "A step is one decision of one seat in random legal play, mask made, new games begun, on one "
    "core; steps/s are without observations. Rates are medians of five runs.",
    "These are rates of environments. No two rows show the same game: size, number of actions, "
    "lengths of games, what is hidden and what an observation holds differ as told below, and a "
    "higher rate makes no environment harder, easier or better.",
    "Compare rows with like numbers of games at once. ratio is the rate with observations over "
    "that of the game of ours named behind it, the closest in kind, at its best batch.",
)


@dataclass(frozen=True)
class Row:
    """What came of one entry.

    Attributes:
        entry: The entry.
        version: The version of its suite, None if not installed.
        found: What was measured, None if nothing was.
        why: Why nothing was, empty if something was.
        failed: Whether that is an error; a suite that is not installed is none.
        pinned: Whether the process was bound to one core.
        ratio: Rate with observations over that of our game beside it, None if one is lacking.
    """

    entry: Entry
    version: str | None
    found: Found | None = None
    why: str = ""
    failed: bool = False
    pinned: bool = False
    ratio: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON types; what was not measured is null."""
        entry = self.entry
        return {
            "suite": entry.suite.name,
            "game": entry.game,
            "version": self.version,
            "status": "measured" if self.found else "failed" if self.failed else "skipped",
            "why": self.why or None,
            "kind": entry.kind,
            "observation_holds": entry.holds,
            **(asdict(self.found) if self.found else dict.fromkeys(_MEASURED)),
            "pinned": self.pinned,
            "beside": entry.beside,
            "ratio": self.ratio,
        }


def with_ratios(rows: Sequence[Row]) -> list[Row]:
    """Set each row beside our game that is closest in kind, at its best batch."""
    best: dict[str, float] = {}
    for row in rows:
        if row.found and row.entry.suite.name == OURS and len(row.entry.batches) > 1:
            best[row.entry.beside] = row.found.per_second[WITH]
    return [
        replace(row, ratio=row.found.per_second[WITH] / best[row.entry.beside])
        if row.found and row.entry.beside in best
        else row
        for row in rows
    ]


def text(rows: Sequence[Row]) -> str:
    """Write the table with its notes: some lines without a final line break."""
    cells = [_HEAD, *(_cells(row) for row in rows if row.found)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [_line(line, widths) for line in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    lines += [_absent(row) for row in rows if not row.found]
    for note in notes(rows):
        lines += ["", *wrap(note, _WIDTH, subsequent_indent="  ")]
    return "\n".join(lines)


def notes(rows: Sequence[Row]) -> list[str]:
    """Tell how to read the figures: what holds for all, how suites play, how games differ."""
    told = [*CAVEATS]
    shown = [row for row in rows if row.found]
    if not all(row.pinned for row in shown):
        told.append("Not every process was bound to one core: this system does not let it be.")
    for suite in dict.fromkeys(row.entry.suite for row in shown):
        told.append(f"{suite.name}: {suite.note}.")
    differences: dict[str, str] = {}  # ours, which have several rows, once
    for row in shown:
        differences.setdefault(row.entry.name.removesuffix("-aec"), _difference(row))
    return told + [f"{name}: {what}" for name, what in differences.items()]


def _difference(row: Row) -> str:
    """Tell what a game is like."""
    entry, found = row.entry, row.found
    assert found is not None
    length = "" if found.plies is None else f", {found.plies:,.1f} decisions a game"
    return (
        f"{entry.kind}; {found.actions:,} actions, {found.choices:.1f} of them legal "
        f"on average{length}; observation {found.observation}: {entry.holds}."
    )


def _cells(row: Row) -> tuple[str, ...]:
    """Write the cells of a row that was measured."""
    found = row.found
    assert found is not None
    rates = [found.per_second.get(what) for what in (WITHOUT, WITH)]
    return (
        row.entry.suite.name,
        row.entry.game,
        row.version or "",
        f"{found.batch:,}",
        *("–" if rate is None else f"{rate:,.0f}" for rate in rates),
        "–" if row.ratio is None else ratio_text(row.ratio),
        "–" if row.ratio is None else row.entry.beside,
    )


def ratio_text(ratio: float) -> str:
    """Write a ratio with two digits that count.

    >>> ratio_text(0.00123), ratio_text(1.0), ratio_text(1234.5)
    ('0.0012', '1.0', '1,234')
    """
    if ratio >= 10:
        return f"{ratio:,.0f}"
    return f"{ratio:#.2g}" if ratio >= 0.0001 else f"{ratio:.6f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Lay out one line of the table."""
    laid = (
        cell.ljust(width) if number in _LEFT else cell.rjust(width)
        for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(laid).rstrip()


def _absent(row: Row) -> str:
    """Tell of a row that was not measured."""
    return f"{'failed' if row.failed else 'skipped'}: {row.entry.name}: {row.why}"
