"""What tests of the faces of one seat share: agents, a plain loop over games, and courses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, Decision, RandomAgent, decide
from chromazoo.agents.single import SingleFace
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import Stream, agent_stream, as_seeds, mix

AnyGame = Game[Any]


class FirstAgent:
    """Takes the first legal action."""

    name = "first"
    wants_states = False

    def act(self, decision: Decision) -> NDArray[np.int64]:
        first: NDArray[np.int64] = decision.action_mask.argmax(axis=1)
        return first


class LastAgent:
    """Takes the last legal action."""

    name = "last"
    wants_states = False

    def act(self, decision: Decision) -> NDArray[np.int64]:
        mask = decision.action_mask
        last: NDArray[np.int64] = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
        return last


class Spy(RandomAgent):
    """Plays at random and keeps all that it is shown."""

    def __init__(self) -> None:
        self.shown: list[tuple[list[int], bytes, bytes, bytes]] = []

    def act(self, decision: Decision) -> NDArray[np.int64]:
        assert decision.states is None
        parts = (decision.observation, decision.action_mask, decision.stream)
        observation, mask, stream = (part.tobytes() for part in parts)
        self.shown.append((decision.seats.tolist(), observation, mask, stream))
        return super().act(decision)


@dataclass
class Told:
    """What a face tells after a reset or a step."""

    observation: list[int]
    mask: list[int]
    learner: int
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False


def choice(mask: NDArray[Any], time: int) -> int:
    """A learner that depends on nothing but its mask and the time."""
    legal = np.flatnonzero(mask)
    return int(legal[(7 * time + 3 * len(legal)) % len(legal)])


def told_by(env: SingleFace, seed: int, games: int) -> list[Told]:
    """Play some games, the first of a seed, and keep all that is told."""
    course = []
    for number in range(games):
        observation, info = env.reset(seed=None if number else seed)
        mask = info["action_mask"]
        course.append(Told(observation.tolist(), mask.tolist(), env.learner))
        ended, time = False, 0
        while not ended:
            observation, reward, terminated, truncated, info = env.step(choice(mask, time))
            mask = info["action_mask"]
            assert np.array_equal(mask, env.action_masks())
            told = (observation.tolist(), mask.tolist(), env.learner)
            course.append(Told(*told, reward, terminated, truncated))
            ended, time = terminated or truncated, time + 1
    return course


def played_alone(
    game: AnyGame,
    seed: int,
    opponents: Sequence[Agent],
    seat: int | None = None,
    max_plies: int | None = None,
) -> Iterator[Told]:
    """What a face must tell, game after game, from a plain loop over the rules.

    Opponent k sits k + 1 seats after the learner.
    """
    number = 0
    while True:
        start: Stream = as_seeds(seed) if not number else mix(as_seeds(seed), number)
        learner = (seed + number) % game.num_seats if seat is None else seat
        number += 1
        state = game.deal(start)
        streams = [agent_stream(start, player) for player in range(game.num_seats)]
        own = np.array([learner])
        time, cut = 0, False
        reward = 0.0
        while not (state.over[0] or cut):
            if state.pending[0, learner]:
                mask = game.action_mask(state, own)[0]
                yield Told(game.observe(state, own)[0].tolist(), mask.tolist(), learner)
                game.step(state, [choice(mask, time)], own)
                time += 1
            else:
                player = int(state.seat[0])
                agent = opponents[(player - learner - 1) % game.num_seats]
                game.step(state, decide(agent, game, state, streams[player]))
            cut = not state.over[0] and max_plies is not None and bool(state.plies[0] >= max_plies)
        if time:
            reward = float(state.rewards[0, learner])
            last = game.observe(state, own)[0].tolist()
            yield Told(last, [0] * game.num_actions, learner, reward, not cut, cut)
