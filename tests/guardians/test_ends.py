"""How rounds and games end, by example: marks, the card left in hand, shared wins, decision G5.

Unless told otherwise nothing explodes before the eighth turn. In the hands are left some of 9, 10,
30 and 40 (one mark), 19 and 20 (two), 49 and 50 (three).
"""

import pytest

from tests.guardians.table import LETTERS, Table

CHIEF = {2: 1, 3: 2, 4: 1, 5: 0}  # how many cards a turn; two play the duel variant
OTHERS = {18: "19p", 28: "29r", 38: "39y", 48: "49g"}  # explode with the card on the left

# The explosion that these cards make in the eighth turn, in place of 18, 28, 38, 48.
THREE_FOR_SEAT_1 = "19"  # with 8
THREE_FOR_SEAT_2 = "29"  # with 18
TWO_FOR_SEAT_3 = "39"  # with 28
FOUR_FOR_THE_LAST = "49"  # with 38: for seat 4 or for the chief


def quiet_turn(number: int, num_players: int = 5, others: str = "") -> str:
    """A turn without explosions: from column to column a colour on, from row to row two on.

    The n-th turn has the cards n, 10 + n, ..., 40 + n; the chief has the last ones.

    Args:
        number: The turn, from 1.
        num_players: How many play.
        others: Cards of `OTHERS` in the place of those of the eighth turn.
    """
    cards = []
    for column in range(5):
        card = 10 * column + number
        text = f"{card}{LETTERS[(column + 2 * (number - 1)) % 5]}"
        cards.append(OTHERS[card] if str(card + 1) in others.split() else text)
    own = 5 - CHIEF[num_players]
    return " ".join([*cards[:own], "+", *cards[own:]])


def quiet_round(num_players: int = 5, others: str = "") -> list[str]:
    """Eight turns, with other cards in the eighth."""
    turns = [quiet_turn(number, num_players) for number in range(1, 8)]
    return [*turns, quiet_turn(8, num_players, others)]


def ended(
    others: str, last: str, num_players: int = 5
) -> tuple[str, list[float], list[int], list[int]]:
    """How a game of one round ends: reason, rewards, marks and last cards."""
    turns = quiet_round(num_players, others)
    return Table(*turns, last=last, num_players=num_players).play().ended()


# Rounds


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_eight_turns_leave_one_card(num_players: int) -> None:
    table = Table(*quiet_round(num_players), num_players=num_players)
    assert not table.play(7).over
    assert table.sizes == [3 if num_players == 2 else 2] * num_players
    assert table.play().over
    assert table.sizes == [1] * num_players
    assert table.pending == []
    assert table.legal() == []
    assert table.marks == [0] * num_players
    assert table.queue == " | ".join(
        ",".join(str(10 * column + number) for number in range(1, 9)) for column in range(5)
    )


def test_every_round_has_all_cards_anew() -> None:
    """A new deck, an empty queue and full hands; only marks stay."""
    table = Table(*quiet_round(5, THREE_FOR_SEAT_1), *quiet_round(5, FOUR_FOR_THE_LAST), rounds=2)
    table.play(8)
    assert table.queue == " |  |  |  | "
    assert table.sizes == [9] * 5
    assert not table.over
    assert (table.round, table.turn) == (1, 0)
    assert [table.exploded(seat) for seat in range(5)] == [[]] * 5
    assert table.marks == [0, 3, 0, 0, 0]
    table.play(1)
    assert table.queue == "1 | 11 | 21 | 31 | 41"
    table.play()
    assert table.ended()[2] == [0, 3, 0, 0, 4]


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_one_to_three_rounds(rounds: int) -> None:
    table = Table(*quiet_round(5, THREE_FOR_SEAT_1) * rounds, rounds=rounds)
    table.play(8 * rounds - 1)
    assert not table.over
    assert table.play().ended()[2] == [0, 3 * rounds, 0, 0, 0]


def test_the_pile_beside_the_chief_is_dropped_at_the_end_of_a_round() -> None:
    """G5: who causes the first explosion of the next round gets its own cards alone."""
    turns = [*quiet_round(4, FOUR_FOR_THE_LAST), *quiet_round(4, "19 49")]
    table = Table(*turns, rounds=2, num_players=4).play(8)
    assert table.beside == []
    assert table.marks == [0, 0, 0, 0]
    table.play()
    assert table.ended()[2] == [0, 3, 0, 0]
    assert table.beside == [38, 49]


