"""What `chromazoo train` does: a run from its settings to the evaluation of its policy."""

import json
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from chromazoo.agents.match import evaluate
from chromazoo.agents.policy_heads import POLICY_FILE
from chromazoo.agents.ppo import load_ppo
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.files import write_atomic
from chromazoo.envs.game import ENGINES
from chromazoo.envs.options import option_text
from chromazoo.envs.titles import game_title
from chromazoo.training.checkpoints import newest_checkpoint, read_checkpoint, saved_steps
from chromazoo.training.curve import draw_curve
from chromazoo.training.folder import (
    CHECKPOINTS,
    CURVE,
    EVALUATION,
    METRICS,
    SETTINGS,
    TENSORBOARD,
    clear,
    locked,
    require_free,
    sweep,
)
from chromazoo.training.metrics import Row
from chromazoo.training.opponents import baselines
from chromazoo.training.run import TrainingRun, derived_seed
from chromazoo.training.screen import standard_error
from chromazoo.training.settings import Settings, read_settings
from chromazoo.training.stopping import Stopping, heeded

Results = dict[str, dict[str, Any]]
STOPPING = "Stopping: the update is finished and saved first. Ctrl-C again stops at once."


def train(
    settings: Settings | None,
    out: str | Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    console: Console | None = None,
) -> dict[str, Any]:
    """Train a policy by self-play, evaluate it, and say where everything is.

    SIGINT (Ctrl-C) and SIGTERM stop it after the current update, with a checkpoint, and at once
    when they come a second time. Resumed, it comes to the same end as without the stop.

    Args:
        settings: The settings. A run that is resumed knows its own: None, or the same settings but
            for `engine` and `steps`, not below what is trained already.
        out: The run's folder.
        resume: Whether to go on with the run in that folder, from its newest checkpoint.
        overwrite: Whether to delete a run that is in that folder already.
        console: Where to report; standard error if not given, for as long as it is open.

    Returns:
        `out`, `steps`, `seconds` (of all starts of the run), `time` and `evaluation`, what
        `chromazoo.agents.match.evaluate` returns against each baseline; in JSON types. `time` holds
        the shares of `environment`, `opponents`, `policy` and `learning` in the time of all
        updates.

    Raises:
        Stopped: it was stopped by a signal, as a `KeyboardInterrupt`.
        InvalidConfig: the folder holds something already, or nothing to resume, or another process
            trains in it, or the settings are not those of the run, or the game cannot run on their
            engine here, or with these settings the loss grows beyond all numbers.
        InvalidFile: the run's settings or newest checkpoint are damaged.
        OSError: the folder cannot be written to.
    """
    folder = Path(out)
    screen = console or standard_error()
    if not resume:
        if settings is None:
            raise InvalidConfig("a new run needs settings")
        settings.make_game()  # before anything is deleted or made
        require_free(folder, overwrite)
    elif not (folder / SETTINGS).exists():
        raise InvalidConfig(f"{folder}: no training run to resume in it")
    with locked(folder):
        return _train(settings, folder, resume, overwrite, screen)


def _train(
    settings: Settings | None, folder: Path, resume: bool, overwrite: bool, screen: Console
) -> dict[str, Any]:
    """Do what `train` does, in a folder that nobody else trains in."""
    if resume:
        settings = _resumed(folder, settings)
        sweep(folder)
    else:
        assert settings is not None
        require_free(folder, overwrite)
        clear(folder)
        _write_json(folder / SETTINGS, settings.as_dict())
    run = TrainingRun(settings, folder)
    if resume:
        _write_json(folder / SETTINGS, settings.as_dict())
    try:
        with heeded(lambda _: _say(screen, STOPPING)) as stopping:
            _learn(run, screen, stopping)
            write_atomic(folder / POLICY_FILE, run.policy())
            results = _evaluate(run, screen)
            write_atomic(folder / POLICY_FILE, run.policy(results))
    except KeyboardInterrupt:
        _say(screen, _stopped(run))
        raise
    except FloatingPointError as error:
        raise InvalidConfig(f"{folder}: {error}") from None
    _write_json(folder / EVALUATION, results)
    draw_curve(run.metrics.rows, results, f"PPO self-play: {game_title(run.game)}", folder / CURVE)
    _report(run, results, screen)
    return {
        "out": str(folder),
        "steps": run.steps,
        "seconds": round(run.seconds, 1),
        "time": {part: round(share, 4) for part, share in run.time.items()},
        "evaluation": results,
    }


