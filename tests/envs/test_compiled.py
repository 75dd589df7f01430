"""Words and their bits, in compiled code."""

import pickle
import sys
from importlib import import_module
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.errors import TypingError

from chromazoo.envs import compiled, compiled_vectors, randomness
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import as_seeds

NOT_ZERO = st.integers(1, 2**64 - 1)


def test_what_was_kept_for_other_sources_is_not_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "kept_for_later.py"
    source.write_text(
        "from chromazoo.envs.compiled import compiled\n"
        "@compiled\ndef more(number: int) -> int:\n    return number + 1\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert import_module("kept_for_later").more(1) == 2
    (index,) = tmp_path.rglob("*.nbi")
    index.write_bytes(pickle.dumps(numba.__version__) + b"cno_such_module\nno_such_type\n.")
    monkeypatch.delitem(sys.modules, "kept_for_later")
    assert import_module("kept_for_later").more(2) == 3


@compiled.compiled
def found(word: np.uint64) -> tuple[int, int, int]:
    return compiled.popcount(word), compiled.lowest(word), compiled.highest(word)


@given(NOT_ZERO)
def test_set_bits_are_counted_and_found(number: int) -> None:
    word = np.uint64(number)
    bits = [bit for bit in range(64) if number >> bit & 1]
    assert found(word) == (len(bits), bits[0], bits[-1])


@compiled.compiled
def both_found(word: np.uint64, k: int) -> tuple[int, int]:
    return compiled.kth_bit(word, k), compiled._find_by_halves(word, k)


@given(NOT_ZERO)
def test_every_set_bit_is_found_on_all_processors(number: int) -> None:
    bits = [bit for bit in range(64) if number >> bit & 1]
    for k, bit in enumerate(bits):
        assert both_found(np.uint64(number), k) == (bit, bit)


@compiled.compiled
def choose(words: Words, bits: np.uint64, chunks: compiled_vectors.Chunks) -> tuple[int, int, int]:
    return compiled_vectors.choose(words, bits, chunks)


@pytest.mark.parametrize("size", [8, 9, 16, 31, 32, 33, 53, 64, 97])
@pytest.mark.parametrize("share", [0.001, 0.05, 0.9, 1.0])
def test_bits_are_chosen_as_numpy_does(size: int, share: float) -> None:
    rng = np.random.default_rng(size)
    chunks = compiled_vectors.in_chunks(size)
    for _ in range(40):
        flags = rng.random((size, 64)) <= share
        if not flags.any():
            flags[rng.integers(size), rng.integers(64)] = True
        words = np.packbits(flags, axis=1, bitorder="little").view(np.uint64).ravel()
        guarded = np.concatenate([[~np.uint64(0)] * 8, words, [~np.uint64(0)] * 8])
        bits = int(rng.integers(0, 2**64, dtype=np.uint64))
        places = np.flatnonzero(flags)
        k = (bits >> 32) * len(places) >> 32
        word, left, total = choose(guarded[8:-8], np.uint64(bits), chunks)
        assert (word, total) == (places[k] // 64, len(places))
        assert left == flags[word, : places[k] % 64].sum()


@pytest.mark.parametrize("size", [8, 12, 53])
def test_nothing_is_chosen_of_nothing(size: int) -> None:
    chunks = compiled_vectors.in_chunks(size)
    assert choose(np.zeros(size, np.uint64), np.uint64(2**64 - 1), chunks)[2] == 0


@pytest.mark.parametrize("size", [0, 1, 7])
def test_too_few_words_to_choose_from_are_refused(size: int) -> None:
    with pytest.raises(TypingError, match=f"at least 8 words needed, not {size}"):
        choose(np.zeros(16, np.uint64), np.uint64(1), compiled_vectors.in_chunks(size))


@compiled.compiled
def flagged(row: compiled.Octets, start: int, word: np.uint64, count: int) -> None:
    compiled_vectors.write_bits(row, start, word, count)


@given(st.integers(0, 2**64 - 1), st.integers(0, 64), st.integers(0, 5))
def test_words_are_written_as_flags(number: int, count: int, start: int) -> None:
    row = np.full(75, 7, np.uint8)
    flagged(row, start, np.uint64(number), count)
    flags = [number >> place & 1 for place in range(count)]
    assert row.tolist() == [7] * start + flags + [7] * (75 - start - count)


find_50, find_32, find_64 = (compiled_vectors.finding(count) for count in (50, 32, 64))


@compiled.compiled
def places(row: compiled.Octets, value: int) -> tuple[np.uint64, np.uint64, np.uint64]:
    return find_32(row, value), find_50(row, value), find_64(row, value)


@given(st.lists(st.sampled_from([0, 1, 7, 127, 128, 255]), min_size=64, max_size=64))
def test_bytes_are_found_in_a_row(row: list[int]) -> None:
    for value in (1, 255):
        wanted = [sum((row[n] == value) << n for n in range(count)) for count in (32, 50, 64)]
        assert list(map(int, places(np.array(row, np.uint8), value))) == wanted


@given(st.lists(st.integers(0, 2**64 - 1), max_size=6), st.sampled_from([0, 1, 2, 50, 64, 105]))
def test_orders_are_those_of_numpy(seeds: list[int], size: int) -> None:
    streams = [as_seeds(seeds) for _ in range(2)]
    plain, fast = randomness.shuffled(streams[0], size), compiled.shuffled(streams[1], size)
    assert plain.shape == fast.shape
    assert plain.tolist() == fast.tolist()
    assert streams[0].tolist() == streams[1].tolist()
    into = np.zeros((len(seeds), 2, max(size, 1)), np.uint8)[:, 1, :size]
    assert compiled.shuffled(as_seeds(seeds), size, out=into) is into
    assert into.tolist() == plain.tolist()


@given(st.lists(st.integers(0, 2**64 - 1), max_size=6), st.integers(0, 2**64 - 1))
def test_seeds_are_mixed_as_by_numpy(seeds: list[int], salt: int) -> None:
    given_seeds = as_seeds(seeds)
    kept = np.zeros(len(seeds), np.uint64)
    assert compiled.mixed(given_seeds, salt, out=kept) is kept
    for found in (compiled.mixed(given_seeds, salt), kept):
        assert found.tolist() == randomness.mix(given_seeds, salt).tolist()
    assert given_seeds.tolist() == seeds


@pytest.mark.parametrize(("games", "size"), [(20_000, 50), (20, 3_000), (2, 60_000)])
def test_orders_of_many_things_are_those_of_numpy(games: int, size: int) -> None:
    """Many have keys of which the upper halves are the same."""
    seeds = np.arange(games, dtype=np.uint64)
    plain, fast = randomness.shuffled(seeds.copy(), size), compiled.shuffled(seeds.copy(), size)
    assert np.array_equal(plain, fast)
