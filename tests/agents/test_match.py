from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.agents.agent import Decision, RandomAgent, load
from chromazoo.agents.match import (
    Outcome,
    evaluate,
    play_games,
    score_interval,
    win_share,
)
from chromazoo.envs.chroma.rules import Game as ChromaGame
from chromazoo.envs.errors import ChromazooError, IllegalAction, InvalidAgent, InvalidConfig
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import agent_stream, as_seeds, below, draw, mix
from tests.games import EXAMPLES
from tests.tiny.game import Game as TinyGame

SEEDS = mix(as_seeds(5), np.arange(60, dtype=np.uint64))
LONGEST = 120


@dataclass
class Witness:
    """Plays at random and keeps what it was shown."""

    name: str = "witness"
    wants_states: bool = False
    extra_draws: int = 0
    seats: list[NDArray[np.int8]] = field(default_factory=list)
    streams: list[NDArray[np.uint64]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def act(self, decision: Decision) -> NDArray[np.int64]:
        self.seats.append(decision.seats.copy())
        self.streams.append(decision.stream.copy())
        self.sizes.append(len(decision.seats))
        for _ in range(self.extra_draws):
            draw(decision.stream)
        return decision.game.packing.pick(decision.legal, decision.stream)


class Highest:
    """Takes the legal action with the highest number: in Tiny it stops whenever it leads."""

    name = "highest"
    wants_states = False

    def act(self, decision: Decision) -> NDArray[np.int64]:
        mask = decision.action_mask
        return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


class Cheat:
    """Names an action without asking whether it is legal."""

    name = "cheat"
    wants_states = False

    def act(self, decision: Decision) -> NDArray[np.int64]:
        return np.full(len(decision.seats), decision.game.num_actions - 1)


def same(one: Outcome, other: Outcome) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("rewards", "plies", "truncated")
    )


def players(game: Game[Any]) -> list[RandomAgent]:
    return [RandomAgent()] * game.num_seats


@pytest.mark.parametrize("name", EXAMPLES)
def test_games_do_not_depend_on_the_batch(name: str) -> None:
    game = EXAMPLES[name]
    whole, split, single = (
        play_games(game, players(game), SEEDS[:count], max_plies=LONGEST, batch=batch)
        for count, batch in ((60, 1000), (60, 7), (3, 1))
    )
    assert same(whole, split)
    assert np.array_equal(whole.plies[:3], single.plies)
    assert np.array_equal(whole.rewards[:3], single.rewards)
    always_as_long = game.id == "guardians"
    assert len(np.unique(whole.plies)) > 1 or whole.truncated.all() or always_as_long


def test_outcomes_are_those_of_the_states() -> None:
    game = TinyGame()
    outcome = play_games(game, players(game), SEEDS)
    for number in range(10):
        state = game.deal(SEEDS[number : number + 1])
        streams = [agent_stream(SEEDS[number : number + 1], seat) for seat in range(3)]
        while not state.over[0]:
            action = game.packing.pick(game.legal(state), streams[int(state.seat[0])])
            game.step(state, action)
        assert np.array_equal(state.rewards[0], outcome.rewards[number])
        assert state.plies[0] == outcome.plies[number]
    assert not outcome.truncated.any()
    assert outcome.rewards.dtype == np.float64
    assert outcome.plies.dtype == np.int32
    assert outcome.truncated.dtype == np.bool_


def test_each_seat_of_each_game_has_a_stream_of_its_own() -> None:
    game, agents = TinyGame(), [Witness(), Witness(), Witness()]
    play_games(game, agents, SEEDS)
    for seat, agent in enumerate(agents):  # every game begins with the bids of all seats
        assert np.array_equal(agent.streams[0], agent_stream(SEEDS, seat))


def test_streams_that_are_given_are_those_of_the_seats() -> None:
    game, agents = TinyGame(), [Witness(), Witness(), Witness()]
    seeds = np.stack([mix(SEEDS, 100 + seat) for seat in range(3)], axis=1)  # (games, seats)
    kept = seeds.copy()
    outcome = play_games(game, agents, SEEDS, agent_seeds=seeds)
    for seat, agent in enumerate(agents):
        assert np.array_equal(agent.streams[0], seeds[:, seat])
    assert np.array_equal(seeds, kept)
    assert same(outcome, play_games(game, players(game), SEEDS, agent_seeds=seeds, batch=7))
    assert not same(outcome, play_games(game, players(game), SEEDS))
    usual = np.stack([agent_stream(SEEDS, seat) for seat in range(3)], axis=1)
    given = play_games(game, players(game), SEEDS, agent_seeds=usual)
    assert same(given, play_games(game, players(game), SEEDS))


def test_an_agent_that_draws_more_changes_nobody_elses_draws() -> None:
    game = TinyGame()
    plain = [Highest(), Witness(), Witness()]
    thirsty = [Witness(extra_draws=5), Witness(), Witness()]
    play_games(game, plain, SEEDS)
    play_games(game, thirsty, SEEDS)
    for seat in (1, 2):
        assert isinstance(plain[seat], Witness)
        assert np.array_equal(plain[seat].streams[0], thirsty[seat].streams[0])


