"""The cross table of an arena as a picture."""

import io
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from chromazoo.benchmarks.arena_results import labels, shortened
from chromazoo.benchmarks.arena_scores import Report
from chromazoo.envs.files import write_atomic

_COLOURS = "PuOr"  # orange below equals' share, purple above: told apart by the colour-blind too
_READABLE = 25  # agents; of more, cells hold no figures


def draw_table(report: Report, title: str, path: Path) -> None:
    """Draw the cross table as a heat map with its scores and intervals.

    Args:
        report: What was found.
        title: What stands above the picture.
        path: The PNG file.

    Raises:
        OSError: the file cannot be written.
    """
    names = [shortened(name) for name in labels(report.tournament.names)]
    size = min(30.0, 1.15 * len(names))
    figure = Figure(figsize=(4.5 + size, 2.8 + 0.8 * size), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    equal = 1 / report.tournament.game.num_seats
    norm = TwoSlopeNorm(vmin=0, vcenter=100 * equal, vmax=100)
    colours = colormaps[_COLOURS].with_extremes(bad="#e6e6e6")
    image = axes.imshow(
        np.ma.masked_invalid(100 * report.table.mean), cmap=colours, norm=norm, aspect="auto"
    )
    if len(names) <= _READABLE:
        _write_cells(axes, report, norm)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="against (sits at the same table)", ylabel="agent (whose score it is)")
    axes.set_title(f"{title}\n{_told(report)}", fontsize=10)
    bar = figure.colorbar(image, ax=axes)
    bar.set_label(f"score: mean share of the win (%); equals have {100 * equal:.3g} %")
    bar.set_ticks(sorted({0, 25, 50, 75, 100} | {round(100 * equal, 1)}))
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomic(path, picture.getvalue())


def _write_cells(axes: Axes, report: Report, norm: TwoSlopeNorm) -> None:
    """Write the scores with their intervals into the cells."""
    for row, column in np.argwhere(~np.isnan(report.table.mean)):
        mean, low, high = (100 * float(part[row, column]) for part in report.table)
        axes.text(
            column,
            row,
            f"{mean:.1f}\n{low:.1f}–{high:.1f}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if abs(float(norm(mean)) - 0.5) > 0.3 else "black",
        )


def _told(report: Report) -> str:
    """Tell on what the table rests."""
    results = report.results
    text = f"{results.plies.size:,} games on {results.end:,} deals, 95% intervals"
    cut = int(results.truncated.sum())
    return f"{text}; {cut:,} games truncated" if cut else text
