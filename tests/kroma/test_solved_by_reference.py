"""The solved baby games: golden values against the reference.

With `CHROMAZOO_THOROUGH=1` every start is solved again as a whole and nothing is cut short.
"""

from collections import Counter
from typing import Any

import pytest

from tests.kroma import golden
from tests.kroma.reference import Config, Kroma, begin, from_position
from tests.kroma.solving import Search, key_of, solve
from tests.thorough import THOROUGH

STARTS = golden.solved()["starts"]
POSITIONS = golden.solved()["positions"]
SEARCH_DEPTH, DRAW_DEPTH = (25, 14) if THOROUGH else (8, 6)
SMALL = 20_000  # reachable positions


def start_game(entry: dict[str, Any]) -> Kroma:
    return begin(Config(**entry["config"]), {"drops": entry["drops"]} if entry["drops"] else {})


def position_game(entry: dict[str, Any]) -> Kroma:
    return from_position(Config(**entry["config"]), entry["position"])


def name(entry: dict[str, Any]) -> str:
    config = entry["config"]
    where = entry["position"] or "empty"
    return f"{config['influence']}-{config['symmetry']}-{config['piece_rows']} {where}"


def check_by_search(game: Kroma, entry: dict[str, Any]) -> None:
    """The golden value is that found by search, or lies beyond what was searched."""
    distance = entry["distance"]
    near = distance is not None and distance <= SEARCH_DEPTH
    found = Search().value(game, distance if near else DRAW_DEPTH)
    assert found == ((entry["value"], distance) if near else None)


@pytest.mark.parametrize("entry", POSITIONS, ids=name)
def test_positions_by_search(entry: dict[str, Any]) -> None:
    check_by_search(position_game(entry), entry)


@pytest.mark.parametrize("entry", STARTS, ids=name)
def test_starts_by_search(entry: dict[str, Any]) -> None:
    check_by_search(start_game(entry), entry)


@pytest.mark.parametrize(
    "entry", [entry for entry in STARTS if THOROUGH or entry["reachable"] < SMALL], ids=name
)
def test_starts_solved_as_a_whole(entry: dict[str, Any]) -> None:
    start = start_game(entry)
    assert start.placing == (entry["phase"] == "placement")
    assert start.placing or start.position() == entry["position"]
    values = solve(start)
    assert len(values) == entry["reachable"]
    assert values[key_of(start)] == (entry["value"], entry["distance"])
    for other in POSITIONS:
        if other["config"] == entry["config"] and key_of(position_game(other)) in values:
            assert values[key_of(position_game(other))] == (other["value"], other["distance"])
    for key, found in list(values.items())[::501]:
        check_children(start, key, found, values)


def check_children(start: Kroma, key: Any, found: Any, values: dict[Any, Any]) -> None:
    """A value follows from the children's: win in the fewest plies, lose in the most."""
    if key[0] == "placement":
        return
    game = from_position(start.config, " ".join([*key, "0"]))
    children = [values[key_of(game.after(move))] for move in game.legal()]
    losing = [distance for value, distance in children if value == -1]
    winning = [distance for value, distance in children if value == 1]
    if losing:
        assert found == (1, 1 + min(losing))
    elif len(winning) == len(children):
        assert found == (-1, 1 + max(winning, default=-1))
    else:
        assert found == (0, None)


def test_golden_positions_lie_in_their_starts_trees() -> None:
    """Every config of a solved position is that of some start, so that solving covers it."""
    configs = Counter(str(entry["config"]) for entry in STARTS)
    assert all(configs[str(entry["config"])] == 2 for entry in POSITIONS)
