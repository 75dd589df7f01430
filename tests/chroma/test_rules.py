"""The rules by small examples: placements, their results, powers, and decisions C3, C8 to C12.

`Table` compares engine and reference at every ply; the examples say what the rules page says.
"""

import pytest

from tests.chroma.table import HANDS, MOST, ONE_LEFT, ONE_LEFT_AND_A_HOLE, Table, pile, wheel

ALL_SPACES = {f"{column}{row}" for column in "abcdefghijk" for row in range(1, 8)}
AROUND_CENTRE = {"e4", "f3", "f5", "g4"}
AROUND_E4 = {"d4", "e3", "e5"}


# Placements


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_deal(players: int) -> None:
    """C3: everyone has five cards, one lies on the centre, the rest is the pile."""
    table = Table(HANDS[0], *[""] * (players - 1), wheel=wheel("c0 c1 c6"))
    assert table.see(0, "sizes") == [5] * players
    assert table.see(0, "pile") == 99 - 5 * players
    assert table.hand(0) == HANDS[0].split()
    assert table.legal == sorted(f"c1@{space}" for space in AROUND_CENTRE)


def test_a_card_of_the_same_colour_never_fits() -> None:
    table = Table("c0+lock c1", "c1+lock c2")
    assert table.spaces("c0+lock") == set()
    assert table.spaces("c1") == AROUND_CENTRE
    table.play("c1@e4")
    assert table.spaces("c2") == AROUND_CENTRE - {"e4"} | AROUND_E4
    assert table.spaces("c1+lock") == AROUND_CENTRE - {"e4"}


def test_every_card_touched_must_be_compatible() -> None:
    table = Table("c1 c2 c3", "c4 c5", wheel=wheel("c0 c1 c2 c4 c5", apart="c1-c5 c2-c4"))
    table.play("c1@e4")
    assert table.spaces("c4") == AROUND_E4 | {"f3", "f5", "g4"}
    assert table.spaces("c5") == {"f3", "f5", "g4"}
    table.play("c4@f5")
    assert table.spaces("c2") == {"d4", "e3", "f3", "g4"}  # e5 and g5 touch c4


def test_diagonals_do_not_touch() -> None:
    table = Table(*HANDS).play("c1@e4")
    assert not {"d5", "d3", "e6", "g5", "g3"} & table.spaces("c6")


def test_the_board_has_an_edge() -> None:
    """A row of cards to the left border and down into the corner: nothing goes round the edge."""
    table = Table(*HANDS, pile=pile()).play("c1@e4 c6@d4 c2@c4 c7@b4 c3@a4 c8@a3 c4@a2 c9@a1")
    assert {"a5", "b1", "b2", "b3", "b5"} <= table.spaces("c5")
    assert not [space for space in table.spaces("c5") if space[0] in "jk" or space[1] in "67"]


# Results


def test_touching_one_draws_a_card() -> None:
    table = Table(*HANDS, pile="c11").play("c1@e4")
    assert table.hand(0) == ["c11", "c2", "c3", "c4", "c5"]
    assert table.see(1, "pile") == 88
    assert table.seat == 1


def test_touching_two_does_nothing() -> None:
    table = Table(*HANDS).play("c1@e4 c6@f5 c2@e5")
    assert table.see(0, "sizes") == [4, 5]
    assert table.see(0, "pile") == 87
    assert table.seat == 1


THREE = "c1@e4 c6@f5 c2@d4 c7@d5"  # e5 comes to touch three


def test_touching_three_lays_a_card_face_down_anywhere() -> None:
    """C12: 7 rows of 11 spaces."""
    table = Table("c1 c2 c3+gift c4 c5+lock", HANDS[1], pile=pile()).play(f"{THREE} c3+gift@e5")
    hand = table.hand(0)
    assert hand == ["c11", "c13", "c4", "c5+lock"]
    assert table.see(1, "phase") == [0, 1, 0, 0]
    empty = ALL_SPACES - {"f4", "e4", "f5", "d4", "d5", "e5"}
    assert table.legal == sorted(f"wild:{card}@{space}" for card in hand for space in empty)
    table.play("wild:c5+lock@a1")  # touches nothing; its power is ignored
    assert table.see(1, "sizes") == [5, 3]
    assert table.legal == ["gift:1", "skip"]  # the power of the card that was placed comes after
    table.play("skip")
    assert table.marks("locks") == {}
    assert {"a2", "b1"} <= table.spaces("c8") & table.spaces("c9")


