"""`chromazoo bench`: measure how fast the games run."""

from collections.abc import Sequence
from typing import Annotated

import typer

from chromazoo.benchmarks.throughput import BATCHES, LARGEST, WHATS, count, machine, measure
from chromazoo.cli.options import (
    AsJson,
    Sets,
    games_or_all,
    print_json,
    print_table,
)
from chromazoo.cli.progress import progress_bar
from chromazoo.envs.errors import InvalidConfig

EXAMPLES = (
    "chromazoo bench kroma",
    "chromazoo bench kroma --what play --batch 1,4096 --seconds 5 --json",
)

_UNITS = {"deal": "games", "redeal": "games"}  # what rates count; decisions where none is named


def bench(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME...]", help="The games; all if none.")
    ] = None,
    batch: Annotated[
        list[str] | None,
        typer.Option(
            "--batch",
            metavar="N,...",
            help=f"Numbers of games at once.  [default: {','.join(map(str, BATCHES))}]",
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            help=f"How long a measurement lasts; a game has {count(WHATS, BATCHES)} of them, "
            "fewer with --what or --batch.",
        ),
    ] = 1.0,
    what: Annotated[
        list[str] | None,
        typer.Option("--what", metavar="NAME,...", help=f"Only some of {', '.join(WHATS)}."),
    ] = None,
    engine: Annotated[str, typer.Option("--engine", help="Which engine runs.")] = "numpy",
    threads: Annotated[int, typer.Option("--threads", help="On how many threads.")] = 1,
    sets: Sets = None,
    as_json: AsJson = False,
) -> None:
    """Measure how fast the games run.

    What is measured, on games at every stage: deal makes new games; legal, mask and observe tell
    the legal actions of standing games, packed or as masks, and what the seats see; redeal draws
    anew what a seat does not know; step takes decisions. play is whole random play, with masks and
    observations where the name says so. aec and aec-raw step env() and raw_env(), one game.

    Rates are of games or decisions a second: the median of five runs, and how far the runs lay
    apart, as a share of it.
    """
    chosen = games_or_all(games, sets)
    whats = _names(what) or list(WHATS)
    batches = [_number(text) for text in _names(batch)] or list(BATCHES)
    rates = []
    with progress_bar("measurements", count(whats, batches) * len(chosen)) as advance:
        for game in chosen:
            for rate in measure(game, whats, batches, seconds, engine=engine, threads=threads):
                rates.append(rate)
                advance(1)
    host = machine()
    if as_json:
        print_json({"machine": host, "rows": [rate.as_json() for rate in rates]})
        return
    print(", ".join(f"{key}: {value}" for key, value in host.items()))
    for game in chosen:
        print(repr(game))
        print_table(
            ["what", "games at once", "rate", "unit", "spread"],
            [
                [
                    rate.what,
                    rate.batch,
                    f"{rate.per_second:,.0f}",
                    f"{_UNITS.get(rate.what, 'decisions')}/s",
                    f"{rate.spread:.0%}",
                ]
                for rate in rates
                if (rate.game, rate.config) == (game.id, game.options)
            ],
        )


def _names(texts: Sequence[str] | None) -> list[str]:
    """Split texts at commas."""
    return [name.strip() for text in texts or () for name in text.split(",")]


def _number(text: str) -> int:
    """Read a number of games."""
    if not text.isdecimal() or len(text) > 9:
        raise InvalidConfig(
            f"--batch {text!r}: numbers from 1 to {LARGEST} were expected, such as 1,1024"
        )
    return int(text)
