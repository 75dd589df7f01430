"""What all commands share: help, errors, exit statuses, signals, pipes."""

import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.main import get_command

from chromazoo.agents.agent import Candid, RandomAgent, check_agent, make_decision
from chromazoo.cli import arena, bench, check, games, perft, play, progress, replay, sample, train
from chromazoo.cli.agents import load_agent
from chromazoo.cli.main import app, main
from chromazoo.envs import registry
from chromazoo.envs.errors import InvalidAgent
from chromazoo.envs.randomness import agent_stream, as_seeds
from tests.cli.conftest import Run
from tests.cli.process import COMMAND, start
from tests.contract.golden import file_of

Refused = Callable[..., str]
MODULES = {"games": games, "check": check, "sample": sample, "perft": perft}
MODULES |= {"train": train, "arena": arena, "bench": bench, "play": play, "replay": replay}
EXAMPLES = [example for module in MODULES.values() for example in module.EXAMPLES]
START = "py/py/PY/PY py/py/py/py w 0"


def test_without_arguments_there_is_help(run: Run) -> None:
    ran = run()
    assert (ran.status, ran.err) == (0, "")
    for name in MODULES:
        assert f"\n  {name} " in ran.out
    assert "..." not in ran.out.split("Commands:")[1]  # each fits on its line


