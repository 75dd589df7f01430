"""Every end and its winners (decisions C4 to C7, C16), by examples."""

import numpy as np
import pytest

from tests.chroma.reference import SPACES, space_name
from tests.chroma.secrecy import check_world
from tests.chroma.table import HANDS, NAMES, ONE_LEFT, ONE_LEFT_AND_A_HOLE, Table, pile, wheel

# Perfect and empty hand


def test_perfect_with_more_than_two_players() -> None:
    """Who wins takes all, whatever the others hold."""
    table = Table(*HANDS, "c11 c12 c13 c14 c15", pile="c16 c17 c18 c19 c16+lock c17+lock c18+lock")
    table.play("c1@e4 c6@f5 c11@d4 c2@f6 c7@d5 c12@e6 c3@e5")
    assert table.ended() == ("perfect", [1, -0.5, -0.5], [4, 5, 5])
    assert table.legal == []
    assert table.seat == 0
    assert not table.state.pending.any()


def test_perfect_comes_before_the_empty_hand() -> None:
    """C16: seat 0's last card touches four."""
    more = " c11+lock c12+lock c13+lock c14+lock"
    table = Table(*HANDS, pile=pile() + more).play(ONE_LEFT_AND_A_HOLE)
    table.play("c17@h4 c13@c5 c11+lock@i4 skip c14@c4")
    assert table.hand(0) == ["c13+lock"]
    table.play("c13+lock@d4")
    assert table.ended() == ("perfect", [1, -1], [0, 5])


def test_an_empty_hand_wins_at_the_end_of_the_turn() -> None:
    table = Table(*HANDS, pile=pile()).play(ONE_LEFT + " c10@e2 c11@f2")
    assert table.ended() == ("empty-hand", [1, -1], [0, 5])


def test_an_empty_hand_that_draws_goes_on() -> None:
    """The result comes before the end is looked at."""
    table = Table(*HANDS, pile=pile()).play(ONE_LEFT + " c10@e2 c11@g4")
    assert not table.state.over[0]
    assert table.see(0, "sizes") == [1, 5]


# The pile (C4, C5): six players, of whom five hold cards that never fit

LIVE = NAMES[:4]
# Seat 0's placements: these touch one and draw, and then those touch two.
ONES = ["g4", "h4", "i4", "j4", "f5", "f6", "f3", "f2"]
TWOS = ["g5", "g3", "g6", "g2"]
LAST = "c3+replay"


def nearly_used_up() -> Table:
    """Seat 0 is to move, with a Replay as its only card; one card is left in the pile, c2."""
    hand = [LAST, "c0+lock", "c1+lock", "c2+lock", "c3+lock"]
    live = [f"{colour}+{power}" for power in ("magnet", "gift", "replay") for colour in LIVE[:3]]
    live += ["c3+magnet", "c3", "c1", "c0"]
    powers = ("", "+replay", "+gift", "+magnet", "+lock")
    dead = [colour + power for colour in NAMES[4:] for power in powers]
    hands = [" ".join(dead[5 * seat : 5 * seat + 5]) for seat in range(5)]
    dead = dead[25:]
    drawn = []
    for space in ONES + TWOS:
        if space in ONES:
            drawn.append(live.pop(0))
        passing = live if space == TWOS[-1] else dead
        drawn += [passing.pop(0) for _ in range(5)]
    assert live == dead == []
    table = Table(
        " ".join(hand),
        *hands,
        centre="c3+gift",
        pile=" ".join([*drawn, "c2"]),
        wheel=wheel(" ".join(LIVE)),
    )
    for space in ONES + TWOS:
        place(table, space)
        if table.seat == 0:
            table.play("skip")
        table.play("draw draw draw draw draw")
    assert table.hand(0) == [LAST]
    assert table.see(0, "pile") == 1
    return table


def place(table: Table, space: str) -> None:
    """Place a card there, the last one only if there is no other choice."""
    some = [move for move in table.legal if move.endswith(f"@{space}")]
    table.play(min(some, key=lambda move: move.startswith(LAST)))


def test_the_game_goes_on_in_the_turn_in_which_the_pile_runs_out() -> None:
    table = nearly_used_up()
    table.play(f"{LAST}@k4")
    assert table.see(0, "pile") == 0
    assert table.legal == ["skip", "use"]
    table.play("skip")
    assert table.ended() == ("pile", [1, *[-0.2] * 5], [1, *[17] * 5])


def test_nothing_is_drawn_from_an_empty_pile() -> None:
    """C5; and C16: the empty hand comes before the pile."""
    table = nearly_used_up()
    table.play(f"{LAST}@k4")
    assert table.hand(0) == ["c2"]
    table.play("use c2@e4")
    assert table.ended() == ("empty-hand", [1, *[-0.2] * 5], [0, *[17] * 5])


