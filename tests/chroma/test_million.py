"""Random actions, legal and illegal mixed: every illegal one raises and changes nothing.

Tens of thousands of actions by default, a million with `CHROMAZOO_THOROUGH=1`.
"""

from itertools import count
from random import Random
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.errors import IllegalAction
from tests.chroma.agreement import own_wheel
from tests.chroma.thorough import THOROUGH

ACTIONS = 1_000_000 if THOROUGH else 40_000
GROUPS = 6  # the actions are shared out among as many tests
BATCH = 32
ROUNDS = 60  # of a game before the next one is set up
FAR = [-(2**63), -(2**31), -1, 2**31, 2**63 - 1]


def contents(state: ChromaState) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in state.arrays.items()}


def random_actions(game: Game, random: Random) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Actions from the whole range, those without a space more often, and some that are none."""
    last, card = game.num_actions - 1, game.blocks[0].size
    choices = [
        lambda: random.randint(0, last),
        lambda: random.randint(card, last),
        lambda: random.choice([*FAR, last + 1]),
    ]
    return np.array([random.choices(choices, [6, 3, 1])[0]() for _ in range(BATCH)], np.int64)


def refused(game: Game, state: ChromaState, actions: Any, row: int) -> None:
    """The batch is refused because of this row, with one clear line, and nothing has changed."""
    before = contents(state)
    with pytest.raises(IllegalAction) as caught:
        game.step(state, actions)
    assert contents(state) == before
    error = caught.value
    assert (error.row, error.seat, error.action) == (row, state.seat[row], actions[row])
    assert f"game {row}" in str(error)
    assert "\n" not in str(error)


def play_round(game: Game, state: ChromaState, random: Random) -> int:
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
    for number in count(group, GROUPS):
        wheel = ["tones", "narrow", "ring", own_wheel(random)][number % 4]
        game = Game(num_players=2 + number % 5, wheel=wheel, power_copies=(number // 5) % 5)
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
    game = Game()
    state = game.deal(np.arange(4))
    before = contents(state)
    with pytest.raises(ValueError, match="actions"):
        game.step(state, actions)
    assert contents(state) == before


def test_the_other_seats_cannot_act() -> None:
    """Nor can a seat that does not exist."""
    game = Game(num_players=4, first_player=0)
    state = game.deal(np.arange(4))
    before = contents(state)
    legal = [int(np.flatnonzero(mask)[0]) for mask in game.action_mask(state)]
    for seat in (1, 2, 3):
        with pytest.raises(IllegalAction, match=f"game 2: seat {seat}"):
            game.step(state, legal, seats=np.array([0, 0, seat, 0]))
        assert not game.action_mask(state, np.full(4, seat)).any()
    for seat in (-1, 4):
        with pytest.raises(ValueError, match="seats"):
            game.step(state, legal, seats=np.array([0, 0, seat, 0]))
    assert contents(state) == before
