"""Agents by name, and agents that do not do what agents do: one clear line each."""

from typing import Any

import numpy as np
import pytest

from chromazoo.agents import RandomAgent, decide, load
from chromazoo.envs import kroma_v0
from chromazoo.envs.errors import ChromazooError, InvalidAgent, UnknownName
from chromazoo.envs.randomness import as_seeds
from tests.tiny.game import Game as TinyGame

GAME = kroma_v0.Game(size="baby")
PLACE = "tests.agents.test_agent"


class Answering:
    """An agent that answers whatever it was given."""

    name = "answering"
    wants_states = False

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, decision: Any) -> Any:
        return self.answer


def no_agent(game: Any) -> object:
    return object()


def too_many(game: Any, more: Any) -> RandomAgent:
    return RandomAgent()


def fine(game: Any) -> RandomAgent:
    return RandomAgent()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "randum",
        ":x",
        "..x:y",
        "no.such.module:thing",
        "math:pi",
        "math:no_such_thing",
        "os:getcwd",
        f"{PLACE}:no_agent",
        f"{PLACE}:too_many",
        "ppo:no/such/file",
    ],
)
def test_what_is_no_agent_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(ChromazooError) as caught:
        load(name, GAME)
    assert str(caught.value).count("\n") == 0
    assert len(str(caught.value)) > 10


def test_agents_by_name() -> None:
    assert load("random", GAME).name == "random"
    assert load("heuristic", GAME).name == "heuristic"
    assert load(f"{PLACE}:fine", GAME).name == "random"
    with pytest.raises(UnknownName):
        load("heuristic", TinyGame())


@pytest.mark.parametrize("answer", [None, 0, [0], [0.0, 0.0], [[0], [0]], ["a", "b"], [0, 0, 0]])
def test_answers_are_one_index_a_game(answer: Any) -> None:
    state = GAME.deal(range(2))
    with pytest.raises(InvalidAgent, match="answering"):
        decide(Answering(answer), GAME, state, as_seeds(range(2)))


def test_answers_of_any_integer_dtype_count() -> None:
    state = GAME.deal(range(2))
    for answer in ([1, 2], np.array([1, 2], np.uint8)):
        found = decide(Answering(answer), GAME, state, as_seeds(range(2)))
        assert found.dtype == np.int64
        assert found.tolist() == [1, 2]
