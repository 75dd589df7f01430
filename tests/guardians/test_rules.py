"""The rules by small examples: turns, explosions, the chief; decisions G1 to G4, G6 and G7.

Where five play, each seat has a column of its own unless said otherwise: the cards 11 to 15, 16 to
20 and so on, none of which has an arrow. Marks: 2 on 16 to 20 and on 31 to 35, else 1.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.guardians.cards import BESIDE, TAKEN
from chromazoo.envs.guardians.rules import first_taker
from tests.guardians.reference import CARDS
from tests.guardians.table import SideBySide, Table

FIRST = "11r 16y 21g 26b 31p"


def in_order(**options: Any) -> SideBySide:
    """A game whose deck lies in order of the numbers."""
    return SideBySide({"decks": [list(CARDS)]}, **options)


# The chief's cards and the deal


@pytest.mark.parametrize(
    ("num_players", "duel", "up", "down"),
    [(2, False, 1, 2), (2, True, 1, 0), (3, False, 1, 1), (4, False, 1, 0), (5, False, 0, 0)],
)
def test_the_chiefs_cards(num_players: int, duel: bool, up: int, down: int) -> None:
    """G2: also the one of the duel variant is face up."""
    game = in_order(num_players=num_players, duel=duel)
    top = 9 * num_players + 1
    assert game.reference.face_up == list(range(top, top + up))
    assert game.reference.face_down == list(range(top + up, top + up + down))
    assert [card for card in CARDS if game.see(0, "chief")[card - 1]] == game.reference.face_up


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_nine_cards_a_player(num_players: int) -> None:
    game = in_order(num_players=num_players, duel=False)
    for seat in range(num_players):
        assert game.reference.hands[seat] == list(range(9 * seat + 1, 9 * seat + 10))
    assert game.queue == " |  |  |  | "
    assert game.pending == list(range(num_players))


def test_in_the_duel_variant_the_chief_draws_first() -> None:
    """G4: the chief, seat 0, seat 1, in every turn."""
    game = in_order()
    assert game.reference.face_up == [19]
    assert game.reference.hands == [[*range(1, 10), 20], [*range(10, 19), 21]]
    game.choose(0, 1, 20).choose(1, 10, 21)
    assert game.reference.face_up == [22]
    assert game.reference.hands == [[*range(2, 10), 23], [*range(11, 19), 24]]


@pytest.mark.parametrize(("num_players", "drawn"), [(2, 3), (3, 2), (4, 1)])
def test_the_chief_draws_anew_every_turn(num_players: int, drawn: int) -> None:
    game = in_order(num_players=num_players, duel=False)
    for turn in range(8):
        top = 9 * num_players + turn * drawn + 1
        cards = list(range(top, top + drawn))
        assert [*game.reference.face_up, *game.reference.face_down] == cards
        for seat in range(num_players):
            game.choose(seat, int(game.legal(seat)[0]))
        assert game.reference.revealed[-1] == cards
    assert game.over


def test_five_play_without_the_chief() -> None:
    table = Table(FIRST).play()
    assert len(table.reference.pile) == 5
    assert [placement.owner for placement in table.placements] == [0, 1, 2, 3, 4]


def test_colours_by_default_go_round_with_the_numbers() -> None:
    """G1: 11 and 16 are red, 12 and 22 yellow."""
    assert Table("11 16 23 29 35").play().explosions == {16: [[11, 16]]}
    assert Table("11 17 23 29 35").play().explosions == {}
    assert Table("12 22 23 29 35").play().explosions == {22: [[12, 22]]}


# Choosing


def test_one_card_each() -> None:
    table = Table(FIRST)
    assert table.legal(1) == sorted(str(card) for card in table.reference.hands[1])
    assert len(table.legal(1)) == 9
    table.choose(1, 16)
    assert table.legal(1) == []
    assert table.pending == [0, 2, 3, 4]
    table.choose(4, 31).choose(0, 11).choose(3, 26)
    assert table.queue == " |  |  |  | "  # nothing is revealed before the last one
    table.choose(2, 21)
    assert table.queue == "11 | 16 | 21 | 26 | 31"
    assert table.pending == [0, 1, 2, 3, 4]


def test_two_cards_each_in_the_duel_variant() -> None:
    """G7: 0, 0, 1, 1; the second choice lacks the first card."""
    table = Table("11r 21g 16y 26b + 31p", num_players=2)
    assert len(table.legal()) == 10
    table.choose(0, 21)
    assert table.seat == 0
    assert len(table.legal()) == 9
    assert "21" not in table.legal()
    table.choose(0, 11)
    assert table.seat == 1
    table.choose(1, 16)
    assert table.seat == 1
    table.choose(1, 26)
    assert table.seat == 0
    assert table.queue == "11 | 16 | 21 | 26 | 31"


def test_the_two_cards_in_any_order_and_the_seats_too() -> None:
    """G7."""
    tables = [Table("11r 21g 16r 26g + 31g", num_players=2) for _ in range(2)]
    tables[0].choose(0, 11, 21).choose(1, 16, 26)
    tables[1].choose(1, 26).choose(0, 21).choose(1, 16).choose(0, 11)
    for viewer in (0, 1):
        one, other = (table.reference.knowledge(viewer) for table in tables)
        assert one == other


def test_a_card_is_chosen_once() -> None:
    table = Table(FIRST).play()
    assert "11" not in table.legal(0)
    assert len(table.legal(0)) == 8


# Placing


def test_cards_are_placed_by_number_whoever_chose_them() -> None:
    table = Table("31p 11r 26b 16y 21g").play()
    assert table.queue == "11 | 16 | 21 | 26 | 31"
    assert table.order == [11, 16, 21, 26, 31]


def test_the_chiefs_cards_are_placed_by_number_too() -> None:
    assert Table("26b 11r + 21g 31p 16y", num_players=2, duel=False).play().queue == (
        "11 | 16 | 21 | 26 | 31"
    )


def test_columns_grow_downwards() -> None:
    table = Table(FIRST, "12y 17g 22b 27p 32r").play()
    assert table.queue == "11,12 | 16,17 | 21,22 | 26,27 | 31,32"
    assert table.reference.queue[1, 0] == 11
    assert table.reference.queue[1, 1] == 12
    assert set(table.reference.ends.values()) == {2}
    assert table.marks == [0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("cards", "arrows"),
    [
        ("11 16 21 26 40", 0),
        ("10 16 21 26 40", 1),
        ("11 16 21 26 41", 1),
        ("1 10 11 40 39", 2),
        ("41 50 11 40 39", 2),
        ("10 41 11 40 39", 2),
        ("1 10 41 11 40", 3),
        ("10 50 41 11 40", 3),
        ("8 9 10 11 12", 3),
        ("39 40 41 42 43", 3),
        ("1 2 41 42 20", 4),
        ("1 2 3 4 5", 5),
        ("46 47 48 49 50", 5),
        ("5 10 41 46 50", 5),
    ],
)
def test_with_three_arrows_or_more_from_right_to_left(cards: str, arrows: int) -> None:
    table = Table(cards).play()
    numbers = sorted(int(card) for card in cards.split())
    assert table.order == (numbers if arrows < 3 else numbers[::-1])
    columns = [placement.column for placement in table.placements]
    assert columns == ([1, 2, 3, 4, 5] if arrows < 3 else [5, 4, 3, 2, 1])


@pytest.mark.parametrize(
    ("options", "two", "three"),
    [
        ({"num_players": 4}, "1 16 21 26 + 41", "1 2 21 26 + 41"),
        ({"num_players": 3}, "1 21 26 + 16 41", "1 21 26 + 2 41"),
        ({"num_players": 2, "duel": False}, "21 26 + 16 1 41", "21 26 + 2 1 41"),
        ({"num_players": 2}, "1 16 21 26 + 41", "1 2 21 26 + 41"),
    ],
)
def test_the_chiefs_arrows_count(options: dict[str, Any], two: str, three: str) -> None:
    assert Table(two, **options).play().order[0] == 1
    assert Table(three, **options).play().order[0] == 41


def test_the_direction_decides_who_causes_an_explosion() -> None:
    table = Table("1r 2r 16g 21b 31p").play()
    assert table.explosions == {2: [[1, 2]]}
    assert table.marks == [0, 6, 0, 0, 0]
    table = Table("1r 2r 3g 21b 31p").play()
    assert table.explosions == {1: [[1, 2]]}
    assert table.marks == [6, 0, 0, 0, 0]


def test_the_direction_is_that_of_the_turn_alone() -> None:
    table = Table("1r 2y 3g 26b 31p", "4y 5g 22b 27p 32r").play(1)
    assert table.order == [31, 26, 3, 2, 1]
    assert table.play().order == [4, 5, 22, 27, 32]


def test_rows_are_absolute_from_left_to_right() -> None:
    """G3: the next column, not served yet, ends one space higher: 17 lies below 21, not beside."""
    table = Table("11y 16g 21r 26b 31p", "12b 17r 22g 27y 32b").play()
    assert table.explosions == {}
    assert table.queue == "11,12 | 16,17 | 21,22 | 26,27 | 31,32"


def test_rows_are_absolute_from_right_to_left() -> None:
    """G3: 41 goes to column 4, in the row below 21."""
    table = Table("11y 16g 21r 26b 31p", "1b 2y 3g 41r 42y").play()
    assert table.order == [42, 41, 3, 2, 1]
    assert table.explosions == {}


# Explosions


def test_cards_of_one_colour_side_by_side_explode() -> None:
    table = Table("11r 16r 21g 26b 31p").play()
    assert table.explosions == {16: [[11, 16]]}
    assert table.queue == "- | - | 21 | 26 | 31"
    assert table.exploded(1) == [11, 16]
    assert table.marks == [0, 3, 0, 0, 0]


def test_cards_of_one_colour_one_above_the_other_explode() -> None:
    table = Table(FIRST, "12r 17g 22b 27p 32y").play()
    assert table.explosions == {12: [[11, 12]]}
    assert table.queue == "-,- | 16,17 | 21,22 | 26,27 | 31,32"
    assert table.marks == [2, 0, 0, 0, 0]


def test_side_by_side_from_right_to_left() -> None:
    table = Table("1r 2g 3y 41y 46p").play()
    assert table.explosions == {3: [[3, 41]]}
    assert table.exploded(2) == [3, 41]
    assert table.queue == "1 | 2 | - | - | 46"


def test_the_placed_card_the_one_above_and_the_one_beside_explode() -> None:
    table = Table(FIRST, "12y 17y 22b 27p 32r").play()
    assert table.explosions == {17: [[12, 16, 17]]}
    assert table.queue == "-,11 | -,- | 21,22 | 26,27 | 31,32"
    assert table.exploded(1) == [12, 16, 17]


def test_corners_do_not_touch() -> None:
    """Each card of the second turn has one of its colour diagonally above."""
    table = Table(FIRST, "12y 17r 22y 27g 32b").play()
    assert table.explosions == {}
    assert table.queue == "11,12 | 16,17 | 21,22 | 26,27 | 31,32"


def test_the_queue_has_two_sides_that_do_not_touch() -> None:
    """Columns 1 and 5 are no neighbours, and no column is a neighbour of itself."""
    table = Table("11r 16y 21g 26b 31r", "12y 17g 22b 27p 32g").play()
    assert table.explosions == {}


def test_a_card_alone_does_not_explode() -> None:
    """All five colours apart, then a colour that is in the queue but touches none of its own."""
    table = Table(FIRST, "12p 17r 22y 27g 32b").play()
    assert table.explosions == {}
    assert table.marks == [0, 0, 0, 0, 0]


def test_cards_above_a_hole_slide_down() -> None:
    table = Table(FIRST, "12g 17g 22b 27p 32r").play()
    assert table.explosions == {17: [[12, 17]]}
    assert table.queue == "-,11 | -,16 | 21,22 | 26,27 | 31,32"


def test_the_next_card_meets_the_cards_where_they_slid() -> None:
    """17 and 12 explode, 16 slides beside 22."""
    table = Table(FIRST, "12g 17g 22y 27p 32r").play()
    assert table.explosions == {17: [[12, 17]], 22: [[16, 22]]}
    assert table.queue == "-,11 | -,- | -,21 | 26,27 | 31,32"
    assert table.exploded(1) == [12, 17]
    assert table.exploded(2) == [16, 22]


def test_explosions_come_after_each_single_card() -> None:
    """21 would make three with 11 and 16, which are gone before it comes."""
    table = Table("11r 16r 21r 26b 31p").play()
    assert table.explosions == {16: [[11, 16]]}
    assert table.queue == "- | - | 21 | 26 | 31"


def test_pairs_of_a_row_explode_one_after_the_other() -> None:
    table = Table("11r 16r 21r 26r 31r").play()
    assert table.explosions == {16: [[11, 16]], 26: [[21, 26]]}
    assert table.queue == "- | - | - | - | 31"
    assert table.marks == [0, 3, 0, 2, 0]


def test_queue_cards_do_not_move_up() -> None:
    """G6: the columns that were emptied go on below."""
    table = Table("11r 16r 21g 26b 31p", "12y 17b 22y 27p 32r").play()
    assert table.queue == "-,12 | -,17 | 21,22 | 26,27 | 31,32"
    assert table.reference.ends == dict.fromkeys([1, 2, 3, 4, 5], 2)


def test_after_an_explosion_rows_are_counted_from_the_top() -> None:
    """G6: 17 comes to lie in the second row of an empty column, not beside 21."""
    table = Table("11r 16r 21g 26b 31p", "12y 17g 22b 27p 32r").play()
    assert table.explosions == {}


# Chains


def test_a_slide_makes_another_explosion() -> None:
    """18 and 17 explode, 16 slides down two spaces, beside 13."""
    table = Table("11b 16r 21g 26b 31p", "12y 17g 22b 27p 32r", "13r 18g 23y 28g 33b").play(2)
    assert table.marks == [0, 0, 0, 0, 0]
    table.play()
    assert table.explosions == {18: [[17, 18], [13, 16]]}
    assert table.queue == "-,11,12 | -,-,- | 21,22,23 | 26,27,28 | 31,32,33"
    assert table.exploded(1) == [13, 16, 17, 18]
    assert table.marks == [0, 7, 0, 0, 0]


def test_a_chain_goes_on_until_no_cards_of_one_colour_touch() -> None:
    """19 and 18; then 16 comes beside 13; then 12 slides onto 14."""
    table = Table(
        "11b 16r 21g 26y 31p",
        "12y 17p 22b 27p 32g",
        "13r 18g 23p 28y 33r",
        "14y 19g 24b 29g 34p",
    ).play(3)
    assert table.marks == [0, 0, 0, 0, 0]
    table.play()
    assert table.explosions == {19: [[18, 19], [13, 16], [12, 14]]}
    assert table.queue == "-,-,-,11 | -,-,-,17 | 21,22,23,24 | 26,27,28,29 | 31,32,33,34"
    assert table.exploded(1) == [12, 13, 14, 16, 18, 19]
    assert table.marks == [0, 9, 0, 0, 0]


ALL_AT_ONCE = ["11y 16g 21r 26b 31p", "12g 17r 22b 27y 32g", "13p 18b 23b 28r 33b"]


def test_in_a_chain_all_colours_explode_at_once() -> None:
    """After three blue cards a green pair and below it a red one.

    Were red to explode first, column 2's green card would slide away from column 1's.
    """
    table = Table(*ALL_AT_ONCE).play()
    assert table.explosions == {23: [[18, 22, 23], [12, 16, 17, 21]]}
    assert table.queue == "-,11,13 | -,-,- | -,-,- | 26,27,28 | 31,32,33"
    assert table.exploded(2) == [12, 16, 17, 18, 21, 22, 23]
    assert table.marks == [0, 0, 10, 0, 0]


def test_in_a_chain_cards_below_a_hole_stay() -> None:
    """12 explodes in the middle of its column: 11 slides down on 13, which has not moved."""
    table = Table(*ALL_AT_ONCE).play()
    assert table.reference.queue[1, 2] == 13
    assert table.reference.queue[1, 1] == 11


def test_a_chain_ends_before_the_next_card_is_placed() -> None:
    """28, red as 17 and 21, comes when they are gone."""
    table = Table(*ALL_AT_ONCE).play()
    assert table.reference.queue[4, 2] == 28


# Who gets what exploded


def test_who_played_the_placed_card_gets_all() -> None:
    """Seat 3 plays 16, seat 0 has played 11."""
    table = Table("11r 21g 26b 16r 31p").play()
    assert table.exploded(3) == [11, 16]
    assert table.marks == [0, 0, 0, 3, 0]


def test_marks_and_cards_add_up() -> None:
    table = Table("11r 16r 21g 26b 31p", "12y 17y 22b 27p 32r").play()
    assert table.exploded(1) == [11, 12, 16, 17]
    assert table.marks == [0, 6, 0, 0, 0]


@pytest.mark.parametrize(
    ("pair", "marks"),
    [
        *(("1r 2r", 6), ("4r 5r", 6), ("5r 6r", 4), ("10r 11r", 2), ("15r 16r", 3)),
        *(("16r 17r", 4), ("19r 20r", 4), ("20r 21r", 3), ("25r 26r", 2), ("30r 31r", 3)),
        *(("34r 35r", 4), ("35r 36r", 3), ("40r 41r", 2), ("45r 46r", 4), ("49r 50r", 6)),
    ],
)
def test_marks_on_cards(pair: str, marks: int) -> None:
    """At the edges between three, two and one."""
    assert Table(f"{pair} 22y 23g 24b").play().marks == [0, marks, 0, 0, 0]


# The chief's explosions

OF_THE_CHIEF = "11r 21g 26b 31p + 16r"


def test_what_the_chief_makes_explode_lies_beside() -> None:
    table = Table(OF_THE_CHIEF, num_players=4).play()
    assert table.explosions == {16: [[11, 16]]}
    assert table.queue == "- | - | 21 | 26 | 31"
    assert table.beside == [11, 16]
    assert table.marks == [0, 0, 0, 0]


def test_the_next_to_cause_an_explosion_takes_it_in_the_same_turn() -> None:
    table = Table("11r 21g 26g 31p + 16r", num_players=4).play()
    assert table.explosions == {16: [[11, 16]], 26: [[21, 26]]}
    assert table.beside == []
    assert table.exploded(2) == [11, 16, 21, 26]
    assert table.marks == [0, 0, 5, 0]


def test_it_is_taken_once() -> None:
    """Seat 2 takes it; seat 3 later gets its own explosion alone."""
    table = Table("11r 21g 26g 31b + 16r", "12y 17p 27g 22p + 32r", num_players=4).play()
    assert table.explosions == {22: [[17, 22]]}
    assert table.exploded(3) == [17, 22]
    assert table.marks == [0, 0, 5, 3]


def test_the_next_to_cause_an_explosion_takes_it_in_a_later_turn() -> None:
    """A placement without an explosion takes nothing, such as 12."""
    table = Table(OF_THE_CHIEF, "12y 17p 22b 27p + 32r", "13b 18b 23y 28g + 33b", num_players=4)
    table.play(2)
    assert table.beside == [11, 16]
    assert table.marks == [0, 0, 0, 0]
    table.play()
    assert table.explosions == {18: [[13, 18]]}
    assert table.beside == []
    assert table.exploded(1) == [11, 13, 16, 18]
    assert table.marks == [0, 6, 0, 0]


def test_further_explosions_of_the_chief_add_to_it() -> None:
    turns = [OF_THE_CHIEF, "12y 22r 27p 32r + 17y", "13g 23y 28g 33g + 18b"]
    table = Table(*turns, num_players=4).play(2)
    assert table.explosions == {17: [[12, 17]]}
    assert table.beside == [11, 12, 16, 17]
    table.play()
    assert table.explosions == {33: [[28, 33]]}
    assert table.beside == []
    assert table.exploded(3) == [11, 12, 16, 17, 28, 33]
    assert table.marks == [0, 0, 0, 9]


def test_an_explosion_before_the_chiefs_takes_nothing_of_it() -> None:
    table = Table("11r 16r 21g 26b + 31b", num_players=4).play()
    assert table.explosions == {16: [[11, 16]], 31: [[26, 31]]}
    assert table.exploded(1) == [11, 16]
    assert table.beside == [26, 31]


def test_who_explodes_after_the_chief_takes_it_not_who_did_before() -> None:
    """Three columns explode one after the other: seat 0's, the chief's, seat 1's."""
    table = Table("11r 16y 21g 26b + 31p", "12r 22g 27p 32b + 17y", num_players=4).play()
    assert table.explosions == {12: [[11, 12]], 17: [[16, 17]], 22: [[21, 22]]}
    assert table.exploded(0) == [11, 12]
    assert table.exploded(1) == [16, 17, 21, 22]
    assert table.marks == [2, 6, 0, 0]


