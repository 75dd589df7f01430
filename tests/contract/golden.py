"""The golden records of all games, made elsewhere."""

import json
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parents[1] / "golden"


def file_of(game_id: str) -> Path:
    """The file with a game's records."""
    return FOLDER / f"{game_id}.jsonl"


@cache
def records(game_id: str) -> list[dict[str, Any]]:
    """A game's records."""
    return [json.loads(line) for line in file_of(game_id).read_text().splitlines()]


def legal_crc(texts: Sequence[str]) -> int:
    """The `legal_crc` of a ply."""
    return zlib.crc32("\n".join(sorted(texts)).encode())


def replay(reference: ModuleType, record: dict[str, Any]) -> Iterator[Any]:
    """Play a record with a game's reference, from the deal to the end, every ply compared."""
    game = reference.begin(reference.Config(**record["config"]), record["setup"])
    for ply in record["plies"]:
        yield game
        legal = game.legal()
        assert ply["player"] == game.seat
        assert ply["legal_count"] == len(legal)
        assert ply["legal_crc"] == legal_crc(legal)
        game = game.after(ply["move"], *([ply["chance"]] if "chance" in ply else []))
    yield game
