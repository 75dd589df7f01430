"""One measurement in a process of its own, bound to one core.

    python -P -m chromazoo.benchmarks.peers.worker ORDER

takes its order as JSON, with the keys `adapter`, `game`, `batches` and `seconds`, and writes one
JSON object to standard output: a `play.Found`, and `pinned`. Whatever a suite prints goes to
standard error. `measure` starts it and reads its answer.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

# One thread, wherever a library would start more. XLA is told in its own way.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
    "SDL_VIDEODRIVER": "dummy",
}
PATIENCE = 3600.0  # seconds that compiling and warming up may take


class Failed(Exception):
    """A measurement that did not come about; its text says why, in a line."""


def measure(
    adapter: str,
    game: str,
    batches: Sequence[int],
    seconds: float,
    patience: float = PATIENCE,
) -> dict[str, Any]:
    """Measure one game in a process of its own.

    Args:
        adapter: The full name of the module whose `run` measures.
        game: The game's name in its suite.
        batches: Numbers of games at once.
        seconds: How long each measurement lasts, with and without observations each.
        patience: Seconds to wait, besides those of measuring.

    Returns:
        The fields of `play.Found`, and `pinned`: whether the process was bound to one core.

    Raises:
        Failed: the process failed, answered nothing, or took too long.
    """
    order = {"adapter": adapter, "game": game, "batches": list(batches), "seconds": seconds}
    command = [sys.executable, "-P", "-m", __spec__.name, json.dumps(order)]
    limit = patience + 2 * seconds * len(batches)
    try:
        done = subprocess.run(
            command,
            env=os.environ | ENVIRONMENT,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"no answer within {limit:.0f} seconds") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise Failed(said[-1])
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise Failed("no answer") from None
    return answer


def pin() -> bool:
    """Bind this process to one core; return whether the system lets processes be bound."""
    if sys.platform != "linux":
        return False
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return len(os.sched_getaffinity(0)) == 1


def main(text: str) -> None:
    """Do what is ordered and write the answer."""
    pinned = pin()  # before anything starts threads
    order = json.loads(text)
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answer:
        os.dup2(2, 1)  # what a suite prints
        run = import_module(order["adapter"]).run
        found = run(order["game"], order["batches"], order["seconds"])
        answer.write(json.dumps(found.as_json() | {"pinned": pinned}))


if __name__ == "__main__":
    main(sys.argv[1])
