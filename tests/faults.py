"""Whether a check finds a fault that was planted for it."""

from collections.abc import Callable


def fails(
    check: Callable[[], object], found_by: tuple[type[BaseException], ...] = (AssertionError,)
) -> bool:
    """Tell whether a check raises what tells of a fault; other exceptions go through."""
    try:
        check()
    except found_by:
        return True
    return False