# Blocked (C6)


def test_nothing_is_looked_at_before_the_first_turn() -> None:
    """C16: nothing goes with the centre card, and the first player draws all the same."""
    table = Table(*HANDS, wheel=wheel("c1 c2"))
    assert not table.state.over[0]
    assert table.legal == ["draw"]
    table.play("draw")
    assert table.ended() == ("blocked", [-1, 1], [6, 5])


@pytest.mark.parametrize(
    ("players", "winners", "loser"), [(3, 0.25, -0.5), (4, 1 / 9, -1 / 3), (6, 0.04, -0.2)]
)
def test_tied_players_share_the_win(players: int, winners: float, loser: float) -> None:
    table = Table(*[""] * players, wheel=wheel("c1 c2"), first_player=1).play("draw")
    reason, rewards, sizes = table.ended()
    assert reason == "blocked"
    assert sizes == [5, 6, *[5] * (players - 2)]
    expected = [winners, loser, *[winners] * (players - 2)]
    assert np.allclose(rewards, expected, rtol=0, atol=1e-12)


def test_colours_that_are_all_on_the_board_do_not_count() -> None:
    """Only c0 and c1 go together, and all ten are laid: the other colours fit nowhere."""
    table = Table(
        "c1 c1 c1 c1 c1",
        "c0 c0 c0 c0 c9",
        pile="c10 c10 c10 c10 c10 c11 c11 c11",
        power_copies=0,
        wheel=wheel("c0 c1", "c9 c10 c11"),
    )
    table.play("c1@e4 c0@d4 c1@c4 c0@b4 c1@a4 c0@a5 c1@b5 c0@c5")
    assert not table.state.over[0]
    table.play("c1@g4")
    reason, _, _ = table.ended()
    assert reason == "blocked"


def test_a_card_that_fits_in_any_hand_or_in_the_pile_keeps_the_game_going() -> None:
    for hands in (("", "c1"), ("", "")):
        table = Table(*hands, pile="c2 c3 c4 c5", wheel=wheel("c0 c1")).play("draw")
        assert not table.state.over[0]


def test_locks_do_not_block() -> None:
    """C6: c2 fits by its colour, next to the Lock; nobody may place it now."""
    few = wheel("c0 c1", "c1 c2")
    table = Table("c1+lock c3 c4 c5 c6", "c2", pile="c7 c8", wheel=few).play("c1+lock@e4 use")
    assert table.legal == ["draw"]
    table.play("draw")
    assert not table.state.over[0]
    assert table.legal == ["draw"]
    table.play("draw")
    assert table.spaces("c2") == {"d4", "e3", "e5"}


# A full board: 77 spaces


