"""What the documents say is so: the examples run, the links lead somewhere, the version is one."""

import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.main import get_command

from chromazoo.cli.main import app
from chromazoo.envs.game import Game
from chromazoo.envs.registry import MODULES
from tests.project.layout import ROOT, pyproject

DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "envs").glob("*/README.md")),
]
NAMES = [document.relative_to(ROOT).as_posix() for document in DOCUMENTS]
FROM_THE_ROOT = ("docs/adding-a-game.md",)  # examples that use the tests' game
LONG = ("train", "bench", "play")  # commands that are read, but not run
COMMAND = ".venv/bin/chromazoo"


def _found(pattern: str) -> list[tuple[str, str]]:
    """Find a pattern in the documents: the document's name and what was found."""
    flags = re.MULTILINE | re.DOTALL
    return [
        (name, text)
        for name, document in zip(NAMES, DOCUMENTS, strict=True)
        for text in re.findall(pattern, document.read_text(encoding="utf-8"), flags)
    ]


EXAMPLES = _found(r"^```python\n(.*?)^```$")
EXCERPTS = _found(r"^```python ([\w/]+\.py\n.*?)^```$")
LINES = _found(rf"^    ({re.escape(COMMAND)} [^\n]*)$")


def test_there_are_examples_and_commands() -> None:
    assert {"README.md", "docs/architecture.md", "envs/kroma/README.md"} <= {*dict(EXAMPLES)}
    assert len(LINES) >= 6


@pytest.mark.parametrize("number", range(len(EXAMPLES)), ids=[name for name, _ in EXAMPLES])
def test_examples_run(number: int, tmp_path: Path) -> None:
    name, example = EXAMPLES[number]
    inside = {"PYTHONPATH": str(ROOT)} if name in FROM_THE_ROOT else {}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        cwd=tmp_path,
        env=os.environ | inside,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if name == "docs/results.md":
        figures = done.stdout.splitlines()
        shown = (ROOT / "docs/results.md").read_text(encoding="utf-8").splitlines()
        assert figures
        assert [line for line in shown if line in figures] == figures


def test_excerpts_are_lines_of_their_files() -> None:
    assert len(EXCERPTS) >= 10
    for name, text in EXCERPTS:
        file, _, lines = text.partition("\n")
        assert f"\n{lines}" in (ROOT / file).read_text(encoding="utf-8"), f"{name}:\n{lines}"


def test_figures_with_intervals_are_those_of_the_results() -> None:
    results = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    figures = _found(r"(\d+\.\d% \(\d+\.\d% to \d+\.\d%\))")
    others = [(name, figure) for name, figure in figures if name != "docs/results.md"]
    assert {"README.md", "envs/chroma/README.md"} <= {*dict(others)}
    for name, figure in others:
        in_columns = figure.replace(" (", " | ").removesuffix(")")
        assert figure in results or in_columns in results, f"{name}: {figure}"


def test_all_that_a_game_writes_is_listed() -> None:
    text = (ROOT / "docs/adding-a-game.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| .* \| (.*) \|$", text, re.MULTILINE)
    told = {name: use for names, use in rows for name in re.findall(r"\w+", names)}
    assert {name for name, use in told.items() if use == "needed"} == Game.__abstractmethods__
    assert all(callable(getattr(Game, name, None)) for name in told)


def test_the_readme_tells_which_faces_the_games_have() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (head,) = re.findall(r"^\| face \|(.*)\|$", text, re.MULTILINE)
    columns = [title.strip().lower() for title in head.split("|")]
    assert columns[: len(MODULES)] == [*MODULES]
    told = dict(re.findall(r"^\| `(\w+)\(.*?\)` \|(.*)\|$", text, re.MULTILINE))
    for column, module in enumerate(MODULES.values()):
        has = {name for name, cells in told.items() if cells.split("|")[column].strip() == "yes"}
        offered = {name for name in import_module(module).__all__ if name.endswith("env")}
        assert has == offered - {"raw_env"}, module


def test_commands_run_as_they_stand_but_for_long_arenas(tmp_path: Path) -> None:
    command = tmp_path / COMMAND
    command.parent.mkdir(parents=True)
    code = "import sys; from chromazoo.cli.main import main; sys.exit(main())"
    command.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-c", code])} "$@"\n')
    command.chmod(0o755)
    short = [line for _, line in LINES if shlex.split(line)[1] not in LONG]
    script = "\n".join(["set -e", *short]).replace("--games 4000", "--games 40")
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "100 records" in done.stdout


@pytest.mark.parametrize("line", [line for _, line in LINES])
def test_commands_are_understood(line: str) -> None:
    name, *words = shlex.split(line.partition(" > ")[0], comments=True)[1:]
    command = get_command(app).commands[name]  # type: ignore[attr-defined]
    command.make_context(name, words)


@pytest.mark.parametrize("name", NAMES)
def test_links_to_files_lead_somewhere(name: str) -> None:
    document = ROOT / name
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text(encoding="utf-8"))
    missing = [
        link for link in links if "://" not in link and not (document.parent / link).exists()
    ]
    assert not missing


def test_the_project_is_described_by_the_games_it_has() -> None:
    for text in (pyproject()["project"]["description"], app.info.help):
        named = {word.lower() for word in re.findall(r"\b(?:Kroma|CHROMA|Guardians)\b", text)}
        assert named == set(MODULES), text


def test_all_files_name_the_same_version() -> None:
    version = pyproject()["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## \[(.+?)\]", changes, flags=re.MULTILINE)[1] == version
