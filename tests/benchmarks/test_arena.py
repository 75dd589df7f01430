"""Tournaments: who meets whom on which deals, and that nothing else decides how games end."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from math import factorial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, Decision, RandomAgent, load
from chromazoo.agents.match import play_games, win_share
from chromazoo.benchmarks import arena
from chromazoo.benchmarks.arena import Results, Tournament, count_tables, identity, make_tables
from chromazoo.envs.chroma.rules import Game as ChromaGame
from chromazoo.envs.errors import ChromazooError, InvalidAgent, InvalidArgument, InvalidConfig
from chromazoo.envs.game import Game
from chromazoo.envs.guardians.rules import Game as GuardiansGame
from chromazoo.envs.kroma.rules import Game as KromaGame
from chromazoo.envs.randomness import agent_stream, as_seeds, mix
from tests.tiny.game import Game as TinyGame

BABY = KromaGame(size="baby")
RANDOM: dict[str, Agent] = {"random": RandomAgent()}


def played(tournament: Tournament, agents: Mapping[str, Agent] = RANDOM, **options: Any) -> Results:
    return Results.joined([*tournament.play(agents, **options)])


def same(one: Results, other: Results) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("first", "shares", "plies", "truncated")
    )


@dataclass
class Witness:
    """Plays at random and keeps the seats and the streams of its first decisions."""

    name: str
    wants_states: bool = False
    met: list[tuple[int, int]] = field(default_factory=list)

    def act(self, decision: Decision) -> NDArray[np.int64]:
        self.met += zip(decision.seats.tolist(), decision.stream.tolist(), strict=True)
        return decision.game.packing.pick(decision.legal, decision.stream)


# Tables and seatings


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("entrants", [2, 3, 4, 5, 7])
def test_all_entrants_sit_equally_often(entrants: int, seats: int) -> None:
    tables = make_tables(entrants, seats)
    assert len(tables) == count_tables(entrants, seats)
    assert tables.shape[1] == seats
    assert len({*map(tuple, tables.tolist())}) == len(tables)
    counts = np.bincount(tables.ravel(), minlength=entrants)
    assert len({*counts.tolist()}) == 1
    for table in tables:
        at_it = np.bincount(table, minlength=entrants)
        assert at_it.max() - at_it.min() <= 1
    together = {
        pair: sum({*pair} <= {*table} for table in tables.tolist())
        for pair in combinations(range(entrants), 2)
    }
    assert len({*together.values()}) == 1


@pytest.mark.parametrize(
    "game", [BABY, TinyGame(), GuardiansGame(num_players=4), GuardiansGame(num_players=5)]
)
def test_seats_and_neighbours_are_balanced(game: Game[Any]) -> None:
    seats, around = game.num_seats, factorial(game.num_seats - 1)
    tournament = Tournament.make(game, ["random"] * seats, 1, seed=4)
    orders = tournament.orders(np.arange(3 * around))
    assert (np.sort(orders, axis=2) == np.arange(seats)).all()
    assert (np.sort(orders, axis=1) == np.arange(seats)[:, None]).all()  # each place at each seat
    for cycle in range(3):
        own = orders[cycle * around : (cycle + 1) * around]
        assert {*map(tuple, own.reshape(-1, seats).tolist())} == {*permutations(range(seats))}
        pairs = np.stack([own, np.roll(own, 1, axis=2)], axis=3).reshape(-1, 2)
        behind = Counter(map(tuple, pairs.tolist()))
        assert len(behind) == seats * (seats - 1)
        assert len({*behind.values()}) == 1
    if seats > 3:
        assert not np.array_equal(orders[:around], orders[around : 2 * around])
        other = replace(tournament, seed=5).orders(np.arange(around))
        assert not np.array_equal(orders[:around], other)


@pytest.mark.parametrize(
    ("game", "entrants", "games", "deals", "rounded"),
    [
        (BABY, 2, 1, 1, 2),
        (BABY, 2, 4000, 2000, 4000),
        (BABY, 4, 4001, 2001, 4002),
        (TinyGame(), 3, 10, 4, 12),
        (TinyGame(), 2, 10, 2, 12),
        (TinyGame(), 5, 10, 1, 30),
        (GuardiansGame(num_players=4), 4, 4000, 1000, 4000),
    ],
)
def test_games_are_rounded_up_to_whole_deals(
    game: Game[Any], entrants: int, games: int, deals: int, rounded: int
) -> None:
    tournament = Tournament.make(game, ["random"] * entrants, games)
    assert (tournament.deals, tournament.games) == (deals, rounded)
    if deals < 10:
        assert played(tournament).plies.size == deals * tournament.games_of_a_deal


# Deals


@pytest.mark.parametrize(
    ("game", "names"),
    [
        (BABY, ("a", "b")),
        (BABY, ("a", "b", "a")),
        (TinyGame(), ("a", "b", "c")),
        (TinyGame(), ("a", "b")),
        (TinyGame(), ("a", "b", "c", "d")),
    ],
)
def test_every_entrant_has_its_stream_at_every_seat(
    game: Game[Any], names: tuple[str, ...]
) -> None:
    tournament = Tournament.make(game, names, 12, seed=9)
    agents = {name: Witness(name) for name in dict.fromkeys(names)}
    played(tournament, agents)
    seeds = mix(as_seeds(9), np.arange(tournament.deals, dtype=np.uint64))
    expected: dict[str, Counter[tuple[int, int]]] = {name: Counter() for name in agents}
    for table in tournament.tables.tolist():
        copies = [table[:place].count(row) for place, row in enumerate(table)]
        for row, copy in zip(table, copies, strict=True):
            stream = agent_stream(seeds, row + copy * len(names)).tolist()
            expected[names[row]].update(
                (seat, one) for seat in range(game.num_seats) for one in stream
            )
    for name, agent in agents.items():
        seen = Counter(agent.met)
        assert {at: seen[at] for at in expected[name]} == dict(expected[name])


class Seats:
    """A recorder of the deals: the games' seeds."""

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def deal(self, games: NDArray[np.int64], seeds: NDArray[np.uint64]) -> None:
        self.seeds += seeds.tolist()

    def ply(self, *_: object) -> None: ...

    def finish(self, *_: object) -> None: ...


