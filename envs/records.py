"""Game records, `chromazoo-record/1`: one game, one JSON object, one line. See rules/README.md.

`GameRecorder` writes them, `check_lines` and `replay` play them again without any random generator
and refuse what does not fit its game to the letter.
"""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import (
    ChromazooError,
    InvalidChance,
    InvalidRecord,
    InvalidSetup,
)
from chromazoo.envs.game import ENGINES, Game
from chromazoo.envs.randomness import Stream
from chromazoo.envs.registry import game_type, make_game
from chromazoo.envs.state import State

FORMAT = "chromazoo-record/1"
KEYS = ("format", "game", "config", "setup", "plies", "result")
PLY_KEYS = ("player", "move", "chance", "legal_count", "legal_crc")
TOLERANCE = 1e-9  # of rewards and other fractions
BLOCK = 256  # records that are replayed side by side

_DEPTH = 16  # nesting that a record may have; the games need five levels
_DIGITS = 18  # of an integer, so that all fit in 64 bits
_LENGTH = 400  # of an error's text

Record = dict[str, Any]
Watch = Callable[[State, Sequence[int]], object]
"""Sees positions, and the actions that are taken there."""


def dumps(record: Mapping[str, Any]) -> str:
    """Write a record as one line, without the line break.

    Args:
        record: The record.

    Returns:
        Compact JSON in ASCII.
    """
    return json.dumps(record, separators=(",", ":"), allow_nan=False)


def legal_crc(texts: Iterable[str]) -> int:
    r"""Digest the texts of legal moves, as golden records carry it.

    Args:
        texts: The texts, in any order.

    Returns:
        CRC-32 of the texts, sorted by code point and joined by line breaks, in UTF-8.

    >>> legal_crc(["R:red", "L:red"]) == zlib.crc32(b"L:red\nR:red")
    True
    """
    return zlib.crc32("\n".join(sorted(texts)).encode())


class GameRecorder:
    """Writes the games that `chromazoo.agents.match.play_games` plays, in the order of their seeds.

    Attributes:
        truncated: How many games were left out because they were broken off.
    """

    def __init__(self, game: Game[Any], write: Callable[[str], object]) -> None:
        """Begin with game 0.

        Args:
            game: The rules.
            write: Takes each record as a line, line break included.
        """
        self.truncated = 0
        self._game = game
        self._write = write
        self._open: dict[int, Record] = {}
        self._closed: dict[int, Record | None] = {}
        self._next = 0

    def deal(self, games: NDArray[np.int64], seeds: Stream) -> None:
        """See n games begin.

        Args:
            games: int64 (n,), the numbers of the games.
            seeds: uint64 (n,), from which they are dealt.
        """
        for number, setup in zip(games.tolist(), self._game.setups(seeds), strict=True):
            self._open[number] = {
                "format": FORMAT,
                "game": self._game.id,
                "config": self._game.options,
                "setup": setup,
                "plies": [],
            }

    def ply(
        self,
        games: NDArray[np.int64],
        before: State,
        after: State,
        actions: NDArray[np.int64],
    ) -> None:
        """See one decision in each of n games.

        Args:
            games: int64 (n,), the numbers of the games.
            before: The n games before it.
            after: The n games after it.
            actions: int64 (n,), what the seats to decide chose.
        """
        rows = zip(games.tolist(), before.seat.tolist(), actions.tolist(), strict=True)
        for row, (number, seat, action) in enumerate(rows):
            ply = {"player": seat, "move": self._game.move_text(before, row, action)}
            chance = self._game.chance_text(before, after, row, action)
            if chance is not None:
                ply["chance"] = chance
            self._open[number]["plies"].append(ply)

    def finish(self, games: NDArray[np.int64], state: State, truncated: NDArray[np.bool_]) -> None:
        """See n games end; write those whose turn it is.

        Args:
            games: int64 (n,), the numbers of the games.
            state: The n games at their end.
            truncated: bool (n,), which of them were broken off; they are not written.
        """
        for row, number in enumerate(games.tolist()):
            record = self._open.pop(number)
            if not truncated[row]:
                record["result"] = self._game.result(state, row)
            self._closed[number] = None if truncated[row] else record
        while self._next in self._closed:
            done = self._closed.pop(self._next)
            self._next += 1
            if done is None:
                self.truncated += 1
            else:
                self._write(dumps(done) + "\n")


@dataclass(frozen=True)
class Failure:
    """One line that is not a valid finished game.

    Attributes:
        file: The file's name.
        line: The line, from 1.
        ply: How many plies could be replayed, the number of the one at fault; None before play.
        why: What is wrong, and what was expected.
    """

    file: str
    line: int
    ply: int | None
    why: str

    def __str__(self) -> str:
        """Say it in one line."""
        place = f"{self.file}:{self.line}: "
        return place + (self.why if self.ply is None else f"ply {self.ply}: {self.why}")


