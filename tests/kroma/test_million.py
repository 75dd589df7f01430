"""Random actions, legal and illegal mixed: every illegal one raises and changes nothing.

A hundred thousand actions by default, a million with `CHROMAZOO_THOROUGH=1`.
"""

from itertools import cycle
from random import Random
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.errors import IllegalAction
from chromazoo.envs.kroma.rules import Game, KromaState
from tests.kroma.reference import all_variants
from tests.kroma.thorough import THOROUGH

ACTIONS = 1_000_000 if THOROUGH else 100_000
GROUPS = 6  # the variants are shared out among as many tests
BATCH = 32
ROUNDS = 40  # of a game before the next one is set up
FAR = [-(2**63), -(2**31), -1, 2**31, 2**63 - 1]


def contents(state: KromaState) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in state.arrays.items()}


def random_actions(game: Game, random: Random) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Actions from the whole range, and some that are none."""
    last = game.num_actions - 1
    return np.array(
        [
            random.choice([*FAR, last + 1]) if random.random() < 0.1 else random.randint(0, last)
            for _ in range(BATCH)
        ],
        np.int64,
    )


def refused(game: Game, state: KromaState, actions: Any, row: int) -> None:
    """The batch is refused because of this row, with one clear line, and nothing has changed."""
    before = contents(state)
    with pytest.raises(IllegalAction) as caught:
        game.step(state, actions)
    assert contents(state) == before
    error = caught.value
    assert (error.row, error.seat, error.action) == (row, state.seat[row], actions[row])
    assert f"game {row}" in str(error)
    assert "\n" not in str(error)


def play_round(game: Game, state: KromaState, random: Random) -> int:
    """Try one random action in every game, then take those that are legal; return their number.

    The illegal ones are tried one by one, with legal actions in all other games, and together.
    """
    mask = game.action_mask(state)
    choices = np.array(
        [
            -1 if state.over[row] else random.choice(np.flatnonzero(mask[row]).tolist())
            for row in range(BATCH)
        ]
    )
    fair = np.array([random.random() < 0.3 for _ in range(BATCH)])
    tried = np.where(fair, choices, random_actions(game, random))
    inside = (tried >= 0) & (tried < game.num_actions)
    legal = mask[np.arange(BATCH), np.where(inside, tried, 0)] & inside
    wrong = np.flatnonzero(~legal & ~state.over)
    mended = np.where(legal | state.over, tried, choices)
    if len(wrong):
        refused(game, state, tried, int(wrong[0]))
    for row in wrong.tolist():
        actions = mended.copy()
        actions[row] = tried[row]
        refused(game, state, actions, row)
    plies, over = state.plies.copy(), state.over.copy()
    game.step(state, mended)
    assert np.array_equal(state.plies, plies + ~over)
    return int(np.count_nonzero(~over))


@pytest.mark.parametrize("group", range(GROUPS))
def test_random_actions(group: int) -> None:
    random = Random(group)
    tried = 0
    for variant in cycle(all_variants()[group::GROUPS]):
        limit = random.choice([0, 3, 20, 100])
        options = {"leap": random.random() < 0.5, "piece_rows": random.choice([1, 2])}
        game = Game(**variant, **options, no_capture_limit=limit)
        state = game.deal(np.array([random.getrandbits(64) for _ in range(BATCH)], np.uint64))
        for _ in range(ROUNDS):
            tried += play_round(game, state, random)
            if state.over.all():
                break
        if tried >= ACTIONS / GROUPS:
            return


@pytest.mark.parametrize(
    "actions", [[0.0] * 4, [0] * 3, [0] * 5, [[0]] * 4, 0, ["0"] * 4, [None] * 4]
)
def test_actions_of_the_wrong_kind(actions: Any) -> None:
    game = Game(size="baby")
    state = game.deal(np.arange(4))
    before = contents(state)
    with pytest.raises(ValueError, match="actions"):
        game.step(state, actions)
    assert contents(state) == before


def test_the_other_seat_cannot_act() -> None:
    """Nor can a seat that does not exist."""
    game = Game(size="basic", random=True)
    state = game.deal(np.arange(4))
    before = contents(state)
    legal = [int(np.flatnonzero(mask)[0]) for mask in game.action_mask(state)]
    with pytest.raises(IllegalAction, match="game 2: seat 1"):
        game.step(state, legal, seats=np.array([0, 0, 1, 0]))
    with pytest.raises(ValueError, match="seats"):
        game.step(state, legal, seats=np.array([0, 0, 2, 0]))
    assert contents(state) == before
    assert not game.action_mask(state, np.ones(4, np.int8)).any()


def test_recorded_chance_is_never_due() -> None:
    game = Game(size="basic", random=True)
    state = game.deal(np.arange(2))
    before = contents(state)
    legal = [int(np.flatnonzero(mask)[0]) for mask in game.action_mask(state)]
    with pytest.raises(ValueError, match="game 1"):
        game.step(state, legal, chance=[None, "a"])
    assert contents(state) == before
    game.step(state, legal, chance=[None, None])
