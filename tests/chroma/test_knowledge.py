"""Who may see what (C13), by examples."""

from tests.chroma.table import HANDS, MOST, ONE_LEFT, TWO_LEFT, Table, pile, wheel

NEXT = "c16 c17 c18 c19"
THREE = (*HANDS, "c11 c12 c13 c14 c15")
# As ONE_LEFT, with a seat 2 that goes to the right from the centre: seat 0 has the first card of
# the pile left; seat 1 has c10 and four cards of the pile, the second among them.
THREE_ONE_LEFT = "c1@e4 c6@e5 c11@g4 c2@f5 c7@e6 c12@h4 c3@f6 c8@e7 c13@i4 c4@f7 c9@e3 c14@j4 c5@f3"


def three_one_left(gift: str) -> Table:
    drawn = f"c16 {gift} c17 c18 c19 c16+lock c17+lock c18+lock c19+lock"
    return Table(*THREE, pile=drawn).play(THREE_ONE_LEFT)


def everything_known(table: Table) -> list[list[str]]:
    seats = range(table.game.num_seats)
    return [table.known(seat, holder) for seat in seats for holder in seats if seat != holder]


def test_nothing_is_known_at_first() -> None:
    table = Table(*THREE)
    assert everything_known(table) == [[]] * 6
    for seat in range(3):
        assert sum(table.see(seat, "unseen")) == 100 - 1 - 5


def test_a_hand_of_one_card_is_shown_to_all() -> None:
    table = three_one_left("c16+gift")
    assert table.known(1, 0) == table.known(2, 0) == ["c16"]
    assert table.known(2, 1) == table.known(1, 2) == []


def test_what_was_shown_is_remembered_while_it_is_certain() -> None:
    """The single card c19 does not fit: seat 0 draws, and later lays that card down, or plays."""
    table = Table(*HANDS, pile=pile("c19"), wheel=wheel(MOST)).play(ONE_LEFT)
    assert table.known(1, 0) == ["c19"]
    table.play("c10@e2 draw")
    assert table.see(1, "sizes") == [5, 2]
    assert table.known(1, 0) == ["c19"]
    drawn = next(card for card in table.hand(0) if card != "c19")
    table.play("c12@d3")
    table.play(f"{drawn}@g4")
    if table.seat == 0:
        table.play("skip")
    assert table.known(1, 0) == ["c19"]  # the card that left was another one


def test_a_card_placed_from_a_known_hand_is_no_longer_in_it() -> None:
    table = Table(*HANDS, pile=pile()).play(ONE_LEFT + " c10@e2")
    assert table.known(1, 0) == ["c11"]
    table.play("c11@g4")  # and draws a card, which is shown
    assert table.known(1, 0) == table.hand(0) != ["c11"]


def test_a_gift_is_seen_by_the_two_concerned() -> None:
    table = Table("c1+gift c2 c3 c4 c5", HANDS[1], THREE[2], pile=NEXT)
    table.play("c1+gift@e4 gift:1=c7")
    assert table.known(1, 0) == ["c7"]
    assert everything_known(table).count([]) == 5
    table.play("give:c5")
    assert table.known(1, 0) == ["c7"]
    assert table.known(0, 1) == ["c5"]
    assert everything_known(table).count([]) == 4


def test_a_card_given_back_is_known_where_it_is() -> None:
    table = Table("c1+gift c2 c3 c4 c5", HANDS[1], THREE[2], pile=NEXT)
    table.play("c1+gift@e4 gift:1=c7 give:c7")
    assert table.known(1, 0) == []
    assert table.known(0, 1) == ["c7"]
    assert table.known(2, 1) == []


def test_a_placement_takes_away_only_the_card_itself() -> None:
    for card, left in (("c6", ["c5"]), ("c5", [])):
        table = Table("c1+gift c2 c3 c4 c5", HANDS[1], THREE[2], pile=NEXT)
        table.play(f"c1+gift@e4 gift:1=c7 give:c5 {card}@d4")
        assert table.known(0, 1) == left


def test_equal_cards_are_counted() -> None:
    """Seat 0 knows of one c5 in seat 1's hand; seat 1 places a c5, which may be that one."""
    table = Table("c1+gift c2 c3 c5 c5", "c5 c5 c6 c7 c8", "c9", power_copies=1)
    table.play("c1+gift@e4 gift:1=c7 give:c5")
    assert table.known(0, 1) == ["c5"]
    table.play("c5@d4")
    assert table.known(0, 1) == []


def test_hidden_cards_that_leave_a_hand_take_what_was_known_with_them() -> None:
    """Seat 0 knows c5 of seat 1, who then gives seat 2 a card that seat 0 does not see."""
    table = Table("c1+gift c2 c3 c4 c5", "c6+gift c7 c8 c9 c10", THREE[2], pile=NEXT)
    table.play("c1+gift@e4 gift:1=c7 give:c5")
    assert table.known(0, 1) == ["c5"]
    table.play("c6+gift@d4 gift:2=c13")
    assert table.known(0, 1) == ["c5"]  # a card came, none left
    assert table.known(2, 1) == ["c13"]
    assert table.known(1, 0) == ["c7"]
    table.play("give:c8")
    assert table.known(0, 1) == []
    assert table.known(2, 1) == ["c13"]
    assert table.known(1, 2) == ["c8"]
    assert table.known(0, 2) == []


