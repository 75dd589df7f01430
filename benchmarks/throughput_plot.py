"""Throughput over batch size as a picture."""

import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter

from chromazoo.benchmarks.throughput import WHATS, Rate
from chromazoo.envs.files import write_atomic

_COLOURS = (
    "#1f77b4", "#7f7f7f", "#17becf", "#2ca02c", "#9467bd", "#bcbd22",
    "#d62728", "#8c564b", "#ff7f0e", "#e377c2", "#000000", "#999933",
)  # fmt: skip
_STYLES = {"numpy": "-", "compiled": "--"}
_WIDE = 3  # panels side by side at most


def draw_throughput(
    rates: Sequence[Rate],
    titles: Mapping[tuple[str, str], str],
    machine: Mapping[str, Any],
    path: Path,
) -> None:
    """Draw rates over the number of games at once, a panel for each config of a game.

    Bars reach from the slowest run to the fastest. `legal`, where it only reads what `step` made,
    is left out beside other lines: it would push them together.

    Args:
        rates: The rates, at least one.
        titles: Game and config, as the keys of rates begin -> what stands above their panel.
        machine: What `chromazoo.benchmarks.machine.machine` returns.
        path: The PNG file.

    Raises:
        OSError: the file cannot be written.
    """
    panels: dict[tuple[str, str], list[Rate]] = {}
    for rate in rates:
        panels.setdefault(rate.key[:2], []).append(rate)
    wide = min(_WIDE, len(panels))
    high = math.ceil(len(panels) / wide)
    figure = Figure(figsize=(8.5 * wide, 5.5 * high), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    spaces = figure.subplots(high, wide, squeeze=False).ravel()
    for axes, (about, panel) in zip(spaces, panels.items(), strict=False):
        _draw_panel(axes, panel, titles[about])
    for axes in spaces[len(panels) :]:
        axes.set_visible(False)
    told = f"{machine['cpu']}, Python {machine['python']}, numpy {machine['numpy']}"
    figure.suptitle(f"Throughput on {told}", fontsize=11)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomic(path, picture.getvalue())


def _draw_panel(axes: Axes, rates: Sequence[Rate], title: str) -> None:
    """Draw the rates of one config."""
    lines: dict[tuple[str, str], list[Rate]] = {}
    for rate in rates:
        lines.setdefault((rate.what, rate.engine), []).append(rate)
    if len(lines) > 1:
        lines = {line: some for line, some in lines.items() if line[0] != "legal"}
    for (what, engine), points in lines.items():
        batches = [point.batch for point in points]
        speeds = [point.per_second for point in points]
        below = [point.per_second - point.slowest for point in points]
        above = [point.fastest - point.per_second for point in points]
        axes.errorbar(
            batches,
            speeds,
            yerr=[below, above],
            color=_COLOURS[WHATS.index(what)],
            linestyle=_STYLES.get(engine, ":"),
            linewidth=2 if what.startswith("play") else 1.2,
            marker="o" if len(points) > 1 else "D",
            markersize=3.5,
            capsize=2,
            label=f"{what}, {engine}",
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(sorted({rate.batch for rate in rates}))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_major_formatter(EngFormatter())  # 1 k, 1 M
    threads = max(rate.threads for rate in rates)
    axes.set(
        xlabel="batch (games at once)",
        ylabel="decisions a second (deal, redeal: games a second)",
        title=f"{title}\n{threads} {'thread' if threads == 1 else 'threads'}",
    )
    axes.title.set_fontsize(10)
    axes.grid(alpha=0.3)
    axes.legend(
        loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, title="bars: all runs",
        title_fontsize=8, handlelength=3.5,
    )  # fmt: skip
