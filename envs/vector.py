"""The batched AEC face: many games at once, in each of which one seat decides at a time."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Discrete, MultiDiscrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from chromazoo.envs.episodes import EpisodeSeeds, checked_max_plies, checked_options, truncated
from chromazoo.envs.errors import ChromazooError, InvalidArgument, InvalidConfig
from chromazoo.envs.face import (
    Frame,
    checked_render_mode,
    describe_face,
    show,
    told_settings,
)
from chromazoo.envs.game import Game
from chromazoo.envs.options import call_text
from chromazoo.envs.spaces import Seen, action_space, look, observation_space
from chromazoo.envs.state import State
from chromazoo.envs.svg import Picture

AUTORESET_MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED)


class VectorFace:
    """B games of N seats as one batched AEC environment; row = game, seats are integers.

    There are no dead steps. On a finished row `agent_selection` stays at the seat that moved last,
    and the row shows its terminal state and all seats' rewards until the next `step`. That step
    ignores the row's action and deals a new game (`NEXT_STEP`), or leaves the row as it is, with
    rewards 0, until `reset` (`DISABLED`). Over a game the sum of `rewards[row]` is that of the AEC
    face.

    Where a game's decisions are simultaneous, the seats that owe one choose in seat order, and none
    sees what an earlier one chose before the game reveals it.

    Attributes:
        game: The rules.
        num_envs: Number of games, B.
        metadata: `name`, `render_modes`, `is_parallelizable`, `autoreset_mode`.
        render_mode: `human`, `ansi`, `rgb_array` or None.
        max_plies: Decisions after which an unfinished game is truncated, None for never.
        autoreset_mode: What the step after a game's end does.
        single_observation_space: What a seat sees of one game: see `chromazoo.envs.spaces.Seen`.
        single_action_space: The actions of one game, `Discrete(A)`.
        agent_selection: int64 (B,), the seat to decide.
        rewards: float64 (B, N), the rewards of the last step.
        terminations: bool (B,), whether the game has ended by its rules.
        truncations: bool (B,), whether the game was broken off.
    """

    agent_selection: NDArray[np.int64]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        render_mode: str | None = None,
        max_plies: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        """Lay out games that `reset` begins.

        Args:
            game: The rules.
            num_envs: Number of games, B.
            render_mode: `ansi`: `render` returns a text; `rgb_array`: pixels; `human`: it prints
                the text.
            max_plies: Decisions after which an unfinished game is truncated, None for never.
            autoreset_mode: `AutoresetMode.NEXT_STEP` or `DISABLED`, or its name or value.

        Raises:
            InvalidConfig: one of the arguments is none of these.
        """
        self.game = game
        self.num_envs = checked_num_envs(num_envs)
        self.render_mode = checked_render_mode(render_mode)
        self.max_plies = checked_max_plies(max_plies)
        self.autoreset_mode = checked_autoreset_mode(autoreset_mode, AUTORESET_MODES)
        self.metadata = describe_face(game) | {
            "is_parallelizable": False,
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_observation_space: Dict = observation_space(game)
        self.single_action_space: Discrete = action_space(game)
        self._seeds = EpisodeSeeds(num_envs)
        self._rows = np.arange(num_envs)
        self._stand_in = game.deal(0)
        self._stand_in_action = game.packing.select(
            game.legal(self._stand_in), np.zeros(1, np.int64)
        )
        self._state: State | None = None

    def __repr__(self) -> str:
        """Return the expression that makes this environment; defaults are left out."""
        told = told_settings(self.render_mode, self.max_plies, self.autoreset_mode)
        return call_text(type(self).__name__, self.game, self.num_envs, **told)

    @cached_property
    def observation_space(self) -> Dict:
        """What `last()` gives: `observation` uint8 (B, F), `action_mask` int8 (B, A)."""
        space = batch_space(self.single_observation_space, self.num_envs)
        assert isinstance(space, Dict)
        return space

    @cached_property
    def action_space(self) -> MultiDiscrete:
        """What `step` takes: B action indices."""
        return MultiDiscrete(np.full(self.num_envs, self.game.num_actions))

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin new games.

        Args:
            seed: Row i gets the game of seed `seed + i`, taken modulo 2^64. Without it every row
                goes on to its next game, the n-th after row seed s being the one of seed
                `mix(s, n)`; if there never was a seed, one is drawn from the system's entropy.
            options: `{"reset_mask": bool (B,)}` begins new games in those rows only; the others
                stay as they are.

        Raises:
            ChromazooError: an unknown option, a mask that is not one bool a row, or a mask at the
                first reset.
        """
        given = checked_options(options, ("reset_mask",))
        if given:
            mask = self._checked_reset_mask(given["reset_mask"])
            self._renew(np.flatnonzero(mask), seed)
            self._publish(self._seat, self._stale & ~mask)
        else:
            self._state = self.game.deal(self._seeds.following(self._rows, seed))
            self._publish(self._state.seat, np.zeros(self.num_envs, np.bool_))

    def step(self, actions: NDArray[np.integer] | Sequence[int]) -> None:
        """Take the decision of `agent_selection` in every game.

        Args:
            actions: (B,) indices of legal actions; those of finished rows are ignored.

        Raises:
            IllegalAction: an action is not legal; it names row and seat. Nothing has changed.
            InvalidArgument: not B integers.
            ChromazooError: there was no `reset`.
        """
        state = self._playing
        indices = checked_actions(actions, self.num_envs)
        done = self._done
        movers = np.where(done, self._seat, state.seat)
        self._advance(indices)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._renew(np.flatnonzero(done))
            done = np.zeros_like(done)
        self._publish(movers, done)

    def last(
        self, observe: bool = True
    ) -> tuple[
        Seen | None, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Tell how things stand for the seat to decide of each game.

        Args:
            observe: Whether to make observations and masks.

        Returns:
            What `agent_selection` sees (`observation` uint8 (B, F), `action_mask` int8 (B, A), all
            0 on finished rows; None if not asked for), its rewards since its last decision float64
            (B,), terminations bool (B,), truncations bool (B,), and an empty dict.

        Raises:
            ChromazooError: there was no `reset`.
        """
        state = self._playing
        seen = look(self.game, state, self._seat, ~self._done) if observe else None
        reward = self.rewards[self._rows, self._seat]
        return seen, reward, self.terminations, self.truncations, {}

    def render(self, row: int = 0) -> Frame | None:
        """Draw what all seats of one game may see.

        Args:
            row: Which game.

        Returns:
            The text (`ansi`), pixels uint8 (height, width, 3) (`rgb_array`), or None after printing
            the text (`human`).

        Raises:
            ChromazooError: there was no `reset`.
        """
        return show(self.game, self._playing, row, self.render_mode)

    def _repr_svg_(self) -> Picture | None:
        """Draw what all may see of the first games, for notebooks; None before `reset`."""
        return None if self._state is None else self.game.sheet(self._state, "public")

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    @property
    def _playing(self) -> State:
        """The games in play."""
        if self._state is None:
            raise ChromazooError("no games are in play: call reset() first")
        return self._state

    def _advance(self, actions: NDArray[np.integer]) -> None:
        """Take the decisions of the live rows; the whole batch stays as it is if one is illegal.

        Another game stands in for finished ones, so that the engine steps the batch as a whole.
        """
        state, finished = self._playing, np.flatnonzero(self._done)
        if not len(finished):
            self.game.step(state, actions)
            return
        ended = state.take(finished)
        state.put(finished, self._stand_in, 0 * finished)
        actions = np.where(self._done, self._stand_in_action, actions)
        try:
            self.game.step(state, actions)
        finally:
            state.put(finished, ended)

    def _renew(self, rows: NDArray[np.int64], seed: int | None = None) -> None:
        """Deal new games in some rows."""
        if len(rows):
            self._playing.put(rows, self.game.deal(self._seeds.following(rows, seed)))

    def _publish(self, movers: NDArray[np.integer], stale: NDArray[np.bool_]) -> None:
        """Tell how things stand.

        The arrays that users get are fresh, and nothing later depends on what they do with them.

        Args:
            movers: (B,), the seats that moved last.
            stale: bool (B,), rows that were finished before: their rewards have been told.
        """
        state = self._playing
        self.terminations = state.over.copy()
        self.truncations = truncated(state, self.max_plies)
        self.rewards = np.where(stale[:, None], 0.0, state.rewards)
        self.agent_selection = np.where(self.truncations, movers, state.seat).astype(np.int64)
        self._stale = stale
        self._seat = self.agent_selection.copy()
        self._done = self.terminations | self.truncations

    def _checked_reset_mask(self, mask: Any) -> NDArray[np.bool_]:
        """Refuse what is not one bool a row."""
        if self._state is None:
            raise ChromazooError("no games are in play: call reset() without a mask first")
        return checked_reset_mask(mask, self.num_envs)


def checked_reset_mask(mask: object, num_envs: int) -> NDArray[np.bool_]:
    """Refuse what is no `reset_mask` for so many games.

    Args:
        mask: What `options` has.
        num_envs: Number of games, B.

    Returns:
        bool (B,).

    Raises:
        ChromazooError: it is not one bool a game.
    """
    rows = np.asarray(mask)
    if rows.shape != (num_envs,) or rows.dtype != np.bool_:
        raise ChromazooError(f"reset: reset_mask has {num_envs} bools, one a game")
    return rows


def checked_actions(actions: object, num_envs: int) -> NDArray[np.integer]:
    """Refuse what are no actions for so many games.

    Args:
        actions: What `step` is given.
        num_envs: Number of games, B.

    Returns:
        Integers (B,).

    Raises:
        InvalidArgument: not one integer a game.
    """
    indices = np.asarray(actions)
    if indices.shape != (num_envs,) or indices.dtype.kind not in "iu":
        raise InvalidArgument(f"actions: {num_envs} integers needed, one a game")
    return indices


def checked_num_envs(num_envs: int) -> int:
    """Refuse numbers of games below 1.

    Args:
        num_envs: Number of games.

    Returns:
        The same.

    Raises:
        InvalidConfig: it is not a whole number of at least 1.
    """
    if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
        raise InvalidConfig(f"num_envs: a whole number of at least 1, not {num_envs!r:.60}")
    return num_envs


def checked_autoreset_mode(
    mode: AutoresetMode | str, offered: Sequence[AutoresetMode]
) -> AutoresetMode:
    """Refuse modes that are not on offer.

    Args:
        mode: A mode, or its name or value.
        offered: The modes on offer.

    Returns:
        The mode.

    Raises:
        InvalidConfig: it is none of them.
    """
    for known in offered:
        if mode is known or (isinstance(mode, str) and mode in (known.value, known.name)):
            return known
    names = " or ".join(known.name for known in offered)
    raise InvalidConfig(f"autoreset_mode: {names}, not {mode!r:.60}")
