"""What pyproject.toml says of the project, for the tests that compare it with something."""

import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("agents", "benchmarks", "cli", "envs", "training")


def pyproject() -> dict[str, Any]:
    """Read pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def packages() -> list[str]:
    """List the packages that setuptools ships, by import name."""
    return list(pyproject()["tool"]["setuptools"]["packages"])


def requirements(*extras: str) -> dict[str, Requirement]:
    """Map the canonical name of each direct dependency, with extras, to what is asked of it.

    Without names of extras, these are all that users and developers need: all but `peers` and
    `integrations`, other suites and libraries, which have constraints of their own.
    """
    project = pyproject()["project"]
    optional = project["optional-dependencies"]
    lines = [*project["dependencies"]]
    for name in extras or optional.keys() - {"peers", "integrations"}:
        lines += optional[name]
    found = [Requirement(line) for line in lines]
    return {canonicalize_name(requirement.name): requirement for requirement in found}


def pins(name: str) -> dict[str, str]:
    """Map the canonical names in a constraints file to their exact versions."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(package): version for package, version in pairs}


def shipped_files() -> set[str]:
    """List the files of the packages' folders from the root, without caches and hidden files."""
    found = (path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    return {
        path.as_posix()
        for path in found
        if (ROOT / path).is_file()
        and not any(part == "__pycache__" or part.startswith(".") for part in path.parts)
    }
