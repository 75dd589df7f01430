"""States: rows are named by numbers, slices or masks, and nothing is written by halves."""

import copy
import pickle
import re
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chromazoo.envs import chroma_v0, guardians_v0, kroma_v0
from chromazoo.envs.errors import InvalidArgument, InvalidConfig, InvalidMove
from chromazoo.envs.game import ENGINES
from chromazoo.envs.randomness import as_seeds
from chromazoo.envs.state import flat, integer, lanes, scatter, starts, write_lanes
from tests.contract.play import assert_memory_order, assert_same
from tests.tiny.game import Game as TinyGame

GAMES = [TinyGame(), kroma_v0.Game(size="baby", random=True), chroma_v0.Game()]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_masks_name_the_rows_that_they_mark(game: Any) -> None:
    state, mask = game.deal(range(6)), np.array([False, True, False, True, True, False])
    assert_same(state.take(mask), state.take([1, 3, 4]))
    by_mask, by_number = state.copy(), state.copy()
    other = game.deal(range(10, 13))
    by_mask.put(mask, other)
    by_number.put(np.array([1, 3, 4]), other)
    assert_same(by_mask, by_number)
    assert_same(by_mask.take(slice(0, 1)), state.take([0]))
    assert_same(state.take([-1]), state.take([5]))
    last = state.copy()
    last.put([-1], game.deal([20]))
    assert_same(last.take([5]), game.deal([20]))
    assert_same(last.take(range(5)), state.take(range(5)))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
@pytest.mark.parametrize(
    "rows",
    [[6], [-7], [0.0], [[0], [1]], np.ones(5, np.bool_), np.ones(7, np.bool_), ["0"], 0],
    ids=repr,
)
def test_what_names_no_rows_is_refused(game: Any, rows: Any) -> None:
    state = game.deal(range(6))
    before = state.copy()
    with pytest.raises(InvalidArgument):
        state.take(rows)
    with pytest.raises(InvalidArgument):
        state.put(rows, game.deal(range(np.size(rows))))
    assert_same(state, before)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
@pytest.mark.parametrize("games", [0, 1, 3])
def test_as_many_games_as_rows(game: Any, games: int) -> None:
    state = game.deal(range(6))
    before = state.copy()
    with pytest.raises(InvalidArgument):
        state.put([0, 5], game.deal(range(games)))
    assert_same(state, before)


def test_kroma_fits_half_a_kilobyte() -> None:
    assert kroma_v0.Game().deal(range(8)).nbytes / 8 == 435  # as Kroma's README says
    assert all(
        kroma_v0.Game(size=size).deal(range(8)).nbytes / 8 <= 512
        for size in ("standard", "basic", "baby")
    )


@pytest.mark.parametrize("seeds", [[1.5], 1.5, "7", np.array([[1, 2]]), np.array([0.5])], ids=repr)
def test_seeds_are_whole_numbers(seeds: Any) -> None:
    with pytest.raises(InvalidArgument):
        as_seeds(seeds)


def test_seeds_of_any_kind_are_the_same() -> None:
    due = [3, 2**64 - 1, 0]
    for seeds in ([3, -1, 0], np.array([3, -1, 0]), np.array(due, np.uint64), (3, -1, 2**64)):
        assert as_seeds(seeds).tolist() == due
    assert as_seeds(range(3)).tolist() == as_seeds(np.arange(3, dtype=np.int8)).tolist()
    assert as_seeds(np.array(5)).tolist() == as_seeds(5).tolist() == [5]


@pytest.mark.parametrize(
    ("game", "name", "value"),
    [
        (chroma_v0.Game, "num_players", 3),
        (guardians_v0.Game, "rounds", 2),
        (kroma_v0.Game, "piece_rows", 1),
    ],
)
def test_options_may_be_integers_of_numpy(game: Any, name: str, value: int) -> None:
    made = game(**{name: np.int16(value)})
    assert made == game(**{name: value})
    assert type(made.options[name]) is int
    with pytest.raises(InvalidConfig, match=f"{name} is a whole number"):
        game(**{name: np.float32(value)})


def test_moves_that_are_none_are_told_what_moves_look_like() -> None:
    for game, match in (
        (chroma_v0.Game(), "light-red@f5, draw, use, skip, gift:1 or give:light-red"),
        (guardians_v0.Game(), "a card's number, 1 to 50"),
        (kroma_v0.Game(), "two squares such as a2-b3"),
    ):
        state = game.deal([0])
        seat = int(state.seat[0])
        expected = match.replace("gift:1", f"gift:{1 - seat}")
        with pytest.raises(InvalidMove, match=expected):
            game.parse_move(state, 0, "nothing")


def test_unknown_views_and_options_are_refused() -> None:
    game = GAMES[1]
    with pytest.raises(InvalidArgument):
        game.observe(game.deal([1]), views=("pubic",))  # type: ignore[arg-type]
    for name in ("self", "game_id"):
        with pytest.raises(ValueError, match="no option"):
            type(game)(**{name: 1})


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_assigning_overwrites_the_games(game: Any) -> None:
    state, other = game.deal(range(6)), game.deal(range(6, 12))
    for name, array in state.arrays.items():
        setattr(state, name, getattr(other, name))
        assert getattr(state, name) is array
        assert not np.shares_memory(array, getattr(other, name))
    assert_same(state, other)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
