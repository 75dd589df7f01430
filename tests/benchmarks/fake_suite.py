"""An adapter for tests of how other suites are measured: it plays nothing, at once."""

import os
import sys
from collections.abc import Sequence

from chromazoo.benchmarks.peers.play import WITH, WITHOUT, Found


def run(game: str, batches: Sequence[int], seconds: float) -> Found:
    """Answer what was ordered, or misbehave as the game's name says."""
    if game == "broken":
        raise RuntimeError("the board is on fire")
    if game == "silent":
        os._exit(0)
    if game == "dead":
        os._exit(3)
    if game == "slow":
        while True:
            pass
    print("Welcome to the suite!")
    os.system("echo of a library")  # writes to the process's standard output itself
    sys.stdout.flush()
    return Found(
        batch=batches[-1],
        per_second={WITHOUT: 2 * seconds, WITH: seconds},
        spread={WITHOUT: 0.0, WITH: 0.5},
        actions=7,
        choices=3.5,
        plies=None,
        observation=game,
    )
