"""Runs that are stopped by signals: what is kept, what is said, and that they end the same."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from chromazoo.training import checkpoints, command, train
from chromazoo.training import run as running
from chromazoo.training.checkpoints import newest_checkpoint, read_checkpoint
from chromazoo.training.folder import CHECKPOINTS
from chromazoo.training.run import TrainingRun
from chromazoo.training.stopping import Stopped, heeded
from tests.cli.process import start
from tests.training.runs import small_settings
from tests.training.test_command import console
from tests.training.test_reproducible import PRESET
from tests.training.test_runs import BABY

RARELY = {"every": 10**6, "keep": 2}
SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.fixture(autouse=True)
def handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Heed interrupts as in the foreground, and see that all is left as it was."""
    monkeypatch.setattr(running, "CHECKPOINT_SECONDS", float("inf"))  # whatever the machine does
    own = signal.signal(signal.SIGINT, signal.default_int_handler)
    before = [signal.getsignal(number) for number in SIGNALS]
    yield
    after = [signal.getsignal(number) for number in SIGNALS]
    signal.signal(signal.SIGINT, own)
    assert after == before


def sending(
    monkeypatch: pytest.MonkeyPatch, number: int, update: int, times: int = 1
) -> Callable[[], None]:
    """Let signals come amid an update; the function that is returned undoes that."""
    real = running._learner

    def learner(*arguments: Any) -> Any:
        model = real(*arguments)
        learn, updates = model.train, iter(range(1, 1000))

        def disturbed() -> None:
            if next(updates) == update:
                for _ in range(times):
                    signal.raise_signal(number)
            learn()

        monkeypatch.setattr(model, "train", disturbed)
        return model

    monkeypatch.setattr(running, "_learner", learner)
    return lambda: monkeypatch.setattr(running, "_learner", real)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_saves_what_was_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    settings = small_settings(**BABY, checkpoints=RARELY)
    whole, folder = tmp_path / "whole", tmp_path / "stopped"
    train(settings, whole, console=console())
    for update in (3, 4):  # of this start
        undo = sending(monkeypatch, number, update)
        text = StringIO()
        with pytest.raises(Stopped) as caught:
            train(
                None if update == 4 else settings,
                folder,
                resume=update == 4,
                console=console(text),
            )
        undo()
        assert (caught.value.signal, caught.value.status) == (number, 128 + number)
        steps = {3: 192, 4: 448}[update]
        *_, stopping, stopped = text.getvalue().splitlines()
        assert stopping == command.STOPPING
        assert stopped == (
            f"Stopped. Saved up to step {steps} of 640."
            f" To go on: chromazoo train kroma --resume {folder}"
        )
        newest = newest_checkpoint(folder / CHECKPOINTS)
        assert newest is not None
        assert read_checkpoint(newest).steps == steps
    train(None, folder, resume=True, console=console())
    for name in ("policy.safetensors", "evaluation.json"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()


def test_a_second_signal_stops_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = small_settings(checkpoints={"every": 128, "keep": 2})
    undo = sending(monkeypatch, signal.SIGINT, 4, times=2)
    text = StringIO()
    with pytest.raises(Stopped):
        train(settings, tmp_path / "run", console=console(text))
    undo()
    assert "Stopped. Saved up to step 128 of 640. To go on: " in text.getvalue()
    undo = sending(monkeypatch, signal.SIGINT, 1, times=2)
    text = StringIO()
    with pytest.raises(Stopped):
        train(settings, tmp_path / "new", console=console(text))
    undo()
    assert "Stopped. Nothing is saved yet: it begins anew. To go on: " in text.getvalue()
    for name in ("run", "new"):
        train(None, tmp_path / name, resume=True, console=console())
    policies = [(tmp_path / name / "policy.safetensors").read_bytes() for name in ("run", "new")]
    assert policies[0] == policies[1]


def test_a_second_signal_amid_saving_tells_what_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.rename

    def rename(old: Path, new: Path) -> None:
        real(old, new)
        signal.raise_signal(signal.SIGINT)

    text = StringIO()
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints.os, "rename", rename)
        sending(patch, signal.SIGINT, 3)
        with pytest.raises(Stopped):
            train(small_settings(checkpoints=RARELY), tmp_path, console=console(text))
    assert "Stopped. Saved up to step 192 of 640. To go on: " in text.getvalue()
    assert train(None, tmp_path, resume=True, console=console())["steps"] == 640


def test_a_signal_before_the_first_update_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = TrainingRun._evaluate

    def evaluate(self: TrainingRun) -> Any:
        signal.raise_signal(signal.SIGTERM)
        return real(self)

    text = StringIO()
    with monkeypatch.context() as patch:
        patch.setattr(TrainingRun, "_evaluate", evaluate)
        with pytest.raises(Stopped):
            train(small_settings(), tmp_path, console=console(text))
    assert "Stopped. Nothing is saved yet: it begins anew. To go on: " in text.getvalue()
    assert newest_checkpoint(tmp_path / CHECKPOINTS) is None
    assert train(None, tmp_path, resume=True, console=console())["steps"] == 640


