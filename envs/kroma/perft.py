"""Counting move trees of Kroma, to compare with other implementations (rules page, Notation)."""

from chromazoo.envs.kroma.rules import Game, KromaState

_BLOCK = 4096


def perft(game: Game, position: str, depth: int) -> list[int]:
    """Count the leaves of the tree of legal moves at each depth.

    Args:
        game: The rules; the no-capture limit is off where its `no_capture_limit` is 0.
        position: A position of the movement phase.
        depth: The greatest depth, 1 or more.

    Returns:
        The number of leaves at depth 1, 2, … `depth`. A finished game has no children.

    Raises:
        InvalidPosition: the text is not a position.

    >>> perft(Game(size="baby", no_capture_limit=0), "py/py/PY/PY py/py/py/py w 0", 3)
    [2, 6, 20]
    """
    counts = [0] * depth
    _count(game, game.from_position([position]), counts)
    return counts


def divide(game: Game, position: str, depth: int) -> dict[str, int]:
    """Count the leaves at one depth below each legal move.

    Args:
        game: The rules.
        position: A position of the movement phase.
        depth: The depth, 1 or more.

    Returns:
        The move's text -> the leaves below it, in order of the texts.

    Raises:
        InvalidPosition: the text is not a position.
    """
    state = game.from_position([position])
    rows, actions = game.packing.listed(game.legal(state))
    children = state.take(rows)
    game.step(children, actions)
    below: dict[str, int] = {}
    for row, action in enumerate(actions.tolist()):
        counts = [0] * (depth - 1)
        if counts:
            _count(game, children.take([row]), counts)
        below[game.move_text(state, 0, action)] = counts[-1] if counts else 1
    return dict(sorted(below.items()))


def _count(game: Game, state: KromaState, counts: list[int]) -> None:
    """Add the leaves below some games to `counts`, nearest depth first."""
    counts[0] += int(game.packing.count(state.moves).sum())
    if len(counts) == 1:
        return
    rest = counts[1:]
    rows, actions = game.packing.listed(state.moves)
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        children = state.take(rows[block])
        game.step(children, actions[block])
        _count(game, children, rest)
    counts[1:] = rest
