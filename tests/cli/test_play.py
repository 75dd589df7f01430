"""`chromazoo play` in the terminal."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from chromazoo.agents.agent import RandomAgent
from chromazoo.agents.table import Table
from chromazoo.cli import seating
from chromazoo.cli.seating import advisers, default_opponent, opponent_names
from chromazoo.cli.terminal_game import TerminalGame
from chromazoo.envs.records import check_lines
from chromazoo.envs.registry import make_game
from tests.cli.conftest import Ran, Run
from tests.cli.process import start

Type = Callable[..., Ran]


@pytest.fixture
def typed(run: Run, monkeypatch: pytest.MonkeyPatch) -> Type:
    """Run the command with lines on standard input."""

    def call(lines: list[str], *arguments: str) -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return run("play", *arguments)

    return call


BABY = ("kroma", "--set", "size=baby", "--opponent", "random", "--seed", "3")


def test_a_game_is_played_to_its_end_and_saved(typed: Type, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    ran = typed(["1"] * 200, *BABY, "--save", str(path))
    assert ran.status == 0
    assert ran.err == ""
    assert re.search(r"You (win|lose)|draw", ran.out)
    assert f"The record is in {path}" in ran.out
    assert ran.out.count("The record is in") == 1
    assert "The game is over. undo goes back" in ran.out
    assert check_lines(path.read_text().splitlines(), "game").failed == []
    assert [entry.name for entry in tmp_path.iterdir()] == ["game.jsonl"]


@pytest.mark.parametrize("game", ["kroma", "chroma", "guardians", "tiny"])
@pytest.mark.parametrize("seat", [0, 1])
def test_hints_lead_to_the_end_of_every_game(
    typed: Type, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, game: str, seat: int
) -> None:
    asked = io.StringIO()

    def answer(prompt: str) -> str:
        found = re.findall(r"random would play (?:\d+ )?(\S+)$", asked.getvalue())
        asked.seek(0), asked.truncate()
        if over(written.getvalue()):
            raise EOFError
        return found[-1] if found else "hint random"

    written = io.StringIO()

    class Both(io.StringIO):
        def write(self, text: str) -> int:
            asked.write(text)
            return written.write(text)

    def over(text: str) -> bool:
        return bool(re.search(r"^(You (win|lose|share)|The game is a draw)", text, re.MULTILINE))

    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr(sys, "stdout", Both())
    from chromazoo.cli.main import main

    options = ["--set", "size=basic"] if game == "kroma" else []
    path = tmp_path / "record"
    arguments = ["play", game, "--seat", str(seat), "--opponent", "random", "--seed", "5"]
    assert main([*arguments, *options, "--save", str(path)]) == 0
    assert over(written.getvalue())
    if game != "tiny":
        assert check_lines(path.read_text().splitlines(), "game").failed == []


def test_nobody_is_shown_the_hands_of_others(typed: Type) -> None:
    ran = typed(
        ["moves"], "chroma", "--seed", "4", "--opponent", "random", "--set", "first_player=0"
    )
    assert "seat 0 (you): 5 cards, holding: " in ran.out
    assert "seat 1: 5 cards\n" in ran.out
    ran = typed(["moves"], "guardians", "--seed", "4", "--opponent", "random")
    assert ran.out.count("hand: ") == 1
    assert "--seed" not in ran.out


def test_the_commands(typed: Type, tmp_path: Path) -> None:
    ran = typed(
        ["help", "rules", "odds", "odds random", "moves", "save", f"save {tmp_path}/x", "undo"],
        *BABY,
    )
    assert "hint [AGENT]" in ran.out
    assert "You win when your enemy is to move" in " ".join(ran.out.split())
    assert ran.out.count(" 50.0 %") == 2
    assert "save FILE: the name of a file is needed" in ran.out
    assert "only a game that has come to its end has a record" in ran.out
    assert "there is no move to undo" in ran.out
    assert list(tmp_path.iterdir()) == []


def test_undo_shows_the_position_again(typed: Type) -> None:
    ran = typed(["L:purple", "undo", "L:yellow"], *BABY)
    boards = re.findall(r"^White to .*$", ran.out, re.MULTILINE)
    assert boards[0] == boards[2] == "White to drop; the row so far: empty"
    assert "You: yellow at the left end" in ran.out


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("L:purpel", "L:purpel is no move and no command. Near: L:purple, L:yellow"),
        ("R:purple", "R:purple is not legal now. Near: L:purple"),
        ("L:", "purple: 1 L:purple"),
        ("hnt", "Near: hint"),
        ("99", "99 is no move and no command. help tells what you can do."),
        ("hint nobody", "no agent 'nobody'"),
        ("hint no.such:thing", "No module named"),
        ("save /nowhere/x", "no record"),
    ],
)
def test_whatever_is_wrong_is_answered(typed: Type, line: str, answer: str) -> None:
    ran = typed([line], *BABY)
    assert ran.status == 2
    if line.startswith("save"):
        answer = "only a game that has come to its end has a record"
    assert answer in ran.out
    assert ran.err == "chromazoo: play: the input ended before the game did\n"


def test_many_moves_are_grouped_and_a_beginning_lists_some(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(make_game("chroma"), [None, RandomAgent()], 2)
    while len(table.legal(0)) < 100:  # a card to lay face down, anywhere
        if table.finished:
            table.deal(table.seed + 1)
        else:
            table.play(0, int(table.legal(0)[-1]))
    first = table.moves(0)[0].text.partition("@")[0]
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{first}\nquit\n"))
    TerminalGame(table, 0, ["random"]).play()
    shown, listed, *_ = capsys.readouterr().out.split("> ")[-3:]
    assert "moves lists them all, the beginning of some these" in shown
    assert max(map(len, shown.splitlines())) < 180
    assert len(re.findall("wild:", listed)) > 30
    assert set(re.findall(r"(wild:[a-z+-]+)@", listed)) == {first}


def test_moves_tell_what_is_not_in_their_notation(typed: Type) -> None:
    chroma = ("chroma", "--seed", "4", "--opponent", "random", "--set", "first_player=0")
    out = typed(["moves"], *chroma).out
    assert "dark-orange: 1 dark-orange@f3 (touching 1)  2 dark-orange@e4 (touching 1)\n" in out
    assert max(map(len, out.splitlines())) < 100
    out = typed(["1"] * 200, *BABY).out
    assert re.search(r"[a-d]\d-[a-d]\d \(takes \w+\)", out)


def test_rules_that_are_piped_are_plain_text(typed: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "70")
    for game in ("kroma", "chroma", "guardians"):
        rules = typed(["rules"], game, "--opponent", "random", "--seed", "4").out.split("> ")[-2]
        assert "in short" in rules
        assert "play --web shows" in rules
        assert not re.search(r"\*\*|^#|\x1b", rules, re.MULTILINE)
        *text, _, _ = rules.splitlines()
        assert max(map(len, text)) <= 70
        assert text == [line.rstrip() for line in text]


def test_a_game_without_its_own_words(typed: Type) -> None:
    ran = typed(["bid:1", "rules"], "tiny", "--opponent", "random", "--seed", "2")
    assert "Choose a move" in ran.out
    assert "You: bid:1" in ran.out
    assert "No summary of this game's rules comes with it" in ran.out


def test_games_are_broken_off(typed: Type) -> None:
    ran = typed(["1"] * 9, *BABY, "--set", "no_capture_limit=0", "--max-plies", "6")
    assert "Broken off after 6 decisions: nobody wins." in ran.out
    assert ran.status == 0


def test_bad_usage_is_refused(refused: Callable[..., str]) -> None:
    play = ("play", "chroma", "--set", "num_players=3")
    assert "--seat 3: from 0 to 2" in refused(*play, "--seat", "3")
    assert "--seat: every seat once" in refused(*play, "--seat", "1", "--seat", "1", "--web")
    assert "several need --web" in refused(*play, "--seat", "0", "--seat", "1")
    assert "one for all, or 2, not 3" in refused(*play, *("--opponent", "random") * 3)
    assert "people have all seats" in refused(
        "play", "kroma", "--seat", "0", "--seat", "1", "--web", "--opponent", "random"
    )
    assert "no agent 'nobody'" in refused(*play, "--opponent", "nobody")
    assert "--max-plies is needed" in refused("play", "kroma", "--set", "no_capture_limit=0")
    assert "no such folder" in refused(*play, "--save", "/nowhere/at/all/game")


def test_an_opponent_that_fails_tells_nothing_of_what_it_holds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Talkative(RandomAgent):
        name = "talkative"

        def act(self, decision: Any) -> Any:
            raise KeyError("holding red")

    table = Table(make_game("chroma", first_player=0), [None, Talkative()], 2)
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\nmoves\n1\nundo\nquit\n"))
    TerminalGame(table, 0, ["random"]).play()
    out = capsys.readouterr().out
    assert "agent talkative failed as seat 1 was to decide: KeyError" in out
    assert "holding red" not in out
    assert "An agent has failed to move. undo goes back" in out
    assert table.plies == []


def test_standard_input_that_is_closed(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input is closed" in refused("play", *BABY)


def test_the_opponents_that_are_seated(monkeypatch: pytest.MonkeyPatch) -> None:
    kroma, tiny = make_game("kroma"), make_game("tiny")
    chroma = make_game("chroma", num_players=3)
    assert default_opponent(tiny) == "random"
    assert default_opponent(chroma) == "heuristic"
    assert opponent_names(chroma, (0,), ["random"]) == ["random", "random"]
    assert opponent_names(chroma, (1,), ["random", "heuristic"]) == ["random", "heuristic"]
    assert opponent_names(kroma, (0, 1), None) == []
    monkeypatch.setattr(seating, "can_read_policies", lambda: True)
    assert default_opponent(kroma) == "ppo"
    assert advisers(kroma, ["random"]) == ["ppo", "heuristic", "random"]
    monkeypatch.setattr(seating, "can_read_policies", lambda: False)
    assert default_opponent(kroma) == "heuristic"


def test_an_interrupt_ends_it_in_silence() -> None:
    process = start("play", *BABY, stdin=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    while "Choose" not in process.stdout.readline():
        pass
    # A signal that comes right before the process waits for a line is heeded only after the line.
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, "")


def test_a_terminal_is_asked_line_by_line(tmp_path: Path) -> None:
    if not hasattr(os, "openpty"):
        pytest.skip("no terminals here")
    master, slave = os.openpty()
    process = start("play", *BABY, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    seen = ""
    answers = iter(["rules\n", "L:pu\t\n", "quit\n"])
    while True:
        try:
            part = os.read(master, 4096).decode()
        except OSError:
            break
        if not part:
            break
        seen += part
        if seen.removesuffix("\x1b[?2004h").endswith("> "):
            os.write(master, next(answers, "quit\n").encode())
            seen += "|"
    process.wait(timeout=120)
    os.close(master)
    assert process.returncode == 0
    assert "You: purple at the left end" in seen
    assert "Kroma in short" in seen
    assert "**" not in seen


def test_records_hold_json(typed: Type, tmp_path: Path) -> None:
    path = tmp_path / "game"
    typed(["1"] * 200 + ["undo", "1"], *BABY, "--save", str(path))
    record: dict[str, Any] = json.loads(path.read_text())
    assert record["game"] == "kroma"
