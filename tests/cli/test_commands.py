"""What each command does with good input."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chromazoo.agents.shipped import shipped_policies
from chromazoo.benchmarks.single_game import FACES
from chromazoo.benchmarks.throughput import WHATS
from chromazoo.benchmarks.workloads import IN_STEP
from chromazoo.cli import bench as bench_command
from chromazoo.cli import progress
from chromazoo.cli import train as train_command
from chromazoo.envs.game import ENGINES, Game
from chromazoo.envs.options import option_text
from chromazoo.envs.records import check_lines
from chromazoo.envs.registry import MODULES, make_game
from tests.cli.conftest import Run
from tests.cli.process import COMMAND
from tests.contract.golden import file_of
from tests.kroma import golden
from tests.tiny.game import Game as TinyGame

START = "py/py/PY/PY py/py/py/py w 0"


def json_of(run: Run, *arguments: str, status: int = 0) -> Any:
    """Run a command with --json: one object on standard output, nothing on standard error."""
    ran = run(*arguments, "--json")
    assert (ran.status, ran.err) == (status, "")
    assert ran.out.count("\n") == 1
    return json.loads(ran.out)


# games


def test_games_as_json(run: Run) -> None:
    found = json_of(run, "games")
    assert list(found) == ["games"]
    listed = {game["id"]: game for game in found["games"]}
    assert list(listed) == list(MODULES)
    kroma, tiny = listed["kroma"], listed["tiny"]
    assert list(kroma) == [
        "id", "options", "values", "num_seats", "num_actions", "num_features", "policies",
    ]  # fmt: skip
    assert tiny["values"]["cards"] == [*range(4, 17)]
    assert tiny["policies"] == []
    assert kroma["num_seats"] == 2
    assert kroma["values"] == {
        "size": ["standard", "basic", "baby"],
        "influence": ["friendly", "public", "reversed"],
        "symmetry": ["mirrored", "flipped"],
        "setup": ["standard", "intermediate", "advanced"],
        "random": [False, True],
        "leap": [False, True],
        "piece_rows": [1, 2],
    }
    assert listed["chroma"]["values"] == {
        "num_players": [2, 3, 4, 5, 6],
        "wheel": ["tones", "narrow", "ring"],
        "power_copies": [0, 1, 2, 3, 4],
        "first_player": [0, 1, None],
    }
    assert listed["guardians"]["values"]["duel"] == [False, True]
    assert kroma["id"] == "kroma"
    assert kroma["options"]["size"] == "standard"
    assert kroma["num_actions"] == 24 * 48 + 12
    game = TinyGame()
    assert tiny["options"] == {"cards": 6}
    assert (tiny["num_actions"], tiny["num_features"]) == (8, game.num_features)


def test_games_as_json_list_the_policies(run: Run) -> None:
    for game in json_of(run, "games")["games"]:
        assert len(game["policies"]) == len(shipped_policies(make_game(game["id"])))
        for policy in game["policies"]:
            assert list(policy) == ["options", "steps", "score", "equal_score"]
            seats = make_game(game["id"], **policy["options"]).num_seats
            assert policy["equal_score"] == pytest.approx(1 / seats)
            assert policy["score"]["random"] > policy["equal_score"]
            assert policy["steps"] > 0


def test_games_with_other_options(run: Run) -> None:
    (baby,) = json_of(run, "games", "--set", "size=baby", "--set", "leap=false")["games"]
    assert (baby["options"]["size"], baby["options"]["leap"]) == ("baby", False)
    assert baby["num_actions"] == 24 * 8 + 4
    assert baby["values"]["setup"] == ["standard"]
    assert baby["values"]["size"] == ["standard", "basic", "baby"]
    (many,) = json_of(run, "games", "guardians", "--set", "num_players=4")["games"]
    assert many["values"]["duel"] == [False]


def test_games_as_a_table(run: Run) -> None:
    ran = run("games")
    assert (ran.status, ran.err) == (0, "")
    assert "kroma" in ran.out
    assert "no_capture_limit=100" in ran.out
    assert "random=false" in ran.out
    assert ran.out.endswith("such as the values its options take: chromazoo games kroma\n")


@pytest.mark.parametrize("name", ["tiny", *MODULES])
def test_a_game_is_told_as_a_whole(run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "300")  # so that no cell is broken
    ran = run("games", name)
    assert (ran.status, ran.err) == (0, "")
    game = make_game(name)
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in ran.out.splitlines()]
    for option, value in game.options.items():
        (meaning,) = [row[2] for row in rows if row[:2] == [option, option_text(value)]]
        assert len(meaning) > 10
    for field in game.fields:
        assert any(row[:1] + row[2:] == [
            field.name, str(field.high), field.view, field.meaning
        ] for row in rows)  # fmt: skip
    for block in game.blocks:
        assert any(row[:1] == [block.name] and row[3] == block.meaning for row in rows if row[3:])
    assert len(json_of(run, "games", name, name)["games"]) == 1


def test_a_game_is_told_with_its_options(run: Run) -> None:
    ran = run("games", "kroma", "--set", "size=baby")
    assert (ran.status, ran.err) == (0, "")
    assert "`standard` 6 × 8, `basic` 4 × 6," in ran.out
    assert "2 × 4 × 2" in ran.out
    assert "Actions: 196" in ran.out
    assert "first_player" not in ran.out


# check and sample


def records(run: Run, *arguments: str) -> str:
    ran = run("sample", *arguments)
    assert (ran.status, ran.err) == (0, "")
    return ran.out


@pytest.mark.parametrize(
    "game", [("tiny",), ("kroma", "--set", "size=basic"), ("kroma", "--set", "random=true")]
)
def test_samples_are_the_same_whatever_the_batch_and_pass_the_check(
    run: Run, tmp_path: Path, game: tuple[str, ...]
) -> None:
    options = (*game, "--games", "12", "--seed", "1")
    text = records(run, *options)
    assert text == records(run, *options) == records(run, *options, "--batch", "5")
    assert text == records(run, *options, "--json")
    assert text != records(run, *game, "--games", "12", "--seed", "2")
    assert text.startswith(records(run, *game, "--games", "3", "--seed", "1"))
    file = tmp_path / "games.jsonl"
    file.write_text(text)
    found = json_of(run, "check", str(file))
    plies = sum(len(json.loads(line)["plies"]) for line in text.splitlines())
    assert found == {"records": 12, "plies": plies, "failed": []}


def test_samples_hold_all_options_and_no_others(run: Run) -> None:
    text = records(run, "kroma", "--set", "size=baby", "--set", "no_capture_limit=10")
    assert json.loads(text)["config"] == {
        "size": "baby",
        "influence": "friendly",
        "symmetry": "mirrored",
        "setup": "standard",
        "random": False,
        "leap": True,
        "piece_rows": 2,
        "no_capture_limit": 10,
    }


def test_samples_of_the_heuristic(run: Run) -> None:
    options = ("kroma", "--games", "3", "--seed", "1", "--set", "size=baby")
    text = records(run, *options, "--agent", "heuristic")
    assert check_lines(text.splitlines(), "x").failed == []
    assert text != records(run, *options)


def test_samples_leave_truncated_games_out(run: Run) -> None:
    ran = run("sample", "tiny", "--games", "40", "--set", "cards=16", "--max-plies", "8")
    lines = ran.out.splitlines()
    assert ran.status == 0
    assert 0 < len(lines) < 40
    assert max(len(json.loads(line)["plies"]) for line in lines) <= 8
    left_out = 40 - len(lines)
    assert ran.err == (f"chromazoo sample: {left_out} of 40 games were broken off and left out\n")
    endless = ("kroma", "--set", "size=baby", "--set", "no_capture_limit=0", "--max-plies", "500")
    assert check_lines(run("sample", *endless).out.splitlines(), "x").failed == []


def test_check_lists_what_is_wrong(run: Run, tmp_path: Path) -> None:
    lines = records(run, "tiny", "--games", "5", "--seed", "3").splitlines()
    broken = json.loads(lines[1])
    broken["plies"][1]["move"] = "draw"
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text("\n".join(lines))  # no line break at the end
    bad.write_text("\n".join([lines[0], json.dumps(broken), lines[2], lines[3][:50]]) + "\n")
    found = json_of(run, "check", str(good), str(bad), status=1)
    assert found["records"] == 9
    places = [(each["file"], each["line"], each["ply"]) for each in found["failed"]]
    assert places == [(str(bad), 2, 1), (str(bad), 4, None)]
    assert all(list(each) == ["file", "line", "ply", "why"] for each in found["failed"])
    ran = run("check", str(good), str(bad))
    assert (ran.status, ran.err) == (1, "")
    shown = ran.out.splitlines()
    assert shown[0].startswith(f"{bad}:2: ply 1: move 'draw' is not legal; one of 3 legal moves")
    assert shown[1].startswith(f"{bad}:4: not a whole JSON object")
    assert shown[2] == f"9 records, {found['plies']} plies, 2 failed"
    good.write_text(lines[0])
    plies = len(json.loads(lines[0])["plies"])
    assert run("check", str(good)).out == f"1 record, {plies} plies, 0 failed\n"


def test_check_of_odd_files(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "odd.jsonl"
    for content, lines in ((b"", 0), (b"\n", 1), (b"\xff\xfe\x00\n\x00", 2), (b"[" * 10**6, 1)):
        file.write_bytes(content)
        found = json_of(run, "check", str(file), status=1 if lines else 0)
        assert [each["line"] for each in found["failed"]] == list(range(1, lines + 1))


def test_check_reads_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = records(run, "tiny", "--games", "2").encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text + b"{}\n")))
    found = json_of(run, "check", "-", status=1)
    assert (found["records"], found["failed"][0]["line"]) == (3, 3)


@pytest.mark.parametrize("name", ["games.jsonl", "a{b}.jsonl", "q[/r].jsonl", "[bold]"])
def test_check_shows_how_far_it_is(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """In bytes of all files, whatever they are called; of a pipe nobody knows."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(records(run, "tiny", "--games", "3").encode())
    content = (tmp_path / name).read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    ran = run("check", str(tmp_path / name), str(tmp_path / name))
    assert (ran.status, ran.out.split(",")[0]) == (0, "6 records")
    for done in (1, 2):
        assert f"{done * len(content)}/{2 * len(content)}" in ran.err
    piped = run("check", "-")
    assert (piped.status, piped.out.split(",")[0], piped.err) == (0, "3 records", "")


