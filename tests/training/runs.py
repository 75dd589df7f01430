"""Small training runs for the tests."""

from typing import Any

import pytest

from chromazoo.envs import registry
from chromazoo.training.settings import Settings

SMALL: dict[str, Any] = {
    "game": "tiny",
    "steps": 640,
    "seed": 7,
    "threads": 1,
    "network": {"kind": "mlp", "width": 16, "depth": 1},
    "ppo": {"num_envs": 8, "rollout_steps": 8, "batch_size": 32, "learning_rate": 0.003},
    "opponents": {"snapshot_every": 128, "max_snapshots": 2},
    "evaluation": {"every": 320, "games": 18, "final_games": 30},
    "checkpoints": {"every": 128, "keep": 2},
}


def small_settings(**changes: Any) -> Settings:
    """Settings of a run of Tiny of ten updates, which takes a fraction of a second."""
    return Settings.from_dict({**SMALL, **changes})


@pytest.fixture(autouse=True)
def tiny_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let settings name the tiny game."""
    monkeypatch.setitem(registry.MODULES, "tiny", "tests.tiny.game")
