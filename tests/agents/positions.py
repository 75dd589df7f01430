"""Positions from random play, and what every agent's decisions in them must be."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents import Agent, decide
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import agent_stream, as_seeds
from chromazoo.envs.state import State
from tests.contract.play import mixed

S = TypeVar("S", bound=State)


def under_way(game: Game[S], games: int) -> S:
    """Games that random agents have begun, at all stages, without those that are over."""
    state = mixed(game, games)
    return state.take(np.flatnonzero(~state.over))


def last_chances(game: Game[S], games: int) -> S:
    """The positions in which random agents made the winning move."""
    seeds = as_seeds(range(games))
    state, stream = game.deal(seeds), agent_stream(seeds, 0)
    found = state.copy()
    while not state.over.all():
        live = np.flatnonzero(~state.over)
        found.put(live, state.take(live))
        game.step(state, game.packing.pick(game.legal(state), stream))
    return found.take(np.flatnonzero(state.rewards[np.arange(games), found.seat] == 1))


def decided(agent: Agent, game: Game[S], state: S) -> NDArray[np.int64]:
    """An agent's actions, row i drawn from the stream of seed i."""
    return decide(agent, game, state, as_seeds(range(len(state))))


def check_wins_at_once(agent: Agent, game: Game[Any], state: State) -> None:
    """An agent makes a winning move in each of these positions, which have one."""
    won = state.copy()
    game.step(won, decided(agent, game, state))
    assert (won.rewards[np.arange(len(state)), state.seat] == 1).all()


def check_decides_alike_alone(agent: Agent, game: Game[Any], state: State) -> None:
    """An agent's decisions are legal, and the same in a batch as alone."""
    together = decided(agent, game, state)
    alone = [
        decide(agent, game, state.take([row]), as_seeds([row])).item() for row in range(len(state))
    ]
    assert together.tolist() == alone
    assert game.packing.contains(game.legal(state), together).all()


def check_decides_by_what_it_knows(
    agent: Agent, game: Game[Any], state: State, hidden: str
) -> None:
    """An agent decides the same where all is drawn anew that its seat cannot know.

    Args:
        agent: The agent.
        game: Its game.
        state: Some positions.
        hidden: An array of the state that is not the same then.
    """
    world = game.redeal(state, state.seat, as_seeds(range(1000, 1000 + len(state))))
    assert (world.arrays[hidden] != state.arrays[hidden]).any()
    assert decided(agent, game, world).tolist() == decided(agent, game, state).tolist()
