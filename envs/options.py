"""Options of games: the checks that configs share, and how they are written."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from chromazoo.envs.errors import InvalidConfig


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse a value that is not one of some texts.

    Args:
        name: What the option is called in the error.
        value: What was given.
        choices: The texts.

    Raises:
        InvalidConfig: it is none of them.
    """
    if not isinstance(value, str) or value not in choices:
        raise InvalidConfig(f"{name} is one of {', '.join(choices)}, not {value!r:.80}")


def check_whole(config: object, game: str, name: str, low: int, high: int) -> None:
    """Refuse an option that is not a whole number in a range; make an `int` of numpy's integers.

    Args:
        config: The config, which is being made.
        game: What the game is called in the error.
        name: The option; a bool is no number.
        low: The lowest that is allowed.
        high: The highest.

    Raises:
        InvalidConfig: it is not.
    """
    value = getattr(config, name)
    if isinstance(value, np.integer):
        value = int(value)
        object.__setattr__(config, name, value)
    if type(value) is not int or not low <= value <= high:
        raise InvalidConfig(
            f"{game}: {name} is a whole number from {low} to {high}, not {value!r:.80}"
        )


def told_options(config_type: Callable[..., object], options: dict[str, Any]) -> dict[str, Any]:
    """Leave out the options that need not be told: without them the config is the same.

    Args:
        config_type: What makes a config of options.
        options: All options of one.

    Returns:
        Those that differ from the defaults, in the same order.

    >>> told_options(lambda size=1, shape="round": (size, shape), {"size": 2, "shape": "round"})
    {'size': 2}
    """
    config, told = config_type(**options), options
    for name in options:
        rest = {other: value for other, value in told.items() if other != name}
        try:
            same = config_type(**rest) == config
        except InvalidConfig:  # the others do not fit the default
            same = False
        told = rest if same else told
    return told


def differing(found: Mapping[str, Any], due: Mapping[str, Any]) -> str:
    """Say in which options a config differs from the one that is due.

    >>> differing({"size": 2, "shape": "round"}, {"size": 3, "shape": "round"})
    'size is 2, not 3'
    """
    apart = (name for name in due if found[name] != due[name])
    return "; ".join(f"{name} is {found[name]!r:.60}, not {due[name]!r:.60}" for name in apart)


def call_text(name: str, *arguments: object, **named: object) -> str:
    """Write a call as an expression.

    >>> call_text("Env", 3, render_mode="ansi")
    "Env(3, render_mode='ansi')"
    """
    parts = [repr(value) for value in arguments]
    parts += [f"{key}={value!r}" for key, value in named.items()]
    return f"{name}({', '.join(parts)})"


def option_text(value: object) -> str:
    """Write the value of an option as `--set` reads it.

    Args:
        value: The value, of JSON types.

    Returns:
        A text as it is, all else as JSON.

    >>> [option_text(value) for value in ("baby", 2, False, None, [1, 2])]
    ['baby', '2', 'false', 'null', '[1,2]']
    """
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
