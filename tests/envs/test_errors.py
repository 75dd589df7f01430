"""The exceptions: one line each, caught as `ValueError`, whole across process borders."""

import inspect
import pickle

import pytest

from chromazoo.envs import errors
from chromazoo.envs.errors import ChromazooError, IllegalAction, InvalidChance, UnknownName
from chromazoo.envs.registry import MODULES, game_type, make_game

KINDS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, ChromazooError)
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_a_value_error_of_ours(kind: type[ChromazooError]) -> None:
    assert issubclass(kind, ValueError)
    assert kind.__doc__


def test_errors_cross_process_borders() -> None:
    illegal = pickle.loads(pickle.dumps(IllegalAction(3, 1, 17, "stop is not legal now")))
    assert str(illegal) == "illegal action in game 3: seat 1 took 17 (stop is not legal now)"
    assert (illegal.row, illegal.seat, illegal.action) == (3, 1, 17)
    chance = pickle.loads(pickle.dumps(InvalidChance(4, "none is due")))
    assert str(chance) == "game 4: none is due"
    assert (chance.row, chance.why) == (4, "none is due")


def test_unknown_games_are_refused_by_name() -> None:
    with pytest.raises(UnknownName, match=r"no game 'chess'; the games are .*kroma"):
        make_game("chess")


@pytest.mark.parametrize("name", MODULES)
def test_games_are_found_by_name(name: str) -> None:
    assert game_type(name).id == name
    assert make_game(name) == game_type(name)()
