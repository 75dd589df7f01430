"""State files: npz files of the arrays of a state, beside a head that says of which game it is.

A file may be a stranger's. Its arrays are stored as they are, so none of it is unpacked; the head
is looked at first, then what the arrays say of themselves, and only then what is in them. Whether
the games contradict the rules is asked elsewhere (`validity.py`).
"""

import io
import json
import math
import zipfile
from collections.abc import Mapping
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.files import npz
from chromazoo.envs.options import differing

Head = Mapping[str, Any]
"""Of which game a state is: its name as `game`, its `version`, and its options as `config`."""

_HEAD = "chromazoo"
_MORE = 2**16  # bytes by which the head of another config may be longer


class _Member(NamedTuple):
    """What an array in an archive says of itself."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    by_columns: bool  # as numpy's order "F"
    start: int  # bytes before the data


def write_state(head: Head, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Write a state as the bytes of an npz file.

    Args:
        head: Of which game it is.
        arrays: Name -> array, first axis game.

    Returns:
        The bytes, the same for the same state.
    """
    return npz({_HEAD: np.frombuffer(_head_text(head), np.uint8), **arrays})


def read_state(content: bytes, head: Head, like: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Read the arrays that `write_state` wrote, from bytes that may be anything.

    Args:
        content: The bytes.
        head: Of which game it should be.
        like: The arrays of any state of that game.

    Returns:
        Name -> array in the order of `like`, with the same dtypes and, but for the number of games,
        shapes. They cannot be written to.

    Raises:
        InvalidFile: damaged, of another game, version or config, or there are other arrays.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check_head(archive, head)
            _check_names(archive, like)
            members = {name: _look(archive, name) for name in like}
            games = math.prod(members["seat"].shape)
            for name, array in like.items():
                due = array.dtype, (games, *array.shape[1:])
                if members[name][:2] != due:
                    raise InvalidFile(f"array {name!r} is of a wrong shape or dtype")
            return {name: _take(archive, name, member) for name, member in members.items()}
    except InvalidFile:
        raise
    except Exception as error:  # noqa: BLE001, over damaged bytes they raise nearly anything
        why = type(error).__name__
        raise InvalidFile(f"not a saved state, or damaged ({why})") from None


def _check_head(archive: zipfile.ZipFile, wanted: Head) -> None:
    """Refuse the states of other games, versions and configs."""
    member = _look(archive, _HEAD)
    most = len(_head_text(wanted)) + _MORE
    if member.dtype != np.uint8 or math.prod(member.shape) > most:
        raise InvalidFile("not a saved state")
    found = json.loads(_take(archive, _HEAD, member).tobytes())
    if found != wanted:
        raise InvalidFile(_difference(found, wanted))


def _check_names(archive: zipfile.ZipFile, like: Mapping[str, Any]) -> None:
    """Refuse an archive that holds more or less than the head and some arrays, each once."""
    found = sorted(info.filename for info in archive.infolist())
    due = sorted(f"{name}.npy" for name in (_HEAD, *like))
    for name in due:
        if name not in found:
            raise InvalidFile(f"{name} is missing")
    for name in found:
        if name not in due:
            raise InvalidFile(f"{name!r:.60} is no part of a saved state")
    if len(found) > len(due):
        raise InvalidFile("a part of it is there twice")


def _look(archive: zipfile.ZipFile, name: str) -> _Member:
    """Read what an array says of itself; refuse one that is compressed or not as long as it says.

    Raises:
        InvalidFile: it is.
        Exception: it is no array.
    """
    info = archive.getinfo(f"{name}.npy")
    if info.compress_type != zipfile.ZIP_STORED:
        raise InvalidFile(f"array {name!r} is compressed")
    with archive.open(info) as file:
        shape, by_columns, dtype = _read_header(file)
        member = _Member(dtype, shape, by_columns, file.tell())
    if member.start + math.prod(shape) * dtype.itemsize != info.file_size:
        raise InvalidFile(f"array {name!r} is not as long as it says")
    return member


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read the header of an npy file of format 1.0, the one that arrays of numbers have."""
    if npy.read_magic(file) != (1, 0):
        raise ValueError("another format")
    header: tuple[tuple[int, ...], bool, np.dtype[Any]] = npy.read_array_header_1_0(file)
    return header


def _take(archive: zipfile.ZipFile, name: str, member: _Member) -> NDArray[Any]:
    """Read an array that has been looked at; its checksum is compared."""
    data = np.frombuffer(archive.read(f"{name}.npy"), member.dtype, offset=member.start)
    return data.reshape(member.shape, order="F" if member.by_columns else "C")


def _head_text(head: Head) -> bytes:
    """Write a head as JSON."""
    return json.dumps(head).encode()


def _difference(found: Any, wanted: Head) -> str:
    """Say in what the head of a saved state differs from the one wanted."""
    if not isinstance(found, dict) or found.keys() != wanted.keys():
        return "not a saved state"
    for key in ("game", "version"):
        if found[key] != wanted[key]:
            return f"a state of {key} {found[key]!r:.60}, not {wanted[key]!r}"
    config, due = found["config"], wanted["config"]
    if not isinstance(config, dict) or config.keys() != due.keys():
        return "a state of a game with other options"
    return f"a state of another config: {differing(config, due)}"
