"""Agents that a command line names: what a user's own code gets wrong is told in one line."""

import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, Candid, Decision, load
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
    try:
        with _searching_here(name.partition(":")[0]):
            agent = load(name, game)
    except ChromazooError:
        raise
    except (Exception, SystemExit) as error:
        raise _failed(name, error) from error
    return (_CandidUserAgent if isinstance(agent, Candid) else _UserAgent)(name, agent)


@contextmanager
def _searching_here(module: str) -> Iterator[None]:
    """Let Python find a module in the working folder while a block runs, first of all.

    What it imports in its turn may lie there too, then and later, but is found there last, so that
    no file in the folder takes the place of anything that is installed.
    """
    if "" not in sys.path:
        sys.path.append("")
    finder = _Here(module.partition(".")[0])
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Here:
    """Finds one module or package of the working folder; see `importlib.abc.MetaPathFinder`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find it; of folders, those alone that say in `__init__.py` that they are packages."""
        spec = PathFinder.find_spec(name, [""]) if name == self._name else None
        return None if spec is None or spec.origin is None else spec


class _UserAgent:
    """A user's agent, whose failures are `InvalidAgent`."""

    def __init__(self, name: str, agent: Agent) -> None:
        self.name = name
        self.wants_states = agent.wants_states
        if hasattr(agent, "game"):
            self.game = agent.game
        self._agent = agent

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        try:
            return self._agent.act(decision)
        except (Exception, SystemExit) as error:
            raise _failed(self.name, error) from error


class _CandidUserAgent(_UserAgent):
    """One that tells how likely it is to take each action."""

    _agent: Candid

    def probabilities(self, decision: Decision) -> NDArray[np.float64]:
        """Tell; see `Candid.probabilities`."""
        try:
            return self._agent.probabilities(decision)
        except (Exception, SystemExit) as error:
            raise _failed(self.name, error) from error


def _failed(name: str, error: BaseException) -> InvalidAgent:
    """Say what a user's code raised, and where."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return InvalidAgent(f"agent {name!r} failed: {why} ({place.filename}:{place.lineno})")
