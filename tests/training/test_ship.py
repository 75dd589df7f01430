"""Putting the policy of a finished run into the package."""

import json
import shutil
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from chromazoo.agents import load, shipped
from chromazoo.agents.policy_files import dump_policy, parse_policy
from chromazoo.agents.policy_heads import policy_head
from chromazoo.envs.errors import InvalidFile
from chromazoo.training import ship as shipping
from chromazoo.training import train
from chromazoo.training.ship import check_description, main, ship
from tests.training.runs import small_settings
from tests.training.test_runs import BABY


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of that of the package's policies."""
    monkeypatch.setattr(shipped, "POLICIES", tmp_path / "policies")
    return tmp_path / "policies"


def test_a_finished_run_is_shipped_and_found(
    tmp_path: Path, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = small_settings(**BABY, steps=128)
    train(settings, tmp_path / "run", console=Console(file=StringIO()))
    assert main([str(tmp_path / "run")]) == 0
    target = package / f"{shipped.shipped_name(settings.make_game())}.safetensors"
    assert capsys.readouterr().out == f"{target}\n"
    assert target.read_bytes() == (tmp_path / "run" / "policy.safetensors").read_bytes()
    head = policy_head(target.read_bytes())
    assert json.loads(target.with_suffix(".json").read_text()) == head
    assert head["training"]["evaluation"].keys() == {"random", "heuristic"}
    assert load("ppo", settings.make_game()).name == "ppo"
    before = target.read_bytes()
    train(
        small_settings(**BABY, steps=128, seed=8),
        tmp_path / "other",
        console=Console(file=StringIO()),
    )
    assert main([str(tmp_path / "run")]) == 0, "the same again"
    assert main([str(tmp_path / "other")]) == 2
    assert f"there is another {target.name}; --replace replaces it" in capsys.readouterr().err
    assert target.read_bytes() == before
    assert main([str(tmp_path / "other"), "--replace"]) == 0
    assert target.read_bytes() != before
    assert main([str(tmp_path / "run"), str(tmp_path / "other"), "--replace"]) == 2
    assert "both for kroma-size=baby; ship one" in capsys.readouterr().err
    assert target.read_bytes() != before
    assert sorted(path.suffix for path in package.iterdir()) == [".json", ".safetensors"]


def test_runs_that_are_not_finished_are_refused(
    tmp_path: Path,
    package: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main([str(tmp_path / "nowhere")]) == 2
    assert "nowhere/policy.safetensors: cannot be read" in capsys.readouterr().err
    settings = small_settings(**BABY, steps=64)
    train(settings, tmp_path / "run", console=Console(file=StringIO()))
    path, game = tmp_path / "run" / "policy.safetensors", settings.make_game()
    content = path.read_bytes()
    network, head = parse_policy(game, content), policy_head(content)
    cut = {"random": {"truncated": 0}, "heuristic": {"truncated": 3}}
    raised = f"{head['training']['command']}\nchromazoo train kroma --resume RUN --steps 64"
    beyond = {"command": "chromazoo train kroma --preset demo --steps 1000064"}
    unmeasured = {k: v for k, v in head["training"].items() if k != "evaluation"}
    for training, why in (
        (unmeasured, "no evaluation in its description: an unfinished run"),
        (
            {**head["training"], "settings": {"steps": 10**6}},
            "an unfinished run, trained for 64 steps of 1000000",
        ),
        ({}, "no command"),
        (
            {**head["training"], "command": raised},
            "budget was changed on the way; train it in one go",
        ),
        (
            {**head["training"], "command": "chromazoo 'train"},
            "no shell reads .* quotation",
        ),
        ({**head["training"], "evaluation": cut}, "3 games of its evaluation against heuristic"),
    ):
        path.write_bytes(dump_policy(network, game, 64, training))
        with pytest.raises(InvalidFile, match=why):
            ship([tmp_path / "run"])
    for budget in (10**6, 10**6 + 64):
        told = {**head["training"], **beyond, "settings": {"steps": budget}}
        whole = {**head, "steps": 10**7, "training": told}
        with pytest.raises(InvalidFile) if budget > 10**6 else nullcontext():
            check_description(whole, "it")
    path.write_bytes(content[:-4] + b"\0\0\0\1")
    assert main([str(tmp_path / "run")]) == 2
    assert "checksum" in capsys.readouterr().err
    path.write_bytes(content)
    monkeypatch.setattr(shipping, "MOST_BYTES", len(content) - 1)
    with pytest.raises(InvalidFile, match="are the most"):
        ship([tmp_path / "run"])
    assert not package.exists()


def test_all_are_looked_at_before_one_is_shipped(
    tmp_path: Path, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = small_settings(**{**BABY, "steps": 64})
    train(settings, tmp_path / "run", console=Console(file=StringIO()))
    for other, why in (("new", "with no policy.safetensors in it yet"), ("on", "128 steps, and")):
        folder = tmp_path / other
        if other == "new":
            folder.mkdir()
            (folder / "settings.json").write_text("{}")
        else:
            shutil.copytree(tmp_path / "run", folder)
            policy = (folder / "policy.safetensors").read_bytes()
            train(
                replace(settings, steps=128),
                folder,
                resume=True,
                console=Console(file=StringIO()),
            )
            (folder / "policy.safetensors").write_bytes(policy)  # as before it came to its end
        assert main([str(tmp_path / "run"), str(folder)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert f"{folder}: an unfinished run" in said.err
        assert why in said.err
        assert not package.exists()


def test_without_torch_one_line_says_what_is_missing(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from chromazoo.training.ship import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        "python -m chromazoo.training.ship: this needs torch, which is not installed:"
        " pip install 'chromazoo[train]'\n"
    )
