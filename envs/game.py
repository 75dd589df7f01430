"""The contract: what a `Game` and a `State` are, for every game, every face and every agent.

A `Game` holds a frozen config and tables, and no game state; that is in a `State` (`state.py`), a
batch of games.
"""

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from chromazoo.envs.arrays import to_fill
from chromazoo.envs.errors import (
    IllegalAction,
    InvalidArgument,
    InvalidChance,
    InvalidConfig,
    InvalidFile,
    InvalidPosition,
    InvalidSetup,
)
from chromazoo.envs.fields import VIEWS, Block, Layout, Observation, View
from chromazoo.envs.files import atomic, read_file
from chromazoo.envs.guidance import Click, News
from chromazoo.envs.masks import Packing, Words
from chromazoo.envs.options import call_text, differing, told_options
from chromazoo.envs.randomness import Stream, as_seeds, chance_stream, mix
from chromazoo.envs.state import GamesLast, Memory, State, games_last, lanes
from chromazoo.envs.state_files import Head, read_state, write_state
from chromazoo.envs.svg import Picture, Viewer, sheet, written
from chromazoo.envs.validity import Flaw, flaws, refuse_flaws

Seats = NDArray[np.integer]
Seeds = int | Sequence[int] | NDArray[np.integer]

# Deals and redeals draw from streams of their own.
DEAL = int.from_bytes(b"deal", "little")
_REDEAL = int.from_bytes(b"redeal", "little")
_PART = 4096  # games whose observations, and what they are made of, stay in the cache

ENGINES = ("numpy", "compiled")

S = TypeVar("S", bound=State)


