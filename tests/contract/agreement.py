"""What is compared of every game with its reference or its records."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.game import Game
from chromazoo.envs.state import State

TOLERANCE = 1e-9  # of rewards in records


def legal_texts(game: Game[Any], state: State, row: int, seat: int | None = None) -> list[str]:
    """The texts of a seat's legal moves in the engine, sorted by code point.

    Args:
        game: The rules.
        state: The games.
        row: Which of them.
        seat: By default the seat to decide.
    """
    seats = None if seat is None else np.array([seat])
    actions = np.flatnonzero(game.action_mask(state.take([row]), seats)[0])
    return sorted(game.move_text(state, row, int(action), seat) for action in actions)


def assert_same_result(
    found: dict[str, Any], expected: dict[str, Any], tolerance: float = TOLERANCE
) -> None:
    """Two results are the same, their rewards within the tolerance of records."""
    assert np.allclose(found["rewards"], expected["rewards"], rtol=0, atol=tolerance)
    assert {**found, "rewards": None} == {**expected, "rewards": None}


def assert_fields(
    game: Game[Any], found: NDArray[np.uint8], expected: dict[str, NDArray[np.int64]], where: str
) -> None:
    """An observation has these fields, in this order, entries cut off at their highest values.

    Fails by the name of the field that differs.
    """
    assert list(expected) == [field.name for field in game.fields]
    wanted = np.concatenate([values.ravel() for values in expected.values()])
    if np.array_equal(found, np.minimum(wanted, game.fields.high)):
        return
    for field in game.fields:
        given, values = game.fields.get(found, field.name), expected[field.name]
        clipped = np.minimum(values, field.high)
        assert np.array_equal(given, clipped), f"{where}: {field.name}\n{given}\n{clipped}"
    raise AssertionError(f"{where}: fields have other sizes")
