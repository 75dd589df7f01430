"""The learning curve of a run as a picture."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from chromazoo.envs.files import write_atomic
from chromazoo.training.metrics import Row

_COLOURS = {"random": "#1f77b4", "heuristic": "#d95f02"}


def draw_curve(
    rows: Sequence[Row], evaluation: Mapping[str, Mapping[str, Any]], title: str, path: Path
) -> None:
    """Draw how the score against each opponent rose with the steps trained.

    Args:
        rows: The rows of the metrics; those with an evaluation give the points of the curves.
        evaluation: What `evaluate` returned at the end; drawn beside the last points.
        title: What stands above the picture.
        path: The PNG file.

    Raises:
        OSError: the file cannot be written.
    """
    figure = Figure(figsize=(8, 5), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    end = rows[-1]["steps"] if rows else 0
    for name, final in evaluation.items():
        colour = _COLOURS.get(name)
        points = [row for row in rows if f"{name}_score" in row]
        steps = [row["steps"] for row in points]
        low, score, high = (
            [100 * row[f"{name}_{figure}"] for row in points] for figure in ("low", "score", "high")
        )
        axes.plot(steps, score, marker="o", markersize=3, color=colour, label=f"against {name}")
        axes.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)
        middle = 100 * final["score"]
        spread = [[middle - 100 * final["low"]], [100 * final["high"] - middle]]
        axes.errorbar(
            [end], [middle], yerr=spread, fmt="D", color=colour, capsize=4,
            label=f"at the end, {final['games']} games: {middle:.1f} %",
        )  # fmt: skip
    for seats in {len(final["seats"]) for final in evaluation.values()}:
        axes.axhline(100 / seats, color="grey", linewidth=0.8, linestyle=":")  # of equals
    axes.set(
        xlabel="steps trained (decisions of the learner)",
        ylabel="score (share of the win, %)",
        xlim=(0, 1.02 * end or 1),
        ylim=(-2, 102),
        title=title,
    )
    axes.xaxis.set_major_formatter(EngFormatter())  # 500, 20 k, 1 M
    axes.grid(alpha=0.3)
    axes.legend(loc="best", title="bands and bars: 95 % intervals")
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomic(path, picture.getvalue())
