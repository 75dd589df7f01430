"""The exceptions: one line each, caught as `ValueError`, whole across process borders."""

import copy
import inspect
import pickle
from collections.abc import Callable

import pytest

from chromazoo.envs import errors
from chromazoo.envs.errors import (
    ChromazooError,
    IllegalAction,
    InvalidChance,
    InvalidFile,
    InvalidRecord,
    UnknownName,
)
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


ON_TWO_LINES: list[Callable[[str], ChromazooError]] = [
    *(kind for kind in KINDS if kind.__init__ is ChromazooError.__init__),
    lambda text: IllegalAction(3, 1, 17, text),
    lambda text: InvalidChance(4, text),
    lambda text: InvalidRecord(text),
    lambda text: InvalidRecord(text, 7),
]


@pytest.mark.parametrize("number", range(len(ON_TWO_LINES)))
def test_errors_are_of_one_line_however_they_are_read(number: int) -> None:
    make = ON_TWO_LINES[number]
    error, due = make("not [[1]\r\n     [2]]\u2028but 3"), make("not [[1] [2]] but 3")
    for one in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (str(one), one.args, vars(one)) == (str(due), due.args, vars(due))
        assert one.args == (str(one),)
        assert "not [[1] [2]] but 3" in str(one)


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


def test_every_character_can_be_printed() -> None:
    text = str(InvalidFile("".join(map(chr, range(0x3000)))))
    assert text.isprintable()
    assert str(InvalidFile("a\x1fb\tc\nd\x07")) == r"a b c d\x07"
