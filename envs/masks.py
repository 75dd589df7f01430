"""Packed legal sets: which actions are legal, one bit each, in a few `uint64` words a game.

Games keep legal sets packed from rules to agents; only networks need them unpacked. A `Packing`
says which bit stands for which action, so a game may lay out its words as suits its rules.

>>> packing = Packing.dense(70)
>>> words = packing.pack(np.arange(70)[None, :] % 23 == 0)
>>> packing.count(words).tolist()
[4]
>>> [packing.select(words, np.array([k])).item() for k in range(4)]
[0, 23, 46, 69]
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import blocks, constant, to_fill
from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.randomness import Stream, below
from chromazoo.envs.state import entries

Words = NDArray[np.uint64]

_ONE = np.uint64(1)
_WORD = 64
_MOST = 2**16 - 1  # actions, so that uint16 counts them
_FEW = 64  # games, up to which numpy's accumulate takes less time than a loop over words
_MANY = 8  # games, and words of each, from which on it pays to unpack set bits alone
_SPARSE = 0.25  # of all words, as many as may have set bits for that


def _kth_bit_table() -> NDArray[np.uint8]:
    """Tabulate the position of the k-th set bit of a byte: shape (256, 8)."""
    table = np.zeros((256, 8), np.uint8)
    for byte in range(256):
        for k, bit in enumerate(bit for bit in range(8) if byte >> bit & 1):
            table[byte, k] = bit
    return table


_KTH_BIT = _kth_bit_table().ravel()
_BYTE, _THREE, _EIGHT = (constant(number, np.uint64) for number in (0xFF, 3, 8))
_EVERY_BYTE = constant(0x0101010101010101, np.uint64)
_EVERY_TOP = constant(0x8080808080808080, np.uint64)
_BITS_IN_BYTE = constant(8, np.uint8)
_BITS_IN_WORD = constant(_WORD, np.int64)


def kth_bit(words: Words, k: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Find the position of the k-th set bit (from 0, lowest first) of each word.

    Args:
        words: uint64 array of shape (B,).
        k: Integers of shape (B,), each below its word's number of set bits.

    Returns:
        uint8 array of shape (B,), from 0 to 63.

    >>> kth_bit(np.array([0b101000], np.uint64), np.array([1])).tolist()
    [5]
    """
    # All eight bytes at once: byte i of `ends` is the number of set bits up to its end.
    words = np.ascontiguousarray(words)
    ends = np.bitwise_count(words.view(np.uint8)).view(np.uint64)
    ends *= _EVERY_BYTE
    wanted = k.astype(np.uint64)
    passed = wanted * _EVERY_BYTE
    passed |= _EVERY_TOP
    passed -= ends  # a top bit stays where k is not below the number
    passed &= _EVERY_TOP
    bits = np.bitwise_count(passed)  # uint8, as the answer is
    bits *= _BITS_IN_BYTE
    shift = bits.astype(np.uint64)
    byte = words >> shift
    byte &= _BYTE
    ends <<= _EIGHT
    ends >>= shift
    ends &= _BYTE
    wanted -= ends
    byte <<= _THREE
    byte += wanted
    position: NDArray[np.uint8] = _KTH_BIT.take(byte.view(np.int64))
    position += bits
    return position