def test_a_taken_card_leaves_hidden_for_the_third() -> None:
    """Seat 2 takes from seat 1: what seat 0 knew of seat 1 is dropped, not what seat 2 knows."""
    table = Table("c1+gift c2 c3 c4 c5", HANDS[1], "c11+gift c12 c13 c14 c15", pile=NEXT)
    table.play("c1+gift@e4 gift:1=c7 give:c5 c6@d4 c11+gift@g4 gift:1=c9")
    assert table.known(0, 1) == []
    assert table.known(1, 0) == ["c7"]
    assert table.known(1, 2) == ["c9"]


def test_a_wild_card_is_known_to_who_placed_it() -> None:
    start = "c1+gift@e4 gift:1=c9 give:c5 c6@f5 c2@d4 c7@d5 c3@e5"
    table = Table("c1+gift c2 c3 c4 c5", HANDS[1], pile=pile()).play(start)
    assert table.known(1, 0) == ["c9"]
    table.play("wild:c4@a1")
    assert table.known_wild(0, "a1") == "c4"
    assert table.known_wild(1, "a1") is None
    assert table.known(1, 0) == []  # it may have been c9
    assert table.see(1, "wild")[0][0] == 1
    assert table.see(1, "unseen")[table.types.index("c4")] == 1
    assert table.see(0, "unseen")[table.types.index("c4")] == 0


def test_a_wild_card_of_a_shown_hand_is_known_to_all() -> None:
    """Seat 0 touches three with two cards: the other one is shown before it is laid."""
    table = Table(*HANDS, pile="c11 c12 c13 c14 c15 c19+lock c17 c18 c16")
    table.play(TWO_LEFT + " c9@e3 c5@g4 c10@d5 c11@h4 c12@d3 c19+lock@d4")
    assert table.hand(0) == ["c18"]
    assert table.known(1, 0) == ["c18"]
    table.play("wild:c18@a1")
    assert table.known_wild(1, "a1") == table.known_wild(0, "a1") == "c18"
    assert table.legal == ["skip", "use"]


def test_a_single_card_that_is_taken_is_known_to_all() -> None:
    table = three_one_left("c16+gift").play("c16+gift@e2 gift:0=c16")
    assert table.see(0, "sizes")[0] == 0
    assert table.known(0, 1) == table.known(2, 1) == ["c16"]
    table.play("give:c10")  # seat 0's only card now, so seen by all
    assert table.known(2, 0) == table.known(1, 0) == ["c10"]
    assert table.known(0, 1) == ["c16"]
    assert table.known(2, 1) == []  # a hidden card left it


def test_a_hand_that_a_gift_brings_down_to_one_is_shown() -> None:
    """C13 judges at every decision: seat 0 has c5 and c16, one of which seat 1 takes."""
    drawn = "c16 c16+gift c17 c18 c19 c16+lock c17+lock c18+lock c19+lock"
    table = Table("c1 c2 c3 c4+gift c5", *THREE[1:], pile=drawn)
    table.play("c1@e4 c6@e5 c11@g4 c2@f5 c7@e6 c12@h4 c3@f6 c8@e7 c13@i4 c4+gift@f7 skip")
    assert table.see(0, "sizes")[0] == 2
    table.play("c16+gift@e3 gift:0=c5")
    assert table.known(2, 0) == table.known(1, 0) == ["c16"]
    assert table.known(0, 1) == ["c5"]
    assert table.known(2, 1) == []
    table.play("give:c10")
    assert table.known(2, 0) == ["c16"]
    assert table.known(1, 0) == ["c10", "c16"]


def test_the_card_that_a_gift_leaves_in_an_empty_hand_is_shown() -> None:
    """C11 and C13: seat 0 takes a card with an empty hand, all see it, and it goes back."""
    drawn = "c16+gift c16 c17 c18 c19 c16+lock c17+lock c18+lock c19+lock"
    table = Table(*THREE, pile=drawn).play(THREE_ONE_LEFT)
    assert table.known(1, 0) == ["c16+gift"]
    table.play("c10@e2 c15@k4 c16+gift@f2 gift:2=c17")
    assert table.known(1, 0) == table.known(2, 0) == ["c17"]
    table.play("give:c17")
    assert table.ended()[0] == "empty-hand"
    assert table.known(0, 2) == table.known(1, 2) == ["c17"]


def test_unseen_cards_are_those_in_the_pile_unknown_hands_and_unknown_wild_cards() -> None:
    start = "c1+gift@e4 gift:1=c9 give:c5 c6@f5 c2@d4 c7@d5 c3@e5 wild:c4@a1"
    table = Table("c1+gift c2 c3 c4 c5", HANDS[1], pile=pile()).play(start)
    pile_left, sizes = table.see(0, "pile"), table.see(0, "sizes")
    assert sum(table.see(0, "unseen")) == pile_left + sizes[1] - len(table.known(0, 1))
    assert sum(table.see(1, "unseen")) == pile_left + sizes[0] - len(table.known(1, 0)) + 1
