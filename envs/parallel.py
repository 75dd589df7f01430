"""The parallel face: a PettingZoo environment in which all pending seats choose at once."""

from collections.abc import Mapping
from typing import Any, SupportsIndex

import numpy as np
from pettingzoo import ParallelEnv

from chromazoo.envs.episodes import truncated
from chromazoo.envs.errors import ChromazooError, InvalidConfig
from chromazoo.envs.face import Face, checked_action
from chromazoo.envs.game import Game
from chromazoo.envs.spaces import Seen

Infos = dict[str, dict[str, Any]]


class ParallelFace(Face, ParallelEnv[str, dict[str, Any], Any]):
    """A game with simultaneous decisions as a PettingZoo `ParallelEnv`; see `Face`.

    One step takes one choice of every seat that is pending. All seats stay in `agents` to the end.
    A seat that is not pending has a mask of zeros; what it sends, or does not send, is ignored.
    Choices count as decisions one by one in seat order, as in the AEC face: a game that reaches
    `max_plies` amid a step is truncated there.
    """

    def __init__(
        self, game: Game[Any], render_mode: str | None = None, max_plies: int | None = None
    ) -> None:
        """Lay out a game that `reset` begins; see `Face`.

        Args:
            game: The rules.
            render_mode: `human`, `ansi`, `rgb_array` or None.
            max_plies: Decisions after which an unfinished game is truncated, None for never.

        Raises:
            InvalidConfig: the game has no simultaneous decisions, an unknown render mode, or a
                limit below 1.
        """
        super().__init__(game, render_mode, max_plies)
        if not game.simultaneous:
            raise InvalidConfig(f"{game.id} has no simultaneous decisions: use env()")
        self.metadata["is_parallelizable"] = True

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], Infos]:
        """Begin a game.

        Args:
            seed: As for `AECFace.reset`.
            options: As for `AECFace.reset`.

        Returns:
            What each seat sees, and an empty dict for each.

        Raises:
            ChromazooError: both options at once, or an unknown one.
            InvalidPosition: the position is not one of this game.
            InvalidSetup: the set-up does not fit the game.
        """
        self._begin(seed, options)
        self._draw_for_human()
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, SupportsIndex | None]
    ) -> tuple[dict[str, Seen], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Take the choices of all pending seats.

        Args:
            actions: Seat -> the index of a legal action.

        Returns:
            Observations, rewards, terminations, truncations and infos by seat; five empty dicts
            once `agents` is empty.

        Raises:
            IllegalAction: an action is not legal. Nothing has changed.
            ChromazooError: a pending seat sent no action, or the actions are no mapping (nothing
                has changed), or there was no `reset`.
            InvalidArgument: an action is not an integer. Nothing has changed.
        """
        state = self._playing.copy()
        if not self.agents:
            return {}, {}, {}, {}, {}
        if not isinstance(actions, Mapping):
            raise ChromazooError(f"actions: a mapping of seats to actions, not {actions!r:.60}")
        for seat in np.flatnonzero(state.pending[0]):
            if truncated(state, self.max_plies)[0]:
                break
            choice = actions.get(self.possible_agents[seat])
            if choice is None:
                raise ChromazooError(f"player_{seat} owes a decision: actions has none of it")
            index = checked_action(self.game, int(seat), choice)
            self.game.step(state, [index], np.array([seat]))
        self._state = state
        self._draw_for_human()
        over, broken_off = self._ended
        told = self.agents
        if over or broken_off:
            self.agents = []
        return (
            self._observations(),
            self._rewards,
            dict.fromkeys(told, over),
            dict.fromkeys(told, broken_off),
            {agent: {} for agent in told},
        )

    def _observations(self) -> dict[str, Seen]:
        """Tell what each seat sees; it has a mask where it is pending."""
        deciding = not any(self._ended)
        return {
            agent: self._look(seat, deciding) for seat, agent in enumerate(self.possible_agents)
        }
