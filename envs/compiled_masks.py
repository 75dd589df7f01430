"""Packed legal sets on compiled engines: pick, test, unpack; see `masks.py`."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import to_fill
from chromazoo.envs.compiled import (
    Octets,
    below,
    compiled,
    draw,
    index,
    kth_bit,
    lowest,
    popcount,
    signed,
)
from chromazoo.envs.compiled_vectors import LANES, Chunks, choose, in_chunks, write_bits
from chromazoo.envs.masks import Packing, Words
from chromazoo.envs.randomness import Stream

_ZERO, _ONE = np.uint64(0), np.uint64(1)

_MOST_WORDS = 2**10  # whose bits uint16 numbers


class CompiledPacking(Packing):
    """A `Packing` whose loops are compiled."""

    @cached_property
    def places(self) -> NDArray[np.uint16]:
        """Where each action's bit is in a legal set, 64 * word + bit: uint16 (A,)."""
        if self.num_words > _MOST_WORDS:
            raise ValueError(f"at most {_MOST_WORDS} words, not {self.num_words}")
        return self._place.astype(np.uint16)

    @classmethod
    def of(cls, packing: Packing) -> "CompiledPacking":
        """Take over a layout."""
        return cls(packing.word, packing.bit)

    @cached_property
    def _runs(self) -> NDArray[np.int64]:
        """Actions in a row whose bits are in a row: word, bit, first action, number; (n, 4)."""
        goes_on = (np.diff(self._place) == 1) & (np.diff(self.word) == 0)
        first = np.flatnonzero(np.append(True, ~goes_on))
        lengths = np.diff(first, append=self.num_actions)
        return np.stack([self.word[first], self.bit[first], first, lengths], axis=1)

    def contains(self, words: Words, actions: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Tell which actions are in their legal sets; see `Packing.contains`."""
        self._check(words, actions)
        inside = np.empty(len(actions), np.bool_)
        numbers = actions.astype(np.int64, copy=False)
        _contains(np.ascontiguousarray(words), numbers, self.places, inside)
        return inside

    def select(self, words: Words, k: NDArray[np.integer]) -> NDArray[np.int64]:
        """Pick the k-th legal action of each game; see `Packing.select`."""
        self._check(words, k)
        action = np.empty(len(words), np.int64)
        _select(np.ascontiguousarray(words), np.asarray(k, np.int64), self.action, action)
        return action

    def pick(self, words: Words, stream: Stream) -> NDArray[np.int64]:
        """Pick a legal action of each game, each with the same chance; see `Packing.pick`."""
        self._check(words, stream)
        action = np.empty(len(words), np.int64)
        sets = np.ascontiguousarray(words)
        if self._chunks:
            _pick(sets, stream, self._chunks, self.action, action)
        else:
            _pick_of_few(sets, stream, self.action, action)
        return action

    @cached_property
    def _chunks(self) -> Chunks | None:
        """What `choose` asks for; None where it cannot choose."""
        suits = self.num_words >= LANES and self.num_actions < 2**15
        return in_chunks(self.num_words) if suits else None

    def unpack(self, words: Words, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Unpack legal sets into action masks; see `Packing.unpack`."""
        self._check(words)
        mask = to_fill(out, (len(words), self.num_actions), np.bool_)
        sets, flags = np.ascontiguousarray(words), mask.view(np.uint8)
        if 8 * len(self._runs) <= self.num_actions:
            _unpack_runs(sets, self._runs, flags)
        else:
            _unpack(sets, self.action, flags)
        return mask


@compiled
def _contains(
    words: Words,
    actions: NDArray[np.int64],
    places: NDArray[np.uint16],
    inside: NDArray[np.bool_],
) -> None:
    for game in range(len(actions)):
        inside[game] = _is_legal(words[game], actions[game], places)


@compiled
def _is_legal(words: Words, action: int, places: NDArray[np.uint16]) -> bool:
    """Tell whether a number is an action of a legal set (W,)."""
    if action < 0 or action >= len(places):
        return False
    place = signed(places[action])
    return bool(words[place >> 6] >> np.uint64(place & 63) & _ONE)


@compiled
def find_illegal(
    actions: NDArray[np.int64],
    seats: NDArray[np.int64],
    words: Words,
    deciding: NDArray[np.int8],
    over: NDArray[np.bool_],
    places: NDArray[np.uint16],
) -> int:
    """Find the first game in which an action is not legal, -1 if there is none."""
    for game in range(len(actions)):
        if not over[game] and not (
            seats[game] == deciding[game] and _is_legal(words[game], actions[game], places)
        ):
            return game
    return -1


@compiled
def _pick(
    words: Words,
    stream: Stream,
    chunks: Chunks,
    actions: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> None:
    for game in range(len(chosen)):
        found = choose(words[game], draw(stream, game), chunks)
        place, k, total = found[0], found[1], found[2]
        chosen[game] = actions[64 * place + kth_bit(words[game, place], k)] if total else -1


@compiled
def _pick_of_few(
    words: Words, stream: Stream, actions: NDArray[np.int64], chosen: NDArray[np.int64]
) -> None:
    for game in range(len(chosen)):
        total = _count(words[game])
        k = below(draw(stream, game), total)
        chosen[game] = _kth_action(words[game], k, actions) if total else -1


@compiled
def _select(
    words: Words, k: NDArray[np.int64], actions: NDArray[np.int64], chosen: NDArray[np.int64]
) -> None:
    for game in range(len(chosen)):
        there = 0 <= k[game] < _count(words[game])
        chosen[game] = _kth_action(words[game], k[game], actions) if there else -1


@compiled
def _count(words: Words) -> int:
    """Count the actions of one legal set."""
    total = 0
    for place in range(len(words)):
        total += popcount(words[place])
    return total


@compiled
def _kth_action(words: Words, k: int, actions: NDArray[np.int64]) -> int:
    """Find the k-th action (from 0) of one legal set that has so many."""
    place, count = 0, popcount(words[0])
    while k >= count:
        k -= count
        place += 1
        count = popcount(words[place])
    action: int = actions[64 * place + kth_bit(words[place], k)]
    return action


@compiled
def _unpack(words: Words, actions: NDArray[np.int64], flags: Octets) -> None:
    for game in range(len(flags)):
        row, some = flags[game], words[game]
        row[:] = 0
        for start in range(0, len(some), 64):
            filled = _find_filled(some[start : start + 64])
            while filled:
                place = start + lowest(filled)
                filled &= filled - _ONE
                word = some[place]
                while word:
                    action = actions[64 * place + lowest(word)]
                    if action >= 0:
                        row[index(action)] = 1
                    word &= word - _ONE


@compiled
def _find_filled(words: Words) -> np.uint64:
    """Find which of 64 words at most are not 0: without a branch for each."""
    filled = _ZERO
    for place in range(len(words)):
        filled |= np.uint64(words[place] != _ZERO) << np.uint64(place)
    return filled


@compiled
def _unpack_runs(words: Words, runs: NDArray[np.int64], flags: Octets) -> None:
    for game in range(len(flags)):
        row = flags[game]
        for run in range(len(runs)):
            word = words[game, runs[run, 0]] >> np.uint64(runs[run, 1])
            write_bits(row, runs[run, 2], word, runs[run, 3])
