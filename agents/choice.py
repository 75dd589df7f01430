"""Choosing the best of the listed actions, evenly among equals; how likely actions are."""

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, Decision
from chromazoo.envs.randomness import mix


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
    first, chosen = _equals(rows, worth)
    ties = np.cumsum(chosen)
    before: NDArray[np.int64] = ties[first] - chosen[first]  # best moves of the games before
    number = np.add.reduceat(chosen, first, dtype=np.int64)
    wanted = before + (draws * number).astype(np.int64)
    picked: NDArray[np.int64] = actions[chosen][wanted]
    return picked


def best_shares(
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    worth: NDArray[np.float64],
    num_actions: int,
) -> NDArray[np.float64]:
    """Tell how likely `best` picks each action.

    Args:
        rows: int64 (moves,), the game of each move, ascending, none left out.
        actions: int64 (moves,), the moves.
        worth: float64 (moves,), what they are worth.
        num_actions: Number of all actions, A.

    Returns:
        float64 (B, A).

    >>> rows, actions = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 2, 3])
    >>> best_shares(rows, actions, np.array([1.0, 2.0, 3.0, 0.0, 3.0]), 4).tolist()
    [[0.0, 1.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.5]]
    """
    first, chosen = _equals(rows, worth)
    shares = np.zeros((len(first), num_actions))
    shares[rows, actions] = chosen / np.add.reduceat(chosen, first, dtype=np.int64)[rows]
    return shares


def _equals(
    rows: NDArray[np.int64], worth: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find each game's first move, (games,), and which moves are worth most, (moves,)."""
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    return first, worth == np.maximum.reduceat(worth, first)[rows]


def frequencies(agent: Agent, decision: Decision, times: int) -> NDArray[np.float64]:
    """Estimate how likely an agent takes each action, by letting it decide many times.

    Args:
        agent: Who decides.
        decision: n decisions. Their streams stay as they are; each time has streams of its own.
        times: How often.

    Returns:
        float64 (n, A), how often it took each action, over the number of times: the standard error
        is 0.5 / sqrt(times) at most.
    """
    places = np.arange(len(decision.seats)).repeat(times)
    numbers = np.tile(np.arange(times, dtype=np.uint64), len(decision.seats))
    repeated = Decision(
        decision.game,
        decision.seats[places],
        decision.legal[places],
        mix(decision.stream[places], numbers),
        lambda: decision.observation[places],
        None if decision.states is None else decision.states.take(places),
    )
    shape = len(decision.seats), decision.game.num_actions
    counts = np.bincount(places * shape[1] + agent.act(repeated), minlength=shape[0] * shape[1])
    return counts.reshape(shape) / times
