"""`chromazoo replay`: stepping in the terminal, pages, and what is refused."""

import io
import json
import os
import re
import select
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from chromazoo.cli import progress, stepping
from chromazoo.cli.keys import pressed_keys
from chromazoo.cli.stepping import shown, step_through
from chromazoo.envs.errors import printable
from chromazoo.envs.registry import make_game
from chromazoo.envs.replays import Replay
from tests.cli.conftest import Run
from tests.cli.process import COMMAND
from tests.contract.golden import file_of
from tests.records.sampling import good, sample

Refused = Callable[..., str]


@pytest.fixture
def record() -> dict[str, Any]:
    return good(make_game("tiny"))


@pytest.fixture
def file(tmp_path: Path, record: dict[str, Any]) -> str:
    """Two lines: a game of Kroma, and one of Tiny."""
    first = file_of("kroma").read_text(encoding="utf-8").partition("\n")[0]
    (tmp_path / "games.jsonl").write_text(f"{first}\n{json.dumps(record)}\n", encoding="utf-8")
    return str(tmp_path / "games.jsonl")


def test_every_position_is_printed_in_turn(run: Run, file: str, record: dict[str, Any]) -> None:
    ran = run("replay", file, "--line", "2")
    assert (ran.status, ran.err) == (0, "")
    found = Replay(record)
    assert ran.out == "".join(
        f"{shown(found, position, None)}\n\n" for position in range(found.plies + 1)
    )
    places = [ran.out.index(found.text(position)) for position in range(found.plies + 1)]
    assert places == sorted(places)
    for ply in record["plies"]:
        assert ply["move"] in ran.out
    assert ran.out.endswith(f"The end: {found.result}\n\n")


def test_a_seat_sees_what_it_may_know(run: Run, file: str, record: dict[str, Any]) -> None:
    found = Replay(record)
    seen = run("replay", file, "--line", "2", "--seat", "1").out
    assert found.text(0, 1) in seen
    assert found.text(0, None) not in seen
    assert "bid:" in seen  # its own
    for number, ply in enumerate(record["plies"]):
        if ply["player"] != 1:
            assert ply["move"] not in shown(found, number + 1, 1)
    assert run("replay", file, "--line", "2", "--seat", "public").out.count("secret ?") > 3
    assert (
        run("replay", file, "--line", "2", "--seat", "open").out
        == run("replay", file, "--line", "2").out
    )


