"""Where the time of training goes: environment, opponents, policy, learning."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, Decision, TeamPlayer

ENVIRONMENT = "environment"
OPPONENTS = "opponents"
POLICY = "policy"
LEARNING = "learning"
PARTS = (ENVIRONMENT, OPPONENTS, POLICY, LEARNING)
"""The environment deals and steps games and observes for the learner; opponents observe and decide;
the policy describes positions and decides for the learner; learning is all else."""


class Stopwatch:
    """Adds up the seconds of each part. A part within another is taken off the outer one.

    Attributes:
        seconds: Part -> seconds so far.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._part: str | None = None
        self._since = 0.0

    @contextmanager
    def during(self, part: str) -> Iterator[None]:
        """Give the time of a block to a part, one of `PARTS`."""
        outer = self._turn_to(part)
        try:
            yield
        finally:
            self._turn_to(outer)

    def _turn_to(self, part: str | None) -> str | None:
        """Give the time until now to the part that it belongs to; return that part."""
        now, before = time.perf_counter(), self._part
        if before is not None:
            self.seconds[before] += now - self._since
        self._part, self._since = part, now
        return before

    def taken(self) -> dict[str, float]:
        """Return the seconds of each part, and begin anew."""
        seconds, self.seconds = self.seconds, dict.fromkeys(PARTS, 0.0)
        return seconds


class TimedAgent:
    """An agent whose decisions are given to the opponents' time.

    Attributes:
        agent: The agent.
        name: Its name.
        wants_states: As the agent's.
    """

    def __init__(self, agent: Agent, stopwatch: Stopwatch) -> None:
        """Wrap an agent."""
        self.agent = agent
        self.name = agent.name
        self.wants_states = agent.wants_states
        self._stopwatch = stopwatch

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        with self._stopwatch.during(OPPONENTS):
            return self.agent.act(decision)


class TimedTeamPlayer(TimedAgent):
    """The same of an agent that can decide together with others.

    Attributes:
        team: As the agent's.
    """

    agent: TeamPlayer

    def __init__(self, agent: TeamPlayer, stopwatch: Stopwatch) -> None:
        """Wrap an agent."""
        super().__init__(agent, stopwatch)
        self.team = agent.team

    def act_together(
        self, agents: Sequence["TimedTeamPlayer"], decision: Decision, counts: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose for several; see `TeamPlayer.act_together`."""
        with self._stopwatch.during(OPPONENTS):
            return self.agent.act_together([each.agent for each in agents], decision, counts)


def timed(agent: Agent, stopwatch: Stopwatch) -> TimedAgent:
    """Wrap an agent so that its decisions are given to the opponents' time.

    Args:
        agent: The agent.
        stopwatch: What takes the time.

    Returns:
        An agent that plays as it does, and can decide together with others if it can.
    """
    if isinstance(agent, TeamPlayer):
        return TimedTeamPlayer(agent, stopwatch)
    return TimedAgent(agent, stopwatch)


def shares(seconds: Mapping[str, float]) -> dict[str, float]:
    """Turn seconds into shares of their sum; all are zero where the sum is.

    >>> shares({"policy": 1.0, "learning": 3.0})
    {'policy': 0.25, 'learning': 0.75}
    """
    total = sum(seconds.values())
    return {part: each / total if total else 0.0 for part, each in seconds.items()}