def full_but(*holes: str, hand: str) -> Table:
    """A board with some empty spaces; seat 0 is to move, seat 1 holds the five cards c2.

    No cards that touch have the same colour. Those left, c0 and c3 to c19, are in the pile.
    """
    order = [colour for colour in NAMES if colour not in ("c1", "c2")]
    powers = ("", "+replay", "+gift", "+magnet", "+lock")
    cards = {
        space_name(space): order[number % 18] + powers[number // 18]
        for number, space in enumerate(SPACES)
    }
    centre = cards.pop("f4")
    for hole in holes:
        del cards[hole]
    other = " ".join(f"c2{power}" for power in powers)
    table = Table(hand, other, centre=centre, pile=" ".join(cards.values()))
    return table.lay(cards)


LAST_HAND = "c1 c1+replay c1+gift c1+magnet c1+lock"
EDGES = ["a4", "k2", "c1", "h7"]


@pytest.mark.parametrize("space", EDGES)
def test_the_last_space_of_the_board_owes_no_wild_card(space: str) -> None:
    """It touches three, but no space is left for a card face down; and so nothing fits any more."""
    table = full_but(space, hand=LAST_HAND)
    assert np.count_nonzero(table.state.board) == 76
    assert table.legal == sorted(f"{card}@{space}" for card in LAST_HAND.split())
    left = table.see(0, "pile")
    table.play(f"c1@{space}")
    assert table.ended() == ("blocked", [1, -1], [4, 5])
    assert table.see(0, "pile") == left == 14


@pytest.mark.parametrize("space", EDGES)
def test_replay_is_not_on_offer_with_a_full_board(space: str) -> None:
    table = full_but(space, hand=LAST_HAND).play(f"c1+replay@{space}")
    assert table.ended() == ("blocked", [1, -1], [4, 5])


@pytest.mark.parametrize("power", ["magnet", "lock"])
@pytest.mark.parametrize("choice", ["use", "skip"])
def test_magnet_and_lock_are_on_offer_with_a_full_board(power: str, choice: str) -> None:
    table = full_but("a4", hand=LAST_HAND).play(f"c1+{power}@a4")
    assert table.legal == ["skip", "use"]
    table.play(choice)
    assert table.ended() == ("blocked", [1, -1], [4, 5])


def test_gift_is_on_offer_with_a_full_board() -> None:
    table = full_but("a4", hand=LAST_HAND).play("c1+gift@a4")
    assert table.legal == ["gift:1", "skip"]
    table.play("gift:1=c2 give:c1")
    assert table.ended() == ("blocked", [1, -1], [4, 5])
    assert table.known(0, 1) == ["c1"]


def test_a_wild_card_may_fill_the_board() -> None:
    """It goes to the last space but one; then the power is on offer, and nothing fits any more."""
    table = full_but("a4", "f7", hand=LAST_HAND).play("c1+replay@a4")
    assert table.legal == sorted(
        f"wild:{card}@f7" for card in LAST_HAND.split() if card != "c1+replay"
    )
    table.play("wild:c1@f7")
    assert table.ended() == ("blocked", [1, -1], [3, 5])
    assert np.count_nonzero(table.state.board) == 77


def test_a_last_space_that_touches_two_or_four_is_as_any_other() -> None:
    table = full_but("a1", hand=LAST_HAND).play("c1@a1")
    assert table.ended() == ("blocked", [1, -1], [4, 5])
    table = full_but("e4", hand=LAST_HAND).play("c1@e4")
    assert table.ended() == ("perfect", [1, -1], [4, 5])


def test_what_is_hidden_is_drawn_anew_with_a_full_board() -> None:
    table = full_but("a4", hand=LAST_HAND)
    table.play("c1+gift@a4")
    for seat in (0, 1):
        for seed in range(5):
            check_world(table.game, table.state, table.reference, seat, seed)


# Passes (C7)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_two_full_rounds_of_passes(players: int) -> None:
    """What fits lies at the bottom of the pile."""
    drawn = [colour + power for colour in NAMES[2:5] for power in ("", "+lock", "+replay")]
    table = Table(*[""] * players, pile=" ".join(drawn), wheel=wheel("c0 c1"))
    table.play(" ".join(["draw"] * (2 * players - 1)))
    assert not table.state.over[0]
    assert table.see(0, "passes") == 2 * players - 1
    table.play("draw")
    assert table.ended() == ("passes", [0] * players, [7] * players)


def test_fewest_cards_win_after_the_passes() -> None:
    """Seat 0 places one card, which draws one; seat 1 begins the passes and ends with as many."""
    table = Table("c1", "", pile="c2 c3 c4 c5 c6 c7", wheel=wheel("c0 c1"))
    table.play("c1@e4 draw draw draw draw")
    assert table.ended() == ("passes", [0, 0], [7, 7])


def test_a_placement_ends_the_row_of_passes() -> None:
    table = Table("", "", pile="c2 c1 c3 c4 c5 c6 c7", wheel=wheel("c0 c1"))
    table.play("draw draw draw")
    assert table.see(0, "passes") == 3
    table.play("c1@e4")
    assert table.see(0, "passes") == 0
    table.play("draw draw draw")
    assert not table.state.over[0]
    table.play("draw")
    assert table.ended()[0] == "passes"


def test_the_phase_of_a_finished_game_is_that_of_placing() -> None:
    """Whatever the phase in which it ended."""
    tables = [
        Table(*HANDS, wheel=wheel("c1 c2")).play("draw"),
        full_but("e4", hand=LAST_HAND).play("c1+gift@e4"),
        full_but("a4", "f7", hand=LAST_HAND).play("c1@a4 wild:c1+lock@f7"),
        full_but("a4", hand=LAST_HAND).play("c1+magnet@a4 use"),
        full_but("a4", hand=LAST_HAND).play("c1+gift@a4 gift:1=c2 give:c2"),
    ]
    for table in tables:
        assert table.state.over[0]
        assert table.see(0, "phase") == table.see(1, "phase") == [1, 0, 0, 0]


def test_finished_games_stay_as_they_are() -> None:
    table = Table(*HANDS, wheel=wheel("c1 c2")).play("draw")
    before = table.state.copy()
    for action in (-1, 0, table.game.num_actions):
        table.game.step(table.state, [action])
    for name, array in before.arrays.items():
        assert np.array_equal(array, table.state.arrays[name])
