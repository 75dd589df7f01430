"""The drawing of a game, and the queue in the notation of the rules page."""

import numpy as np
import pytest

from chromazoo.envs.guardians.drawing import queue_text
from chromazoo.envs.guardians.rules import Game
from tests.contract.play import content
from tests.guardians.play import PLAYERS
from tests.guardians.table import Table
from tests.guardians.test_ends import quiet_round

TWO_TURNS = ("11r 21g 26b 31p + 16r", "12y 17y 22b 27p + 32r")


def drawn(table: Table) -> list[str]:
    """The lines of a game's drawing."""
    return table.game.text(table.state).splitlines()


def test_the_queue_in_text() -> None:
    """From the top down to the queue card, empty spaces above the cards as -."""
    table = Table(*TWO_TURNS, num_players=4)
    assert queue_text(table.state, 0) == " |  |  |  | "
    table.play(1)
    assert queue_text(table.state, 0) == "- | - | 21 | 26 | 31"
    table.play()
    assert queue_text(table.state, 0) == "-,- | -,- | 21,22 | 26,27 | 31,32"


def test_the_queue_in_text_of_every_row() -> None:
    tables = [Table(*TWO_TURNS, num_players=4).play(number) for number in range(3)]
    game = tables[0].game
    state = tables[0].state.take([0, 0, 0])
    for row, table in enumerate(tables):
        state.put([row], table.state)
    for row, table in enumerate(tables):
        assert queue_text(state, row) == table.queue
        assert game.text(state, row) == game.text(table.state)


def test_the_queue_is_drawn_from_the_top() -> None:
    """Numbers with the first letters of their colours, a line for each space."""
    table = Table(*TWO_TURNS, num_players=4).play()
    lines = drawn(table)
    assert lines[0].split() == [".", ".", "21g", "26b", "31p"]
    assert lines[1].split() == [".", ".", "22b", "27p", "32r"]
    assert len({len(line) for line in lines[:3]}) == 1
    assert len(drawn(Table(*TWO_TURNS, num_players=4))) == len(lines) - 2


def test_what_all_may_see_is_drawn() -> None:
    """The chief's open card, what lies beside it, marks, cards and turn of every seat."""
    table = Table(*TWO_TURNS, num_players=4).play(1)
    text = "\n".join(drawn(table))
    assert "32 face up" in text
    assert "beside: 11 16" in text
    assert "turn 2 of 8" in text
    assert "round 1 of 1" in text
    assert all(f"seat {seat}: 0 marks, 8 cards" in text for seat in range(4))
    table.choose(0, 12)
    assert "\n".join(drawn(table)) == text
    for seat, card in ((1, 17), (2, 22), (3, 27)):
        table.choose(seat, card)
    text = "\n".join(drawn(table))
    assert "beside: none" in text
    assert "seat 1: 6 marks, 7 cards" in text
    assert "turn 3 of 8" in text


def test_the_last_turn_is_drawn() -> None:
    """Who brought what, and what lies in front of whom; nothing of the turn that is under way."""
    table = Table(*TWO_TURNS, num_players=4)
    assert "last turn: none; beside: none" in drawn(table)[1]
    assert all("last turn: none; in front: none" in line for line in drawn(table)[2:6])
    table.play().choose(0, table.reference.hands[0][0])
    chief, *seats = drawn(table)[3:8]
    assert "last turn: 32; beside: none" in chief
    in_front = ["none", "11 12 16 17", "none", "none"]
    for line, brought, exploded in zip(seats, (12, 17, 22, 27), in_front, strict=True):
        assert line.endswith(f"; last turn: {brought}; in front: {exploded}")


def test_how_it_ended_is_drawn() -> None:
    table = Table(*quiet_round(2, "19"), last="9 50", num_players=2).play(7)
    assert "turn 8 of 8" in drawn(table)[-1]
    table.play()
    assert "marks" in drawn(table)[-1]
    assert "[-1.0, 1.0]" in drawn(table)[-1]
    assert not any("50" in line for line in drawn(table)), "a last card"


@pytest.mark.parametrize(("num_players", "duel"), PLAYERS)
def test_drawing_changes_nothing(num_players: int, duel: bool) -> None:
    game = Game(num_players=num_players, duel=duel, rounds=2)
    state = game.deal(np.arange(4))
    before = content(state)
    texts = [game.text(state, row) for row in range(4)]
    assert content(state) == before
    assert len(set(texts)) == (1 if num_players == 5 else 4), "the chief's open cards differ"
