"""Solving small games of the engine whole, in batches, by retrograde analysis."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.kroma.rules import Game, KromaState

PARTS = ("own_pieces", "enemy_pieces", "squares", "line")  # all but the clock, 0 or 1 each
BLOCK = 20_000

Keys = NDArray[np.uint64]


def keys_of(game: Game, state: KromaState) -> Keys:
    """What tells positions apart, as White sees them: uint64 (games,)."""
    seen = game.observe(state, np.zeros(len(state), np.int8))
    columns = [seen[:, game.fields.slices[part]] for part in PARTS]
    bits = np.zeros((len(state), 64), np.uint8)
    parts = np.column_stack([*columns, state.seat ^ state.over])
    bits[:, : parts.shape[1]] = parts
    return np.packbits(bits, axis=1).view(np.uint64).ravel()


@dataclass
class Solution:
    """Every reachable position, in order of its key, with its value and distance (-1: a draw)."""

    keys: Keys
    value: NDArray[np.int64]
    distance: NDArray[np.int64]

    def places(self, keys: Keys) -> NDArray[np.int64]:
        """Find positions, all of which must be among these."""
        found = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        assert (self.keys[found] == keys).all()
        return found

    def of(self, key: np.uint64) -> tuple[int, int | None]:
        """Tell value and distance (None: a draw) of one position."""
        place = int(self.places(np.array([key]))[0])
        return int(self.value[place]), None if self.value[place] == 0 else int(self.distance[place])


def moves_between(game: Game, start: KromaState) -> tuple[Keys, Keys, Keys]:
    """Explore all that can be reached: the positions, and each move's parent and child."""
    known = level_keys = keys_of(game, start)
    parents, children = [], []
    level = start
    while len(level):
        found = []
        for first in range(0, len(level), BLOCK):
            part = slice(first, first + BLOCK)
            block = level.take(part)
            rows, actions = np.nonzero(game.action_mask(block))
            following = block.take(rows)
            game.step(following, actions)
            reached = keys_of(game, following)
            parents.append(level_keys[part][rows])
            children.append(reached)
            keys, places = np.unique(reached, return_index=True)
            new = ~contains(known, keys)
            found.append(following.take(places[new]))
            known = np.sort(np.concatenate([known, keys[new]]))
        level = joined(game, found)
        level_keys = keys_of(game, level)
    return known, np.concatenate(parents), np.concatenate(children)


def contains(known: Keys, keys: Keys) -> NDArray[np.bool_]:
    """Which keys are among the known ones, which are sorted."""
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: NDArray[np.bool_] = known[places] == keys
    return found


def joined(game: Game, parts: list[KromaState]) -> KromaState:
    """One batch of several."""
    whole = game.deal(np.arange(sum(map(len, parts))))
    first = 0
    for part in parts:
        whole.put(slice(first, first + len(part)), part)
        first += len(part)
    return whole


def solve(game: Game, start: KromaState) -> Solution:
    """Retrograde analysis, one distance after the other; the no-capture limit must be off."""
    assert game.config.no_capture_limit == 0
    keys, parent_keys, child_keys = moves_between(game, start)
    parents, children = np.searchsorted(keys, parent_keys), np.searchsorted(keys, child_keys)
    open_moves = np.bincount(parents, minlength=len(keys))
    value, distance = np.zeros(len(keys), np.int64), np.full(len(keys), -1)
    value[open_moves == 0], distance[open_moves == 0] = -1, 0
    plies = 0
    while (distance == plies).any():
        recent = distance[children] == plies  # moves to the positions decided last
        winning = parents[recent & (value[children] == -1)]
        winning = winning[value[winning] == 0]
        np.subtract.at(open_moves, parents[recent & (value[children] == 1)], 1)
        plies += 1
        value[winning], distance[winning] = 1, plies
        lost = (open_moves == 0) & (value == 0)
        value[lost], distance[lost] = -1, plies
    return Solution(keys, value, distance)
