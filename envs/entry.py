"""What a game's module offers to users: its environments, made from options."""

from collections.abc import Callable
from typing import Any

from gymnasium.vector import AutoresetMode

from chromazoo.envs.aec import AECFace, Env, make_env
from chromazoo.envs.game import ENGINES, Game
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.vector import VectorFace


class Entry:
    """Makes the environments of one game; every function takes the game's options by name.

    A module such as `chromazoo.envs.kroma_v0` binds them to its own names.

    >>> from chromazoo.envs import kroma_v0
    >>> batch = kroma_v0.vector_env(3, size="baby")
    >>> batch.reset(seed=7)
    >>> for _ in range(50):
    ...     seen, reward, terminations, truncations, info = batch.last()
    ...     batch.step(seen["action_mask"].argmax(axis=1))  # the first legal action of each game
    >>> batch.agent_selection.shape, batch.rewards.shape
    ((3,), (3, 2))
    """

    def __init__(self, game: Callable[..., Game[Any]]) -> None:
        """Take over a game.

        Args:
            game: Options -> the rules.
        """
        self._game = game

    def env(
        self,
        /,
        *,
        engine: str = ENGINES[0],
        render_mode: str | None = None,
        max_plies: int | None = None,
        **options: Any,
    ) -> Env:
        """Make a PettingZoo environment that checks the order of calls; see `AECFace`.

        Args:
            engine: What computes: `numpy`, or `compiled`, which is faster and needs the extra
                `fast`. Both play the same games, byte for byte.
            render_mode: `ansi` (`render` returns a text), `human` (every step prints it) or None.
            max_plies: Decisions after which an unfinished game is truncated, None for never.
            options: Options of the game.

        Returns:
            The environment, which also refuses calls in the wrong order.

        Raises:
            InvalidConfig: an unknown option, engine or render mode, or a value out of range; or the
                game has no compiled engine, or numba, which that needs, is not installed.
        """
        return make_env(self._game(engine=engine, **options), render_mode, max_plies)

    def raw_env(
        self,
        /,
        *,
        engine: str = ENGINES[0],
        render_mode: str | None = None,
        max_plies: int | None = None,
        **options: Any,
    ) -> AECFace:
        """Make the PettingZoo environment without its wrapper; arguments and errors as `env`."""
        return AECFace(self._game(engine=engine, **options), render_mode, max_plies)

    def parallel_env(
        self,
        /,
        *,
        engine: str = ENGINES[0],
        render_mode: str | None = None,
        max_plies: int | None = None,
        **options: Any,
    ) -> ParallelFace:
        """Make the PettingZoo environment in which seats choose at once; see `ParallelFace`.

        Arguments and errors as `env`; besides, the game must have simultaneous decisions.
        """
        return ParallelFace(self._game(engine=engine, **options), render_mode, max_plies)

    def vector_env(
        self,
        num_envs: int,
        *,
        engine: str = ENGINES[0],
        render_mode: str | None = None,
        max_plies: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> VectorFace:
        """Make many games as one batched environment; see `VectorFace`.

        Args:
            num_envs: Number of games.
            engine: What computes: `numpy`, or `compiled`, which is faster and needs the extra
                `fast`. Both play the same games, byte for byte.
            render_mode: `ansi` (`render` returns a text), `human` (it prints the text) or None.
            max_plies: Decisions after which an unfinished game is truncated, None for never.
            autoreset_mode: `AutoresetMode.NEXT_STEP` or `DISABLED`, or its name or value.
            options: Options of the game.

        Returns:
            The environment.

        Raises:
            InvalidConfig: an unknown option, engine or mode, or a value out of range; or the game
                has no compiled engine, or numba, which that needs, is not installed.
        """
        game = self._game(engine=engine, **options)
        return VectorFace(game, num_envs, render_mode, max_plies, autoreset_mode)
