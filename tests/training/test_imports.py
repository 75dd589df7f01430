"""Importing Chromazoo changes nothing, and loads what is asked for; starting it sets OpenMP up."""

import os
import subprocess
import sys

import pytest

import chromazoo.training

REPORT = """
import importlib, os, sys
before = dict(os.environ)
for name in sys.argv[1:]:
    importlib.import_module(name)
print(os.environ == before)
"""

COMMAND = """
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            print("waits", os.environ.get("OMP_WAIT_POLICY"))
sys.meta_path.insert(0, Watch())
from chromazoo.cli.main import main
main(sys.argv[1:])
"""


def run(code: str, *arguments: str, **environ: str) -> list[str]:
    """Run Python in a process of its own; the lines that it prints."""
    bare = {key: value for key, value in os.environ.items() if key != "OMP_WAIT_POLICY"}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=bare | environ)
    assert done.stderr == "" or "chromazoo: " in done.stderr
    return done.stdout.splitlines()


def test_what_is_named_can_be_imported() -> None:
    for name in chromazoo.training.__all__:
        assert getattr(chromazoo.training, name).__name__ == name
    with pytest.raises(AttributeError, match="nonesuch"):
        chromazoo.training.nonesuch  # noqa: B018


def test_importing_the_agents_leaves_the_environment_as_it_is() -> None:
    names = ("chromazoo.agents", "chromazoo.agents.agent", "chromazoo.cli.main")
    assert run(REPORT, *names) == ["True"]


@pytest.mark.parametrize(
    "arguments",
    [("train", "kroma", "--resume", "nowhere"), ("sample", "kroma", "--agent", "ppo:nowhere")],
)
def test_commands_load_torch_with_threads_that_sleep_as_they_wait(arguments: tuple[str]) -> None:
    assert "waits PASSIVE" in run(COMMAND, *arguments)
    assert "waits ACTIVE" in run(COMMAND, *arguments, OMP_WAIT_POLICY="ACTIVE")
