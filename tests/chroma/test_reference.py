"""The reference alone, against what the rules page counts."""

from collections import Counter
from random import Random

import pytest

from tests.chroma.play import TEMPERS, chance_for, shuffled_setup
from tests.chroma.reference import REASONS, Chroma, Config, begin, neighbours
from tests.contract import golden

RECORDS = golden.records("chroma")


def test_the_records_meet_everything() -> None:
    """All ends, all kinds of moves, all numbers of players, wheels and power copies."""
    assert {record["result"]["reason"] for record in RECORDS} == set(REASONS)
    configs = [record["config"] for record in RECORDS]
    assert {config["num_players"] for config in configs} == set(range(2, 7))
    assert {config["power_copies"] for config in configs} == set(range(5))
    wheels = {config["wheel"] if isinstance(config["wheel"], str) else "own" for config in configs}
    assert wheels == {"tones", "narrow", "ring", "own"}
    moves = [ply["move"] for record in RECORDS for ply in record["plies"]]
    kinds = {move.split(":")[0] if ":" in move else "@" if "@" in move else move for move in moves}
    assert kinds == {"@", "wild", "draw", "use", "skip", "gift", "give"}


def test_the_wheels_have_as_many_partners_as_the_page_says() -> None:
    counts = {}
    for wheel in ("tones", "narrow", "ring"):
        config = Config(wheel=wheel)
        counts[wheel] = [
            sum(config.compatible(one, other) for other in config.colours) for one in config.colours
        ]
    assert counts["tones"] == [6, 8, 6] * 6 + [6, 6]
    assert counts["narrow"] == [4] * 18 + [6, 6]
    assert counts["ring"] == [5] * 18 + [9, 9]


def test_the_board() -> None:
    assert sorted(neighbours((1, 1))) == [(1, 2), (2, 1)]
    assert sorted(neighbours((11, 7))) == [(10, 7), (11, 6)]
    assert len(neighbours((6, 4))) == 4
    assert len(neighbours((1, 4))) == 3


def everywhere(game: Chroma) -> Counter[str]:
    """All cards, wherever they are."""
    hands = [card for hand in game.hands for card in hand]
    return Counter([*game.shown.values(), *game.wilds.values(), *hands, *game.pile])


@pytest.mark.parametrize("num_players", [2, 4, 6])
def test_no_card_is_lost_and_knowledge_is_true(num_players: int) -> None:
    """What seats know is so, and who decides holds what all others are entitled to see."""
    random = Random(num_players)
    config = Config(num_players=num_players, power_copies=4)
    for temper in TEMPERS:
        game = begin(config, shuffled_setup(config.pack, num_players, random))
        while game.legal():
            assert everywhere(game) == Counter(config.pack)
            for viewer in game.seats:
                for holder in game.seats:
                    assert game.knows_of(viewer, holder) <= Counter(game.hands[holder])
                    if len(game.hands[holder]) == 1:
                        assert game.knows_of(viewer, holder) == Counter(game.hands[holder])
                assert game.unseen(viewer) <= everywhere(game) - Counter(game.shown.values())
            move = temper(game, random)
            game = game.after(move, chance_for(game, move, random))
        result = game.result()
        assert result is not None
        assert abs(sum(result["rewards"])) < 1e-9


def test_games_are_never_changed() -> None:
    config = Config(num_players=3, power_copies=4)
    random = Random(5)
    game = begin(config, shuffled_setup(config.pack, 3, random))
    for _ in range(30):
        before = repr(game)
        move = random.choice(game.legal())
        following = game.after(move, chance_for(game, move, random))
        assert repr(game) == before
        if following.result():
            break
        game = following
    for move in ("a1", "draw", "skip", "give:red"):
        if move not in game.legal():
            with pytest.raises(ValueError, match="not legal"):
                game.after(move)
