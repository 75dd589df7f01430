"""The folder of an arena: results as they come in, and what is written when all have come.

`tournament.json` says whose results they are. `parts/` holds an npz file for every few deals, which
is whole or not there, so an interruption loses nothing that has been finished. Nothing in them is
executed as they are read.
"""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.benchmarks.arena import Results, Tournament
from chromazoo.benchmarks.arena_scores import Report
from chromazoo.envs.errors import InvalidConfig, InvalidFile
from chromazoo.envs.files import atomic, read_file, write_atomic
from chromazoo.envs.npz import npz, read_npz
from chromazoo.envs.options import differing

FORMAT = "chromazoo-arena/1"
TOURNAMENT, PARTS = "tournament.json", "parts"
REPORT, GAMES, TABLE, PICTURE = "arena.json", "games.csv", "table.csv", "table.png"

_LONGEST = 2**24  # bytes of what a folder says of its tournament
_LONGEST_NAME = 24  # characters of a name in tables and pictures


class Folder:
    """Where a tournament keeps its results."""

    def __init__(self, path: Path, tournament: Tournament, identity: dict[str, Any]) -> None:
        """Begin in a new folder, or go on in one.

        Args:
            path: The folder; made if it is not there.
            tournament: Whose results go into it.
            identity: What `chromazoo.benchmarks.arena.identity` says of it.

        Raises:
            InvalidConfig: the folder holds something else.
            InvalidFile: what it holds is damaged.
            OSError: it cannot be made, read or written.
        """
        self._path, self._tournament = path, tournament
        if path.exists() and not path.is_dir():
            raise InvalidConfig(f"{path}: a file, not a folder")
        own = {"format": FORMAT, **identity}
        if (path / TOURNAMENT).exists():
            _refuse_others(path, own)
        elif path.exists() and any(path.iterdir()):
            raise InvalidConfig(f"{path}: holds no tournament; name another folder")
        (path / PARTS).mkdir(parents=True, exist_ok=True)
        write_atomic(path / TOURNAMENT, json.dumps(own, indent=1) + "\n")

    def read(self) -> list[Results]:
        """Read what has been played.

        Returns:
            Results from deal 0 on, without a gap.

        Raises:
            InvalidConfig: they are of more deals than the tournament has.
            InvalidFile: a file is damaged.
        """
        found: list[Results] = []
        end = 0
        while (path := self._part(end)).exists():
            found.append(_read_part(path, self._tournament, end))
            end = found[-1].end
        if end > self._tournament.deals:
            played = end * (self._tournament.games // self._tournament.deals)
            raise InvalidConfig(
                f"{self._path}: {played:,} games have been played there, more than "
                f"{self._tournament.games:,}; ask for as many or name another folder"
            )
        return found

    def add(self, results: Results) -> None:
        """Keep results that follow those that are there."""
        arrays: dict[str, NDArray[Any]] = {
            "shares": results.shares,
            "plies": results.plies,
            "truncated": results.truncated,
            "seconds": np.array(results.seconds),
        }
        write_atomic(self._part(results.first), npz(arrays))

    def write_report(self, report: Report) -> None:
        """Write `arena.json`, `games.csv` and `table.csv`.

        Args:
            report: What has been found so far.

        Raises:
            OSError: something cannot be written.
        """
        write_atomic(self._path / REPORT, json.dumps(report.as_json(), indent=1) + "\n")
        _write_csv(self._path / TABLE, _table_lines(report))
        _write_csv(self._path / GAMES, _game_lines(report.tournament, report.results))

    @property
    def picture(self) -> Path:
        """Where the picture of the cross table belongs."""
        return self._path / PICTURE

    def _part(self, first: int) -> Path:
        """Name the file of the results that begin with a deal."""
        return self._path / PARTS / f"deal-{first:09}.npz"


def labels(names: Sequence[str]) -> list[str]:
    """Tell entrants of the same name apart.

    >>> labels(["ppo", "random", "random"])
    ['ppo', 'random', 'random (2)']
    """
    number = [names[: row + 1].count(name) for row, name in enumerate(names)]
    return [
        name if nth == 1 else f"{name} ({nth})" for name, nth in zip(names, number, strict=True)
    ]


def shortened(name: str) -> str:
    """Keep the end of a name that is too long: that of a path tells most.

    >>> shortened("ppo:/a/path/to/many/runs/baby?greedy")
    '…o/many/runs/baby?greedy'
    """
    return name if len(name) <= _LONGEST_NAME else "…" + name[1 - _LONGEST_NAME :]


def _refuse_others(path: Path, own: dict[str, Any]) -> None:
    """Refuse the folder of another tournament."""
    try:
        there = json.loads(read_file(path / TOURNAMENT, _LONGEST))
    except (ValueError, RecursionError):
        there = None
    if not isinstance(there, dict) or there.get("format") != FORMAT:
        raise InvalidFile(f"{path / TOURNAMENT}: no tournament of an arena ({FORMAT})")
    apart = [_apart(key, there.get(key), value) for key, value in own.items()]
    if any(apart):
        why = next(text for text in apart if text)
        raise InvalidConfig(f"{path}: holds another tournament, {why}; name another folder")


def _apart(key: str, there: Any, own: Any) -> str:
    """Say in words how the tournament in a folder differs in one thing; empty if it does not."""
    if there == own:
        return ""
    if key == "config" and isinstance(there, dict) and there.keys() == own.keys():
        return f"where {differing(there, own)}"
    if key == "agents" and isinstance(there, list):
        names = (", ".join(map(str, listed)) for listed in (there, own))
        return "of {:.200}, not {:.200}".format(*names)
    if key == "weights" and isinstance(there, dict):
        changed = [name for name, digest in own.items() if there.get(name) != digest]
        return f"with another policy behind {', '.join(changed):.200}, which has changed since"
    word = {"chromazoo": "version of chromazoo", "version": "version of the game"}.get(key, key)
    return f"with {word} {json.dumps(there):.100}, not {json.dumps(own):.100}"


def _read_part(path: Path, tournament: Tournament, first: int) -> Results:
    """Read one part, and refuse what no game can give."""
    seats, tables = tournament.game.num_seats, len(tournament.tables)
    try:
        file = read_npz(read_file(path), path.name)
        shares, plies, truncated = (file[name] for name in ("shares", "plies", "truncated"))
        seconds = float(file["seconds"].item())
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidFile(f"{path}: damaged ({error})") from None
    shape = (len(shares) if shares.ndim else 0, tables, seats)
    fits = (
        shape[0] > 0
        and shares.dtype == np.uint16
        and shares.shape == (*shape, seats)
        and plies.dtype == np.int32
        and plies.shape == shape
        and truncated.dtype == np.bool_
        and truncated.shape == shape
        and (shares.sum(axis=3) == tournament.unit).all()
    )
    if not fits:
        raise InvalidFile(f"{path}: damaged (no results of this tournament)")
    return Results(first, shares, plies, truncated, seconds)


def _write_csv(path: Path, lines: Iterator[Sequence[object]]) -> None:
    """Write lines as they come."""
    with atomic(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        csv.writer(text, lineterminator="\n").writerows(lines)
        text.detach()


def _table_lines(report: Report) -> Iterator[Sequence[object]]:
    """Give the cross table, a line for each cell that has games."""
    names = labels(report.tournament.names)
    yield "agent", "against", "score", "low", "high"
    for row, column in np.argwhere(~np.isnan(report.table.mean)):
        cell = (float(part[row, column]) for part in report.table)
        yield names[row], names[column], *cell


def _game_lines(tournament: Tournament, results: Results) -> Iterator[Sequence[object]]:
    """Give one line a game: its deal, who sat where, and how it ended."""
    names = labels(tournament.names)
    seats = range(tournament.game.num_seats)
    yield (
        "deal", "seed", "table", "rotation", *(f"agent_{seat}" for seat in seats),
        *(f"share_{seat}" for seat in seats), "plies", "truncated",
    )  # fmt: skip
    for deal in range(results.first, results.end):
        number = np.array([deal])
        seed, order = tournament.game_seeds(number)[0], tournament.orders(number)[0]
        games = deal - results.first
        for table, rotation in np.ndindex(results.plies.shape[1:]):
            at = games, table, rotation
            yield (
                deal, seed, table, rotation,
                *(names[entrant] for entrant in tournament.tables[table, order[rotation]]),
                *(float(share) for share in results.shares[at] / tournament.unit),
                results.plies[at], int(results.truncated[at]),
            )  # fmt: skip
