"""Our games by the same measure: the engine as `chromazoo bench` times it, and the AEC face."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chromazoo.benchmarks.peers import pettingzoo
from chromazoo.benchmarks.peers.play import WITH, WITHOUT, Found, Tally, measured, shape_text
from chromazoo.benchmarks.throughput import measure
from chromazoo.envs import chroma_v0, guardians_v0, kroma_v0
from chromazoo.envs.aec import make_env
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import agent_stream, as_seeds

_GAMES = 64  # whole games, of which choices and plies are counted
_PLIES = 2000  # none is longer


def rules(name: str, engine: str = "numpy") -> Game[Any]:
    """Make the rules of a game that is set beside others."""
    if name == "kroma":
        return kroma_v0.Game(engine=engine)
    if name == "chroma":
        return chroma_v0.Game(engine=engine, num_players=2)
    return guardians_v0.Game(engine=engine, num_players=2)


def run(game: str, batches: Sequence[int], seconds: float, engine: str = "numpy") -> Found:
    """Measure the engine of a game, such as `kroma`, or its AEC face, such as `kroma-aec`."""
    made = rules(game.removesuffix("-aec"), engine)
    if not game.endswith("-aec"):
        return _engine(made, batches, seconds)
    return measured(lambda *_: pettingzoo.peer(make_env(made)), game, batches, seconds)


def _engine(game: Game[Any], batches: Sequence[int], seconds: float) -> Found:
    """Measure an engine as `play.measured` measures others: the best batch with observations."""
    tally = whole_games(game)
    rates = list(measure(game, (WITHOUT, WITH), batches, seconds))
    best = max((rate for rate in rates if rate.what == WITH), key=lambda rate: rate.per_second)
    shown = [rate for rate in rates if rate.batch == best.batch]
    return Found(
        batch=best.batch,
        per_second={rate.what: rate.per_second for rate in shown},
        spread={rate.what: rate.spread for rate in shown},
        actions=game.num_actions,
        choices=tally.choices / tally.decisions,
        plies=tally.decisions / tally.games,
        observation=shape_text((game.num_features,), "uint8"),
    )


def whole_games(game: Game[Any]) -> Tally:
    """Play some games from deal to end, at random."""
    seeds = as_seeds(range(_GAMES))
    state, stream = game.deal(seeds), agent_stream(seeds, 0)
    decisions = choices = 0
    for _ in range(_PLIES):
        if state.over.all():
            break
        legal = game.legal(state)
        decisions += int(np.count_nonzero(~state.over))
        choices += int(game.packing.count(legal)[~state.over].sum())
        game.step(state, game.packing.pick(legal, stream))
    return Tally(decisions, choices, int(np.count_nonzero(state.over)))