def _set_bits(
    words: Words, places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the set bits of some words: whose they are, and where they lie in it.

    Args:
        words: uint64 (n,).
        places: int64 (k,), the words looked at.

    Returns:
        Two int64 arrays of one length, a bit each: the place of its word, and its own from 0 to 63.
    """
    octets = words.take(places).view(np.uint8)
    found = np.unpackbits(octets, bitorder="little").view(np.bool_).nonzero()[0]
    return places.take(found // _WORD), found % _WORD


class Packing:
    """The layout of a game's packed legal sets.

    Attributes:
        num_actions: Number of actions, A.
        num_words: Words a game, W.
        word: int64 array of shape (A,), the word of each action.
        bit: uint8 array of shape (A,), its bit in that word.
        action: int64 array of shape (W * 64,), the action of each bit, -1 where a bit is not used.
    """

    def __init__(
        self,
        word: NDArray[np.integer],
        bit: NDArray[np.integer],
        unpack: Callable[[Words], NDArray[np.bool_]] | None = None,
    ) -> None:
        """Lay out the bits.

        Args:
            word: Integers of shape (A,): the word of each action.
            bit: Integers of shape (A,): its bit in that word, 0 to 63.
            unpack: A faster way to unpack words (B, W) of this layout to masks (B, A), where there
                is one.

        Raises:
            ValueError: two actions share a bit, a bit is not from 0 to 63, or there are more than
                65,535 actions.
        """
        self.num_actions = len(word)
        self.num_words = int(word.max()) + 1
        self.word = word.astype(np.int64)
        self.bit = bit.astype(np.uint8)
        place = self.word * _WORD + self.bit  # (actions,)
        if bit.min() < 0 or bit.max() >= _WORD or len(np.unique(place)) != self.num_actions:
            raise ValueError("every action needs a bit of its own, from 0 to 63")
        if self.num_actions > _MOST:
            raise ValueError(f"at most {_MOST} actions can be counted, not {self.num_actions}")
        self.action = np.full(self.num_words * _WORD, -1, np.int64)
        self.action[place] = np.arange(self.num_actions)
        self._place = place
        self._mask = _ONE << self.bit.astype(np.uint64)  # (actions,)
        self._word_dtype = np.uint8 if self.num_words < 256 else np.uint16
        self._unpack = unpack

    @classmethod
    def dense(cls, num_actions: int) -> "Packing":
        """Lay out bit i of the words for action i, without gaps.

        Args:
            num_actions: Number of actions.

        Returns:
            The packing, with ceil(num_actions / 64) words a game.
        """
        actions = np.arange(num_actions)
        return cls(actions // _WORD, actions % _WORD)

    def _check(self, words: Words, each: NDArray[Any] | None = None) -> None:
        """Refuse what are no legal sets of this layout, or not one number for each."""
        if words.dtype != np.uint64 or words.ndim != 2 or words.shape[1] != self.num_words:
            raise InvalidArgument(
                f"legal sets: uint64 (B, {self.num_words}), not {words.dtype} {words.shape}"
            )
        if each is not None and np.shape(each) != words.shape[:1]:
            raise InvalidArgument(
                f"one number for each of {len(words)} legal sets needed, not {np.shape(each)}"
            )

    def count(self, words: Words) -> NDArray[np.int64]:
        """Count the legal actions.

        Args:
            words: uint64 array of shape (B, W).

        Returns:
            int64 array of shape (B,).

        Raises:
            InvalidArgument: these are no legal sets of this layout.
        """
        self._check(words)
        counts: NDArray[np.int64] = np.bitwise_count(words.T).sum(axis=0, dtype=np.int64)
        return counts

    def contains(self, words: Words, actions: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Tell which actions are in their legal sets.

        Args:
            words: uint64 array of shape (B, W).
            actions: Integers of shape (B,); numbers that are no action are in no set.

        Returns:
            bool array of shape (B,).

        Raises:
            InvalidArgument: these are no legal sets of this layout, or not one number for each.
        """
        self._check(words, actions)
        if len(actions) == 0:
            return np.zeros(0, np.bool_)
        actions = actions.astype(np.int64, copy=False)
        named = None
        if actions.view(np.uint64).max() >= self.num_actions:  # negative numbers are large then
            named = (actions >= 0) & (actions < self.num_actions)
            actions = np.where(named, actions, 0)
        # No copy is made of words that lie games last.
        found = words.T.reshape(-1).take(entries(self.word.take(actions)))
        found &= self._mask.take(actions)
        inside: NDArray[np.bool_] = found != 0
        return inside if named is None else inside & named

    def select(self, words: Words, k: NDArray[np.integer]) -> NDArray[np.int64]:
        """Pick the k-th legal action of each game, in the order of words and bits.

        Args:
            words: uint64 array of shape (B, W).
            k: Integers of shape (B,), from 0; where there are not so many legal actions the
                answer is -1.

        Returns:
            int64 array of shape (B,).

        Raises:
            InvalidArgument: these are no legal sets of this layout, or not one number for each.
        """
        self._check(words, k)
        before = self._counts_before(words)
        return self._select(words, before, np.clip(np.asarray(k, np.int64), -1, before[-1]))

    def pick(self, words: Words, stream: Stream) -> NDArray[np.int64]:
        """Pick a legal action of each game, each with the same chance.

        Args:
            words: uint64 array of shape (B, W).
            stream: uint64 array of shape (B,), the streams to draw from; changed.

        Returns:
            int64 array of shape (B,), -1 where no action is legal.

        Raises:
            InvalidArgument: these are no legal sets of this layout, or not one number for each.
        """
        self._check(words, stream)
        before = self._counts_before(words)
        return self._select(words, before, below(stream, before[-1]))

    def _counts_before(self, words: Words) -> NDArray[np.uint16]:
        """Count the legal actions before each word, and in all: (words + 1, games)."""
        before = np.zeros((self.num_words + 1, len(words)), np.uint16)
        if len(words) <= _FEW:
            np.add.accumulate(np.bitwise_count(words.T), axis=0, dtype=np.uint16, out=before[1:])
            return before
        before[1:] = np.bitwise_count(words.T)
        # A loop over the few words: numpy's accumulate is many times slower for many games.
        lanes = list(before)
        for fewer, more in pairwise(lanes[1:]):
            more += fewer
        return before

    def _select(
        self, words: Words, before: NDArray[np.uint16], k: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """Pick the k-th legal action, given the counts before each word."""
        if self.num_words == 1:
            return self._select_in_word(words[:, 0], before[-1], k)
        wanted = k.astype(np.uint16)
        passed = before[1:] <= wanted  # (words, games)
        word = np.add.reduce(passed.view(np.uint8), axis=0, dtype=self._word_dtype)
        absent = word == self.num_words
        none = np.count_nonzero(absent)
        if none:
            word[absent] = 0
            wanted[absent] = 0
        place = word.astype(np.int64)
        lane = entries(place)
        chosen = words.T.reshape(-1).take(lane)
        if none:
            chosen[absent] = _ONE
        bit = kth_bit(chosen, wanted - before.reshape(-1).take(lane))
        place *= _BITS_IN_WORD
        place += bit
        action: NDArray[np.int64] = self.action.take(place)
        if none:
            action[absent] = -1
        return action

    def _select_in_word(
        self, words: Words, counts: NDArray[np.uint16], k: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """Pick the k-th legal action where all lie in one word."""
        absent = (k < 0) | (k >= counts)
        if not np.count_nonzero(absent):
            return self.action.take(kth_bit(words, k))
        bits = kth_bit(np.where(absent, _ONE, words), np.where(absent, 0, k))
        return np.where(absent, -1, self.action.take(bits))

    def listed(self, words: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """List every legal action of every game.

        Args:
            words: uint64 array of shape (B, W).

        Returns:
            Two int64 arrays of the same length: the game and the action, game by game, each game's
            in the order of words and bits.

        Raises:
            InvalidArgument: these are no legal sets of this layout.
        """
        self._check(words)
        whole = np.ascontiguousarray(words).reshape(-1)
        places, bits = _set_bits(whole, (whole != 0).nonzero()[0])
        games, word = np.divmod(places, self.num_words)
        return games, self.action.take(word * _WORD + bits)

    def unpack(self, words: Words, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Unpack legal sets into action masks.

        Args:
            words: uint64 array of shape (B, W).
            out: bool array of shape (B, A) in C order to write to; a new one if not given.

        Returns:
            bool array of shape (B, A), contiguous: `out` if given.

        Raises:
            InvalidArgument: these are no legal sets of this layout, or `out` is no such array.
        """
        self._check(words)
        if out is None and self._unpack is not None:
            return self._unpack(words)
        mask = to_fill(out, (len(words), self.num_actions), np.bool_)
        if self._unpack is None and self._unpack_sparse(words, mask):
            return mask
        for some in blocks(len(words)):
            if self._unpack is not None:
                mask[some] = self._unpack(words[some])
                continue
            octets = np.ascontiguousarray(words[some]).view(np.uint8)  # (games, words * 8)
            bits = np.unpackbits(octets, axis=1, bitorder="little")
            # "clip" is quicker than "raise"
            bits.take(self._place, axis=1, out=mask[some].view(np.uint8), mode="clip")
        return mask

    def _unpack_sparse(self, words: Words, mask: NDArray[np.bool_]) -> bool:
        """Unpack by setting the few actions that are legal, if it pays: few words have any.

        Args:
            words: uint64 (B, W).
            mask: bool (B, A), written then.

        Returns:
            Whether it was done.
        """
        games = len(words)
        if min(games, self.num_words) < _MANY:
            return False
        whole = words.T.reshape(-1)
        places = (whole != 0).nonzero()[0]  # word * games + game
        if len(places) > _SPARSE * len(whole):
            return False
        places, bits = _set_bits(whole, places)
        word = places // games
        game, action = places - word * games, self.action.take(word * _WORD + bits)
        entry = game * self.num_actions + action
        mask.fill(False)
        mask.reshape(-1)[entry if action.min(initial=0) >= 0 else entry[action >= 0]] = True
        return True

    def pack(self, mask: NDArray[np.bool_]) -> Words:
        """Pack action masks into legal sets.

        Args:
            mask: bool array of shape (B, A).

        Returns:
            uint64 array of shape (B, W).
        """
        bits = np.zeros((len(mask), self.num_words * _WORD), np.uint8)
        bits[:, self._place] = mask
        octets = np.packbits(bits, axis=1, bitorder="little")
        return octets.view(np.uint64)
