"""The picture of the learning curve says what it shows, in numbers that fit."""

from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from chromazoo.training.curve import draw_curve

FINAL = {"score": 0.9, "low": 0.8, "high": 0.95, "games": 30, "seats": [{}] * 4}


@pytest.mark.parametrize(
    ("steps", "ticks"),
    [(640, ["200", "400", "600"]), (300_000, ["100 k", "200 k"]), (5_000_000, ["1 M", "4 M"])],
)
def test_axes_have_names_and_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int, ticks: list[str]
) -> None:
    drawn: list[Any] = []
    save = Figure.savefig

    def kept(figure: Figure, *arguments: Any, **named: Any) -> None:
        drawn.append(figure)
        save(figure, *arguments, **named)

    monkeypatch.setattr(Figure, "savefig", kept)
    row = {"random_score": 0.5, "random_low": 0.4, "random_high": 0.6}
    rows = [{"steps": steps * part / 4, **row} for part in (1, 2, 3, 4)]
    draw_curve(rows, {"random": FINAL}, "PPO", tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    (axes,) = drawn[0].axes
    assert axes.get_xlabel() == "steps trained (decisions of the learner)"
    assert axes.get_ylabel() == "score (share of the win, %)"
    assert 25 in {line.get_ydata()[0] for line in axes.lines}  # what equals have at a table of four
    shown = [label.get_text() for label in axes.get_xticklabels()]
    assert set(ticks) <= set(shown), shown
    assert max(axes.lines[0].get_xdata()) == steps


def test_a_run_without_an_update_is_drawn_too(tmp_path: Path) -> None:
    draw_curve([], {"random": FINAL}, "PPO", tmp_path / "curve.png")
    assert (tmp_path / "curve.png").exists()
