"""Packed legal sets against plain Python sets."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chromazoo.envs.masks import Packing, kth_bit
from chromazoo.envs.randomness import as_seeds, mix
from chromazoo.envs.state import games_last

WORDS = st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2**63, 2**64 - 1])


@st.composite
def packings(draw: Any) -> Packing:
    """Draw a layout of up to five words with gaps, its actions in any order."""
    places = draw(st.lists(st.integers(0, 5 * 64 - 1), min_size=1, max_size=320, unique=True))
    where = np.array(places)
    return Packing(where // 64, where % 64)


def random_masks(packing: Packing, games: int, seed: int) -> NDArray[np.bool_]:
    """Draw masks from empty to full."""
    rng = np.random.default_rng(seed)
    dense = np.linspace(0, 1, games)[:, None]
    mask: NDArray[np.bool_] = rng.random((games, packing.num_actions)) < dense
    return mask


def in_order(packing: Packing, row: NDArray[np.bool_]) -> list[int]:
    """List the legal actions of one mask in the order of words and bits."""
    place = packing.word * 64 + packing.bit
    return sorted(np.flatnonzero(row).tolist(), key=lambda action: int(place[action]))


@given(WORDS.filter(bool))
def test_kth_bit(word: int) -> None:
    bits = [bit for bit in range(64) if word >> bit & 1]
    words = np.full(len(bits), word, np.uint64)
    found = kth_bit(words, np.arange(len(bits)))
    assert found.tolist() == bits
    assert found.dtype == np.uint8
    assert words.tolist() == [word] * len(bits)


@given(packings(), st.integers(0, 1000))
def test_operations_agree_with_sets(packing: Packing, seed: int) -> None:
    mask = random_masks(packing, 6, seed)
    words = packing.pack(mask)
    assert words.shape == (6, packing.num_words)
    assert words.dtype == np.uint64
    lists = [in_order(packing, row) for row in mask]
    counts = [len(found) for found in lists]
    for same in (words, games_last(words.T)):  # either order in memory
        assert np.array_equal(packing.unpack(same), mask)
        assert packing.count(same).tolist() == counts
        for k in {0, 1, *counts, max(counts) + 1, 70_000}:
            expected = [found[k] if k < len(found) else -1 for found in lists]
            assert packing.select(same, np.full(6, k)).tolist() == expected
        games, actions = packing.listed(same)
        assert list(zip(games.tolist(), actions.tolist(), strict=True)) == [
            (game, action) for game, found in enumerate(lists) for action in found
        ]
        for action in {0, packing.num_actions // 2, packing.num_actions - 1}:
            assert np.array_equal(packing.contains(same, np.full(6, action)), mask[:, action])
        for action in (-1, packing.num_actions, 2**40, -(2**40)):
            assert not packing.contains(same, np.full(6, action)).any()
        picked = packing.pick(same, mix(as_seeds(seed), np.arange(6, dtype=np.uint64)))
        for found, action in zip(lists, picked.tolist(), strict=True):
            assert action in found or (not found and action == -1)


@given(packings(), st.integers(0, 1000))
def test_many_games_choose_as_few_do(packing: Packing, seed: int) -> None:
    """They count in another way."""
    words = packing.pack(random_masks(packing, 150, seed))
    stream = mix(as_seeds(seed), np.arange(150, dtype=np.uint64))
    few = stream.copy()
    parts = [slice(first, first + 30) for first in range(0, 150, 30)]
    by_few = np.concatenate([packing.pick(words[part], few[part]) for part in parts])
    assert packing.pick(words, stream).tolist() == by_few.tolist()
    assert stream.tolist() == few.tolist()
    last = packing.count(words) - 1
    by_few = np.concatenate([packing.select(words[part], last[part]) for part in parts])
    assert packing.select(words, last).tolist() == by_few.tolist()


@given(packings())
def test_words_without_actions_are_empty(packing: Packing) -> None:
    full = packing.pack(np.ones((1, packing.num_actions), np.bool_))
    assert int(packing.count(full)[0]) == packing.num_actions
    unused = packing.action.reshape(-1, 64) < 0
    bits = np.unpackbits(full.view(np.uint8), bitorder="little").reshape(-1, 64)
    assert not bits[unused].any()
    assert packing.action[packing.word * 64 + packing.bit].tolist() == [*range(packing.num_actions)]


def test_more_actions_than_are_counted_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 65535 actions"):
        Packing.dense(2**16)


@pytest.mark.parametrize("num_actions", [10, 70])
def test_words_may_be_any_views(num_actions: int) -> None:
    packing = Packing.dense(num_actions)
    mask = np.arange(6 * num_actions).reshape(6, -1) % 3 == 0
    words = packing.pack(mask)
    for view in (np.s_[::2], np.s_[::-1]):
        some = packing.select(words[view], np.full(len(words[view]), 2))
        assert some.tolist() == [int(row.nonzero()[0][2]) for row in mask[view]]


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i4", "u4", "i8", "u8"])
def test_select_takes_any_integers(dtype: str) -> None:
    packing = Packing.dense(70)
    words = packing.pack(np.arange(70)[None, :] % 23 == 0)
    chosen = [packing.select(words, np.array([k], dtype)).item() for k in (0, 1, 2, 3, 4, 100)]
    assert chosen == [0, 23, 46, 69, -1, -1]


def test_select_of_a_negative_number_is_nothing() -> None:
    packing = Packing.dense(70)
    assert packing.select(packing.pack(np.ones((1, 70), np.bool_)), np.array([-1])).tolist() == [-1]


@pytest.mark.parametrize("num_actions", [1, 63, 64, 65, 128, 129, 5000, 20_000])
def test_dense_sizes(num_actions: int) -> None:
    packing = Packing.dense(num_actions)
    assert packing.num_words == -(-num_actions // 64)
    mask = random_masks(packing, 5, num_actions)
    words = packing.pack(mask)
    assert np.array_equal(packing.unpack(words), mask)
    assert np.array_equal(packing.count(words), mask.sum(axis=1))
    last = packing.select(words, packing.count(words) - 1)
    expected = [max(np.flatnonzero(row), default=-1) for row in mask]
    assert last.tolist() == expected


def test_pick_is_uniform_and_differs_by_stream() -> None:
    packing = Packing.dense(200)
    legal = [3, 64, 65, 127, 130, 199]
    mask = np.zeros((1, 200), np.bool_)
    mask[0, legal] = True
    words = np.repeat(packing.pack(mask), 60_000, axis=0)
    stream = mix(as_seeds(1), np.arange(60_000, dtype=np.uint64))
    before = stream.copy()
    picked, times = np.unique(packing.pick(words, stream), return_counts=True)
    assert picked.tolist() == legal
    assert np.abs(times - 10_000).max() < 500  # five standard deviations
    assert (stream != before).all()


def test_unpack_may_be_replaced() -> None:
    def instead(words: Any) -> Any:
        return words == 7

    packing = Packing(np.zeros(1, int), np.zeros(1, int), instead)
    words = np.full((600, 1), np.uint64(7))
    words[300] = 1
    out = np.zeros((600, 1), np.bool_)
    assert packing.unpack(words, out=out) is out
    assert out.tolist() == packing.unpack(words).tolist() == (words == 7).tolist()
    assert not Packing.dense(3).unpack(np.zeros((2, 1), np.uint64)).any()


@given(
    st.integers(400, 3000), st.integers(0, 40), st.sampled_from([0, 0.002, 0.01, 0.3]), st.data()
)
def test_few_legal_actions_are_unpacked_like_many(
    num_actions: int, games: int, dense: float, data: st.DataObject
) -> None:
    packing = Packing(np.arange(num_actions) // 60, np.arange(num_actions) % 60)
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    mask = rng.random((games, num_actions)) < dense
    words = packing.pack(mask)
    if games:  # a bit of no action says nothing
        words[data.draw(st.integers(0, games - 1)), 0] |= np.uint64(1 << 63)
    out = np.ones((games, num_actions), np.bool_)
    for same in (words, games_last(np.ascontiguousarray(words.T))):
        assert packing.unpack(same, out=out) is out
        assert np.array_equal(out, mask)
        assert np.array_equal(packing.unpack(same), mask)


def test_empty_batch() -> None:
    packing = Packing.dense(130)
    none = np.zeros((0, 3), np.uint64)
    assert packing.unpack(none).shape == (0, 130)
    assert packing.pack(np.zeros((0, 130), np.bool_)).shape == (0, 3)
    assert packing.count(none).shape == (0,)
    assert packing.select(none, np.zeros(0, np.int64)).shape == (0,)
    assert packing.pick(none, as_seeds([])).shape == (0,)
    assert packing.contains(none, np.zeros(0, np.int64)).shape == (0,)
    assert [part.shape for part in packing.listed(none)] == [(0,), (0,)]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("games", [1, 2, 3])
def test_actions_are_integers_of_any_kind(dtype: type[np.integer], games: int) -> None:
    packing = Packing.dense(70)
    words = packing.pack(np.arange(70) % 23 == np.zeros((games, 1)))
    found = [packing.contains(words, np.full(games, action, dtype)) for action in (46, 47, 100)]
    assert [part.tolist() for part in found] == [[True] * games, [False] * games, [False] * games]


@pytest.mark.parametrize(
    ("word", "bit"), [([0, 0], [5, 5]), ([0, 0], [0, 64]), ([0, 0], [-1, 0]), ([0, 1], [64, 0])]
)
def test_two_actions_never_share_a_bit(word: list[int], bit: list[int]) -> None:
    with pytest.raises(ValueError, match="bit of its own"):
        Packing(np.array(word), np.array(bit))