def test_finished_games_leave_the_batch() -> None:
    game, agents = TinyGame(cards=16), [Witness() for _ in range(3)]
    outcome = play_games(game, agents, SEEDS)
    assert sum(sum(agent.sizes) for agent in agents) == outcome.plies.sum()
    assert min(agent.sizes[-1] for agent in agents) < len(SEEDS)


def test_the_seating_says_who_sits_where() -> None:
    game, agents = TinyGame(), [Witness(), Witness()]
    seating = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])[np.arange(len(SEEDS)) % 3]
    play_games(game, agents, SEEDS, seating=seating, batch=len(SEEDS))
    first = np.arange(len(SEEDS))[seating[:, 0] == 0]  # the games in which agent 0 bids first
    assert np.array_equal(agents[0].streams[0], agent_stream(SEEDS[first], 0))
    assert set(agents[0].seats[0]) == {0}
    seen = np.concatenate(agents[0].seats)
    assert set(seen.tolist()) == {0, 1, 2}


def test_the_default_seating_is_agent_by_seat() -> None:
    game, agents = TinyGame(), [Witness() for _ in range(3)]
    play_games(game, agents, SEEDS)
    for seat, agent in enumerate(agents):
        assert set(np.concatenate(agent.seats).tolist()) == {seat}


def test_agents_that_want_states_do_not_disturb_the_game() -> None:
    game = TinyGame()
    plain = play_games(game, [Highest(), Highest(), Highest()], SEEDS)
    looking = Highest()
    looking.wants_states = True
    assert same(plain, play_games(game, [looking] * 3, SEEDS))


def test_max_plies_truncates() -> None:
    game = TinyGame(cards=16)
    free = play_games(game, players(game), SEEDS)
    cut = play_games(game, players(game), SEEDS, max_plies=4)
    longer = free.plies > 4
    assert 0 < longer.sum() < len(SEEDS)
    assert np.array_equal(cut.truncated, longer)
    assert (cut.rewards[longer] == 0).all()
    assert (cut.plies[longer] == 4).all()
    assert np.array_equal(cut.rewards[~longer], free.rewards[~longer])
    # A game that ends by itself at the last ply allowed is finished, not truncated.
    assert (free.plies == 4).any()
    assert not cut.truncated[free.plies == 4].any()


def test_what_cannot_be_played_is_refused() -> None:
    game = TinyGame()
    with pytest.raises(ValueError, match="3 agents needed, one a seat; 2 given"):
        play_games(game, [RandomAgent()] * 2, SEEDS)
    for seating in (np.zeros((2, 3), int), np.zeros((60, 2), int), np.zeros((60, 3))):
        with pytest.raises(ValueError, match="seating: integers of shape"):
            play_games(game, players(game), SEEDS, seating=seating)
    for outside in (-1, 3):
        with pytest.raises(ValueError, match="seating: agents from 0 to 2"):
            play_games(game, players(game), SEEDS, seating=np.full((60, 3), outside))
    for streams in (np.zeros((60, 2), np.uint64), np.zeros((60, 3), np.int64), np.zeros(60)):
        with pytest.raises(ValueError, match="agent_seeds: uint64 of shape"):
            play_games(game, players(game), SEEDS, agent_seeds=streams)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch: a whole number of at least 1"):
        play_games(game, players(game), SEEDS, batch=0)
    with pytest.raises(InvalidConfig, match="max_plies: a whole number of at least 1"):
        play_games(game, players(game), SEEDS, max_plies=0)
    game.always_ends = False
    with pytest.raises(InvalidConfig, match="could play for ever: max_plies is needed"):
        play_games(game, players(game), SEEDS)


def test_an_illegal_action_of_an_agent_is_raised() -> None:
    with pytest.raises(IllegalAction):
        play_games(TinyGame(), [Cheat()] * 3, SEEDS)


def test_progress_counts_every_game_once() -> None:
    ended: list[int] = []
    play_games(TinyGame(), players(TinyGame()), SEEDS, batch=16, progress=ended.append)
    assert sum(ended) == len(SEEDS)
    assert len(ended) > 1


def test_no_games_at_all() -> None:
    outcome = play_games(TinyGame(), players(TinyGame()), [])
    assert outcome.rewards.shape == (0, 3)


# Scores


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)],
)
def test_the_interval_is_wilsons(wins: int, games: int, low: float, high: float) -> None:
    # The figures are those of Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    found = score_interval([1.0] * wins + [0.0] * (games - wins))
    assert found == pytest.approx((wins / games, low, high), abs=5e-5)


@pytest.mark.parametrize("chances", [(0.5, 0.0), (0.9, 0.0), (0.3, 0.4), (0.05, 0.9)])
def test_the_interval_covers_the_truth_often_enough(chances: tuple[float, float]) -> None:
    win, tie = chances
    truth, games, runs = win + tie / 2, 80, 2000
    stream = as_seeds(np.arange(runs))
    draws = np.stack([below(stream, 10_000) for _ in range(games)], axis=1) / 10_000
    scores = np.where(draws < win, 1.0, np.where(draws < win + tie, 0.5, 0.0))
    ends = np.array([score_interval(row)[1:] for row in scores])
    covered = ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()
    assert covered > 0.93


