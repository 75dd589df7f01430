"""`chromazoo arena`."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("matplotlib")
pytest.importorskip("torch")

from chromazoo.agents.policy_files import dump_policy
from chromazoo.benchmarks.arena import Tournament
from chromazoo.cli import progress
from chromazoo.envs.registry import make_game
from tests.agents.networks import network_for
from tests.cli.conftest import Run
from tests.cli.process import start
from tests.cli.test_commands import json_of

Refused = Callable[..., str]
BABY = ("kroma", "--set", "size=baby")
FILES = {"arena.json", "games.csv", "table.csv", "table.png", "tournament.json", "parts"}
AGENTS = """
import numpy as np

class First:
    name, wants_states = "first", False

    def __init__(self, game): pass

    def act(self, decision): return decision.action_mask.argmax(axis=1)

class Bad(First):
    def act(self, decision): return np.full(len(decision.seats), 10**6)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "mine.py").write_text(AGENTS)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("mine", None)
    yield
    sys.modules.pop("mine", None)


def test_the_heuristic_beats_random(run: Run) -> None:
    found = json_of(run, "arena", *BABY, "random", "heuristic", "random", "--games", "200")
    assert found["agents"] == ["random", "heuristic", "random"]
    assert (found["games"], found["games_in_all"], found["deals"]) == (200, 600, 100)
    assert (found["finished"], found["truncated"]) == (True, 0)
    table = found["table"]
    assert table[1][0] > 0.7
    assert table[1][2] > 0.7
    assert table[0][1] == pytest.approx(1 - table[1][0])
    assert [table[row][row] for row in range(3)] == [None] * 3
    assert found["table_low"][1][0] < table[1][0] < found["table_high"][1][0]
    assert found["score"][1]["mean"] == pytest.approx((table[1][0] + table[1][2]) / 2)
    assert found["rating"][1]["elo"] > found["rating"][1]["low"] > 100
    assert sum(row["elo"] for row in found["rating"]) == pytest.approx(0, abs=1e-6)


def test_four_players(run: Run) -> None:
    line = ("guardians", "--set", "num_players=4", "heuristic", *["random"] * 3)
    found = json_of(run, "arena", *line, "--games", "210", "--engine", "numpy")
    assert (found["games"], found["games_in_all"], found["deals"]) == (212, 212, 53)
    assert sum(row["mean"] for row in found["score"]) == pytest.approx(1)
    assert found["score"][0]["low"] > 0.25


def test_the_table_on_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    line = ("arena", "kroma", "--set", "size=baby", "random", "heuristic", "--games", "100")
    ran = run(*line)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("kroma size=baby: 100 games on 50 deals\n")
    rows = [[cell.strip() for cell in text.split("│")[1:-1]] for text in ran.out.splitlines()]
    rows = [row for row in rows if row]
    assert [row[:3] for row in rows[:2]] == [["1", "2", "heuristic"], ["2", "1", "random"]]
    found = json_of(run, *line)
    best = found["score"][1]
    mean, low, high = (100 * best[key] for key in ("mean", "low", "high"))
    assert rows[0][3] == f"{mean:.1f} ({low:.1f}–{high:.1f})"
    assert rows[0][4].startswith(f"{found['rating'][1]['elo']:+.0f} (")
    assert rows[2:] == [
        ["1 random", "", rows[2][2]],
        ["2 heuristic", f"{mean:.1f} ({low:.1f}–{high:.1f})", ""],
    ]


