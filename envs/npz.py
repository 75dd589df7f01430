"""Archives of arrays (npz): the same bytes for the same arrays, and safe reading of a stranger's.

Arrays are stored as they are. So none is unpacked when an archive is read, and it takes no more
memory than the file is long.
"""

import io
import math
import zipfile
from collections.abc import Mapping
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidFile


class Member(NamedTuple):
    """What an array in an archive says of itself.

    Attributes:
        dtype: Its dtype.
        shape: Its shape.
        by_columns: Whether it lies as in Fortran.
        start: Bytes before its data.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    by_columns: bool
    start: int


def npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Write arrays as the bytes of an npz file.

    Args:
        arrays: Name -> array, none of them of Python objects.

    Returns:
        The bytes, the same for the same arrays.

    Raises:
        ValueError: an array holds Python objects.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return buffer.getvalue()


def read_npz(content: bytes, name: str) -> dict[str, NDArray[Any]]:
    """Read the arrays that `npz` wrote, from bytes that may be anything.

    Args:
        content: The bytes.
        name: What to call them in errors.

    Returns:
        Name -> array; they cannot be written to.

    Raises:
        InvalidFile: they are no such archive, or damaged.
    """
    try:
        with open_npz(content) as archive:
            names = [member.removesuffix(".npy") for member in archive.namelist()]
            if len(set(names)) < len(names):
                raise InvalidFile("an array is there twice")
            return {found: take(archive, found, look(archive, found)) for found in names}
    except InvalidFile as error:
        raise InvalidFile(f"{name}: {error}") from None
    except Exception as error:  # noqa: BLE001, over damaged bytes they raise nearly anything
        raise InvalidFile(f"{name}: no arrays, or damaged ({type(error).__name__})") from None


def open_npz(content: bytes) -> zipfile.ZipFile:
    """Open an archive that may be anything; refuse one whose arrays lie within each other.

    Some hundred kilobytes could be gigabytes of them, and `zipfile` before Python 3.11.8 does not
    look.

    Args:
        content: The bytes.

    Returns:
        The archive, to be closed.

    Raises:
        InvalidFile: its arrays together are longer than it.
        Exception: it is no archive.
    """
    archive = zipfile.ZipFile(io.BytesIO(content))
    if sum(member.compress_size for member in archive.infolist()) > len(content):
        raise InvalidFile("its arrays together are longer than it")
    return archive


def look(archive: zipfile.ZipFile, name: str) -> Member:
    """Read what an array says of itself; refuse one that is compressed or not as long as it says.

    Args:
        archive: The archive.
        name: The array's name.

    Returns:
        What it says, which is true of its length.

    Raises:
        InvalidFile: it is.
        Exception: it is no array.
    """
    info = archive.getinfo(f"{name}.npy")
    if info.compress_type != zipfile.ZIP_STORED:
        raise InvalidFile(f"array {name!r:.80} is compressed")
    with archive.open(info) as file:
        shape, by_columns, dtype = _read_header(file)
        member = Member(dtype, shape, by_columns, file.tell())
    if member.start + math.prod(shape) * dtype.itemsize != info.file_size:
        raise InvalidFile(f"array {name!r:.80} is not as long as it says")
    return member


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read the header of an npy file of format 1.0, the one that arrays of numbers have."""
    if npy.read_magic(file) != (1, 0):
        raise ValueError("another format")
    header: tuple[tuple[int, ...], bool, np.dtype[Any]] = npy.read_array_header_1_0(file)
    return header


def take(archive: zipfile.ZipFile, name: str, member: Member) -> NDArray[Any]:
    """Read an array that has been looked at; its checksum is compared.

    Args:
        archive: The archive.
        name: The array's name.
        member: What `look` found.

    Returns:
        The array; it cannot be written to.

    Raises:
        Exception: its checksum is wrong, or bytes are missing.
    """
    data = np.frombuffer(archive.read(f"{name}.npy"), member.dtype, offset=member.start)
    return data.reshape(member.shape, order="F" if member.by_columns else "C")