def test_check_of_what_is_left_of_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text("{}\n{}\n")
    with file.open("rb") as lines:
        lines.seek(3)
        process = subprocess.run(
            [*COMMAND, "check", "-", "--json"], stdin=lines, capture_output=True, check=False
        )
    assert json.loads(process.stdout)["records"] == 1


def test_check_of_the_golden_records(run: Run) -> None:
    found = json_of(run, "check", str(file_of("kroma")))
    assert found["records"] == len(file_of("kroma").read_text().splitlines())
    assert found["failed"] == []


COMPILED = ("--engine", "compiled")


@pytest.mark.parametrize(
    "game",
    [
        ("kroma", "--set", "size=baby", "--agent", "heuristic"),
        ("chroma", "--set", "num_players=3"),
        ("guardians",),
    ],
)
def test_samples_and_checks_are_the_same_on_both_engines(
    run: Run, tmp_path: Path, game: tuple[str, ...]
) -> None:
    options = (*game, "--games", "8", "--seed", "1")
    text = records(run, *options)
    assert text == records(run, *options, *COMPILED)
    lines = text.splitlines()
    broken = json.loads(lines[2])
    broken["plies"][4]["move"] = broken["plies"][3]["move"] + "!"
    file = tmp_path / "games.jsonl"
    file.write_text("\n".join([*lines[:2], json.dumps(broken), *lines[3:], "{}"]))
    found = json_of(run, "check", str(file), status=1)
    assert [failure["line"] for failure in found["failed"]] == [3, 9]
    assert found == json_of(run, "check", str(file), *COMPILED, status=1)


