"""The same command gives the same policy file, in any process and folder, and says what it was."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chromazoo.agents.policy_heads import POLICY_FILE, policy_head
from chromazoo.training.origin import origin, training_command, with_budget
from chromazoo.training.preset import preset_names
from chromazoo.training.settings import Settings, make_settings
from tests.training.runs import small_settings

COMMAND = "import sys; from chromazoo.cli.main import main; main(sys.argv[1:])"
PRESET = """
game = "kroma"
steps = 600
threads = 2
options = { size = "baby" }
network = { kind = "kroma", width = 16, channels = 8, keys = 4 }
ppo = { num_envs = 16, rollout_steps = 8, batch_size = 64, learning_rate = 0.003 }
opponents = { snapshot_every = 128, max_snapshots = 3, snapshots = 1.0 }
evaluation = { every = 300, games = 20, final_games = 30 }
"""


def trained(place: Path, *arguments: str) -> tuple[bytes, dict[str, object]]:
    """Train in a process and a folder of its own; the policy file, and the report."""
    place.mkdir()
    (place / "mine.toml").write_text(PRESET)
    words = ["train", "kroma", "--preset", "mine.toml", "--out", "here", "--json", *arguments]
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONHASHSEED"}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *words],
        capture_output=True, text=True, cwd=place, env=environ, check=True,
    )  # fmt: skip
    return (place / "here" / POLICY_FILE).read_bytes(), json.loads(done.stdout)


def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    one, report = trained(tmp_path / "one")
    two, _ = trained(tmp_path / "another place")
    assert one == two
    other, _ = trained(tmp_path / "other", "--seed", "2")
    assert policy_head(other)["sha256"] != policy_head(one)["sha256"]
    told = policy_head(one)["training"]
    assert told["evaluation"] == report["evaluation"]
    assert told["seed"] == 1
    assert told["command"] == "chromazoo train kroma --preset settings.toml"
    assert Settings.from_dict(told["settings"]).ppo.num_envs == 16
    assert set(told["versions"]) >= {"chromazoo", "python", "numpy", "torch"}
    assert str(tmp_path).encode() not in one
    assert b"here" not in one
    assert policy_head(other)["training"]["seed"] == 2


@pytest.mark.parametrize("game", ["kroma", "chroma", "guardians"])
def test_commands_name_the_preset_and_what_is_changed(game: str) -> None:
    for preset in preset_names(game):
        settings = make_settings(game, preset)
        whole = [(0, settings.steps)]
        assert training_command(settings, whole) == f"chromazoo train {game} --preset {preset}"
        compiled = make_settings(game, preset, engine="compiled")
        assert training_command(compiled, whole) == training_command(settings, whole)
        changed = make_settings(game, preset, steps=77, seed=2**63 - 1, max_plies=500)
        assert training_command(changed, [(0, 77)]) == (
            f"chromazoo train {game} --preset {preset}"
            f" --steps 77 --seed {2**63 - 1} --max-plies 500"
        )


def test_commands_without_a_preset_and_with_options() -> None:
    plain = make_settings("kroma", options={"size": "baby", "leap": False})
    assert training_command(plain, [(0, plain.steps)]) == (
        "chromazoo train kroma --set size=baby --set leap=false"
    )
    demo = make_settings("kroma", "demo", options={"influence": "public"})
    assert training_command(demo, [(0, demo.steps)]) == (
        "chromazoo train kroma --preset demo --set influence=public"
    )
    own = small_settings()
    assert training_command(own, [(0, 9)]) == "chromazoo train tiny --preset settings.toml"


def test_what_is_told_knows_no_engine() -> None:
    settings = make_settings("kroma", "demo")
    compiled = make_settings("kroma", "demo", engine="compiled")
    whole = [(0, settings.steps)]
    told = origin(settings, whole)
    assert told == origin(compiled, whole)
    assert "engine" not in told["settings"]
    assert json.loads(json.dumps(told)) == told
    assert Settings.from_dict(told["settings"]) == settings


def test_budgets_that_were_trained_with_are_kept() -> None:
    budgets = with_budget([], 0, 100)
    assert budgets == [(0, 100)]
    assert with_budget(budgets, 128, 100) == budgets
    assert with_budget(budgets, 0, 200) == [(0, 200)]
    raised = with_budget(budgets, 128, 200)
    assert raised == [(0, 100), (128, 200)]
    assert with_budget(raised, 128, 300) == [(0, 100), (128, 300)]
    assert with_budget(raised, 256, 200) == raised
