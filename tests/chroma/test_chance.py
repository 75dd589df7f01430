"""The card that a Gift takes: how it is drawn, and as records give it."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.errors import InvalidChance
from tests.chroma.table import HANDS, Table
from tests.contract.chances import evenly, far_from

SEEDS = 20_000


def many(table: Table, seeds: Any) -> ChromaState:
    """A table's game as it is, with other seeds."""
    state = table.state.take(np.zeros(len(seeds), np.int64))
    state.stream = table.game.deal(seeds).stream
    return state


def take(game: Game, state: ChromaState, text: str) -> list[str]:
    """Take a card in every game; return the cards."""
    before, action = state.copy(), game.parse_move(state, 0, text)
    game.step(state, np.full(len(state), action))
    cards = [game.chance_text(before, state, row, action) for row in range(len(state))]
    assert None not in cards
    return [str(card) for card in cards]


def step_all(game: Game, state: ChromaState, text: str) -> None:
    game.step(state, np.full(len(state), game.parse_move(state, 0, text)))


# How chance takes


@pytest.mark.parametrize("hand", ["c6 c6 c6 c7 c8", "c6 c6 c6 c6 c7", "c6 c7 c8 c9 c10"])
def test_every_card_of_the_hand_is_taken_as_often(hand: str) -> None:
    """Cards, not kinds."""
    table = Table("c1+gift c2 c3 c4 c5", "c9", hand, power_copies=1).play("c1+gift@e4")
    for seeds in (np.arange(SEEDS), np.arange(SEEDS, dtype=np.uint64) << np.uint64(44)):
        taken = Counter(take(table.game, many(table, seeds), "gift:2"))
        assert not far_from(Counter(taken), evenly(Counter(hand.split())))


def test_the_same_kind_twice_in_a_hand_with_powers() -> None:
    table = Table("c1+gift c2", "c6 c6 c6+magnet c7 c7", power_copies=1).play("c1+gift@e4")
    taken = Counter(take(table.game, many(table, np.arange(SEEDS)), "gift:1"))
    assert not far_from(Counter(taken), evenly(Counter(table.hand(1))))


def test_what_is_taken_says_nothing_of_the_deal_nor_of_the_next_gift() -> None:
    """Two gifts, with the seeds of dealt games: who began there, and the first card of its deck."""
    table = Table("c1+gift c2 c3 c4 c5", "c6+gift c7 c8 c9 c10", pile="c11 c12")
    seeds = np.arange(SEEDS)
    setups = Game(power_copies=0).setups(seeds)
    state = many(table.play("c1+gift@e4"), seeds)
    first = take(table.game, state, "gift:1")
    # Seat 1 gets its card back, and so may use its own gift in all games.
    back = [table.game.parse_move(state, 0, f"give:{card}") for card in first]
    table.game.step(state, np.array(back))
    step_all(table.game, state, "c6+gift@d4")
    second = take(table.game, state, "gift:0")
    begins = [setup["first_player"] for setup in setups]
    centre = [setup["deck"][0] for setup in setups]
    kinds = {tuple(sorted(set(values))): values for values in (first, second)}
    for names, values in kinds.items():
        for others in (begins, centre, first if values is second else second):
            both: Counter[Any] = Counter(zip(values, others, strict=True))
            ways = {(name, other): 1 for name in names for other in set(others)}
            assert not far_from(both, evenly(ways))


def test_a_gift_moves_the_stream_and_nothing_else_does() -> None:
    table = Table("c1+gift c2 c3 c4 c5", HANDS[1])
    streams = []
    for moves in ("c1+gift@e4", "gift:1=c7", "give:c2", "c6@d4", "c3@c4"):
        streams.append(int(table.state.stream[0]))
        table.play(moves)
    assert len(set(streams)) == 1  # recorded chance leaves the stream alone
    state = Table("c1+gift c2", "c6").play("c1+gift@e4").state
    before = int(state.stream[0])
    step_all(table.game, state, "gift:1")
    assert int(state.stream[0]) != before


# Chance as records give it


def refused(game: Game, state: ChromaState, actions: list[int], chance: Any, row: int) -> str:
    """The chance is refused because of this row, in one line, and nothing has changed."""
    before = {name: array.copy() for name, array in state.arrays.items()}
    with pytest.raises(InvalidChance) as caught:
        game.step(state, actions, chance=chance)
    assert caught.value.row == row
    assert f"game {row}:" in str(caught.value)
    assert "\n" not in str(caught.value)
    for name, array in state.arrays.items():
        assert np.array_equal(array, before[name]), name
    return str(caught.value)


def test_every_card_of_the_hand_may_be_taken() -> None:
    table = Table("c1+gift c2", HANDS[1]).play("c1+gift@e4")
    action = table.game.parse_move(table.state, 0, "gift:1")
    for card in HANDS[1].split():
        after = table.state.copy()
        table.game.step(after, [action], chance=[card])
        assert table.game.chance_text(table.state, after, 0, action) == card


@pytest.mark.parametrize(
    "chance",
    [None, "", "c2", "c11", "c20", "c7 ", "C7", "c7+lock", "c7@f5", "gift:1", "1", "é", "c" * 999],
)
def test_chance_that_is_missing_or_impossible(chance: str | None) -> None:
    table = Table("c1+gift c2", HANDS[1]).play("c1+gift@e4")
    other = Table("c1+gift c2", HANDS[1])
    state = table.state.take([0, 0])
    state.put([0], other.state)
    actions = [other.game.parse_move(other.state, 0, "c1+gift@e4")]
    actions.append(table.game.parse_move(table.state, 0, "gift:1"))
    line = refused(table.game, state, actions, [None, chance], row=1)
    assert "c10" in line
    assert len(line) < 300
    table.game.step(state, actions, chance=[None, "c7"])


def test_chance_where_none_is_due() -> None:
    """At a placement, at a power that is no gift, at the card that is given, at a finished game."""
    table = Table("c1+gift c2 c3+lock c4", HANDS[1])
    for move in ("c1+gift@e4", "skip", "c6@d4", "c3+lock@c4", "use"):
        action = table.game.parse_move(table.state, 0, move)
        for chance in ("c7", "", "junk"):
            refused(table.game, table.state, [action], [chance], row=0)
        table.play(move)
    table = Table("c1+gift c2", HANDS[1]).play("c1+gift@e4 gift:1=c7")
    action = table.game.parse_move(table.state, 0, "give:c2")
    refused(table.game, table.state, [action], ["c2"], row=0)


def test_chance_needs_one_entry_a_game() -> None:
    table = Table("c1+gift c2", HANDS[1]).play("c1+gift@e4")
    action = table.game.parse_move(table.state, 0, "gift:1")
    for chance in ([], ["c7", None]):
        with pytest.raises(ValueError, match="chance"):
            table.game.step(table.state, [action], chance=chance)


def test_chance_is_a_text() -> None:
    table = Table("c1+gift c2", HANDS[1]).play("c1+gift@e4")
    action = table.game.parse_move(table.state, 0, "gift:1")
    junk: list[Any] = [["c7"], 7, {}, b"c7"]
    for chance in junk:
        refused(table.game, table.state, [action], [chance], row=0)


def test_only_a_gift_has_a_chance_text() -> None:
    table = Table("c1+gift c2 c3+lock c4", HANDS[1])
    for move in ("c1+gift@e4", "skip", "c6@d4", "c3+lock@c4", "use"):
        before, action = table.state.copy(), table.game.parse_move(table.state, 0, move)
        table.play(move)
        assert table.game.chance_text(before, table.state, 0, action) is None
