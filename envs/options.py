"""Checks that the games' configs share."""

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
