"""Choosing the best of the listed actions, evenly among equals."""

import numpy as np
from numpy.typing import NDArray


def best(
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    worth: NDArray[np.float64],
    draws: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Pick each game's best action, evenly among equals.

    Args:
        rows: int64 (moves,), the game of each move, ascending, none left out.
        actions: int64 (moves,), the moves.
        worth: float64 (moves,), what they are worth.
        draws: float64 (B,), a number from [0, 1) a game.

    Returns:
        int64 (B,), the chosen actions.

    >>> rows, actions = np.array([0, 0, 1, 1, 1]), np.array([7, 8, 4, 5, 6])
    >>> best(rows, actions, np.array([1.0, 2.0, 3.0, 0.0, 3.0]), np.array([0.9, 0.9])).tolist()
    [8, 6]
    """
    first = np.flatnonzero(np.diff(rows, prepend=-1))  # (games,), each game's first move
    chosen = worth == np.maximum.reduceat(worth, first)[rows]
    ties = np.cumsum(chosen)
    before = ties[first] - chosen[first]  # (games,), best moves of the games before
    number = np.add.reduceat(chosen, first, dtype=np.int64)
    wanted = before + (draws * number).astype(np.int64)
    picked: NDArray[np.int64] = actions[chosen][wanted]
    return picked
