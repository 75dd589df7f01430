"""`out`: arrays that callers bring are filled and returned, wrong ones refused."""

from typing import Any

import numpy as np
import pytest

from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.fields import VIEWS
from chromazoo.envs.masks import Packing
from tests.games import EXAMPLES, FAST

GAMES = {name: EXAMPLES[name] for name in ("tiny", "kroma", "chroma-4", "guardians", *FAST)}


@pytest.mark.parametrize("name", GAMES)
def test_the_same_is_written_to_arrays_that_are_brought(name: str) -> None:
    game = GAMES[name]
    state = game.deal(np.arange(300))
    seats = np.arange(300) % game.num_seats
    mask = np.ones((300, game.num_actions), np.bool_)
    assert game.action_mask(state, out=mask) is mask
    assert np.array_equal(mask, game.action_mask(state))
    assert game.action_mask(state, seats, out=mask) is mask
    assert np.array_equal(mask, game.action_mask(state, seats))
    for views in (VIEWS, VIEWS[:1], VIEWS[1:], []):
        due = game.observe(state, seats, views)
        seen = np.full(due.shape, 77, np.uint8)
        assert game.observe(state, seats, views, out=seen) is seen
        assert np.array_equal(seen, due)


@pytest.mark.parametrize("name", GAMES)
def test_wrong_arrays_are_refused(name: str) -> None:
    game = GAMES[name]
    state = game.deal(np.arange(4))
    for ask, size, dtype in (
        (game.action_mask, game.num_actions, np.bool_),
        (game.observe, game.num_features, np.uint8),
    ):
        right: np.ndarray[Any, Any] = np.zeros((4, size), dtype)
        frozen = right.copy()
        frozen.flags.writeable = False
        wrong: list[Any] = [
            right[:3],
            right[:, 1:],
            right[None],
            right.astype(np.int8),
            np.asfortranarray(right),
            np.zeros((8, size), dtype)[::2],
            frozen,
            right.tolist(),
        ]
        for out in wrong:
            refusal = (
                rf"^out: a writeable array of \w+ \(4, {size}\) in C order needed, not [^\n]+$"
            )
            with pytest.raises(InvalidArgument, match=refusal):
                ask(state, out=out)


def test_packings_write_to_arrays_that_are_brought() -> None:
    packing = Packing.dense(70)
    mask = np.arange(70 * 600).reshape(600, 70) % 7 < 3
    out = np.zeros_like(mask)
    assert packing.unpack(packing.pack(mask), out) is out
    assert np.array_equal(out, mask)
    with pytest.raises(InvalidArgument):
        packing.unpack(packing.pack(mask), out[1:])
