"""What works without the extra `train` imports nothing of it."""

import pkgutil
import subprocess
import sys

import pytest

import chromazoo.envs

FAST = {"numba", "llvmlite", "scipy"}  # numba loads scipy where it finds it
HEAVY = {"torch", "matplotlib", "stable_baselines3", "sb3_contrib", "safetensors", "tensorboard"}
REPORT = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*sorted(sys.modules))
"""


def loaded_by(*names: str) -> set[str]:
    """Import the modules in a fresh interpreter; name the top-level modules it then holds."""
    done = subprocess.run(
        [sys.executable, "-c", REPORT, *names], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_the_report_sees_what_is_loaded() -> None:
    assert "matplotlib" in loaded_by("matplotlib")


@pytest.mark.parametrize(
    "name",
    [
        "chromazoo.envs",
        "chromazoo.agents",
        "chromazoo.training",
        "chromazoo.benchmarks",
        "chromazoo.cli.main",
    ],
)
def test_importing_it_loads_no_part_of_the_training_extra(name: str) -> None:
    assert not loaded_by(name) & (HEAVY | FAST)


def test_no_module_of_the_games_loads_any_part_of_it() -> None:
    names = [
        found.name for found in pkgutil.walk_packages(chromazoo.envs.__path__, "chromazoo.envs.")
    ]
    assert not loaded_by(*names) & HEAVY
