"""The picture of the cross table."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("scipy")

from matplotlib.figure import Figure

from chromazoo.benchmarks import arena_plot
from chromazoo.benchmarks.arena import Tournament
from chromazoo.benchmarks.arena_plot import draw_table
from chromazoo.benchmarks.arena_scores import Report, summarise
from chromazoo.envs.game import Game
from chromazoo.envs.kroma.rules import Game as KromaGame
from tests.benchmarks.test_arena_scores import made_up
from tests.tiny.game import Game as TinyGame


def report_of(game: Game[Any], names: list[str]) -> Report:
    tournament = Tournament.make(game, names, 60)
    return summarise(tournament, made_up(tournament, tournament.deals))


def drawn(report: Report, path: Path, monkeypatch: pytest.MonkeyPatch) -> Figure:
    figures = []

    def make(*arguments: object, **named: object) -> Figure:
        figures.append(Figure(*arguments, **named))  # type: ignore[arg-type]
        return figures[0]

    monkeypatch.setattr(arena_plot, "Figure", make)
    draw_table(report, "kroma size=baby", path)
    return figures[0]


def test_a_picture_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.png"
    report = report_of(KromaGame(size="baby"), ["random", "ppo:" + "x" * 60, "random"])
    figure = drawn(report, path, monkeypatch)
    assert path.read_bytes().startswith(b"\x89PNG")
    axes, bar = figure.axes
    assert "agent" in axes.get_xlabel() + axes.get_ylabel()
    assert axes.get_title().startswith("kroma size=baby\n180 games on 30 deals")
    assert "%" in bar.get_ylabel()
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[::2] == ["random", "random (2)"]
    assert len(names[1]) < 30
    cells = {text.get_position(): text.get_text() for text in axes.texts}
    assert len(cells) == 6
    mean, low, high = (100 * float(part[0, 2]) for part in report.table)
    assert cells[2, 0] == f"{mean:.1f}\n{low:.1f}–{high:.1f}"
    (image,) = axes.images
    assert image.norm(50) == pytest.approx(0.5)
    assert np.ma.getmaskarray(image.get_array()).tolist() == np.eye(3, dtype=bool).tolist()


def test_the_middle_is_the_share_of_equals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = drawn(report_of(TinyGame(), ["a", "b", "c"]), tmp_path / "table.png", monkeypatch)
    (image,) = figure.axes[0].images
    assert image.norm(100 / 3) == pytest.approx(0.5)
    assert (image.norm(0), image.norm(100)) == (0, 1)


def test_many_agents_have_no_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_plot, "_READABLE", 2)
    figure = drawn(report_of(TinyGame(), ["a", "b", "c"]), tmp_path / "table.png", monkeypatch)
    assert not figure.axes[0].texts