def test_from_right_to_left_the_chiefs_explosion_comes_before_those_on_its_left() -> None:
    """The chief's 41 explodes with 42, then seat 1's 2 with 3."""
    table = Table("1r 2g 3g 42b + 41b", num_players=4).play()
    assert table.explosions == {41: [[41, 42]], 2: [[2, 3]]}
    assert table.exploded(1) == [2, 3, 41, 42]
    assert table.beside == []


def test_a_whole_chain_of_the_chief_lies_beside() -> None:
    table = Table(
        *("11b 21g 26b 31p + 16r", "12y 22b 27p 32r + 17g", "13r 23y 28g 33b + 18g"),
        num_players=4,
    ).play()
    assert table.explosions == {18: [[17, 18], [13, 16]]}
    assert table.beside == [13, 16, 17, 18]
    assert table.marks == [0, 0, 0, 0]


def test_a_chain_takes_what_lies_beside() -> None:
    """After the chief's 31 of the second turn, seat 1's 18 of the third."""
    table = Table(
        *("11b 16r 21g 26y + 31p", "12y 17g 22b 27p + 32p", "13r 18g 23y 28g + 33b"),
        num_players=4,
    ).play(2)
    assert table.beside == [27, 31, 32]
    table.play()
    assert table.explosions == {18: [[17, 18], [13, 16]]}
    assert table.exploded(1) == [13, 16, 17, 18, 27, 31, 32]


