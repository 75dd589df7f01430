"""Scores, cross tables and their intervals."""

import json
from math import isnan, nan
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("scipy")

from chromazoo.agents.agent import RandomAgent, load
from chromazoo.agents.match import score_interval
from chromazoo.benchmarks import arena_honesty
from chromazoo.benchmarks.arena import Results, Tournament
from chromazoo.benchmarks.arena_honesty import count_honest
from chromazoo.benchmarks.arena_scores import estimate_scores, summarise
from chromazoo.benchmarks.bootstrap import generator, interval, resampled_means
from chromazoo.envs.game import Game
from chromazoo.envs.guardians.rules import Game as GuardiansGame
from chromazoo.envs.kroma.rules import Game as KromaGame
from tests.benchmarks.test_arena import played
from tests.tiny.game import Game as TinyGame

BABY = KromaGame(size="baby")


def made_up(tournament: Tournament, deals: int, seed: int = 0) -> Results:
    """Make up results: one winner or two a game, at random."""
    rng = np.random.default_rng(seed)
    seats = tournament.game.num_seats
    shape = (deals, len(tournament.tables), seats)
    winners = rng.permuted(np.broadcast_to(np.arange(seats) == 0, (*shape, seats)), axis=3)
    others = rng.permuted(np.broadcast_to(np.arange(seats) == 0, (*shape, seats)), axis=3)
    shares = (winners.astype(int) + others) * (tournament.unit // 2)
    return Results(
        0, shares.astype(np.uint16), np.ones(shape, np.int32), np.zeros(shape, bool), 1.0
    )


@pytest.mark.parametrize(
    ("game", "entrants"),
    [(BABY, 2), (BABY, 4), (TinyGame(), 2), (TinyGame(), 5), (GuardiansGame(num_players=4), 3)],
)
def test_scores_are_means_over_the_seats(game: Game[Any], entrants: int) -> None:
    names = [f"agent {row}" for row in range(entrants)]
    tournament = Tournament.make(game, names, 200, seed=1)
    results = made_up(tournament, tournament.deals)
    report = summarise(tournament, results)
    own: list[list[float]] = [[] for _ in names]
    cells: dict[tuple[int, int], list[float]] = {}
    orders = tournament.orders(np.arange(tournament.deals))
    for deal, table, rotation in np.ndindex(results.plies.shape):
        rows = tournament.tables[table, orders[deal, rotation]].tolist()
        shares = results.shares[deal, table, rotation] / tournament.unit
        for row, share in zip(rows, shares, strict=True):
            own[row].append(share)
            for other in {*rows} - {row}:
                cells.setdefault((row, other), []).append(share)
    assert report.score.mean == pytest.approx([np.mean(shares) for shares in own])
    expected = [
        [np.mean(cells[row, column]) if row != column else nan for column in range(entrants)]
        for row in range(entrants)
    ]
    assert report.table.mean == pytest.approx(np.array(expected), nan_ok=True)
    for part in (report.score, report.table):
        there = ~np.isnan(part.mean)
        assert (part.low <= part.mean)[there].all()
        assert (part.mean <= part.high)[there].all()
        assert (part.low < part.high)[there].all()
    again = summarise(tournament, results)
    assert np.array_equal(again.table.low, report.table.low, equal_nan=True)
    assert np.array_equal(again.ratings.high, report.ratings.high)
    if game.num_seats == 2:
        cross = np.nan_to_num(report.table.mean, nan=0.5)
        assert cross + cross.T == pytest.approx(np.ones(cross.shape))


def test_two_of_a_kind_at_a_table_are_rated_by_what_each_of_their_seats_wins() -> None:
    game = GuardiansGame(num_players=4)
    agents = {"heuristic": load("heuristic", game), "random": RandomAgent()}
    tournament = Tournament.make(game, [*agents], 200, seed=1)
    score = estimate_scores(tournament, played(tournament, agents))[0].mean
    assert score.sum() == pytest.approx(0.5)  # two seats each
    assert score[0] > 0.3


def test_the_bootstrap_resamples_whole_deals() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 4, (400, 2))
    draws = np.concatenate([*resampled_means(rows, 4000, generator(1, b"test"))])
    assert draws.shape == (4000, 2)
    assert draws.mean(axis=0) == pytest.approx(rows.mean(axis=0), abs=0.01)
    assert draws.std(axis=0) == pytest.approx(rows.std(axis=0) / 20, rel=0.06)
    assert np.corrcoef(draws.T)[0, 1] == pytest.approx(np.corrcoef(rows.T)[0, 1], abs=0.08)
    low, high = interval(draws)
    assert high - low == pytest.approx(2 * 1.96 * rows.std(axis=0) / 20, rel=0.08)


