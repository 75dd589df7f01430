"""Episodes: from which seed a game begins, from what it begins, and when it is broken off.

A row of a batch, or an environment, plays one game after the other. The first has the seed of the
row, s; the n-th after it has the seed `mix(s, n)`, whichever face deals it.
"""

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import (
    ChromazooError,
    InvalidArgument,
    InvalidConfig,
    InvalidPosition,
    InvalidSetup,
)
from chromazoo.envs.game import Game, S
from chromazoo.envs.randomness import Stream, as_seeds, mix
from chromazoo.envs.state import State

RESET_OPTIONS = ("position", "setup")


def episode_seeds(first: Stream, number: NDArray[np.uint64]) -> Stream:
    """Tell the seeds of games by the seeds of their rows.

    Args:
        first: uint64 (n,), the seeds of the rows' first games.
        number: uint64 (n,), how many games of the row come before; 0 is the first one.

    Returns:
        uint64 (n,).

    >>> first, number = as_seeds([7, 7]), np.array([0, 2], np.uint64)
    >>> episode_seeds(first, number).tolist() == [7, *mix(first[1:], 2).tolist()]
    True
    """
    return np.where(number == 0, first, mix(first, number))


def check_seed(seed: object) -> None:
    """Refuse what is no seed of `reset`, which None is.

    Raises:
        InvalidArgument: it is no whole number.
    """
    if seed is not None and not isinstance(seed, (int, np.integer)):
        raise InvalidArgument(f"reset: a seed is one whole number, not {seed!r:.60}")


class EpisodeSeeds:
    """The seeds of the games that B rows play one after the other.

    >>> seeds = EpisodeSeeds(2)
    >>> rows = np.arange(2)
    >>> seeds.following(rows, seed=7).tolist()
    [7, 8]
    >>> seeds.following(rows[1:]).tolist() == mix(as_seeds(8), 1).tolist()
    True
    """

    def __init__(self, num_rows: int) -> None:
        """Begin without seeds.

        Args:
            num_rows: Number of rows, B.
        """
        self._first = np.zeros(num_rows, np.uint64)
        self._count = np.zeros(num_rows, np.uint64)  # games after the first
        self._sown = False

    def following(self, rows: NDArray[np.int64], seed: int | None = None) -> Stream:
        """Move some rows on to their next games.

        Args:
            rows: int64 (n,), which rows.
            seed: Row i begins anew with the seed `seed + i`, taken modulo 2^64. If not given, each
                row goes on to its next game; rows that never had a seed draw one from the system's
                entropy.

        Returns:
            uint64 (n,), the seeds of these games.

        Raises:
            InvalidArgument: the seed is no whole number.
        """
        check_seed(seed)
        if seed is None and not self._sown:
            seed = secrets.randbits(64)
            self.following(np.arange(len(self._first)), seed)
        elif seed is None:
            self._count[rows] += np.uint64(1)
            return episode_seeds(self._first[rows], self._count[rows])
        self._first[rows] = as_seeds(seed) + rows.astype(np.uint64)
        self._count[rows] = 0
        self._sown = True
        return self._first[rows]


def begin(game: Game[S], seeds: Stream, options: Mapping[str, Any] | None) -> S:
    """Begin one game as the options of `reset` say.

    Args:
        game: The rules.
        seeds: uint64 (1,), the game's seed.
        options: `position` (a text in the game's notation) or `setup` (as in a record); a fresh
            deal if neither is given.

    Returns:
        A state of one game.

    Raises:
        ChromazooError: an unknown key, both, or no mapping.
        InvalidPosition: the position is not one.
        InvalidSetup: the set-up does not fit the game.
    """
    given = checked_options(options, RESET_OPTIONS)
    if len(given) > 1:
        raise ChromazooError("reset: options has a position or a setup, not both")
    if "position" in given:
        if not isinstance(given["position"], str):
            raise InvalidPosition(f"reset: a position is a text, not {given['position']!r}")
        return game.from_position([given["position"]], seeds)
    if "setup" in given:
        if not isinstance(given["setup"], Mapping):
            raise InvalidSetup(f"reset: a setup is a mapping, not {given['setup']!r}")
        return game.from_setup([given["setup"]], seeds)
    return game.deal(seeds)


def checked_options(options: Mapping[str, Any] | None, known: tuple[str, ...]) -> dict[str, Any]:
    """Refuse options of `reset` that do not exist.

    Args:
        options: What was given. A key `options` is passed over: PettingZoo's `api_test` sends it.
        known: The keys that exist.

    Returns:
        The options, without that key.

    Raises:
        ChromazooError: a key is not known, or the options are no mapping.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ChromazooError(f"reset: options are a mapping, not {options!r:.60}")
    given = {key: value for key, value in (options or {}).items() if key != "options"}
    for key in given:
        if key not in known:
            raise ChromazooError(f"reset: no option {key!r}; there is {' or '.join(known)}")
    return given


def checked_max_plies(max_plies: int | None) -> int | None:
    """Refuse a limit below 1.

    Args:
        max_plies: Decisions after which a game is truncated, None for never.

    Returns:
        The same.

    Raises:
        InvalidConfig: it is not a whole number of at least 1.
    """
    if max_plies is None:
        return None
    if isinstance(max_plies, bool) or not isinstance(max_plies, int) or max_plies < 1:
        raise InvalidConfig(f"max_plies: a whole number of at least 1, not {max_plies!r}")
    return max_plies


def truncated(state: State, max_plies: int | None) -> NDArray[np.bool_]:
    """Tell which games are broken off.

    Args:
        state: B games.
        max_plies: Decisions after which an unfinished game is truncated, None for never.

    Returns:
        bool (B,); never true of a game that has ended by its rules.
    """
    if max_plies is None:
        return np.zeros(len(state), np.bool_)
    return ~state.over & (state.plies >= max_plies)
