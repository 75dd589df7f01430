"""The rates of the peers' table as a picture."""

import io
from collections.abc import Sequence
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from chromazoo.benchmarks.peers.play import WITH, WITHOUT
from chromazoo.benchmarks.peers.table import Row
from chromazoo.envs.files import write_atomic

_MARKS = {WITHOUT: ("o", "without observations"), WITH: ("s", "with observations")}
_COLOURS = ("#d62728", "#ff7f0e", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b")


def draw_rates(rows: Sequence[Row], path: Path) -> None:
    """Draw the rates that were measured, a line of the picture for each row, a colour a suite.

    Bars show by how much the runs of a rate lay apart.

    Args:
        rows: The rows, at least one of them measured.
        path: The PNG file.

    Raises:
        OSError: the file cannot be written.
    """
    measured = [row for row in rows if row.found][::-1]  # the first on top
    suites = list(dict.fromkeys(row.entry.suite.name for row in rows))
    figure = Figure(figsize=(9, 1.2 + 0.28 * len(measured)), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for place, row in enumerate(measured):
        assert row.found is not None
        colour = _COLOURS[suites.index(row.entry.suite.name) % len(_COLOURS)]
        for what, rate in row.found.per_second.items():
            marker, _ = _MARKS[what]
            apart = rate * row.found.spread[what] / 2
            axes.errorbar(
                rate, place, xerr=min(apart, 0.99 * rate), fmt=marker, color=colour, capsize=2,
                markerfacecolor=colour if what == WITH else "white",
            )  # fmt: skip
    for marker, label in _MARKS.values():
        filled = "black" if label == "with observations" else "white"
        axes.plot([], [], marker, color="black", markerfacecolor=filled, label=label)
    axes.set_yticks(range(len(measured)), [_name(row) for row in measured], fontsize=8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.set(
        xlabel="decisions a second on one core; bars: how far the runs lay apart",
        title="Random play, mask made at every step (no two rows are the same game)",
    )
    axes.title.set_fontsize(10)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomic(path, picture.getvalue())


def _name(row: Row) -> str:
    """Name a row: suite, game and how many at once."""
    assert row.found is not None
    return f"{row.entry.suite.name} {row.entry.game} × {row.found.batch:,}"
