"""Files that are whole or not there: written to a temporary name and renamed."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its name only when all is written.

    Args:
        path: The name that the file gets. Folders above it are made.

    Yields:
        A binary file beside it. After an exception it is removed and nothing has changed.

    Raises:
        OSError: the folder cannot be written to.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(".part", f".{target.name}.", target.parent)
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o644)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_atomic(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a whole file at once; see `atomic`.

    Args:
        path: The name of the file.
        content: What it holds; text is written as UTF-8.

    Raises:
        OSError: the folder cannot be written to.
    """
    with atomic(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
