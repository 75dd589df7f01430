"""Putting the policy of a finished run into the package."""

import json
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
from chromazoo.training.ship import main, ship
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
    assert ship(tmp_path / "other") == target
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
    unmeasured = {k: v for k, v in head["training"].items() if k != "evaluation"}
    for training, why in (
        (unmeasured, "no evaluation"),
        ({**head["training"], "settings": {"steps": 10**6}}, "64 steps of 1000000"),
        ({}, "no command"),
    ):
        path.write_bytes(dump_policy(network, game, 64, training))
        with pytest.raises(InvalidFile, match=why):
            ship(tmp_path / "run")
    path.write_bytes(content[:-4] + b"\0\0\0\1")
    assert main([str(tmp_path / "run")]) == 2
    assert "checksum" in capsys.readouterr().err
    path.write_bytes(content)
    monkeypatch.setattr(shipping, "MOST_BYTES", len(content) - 1)
    with pytest.raises(InvalidFile, match="are the most"):
        ship(tmp_path / "run")
    assert not package.exists()
