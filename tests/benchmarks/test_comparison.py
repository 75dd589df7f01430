"""What counts as slower or faster, and what is no earlier run."""

import json
from pathlib import Path

import pytest

from chromazoo.benchmarks.comparison import Change, compare, read_report
from chromazoo.benchmarks.throughput import Rate
from chromazoo.envs.errors import InvalidFile


def rate(speed: float, spread: float = 0.0, what: str = "play", batch: int = 64) -> Rate:
    """Make a rate."""
    return Rate(
        game="tiny", config={"cards": 6, "more": None}, engine="numpy", threads=1, what=what,
        batch=batch, per_second=speed, spread=spread, unit="decisions", slowest=speed,
        fastest=speed, bytes_per_game=50.0,
    )  # fmt: skip


def write(path: Path, rates: list[Rate]) -> Path:
    """Write a report."""
    rows = [one.as_json() for one in rates]
    path.write_text(json.dumps({"machine": {"cpu": "old"}, "rows": rows}))
    return path


@pytest.mark.parametrize(
    ("before", "now", "spreads", "verdict"),
    [
        (100, 100, (0.0, 0.0), "same"),
        (100, 104, (0.0, 0.0), "same"),
        (100, 96, (0.0, 0.0), "same"),
        (100, 106, (0.0, 0.0), "faster"),
        (100, 94, (0.0, 0.0), "slower"),
        (100, 129, (0.2, 0.4), "same"),
        (100, 131, (0.2, 0.4), "faster"),
        (130, 101, (0.4, 0.2), "same"),
        (130, 99, (0.4, 0.2), "slower"),
    ],
)
def test_a_change_beyond_noise_counts(
    tmp_path: Path, before: float, now: float, spreads: tuple[float, float], verdict: str
) -> None:
    report = read_report(write(tmp_path / "old.json", [rate(before, spreads[0])]))
    (change,) = compare(report, [rate(now, spreads[1])]).changes
    assert change.verdict == verdict
    assert change.ratio == pytest.approx(now / before)


def test_changes_both_ways_are_mirrored() -> None:
    for ratio in (1.1, 1.29, 1.31, 2.0):
        there, back = (Change(rate(1), 1, value, 0.3).verdict for value in (ratio, 1 / ratio))
        assert (there, back) in {("same", "same"), ("faster", "slower")}


def test_rates_are_compared_with_their_like(tmp_path: Path) -> None:
    old = [rate(100), rate(200, batch=1), rate(10, what="deal"), rate(7, what="mask")]
    new = [rate(50), rate(400, batch=1), rate(11, what="deal"), rate(5, what="step")]
    found = compare(read_report(write(tmp_path / "old.json", old)), new)
    assert [(change.rate.what, change.rate.batch, change.before) for change in found.changes] == [
        ("play", 64, 100),
        ("play", 1, 200),
        ("deal", 64, 10),
    ]
    assert found.ratio == pytest.approx(1.1)
    assert (found.count("slower"), found.count("faster"), found.count("same")) == (1, 2, 0)
    assert found.unmatched == 1
    told = found.as_json()
    assert told["unmatched"] == 1
    assert json.loads(json.dumps(told)) == told
    assert told["machine"] == {"cpu": "old"}
    assert told["rows"][0] == {
        "game": "tiny", "config": {"cards": 6, "more": None}, "engine": "numpy", "threads": 1,
        "what": "play", "batch": 64, "before": 100.0, "per_second": 50, "ratio": 0.5,
        "noise": 0.05, "verdict": "slower",
    }  # fmt: skip


def test_options_in_another_order_are_the_same_config(tmp_path: Path) -> None:
    row = {**rate(100).as_json(), "config": {"more": None, "cards": 6}}
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"machine": {}, "rows": [row]}))
    assert len(compare(read_report(path), [rate(100)]).changes) == 1


GOOD = rate(100).as_json()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "not JSON"),
        ("what is this", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "machine and rows"),
        ("{}", "machine and rows"),
        ('{"machine": {}, "rows": 3}', "machine and rows"),
        ('{"machine": [], "rows": []}', "machine and rows"),
        ('{"machine": {}, "rows": [3]}', "row 0: not from chromazoo bench"),
        *(
            (json.dumps({"machine": {}, "rows": [GOOD, {**GOOD, name: value}]}), f"row 1: {why}")
            for name, value, why in [
                ("game", None, "not from chromazoo bench --json: game missing or wrong"),
                ("config", [], "not from chromazoo bench --json: config"),
                ("batch", "64", "not from chromazoo bench --json: batch"),
                ("threads", True, "not from chromazoo bench --json: threads"),
                ("per_second", "fast", "not from chromazoo bench --json: per_second"),
                ("per_second", 0, "a rate of 0.0"),
                ("per_second", float("nan"), "a rate of nan"),
                ("spread", float("inf"), "a rate of 100.0 with a spread of inf"),
                ("spread", 10**400, "a rate or spread too large"),
            ]
        ),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "old.json"
    path.write_text(content)
    with pytest.raises(InvalidFile) as caught:
        read_report(path)
    assert why in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_bytes(b"\xff\xfe\x00\xd8")
    with pytest.raises(InvalidFile, match="not JSON"):
        read_report(path)


def test_a_file_that_is_missing_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_report(tmp_path / "none")
