"""The picture of throughput over batch size."""

from pathlib import Path

import pytest

from chromazoo.benchmarks.throughput import Rate

pytest.importorskip("matplotlib")

from chromazoo.benchmarks import throughput_plot
from chromazoo.benchmarks.throughput_plot import draw_throughput
from tests.benchmarks.test_comparison import rate

TITLES = {rate(1).key[:2]: "first", ("tiny", '{"cards": 7}'): "second"}
MACHINE = {"cpu": "a processor", "python": "3", "numpy": "2"}
RATES = [
    rate(1e11, what="legal"),
    rate(1000, what="play", batch=1),
    rate(50_000, what="play", batch=64),
    rate(700, what="aec", batch=1),
]


def test_a_picture_is_written(tmp_path: Path) -> None:
    path = tmp_path / "rates.png"
    draw_throughput(RATES, TITLES, MACHINE, path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [entry.name for entry in path.parent.iterdir()] == ["rates.png"]


def drawn(rates: list[Rate], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[object]:
    """Draw, and return the panels."""
    figures = []
    real = throughput_plot.Figure

    def make(*arguments: object, **named: object) -> object:
        figures.append(real(*arguments, **named))  # type: ignore[arg-type]
        return figures[0]

    monkeypatch.setattr(throughput_plot, "Figure", make)
    draw_throughput(rates, TITLES, MACHINE, tmp_path / "rates.png")
    assert "a processor" in figures[0].get_suptitle()
    return list(figures[0].axes)


def test_axes_are_logarithmic_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (axes,) = drawn(RATES, monkeypatch, tmp_path)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")  # type: ignore[attr-defined]
    assert "games at once" in axes.get_xlabel()  # type: ignore[attr-defined]
    assert "a second" in axes.get_ylabel()  # type: ignore[attr-defined]
    assert axes.get_title().startswith("first\n1 thread")  # type: ignore[attr-defined]
    _, labels = axes.get_legend_handles_labels()  # type: ignore[attr-defined]
    assert labels == ["play, numpy", "aec, numpy"]  # legal stands apart from all others


def test_legal_alone_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (axes,) = drawn(RATES[:1], monkeypatch, tmp_path)
    assert axes.get_legend_handles_labels()[1] == ["legal, numpy"]  # type: ignore[attr-defined]


def test_each_config_has_a_panel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Rate(**{**RATES[1].as_json(), "config": {"cards": 7}})
    first, second = drawn([*RATES, other], monkeypatch, tmp_path)
    titles = [axes.get_title().partition("\n")[0] for axes in (first, second)]  # type: ignore[attr-defined]
    assert titles == ["first", "second"]
    assert len(second.get_legend_handles_labels()[1]) == 1  # type: ignore[attr-defined]
