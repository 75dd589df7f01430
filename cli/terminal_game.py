"""A game in the terminal: one person types, agents have the other seats."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

from rich.console import Console

from chromazoo.agents.agent import Agent
from chromazoo.agents.table import Move, Table, hides
from chromazoo.cli.agents import load_agent
from chromazoo.envs.errors import ChromazooError
from chromazoo.envs.files import write_atomic
from chromazoo.envs.guidance import won_by
from chromazoo.envs.records import dumps
from chromazoo.envs.svg import Viewer

HELP = """\
A number or a move in the game's notation plays it; the beginning of some moves lists them.
  moves          all legal moves
  hint [AGENT]   what an agent would do, knowing what you know
  odds [AGENT]   how likely an agent would make each move
  undo           back to before your last move; the cards stay as they were dealt
  rules          the rules in short
  save FILE      write the record of the finished game
  help, quit"""

_FEW = 24  # moves that are all written out
_MOST_ODDS = 12
_BAR = 24  # letters of a bar that stands for certainty
_WIDEST = 100  # columns of the rules
_PICTURES = "The pictures and marks that the rules speak of, play --web shows."
_NO_BREAK = "\xa0"


class TerminalGame:
    """One person's game against agents, line by line."""

    def __init__(self, table: Table, seat: int, advisers: Sequence[str]) -> None:
        """Sit down.

        Args:
            table: The game, with one person.
            seat: The person's.
            advisers: Names of the agents that may be asked, the default first.
        """
        self.table, self.seat, self.advisers = table, seat, advisers
        self._told = 0  # decisions that have been told of
        self._load = cache(self._loaded)
        self._commands: dict[str, Callable[[str], None]] = {
            "moves": self._show_all,
            "hint": self._hint,
            "odds": self._odds,
            "undo": self._undo,
            "rules": self._rules,
            "save": self._save,
            "help": lambda _: print(HELP),
        }

    def play(self, save: str | None = None) -> None:
        """Play until the person leaves.

        Args:
            save: Where to write the record once the game has ended.

        Raises:
            ChromazooError: the input ended before the game, or an agent failed.
            OSError: the record cannot be written.
        """
        _complete(self._words)
        print(f"You are {self.table.game.seat_name(self.seat)}. Type help for what you can do.")
        saved = False
        self._show()
        while True:
            if self.table.over and save is not None and not saved:
                self._write(save)
                saved = True
            try:
                line = _read("> ")
            except EOFError:
                print()
                if self.table.finished:
                    return
                raise ChromazooError("play: the input ended before the game did") from None
            if line.strip() in ("quit", "exit", "q"):
                return
            saved = self._obey(line.strip()) and saved

    def _obey(self, line: str) -> bool:
        """Do what a line says; whatever is wrong with it is told. False where the game changed."""
        plies = len(self.table.plies)
        word, _, rest = line.partition(" ")
        try:
            if word in self._commands:
                self._commands[word](rest.strip())
            elif line:
                self._move(line)
        except (ChromazooError, OSError) as error:
            print(f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else error)
        return len(self.table.plies) == plies

    # What is shown

    def _show(self) -> None:
        """Show what happened, the game, and what may be done."""
        table = self.table
        for news in table.news(self.seat, self._told):
            print(news.words)
        self._told = len(table.plies)
        print()
        print(table.game.text(table.state, 0, end_view(table, self.seat)))
        print()
        if table.finished:
            print(result_words(table, self.seat))
        elif moves := self._moves():
            self._show_moves(moves)

    def _moves(self) -> list[Move]:
        """List the legal moves, those together that begin with the same click."""
        moves = self.table.moves(self.seat)
        firsts = list(dict.fromkeys(move.clicks[0].spot for move in moves))
        return sorted(moves, key=lambda move: firsts.index(move.clicks[0].spot))

    def _numbers(self) -> dict[int, str]:
        """Action -> its number in the list, as it is written: none where moves are numbers."""
        moves = self._moves()
        if any(move.text.isdecimal() for move in moves):
            return {move.action: "" for move in moves}
        return {move.action: f"{number} " for number, move in enumerate(moves, 1)}

    def _show_moves(self, moves: Sequence[Move], every: bool = False) -> None:
        """Write moves with their numbers, long groups of them in short."""
        print(" / ".join(dict.fromkeys(move.clicks[0].prompt for move in moves)))
        number = self._numbers()
        groups = groupby(moves, key=lambda move: move.clicks[0])
        single = all(len(move.clicks) == 1 for move in moves)
        if single:
            for move in moves:
                told = f"{number[move.action]}{move.text}"
                print(f"  {told:28} {move.clicks[0].words}")
            return
        for first, some in groups:
            group = list(some)
            few = every or len(moves) <= _FEW or len(group) <= 6
            shown = group if few else group[:4]
            texts = [f"{number[move.action]}{_told(move)}" for move in shown]
            if not few:
                texts.append(f"… {number[group[-1].action]}{_told(group[-1])}")
            print(_listed(first.words, texts))
        if not every and len(moves) > _FEW:
            print(f"  {len(moves)} moves; moves lists them all, the beginning of some these")

    def _words(self) -> list[str]:
        """List what may be typed."""
        return [*self._commands, "quit", *(move.text for move in self.table.moves(self.seat))]

    # Moves

    def _move(self, line: str) -> None:
        """Play the move that a line names, or help on."""
        moves = self._moves()
        texts = [move.text for move in moves]
        if not moves:
            why = "The game is over" if self.table.finished else "An agent has failed to move"
            print(f"{why}. undo goes back, quit leaves.")
            return
        numbers = [number.strip() for number in self._numbers().values()]
        if line in numbers:
            self._play(moves[numbers.index(line)])
            return
        if line in texts:
            self._play(moves[texts.index(line)])
            return
        some = [move for move in moves if move.text.startswith(line)]
        if some:
            self._show_moves(some, every=True)
            return
        print(self._why_not(line, texts))

    def _why_not(self, line: str, texts: list[str]) -> str:
        """Say what is wrong with a line that is no legal move."""
        near = get_close_matches(line, [*texts, *self._commands], 5, 0.4)
        try:
            self.table.game.parse_move(self.table.state, 0, line, self.seat)
            why = f"{line:.60} is not legal now."
        except ChromazooError:
            why = f"{line:.60} is no move and no command."
        return f"{why} {'Near: ' + ', '.join(near) if near else 'help tells what you can do.'}"

    def _play(self, move: Move) -> None:
        """Play a move and show what follows."""
        self.table.play(self.seat, move.action)
        self._show()

    # Commands; each takes what is typed behind it

    def _show_all(self, _: str) -> None:
        self._show_moves(self._moves(), every=True)

    def _hint(self, name: str) -> None:
        agent = self._adviser(name)
        move = self.table.hint(agent, self.seat)
        print(f"{agent.name} would play {self._numbers()[move.action]}{move.text}")

    def _odds(self, name: str) -> None:
        agent = self._adviser(name)
        told = self.table.probabilities(agent, self.seat)
        if told is None:
            print(f"{agent.name} does not tell how likely its moves are")
            return
        moves = {move.action: move.text for move in self.table.moves(self.seat)}
        order = sorted(told, key=lambda action: -told[action])
        for action in order[:_MOST_ODDS]:
            bar = "█" * round(_BAR * told[action])
            print(f"  {100 * told[action]:5.1f} %  {bar:{_BAR}}  {moves[action]}")
        rest = sum(told[action] for action in order[_MOST_ODDS:])
        if len(order) > _MOST_ODDS:
            print(f"  {100 * rest:5.1f} %  all {len(order) - _MOST_ODDS} others")

    def _undo(self, _: str) -> None:
        self.table.undo(self.seat)
        self._told = len(self.table.plies)
        self._show()

    def _rules(self, _: str) -> None:
        text = self.table.game.primer()
        if not text:
            print("No summary of this game's rules comes with it.")
            return
        from rich.markdown import Markdown  # is seldom needed, and slow to load

        width = min(get_terminal_size().columns, _WIDEST)
        console = Console(width=width, force_terminal=sys.stdout.isatty())
        with console.capture() as written:
            console.print(Markdown(text))
        print("\n".join(line.rstrip() for line in written.get().splitlines()))
        print(f"\n{_PICTURES}")

    def _save(self, path: str) -> None:
        if not path:
            print("save FILE: the name of a file is needed")
            return
        self._write(path)

    def _write(self, path: str) -> None:
        """Write the record, at once or not at all."""
        write_atomic(path, dumps(self.table.record()) + "\n")
        print(f"The record is in {path}")

    def _adviser(self, name: str) -> Agent:
        """Find who is asked."""
        return self._load(name or self.advisers[0])

    def _loaded(self, name: str) -> Agent:
        return load_agent(name, self.table.game)


