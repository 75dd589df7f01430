"""The rules of Kroma on batches of games (rules page `kroma.md`)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidMove, InvalidPosition, InvalidSetup
from chromazoo.envs.fields import Block, Layout, Observation
from chromazoo.envs.game import Game as Contract
from chromazoo.envs.game import Seats, Seeds, first_streams
from chromazoo.envs.guidance import Click, News
from chromazoo.envs.kroma import drawing, guide, notation, observation, picture, validity
from chromazoo.envs.kroma.board import ENDS, REACHES, Board
from chromazoo.envs.kroma.config import Config
from chromazoo.envs.kroma.moves import MoveGenerator, union
from chromazoo.envs.masks import Packing, Words
from chromazoo.envs.randomness import Stream, as_seeds
from chromazoo.envs.state import State, games_last, starts
from chromazoo.envs.svg import Picture, Viewer
from chromazoo.envs.validity import Flaw

DROPS = len(REACHES)  # the word of a legal set that holds the drops
_ONE = np.uint64(1)
_NIBBLE = np.uint32(4)
_REASONS = ("", "stalemate", "no-capture")
STALEMATE, NO_CAPTURE = 1, 2


@dataclass(eq=False)
class KromaState(State):
    """B games of Kroma with C colours.

    The first entry of an axis of two stands for the seat whose turn it is, the second for the other
    seat; each seat's sets of squares are in its own view (see `board`). In a finished game the turn
    is with the seat that could not move, or would have moved next.

    Attributes:
        pieces: uint64 (B, 2, C), the pieces of each seat by colour.
        squares: uint64 (B, 2, C), the squares of the board by colour, as each seat sees them; empty
            where the rows are not built yet.
        moves: uint64 (B, 25), the legal set of the seat to decide: 24 words of moves, one of drops.
        line: uint32 (B,), the row being built: four bits a square from its left end, lowest bits
            first, holding the colour's number plus one.
        left: uint8 (B,), the colours that are not in that row yet, bit c for colour c.
        drops: int8 (B,), drops made so far.
        clock: int32 (B,), plies since the last capture, or since movement began (K7).
        reason: int8 (B,), why the game ended: 0 not ended, 1 stalemate, 2 no-capture.
    """

    pieces: Words
    squares: Words
    moves: Words
    line: NDArray[np.uint32]
    left: NDArray[np.uint8]
    drops: NDArray[np.int8]
    clock: NDArray[np.int32]
    reason: NDArray[np.int8]

    @property
    def turn(self) -> NDArray[np.int8]:
        """int8 (B,), the seat whose turn it is, or would be were the game not over."""
        return self.seat ^ self.over.view(np.int8)


class Game(Contract[KromaState]):
    """Kroma in one variant.

    >>> game = Game(size="baby")
    >>> state = game.deal([1])
    >>> for text in ("L:purple", "R:yellow", "a2-a3"):
    ...     game.step(state, [game.parse_move(state, 0, text)])
    >>> notation.position(game.board, state, 0)
    'py/Py/1Y/PY py/py/py/py b 0'
    """

    id = "kroma"
    compiled = "chromazoo.envs.kroma.compiled:Game"
    config_type = Config
    state_type = KromaState
    config: Config
    num_seats = 2

    def __init__(self, /, **options: Any) -> None:
        """Configure the game and tabulate its board.

        Args:
            options: The options by name; see `Config`.

        Raises:
            InvalidConfig: the options do not fit.
        """
        super().__init__(**options)
        self.board = board = Board.of(self.config)
        self.generator = MoveGenerator(board, self.config.influence, self.config.leap)
        self.always_ends = self.config.no_capture_limit > 0
        self.blocks = (
            Block("move", (len(REACHES), board.height, board.width), "reach, row, column"),
            Block("drop", (len(ENDS), board.width), "end (left, right), colour"),
        )
        self.fields: Layout = observation.layout(board, self.config)
        places = np.concatenate(
            [
                np.arange(len(REACHES)).repeat(board.squares) * 64
                + np.tile(np.arange(board.squares), len(REACHES)),
                DROPS * 64 + np.arange(len(ENDS) * board.width),
            ]
        )
        self.packing = Packing(places // 64, places % 64, self._unpack)
        self._home = np.uint64(board.rows(*range(self.config.piece_rows)))
        self._groups = _row_groups(self.config, board)
        self._total_drops = len(self._groups) * board.width
        self._row_bits = self._built_squares()
        self._tabulate_actions()
        self._model = self._undealt()
        self.setup_keys = ("drops",) if self.config.random else ()

    def _tabulate_actions(self) -> None:
        """Tabulate each action's origin, target and captured square as one-bit sets."""
        board = self.board
        target = board.target.ravel()  # (reaches * squares,)
        origin = np.tile(np.arange(board.squares), len(REACHES))
        inside = target >= 0
        drops = np.zeros(len(ENDS) * board.width, np.uint64)

        def bits(squares: NDArray[np.int64]) -> Words:
            moves = np.where(inside, _ONE << squares.astype(np.uint64), np.uint64(0))
            return np.concatenate([moves, drops])

        self._origin = bits(origin)  # (actions,), in the mover's view
        self._target = bits(np.maximum(target, 0))
        self._captured = bits(board.turned[np.maximum(target, 0)])  # in the enemy's view

    def _built_squares(self) -> Words:
        """Tabulate the squares that get the colour of each place of a finished row: (groups, C)."""
        board = self.board
        table = np.zeros((len(self._groups), board.width), np.uint64)
        for group, rows in enumerate(self._groups):
            for place in range(board.width):
                table[group, place] = sum(1 << row * board.width + place for row in rows)
        return table | board.turn(table)

    # Beginning a game

    def setups(self, seeds: Seeds) -> list[dict[str, Any]]:
        """Draw the drops that chance makes in a `random` set-up; see `Game.setups`."""
        given = as_seeds(seeds)
        if not self.config.random:
            return [{} for _ in given]
        actions = self._drop_at_random(self._fresh(given))
        names = [notation.drop_text(self.board, action) for action in range(2 * self.board.width)]
        first = len(REACHES) * self.board.squares
        return [{"drops": [names[action - first] for action in game]} for game in actions.T]

    def _deal(self, state: KromaState, seeds: Stream) -> None:
        """Begin games; see `Game._deal`. Chance has a say in `random` set-ups only."""
        if self.config.random:
            self._drop_at_random(state)

    def _drop_at_random(self, state: KromaState) -> NDArray[np.int64]:
        """Let chance make all drops (K8): their actions, int64 (drops, B)."""
        stream = state.stream.copy()  # games begun from the same set-up have not drawn from theirs
        actions = np.empty((self._total_drops, len(state)), np.int64)
        for drop in actions:
            drop[:] = self.packing.pick(state.moves, stream)
            self._drop(state, starts(len(state)), drop)
        self._judge(state)
        return actions

    def _set_up(self, state: KromaState, setups: Sequence[Mapping[str, Any]]) -> None:
        """Begin games whose random drops are given; see `Game._set_up`."""
        if not self.config.random:
            return
        columns = [self._parse_drops(row, setup["drops"]) for row, setup in enumerate(setups)]
        chosen = np.array(columns, np.int64).reshape(len(setups), self._total_drops)
        for number, drop in enumerate(chosen.T):
            allowed = self.packing.contains(state.moves, drop)
            if not allowed.all():
                row = int(np.argmin(allowed))
                text = setups[row]["drops"][number]
                raise InvalidSetup(f"game {row}: drop {number} ({text}) is not legal")
            self._drop(state, starts(len(state)), drop)
        self._judge(state)

    def _parse_drops(self, row: int, drops: object) -> list[int]:
        """Read the drops of one set-up as actions."""
        if not isinstance(drops, list) or len(drops) != self._total_drops:
            raise InvalidSetup(f"game {row}: a list of {self._total_drops} drops is needed")
        first = len(REACHES) * self.board.squares
        actions = []
        for number, text in enumerate(drops):
            drop = notation.drop_number(self.board, text) if isinstance(text, str) else None
            if drop is None:
                raise InvalidSetup(f"game {row}: drop {number} is no drop: {text!r}")
            actions.append(first + drop)
        return actions

    def from_position(self, texts: Sequence[str], seeds: Seeds | None = None) -> KromaState:
        """Begin games in the movement phase; see `Game.from_position`.

        The squares need not follow the config's symmetry. A position without a legal move, or
        beyond the limit of K6, is a finished game.
        """
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            raise InvalidPosition(f"a list of positions needed, one a game, not {texts!r:.60}")
        state = self._fresh(first_streams(seeds, len(texts)))
        for row, text in enumerate(texts):
            try:
                found = notation.parse_position(self.board, text)
            except InvalidPosition as error:
                raise InvalidPosition(f"game {row}: {error}") from None
            black = found.side
            views = np.stack([found.pieces, found.squares])  # (pieces and squares, seats, C)
            views[:, 1] = self.board.turn(views[:, 1])
            state.pieces[row], state.squares[row] = views[:, ::-1] if black else views
            state.seat[row], state.clock[row] = black, found.clock
        state.pending[:] = state.seat[:, None] == np.arange(2)
        state.drops[:], state.left[:] = self._total_drops, 0
        state.moves[:, DROPS] = 0
        self._judge(state)
        return state

    def _undealt(self) -> KromaState:
        """Make one game before the first drop; White drops first."""
        width = self.board.width
        state = self._blank(
            pieces=(np.uint64, (2, width)),
            squares=(np.uint64, (2, width)),
            moves=(np.uint64, (DROPS + 1,)),
            line=np.uint32,
            left=np.uint8,
            drops=np.int8,
            clock=np.int32,
            reason=np.int8,
        )
        state.pending[:, 0] = True
        state.left[:] = (1 << width) - 1
        state.moves[:, DROPS] = state.left
        return state

    # Playing

    def _legal(self, state: KromaState, seats: Seats | None) -> Words:
        """Tell the legal actions, packed: a view of `state.moves`; see `Game.legal`."""
        return self._of_seats(state, state.moves, seats)

    def _advance(
        self,
        state: KromaState,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> None:
        """Play legal actions; see `Game._advance`. Every ply passes the turn to the other seat."""
        self._no_chance(chance)
        state.plies += 1
        dropping = np.flatnonzero(state.drops < self._total_drops)
        self._move(state, actions)
        if len(dropping):
            self._drop(state, dropping, actions[dropping])
            state.clock[dropping] = 0
        if len(dropping) < len(state):
            self._pass_squares(state)
        state.seat ^= np.int8(1)
        np.logical_not(state.pending, out=state.pending)
        self._judge(state)

    def _move(self, state: KromaState, actions: NDArray[np.int64]) -> None:
        """Move and capture, and turn to the other seat. Drops move nothing."""
        own, enemy = state.lanes.pieces  # (colours, games) each
        origin, target = self._origin[actions], self._target[actions]
        captured = self._captured[actions]
        moving = (own & origin) != 0  # (colours, games)
        moved = own ^ moving * (origin | target)
        quiet = (union(enemy) & captured) == 0
        np.bitwise_and(enemy, ~captured, out=own)
        enemy[:] = moved
        state.clock += np.int32(1)
        state.clock *= quiet

    def _pass_squares(self, state: KromaState) -> None:
        """Put the squares as the next mover sees them first."""
        squares = state.lanes.squares
        squares[:] = squares[::-1].copy()

    def _drop(self, state: KromaState, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Put squares at the ends of the rows being built, in some games; finish rows.

        Leaves the drops that are legal next in `state.moves`, none after the last drop.
        """
        width = self.board.width
        end, colour = np.divmod(actions - len(REACHES) * self.board.squares, width)
        made = state.drops[rows]
        done = (made % width).astype(np.uint32)  # squares already in the row
        line, square = state.line[rows], (colour + 1).astype(np.uint32)
        line = np.where(end == 0, line << _NIBBLE | square, line | square << done * _NIBBLE)
        left = state.left[rows] & ~(1 << colour).astype(np.uint8)
        finished = np.flatnonzero(done == width - 1)
        if len(finished):
            games = rows[finished]
            group = made[finished] // width
            for place in range(width):
                here = (line[finished] >> np.uint32(place) * _NIBBLE) & np.uint32(15)
                bits = self._row_bits[group, place]
                state.squares[games, :, here.astype(np.int64) - 1] |= bits[:, None]
            line[finished] = 0
            left[finished] = (1 << width) - 1
            last = finished[made[finished] == self._total_drops - 1]
            left[last] = 0
            ready = rows[last]
            state.pieces[ready] = state.squares[ready] & self._home
        state.line[rows], state.left[rows], state.drops[rows] = line, left, made + 1
        right = np.where(line > 0, left, 0).astype(np.uint64) << np.uint64(width)
        state.moves[rows, DROPS] = left | right

    def _judge(self, state: KromaState) -> None:
        """Generate the moves of the seat whose turn it is and end the games that are over.

        Stalemate is looked at before the limit of K6, which counts in the movement phase only.
        """
        own, enemy = state.lanes.pieces
        squares, enemy_squares = state.lanes.squares
        words = state.lanes.moves
        movers = self.generator.reaching(own, enemy, squares, enemy_squares)
        occupied = union(own)
        empty = None
        if self.generator.needs_enemy:
            empty = ~(occupied | self.board.turn(union(enemy)))
        self.generator.moves(movers, self.board.everything & ~occupied, empty, words)
        stuck = union(words) == 0  # (games,)
        ended = stuck
        if self.config.no_capture_limit:
            ended = stuck | (state.clock >= self.config.no_capture_limit)
        if ended.any():
            self._end(state, np.flatnonzero(ended), stuck[ended])

    def _end(
        self, state: KromaState, rows: NDArray[np.int64], stalemate: NDArray[np.bool_]
    ) -> None:
        """End some games: the seat whose turn it is loses by stalemate, else it is a draw."""
        loser = state.seat[rows]
        state.over[rows] = True
        state.pending[rows] = False
        state.moves[rows] = 0
        state.reason[rows] = np.where(stalemate, STALEMATE, NO_CAPTURE)
        state.rewards[rows, loser] -= stalemate
        state.rewards[rows, loser ^ 1] += stalemate
        state.seat[rows] ^= np.int8(1)

    def _unpack(self, words: Words) -> NDArray[np.bool_]:
        """Unpack legal sets to action masks: moves first, then drops."""
        sets = words.T  # (words, games)
        drops = np.ascontiguousarray(sets[DROPS])[:, None].view(np.uint8)
        packed = np.concatenate([self.board.octets(sets[:DROPS]), drops], axis=1)
        bits = np.unpackbits(packed, axis=1, count=self.num_actions, bitorder="little")
        return bits.view(np.bool_)

    # Seeing

    def _observe(self, state: KromaState, eyes: Seats, fields: Layout, seen: Observation) -> None:
        """Tell all there is to know, from a seat's point of view; see `Game.observe`."""
        if fields.size:
            observation.observe(self, state, eyes, seen)

    def _redraw(self, world: KromaState, eyes: Seats) -> None:
        """Leave the games as they are: nothing is hidden; see `Game.redeal`."""

    def text(self, state: KromaState, row: int = 0, seat: Viewer = "public") -> str:
        """Draw one game in text, from White's side or, for seat 1, from Black's."""
        return drawing.text(self.board, state, row, self._checked_viewer(seat))

    def _picture(self, state: KromaState, viewer: Viewer) -> Picture:
        """Draw the board; see `Game.svg`."""
        return picture.draw(self, state, viewer)

    def prospects(self, state: KromaState, waiting: bool) -> tuple[Words, Words]:
        """Generate the moves that a seat has, or would have if it were its turn.

        Args:
            state: B games.
            waiting: Whether the moves of the seat that waits are asked for, not of that whose turn
                it is.

        Returns:
            Two uint64 arrays of shape (B, 24), in that seat's view: its moves, and those of them
            that capture.
        """
        order = [1, 0] if waiting else [0, 1]
        own, enemy = state.lanes.pieces[order]
        squares, enemy_squares = state.lanes.squares[order]
        movers = self.generator.reaching(own, enemy, squares, enemy_squares)
        occupied, hostile = union(own), self.board.turn(union(enemy))
        empty = ~(occupied | hostile)
        moves = self.generator.moves(movers, self.board.everything & ~occupied, empty)
        captures = self.generator.moves(movers, hostile, empty)
        return games_last(moves), games_last(captures)

    def _flaws(self, state: KromaState) -> Iterator[Flaw]:
        """Look for what contradicts; see `Game._flaws`."""
        yield from super()._flaws(state)
        yield from validity.flaws(self, state)

    # People who play

    def seat_name(self, seat: int) -> str:
        """Name a seat for people; see `Game.seat_name`."""
        return drawing.SEATS[seat]

    def primer(self) -> str:
        """Tell the rules in short; see `Game.primer`."""
        return guide.primer(self)

    def ending(self, state: KromaState, row: int = 0) -> str:
        """Say why a finished game ended, to people; see `Game.ending`."""
        return guide.ending(self, state, row)

    def clicks(
        self, state: KromaState, row: int, action: int, seat: int | None = None
    ) -> tuple[Click, ...]:
        """Tell which clicks make a move; see `Game.clicks`."""
        return guide.clicks(self, state, row, action)

    def news(
        self,
        before: KromaState,
        after: KromaState,
        row: int,
        action: int,
        seat: int,
        viewer: Viewer,
    ) -> News:
        """Tell what a viewer learns of a move, all of it; see `Game.news`."""
        return guide.news(self, before, row, action, viewer)

    # Notation and records

    def move_text(self, state: KromaState, row: int, action: int, seat: int | None = None) -> str:
        """Write a drop or a move; see `Game.move_text`."""
        first = len(REACHES) * self.board.squares
        if not 0 <= action < self.num_actions:
            raise InvalidMove(f"actions go from 0 to {self.num_actions - 1}, not {action}")
        if action >= first:
            return notation.drop_text(self.board, action - first)
        reach, origin = divmod(action, self.board.squares)
        target = int(self.board.target[reach, origin])
        if target < 0:
            raise InvalidMove(f"action {action} leaves the board")
        mover = int(state.seat[row]) if seat is None else seat
        return notation.move_text(self.board, mover, origin, target)

    def parse_move(self, state: KromaState, row: int, text: str, seat: int | None = None) -> int:
        """Read a drop or a move; see `Game.parse_move`."""
        drop = notation.drop_number(self.board, text)
        if drop is not None:
            return len(REACHES) * self.board.squares + drop
        mover = int(state.seat[row]) if seat is None else seat
        origin, target = notation.parse_move(self.board, mover, text)
        reach = np.flatnonzero(self.board.target[:, origin] == target)
        if not len(reach):
            raise InvalidMove(f"{text!r}: no piece reaches that far")
        return int(reach[0]) * self.board.squares + origin

    def position_text(self, state: KromaState, row: int = 0) -> str:
        """Write a position of the movement phase, as `from_position` reads it.

        Args:
            state: B games.
            row: Which of them.

        Returns:
            The position's text.

        Raises:
            InvalidPosition: the game is still in the placement phase, which has no texts.
        """
        if state.drops[row] < self._total_drops:
            raise InvalidPosition("positions of the placement phase have no text")
        return notation.position(self.board, state, row)

    def result(self, state: KromaState, row: int = 0) -> dict[str, Any]:
        """Tell how a finished game ended; see `Game.result`."""
        return {
            "rewards": state.rewards[row].tolist(),
            "reason": _REASONS[state.reason[row]],
        }


def _row_groups(config: Config, board: Board) -> list[list[int]]:
    """List the rows (from 0) that share each built row, in order of building (K3)."""
    side = list(range(board.height // 2 - 1, -1, -1))
    share = {"standard": len(side), "intermediate": 2, "advanced": 1}[config.setup]
    return [side[start : start + share] for start in range(0, len(side), share)]