@pytest.mark.parametrize("name", MODULES)
def test_every_command_has_help_with_examples(run: Run, name: str) -> None:
    ran = run(name, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert MODULES[name].EXAMPLES
    for example in MODULES[name].EXAMPLES:
        assert f"\n    {example}\n" in ran.out


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_understood(example: str) -> None:
    words = shlex.split(example.partition("|")[0].partition(">")[0])
    assert words.pop(0) == "chromazoo"
    group = get_command(app)
    with group.make_context("chromazoo", words, resilient_parsing=False) as context:
        name, command, rest = group.resolve_command(context, words)  # type: ignore[attr-defined]
        command.make_context(name, rest, parent=context)


def test_the_commands_that_are_promised_exist() -> None:
    assert set(MODULES) == set(get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("chess", "No such command 'chess'"),
        ("--chess", "No such option: --chess"),
        ("sample", "Missing argument 'GAME'"),
        ("sample kroma --chess", "No such option: --chess"),
        ("sample kroma --games", "'--games' requires an argument"),
        ("sample kroma --games many", "'--games'"),
        ("sample kroma --games 0", "'--games'"),
        ("sample kroma more", "unexpected extra argument"),
        ("sample chess", "no game 'chess'; the games are kroma, chroma, guardians, tiny"),
        ("sample tiny --agent nobody", "no agent 'nobody'"),
        ("sample tiny --agent heuristic", "no heuristic agent for tiny"),
        ("sample tiny --agent nowhere:at_all", "No module named 'nowhere'"),
        ("sample tiny --agent json:nothing", "json has no class or function 'nothing'"),
        ("sample tiny --set cards", "--set 'cards': KEY=VALUE was expected"),
        ("sample tiny --set =3", "--set '=3': KEY=VALUE was expected"),
        ("sample tiny --set cards=5 --set cards=5", "--set cards: given twice"),
        ("sample tiny --set ranks=5", "tiny has no option 'ranks'; its options are cards"),
        ("sample tiny --set cards=99", "cards: from 4 to 16, not 99"),
        ("sample tiny --set cards=six", "'six'"),
        ("sample tiny --set cards=true", "True"),
        ("sample tiny --set cards=[[6]]", "[[6]]"),
        ("sample kroma --set size=huge", "'huge'"),
        ("sample kroma --set size=baby --set setup=advanced", "advanced"),
        ("sample kroma --set no_capture_limit=0", "could play for ever: --max-plies is needed"),
        ("sample kroma --set self=1", "kroma has no option 'self'"),
        ("sample kroma --set game_id=1", "kroma has no option 'game_id'"),
        ("sample kroma --engine steam", "'--engine': no engine 'steam'; engines are numpy, comp"),
        ("sample kroma --engine ''", "'--engine': no engine ''"),
        ("sample tiny --engine compiled", "chromazoo: tiny has no compiled engine"),
        ("sample kroma --set engine=compiled", "--set engine: no option of a game; --engine is"),
        ("bench kroma --set engine=compiled", "--set engine: no option of a game"),
        ("games --set engine=compiled", "--set engine: no option of a game"),
        ("games kroma --set engine=compiled", "--set engine: no option of a game"),
        ("check pyproject.toml --engine steam", "'--engine': no engine 'steam'"),
        (f"perft '{START}' 1 --engine steam", "'--engine': no engine 'steam'"),
        (f"perft '{START}' 1 --set engine=compiled", "--set engine: no option of a game"),
        ("bench kroma --set self=1", "kroma has no option 'self'"),
        ("bench --set game_id=1", "no game has an option 'game_id'"),
        ("games --set self=1", "no game has an option 'self'"),
        ("games --set game_id=1", "no game has an option 'game_id'"),
        (f"perft '{START}' 1 --set self=1", "kroma has no option 'self'"),
        (f"perft '{START}' 1 --set game_id=1", "kroma has no option 'game_id'"),
        ("sample tiny --games 1000000001", "'--games'"),
        ("sample tiny --games 100000000000000000000000", "'--games'"),
        ("sample tiny --batch 65537", "'--batch'"),
        ("sample tiny --batch 1000000000000 --games 1000000000", "'--batch'"),
        ("sample tiny --max-plies 100000000000000000000000", "'--max-plies'"),
        ("games --set ranks=3", "no game has an option 'ranks'"),
        ("games --set size=huge", "'huge'"),
        ("games chess", "no game 'chess'"),
        ("games tiny --set size=baby", "tiny has no option 'size'"),
        ("games --set size=baby --set cards=5", "no game has all of the options size, cards"),
        ("check", "Missing argument"),
        ("check no/such/file", "no/such/file: No such file or directory"),
        ("check .", ".: Is a directory"),
        ("bench chess", "no game 'chess'"),
        ("bench tiny --batch x", "--batch 'x'"),
        ("bench tiny --batch 0", "batches hold 1 to"),
        ("bench tiny --batch 1,,2", "--batch ''"),
        ("bench tiny --batch 262145", "batches hold 1 to 262144 games, not 262145"),
        ("bench tiny --batch 99999999999999999999", "numbers from 1 to 262144 were expected"),
        ("bench tiny --seconds 0", "not 0.0"),
        ("bench tiny --seconds nan", "not nan"),
        ("bench tiny --what sleep", "cannot measure 'sleep'"),
        ("bench tiny --engine steam", "no engine 'steam'; engines are numpy"),
        ("bench tiny --engine numpy,compiled", "tiny has no compiled engine"),
        ("bench --engine compiled --set cards=5", "no game that has these options has a compiled"),
        ("bench tiny --threads 0", "there can be 1 to 256 threads, not 0"),
        ("bench tiny --what 'play in step'", "only where all games are of one length"),
        ("bench tiny --suite --set cards=5", "--suite has configurations of its own"),
        ("bench tiny --plot rates.svg", "--plot rates.svg: a PNG file was expected"),
        ("bench tiny --plot ''", "a name was expected"),
        ("bench tiny --compare no/such/file", "no/such/file: No such file or directory"),
        ("bench tiny --compare .", ".: no regular file"),
        ("bench tiny --compare pyproject.toml", "pyproject.toml: not JSON"),
        ("bench tiny --fail-on-slower", "--fail-on-slower needs --compare FILE"),
        ("bench tiny --set size=baby", "tiny has no option 'size'"),
        (f"perft '{START}'", "Missing argument 'DEPTH'"),
        (f"perft '{START}' 0", "DEPTH"),
        (f"perft '{START}' two", "DEPTH"),
        (f"perft '{START}' 101", "DEPTH"),
        (f"perft '{START}' 100000000000", "DEPTH"),
        (f"perft '{START}' 100000000000000000000000", "DEPTH"),
        ("perft '' 1", "position"),
        ("perft 'what is this' 1", "position"),
        (f"perft '{START} 7' 1", "position"),
        ("perft 'py/py/PY/PX py/py/py/py w 0' 1", "X"),
        ("perft 'py/py/PY/PY py/pp/py/py w 0' 1", "pp"),
        ("perft 'py/py/PY/PY py/py/py/py x 0' 1", "x"),
        ("perft 'py/py/PY/PY py/py/py/py w -1' 1", "chromazoo: clock: "),
        ("perft 'py/py/PY/PY py/py/py/py w -1' 2 --divide", "chromazoo: clock: "),
        (f"perft '{START}' 1 --set size=baby", "--set size: the size is read off the position"),
        (f"perft '{START}' 1 --influence none", "'none'"),
        (
            f"perft '{START}' 1 --influence public --set influence=public",
            "--set influence: the influence is given by --influence",
        ),
    ],
)
def test_bad_input_gets_one_line_and_exit_2(refused: Refused, line: str, words: str) -> None:
    assert words in refused(*shlex.split(line))


