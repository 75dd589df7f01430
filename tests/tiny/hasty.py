"""The tiny game, with games that end before they begin."""

from typing import Any

import numpy as np

from chromazoo.envs.randomness import as_seeds
from tests.tiny.game import Game as TinyGame
from tests.tiny.game import TinyState


class HastyGame(TinyGame):
    """Tiny, but half of the games are over as soon as they are dealt."""

    def deal(self, seeds: Any) -> TinyState:
        state = super().deal(seeds)
        over = np.flatnonzero(as_seeds(seeds) % 2 == 0)
        state.over[over], state.pending[over] = True, False
        return state
