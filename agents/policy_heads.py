"""What policy files say of themselves; reading it needs neither torch nor safetensors.

A policy file is a safetensors file with some JSON in its header, the head. It may be a stranger's:
no more of it is read than a policy can have, and no more of its head is believed than is checked.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chromazoo.envs.errors import InvalidConfig, InvalidFile
from chromazoo.envs.files import read_file
from chromazoo.envs.game import Game

FORMAT = "chromazoo-policy/1"
POLICY_FILE = "policy.safetensors"
"""How the policy is called in the folder of a training run or of a checkpoint."""
HEADER = "chromazoo"
"""Under which name the head is in the header's metadata."""
LARGEST = 2**27
"""The length of the longest policy file, in bytes; the largest network needs half of it."""

Head = dict[str, Any]

_LONGEST_HEADER = 2**20
_DEEPEST = 12  # levels of lists and mappings in a head
_HIGHEST = 2**63 - 1  # of versions and steps
_ENTRIES = {
    "format": str, "game": str, "version": int, "digest": str, "config": dict,
    "architecture": dict, "steps": int, "sha256": str, "training": dict,
}  # fmt: skip


def read_policy(path: Path) -> bytes:
    """Read a policy file, whatever it may be.

    Args:
        path: The file. Pipes and devices are refused: they may have no end, or never begin.

    Returns:
        Its bytes.

    Raises:
        InvalidFile: it cannot be read, is no file, or is too long for a policy.
    """
    try:
        return read_file(path, LARGEST)
    except InvalidFile as error:
        raise InvalidFile(f"{error}: not a policy file") from None
    except (OSError, ValueError) as error:  # a ValueError where the name holds a null byte
        reason = getattr(error, "strerror", None) or error
        raise InvalidFile(f"{path}: cannot be read ({reason})") from None


def policy_head(content: bytes, name: str = "policy") -> Head:
    """Read what a policy file says of itself.

    Args:
        content: The bytes of the file.
        name: What to call it in errors.

    Returns:
        `format`, `game`, `version`, `digest`, `config`, `architecture`, `steps`, `sha256` and
        `training`, all of the right types. Whether they are true is not asked.

    Raises:
        InvalidFile: damaged, or no policy.
    """
    try:
        head = _parsed(_parsed(_header(content))["__metadata__"][HEADER])
        if head["format"] != FORMAT:
            raise ValueError(f"its format is {head['format']!r:.80}, not {FORMAT!r}")
        head.setdefault("training", {})
        for entry, kind in _ENTRIES.items():
            if type(head[entry]) is not kind:
                raise ValueError(f"its {entry} is {head[entry]!r:.80}")
        for entry in ("version", "steps"):
            if not 0 <= head[entry] <= _HIGHEST:
                raise ValueError(f"its {entry} is out of range")
    except KeyError as error:
        raise InvalidFile(f"{name}: not a policy file, or damaged (no {error})") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidFile(f"{name}: not a policy file, or damaged ({error!s:.200})") from None
    found: Head = head
    return found


def trained_config(game: Game[Any], head: Mapping[str, Any], name: str = "policy") -> Any:
    """Make the config for which a policy was trained.

    Args:
        game: Any config of its game.
        head: What it says of itself.
        name: What to call it in errors.

    Returns:
        The config; options that the head does not name have their defaults.

    Raises:
        InvalidFile: the game has no such config.
    """
    options = head["config"]
    try:
        unknown = sorted(options.keys() - game.options.keys())
        if unknown:
            raise InvalidConfig(f"no option {unknown[0]!r:.80}")
        return game.config_type(**options)
    except InvalidConfig as error:
        raise InvalidFile(f"{name}: its config is none of {game.id} ({error!s:.200})") from None


def _header(content: bytes) -> bytes:
    """Cut the header of a safetensors file out: its length, in eight bytes, comes before it."""
    length = int.from_bytes(content[:8], "little")
    if length > _LONGEST_HEADER:
        raise ValueError(f"a header of {length} bytes, and a policy has at most {_LONGEST_HEADER}")
    if len(content) < 8 + length:
        raise ValueError("it ends within its header")
    return content[8 : 8 + length]


def _parsed(text: bytes | str) -> Any:
    """Read JSON strictly: UTF-8, every name once, all numbers finite, and not too deep."""
    value = json.loads(
        str(text, "utf-8") if isinstance(text, bytes) else text,
        object_pairs_hook=_mapping,
        parse_float=_finite,
        parse_constant=_finite,
    )
    if not _is_shallow(value, _DEEPEST):
        raise ValueError(f"lists and mappings within each other, more than {_DEEPEST} levels")
    return value


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a mapping of names and values, each name once."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice")
    return found


def _finite(text: str) -> float:
    """Read a number; Python's JSON has infinities and more."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text:.20} is no finite number")
    return value


def _is_shallow(value: object, levels: int) -> bool:
    """Tell whether lists and mappings are nested in no more than some levels."""
    if not isinstance(value, (list, dict)):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(entry, levels - 1) for entry in inner)
