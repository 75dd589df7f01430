"""The rules of Kroma on the compiled engine: one game after another (rules page `kroma.md`)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs import compiled_lanes as lanes
from chromazoo.envs.compiled import (
    as_compiled,
    below,
    compiled,
    draw,
    kth_bit,
    popcount,
    where,
)
from chromazoo.envs.compiled_game import CompiledEngine
from chromazoo.envs.compiled_masks import find_illegal
from chromazoo.envs.compiled_states import opener
from chromazoo.envs.compiled_vectors import write_bits
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Seats
from chromazoo.envs.kroma import rules
from chromazoo.envs.kroma.board import REACHES
from chromazoo.envs.kroma.moves import STRAIGHT
from chromazoo.envs.kroma.rules import DROPS, NO_CAPTURE, STALEMATE, KromaState
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import Stream
from chromazoo.envs.state import Parts

Arrays = as_compiled(KromaState, __name__)
"""What compiled code has for a `KromaState`."""
as_state = opener(Arrays)
"""Opens what `CompiledEngine._parts` returns, in compiled code: makes an `Arrays` of it."""

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_colours_0_1, _colours_2_3, _colours_4_5 = (lanes.four_of(colour) for colour in (0, 2, 4))
NIBBLE = 4  # bits of a place of the row being built


class Tables(NamedTuple):
    """What compiled code knows of a variant.

    Attributes:
        origin: uint64 (A,), the square a move begins on, in the mover's view; none for a drop.
        target: uint64 (A,), the square it ends on.
        captured: uint64 (A,), the same in the enemy's view.
        reach: uint64 (5, 24), see `_tabulate_reaches`.
        turns: uint64 (n, 3), sets of squares, and how far up and down they go in the other view.
        built: uint64 (groups, C), the squares that get the colour of each place of a row.
        colours: 0 ... C - 1; a tuple, so that the number is known when loops are compiled.
        everything: All squares.
        home: The squares on which pieces begin.
        total_drops: Drops of the placement phase.
        no_capture_limit: Plies without a capture that end a game, 0 for no limit.
        own: All squares if own pieces give reach, else none.
        enemy: All squares if enemy pieces do, else none.
        squares: Number of squares.
        highest: The highest clock that is told.
    """

    origin: Words
    target: Words
    captured: Words
    reach: Words
    turns: Words
    built: Words
    colours: tuple[int, ...]
    everything: np.uint64
    home: np.uint64
    total_drops: int
    no_capture_limit: int
    own: np.uint64
    enemy: np.uint64
    squares: int
    highest: int


_TABLES = len(Tables._fields)


class Game(CompiledEngine[KromaState], rules.Game):
    """Kroma on the compiled engine; see `rules.Game`."""

    numpy_type = rules.Game

    def __init__(self, /, **options: Any) -> None:
        """Configure the game and tabulate its board; see `rules.Game`."""
        super().__init__(**options)
        self._know_shapes()
        self._tables = Tables(
            origin=self._origin,
            target=self._target,
            captured=self._captured,
            reach=self._tabulate_reaches(),
            turns=self._tabulate_turns(),
            built=self._row_bits,
            colours=tuple(range(self.board.width)),
            everything=self.board.everything,
            home=self._home,
            total_drops=self._total_drops,
            no_capture_limit=self.config.no_capture_limit,
            own=_ZERO if self.config.influence == "reversed" else self.board.everything,
            enemy=_ZERO if self.config.influence == "friendly" else self.board.everything,
            squares=self.board.squares,
            highest=int(self.fields.high[-1]),
        )

    def _tabulate_reaches(self) -> Words:
        """Tabulate how targets lead back to origins: uint64 (5, 24).

        For each reach: the columns that it may end on (none if the board lacks it), and how far to
        rotate targets to the right; the same of the squares half-way, which must be empty, and all
        squares where they need not be. Boards are so small that nothing is rotated into them.
        """
        width = self.board.width
        table = np.zeros((5, len(REACHES)), np.uint64)
        table[4] = self.board.everything
        for number, (up, right) in enumerate(REACHES[: 4 * width]):
            if abs(right) >= width:
                continue
            table[:2, number] = self._way_back(up, right)
            if number // 4 in STRAIGHT and not self.config.leap:
                table[2:4, number], table[4, number] = self._way_back(up // 2, right // 2), 0
        return table

    def _way_back(self, up: int, right: int) -> tuple[int, int]:
        """Tell the columns where a step may end, and how far to rotate it to its origin."""
        width = self.board.width
        columns = self.board.columns(max(0, right), width - 1 + min(0, right))
        return int(columns), (up * width + right) % 64

    def _tabulate_turns(self) -> Words:
        """Tabulate how rows, or squares where the board is flipped, go to the other view."""
        size = 1 if self.board.flipped else self.board.width
        table = []
        for first in range(0, self.board.squares, size):
            way = int(self.board.turned[first]) - first
            table.append(((1 << size) - 1 << first, max(0, way), max(0, -way)))
        return np.array(table, np.uint64)

    def _deal(self, state: KromaState, seeds: Stream) -> None:
        """Begin games; see `Game._deal`."""
        if self.config.random:
            _deal_all(*self._tables, *self._parts(state))

    def _play_all(
        self,
        state: KromaState,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> int:
        """Play in all games; see `CompiledEngine._play_all`."""
        self._no_chance(chance)
        movers = seats.astype(np.int64)
        return _play_all(actions, movers, self._places, *self._tables, *self._parts(state))

    def _write_observations(self, parts: Parts, eyes: NDArray[np.int64], seen: Observation) -> None:
        """Write observations; see `CompiledEngine._write_observations`."""
        _observe_all(eyes, seen, *self._tables, *parts)


@compiled
def _play_all(
    actions: NDArray[np.int64],
    seats: NDArray[np.int64],
    places: NDArray[np.uint16],
    *given: Any,
) -> int:
    """Play in all games that are not over; see `CompiledEngine._play_all`."""
    tables, state = Tables(*given[:_TABLES]), as_state(given[_TABLES:])
    illegal = find_illegal(actions, seats, state.moves, state.seat, state.over, places)
    if illegal >= 0:
        return illegal
    for game in range(len(actions)):
        if not state.over[game]:
            _play(state, tables, game, actions[game])
    return illegal


@compiled
def _deal_all(*given: Any) -> None:
    """Let chance make all drops (K8)."""
    tables, state = Tables(*given[:_TABLES]), as_state(given[_TABLES:])
    for game in range(len(state.seat)):
        begun = state.stream[game]  # games begun from the same set-up have not drawn from theirs
        for _ in range(tables.total_drops):
            legal = state.moves[game, DROPS]
            k = below(draw(state.stream, game), popcount(legal))
            _drop(state, tables, game, kth_bit(legal, k))
        state.stream[game] = begun
        _judge(state, tables, game)


@compiled
def _play(state: KromaState, tables: Tables, game: int, action: int) -> None:
    """Take one decision. Every ply passes the turn to the other seat."""
    state.plies[game] += 1
    if state.drops[game] < tables.total_drops:
        _drop(state, tables, game, action - tables.squares * DROPS)
    else:
        _move(state, tables, game, action)
    state.seat[game] ^= 1
    for seat in range(2):
        state.pending[game, seat] = not state.pending[game, seat]
    _judge(state, tables, game)


@compiled
def _move(state: KromaState, tables: Tables, game: int, action: int) -> None:
    """Move and capture, and turn the board to the other seat."""
    pieces, squares = state.pieces[game], state.squares[game]  # (seats, colours)
    origin, captured = tables.origin[action], tables.captured[action]
    both = origin | tables.target[action]
    taken = _ZERO
    for colour in range(len(tables.colours)):
        own, enemy = pieces[0, colour], pieces[1, colour]
        taken |= enemy & captured
        pieces[0, colour] = enemy & ~captured
        pieces[1, colour] = own ^ both & where(own & origin)
        squares[0, colour], squares[1, colour] = squares[1, colour], squares[0, colour]
    state.clock[game] = state.clock[game] + 1 if taken == _ZERO else 0


@compiled
def _drop(state: KromaState, tables: Tables, game: int, drop: int) -> None:
    """Put a square at an end of the row being built; finish the row, and the board (K3).

    Leaves the drops that are legal next, none after the last one.
    """
    width = len(tables.colours)
    right, colour = drop >= width, drop % width
    group, done = divmod(int(state.drops[game]), width)  # squares already in the row
    line, square = int(state.line[game]), colour + 1
    line = line | square << NIBBLE * done if right else line << NIBBLE | square
    left = int(state.left[game]) & ~(1 << colour)
    state.drops[game] += 1
    if done == width - 1:
        for place in range(width):
            here = (line >> NIBBLE * place & 15) - 1
            for seat in range(2):
                state.squares[game, seat, here] |= tables.built[group, place]
        line, left = 0, (1 << width) - 1
        if state.drops[game] == tables.total_drops:
            left = 0
            for seat in range(2):
                for number in range(width):
                    own = state.squares[game, seat, number] & tables.home
                    state.pieces[game, seat, number] = own
    state.line[game], state.left[game] = line, left
    ends = left | left << width if line else left  # the first square of a row has one end
    state.moves[game, DROPS] = ends
    state.clock[game] = 0


@compiled
def _judge(state: KromaState, tables: Tables, game: int) -> None:
    """Generate the moves of the seat whose turn it is; end the game if it is over.

    Stalemate is looked at before the limit of K6, which counts in the movement phase only.
    """
    if state.drops[game] < tables.total_drops:
        return
    found = _generate(state, tables, game)
    stuck = found == _ZERO
    limit = tables.no_capture_limit
    if stuck or (limit > 0 and state.clock[game] >= limit):
        _end(state, game, stuck)


@compiled
def _generate(state: KromaState, tables: Tables, game: int) -> np.uint64:
    """Write the moves of the seat whose turn it is (K1, K2); return their origins.

    There are four reaches of each colour, and twenty-four in all: three times eight lanes.
    """
    own, enemy = state.pieces[game, 0], state.pieces[game, 1]  # (colours,), each in its view
    occupied = hostile = _ZERO
    for colour in range(len(tables.colours)):
        occupied |= own[colour]
        hostile |= enemy[colour]
    targets = lanes.spread(tables.everything & ~occupied)
    empty = lanes.spread(~(occupied | _turn(tables, hostile)))
    able = _find_able(state, tables, game)
    moves, reach = state.moves[game], tables.reach
    first = _write_moves(moves, 0, reach, _colours_0_1(able), targets, empty)
    second = _write_moves(moves, 8, reach, _colours_2_3(able), targets, empty)
    third = _write_moves(moves, 16, reach, _colours_4_5(able), targets, empty)
    return lanes.united(first | second | third)


@compiled
def _find_able(state: KromaState, tables: Tables, game: int) -> lanes.Lanes:
    """Find the mover's pieces that reach as each colour does: those on squares that give it.

    A lane is a colour; those beyond the last mean nothing, and no reach is theirs.
    """
    own, enemy = state.pieces[game, 0], state.pieces[game, 1]  # (colours,)
    squares, enemy_squares = state.squares[game, 0], state.squares[game, 1]
    # Lanes beyond the last colour come from the next game, or the gap behind the last one.
    giving = lanes.load(own, 0) & lanes.spread(tables.own)
    enemy_giving = lanes.load(enemy, 0) & lanes.spread(tables.enemy)
    able = lanes.spread(_ZERO)
    for colour in range(len(tables.colours)):
        there = giving & lanes.spread(squares[colour])
        there = there | enemy_giving & lanes.spread(enemy_squares[colour])
        able = able | lanes.spread(own[colour]) & lanes.where(there)
    return able


@compiled
def _write_moves(
    moves: Words,
    first: int,
    reach: Words,
    able: lanes.Lanes,
    targets: lanes.Lanes,
    empty: lanes.Lanes,
) -> lanes.Lanes:
    """Write the moves of eight reaches: those whose targets, and squares half-way, are free."""
    back = lanes.rotated(targets & lanes.load(reach[0], first), lanes.load(reach[1], first))
    half = lanes.rotated(empty & lanes.load(reach[2], first), lanes.load(reach[3], first))
    found = able & back & (half | lanes.load(reach[4], first))
    lanes.store(moves, first, found)
    return found


@compiled
def _turn(tables: Tables, squares: np.uint64) -> np.uint64:
    """Turn a set of squares from one seat's view to the other's."""
    turns, turned = tables.turns, _ZERO
    for number in range(len(turns)):
        turned |= (squares & turns[number, 0]) << turns[number, 1] >> turns[number, 2]
    return turned


@compiled
def _turn_lanes(tables: Tables, sets: lanes.Lanes) -> lanes.Lanes:
    """Turn eight sets of squares from one seat's view to the other's."""
    turns, turned = tables.turns, lanes.spread(_ZERO)
    for number in range(len(turns)):
        part = sets & lanes.spread(turns[number, 0])
        up, down = lanes.spread(turns[number, 1]), lanes.spread(turns[number, 2])
        turned = turned | part << up >> down
    return turned


@compiled
def _end(state: KromaState, game: int, stalemate: bool) -> None:
    """End a game: the seat whose turn it is loses by stalemate, else it is a draw (K5, K6)."""
    loser = state.seat[game]
    state.over[game] = True
    for word in range(DROPS + 1):
        state.moves[game, word] = _ZERO
    for seat in range(2):
        state.pending[game, seat] = False
    state.reason[game] = STALEMATE if stalemate else NO_CAPTURE
    if stalemate:
        state.rewards[game, loser] = -1.0
        state.rewards[game, loser ^ 1] = 1.0
    state.seat[game] ^= 1


@compiled
def _observe_all(eyes: NDArray[np.int64], seen: Observation, *given: Any) -> None:
    """Write what a seat of each game sees; see `observation.observe`."""
    tables, state = Tables(*given[:_TABLES]), as_state(given[_TABLES:])
    for game in range(len(seen)):
        _observe(state, tables, game, eyes[game], seen[game])


@compiled
def _observe(state: KromaState, tables: Tables, game: int, eye: int, seen: Observation) -> None:
    """Write what one seat sees, field after field."""
    width, squares = len(tables.colours), tables.squares
    turn = state.seat[game] ^ state.over[game]  # whose view comes first in the state
    me = 0 if eye == turn else 1
    own, enemy = state.pieces[game, me], state.pieces[game, 1 - me]  # (colours,)
    fields, enemy_fields = state.squares[game, me], state.squares[game, 1 - me]
    turned = _turn_lanes(tables, lanes.load(enemy, 0))
    for colour in range(width):
        start = colour * squares
        write_bits(seen, start, own[colour], squares)
        write_bits(seen, width * squares + start, lanes.lane(turned, colour), squares)
        write_bits(seen, 2 * width * squares + start, fields[colour], squares)
    start = 3 * width * squares
    _write_reaches(tables, own, enemy, fields, enemy_fields, seen[start:])
    _write_reaches(tables, enemy, own, enemy_fields, fields, seen[start + width * width :])
    start += 2 * width * width
    line = int(state.line[game])
    for place in range(width):
        here = line >> NIBBLE * place & 15  # colour + 1, 0 for none
        write_bits(seen, start, np.uint64(1 << here >> 1), width)
        start += width
    seen[start] = state.left[game] > 0
    seen[start + 1] = state.drops[game] // width
    seen[start + 2] = min(state.clock[game], tables.highest)


@compiled
def _write_reaches(
    tables: Tables,
    own: Words,
    enemy: Words,
    squares: Words,
    enemy_squares: Words,
    flags: Observation,
) -> None:
    """Write which reaches a seat's pieces have: C × C flags, reach by reach.

    Eight flags are written at once; what is too much is written over by what comes next.
    """
    there, enemy_there = lanes.load(squares, 0), lanes.load(enemy_squares, 0)
    colours = len(tables.colours)
    for reach in range(colours):
        giving = lanes.spread(own[reach] & tables.own)
        enemy_giving = lanes.spread(enemy[reach] & tables.enemy)
        found = giving & there | enemy_giving & enemy_there
        lanes.write_filled(flags, reach * colours, found)
