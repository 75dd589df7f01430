"""Moves as text, both ways, and texts that are no moves; what is chosen out of turn."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.errors import IllegalAction, InvalidChance, InvalidMove, InvalidPosition
from chromazoo.envs.guardians.rules import Game
from tests.contract.play import content
from tests.guardians.reference import CARDS
from tests.guardians.table import Table


@cache
def table() -> Table:
    return Table("11r 16y 21g 26b 31p").choose(1, 16)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_a_move_is_the_cards_number(num_players: int) -> None:
    """Whoever makes it, and whether or not it is legal."""
    game = Game(num_players=num_players)
    state = game.deal([0, 1])
    assert game.num_actions == len(CARDS)
    for seat in range(num_players):
        for action, card in enumerate(CARDS):
            assert game.move_text(state, 1, action, seat) == str(card)
            assert game.parse_move(state, 1, str(card), seat) == action
    assert game.move_text(state, 0, 16) == "17"
    assert game.parse_move(state, 0, "17") == 16


@pytest.mark.parametrize("action", [-1, 50, 51, -(2**40), 2**40])
def test_actions_that_are_none(action: int) -> None:
    with pytest.raises(InvalidMove):
        table().game.move_text(table().state, 0, action)


JUNK = [
    *["", " ", "0", "51", "-1", "+1", "01", "1.0", "1e1", "1 ", " 1", "1\n", "1,2", "1 2", "1_0"],
    *[
        "1r",
        "r1",
        "red",
        "#1",
        "0x1",
        "None",
        "True",
        "٣",
        "²",
        "Ⅴ",
        "\uff11",
        "1\x00",
        "é",
        "\x00",
    ],
    *["9" * 1000, "x" * 1000, "17 | 18", "pass", "draw", "card:1", "a1-a2"],
]


@pytest.mark.parametrize("text", JUNK, ids=[repr(text[:20]) for text in JUNK])
def test_junk(text: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        table().game.parse_move(table().state, 0, text)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


@given(st.text("0123456789 +-_.", max_size=4) | st.text(max_size=4) | st.integers(-99, 99).map(str))
def test_texts_like_moves(text: str) -> None:
    """Whatever is read is written back as it was."""
    try:
        action = table().game.parse_move(table().state, 0, text)
    except InvalidMove:
        assert text not in map(str, CARDS)
    else:
        assert table().game.move_text(table().state, 0, action) == text


# Choices that are refused


def refused(one: Table, seat: int, card: int, why: str) -> None:
    """A choice is refused by name in one line, and nothing has changed."""
    before = content(one.state)
    with pytest.raises(IllegalAction, match=why) as caught:
        one.game.step(one.state, [card - 1], np.array([seat]))
    assert (caught.value.row, caught.value.seat, caught.value.action) == (0, seat, card - 1)
    assert "\n" not in str(caught.value)
    assert content(one.state) == before


def test_a_sealed_choice_stands() -> None:
    """Neither the same card nor another one is chosen by a seat that has chosen."""
    for card in (16, int(table().legal(0)[0]), *table().reference.hands[1]):
        refused(table(), 1, card, "seat 1 has nothing to decide")


def test_cards_that_are_not_in_hand() -> None:
    for card in set(CARDS) - set(table().reference.hands[0]):
        refused(table(), 0, card, f"{card} is not legal now")


def test_in_the_duel_variant_a_card_is_chosen_once() -> None:
    one = Table("11r 21g 16y 26b + 31p", num_players=2).choose(0, 21)
    refused(one, 0, 21, "21 is not legal now")
    refused(one, 0, 31, "31 is not legal now")
    refused(one.choose(0, 11), 0, int(one.reference.hands[0][0]), "seat 0 has nothing to decide")


def test_there_is_no_chance_after_the_deal() -> None:
    one = Table("11r 16y 21g 26b 31p")
    before = content(one.state)
    for text in ("", "11", "junk"):
        with pytest.raises(InvalidChance, match="game 0: "):
            one.game.step(one.state, [10], chance=[text])
        assert content(one.state) == before
    stream = one.state.stream.copy()
    one.game.step(one.state, [10], chance=[None])
    assert np.array_equal(one.state.stream, stream)


@pytest.mark.parametrize("text", ["", "-,-,17 | -,4,22 |  |  | ", " |  |  |  | ", "junk"])
def test_there_are_no_positions(text: Any) -> None:
    with pytest.raises(InvalidPosition, match="guardians"):
        Game().from_position([text])
