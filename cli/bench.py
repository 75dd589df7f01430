"""`chromazoo bench`: measure how fast the games run."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from chromazoo.benchmarks.comparison import Comparison, Report, compare, read_report
from chromazoo.benchmarks.machine import machine
from chromazoo.benchmarks.single_game import FACES
from chromazoo.benchmarks.throughput import (
    BATCHES,
    LARGEST,
    RUNS,
    SECONDS,
    SUITE,
    WHATS,
    Key,
    Rate,
    config_text,
    measure,
    plan,
)
from chromazoo.cli.compiling import tell_of_compiling
from chromazoo.cli.options import (
    AsJson,
    Sets,
    checked_picture,
    counted,
    filled,
    games_or_all,
    needing,
    print_json,
    print_table,
)
from chromazoo.cli.progress import progress_bar
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.game import ENGINES, Game
from chromazoo.envs.registry import make_game
from chromazoo.envs.titles import game_title

EXAMPLES = (
    "chromazoo bench kroma",
    "chromazoo bench kroma --what play --batch 1,4096 --seconds 5 --json",
    "chromazoo bench chroma --set num_players=4 --threads 2 --what play,step",
    "chromazoo bench kroma --engine numpy,compiled --what play,step --plot engines.png",
    "chromazoo bench kroma guardians --what play,play+mask --plot throughput.png",
    "chromazoo bench --suite --json > before.json",
    "chromazoo bench --suite --compare before.json --fail-on-slower",
)

Panel = tuple[str, str]
Draw = Callable[[Sequence[Rate], dict[Panel, str], dict[str, Any], Path], None]


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
            help="How long a measurement lasts, about. A game has some 70 of them, which takes a "
            "minute by default; fewer with --what or --batch.",
        ),
    ] = SECONDS,
    what: Annotated[
        list[str] | None,
        typer.Option("--what", metavar="NAME,...", help=f"Only some of {', '.join(WHATS)}."),
    ] = None,
    suite: Annotated[
        bool,
        typer.Option(
            "--suite", help="Measure the main configurations of each game, not the default alone."
        ),
    ] = False,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME,...",
            help=f"Of {', '.join(ENGINES)}. Without GAME, only the games that have them.",
        ),
    ] = ENGINES[0],
    threads: Annotated[
        int,
        typer.Option(
            "--threads",
            help="On how many threads a batch is shared out; no more than it has games. They pay "
            "with the compiled engine and thousands of games; numpy's wait for each other.",
        ),
    ] = 1,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot", metavar="FILE.png", callback=filled, help="Draw the rates over the batch."
        ),
    ] = None,
    earlier: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="FILE",
            callback=filled,
            help="What --json printed earlier: tell what is slower or faster now.",
        ),
    ] = None,
    fail_on_slower: Annotated[
        bool, typer.Option("--fail-on-slower", help="Exit with 1 if --compare finds slower rates.")
    ] = False,
    sets: Sets = None,
    as_json: AsJson = False,
) -> int:
    """Measure how fast the games run.

    What is measured, on games at every stage: deal makes new games; legal, mask and observe tell
    the legal actions of standing games, packed or as masks, and what the seats see; redeal draws
    anew what a seat does not know; step takes decisions. play is whole random play, new games
    included, with masks and observations where the name says so; play in step has all games at
    the same stage, where all are of one length.

    Rates are of games or decisions a second: the median of five runs, after warming up, and how
    far the runs lay apart, as a share of it. Runs go round: all rates of a game once, then all
    once more, so that a machine that is slow for a while slows no rate alone. With --threads each
    thread plays its share of the batch; a rate is what all did from their common start until the
    last was done. The bytes of a state, a game, stand above each table (bytes_per_game in JSON).

    aec and aec-raw are step and last together of env() and raw_env(), one game at a time, on one
    thread, in whole games without reset and choosing: the mean, the 99th percentile, and the
    numpy calls of a decision. Those are calls of numpy's functions and array methods, operators
    and subscripts on arrays in the source of Chromazoo, PettingZoo and Gymnasium, counted in a game
    that is not timed.

    Compare rates of one machine only, and as far as can be of one run: others that use the machine
    slow it down. --compare therefore tells the median of all ratios, new to old, which shows how
    the machine as a whole has changed, and beside each ratio that ratio over the median. A rate is
    slower or faster if its ratio leaves 1 by more than the noise: half the sum of both spreads,
    5 % at least.

    All games take some three minutes, --suite seven.
    """
    chosen = _chosen(games, sets, suite, engine)
    whats = _names(what) or list(WHATS)
    batches = [_number(text) for text in _names(batch)] or list(BATCHES)
    keys = [key for game in chosen for key in plan(game, whats, batches, threads)]
    if not keys:
        raise InvalidConfig(f"{', '.join(whats)}: only where all games are of one length")
    report = _earlier(earlier, keys)
    if fail_on_slower and report is None:
        raise InvalidConfig("--fail-on-slower needs --compare FILE")
    draw = _drawing(plot)
    rates: list[Rate] = []
    with progress_bar("runs", RUNS * len(keys)) as advance:
        for game in chosen:
            rates += measure(game, whats, batches, seconds, threads=threads, progress=advance)
    host = machine()
    comparison = None if report is None else compare(report, rates)
    if as_json:
        found = {"machine": host, "rows": [rate.as_json() for rate in rates]}
        if comparison is not None:
            found["comparison"] = comparison.as_json()
        print_json(found)
    else:
        print(", ".join(f"{key}: {value}" for key, value in host.items()))
        for game in chosen:
            _print_rates(game, [rate for rate in rates if _is_of(rate, game)])
        if comparison is not None:
            _print_comparison(comparison, chosen, host)
    if draw is not None and plot is not None:
        draw(rates, {_panel(game): _title(game) for game in chosen}, host, Path(plot))
    return int(fail_on_slower and comparison is not None and comparison.count("slower") > 0)


def _chosen(
    names: Sequence[str] | None, sets: Sequence[str] | None, suite: bool, engine: str
) -> list[Game[Any]]:
    """Configure the games that are measured."""
    engines = _names([engine])
    if "compiled" in engines:
        tell_of_compiling()
    if suite and sets:
        raise InvalidConfig("--suite has configurations of its own: leave out --set")
    chosen = [
        make_game(game.id, engine=name, **options)
        for game in games_or_all(names, sets)
        for options in (SUITE.get(game.id, [{}]) if suite else [game.options])
        for name in engines
        if names or name != "compiled" or game.compiled
    ]
    if not chosen:
        raise InvalidConfig("no game that has these options has a compiled engine")
    return chosen


def _names(texts: Sequence[str] | None) -> list[str]:
    """Split texts at commas, each name once."""
    return list(dict.fromkeys(name.strip() for text in texts or () for name in text.split(",")))


def _number(text: str) -> int:
    """Read a number of games."""
    if not text.isdecimal() or len(text) > 9:
        raise InvalidConfig(
            f"--batch {text!r}: numbers from 1 to {LARGEST} were expected, such as 1,1024"
        )
    return int(text)


def _earlier(path: str | None, keys: Sequence[Key]) -> Report | None:
    """Read the run to compare with, which must share a measurement with this one."""
    report = None if path is None else read_report(path)
    if report is not None and not report.rates.keys() & {*keys}:
        raise InvalidConfig(f"{path}: holds nothing that is measured now")
    return report


def _drawing(path: str | None) -> Draw | None:
    """Import what draws, before anything is measured; the base install lacks it."""
    if path is None:
        return None
    checked_picture(path, "rates.png")
    with needing("plots need"):
        from chromazoo.benchmarks.throughput_plot import draw_throughput
    return draw_throughput


def _title(game: Game[Any]) -> str:
    """Name a game with its options."""
    title = game_title(game)
    return title if title != game.id else f"{title} (default options)"


def _panel(game: Game[Any]) -> Panel:
    """Return what the rates of a config have in common, whatever the engine."""
    return game.id, config_text(game.options)


def _is_of(rate: Rate, game: Game[Any]) -> bool:
    """Tell whether a rate is of a game in its config, on its engine."""
    return rate.key[:3] == (*_panel(game), game.engine)


def _print_rates(game: Game[Any], own: Sequence[Rate]) -> None:
    """Print the rates of one game in one config."""
    if not own:
        return
    threads = max(rate.threads for rate in own)
    print(
        f"{_title(game)}: {own[0].engine}, {counted(threads, 'thread')}, "
        f"{own[0].bytes_per_game:,.0f} bytes a game"
    )
    batched = [rate for rate in own if rate.what not in FACES]
    if batched:
        print_table(
            ["what", "games at once", "rate", "unit", "spread"],
            [
                [rate.what, rate.batch, f"{rate.per_second:,.0f}", f"{rate.unit}/s", _share(rate)]
                for rate in batched
            ],
        )
    single = [rate for rate in own if rate.what in FACES]
    if single:
        print_table(
            ["one game", "rate", "unit", "spread", "mean µs", "99 % µs", "numpy calls"],
            [
                [
                    rate.what,
                    f"{rate.per_second:,.0f}",
                    f"{rate.unit}/s",
                    _share(rate),
                    f"{rate.microseconds:,.0f}",
                    f"{rate.p99_microseconds:,.0f}",
                    f"{rate.numpy_calls:,.0f}",
                ]
                for rate in single
            ],
        )


def _share(rate: Rate) -> str:
    """Write the spread of a rate."""
    return f"{rate.spread:.0%}"


def _print_comparison(
    comparison: Comparison, games: Sequence[Game[Any]], host: dict[str, Any]
) -> None:
    """Print what has changed since an earlier run."""
    print("Compared with the earlier run:")
    for name, value in host.items():
        if comparison.machine.get(name) != value:
            print(f"{name}: {comparison.machine.get(name)} before, {value} now")
    for game in games:
        own = [change for change in comparison.changes if _is_of(change.rate, game)]
        if own:
            print(f"{_title(game)}: {game.engine}")
            print_table(
                ["what", "batch", "before", "now", "ratio", "of median", "noise", ""],
                [
                    [
                        change.rate.what,
                        change.rate.batch,
                        f"{change.before:,.0f}",
                        f"{change.rate.per_second:,.0f}",
                        f"{change.ratio:.2f}",
                        f"{change.ratio / comparison.ratio:.2f}",
                        f"{change.noise:.0%}",
                        "" if change.verdict == "same" else change.verdict,
                    ]
                    for change in own
                ],
            )
    print(
        f"{counted(len(comparison.changes), 'rate')}: {comparison.count('slower')} slower, "
        f"{comparison.count('faster')} faster beyond noise; median ratio {comparison.ratio:.2f}"
    )
    if comparison.unmatched:
        print(
            f"{counted(comparison.unmatched, 'rate')} without a counterpart in the earlier run "
            "(another config, engine, batch or number of threads) not compared"
        )
