"""No face shows a seat anything that it may not know, at any ply."""

from functools import partial

import numpy as np
import pytest

from chromazoo.envs.aec import AECFace
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.vector import VectorFace
from tests.contract.play import history, player_stream
from tests.faces import checkers
from tests.games import EXAMPLES

GAMES = ["tiny", "tiny-biggest", "basic-flipped", "kroma-random", "chroma", "chroma-3", "chroma-6"]
SEEDS = np.arange(90, 98)
AEC, PARALLEL, VECTOR = (
    partial(face, render_mode="ansi") for face in (AECFace, ParallelFace, VectorFace)
)


@pytest.mark.parametrize("name", GAMES)
def test_what_a_seat_cannot_know_changes_nothing_it_is_shown(name: str) -> None:
    game = EXAMPLES[name]
    states = history(game, game.deal(SEEDS), player_stream(SEEDS), longest=25)
    for ply, batch in enumerate(states):
        state = batch.take([ply % len(SEEDS)])
        checkers.check_hidden_aec(AEC, game, state)
        checkers.check_hidden_vector(VECTOR, game, state)
        if game.simultaneous:
            checkers.check_hidden_parallel(PARALLEL, game, state)


@pytest.mark.parametrize("name", [name for name in GAMES if EXAMPLES[name].simultaneous])
def test_sealed_choices_stay_sealed_until_they_are_revealed(name: str) -> None:
    game = EXAMPLES[name]
    checked = 0
    seeds = np.arange(40)
    for batch in history(game, game.deal(seeds), player_stream(seeds)):
        for row in np.flatnonzero(batch.pending.all(axis=1))[:2]:
            checkers.check_sealed(AEC, VECTOR, game, batch.take([row]))
            checked += 1
    assert checked > 4
