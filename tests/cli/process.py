"""The command as a process of its own."""

import signal
import subprocess
import sys
from typing import Any

CODE = "import sys; from chromazoo.cli.main import main; sys.exit(main())"
COMMAND = [sys.executable, "-c", CODE]


def start(*arguments: str, **options: Any) -> "subprocess.Popen[str]":
    """Start the command as a shell does in the foreground, its streams as pipes of text."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [*COMMAND, *arguments], text=True, preexec_fn=_heed_interrupts, **{**pipes, **options}
    )


def _heed_interrupts() -> None:
    """Undo what the parent inherited: jobs in the background ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
