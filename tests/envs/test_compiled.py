"""Bits of words, in compiled code."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs import compiled

WORDS = st.integers(1, 2**64 - 1)


@compiled.compiled
def found(word: np.uint64) -> tuple[int, int, int]:
    return compiled.popcount(word), compiled.lowest(word), compiled.highest(word)


@given(WORDS)
def test_set_bits_are_counted_and_found(number: int) -> None:
    word = np.uint64(number)
    bits = [bit for bit in range(64) if number >> bit & 1]
    assert found(word) == (len(bits), bits[0], bits[-1])
