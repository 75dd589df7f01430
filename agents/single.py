"""The Gymnasium faces: one seat of a game against opponents, one game or many at once.

They are environments for learners of one policy: the opponents are agents, and belong to the
environment. A game's module offers them as `single_env` and `single_vector_env`, and Gymnasium
knows them by names such as `chromazoo/Kroma-v0`.

>>> import gymnasium
>>> env = gymnasium.make("chromazoo.envs:chromazoo/Kroma-v0", opponent="heuristic", size="baby")
>>> observation, info = env.reset(seed=7)
>>> terminated = truncated = False
>>> while not (terminated or truncated):
...     action = int(info["action_mask"].argmax())  # the first legal action
...     observation, reward, terminated, truncated, info = env.step(action)
>>> reward  # the heuristic has won
-1.0

>>> envs = gymnasium.make_vec("chromazoo.envs:chromazoo/Kroma-v0", num_envs=3, size="baby")
>>> observations, infos = envs.reset(seed=7)
>>> actions = infos["action_mask"].argmax(axis=1)
>>> observations, rewards, terminations, truncations, infos = envs.step(actions)
>>> rewards.tolist(), infos["action_mask"].shape == (3, envs.single_action_space.n)
([0.0, 0.0, 0.0], True)
"""

import secrets
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, SupportsIndex, cast

import gymnasium
import numpy as np
from gymnasium.spaces import MultiDiscrete, Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, check_agent, load
from chromazoo.agents.one_seat import OneSeatGames, Rows
from chromazoo.envs.episodes import RESET_OPTIONS, begin, check_seed, checked_options
from chromazoo.envs.errors import ChromazooError, InvalidConfig
from chromazoo.envs.face import (
    Frame,
    checked_action,
    checked_render_mode,
    describe_face,
    show,
    told_settings,
)
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Game
from chromazoo.envs.options import call_text
from chromazoo.envs.randomness import as_seeds
from chromazoo.envs.spaces import action_space, look, observation_space
from chromazoo.envs.svg import Picture
from chromazoo.envs.vector import (
    checked_actions,
    checked_autoreset_mode,
    checked_num_envs,
    checked_reset_mask,
)

Opponent = Agent | str
Opponents = Opponent | Sequence[Opponent]
Info = dict[str, Any]

_DEFAULT = "random"
_FPS = 1  # Gymnasium warns of environments that are drawn and do not tell
_ROW = np.zeros(1, np.int64)


