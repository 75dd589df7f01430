"""Every check of the contract on every game."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.checks import CHECKS, JUNK, check_junk_moves
from tests.contract.play import AnyGame, mixed
from tests.games import EXAMPLES


@pytest.mark.parametrize("check", CHECKS, ids=[check.__name__[6:] for check in CHECKS])
@pytest.mark.parametrize("game", EXAMPLES.values(), ids=EXAMPLES)
def test_contract(game: AnyGame, check: Callable[[AnyGame], None]) -> None:
    check(game)


@pytest.mark.parametrize("game", EXAMPLES.values(), ids=EXAMPLES)
def test_junk_moves(game: AnyGame) -> None:
    state = mixed(game, 5)

    @settings(max_examples=30)
    @given(st.lists(st.text() | st.text("LRabcdef12345678:-plurewoydgivb0 "), min_size=1))
    def check(junk: list[str]) -> None:
        check_junk_moves(game, state, junk)

    check()
    check_junk_moves(game, state, JUNK)