def test_a_wild_card_goes_with_everything_and_is_touched() -> None:
    table = Table("c1 c2 c3 c4 c5", "c6 c7 c19 c9 c10", pile=pile(), wheel=wheel(MOST))
    table.play(f"{THREE} c3@e5 wild:c4@h4")
    assert table.spaces("c19") == {"h3", "h5", "i4"}  # g4 touches the centre too
    drawn = table.see(1, "pile")
    table.play("c19@h5")
    assert table.see(1, "pile") == drawn - 1  # it touched one card
    assert {"g5", "i5", "h6"} & table.spaces("c5") == set()  # beside c19


def test_the_colour_of_a_wild_card_does_not_count() -> None:
    table = Table("c1 c2 c3 c4+lock c5", "c6 c7 c4 c9 c10", pile=pile())
    table.play(f"{THREE} c3@e5 wild:c4+lock@a1")
    assert {"a2", "b1"} <= table.spaces("c4")


def test_a_wild_card_is_not_owed_with_an_empty_hand() -> None:
    table = Table(*HANDS, pile=pile()).play(ONE_LEFT_AND_A_HOLE)
    assert table.hand(0) == ["c17"]
    table.play("c17@d4")
    assert table.ended() == ("empty-hand", [1, -1], [0, 5])


def test_touching_four_wins_at_once_without_a_power() -> None:
    for card in ("c4", "c4+gift", "c4+replay"):
        table = Table(f"c1 c2 c3 {card} c5", HANDS[1], pile=pile())
        table.play(f"c1@e4 c6@f5 c2@d4 c7@f6 c3@d5 c8@e6 {card}@e5")
        assert table.ended() == ("perfect", [1, -1], [4, 5])


def test_without_a_placement_one_draws_and_passes() -> None:
    """The drawn card fits, but is not placed in the same turn."""
    hand = "c19 c19+gift c19+lock c19+magnet c19+replay"
    table = Table(hand, HANDS[1], pile="c11", wheel=wheel(MOST))
    assert table.legal == ["draw"]
    table.play("draw")
    assert table.seat == 1
    assert "c11" in table.hand(0)
    assert table.see(1, "passes") == 1
    table.play("c6@e4")
    assert table.see(1, "passes") == 0
    assert table.spaces("c11")


def test_the_power_of_the_first_card_is_ignored() -> None:
    for power in ("replay", "gift", "magnet", "lock"):
        table = Table(*HANDS, centre=f"c0+{power}")
        assert table.marks("magnets") == table.marks("locks") == {}
        assert table.spaces("c1") == AROUND_CENTRE
        assert table.see(0, "power") == [0, 0, 0, 0]


def test_equal_cards_are_one_choice() -> None:
    """C15, in every phase."""
    table = Table("c1 c1 c1 c2 c2", "c6 c7 c6 c7 c6", power_copies=0, pile="c3 c8 c3 c8")
    assert len(table.legal) == 8
    table.play(f"{THREE} c2@e5")
    assert {move.split("@")[0] for move in table.legal} == {"wild:c1", "wild:c3"}
    assert len(table.legal) == 2 * (77 - 6)
    hands = ("c1+gift c2 c2 c3 c3", "c6 c6 c7 c7 c7")
    table = Table(*hands, power_copies=1, pile="c2").play("c1+gift@e4 gift:1=c7")
    assert table.legal == ["give:c2", "give:c3", "give:c7"]


# Powers


@pytest.mark.parametrize("power", ["magnet", "lock"])
def test_a_power_may_be_skipped(power: str) -> None:
    table = Table(f"c1+{power} c2", "c6").play(f"c1+{power}@e4")
    assert table.legal == ["skip", "use"]
    table.play("skip")
    assert table.marks(f"{power}s") == {}
    assert table.spaces("c6") == AROUND_CENTRE - {"e4"} | AROUND_E4


def test_replay_places_one_more_card() -> None:
    table = Table("c1+replay c2+replay c3 c4 c5", "c6", pile=pile())
    table.play("c1+replay@e4")
    assert table.see(0, "power") == table.see(1, "power") == [1, 0, 0, 0]
    table.play("use")
    assert table.seat == 0
    assert table.see(1, "replaying") == 1
    table.play("c2+replay@d4 use c3@c4")  # a full placement, with result and power
    assert table.see(1, "sizes") == [5, 5]
    assert table.see(1, "pile") == 86
    assert table.seat == 1


def test_replay_is_on_offer_only_with_a_placement() -> None:
    """The result comes first: a card that was just drawn counts."""
    hands, few = ("c1+replay c2 c3 c4 c5", "c6"), wheel("c0 c1 c6 c7")
    assert Table(*hands, pile="c2+lock", wheel=few).play("c1+replay@e4").seat == 1
    table = Table(*hands, pile="c7", wheel=few).play("c1+replay@e4")
    assert table.legal == ["skip", "use"]
    table.play("use")
    assert {move.split("@")[0] for move in table.legal} == {"c7"}
    assert Table(*hands, pile="c7", wheel=few).play("c1+replay@e4 skip").seat == 1