# perft


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", range(len(golden.perft_tables())))
def test_perft_gives_the_golden_counts(run: Run, number: int, engine: str) -> None:
    table = golden.perft_tables()[number]
    depth = sum(count <= 20_000 for count in table["perft"])
    leap = json.dumps(table["leap"])
    influence = table["influence"]
    found = json_of(
        run,
        "perft",
        table["position"],
        str(depth),
        "--influence",
        influence,
        "--set",
        f"leap={leap}",
        "--engine",
        engine,
    )
    assert found["nodes"] == table["perft"][:depth]
    assert found["seconds"] > 0


def test_perft_divides(run: Run) -> None:
    found = json_of(run, "perft", START, "3", "--divide")
    assert len(found["divide"]) == found["nodes"][0]
    assert sum(found["divide"].values()) == found["nodes"][2]
    ran = run("perft", START, "3", "--divide")
    assert (ran.status, ran.err) == (0, "")
    for move, count in found["divide"].items():
        assert any(move in row and str(count) in row for row in ran.out.splitlines())
    for depth in (1, 2, 4):
        plain = json_of(run, "perft", START, str(depth))
        divided = json_of(run, "perft", START, str(depth), "--divide")
        assert plain["nodes"] == divided["nodes"]
        compiled = json_of(run, "perft", START, str(depth), "--divide", *COMPILED)
        assert compiled["divide"] == divided["divide"]


