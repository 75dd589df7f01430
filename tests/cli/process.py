"""The command as a process of its own."""

import subprocess
import sys
from typing import Any

CODE = "import sys; from chromazoo.cli.main import main; sys.exit(main())"
COMMAND = [sys.executable, "-c", CODE]


def start(*arguments: str, **options: Any) -> "subprocess.Popen[str]":
    """Start the command, its streams as pipes of text."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*COMMAND, *arguments], text=True, **{**pipes, **options})
