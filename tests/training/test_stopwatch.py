"""Every moment is given to one part, the innermost."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from chromazoo.agents.agent import Decision, RandomAgent, TeamPlayer, decide
from chromazoo.agents.network import build_network
from chromazoo.agents.ppo import PPOAgent
from chromazoo.envs.randomness import agent_stream, as_seeds
from chromazoo.training import stopwatch
from chromazoo.training.stopwatch import PARTS, Stopwatch, TimedAgent, shares, timed
from tests.games import EXAMPLES


class Clock:
    """A clock that goes on by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(stopwatch, "time", SimpleNamespace(perf_counter=lambda: self.now))


def test_inner_parts_are_taken_off_outer_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, watch = Clock(monkeypatch), Stopwatch()
    clock.now += 50  # nobody's
    with watch.during("learning"):
        clock.now += 1
        with watch.during("environment"):
            clock.now += 2
            for _ in range(2):
                with watch.during("opponents"):
                    clock.now += 4
            clock.now += 8
        with watch.during("policy"):
            clock.now += 16
        clock.now += 32
    clock.now += 50
    wanted = {"environment": 10.0, "opponents": 8.0, "policy": 16.0, "learning": 33.0}
    assert watch.taken() == wanted
    assert watch.taken() == dict.fromkeys(PARTS, 0.0)


def test_a_part_that_fails_ends_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, watch = Clock(monkeypatch), Stopwatch()

    def fail() -> None:
        clock.now += 1
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), watch.during("learning"), watch.during("policy"):
        fail()
    clock.now += 50
    assert watch.taken() == {**dict.fromkeys(PARTS, 0.0), "policy": 1.0}


def test_timed_agents_play_as_they_did(monkeypatch: pytest.MonkeyPatch) -> None:
    game, clock, watch = EXAMPLES["tiny"], Clock(monkeypatch), Stopwatch()

    class Slow(RandomAgent):
        """Thinks for a second."""

        def act(self, decision):  # type: ignore[no-untyped-def]
            clock.now += 1
            return super().act(decision)

    state = game.deal(range(20))
    streams = [agent_stream(as_seeds(range(20)), np.zeros(20, np.int64)) for _ in range(2)]
    timed = TimedAgent(Slow(), watch)
    assert (timed.name, timed.wants_states) == ("random", False)
    with watch.during("environment"):
        ours = decide(timed, game, state, streams[0])
    theirs = decide(RandomAgent(), game, state, streams[1])
    assert (ours == theirs).all()
    assert (streams[0] == streams[1]).all()
    assert watch.taken() == {**dict.fromkeys(PARTS, 0.0), "opponents": 1.0}


def test_timed_agents_decide_together_as_they_did() -> None:
    """Policies in one pool are told what they see at once, whoever takes their time."""
    game, watch = EXAMPLES["tiny"], Stopwatch()
    network = build_network(game, {"kind": "mlp", "width": 8, "depth": 1})
    network.initialise(torch.Generator().manual_seed(3))
    own = [PPOAgent(network), PPOAgent(network, greedy=True), PPOAgent(network)]
    wrapped = [timed(agent, watch) for agent in (*own, RandomAgent())]
    assert [isinstance(agent, TeamPlayer) for agent in wrapped] == [True, True, True, False]
    both = [own[0], own[2]]
    first, second = wrapped[0], wrapped[2]
    assert isinstance(first, TeamPlayer)
    assert isinstance(second, TeamPlayer)
    assert first.team == second.team == own[0].team
    state, counts = game.deal(range(20)), np.array([12, 8])
    streams = [agent_stream(as_seeds(range(20)), np.zeros(20, np.int64)) for _ in range(2)]
    ours, theirs = (
        Decision(game, state.seat, game.legal(state), stream, lambda: game.observe(state))
        for stream in streams
    )
    assert (
        first.act_together([first, second], ours, counts)
        == own[0].act_together(both, theirs, counts)
    ).all()
    seconds = watch.taken()
    assert seconds["opponents"] > 0
    assert sum(seconds.values()) == seconds["opponents"]


def test_shares_of_nothing_are_zero() -> None:
    assert shares({"policy": 0.0, "learning": 0.0}) == {"policy": 0.0, "learning": 0.0}
