"""What an agent is: it sees decisions, not the engine, many at once, and answers with actions."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidAgent, UnknownName
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Game
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import Stream, draw
from chromazoo.envs.state import State

HEURISTICS = {
    "chroma": "chromazoo.agents.chroma:ChromaHeuristic",
    "guardians": "chromazoo.agents.guardians:GuardiansHeuristic",
    "kroma": "chromazoo.agents.kroma:KromaHeuristic",
}

AGENTS = (
    "random, heuristic, ppo, ppo:PATH or module:attribute; with ?greedy behind it, as in"
    " ppo:?greedy or ppo:PATH?greedy, a policy takes the likeliest action"
)
"""The names that `load` takes."""


@dataclass(frozen=True)
class Decision:
    """The decisions of one seat in each of n games.

    Attributes:
        game: The rules and the layouts of observations and actions.
        seats: int8 (n,), who decides.
        legal: uint64 (n, W), the packed legal sets.
        stream: uint64 (n,), the agent's own random streams; draw from them in place.
        look: Makes the observations when they are first asked for.
        states: The games with all that the seat does not know drawn anew; only for agents whose
            `wants_states` is true.
    """

    game: Game[Any]
    seats: NDArray[np.int8]
    legal: Words
    stream: Stream
    look: Callable[[], Observation]
    states: State | None = None

    @cached_property
    def observation(self) -> Observation:
        """What each seat knows: uint8 (n, F), made when first asked for."""
        return self.look()

    @cached_property
    def action_mask(self) -> NDArray[np.bool_]:
        """The legal sets unpacked: bool (n, A), made when first asked for."""
        return self.game.packing.unpack(self.legal)


@runtime_checkable
class Agent(Protocol):
    """Anything that decides.

    Attributes:
        name: What tables call it.
        wants_states: Whether its decisions come with redealt states, for look-ahead and search.

    An agent that plays one game alone may have the attribute `game`; matches of others refuse it.
    """

    name: str
    wants_states: bool

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose one legal action a game.

        Args:
            decision: n decisions, n at least 1.

        Returns:
            int64 (n,), action indices.
        """
        ...