def test_who_won_all_has_a_bound(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(Tournament, "wins", lambda self, results: np.array([[[4, 0]]] * 30))
    line = ("arena", *BABY, "random", "random", "--games", "60")
    ran = run(*line)
    found = json_of(run, *line)["rating"]
    assert [row["open"] for row in found] == ["above", "below"]
    first, second = found
    assert f"{first['elo']:+.0f} (> {first['low']:+.0f})" in ran.out
    assert f"{second['elo']:+.0f} (< {second['high']:+.0f})" in ran.out
    assert "tell no more of Elo than a bound" in ran.out


def test_long_names_break_no_lines(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    game = make_game("kroma", size="baby")
    path = tmp_path / ("a" * 60) / "mine.safetensors"
    path.parent.mkdir()
    path.write_bytes(dump_policy(network_for(game, "mlp"), game, 64))
    ran = run("arena", *BABY, f"ppo:{path}", "random", "--games", "4")
    assert (ran.status, ran.err) == (0, "")
    rows = [line for line in ran.out.splitlines() if line.startswith("│")]
    assert len(rows) == 4
    assert sum("…aaaaaa/mine.safetensors" in row for row in rows) == 2
    assert f"\nno. 1: ppo:{path}\n" in ran.out


def test_the_same_seed_gives_the_same_table(run: Run) -> None:
    line = ("arena", *BABY, "random", "random", "--games", "60", "--seed", "7")
    first, second = json_of(run, *line), json_of(run, *line, "--batch", "9")
    first.pop("seconds"), second.pop("seconds")
    assert first == second
    assert json_of(run, *line[:-1], "8")["table"] != first["table"]


def test_agents_of_ones_own_may_enter(run: Run, mine: None) -> None:
    found = json_of(run, "arena", "tiny", "random", "mine:First", "--games", "60")
    assert found["agents"] == ["random", "mine:First"]
    assert found["games"] == 60


def test_the_policy_of_an_unfinished_run_is_told(run: Run, tmp_path: Path) -> None:
    game = make_game("kroma", size="baby")
    path = tmp_path / "run" / "checkpoints" / "step-000000000064" / "policy.safetensors"
    path.parent.mkdir(parents=True)
    path.write_bytes(dump_policy(network_for(game, "mlp"), game, 64))
    line = ("arena", *BABY, f"ppo:{tmp_path / 'run'}", "random", "--games", "4")
    ran = run(*line)
    assert ran.status == 0
    name = f"ppo:{tmp_path / 'run'}"
    assert ran.err == f"chromazoo: {name}: an unfinished run, so far {path} of 64 steps\n"
    (tmp_path / "run" / "policy.safetensors").write_bytes(path.read_bytes())
    assert run(*line).err == ""


def test_truncated_games_are_told(run: Run) -> None:
    endless = ("arena", *BABY, "--set", "no_capture_limit=0", "random", "random", "--games", "40")
    assert "--max-plies is needed" in run(*endless).err
    ran = run(*endless, "--max-plies", "12")
    assert (ran.status, ran.err) == (0, "")
    found = json_of(run, *endless, "--max-plies", "12")
    assert 0 < found["truncated"] < 40
    assert f"40 games on 20 deals, {found['truncated']} truncated\n" in ran.out


def test_a_picture_is_drawn(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "table.png"
    line = ("arena", "tiny", "random", "random", "--games", "30")
    json_of(run, *line, "--plot", str(path))
    assert path.read_bytes().startswith(b"\x89PNG")


# Folders


LINE = ("arena", "tiny", "random", "random", "random", "random", "--games", "120")


def without_time(found: Any) -> Any:
    return {key: value for key, value in found.items() if key != "seconds"}


def test_a_folder_gets_everything(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "arena"
    found = json_of(run, *LINE, "--out", str(folder))
    assert {path.name for path in folder.iterdir()} == FILES
    assert json.loads((folder / "arena.json").read_text()) == found
    assert len((folder / "games.csv").read_text().splitlines()) == 121
    assert (folder / "table.png").read_bytes().startswith(b"\x89PNG")
    again = run(*LINE, "--out", str(folder), "--json")  # nothing is left to be played
    assert (again.status, json.loads(again.out)) == (0, found)
    assert again.err == "chromazoo arena: going on after 120 games\n"


def interrupting(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Interrupt play once so many blocks have been played."""
    play = Tournament._play
    count = iter(range(1000))

    def interrupted(*arguments: Any) -> Any:
        if next(count) == after:
            monkeypatch.setattr(Tournament, "_play", play)
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr(Tournament, "_play", interrupted)


def test_an_interruption_shows_the_table_and_loses_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = json_of(run, *LINE)
    kept = (*LINE, "--out", str(tmp_path / "arena"), "--batch", "24")
    interrupting(monkeypatch, after=3)
    ran = run(*kept)
    assert (ran.status, ran.err) == (130, "")
    assert ran.out.startswith("tiny: 72 games on 6 deals of 10: interrupted\n")
    assert "Elo" in ran.out
    assert not json.loads((tmp_path / "arena" / "arena.json").read_text())["finished"]
    interrupting(monkeypatch, after=1)
    ran = run(*kept, "--json")
    assert ran.status == 130
    assert (json.loads(ran.out)["deals"], json.loads(ran.out)["finished"]) == (8, False)
    ran = run(*kept, "--json")
    assert ran.err == "chromazoo arena: going on after 96 games\n"
    assert without_time(json.loads(ran.out)) == without_time(expected)
    more = run(*kept[:7], "240", *kept[8:], "--json")
    assert json.loads(more.out)["deals"] == 20


def test_an_interruption_before_the_first_results_is_quiet(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupting(monkeypatch, after=0)
    assert run(*LINE) == (130, "", "")


def test_what_is_in_the_way_is_refused(run: Run, refused: Refused, tmp_path: Path) -> None:
    folder = tmp_path / "arena"
    json_of(run, *LINE, "--out", str(folder))
    told = refused(*LINE, "--out", str(folder), "--seed", "5")
    assert "holds another tournament, with seed 0, not 5" in told
    others = [
        (("random",) * 3, "of random, random, random, random, not random, random, random;"),
        (("random",) * 4 + ("--set", "cards=5"), "where cards is 6, not 5;"),
        (("random",) * 4 + ("--max-plies", "9"), "with max_plies null, not 9;"),
    ]
    for words, why in others:
        told = refused("arena", "tiny", *words, "--games", "120", "--out", str(folder))
        assert f"holds another tournament, {why} name another folder" in told
    there = json.loads((folder / "tournament.json").read_text())
    (folder / "tournament.json").write_text(json.dumps({**there, "chromazoo": "0.0.9"}))
    told = refused(*LINE, "--out", str(folder))
    assert 'with version of chromazoo "0.0.9", not "' in told
    (folder / "tournament.json").write_text(json.dumps(there))
    told = refused(*LINE[:-1], "24", "--out", str(folder))
    assert "120 games have been played there, more than 24" in told
    assert "holds no tournament" in refused(*LINE, "--out", str(tmp_path))
    assert "not a folder" in refused(*LINE, "--out", str(folder / "arena.json"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tiny", "Missing argument 'AGENT AGENT...'"),
        ("tiny random", "an arena takes 2 to 100 agents, not 1; one named twice meets itself"),
        ("tiny random nobody", "no agent 'nobody'"),
        ("tiny random ppo?greedy", "as in ppo:?greedy or ppo:PATH?greedy"),
        ("tiny random heuristic", "no heuristic agent for tiny"),
        ("chess random random", "no game 'chess'"),
        ("tiny random random --games 0", "'--games'"),
        ("tiny random random --games 900000000", "games in all"),
        ("tiny random random --batch 0", "'--batch'"),
        ("tiny random random --max-plies 0", "'--max-plies'"),
        ("tiny random random --seed x", "'--seed'"),
        ("tiny random random --plot table.svg", "a PNG file was expected"),
        ("tiny random random --plot nowhere/table.png", "nowhere: no such folder"),
        ("tiny random random --out ''", "a name was expected"),
        ("tiny random mine:Bad", "actions go from 0 to 7"),
        ("tiny random ppo:nowhere", "nowhere: cannot be read"),
        ("kroma random random --set no_capture_limit=0", "--max-plies is needed"),
    ],
)
def test_bad_input_gets_one_line(refused: Refused, mine: None, line: str, words: str) -> None:
    told = refused("arena", *("" if word == "''" else word for word in line.split()))
    assert words in told


def test_a_policy_that_changed_is_told(run: Run, refused: Refused, tmp_path: Path) -> None:
    game, path = make_game("kroma", size="baby"), tmp_path / "mine.safetensors"
    line = ("arena", *BABY, f"ppo:{path}", "random", "--games", "4", "--out", str(tmp_path / "a"))
    for seed in (1, 2):
        path.write_bytes(dump_policy(network_for(game, "mlp", seed=seed), game, 64))
        if seed == 1:
            json_of(run, *line)
    told = refused(*line)
    assert f"another policy behind ppo:{path}, which has changed since; name another" in told


def without(missing: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command where a package is not installed."""
    code = (
        "import importlib.util as util, sys\n"
        f"sys.modules[{missing!r}], find = None, util.find_spec\n"
        f"util.find_spec = lambda name, *rest: None if name == {missing!r} else find(name, *rest)\n"
        "from chromazoo.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_without_matplotlib_there_is_no_picture_but_all_else(tmp_path: Path) -> None:
    folder = tmp_path / "arena"
    line = ("arena", *BABY, "random", "random", "--games", "4")
    ran = without("matplotlib", *line, "--out", str(folder))
    assert (ran.returncode, ran.stderr) == (
        0,
        f"chromazoo arena: no {folder / 'table.png'}, as matplotlib is not installed\n",
    )
    assert {path.name for path in folder.iterdir()} == FILES - {"table.png"}


@pytest.mark.parametrize(
    ("missing", "more", "who"),
    [("scipy", (), "the arena needs"), ("matplotlib", ("--plot", "x.png"), "pictures need")],
)
def test_what_is_missing_is_named(missing: str, more: tuple[str, ...], who: str) -> None:
    ran = without(missing, "arena", "kroma", "random", "random", *more)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"chromazoo: {who} {missing}")
    assert ran.stderr.endswith("which is not installed: pip install 'chromazoo[train]'\n")
    assert ran.stderr.count("\n") == 1


def test_progress_is_shown_on_standard_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    ran = run(*LINE, "--json", "--batch", "24")
    assert ran.status == 0
    assert json.loads(ran.out)["finished"]
    assert "120" in ran.err


def test_control_c_in_a_process_keeps_what_has_been_played(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "arena"
    line = (*BABY, "random", "heuristic", "--games", "2000000", "--batch", "64")
    with start("arena", *line, "--out", str(folder)) as process:
        while len([*folder.glob("parts/*.npz")]) < 3 and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, "")
    assert out.startswith("kroma size=baby: ")
    assert "of 1000000: interrupted" in out
    found = json.loads((folder / "arena.json").read_text())
    assert found["deals"] >= 3 * 32
    assert len((folder / "games.csv").read_text().splitlines()) == 2 * found["deals"] + 1
    with np.load(folder / "parts" / "deal-000000000.npz") as part:
        assert part["plies"].shape == (32, 1, 2)
