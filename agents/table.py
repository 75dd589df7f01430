"""A table: one game that people and agents play, with undo, hints and a record.

Agents move by themselves as soon as it is their turn. Nothing that is asked of a table changes the
game: hints and probabilities draw random numbers of their own, which know nothing of the game's.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, Candid, check_agent, decide, make_decision
from chromazoo.agents.match import require_end
from chromazoo.envs.episodes import truncated
from chromazoo.envs.errors import ChromazooError, InvalidAgent, InvalidArgument, InvalidMove
from chromazoo.envs.game import Game
from chromazoo.envs.guidance import Click, News
from chromazoo.envs.randomness import Stream, agent_stream, as_seeds, mix
from chromazoo.envs.records import GameRecorder, Record, parse
from chromazoo.envs.state import State
from chromazoo.envs.svg import Viewer

_HINTS = int.from_bytes(b"hints", "little")
_TOLERANCE = 1e-6  # of what the probabilities of a decision add up to


class Move(NamedTuple):
    """A legal move.

    Attributes:
        action: Its action index.
        text: It in the game's notation.
        clicks: The clicks that make it.
    """

    action: int
    text: str
    clicks: tuple[Click, ...]


class Ply(NamedTuple):
    """A decision that was taken.

    Attributes:
        seat: Who took it.
        action: What was decided.
        before: The game before it.
        streams: uint64 (N,), the agents' random streams before it.
    """

    seat: int
    action: int
    before: State
    streams: Stream


def hides(game: Game[Any]) -> bool:
    """Tell whether there is anything in a game that not everybody may know."""
    return any(field.view != "public" for field in game.fields)


class Table:
    """One game with people and agents at its seats.

    Attributes:
        game: The rules.
        players: Who sits at each seat: an agent, or None for a person.
        people: The seats of people.
        seed: From which the game is dealt.
        max_plies: Decisions after which it is broken off, None for never.
        state: The game as it stands, a batch of one.
        plies: The decisions taken so far.
    """

    def __init__(
        self,
        game: Game[Any],
        players: Sequence[Agent | None],
        seed: int,
        max_plies: int | None = None,
    ) -> None:
        """Deal a game, and let agents move until a person is to decide.

        Args:
            game: The rules.
            players: An agent or None for a person, one a seat.
            seed: The seed of the game, taken modulo 2^64. Agents draw what they would draw in
                `play_games`.
            max_plies: Decisions after which the game is broken off.

        Raises:
            InvalidArgument: not one player a seat.
            InvalidAgent: an agent is none, or for another game.
            InvalidConfig: games might never end, and there is no limit.
        """
        require_end(game, max_plies)
        if len(players) != game.num_seats:
            raise InvalidArgument(f"players: {game.num_seats} needed, not {len(players)}")
        for player in players:
            if player is not None:
                check_agent(game, player)
        self.game, self.players, self.max_plies = game, tuple(players), max_plies
        self.people = tuple(seat for seat, player in enumerate(players) if player is None)
        self.deal(seed)

    def deal(self, seed: int) -> None:
        """Begin another game.

        Args:
            seed: Its seed, taken modulo 2^64.
        """
        self.seed = seed
        seeds = as_seeds(seed)
        self.state = self.game.deal(seeds)
        seats = range(self.game.num_seats)
        self.streams: Stream = np.concatenate([agent_stream(seeds, seat) for seat in seats])
        self.plies: list[Ply] = []
        self._go_on()

    # How it stands

    @property
    def over(self) -> bool:
        """Whether the game has ended by its rules."""
        return bool(self.state.over[0])

    @property
    def broken_off(self) -> bool:
        """Whether it was broken off at `max_plies`."""
        return bool(truncated(self.state, self.max_plies)[0])

    @property
    def finished(self) -> bool:
        """Whether nothing is to be decided any more."""
        return self.over or self.broken_off

    @property
    def deciding(self) -> tuple[int, ...]:
        """The seats of people who are to decide now."""
        if self.finished:
            return ()
        return tuple(seat for seat in self.people if self.state.pending[0, seat])

    def legal(self, seat: int) -> NDArray[np.int64]:
        """List the legal actions of a seat: int64, none where it is not to decide."""
        if self.finished:
            return np.zeros(0, np.int64)
        legal = self.game.legal(self.state, np.array([seat]))
        return np.sort(self.game.packing.listed(legal)[1])

    def moves(self, seat: int) -> list[Move]:
        """List the legal moves of a seat, none where it is not to decide."""
        game, state = self.game, self.state
        return [
            Move(
                action,
                game.move_text(state, 0, action, seat),
                game.clicks(state, 0, action, seat),
            )
            for action in self.legal(seat).tolist()
        ]

    def news(self, viewer: Viewer, since: int = 0) -> list[News]:
        """Tell what a viewer has learnt of the decisions.

        Args:
            viewer: Who asks; see `Game.svg`.
            since: From which decision on.

        Returns:
            The news, in order; there may be none of a decision.
        """
        states = [*(ply.before for ply in self.plies), self.state]
        found = [
            self.game.news(ply.before, states[number], 0, ply.action, ply.seat, viewer)
            for number, ply in enumerate(self.plies, 1)
            if number > since
        ]
        return [each for each in found if each is not None]

    def last_decision(self, seat: int) -> int | None:
        """Tell the number of the last decision that a seat took, from 0; None if there is none."""
        taken = [number for number, ply in enumerate(self.plies) if ply.seat == seat]
        return taken[-1] if taken else None

    # Playing

    def play(self, seat: int, move: int | str) -> None:
        """Play a person's move, and let agents move until a person is to decide.

        Args:
            seat: Whose.
            move: The action index, or the move in the game's notation.

        Raises:
            InvalidMove: this seat is not to decide, or the move is none or not legal. Nothing has
                changed.
            InvalidAgent: an agent failed after the move, which stands; it can be undone.
        """
        if seat not in self.deciding:
            raise InvalidMove(f"{self.game.seat_name(seat)} has nothing to decide")
        action = self.game.parse_move(self.state, 0, move, seat) if isinstance(move, str) else move
        if action not in self.legal(seat):
            raise InvalidMove(f"{move!r:.60} is not legal now")
        self._take(seat, action)
        self._go_on()

    def undo(self, seat: int) -> None:
        """Go back to before the last decision of a person, whatever agents have done since.

        The luck of the game stays as it was dealt: who repeats the decision meets the same cards.
        What people have seen meanwhile they still know.

        Args:
            seat: Whose.

        Raises:
            InvalidMove: there is nothing to undo, or another person has decided since.
        """
        number = self.last_decision(seat)
        if number is None or seat not in self.people:
            raise InvalidMove("there is no move to undo")
        since = {ply.seat for ply in self.plies[number + 1 :]} & set(self.people)
        if since:
            names = " and ".join(map(self.game.seat_name, sorted(since)))
            verb = "has" if len(since) == 1 else "have"
            raise InvalidMove(f"{names} {verb} decided since your last move, so it stands")
        ply = self.plies[number]
        self.state, self.streams = ply.before, ply.streams
        del self.plies[number:]

    def _take(self, seat: int, action: int, streams: Stream | None = None) -> None:
        """Take a decision; `streams` are the agents' before it, if not those of now."""
        before = self.state.copy()
        self.game.step(self.state, np.array([action]), np.array([seat]))
        kept = self.streams.copy() if streams is None else streams
        self.plies.append(Ply(seat, action, before, kept))

    def _go_on(self) -> None:
        """Let agents move until a person is to decide, or the end.

        Raises:
            InvalidAgent: one of them failed; its decision is due again.
        """
        while not self.finished:
            seat = int(self.state.seat[0])
            agent = self.players[seat]
            if agent is None:
                return
            stream = self.streams[[seat]]
            before = self.streams.copy()
            try:
                action = int(decide(agent, self.game, self.state, stream)[0])
                self._take(seat, action, before)
            except Exception as error:
                raise self._failed(agent, seat, error) from error
            self.streams[seat] = stream[0]

    def _failed(self, agent: Agent, seat: int, error: Exception) -> InvalidAgent:
        """Say that an agent failed; what it says itself might tell of cards that it holds."""
        where = f"agent {agent.name} failed as {self.game.seat_name(seat)} was to decide"
        if hides(self.game):
            kind = type(error.__cause__ or error).__name__
            return InvalidAgent(f"{where}: {kind}, of which an arena tells more")
        if isinstance(error, ChromazooError):
            return InvalidAgent(f"{where}: {error}")
        return InvalidAgent(f"{where}: {type(error).__name__}: {error}")

    # Advice

    def hint(self, agent: Agent, seat: int) -> Move:
        """Ask an agent what it would do in a person's place, knowing what that seat knows.

        Args:
            agent: Whom.
            seat: The seat, which is to decide.

        Returns:
            The move, the same one whenever it is asked for in the same game and situation.

        Raises:
            InvalidMove: this seat is not to decide.
            InvalidAgent: the agent is for another game, or its answer is no legal action.
        """
        asked = self._question(agent, seat)
        action = np.asarray(agent.act(asked)).ravel()
        legal = self.legal(seat)
        if action.shape != (1,) or action.dtype.kind not in "iu" or action[0] not in legal:
            raise InvalidAgent(f"agent {agent.name}: no legal action: {action!s:.60}")
        return next(move for move in self.moves(seat) if move.action == action[0])

    def probabilities(self, agent: Agent, seat: int) -> dict[int, float] | None:
        """Ask an agent how likely it would take each action in a person's place.

        Args:
            agent: Whom.
            seat: The seat, which is to decide.

        Returns:
            Legal action -> its probability, or None where the agent does not tell; see `Candid`.

        Raises:
            InvalidMove: this seat is not to decide.
            InvalidAgent: the agent is for another game, or what it tells are no probabilities.
        """
        asked = self._question(agent, seat)
        if not isinstance(agent, Candid):
            return None
        told = np.asarray(agent.probabilities(asked))
        legal = self.legal(seat)
        if told.shape != (1, self.game.num_actions) or told.dtype.kind != "f":
            raise InvalidAgent(f"agent {agent.name}: its probabilities have shape {told.shape}")
        shares = told[0, legal]
        if not (shares >= 0).all() or abs(shares.sum() - 1) > _TOLERANCE:
            raise InvalidAgent(f"agent {agent.name}: its probabilities add up to {shares.sum():.6}")
        return dict(zip(legal.tolist(), shares.tolist(), strict=True))

    def _question(self, agent: Agent, seat: int) -> Any:
        """Make the decision of a seat, with random numbers that tell nothing of the game's."""
        check_agent(self.game, agent)
        if self.finished or not self.state.pending[0, seat]:
            raise InvalidMove(f"{self.game.seat_name(seat)} has nothing to decide")
        stream = mix(as_seeds(_HINTS), as_seeds(len(self.plies)))
        return make_decision(agent, self.game, self.state, stream, np.array([seat]))

    # The record

    def record(self) -> Record:
        """Write the record of the finished game, without what was undone.

        Sealed choices stand in it in the order of the seats, in whatever order they were made.

        Returns:
            A `chromazoo-record/1` that `check_lines` accepts.

        Raises:
            InvalidArgument: the game has not ended, or was broken off.
        """
        if not self.over:
            raise InvalidArgument("only a game that has come to its end has a record")
        queues: list[list[int]] = [[] for _ in self.players]
        for ply in self.plies:
            queues[ply.seat].append(ply.action)
        lines: list[str] = []
        recorder = GameRecorder(self.game, lines.append)
        number, seeds = np.zeros(1, np.int64), as_seeds(self.seed)
        state = self.game.deal(seeds)
        recorder.deal(number, seeds)
        while not state.over[0]:
            before = state.copy()
            action = np.array([queues[int(state.seat[0])].pop(0)])
            self.game.step(state, action)
            recorder.ply(number, before, state, action)
        recorder.finish(number, state, np.zeros(1, np.bool_))
        return parse(lines[0])
