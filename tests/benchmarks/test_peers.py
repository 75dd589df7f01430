"""Other suites beside ours: rates, the process of each, the table; and what adapters count."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chromazoo.benchmarks.peers import __main__ as command
from chromazoo.benchmarks.peers import ours, play, suites, table, worker
from chromazoo.benchmarks.peers.play import WITH, WITHOUT, Found, Peer, Tally
from chromazoo.benchmarks.peers.table import Row
from tests.project.layout import ROOT

FAKE = "tests.benchmarks.fake_suite"
FOUND = Found(
    4096, {WITHOUT: 2000.4, WITH: 1000.0}, {WITHOUT: 0.1, WITH: 0.2}, 12, 3.25, 50.0, "9 bool"
)
BY_NAME = {(entry.name, entry.batches): entry for entry in suites.ENTRIES}
KROMA = BY_NAME["chromazoo/kroma", suites.BATCHED]
CHESS = BY_NAME["open_spiel/chess", (1,)]
CHESS_V6 = BY_NAME["pettingzoo/chess_v6", (1,)]
UNO = BY_NAME["rlcard/uno", (1,)]


# Rates


def test_play_goes_on_until_the_time_has_passed_and_adds_up() -> None:
    clock = map(float, count())  # a second a look
    tally, lasted = play.played(lambda: Tally(10, 25, 1), 3.0, lambda: next(clock))
    assert (tally, lasted) == (Tally(30, 75, 3), 3.0)


def peers_that_count(rates: dict[int, float], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make peers of known rates, by batch, and a clock that they move on."""
    now = 0.0

    def passed() -> float:
        return now

    def make(game: str, batch: int) -> Peer:
        def plays(pace: float) -> Callable[[], Tally]:
            def go_on() -> Tally:
                nonlocal now
                now += batch / (rates[batch] * pace)
                return Tally(batch, 2 * batch, 1)

            return go_on

        return Peer(
            5, f"{game} at {batch}", {WITHOUT: plays(20 if batch == 512 else 2), WITH: plays(1)}
        )

    real = play.played
    monkeypatch.setattr(play, "played", lambda work, seconds: real(work, seconds, passed))
    return make


def test_the_batch_that_is_fastest_with_observations_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make = peers_that_count({1: 10.0, 64: 640.0, 512: 300.0}, monkeypatch)
    found = play.measured(make, "game", (1, 64, 512), 5.0)
    assert found.batch == 64
    assert found.per_second == pytest.approx({WITH: 640.0, WITHOUT: 1280.0})
    assert found.spread == pytest.approx({WITH: 0.0, WITHOUT: 0.0}, abs=1e-9)
    assert (found.actions, found.observation) == (5, "game at 64")
    assert (found.choices, found.plies) == (2.0, 1.0)  # at batch 1


def test_a_rate_is_the_median_of_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = iter([1.0, 4.0, 2.0, 0.5, 1.0])  # of runs of one decision
    monkeypatch.setattr(play, "played", lambda work, seconds: (work(), next(lengths)))
    peer = Peer(2, "", {WITH: lambda: Tally(1, 2, 0)})
    found = play.measured(lambda game, batch: peer, "game", (1,), 1.0)
    assert found.per_second == {WITH: 1.0}
    assert found.spread == {WITH: 2.0 - 0.25}
    assert found.plies is None


# The process


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the worker's process import the tests."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.mark.usefixtures("importable")
def test_a_process_answers_whatever_the_suite_prints() -> None:
    answer = worker.measure(FAKE, "4×4 bool", (1, 8), 0.25)
    pinned = answer.pop("pinned")
    assert pinned is (sys.platform == "linux")
    assert Found(**answer) == Found(
        8, {WITHOUT: 0.5, WITH: 0.25}, {WITHOUT: 0.0, WITH: 0.5}, 7, 3.5, None, "4×4 bool"
    )


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("broken", "RuntimeError: the board is on fire"),
        ("silent", "no answer"),
        ("dead", "exit status 3"),
    ],
)
def test_a_process_that_fails_says_why_in_a_line(game: str, why: str) -> None:
    with pytest.raises(worker.Failed, match=f"^{why}$"):
        worker.measure(FAKE, game, (1,), 1.0)


@pytest.mark.usefixtures("importable")
def test_a_process_is_not_waited_for_for_ever() -> None:
    with pytest.raises(worker.Failed, match="no answer within 1 seconds"):
        worker.measure(FAKE, "slow", (1,), 0.25, patience=0.5)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux binds processes to cores")
def test_a_process_is_bound_to_one_core() -> None:
    before = os.sched_getaffinity(0)
    try:
        assert worker.pin()
        assert len(os.sched_getaffinity(0)) == 1
    finally:
        os.sched_setaffinity(0, before)


# What is chosen, skipped and failed


