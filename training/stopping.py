"""Stopping a run from outside: Ctrl-C and SIGTERM become a wish, heeded where nothing is lost."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(KeyboardInterrupt):
    """A run was stopped by a signal.

    Attributes:
        signal: Its number.
        status: The exit status with which shells report that: 130 for SIGINT, 143 for SIGTERM.
    """

    def __init__(self, number: int) -> None:
        """Note the signal.

        Args:
            number: Its number.
        """
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.signal = number
        self.status = 128 + number


class Stopping:
    """What was asked for so far; made by `heeded`."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell
        self._asked: int | None = None
        self._put_off = False
        self._telling: threading.Thread | None = None

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """Put a first signal off while a block runs, to when `heed` is called; a second stops."""
        self._put_off = True
        try:
            yield
        finally:
            self._put_off = False
            if self._telling is not None:
                self._telling.join()

    @property
    def asked(self) -> bool:
        """Whether a signal was put off."""
        return self._asked is not None

    def heed(self) -> None:
        """Stop if a signal was put off.

        Raises:
            Stopped: one was.
        """
        if self._asked is not None:
            raise Stopped(self._asked)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Take a signal; what `signal.signal` is given."""
        if not self._put_off or self._asked is not None:
            raise Stopped(number)
        self._asked = number
        # Whatever the signal came amid may hold the locks of the stream; a thread can wait for it.
        telling = threading.Thread(target=self._tell, args=(number,), daemon=True)
        with suppress(RuntimeError):  # no more threads: it is not told
            telling.start()
            self._telling = telling


@contextmanager
def heeded(tell: Callable[[int], None]) -> Iterator[Stopping]:
    """Make `Stopped` of SIGINT and SIGTERM while a block runs.

    A signal that the process ignores stays ignored, and outside the main thread, which alone gets
    signals, nothing is changed.

    Args:
        tell: Is called with the signal when one is put off, in a thread of its own.

    Yields:
        What can put them off.
    """
    stopping = Stopping(tell)
    before: dict[signal.Signals, Callable[[int, FrameType | None], object] | int] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                handler = signal.getsignal(number)
                if handler is not None and handler != signal.SIG_IGN:
                    before[number] = handler
                    signal.signal(number, stopping.handle)
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