def test_a_page_is_written_whole(run: Run, file: str, tmp_path: Path) -> None:
    out = tmp_path / "game.html"
    ran = run("replay", file, "--html", str(out))
    found = Replay(Path(file).read_text(encoding="utf-8").splitlines()[0])
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"{out}: kroma ")
    assert ran.out.endswith(f", {found.plies} plies\n")
    assert out.read_text(encoding="utf-8") == found.page()
    run("replay", file, "--html", str(out), "--seat", "1")
    assert out.read_text(encoding="utf-8") == found.page(1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.html", "games.jsonl"]


def test_progress_is_shown_on_standard_error(
    run: Run, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("replay", file, "--html", str(tmp_path / "game.html"))
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    found = Replay(Path(file).read_text(encoding="utf-8").splitlines()[0])
    pictures = len(found.viewers) * (found.plies + 1)
    ran = run(*line)
    assert ran.status == 0
    assert f"{pictures}/{pictures}" in re.sub(r"\x1b\[[0-9;]*m", "", ran.err)


def test_json_tells_which_record_it_is(run: Run, file: str, tmp_path: Path) -> None:
    out = tmp_path / "game.html"
    ran = run("replay", file, "--line", "2", "--json", "--html", str(out))
    assert (ran.status, ran.err, ran.out.count("\n")) == (0, "", 1)
    told = json.loads(ran.out)
    assert list(told) == ["file", "line", "game", "config", "plies", "result", "out"]
    assert (told["file"], told["line"], told["game"]) == (file, 2, "tiny")
    assert told["out"] == str(out)
    assert out.is_file()
    assert json.loads(run("replay", file, "--json").out)["out"] is None


def test_a_record_that_does_not_replay_is_told_as_check_does(
    run: Run, file: str, tmp_path: Path, record: dict[str, Any]
) -> None:
    record["plies"][2]["move"] = "draw"
    Path(file).write_text(f"{json.dumps(record)}\n{{}}\n\n", encoding="utf-8")
    checked = run("check", file).out.splitlines()
    for line in (1, 2, 3):
        out = tmp_path / "game.html"
        ran = run("replay", file, "--line", str(line), "--html", str(out))
        assert (ran.status, ran.err) == (1, "")
        assert ran.out == checked[line - 1] + "\n"
        assert not out.exists()
    told = run("replay", file, "--json")
    assert told.status == 1
    assert json.loads(told.out).keys() == {"file", "line", "ply", "why"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--line 3", "2 lines; there is no line 3"),
        ("--line 0", "'--line'"),
        ("--line 2 --seat 3", "--seat: from 0 to 2, public or open, not '3'"),
        ("--seat -1", "--seat: from 0 to 1, public or open, not '-1'"),
        ("--html nowhere/game.html", "nowhere: no such folder"),
        ("--html .", "--html .: a folder; the name of a file was expected"),
        ("--html ''", "a name was expected, not nothing"),
        ("--engine steam", "'--engine': no engine 'steam'"),
    ],
)
def test_bad_usage_is_refused(refused: Refused, file: str, words: str, why: str) -> None:
    assert why in refused("replay", file, *shlex.split(words))


def test_files_that_cannot_be_read_are_refused(refused: Refused, tmp_path: Path) -> None:
    assert "no/file: No such file" in refused("replay", "no/file")
    assert "Is a directory" in refused("replay", str(tmp_path))
    empty = tmp_path / "empty"
    empty.touch()
    assert "0 lines; there is no line 1" in refused("replay", str(empty))


def test_it_reads_standard_input(run: Run, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    due = run("replay", file, "--line", "2").out
    content = io.BytesIO(Path(file).read_bytes())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=content))
    assert run("replay", "-", "--line", "2").out == due
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input is closed" in run("replay", "-").err


def test_engines_print_the_same(run: Run, file: str) -> None:
    pytest.importorskip("numba")
    assert run("replay", file, "--engine", "compiled").out == run("replay", file).out


# Keys


def follow(
    replay: Replay, presses: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[int, str]]:
    """Press keys, some at once; list what was shown: position and viewer."""
    seen: list[tuple[int, str]] = []

    def note(found: Replay, position: int, viewer: object) -> str:
        seen.append((position, str(viewer)))
        return shown(found, position, viewer)  # type: ignore[arg-type]

    keys = iter(presses)
    monkeypatch.setattr(stepping, "shown", note)
    monkeypatch.setattr(stepping, "pressed_keys", lambda: nullcontext(lambda: next(keys)))
    step_through(replay, replay.viewers, keys=True)
    assert next(keys, None) is None
    return seen


RIGHT, LEFT, HOME, END = "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"


@pytest.mark.parametrize(
    ("presses", "positions"),
    [
        (["q"], [0]),
        ([" ", RIGHT, LEFT, "\x1b"], [0, 1, 2, 1]),
        ([LEFT, END, RIGHT, HOME, "q"], [0, 0, -1, -1, 0]),
        ([[RIGHT] * 3, "x", "\x1b[99~", [" ", " ", "q"]], [0, 3, 3, 3]),
        (["\x1bOC", "\x1bOF", "\x1bOD", "\x1bOH", "q"], [0, 1, -1, -2, 0]),
        (["\xe0M", "\xe0O", "\xe0K", "\xe0G", "q"], [0, 1, -1, -2, 0]),
    ],
)
def test_keys_step(
    monkeypatch: pytest.MonkeyPatch,
    record: dict[str, Any],
    presses: list[str | list[str]],
    positions: list[int],
) -> None:
    replay = Replay(record)
    due = [position % (replay.plies + 1) for position in positions]
    keys = [press if isinstance(press, list) else [press] for press in presses]
    assert follow(replay, keys, monkeypatch) == [(position, "None") for position in due]


