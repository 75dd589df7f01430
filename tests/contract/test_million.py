"""Random actions, legal and illegal mixed: every illegal one raises and changes nothing.

Fifty thousand actions of each game by default, a million with `CHROMAZOO_THOROUGH=1`.
"""

from itertools import count
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.envs.errors import IllegalAction
from chromazoo.envs.fields import block_slices
from chromazoo.envs.randomness import Stream
from chromazoo.envs.state import State
from tests.contract.play import AnyGame, content, pick_seats, play, player_stream
from tests.games import VARIANTS
from tests.thorough import THOROUGH

ACTIONS = 1_000_000 if THOROUGH else 50_000
GROUPS = 6  # the actions are shared out among as many tests
BATCH = 32
ROUNDS = 20  # with one variant before the next one
SKIPPED = [0, 20, 60, 100]  # plies played before the rounds, so that they are of all stages
FAR = [-(2**63), -(2**31), -1, 2**31, 2**63 - 1]


def random_actions(game: AnyGame, random: Random) -> NDArray[np.int64]:
    """Actions from the whole range, from its small blocks as often, and some that are none."""
    blocks = list(block_slices(game.blocks).values())

    def draw() -> int:
        if random.random() < 0.1:
            return random.choice([*FAR, game.num_actions])
        block = slice(0, game.num_actions) if random.random() < 0.6 else random.choice(blocks)
        return random.randrange(block.start, block.stop)

    return np.array([draw() for _ in range(BATCH)], np.int64)


def refused(game: AnyGame, state: State, seats: Any, actions: Any, row: int) -> None:
    """The batch is refused because of this row, with one clear line, and nothing has changed."""
    before = content(state)
    with pytest.raises(IllegalAction) as caught:
        game.step(state, actions, seats)
    assert content(state) == before
    error = caught.value
    mover = state.seat if seats is None else seats
    assert (error.row, error.seat, error.action) == (row, mover[row], actions[row])
    assert f"game {row}" in str(error)
    assert "\n" not in str(error)


def play_round(game: AnyGame, state: State, stream: Stream, random: Random) -> int:
    """Try one random action in every game, then take those that are legal; return their number.

    The illegal ones are tried one by one, with legal actions in all other games, and together.
    """
    seats = pick_seats(state, stream) if game.simultaneous else None
    mask = game.action_mask(state, seats)
    choices = game.packing.pick(game.legal(state, seats), stream)  # -1 where the game is over
    fair = np.array([random.random() < 0.3 for _ in range(BATCH)])
    tried = np.where(fair, choices, random_actions(game, random))
    inside = (tried >= 0) & (tried < game.num_actions)
    legal = mask[np.arange(BATCH), np.where(inside, tried, 0)] & inside
    wrong = np.flatnonzero(~legal & ~state.over)
    mended = np.where(legal | state.over, tried, choices)
    if len(wrong):
        refused(game, state, seats, tried, int(wrong[0]))
    for row in wrong.tolist():
        actions = mended.copy()
        actions[row] = tried[row]
        refused(game, state, seats, actions, row)
    plies, over = state.plies.copy(), state.over.copy()
    game.step(state, mended, seats)
    assert np.array_equal(state.plies, plies + ~over)
    return int(np.count_nonzero(~over))


@pytest.mark.parametrize("group", range(GROUPS))
@pytest.mark.parametrize("name", VARIANTS)
def test_random_actions(name: str, group: int) -> None:
    random = Random(group)
    tried = 0
    for number in count(group, GROUPS):
        game = VARIANTS[name](number, random)
        seeds = np.array([random.getrandbits(64) for _ in range(BATCH)], np.uint64)
        state, stream = game.deal(seeds), player_stream(seeds)
        for _ in play(game, state, stream, random.choice(SKIPPED)):
            pass
        for _ in range(ROUNDS):
            tried += play_round(game, state, stream, random)
            if state.over.all():
                break
        if tried >= ACTIONS / GROUPS:
            return
