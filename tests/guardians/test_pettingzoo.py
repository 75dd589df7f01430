"""PettingZoo's own tests, and masked ones of the parallel face, at every table of Guardians.

PettingZoo's test of seeds for parallel environments samples without masks and stops after a step;
`tests/faces/checkers.py` has ours, which plays whole games.
"""

from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

from chromazoo.envs import guardians_v0
from chromazoo.envs.episodes import EpisodeSeeds
from chromazoo.envs.parallel import ParallelFace
from tests.faces import checkers
from tests.faces.faults import ParallelUnseeded
from tests.faults import fails
from tests.guardians.play import PLAYERS
from tests.guardians.test_faces import check_same_game

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{message}:UserWarning")
    for message in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be",
        "Action mask numpy array is all zeros",
    )
]

CYCLES = 250  # more than the longest game has decisions, 120
TABLES: list[dict[str, Any]] = [
    {"num_players": num_players, "duel": duel, "rounds": rounds}
    for num_players, duel in PLAYERS
    for rounds in (1, 3)
]


def table_name(options: dict[str, Any]) -> str:
    kind = "-duel" if options["duel"] else ""
    return f"{options['num_players']}{kind}-rounds-{options['rounds']}"


every_table = pytest.mark.parametrize("options", TABLES, ids=table_name)


def test_every_table_is_here() -> None:
    assert len({table_name(options) for options in TABLES}) == 10
    assert max(guardians_v0.Game(**options).fixed_length or 0 for options in TABLES) < CYCLES


@every_table
def test_api(options: dict[str, Any]) -> None:
    api_test(guardians_v0.env(**options), num_cycles=CYCLES)


@every_table
def test_seed(options: dict[str, Any]) -> None:
    seed_test(partial(guardians_v0.env, **options), num_cycles=CYCLES)


@every_table
def test_parallel_api(options: dict[str, Any]) -> None:
    parallel_api_test(guardians_v0.parallel_env(**options), num_cycles=CYCLES)


@every_table
@pytest.mark.parametrize("check", [checkers.check_parallel_seeds, checkers.check_parallel_forms])
def test_the_parallel_face_with_masks(check: Any, options: dict[str, Any]) -> None:
    check(partial(guardians_v0.parallel_env, **options), games=3)


@every_table
def test_both_faces_give_one_game_for_the_same_choices(options: dict[str, Any]) -> None:
    game = guardians_v0.Game(**options)

    def made(make: Any) -> Any:
        return lambda _game, max_plies: make(max_plies=max_plies, **options)

    check_same_game(made(guardians_v0.raw_env), made(guardians_v0.parallel_env), game)


class LaterRoundsUnseeded(ParallelFace):
    """Only the first round follows from the seed."""

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        told = super().reset(seed, options)
        state: Any = self._playing
        state.decks[:, 1:] = self.game.deal(EpisodeSeeds(1).following(np.arange(1))).decks[:, 1:]
        return told


@every_table
def test_an_environment_without_seeds_is_found(options: dict[str, Any]) -> None:
    game = guardians_v0.Game(**options)
    several = options["rounds"] > 1
    assert fails(partial(checkers.check_parallel_seeds, partial(ParallelUnseeded, game), 3))
    assert several == fails(
        partial(checkers.check_parallel_seeds, partial(LaterRoundsUnseeded, game), 3)
    )