@pytest.mark.parametrize(
    ("game", "names"), [(BABY, ("a", "b", "c")), (TinyGame(), ("a", "b")), (TinyGame(), "abcd")]
)
def test_every_deal_is_played_in_every_seating(
    monkeypatch: pytest.MonkeyPatch, game: Game[Any], names: tuple[str, ...]
) -> None:
    seen: Counter[tuple[int, ...]] = Counter()

    def spy(game: Game[Any], agents: Any, seeds: Any, **options: Any) -> Any:
        recorder = Seats()
        for seed, seating in zip(seeds.tolist(), options["seating"].tolist(), strict=True):
            seen[seed, *seating] += 1
        outcome = play_games(game, agents, seeds, recorder=recorder, **options)
        assert sorted(recorder.seeds) == sorted(seeds.tolist())
        return outcome

    monkeypatch.setattr(arena, "play_games", spy)
    tournament = Tournament.make(game, names, 24, seed=3)
    assert same(
        played(tournament, {name: RandomAgent() for name in names}, batch=7),
        played(tournament, {name: RandomAgent() for name in names}),
    )
    seeds = mix(as_seeds(3), np.arange(tournament.deals, dtype=np.uint64)).tolist()
    for seed in seeds:
        own = Counter({key[1:]: count for key, count in seen.items() if key[0] == seed})
        expected: Counter[tuple[int, ...]] = Counter()
        for table in tournament.tables.tolist():
            around = [
                key
                for key in own
                if Counter(key) == Counter(table)  # the seatings of this table
            ]
            assert sum(own[key] for key in around) == 2 * game.num_seats
            for seat in range(game.num_seats):
                at_it = Counter[int]()
                for key in around:
                    at_it[key[seat]] += own[key]
                times = Counter(table)
                assert at_it == Counter({row: 2 * times[row] for row in times})
            expected.update({key: own[key] for key in around})
        assert own == expected


def test_results_are_those_of_single_games() -> None:
    game = GuardiansGame(num_players=3)
    names = ("heuristic", "random", "random", "heuristic")
    agents = {name: load(name, game) for name in names}
    tournament = Tournament.make(game, names, 50, seed=2)
    results = played(tournament, agents)
    wins = np.zeros((tournament.deals, 4, 3), int)
    for deal in range(tournament.deals):
        seed = mix(as_seeds(2), deal)
        for table, rotation in np.ndindex(4, 3):
            places = tournament.orders(np.array([deal]))[0, rotation]
            rows = tournament.tables[table, places]
            outcome = play_games(
                game,
                [agents[names[row]] for row in rows],
                seed,
                agent_seeds=np.stack([agent_stream(seed, int(row)) for row in rows], axis=1),
            )
            shares = np.rint(win_share(outcome.rewards[0]) * 6)
            assert np.array_equal(results.shares[deal, table, rotation], shares)
            assert results.plies[deal, table, rotation] == outcome.plies[0]
            wins[deal, table, places] += shares.astype(int)
    assert np.array_equal(tournament.wins(results), wins)
    assert (results.shares.sum(axis=3) == tournament.unit).all()


@pytest.mark.parametrize(
    ("game", "games"),
    [(BABY, 60), (TinyGame(), 60), (ChromaGame(), 14), (GuardiansGame(num_players=4), 60)],
)
def test_results_do_not_depend_on_the_batch(game: Game[Any], games: int) -> None:
    tournament = Tournament.make(game, ["random"] * 3, games, seed=1)
    whole = played(tournament)
    for batch in (5, 32, 64):
        assert same(whole, played(tournament, batch=batch))
    parts = [*tournament.play(RANDOM, batch=32)]
    assert len(parts) > 1
    assert same(Results.joined(parts[1:]), played(tournament, first=parts[0].end, batch=5))


