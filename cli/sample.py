"""`chromazoo sample`: write records of games that an agent plays against itself."""

import sys
from typing import Annotated

import numpy as np
import typer

from chromazoo.agents.agent import AGENTS
from chromazoo.agents.match import play_games, require_end
from chromazoo.cli.agents import load_agent
from chromazoo.cli.options import (
    Engine,
    GameName,
    MaxPlies,
    Seed,
    Sets,
    configured,
    naming_max_plies,
    note,
)
from chromazoo.cli.progress import progress_bar
from chromazoo.envs.game import ENGINES
from chromazoo.envs.randomness import as_seeds, mix
from chromazoo.envs.records import GameRecorder

EXAMPLES = (
    "chromazoo sample kroma --games 100 --seed 1 > games.jsonl",
    "chromazoo sample kroma --games 5 --seed 2 --set size=baby --agent heuristic",
    "chromazoo sample kroma --games 10000 --engine compiled > games.jsonl",
)

MOST_AT_ONCE = 2**16  # their records wait in memory until they end


def sample(
    game: GameName,
    games: Annotated[
        int, typer.Option("--games", min=1, max=1_000_000_000, help="How many games to play.")
    ] = 1,
    seed: Seed = 0,
    sets: Sets = None,
    agent: Annotated[
        str,
        typer.Option(
            "--agent",
            help=f"Who plays, at every seat: {AGENTS}.",
        ),
    ] = "random",
    max_plies: MaxPlies = None,
    batch: Annotated[
        int,
        typer.Option(
            "--batch",
            min=1,
            max=MOST_AT_ONCE,
            help="Games at once; changes no byte of the output.",
        ),
    ] = 1024,
    engine: Engine = ENGINES[0],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print records, as is done without it.")
    ] = False,
) -> None:
    """Write records of self-played games.

    They go to standard output, one JSON object a line. The same seed gives the same bytes. Games
    that --max-plies breaks off are not written; how many were left out is said on standard error.
    """
    configuration = configured(game, sets, engine)
    with naming_max_plies():
        require_end(configuration, max_plies)
    player = load_agent(agent, configuration)
    truncated = 0
    with progress_bar("games", games, shown=not sys.stdout.isatty()) as advance:
        for first in range(0, games, batch):  # so that nothing is as long as there are games
            numbers = np.arange(first, min(first + batch, games), dtype=np.uint64)
            seeds = mix(as_seeds(seed), numbers)
            recorder = GameRecorder(configuration, sys.stdout.write)
            play_games(
                configuration,
                [player] * configuration.num_seats,
                seeds,
                max_plies=max_plies,
                batch=batch,
                recorder=recorder,
                progress=advance,
            )
            truncated += recorder.truncated
    if truncated:
        note(f"chromazoo sample: {truncated} of {games} games were broken off and left out")
