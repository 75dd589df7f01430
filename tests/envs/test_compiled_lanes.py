"""Eight words at once, in compiled code: each lane is worked on like a word by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.errors import TypingError

from chromazoo.envs import compiled_lanes as lanes
from chromazoo.envs.compiled import Octets, compiled
from chromazoo.envs.compiled_memory import GamesFirst
from chromazoo.envs.masks import Words

WORDS = st.integers(0, 2**64 - 1)
EIGHT = st.lists(WORDS, min_size=8, max_size=8)

_second_and_third = lanes.four_of(1)


@compiled
def combine(words: Words, others: Words, word: np.uint64, out: Words) -> np.uint64:
    some, more = lanes.load(words, 1), lanes.load(others, 0)
    lanes.store(out, 0, some & more)
    lanes.store(out, 8, some | more)
    lanes.store(out, 16, some ^ more)
    lanes.store(out, 24, lanes.spread(word))
    lanes.store(out, 32, lanes.where(some & more))
    lanes.store(out, 40, lanes.rotated(some, more & lanes.spread(np.uint64(63))))
    lanes.store(out, 48, _second_and_third(some))
    return lanes.united(some)


@compiled
def shift(words: Words, places: Words, out: Words) -> None:
    some, more = lanes.load(words, 0), lanes.load(places, 0)
    lanes.store(out, 0, some << more)
    lanes.store(out, 8, some >> more)


@given(EIGHT, st.lists(st.integers(0, 63), min_size=8, max_size=8))
def test_lanes_are_shifted(some: list[int], places: list[int]) -> None:
    out = np.zeros(16, np.uint64)
    shift(np.array(some, np.uint64), np.array(places, np.uint64), out)
    pairs = list(zip(some, places, strict=True))
    left = [(word << by) % 2**64 for word, by in pairs]
    assert out.tolist() == [*left, *(word >> by for word, by in pairs)]


@compiled
def tell(words: Words, number: int, flags: Octets) -> np.uint64:
    some = lanes.load(words, 0)
    lanes.write_filled(flags, 1, some)
    return lanes.lane(some, number)


@given(st.lists(st.sampled_from([0, 1, 2**63, 2**64 - 1]), min_size=8, max_size=8))
def test_lanes_are_told(some: list[int]) -> None:
    for number, word in enumerate(some):
        flags = np.full(10, 7, np.uint8)
        assert tell(np.array(some, np.uint64), number, flags) == word
        assert flags.tolist() == [7, *map(bool, some), 7]


@given(EIGHT, EIGHT, WORDS)
def test_lanes_are_words(some: list[int], more: list[int], word: int) -> None:
    out = np.zeros(58, np.uint64)
    words, others = (np.array(row, np.uint64) for row in ([7, *some], more))
    united = combine(words, others, np.uint64(word), out)
    pairs = list(zip(some, more, strict=True))
    assert united == np.bitwise_or.reduce(words[1:])
    assert out.tolist() == [
        *(a & b for a, b in pairs),
        *(a | b for a, b in pairs),
        *(a ^ b for a, b in pairs),
        *[word] * 8,
        *(2**64 - 1 if a & b else 0 for a, b in pairs),
        *((a >> b % 64 | a << (64 - b % 64)) % 2**64 for a, b in pairs),
        *([some[1]] * 4 + [some[2]] * 4),
        *[0, 0],
    ]


@pytest.mark.parametrize(
    "words",
    [np.zeros((8, 2), np.uint64)[:, 0], np.zeros((8, 8), np.uint64), np.zeros(8, np.int64)],
)
def test_what_does_not_lie_word_behind_word_is_refused(words: Words) -> None:
    with pytest.raises(TypingError, match=r"of uint64 \(n,\) in C order needed"):
        shift(words, np.zeros(8, np.uint64), np.zeros(16, np.uint64))


@pytest.mark.parametrize("games", [0, 1, 5])
def test_eight_words_may_be_read_where_the_last_game_has_fewer(games: int) -> None:
    kinds = [("words", (2,), np.dtype(np.uint64)), ("more", (1,), np.dtype(np.uint64))]
    memory = GamesFirst(kinds, frozenset())
    parts = memory.empty(games)
    (octets,) = parts
    for name, _, _ in kinds:
        array = memory.view(parts, name)
        end = array.ctypes.data + array.nbytes
        assert end + 64 <= octets.ctypes.data + octets.nbytes
