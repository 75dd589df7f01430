"""What a game's module offers to users: its environments, made from options."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gymnasium.vector import AutoresetMode

from chromazoo.envs.aec import AECFace, Env, make_env
from chromazoo.envs.game import ENGINES, Game
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.vector import VectorFace

if TYPE_CHECKING:
    from chromazoo.agents.single import Opponents, SingleFace, SingleVectorFace


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
            render_mode: `ansi` (`render` returns a text), `rgb_array` (pixels), `human` (every
                step prints the text) or None.
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
            render_mode: `ansi` (`render` returns a text), `rgb_array` (pixels), `human` (it prints
                the text) or None.
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

    def single_env(
        self,
        opponent: "Opponents" = "random",
        *,
        seat: int | None = None,
        weights: Sequence[float] | None = None,
        engine: str = ENGINES[0],
        render_mode: str | None = None,
        max_plies: int | None = None,
        **options: Any,
    ) -> "SingleFace":
        """Make a Gymnasium environment of one seat against opponents; see `SingleFace`.

        Args:
            opponent: An agent, or the name of one, for all other seats; or a list of N - 1, the
                first for the seat after the learner's; or, with `weights`, a list from which each
                other seat draws, game by game.
            seat: The learner's seat, None for each in turn.
            weights: How often each opponent is drawn, in proportion.
            engine: As for `env`.
            render_mode: As for `env`.
            max_plies: As for `env`.
            options: Options of the game.

        Returns:
            The environment.

        Raises:
            InvalidConfig: as for `env`; or the game might never end, or the seat or the numbers of
                opponents and weights do not fit.
            UnknownName: there is no agent of that name.
            InvalidAgent: an opponent is no agent, or one for another game.
            InvalidFile: a policy is damaged or of another game.
        """
        from chromazoo.agents.single import SingleFace  # above the games: loaded when asked for

        game = self._game(engine=engine, **options)
        return SingleFace(
            game, opponent, seat=seat, weights=weights, render_mode=render_mode, max_plies=max_plies
        )

    def single_vector_env(
        self,
        num_envs: int,
        opponent: "Opponents" = "random",
        *,
        seat: int | None = None,
        weights: Sequence[float] | None = None,
        engine: str = ENGINES[0],
        render_mode: str | None = None,
        max_plies: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> "SingleVectorFace":
        """Make many games of one seat against opponents; see `SingleVectorFace`.

        Arguments and errors as `single_env` and `vector_env`, but all of Gymnasium's autoreset
        modes are on offer.
        """
        from chromazoo.agents.single import SingleVectorFace  # as above

        return SingleVectorFace(
            self._game(engine=engine, **options),
            num_envs,
            opponent,
            seat=seat,
            weights=weights,
            render_mode=render_mode,
            max_plies=max_plies,
            autoreset_mode=autoreset_mode,
        )
