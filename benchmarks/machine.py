"""On what a measurement ran: the machine, the versions, the commit."""

import os
import platform
import subprocess
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

_HERE = Path(__file__).resolve()


def machine() -> dict[str, Any]:
    """Describe this machine and what is installed.

    Returns:
        `cpu`, `cores` and `system`; the versions of `python`, `numpy`, `numba` (None if it is not
        installed) and `chromazoo`; and the git `commit` that runs, with `-dirty` behind it where
        files have changed since (None if the package does not run from a git checkout).
    """
    return {
        "cpu": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": _version("numba"),
        "chromazoo": _version("chromazoo"),
        "commit": _commit(_HERE),
    }


def _processor() -> str:
    """Name the processor."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    """Tell the version of a package, None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit(file: Path) -> str | None:
    """Tell the commit of the git checkout to which a file belongs, None if it belongs to none."""
    if _git(file, "ls-files", "--error-unmatch", file.name) is None:
        return None  # such as a virtual environment within another project's checkout
    return _git(file, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")


def _git(file: Path, *arguments: str) -> str | None:
    """Ask git in the folder of a file; None where there is no git, or no answer."""
    command = ["git", "-C", str(file.parent), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
