"""The plain rule for CHROMA, to measure others by: touch as many cards as you can."""

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents import Decision
from chromazoo.agents.choice import best
from chromazoo.envs.chroma.board import NEIGHBOURS, SPACES
from chromazoo.envs.chroma.rules import Game
from chromazoo.envs.randomness import uniform


class PlainRule:
    """Places where it touches most cards, evenly among equals; all other decisions are uniform."""

    name = "plain"
    wants_states = False

    def act(self, decision: Decision) -> NDArray[np.int64]:
        game, seen = decision.game, decision.observation
        assert isinstance(game, Game)
        layout = game.fields
        rows, actions = game.packing.listed(decision.legal)
        taken = layout.get(seen, "colours").any(axis=1) | (layout.get(seen, "wild") > 0)
        taken = np.pad(taken.reshape(-1, SPACES), ((0, 0), (0, 1)))  # (games, spaces + 1)
        touches = taken[rows, NEIGHBOURS[:, actions % SPACES]].sum(axis=0)
        card = actions < len(game.cards) * SPACES
        placing = card & (layout.get(seen, "phase")[rows, 0] > 0)
        return best(rows, actions, touches * placing * 1.0, uniform(decision.stream))
