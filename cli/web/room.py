"""A room: a table, the people at it with an address each, and the records of their games."""

import secrets
from collections.abc import Callable, Sequence
from functools import cache
from threading import RLock
from typing import Any, NamedTuple

from markdown_it import MarkdownIt

from chromazoo.agents.agent import Agent
from chromazoo.agents.table import Table
from chromazoo.cli.agents import load_agent
from chromazoo.cli.terminal_game import end_view, result_words
from chromazoo.envs.errors import InvalidArgument, InvalidMove, UnknownName
from chromazoo.envs.files import write_atomic
from chromazoo.envs.records import dumps
from chromazoo.envs.replays import Replay
from chromazoo.envs.svg import Picture
from chromazoo.envs.titles import game_title

Json = dict[str, Any]


class _Note(NamedTuple):
    """What a person did to the game itself, for the others: after how many decisions, and who."""

    plies: int
    seat: int
    words: str


class Room:
    """A table with its people; everything that a page asks for or sends goes through here.

    What `view` and the other answers tell a seat does not depend on anything that it may not know,
    until the game is over.

    Attributes:
        table: The game.
        tokens: The secret of each person's address -> the seat.
        advisers: Names of the agents that may be asked, the default first.
    """

    def __init__(self, table: Table, advisers: Sequence[str], save: str | None = None) -> None:
        """Open a room.

        Args:
            table: The game, with at least one person.
            advisers: Names of agents.
            save: Where to write the records of all games that have ended, if anywhere.
        """
        self.table, self.advisers = table, tuple(advisers)
        self.tokens = {secrets.token_urlsafe(16): seat for seat in table.people}
        self._lock = RLock()  # agents are no business of several threads
        self._version = 0
        self._save, self._games = save, 0
        self._records: dict[int, str] = {}  # number of the game -> its record
        self._decisions: dict[int, object] = {}  # what each person is to decide
        self._since: dict[int, int] = {}  # since which version
        self._notes: list[_Note] = []
        self._note_decisions()
        self._load = cache(lambda name: load_agent(name, table.game))
        self._keep_record()

    # What a seat is told

    def view(self, seat: int, known: int | None = None) -> Json:
        """Tell all that a seat's page shows.

        Args:
            seat: Whose page.
            known: The version that the page has.

        Returns:
            In JSON types: `version`, and if the page does not have it, all the rest.
        """
        with self._lock:
            if known == self._version:
                return {"version": self._version}
            return {"version": self._version, **self._setting(seat), **self._standing(seat)}

    def _setting(self, seat: int) -> Json:
        """Tell what stays as it is during a game."""
        table = self.table
        return {
            "title": game_title(table.game),
            "seat": seat,
            "people": len(table.people),
            "seats": [
                {
                    "name": table.game.seat_name(each),
                    "player": "you"
                    if each == seat
                    else "a person"
                    if agent is None
                    else agent.name,
                }
                for each, agent in enumerate(table.players)
            ],
            "advisers": list(self.advisers),
        }

    def _standing(self, seat: int) -> Json:
        """Tell how the game stands, as a seat knows it."""
        table, game = self.table, self.table.game
        others = [each for each in table.deciding if each != seat]
        return {
            "picture": _drawn(game.svg(table.state, 0, seat)),
            "open": _drawn(game.svg(table.state)) if end_view(table, seat) is None else None,
            "deciding": seat in table.deciding,
            "waiting": [game.seat_name(each) for each in others],
            "moves": [
                {"action": move.action, "text": move.text, "clicks": move.clicks}
                for move in table.moves(seat)
            ],
            "news": self._news(seat),
            "fresh": self._fresh(seat),
            "undo": table.last_decision(seat) is not None,
            "finished": table.finished,
            "over": table.over,
            "result": result_words(table, seat) if table.finished else None,
            "seed": str(table.seed) if table.over else None,
        }

    def _fresh(self, seat: int) -> int:
        """Count the last news: those since a seat's last decision that others have answered."""
        plies = self.table.plies
        own = [number for number, ply in enumerate(plies, 1) if ply.seat == seat]
        for number in reversed(own):
            if any(ply.seat != seat for ply in plies[number:]):
                return len(self._news(seat, number))
        return len(self._news(seat))

    def _news(self, seat: int, since: int = 0) -> list[Json]:
        """Tell the news of the decisions from one on, and what others have done to the game."""
        news = self.table.news(seat, since)
        told: list[Json] = [{"words": each.words, "spots": each.spots} for each in news]
        for note in reversed(self._notes):  # by decisions, so that earlier ones keep their places
            if note.seat != seat and note.plies >= since:
                place = len(news) - len(self.table.news(seat, note.plies))
                told.insert(place, {"words": note.words, "spots": ()})
        return told

    def _note(self, seat: int, deed: str) -> None:
        """Note for the others what a seat has done to the game."""
        plies = len(self.table.plies)
        self._notes = [note._replace(plies=min(note.plies, plies)) for note in self._notes]
        note = _Note(plies, seat, f"{self.table.game.seat_name(seat)} {deed}")
        if note not in self._notes:
            self._notes.append(note)

    def rules(self) -> str:
        """Tell the rules in short, as HTML."""
        text = self.table.game.primer() or "No summary of this game's rules comes with it."
        found: str = MarkdownIt("commonmark", {"html": False}).render(text)
        return found

    # What a seat does

    def play(self, seat: int, action: object, version: object) -> Json:
        """Play a move; see `Table.play`.

        Args:
            seat: Whose.
            action: Its action index.
            version: What the page shows that it was made on.

        Returns:
            The view after it.

        Raises:
            InvalidMove: it is not legal, or the page is behind.
        """
        with self._lock:
            if type(action) is not int:
                raise InvalidMove("a move is an action index")
            self._demand_current(seat, version)
            return self._changed(seat, lambda: self.table.play(seat, action))

    def undo(self, seat: int, version: object) -> Json:
        """Go back to before the last move of a seat; see `Table.undo`, and `play`."""
        with self._lock:
            self._demand_current(seat, version)

            def back() -> None:
                self.table.undo(seat)
                self._note(seat, "took a move back")

            return self._changed(seat, back)

    def deal(self, seat: int, same: bool, version: object) -> Json:
        """Begin another game.

        Args:
            seat: Who wants it.
            same: Whether it is to have the same seed; only a game that is finished may be told
                again, as who has played it knows what comes.
            version: What the seat's page shows.

        Returns:
            The view of the seat.

        Raises:
            InvalidMove: the game is not finished, or the page is behind.
        """
        with self._lock:
            self._demand_current(seat, version)
            if same and not self.table.finished:
                raise InvalidMove("the same deal can be played again once the game is finished")
            seed = self.table.seed if same else secrets.randbits(64)
            self._games += 1

            def begin() -> None:
                self._notes = [
                    _Note(0, seat, f"{self.table.game.seat_name(seat)} began a new game")
                ]
                self.table.deal(seed)

            return self._changed(seat, begin)

    def _demand_current(self, seat: int, version: object) -> None:
        """Refuse what is asked from a page that shows something else than what is asked about."""
        if type(version) is not int:
            raise InvalidMove("the version of the page is needed")
        if not self._since[seat] <= version <= self._version:
            raise InvalidMove("the game has gone on; look again")

    def _changed(self, seat: int, change: Callable[[], None]) -> Json:
        """Change the game, keep its record if it has ended, and show it."""
        with self._lock:
            before = self.table.state, len(self.table.plies)
            try:
                change()
            finally:  # an agent may have failed after the person's move
                if before != (self.table.state, len(self.table.plies)):
                    self._version += 1
                    self._note_decisions()
            self._keep_record()
            return self.view(seat)

    def _note_decisions(self) -> None:
        """Note since when each person has had the decision that is due now.

        Where several choose at once, what others choose does not change it.
        """
        for seat in self.table.people:
            own = [number for number, ply in enumerate(self.table.plies) if ply.seat == seat]
            decision = self.table.seed, own[-1:], self.table.legal(seat).tolist()
            if decision != self._decisions.get(seat):
                self._decisions[seat], self._since[seat] = decision, self._version

    def _keep_record(self) -> None:
        """Keep the record of a game that has ended, and write all there are."""
        if self.table.over:
            self._records[self._games] = dumps(self.table.record())
            if self._save is not None:
                write_atomic(self._save, "".join(f"{line}\n" for line in self._records.values()))

    # Advice

    def hint(self, seat: int, name: object) -> Json:
        """Ask an agent for a move; see `Table.hint`."""
        with self._lock:
            agent = self._adviser(name)
            move = self.table.hint(agent, seat)
            return {"agent": agent.name, "action": move.action, "text": move.text}

    def odds(self, seat: int, name: object) -> Json:
        """Ask an agent how likely its moves are; see `Table.probabilities`.

        Returns:
            `agent`, and `moves`, the likeliest first; None where the agent does not tell.
        """
        with self._lock:
            agent = self._adviser(name)
            told = self.table.probabilities(agent, seat)
            if told is None:
                return {"agent": agent.name, "moves": None}
            texts = {move.action: move.text for move in self.table.moves(seat)}
            order = sorted(told, key=lambda action: -told[action])
            return {
                "agent": agent.name,
                "moves": [
                    {"action": action, "text": texts[action], "share": told[action]}
                    for action in order
                ],
            }

    def _adviser(self, name: object) -> Agent:
        """Find an agent that may be asked; others are never loaded."""
        if name not in self.advisers:
            raise UnknownName(f"no adviser {name!r:.60}")
        return self._load(name)

    # Games that have ended

    def record(self) -> tuple[str, str]:
        """Write the record of the game, a line; return the name of a file for it, and the line."""
        with self._lock:
            line = dumps(self.table.record()) + "\n"
            return f"{self.table.game.id}-{self.table.seed}.jsonl", line

    def replay(self) -> str:
        """Make the page of the game's replay, with all views."""
        with self._lock:
            if not self.table.over:
                raise InvalidArgument("only a game that has come to its end has a replay")
            record = self.table.record()
        return Replay(record).page()


def _drawn(picture: Picture) -> Json:
    """Tell a picture: its SVG, its size, and where its spots are."""
    return {
        "svg": str(picture),
        "size": picture.size,
        "spots": {name: [[*box] for box in boxes] for name, boxes in picture.spots.items()},
    }
