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
PAUSE = 0.2  # seconds between its changes


@contextmanager
def progress_bar(what: str, total: int, shown: bool = True) -> Iterator[Callable[[int], None]]:
    """Show a bar while a block runs, unless standard error is no terminal.

    Args:
        what: What is being done.
        total: Of how many steps.
        shown: False for no bar at all, where the block itself prints to the terminal.

    Yields:
        Takes the number of steps done since its last call.
    """
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not (shown and console.is_terminal),
        auto_refresh=False,  # no second thread: it would slow down what is measured
        redirect_stdout=False,  # what is printed there is no business of the bar
        redirect_stderr=False,
    )
    task = bar.add_task(what, total=total)
    drawn = time.monotonic() + DELAY - PAUSE

    def advance(steps: int) -> None:
        nonlocal drawn
        bar.advance(task, steps)
        if time.monotonic() - drawn > PAUSE:
            bar.start()
            bar.refresh()
            drawn = time.monotonic()

    try:
        yield advance
    finally:
        if bar.live.is_started:  # else some versions of rich leave an empty line
            bar.stop()
