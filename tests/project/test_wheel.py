"""The wheel holds what the tree holds, under `chromazoo` and nowhere else."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.project.layout import FOLDERS, ROOT, packages, pyproject, shipped_files

BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Name the files of a wheel built from a copy of the tree, free of what earlier builds left."""
    copy, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(out)],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        return set(archive.namelist())


def test_holds_every_file_of_the_tree_and_no_other(wheel: set[str]) -> None:
    version = pyproject()["project"]["version"]
    files = {name for name in wheel if not name.startswith(f"chromazoo-{version}.dist-info/")}
    assert files == {f"chromazoo/{name}" for name in shipped_files()}


def test_names_its_licence_and_its_command(wheel: set[str]) -> None:
    info = f"chromazoo-{pyproject()['project']['version']}.dist-info"
    assert {f"{info}/licenses/LICENSE", f"{info}/entry_points.txt"} <= wheel


def test_every_folder_is_typed_and_no_namespace_file_exists(wheel: set[str]) -> None:
    assert {f"chromazoo/{folder}/py.typed" for folder in FOLDERS} <= wheel
    assert "chromazoo/__init__.py" not in wheel


def test_every_folder_with_code_is_listed_as_a_package() -> None:
    code = {Path(name).parent for name in shipped_files() if name.endswith(".py")}
    assert {".".join(("chromazoo", *folder.parts)) for folder in code} == set(packages())
