"""How many numpy calls a decision makes: what a single game spends its time on."""

import json
import os
import subprocess
import sys
from typing import Any

from chromazoo.envs.errors import ChromazooError
from chromazoo.envs.game import Game


def numpy_calls(game: Game[Any], seed: int = 0) -> dict[str, float]:
    """Count the numpy calls of `step` and `last` together in the AEC face.

    Counted is what Chromazoo, PettingZoo and Gymnasium ask of numpy, each once, whatever numpy does
    inside: calls of its functions, ufuncs and array methods (and of functions that numba compiled);
    operators on arrays and numpy's scalars; reading and writing by subscript. Not counted are
    attributes such as `T`, conversions such as `int(…)`, and running through an array.

    A process of its own counts (`call_counter.py`); nothing that is timed runs there.

    Args:
        game: The rules.
        seed: The seed of the game that is played, at random.

    Returns:
        `aec` and `aec-raw` -> calls a decision, the mean over one whole game.

    Raises:
        ChromazooError: the process that counts has failed.
    """
    kind = type(game)
    task = {
        "module": kind.__module__,
        "name": kind.__qualname__,
        "options": game.options,
        "seed": seed,
    }
    command = [sys.executable, "-P", "-m", "chromazoo.benchmarks.call_counter"]
    there = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        done = subprocess.run(
            command, input=json.dumps(task), env=there, capture_output=True, text=True, check=True
        )
    except subprocess.CalledProcessError as error:
        why = (error.stderr.strip() or str(error)).splitlines()[-1]
        raise ChromazooError(f"counting numpy calls failed: {why}") from None
    except OSError as error:
        raise ChromazooError(f"counting numpy calls failed: {error}") from None
    found: dict[str, float] = json.loads(done.stdout)
    return found
