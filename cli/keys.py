"""Keys of a terminal as they are pressed, none of them lost while something else is done."""

import codecs
import os
import re
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

_KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)
_BEGUN = re.compile(r"\x1b(?:[\[O][0-9;]*)?\Z")
_REST = 0.05  # seconds in which the rest of a key that sends several characters comes


@contextmanager
def pressed_keys() -> Iterator[Callable[[], list[str]]]:
    r"""Take over the keys of the terminal, be it standard input or not.

    Yields:
        Waits for keys and returns all that have been pressed since its last call: a letter each, or
        the sequence that a terminal sends (`\x1b[C`), or on Windows the pair (`\xe0M`). It raises
        KeyboardInterrupt for Ctrl-C, and EOFError for Ctrl-D and where the terminal is gone.

    Raises:
        OSError: there is no terminal.
    """
    if sys.platform == "win32":
        yield lambda: [typer.getchar().replace("\x00", "\xe0")]
        return
    import termios

    own = sys.stdin is not None and sys.stdin.isatty()
    terminal = sys.stdin.fileno() if own else os.open("/dev/tty", os.O_RDONLY)
    before = termios.tcgetattr(terminal)
    now = termios.tcgetattr(terminal)
    now[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
    now[6][termios.VMIN], now[6][termios.VTIME] = 1, 0
    try:
        termios.tcsetattr(terminal, termios.TCSADRAIN, now)  # which keeps what has been typed
        yield _reader(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        if not own:
            os.close(terminal)


def _reader(terminal: int) -> Callable[[], list[str]]:
    """Make what reads keys."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read() -> list[str]:
        text = ""
        while not text or (_BEGUN.search(text) and select.select([terminal], [], [], _REST)[0]):
            got = os.read(terminal, 1024)
            if not got:
                raise EOFError
            text += decoder.decode(got)
        if "\x03" in text:
            raise KeyboardInterrupt
        if "\x04" in text:
            raise EOFError
        return _KEY.findall(text)

    return read