def _told(move: Move) -> str:
    """Write a move, and what its last click tells beside: `red@h3 (touching 2)`."""
    more = move.clicks[-1].words.partition(", ")[2]
    return f"{move.text} ({more})" if more else move.text


def _listed(title: str, texts: Sequence[str]) -> str:
    """Write a list behind its title, over as many lines as it needs, none broken off inside."""
    whole = "  ".join(text.replace(" ", _NO_BREAK) for text in texts)
    return fill(
        f"{title}: {whole}",
        get_terminal_size().columns,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    ).replace(_NO_BREAK, " ")


def result_words(table: Table, seat: int) -> str:
    """Say in words how a finished game ended for a seat."""
    if table.broken_off:
        return f"Broken off after {len(table.plies)} decisions: nobody wins."
    rewards = table.state.rewards[0]
    why = table.game.ending(table.state)
    best = rewards == rewards.max()
    if best.all():
        return f"The game is a draw: {why}."
    if best[seat]:
        return f"You {'win' if best.sum() == 1 else 'share the win'}: {why}."
    winners = [table.game.seat_name(each) for each in best.nonzero()[0].tolist()]
    return f"You lose, {won_by(winners, why)}."


def end_view(table: Table, seat: int) -> Viewer:
    """Tell whose view a person is to see: the own one, and all cards once the game has ended."""
    return None if table.over and hides(table.game) else seat


def _read(prompt: str) -> str:
    """Read a line; what is no text in the terminal's encoding is read as nothing that fits."""
    try:
        return input(prompt)
    except UnicodeDecodeError:
        return "?"


def _complete(words: Callable[[], list[str]]) -> None:
    """Let the tab key complete what may be typed, where the terminal can."""
    if not sys.stdin.isatty() or find_spec("readline") is None:
        return
    import readline

    def complete(text: str, state: int) -> Any:
        with suppress(IndexError):
            return [word for word in words() if word.startswith(text)][state]
        return None

    readline.set_completer_delims(" ")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
