"""What the AEC and the parallel face share: one game, its spaces, its episodes, its drawing."""

import operator
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, SupportsIndex

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Space
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from chromazoo.envs.episodes import EpisodeSeeds, begin, checked_max_plies, truncated
from chromazoo.envs.errors import (
    ChromazooError,
    IllegalAction,
    InvalidArgument,
    InvalidRenderMode,
)
from chromazoo.envs.game import Game
from chromazoo.envs.options import call_text
from chromazoo.envs.pixels import demand_pixels, rgb
from chromazoo.envs.spaces import Seen, action_space, observation_space, state_space
from chromazoo.envs.state import State
from chromazoo.envs.svg import Picture

RENDER_MODES = ("human", "ansi", "rgb_array")
Frame = str | NDArray[np.uint8]
"""What `render` returns of a game: a text, or pixels (height, width, 3)."""
_ROW = np.zeros(1, np.int64)


def checked_render_mode(render_mode: str | None) -> str | None:
    """Refuse unknown render modes, and pixels where the extra `draw` is not installed.

    Args:
        render_mode: `human`, `ansi`, `rgb_array` or None.

    Returns:
        The same.

    Raises:
        InvalidRenderMode: it is none of them, or a package is missing.
    """
    if render_mode is not None:
        known = isinstance(render_mode, str) and render_mode in RENDER_MODES
        if not known:
            modes = f"{', '.join(RENDER_MODES[:-1])} or {RENDER_MODES[-1]}"
            raise InvalidRenderMode(f"render_mode: {modes}, not {render_mode!r:.60}")
        if render_mode == "rgb_array":
            demand_pixels()
    return render_mode


def describe_face(game: Game[Any]) -> dict[str, Any]:
    """Return the entries of `metadata` that every face has: `name` and `render_modes`."""
    return {"name": f"{game.id}_v{game.version}", "render_modes": list(RENDER_MODES)}


def told_settings(
    render_mode: str | None,
    max_plies: int | None,
    autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
) -> dict[str, Any]:
    """Return those of the settings that faces have which are not their defaults."""
    settings: dict[str, Any] = {"render_mode": render_mode, "max_plies": max_plies}
    if autoreset_mode is not AutoresetMode.NEXT_STEP:
        settings["autoreset_mode"] = autoreset_mode.name
    return {name: value for name, value in settings.items() if value is not None}


def show(game: Game[Any], state: State, row: int, render_mode: str | None) -> Frame | None:
    """Answer a call of `render`: draw what all seats may see.

    Args:
        game: The rules.
        state: B games.
        row: Which of them.
        render_mode: How.

    Returns:
        The text (`ansi`), pixels uint8 (height, width, 3) (`rgb_array`), or None after printing the
        text (`human`), or with a warning where there is no mode.
    """
    if render_mode is None:
        modes = ", ".join(RENDER_MODES)
        logger.warn(f"render() does nothing: the environment has no render_mode, one of {modes}")
        return None
    if render_mode == "rgb_array":
        return rgb(game.svg(state, row, "public"))
    text = game.text(state, row)
    if render_mode == "human":
        print(text)
        return None
    return text


def checked_action(game: Game[Any], seat: int, action: SupportsIndex) -> int:
    """Return an action as an index; refuse what is none.

    Args:
        game: The rules.
        seat: Whose action it is.
        action: Anything.

    Raises:
        IllegalAction: it is out of range.
        InvalidArgument: it is not an integer.
    """
    try:
        index = operator.index(action)
    except TypeError:
        raise InvalidArgument(
            f"player_{seat}: an action is one integer, not {action!r:.60}"
        ) from None
    if not 0 <= index < game.num_actions:
        raise IllegalAction(0, seat, index, f"actions go from 0 to {game.num_actions - 1}")
    return index