@dataclass
class Report:
    """What checking records found.

    Attributes:
        records: Lines read.
        plies: Plies replayed.
        failed: The lines at fault, in their order.
    """

    records: int = 0
    plies: int = 0
    failed: list[Failure] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON types."""
        return asdict(self)


def check_lines(
    lines: Iterable[str | bytes],
    file: str,
    report: Report | None = None,
    engine: str = ENGINES[0],
    progress: Callable[[int], object] | None = None,
) -> Report:
    """Replay records and list those that do not fit their game to the letter.

    Args:
        lines: The lines, each with or without its line break.
        file: What to call their source.
        report: Where to add the findings; a fresh report if not given.
        engine: On what the games are replayed; the report is the same on all engines.
        progress: Is told how long the lines are that have been replayed since its last call.

    Returns:
        The report.

    Raises:
        InvalidConfig: a game cannot run on that engine here.
    """
    report = Report() if report is None else report
    rest = enumerate(lines, start=1)
    games: dict[str, Game[Any]] = {}
    while block := list(islice(rest, BLOCK)):
        groups: dict[str, list[int]] = {}
        records: dict[int, Record] = {}
        faults: dict[int, InvalidRecord] = {}
        for number, line in block:
            try:
                record = parse(line)
                groups.setdefault(_game_key(record, games, engine), []).append(number)
                records[number] = record
            except InvalidRecord as error:
                faults[number] = error
        for key, numbers in groups.items():
            found, _ = _replay_all(games[key], [records[number] for number in numbers])
            faults |= {numbers[row]: error for row, error in found.items()}
        good = [record for number, record in records.items() if number not in faults]
        report.records += len(block)
        report.plies += sum(len(record["plies"]) for record in good)
        for number, fault in sorted(faults.items()):
            report.plies += fault.ply or 0
            report.failed.append(Failure(file, number, fault.ply, fault.why))
        if progress is not None:
            progress(sum(len(line) for _, line in block))
    return report


def replay(
    record: Mapping[str, Any] | str | bytes,
    engine: str = ENGINES[0],
    watch: Watch | None = None,
) -> tuple[Game[Any], State]:
    """Replay one record.

    Args:
        record: The record, or its line.
        engine: On what it is replayed.
        watch: Called with every position, a batch of one, and with the action that is taken there,
            none at the end.

    Returns:
        The game and its state at the end, a batch of one.

    Raises:
        InvalidRecord: the record does not fit its game to the letter.
        InvalidConfig: the game cannot run on that engine here.
    """
    games: dict[str, Game[Any]] = {}
    read = parse(record if isinstance(record, (str, bytes)) else json.dumps(record))
    game = games[_game_key(read, games, engine)]
    faults, finals = _replay_all(game, [read], watch)
    if faults:
        raise faults[0]
    return game, finals[0]


# Reading


def parse(line: str | bytes) -> Record:
    """Read a line as a record; whether it fits its game is not asked.

    Args:
        line: The line, with or without its line break.

    Returns:
        The record. It has all its keys and no others, and their values have the right types.

    Raises:
        InvalidRecord: it is no such thing.
    """
    try:
        text = line if isinstance(line, str) else line.decode()
    except UnicodeDecodeError as error:
        raise InvalidRecord(f"not UTF-8 at byte {error.start}") from None
    if not text.strip():
        raise InvalidRecord("an empty line; a record was expected")
    try:
        record = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_fraction,
            parse_constant=_constant,
        )
    except RecursionError:
        raise InvalidRecord(f"nested deeper than {_DEPTH} levels") from None
    except json.JSONDecodeError as error:
        raise InvalidRecord(
            f"not a whole JSON object: {error.msg} at column {error.colno}"
        ) from None
    if not isinstance(record, dict):
        raise InvalidRecord(f"a JSON object was expected, not {_brief(record)}")
    if _deeper_than(_DEPTH, record):
        raise InvalidRecord(f"nested deeper than {_DEPTH} levels")
    _check_keys("record", record, KEYS)
    if record["format"] != FORMAT:
        raise InvalidRecord(f"format: {FORMAT!r} was expected, not {_brief(record['format'])}")
    kinds = {"game": str, "config": dict, "setup": dict, "plies": list, "result": dict}
    words = {str: "text", dict: "an object", list: "a list"}
    for key, kind in kinds.items():
        if not isinstance(record[key], kind):
            raise InvalidRecord(f"{key}: {words[kind]} was expected, not {_brief(record[key])}")
    return record


def _object(pairs: list[tuple[str, Any]]) -> Record:
    """Read a JSON object whose keys all differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidRecord(f"key {_brief(twice)} twice in one object")
    return found