def test_perft_divides_in_one_walk(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stepped: list[int] = []
    step = Game.step

    def counted(self: Any, state: Any, *arguments: Any, **named: Any) -> None:
        stepped.append(len(state))
        step(self, state, *arguments, **named)

    monkeypatch.setattr(Game, "step", counted)
    nodes = json_of(run, "perft", START, "6", "--divide")["nodes"]
    assert sum(stepped) < 1.5 * sum(nodes[:-1])


def test_perft_takes_the_options_of_the_game(run: Run) -> None:
    free = json_of(run, "perft", START, "3")
    limited = json_of(run, "perft", START, "3", "--set", "no_capture_limit=1")
    public = json_of(run, "perft", START, "3", "--influence", "public")
    other = json_of(run, "perft", START, "3", "--set", "influence=public")
    assert public["nodes"] == other["nodes"] != free["nodes"] != limited["nodes"]


# bench


QUICK = ("--batch", "1,8", "--seconds", "0.01")
ROW = ["game", "config", "engine", "threads", "what", "batch", "per_second", "spread"]


def test_bench_measures_everything(run: Run) -> None:
    for game in (("tiny",), ("kroma", "--set", "size=baby")):
        found = json_of(run, "bench", *game, *QUICK)
        assert list(found) == ["machine", "rows"]
        assert found["machine"]["cpu"]
        rows = [(row["what"], row["batch"]) for row in found["rows"]]
        batched = [what for what in WHATS if what not in (*FACES, IN_STEP)]
        expected = [(what, batch) for what in batched for batch in (1, 8)]
        assert rows == [*expected, ("aec", 1), ("aec-raw", 1)]
        for row in found["rows"]:
            assert list(row)[: len(ROW)] == ROW
            assert (row["game"], row["engine"], row["threads"]) == (game[0], "numpy", 1)
            assert row["per_second"] > 0
            assert row["spread"] >= 0
            assert row["bytes_per_game"] > 0
            if row["what"] in FACES:
                assert row["microseconds"] > 0
                assert row["p99_microseconds"] > 0
                assert row["numpy_calls"] > 1
    assert found["rows"][0]["config"]["size"] == "baby"
    assert "no_capture_limit" in found["rows"][0]["config"]


def test_bench_as_a_table(run: Run) -> None:
    ran = run(
        "bench", "tiny", "--what", "play, deal", "--what", "aec", "--batch", "4", "--batch", "2",
        "--seconds", "0.01", "--threads", "2", "--set", "cards=5",
    )  # fmt: skip
    assert (ran.status, ran.err) == (0, "")
    assert "cpu: " in ran.out
    size = TinyGame(cards=5).deal([0]).nbytes
    assert f"\ntiny cards=5: numpy, 2 threads, {size} bytes a game\n" in ran.out
    assert ran.out.count("play") == ran.out.count("deal") == 2
    assert ran.out.count("decisions/s") == 3
    assert ran.out.count("games/s") == 2
    assert ran.out.count("numpy calls") == ran.out.count(" aec ") == 1


def test_bench_measures_a_game_once(run: Run) -> None:
    measuring = ("--what", "play,play", "--batch", "4", "--seconds", "0.01")
    ran = run("bench", "tiny", "tiny", *measuring)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.count("tiny (default options)") == ran.out.count("play") == 1
    assert len(json_of(run, "bench", "tiny", "tiny", *measuring)["rows"]) == 1


def test_bench_measures_each_engine(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("numba")
    asked = ("bench", "kroma", "--set", "size=baby", "--engine", "numpy,compiled")
    measuring = ("--what", "play,aec", "--batch", "2", "--seconds", "0.01")
    rows = json_of(run, *asked, *measuring)["rows"]
    told = [(row["engine"], row["what"]) for row in rows]
    assert told == [(name, what) for name in ("numpy", "compiled") for what in ("play", "aec")]
    assert rows[3]["numpy_calls"] < rows[1]["numpy_calls"]
    ran = run(*asked, *measuring)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.count("kroma size=baby: numpy, 1 thread") == 1
    assert ran.out.count("kroma size=baby: compiled, 1 thread") == 1


def test_bench_leaves_out_games_without_the_engine(run: Run) -> None:
    measuring = ("--what", "deal", "--batch", "2", "--seconds", "0.01")
    told = [
        (row["game"], row["engine"])
        for row in json_of(run, "bench", "--engine", "numpy,compiled", *measuring)["rows"]
    ]
    games = [name for name in MODULES if name != "tiny"]
    assert told == [(name, engine) for name in games for engine in ENGINES] + [("tiny", "numpy")]


def test_bench_measures_the_suite(run: Run) -> None:
    measuring = ("--what", "play,play in step", "--batch", "2", "--seconds", "0.01")
    rows = json_of(run, "bench", "--suite", *measuring)["rows"]
    told = [(row["game"], row["what"]) for row in rows]
    kroma, chroma, guardians = ("kroma", "play"), ("chroma", "play"), ("guardians", "play")
    in_step = ("guardians", "play in step")
    assert told == [
        kroma, kroma, kroma, chroma, chroma, guardians, in_step, guardians, in_step,
        ("tiny", "play"),
    ]  # fmt: skip
    assert [row["config"]["size"] for row in rows[:3]] == ["standard", "basic", "baby"]
    assert [row["config"]["num_players"] for row in rows[3:9]] == [2, 4, 2, 2, 4, 4]
    ran = run("bench", "kroma", "guardians", *measuring)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.count("play in step") == 1
    ran = run("bench", "kroma", "guardians", "--what", "play in step", *measuring[2:])
    assert (ran.status, ran.err) == (0, "")
    assert "kroma" not in ran.out


def test_bench_draws_a_picture(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "rates.png"
    found = json_of(run, "bench", "tiny", "--what", "play", *QUICK, "--plot", str(path))
    assert len(found["rows"]) == 2
    assert path.read_bytes().startswith(b"\x89PNG")
    path = tmp_path / "folder.png"
    path.mkdir()
    ran = run("bench", "tiny", "--what", "play", *QUICK, "--plot", str(path))
    assert ran.status == 2
    assert "play" in ran.out  # nothing that was measured is lost
    assert ran.err.count("\n") == 1
    ran = run("bench", "tiny", "--plot", str(tmp_path / "misspelt" / "rates.png"))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"chromazoo: {tmp_path / 'misspelt'}: no such folder\n"


def test_bench_without_matplotlib(refused: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("matplotlib.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "chromazoo.benchmarks.throughput_plot", raising=False)
    monkeypatch.setattr(bench_command, "measure", None)  # it is not come to
    told = refused("bench", "tiny", "--plot", "rates.png")
    assert "plots need matplotlib" in told
    assert "chromazoo[train]" in told


@pytest.fixture
def earlier(run: Run, tmp_path: Path) -> Callable[[float], str]:
    """Write an earlier run of `play`, so many times as fast, and of `deal`."""
    found = json_of(run, "bench", "tiny", "--what", "deal,play", *QUICK)
    path = tmp_path / "before.json"

    def write(times: float) -> str:
        rows = [{**row, "per_second": times * row["per_second"]} for row in found["rows"]]
        path.write_text(json.dumps({**found, "rows": rows}))
        return str(path)

    return write


def test_bench_compares(run: Run, earlier: Callable[[float], str]) -> None:
    measuring = ("bench", "tiny", "--what", "play", "--batch", "1,8,16", "--seconds", "0.01")
    for times, verdict in ((1e6, "slower"), (1e-6, "faster")):
        compared = ("--compare", earlier(times))
        found = json_of(run, *measuring, *compared)
        assert list(found) == ["machine", "rows", "comparison"]
        assert [row["batch"] for row in found["comparison"]["rows"]] == [1, 8]
        assert {row["verdict"] for row in found["comparison"]["rows"]} == {verdict}
        ran = run(*measuring, *compared, "--fail-on-slower")
        assert (ran.status, ran.err) == (int(verdict == "slower"), "")
        assert ran.out.count(f" {verdict} │") == 2
        count = "2 slower, 0 faster" if verdict == "slower" else "0 slower, 2 faster"
        assert f"2 rates: {count} beyond noise; median ratio " in ran.out


def test_bench_compares_nothing_with_nothing(refused: Any, earlier: Callable[[float], str]) -> None:
    told = refused("bench", "tiny", "--what", "mask", "--compare", earlier(1.0))
    assert "before.json: holds nothing that is measured now" in told


# train


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Put a witness in the place of the training itself."""
    command = pytest.importorskip("chromazoo.training.command")
    calls: list[dict[str, Any]] = []

    def train(settings: Any, out: Path, **named: Any) -> dict[str, Any]:
        calls.append({"settings": settings, "out": out, **named})
        return {"out": str(out), "steps": 3, "seconds": 1.5, "evaluation": {}}

    monkeypatch.setattr(command, "train", train)
    return calls


def test_train_passes_everything_on(run: Run, training: list[dict[str, Any]]) -> None:
    found = json_of(
        run, "train", "kroma", "--preset", "demo", "--steps", "77", "--seed", "5",
        "--set", "influence=public", "--max-plies", "90", "--out", "some/where", *COMPILED,
    )  # fmt: skip
    assert found == {"out": "some/where", "steps": 3, "seconds": 1.5, "evaluation": {}}
    (call,) = training
    settings = call["settings"]
    assert (settings.game, settings.steps, settings.seed, settings.max_plies) == (
        "kroma", 77, 5, 90,
    )  # fmt: skip
    assert settings.make_game().engine == "compiled"
    assert settings.options["influence"] == "public"
    assert settings.options["size"] == "basic"  # from the preset
    assert (call["out"], call["resume"], call["overwrite"]) == (Path("some/where"), False, False)


def test_train_has_a_folder_of_its_own(run: Run, training: list[dict[str, Any]]) -> None:
    run("train", "kroma", "--overwrite")
    run("train", "kroma", "--preset", "demo")
    assert [call["out"] for call in training] == [Path("runs/kroma"), Path("runs/kroma-demo")]
    assert [call["overwrite"] for call in training] == [True, False]


def test_train_lists_its_presets(run: Run) -> None:
    text = "".join(run("train", "--help").out.replace("│", " ").split())  # lines may break at "-"
    assert "kromahasbaseline,baseline-baby,baseline-standard,demo;chromahas" in text
    assert "chromahasbaseline,baseline-4p,demo,demo-4p;guardianshas" in text


def test_train_goes_on_with_a_run(run: Run, training: list[dict[str, Any]], tmp_path: Path) -> None:
    run("train", "kroma", "--set", "size=baby")
    settings = training[0]["settings"]
    (tmp_path / "settings.json").write_text(json.dumps(settings.as_dict()))
    assert run("train", "kroma", "--resume", str(tmp_path)).status == 0
    assert run("train", "kroma", "--resume", str(tmp_path), "--steps", "99").status == 0
    assert [call["resume"] for call in training[1:]] == [True, True]
    assert training[1]["settings"] == settings
    assert training[2]["settings"].steps == 99
    assert training[2]["out"] == tmp_path
    assert run("train", "kroma", "--resume", str(tmp_path), *COMPILED).status == 0
    assert [call["settings"].engine for call in training[2:]] == ["numpy", "compiled"]
    assert training.pop()["settings"].steps == settings.steps
    for more in (("--seed", "1"), ("--set", "size=baby"), ("--out", "x"), ("--overwrite",)):
        ran = run("train", "kroma", "--resume", str(tmp_path), *more)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err == (
            f"chromazoo: {more[0]} cannot be used with --resume; only --steps and --engine can\n"
        )
    ran = run("train", "tiny", "--resume", str(tmp_path))
    assert ran.status == 2
    assert "a run of kroma, not of tiny" in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("chess",), "no game 'chess'"),
        (("kroma", "--preset", "none"), "no preset 'none' for kroma; its presets are"),
        (("kroma", "--preset", "none.toml"), "none.toml: cannot be read"),
        (("kroma", "--set", "size=huge"), "'huge'"),
        (("kroma", "--set", "no_capture_limit=0"), "could play for ever"),
        (("kroma", "--resume", "no/such/run"), "no/such/run"),
        (("kroma", "--set", "self=1"), "kroma has no option 'self'"),
        (("kroma", "--set", "engine=compiled"), "--set engine: no option of a game"),
        (("kroma", "--engine", "steam"), "no engine 'steam'; engines are numpy, compiled"),
        (("tiny", "--engine", "compiled"), "tiny has no compiled engine"),
        (("kroma", "--set", "game_id=1"), "kroma has no option 'game_id'"),
        (("kroma", "--preset", ""), "'--preset': a name was expected, not nothing"),
        (("kroma", "--out", ""), "'--out': a name was expected, not nothing"),
        (("kroma", "--out", " "), "'--out': a name was expected, not nothing"),
        (("kroma", "--resume", ""), "'--resume': a name was expected, not nothing"),
        (("kroma", "--steps", "1" + "0" * 30), "'--steps'"),
        (("tiny", "--preset", "demo"), "no preset 'demo' for tiny; it has none"),
    ],
)
def test_train_refuses_bad_input(run: Run, arguments: tuple[str, ...], words: str) -> None:
    pytest.importorskip("torch")
    ran = run("train", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1


def test_train_names_the_extra_that_is_missing() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from chromazoo.cli.main import main; sys.exit(main(['train', 'kroma']))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        "chromazoo: training needs torch, which is not installed: pip install 'chromazoo[train]'\n"
    )


def test_commands_load_nothing_that_is_optional() -> None:
    code = (
        "import sys; from chromazoo.cli.main import main; main(['games', '--json'])\n"
        "sys.exit(bool({'torch', 'matplotlib', 'numba', 'stable_baselines3'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran
    assert train_command.__name__ == "chromazoo.cli.train"