class Face:
    """One game of N seats, named `player_0` ... in seat order, and what its seats see.

    Attributes:
        game: The rules.
        metadata: `name`, `render_modes`, `is_parallelizable`.
        render_mode: `human`, `ansi`, `rgb_array` or None.
        max_plies: Decisions after which an unfinished game is truncated, None for never.
        possible_agents: The names of all seats, in seat order.
        agents: Those in play.
        observation_spaces: Name -> the space of what that seat sees; see `chromazoo.envs.spaces`.
        action_spaces: Name -> the space of its actions, `Discrete(A)`.
        state_space: The space of `state()`, `Box` uint8 (N * F,).
    """

    def __init__(
        self, game: Game[Any], render_mode: str | None = None, max_plies: int | None = None
    ) -> None:
        """Lay out a game that `reset` begins.

        Args:
            game: The rules.
            render_mode: `ansi`: `render` returns a text; `rgb_array`: it returns pixels; `human`:
                every `reset` and `step` prints the text.
            max_plies: Decisions after which an unfinished game is truncated, None for never.

        Raises:
            InvalidConfig: an unknown render mode, pixels without the extra `draw`, or a limit
                below 1.
        """
        super().__init__()
        self.game = game
        self.metadata: dict[str, Any] = describe_face(game) | {"is_parallelizable": False}
        self.render_mode = checked_render_mode(render_mode)
        self.max_plies = checked_max_plies(max_plies)
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_seats)]
        self.agents: list[str] = []
        self.observation_spaces: dict[str, Space[dict[str, Any]]] = {
            name: observation_space(game) for name in self.possible_agents
        }
        self.action_spaces: dict[str, Space[Any]] = {
            name: action_space(game) for name in self.possible_agents
        }
        self.state_space: Box = state_space(game)
        self._seeds = EpisodeSeeds(1)
        self._state: State | None = None

    def __repr__(self) -> str:
        """Return the expression that makes this environment; defaults are left out."""
        told = told_settings(self.render_mode, self.max_plies)
        return call_text(type(self).__name__, self.game, **told)

    def observation_space(self, agent: str) -> Space[dict[str, Any]]:
        """Return the space of what an agent sees, the same object at every call."""
        self._seat_of(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's actions, the same object at every call."""
        self._seat_of(agent)
        return self.action_spaces[agent]

    def state(self) -> NDArray[np.uint8]:
        """Tell what all seats together know, for centralised critics.

        Returns:
            uint8 (N * F,), the observations of all seats, in seat order.
        """
        seats = np.arange(self.game.num_seats)
        return self.game.observe(self._playing.take(0 * seats), seats).ravel()

    def render(self) -> Frame | None:
        """Draw what all seats may see.

        Returns:
            The text (`ansi`), pixels uint8 (height, width, 3), of the same size all the time
            (`rgb_array`), or None after printing the text (`human`).
        """
        return show(self.game, self._playing, 0, self.render_mode)

    def _repr_svg_(self) -> Picture | None:
        """Draw what all seats may see, for notebooks; None before the first `reset`."""
        return None if self._state is None else self.game.svg(self._state, seat="public")

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    @property
    def _playing(self) -> State:
        """The game in play: a state of one game."""
        if self._state is None:
            raise ChromazooError("no game is in play: call reset() first")
        return self._state

    @property
    def _ended(self) -> tuple[bool, bool]:
        """Whether the game is terminated and whether it is truncated."""
        state = self._playing
        over = bool(state.over[0])
        return over, not over and bool(truncated(state, self.max_plies)[0])

    @property
    def _rewards(self) -> dict[str, float]:
        """What each seat has got: zero until the game ends."""
        return dict(zip(self.possible_agents, self._playing.rewards[0].tolist(), strict=True))

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Put a new game in play, with all seats; the old one stays if the options are refused."""
        seeds = deepcopy(self._seeds)
        self._state = begin(self.game, seeds.following(_ROW, seed), options)
        self._seeds = seeds
        self.agents = self.possible_agents[:]

    def _draw_for_human(self) -> None:
        """Print the game if that is the render mode, as PettingZoo's own environments do."""
        if self.render_mode == "human":
            self.render()

    def _seat_of(self, agent: str) -> int:
        """Return the seat of an agent.

        Raises:
            InvalidArgument: there is no such agent.
        """
        if agent not in self.possible_agents:
            names = ", ".join(self.possible_agents)
            raise InvalidArgument(f"no agent {agent!r:.60}; the agents are {names}")
        return self.possible_agents.index(agent)

    def _look(self, seat: int, deciding: bool) -> Seen:
        """Tell what one seat sees: `observation` (F,), `action_mask` (A,)."""
        state = self._playing
        seats = None if seat == state.seat[0] else np.array([seat])  # none given: a shorter way
        if deciding:
            mask = self.game.action_mask(state, seats)[0].view(np.int8)
        else:
            mask = np.zeros(self.game.num_actions, np.int8)
        return {"observation": self.game.observe(state, seats)[0], "action_mask": mask}