def test_names_choose_suites_and_games() -> None:
    assert suites.chosen([]) == suites.ENTRIES
    assert {entry.suite.name for entry in suites.chosen(["rlcard", "pgx"])} == {"rlcard", "pgx"}
    assert suites.chosen(["open_spiel/chess"]) == (CHESS,)
    assert [entry.batches for entry in suites.chosen(["chromazoo/kroma"])] == [
        suites.BATCHED,
        (1,),
    ]


@pytest.mark.parametrize(
    "arguments", [["--only", "dota"], ["--seconds", "0"], ["--seconds", "nan"], ["--what"]]
)
def test_bad_usage_is_told_in_a_line(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        command.main(arguments)
    assert leaving.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err


def lacking(entry: suites.Entry) -> suites.Entry:
    """Make an entry of a suite that is not installed."""
    suite = replace(entry.suite, modules=("no_such_suite",), distribution="no-such-suite")
    return replace(entry, suite=suite)


def test_a_suite_that_is_not_installed_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "chosen", lambda names: (lacking(UNO), lacking(CHESS_V6)))
    assert command.main([]) == 0
    out = capsys.readouterr().out
    assert "skipped: rlcard/uno: no module no_such_suite: pip install 'rlcard'\n" in out
    assert (
        "skipped: pettingzoo/chess_v6: no module no_such_suite: pip install 'pettingzoo[classic]'\n"
        in out
    )
    assert command.main(["--json"]) == 0
    for row in json.loads(capsys.readouterr().out)["rows"]:
        assert row["status"] == "skipped"
        assert row["version"] is row["per_second"] is row["ratio"] is None


