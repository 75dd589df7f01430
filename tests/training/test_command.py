"""What `train` leaves behind, says and refuses."""

import json
import shlex
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from chromazoo.agents.policy_heads import policy_head
from chromazoo.agents.ppo import load_ppo
from chromazoo.envs.errors import InvalidConfig, InvalidFile
from chromazoo.training import train
from chromazoo.training.run import TrainingRun
from tests.training.runs import small_settings
from tests.training.test_runs import BABY

FILES = {
    "checkpoints",
    "evaluation.json",
    "learning_curve.png",
    "metrics.csv",
    "policy.safetensors",
    "settings.json",
    "tensorboard",
}


def console(text: StringIO | None = None) -> Console:
    return Console(file=text or StringIO(), width=120)


def test_a_run_from_start_to_end(tmp_path: Path) -> None:
    text = StringIO()
    settings = small_settings(**BABY)
    result = train(settings, tmp_path / "run", console=console(text))
    folder = tmp_path / "run"
    assert {path.name for path in folder.iterdir()} == FILES
    assert set(result) == {"out", "steps", "seconds", "time", "evaluation"}
    assert json.loads(json.dumps(result)) == result
    assert result["out"] == str(folder)
    assert result["steps"] == 640
    assert set(result["time"]) == {"environment", "opponents", "policy", "learning"}
    assert sum(result["time"].values()) == pytest.approx(1, abs=1e-3)
    assert set(result["evaluation"]) == {"random", "heuristic"}
    for measured in result["evaluation"].values():
        assert measured["games"] == 30
        assert measured["win"] + measured["draw"] + measured["loss"] == 30
        assert measured["low"] <= measured["score"] <= measured["high"]
        assert [part["games"] for part in measured["seats"]] == [15, 15]
    assert json.loads((folder / "evaluation.json").read_text()) == result["evaluation"]
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    content = (folder / "policy.safetensors").read_bytes()
    assert policy_head(content)["steps"] == 640
    load_ppo(settings.make_game(), str(folder))
    said = text.getvalue()
    for name in ("learning_curve.png", "policy.safetensors", "evaluation.json"):
        assert str(folder / name) in said
    assert "Time of the updates: environment " in said
    assert "What to try next" in said
    assert "--set size=baby" in said
    assert "95 % interval" in said
    assert said.count("score against random") == 3


def test_a_budget_that_is_rounded_up_is_told(tmp_path: Path) -> None:
    for steps, told in (
        (100, "for 128 steps (100, rounded up: each update takes 64 of them).\n"),
        (200, "from 128 to 256 steps (200, rounded up: each update takes 64 of them).\n"),
        (320, "from 256 to 320 steps.\n"),
    ):
        text = StringIO()
        settings = small_settings(**{**BABY, "steps": steps})
        train(settings, tmp_path / "run", resume=steps > 100, console=console(text))
        begin = "Training kroma size=baby by self-play"
        assert text.getvalue().startswith(f"{begin}{',' if steps > 100 else ''} {told}")


@pytest.mark.parametrize("limit", [None, 3])
def test_truncated_games_are_told(tmp_path: Path, limit: int | None) -> None:
    text = StringIO()
    settings = small_settings(**{**BABY, "steps": 64, "max_plies": limit})
    result = train(settings, tmp_path, console=console(text))
    cut = result["evaluation"]["random"]["truncated"]
    assert (" truncated " in text.getvalue()) == (cut > 0) == (limit is not None)


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    settings = small_settings(steps=64)
    train(settings, tmp_path / "run", console=console())
    policy = (tmp_path / "run" / "policy.safetensors").read_bytes()
    with pytest.raises(InvalidConfig, match=r"--resume .*--overwrite"):
        train(settings, tmp_path / "run", console=console())
    other = replace(settings, seed=8)
    train(other, tmp_path / "run", overwrite=True, console=console())
    assert (tmp_path / "run" / "policy.safetensors").read_bytes() != policy
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    for overwrite in (False, True):
        with pytest.raises(InvalidConfig, match="mine"):
            train(settings, tmp_path / "mine", overwrite=overwrite, console=console())
    assert (tmp_path / "mine" / "diary.txt").read_text() == "dear diary"
    (tmp_path / "empty").mkdir()
    train(settings, tmp_path / "empty", console=console())
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidConfig, match="file exists"):
        train(settings, tmp_path / "file", console=console())


def test_a_terminal_shows_a_bar_with_speed_and_time_left(tmp_path: Path) -> None:
    text = StringIO()
    screen = Console(file=text, width=120, force_terminal=True)
    train(small_settings(steps=128), tmp_path / "run", console=screen)
    assert "training" in text.getvalue()
    assert "a second" in text.getvalue()
    assert "0:00:0" in text.getvalue()


def test_a_loss_beyond_all_numbers_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def diverge(self: Any, *arguments: Any) -> Any:
        raise FloatingPointError("the loss is nan after 64 steps: try a lower learning rate")

    monkeypatch.setattr("chromazoo.training.ppo.SelfPlayPPO._loss", diverge)
    with pytest.raises(InvalidConfig, match=r"run: the loss is nan .* learning rate"):
        train(small_settings(), tmp_path / "run", console=console())