def test_gift_takes_a_card_and_gives_one() -> None:
    table = Table("c1+gift c2 c3 c4 c5", HANDS[1], "", pile="c11").play("c1+gift@e4")
    assert table.legal == ["gift:1", "gift:2", "skip"]
    table.play("gift:1=c7")
    assert table.see(2, "partner") == [0, 0, 1]
    assert table.legal == [f"give:{card}" for card in ("c11", "c2", "c3", "c4", "c5", "c7")]
    table.play("give:c5")
    assert table.hand(0) == ["c11", "c2", "c3", "c4", "c7"]
    assert table.hand(1) == ["c10", "c5", "c6", "c8", "c9"]
    assert table.seat == 1


def test_gift_may_give_back_the_card_it_took() -> None:
    table = Table("c1+gift c2 c3 c4 c5", HANDS[1]).play("c1+gift@e4 gift:1=c7 give:c7")
    assert table.hand(1) == ["c10", "c6", "c7", "c8", "c9"]


def test_magnet_binds_the_others_until_the_next_turn_begins() -> None:
    table = Table("c1+magnet c2", "c6", "c7", pile=pile()).play("c1+magnet@e4 use")
    assert table.marks("magnets") == {"e4": 0}
    assert table.spaces("c6") == AROUND_E4
    table.play("c6@e5")
    assert table.spaces("c7") == {"d4", "e3"}
    table.play("c7@e3")
    assert table.marks("magnets") == {}
    assert "g4" in table.spaces("c2")


def test_magnet_does_not_bind_who_cannot_heed_it() -> None:
    table = Table("c1+magnet", HANDS[1], wheel=wheel("c0 c1", "c0 c6")).play("c1+magnet@e4 use")
    assert table.spaces("c6") == {"f3", "f5", "g4"}


def test_lock_keeps_the_others_away_until_the_next_turn_begins() -> None:
    table = Table("c1+lock c2", "c6", "c7", pile=pile()).play("c1+lock@e4 use")
    assert table.marks("locks") == {"e4": 0}
    assert table.spaces("c6") == {"f3", "f5", "g4"}
    table.play("c6@f5")
    assert not table.spaces("c7") & AROUND_E4
    table.play("c7@g4")
    assert table.marks("locks") == {}
    assert table.spaces("c2") >= AROUND_E4


def test_a_mark_lasts_while_its_player_passes() -> None:
    """It ends when the player's turn begins, whatever the player does then."""
    few = wheel("c0 c1", "c1 c6 c7")
    table = Table("c1+lock c2 c3 c4 c5", "c6 c8", "c7 c12", wheel=few, pile="c9 c10 c11")
    table.play("c1+lock@e4 use")
    assert table.legal == ["draw"]
    table.play("draw")
    assert table.legal == ["draw"]
    table.play("draw")
    assert table.marks("locks") == {}
    table.play("draw")
    assert table.spaces("c6") == AROUND_E4


def test_wild_cards_are_not_bound_by_lock() -> None:
    table = Table("c1 c2 c3+lock c4 c5", HANDS[1], pile=pile()).play(f"{THREE} c3+lock@g4 use")
    assert not table.spaces("c8") & {"h4", "g3", "g5"}
    table.play("c8@e5")
    for space in ("h4", "g3", "g5", "k7"):
        assert f"wild:c9@{space}" in table.legal


def test_wild_cards_are_not_bound_by_magnet() -> None:
    table = Table("c1 c2 c3+magnet c4 c5", HANDS[1], pile=pile())
    table.play("c1@e4 c6@f5 c2@d4 c7@c4 c3+magnet@d5 use")
    assert table.spaces("c8") == {"c5", "d6", "e5"}
    table.play("c8@e5")
    assert len(table.legal) == len(table.hand(1)) * (77 - 7)


# Decisions on Magnet and Lock


def test_next_to_any_one_of_several_magnets() -> None:
    """C8."""
    table = Table("c1+magnet", "c6+magnet", "c7", pile=pile())
    table.play("c1+magnet@e4 use c6+magnet@d4 use")
    assert table.marks("magnets") == {"e4": 0, "d4": 1}
    assert table.spaces("c7") == {"e3", "e5", "c4", "d3", "d5"}


def test_lock_comes_before_magnet() -> None:
    """C9: e5 is next to both."""
    table = Table("c1+lock", "c6+magnet", "c7", pile=pile())
    table.play("c1+lock@e4 use c6+magnet@f5 use")
    assert table.spaces("c7") == {"g5", "f6"}


