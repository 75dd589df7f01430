"""The reference alone, against what the rules page counts."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from tests.contract import golden
from tests.guardians import reference
from tests.guardians.play import PLAYERS, any_choice, own_colours, random_game, shuffled_setup
from tests.guardians.reference import (
    CARDS,
    COLUMNS,
    REASONS,
    TURNS,
    Config,
    Guardians,
    begin,
    has_arrow,
    marks_on,
    neighbours,
)

RECORDS = golden.records("guardians")


def test_the_records_meet_everything() -> None:
    """All ends, numbers of players and rounds, and all that may befall a card."""
    assert {record["result"]["reason"] for record in RECORDS} == set(REASONS)
    configs = [record["config"] for record in RECORDS]
    assert {(config["num_players"], config["duel"]) for config in configs} == set(PLAYERS)
    for players in range(2, 6):
        some = [config for config in configs if config["num_players"] == players]
        assert {config["rounds"] for config in some} == {1, 2, 3}
        assert {config["colors"] == Config().colours for config in some} == {True, False}
    assert set(events()) == {
        *("no explosion", "explosion", "chain", "long chain", "colours at once"),
        *("three at first", "both ways", "of the chief", "added beside", "taken in the turn"),
        *("taken later", "dropped"),
    }


def events() -> Counter[str]:
    """What happens how often in the records."""
    met: Counter[str] = Counter()
    for record in RECORDS:
        for before, after in pairwise(golden.replay(reference, record)):
            if after.placements is not before.placements:
                met.update(events_of(before, after))
    return met


def events_of(before: Guardians, after: Guardians) -> list[str]:
    """What happened in a turn."""
    met, beside, fresh = [], bool(before.beside), False
    for placement in after.placements:
        steps = placement.explosions
        colours = [{after.config.colour_of(card) for card in step} for step in steps]
        holds = {
            "no explosion": not steps,
            "explosion": bool(steps),
            "chain": len(steps) > 1,
            "long chain": len(steps) > 2,
            "colours at once": any(len(step) > 1 for step in colours),
            "three at first": bool(steps) and len(steps[0]) == 3,
            "both ways": placement.column == 1 and after.placements[0] is not placement,
            "of the chief": bool(steps) and placement.owner is None,
            "added beside": bool(steps) and placement.owner is None and beside,
            "taken in the turn": bool(steps) and placement.owner is not None and fresh,
            "taken later": bool(steps) and placement.owner is not None and beside and not fresh,
        }
        met += [name for name, held in holds.items() if held]
        if steps:
            beside = fresh = placement.owner is None
    return [*met, "dropped"] if after.turn == 0 and beside else met


# What the rules page counts


def test_the_pack() -> None:
    assert Counter(marks_on(card) for card in CARDS) == {3: 10, 2: 10, 1: 30}
    assert sum(marks_on(card) for card in CARDS) == 80
    assert sum(has_arrow(card) for card in CARDS) == 20
    assert [card for card in CARDS if marks_on(card) == 3] == [1, 2, 3, 4, 5, 46, 47, 48, 49, 50]
    assert [card for card in CARDS if marks_on(card) == 2] == [*range(16, 21), *range(31, 36)]
    assert [card for card in CARDS if not has_arrow(card)] == list(range(11, 41))


def test_every_band_of_five_has_every_colour() -> None:
    """G1."""
    colours = Config().colours
    assert Counter(colours) == dict.fromkeys(range(5), 10)
    for first in range(0, 50, 5):
        assert colours[first : first + 5] == [0, 1, 2, 3, 4]
    own = own_colours(Random(1))
    assert Config(colors=own).colours == own


@pytest.mark.parametrize(("num_players", "duel"), PLAYERS)
def test_five_cards_are_placed_in_a_turn_and_the_pack_suffices(
    num_players: int, duel: bool
) -> None:
    config = Config(num_players=num_players, duel=duel)
    assert num_players * config.choices + sum(config.chief_cards) == len(COLUMNS)
    last = random_game(config, Random(0))[-1]
    drawn = TURNS * (sum(config.chief_cards) + (2 if duel else 0))
    assert len(last.pile) == len(CARDS) - 9 * num_players - drawn


# What holds in every game


def everywhere(game: Guardians) -> list[int]:
    """All cards of a round, wherever they are, but those that were dropped."""
    held = [*game.hands, *game.chosen, *game.exploded]
    cards = [card for some in held for card in some]
    cards += [*game.pile, *game.face_up, *game.face_down, *game.queue.values(), *game.beside]
    return sorted(cards)


@pytest.mark.parametrize(("num_players", "duel"), PLAYERS)
@pytest.mark.parametrize("rounds", [1, 3])
def test_random_games(num_players: int, duel: bool, rounds: int) -> None:
    random = Random(f"{num_players} {duel} {rounds}")
    for colors in (None, own_colours(random), own_colours(random)):
        config = Config(num_players=num_players, rounds=rounds, duel=duel, colors=colors)
        games = random_game(config, random)
        assert len(games) - 1 == num_players * config.choices * TURNS * rounds
        for game in games:
            assert everywhere(game) == list(CARDS)
            check_queue(game)
            check_knowledge(game)
        for before, after in pairwise(games):
            check_marks(before, after)
        result = games[-1].result()
        assert result is not None
        assert abs(sum(result["rewards"])) < 1e-9


def check_queue(game: Guardians) -> None:
    """No holes, no two of one colour side by side, and queue cards that only go down."""
    assert set(game.ends.values()) == {game.turn if not game.over else TURNS}
    for (column, row), card in game.queue.items():
        assert row < game.ends[column]
        assert row + 1 == game.ends[column] or (column, row + 1) in game.queue
        for around in neighbours((column, row)):
            other = game.queue.get(around)
            assert other is None or game.config.colour_of(other) != game.config.colour_of(card)


def check_knowledge(game: Guardians) -> None:
    """What is unseen is exactly what lies hidden."""
    for viewer in game.seats:
        hidden = [*game.pile, *game.face_down]
        for other in game.seats:
            if other != viewer:
                hidden += [*game.hands[other], *game.chosen[other]]
        assert game.unseen(viewer) == set(hidden)
        assert len(hidden) == len(set(hidden))


def check_marks(before: Guardians, after: Guardians) -> None:
    """Marks are those of the cards in front of a seat, over all rounds."""
    if after.round == before.round:
        for seat in after.seats:
            gained = sum(map(marks_on, after.exploded[seat]))
            gained -= sum(map(marks_on, before.exploded[seat]))
            assert after.marks[seat] - before.marks[seat] == gained >= 0


def test_choices_may_come_in_any_order() -> None:
    """Simultaneous as they are, nothing depends on who chose first."""
    random = Random(3)
    for num_players, duel in PLAYERS:
        config = Config(num_players=num_players, duel=duel)
        setup = shuffled_setup(1, random)
        one = other = begin(config, setup)
        for _ in range(TURNS):
            picked = []
            for seat in one.seats:
                for card in random.sample(one.legal(seat), config.choices):
                    one = one.after(card)  # in order of the seats
                    picked.append((seat, card))
            random.shuffle(picked)
            for seat, card in picked:
                other = other.after(card, seat)
            for viewer in one.seats:
                assert one.knowledge(viewer) == other.knowledge(viewer)


def test_games_are_never_changed() -> None:
    random = Random(5)
    game = begin(Config(num_players=3, rounds=2), shuffled_setup(2, random))
    while game.pending:
        before = repr(game)
        seat, move = any_choice(game, random)
        following = game.after(move, seat)
        assert repr(game) == before
        game = following


def test_what_is_not_legal() -> None:
    game = begin(Config(num_players=3), {"decks": [list(CARDS)]})
    for text, seat in [("10", 0), ("1", 1), ("50", 2), ("0", 0), ("x", 0), ("01", 0), ("", 2)]:
        with pytest.raises(ValueError, match="not legal"):
            game.after(text, seat)
    game = game.after("1")
    with pytest.raises(ValueError, match="not legal"):
        game.after("2", 0)


@pytest.mark.parametrize("decks", [[], [list(CARDS)] * 2, [[*range(1, 50), 1]], [[*range(50)]]])
def test_what_is_no_deck(decks: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="not the decks"):
        begin(Config(), {"decks": decks})
