"""The golden records of Guardians, made elsewhere."""

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "golden" / "guardians.jsonl"


def records() -> list[dict[str, Any]]:
    """The golden game records."""
    return [json.loads(line) for line in FILE.read_text().splitlines()]


def legal_crc(texts: Sequence[str]) -> int:
    """The `legal_crc` of a golden ply."""
    return zlib.crc32("\n".join(sorted(texts)).encode())
