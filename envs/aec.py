"""The AEC face: a PettingZoo environment in which seats decide one at a time.

Where a game's decisions are simultaneous, the seats that owe one choose in seat order, and none
sees what an earlier one chose before the game reveals it.
"""

from typing import Any, SupportsIndex

from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from chromazoo.envs.errors import ChromazooError
from chromazoo.envs.face import Face, checked_action
from chromazoo.envs.game import Game
from chromazoo.envs.spaces import Seen
from chromazoo.envs.svg import Picture

Env = AECEnv[str, dict[str, Any], Any]


class AECFace(Face, Env):
    """A game as a PettingZoo `AECEnv`; see `Face` for what else it has.

    Every seat gets its reward when the game ends: in `rewards` after the last decision, and in
    `last()` at its dead step. Reaching `max_plies` truncates the game, with rewards 0.

    Attributes:
        agent_selection: The seat to decide, or whose dead step is due.
        rewards: Seat -> its reward from the last step.
        terminations: Seat -> whether the game has ended by its rules.
        truncations: Seat -> whether the game was broken off.
        infos: Seat -> an empty dict: nothing is told beside the observation.

    The last move of a game, here White's capture of Black's last piece in Kroma, and what follows:

    >>> from chromazoo.envs import kroma_v0
    >>> position = "4/4/4/p3/P3/4 pybo/pybo/pybo/pybo/pybo/pybo w 0"
    >>> env = kroma_v0.raw_env(size="basic")
    >>> env.reset(options={"position": position})
    >>> state = env.game.from_position([position])
    >>> env.step(env.game.parse_move(state, 0, "a2-a3"))
    >>> env.rewards
    {'player_0': 1.0, 'player_1': -1.0}
    >>> for agent in env.agent_iter():  # each seat's dead step
    ...     observation, reward, termination, truncation, info = env.last()
    ...     print(agent, reward, termination)
    ...     env.step(None)
    player_0 1.0 True
    player_1 -1.0 True
    """

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: The game's seed, taken modulo 2^64; the same seed is the same deal, and the same
                chance later on.
                Without it every call begins another game: the n-th after the last seed s is the
                one of seed `mix(s, n)`; if there never was a seed, s is drawn from the system's
                entropy.
            options: `{"position": text}` begins in the middle, `{"setup": {…}}` (as in a record)
                from a set-up that is given.

        Raises:
            ChromazooError: both options at once, or an unknown one.
            InvalidPosition: the position is not one of this game.
            InvalidSetup: the set-up does not fit the game.
        """
        self._begin(seed, options)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._publish()

    def step(self, action: SupportsIndex | None) -> None:
        """Take the decision of `agent_selection`; None where it is its dead step.

        Args:
            action: The index of a legal action.

        Raises:
            IllegalAction: the action is not legal. Nothing has changed.
            ChromazooError: no game is in play, or None where there is something to decide.
            InvalidArgument: the action is not an integer.
            ValueError: an action at a dead step.
        """
        if not self.agents:
            raise ChromazooError("no game is in play: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ChromazooError(f"{agent} is to decide: its action is an index, not None")
        seat = int(self._playing.seat[0])
        self.game.step(self._playing, [checked_action(self.game, seat, action)])
        self._cumulative_rewards[agent] = 0.0
        self._publish()

    def observe(self, agent: str) -> Seen:
        """Tell what an agent sees.

        Args:
            agent: Which one; it may be any of `possible_agents`.

        Returns:
            `observation` uint8 (F,), and `action_mask` int8 (A,), all 0 unless the agent is the one
            to decide.

        Raises:
            InvalidArgument: there is no such agent.
        """
        deciding = not any(self._ended) and agent == self.agent_selection
        return self._look(self._seat_of(agent), deciding)

    def _publish(self) -> None:
        """Tell how things stand after a decision or a reset."""
        over, broken_off = self._ended
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, broken_off)
        self.infos = {agent: {} for agent in self.agents}
        self.rewards = self._rewards
        if over:
            self._accumulate_rewards()
        self.agent_selection = self.possible_agents[int(self._playing.seat[0])]
        if over or broken_off:
            self._deads_step_first()
        self._draw_for_human()


class OrderedEnv(OrderEnforcingWrapper[str, dict[str, Any], Any]):
    """PettingZoo's wrapper that enforces the order of calls; notebooks show what it wraps."""

    env: AECFace

    def __str__(self) -> str:
        return str(self.env)

    def _repr_svg_(self) -> Picture | None:
        """Draw what all seats may see; None before the first `reset`."""
        return self.env._repr_svg_()


def make_env(game: Game[Any], render_mode: str | None = None, max_plies: int | None = None) -> Env:
    """Make the AEC face of a game in PettingZoo's wrapper that enforces the order of calls.

    Args:
        game: The rules.
        render_mode: `human`, `ansi`, `rgb_array` or None.
        max_plies: Decisions after which an unfinished game is truncated, None for never.

    Returns:
        An `AECFace` that also refuses calls in the wrong order.

    Raises:
        InvalidConfig: an unknown render mode, pixels without the extra `draw`, or a limit below 1.
    """
    return OrderedEnv(AECFace(game, render_mode, max_plies))
