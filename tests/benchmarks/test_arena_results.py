"""The folder of an arena: nothing that is finished is lost, nothing else is taken for it."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")

from chromazoo.agents.agent import RandomAgent
from chromazoo.benchmarks.arena import Results, Tournament, identity
from chromazoo.benchmarks.arena_results import GAMES, PARTS, TABLE, TOURNAMENT, Folder, labels
from chromazoo.benchmarks.arena_scores import summarise
from chromazoo.envs.errors import ChromazooError, InvalidConfig, InvalidFile
from chromazoo.envs.kroma.rules import Game as KromaGame
from chromazoo.envs.npz import npz
from tests.benchmarks.test_arena import played, same
from tests.tiny.game import Game as TinyGame

RANDOM = {"random": RandomAgent()}


def tournament_of(games: int = 60, seed: int = 1) -> Tournament:
    return Tournament.make(TinyGame(), ["random"] * 4, games, seed)


def opened(path: Path, tournament: Tournament) -> Folder:
    return Folder(path, tournament, identity(tournament, RANDOM))


def filled(path: Path, tournament: Tournament, parts: int = 2, batch: int = 24) -> Folder:
    folder = opened(path, tournament)
    for _, results in zip(range(parts), tournament.play(RANDOM, batch=batch), strict=False):
        folder.add(results)
    return folder


def test_what_was_stopped_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    tournament = tournament_of()
    whole = played(tournament)
    filled(tmp_path / "there" / "arena", tournament)
    folder = opened(tmp_path / "there" / "arena", tournament)
    found = folder.read()
    assert [part.first for part in found] == [0, 2]
    assert found[-1].end == 4 < tournament.deals
    for results in tournament.play(RANDOM, found[-1].end, batch=12):
        folder.add(results)
    again = opened(tmp_path / "there" / "arena", tournament).read()
    assert same(Results.joined(again), whole)
    more = tournament_of(90)
    assert opened(tmp_path / "there" / "arena", more).read()[-1].end < more.deals


def test_parts_beyond_a_gap_are_not_taken(tmp_path: Path) -> None:
    folder = filled(tmp_path, tournament_of(), parts=3)
    first, second, _ = sorted((tmp_path / PARTS).iterdir())
    second.unlink()
    assert [part.first for part in folder.read()] == [0]
    first.unlink()
    assert folder.read() == []


def test_fewer_games_than_there_are_are_refused(tmp_path: Path) -> None:
    filled(tmp_path, tournament_of(), parts=2)
    with pytest.raises(InvalidConfig, match="48 games have been played there, more than 24"):
        opened(tmp_path, tournament_of(24)).read()


def test_another_tournament_is_refused(tmp_path: Path) -> None:
    filled(tmp_path, tournament_of())
    for other, words in (
        (tournament_of(seed=2), "with seed 1, not 2"),
        (Tournament.make(TinyGame(cards=7), ["random"] * 4, 9, 1), "where cards is 6, not 7"),
        (Tournament.make(KromaGame(), ["random"] * 4, 9, 1), 'with game "tiny", not "kroma"'),
        (Tournament.make(TinyGame(), ["random"] * 3, 9, 1), "not random, random, random"),
        (Tournament.make(TinyGame(), ["random"] * 4, 9, 1, 50), "with max_plies null, not 50"),
    ):
        with pytest.raises(InvalidConfig) as refused:
            opened(tmp_path, other)
        assert words in str(refused.value)
        assert "\n" not in str(refused.value)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(InvalidConfig, match="holds no tournament"):
        opened(tmp_path, tournament_of())
    with pytest.raises(InvalidConfig, match="a file, not a folder"):
        opened(tmp_path / "letter.txt", tournament_of())
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("content", ["", "{", "[]", "[" * 10**6, '{"format": "x"}', "\x00"])
def test_a_damaged_tournament_is_refused(tmp_path: Path, content: str) -> None:
    filled(tmp_path, tournament_of())
    (tmp_path / TOURNAMENT).write_text(content)
    with pytest.raises(InvalidFile, match=r"tournament\.json: no tournament of an arena"):
        opened(tmp_path, tournament_of())


def damaged(arrays: dict[str, Any], **changes: Any) -> bytes:
    return npz({**arrays, **changes})


def test_damaged_results_are_refused(tmp_path: Path) -> None:
    folder = filled(tmp_path, tournament_of())
    path = sorted((tmp_path / PARTS).iterdir())[1]
    whole = path.read_bytes()
    with np.load(path) as file:
        arrays = dict(file)
    objects = tmp_path / "objects.npz"
    np.savez(objects, **{**arrays, "plies": np.array([{}], object)})
    single = tmp_path / "single.npy"
    np.save(single, arrays["shares"])
    for content in (
        b"",
        b"PK",
        whole[:-30],
        whole.replace(b"shares", b"sharks"),
        objects.read_bytes(),
        single.read_bytes(),
        damaged(arrays, shares=arrays["shares"] + np.uint16(1)),
        damaged(arrays, shares=arrays["shares"].astype(np.int64)),
        damaged(arrays, shares=arrays["shares"][:0]),
        damaged(arrays, shares=np.uint16(3)),
        damaged(arrays, plies=arrays["plies"][:, :1]),
        damaged(arrays, truncated=arrays["plies"]),
        damaged(arrays, seconds=np.array(["much"])),
        npz({"shares": arrays["shares"]}),
    ):
        path.write_bytes(content)
        with pytest.raises(ChromazooError) as refused:
            folder.read()
        assert str(refused.value).startswith(f"{path}: damaged (")
        assert "\n" not in str(refused.value)
    path.write_bytes(whole)
    assert len(folder.read()) == 2


def test_tables_of_games_and_scores(tmp_path: Path) -> None:
    tournament = Tournament.make(TinyGame(cards=16), ["a", "b", "b"], 30, seed=3, max_plies=9)
    results = played(tournament, {"a": RandomAgent(), "b": RandomAgent()})
    assert 0 < results.truncated.sum() < 30
    report = summarise(tournament, results)
    folder = Folder(tmp_path, tournament, identity(tournament, dict.fromkeys("ab", RandomAgent())))
    folder.write_report(report)
    with (tmp_path / GAMES).open(newline="") as file:
        games = [*csv.DictReader(file)]
    assert len(games) == 30
    score = {name: [] for name in ("a", "b", "b (2)")}  # type: ignore[var-annotated]
    for game in games:
        for seat in range(3):
            score[game[f"agent_{seat}"]].append(float(game[f"share_{seat}"]))
        assert 1 <= int(game["plies"]) <= 9
    assert [np.mean(shares) for shares in score.values()] == pytest.approx(report.score.mean)
    assert sum(int(game["truncated"]) for game in games) == results.truncated.sum()
    assert [int(game["deal"]) for game in games] == [deal for deal in range(10) for _ in range(3)]
    assert int(games[3]["seed"]) == int(tournament.game_seeds(np.array([1]))[0])
    with (tmp_path / TABLE).open(newline="") as file:
        cells = [*csv.DictReader(file)]
    assert len(cells) == 6
    assert (cells[5]["agent"], cells[5]["against"]) == ("b (2)", "b")
    assert float(cells[5]["score"]) == report.table.mean[2, 1]
    assert json.loads((tmp_path / "arena.json").read_text()) == report.as_json()


def test_labels_tell_entrants_apart() -> None:
    assert labels(["a", "a", "b", "a"]) == ["a", "a (2)", "b", "a (3)"]
