"""Self-play for Stable-Baselines3: many games at once, one learner's seat in each.

The learner sees only its own decisions. Between them the opponents of that game move: when games
begin, and after each of the learner's actions. A game that ends is followed by the next in the same
step.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from chromazoo.agents.agent import Agent, decide
from chromazoo.agents.match import require_end
from chromazoo.envs.episodes import episode_seeds, truncated
from chromazoo.envs.errors import InvalidArgument, InvalidConfig, InvalidFile
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import Stream, agent_stream, as_seeds, mix, uniform
from chromazoo.envs.spaces import action_space, observation_space
from chromazoo.envs.state import State

_MATCHES = int.from_bytes(b"matches", "little")
_LEARNER = -1


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
        opponents: The pool.
        weights: float64 (opponents,), how often each is drawn; they sum to 1.
        max_plies: Decisions, of all seats, after which a game is truncated; None for never.
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
        require_end(game, max_plies)
        if num_envs < 1:
            raise InvalidConfig(f"num_envs: at least 1, not {num_envs}")
        self.game = game
        self.max_plies = max_plies
        self.render_mode: str | None = None
        self.set_opponents(opponents, weights)
        super().__init__(
            num_envs,
            observation_space(game)["observation"],
            action_space(game),
        )
        rows, seats = num_envs, game.num_seats
        self._state: State | None = None
        self._row_seeds = np.zeros(rows, np.uint64)
        self._games = np.zeros(rows, np.int64)  # games dealt in this row, the present one included
        self._learner = np.zeros(rows, np.int8)
        self._opponents = np.full((rows, seats), _LEARNER, np.int16)
        self._streams = np.zeros((rows, seats), np.uint64)
        self._lengths = np.zeros(rows, np.int64)  # the learner's decisions in the present game
        self._masks = np.zeros((rows, game.num_actions), np.bool_)
        self._actions = np.zeros(rows, np.int64)
        self.clear_tallies()
        self.seed(seed)

    # The pool

    def set_opponents(
        self, opponents: Sequence[Agent], weights: Sequence[float] | None = None
    ) -> None:
        """Change the pool. Games under way keep the places in the pool that their seats drew.

        So a pool may grow, and an agent that takes the place of another, such as a later snapshot
        of a policy, goes on with its games.

        Args:
            opponents: The pool; not smaller than before.
            weights: How often each is drawn, in proportion; all equally if not given.

        Raises:
            InvalidConfig: the pool is empty or shrinks, or the weights do not fit.
        """
        given = [1.0] * len(opponents) if weights is None else weights
        try:
            shares = np.asarray(given, np.float64)
        except (OverflowError, TypeError, ValueError):
            raise InvalidConfig(f"weights: numbers, not {given!r:.80}") from None
        if not len(opponents) or len(opponents) < len(getattr(self, "opponents", ())):
            raise InvalidConfig("opponents: at least one, and never fewer than before")
        if shares.shape != (len(opponents),) or not (np.isfinite(shares) & (shares >= 0)).all():
            raise InvalidConfig("weights: one for each opponent, finite and not negative")
        with np.errstate(over="ignore"):
            total = shares.sum()
        if not 0 < total < np.inf:
            raise InvalidConfig(f"weights: their sum is positive and finite, not {total}")
        self.opponents = tuple(opponents)
        self.weights = shares / total

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
        if self._seeds[0] is not None:
            self._row_seeds = as_seeds([seed for seed in self._seeds if seed is not None])
            self._games[:] = 0
            self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._deal(np.arange(self.num_envs))
        self._settle(lambda rows, cut: None)
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
        state = self._dealt()
        self.game.step(state, self._actions, seats=self._learner)
        self._lengths += 1
        rewards = np.zeros(self.num_envs, np.float32)
        dones = np.zeros(self.num_envs, np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]

        def finish(rows: NDArray[np.int64], cut: NDArray[np.bool_]) -> None:
            learner = self._learner[rows]
            rewards[rows] = state.rewards[rows, learner]
            dones[rows] = True
            last = self.game.observe(state.take(rows), learner)
            for row, observation, broken_off in zip(rows, last, cut, strict=True):
                infos[row]["terminal_observation"] = observation
                infos[row]["TimeLimit.truncated"] = bool(broken_off)

        self._settle(finish)
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

    # Playing

    def _dealt(self) -> State:
        """Return the games; they must have been dealt."""
        if self._state is None:
            raise InvalidArgument("no games are dealt: call reset first")
        return self._state

    def _deal(self, rows: NDArray[np.int64]) -> None:
        """Begin the next game in some rows: deal, seat the learner, draw the opponents."""
        turn = self._games[rows].astype(np.uint64)
        seeds = episode_seeds(self._row_seeds[rows], turn)
        self._games[rows] += 1
        self._lengths[rows] = 0
        fresh = self.game.deal(seeds)
        if len(rows) == self.num_envs:
            self._state = fresh
        else:
            self._dealt().put(rows, fresh)
        seats = self.game.num_seats
        learner = (rows + turn.astype(np.int64)) % seats
        self._learner[rows] = learner
        matches = mix(seeds, _MATCHES)
        borders = self.weights.cumsum()
        for seat in range(seats):
            drawn = np.searchsorted(borders, uniform(matches) * borders[-1], side="right")
            self._opponents[rows, seat] = np.where(seat == learner, _LEARNER, drawn)
            self._streams[rows, seat] = agent_stream(seeds, seat)

    def _settle(self, finish: Callable[[NDArray[np.int64], NDArray[np.bool_]], None]) -> None:
        """Play on until the learner has a decision in every row.

        Args:
            finish: Called with the rows whose games ended after a decision of the learner, and
                whether each was truncated, before their next games are dealt.
        """
        rows = np.arange(self.num_envs)
        while True:
            state = self._dealt()
            cut = truncated(state, self.max_plies)
            ended = np.flatnonzero(state.over | cut)
            if len(ended):
                played = ended[self._lengths[ended] > 0]
                if len(played):
                    self._tally(played)
                    finish(played, cut[played])
                self._deal(ended)
                continue
            waiting = np.flatnonzero(~state.pending[rows, self._learner])
            if not len(waiting):
                return
            self._opponents_move(waiting)

    def _opponents_move(self, rows: NDArray[np.int64]) -> None:
        """Let the seats to decide of some rows decide, those of one opponent all at once."""
        state = self._dealt()
        whole = len(rows) == self.num_envs
        part = state if whole else state.take(rows)
        seats = part.seat.copy()
        players = self._opponents[rows, seats]
        actions = np.empty(len(rows), np.int64)
        for player in np.unique(players):
            own = np.flatnonzero(players == player)
            stream: Stream = self._streams[rows[own], seats[own]]
            actions[own] = decide(self.opponents[player], self.game, part.take(own), stream)
            self._streams[rows[own], seats[own]] = stream
        self.game.step(part, actions)
        if not whole:
            state.put(rows, part)

    def _look(self) -> Observation:
        """Note the masks and return the observations of the learner in all rows."""
        state = self._dealt()
        self._masks = self.game.action_mask(state, self._learner)
        return self.game.observe(state, self._learner)

    # Tallies

    def clear_tallies(self) -> None:
        """Forget how games ended so far."""
        self._tallies = np.zeros((len(self.opponents), 3))  # games, rewards, lengths

    def tallies(self) -> NDArray[np.float64]:
        """Tell how the games ended since the tallies were cleared.

        Returns:
            float64 (opponents, 3): for each opponent the number of seats at which it met the
            learner, and the sums over them of the learner's rewards and numbers of decisions.
        """
        grown = len(self.opponents) - len(self._tallies)
        return np.concatenate([self._tallies, np.zeros((grown, 3))])

    def _tally(self, rows: NDArray[np.int64]) -> None:
        """Count games that have ended."""
        self._tallies = self.tallies()
        rewards = self._dealt().rewards[rows, self._learner[rows]]
        for seat in range(self.game.num_seats):
            player = self._opponents[rows, seat]
            met = player != _LEARNER
            results = [np.ones(met.sum()), rewards[met], self._lengths[rows][met]]
            np.add.at(self._tallies, player[met], np.stack(results, axis=1))

    # Files

    def dump(self) -> dict[str, NDArray[Any]]:
        """Return all that is needed to go on later, but for the agents themselves.

        Returns:
            Name -> array.
        """
        return {
            "state": np.frombuffer(self.game.dumps(self._dealt()), np.uint8),
            **{name: getattr(self, f"_{name}") for name in _KEPT},
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> Observation:
        """Go on where `dump` was called, with as many games and the same pool of opponents.

        Args:
            arrays: What `dump` returned.

        Returns:
            uint8 (N, F): the observations.

        Raises:
            InvalidFile: the arrays are not those of such an environment.
        """
        for name in _KEPT:
            own, found = getattr(self, f"_{name}"), arrays.get(name)
            if found is None or found.dtype != own.dtype or found.shape[1:] != own.shape[1:]:
                raise InvalidFile(f"environment: array {name!r} is missing or of another kind")
            if name != "tallies" and len(found) != self.num_envs:
                raise InvalidFile(f"environment: {len(found)} games, not {self.num_envs}")
        if "state" not in arrays:
            raise InvalidFile("environment: array 'state' is missing")
        state = self.game.loads(arrays["state"].tobytes(), "environment")
        if len(state) != self.num_envs or len(arrays["tallies"]) > len(self.opponents):
            raise InvalidFile("environment: other numbers of games or opponents")
        self._check_seats(arrays["learner"], arrays["opponents"], state)
        for name in _KEPT:
            setattr(self, f"_{name}", np.array(arrays[name]))
        self._state = state
        self._reset_seeds()
        return self._look()

    def _check_seats(
        self, learner: NDArray[np.int8], opponents: NDArray[np.int16], state: State
    ) -> None:
        """Refuse seats that do not exist, players that are not there, and learners not to decide.

        Args:
            learner: (N,).
            opponents: (N, seats).
            state: N games.
        """
        own = np.arange(self.game.num_seats) == learner[:, None]  # (games, seats)
        known = (opponents >= 0) & (opponents < len(self.opponents))
        if not (own.any(axis=1) & np.where(own, opponents == _LEARNER, known).all(axis=1)).all():
            raise InvalidFile("environment: seats or opponents that do not exist")
        if not state.pending[own].all():
            raise InvalidFile("environment: a game in which the learner has nothing to decide")


_KEPT = ("row_seeds", "games", "learner", "opponents", "streams", "lengths", "tallies")