class SingleFace(gymnasium.Env[Observation, SupportsIndex]):
    """One seat of a game as a `gymnasium.Env`; the other seats are played by opponents.

    Every step is one decision of the learner, and what the others do up to its next one. Rewards
    are 0 until the game ends, then the learner's, -1 included. `info` holds `action_mask`, int8
    (A,), 1 where an action is legal, which is what `action_space.sample` takes; `action_masks()`
    is the same as bool, by the name that sb3-contrib asks for. When the game has ended, nothing is
    legal.

    The game of seed s is `game.deal([s])`, the n-th after it has the seed `mix(s, n)`. Without a
    fixed seat the learner sits at seat (s + n) modulo N in that game, so that it takes its turn at
    every seat both from episode to episode and from seed to seed. Opponents draw from streams of
    their own. A game that ends before the learner's first decision is passed over.

    Attributes:
        game: The rules.
        metadata: `name`, `render_modes`, `render_fps`.
        render_mode: `human`, `ansi`, `rgb_array` or None.
        observation_space: `Box` uint8 (F,), laid out as `game.fields`, from the learner's point of
            view.
        action_space: `Discrete(A)`.

    >>> from chromazoo.agents.agent import RandomAgent
    >>> from chromazoo.envs import chroma_v0
    >>> env = SingleFace(chroma_v0.Game(num_players=3), ["heuristic", RandomAgent()], seat=0)
    >>> observation, info = env.reset(seed=7)
    >>> env.learner, observation.dtype, observation.shape == (env.game.num_features,)
    (0, dtype('uint8'), True)
    """

    def __init__(
        self,
        game: Game[Any],
        opponent: Opponents = _DEFAULT,
        *,
        seat: int | None = None,
        weights: Sequence[float] | None = None,
        render_mode: str | None = None,
        max_plies: int | None = None,
    ) -> None:
        """Lay out a game that `reset` begins.

        Args:
            game: The rules.
            opponent: An agent, or the name of one (see `chromazoo.agents.load`), for all other
                seats; or a list of N - 1, the first for the seat after the learner's and so on; or,
                with `weights`, a list from which each other seat draws, game by game.
            seat: The learner's seat, None for each in turn.
            weights: How often each opponent is drawn, in proportion.
            render_mode: `ansi`: `render` returns a text; `rgb_array`: it returns pixels; `human`:
                every `reset` and `step` prints the text.
            max_plies: Decisions, of all seats, after which an unfinished game is truncated, None
                for never.

        Raises:
            InvalidConfig: an unknown render mode, a limit below 1 or none where a game might never
                end, a seat that does not exist, or numbers of opponents and weights that do not
                fit.
            UnknownName: there is no agent of that name.
            InvalidAgent: an opponent is no agent, or one for another game.
            InvalidFile: a policy is damaged or of another game.
        """
        self.game = game
        self.metadata = describe_face(game) | {"render_fps": _FPS}
        self.render_mode = checked_render_mode(render_mode)
        self.observation_space = observation_space(game)["observation"]
        self.action_space = action_space(game)
        self._games = lay_out(game, 1, opponent, weights, seat, max_plies)
        self._told = told(opponent, weights, seat) | told_settings(render_mode, max_plies)
        self._mask = np.zeros(game.num_actions, np.bool_)

    def __repr__(self) -> str:
        """Return the expression that makes this environment; defaults are left out."""
        return call_text(type(self).__name__, self.game, **self._told)

    @property
    def learner(self) -> int:
        """The learner's seat in the game in play."""
        return int(self._playing.learner[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin a game, and play it up to the learner's first decision.

        Args:
            seed: The game's seed, taken modulo 2^64. Without it every call begins another game: the
                n-th after the last seed s is the one of seed `mix(s, n)`; if there never was a
                seed, s is drawn from the system's entropy.
            options: `{"position": text}` begins in the middle, `{"setup": {…}}` (as in a record)
                from a set-up that is given.

        Returns:
            What the learner sees, uint8 (F,), and the info with its mask.

        Raises:
            ChromazooError: both options at once, an unknown one, or a position from which the
                learner never decides.
            InvalidPosition: the position is not one of this game.
            InvalidSetup: the set-up does not fit the game.
            InvalidArgument: the seed is no whole number.
        """
        games, start = self._games, None
        if checked_options(options, RESET_OPTIONS):
            begin(self.game, as_seeds(0), options)  # refused before anything has changed
            start = partial(begin, self.game, options=options)
        sow(games, _ROW, seed)
        super().reset(seed=None if seed is None else int(as_seeds(seed)[0]))
        dealt = games.dealt[0]
        games.deal(_ROW, start)
        games.settle()
        if start is not None and games.dealt[0] > dealt + 1:
            games.resting[:] = True
            raise ChromazooError("reset: that game ends before the learner is to decide")
        return self._look()

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, Info]:
        """Take the learner's decision, and let the opponents move up to its next one.

        Args:
            action: The index of a legal action.

        Returns:
            What the learner sees, uint8 (F,); its reward, 0 unless the game has ended by its rules;
            whether it has; whether it was broken off at `max_plies`; and the info with the mask.

        Raises:
            IllegalAction: the action is not legal. Nothing has changed.
            InvalidArgument: the action is not an integer.
            ChromazooError: no game is in play.
        """
        games = self._playing
        if games.resting[0]:
            raise ChromazooError("no game is in play: call reset() first")
        seat = self.learner
        games.step(np.array([checked_action(self.game, seat, action)]))
        ended = len(games.settle()) > 0
        over = bool(games.state.over[0])
        reward = float(games.state.rewards[0, seat]) if ended else 0.0
        observation, info = self._look()
        return observation, reward, ended and over, ended and not over, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Tell which actions are legal: bool (A,), by the name that sb3-contrib asks for."""
        return self._mask.copy()

    def render(self) -> Frame | None:
        """Draw what all seats may see.

        Returns:
            The text (`ansi`), pixels uint8 (height, width, 3), of the same size all the time
            (`rgb_array`), or None after printing the text (`human`).

        Raises:
            ChromazooError: there was no `reset`.
        """
        return show(self.game, self._playing.state, 0, self.render_mode)

    def _repr_svg_(self) -> Picture | None:
        """Draw what all seats may see, for notebooks; None before the first `reset`."""
        begun = self._games.dealt.any()
        return self.game.svg(self._games.state, seat="public") if begun else None

    @property
    def _playing(self) -> OneSeatGames:
        """The game in play."""
        return in_play(self._games)

    def _look(self) -> tuple[Observation, Info]:
        """Tell what the learner sees, and note its mask."""
        games = self._games
        seen = look(self.game, games.state, games.learner, ~games.resting)
        mask = seen["action_mask"][0]
        self._mask = mask.astype(np.bool_)
        if self.render_mode == "human":
            self.render()
        return seen["observation"][0], {"action_mask": mask}


class SingleVectorFace(VectorEnv[Observation, NDArray[np.integer], NDArray[Any]]):
    """B games of one seat against opponents as a `gymnasium.vector.VectorEnv`.

    Row i of seed s plays what `SingleFace` plays after `reset(seed=s + i)`, in any batch. Rewards
    are float64 (B,), terminations and truncations bool (B,). `infos` holds `action_mask`, int8
    (B, A), and, as all of Gymnasium's, `_action_mask`, bool (B,), the rows that have it: all;
    `action_masks()` is the masks as bool.

    When a row's game ends, the row shows its last state, with no legal action. What follows is told
    by `metadata["autoreset_mode"]`:

    - `NEXT_STEP`: the next `step` ignores the row's action and begins its next game, reward 0;
    - `SAME_STEP`: the next game begins in the same step; the last observation of the old one is in
      `infos["final_obs"]`, an object array (B,), the rows in `_final_obs`, and its info likewise in
      `final_info` and `_final_info`;
    - `DISABLED`: the row stays as it is, with rewards 0, until `reset`.

    Attributes:
        game: The rules.
        num_envs: Number of games, B.
        metadata: `name`, `render_modes`, `render_fps`, `autoreset_mode`.
        render_mode: `human`, `ansi`, `rgb_array` or None.
        single_observation_space: `Box` uint8 (F,), what the learner sees of one game.
        single_action_space: The actions of one game, `Discrete(A)`.

    >>> from chromazoo.envs import guardians_v0
    >>> envs = SingleVectorFace(guardians_v0.Game(), 4, "heuristic")
    >>> observations, infos = envs.reset(seed=7)
    >>> scores = np.zeros(4)
    >>> for _ in range(40):
    ...     actions = infos["action_mask"].argmax(axis=1)  # the first legal action of each game
    ...     observations, rewards, terminations, truncations, infos = envs.step(actions)
    ...     scores += rewards
    >>> bool(scores.any())
    True
    """

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        opponent: Opponents = _DEFAULT,
        *,
        seat: int | None = None,
        weights: Sequence[float] | None = None,
        render_mode: str | None = None,
        max_plies: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        """Lay out games that `reset` begins.

        Args:
            game: The rules.
            num_envs: Number of games, B.
            opponent: As for `SingleFace`.
            seat: The learner's seat in all games, None for each in turn.
            weights: As for `SingleFace`.
            render_mode: `ansi`: `render` returns a text a game; `rgb_array`: pixels of each;
                `human`: it prints the texts.
            max_plies: Decisions, of all seats, after which an unfinished game is truncated, None
                for never.
            autoreset_mode: What follows the end of a game; the mode, its name or its value.

        Raises:
            InvalidConfig: `num_envs` or `autoreset_mode` is none, or as for `SingleFace`, as are
                the other errors.
        """
        self.game = game
        self.num_envs = checked_num_envs(num_envs)
        self.render_mode = checked_render_mode(render_mode)
        self.autoreset_mode = checked_autoreset_mode(autoreset_mode, tuple(AutoresetMode))
        self.metadata = describe_face(game) | {
            "render_fps": _FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_observation_space = observation_space(game)["observation"]
        self.single_action_space = action_space(game)
        self._games = lay_out(game, num_envs, opponent, weights, seat, max_plies)
        settings = told_settings(render_mode, max_plies, self.autoreset_mode)
        self._told = told(opponent, weights, seat) | settings
        self._rows = np.arange(num_envs)
        self._masks = np.zeros((num_envs, game.num_actions), np.bool_)

    def __repr__(self) -> str:
        """Return the expression that makes this environment; defaults are left out."""
        return call_text(type(self).__name__, self.game, self.num_envs, **self._told)

    @cached_property
    def observation_space(self) -> Space[Observation]:  # type: ignore[override]
        """What the learner sees of all games: `Box` uint8 (B, F)."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> MultiDiscrete:  # type: ignore[override]
        """What `step` takes: B action indices."""
        return MultiDiscrete(np.full(self.num_envs, self.game.num_actions))

    @property
    def learner(self) -> NDArray[np.int8]:
        """The learner's seats in the games in play: int8 (B,)."""
        return self._playing.learner.copy()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin new games, and play them up to the learner's first decisions.

        Args:
            seed: Row i gets the game of seed `seed + i`, taken modulo 2^64. Without it every row
                goes on to its next game, the n-th after row seed s being the one of seed
                `mix(s, n)`; if there never was a seed, one is drawn from the system's entropy.
            options: `{"reset_mask": bool (B,)}` begins new games in those rows only; the others
                stay as they are.

        Returns:
            What the learner sees, uint8 (B, F), and the infos with its masks.

        Raises:
            ChromazooError: an unknown option, a mask that is not one bool a row, or a mask at the
                first reset.
            InvalidArgument: the seed is no whole number.
        """
        given, rows = checked_options(options, ("reset_mask",)), self._rows
        if given:
            rows = self._checked_rows(given["reset_mask"])
        sow(self._games, rows, seed)
        super().reset(seed=None if seed is None else int(as_seeds(seed)[0]))
        if len(rows):
            self._games.deal(rows)
            self._games.settle()
        return self._look()

    def step(
        self, actions: NDArray[np.integer] | Sequence[int]
    ) -> tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Take the learner's decisions, and let the opponents move up to its next ones.

        Args:
            actions: (B,) indices of legal actions; those of rows whose games have ended are
                ignored.

        Returns:
            What the learner sees, uint8 (B, F); its rewards float64 (B,); terminations bool (B,);
            truncations bool (B,); and the infos.

        Raises:
            IllegalAction: an action is not legal; it names row and seat. Nothing has changed.
            InvalidArgument: not B integers.
            ChromazooError: there was no `reset`.
        """
        games = self._playing
        indices = checked_actions(actions, self.num_envs)
        ended_before = np.flatnonzero(games.resting)
        games.step(indices)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and len(ended_before):
            games.deal(ended_before)
        rewards = np.zeros(self.num_envs)
        while len(rows := games.settle()):
            rewards[rows] = games.state.rewards[rows, games.learner[rows]]
        terminations = games.resting & games.state.over
        truncations = games.resting & ~games.state.over
        if self.autoreset_mode is AutoresetMode.SAME_STEP and games.resting.any():
            final = self._final_infos(np.flatnonzero(games.resting))
            games.deal(np.flatnonzero(games.resting))
            games.settle()
        else:
            final = {}
        observations, infos = self._look()
        return observations, rewards, terminations, truncations, final | infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Tell which actions are legal: bool (B, A)."""
        return self._masks.copy()

    def render(self) -> tuple[Frame, ...] | None:
        """Draw what all seats may see of each game.

        Returns:
            The texts (`ansi`), pixels uint8 (height, width, 3) each (`rgb_array`), or None after
            printing the texts (`human`).

        Raises:
            ChromazooError: there was no `reset`.
        """
        state, mode = self._playing.state, self.render_mode
        rows = range(self.num_envs if mode is not None else 1)  # one warning will do
        frames = [show(self.game, state, row, mode) for row in rows]
        given = tuple(frame for frame in frames if frame is not None)
        return given or None

    def _repr_svg_(self) -> Picture | None:
        """Draw what all may see of the first games, for notebooks; None before `reset`."""
        begun = self._games.dealt.any()
        return self.game.sheet(self._games.state, "public") if begun else None

    @property
    def _playing(self) -> OneSeatGames:
        """The games in play."""
        return in_play(self._games)

    def _look(self) -> tuple[Observation, Info]:
        """Tell what the learner sees, and note its masks."""
        games = self._games
        seen = look(self.game, games.state, games.learner, ~games.resting)
        self._masks = seen["action_mask"].astype(np.bool_)
        everywhere = np.ones(self.num_envs, np.bool_)
        return seen["observation"], {
            "action_mask": seen["action_mask"],
            "_action_mask": everywhere,
        }

    def _final_infos(self, rows: Rows) -> Info:
        """Tell of games that have ended, as Gymnasium's own vector environments do."""
        games = self._games
        last = self.game.observe(games.state.take(rows), games.learner[rows])
        observations = np.full(self.num_envs, None, object)
        for row, observation in zip(rows, last, strict=True):
            observations[row] = observation
        ended = games.resting.copy()
        masks = np.zeros((self.num_envs, self.game.num_actions), np.int8)
        return {
            "final_obs": observations,
            "_final_obs": ended,
            "final_info": {"action_mask": masks, "_action_mask": ended.copy()},
            "_final_info": ended.copy(),
        }

    def _checked_rows(self, mask: Any) -> Rows:
        """List the rows that a mask marks; refuse what is not one bool a row."""
        in_play(self._games)
        return np.flatnonzero(checked_reset_mask(mask, self.num_envs))


def lay_out(
    game: Game[Any],
    num_envs: int,
    opponent: Opponents,
    weights: Sequence[float] | None,
    seat: int | None,
    max_plies: int | None,
) -> OneSeatGames:
    """Lay out the games of one seat against opponents that may be named; see `SingleFace`."""
    given: Sequence[object] = [opponent]
    several, others = False, game.num_seats - 1
    if isinstance(opponent, Sequence) and not isinstance(opponent, str):
        given, several = opponent, True
    if weights is not None and not several:
        raise InvalidConfig("weights: they go with a list of opponents")
    if several and weights is None and len(given) != others:
        raise InvalidConfig(
            f"opponent: one for all other seats or a list of {others}, one for each, "
            f"not of {len(given)}; without `weights` nobody is drawn"
        )
    return OneSeatGames(
        game,
        num_envs,
        [_agent(game, each) for each in given],
        weights,
        seat=_checked_seat(game, seat),
        seated=several and weights is None,
        max_plies=max_plies,
    )


def told(
    opponent: Opponents, weights: Sequence[float] | None, seat: int | None
) -> dict[str, object]:
    """Return those of the settings of both faces that are not their defaults."""
    settings: dict[str, object] = {}
    if not (isinstance(opponent, str) and opponent == _DEFAULT):
        settings["opponent"] = opponent
    if seat is not None:
        settings["seat"] = seat
    if weights is not None:
        settings["weights"] = weights
    return settings


def sow(games: OneSeatGames, rows: Rows, seed: int | None) -> None:
    """Seed some rows as `reset` says; without a seed, only if no row ever had one.

    Args:
        games: The games.
        rows: int64 (n,), which rows.
        seed: Row i gets `seed + i`, and the learner its seat by that seed.

    Raises:
        InvalidArgument: the seed is no whole number.
    """
    check_seed(seed)
    if seed is None:
        if games.dealt.any():
            return
        seed = secrets.randbits(64)
    seeds = as_seeds(seed) + rows.astype(np.uint64)
    games.sow(rows, seeds, (seeds % np.uint64(games.game.num_seats)).astype(np.int64))


def in_play(games: OneSeatGames) -> OneSeatGames:
    """Return the games if they have begun.

    Raises:
        ChromazooError: there was no `reset`.
    """
    if not games.dealt.any():
        raise ChromazooError("no game is in play: call reset() first")
    return games


def _agent(game: Game[Any], opponent: object) -> Agent:
    """Return an agent that is given, or named."""
    if isinstance(opponent, str):
        return load(opponent, game)
    check_agent(game, opponent)
    return cast(Agent, opponent)


def _checked_seat(game: Game[Any], seat: object) -> int | None:
    """Refuse seats that do not exist."""
    if seat is None:
        return None
    whole = isinstance(seat, (int, np.integer)) and not isinstance(seat, bool)
    if not whole or not 0 <= seat < game.num_seats:  # type: ignore[operator]
        raise InvalidConfig(
            f"seat: from 0 to {game.num_seats - 1}, or None for each in turn, not {seat!r:.60}"
        )
    return int(seat)  # type: ignore[call-overload, no-any-return]
