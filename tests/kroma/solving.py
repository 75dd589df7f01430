"""Solving small games of the reference: whole by retrograde analysis, or a position by search."""

from collections import defaultdict, deque

from tests.kroma.reference import Kroma

Key = tuple[str, ...]
Value = tuple[int, int | None]  # for the side to move, and plies to the stalemate (None: a draw)


def key_of(game: Kroma) -> Key:
    """What tells positions apart when endless play is a draw: all but the clock."""
    if game.placing:
        return ("placement", *game.row)
    return tuple(game.position().split()[:3])


def solve(start: Kroma) -> dict[Key, Value]:
    """Solve every position that can be reached; the no-capture limit must be off."""
    assert start.config.no_capture_limit == 0
    children: dict[Key, set[Key]] = {}
    parents: dict[Key, list[Key]] = defaultdict(list)
    waiting = {key_of(start): start}
    while waiting:
        key, game = waiting.popitem()
        following = {key_of(child): child for child in map(game.after, game.legal())}
        children[key] = set(following)
        for child_key, child in following.items():
            parents[child_key].append(key)
            if child_key not in children:
                waiting[child_key] = child

    values: dict[Key, Value] = {key: (-1, 0) for key, found in children.items() if not found}
    open_children = {key: len(found) for key, found in children.items()}
    queue = deque(values)  # in the order of distance
    while queue:
        key = queue.popleft()
        value, distance = values[key]
        assert distance is not None
        for parent in parents[key]:
            if parent in values:
                continue
            open_children[parent] -= 1
            if value == -1:
                values[parent] = (1, distance + 1)
            elif open_children[parent] == 0:
                values[parent] = (-1, distance + 1)
            else:
                continue
            queue.append(parent)
    return {key: values.get(key, (0, None)) for key in children}


class Search:
    """A memory-keeping search for forced wins and losses within a number of plies."""

    def __init__(self) -> None:
        self._decided: dict[Key, Value] = {}
        self._undecided: dict[Key, int] = {}  # searched to this depth without an answer
        self._children: dict[Key, list[Kroma]] = {}

    def value(self, game: Kroma, depth: int) -> Value | None:
        """Find the value and distance of a position that is decided within `depth` plies.

        Returns:
            The value, or None if neither side can force a stalemate within `depth` plies.
        """
        return next(filter(None, (self._within(game, limit) for limit in range(depth + 1))), None)

    def _within(self, game: Kroma, depth: int) -> Value | None:
        key = key_of(game)
        known = self._decided.get(key)
        if known is not None:
            return known if known[1] is not None and known[1] <= depth else None
        if depth <= self._undecided.get(key, -1):
            return None
        if key not in self._children:
            self._children[key] = [game.after(move) for move in game.legal()]
        answers = [self._within(child, depth - 1) for child in self._children[key] if depth]
        found = self._judge(len(self._children[key]), [answer for answer in answers if answer])
        if found is None:
            self._undecided[key] = depth
        else:
            self._decided[key] = found
        return found

    @staticmethod
    def _judge(children: int, decided: list[Value]) -> Value | None:
        """The value that follows from the decided children, all of which are given."""
        distances = {1: [0], -1: []}
        for value, distance in decided:
            assert distance is not None
            distances[value].append(distance + 1)
        if distances[-1]:
            return 1, min(distances[-1])
        return (-1, max(distances[1])) if len(decided) == children else None
