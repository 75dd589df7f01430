"""Neither the learner nor its opponents are shown anything that they may not know."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.agents import one_seat
from chromazoo.agents.agent import Agent, decide
from chromazoo.agents.single import SingleFace, SingleVectorFace
from chromazoo.envs.randomness import Stream
from chromazoo.envs.spaces import look
from chromazoo.envs.state import State
from tests.contract.play import history, player_stream
from tests.faces.checkers import worlds_of
from tests.faces.play import AnyGame, stage
from tests.faces.single import Spy
from tests.faults import fails
from tests.games import EXAMPLES

GAMES = ["tiny", "tiny-biggest", "kroma-random", "chroma", "chroma-3", "chroma-6", "guardians-3"]
SEEDS = np.arange(90, 98)
Face = Callable[..., SingleFace]
Vector = Callable[..., SingleVectorFace]


def shown(env: SingleFace, observation: NDArray[Any], info: dict[str, Any]) -> tuple[bytes, ...]:
    """All that a face tells the learner."""
    mask = info.pop("action_mask")
    assert not info
    drawn = str(env.render()).encode()
    return observation.tobytes(), mask.tobytes(), env.action_masks().tobytes(), drawn


def check_learner(face: Face, vector: Vector, game: AnyGame, state: State) -> int:
    """What a seat that is to decide cannot know changes nothing that it is shown as the learner."""
    choosers = np.flatnonzero(state.pending[0]).tolist()
    for seat in choosers:
        worlds = worlds_of(game, state, seat)
        told = set()
        for world in range(len(worlds)):
            env = face(stage(game, worlds.take([world])), seat=seat, render_mode="ansi")
            told.add(shown(env, *env.reset(seed=0)))
        assert len(told) == 1
        envs = vector(stage(game, worlds), len(worlds), seat=seat, render_mode="ansi")
        observations, infos = envs.reset(seed=0)
        for part in (observations, *infos.values(), envs.action_masks()):
            assert (part == part[0]).all()
        assert len(set(envs.render() or ())) == 1
    return len(choosers)


def check_opponent(face: Face, game: AnyGame, state: State) -> int:
    """What an opponent cannot know changes nothing that it is shown, the learner's part least."""
    player = int(state.seat[0])
    learners = [] if state.over[0] else np.flatnonzero(~state.pending[0]).tolist()
    for seat in learners:
        worlds, told = worlds_of(game, state, player), set()
        for world in range(len(worlds)):
            spy = Spy()
            env = face(stage(game, worlds.take([world])), spy, seat=seat, max_plies=1000)
            env.reset(seed=0)
            told.add(str(spy.shown[0]))
            assert spy.shown[0][0] == [player]
        assert len(told) == 1
    return len(learners)


def check_sealed(face: Face, game: AnyGame, state: State) -> int:
    """Of the learner's sealed choice opponents see nothing: state is a game with several pending.

    They are shown the same, up to the moment when it is revealed.
    """
    choosers = np.flatnonzero(state.pending[0]).tolist()
    for seat in choosers:
        told = set()
        for action in np.flatnonzero(game.action_mask(state, np.array([seat]))[0]):
            spies: list[Agent] = [Spy() for _ in range(game.num_seats - 1)]
            env = face(stage(game, state), spies, seat=seat)
            env.reset(seed=0)
            env.step(int(action))
            while not any(spy.shown for spy in spies if isinstance(spy, Spy)):
                env.step(int(env.action_masks().argmax()))  # it chooses once more
            first = [spy.shown[:1] for spy in spies if isinstance(spy, Spy)]
            told.add(str([part for part in first if part and part[0][0][0] in choosers]))
        assert len(told) == 1
    return len(choosers)


@pytest.mark.parametrize("name", GAMES)
def test_what_nobody_may_know_changes_nothing_they_are_shown(name: str) -> None:
    game = EXAMPLES[name]
    states = history(game, game.deal(SEEDS), player_stream(SEEDS), longest=25)
    learners = opponents = 0
    for ply, batch in enumerate(states):
        state = batch.take([ply % len(SEEDS)])
        if not state.over[0]:
            learners += check_learner(SingleFace, SingleVectorFace, game, state)
            opponents += check_opponent(SingleFace, game, state)
    assert learners > 5
    assert opponents > 5 or game.simultaneous


def sealed_states(name: str) -> list[State]:
    """Games in which all seats are to choose at once."""
    game, seeds = EXAMPLES[name], np.arange(20)
    batches = history(game, game.deal(seeds), player_stream(seeds))
    return [
        batch.take([row])
        for batch in batches
        for row in np.flatnonzero(batch.pending.all(axis=1))[:1].tolist()
    ]


@pytest.mark.parametrize("name", ["tiny", "guardians", "guardians-3"])
def test_the_learners_sealed_choices_stay_sealed(name: str) -> None:
    states = sealed_states(name)
    assert states
    for state in states:
        assert check_sealed(SingleFace, EXAMPLES[name], state)


# Faults, each of which a check above must find


class ShowsAnotherSeat(SingleFace):
    def _look(self) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        _, info = super()._look()
        state, seats = self._games.state, (self._games.learner + 1) % self.game.num_seats
        return self.game.observe(state, seats)[0], info


class MasksByAnotherSeat(SingleFace):
    def _look(self) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        observation, _ = super()._look()
        state, seats = self._games.state, (self._games.learner + 1) % self.game.num_seats
        seen = look(self.game, state, seats, np.ones(1, np.bool_))
        return observation, {"action_mask": seen["observation"]}


class VectorShowsAnotherSeat(SingleVectorFace):
    def _look(self) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        _, infos = super()._look()
        state, seats = self._games.state, (self._games.learner + 1) % self.game.num_seats
        return self.game.observe(state, seats), infos


def decide_with_the_learners_eyes(
    agent: Agent, game: AnyGame, state: State, stream: Stream
) -> NDArray[np.int64]:
    """Let an agent decide who sees the seat after its own too."""
    peeping = stage(game, state)
    rightly = game.observe
    seats = (state.seat + 1) % game.num_seats
    vars(peeping)["observe"] = lambda state, _: rightly(state, seats)
    return decide(agent, peeping, state, stream)


def decide_by_what_is_sealed(
    agent: Agent, game: AnyGame, state: State, stream: Stream
) -> NDArray[np.int64]:
    """Let an agent decide whose stream tells what others have chosen."""
    stream += np.uint64(sum(game.dumps(state)))
    return decide(agent, game, state, stream)


def test_leaks_to_the_learner_are_found() -> None:
    game = EXAMPLES["chroma"]
    state = game.deal([5])
    assert not fails(partial(check_learner, SingleFace, SingleVectorFace, game, state))
    for face in (ShowsAnotherSeat, MasksByAnotherSeat):
        assert fails(partial(check_learner, face, SingleVectorFace, game, state))
    assert fails(partial(check_learner, SingleFace, VectorShowsAnotherSeat, game, state))


def test_leaks_to_opponents_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    game, tiny, sealed = EXAMPLES["chroma"], EXAMPLES["tiny"], sealed_states("tiny")[0]
    state = game.deal([5])
    assert not fails(partial(check_opponent, SingleFace, game, state))
    assert not fails(partial(check_sealed, SingleFace, tiny, sealed))
    monkeypatch.setattr(one_seat, "decide", decide_with_the_learners_eyes)
    assert fails(partial(check_opponent, SingleFace, game, state))
    monkeypatch.setattr(one_seat, "decide", decide_by_what_is_sealed)
    assert fails(partial(check_sealed, SingleFace, tiny, sealed))