def test_what_a_deal_gives_is_taken_together() -> None:
    # Whoever has the better deal wins in both seatings: 50 deals, not 100 games.
    tournament = Tournament.make(BABY, ["random"] * 2, 100)
    lucky = np.arange(50) % 2
    shares = np.zeros((50, 1, 2, 2), np.uint16)
    for deal, winner in enumerate(lucky):
        shares[deal, 0, 0, winner] = shares[deal, 0, 1, 1 - winner] = 2
    results = Results(0, shares, np.ones((50, 1, 2), np.int32), np.zeros((50, 1, 2), bool), 0.0)
    score, _ = estimate_scores(tournament, results)
    assert score.mean == pytest.approx([0.5, 0.5])
    assert score.high - score.low == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(50), rel=0.15)


@pytest.mark.parametrize("share", [0, 1, 2])
def test_where_all_deals_gave_the_same_the_interval_is_wilsons(share: int) -> None:
    tournament = Tournament.make(BABY, ["random"] * 2, 60)
    shares = np.zeros((30, 1, 2, 2), np.uint16)
    shares[:, 0, 0], shares[:, 0, 1] = (share, 2 - share), (2 - share, share)
    results = Results(0, shares, np.ones((30, 1, 2), np.int32), np.zeros((30, 1, 2), bool), 0.0)
    score, table = estimate_scores(tournament, results)
    wilson = score_interval([share / 2] * 30)
    assert tuple(part[0] for part in score) == pytest.approx(wilson)
    assert tuple(part[0, 1] for part in table) == pytest.approx(wilson)
    assert all(isnan(part[0, 0]) for part in table)


def test_one_deal_is_enough() -> None:
    report = summarise(
        tournament := Tournament.make(BABY, ["random"] * 2, 1), made_up(tournament, 1)
    )
    assert np.isfinite(report.ratings.elo).all()
    assert (report.score.high - report.score.low > 0.5).all()


def test_sides_without_a_bound_are_told() -> None:
    tournament = Tournament.make(BABY, ["a", "b", "c", "d"], 4)
    shares = np.zeros((2, 6, 2, 2), np.uint16)  # a beats all, b and c share, d loses to all
    orders = tournament.orders(np.arange(2))
    for deal, table, rotation in np.ndindex(2, 6, 2):
        rows = tournament.tables[table, orders[deal, rotation]]
        even = {*rows.tolist()} == {1, 2}
        shares[deal, table, rotation] = [1, 1] if even else 2 * (rows == rows.min())
    results = Results(0, shares, np.ones((2, 6, 2), np.int32), np.zeros((2, 6, 2), bool), 0.0)
    report = summarise(tournament, results)
    assert [report.open_side(row) for row in range(4)] == ["above", "both", "both", "below"]
    assert [row["open"] for row in report.as_json()["rating"]] == ["above", "both", "both", "below"]


def test_json() -> None:
    tournament = Tournament.make(TinyGame(), ["one", "two", "two"], 60, seed=3, max_plies=50)
    report = summarise(tournament, made_up(tournament, 5))
    found = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert list(found)[:7] == [
        "agents", "games", "table", "table_low", "table_high", "score", "rating",
    ]  # fmt: skip
    assert found["agents"] == ["one", "two", "two"]
    assert (found["games"], found["games_in_all"], found["deals"]) == (15, 15, 5)
    assert found["finished"] is False
    assert [list(row) for row in found["score"]] == [["agent", "mean", "low", "high"]] * 3
    keys = ["agent", "elo", "low", "high", "open"]
    assert [list(row) for row in found["rating"]] == [keys] * 3
    assert [row["open"] for row in found["rating"]] == [None] * 3
    for name in ("table", "table_low", "table_high"):
        assert [[cell is None for cell in row] for row in found[name]] == np.eye(3).tolist()
    assert (found["game"], found["config"]) == ("tiny", {"cards": 6})
    assert (found["seed"], found["max_plies"], found["truncated"]) == (3, 50, 0)


def test_intervals_are_honest() -> None:
    # With a chance of 93 to 96% each, 47 to 60 of 60 but for once in a million.
    assert 46 <= count_honest(BABY, 60, 100) <= 60


def test_the_intervals_of_a_biased_arena_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    wins = Tournament.wins

    def biased(self: Tournament, results: Results) -> NDArray[np.int64]:
        return wins(self, results) + np.array([1, -1]) * (np.arange(results.end) % 2)[:, None, None]

    monkeypatch.setattr(Tournament, "wins", biased)
    assert count_honest(BABY, 20, 100) < 10


def test_honesty_as_a_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        arena_honesty, "SETTINGS", {"Kroma baby": arena_honesty.SETTINGS["Kroma baby"]}
    )
    line = ["--repetitions", "3", "--games", "60"]
    assert arena_honesty.main([*line, "--json"]) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    (row,) = found["rows"]
    assert (found["games"], row["setting"], row["of"]) == (60, "Kroma baby", 3)
    assert arena_honesty.main(line) == int(row["held"] < 2)
    assert capsys.readouterr().out == f"Kroma baby: {row['held']} of 3 intervals hold 50%\n"
    with pytest.raises(SystemExit):
        arena_honesty.main(["--games", "0"])