class Game(ABC, Generic[S]):
    """The rules of one game in one configuration, for batches of games.

    Attributes:
        id: The game's name, such as `kroma`.
        engine: Which of `ENGINES` it runs on. All of them play the same games, byte for byte;
            their states lie in memory in another order, `adopt` takes over those of another.
        compiled: Where its compiled engine is, as `module:class`; empty where it has none.
        version: Goes up when a seed, an observation or an action changes meaning.
        config_type: The frozen dataclass of its options.
        state_type: The dataclass of its states.
        memory_order: How its states lie in memory.
        config: The options.
        num_seats: Number of seats, N.
        fields: The layout of observations with all views.
        setup_keys: The keys of a record's `setup`.
        blocks: The parts of the action space, in order.
        packing: The layout of packed legal sets.
        simultaneous: Whether several seats may be pending at once.
        always_ends: Whether every game of this config ends by itself.
        fixed_length: Number of plies of every game of this config, None where games differ.
    """

    id: ClassVar[str]
    engine: ClassVar[str] = "numpy"
    compiled: ClassVar[str] = ""
    version: ClassVar[int] = 0
    config_type: ClassVar[type[Any]]
    state_type: ClassVar[type[Any]]
    memory_order: ClassVar[type[Memory]] = GamesLast

    config: Any
    num_seats: int
    fields: Layout
    setup_keys: tuple[str, ...]
    blocks: tuple[Block, ...]
    packing: Packing
    simultaneous: bool = False
    always_ends: bool = True
    fixed_length: int | None = None
    _model: S  # one game with nothing dealt, of which all others are copies
    _observed_whole: ClassVar[int] = 2**24  # bytes of observations; more are made in parts

    def __init_subclass__(cls) -> None:
        """Show states of a game by its rules, in notebooks."""
        super().__init_subclass__()
        if "state_type" in vars(cls):
            cls.state_type.shown_by = partial(_shown, cls)

    def __new__(cls, /, *, engine: str = "numpy", **options: Any) -> Self:
        """Choose the class by the engine.

        Args:
            engine: One of `ENGINES`.
            options: The options; see `__init__`.

        Raises:
            InvalidConfig: there is no such engine here.
        """
        if not isinstance(engine, str) or engine not in ENGINES:
            raise InvalidConfig(f"no engine {engine!r:.60}; engines are {', '.join(ENGINES)}")
        if engine == cls.engine or cls.engine == "compiled":
            return object.__new__(cls)
        if not cls.compiled:
            raise InvalidConfig(f"{cls.id} has no compiled engine")
        if find_spec("numba") is None:
            raise InvalidConfig("the compiled engine needs numba: pip install 'chromazoo[fast]'")
        module, _, name = cls.compiled.partition(":")
        found: type[Self] = getattr(import_module(module), name)
        return object.__new__(found)

    def __init__(self, /, *, engine: str = "numpy", **options: Any) -> None:
        """Configure the game.

        Args:
            engine: What computes: `numpy`, or `compiled`, which the extra `fast` brings. That
                compiles each of its parts when it is first asked for, some seconds each, without a
                word, and keeps the machine code on disk.
            options: The options by name; those not named keep their defaults.

        Raises:
            InvalidConfig: an unknown option, a wrong value, or options that contradict each other.
        """
        known = [field.name for field in fields(self.config_type)]
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise InvalidConfig(
                f"{self.id} has no option {unknown[0]!r}; its options are {', '.join(known)}"
            )
        self.config = self.config_type(**options)

    def __repr__(self) -> str:
        """Return the expression that makes this game; defaults are left out."""
        options = told_options(self.config_type, self.options)
        if self.engine != "numpy":
            options["engine"] = self.engine
        return call_text(f"{self.id}.Game", **options)

    def __eq__(self, other: object) -> bool:
        """Compare by game and config."""
        return isinstance(other, Game) and (self.id, self.config) == (other.id, other.config)

    def __hash__(self) -> int:
        """Hash by game and config."""
        return hash((self.id, self.config))

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value, as JSON types, in the order of the record's `config`."""
        loaded: dict[str, Any] = json.loads(json.dumps(asdict(self.config)))
        return loaded

    @property
    def num_actions(self) -> int:
        """Number of actions, A."""
        return self.packing.num_actions

    @property
    def num_features(self) -> int:
        """Length of an observation with all views, F."""
        return self.fields.size

    @property
    def digest(self) -> str:
        """Sixteen hex digits that change when an observation or an action changes meaning."""
        described = [
            [self.id, self.version],
            [[field.name, field.shape, field.high, field.view] for field in self.fields],
            [[block.name, block.shape] for block in self.blocks],
        ]
        return hashlib.sha256(json.dumps(described).encode()).hexdigest()[:16]

    # Beginning a game

    def _blank(self, **own: DTypeLike) -> S:
        """Make one game of zeros, the seed of `_model`.

        Args:
            own: Dtype of each array that the game adds to `State`, with its shape for one game
                where it has one, as numpy takes them: `np.int8` or `(np.int8, (3, 2))`.

        Returns:
            A state of one game.
        """
        seats = (self.num_seats,)
        kinds: dict[str, DTypeLike] = {
            "seat": np.int8,
            "pending": (np.bool_, seats),
            "over": np.bool_,
            "rewards": (np.float64, seats),
            "plies": np.int32,
            "stream": np.uint64,
            **own,
        }
        state: S = self.state_type(**{name: np.zeros(1, kind) for name, kind in kinds.items()})
        return self.adopt(state)

    def _fresh(self, seeds: Stream) -> S:
        """Make B games with nothing dealt, with the chance streams of their seeds."""
        state = self._model.repeat(len(seeds))
        state.stream = chance_stream(seeds)
        return state

    @abstractmethod
    def setups(self, seeds: Seeds) -> list[dict[str, Any]]:
        """Draw what chance decides before the first ply, as the `setup` of a record.

        Args:
            seeds: B seeds, taken modulo 2^64.

        Returns:
            B set-ups in JSON types. `from_setup(setups(seeds), seeds)` equals `deal(seeds)`.
        """

    def deal(self, seeds: Seeds) -> S:
        """Begin B fresh games.

        Args:
            seeds: B seeds, whole numbers taken modulo 2^64; a game with seed s plays out the same
                in any batch and any row.

        Returns:
            A state of B games.
        """
        given = as_seeds(seeds)
        state = self._fresh(given)
        self._deal(state, given)
        return state

    @abstractmethod
    def _deal(self, state: S, seeds: Stream) -> None:
        """Let chance begin games with nothing dealt, given their seeds."""

    def from_setup(self, setups: Sequence[Mapping[str, Any]], seeds: Seeds | None = None) -> S:
        """Begin games whose chance before the first ply is given.

        Args:
            setups: B set-ups as in a record.
            seeds: B seeds for later chance, taken modulo 2^64; 0 ... B - 1 if not given.

        Returns:
            A state of B games.

        Raises:
            InvalidSetup: a set-up does not fit the game.
        """
        if not _is_list(setups):
            raise InvalidSetup(f"a list of set-ups needed, one a game, not {setups!r:.60}")
        state = self._fresh(first_streams(seeds, len(setups)))
        for row, setup in enumerate(setups):
            if not isinstance(setup, Mapping) or set(setup) != set(self.setup_keys):
                keys = " and ".join(self.setup_keys) or "none"
                raise InvalidSetup(f"game {row}: the set-up's keys are {keys}")
        self._set_up(state, setups)
        return state

    @abstractmethod
    def _set_up(self, state: S, setups: Sequence[Mapping[str, Any]]) -> None:
        """Begin games with nothing dealt as their set-ups say, which have the right keys."""

    def from_position(self, texts: Sequence[str], seeds: Seeds | None = None) -> S:
        """Begin games in the middle, from position texts.

        Args:
            texts: B positions in the game's notation.
            seeds: B seeds for later chance, taken modulo 2^64; 0 ... B - 1 if not given.

        Returns:
            A state of B games.

        Raises:
            InvalidPosition: a text is not a position, or the game has no position texts.
        """
        raise InvalidPosition(f"{self.id} has no notation for positions")

    def adopt(self, state: S) -> S:
        """Take over games: those that an equal game on another engine dealt, or made by hand.

        Whether the games contradict the rules is not asked, as `loads` does: a compiled engine may
        then read and write anywhere.

        Args:
            state: B games.

        Returns:
            A new state, or the same one if it is this game's own already.

        Raises:
            InvalidArgument: it is a state of another game or config.
        """
        if not isinstance(state, self.state_type):
            raise InvalidArgument(f"a {self.state_type.__name__} needed, not {state!r:.60}")
        if state.memory.owner not in (None, (self.id, self.config)):
            _, config = state.memory.owner
            apart = differing(asdict(config), asdict(self.config))
            raise InvalidArgument(f"a state of another config: {apart}")
        own: S = state.ordered(self.memory_order, (self.id, self.config))
        return own

    def _demand_own(self, state: S) -> None:
        """Refuse states that are not this game's own."""
        if getattr(state, "memory", None) is not self._model.memory:
            self.adopt(state)
            raise InvalidArgument(
                f"not a state of the {self.engine} engine: Game.adopt takes over those of another"
            )

    # Deciding

    def legal(self, state: S, seats: Seats | None = None) -> Words:
        """Tell the legal actions, packed.

        Args:
            state: B games.
            seats: (B,) whose actions; the seats to decide if not given.

        Returns:
            uint64 array of shape (B, packing.num_words), empty sets where the seat is not pending.
            It may be a view of the state: do not write to it, copy it to keep it.

        Raises:
            InvalidArgument: a state of another game, config or engine, or wrong seats.
        """
        self._demand_own(state)
        return self._legal(state, None if seats is None else self._checked_seats(state, seats))

    @abstractmethod
    def _legal(self, state: S, seats: Seats | None) -> Words:
        """Return what `legal` does, given seats that exist."""

    def action_mask(
        self, state: S, seats: Seats | None = None, *, out: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]:
        """Tell the legal actions, one bool each.

        Args:
            state: B games.
            seats: (B,) whose actions; the seats to decide if not given.
            out: bool array of shape (B, A) in C order to write to; a new one if not given. Large
                new ones take more time than what is written to them.

        Returns:
            bool array of shape (B, A), all False where the seat is not pending: `out` if given.

        Raises:
            InvalidArgument: a state of another game, config or engine, wrong seats, or `out` is no
                such array.
        """
        return self.packing.unpack(self.legal(state, seats), out)

    def step(
        self,
        state: S,
        actions: NDArray[np.integer] | Sequence[int],
        seats: Seats | None = None,
        chance: Sequence[str | None] | None = None,
    ) -> None:
        """Take one decision in every game, in place. Finished games ignore theirs.

        Args:
            state: B games; changed.
            actions: (B,) action indices.
            seats: (B,) the pending seats that act; the seats to decide if not given.
            chance: B recorded chance outcomes as texts, None where none is due; drawn from the
                games' streams if not given.

        Raises:
            IllegalAction: an action is not legal. The whole batch is as it was.
            InvalidChance: a chance outcome is missing, not due or impossible. The same.
            InvalidArgument: an argument has not one entry a game.
        """
        self._demand_own(state)
        given = _as_array(actions)
        if given.shape != state.seat.shape or given.dtype.kind not in "iu":
            raise InvalidArgument(f"actions: {len(state)} integers needed, one a game")
        movers = state.seat if seats is None else self._checked_seats(state, seats)
        if chance is not None and not (_is_list(chance) and len(chance) == len(state)):
            raise InvalidArgument(f"chance: a list of {len(state)} texts or None, one a game")
        illegal = self._decide(state, given.astype(np.int64, copy=False), movers, chance)
        if illegal is not None:
            self._refuse(state, illegal, int(movers[illegal]), int(given[illegal]))

    def _decide(
        self,
        state: S,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> int | None:
        """Play in all games if every action is legal, else return the first row where it is not."""
        finished = np.count_nonzero(state.over)
        legal = self._legal(state, None if seats is state.seat else seats)
        allowed = self.packing.contains(legal, actions)
        if finished:
            allowed |= state.over
        if np.count_nonzero(allowed) < len(allowed):
            return int(np.argmin(allowed))
        if not finished:
            self._advance(state, actions, seats, chance)
            return None
        live = np.flatnonzero(~state.over)
        if len(live):
            part = state.take(live)
            said = None if chance is None else [chance[row] for row in live.tolist()]
            try:
                self._advance(part, actions[live], seats[live], said)
            except InvalidChance as error:
                raise InvalidChance(int(live[error.row]), error.why) from None
            state.put(live, part)
        return None

    @abstractmethod
    def _advance(
        self,
        state: S,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> None:
        """Play legal actions in unfinished games, in place.

        Chance outcomes that do not fit are refused with `InvalidChance` before anything changes.
        Moves `plies` on by one and fills `rewards` where the game ends.
        """

    def _checked_seats(self, state: S, seats: Seats) -> Seats:
        """Refuse seats that do not exist."""
        movers = _as_array(seats)
        if movers.shape != state.seat.shape or movers.dtype.kind not in "iu":
            raise InvalidArgument(f"seats: {len(state)} integers needed, one a game")
        if len(movers) and (movers.min() < 0 or movers.max() >= self.num_seats):
            raise InvalidArgument(f"seats: from 0 to {self.num_seats - 1}")
        return movers.astype(np.int64)

    def _of_seats(self, state: S, moves: Words, seats: Seats | None) -> Words:
        """Return what `legal` does where one seat decides at a time, given its legal sets."""
        if seats is None:
            return moves
        decides = seats == state.seat
        return games_last(lanes(moves) * decides)

    def _refuse(self, state: S, row: int, seat: int, action: int) -> None:
        """Raise the `IllegalAction` that says what is wrong with an action."""
        if not 0 <= action < self.num_actions:
            why = f"actions go from 0 to {self.num_actions - 1}"
        elif not state.pending[row, seat]:
            why = f"seat {seat} has nothing to decide"
        else:
            try:
                why = f"{self.move_text(state, row, action, seat)} is not legal now"
            except ValueError:
                why = "it is not legal now"
        raise IllegalAction(row, seat, action, why)

    def _no_chance(self, chance: Sequence[str | None] | None) -> None:
        """Refuse recorded chance in a game, or at a ply, that has none."""
        for row, text in enumerate(chance or ()):
            if text is not None:
                raise InvalidChance(row, f"chance {text!r} given where none is due")

    # Seeing

    def observe(
        self,
        state: S,
        seats: Seats | None = None,
        views: Sequence[View] = VIEWS,
        *,
        out: Observation | None = None,
    ) -> Observation:
        """Tell what a seat of each game may know, from its point of view.

        Args:
            state: B games.
            seats: (B,) who looks; the seats to decide if not given.
            views: Which fields to include.
            out: uint8 array of shape (B, F) in C order to write to; a new one if not given.

        Returns:
            uint8 array of shape (B, F), laid out as `fields.only(views)`: `out` if given.

        Raises:
            InvalidArgument: there is no such seat or view, not one seat a game, or `out` is no such
                array.
        """
        self._demand_own(state)
        eyes = state.seat if seats is None else self._checked_seats(state, seats)
        fields = self.fields.only(views)
        seen = to_fill(out, (len(state), fields.size), np.uint8)
        if seen.nbytes <= self._observed_whole:
            self._observe(state, eyes, fields, seen)
            return seen
        for first in range(0, len(state), _PART):
            some = slice(first, first + _PART)
            self._observe(state.take(some), eyes[some], fields, seen[some])
        return seen

    @abstractmethod
    def _observe(self, state: S, eyes: Seats, fields: Layout, seen: Observation) -> None:
        """Write some fields of what a seat of each game may know to uint8 (B, F)."""

    def redeal(self, state: S, seats: Seats, seeds: Seeds) -> S:
        """Copy the games with all that a seat does not know drawn anew, the chance stream too.

        Draws uniformly from the worlds that agree with the seat's observation (all views), not from
        what past moves let one guess.

        Args:
            state: B games.
            seats: (B,) whose knowledge is kept.
            seeds: B seeds, one a game, taken modulo 2^64.

        Returns:
            A state of B games in which that seat's observation and mask are as they were.

        Raises:
            InvalidArgument: there is no such seat, or not one seat or seed a game.
        """
        self._demand_own(state)
        eyes = self._checked_seats(state, seats)
        own = mix(first_streams(seeds, len(state)), _REDEAL)  # the game's own seeds tell nothing
        world = state.copy()
        world.stream = chance_stream(own)
        self._redraw(world, eyes)
        return world

    @abstractmethod
    def _redraw(self, world: S, eyes: Seats) -> None:
        """Draw anew, from its stream, all that a seat of each game does not know, in place."""

    def describe(self, observation: Observation) -> str:
        """Print one observation, of shape (F,), field by field."""
        return self.fields.describe(observation)

    @abstractmethod
    def text(self, state: S, row: int = 0, seat: Viewer = "public") -> str:
        """Draw one game in text; as in pictures, nothing depends on what the viewer may not know.

        Args:
            state: B games.
            row: Which of them.
            seat: Who looks on; see `svg`.

        Returns:
            Some lines without a final line break.

        Raises:
            InvalidArgument: there is no such seat.
        """

    def svg(self, state: S, row: int = 0, seat: Viewer = None) -> Picture:
        """Draw one game as a picture, which notebooks show by itself.

        Nothing in it, not even what is written for those who do not see it, depends on what the
        viewer may not know: a seat sees what its observation tells, memory included.

        Args:
            state: B games.
            row: Which of them.
            seat: Who looks on: a seat, `public` for what all seats may see, as `text` shows it, or
                None for the open game, with all hidden cards face up.

        Returns:
            SVG, self-contained and without fonts; its size depends on the config alone.

        Raises:
            InvalidArgument: there is no such game or seat.
        """
        return self._picture(self.adopt(state.take([row])), self._checked_viewer(seat))

    def sheet(self, state: S, seat: Viewer = None, most: int = 4) -> Picture:
        """Draw the first few games, side by side if there are several.

        Args:
            state: B games, at least one.
            seat: Who looks on; see `svg`.
            most: How many games to draw at most.

        Returns:
            The picture, as of `svg`.

        Raises:
            InvalidArgument: as `svg`.
        """
        rows = range(max(1, min(most, len(state))))
        pictures = [self.svg(state, row, seat) for row in rows]
        if len(state) == 1:
            return pictures[0]
        return sheet(pictures, [f"game {row} of {len(state)}" for row in rows])

    def _checked_viewer(self, seat: object) -> Viewer:
        """Refuse who cannot look on."""
        if isinstance(seat, (int, np.integer)) and not isinstance(seat, bool):
            if 0 <= seat < self.num_seats:
                return int(seat)
        elif seat is None or (isinstance(seat, str) and seat == "public"):
            return None if seat is None else "public"
        raise InvalidArgument(
            f"seat: from 0 to {self.num_seats - 1}, 'public' or None, not {seat!r:.60}"
        )

    def _picture(self, state: S, viewer: Viewer) -> Picture:
        """Draw the only game of a state; in a game that has no picture of its own, its text."""
        return written(self.text(state, 0, viewer))

    # People who play

    def seat_name(self, seat: int) -> str:
        """Name a seat for people."""
        return f"seat {seat}"

    def primer(self) -> str:
        """Tell the rules in short to somebody who has never seen the game, for its options.

        Returns:
            Markdown of headings, paragraphs and lists; empty where a game has none.
        """
        return ""

    def clicks(self, state: S, row: int, action: int, seat: int | None = None) -> tuple[Click, ...]:
        """Tell which clicks make a legal move.

        The chains of all legal moves of a seat differ, and none is the beginning of another.

        Args:
            state: B games.
            row: The game in which it is made.
            action: The action index.
            seat: Who makes it; the seat to decide if not given.

        Returns:
            At least one click; a button a move, in a game that does not know better.
        """
        words = self.move_text(state, row, action, seat)
        return (Click(f"move:{words}", words, "Choose a move"),)

    def news(
        self, before: S, after: S, row: int, action: int, seat: int, viewer: Viewer
    ) -> News | None:
        """Tell what a viewer learns of a decision.

        Nothing in it depends on what the viewer may not know after it.

        Args:
            before: The games before it.
            after: The games after it.
            row: Which of them.
            action: What was decided.
            seat: By whom.
            viewer: Who watches; see `svg`.

        Returns:
            The news, None where there are none for this viewer: in a game that does not know
            better, everybody learns of the own moves alone.
        """
        if viewer is not None and viewer != seat:
            return None
        return News(f"{self.called(seat, viewer)}: {self.move_text(before, row, action, seat)}")

    def ending(self, state: S, row: int = 0) -> str:
        """Say why a finished game ended, to people.

        Args:
            state: B games.
            row: Which of them; it must have ended.

        Returns:
            Some words; the `reason` of its record, in a game that does not know better.
        """
        return str(self.result(state, row)["reason"])

    def called(self, seat: int, viewer: Viewer) -> str:
        """Name a seat in news: `You` for the viewer's own."""
        return "You" if seat == viewer else self.seat_name(seat)

    # Notation and records

    @abstractmethod
    def move_text(self, state: S, row: int, action: int, seat: int | None = None) -> str:
        """Write an action in the game's notation.

        Args:
            state: B games.
            row: The game in which it is taken.
            action: The action index.
            seat: Who takes it; the seat to decide if not given.

        Returns:
            The move's text.

        Raises:
            InvalidMove: the index means nothing here (such as a move that leaves the board).
        """

    @abstractmethod
    def parse_move(self, state: S, row: int, text: str, seat: int | None = None) -> int:
        """Read an action from the game's notation.

        Args:
            state: B games.
            row: The game in which it is taken.
            text: The move's text.
            seat: Who takes it; the seat to decide if not given.

        Returns:
            The action index; whether it is legal is not asked.

        Raises:
            InvalidMove: the text names no action.
        """

    def chance_text(self, before: S, after: S, row: int, action: int) -> str | None:
        """Write the chance outcome that answered a move, for the record.

        Args:
            before: The games before the move.
            after: The games after it.
            row: Which of them.
            action: The action that was taken.

        Returns:
            The outcome as text, None where chance had no say.
        """
        return None

    @abstractmethod
    def result(self, state: S, row: int = 0) -> dict[str, Any]:
        """Tell how a finished game ended, as the `result` of a record.

        Args:
            state: B games.
            row: Which of them; it must have ended.

        Returns:
            At least `rewards` and `reason`, in JSON types.
        """

    # Files

    def save(self, state: S, path: str | os.PathLike[str]) -> None:
        """Write a state to an npz file, config inside, at once or not at all.

        Args:
            state: B games.
            path: The file's name, in a folder that is there.

        Raises:
            OSError: the file cannot be written; `FileNotFoundError` if there is no such folder.
        """
        with atomic(path) as file:
            file.write(self.dumps(state))

    def load(self, path: str | os.PathLike[str]) -> S:
        """Read a state that `save` wrote, be it a stranger's: only games are read that could be.

        Nothing in the file is executed.

        Args:
            path: The file's name.

        Returns:
            The state.

        Raises:
            InvalidFile: damaged, no regular file, of another game, version or config, or games
                that contradict the rules.
            OSError: the file cannot be read.
        """
        return self.loads(read_file(path), os.fspath(path))

    def dumps(self, state: S) -> bytes:
        """Write a state as the bytes of an npz file; see `save`."""
        self._demand_own(state)
        return write_state(self._head, state.arrays)

    def loads(self, content: bytes, name: str = "state") -> S:
        """Read a state from bytes; see `load`.

        Args:
            content: What `dumps` wrote.
            name: What to call it in errors.

        Returns:
            The state.

        Raises:
            InvalidFile: damaged, of another game, version or config, or games that contradict the
                rules; the first that does is named, with its array.
        """
        try:
            arrays = read_state(content, self._head, self._model.arrays)
            state: S = self.adopt(self.state_type(**arrays))
            refuse_flaws(self._flaws(state))
        except InvalidFile as error:
            raise InvalidFile(f"{name}: {error}") from None
        return state

    @property
    def _head(self) -> Head:
        """Of which game its saved states are."""
        return {"game": self.id, "version": self.version, "config": self.options}

    def _flaws(self, state: S) -> Iterator[Flaw]:
        """Look for what contradicts in games that a stranger may have made; see `validity.py`.

        It is asked on the numpy engine.
        """
        return flaws(self, state)


def _shown(game_type: type[Game[Any]], state: State) -> Picture | None:
    """Draw the first games of a state, open; None if there are none."""
    config: Any = state.memory.owner[1]  # type: ignore[index]
    return _game(game_type, config).sheet(state) if len(state) else None


@lru_cache(maxsize=8)
def _game(game_type: type[Game[Any]], config: Any) -> Game[Any]:
    """Return a game of a config, on the numpy engine."""
    return game_type(**{field.name: getattr(config, field.name) for field in fields(config)})


def _is_list(values: object) -> bool:
    """Tell whether something is a sequence, such as a list, and no text."""
    return isinstance(values, Sequence) and not isinstance(values, (str, bytes))


def _as_array(numbers: object) -> NDArray[Any]:
    """Make an array of what should be numbers; one of objects where they are no table."""
    try:
        return np.asarray(numbers)
    except ValueError:  # lists of different lengths
        return np.empty(0, np.object_)


def win_rewards(winners: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Share out the win (rules/README.md, Rewards): zero-sum, a sole winner gets 1.

    Args:
        winners: bool (B, N), who wins; at least one a game.

    Returns:
        float64 (B, N): each of k winners gets (N - k) / (k (N - 1)), a loser -1 / (N - 1).

    >>> win_rewards(np.array([[True, False, False], [True, True, False]])).tolist()
    [[1.0, -0.5, -0.5], [0.25, 0.25, -0.5]]
    """
    seats = winners.shape[1]
    count = winners.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = (seats - count) / (count * (seats - 1))
    return np.where(winners, shares, -1 / (seats - 1))


def deal_stream(seeds: Stream) -> Stream:
    """Open the streams from which games are dealt, apart from those of later chance.

    Args:
        seeds: uint64 (B,), the games' seeds.

    Returns:
        uint64 (B,).
    """
    return mix(seeds, DEAL)


def first_streams(seeds: Seeds | None, games: int) -> Stream:
    """Return B seeds as an array, 0 ... B - 1 if none are given.

    Raises:
        InvalidArgument: their number is not that of the games.
    """
    given = as_seeds(np.arange(games) if seeds is None else seeds)
    if len(given) != games:
        raise InvalidArgument(f"seeds: {games} needed, one a game; {len(given)} given")
    return given