def stopped(settings: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupt a run after its fourth update."""
    real = TrainingRun.updates

    def updates(self: TrainingRun) -> Any:
        for number, row in enumerate(real(self)):
            yield row
            if number == 4:
                raise KeyboardInterrupt

    text = StringIO()
    with monkeypatch.context() as patch:
        patch.setattr(TrainingRun, "updates", updates)
        with pytest.raises(KeyboardInterrupt):
            train(settings, folder, console=console(text))
    assert f"--resume {folder}" in text.getvalue()


def test_resuming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = small_settings()
    whole = train(settings, tmp_path / "whole", console=console())
    folder = tmp_path / "stopped"
    stopped(settings, folder, monkeypatch)
    assert not (folder / "policy.safetensors").exists()
    text = StringIO()
    result = train(None, folder, resume=True, console=console(text))
    assert "from 256 to 640 steps" in text.getvalue()
    assert result["evaluation"] == whole["evaluation"]
    assert {path.name for path in folder.iterdir()} == FILES
    for name in ("policy.safetensors", "evaluation.json", "settings.json"):
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    again = train(settings, folder, resume=True, console=console())
    assert again["evaluation"] == whole["evaluation"]
    longer = train(replace(settings, steps=700), folder, resume=True, console=console())
    assert longer["steps"] == 704


def test_a_budget_below_what_is_trained_changes_nothing(tmp_path: Path) -> None:
    settings = small_settings(steps=128)
    train(settings, tmp_path, console=console())
    before = files_of(tmp_path)
    for steps in (1, 64, 127):
        with pytest.raises(InvalidConfig, match=f"steps from 128, .* not {steps}"):
            train(replace(settings, steps=steps), tmp_path, resume=True, console=console())
        assert files_of(tmp_path) == before
    longer = replace(settings, steps=256)
    (newest,) = (tmp_path / "checkpoints").glob("step-*128/optimiser.safetensors")
    whole = newest.read_bytes()
    newest.write_bytes(b"")
    before = files_of(tmp_path)
    with pytest.raises(InvalidFile, match="damaged"):
        train(longer, tmp_path, resume=True, console=console())
    assert files_of(tmp_path) == before
    newest.write_bytes(whole)
    assert train(longer, tmp_path, resume=True, console=console())["steps"] == 256
    assert json.loads((tmp_path / "settings.json").read_text())["steps"] == 256


def test_a_run_goes_on_with_another_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = small_settings(**BABY)
    compiled = replace(settings, engine="compiled")
    whole = train(settings, tmp_path / "whole", console=console())
    folder = tmp_path / "stopped"
    stopped(compiled, folder, monkeypatch)
    assert train(settings, folder, resume=True, console=console())["steps"] == 640
    for name in ("policy.safetensors", "evaluation.json", "settings.json"):
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    text = StringIO()
    again = train(compiled, folder, resume=True, console=console(text))
    assert again["evaluation"] == whole["evaluation"]
    assert "--set size=baby --engine compiled" in text.getvalue()
    assert json.loads((folder / "settings.json").read_text())["engine"] == "compiled"
    monkeypatch.setattr("chromazoo.envs.game.find_spec", lambda name: None)
    before = files_of(tmp_path)
    for own in (None, compiled):
        with pytest.raises(InvalidConfig, match="needs numba"):
            train(own, folder, resume=True, console=console())
    with pytest.raises(InvalidConfig, match="needs numba"):
        train(compiled, folder, overwrite=True, console=console())
    with pytest.raises(InvalidConfig, match="needs numba"):
        train(compiled, tmp_path / "new", console=console())
    assert files_of(tmp_path) == before
    assert not (tmp_path / "new").exists()
    train(settings, folder, resume=True, console=console())


def files_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_to_try_next_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "my env" / "bin" / "chromazoo"
    program.parent.mkdir(parents=True)
    for path in (program, program.with_name("tensorboard")):
        path.write_text("#!/bin/sh")
        path.chmod(0o755)
    folder = tmp_path / "it's a run"
    settings = small_settings(**{**BABY, "steps": 1, "max_plies": 50})
    for argument, name in (
        (str(program), str(program)),
        ("-c", "chromazoo"),
        ("x.py", "chromazoo"),
    ):
        monkeypatch.setattr("sys.argv", [argument, "train"])
        text = StringIO()
        train(settings, folder, overwrite=True, console=console(text))
        said = text.getvalue().partition("What to try next:")[2].strip().splitlines()
        commands = [shlex.split(line.strip().rpartition("    ")[0]) for line in said]
        run, sample, board = commands
        assert run == [name, "train", "kroma", "--resume", str(folder), "--steps", "256"]
        agent = ["--agent", f"ppo:{folder}", "--games", "3", "--seed", "1"]
        options = ["--set", "size=baby", "--max-plies", "50"]
        assert sample == [name, "sample", "kroma", *agent, *options]
        assert board[1:] == ["--logdir", str(folder / "tensorboard")]
        if argument == str(program):
            assert board[0] == str(program.with_name("tensorboard"))


def test_what_cannot_be_resumed_is_refused(tmp_path: Path) -> None:
    settings = small_settings(steps=64)
    with pytest.raises(InvalidConfig, match="no training run"):
        train(settings, tmp_path, resume=True, console=console())
    with pytest.raises(InvalidConfig, match="needs settings"):
        train(None, tmp_path / "new", console=console())
    train(settings, tmp_path / "run", console=console())
    with pytest.raises(InvalidConfig, match="other settings"):
        train(replace(settings, seed=8), tmp_path / "run", resume=True, console=console())
    for path in (tmp_path / "run" / "checkpoints").glob("step-*/optimiser.safetensors"):
        path.write_bytes(b"")
    with pytest.raises(InvalidFile, match="damaged"):
        train(settings, tmp_path / "run", resume=True, console=console())
