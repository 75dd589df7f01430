"""Our games on the compiled engine, measured as `ours.py` measures them on numpy."""

from collections.abc import Sequence

from chromazoo.benchmarks.peers import ours
from chromazoo.benchmarks.peers.play import Found


def run(game: str, batches: Sequence[int], seconds: float) -> Found:
    """Measure the compiled engine of a game, or its AEC face on that engine; see `ours.run`."""
    return ours.run(game, batches, seconds, "compiled")
