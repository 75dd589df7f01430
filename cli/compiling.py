"""A line on standard error where the compiled engine takes over two seconds to compile."""

from functools import cache
from importlib.util import find_spec
from threading import Timer
from typing import Any

from rich.console import Console

from chromazoo.cli import progress

LINE = "Compiling the rules ..."


@cache
def tell_of_compiling() -> None:
    """Say so once, from now on, if compiling lasts."""
    if find_spec("numba") is not None:  # else the game says what is missing
        from numba.core import event

        event.register("numba:compile", make_teller())  # type: ignore[no-untyped-call]


def make_teller() -> Any:
    """Make the listener that numba tells when it begins and ends to compile.

    Of what it finds in its cache, or has compiled already, it tells nothing.
    """
    from numba.core.event import Listener

    class Teller(Listener):
        def __init__(self) -> None:
            self.depth, self.told = 0, False

        def on_start(self, event: object) -> None:
            if self.depth == 0 and not self.told:
                self.timer = Timer(progress.DELAY, self.tell)
                self.timer.daemon = True
                self.timer.start()
            self.depth += 1

        def on_end(self, event: object) -> None:
            self.depth -= 1  # of functions that are compiled for their callers
            if self.depth == 0:
                self.timer.cancel()

        def tell(self) -> None:
            self.told = True
            Console(stderr=True).print(LINE)

    return Teller()
