"""`chromazoo train`: train a policy by self-play."""

import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from chromazoo.cli.compiling import tell_of_compiling
from chromazoo.cli.options import (
    ENGINE_OPTION,
    AsJson,
    GameName,
    MaxPlies,
    Sets,
    filled,
    needing,
    note,
    parse_sets,
    print_json,
)
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.registry import MODULES
from chromazoo.training.preset import preset_names
from chromazoo.training.stopping import Stopped

EXAMPLES = (
    "chromazoo train kroma --preset demo --out runs/demo",
    "chromazoo train chroma --preset baseline-4p --engine compiled",
    "chromazoo train kroma --steps 2000000 --set size=baby --out runs/baby",
    "chromazoo train kroma --resume runs/demo",
)


def _presets() -> str:
    """List the presets of all games."""
    names = {game: ", ".join(preset_names(game)) for game in MODULES}
    return "; ".join(f"{game} has {listed}" for game, listed in names.items() if listed) + "."


def train(
    game: GameName,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            callback=filled,
            help=f"A preset of the game, or a TOML file of settings. {_presets()}",
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps",
            min=1,
            max=1_000_000_000_000,
            help="The budget: decisions of the learner in all. The last rollout is finished.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="DIR",
            callback=filled,
            help="The run's folder.  [default: runs/GAME or runs/GAME-PRESET]",
        ),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume", metavar="DIR", callback=filled, help="Go on with the run in this folder."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="The seed of all that is random, from 0 to 2^63 - 1."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Delete a run that is in the folder already.")
    ] = False,
    sets: Sets = None,
    max_plies: MaxPlies = None,
    engine: Annotated[str | None, ENGINE_OPTION] = None,
    as_json: AsJson = False,
) -> int:
    """Train a policy by self-play, and evaluate it.

    Writes checkpoints, metrics, a picture of the learning curve, the policy and its evaluation into
    the run's folder. Ctrl-C and SIGTERM stop it after the current update, with a checkpoint, a
    second one at once. A run that was stopped goes on with --resume, to the end that it would have
    had; --steps raises its budget, and --engine names another engine.
    """
    command, settings = _training()
    if resume is None:
        name = f"{game}-{Path(preset).stem}" if preset else game
        folder = Path(out or Path("runs", name))
        wanted = settings.make_settings(
            game,
            preset,
            steps=steps,
            seed=seed,
            max_plies=max_plies,
            engine=engine,
            options=parse_sets(sets),
        )
    else:
        folder = Path(resume)
        settled = {
            "--preset": preset,
            "--out": out,
            "--seed": seed,
            "--overwrite": overwrite or None,
            "--set": sets or None,
            "--max-plies": max_plies,
        }
        for name, value in settled.items():
            if value is not None:
                raise InvalidConfig(
                    f"{name} cannot be used with --resume; only --steps and --engine can"
                )
        wanted = _resumed(settings, folder / command.SETTINGS, game, steps=steps, engine=engine)
    if wanted is not None and wanted.engine == "compiled":
        tell_of_compiling()
    try:
        result = command.train(wanted, folder, resume=resume is not None, overwrite=overwrite)
    except Stopped as stopped:
        return stopped.status
    if as_json:
        print_json(result)
    return 0


def _training() -> tuple[ModuleType, ModuleType]:
    """Import what trains; the base install lacks it."""
    if "torch" not in sys.modules and find_spec("torch") is not None:
        note("Loading torch, for some seconds.")
    with needing("training needs"):
        from chromazoo.training import command, settings
    return command, settings


def _resumed(settings: ModuleType, path: Path, game: str, **changes: Any) -> Any:
    """Read the settings of a run that goes on, and change those that are given."""
    own = settings.read_settings(path) if path.exists() else None
    if own is not None and own.game != game:
        raise InvalidConfig(f"{path}: a run of {own.game}, not of {game}")
    given = {name: value for name, value in changes.items() if value is not None}
    return own if own is None else replace(own, **given)
