"""The metrics: rows are added, and a file holds no row twice."""

import csv
from pathlib import Path

import pytest

from chromazoo.training import metrics
from chromazoo.training.metrics import MetricsLog


def read(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_rows_are_added_and_the_file_is_replaced_for_new_columns_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    real = metrics.write_atomic
    monkeypatch.setattr(
        metrics, "write_atomic", lambda path, text: (written.append(path), real(path, text))
    )
    path = tmp_path / "metrics.csv"
    log = MetricsLog(path, tmp_path / "tensorboard")
    log.add({"steps": 0, "seconds": 0.5, "score": 0.25})
    for steps in range(1, 20):
        log.add({"steps": steps, "seconds": 0.5})
        assert [int(row["steps"]) for row in read(path)] == list(range(steps + 1))
    assert len(written) == 1
    log.add({"steps": 20, "seconds": 1.0, "loss": 3.0})
    log.add({"steps": 21, "score": 0.75})
    assert len(written) == 2
    log.close()
    rows = read(path)
    assert rows[0] == {"steps": "0", "seconds": "0.5", "score": "0.25", "loss": ""}
    assert rows[-1] == {"steps": "21", "seconds": "", "score": "0.75", "loss": ""}

    resumed = MetricsLog(path, tmp_path / "tensorboard", log.rows[:3])
    assert len(read(path)) == 3
    resumed.add({"steps": 3, "seconds": 2.0})
    resumed.close()
    assert [row["steps"] for row in read(path)] == ["0", "1", "2", "3"]
