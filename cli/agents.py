"""Agents that a command line names: what a user's own code gets wrong is told in one line."""

import os
import sys
import traceback

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, Decision, load
from chromazoo.cli.options import note
from chromazoo.envs.errors import ChromazooError, InvalidAgent
from chromazoo.envs.game import Game
from chromazoo.envs.state import State


def load_agent(name: str, game: Game[State]) -> Agent:
    """Find an agent by its name, and answer for it where it is a user's own.

    Args:
        name: What `chromazoo.agents.agent.load` takes; the module of a user's own may also lie in
            the working folder.
        game: What it is to play.

    Returns:
        The agent. That it plays by the policy of an unfinished run is said on standard error.

    Raises:
        ChromazooError: there is no such agent, or its code failed as it was imported or called.
    """
    if ":" not in name or name.startswith("ppo:"):
        agent = load(name, game)
        if getattr(agent, "unfinished", False):
            note(f"chromazoo: {name}: an unfinished run, so far {getattr(agent, 'source', '')}")
        return agent
    _search_here()
    try:
        return _UserAgent(name, load(name, game))
    except ChromazooError:
        raise
    except (Exception, SystemExit) as error:
        raise _failed(name, error) from error


def _search_here() -> None:
    """Let Python find modules of the working folder, first of all, as `python -m` does."""
    here = os.getcwd()
    if not {"", here} & set(sys.path):
        sys.path.insert(0, here)


class _UserAgent:
    """A user's agent, whose failures are `InvalidAgent`."""

    def __init__(self, name: str, agent: Agent) -> None:
        self.name = name
        self.wants_states = agent.wants_states
        self._agent = agent

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        try:
            return self._agent.act(decision)
        except (Exception, SystemExit) as error:
            raise _failed(self.name, error) from error


def _failed(name: str, error: BaseException) -> InvalidAgent:
    """Say what a user's code raised, and where."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return InvalidAgent(f"agent {name!r} failed: {why} ({place.filename}:{place.lineno})")