def test_cards_beside_the_chief_belong_to_nobody_in_the_end() -> None:
    reason, rewards, marks, _ = ended(FOUR_FOR_THE_LAST, "9 10 30 40", num_players=4)
    assert (reason, rewards, marks) == ("shared", [0, 0, 0, 0], [0, 0, 0, 0])


# Who wins


def test_fewest_marks_win_whatever_is_left_in_hand() -> None:
    """In the duel both 8 and 19 are seat 0's."""
    for last in ([9, 50], [50, 9]):
        text = " ".join(map(str, last))
        assert ended(THREE_FOR_SEAT_1, text, num_players=2) == ("marks", [-1, 1], [3, 0], last)


def test_a_tie_is_broken_by_the_card_left_in_hand() -> None:
    assert ended("", "9 19", num_players=2) == ("tie-break", [1, -1], [0, 0], [9, 19])
    assert ended("", "50 20", num_players=2) == ("tie-break", [-1, 1], [0, 0], [50, 20])
    assert ended("", "40 49", num_players=2) == ("tie-break", [1, -1], [0, 0], [40, 49])


def test_marks_on_the_card_count_not_its_number() -> None:
    for last in ([9, 40], [19, 20], [50, 49], [40, 10]):
        text = " ".join(map(str, last))
        assert ended("", text, num_players=2) == ("shared", [0, 0], [0, 0], last)
    assert ended("", "40 20", num_players=2)[1] == [1, -1]
    assert ended("", "20 40", num_players=2)[1] == [-1, 1]


def test_one_of_five_wins_by_the_card_left_in_hand() -> None:
    reason, rewards, _, _ = ended("", "20 19 40 49 50")
    assert (reason, rewards) == ("tie-break", [-0.25, -0.25, 1, -0.25, -0.25])


def test_the_tie_is_among_those_with_fewest_marks() -> None:
    """Seats 1 and 4 took marks, so that what they hold does not count."""
    reason, rewards, marks, _ = ended("19 49", "50 9 48 20 10")
    assert marks == [0, 3, 0, 0, 4]
    assert (reason, rewards) == ("tie-break", [-0.25, -0.25, -0.25, 1, -0.25])


def test_those_still_tied_share_the_win() -> None:
    """Two of the three tied have least in hand: (5 - 2) / (2 x 4) each."""
    reason, rewards, marks, last = ended("19 49", "9 10 50 40 30")
    assert (reason, marks, last) == ("shared", [0, 3, 0, 0, 4], [9, 10, 50, 40, 30])
    assert rewards == pytest.approx([0.375, -0.25, -0.25, 0.375, -0.25])


def test_three_of_four_share_the_win() -> None:
    reason, rewards, marks, _ = ended(THREE_FOR_SEAT_2, "9 10 30 40", num_players=4)
    assert (reason, marks) == ("shared", [0, 0, 3, 0])
    assert rewards == pytest.approx([1 / 9, 1 / 9, -1 / 3, 1 / 9])


@pytest.mark.parametrize(
    ("num_players", "last"), [(2, "9 10"), (3, "9 10 30"), (4, "9 10 30 40"), (5, "9 10 30 40 29")]
)
def test_all_share_the_win(num_players: int, last: str) -> None:
    reason, rewards, marks, _ = ended("", last, num_players)
    assert (reason, rewards, marks) == ("shared", [0] * num_players, [0] * num_players)


@pytest.mark.parametrize(("last", "rewards"), [("9 50 / 50 9", [-1, 1]), ("50 9 / 9 50", [1, -1])])
def test_the_cards_left_in_the_last_round_count(last: str, rewards: list[int]) -> None:
    """Those of the first round would decide for the other seat."""
    table = Table(*quiet_round(2) * 2, num_players=2, rounds=2, last=last).play()
    assert table.ended()[:2] == ("tie-break", rewards)


def test_marks_of_all_rounds_decide() -> None:
    """In the duel 19 is seat 0's, 29 seat 1's: 3 to 0, 3 to 3, 3 to 6."""
    rounds = [quiet_round(2, others) for others in ("19", "29", "29")]
    turns = [turn for turns in rounds for turn in turns]
    table = Table(*turns, num_players=2, rounds=3, last="50 9").play(8)
    assert table.marks == [3, 0]
    assert table.play(8).marks == [3, 3]
    assert table.play().ended()[:3] == ("marks", [1, -1], [3, 6])
