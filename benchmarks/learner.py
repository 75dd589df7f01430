"""How fast our learner learns beside sb3-contrib's: `python -m chromazoo.benchmarks.learner`.

Both learn the same network, from the same first weights, of the same data, in an environment that
costs nothing; see `free.py`. Stock is `MaskablePPO` with its own policy, distribution and rollout
buffer, as they come; ours is the learner of `chromazoo train`.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from chromazoo.benchmarks.machine import machine

if TYPE_CHECKING:
    from chromazoo.benchmarks.free import FreeSettings

SIZES = ((1164, 24), (3130, 60))
"""Numbers of actions, and how many of them are legal; about those of Kroma and of CHROMA."""
RUNS = 5
PACKAGES = ("torch", "stable-baselines3", "sb3-contrib")

Update = Callable[[], None]


class Row(NamedTuple):
    """What was measured at one size.

    Attributes:
        actions: Number of actions.
        legal: How many of them are legal.
        stock_per_cpu_s: Steps of the environments that stock collects and learns from in a second
            of CPU time.
        ours_per_cpu_s: The same of our learner.
        ratio: Ours over stock's.
    """

    actions: int
    legal: int
    stock_per_cpu_s: float
    ours_per_cpu_s: float
    ratio: float


def measure(actions: int, legal: int, settings: "FreeSettings", runs: int = RUNS) -> Row:
    """Time both learners in turn.

    Args:
        actions: Number of actions.
        legal: How many of them are legal.
        settings: What both learners are told.
        runs: How many updates of each are timed, after one that is not.

    Returns:
        The medians.
    """
    from chromazoo.benchmarks.free import FreeVecEnv, our_learner, stock_learner

    env = FreeVecEnv(actions, legal, settings)
    ours = our_learner(env, settings)
    stock = stock_learner(FreeVecEnv(actions, legal, settings), settings, ours.policy.network)
    seconds = alternate([_update(stock), _update(ours)], runs)
    rates = [settings.envs * settings.steps / each for each in seconds]
    return Row(actions, legal, rates[0], rates[1], rates[1] / rates[0])


def alternate(updates: Sequence[Update], runs: int) -> list[float]:
    """Time updates in turn, so that a machine that is slow for a while slows all of them.

    Args:
        updates: What to time.
        runs: How often each, after one time that does not count.

    Returns:
        The median of the seconds of CPU time of each.
    """
    lasted: list[list[float]] = [[] for _ in updates]
    for number in range(runs + 1):
        for update, own in zip(updates, lasted, strict=True):
            begin = time.process_time()
            update()
            if number:
                own.append(time.process_time() - begin)
    return [median(own) for own in lasted]


def _update(model: Any) -> Update:
    """Make what collects one rollout and learns from it."""
    _, callback = model._setup_learn(1, None)

    def update() -> None:
        model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
        model.train()

    return update


def text(rows: Sequence[Row]) -> str:
    """Write the rates as a table."""
    head = f"{'actions':>8}{'legal':>7}{'stock/s':>10}{'ours/s':>10}{'ratio':>7}"
    lines = [
        f"{row.actions:>8,}{row.legal:>7}{row.stock_per_cpu_s:>10,.0f}"
        f"{row.ours_per_cpu_s:>10,.0f}{row.ratio:>7.2f}"
        for row in rows
    ]
    return "\n".join([head, *lines])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print.

    Args:
        arguments: Those of the command line, if not given.

    Returns:
        The exit status: 0. Bad usage exits with 2.
    """
    parser = argparse.ArgumentParser(
        prog="python -m chromazoo.benchmarks.learner",
        description="Measure how many steps our learner and sb3-contrib's MaskablePPO collect and"
        " learn from in a second of CPU time: same data, network, batches and epochs, one thread.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--runs", type=int, default=RUNS, help=f"updates of each that are timed (default: {RUNS})"
    )
    options = parser.parse_args(arguments)
    if not 1 <= options.runs <= 1000:
        parser.error(f"--runs: from 1 to 1000, not {options.runs}")
    try:
        import torch

        from chromazoo.benchmarks.free import FreeSettings
    except ImportError as error:
        parser.error(f"needs {error.name}, which is not installed: pip install 'chromazoo[train]'")
    torch.set_num_threads(1)
    settings = FreeSettings()
    host = {**machine(), **{name: version(name) for name in PACKAGES}}
    told = {**asdict(settings), "threads": 1, "runs": options.runs}
    rows = [measure(*sizes, settings, options.runs) for sizes in SIZES]
    if options.json:
        shown = [row._asdict() for row in rows]
        print(json.dumps({"machine": host, "settings": told, "rows": shown}))
    else:
        for facts in (host, told):
            print(", ".join(f"{key}: {value}" for key, value in facts.items()))
        print(text(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