def _integer(text: str) -> int:
    """Read a JSON integer of 64 bits."""
    if len(text.lstrip("-")) > _DIGITS:
        raise InvalidRecord(f"an integer of more than {_DIGITS} digits")
    return int(text)


def _fraction(text: str) -> float:
    """Read a JSON number that is finite as a float."""
    value = float(text)
    if not np.isfinite(value):
        raise InvalidRecord(f"{_clip(text, 60)} is too big a number")
    return value


def _constant(text: str) -> float:
    """Refuse NaN and the infinities, which JSON does not have."""
    raise InvalidRecord(f"{text} is not JSON")


def _deeper_than(depth: int, value: Any) -> bool:
    """Tell whether lists and objects are nested deeper than so many levels."""
    level = [value]
    for _ in range(depth + 1):
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inner += each.values()
            elif isinstance(each, list):
                inner += each
        level = inner
    return bool(level)


def _check_keys(
    what: str,
    found: Mapping[str, Any],
    known: Sequence[str],
    optional: Sequence[str] = (),
    ply: int | None = None,
) -> None:
    """Refuse an object that lacks a key or has an unknown one."""
    for key in known:
        if key not in found and key not in optional:
            raise InvalidRecord(f"{what}: key {key!r} is missing", ply)
    for key in found:
        if key not in known:
            raise InvalidRecord(
                f"{what}: unknown key {_brief(key)}; {', '.join(known)} were expected", ply
            )


def _clip(text: str, length: int) -> str:
    """Cut a text that is too long for an error."""
    return text if len(text) <= length else text[: length - 1] + "…"


def _brief(value: Any) -> str:
    """Show a value of a record in an error."""
    return _clip(repr(value), 60)


def _why(error: ChromazooError) -> str:
    """Tell a game's complaint about one record alone, without the number of its row."""
    return _clip(re.sub(r"^(game|set-?up|row) 0: ", "", str(error)), _LENGTH)


# Replaying


def _game_key(record: Record, games: dict[str, Game[Any]], engine: str) -> str:
    """Make the game of a record, once for all records alike; return its key in `games`."""
    key = json.dumps([record["game"], record["config"]])
    if key not in games:
        game = _configured(record["game"], record["config"])
        if game.engine != engine:
            game = make_game(game.id, engine=engine, **game.options)
        games[key] = game
    return key


def _configured(game_id: str, config: Record) -> Game[Any]:
    """Make a game from a record's config, which must have every option, spelt as we write it."""
    try:
        known = [option.name for option in fields(game_type(game_id).config_type)]
        _check_keys("config", config, known)
        game = make_game(game_id, **config)
    except InvalidRecord:
        raise
    except ChromazooError as error:
        raise InvalidRecord(_why(error)) from None
    for name, value in game.options.items():
        if not _same(config[name], value):
            raise InvalidRecord(
                f"config: {name}: {_brief(value)} was expected, not {_brief(config[name])}"
            )
    return game


def _same(found: Any, due: Any) -> bool:
    """Compare values in JSON types: fractions within the tolerance, bools apart from numbers."""
    if isinstance(due, float):
        return type(found) in (int, float) and abs(found - due) <= TOLERANCE
    if type(found) is not type(due):
        return False
    if isinstance(due, dict):
        return found.keys() == due.keys() and all(_same(found[key], due[key]) for key in due)
    if isinstance(due, list):
        return len(found) == len(due) and all(map(_same, found, due))
    return bool(found == due)


def _replay_all(
    game: Game[Any], records: Sequence[Record], watch: Watch | None = None
) -> tuple[dict[int, InvalidRecord], dict[int, State]]:
    """Replay records of one game side by side.

    Returns:
        What is wrong with the records at fault, and the final states of the others, by number.
    """
    state, numbers, faults = _begin(game, [record["setup"] for record in records])
    finals: dict[int, State] = {}
    ply = 0
    while numbers:
        rows, moves = [], []
        mask = game.action_mask(state)
        for row, number in enumerate(numbers):
            record = records[number]
            try:
                if state.over[row]:
                    _check_end(game, state, row, record, ply)
                    finals[number] = state.take([row])
                else:
                    moves.append(_read_ply(game, state, row, record["plies"], ply, mask[row]))
                    rows.append(row)
            except InvalidRecord as error:
                faults[number] = error
        if watch is not None:
            watch(state, [action for action, _ in moves])
        numbers = [numbers[row] for row in rows]
        if numbers:
            state, numbers = _step(game, state.take(rows), numbers, moves, ply, faults)
        ply += 1
    return faults, finals


