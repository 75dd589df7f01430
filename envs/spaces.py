"""The Gymnasium spaces of a game, and what a face shows in them.

Gymnasium and PettingZoo sample actions with masks of `int8`; engines speak of `bool`. Here they
meet.
"""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from chromazoo.envs.game import Game, S, Seats

Seen = dict[str, NDArray[Any]]
"""What a seat sees: `observation` uint8 (F,), laid out as `game.fields`, and `action_mask` int8
(A,), 1 where an action is legal, all 0 where the seat has nothing to decide. Of B games: (B, F) and
(B, A)."""


def observation_space(game: Game[Any]) -> Dict:
    """Make the space of what one seat sees: `observation` uint8 (F,), `action_mask` int8 (A,)."""
    return Dict(
        {
            "observation": Box(np.zeros_like(game.fields.high), game.fields.high, dtype=np.uint8),
            "action_mask": Box(0, 1, (game.num_actions,), np.int8),
        }
    )


def action_space(game: Game[Any]) -> Discrete:
    """Make the space of actions, 0 ... A - 1. Its `sample(mask)` takes an action mask."""
    return Discrete(game.num_actions)


def state_space(game: Game[Any]) -> Box:
    """Make the space of what all seats together know: uint8 (N * F,)."""
    high = np.tile(game.fields.high, game.num_seats)
    return Box(np.zeros_like(high), high, dtype=np.uint8)


def look(game: Game[S], state: S, seats: Seats, deciding: NDArray[np.bool_]) -> Seen:
    """Tell what a seat of each game sees.

    Args:
        game: The rules.
        state: B games.
        seats: (B,) who looks.
        deciding: bool (B,), where the seat may decide now; elsewhere its mask is all 0.

    Returns:
        Fresh arrays: `observation` uint8 (B, F) and `action_mask` int8 (B, A).
    """
    mask = game.action_mask(state, seats)
    mask[~deciding] = False
    return {"observation": game.observe(state, seats), "action_mask": mask.view(np.int8)}
