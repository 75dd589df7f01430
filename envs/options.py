"""Options of games: the checks that configs share, and how a command line writes them."""

import json

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


def check_whole(name: str, value: object, low: int, high: int) -> None:
    """Refuse a value that is not a whole number in a range.

    Args:
        name: What the option is called in the error.
        value: What was given; a bool is no number.
        low: The lowest that is allowed.
        high: The highest.

    Raises:
        InvalidConfig: it is not.
    """
    if type(value) is not int or not low <= value <= high:
        raise InvalidConfig(f"{name} is a whole number from {low} to {high}, not {value!r:.80}")


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