@pytest.mark.parametrize(
    "value",
    [np.zeros(7, np.int32), np.zeros(1, np.int32), np.zeros(6), np.zeros(6, np.int64), 0, [0] * 6],
    ids=repr,
)
def test_what_is_assigned_is_neither_cast_nor_stretched(game: Any, value: Any) -> None:
    state = game.deal(range(6))
    before = state.copy()
    with pytest.raises(InvalidArgument, match="plies: "):
        state.plies = value
    assert_same(state, before)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_arrays_of_a_state_are_of_as_many_games_each(game: Any) -> None:
    arrays = game.deal(range(6)).arrays
    for name in arrays:
        for wrong in (arrays[name][:5], np.int8(0)):
            with pytest.raises(InvalidArgument):
                game.state_type(**{**arrays, name: wrong})


def test_an_empty_batch_has_no_rows_to_take() -> None:
    state = GAMES[0].deal([])
    with pytest.raises(InvalidArgument, match="there are no games"):
        state.take([0])
    assert len(state.take([])) == len(state.take(slice(3))) == 0


@pytest.mark.parametrize("games", [0, 1, 2, 5, 64, 1000, 2**16 - 1, 2**16, 10**5])
def test_starts_are_multiples_for_all_to_share(games: int) -> None:
    for step in (1, 3, 78):
        assert np.array_equal(starts(games, step), np.arange(games) * step)
    shared = starts(min(games, 1000))
    with pytest.raises(ValueError, match="read-only"):
        shared[...] = 0


@pytest.mark.parametrize("number", [0, 77, 2**40])
def test_a_number_of_no_axes_is_for_all_to_share(number: int) -> None:
    assert (integer(number).shape, integer(number).dtype) == ((), np.int64)
    assert (np.arange(3, dtype=np.int8) * integer(number)).tolist() == [0, number, 2 * number]
    with pytest.raises(ValueError, match="read-only"):
        integer(number)[...] = 1


def test_only_what_is_contiguous_is_written_flat() -> None:
    array = np.zeros((3, 4))
    flat(array)[5] = 1
    assert array[1, 1] == 1
    with pytest.raises(AssertionError):
        flat(array.T)


@pytest.mark.parametrize("games", [0, 1, 2, 7])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_views_show_the_memory_of_a_state(game: Any, games: int) -> None:
    state = game.deal(range(games))
    for name, array in state.arrays.items():
        assert np.shares_memory(getattr(state.lanes, name), array) == bool(array.size)
        assert getattr(state.lanes, name).tolist() == lanes(array).tolist()
        assert np.shares_memory(getattr(state.flat, name), array) == bool(array.size)
        kept = array if name in state.rowwise else lanes(array)
        assert getattr(state.flat, name).tolist() == kept.ravel().tolist()
    state.flat.plies[:] = 3
    assert state.plies.tolist() == [3] * games
    for views in (state.lanes, state.flat):
        with pytest.raises(AttributeError, match="the state has no wings"):
            _ = views.wings


def test_only_rowwise_arrays_are_flat_in_every_order() -> None:
    """Rules of the numpy engine would look up other games' entries, silently."""
    state = chroma_v0.Game(engine="compiled").deal(range(3))
    assert state.flat.hands.tolist() == state.hands.ravel().tolist()
    assert state.lanes.held.tolist() == lanes(state.held).tolist()
    with pytest.raises(AssertionError, match="a copy would be written to"):
        _ = state.flat.held


def test_views_are_copied_like_other_objects() -> None:
    state = chroma_v0.Game().deal(range(3))
    assert copy.copy(state.lanes).seat.tolist() == state.seat.tolist()


@pytest.mark.parametrize(
    "game", [chroma_v0, guardians_v0, kroma_v0], ids=lambda game: game.__name__
)
def test_rules_ask_for_arrays_that_there_are(game: Any) -> None:
    """What no type checker finds: names of views."""
    there = game.Game().deal([1]).arrays
    room = Path(sys.modules[game.Game.__module__].__file__ or "").parent
    asked = {
        name
        for file in room.glob("*.py")
        for name in re.findall(r"\.(?:lanes|flat)\.(\w+)", file.read_text(encoding="utf-8"))
    }
    assert asked
    assert asked <= there.keys()


def test_a_state_is_freed_with_its_views() -> None:
    """At once, without a search for what refers to itself: states may be large."""
    state = chroma_v0.Game().deal(range(3))
    gone = weakref.ref(state), weakref.ref(state.flat.hands)
    del state
    assert [each() for each in gone] == [None, None]


