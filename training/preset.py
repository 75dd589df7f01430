"""The presets that ship with the package: settings of training runs by game and name, in TOML."""

import tomllib
from pathlib import Path
from typing import Any

from chromazoo.envs.errors import InvalidFile, UnknownName
from chromazoo.envs.files import read_file

PRESETS = Path(__file__).parent / "presets"
LONGEST = 2**24
"""How many bytes a file of settings may have, TOML or JSON."""


def preset_names(game: str) -> list[str]:
    """List the presets of a game.

    Args:
        game: The game's name.

    Returns:
        Their names in alphabetical order; none for a game without presets.

    >>> preset_names("kroma")
    ['baseline', 'baseline-baby', 'baseline-standard', 'demo']
    """
    return sorted(path.stem for path in PRESETS.glob("*/*.toml") if path.parent.name == game)


def load_preset(game: str, name: str) -> dict[str, Any]:
    """Read a preset.

    Args:
        game: The game's name.
        name: A name in `preset_names`, or the path of a TOML file, which ends in `.toml`.

    Returns:
        What `Settings.from_dict` takes.

    Raises:
        UnknownName: the game has no such preset.
        InvalidFile: the file cannot be read, is too long, or is no TOML.
    """
    path = Path(name) if name.endswith(".toml") else PRESETS / game / f"{name}.toml"
    known = preset_names(game)
    if not name.endswith(".toml") and name not in known:
        there_are = f"its presets are {', '.join(known)}" if known else "it has none"
        raise UnknownName(f"no preset {name!r} for {game}; {there_are}")
    try:
        return tomllib.loads(read_file(path, LONGEST).decode())
    except InvalidFile:
        raise
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read ({error.strerror or error})") from None
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{path}: not a preset ({error})") from None
