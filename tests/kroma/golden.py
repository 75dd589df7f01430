"""The golden data of Kroma: records, perft tables and solved baby positions, made elsewhere."""

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "golden"


def records() -> list[dict[str, Any]]:
    """The golden game records."""
    return [json.loads(line) for line in (FOLDER / "kroma.jsonl").read_text().splitlines()]


def perft_tables() -> list[dict[str, Any]]:
    """Positions with their leaf counts at depths 1, 2, ..."""
    tables: list[dict[str, Any]] = json.loads((FOLDER / "kroma_perft.json").read_text())
    return tables


def solved() -> dict[str, list[dict[str, Any]]]:
    """Solved baby games: `starts` (with the number of reachable positions) and `positions`."""
    found: dict[str, list[dict[str, Any]]] = json.loads(
        (FOLDER / "kroma_baby_solved.json").read_text()
    )
    return found


def legal_crc(texts: Sequence[str]) -> int:
    """The `legal_crc` of a golden ply."""
    return zlib.crc32("\n".join(sorted(texts)).encode())
