"""Legal actions listed one after the other, for networks and losses that look at no others."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.masks import Packing, Words


@dataclass(frozen=True)
class Listing:
    """The legal actions of n positions: position by position, in the order of their numbers.

    >>> listing = Listing.of_mask(np.array([[True, False, True], [False, True, False]]))
    >>> listing.rows.tolist(), listing.actions.tolist(), listing.starts.tolist()
    ([0, 0, 1], [0, 2, 1], [0, 2])
    >>> listing.pad(np.array([0.5, 0.5, 1.0])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]

    Attributes:
        places: int64 (m,), the places of the actions in an array of all actions of all positions:
            row times A plus action, in order.
        counts: int64 (n,), how many actions are legal in each position, at least 1.
        num_actions: Number of all actions, A.
    """

    places: NDArray[np.int64]
    counts: NDArray[np.int64]
    num_actions: int

    @classmethod
    def of_mask(cls, mask: NDArray[np.bool_]) -> "Listing":
        """List the actions that a mask allows.

        Args:
            mask: bool (n, A).

        Raises:
            InvalidArgument: a row without a legal action.
        """
        places = np.flatnonzero(mask)
        return cls._counted(places, *mask.shape)

    @classmethod
    def of_words(cls, packing: Packing, words: Words) -> "Listing":
        """List the actions of packed legal sets.

        Args:
            packing: Their layout.
            words: uint64 (n, W).

        Raises:
            InvalidArgument: a set without an action.
        """
        rows, actions = packing.listed(words)
        places = np.sort(rows * packing.num_actions + actions)
        return cls._counted(places, len(words), packing.num_actions)

    @classmethod
    def _counted(cls, places: NDArray[np.int64], positions: int, num_actions: int) -> "Listing":
        """Count the actions of each position."""
        counts = np.bincount(places // num_actions, minlength=positions)
        if positions and not counts.all():
            raise InvalidArgument(f"no action is legal in row {counts.argmin()}")
        return cls(places, counts, num_actions)

    @classmethod
    def joined(cls, listings: Sequence["Listing"]) -> "Listing":
        """List the positions of several listings one after the other; there is at least one."""
        num_actions, positions = listings[0].num_actions, 0
        places = []
        for each in listings:
            places.append(each.places + positions * num_actions)
            positions += len(each.counts)
        counts = np.concatenate([each.counts for each in listings])
        return cls(np.concatenate(places), counts, num_actions)

    def take(self, positions: NDArray[np.int64]) -> tuple["Listing", NDArray[np.int64]]:
        """List some of the positions, in any order.

        Args:
            positions: int64 (k,).

        Returns:
            The new listing, and where each of its actions stands in this one.
        """
        counts = self.counts[positions]
        starts = counts.cumsum() - counts
        entries = np.arange(counts.sum()) + (self.starts[positions] - starts).repeat(counts)
        rows = np.arange(len(positions)).repeat(counts)
        places = rows * self.num_actions + self.actions[entries]
        return Listing(places, counts, self.num_actions), entries

    def cut(self, start: int, end: int) -> tuple["Listing", slice]:
        """List the positions from one number up to another.

        Args:
            start: The first position, from 0.
            end: The position behind the last, at least as high.

        Returns:
            The new listing, and where its actions stand in this one.

        >>> listing = Listing.of_mask(np.array([[True, True], [True, False], [False, True]]))
        >>> listing.cut(1, 3)[0].places.tolist(), listing.cut(1, 3)[1]
        ([0, 3], slice(2, 4, None))
        """
        ends = self.counts.cumsum()
        entries = slice(*(int(ends[place - 1]) if place else 0 for place in (start, end)))
        places = self.places[entries] - start * self.num_actions
        return Listing(places, self.counts[start:end], self.num_actions), entries

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The position of each listed action: int64 (m,)."""
        return self.places // self.num_actions

    @cached_property
    def actions(self) -> NDArray[np.int64]:
        """The listed actions: int64 (m,)."""
        return self.places - self.rows * self.num_actions

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the actions of each position begin: int64 (n,)."""
        return self.counts.cumsum() - self.counts

    @cached_property
    def by_action(self) -> NDArray[np.int64]:
        """The order that puts the same actions of all positions together: int64 (m,).

        >>> listing = Listing.of_mask(np.array([[True, False, True], [True, True, False]]))
        >>> listing.by_action.tolist()
        [0, 2, 3, 1]
        """
        few = self.num_actions <= 2**16  # a stable sort of 16 bits counts, which is fast
        return (self.actions.astype(np.uint16) if few else self.actions).argsort(kind="stable")

    def find(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Find one action of each position in the list.

        Args:
            actions: int64 (n,).

        Returns:
            int64 (n,), its places in the list.

        Raises:
            InvalidArgument: an action is not legal.
        """
        wanted = np.arange(len(self.counts)) * self.num_actions + actions
        found = self.places.searchsorted(wanted)
        if not (self.places.take(found, mode="clip") == wanted).all():
            raise InvalidArgument("an action is not legal where it was taken")
        return found

    def pad(self, values: NDArray[Any]) -> NDArray[Any]:
        """Lay values of the listed actions out in rows: (m,) -> (n, most legal actions).

        What is beyond the actions of a position is zero.
        """
        table = np.zeros((len(self.counts), self.counts.max(initial=1)), values.dtype)
        table[self.rows, np.arange(len(values)) - self.starts[self.rows]] = values
        return table

    # Sums and the like over the actions of each position: (m, ...) -> (n, ...), and back.

    def total(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up what the actions of each position have."""
        sums: NDArray[Any] = np.add.reduceat(values, self.starts)
        return sums

    def highest(self, values: NDArray[Any]) -> NDArray[Any]:
        """Take the highest that the actions of each position have."""
        found: NDArray[Any] = np.maximum.reduceat(values, self.starts)
        return found

    def softmax(self, logits: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Turn logits into probabilities and their logarithms: (m,) -> (m,), (m,)."""
        logs = logits - self.highest(logits)[self.rows]
        powers = np.exp(logs)
        totals = self.total(powers)
        return powers / totals[self.rows], logs - np.log(totals)[self.rows]
