"""`out`: arrays that callers bring are filled and returned, wrong ones refused."""

from typing import Any

import numpy as np
import pytest

from chromazoo.envs import game as rules
from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.fields import VIEWS
from chromazoo.envs.masks import Packing
from tests.contract.play import mixed
from tests.games import EXAMPLES, FAST

GAMES = {name: EXAMPLES[name] for name in ("tiny", "kroma", "chroma-4", "guardians", *FAST)}


@pytest.mark.parametrize("name", GAMES)
def test_every_entry_of_arrays_that_are_brought_is_written(name: str) -> None:
    game = GAMES[name]
    plain = type(EXAMPLES[name.removesuffix("-fast")])(**game.options)
    state = mixed(game, 300)
    assert state.over.any()
    assert len(np.unique(state.plies)) > 3
    twin = plain.adopt(state)
    for seats in (None, np.arange(300) % game.num_seats, np.arange(300)[::-1] // 2 % 2):
        due = plain.action_mask(twin, seats)
        for filling in (False, True):
            mask = np.full(due.shape, filling)
            assert game.action_mask(state, seats, out=mask) is mask
            assert np.array_equal(mask, due)
        for views in (VIEWS, VIEWS[:1], VIEWS[1:], VIEWS[::2], []):
            seen = plain.observe(twin, seats, views)
            for number in (0, 255):
                out = np.full(seen.shape, number, np.uint8)
                assert game.observe(state, seats, views, out=out) is out
                assert np.array_equal(out, seen)


@pytest.mark.parametrize("name", [name for name in GAMES if name not in FAST])
def test_large_batches_are_observed_in_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES[name]
    state, seats = mixed(game, 130), np.arange(130) % game.num_seats
    whole, asked = game.observe(state, seats), []
    observe = type(game)._observe
    monkeypatch.setattr(type(game), "_observed_whole", whole.nbytes - 1)
    monkeypatch.setattr(rules, "_PART", 50)
    monkeypatch.setattr(
        type(game),
        "_observe",
        lambda self, *given: asked.append(len(given[0])) or observe(self, *given),
    )
    assert np.array_equal(game.observe(state, seats), whole)
    assert asked == [50, 50, 30]


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
