"""Masked random play through faces: the same choices for the same game, whichever face shows it."""

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.aec import Env
from chromazoo.envs.game import Game
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.randomness import agent_stream, as_seeds, below
from chromazoo.envs.state import State

AnyGame = Game[Any]
LONGEST = 1000  # decisions after which play through a face is cut off


class Players:
    """Random players at every seat of B games; a seat's draws depend on its game's seed alone."""

    def __init__(self, seeds: Any, num_seats: int) -> None:
        self._streams = np.stack(
            [agent_stream(as_seeds(seeds), seat) for seat in range(num_seats)], axis=1
        )

    def act(self, masks: NDArray[np.int8], seats: Any) -> NDArray[np.int64]:
        """Choose for one seat of each game: masks (B, A), 0 where nothing is legal."""
        rows = np.flatnonzero(masks.any(axis=1))
        seats = np.asarray(seats)[rows]
        stream = self._streams[rows, seats]
        place = below(stream, masks[rows].sum(axis=1, dtype=np.int64))
        self._streams[rows, seats] = stream
        actions = np.zeros(len(masks), np.int64)
        actions[rows] = (masks[rows].cumsum(axis=1, dtype=np.int64) > place[:, None]).argmax(axis=1)
        return actions


@dataclass
class Course:
    """How a game went: decisions in order (of one round, in seat order), and its end.

    Attributes:
        decisions: Seat, mask and action of every decision.
        alone: Observations at decisions where no other seat was pending, by number of the decision.
        last_views: The observations of all seats at the end.
        rewards: The sum of each seat's rewards.
        truncated: Whether the game was broken off.
    """

    decisions: list[tuple[int, bytes, int]] = field(default_factory=list)
    alone: dict[int, bytes] = field(default_factory=dict)
    last_views: list[bytes] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    truncated: bool = False


def decide(players: Players, seen: dict[str, Any], seat: int) -> int:
    """Let one seat of a single game decide."""
    return int(players.act(seen["action_mask"][None], [seat])[0])


def play_aec(env: Env, players: Players) -> Course:
    """Play the game that was begun in an AEC environment to its end."""
    course = Course(rewards=[0.0] * len(env.possible_agents))
    seats = {agent: seat for seat, agent in enumerate(env.possible_agents)}
    told = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter(LONGEST):
        seen, reward, termination, truncation, info = env.last()
        assert seen is not None
        assert info == {}
        told[agent] += reward
        if termination or truncation:
            course.truncated = truncation
            course.last_views.append(seen["observation"].tobytes())
            env.step(None)
            continue
        action = decide(players, seen, seats[agent])
        course.alone[len(course.decisions)] = seen["observation"].tobytes()
        course.decisions.append((seats[agent], seen["action_mask"].tobytes(), action))
        env.step(action)
        for name, reward in env.rewards.items():
            course.rewards[seats[name]] += reward
    assert list(told.values()) == course.rewards
    return course


def play_parallel(env: ParallelFace, players: Players, seen: dict[str, Any]) -> Course:
    """Play the game that was begun in a parallel environment to its end."""
    course = Course(rewards=[0.0] * len(env.possible_agents))
    while env.agents and len(course.decisions) < LONGEST:
        choosers = [agent for agent in env.agents if seen[agent]["action_mask"].any()]
        actions = {}
        for agent in choosers:
            seat = env.possible_agents.index(agent)
            actions[agent] = decide(players, seen[agent], seat)
            if len(choosers) == 1:
                course.alone[len(course.decisions)] = seen[agent]["observation"].tobytes()
            mask = seen[agent]["action_mask"].tobytes()
            course.decisions.append((seat, mask, actions[agent]))
        seen, rewards, _, truncations, infos = env.step(actions)
        assert set(infos) == set(env.possible_agents)
        assert not any(infos.values())
        course.truncated = any(truncations.values())
        for seat, agent in enumerate(env.possible_agents):
            course.rewards[seat] += rewards[agent]
    course.last_views = [seen[agent]["observation"].tobytes() for agent in env.possible_agents]
    return course


def stage(game: AnyGame, state: State) -> AnyGame:
    """Return the game with every deal replaced by given games, for faces that begin there."""
    staged = copy.copy(game)
    vars(staged)["deal"] = lambda seeds: state.take(np.arange(len(as_seeds(seeds))) % len(state))
    return staged
