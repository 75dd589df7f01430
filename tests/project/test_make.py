"""What the Makefile does, told by `make -n`; and what configures the tools."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.project.layout import ROOT, pyproject


def recipe(*arguments: str) -> str:
    """Tell what make would do if everything were out of date."""
    if shutil.which("make") is None:
        pytest.skip("no make here")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "-n", "-B", *arguments],
        cwd=ROOT,
        env=plain | {"MAKEFLAGS": "", "PYTHON": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_lowest_versions_get_a_python_that_they_have_wheels_for() -> None:
    assert "for python in python3.11 python3.12 python3 " in recipe("lowest")
    assert "for python in python3 " in recipe("demo")


@pytest.mark.parametrize("target", ["lowest", "demo"])
def test_a_python_that_is_named_is_taken(target: str) -> None:
    assert "for python in some/python3;" in recipe(target, "PYTHON=some/python3")


def test_other_suites_have_an_environment_of_their_own() -> None:
    peers, others = recipe("peers"), recipe("test")
    assert ".[fast,peers]" in peers
    assert "constraints-peers.txt" in peers
    assert "torch" not in peers
    assert "peers" not in others
    assert "setuptools torch" in others
    assert ".[train,fast,draw,web,dev]" in others


def test_other_libraries_have_an_environment_of_their_own() -> None:
    integrations, others = recipe("integrations"), recipe("test")
    assert ".[integrations,dev]" in integrations
    assert "constraints-integrations.txt" in integrations
    assert "setuptools torch" in integrations
    assert "integrations" not in others


def test_pages_are_tested_with_a_browser_or_not_at_all() -> None:
    assert "CHROMAZOO_NEED_BROWSER=1 .venv/bin/python -m pytest tests/browser" in recipe("browser")
    assert "pytest -n 2 -rs" in recipe("test")  # which says why it skips what it skips


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("chromium", [False, True])
def test_integration_tests_pages_where_it_can(tmp_path: Path, chromium: bool) -> None:
    for name in ("bash", "dirname", "mktemp", "rm"):
        found = shutil.which(name)
        assert found
        (tmp_path / name).symlink_to(found)
    for name, does in (("id", "echo 1000"), ("make", 'echo "$@"')):
        (tmp_path / name).write_text(f"#!{tmp_path}/bash\n{does}\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        [tmp_path / "bash", ROOT / ".ci/run"],
        env={"PATH": str(tmp_path), **({"CHROMIUM": "/here"} if chromium else {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == (["test", "browser"] if chromium else ["test"])
    assert done.stderr.startswith("" if chromium else "THE PAGES WERE NOT TESTED: no Chromium")
    assert done.stderr.count("\n") == (not chromium)


def test_no_rule_of_ruff_is_listed_twice() -> None:
    lint = pyproject()["tool"]["ruff"]["lint"]
    for key in ("select", "ignore"):
        assert len(set(lint[key])) == len(lint[key]), key
