"""Every check of the contract on every game."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.checks import CHECKS, JUNK, check_junk_moves
from tests.contract.play import AnyGame, assert_same, history, mixed, player_stream
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


@pytest.mark.parametrize("name", ["tiny", "tiny-biggest", "baby-short"])
def test_any_seeds(name: str) -> None:
    game = EXAMPLES[name]

    @settings(max_examples=25)
    @given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4))
    def check(seeds: list[int]) -> None:
        together = history(game, game.deal(seeds), player_stream(seeds))[-1]
        assert together.over.all()
        for row, seed in enumerate(seeds):
            alone = history(game, game.deal(seed), player_stream([seed]))[-1]
            assert_same(alone, together.take([row]))
        setups = game.setups(seeds)
        assert_same(game.from_setup(setups, seeds), game.deal(seeds))

    check()
