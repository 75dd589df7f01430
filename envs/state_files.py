"""State files: npz files of the arrays of a state, beside a head that says of which game it is.

A file may be a stranger's. Its arrays are stored as they are, so none of it is unpacked; the head
is looked at first, then what the arrays say of themselves, and only then what is in them. Whether
the games contradict the rules is asked elsewhere (`validity.py`).
"""

import json
import math
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.npz import look, npz, open_npz, take
from chromazoo.envs.options import differing

Head = Mapping[str, Any]
"""Of which game a state is: its name as `game`, its `version`, and its options as `config`."""

_HEAD = "chromazoo"
_MORE = 2**16  # bytes by which the head of another config may be longer


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
        with open_npz(content) as archive:
            _check_head(archive, head)
            _check_names(archive, like)
            members = {name: look(archive, name) for name in like}
            games = math.prod(members["seat"].shape)
            for name, array in like.items():
                due = array.dtype, (games, *array.shape[1:])
                if members[name][:2] != due:
                    raise InvalidFile(f"array {name!r} is of a wrong shape or dtype")
            return {name: take(archive, name, member) for name, member in members.items()}
    except InvalidFile:
        raise
    except Exception as error:  # noqa: BLE001, over damaged bytes they raise nearly anything
        why = type(error).__name__
        raise InvalidFile(f"not a saved state, or damaged ({why})") from None


def _check_head(archive: zipfile.ZipFile, wanted: Head) -> None:
    """Refuse the states of other games, versions and configs."""
    member = look(archive, _HEAD)
    most = len(_head_text(wanted)) + _MORE
    if member.dtype != np.uint8 or math.prod(member.shape) > most:
        raise InvalidFile("not a saved state")
    found = json.loads(take(archive, _HEAD, member).tobytes())
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
