"""Where a run is reported: standard error, which may go away before the run ends."""

import os
import sys
from typing import IO, Any, cast

from rich.console import Console


def standard_error() -> Console:
    """Make a console on standard error that outlives it.

    A reader that ends, such as the `tee` that the same Ctrl-C stops, or a terminal that is closed
    must not stop a run that has something to save. From then on nothing is said any more.

    Returns:
        The console.
    """
    if sys.stderr is None:
        return Console(stderr=True)
    return Console(file=cast(IO[str], _Lasting(sys.stderr)))


class _Lasting:
    """A stream that turns into the null device when it can no longer be written to."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, or drop it."""
        try:
            return self._stream.write(text)
        except OSError:
            self._give_up()
            return len(text)

    def flush(self) -> None:
        """Write what waits to be written, or drop it."""
        try:
            self._stream.flush()
        except OSError:
            self._give_up()

    def _give_up(self) -> None:
        """Let nothing fail on the stream again, at the exit of the process neither."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._stream.fileno())
        os.close(null)
