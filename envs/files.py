"""Files that are whole or not there, written to a temporary name and renamed; reading them."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from chromazoo.envs.errors import InvalidFile


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its name only when all is written.

    Args:
        path: The name that the file gets, in a folder that is there.

    Yields:
        A binary file beside it. After an exception it is removed and nothing has changed.

    Raises:
        OSError: the folder is not there, or cannot be written to.
    """
    target = Path(path)
    require_folder(target)
    part = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def require_folder(path: str | os.PathLike[str]) -> None:
    """Refuse the name of a file in a folder that is not there: it may be misspelt.

    Args:
        path: The name of a file to be written.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    folder = Path(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(folder))


def sync_folder(folder: Path) -> None:
    """Make sure that names given in a folder outlive a crash of the machine, where that can be."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_atomic(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a whole file at once; see `atomic`.

    Args:
        path: The name of the file.
        content: What it holds; text is written as UTF-8.

    Raises:
        OSError: the folder is not there, or cannot be written to.
    """
    with atomic(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def read_file(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Read a whole file, whatever it may be.

    Args:
        path: The file. Pipes and devices are refused: they may have no end, or never begin.
        most: How many bytes it may have; any number if not given.

    Returns:
        Its bytes.

    Raises:
        InvalidFile: it is no regular file, or too long.
        OSError: it cannot be read.
        ValueError: its name holds a null byte.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise InvalidFile(f"{os.fspath(path)}: no regular file")
    if most is not None and status.st_size > most:
        raise InvalidFile(f"{os.fspath(path)}: {status.st_size:,} bytes, of at most {most:,}")
    with open(path, "rb") as file:
        return file.read(status.st_size)
