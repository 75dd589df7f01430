"""Tables: people and agents play one game, with undo, advice and a record."""

import re
from typing import Any

import numpy as np
import pytest

from chromazoo.agents.agent import Agent, Candid, Decision, RandomAgent, load, make_decision
from chromazoo.agents.match import play_games
from chromazoo.agents.table import Table
from chromazoo.envs import registry
from chromazoo.envs.errors import ChromazooError, InvalidAgent, InvalidArgument, InvalidMove
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import agent_stream, as_seeds, below, mix
from chromazoo.envs.records import GameRecorder, check_lines, dumps, parse
from tests.contract.play import content, mixed
from tests.games import CHROMA, EXAMPLES, GUARDIANS, KROMA, TINY

SOME = ["kroma", "basic-random", "baby-flipped", "chroma", "chroma-4", "guardians", "guardians-4"]
SOME += ["guardians-2", "tiny"]


@pytest.fixture(autouse=True)
def tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Tiny be found by its name."""
    monkeypatch.setitem(registry.MODULES, "tiny", "tests.tiny.game")


def with_people(game: Game[Any], people: tuple[int, ...], seed: int = 1, **more: Any) -> Table:
    """A table of a few people, with random agents at the other seats."""
    seats = range(game.num_seats)
    return Table(game, [None if seat in people else RandomAgent() for seat in seats], seed, **more)


def play_on(table: Table, stream: Any, most: int = 10_000) -> None:
    """Let people choose at random, whoever of them is to decide."""
    for _ in range(most):
        if not table.deciding:
            return
        seat = table.deciding[int(below(stream, len(table.deciding))[0])]
        legal = table.legal(seat)
        table.play(seat, int(legal[int(below(stream, len(legal))[0])]))


@pytest.mark.parametrize("name", [*SOME, "kroma-fast"])
def test_agents_alone_play_as_in_matches(name: str) -> None:
    game = EXAMPLES[name]
    lines: list[str] = []
    agents: list[Agent] = [load("random", game)] * game.num_seats
    play_games(game, agents, [7], recorder=GameRecorder(game, lines.append))
    table = Table(game, agents, 7)
    assert table.over
    assert not table.deciding
    assert dumps(table.record()) + "\n" == lines[0]


@pytest.mark.parametrize("name", SOME)
def test_records_of_games_with_people_are_right(name: str) -> None:
    game = EXAMPLES[name]
    for people in ((0,), tuple(range(game.num_seats)), (game.num_seats - 1,)):
        table = with_people(game, people, seed=3)
        play_on(table, as_seeds(5))
        assert table.finished
        assert check_lines([dumps(table.record())], "table").failed == []


@pytest.mark.parametrize("name", SOME)
def test_undo_goes_back_to_the_last_decision_any_number_of_times(name: str) -> None:
    game = EXAMPLES[name]
    people = (1, game.num_seats - 1)
    table = with_people(game, people, seed=4)
    stream = as_seeds(9)
    kept = []
    for _ in range(6):
        if not table.deciding:
            break
        seat = table.deciding[0]
        action = int(game.packing.pick(game.legal(table.state, np.array([seat])), stream)[0])
        kept.append((seat, action, content(table.state), table.streams.copy(), len(table.plies)))
        table.play(seat, action)
    last, end = kept[-1], content(table.state)
    for seat, action, state, streams, plies in reversed(kept):
        assert table.last_decision(seat) is not None
        table.undo(seat)
        assert content(table.state) == state
        assert (table.streams == streams).all()
        assert len(table.plies) == plies
        again = action
        table.play(seat, again)  # the same move leads to the same game: streams are undone too
        table.undo(seat)
    for seat, action, *_ in kept:
        table.play(seat, action)
    assert content(table.state) == end
    assert last[0] == kept[-1][0]
    for seat, *_ in reversed(kept):
        table.undo(seat)
    with pytest.raises(InvalidMove, match="no move to undo"):
        table.undo(kept[0][0])


def test_undone_plies_are_not_in_the_record() -> None:
    game = TINY["tiny"]
    table = with_people(game, (0, 1, 2))
    table.play(1, "bid:2")
    table.play(0, "bid:1")
    with pytest.raises(InvalidMove, match="seat 0 has decided since your last move, so it stands"):
        table.undo(1)
    assert len(table.plies) == 2
    table.undo(0)
    table.undo(1)
    assert not table.plies
    for seat in (2, 0, 1):
        table.play(seat, f"bid:{seat}")
    leader = table.deciding[0]
    assert leader == 2
    table.play(2, "stop")
    record = table.record()
    assert [ply["move"] for ply in record["plies"]] == ["bid:0", "bid:1", "bid:2", "stop"]
    assert [ply["player"] for ply in record["plies"]] == [0, 1, 2, 2]
    assert parse(dumps(record)) == record


def test_sealed_choices_may_come_in_any_order() -> None:
    game: Any = GUARDIANS["guardians-4"]
    table = with_people(game, (0, 2, 3), seed=2)
    assert table.deciding == (0, 2, 3)  # the agent at seat 1 waits for its turn
    before = game.svg(table.state, seat=0), table.news(0)
    choice = int(table.legal(3)[0])
    table.play(3, choice)
    assert table.deciding == (0, 2)
    assert table.news(0) == before[1]
    assert [news.words for news in table.news(3)] == [f"You: {choice + 1} chosen"]
    assert choice not in table.legal(3)
    with pytest.raises(InvalidMove, match="seat 3 has nothing to decide"):
        table.play(3, choice)
    table.play(2, int(table.legal(2)[0]))
    table.play(0, int(table.legal(0)[0]))
    assert table.deciding == (0, 2, 3)
    assert re.search(rf"\b{choice + 1} \w+ \(seat 3\)", table.news(0)[-1].words)


def test_moves_are_told_and_wrong_ones_refused() -> None:
    game = KROMA["baby"]
    table = with_people(game, (0,))
    assert [move.text for move in table.moves(0)] == ["L:purple", "L:yellow"]
    assert table.moves(1) == []
    for move in ("L:green", "a9", "R:purple", 99, -1):
        with pytest.raises(InvalidMove):
            table.play(0, move)
    assert table.plies == []
    table.play(0, "L:purple")
    assert len(table.plies) == 2


def test_limits_break_games_off() -> None:
    game = KROMA["baby-endless"]
    with pytest.raises(ChromazooError, match="could play for ever"):
        with_people(game, (0,))
    table = with_people(game, (0,), max_plies=8)
    play_on(table, as_seeds(2))
    assert table.broken_off
    assert not table.over
    assert len(table.plies) == 8
    with pytest.raises(InvalidArgument, match="come to its end"):
        table.record()
    table.undo(0)
    assert table.deciding == (0,)


def test_wrong_players_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="2 needed, not 1"):
        Table(KROMA["baby"], [None], 1)
    with pytest.raises(InvalidAgent):
        Table(KROMA["baby"], [None, load("heuristic", KROMA["basic"])], 1)


# Advice


def advisers(name: str) -> list[Agent]:
    """The agents that tell how likely they would take each action, of a game of the examples."""
    game = EXAMPLES[name]
    return [load("random", game)] + ([load("heuristic", game)] if game.id != "tiny" else [])


@pytest.mark.parametrize("name", SOME)
def test_advice_changes_nothing_and_is_the_same_when_asked_again(name: str) -> None:
    game = EXAMPLES[name]
    table = with_people(game, (0,), seed=6)
    play_on(table, as_seeds(3), most=3)
    assert table.deciding == (0,)
    before = content(table.state), table.streams.copy()
    for agent in advisers(name):
        first = table.hint(agent, 0), table.probabilities(agent, 0)
        assert (table.hint(agent, 0), table.probabilities(agent, 0)) == first
        assert first[0].action in table.legal(0)
        assert first[1] is not None
        assert sum(first[1].values()) == pytest.approx(1)
        assert list(first[1]) == table.legal(0).tolist()
    assert content(table.state) == before[0]
    assert (table.streams == before[1]).all()


@pytest.mark.parametrize("name", [*CHROMA, *GUARDIANS, "tiny"])
def test_advice_knows_no_more_than_the_seat(name: str) -> None:
    game = EXAMPLES[name]
    table = with_people(game, tuple(range(game.num_seats)), seed=8)
    play_on(table, as_seeds(4), most=9)
    seats = table.deciding
    for seat in seats:
        kept = table.state
        told = [
            (table.hint(agent, seat), table.probabilities(agent, seat)) for agent in advisers(name)
        ]
        table.state = game.redeal(kept, np.array([seat]), [17])
        assert content(table.state) != content(kept)
        table.seed += 1
        again = [
            (table.hint(agent, seat), table.probabilities(agent, seat)) for agent in advisers(name)
        ]
        assert again == told
        table.state = kept


class Boastful(RandomAgent):
    """Tells probabilities that add up to more than 1."""

    def probabilities(self, decision: Decision) -> Any:
        return decision.action_mask * 1.0


class Silent:
    """Takes what is not legal, and tells nothing."""

    name = "silent"
    wants_states = False

    def act(self, decision: Decision) -> Any:
        return decision.action_mask.argmin(axis=1)


def test_agents_that_tell_nothing_or_nonsense() -> None:
    table = with_people(KROMA["basic"], (0,))
    assert not isinstance(Silent(), Candid)
    assert table.probabilities(Silent(), 0) is None
    with pytest.raises(InvalidAgent, match="silent: no legal action"):
        table.hint(Silent(), 0)
    with pytest.raises(InvalidAgent, match="add up to 4"):
        table.probabilities(Boastful(), 0)
    with pytest.raises(InvalidMove, match="Black has nothing to decide"):
        table.hint(RandomAgent(), 1)


# The truth of probabilities, by sampling

TIMES = 600


def candid(name: str, agent: str) -> tuple[Game[Any], Agent]:
    """An agent of a game of the examples, and the game."""
    game = EXAMPLES[name]
    return game, load(agent, game)


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        *((name, "random") for name in ("kroma", "chroma", "guardians", "tiny")),
        *((name, "heuristic") for name in ("kroma", "baby", "chroma", "guardians", "guardians-4")),
        *((name, "ppo") for name in ("kroma", "baby", "chroma", "guardians")),
        ("chroma", "ppo:?greedy"),
    ],
)
def test_probabilities_are_those_of_what_agents_do(name: str, agent: str) -> None:
    if agent.startswith("ppo"):
        pytest.importorskip("torch")
        pytest.importorskip("safetensors")
    game, player = candid(name, agent)
    assert isinstance(player, Candid)
    state = mixed(game, games=9, seed=3)
    state = state.take(~state.over).take([0, 3, 5])
    streams = agent_stream(as_seeds(range(3)), 0)
    told = player.probabilities(make_decision(player, game, state, streams.copy()))
    assert told.shape == (3, game.num_actions)
    assert told.sum(axis=1) == pytest.approx(1)
    places = np.arange(3).repeat(TIMES)
    many = mix(as_seeds(5), np.arange(len(places), dtype=np.uint64))
    taken = player.act(make_decision(player, game, state.take(places), many))
    counts = np.zeros_like(told)
    np.add.at(counts, (places, taken), 1 / TIMES)
    estimated = (game.id, agent) == ("guardians", "heuristic")
    assert estimated or not counts[told == 0].any()
    error = 0.5 * np.sqrt(1 / TIMES + (1 / 200 if estimated else 0))  # the most that it can be
    assert abs(counts - told).max() < 5 * error
    assert not told[~game.action_mask(state)].any()
