"""Replays: a record with every position of its game, to step through.

`replay_page.py` makes a page of one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.game import ENGINES, Game
from chromazoo.envs.guidance import News, won_by
from chromazoo.envs.records import Record, parse, replay
from chromazoo.envs.replay_page import Progress, frame, page
from chromazoo.envs.state import State
from chromazoo.envs.svg import Picture, Viewer


class Replay:
    """A game of a record, with all its positions; notebooks show it as a page to step through.

    A game of P plies has P + 1 positions: position p is the one before ply p, position P the end.

    Attributes:
        record: The record.
        game: The rules.
        states: State of P + 1 rows, one a position.
        actions: P action indices, one a ply.
    """

    record: Record
    game: Game[Any]
    states: State
    actions: tuple[int, ...]

    def __init__(self, record: Mapping[str, Any] | str | bytes, engine: str = ENGINES[0]) -> None:
        """Replay a record and keep every position.

        Args:
            record: The record, or its line.
            engine: On what it is replayed; positions and pictures are the same on all engines.

        Raises:
            InvalidRecord: the record does not fit its game to the letter.
            InvalidConfig: the game cannot run on that engine here.
        """
        self.record = parse(record if isinstance(record, (str, bytes)) else json.dumps(record))
        actions: list[int] = []

        def keep(state: State, chosen: Sequence[int]) -> None:
            if not actions:
                self.states = state.repeat(self.plies + 1)
            self.states.put([len(actions)], state)
            actions.extend(chosen)

        self.game, _ = replay(self.record, engine, keep)
        self.actions = tuple(actions)

    def __repr__(self) -> str:
        """Tell what it is a replay of."""
        return f"<Replay of {self.game!r}, {self.plies} plies: {self.result}>"

    @property
    def plies(self) -> int:
        """Number of plies, P."""
        return len(self.record["plies"])

    @property
    def result(self) -> str:
        """Who won, and why, in words."""
        rewards, reason = self.states.rewards[-1], self.game.ending(self.states, self.plies)
        seats = np.flatnonzero(rewards == rewards.max()).tolist()
        if len(seats) == self.game.num_seats:
            return f"a draw: {reason}"
        return won_by([self.game.seat_name(seat) for seat in seats], reason)

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """Who can look on: None for the open game, `public` if that is less, and every seat."""
        hidden = any(field.view != "public" for field in self.game.fields)
        return (None, *(("public",) if hidden else ()), *range(self.game.num_seats))

    def seat(self, ply: int) -> int:
        """Tell who decides at a ply, from 0 to P - 1."""
        return int(self.states.seat[self._checked(ply, self.plies - 1)])

    def move(self, ply: int) -> str:
        """Write the move of a ply in the game's notation."""
        text: str = self.record["plies"][self._checked(ply, self.plies - 1)]["move"]
        return text

    def chance(self, ply: int) -> str | None:
        """Write the chance outcome that answered a ply, None where chance had no say."""
        text: str | None = self.record["plies"][self._checked(ply, self.plies - 1)].get("chance")
        return text

    def news(self, ply: int, viewer: Viewer = None) -> News:
        """Tell what a viewer learns of a ply; see `Game.news`.

        Args:
            ply: From 0 to P - 1.
            viewer: Who watches; see `Game.svg`.

        Returns:
            The news; that somebody has decided, where there are no others.

        Raises:
            InvalidArgument: there is no such ply or seat.
        """
        row, seat = self._checked(ply, self.plies - 1), self.seat(ply)
        before, after = self.states.take([row]), self.states.take([row + 1])
        told = self.game.news(before, after, 0, self.actions[row], seat, viewer)
        return told or News(f"{self.game.called(seat, viewer)}: a hidden choice")

    def notes(self, ply: int, words: str) -> list[str]:
        """Write notation and chance of a ply, as far as its news do not have them.

        Args:
            ply: From 0 to P - 1.
            words: The words of the news.

        Raises:
            InvalidArgument: there is no such ply.
        """
        move, chance = self.move(ply), self.chance(ply)
        told = [] if move in words else [move]
        return told if chance is None or chance in words else [*told, f"chance: {chance}"]

    def svg(self, position: int, seat: Viewer = None) -> Picture:
        """Draw a position.

        Args:
            position: From 0 to P.
            seat: Who looks on; see `Game.svg`.

        Returns:
            The picture.

        Raises:
            InvalidArgument: there is no such position or seat.
        """
        return self.game.svg(self.states, self._checked(position, self.plies), seat)

    def text(self, position: int, seat: Viewer = None) -> str:
        """Draw a position in text; arguments and errors as of `svg`."""
        return self.game.text(self.states, self._checked(position, self.plies), seat)

    def pictures(self, seat: Viewer = None) -> Iterator[Picture]:
        """Draw all positions in turn; see `svg`."""
        return (self.svg(position, seat) for position in range(self.plies + 1))

    def page(self, *viewers: Viewer, progress: Progress | None = None) -> str:
        """Make a page, one HTML file that needs nothing else; see `replay_page.page`.

        Args:
            viewers: Whose views it has, the first one shown first; all if none are named. Of what
                these viewers may not know, nothing is in the page.
            progress: Called after every picture; there is one for each viewer and position.

        Raises:
            InvalidArgument: there is no such seat.
        """
        return page(self, viewers or self.viewers, progress)

    def _repr_html_(self) -> str:
        """Show the page, in a frame of its own."""
        return frame(self.page())

    def _checked(self, number: int, last: int) -> int:
        """Refuse plies and positions that do not exist."""
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= last:
            raise InvalidArgument(f"from 0 to {last}, not {number!r:.60}")
        return number