@pytest.mark.parametrize(
    ("turn", "options"),
    [
        ("11r 21g 26b + 31p 16r", {"num_players": 3}),
        ("11r 26b + 31p 16r 21g", {"num_players": 2, "duel": False}),
        ("11r 26b + 31p 21g 16r", {"num_players": 2, "duel": False}),
        ("11r 21g 26b 31p + 16r", {"num_players": 2}),
    ],
)
def test_with_fewer_players_and_face_down_cards_it_is_the_same(
    turn: str, options: dict[str, Any]
) -> None:
    table = Table(turn, **options).play()
    assert table.explosions == {16: [[11, 16]]}
    assert table.beside == [11, 16]
    assert not any(table.marks)


def test_in_the_duel_variant_both_cards_of_a_seat_count_for_it() -> None:
    """Also an explosion of two cards of one's own."""
    table = Table("11r 16r 21g 26g + 31p", num_players=2).play()
    assert table.exploded(0) == [11, 16]
    assert table.exploded(1) == [21, 26]
    assert table.marks == [3, 2]


@given(st.lists(st.sampled_from([0, 0, 0, TAKEN, TAKEN + 1, TAKEN + 4]), min_size=8, max_size=8))
def test_the_first_whose_card_causes_an_explosion_takes(places: list[int]) -> None:
    causing = np.array(places, np.uint8).view(np.uint64)
    expected = next((place for place in places if place), BESIDE)
    assert first_taker(causing).tolist() == [expected]
