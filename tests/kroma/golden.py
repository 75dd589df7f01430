"""The golden perft tables and solved baby positions of Kroma, made elsewhere."""

import json
from typing import Any

from tests.contract.golden import FOLDER


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