@pytest.mark.parametrize(
    "line",
    [
        "sample kroma",
        "check RECORDS",
        f"perft '{START}' 1",
        "bench kroma",
        "bench",
        "train kroma --out OUT",
        "train kroma --preset demo --overwrite --out OUT",
    ],
)
def test_without_numba_the_compiled_engine_gets_one_line(
    refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr("chromazoo.envs.game.find_spec", lambda name: None)
    places = {"RECORDS": str(file_of("kroma")), "OUT": str(tmp_path / "run")}
    words = [places.get(word, word) for word in shlex.split(line)]
    if words[0] == "train":
        pytest.importorskip("torch")
    told = refused(*words, "--engine", "compiled")
    assert told == ("chromazoo: the compiled engine needs numba: pip install 'chromazoo[fast]'\n")
    assert not (tmp_path / "run").exists()


AGENTS = """
import sys
import numpy as np

class Agent:
    name, wants_states = "mine", False
    def __init__(self, game): pass

class Raises(Agent):
    def act(self, decision): return {}["no such key"]

class Exits(Agent):
    def act(self, decision): sys.exit("enough")

class Short(Agent):
    def act(self, decision): return np.zeros(0, int)

class Fractions(Agent):
    def act(self, decision): return np.zeros(len(decision.seats))

class Silent(Agent):
    def act(self, decision): pass

class Illegal(Agent):
    def act(self, decision): return np.full(len(decision.seats), 10**6)

class NotReady(Agent):
    def __init__(self, game): raise RuntimeError("not ready")

class Greedy:
    def __init__(self, game, much): pass
"""


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (":x", ":x"),
        ("..x:y", "..x:y"),
        ("x:", "x:"),
        ("math:pi", "math:pi"),
        ("os:getcwd", "os:getcwd"),
        ("builtins:len", "builtins:len"),
        ("sys:exit", "sys:exit"),
        ("unreadable:Agent", "failed: SyntaxError: "),
        ("failing:Agent", "failed: ZeroDivisionError: division by zero ("),
        ("mine:Nobody", "'Nobody'"),
        ("mine:Agent", "name, wants_states and act"),
        ("mine:Greedy", "much"),
        ("mine:NotReady", "agent 'mine:NotReady' failed: RuntimeError: not ready ("),
        ("mine:Raises", "agent 'mine:Raises' failed: KeyError: 'no such key' ("),
        ("mine:Exits", "agent 'mine:Exits' failed: SystemExit: enough ("),
        ("mine:Short", "action indices needed"),
        ("mine:Fractions", "action indices needed"),
        ("mine:Silent", "action indices needed"),
        ("mine:Illegal", "actions go from 0 to 7"),
    ],
)
def test_what_an_agent_does_wrong_gets_one_line(
    refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, words: str
) -> None:
    (tmp_path / "mine.py").write_text(AGENTS)
    (tmp_path / "unreadable.py").write_text("def (")
    (tmp_path / "failing.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    assert words in refused("sample", "tiny", "--agent", agent)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder as the console script does, which does not search it by itself."""
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    monkeypatch.chdir(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


FIRST = (
    "import {}\n"
    "class First:\n"
    "    name, wants_states = 'first', False\n"
    "    def __init__(self, game): self.game = game\n"
    "    def act(self, decision): return decision.action_mask.argmax(axis=1)\n"
)


def test_agents_may_lie_in_the_working_folder(run: Run, here: Path) -> None:
    (here / "of_this_folder.py").write_text(FIRST.format("beside_it"))
    (here / "beside_it.py").write_text("")
    finders, path = list(sys.meta_path), list(sys.path)
    assert run("sample", "tiny").status == 0
    assert sys.path == path, "only for agents that may lie there"
    for _ in range(2):
        ran = run("sample", "tiny", "--agent", "of_this_folder:First")
        assert (ran.status, ran.err) == (0, "")
        assert sys.path == [*path, ""]
        assert sys.meta_path == finders


def test_a_named_module_of_the_working_folder_comes_first_and_hides_no_other(
    run: Run, here: Path, refused: Refused
) -> None:
    assert not {"this", "wave"} & set(sys.modules), "of the standard library, imported by nobody"
    (here / "this.py").write_text(FIRST.format("wave"))
    (here / "wave.py").write_text("raise RuntimeError('hidden')")
    (here / "wsgiref").mkdir()  # a folder of a name, no package
    assert run("sample", "tiny", "--agent", "this:First").status == 0
    assert sys.modules["this"].__file__ == str(here / "this.py")
    assert sys.modules["wave"].__file__ != str(here / "wave.py")
    for name in ("os", "wsgiref.util"):
        told = refused("sample", "tiny", "--agent", f"{name}:First")
        assert f"no class or function 'First' ({sys.modules[name].__file__})" in told
        assert str(here) not in told


def test_agents_may_lie_in_packages_and_folders_of_the_working_folder(run: Run, here: Path) -> None:
    for folder in ("whole", "loose"):
        (here / folder).mkdir()
        (here / folder / "mine.py").write_text(FIRST.format("math"))
    (here / "whole" / "__init__.py").write_text("")
    for folder in ("whole", "loose"):
        ran = run("sample", "tiny", "--agent", f"{folder}.mine:First")
        assert (ran.status, ran.err) == (0, "")


def test_agents_of_ones_own_keep_what_they_say_of_themselves(here: Path) -> None:
    (here / "candid.py").write_text(
        "from chromazoo.agents.agent import RandomAgent\n"
        "class Fair(RandomAgent):\n"
        "    def __init__(self, game): self.game = game\n"
        "class Failing(RandomAgent):\n"
        "    def __init__(self, game): self.game = 'another'\n"
        "    def probabilities(self, decision): return {}['no such key']\n"
    )
    game = registry.make_game("tiny")
    state = game.deal([1, 2])
    fair, failing = (load_agent(f"candid:{name}", game) for name in ("Fair", "Failing"))
    assert isinstance(fair, Candid)
    assert isinstance(failing, Candid)
    check_agent(game, fair)
    decision = make_decision(fair, game, state, agent_stream(as_seeds([1, 2]), 0))
    assert (fair.probabilities(decision) == RandomAgent().probabilities(decision)).all()
    with pytest.raises(InvalidAgent, match="failed: KeyError: 'no such key'"):
        failing.probabilities(decision)
    with pytest.raises(InvalidAgent, match="was made for 'another'"):
        check_agent(game, failing)


def test_names_with_odd_characters_are_no_trouble(refused: Refused) -> None:
    for name in ("chess\nboard", "sch\u00e4ch", "\ud800", "\x00", "a" * 1000):
        refused("sample", name)
        refused("sample", "tiny", "--set", f"cards={name}")
        refused("perft", name, "1")
    refused("sample", "tiny", "--set", "cards=" + "[" * 100_000)


def test_interruption_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sample, "play_games", interrupted)
    ran = run("sample", "tiny")
    assert ran == (130, "", "")


def test_a_file_that_cannot_be_written_is_bad_input(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sample, "play_games", full)
    ran = run("sample", "tiny")
    assert ran == (2, "", "chromazoo: [Errno 28] No space left on device\n")


def test_what_does_not_fit_into_memory_is_bad_input(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def huge(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(sample, "play_games", huge)
    ran = run("sample", "tiny")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("chromazoo: out of memory: ")


def test_bugs_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(sample, "play_games", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        main(["sample", "tiny"])


def test_a_progress_bar_leaves_standard_output_alone(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("sample", "tiny", "--games", "40", "--batch", "2")
    plain = run(*line)
    assert plain.err == ""  # no terminal, no bar
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    assert run(*line) == plain  # done within two seconds
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    ran = run(*line)
    assert (ran.status, ran.out) == (0, plain.out)
    assert "40" in ran.err


# As a process


def test_the_process_prints_json_and_ends_well() -> None:
    process = start("games", "--json")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert [game["id"] for game in json.loads(out)["games"]] == [
        name for name in registry.MODULES if name != "tiny"
    ]


def test_the_process_refuses_bad_input() -> None:
    process = start("sample", "kroma", "--set", "size=huge")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("chromazoo: ")
    assert err.count("\n") == 1


ENDLESS = ("sample", "kroma", "--games", "1000000", "--batch", "8", "--set", "size=baby")


def test_a_reader_that_leaves_is_no_error() -> None:
    with start(*ENDLESS) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("{")
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=120) == 141


def test_control_c_is_quiet() -> None:
    with start(*ENDLESS) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("{")
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.stderr.read() == ""
        assert process.wait(timeout=120) == 130


@pytest.mark.parametrize(
    ("redirection", "status", "out", "err"),
    [
        ("games --json >&-", 2, "", "chromazoo: standard output is closed\n"),
        ("sample kroma >&-", 2, "", "chromazoo: standard output is closed\n"),
        ("check - <&-", 2, "", "chromazoo: -: standard input is closed\n"),
        ("sample chess 2>&-", 2, "", ""),
        ("games --json >/dev/full", 2, "", "chromazoo: [Errno 28] No space left on device\n"),
    ],
)
def test_streams_that_are_closed_or_full(redirection: str, status: int, out: str, err: str) -> None:
    line = f"{shlex.join(COMMAND)} {redirection}"
    ran = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout, ran.stderr) == (status, out, err)


def test_the_version_is_that_of_the_package(run: Run) -> None:
    ran = run("--version")
    assert (ran.status, ran.out, ran.err) == (0, f"chromazoo {version('chromazoo')}\n", "")