def _begin(
    game: Game[Any], setups: Sequence[Mapping[str, Any]]
) -> tuple[State, list[int], dict[int, InvalidRecord]]:
    """Begin the games whose set-up fits; return them, their numbers and what is wrong with others.

    Only where some set-up does not fit is each tried by itself.
    """
    with suppress(InvalidSetup):
        return game.from_setup(setups), list(range(len(setups))), {}
    faults = {}
    for number, setup in enumerate(setups):
        try:
            game.from_setup([setup])
        except InvalidSetup as error:
            faults[number] = InvalidRecord(f"setup: {_why(error)}")
    numbers = [number for number in range(len(setups)) if number not in faults]
    return game.from_setup([setups[number] for number in numbers]), numbers, faults


def _read_ply(
    game: Game[Any],
    state: State,
    row: int,
    plies: list[Any],
    number: int,
    mask: NDArray[np.bool_],
) -> tuple[int, str | None]:
    """Check all of a ply but its chance; return the action and the chance outcome."""
    seat = int(state.seat[row])
    if number == len(plies):
        raise InvalidRecord(f"the game is not over; a move of player {seat} was expected", number)
    ply = plies[number]
    if not isinstance(ply, dict):
        raise InvalidRecord(f"an object was expected, not {_brief(ply)}", number)
    _check_keys("ply", ply, PLY_KEYS, PLY_KEYS[2:], number)
    if type(ply["player"]) is not int or ply["player"] != seat:
        raise InvalidRecord(f"player: {seat} was expected, not {_brief(ply['player'])}", number)
    for key in ("move", "chance"):
        if not isinstance(ply.get(key, ""), str):
            raise InvalidRecord(f"{key}: text was expected, not {_brief(ply[key])}", number)
    _check_legal(game, state, row, ply, number, mask)
    try:
        action = game.parse_move(state, row, ply["move"])
        legal = 0 <= action < len(mask) and bool(mask[action])
        if legal and game.move_text(state, row, action) == ply["move"]:
            return action, ply.get("chance")
        why = f"move {_brief(ply['move'])} is not legal"
    except ChromazooError as error:
        why = _why(error)
    due = [game.move_text(state, row, action) for action in np.flatnonzero(mask)[:3].tolist()]
    more = ", …" if mask.sum() > len(due) else ""
    raise InvalidRecord(
        f"{why}; one of {mask.sum()} legal moves was expected: {', '.join(due)}{more}", number
    )


def _check_legal(
    game: Game[Any],
    state: State,
    row: int,
    ply: Record,
    number: int,
    mask: NDArray[np.bool_],
) -> None:
    """Compare the legal set with what a golden ply says of it."""
    due: dict[str, int] = {}
    if "legal_count" in ply:
        due["legal_count"] = int(mask.sum())
    if "legal_crc" in ply:
        actions = np.flatnonzero(mask).tolist()
        due["legal_crc"] = legal_crc(game.move_text(state, row, action) for action in actions)
    for key, value in due.items():
        if not _same(ply[key], value):
            raise InvalidRecord(f"{key}: {value} was expected, not {_brief(ply[key])}", number)


def _step(
    game: Game[Any],
    state: State,
    numbers: list[int],
    moves: list[tuple[int, str | None]],
    ply: int,
    faults: dict[int, InvalidRecord],
) -> tuple[State, list[int]]:
    """Play one legal move in every game; return the games whose chance fits, and their numbers."""
    rows = list(range(len(numbers)))
    while True:
        actions = np.array([moves[row][0] for row in rows], np.int64)
        try:
            game.step(state, actions, chance=[moves[row][1] for row in rows])
            return state, [numbers[row] for row in rows]
        except InvalidChance as error:
            faults[numbers[rows[error.row]]] = InvalidRecord(f"chance: {error.why}", ply)
            del rows[error.row]
            state = state.take(np.delete(np.arange(len(state)), error.row))


def _check_end(game: Game[Any], state: State, row: int, record: Record, ply: int) -> None:
    """Compare a finished game's result, and refuse plies after its end."""
    surplus = len(record["plies"]) - ply
    if surplus:
        raise InvalidRecord(f"the game is over; no more plies were expected, not {surplus}", ply)
    for key, value in game.result(state, row).items():
        if key not in record["result"]:
            raise InvalidRecord(f"result: key {key!r} is missing", ply)
        if not _same(record["result"][key], value):
            found = _brief(record["result"][key])
            raise InvalidRecord(f"result: {key}: {_brief(value)} was expected, not {found}", ply)
