"""Records of random play, for the tests of records."""

import json
from typing import Any

import numpy as np

from chromazoo.agents.agent import RandomAgent
from chromazoo.agents.match import Outcome, play_games
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import as_seeds, mix
from chromazoo.envs.records import GameRecorder


def sample(
    game: Game[Any], games: int, batch: int = 1024, max_plies: int | None = None
) -> tuple[list[str], Outcome, GameRecorder]:
    """Record games of random play."""
    lines: list[str] = []
    recorder = GameRecorder(game, lines.append)
    seeds = mix(as_seeds(9), np.arange(games, dtype=np.uint64))
    agents = [RandomAgent()] * game.num_seats
    outcome = play_games(game, agents, seeds, batch=batch, max_plies=max_plies, recorder=recorder)
    return lines, outcome, recorder


def good(game: Game[Any], games: int = 40, max_plies: int | None = 300) -> dict[str, Any]:
    """The longest of some records, as JSON."""
    lines, _, _ = sample(game, games, max_plies=max_plies)
    record: dict[str, Any] = json.loads(max(lines, key=len))
    return record