@pytest.mark.parametrize("write", [scatter, write_lanes])
def test_some_games_of_all_lanes_are_written(write: Any) -> None:
    whole = np.zeros((3, 8), np.uint8)
    values = np.arange(1, 10, dtype=np.uint8).reshape(3, 3)
    write(whole, np.array([6, 0, 3]), values)
    assert whole.take([6, 0, 3], axis=1).tolist() == values.tolist()
    assert np.count_nonzero(whole) == values.size
    write(whole, np.zeros(0, np.int64), values[:, :0])
    assert whole.sum() == values.sum()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_state_takes_arrays_of_any_order_and_keeps_none_of_them(game: Any) -> None:
    dealt = game.deal(range(6))
    given = {name: np.array(array, order="C") for name, array in dealt.arrays.items()}
    state = type(dealt)(**given)
    assert_same(state, dealt)
    assert_memory_order(state)
    for name in given:
        assert not np.shares_memory(given[name], getattr(state, name))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_pickled_states_are_whole(game: Any) -> None:
    state = game.deal(range(6))
    again = pickle.loads(pickle.dumps(state))
    assert_same(again, state)
    assert_memory_order(again)
    again.put([0], game.deal([9]))
    assert_same(again.take([0]), game.deal([9]))


CHOSEN = [
    slice(2, 5),
    slice(5, 2, -1),
    slice(None, None, 2),
    slice(-3, None),
    slice(9, 20),
    np.array([4, 0, 2], np.uint64),
    np.array([-1, 3], np.int8),
    np.arange(6)[::-2],
    np.array([True, False, False, True, True, False]),
    None,
]


@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(
    "game", [*GAMES, *(type(game)(engine="compiled") for game in GAMES[1:])], ids=repr
)
def test_games_are_put_however_they_are_chosen(game: Any, own: bool, chosen: Any) -> None:
    state = game.deal(range(6))
    other = state if own else game.deal(range(10, 16))
    numbers = np.arange(6) if chosen is None else np.arange(6)[chosen]
    rows = np.random.default_rng(1).permutation(6)[: len(numbers)]
    wanted, kept = other.take(numbers), np.setdiff1d(np.arange(6), rows)
    left = state.take(kept)
    state.put(rows, other, chosen)
    assert_same(state.take(rows), wanted)
    assert_same(state.take(kept), left)
    if not own:
        assert_same(other, game.deal(range(10, 16)))


def test_games_of_another_config_are_not_put() -> None:
    state = chroma_v0.Game(num_players=3).deal(range(2))
    before = state.copy()
    with pytest.raises(InvalidArgument, match="another config, shape or engine"):
        state.put([0], chroma_v0.Game(num_players=4).deal([5]))
    assert_same(state, before)


def test_what_a_state_does_not_have() -> None:
    with pytest.raises(AttributeError, match="TinyState has no hands"):
        _ = TinyGame().deal([0]).hands


OTHERS = [
    (chroma_v0.Game(), chroma_v0.Game(num_players=3), "num_players is 3, not 2"),
    (chroma_v0.Game(), chroma_v0.Game(wheel="narrow"), "wheel is"),
    (guardians_v0.Game(duel=False), guardians_v0.Game(), "duel is True, not False"),
    (guardians_v0.Game(), guardians_v0.Game(rounds=3), "rounds is 3, not 1"),
    (kroma_v0.Game(), kroma_v0.Game(leap=False), "leap is False, not True"),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("game", "other", "why"), OTHERS, ids=[why for *_, why in OTHERS])
def test_states_of_another_config_are_refused(game: Any, other: Any, why: str, engine: str) -> None:
    game, other = (type(each)(engine=engine, **each.options) for each in (game, other))
    state, own = other.deal(range(3)), game.deal(range(3))
    before = state.copy()
    uses = (
        lambda: game.legal(state),
        lambda: game.action_mask(state, [0, 0, 0]),
        lambda: game.step(state, [0, 0, 0]),
        lambda: game.observe(state),
        lambda: game.redeal(state, [0, 0, 0], [1, 2, 3]),
        lambda: game.dumps(state),
        lambda: game.adopt(state),
    )
    for use in uses:
        with pytest.raises(InvalidArgument, match=f"another config: {why}"):
            use()
    with pytest.raises(InvalidArgument, match="another config"):
        own.put([0, 1, 2], state)
    assert_same(state, before)
    for wrong in (TinyGame().deal(range(3)), None, own.arrays):
        with pytest.raises(InvalidArgument, match=f"a {game.state_type.__name__} needed"):
            game.observe(wrong)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_states_made_by_hand_are_adopted_first(game: Any) -> None:
    state = game.deal(range(3))
    made = game.state_type(**state.arrays)
    with pytest.raises(InvalidArgument, match="adopt"):
        game.observe(made)
    own = game.adopt(made)
    assert game.adopt(own) is own
    assert_same(own, state)
    assert game.observe(own).tolist() == game.observe(state).tolist()


def test_lists_that_are_no_row_of_numbers_are_refused() -> None:
    game = TinyGame()
    state = game.deal(range(2))
    for actions in ([[0], [0, 1]], [[0, 1], [0]], ["0", "1"], [None, 0]):
        with pytest.raises(InvalidArgument, match="2 integers needed"):
            game.step(state, actions)
        with pytest.raises(InvalidArgument, match="2 integers needed"):
            game.observe(state, actions)