@pytest.mark.parametrize("amid", ["last update", "evaluation"])
def test_a_signal_at_the_end_says_that_all_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, amid: str
) -> None:
    def interrupted(*arguments: object) -> None:
        signal.raise_signal(signal.SIGINT)

    text = StringIO()
    with monkeypatch.context() as patch:
        if amid == "evaluation":
            patch.setattr(command, "_evaluate", interrupted)
        else:
            sending(patch, signal.SIGINT, 10)
        with pytest.raises(Stopped):
            train(small_settings(), tmp_path, console=console(text))
    assert "Stopped. All 640 steps are saved, but not evaluated yet. To go on: " in text.getvalue()
    again = StringIO()
    assert train(None, tmp_path, resume=True, console=console(again))["steps"] == 640
    assert "trained already" in again.getvalue()


def test_a_checkpoint_is_due_after_some_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "CHECKPOINT_SECONDS", 0.0)
    settings = small_settings(checkpoints={"every": 10**6, "keep": 100})
    for _ in TrainingRun(settings, tmp_path / "often").updates():
        pass
    names = sorted(path.name for path in (tmp_path / "often" / CHECKPOINTS).iterdir())
    assert names == [f"step-{steps:012d}" for steps in range(64, 641, 64)]
    monkeypatch.setattr(running, "CHECKPOINT_SECONDS", float("inf"))
    for _ in TrainingRun(settings, tmp_path / "once").updates():
        pass
    (one,) = (tmp_path / "once" / CHECKPOINTS).iterdir()
    assert one.name == names[-1]
    assert read_checkpoint(one).policy == read_checkpoint(
        tmp_path / "often" / CHECKPOINTS / one.name
    ).policy  # fmt: skip


# Signals themselves


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with heeded(lambda number: None) as stopping, stopping.put_off():
            signal.raise_signal(signal.SIGINT)
            assert not stopping.asked
            signal.raise_signal(signal.SIGTERM)
            assert stopping.asked
            with pytest.raises(Stopped):
                signal.raise_signal(signal.SIGTERM)
            with pytest.raises(Stopped):
                stopping.heed()
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_other_threads_leave_signals_alone() -> None:
    found = []

    def work() -> None:
        with heeded(lambda number: None) as stopping:
            found.append((stopping.asked, signal.getsignal(signal.SIGTERM)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(False, signal.getsignal(signal.SIGTERM))]


def test_what_is_told_may_wait_for_what_the_signal_came_amid() -> None:
    stream, told = threading.Lock(), []

    def tell(number: int) -> None:
        if stream.acquire(timeout=60):
            told.append(number)

    with heeded(tell) as stopping:
        with stopping.put_off(), stream:
            signal.raise_signal(signal.SIGTERM)
            assert stopping.asked
            assert not told
        assert told == [signal.SIGTERM], "before what is told next"


# As a process


def stopped_process(folder: Path, number: int, reader: bool = True) -> tuple[int, str]:
    """Start a run without an end and stop it; its exit status and what it said.

    Without a reader, standard error is a pipe that nobody reads any more.
    """
    (folder / "mine.toml").write_text(PRESET.replace("steps = 600", "steps = 1_000_000_000"))
    metrics = folder / "run" / "metrics.csv"
    words = ("train", "kroma", "--preset", "mine.toml", "--out", "run", "--json")
    with start(*words, cwd=folder) as process:
        while process.poll() is None and not (
            metrics.exists() and len(metrics.read_text().splitlines()) > 3
        ):
            time.sleep(0.01)
        assert process.stderr is not None
        if not reader:
            process.stderr.close()
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
    assert out == ""
    assert newest_checkpoint(folder / "run" / CHECKPOINTS) is not None
    return process.returncode, err


@pytest.mark.parametrize("number", SIGNALS)
def test_a_process_that_is_stopped_tells_by_its_exit_status(tmp_path: Path, number: int) -> None:
    status, err = stopped_process(tmp_path, number)
    assert status == 128 + number
    assert err.count(f"{command.STOPPING}\n") == 1
    stopped = err.splitlines()[-1]
    assert stopped.startswith("Stopped. Saved up to step ")
    assert stopped.endswith(" To go on: chromazoo train kroma --resume run")


def test_a_process_saves_all_the_same_where_nobody_reads_what_it_says(tmp_path: Path) -> None:
    status, _ = stopped_process(tmp_path, signal.SIGINT, reader=False)  # such as a tee, stopped too
    assert status == 130