def _resumed(folder: Path, settings: Settings | None) -> Settings:
    """Return the settings of the run to resume, with another budget or engine if asked for."""
    own = read_settings(folder / SETTINGS)
    if settings is None or settings == own:
        return own
    if replace(settings, steps=own.steps, engine=own.engine) != own:
        raise InvalidConfig(
            f"{folder}: the run has other settings; only steps and engine may be changed"
        )
    newest = newest_checkpoint(folder / CHECKPOINTS)
    trained = 0 if newest is None else read_checkpoint(newest).steps
    if settings.steps < trained:
        raise InvalidConfig(
            f"{folder}: steps from {trained}, which are trained already, not {settings.steps}"
        )
    return settings


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write a JSON file at once or not at all."""
    write_atomic(path, json.dumps(values, indent=2) + "\n")


# Training and evaluation


class _Speed(ProgressColumn):
    """Shows how many steps a second are done."""

    def render(self, task: Task) -> Text:
        """Render the speed."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} a second", style="progress.data.speed")


def _bar(screen: Console) -> Progress:
    """Make a progress bar with speed and time left; only terminals show it."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Speed(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )


def _learn(run: TrainingRun, screen: Console, stopping: Stopping) -> None:
    """Train with a progress bar, and a line at each evaluation, until the end or a signal."""
    rollout = run.settings.ppo.num_envs * run.settings.ppo.rollout_steps
    due = -(-run.settings.steps // rollout) * rollout
    _say(screen, _plan(run, due, rollout))
    with stopping.put_off(), _bar(screen) as bar:
        task = bar.add_task("training", total=due, completed=run.steps)
        for row in run.updates():
            bar.update(task, completed=run.steps)
            line = _progress_line(row)
            if line:
                _say(screen, line)
            if stopping.asked:
                break
        if stopping.asked:
            run.save()
    run.metrics.close()
    stopping.heed()


def _plan(run: TrainingRun, due: int, rollout: int) -> str:
    """Write what is about to be trained, to `due` steps in whole rollouts."""
    steps, title = run.settings.steps, game_title(run.game)
    if run.steps >= steps:
        return f"{title}: trained already, for {run.steps:,} steps."
    begin = f", from {run.steps:,} to" if run.steps else " for"
    whole = (
        "" if due == steps else f" ({steps:,}, rounded up: each update takes {rollout:,} of them)"
    )
    return f"Training {title} by self-play{begin} {due:,} steps{whole}."


def _stopped(run: TrainingRun) -> str:
    """Write what is kept of a run that was stopped, and how it goes on."""
    saved, steps = saved_steps(run.folder / CHECKPOINTS), run.settings.steps
    if run.steps >= steps and saved == run.steps:
        kept = f"All {saved:,} steps are saved, but not evaluated yet."
    elif saved:
        kept = f"Saved up to step {saved:,} of {steps:,}."
    else:
        kept = "Nothing is saved yet: it begins anew."
    return f"Stopped. {kept} To go on: {_train_command(run)}"


def _progress_line(row: Row) -> str:
    """Write an evaluation in one line; empty where the row holds none."""
    scores = [
        f"against {name.removesuffix('_score')} {100 * value:5.1f} %"
        f" ({100 * row[name.replace('_score', '_low')]:.0f}–"
        f"{100 * row[name.replace('_score', '_high')]:.0f})"
        for name, value in row.items()
        if name.endswith("_score")
    ]
    if not scores:
        return ""
    return f"{int(row['steps']):>12,} steps  {row['seconds']:6.0f} s  score " + ", ".join(scores)


def _evaluate(run: TrainingRun, screen: Console) -> Results:
    """Measure the finished policy, read from its file, against the baselines."""
    settings = run.settings
    opponents = baselines(run.game)
    games = settings.evaluation.final_games
    with _bar(screen) as bar:
        task = bar.add_task("evaluation", total=games * len(opponents))
        return evaluate(
            run.game,
            load_ppo(run.game, str(run.folder / POLICY_FILE)),
            opponents,
            games,
            derived_seed(settings.seed, "final"),
            settings.max_plies,
            progress=lambda done: bar.advance(task, done),
        )


# The report


def _say(screen: Console, text: str) -> None:
    """Print a line as it is."""
    screen.print(text, markup=False, highlight=False, soft_wrap=True)


def _report(run: TrainingRun, results: Results, screen: Console) -> None:
    """Print the table, where everything is, and what to try next."""
    screen.print(_table(results))
    folder = run.folder
    lines = [
        f"{run.steps:,} steps in {run.seconds:.0f} seconds.",
        "Time of the updates: "
        + ", ".join(f"{part} {100 * share:.0f} %" for part, share in run.time.items()),
        f"  learning curve   {folder / CURVE}",
        f"  policy           {folder / POLICY_FILE}",
        f"  table            {folder / EVALUATION}",
        f"  metrics          {folder / METRICS}",
        "What to try next:",
        f"  {_train_command(run, 4 * max(run.settings.steps, run.steps))}    train it further",
        f"  {_sample_command(run)}    let it play against itself",
        f"  {_shell(_tensorboard(), '--logdir', folder / TENSORBOARD)}    look at every metric",
    ]
    for line in lines:
        _say(screen, line)


def _train_command(run: TrainingRun, steps: int | None = None) -> str:
    """Write the command that goes on with a run."""
    budget = [] if steps is None else ["--steps", steps]
    return _shell(_program(), "train", run.settings.game, "--resume", run.folder, *budget)


def _sample_command(run: TrainingRun) -> str:
    """Write the command that lets the policy of a run play against itself."""
    settings = run.settings
    options: list[object] = []
    for name, value in settings.options.items():
        options += ["--set", f"{name}={option_text(value)}"]
    if settings.max_plies is not None:
        options += ["--max-plies", settings.max_plies]
    if settings.engine != ENGINES[0]:
        options += ["--engine", settings.engine]
    agent = f"ppo:{run.folder}"
    asked = ("--agent", agent, "--games", 3, "--seed", 1)
    return _shell(_program(), "sample", settings.game, *asked, *options)


def _shell(*words: object) -> str:
    """Write a command as a shell reads it."""
    return shlex.join(str(word) for word in words)


def _program() -> str:
    """Name the command line as it was called: by its path, where the shell may not find it."""
    path = Path(sys.argv[0])
    runs = path.stem == "chromazoo" and path.is_file() and os.access(path, os.X_OK)
    return str(path) if runs else "chromazoo"


def _tensorboard() -> str:
    """Name TensorBoard, of this environment if it has one."""
    for neighbour in (_program(), sys.executable):
        path = Path(neighbour).with_name("tensorboard")
        if len(path.parts) > 1 and path.is_file():
            return str(path)
    return "tensorboard"


def _table(results: Results) -> Table:
    """Lay the evaluation out as a table; truncated games, which are draws, where there are any."""
    table = Table(title="Evaluation (score: share of the win)", title_justify="left")
    cut = any(result["truncated"] for result in results.values())
    numbers = ["games", "win", "draw", "loss", *(["truncated"] if cut else [])]
    for name in ("opponent", "seat", *numbers, "score", "95 % interval"):
        table.add_column(name, justify="left" if name in ("opponent", "seat") else "right")
    for name, result in results.items():
        parts = [("all", result)]
        parts += [(str(seat), part) for seat, part in enumerate(result["seats"])]
        for seat, part in parts:
            counts = [f"{part[key]:,}" for key in numbers]
            low, high = 100 * part["low"], 100 * part["high"]
            score = f"{100 * part['score']:.1f} %"
            table.add_row(name, seat, *counts, score, f"{low:.1f}–{high:.1f} %")
        table.add_section()
    return table
