"""What a policy file tells of how its policy was made: command, seed, settings, versions.

It holds no times and no places on a disk, so the same training gives the same bytes anywhere.
"""

import dataclasses
import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.options import option_text
from chromazoo.training.preset import preset_names
from chromazoo.training.settings import LARGEST, Settings, make_settings

Budgets = list[tuple[int, int]]
"""From how many steps on a run had which budget."""

_PACKAGES = ("chromazoo", "numpy", "torch", "stable-baselines3", "sb3-contrib")


def origin(settings: Settings, budgets: Budgets) -> dict[str, Any]:
    """Tell how a policy is made.

    Args:
        settings: The settings of its run.
        budgets: The budgets that the run had, the latest being that of the settings.

    Returns:
        In JSON types: `command` (commands, one a line), `seed`, `settings` (without the engine,
        which changes nothing) and `versions` (name -> version).
    """
    told = settings.as_dict()
    del told["engine"]
    versions = {"python": platform.python_version()}
    versions |= {package: version(package) for package in _PACKAGES}
    return {
        "command": training_command(settings, budgets),
        "seed": settings.seed,
        "settings": told,
        "versions": versions,
    }


def training_command(settings: Settings, budgets: Budgets) -> str:
    """Write the command that trains with some settings.

    Where no preset has them, it names `settings.toml`, which would have to be written.

    Args:
        settings: The settings; their engine is left out.
        budgets: The budgets that the run had.

    Returns:
        A line, and one more for every change of the budget.

    >>> settings = make_settings("kroma", "demo", seed=5)
    >>> print(training_command(settings, [(0, 500), (512, settings.steps)]))
    chromazoo train kroma --preset demo --steps 500 --seed 5
    chromazoo train kroma --resume RUN --steps 1000000  # from 512 steps on
    """
    game = settings.game
    first = dataclasses.replace(settings, steps=budgets[0][1], engine=Settings.engine)
    ways = (_arguments(first, preset) for preset in (None, *preset_names(game)))
    arguments = min(
        (way for way in ways if way is not None), key=len, default=["--preset", "settings.toml"]
    )
    lines = [shlex.join(["chromazoo", "train", game, *arguments])]
    for trained, steps in budgets[1:]:
        lines.append(
            f"chromazoo train {game} --resume RUN --steps {steps}  # from {trained} steps on"
        )
    return "\n".join(lines)


def _arguments(settings: Settings, preset: str | None) -> list[str] | None:
    """List what is to be said beside a preset for some settings; None if that does not do."""
    base = make_settings(settings.game, preset)
    changes: dict[str, Any] = {
        name: getattr(settings, name)
        for name in ("steps", "seed", "max_plies")
        if getattr(settings, name) != getattr(base, name)
    }
    options = {
        name: value
        for name, value in settings.options.items()
        if name not in base.options or base.options[name] != value
    }
    if make_settings(settings.game, preset, options=options, **changes) != settings:
        return None
    arguments = [] if preset is None else ["--preset", preset]
    for name, value in changes.items():
        arguments += [f"--{name.replace('_', '-')}", str(value)]
    for name, value in options.items():
        arguments += ["--set", f"{name}={option_text(value)}"]
    return arguments


def with_budget(budgets: Sequence[tuple[int, int]], trained: int, steps: int) -> Budgets:
    """Take note of the budget with which a run goes on.

    Args:
        budgets: Those that it had.
        trained: How many steps it has been trained.
        steps: The budget now.

    Returns:
        The budgets that it had, and now has. One that was never trained with is left out.

    >>> with_budget([(0, 500)], 512, 900)
    [(0, 500), (512, 900)]
    >>> with_budget([(0, 500), (512, 900)], 512, 500)
    [(0, 500)]
    """
    kept = [budget for budget in budgets if budget[0] < trained]
    return kept if kept and kept[-1][1] == steps else [*kept, (trained, steps)]


def parse_budgets(values: object) -> Budgets:
    """Read the budgets that a checkpoint keeps.

    Args:
        values: What the JSON file holds.

    Returns:
        The budgets.

    Raises:
        InvalidFile: no run can have had them.
    """
    pairs = values if isinstance(values, list) else []
    for pair in pairs:
        numbers = isinstance(pair, list) and [type(number) for number in pair] == [int, int]
        if not numbers or not (0 <= pair[0] <= LARGEST and 1 <= pair[1] <= LARGEST):
            raise InvalidFile(f"budgets: {pair!r:.80}")
    if not pairs or pairs[0][0] != 0:
        raise InvalidFile(f"budgets: {values!r:.80}")
    return [(trained, steps) for trained, steps in pairs]