def test_a_measurement_that_fails_is_told_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(adapter: str, game: str, batches: tuple[int, ...], seconds: float) -> Any:
        assert (adapter, seconds) == (f"{suites.ADAPTERS}.{entries[game].adapter}", 0.5)
        if game == "chess":
            raise worker.Failed("RuntimeError: the board is on fire")
        return FOUND.as_json() | {"pinned": True}

    entries = {"chess": replace(CHESS, suite=replace(CHESS.suite, modules=())), "kroma": KROMA}
    monkeypatch.setattr(command, "chosen", lambda names: tuple(entries.values()))
    monkeypatch.setattr(command, "measure", measure)
    assert command.main(["--seconds", "0.5"]) == 1
    out = capsys.readouterr().out
    assert "failed: open_spiel/chess: RuntimeError: the board is on fire\n" in out
    assert "4,096" in out
    assert command.main(["--seconds", "0.5", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in told["rows"]] == ["failed", "measured"]
    assert told["rows"][1]["per_second"] == FOUND.per_second
    assert told["rows"][1]["ratio"] == 1.0
    assert told["seconds"] == 0.5


# The table


def rows() -> list[Row]:
    """Rows of our game at its best batch and alone, and of two others."""
    alone = replace(FOUND, batch=1, per_second={WITH: 2.5})
    others = replace(FOUND, batch=1, per_second={WITHOUT: 30.0, WITH: 12.3})
    return [
        Row(KROMA, "0.1", FOUND, pinned=True),
        Row(BY_NAME["chromazoo/kroma-aec", (1,)], "0.1", alone, pinned=True),
        Row(CHESS, "2.0", others, pinned=True),
        Row(UNO, "1.2", others, pinned=True),
    ]


def test_ratios_are_to_our_game_of_the_kind_at_its_best_batch() -> None:
    assert [row.ratio for row in table.with_ratios(rows())] == [1.0, 0.0025, 0.0123, None]
    assert [row.ratio for row in table.with_ratios(rows()[1:])] == [None, None, None]


def test_the_table_has_a_line_a_row_and_a_note_a_suite_and_a_game() -> None:
    lines = table.text(table.with_ratios(rows())).splitlines()
    assert lines[:6] == [
        "suite       game       version  at once  steps/s  with observations   ratio  to",
        "----------  ---------  -------  -------  -------  -----------------  ------  -----",
        "chromazoo   kroma      0.1        4,096    2,000              1,000     1.0  kroma",
        "chromazoo   kroma-aec  0.1            1        –                  2  0.0025  kroma",
        "open_spiel  chess      2.0            1       30                 12   0.012  kroma",
        "rlcard      uno        1.2            1       30                 12       –  –",
    ]
    notes = table.notes(rows())
    assert notes[: len(table.CAVEATS)] == list(table.CAVEATS)
    heads = [note.partition(":")[0] for note in notes[len(table.CAVEATS) :]]
    assert heads == ["chromazoo", "open_spiel", "rlcard", "chromazoo/kroma", CHESS.name, UNO.name]
    assert notes[-1] == (
        "rlcard/uno: 108 cards, two players, hidden hands, chance; 12 actions, 3.2 of them legal "
        "on average, 50.0 decisions a game; observation 9 bool: own hand and the top card; not the "
        "numbers of cards in hands."
    )


def test_a_process_that_was_not_bound_is_told() -> None:
    assert not any("bound" in note for note in table.notes(rows()))
    loose = [replace(row, pinned=False) for row in rows()]
    assert sum("bound" in note for note in table.notes(loose)) == 1


def test_a_row_is_json() -> None:
    told = json.loads(json.dumps([row.as_json() for row in table.with_ratios(rows())]))
    assert told[2]["per_second"] == {WITHOUT: 30.0, WITH: 12.3}
    assert told[2] | {"status": "measured", "batch": 1, "beside": "kroma", "why": None} == told[2]
    assert len({tuple(row) for row in told}) == 1


def test_every_entry_is_set_beside_a_game_of_ours_and_has_an_adapter() -> None:
    for entry in suites.ENTRIES:
        assert ours.rules(entry.beside).num_seats == 2
        assert callable(import_module(f"{suites.ADAPTERS}.{entry.adapter}").run)
        assert list(entry.batches) == sorted(entry.batches)


# Adapters


def test_our_games_are_measured_like_others() -> None:
    found = ours.run("guardians", (1, 4), 0.01)
    assert found.batch in (1, 4)
    assert found.per_second.keys() == found.spread.keys() == {WITH, WITHOUT}
    game = ours.rules("guardians")
    assert (found.actions, found.observation) == (game.num_actions, f"{game.num_features} uint8")
    assert 1 < found.choices < game.num_actions


@pytest.mark.parametrize("name", ["kroma", "chroma", "guardians"])
def test_choices_and_plies_are_those_of_whole_games(name: str) -> None:
    tally = ours.whole_games(ours.rules(name))
    assert tally.games == 64
    assert tally.choices >= tally.decisions >= tally.games


class Countdown:
    """An AEC environment: game n has n decisions, with two legal actions of three."""

    def __init__(self) -> None:
        self.games = self.left = self.taken = 0
        self.legal: Iterator[tuple[int, ...]] = iter(())

    def reset(self, seed: int | None = None) -> None:
        self.games += 1
        self.left = self.games

    def last(self) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        mask = np.array([1, 0, 1], np.int8) * (self.left > 0)
        seen = {"observation": np.zeros((2, 2), np.int8), "action_mask": mask}
        return seen, 0.0, self.left == 0, False, {}

    def step(self, action: int) -> None:
        assert self.left > 0
        assert action in (0, 2)
        self.taken += 1
        self.left -= 1


def test_the_loop_of_aec_environments_plays_legal_actions_and_begins_anew() -> None:
    env = Countdown()
    peer = import_module(f"{suites.ADAPTERS}.pettingzoo").peer(env)
    assert (peer.actions, peer.observation, set(peer.plays)) == (3, "2×2 int8", {WITH})
    tally = peer.plays[WITH]()
    assert tally.decisions == env.taken > 0
    assert tally.choices == 2 * tally.decisions
    assert tally.games == env.games - 1


OTHERS = [entry for entry in suites.ENTRIES if not entry.suite.name.startswith(suites.OURS)]


@pytest.mark.parametrize("entry", OTHERS, ids=[entry.name for entry in OTHERS])
@pytest.mark.filterwarnings("ignore")  # of other suites
def test_an_adapter_plays_legal_games(entry: suites.Entry) -> None:
    if entry.suite.missing:
        pytest.skip(f"not installed: {entry.suite.missing}, of {entry.suite.requirement}")
    peer = import_module(f"{suites.ADAPTERS}.{entry.adapter}").make(entry.game, entry.batches[0])
    for what, go_on in peer.plays.items():
        tallies = [go_on() for _ in range(8)]
        decisions, choices, games = map(sum, zip(*tallies, strict=True))
        assert decisions >= 64, what
        assert decisions <= choices <= decisions * peer.actions, what
        assert 0 <= games <= decisions, what


def test_the_picture_shows_every_row_that_was_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    from chromazoo.benchmarks.peers import plot

    figures = []
    real = plot.Figure
    monkeypatch.setattr(
        plot, "Figure", lambda **options: figures.append(real(**options)) or figures[-1]
    )
    missing = Row(UNO, None, why="no module rlcard")
    plot.draw_rates([*rows(), missing], tmp_path / "peers.png")
    assert (tmp_path / "peers.png").read_bytes().startswith(b"\x89PNG")
    (axes,) = figures[0].axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == [
        "rlcard uno × 1",
        "open_spiel chess × 1",
        "chromazoo kroma-aec × 1",
        "chromazoo kroma × 4,096",
    ]
    assert axes.get_xscale() == "log"
    assert "decisions a second" in axes.get_xlabel()
