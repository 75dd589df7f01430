"""Self-play for Stable-Baselines3: many games at once, one learner's seat in each.

The learner sees only its own decisions. Between them the opponents of that game move: when games
begin, and after each of the learner's actions. A game that ends is followed by the next in the same
step.
"""

import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from chromazoo.agents.agent import Agent
from chromazoo.agents.one_seat import OneSeatGames
from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import as_seeds
from chromazoo.envs.spaces import action_space, observation_space


class SelfPlayVecEnv(VecEnv):
    """N games at once, as Stable-Baselines3 and sb3-contrib want them.

    Observations are uint8 (N, F), rewards float32 (N,): 0 until a game ends, then the learner's
    reward, -1 included. `action_masks` gives bool (N, A). When a game ends, the row's next game
    begins in the same step; its info holds `terminal_observation`, and `TimeLimit.truncated` says
    whether the game was broken off at `max_plies`. A game that ends before the learner's first
    decision is passed over.

    Row i has seed s + i after `seed(s)`; its first game is dealt from that seed, its n-th next game
    from `mix(seed, n)`. The learner sits at seat (i + n) modulo N in that game. Each other seat
    draws its opponent from the pool by weight. Opponents draw from streams of their own, so the
    same seeds, opponents and actions give the same games.

    Attributes:
        game: The rules.
        games: The games in play, with the learner's seats and the opponents.
    """

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        opponents: Sequence[Agent],
        weights: Sequence[float] | None = None,
        *,
        seed: int | None = None,
        max_plies: int | None = None,
    ) -> None:
        """Lay out N games; the first `reset` deals them.

        Args:
            game: The rules.
            num_envs: Number of games, N.
            opponents: The pool from which every other seat draws its player, game by game.
            weights: How often each is drawn, in proportion; all equally if not given.
            seed: The first row's seed; drawn from the operating system if not given.
            max_plies: Decisions, of all seats, after which a game is truncated.

        Raises:
            InvalidConfig: games might never end, or pool and weights do not fit.
        """
        self.games = OneSeatGames(game, num_envs, opponents, weights, max_plies=max_plies)
        self.game = game
        self.render_mode: str | None = None
        super().__init__(
            num_envs,
            observation_space(game)["observation"],
            action_space(game),
        )
        self._masks = np.zeros((num_envs, game.num_actions), np.bool_)
        self._actions = np.zeros(num_envs, np.int64)
        self.seed(seed)

    # The pool

    @property
    def opponents(self) -> tuple[Agent, ...]:
        """The pool."""
        return self.games.opponents

    @property
    def weights(self) -> NDArray[np.float64]:
        """How often each opponent is drawn: float64 (opponents,); they sum to 1."""
        return self.games.weights

    @property
    def max_plies(self) -> int | None:
        """Decisions, of all seats, after which a game is truncated; None for never."""
        return self.games.max_plies

    @max_plies.setter
    def max_plies(self, max_plies: int | None) -> None:
        self.games.max_plies = max_plies

    def set_opponents(
        self, opponents: Sequence[Agent], weights: Sequence[float] | None = None
    ) -> None:
        """Change the pool: see `OneSeatGames.set_opponents`, also for the errors.

        Args:
            opponents: The pool; not smaller than before.
            weights: How often each is drawn, in proportion; all equally if not given.
        """
        self.games.set_opponents(opponents, weights)

    def clear_tallies(self) -> None:
        """Forget how games ended so far."""
        self.games.clear_tallies()

    def tallies(self) -> NDArray[np.float64]:
        """Tell how the games ended since the tallies were cleared.

        Returns:
            float64 (opponents, 4): for each opponent the number of seats at which it met the
            learner, and the sums over them of the learner's rewards, of the opponent's, and of the
            learner's decisions.
        """
        return self.games.tallies()

    # Stable-Baselines3's interface

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the rows; the next `reset` begins with their first games.

        Args:
            seed: The first row's seed, row i has `seed + i`; drawn from the operating system if
                not given.

        Returns:
            The seeds of all rows.
        """
        if seed is None:
            seed = secrets.randbits(64)
        self._seeds = [seed + row for row in range(self.num_envs)]
        return self._seeds

    def reset(self) -> Observation:
        """Deal new games in all rows, each up to the learner's first decision.

        Returns:
            uint8 (N, F): the observations.
        """
        rows = np.arange(self.num_envs)
        if self._seeds[0] is not None:
            seeds = as_seeds([seed for seed in self._seeds if seed is not None])
            self.games.sow(rows, seeds, rows)
            self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self.games.deal(rows)
        self.games.settle()  # no game ends in which the learner has not decided
        return self._look()

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Take note of the learner's actions: integers (N,)."""
        self._actions = np.asarray(actions).reshape(self.num_envs)

    def step_wait(
        self,
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the learner's actions and let the opponents answer.

        Returns:
            Observations uint8 (N, F), rewards float32 (N,), dones bool (N,) and N infos.

        Raises:
            IllegalAction: an action is not legal; nothing has changed.
        """
        games = self.games
        games.step(self._actions)
        rewards = np.zeros(self.num_envs, np.float32)
        dones = np.zeros(self.num_envs, np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        while len(rows := games.settle()):
            ended, learner = games.state.take(rows), games.learner[rows]
            rewards[rows] = ended.rewards[np.arange(len(rows)), learner]
            dones[rows] = True
            last = self.game.observe(ended, learner)
            for row, observation, over in zip(rows, last, ended.over, strict=True):
                infos[row]["terminal_observation"] = observation
                infos[row]["TimeLimit.truncated"] = not over
            games.deal(rows)
        return self._look(), rewards, dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Tell the learner's legal actions.

        Returns:
            bool (N, A), each row with at least one legal action. Do not write to it.
        """
        return self._masks

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, once for each row asked for.

        `action_masks` is a method of the rows: each returns its own mask, bool (A,).
        """
        rows = self._rows(indices)
        if attr_name == "action_masks":
            return [partial(self._masks.__getitem__, row) for row in rows]
        return [getattr(self, attr_name)] * len(rows)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute, which all rows share.

        Raises:
            InvalidArgument: only some rows are named.
        """
        if len(self._rows(indices)) != self.num_envs:
            raise InvalidArgument(
                f"{attr_name}: the rows of this environment share their attributes"
            )
        setattr(self, attr_name, value)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Call a method of each row: `action_masks` is the only one.

        Raises:
            AttributeError: another method is named.
        """
        if method_name != "action_masks":
            raise AttributeError(f"the rows have no method {method_name!r}, only action_masks")
        rows = self._rows(indices)
        return list(self._masks if len(rows) == self.num_envs else self._masks[rows])

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: VecEnvIndices = None,
    ) -> list[bool]:
        """Tell that no row is wrapped."""
        return [False] * len(self._rows(indices))

    def _rows(self, indices: VecEnvIndices) -> list[int]:
        """List the rows that Stable-Baselines3's `indices` mean."""
        return list(self._get_indices(indices))

    def _look(self) -> Observation:
        """Note the masks and return the observations of the learner in all rows."""
        state, learner = self.games.state, self.games.learner
        self._masks = self.game.action_mask(state, learner)
        return self.game.observe(state, learner)

    # Files

    def dump(self) -> dict[str, NDArray[Any]]:
        """Return all that is needed to go on later, but for the agents themselves.

        Returns:
            Name -> array.
        """
        return self.games.dump()

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> Observation:
        """Go on where `dump` was called, with as many games and the same pool of opponents.

        Args:
            arrays: What `dump` returned.

        Returns:
            uint8 (N, F): the observations.

        Raises:
            InvalidFile: the arrays are not those of such an environment.
        """
        self.games.restore(arrays)
        self._reset_seeds()
        return self._look()