def test_magnet_binds_all_cards_together_over_what_locks_leave() -> None:
    """C9: c7 goes not with the Magnet's colour, c8 does."""
    apart = wheel("c0 c1 c6 c7 c8", apart="c6-c7")
    start = "c1+lock@e4 use c6+magnet@f5 use"
    table = Table("c1+lock", "c6+magnet", "c7 c8", pile=pile(), wheel=apart).play(start)
    assert table.spaces("c8") == {"g5", "f6"}
    assert table.spaces("c7") == set()
    table = Table("c1+lock", "c6+magnet", "c7", pile=pile(), wheel=apart).play(start)
    assert table.spaces("c7") == {"f3", "g4"}  # nothing near the Magnet: free, but for the Lock


def test_magnet_beside_a_locked_space_only_does_not_bind() -> None:
    """C9: by colour c7 goes next to the Magnet on e5 only, and that is locked."""
    apart = wheel("c0 c1 c2 c6 c7 c8 c9", apart="c7-c9")
    table = Table("c2 c1+lock", "c8 c6+magnet", "c9 c7", pile="c10 c11 c12 c13", wheel=apart)
    table.play("c2@g4 c8@g5 c9@g6 c1+lock@e4 use c6+magnet@f5 use")
    assert table.marks("magnets") == {"f5": 1}
    assert table.spaces("c7") == {"f3", "g3", "h4", "h5"}


@pytest.mark.parametrize(
    ("power", "spaces"), [("magnet", {"d4", "e3"}), ("lock", {"f3", "g4", "g5", "f6"})]
)
def test_the_second_card_of_a_replay_is_bound_too(power: str, spaces: set[str]) -> None:
    """C10."""
    first = "e5" if power == "magnet" else "f5"
    table = Table(f"c1+{power}", "c6+replay c7", pile=pile())
    table.play(f"c1+{power}@e4 use c6+replay@{first} use")
    assert table.spaces("c7") == spaces


def test_replay_is_not_on_offer_where_locks_leave_no_placement() -> None:
    """C10: c7 would go next to the locked card only."""
    few = wheel("c0 c1", "c0 c6", "c1 c7")
    table = Table("c1+lock c2", "c6+replay c7", pile="c9 c10 c11", wheel=few)
    table.play("c1+lock@e4 use c6+replay@g4")
    assert table.seat == 0


def test_the_own_mark_does_not_meet_oneself() -> None:
    """Seat 0's Lock is gone when seat 0 plays again, even by a Replay."""
    table = Table("c1+lock c2+replay c3 c4 c5", HANDS[1], pile=pile())
    table.play("c1+lock@e4 use c6@g4 c2+replay@d4 use")
    assert {"e3", "e5"} <= table.spaces("c3")


# An empty hand (C11)


@pytest.mark.parametrize("power", ["magnet", "lock"])
@pytest.mark.parametrize("choice", ["use", "skip"])
def test_magnet_and_lock_with_an_empty_hand(power: str, choice: str) -> None:
    table = Table(*HANDS, pile=pile(f"c19+{power}", first=6)).play(ONE_LEFT_AND_A_HOLE)
    table.play(f"c19+{power}@d4")
    assert table.legal == ["skip", "use"]
    assert table.see(1, "sizes") == [5, 0]
    table.play(choice)
    assert table.ended() == ("empty-hand", [1, -1], [0, 5])


def test_gift_with_an_empty_hand_gives_the_card_back() -> None:
    table = Table(*HANDS, pile=pile("c19+gift", first=6)).play(ONE_LEFT_AND_A_HOLE)
    table.play("c19+gift@d4")
    assert table.legal == ["gift:1", "skip"]
    table.play("gift:1=c13")
    assert table.legal == ["give:c13"]
    table.play("give:c13")
    assert table.ended() == ("empty-hand", [1, -1], [0, 5])
    assert "c13" in table.hand(1)


def test_replay_with_an_empty_hand_is_not_on_offer() -> None:
    table = Table(*HANDS, pile=pile("c19+replay", first=6)).play(ONE_LEFT_AND_A_HOLE)
    table.play("c19+replay@d4")
    assert table.ended() == ("empty-hand", [1, -1], [0, 5])


# Who begins (C14)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_who_begins(seat: int) -> None:
    table = Table(*HANDS, "", first_player=seat)
    assert table.seat == seat
    assert table.see(seat, "first") == [1, 0, 0]
    assert table.see((seat + 1) % 3, "first") == [0, 0, 1]


def test_play_goes_round_by_seat_number() -> None:
    table = Table(*HANDS, "c11 c12 c13 c14 c15", first_player=2)
    assert table.play("c11@e4").seat == 0
    assert table.play("c1@d4").seat == 1
    assert table.play("c6@c4").seat == 2


def test_one_card_left_is_shown_to_all() -> None:
    table = Table(*HANDS, pile=pile()).play(ONE_LEFT)
    assert table.known(1, 0) == ["c11"]