def test_scores_that_are_none_are_refused() -> None:
    for scores in ([], [0.5, 1.5], [-0.1], [float("nan")]):
        with pytest.raises(ValueError, match="scores: at least one, each from 0 to 1"):
            score_interval(scores)


def test_shares_of_the_win() -> None:
    rewards = np.array([[1, -0.5, -0.5], [0.25, 0.25, -0.5], [0, 0, 0]])
    expected = [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]
    assert win_share(rewards) == pytest.approx(np.array(expected))


# Evaluation


def test_evaluation_counts_what_the_games_gave() -> None:
    game, games = TinyGame(), 91
    table = evaluate(game, Highest(), {"random": RandomAgent()}, games, seed=3)
    seeds = mix(as_seeds(3), np.arange(games, dtype=np.uint64))
    own = np.arange(games) % 3
    seating = np.ones((games, 3), int)
    seating[np.arange(games), own] = 0
    outcome = play_games(game, [Highest(), RandomAgent()], seeds, seating=seating)
    shares = win_share(outcome.rewards)[np.arange(games), own]
    found = table["random"]
    assert found["games"] == games
    assert found["win"] == (shares > 0.99).sum()
    assert found["loss"] == (shares < 0.01).sum()
    assert found["win"] + found["draw"] + found["loss"] == games
    assert (found["score"], found["low"], found["high"]) == score_interval(shares.clip(0, 1))
    assert [seat["games"] for seat in found["seats"]] == [31, 30, 30]
    assert sum(seat["win"] for seat in found["seats"]) == found["win"]
    assert found["truncated"] == 0


def test_every_opponent_meets_the_same_deals() -> None:
    opponents = {"one": RandomAgent(), "other": RandomAgent()}
    table = evaluate(TinyGame(), Highest(), opponents, 60, seed=3)
    assert table["one"] == table["other"]
    assert table != evaluate(TinyGame(), Highest(), opponents, 60, seed=4)


def test_truncated_games_count_as_draws() -> None:
    table = evaluate(TinyGame(), RandomAgent(), {"random": RandomAgent()}, 60, 1, max_plies=2)
    found = table["random"]
    assert (found["draw"], found["truncated"]) == (60, 60)
    assert found["score"] == pytest.approx(1 / 3)


def test_fewer_games_than_seats_are_refused() -> None:
    with pytest.raises(ValueError, match="games: a whole number of at least 3, one a seat, not 2"):
        evaluate(TinyGame(), RandomAgent(), {"random": RandomAgent()}, 2, seed=1)


def test_agents_made_for_another_config_are_refused() -> None:
    small, large = ChromaGame(), ChromaGame(num_players=3)
    agents = [load("heuristic", small), RandomAgent(), RandomAgent()]
    with pytest.raises(InvalidAgent, match="heuristic was made for chroma"):
        play_games(large, agents, range(3))
    assert play_games(ChromaGame(), agents[:2], range(3)).plies.all()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"game": "kroma"}, "game: the rules of a game needed, not 'kroma'"),
        ({"agent": "random"}, "no agent, with name, wants_states and act: 'random'"),
        ({"agent": RandomAgent}, "no agent, with name, wants_states and act: <class "),
        ({"opponents": RandomAgent()}, "opponents: names with their agents needed, not <"),
        ({"opponents": {"random": None}}, "no agent, with name, wants_states and act: None"),
        ({"games": 6.0}, "games: a whole number of at least 3, one a seat, not 6.0"),
        ({"games": True}, "games: a whole number of at least 3, one a seat, not True"),
        ({"games": np.array([6, 6])}, "games: a whole number of at least 3, one a seat, not array"),
        ({"seed": 0.5}, "seeds are whole numbers, not 0.5"),
        ({"max_plies": "many"}, "max_plies: a whole number of at least 1, not 'many'"),
        ({"batch": None}, "batch: a whole number of at least 1, not None"),
    ],
)
def test_wrong_types_are_refused_in_one_line(changes: dict[str, Any], why: str) -> None:
    given: dict[str, Any] = {
        "game": EXAMPLES["tiny"],
        "agent": RandomAgent(),
        "opponents": {"random": RandomAgent()},
        "games": 6,
        "seed": 1,
    }
    with pytest.raises(ChromazooError) as refused:
        evaluate(**{**given, **changes})
    assert str(refused.value).startswith(why)
    assert "\n" not in str(refused.value)


def test_numbers_of_numpy_are_numbers() -> None:
    agent = RandomAgent()
    table = evaluate(EXAMPLES["tiny"], agent, {"random": agent}, np.int64(6), np.int64(1))
    assert table == evaluate(EXAMPLES["tiny"], agent, {"random": agent}, 6, 1)