@runtime_checkable
class TeamPlayer(Agent, Protocol):
    """An agent that decides faster together with others, such as policies that are told the same.

    Attributes:
        team: For which agents of one game can decide together: those of an equal team, all of
            one class, which either all want states or none.
    """

    @property
    def team(self) -> Hashable:
        """See the class."""
        ...

    def act_together(
        self, agents: Sequence[Any], decision: Decision, counts: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose as each agent by itself would.

        Args:
            agents: Agents of this one's team.
            decision: The decisions, in order of the agents.
            counts: int64 (agents,), how many decisions each has to take.

        Returns:
            int64 (n,), action indices.
        """
        ...


@runtime_checkable
class Candid(Agent, Protocol):
    """An agent that tells how likely it is to take each action."""

    def probabilities(self, decision: Decision) -> NDArray[np.float64]:
        """Tell how likely `act` takes each action, over the random numbers that it would draw.

        Args:
            decision: n decisions; their streams may move on, and what is told must not depend on
                them, but for errors of an estimate.

        Returns:
            float64 (n, A), zero for actions that are not legal; each row adds up to 1.
        """
        ...


class RandomAgent:
    """Chooses among the legal actions, each with the same chance."""

    name = "random"
    wants_states = False

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        return decision.game.packing.pick(decision.legal, decision.stream)

    def probabilities(self, decision: Decision) -> NDArray[np.float64]:
        """Tell the chance of each legal action, the same for all; see `Candid.probabilities`."""
        mask = decision.action_mask
        shares: NDArray[np.float64] = mask / mask.sum(axis=1, keepdims=True)
        return shares


def check_agent(game: Game[Any], agent: object) -> None:
    """Refuse what is no agent for a game.

    Args:
        game: The rules.
        agent: What is to play it.

    Raises:
        InvalidAgent: it is no agent, or was made for another game or config.
    """
    if isinstance(agent, type) or not isinstance(agent, Agent):
        raise InvalidAgent(f"no agent, with name, wants_states and act: {agent!r:.60}")
    made_for = getattr(agent, "game", game)
    if made_for != game:
        raise InvalidAgent(f"agent {agent.name} was made for {made_for!r}, not {game!r}")


def make_decision(
    agent: Agent,
    game: Game[Any],
    state: State,
    stream: Stream,
    seats: NDArray[np.integer] | None = None,
) -> Decision:
    """Make what an agent is shown of its decisions.

    Args:
        agent: Who decides.
        game: The rules.
        state: n games, none of them over.
        stream: uint64 (n,), the agent's streams of these games; changed.
        seats: (n,), for which pending seats it decides; the seats to decide if not given.

    Returns:
        The decisions.
    """
    eyes = state.seat.copy() if seats is None else seats.astype(np.int8)
    states = game.redeal(state, eyes, draw(stream)) if agent.wants_states else None
    legal = game.legal(state, None if seats is None else eyes)
    return Decision(game, eyes, legal, stream, lambda: game.observe(state, eyes), states)


def decide(agent: Agent, game: Game[Any], state: State, stream: Stream) -> NDArray[np.int64]:
    """Let an agent decide for the seats to decide of all games.

    Args:
        agent: Who decides.
        game: The rules.
        state: n games, none of them over.
        stream: uint64 (n,), the agent's streams of these games; changed.

    Returns:
        int64 (n,), action indices.

    Raises:
        InvalidAgent: its answer is not one action index a game.
    """
    decision = make_decision(agent, game, state, stream)
    seats = decision.seats
    actions = np.asarray(agent.act(decision))
    if actions.shape != seats.shape or actions.dtype.kind not in "iu":
        raise InvalidAgent(
            f"agent {agent.name}: {len(seats)} action indices needed, "
            f"not an array of {actions.dtype} {actions.shape}"
        )
    return actions.astype(np.int64, copy=False)


def load(name: str, game: Game[Any]) -> Agent:
    """Find an agent by its name.

    Args:
        name: `random`, `heuristic`, `ppo` (the policy shipped for the game), `ppo:PATH` (a policy
            file or a training folder; it samples, `?greedy` behind the path takes the best action),
            or `module:attribute`, a class or function that is called with the game, in a module
            that Python finds (on the command line, in the working folder, too).
        game: What it is to play.

    Returns:
        The agent.

    Raises:
        UnknownName: there is no such agent, or none for this game.
        InvalidAgent: what was found is no agent.
        InvalidFile: the policy is damaged or of another game.
    """
    kind, _, rest = name.partition(":")
    if name == "random":
        return RandomAgent()
    if name == "heuristic":
        if game.id not in HEURISTICS:
            raise UnknownName(f"no heuristic agent for {game.id}")
        return _imported(name, HEURISTICS[game.id], game)
    if kind == "ppo":
        if not can_read_policies():
            raise UnknownName(f"agent {name!r} needs torch: pip install 'chromazoo[train]'")
        return _imported(name, "chromazoo.agents.ppo:load_ppo", game, rest)
    if rest:
        return _imported(name, name, game)
    raise UnknownName(f"no agent {name!r}; agents are {AGENTS}")


def can_read_policies() -> bool:
    """Tell whether what `ppo` needs is installed, the extra `train`."""
    return find_spec("torch") is not None and find_spec("safetensors") is not None


def _imported(name: str, place: str, game: Game[Any], *arguments: str) -> Agent:
    """Import `module:attribute` and call it with the game."""
    module_name, _, attribute = place.partition(":")
    try:
        module = import_module(module_name)
    except (ImportError, ValueError, TypeError) as error:
        raise UnknownName(f"agent {name!r}: {error}") from None
    factory = getattr(module, attribute, None)
    if not callable(factory):
        file = getattr(module, "__file__", None)
        where = f" ({file})" if file else ""
        raise UnknownName(
            f"agent {name!r}: {module_name} has no class or function {attribute!r}{where}"
        )
    try:
        agent = factory(game, *arguments)
    except TypeError as error:
        raise InvalidAgent(f"agent {name!r}: called with the game, {error}") from error
    if not isinstance(agent, Agent):
        raise InvalidAgent(f"agent {name!r}: an agent has name, wants_states and act")
    return agent
