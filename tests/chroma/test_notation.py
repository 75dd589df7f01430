"""Moves as text, both ways, and texts that are no moves."""

from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.errors import InvalidMove
from tests.chroma.agreement import own_wheel, pair
from tests.chroma.reference import SPACES, Config, space_name
from tests.chroma.table import HANDS, Table, pile


@cache
def placing() -> Table:
    return Table(*HANDS, "", pile="c16 c17")


@cache
def owing_a_wild_card() -> Table:
    return Table(*HANDS, pile=pile()).play("c1@e4 c6@f5 c2@d4 c7@d5 c3@e5")


def all_texts(config: Config, seat: int, wild: bool) -> set[str]:
    """Every text that names an action, as the rules page writes them."""
    cards, prefix = set(config.pack), "wild:" if wild else ""
    texts = {f"{prefix}{card}@{space_name(space)}" for card in cards for space in SPACES}
    texts |= {f"give:{card}" for card in cards} | {"draw", "use", "skip"}
    return texts | {f"gift:{other}" for other in range(config.num_players) if other != seat}


def check_all_actions(game: Game, config: Config, state: ChromaState, wild: bool) -> None:
    for seat in range(game.num_seats):
        named = {}
        for action in range(game.num_actions):
            text = game.move_text(state, 0, action, seat)
            assert game.parse_move(state, 0, text, seat) == action
            named[text] = action
        assert len(named) == game.num_actions
        assert set(named) == all_texts(config, seat, wild)
        for action in (-1, -game.num_actions, game.num_actions, 10**12):
            with pytest.raises(InvalidMove):
                game.move_text(state, 0, action, seat)


@pytest.mark.parametrize(
    ("num_players", "wheel"), [(2, "tones"), (3, "own"), (4, "ring"), (6, "narrow")]
)
def test_every_action_has_a_text_of_its_own(num_players: int, wheel: str) -> None:
    named = own_wheel(Random(1)) if wheel == "own" else wheel
    game, config = pair(num_players=num_players, wheel=named, power_copies=num_players - 2)
    check_all_actions(game, config, game.deal([0]), wild=False)


def test_every_action_has_a_text_while_a_wild_card_is_due() -> None:
    table = owing_a_wild_card()
    check_all_actions(table.game, table.reference.config, table.state, wild=True)


def test_the_actions_of_a_card_go_through_the_board_by_rows_from_the_bottom() -> None:
    """As the block says: type, row, column."""
    table = placing()
    first = table.game.move_text(table.state, 0, 0).split("@")[0]
    texts = [table.game.move_text(table.state, 0, action) for action in range(77)]
    assert texts == [f"{first}@{column}{row}" for row in range(1, 8) for column in "abcdefghijk"]


def test_gifts_are_counted_from_the_next_seat() -> None:
    table = placing()
    first = table.game.parse_move(table.state, 0, "gift:1", 0)
    for seat in range(3):
        for away in (1, 2):
            text = f"gift:{(seat + away) % 3}"
            assert table.game.parse_move(table.state, 0, text, seat) == first + away - 1


def test_texts_of_another_phase_are_refused() -> None:
    with pytest.raises(InvalidMove):
        placing().game.parse_move(placing().state, 0, "wild:c1@f5")
    with pytest.raises(InvalidMove):
        owing_a_wild_card().game.parse_move(owing_a_wild_card().state, 0, "c4@a1")


JUNK = [
    *["", " ", "@", ":", "+", "c1", "c1@", "@f5", "c1@f0", "c1@f8", "c1@l1", "c1@`1", "c1@F5"],
    *["c1@5f", "c1@f55", "c1@f", "c1@f-1", "c1@f5 ", " c1@f5", "c1 @f5", "c1@ f5", "C1@f5"],
    *["c1@f5\n", "c1@f٣", "c1@f²", "c20@f5", "c01@f5", "c1+@f5", "c1+puce@f5", "c1+lock+gift@f5"],
    *["lock@f5", "c1@f5@f5", "wild:@f5", "wild:wild:c1@f5", "wild:c1", "WILD:c1@f5", "c1:f5"],
    *["draw ", " draw", "DRAW", "draw:", "use:1", "pass", "skip\n", "gift", "gift:", "gift:x"],
    *["gift:3", "gift:-1", "gift:01", "gift:1 ", "gift:+1", "gift:1.0", "gift:٠", "gift:10"],
    *["give", "give:", "give:c20", "give:c1@f5", "give: c1", "give:c1 ", "give:1", "Give:c1"],
    *["L:purple", "a1-a2", "\x00", "c1@f5\x00", "é", "@" * 1000, "give:" * 500],
]


@pytest.mark.parametrize("text", JUNK, ids=[repr(text[:30]) for text in JUNK])
def test_junk(text: str) -> None:
    for table in (placing(), owing_a_wild_card()):
        with pytest.raises(InvalidMove) as caught:
            table.game.parse_move(table.state, 0, text)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 300


def test_nobody_takes_from_themselves() -> None:
    table = placing()
    for seat in range(3):
        with pytest.raises(InvalidMove):
            table.game.parse_move(table.state, 0, f"gift:{seat}", seat)


WORDS = st.sampled_from(
    ["wild", ":", "@", "+", "c1", "c19", "lock", "gift", "give", "f5", "a1", "0", "2", "draw", " "]
)


@given(st.lists(WORDS, max_size=7).map("".join) | st.text(max_size=8), st.integers(0, 1))
def test_texts_like_moves(text: str, seat: int) -> None:
    """Whatever is read is written back as it was, and is one of the moves there are."""
    for table, wild in ((placing(), False), (owing_a_wild_card(), True)):
        try:
            action = table.game.parse_move(table.state, 0, text, seat)
        except InvalidMove:
            assert text not in all_texts(table.reference.config, seat, wild)
            continue
        assert table.game.move_text(table.state, 0, action, seat) == text