def test_results_do_not_depend_on_the_engine() -> None:
    pytest.importorskip("numba")
    games = (BABY, KromaGame(size="baby", engine="compiled"))
    numpy, compiled = (Tournament.make(game, ["random"] * 2, 60, seed=1) for game in games)
    assert same(played(numpy), played(compiled))
    assert identity(numpy, RANDOM) == identity(compiled, RANDOM)


def test_more_games_begin_with_the_same_deals() -> None:
    few, many = (Tournament.make(TinyGame(), ["random"] * 4, games, seed=1) for games in (60, 90))
    whole = played(many)
    part = played(few)
    assert part.end < whole.end
    assert np.array_equal(part.shares, whole.shares[: part.end])


def test_random_players_with_seats_swapped_do_not_play_the_same_game_again() -> None:
    results = played(Tournament.make(BABY, ["random", "random"], 200, seed=1))
    first, second = results.plies[:, 0, 0], results.plies[:, 0, 1]
    assert (first != second).mean() > 0.5
    by_entrant = results.shares[:, 0, 0, 0] + results.shares[:, 0, 1, 1]
    assert {*by_entrant.tolist()} == {0, 2, 4}  # not 2 in every deal


def test_truncated_games_are_shared_by_all() -> None:
    endless = KromaGame(size="baby", no_capture_limit=0)
    with pytest.raises(InvalidConfig, match="could play for ever: max_plies is needed"):
        Tournament.make(endless, ["random"] * 2, 10)
    cut = played(Tournament.make(endless, ["random"] * 2, 40, max_plies=12))
    assert 0 < cut.truncated.sum() < 40
    assert (cut.shares[cut.truncated] == 1).all()
    assert (cut.plies[cut.truncated] == 12).all()
    tiny = played(Tournament.make(TinyGame(), ["random"] * 3, 30, max_plies=2))
    assert tiny.truncated.all()
    assert (tiny.shares == 2).all()  # sixths


def test_progress_counts_every_game() -> None:
    ended: list[int] = []
    tournament = Tournament.make(BABY, ["random"] * 3, 100)
    played(tournament, batch=64, progress=ended.append)
    assert sum(ended) == 300


@pytest.mark.parametrize(
    ("names", "games", "why"),
    [
        ((), 10, "an arena takes 2 to 100 agents, not 0"),
        (("random",), 10, "an arena takes 2 to 100 agents, not 1; one named twice meets itself"),
        (("random",) * 101, 10, "an arena takes 2 to 100 agents, not 101"),
        (("random",) * 2, 0, "games: a whole number of at least 1, not 0"),
        (("random",) * 2, 2.5, "games: a whole number of at least 1, not 2.5"),
        (("random",) * 2, 10**9, "1,000,000,000 games in all, 1 tables in every rotation"),
        (("random",) * 100, 10**5, "495,000,000 games in all, 4,950 tables"),
    ],
)
def test_what_cannot_be_played_is_refused(names: tuple[str, ...], games: Any, why: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        Tournament.make(BABY, names, games)
    assert str(refused.value).startswith(why)
    assert "\n" not in str(refused.value)


def test_tables_beyond_number_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="tables in every rotation"):
        Tournament.make(GuardiansGame(num_players=5), ["random"] * 100, 1)


def test_other_misuse_is_refused() -> None:
    tournament = Tournament.make(BABY, ["random"] * 2, 10)
    with pytest.raises(ChromazooError, match="batch: a whole number of at least 1, not 0"):
        played(tournament, batch=0)
    large = ChromaGame(num_players=3)
    other = Tournament.make(ChromaGame(), ["heuristic"] * 2, 10)
    with pytest.raises(InvalidAgent, match="was made for chroma"):
        played(other, {"heuristic": load("heuristic", large)})


def test_the_identity_tells_tournaments_apart() -> None:
    tournament = Tournament.make(BABY, ["random", "heuristic"], 10, seed=1)
    agents = {name: load(name, BABY) for name in tournament.names}
    own = identity(tournament, agents)
    assert own == identity(Tournament.make(BABY, tournament.names, 500, seed=1 + 2**64), agents)
    for other in (
        Tournament.make(KromaGame(size="baby", leap=False), tournament.names, 10, seed=1),
        Tournament.make(BABY, ["heuristic", "random"], 10, seed=1),
        Tournament.make(BABY, tournament.names, 10, seed=2),
        Tournament.make(BABY, tournament.names, 10, seed=1, max_plies=9),
    ):
        assert identity(other, agents) != own


def test_the_identity_looks_at_weights() -> None:
    torch = pytest.importorskip("torch")
    from chromazoo.agents.network import build_network
    from chromazoo.agents.ppo import PPOAgent

    networks = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        networks.append(build_network(BABY, {}))
    tournament = Tournament.make(BABY, ["ppo", "ppo"], 10)
    first, again, other = (identity(tournament, {"ppo": PPOAgent(network)}) for network in networks)
    assert first == again != other
