"""The options: players, rounds, the duel variant (G7), colours (G1), and what is refused."""

import json
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.guardians.config import Config as EngineConfig
from chromazoo.envs.guardians.rules import Game
from tests.guardians.agreement import pair
from tests.guardians.play import PLAYERS, own_colours
from tests.guardians.reference import COLOURS, Config
from tests.guardians.table import Table

BANDS = Config().colours


def test_default_options() -> None:
    game = Game()
    assert game.options == {"num_players": 2, "rounds": 1, "duel": True, "colors": BANDS}
    assert game.simultaneous
    assert game.always_ends
    assert [(block.name, block.size) for block in game.blocks] == [("card", 50)]


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_two_play_the_duel_unless_told_otherwise(num_players: int) -> None:
    """G7; `duel` as None is the default, and false with more than two players."""
    usual = Game(num_players=num_players)
    assert usual.options["duel"] is (num_players == 2)
    assert Game(num_players=num_players, duel=None) == usual
    assert Game(num_players=num_players, duel=usual.options["duel"]) == usual
    plain = Game(num_players=num_players, duel=False)
    assert (plain == usual) == (num_players > 2)
    assert plain.options["duel"] is False


@pytest.mark.parametrize("num_players", [3, 4, 5])
def test_more_than_two_play_no_duel(num_players: int) -> None:
    assert_refused(num_players=num_players, duel=True)


@pytest.mark.parametrize(("num_players", "duel"), PLAYERS)
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_games_of_all_options_begin(num_players: int, duel: bool, rounds: int) -> None:
    game, config = pair(num_players=num_players, duel=duel, rounds=rounds)
    state = game.deal(np.arange(3))
    assert game.num_seats == num_players
    assert state.pending.all()
    count = game.packing.count(game.legal(state))
    assert count.tolist() == [10 if config.is_duel else 9] * 3
    assert Game(**json.loads(json.dumps(game.options))) == game


def test_fields_say_how_high_they_go() -> None:
    """80 marks a round; nine cards, or ten in the duel."""
    for rounds in (1, 2, 3):
        high = {field.name: field.high for field in Game(num_players=5, rounds=rounds).fields}
        assert high["taken"] == 80 * rounds
        assert high["turn"] == 8
        assert high["round"] >= rounds - 1
        assert high["sizes"] >= 10


def test_digests_tell_apart_what_is_seen_otherwise() -> None:
    """Seats and rounds change the observation; the duel and colours do not."""
    digests = {
        Game(num_players=num_players, rounds=rounds).digest
        for num_players in range(2, 6)
        for rounds in (1, 2, 3)
    }
    assert len(digests) == 12
    assert Game(duel=False).digest == Game().digest
    assert Game(colors=own_colours(Random(0))).digest == Game().digest


# Colours (G1)


def test_colours_by_default() -> None:
    assert BANDS[:6] == [0, 1, 2, 3, 4, 0]
    assert Game(colors=None) == Game(colors=BANDS) == Game(colors=tuple(BANDS)) == Game()
    assert Game().options["colors"] == BANDS


def test_colours_of_ones_own() -> None:
    """Seen in the queue, in the order of the colours' numbers (G8)."""
    own = own_colours(Random(5))
    game = Game(colors=own)
    assert game.options["colors"] == own
    assert game != Game()
    assert hash(game) == hash(Game(colors=tuple(own)))
    seen = np.array(Table("11g 16b 21r 26p 31y").play().see(0, "colours"))
    assert [COLOURS[colour][0] for colour in seen[:, :, 0].argmax(axis=0)] == list("gbrpy")


def test_what_is_handed_in_is_not_kept() -> None:
    own = own_colours(Random(5))
    game = Game(colors=own)
    expected = list(own)
    own.reverse()
    assert game.options["colors"] == expected


# What is refused

NO_VALUES: dict[str, list[Any]] = {
    "num_players": [0, 1, 6, -2, 2.0, "2", True, None, [2], 2**70],
    "rounds": [0, 4, -1, 1.0, "1", True, None, [], 10**30],
    "duel": [0, 1, "true", "", [], [True], {}, 1.0, np.True_],
    "colors": [
        *([], (), "", "01234" * 10, 5, {}, set(), True, BANDS[:-1], [*BANDS, 0], [0] * 50),
        *([[colour] for colour in BANDS], [str(colour) for colour in BANDS], dict.fromkeys(BANDS)),
        *([*BANDS[:-1], 3], [*BANDS[:-1], 5], [*BANDS[:-1], -1], [*BANDS[:-1], 4.0]),
        *([*BANDS[:-1], None], [False, *BANDS[1:]], [2**70, *BANDS[1:]]),
        *([colour + 1 for colour in BANDS], iter(BANDS), range(50)),
    ],
}


@pytest.mark.parametrize(
    "options",
    [
        *({name: value} for name, values in NO_VALUES.items() for value in values),
        {"num_players": 3, "duel": True},
        {"num_players": 3, "duel": "no"},
        {"colours": BANDS},
        {"players": 3},
        {"wheel": "tones"},
    ],
    ids=lambda options: repr(options).split(" object at")[0][:60],
)
def test_options_that_do_not_fit(options: dict[str, Any]) -> None:
    assert_refused(**options)


def test_colours_are_no_array() -> None:
    assert_refused(colors=np.array(BANDS))


def assert_refused(**options: Any) -> None:
    with pytest.raises(InvalidConfig) as caught:
        Game(**options)
    line = str(caught.value)
    assert "guardians" in line
    assert "\n" not in line
    assert len(line) < 300


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.sampled_from(["num_players", "rounds", "duel", "colors"]), JUNK)
def test_junk_options(name: str, value: Any) -> None:
    """Junk is refused in one line, or it is an option like any other."""
    try:
        game = Game(**{name: value})
    except InvalidConfig:
        assert_refused(**{name: value})
    else:
        assert game.options[name] == value or value is None


@given(st.permutations(BANDS))
def test_any_colours_are_kept_as_given(colors: list[int]) -> None:
    assert Game(colors=colors).options["colors"] == colors


@given(st.permutations(BANDS), st.integers(0, 49), st.integers(-1, 5))
def test_ten_cards_of_each_colour(colors: list[int], place: int, colour: int) -> None:
    changed = [*colors[:place], colour, *colors[place + 1 :]]
    if colour == colors[place]:
        assert Game(colors=changed).options["colors"] == colors
    else:
        assert_refused(colors=changed)


def test_the_config_is_frozen() -> None:
    config = EngineConfig()
    with pytest.raises(AttributeError):
        config.rounds = 3  # type: ignore[misc]
