"""What got slower or faster since an earlier run of `chromazoo bench`."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from chromazoo.benchmarks.throughput import Key, Rate, config_text
from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.files import read_file

LEAST_NOISE = 0.05  # runs of one minute and the next differ by more than those within one

_KINDS: dict[str, type | tuple[type, ...]] = {
    "game": str,
    "config": dict,
    "engine": str,
    "threads": int,
    "what": str,
    "batch": int,
    "per_second": (int, float),
    "spread": (int, float),
}


class Earlier(NamedTuple):
    """What a rate was.

    Attributes:
        per_second: Median of the runs, in units a second.
        spread: Difference of the fastest and the slowest run, over the median.
    """

    per_second: float
    spread: float


@dataclass(frozen=True)
class Change:
    """How a rate has changed.

    Attributes:
        rate: What it is now.
        before: What it was, in units a second.
        ratio: The new over the old.
        noise: The change that says nothing: half of the sum of both spreads, 0.05 at least.
        verdict: `slower` where `ratio` is below 1 / (1 + `noise`), `faster` where it is above
            1 + `noise`, else `same`.
    """

    rate: Rate
    before: float
    ratio: float
    noise: float

    @property
    def verdict(self) -> str:
        """Judge the change."""
        if self.ratio > 1 + self.noise:
            return "faster"
        return "slower" if self.ratio * (1 + self.noise) < 1 else "same"

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON types."""
        whole = self.rate.as_json()
        return {
            **{name: whole[name] for name in Key._fields},
            "before": self.before,
            "per_second": self.rate.per_second,
            "ratio": self.ratio,
            "noise": self.noise,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Comparison:
    """All rates that both runs have.

    Attributes:
        changes: How each has changed.
        ratio: Median of their ratios: how much faster the machine as a whole was, if the program
            has changed in few of them.
        machine: The machine of the earlier run, as it was told there.
        unmatched: How many rates now have no counterpart in the earlier run: another game, config,
            engine, number of threads or batch, or something else that was measured.
    """

    changes: tuple[Change, ...]
    ratio: float
    machine: Mapping[str, Any]
    unmatched: int

    def count(self, verdict: str) -> int:
        """Count the rates with a verdict."""
        return sum(change.verdict == verdict for change in self.changes)

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON types."""
        rows = [change.as_json() for change in self.changes]
        return {
            "machine": dict(self.machine),
            "ratio": self.ratio,
            "unmatched": self.unmatched,
            "rows": rows,
        }


@dataclass(frozen=True)
class Report:
    """An earlier run.

    Attributes:
        machine: Its machine.
        rates: Its rates.
    """

    machine: Mapping[str, Any]
    rates: Mapping[Key, Earlier]


def read_report(path: str | os.PathLike[str]) -> Report:
    """Read what `chromazoo bench --json` printed.

    Args:
        path: The file's name.

    Returns:
        What it tells.

    Raises:
        InvalidFile: it is something else.
        OSError: it cannot be read.
    """
    content = read_file(path)
    try:
        report = json.loads(content)
    except (ValueError, RecursionError):
        raise InvalidFile(f"{path}: not JSON; --json of chromazoo bench was expected") from None
    rows = report.get("rows") if isinstance(report, dict) else None
    if not isinstance(rows, list) or not isinstance(report.get("machine"), dict):
        raise InvalidFile(f"{path}: not from chromazoo bench --json, which has machine and rows")
    return Report(
        report["machine"],
        dict(_read_row(row, f"{path}: row {number}") for number, row in enumerate(rows)),
    )


def _read_row(row: Any, where: str) -> tuple[Key, Earlier]:
    """Read a row of a report."""
    for name, kind in _KINDS.items():
        value = row.get(name) if isinstance(row, dict) else None
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InvalidFile(f"{where}: not from chromazoo bench --json: {name} missing or wrong")
    try:
        speed, spread = float(row["per_second"]), float(row["spread"])
    except OverflowError:
        raise InvalidFile(f"{where}: a rate or spread too large to be") from None
    if not (0 < speed < math.inf and 0 <= spread < math.inf):
        raise InvalidFile(f"{where}: a rate of {speed} with a spread of {spread} cannot be")
    named = {**{name: row[name] for name in Key._fields}, "config": config_text(row["config"])}
    return Key(**named), Earlier(speed, spread)


def compare(report: Report, rates: Sequence[Rate]) -> Comparison:
    """Compare rates with those of an earlier run.

    Args:
        report: The earlier run.
        rates: The rates now.

    Returns:
        How those that both runs have differ; there must be one at least.
    """
    changes = []
    for rate in rates:
        before = report.rates.get(rate.key)
        if before is not None:
            noise = max(LEAST_NOISE, (before.spread + rate.spread) / 2)
            ratio = rate.per_second / before.per_second
            changes.append(Change(rate, before.per_second, ratio, noise))
    middle = median(change.ratio for change in changes)
    return Comparison(tuple(changes), middle, report.machine, len(rates) - len(changes))
