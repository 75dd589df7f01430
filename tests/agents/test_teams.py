"""Policies that decide together decide as each of them by itself would."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from chromazoo.agents.agent import Decision, RandomAgent, TeamPlayer
from chromazoo.agents.network import build_network
from chromazoo.agents.one_seat import OneSeatGames
from chromazoo.agents.ppo import PPOAgent
from chromazoo.envs.game import Game
from tests.agents.networks import network_for
from tests.games import EXAMPLES

GAMES = ["baby", "chroma", "chroma-4-fast", "guardians-3", "tiny"]


class Alone:
    """An agent that has no team."""

    wants_states = False

    def __init__(self, agent: PPOAgent) -> None:
        self.name = agent.name
        self.act = agent.act


def pool(game: Game[Any], greedy: bool) -> list[PPOAgent]:
    kind = "mlp" if game.id == "tiny" else game.id
    return [PPOAgent(network_for(game, kind, seed), greedy=greedy) for seed in (1, 2, 3)]


def played(game: Game[Any], opponents: list[Any], steps: int = 40) -> list[list[int]]:
    """All that happens at a table of 30 games: the learner takes its first legal action."""
    games, rows = OneSeatGames(game, 30, opponents, [1, 2, 1, 1]), np.arange(30)
    games.sow(rows, rows.astype(np.uint64), rows)
    games.deal(rows)
    games.settle()
    seen = []
    for _ in range(steps):
        games.step(game.action_mask(games.state, games.learner).argmax(axis=1))
        while len(ended := games.settle()):
            games.deal(ended)
        seen.append(game.observe(games.state, games.learner).tolist())
    return seen


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_a_team_decides_as_its_members_do_alone(name: str, greedy: bool) -> None:
    game = EXAMPLES[name]
    team = pool(game, greedy)
    others: list[Any] = [RandomAgent()]
    assert played(game, others + team) == played(game, others + [Alone(agent) for agent in team])


def test_policies_that_are_told_other_things_are_no_team() -> None:
    """Networks of Guardians that try cards in other numbers of worlds."""
    game = EXAMPLES["guardians"]
    agents = []
    for worlds in (1, 5):
        network = build_network(game, {"width": 12, "channels": 8, "worlds": worlds})
        network.initialise(torch.Generator().manual_seed(1))
        agents.append(PPOAgent(network.eval().requires_grad_(False)))
    others: list[Any] = [RandomAgent(), RandomAgent()]
    alone = [Alone(agent) for agent in agents]
    assert played(game, others + agents) == played(game, others + alone)
    assert played(game, others + agents) != played(game, others + agents[:1] * 2)


class Searcher:
    """An agent that is shown redealt states."""

    name, wants_states = "searcher", True

    def act(self, decision: Decision) -> NDArray[np.int64]:
        assert decision.states is not None
        assert len(decision.states) == len(decision.seats)
        return decision.game.packing.pick(decision.legal, decision.stream)


class TeamSearcher(Searcher):
    """The same in a team, which is called as a place in the pool is."""

    team = 0

    def act_together(
        self, agents: list[Any], decision: Decision, counts: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        assert [type(agent) for agent in agents] == [TeamSearcher] * len(counts)
        return self.act(decision)


def test_agents_that_want_states_may_be_a_team() -> None:
    game, others = EXAMPLES["guardians-3"], [RandomAgent()]
    assert isinstance(TeamSearcher(), TeamPlayer)
    team = [TeamSearcher() for _ in range(3)]
    alone = [Searcher() for _ in range(3)]
    assert played(game, [*others, *team]) == played(game, [*others, *alone])


def test_agents_of_one_team_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game = EXAMPLES["chroma"]
    team = pool(game, greedy=False)
    double, greedy = PPOAgent(network_for(game).double()), PPOAgent(network_for(game), greedy=True)
    assert all(isinstance(agent, TeamPlayer) for agent in team)
    assert len({agent.team for agent in team}) == 1
    assert len({agent.team for agent in (*team, double, greedy)}) == 3
    asked: list[list[int]] = []
    together = PPOAgent.act_together

    def noted(self: PPOAgent, agents: Any, decision: Decision, counts: Any) -> Any:
        asked.append([len(agents), int(counts.sum()), len(decision.seats)])
        return together(self, agents, decision, counts)

    monkeypatch.setattr(PPOAgent, "act_together", noted)
    played(game, [RandomAgent(), *team], steps=1)
    assert [agents for agents, _, _ in asked[:1]] == [3]
    assert all(counted == decisions for _, counted, decisions in asked)
