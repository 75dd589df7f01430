"""The engine against the golden perft tables, through the contract."""

from typing import Any

import pytest

from chromazoo.envs.kroma.perft import divide, perft
from chromazoo.envs.kroma.rules import Game
from tests.contract.agreement import legal_texts
from tests.kroma import golden
from tests.kroma.reference import Config, from_position
from tests.kroma.reference import perft as slow_perft


@pytest.mark.parametrize("table", golden.perft_tables(), ids=lambda t: t["position"])
def test_perft(table: dict[str, Any]) -> None:
    options = {key: table[key] for key in ("size", "influence", "symmetry", "leap")}
    game = Game(no_capture_limit=0, **options)
    counts = perft(game, table["position"], len(table["perft"]))
    assert counts == table["perft"], divided(game, options, table["position"])


def divided(game: Game, options: dict[str, Any], position: str) -> str:
    """The moves below which engine and reference differ at depth 2, for the message."""
    reference = from_position(Config(**options), position)
    slow = {move: slow_perft(reference.after(move), 1)[0] for move in reference.legal()}
    fast = divide(game, position, 2)
    differing = [move for move in {*slow, *fast} if slow.get(move) != fast.get(move)]
    return "; ".join(f"{m}: {fast.get(m)} instead of {slow.get(m)}" for m in sorted(differing))


def test_divide_adds_up() -> None:
    position = "py/py/PY/PY py/py/py/py w 0"
    game = Game(size="baby", influence="public", no_capture_limit=0)
    counts = perft(game, position, 4)
    for depth in (1, 2, 3, 4):
        assert sum(divide(game, position, depth).values()) == counts[depth - 1]
    assert list(divide(game, position, 1)) == legal_texts(game, game.from_position([position]), 0)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_perft_heeds_the_limit_it_is_given(limit: int) -> None:
    """With a limit on, finished games have no children in either count."""
    position = "py/2/2/PY py/py/py/py w 0"
    game = Game(size="baby", no_capture_limit=limit)
    level = [from_position(Config(size="baby", no_capture_limit=limit), position)]
    expected = []
    for _ in range(5):
        level = [node.after(move) for node in level for move in node.legal()]
        expected.append(len(level))
    assert perft(game, position, 5) == expected