def test_a_key_goes_round_the_views(
    monkeypatch: pytest.MonkeyPatch, record: dict[str, Any]
) -> None:
    views = [view for _, view in follow(Replay(record), [*map(list, "vvvvvq")], monkeypatch)]
    assert views == ["None", "public", "0", "1", "2", "None"]


def test_the_end_of_input_ends_it(monkeypatch: pytest.MonkeyPatch, record: dict[str, Any]) -> None:
    def end() -> str:
        raise EOFError

    monkeypatch.setattr(stepping, "pressed_keys", lambda: nullcontext(end))
    step_through(Replay(record), (None,), keys=True)


def test_keys_of_windows_are_letters_and_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    presses = iter(["q", "\x00M", "\xe0K"])
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(typer, "getchar", lambda: next(presses))
    with pressed_keys() as pressed:
        assert [pressed() for _ in range(3)] == [["q"], ["\xe0M"], ["\xe0K"]]


class Terminal:
    """A pseudo-terminal with a person at it."""

    def __init__(self, command: str) -> None:
        import fcntl
        import pty
        import termios

        self._ours, inner = pty.openpty()
        self.process = subprocess.Popen(
            ["sh", "-c", command],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(inner)

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def wait_for(self, due: str) -> None:
        """Read until that is shown."""
        seen = ""
        while due not in seen:
            assert select.select([self._ours], [], [], 300)[0], seen
            seen += os.read(self._ours, 4096).decode(errors="replace")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


Opened = Callable[[str], Terminal]


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Run a line of a shell in a terminal, `{}` in it being the command."""
    terminals: list[Terminal] = []

    def start(line: str) -> Terminal:
        terminals.append(Terminal(line.format(f"{sys.executable} -c '{COMMAND[2]}'")))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close()


posix = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")


@posix
@pytest.mark.parametrize("line", ["{{}} replay {0}", "cat {0} | {{}} replay -"])
def test_it_steps_in_a_terminal(file: str, opened: Opened, line: str) -> None:
    last = Replay(Path(file).read_text(encoding="utf-8").splitlines()[0]).plies
    terminal = opened(line.format(file))
    terminal.wait_for(f"0 of {last}")
    terminal.press(END)
    terminal.wait_for(f"{last} of {last}")
    terminal.press("\x1b")  # a sequence that comes in two parts
    terminal.press("[H")
    terminal.wait_for(f"0 of {last}")
    terminal.press("q")
    terminal.wait_for("\x1b[?1049l")  # the screen as it was
    assert terminal.process.wait() == 0


@posix
def test_no_key_is_lost_that_is_pressed_early_or_fast(tmp_path: Path, opened: Opened) -> None:
    lines = file_of("guardians").read_text(encoding="utf-8").splitlines()
    file = tmp_path / "long.jsonl"
    file.write_text(max(lines, key=lambda line: line.count('"move"')), encoding="utf-8")
    terminal = opened(f"{{}} replay {file}")
    terminal.press(RIGHT * 5)  # while it starts
    terminal.wait_for("5 of ")
    terminal.press(RIGHT * 12)  # 36 characters
    for _ in range(8):
        terminal.press(RIGHT)
    terminal.press("à ")
    terminal.wait_for("26 of ")
    terminal.press("\x03")
    terminal.wait_for("\x1b[?1049l")
    assert terminal.process.wait() == 130


def test_names_cannot_command_a_terminal() -> None:
    names = ["\x1b]0;title\x07", "\x1b[2J", "\u202e", *(f"{number}" for number in range(17))]
    game = make_game("chroma", wheel={"names": names, "compatible": [[0, 1]]})
    lines, _, _ = sample(game, 1)
    found = Replay(lines[0])
    for position in range(found.plies + 1):
        assert shown(found, position, None).replace("\n", "").isprintable()
    assert printable("é – ♟") == "é – ♟"


def test_a_closed_pipe_ends_it_quietly(file: str) -> None:
    command = [*COMMAND, "replay", file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.wait() == 141
        assert process.stderr.read() == b""
