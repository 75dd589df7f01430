"""Who may see what (G9), by examples and over random games."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from tests.guardians.play import PLAYERS, own_colours, random_game
from tests.guardians.reference import CARDS, Config, Guardians
from tests.guardians.table import Table


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {name for name in before if before[name] != after[name]}


def test_a_hand_is_seen_by_its_holder() -> None:
    table = Table("11r 16y 21g 26b 31p")
    for seat in range(5):
        known = table.knows(seat)
        assert known["hand"] == sorted(table.reference.hands[seat])
        assert len(table.reference.unseen(seat)) == 50 - 9
    assert table.knows(0)["sizes"] == [9] * 5


def test_a_sealed_choice_is_seen_by_who_made_it() -> None:
    table = Table("11r 16y 21g 26b 31p")
    before = [table.knows(seat) for seat in range(5)]
    table.choose(1, 16)
    for seat in range(5):
        after = table.knows(seat)
        assert changed(before[seat], after) == ({"hand", "chosen"} if seat == 1 else set())
        assert after["sizes"] == [9] * 5
        assert (16 in table.reference.unseen(seat)) == (seat != 1)
    assert table.knows(1)["chosen"] == [16]


def test_in_the_duel_variant_the_first_choice_is_sealed_too() -> None:
    table = Table("11r 16y 21g 26b + 31p", num_players=2)
    before = table.knows(1)
    table.choose(0, 16)
    assert changed(before, table.knows(1)) == set()
    table.choose(0, 11)
    assert changed(before, table.knows(1)) == set()
    assert table.knows(0)["chosen"] == [11, 16]
    assert table.knows(0)["sizes"] == table.knows(1)["sizes"] == [10, 10]
    assert {11, 16} <= table.reference.unseen(1)


def test_what_is_revealed_is_remembered_by_seat() -> None:
    table = Table("21g 11r 26b + 31p 16y", "12y 17g 22b + 27p 32r", num_players=3).play(1)
    for seat in range(3):
        assert table.knows(seat)["revealed"] == [[21], [11], [26], [16, 31]]
        assert table.knows(seat)["seen"] == [11, 16, 21, 26, 27, 31]
    table.play()
    for seat in range(3):
        assert table.knows(seat)["revealed"] == [[12], [17], [22], [27, 32]]
        assert {11, 12, 16, 17, 21, 22, 26, 27, 31, 32} <= set(table.knows(seat)["seen"])


def test_what_the_last_turn_of_a_round_revealed_is_remembered_in_the_next() -> None:
    config = Config(num_players=3, rounds=2)
    games = random_game(config, Random(2))
    last, first = next(both for both in pairwise(games) if both[1].round)
    for seat in first.seats:
        revealed = first.knowledge(seat)["revealed"]
        assert all(set(cards) <= {*revealed[each]} for each, cards in enumerate(last.chosen))
        assert [len(cards) for cards in revealed] == [1, 1, 1, 2]
        assert revealed[-1] == sorted(last.face_up + last.face_down)
        assert first.knowledge(seat)["exploded"] == [[], [], []]


def test_the_chiefs_face_down_cards_are_seen_by_nobody() -> None:
    games: list[tuple[str, dict[str, Any]]] = [
        ("11r 21g 26b + 16y 31p", {"num_players": 3}),
        ("11r 21g + 16y 26b 31p", {"num_players": 2, "duel": False}),
    ]
    for turn, options in games:
        table = Table(turn, **options)
        for seat in table.reference.seats:
            assert table.knows(seat)["face_up"] == [16]
            assert table.knows(seat)["seen"] == [16]
            assert 31 in table.reference.unseen(seat)
            assert 16 not in table.reference.unseen(seat)


def test_drawn_cards_are_seen_by_who_drew_them() -> None:
    table = Table("11r 16y 21g 26b + 31p", num_players=2).play()
    drawn = table.reference.hands[0][-1]
    assert drawn in table.knows(0)["hand"]
    assert drawn in table.reference.unseen(1)
    assert drawn not in table.reference.unseen(0)
    assert table.knows(1)["sizes"] == [9, 9]  # of ten two were chosen, and one is drawn


def test_exploded_cards_and_those_beside_the_chief_are_seen_by_all() -> None:
    table = Table("11r 21g 26b 31p + 16r", "12y 17y 22b 27p + 32r", num_players=4).play(1)
    for seat in range(4):
        assert table.knows(seat)["beside"] == [11, 16]
        assert table.knows(seat)["exploded"] == [[], [], [], []]
    table.play()
    for seat in range(4):
        assert table.knows(seat)["beside"] == []
        assert table.knows(seat)["exploded"] == [[], [11, 12, 16, 17], [], []]
        assert table.knows(seat)["marks"] == [0, 6, 0, 0]


def test_a_new_round_is_known_as_little_as_the_first() -> None:
    config = Config(num_players=4, rounds=2)
    games = random_game(config, Random(1))
    first = next(game for game in games if game.round == 1)
    assert first.seen == set(first.face_up)
    for seat in first.seats:
        assert first.unseen(seat) == set(CARDS) - set(first.hands[seat]) - set(first.face_up)


def other_world(game: Guardians, viewer: int, random: Random) -> Guardians:
    """The game with all that a seat does not know drawn anew."""
    hidden = list(game.unseen(viewer))
    random.shuffle(hidden)

    def some(cards: list[int], keep: bool = False) -> list[int]:
        return cards if keep else [hidden.pop() for _ in cards]

    hands = [some(hand, seat == viewer) for seat, hand in enumerate(game.hands)]
    chosen = [some(cards, seat == viewer) for seat, cards in enumerate(game.chosen)]
    face_down, pile = some(game.face_down), some(game.pile)
    assert not hidden
    later = [random.sample(CARDS, 50) for _ in game.decks[game.round + 1 :]]
    return game.in_world(hands, chosen, face_down, pile, later)


@pytest.mark.parametrize(("num_players", "duel"), PLAYERS)
def test_what_a_seat_cannot_know_changes_nothing_that_it_knows(
    num_players: int, duel: bool
) -> None:
    """At every choice, in worlds that play on to their ends."""
    random = Random(f"{num_players} {duel}")
    config = Config(num_players, 2, duel, own_colours(random))
    for number, game in enumerate(random_game(config, random)[:-1]):
        for viewer in game.seats:
            world = other_world(game, viewer, random)
            assert world.knowledge(viewer) == game.knowledge(viewer)
            assert world.legal(viewer) == game.legal(viewer)
            assert world.unseen(viewer) == game.unseen(viewer)
        if number % 20 == 0:
            while world.pending:
                world = world.after(random.choice(world.legal()))
            assert world.result() is not None
