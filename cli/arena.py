"""`chromazoo arena`: let agents play each other on duplicate deals, and rank them."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from chromazoo.agents.agent import AGENTS
from chromazoo.benchmarks.arena import BATCH, Results, Tournament, identity
from chromazoo.cli.agents import load_agent
from chromazoo.cli.options import (
    AsJson,
    Engine,
    GameName,
    MaxPlies,
    Seed,
    Sets,
    checked_picture,
    configured,
    counted,
    filled,
    naming_max_plies,
    needing,
    note,
    print_json,
    print_table,
)
from chromazoo.cli.progress import progress_bar
from chromazoo.envs.game import ENGINES
from chromazoo.envs.titles import game_title

EXAMPLES = (
    "chromazoo arena kroma random heuristic --set size=baby",
    "chromazoo arena kroma random heuristic ppo:runs/demo --games 4000 --json",
    "chromazoo arena chroma heuristic random random random --set num_players=4",
    "chromazoo arena guardians random heuristic mine:Agent --out runs/arena",
    "chromazoo arena kroma random random --set no_capture_limit=0 --max-plies 500",
)

INTERRUPTED = 130  # as shells report SIGINT


def arena(
    game: GameName,
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT AGENT...",
            help=f"Who plays: {AGENTS}. One named twice is two entrants.",
        ),
    ],
    games: Annotated[
        int,
        typer.Option(
            "--games",
            min=1,
            max=1_000_000_000,
            help="How many games each pair plays, or where a table has more than two seats, how "
            "many are played in all; rounded up to whole deals.",
        ),
    ] = 1000,
    seed: Seed = 0,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FOLDER",
            callback=filled,
            help="Keep the results here as they come in. The same command goes on where it was "
            "stopped, or with more --games.",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE.png", callback=filled, help="Draw the cross table."),
    ] = None,
    sets: Sets = None,
    max_plies: MaxPlies = None,
    batch: Annotated[
        int,
        typer.Option(
            "--batch",
            min=1,
            max=2**16,
            help="Games at once, and between two savings; changes no result.",
        ),
    ] = BATCH,
    engine: Engine = ENGINES[0],
    as_json: AsJson = False,
) -> int:
    """Let agents play each other, and rank them.

    Deals are duplicated: every pair, or at games of more seats every table, plays the same deals,
    each in all seatings. If there are fewer agents than seats, each sits several times. The score
    is the mean share of the win: 1 for a win, 1/k where k share it, 0 for a loss; a game that
    --max-plies breaks off is shared by all. In the cross table it is that of the agent of the row
    in games where that of the column sits, too. Elo is relative: its mean over the agents is 0,
    and 400 more is ten times the chance to win.

    The intervals, of 95%, come from resampling deals; where an agent had the same from every deal,
    they are Wilson's, or as wide. Where one side won every game, Elo has only a bound, shown as >
    or <.

    --out FOLDER gets arena.json, table.csv, games.csv and, where matplotlib is installed,
    table.png. An interruption shows what has been found so far, and loses at most the games of one
    batch.
    """
    played = configured(game, sets, engine)
    tools = _tools()
    drawn = [] if plot is None else [checked_picture(plot, "table.png")]
    if drawn:
        _drawing()  # before anything is played
    with naming_max_plies():
        tournament = Tournament.make(played, agents, games, seed, max_plies)
    players = {name: load_agent(name, played) for name in dict.fromkeys(agents)}
    folder = None
    if out is not None:
        folder = tools.results.Folder(Path(out), tournament, identity(tournament, players))
    found = [] if folder is None else folder.read()
    keep = found.append if folder is None else _keeper(found, folder.add)
    interrupted = _play(tournament, players, found, keep, batch)
    if not found:
        return INTERRUPTED
    report = tools.scores.summarise(tournament, Results.joined(found))
    if as_json:
        print_json(report.as_json())
    else:
        _print_report(report, tools.results)
    if folder is not None:
        folder.write_report(report)
        if drawn or find_spec("matplotlib") is not None:
            drawn = [folder.picture, *drawn]
        else:
            note(f"chromazoo arena: no {folder.picture}, as matplotlib is not installed")
    for path in drawn:
        _drawing().draw_table(report, game_title(played), path)
    return INTERRUPTED if interrupted else 0


class _Tools(NamedTuple):
    """The modules that need what the base install lacks."""

    scores: ModuleType
    results: ModuleType


def _tools() -> _Tools:
    """Import what rates, before anything is played."""
    with needing("the arena needs"):
        from chromazoo.benchmarks import arena_results, arena_scores
    return _Tools(arena_scores, arena_results)


def _drawing() -> ModuleType:
    """Import what draws."""
    with needing("pictures need"):
        from chromazoo.benchmarks import arena_plot
    return arena_plot


def _keeper(found: list[Results], write: Callable[[Results], None]) -> Callable[[Results], None]:
    """Keep results in the folder first."""

    def keep(results: Results) -> None:
        write(results)
        found.append(results)

    return keep


def _play(
    tournament: Tournament,
    players: dict[str, Any],
    found: Sequence[Results],
    keep: Callable[[Results], None],
    batch: int,
) -> bool:
    """Play what has not been played; tell whether it was interrupted."""
    first = found[-1].end if found else 0
    if first:
        before = first * tournament.games_of_a_deal
        note(f"chromazoo arena: going on after {counted(before, 'game')}")
    total = (tournament.deals - first) * tournament.games_of_a_deal
    try:
        with progress_bar("games", total) as advance:
            for results in tournament.play(players, first, batch, advance):
                keep(results)
    except KeyboardInterrupt:
        return True
    return False


def _print_report(report: Any, naming: ModuleType) -> None:
    """Print the ranking and the cross table, and what their names and signs stand for."""
    results, tournament = report.results, report.tournament
    whole = naming.labels(tournament.names)
    names = [naming.shortened(name) for name in whole]
    cut = int(results.truncated.sum())
    print(
        f"{game_title(tournament.game)}: {counted(results.plies.size, 'game')} on "
        f"{counted(results.end, 'deal')}"
        + (f", {cut} truncated" if cut else "")
        + ("" if results.end == tournament.deals else f" of {tournament.deals}: interrupted")
    )
    score = report.score
    ranking = np.lexsort((np.arange(len(names)), -score.mean))
    print_table(
        ["rank", "no.", "agent", "score in % (95% interval)", "Elo (95% interval)"],
        [
            [rank, row + 1, names[row], _shares(*(part[row] for part in score)), _elo(report, row)]
            for rank, row in enumerate(ranking, start=1)
        ],
    )
    print_table(
        ["score in % against", *(f"no. {column + 1}" for column in range(len(names)))],
        [
            [
                f"{row + 1} {names[row]}",
                *(
                    _shares(*(part[row, column] for part in report.table))
                    for column in range(len(names))
                ),
            ]
            for row in range(len(names))
        ],
    )
    for row, (short, name) in enumerate(zip(names, whole, strict=True), start=1):
        if short != name:
            print(f"no. {row}: {name}")
    if any(report.open_side(row) for row in range(len(names))):
        print(
            "Where one side won all, the games tell no more of Elo than a bound (> or <): the "
            "figure before it\nrests on half a win that each is taken to have had against each."
        )


def _shares(mean: float, low: float, high: float) -> str:
    """Write a score with its interval."""
    if np.isnan(mean):
        return ""
    return f"{100 * mean:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def _elo(report: Any, row: int) -> str:
    """Write a rating with its interval, or the bound that the games tell."""
    elo, low, high = (getattr(report.ratings, name)[row] for name in ("elo", "low", "high"))
    told = {
        None: f"{low:+.0f} to {high:+.0f}",
        "above": f"> {low:+.0f}",
        "below": f"< {high:+.0f}",
        "both": "no bound",
    }[report.open_side(row)]
    return f"{elo:+5.0f} ({told})"
