"""Kroma, version 0: what users import.

Kroma is a board game of perfect information for two players. Its options, the same for every
function here, are told in `chromazoo.envs.kroma.config.Config` and in the game's README.

>>> env = env(size="basic", render_mode="ansi")
>>> env.reset(seed=7)
>>> observation, reward, termination, truncation, info = env.last()
>>> observation["observation"].shape == (env.unwrapped.game.num_features,)
True
>>> env.step(int(observation["action_mask"].argmax()))
>>> env.agent_selection
'player_1'
"""

from typing import Any

from gymnasium.vector import AutoresetMode

from chromazoo.envs.aec import AECFace, Env, make_env
from chromazoo.envs.kroma.rules import Game
from chromazoo.envs.vector import VectorFace

__all__ = ["Game", "env", "raw_env", "vector_env"]


def env(*, render_mode: str | None = None, max_plies: int | None = None, **options: Any) -> Env:
    """Make a PettingZoo environment that checks how it is used; see `AECFace`.

    Args:
        render_mode: `ansi` (`render` returns a text), `human` (every step prints it) or None.
        max_plies: Decisions after which an unfinished game is truncated, None for never.
        options: Options of the game.

    Returns:
        The environment, which also refuses actions out of range and calls in the wrong order.

    Raises:
        InvalidConfig: an unknown option or render mode, or a value out of range.
    """
    return make_env(Game(**options), render_mode, max_plies)


def raw_env(
    *, render_mode: str | None = None, max_plies: int | None = None, **options: Any
) -> AECFace:
    """Make the PettingZoo environment without its wrappers; arguments and errors as for `env`."""
    return AECFace(Game(**options), render_mode, max_plies)


def vector_env(
    num_envs: int,
    *,
    render_mode: str | None = None,
    max_plies: int | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    **options: Any,
) -> VectorFace:
    """Make many games as one batched environment; see `VectorFace`.

    >>> batch = vector_env(3, size="baby")
    >>> batch.reset(seed=7)
    >>> for _ in range(50):
    ...     seen, reward, terminations, truncations, info = batch.last()
    ...     batch.step(seen["action_mask"].argmax(axis=1))  # the first legal action of each game
    >>> batch.agent_selection.shape, batch.rewards.shape
    ((3,), (3, 2))

    Args:
        num_envs: Number of games.
        render_mode: `ansi` (`render` returns a text), `human` (it prints the text) or None.
        max_plies: Decisions after which an unfinished game is truncated, None for never.
        autoreset_mode: `NEXT_STEP` or `DISABLED`.
        options: Options of the game.

    Returns:
        The environment.

    Raises:
        InvalidConfig: an unknown option or mode, or a value out of range.
    """
    return VectorFace(Game(**options), num_envs, render_mode, max_plies, autoreset_mode)
