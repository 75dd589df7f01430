"""The `chromazoo` command: what it does with commands, errors and exit statuses."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version as installed
from typing import Annotated

import typer
from typer.main import get_command

from chromazoo.cli import arena, bench, check, games, perft, play, replay, sample, train
from chromazoo.cli.options import note
from chromazoo.envs.errors import ChromazooError, on_one_line

INTERRUPTED = 130  # as shells report SIGINT
BROKEN_PIPE = 141  # as shells report SIGPIPE

app = typer.Typer(
    help="Chromazoo: colour games for reinforcement learning, Kroma, CHROMA and Guardians.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command, examples in (
    (games.games, games.EXAMPLES),
    (check.check, check.EXAMPLES),
    (sample.sample, sample.EXAMPLES),
    (replay.replay, replay.EXAMPLES),
    (play.play, play.EXAMPLES),
    (perft.perft, perft.EXAMPLES),
    (train.train, train.EXAMPLES),
    (arena.arena, arena.EXAMPLES),
    (bench.bench, bench.EXAMPLES),
):
    app.command(epilog="\n  ".join(("\b\nExamples:", *examples)))(command)


def _show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        print(f"chromazoo {installed('chromazoo')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and leave.", is_eager=True, callback=_show_version
        ),
    ] = False,
) -> None:
    """Take the options that go without a command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: The arguments; those of the process if not given.

    Returns:
        The exit status: 0 done and true, 1 a check failed, 2 bad usage or input.
    """
    # Read by OpenMP as a command loads torch: threads that spin as they wait hold busy cores up.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if sys.stdout is None:
        return _refuse("standard output is closed")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        status = _run(given)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _silence()
        return BROKEN_PIPE
    except OSError as error:
        _give_up_unwritten()
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except typer.TyperException as error:
        return _refuse(error.format_message())
    except ChromazooError as error:
        return _refuse(str(error))
    except MemoryError:
        return _refuse("out of memory: smaller numbers, such as --batch, need less")
    return status


def _run(arguments: list[str]) -> int:
    """Run a command and let its errors through; Typer's own `main` ends the process on some."""
    group = get_command(app)
    try:
        with group.make_context("chromazoo", arguments) as context:
            return int(group.invoke(context) or 0)
    except typer.Exit as end:
        return end.exit_code


def _refuse(why: str) -> int:
    """Say in one line what is wrong with the input."""
    note(f"chromazoo: {on_one_line(' '.join(why.split()))}")
    return 2


def _give_up_unwritten() -> None:
    """Drop what standard output could not take, so that it does not fail once more at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        _silence()


def _silence() -> None:
    """Let nobody complain at exit that standard output is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
