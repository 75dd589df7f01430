"""`python -m chromazoo.benchmarks.arena_honesty`: are the intervals of the arena honest?

Random agents that meet random agents score 1/N, so of many 95% intervals some 95 in 100 hold it.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from math import sqrt
from typing import Any

from chromazoo.agents.agent import RandomAgent
from chromazoo.benchmarks.arena import Results, Tournament
from chromazoo.benchmarks.arena_scores import estimate_scores
from chromazoo.envs.game import Game
from chromazoo.envs.registry import make_game

SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "Kroma baby": ("kroma", {"size": "baby"}),
    "CHROMA": ("chroma", {}),
    "Guardians duel": ("guardians", {}),
}


def count_honest(
    game: Game[Any],
    repetitions: int,
    games: int,
) -> int:
    """Count in how many tournaments of random agents the interval holds the truth.

    Args:
        game: The rules.
        repetitions: How many tournaments, with seeds 0, 1, ...
        games: Of how many games each.

    Returns:
        How many intervals of the first entrant's score hold 1/N.
    """
    held = 0
    for seed in range(repetitions):
        tournament = Tournament.make(game, ["random"] * game.num_seats, games, seed)
        results = Results.joined([*tournament.play({"random": RandomAgent()})])
        score, _ = estimate_scores(tournament, results)
        held += bool(score.low[0] <= 1 / game.num_seats <= score.high[0])
    return held


def main(arguments: Sequence[str] | None = None) -> int:
    """Count and print.

    Args:
        arguments: Those of the command line, if not given.

    Returns:
        The exit status: 0; 1 if a count is further from 95% than three standard deviations.
    """
    parser = argparse.ArgumentParser(
        prog="python -m chromazoo.benchmarks.arena_honesty",
        description="Count how many 95%% intervals of random agents' scores hold the truth.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repetitions", type=int, default=200, metavar="N", help="(default: 200)")
    parser.add_argument("--games", type=int, default=400, metavar="N", help="(default: 400)")
    options = parser.parse_args(arguments)
    if min(options.repetitions, options.games) < 1:
        parser.error("--repetitions and --games: at least 1")
    rows = []
    for name, (game_id, config) in SETTINGS.items():
        print(name, file=sys.stderr, flush=True)
        game = make_game(game_id, **config)
        held = count_honest(game, options.repetitions, options.games)
        rows.append({"setting": name, "held": held, "of": options.repetitions})
    if options.json:
        print(json.dumps({"games": options.games, "rows": rows}))
    else:
        for row in rows:
            print(f"{row['setting']}: {row['held']} of {row['of']} intervals hold 50%")
    spread = 3 * sqrt(0.95 * 0.05 * options.repetitions)
    return int(any(abs(row["held"] - 0.95 * row["of"]) > spread for row in rows))


if __name__ == "__main__":
    sys.exit(main())
