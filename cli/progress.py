"""A progress bar on standard error, for work that lasts over two seconds."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

DELAY = 2.0  # seconds before a bar is shown


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar while a block runs, unless standard error is no terminal.

    Args:
        what: What is being done.
        total: Of how many steps.

    Yields:
        Takes the number of steps done since its last call.
    """
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(what, total=total)
    begin = time.monotonic()

    def advance(steps: int) -> None:
        bar.advance(task, steps)
        if time.monotonic() - begin > DELAY:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()
