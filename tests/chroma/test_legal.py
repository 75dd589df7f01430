"""Parts of legal sets against plain Python sets, on games that are played at random."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chromazoo.envs.chroma.board import (
    ALL_COLOURS,
    LANE_BITS,
    LANE_OF,
    LANE_WIDTH,
    LOCK_MARK,
    MAGNET_MARK,
    NEIGHBOURS,
    NO_MARK,
    SPACES,
    WORD,
    WORDS,
    fitting_anywhere,
)
from chromazoo.envs.chroma.cards import PACK
from chromazoo.envs.chroma.config import COLOURS, GIVE, PLACE, WILD
from chromazoo.envs.chroma.hands import types_held
from chromazoo.envs.chroma.legal import (
    LegalSets,
    _union,
    empty_spaces,
    is_blocked,
    left_by_locks,
    opposing_marks,
)
from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import Stream, as_seeds
from chromazoo.envs.state import lanes

GAMES = 60


def played(game: Game, games: int = GAMES, most: int = 70) -> ChromaState:
    """Games that have come up to so many plies far, the longer the later."""
    state, stream = game.deal(np.arange(games)), as_seeds(np.arange(games))
    for ply in range(most):
        step(game, state, stream, np.arange(games) * most > ply * games)
    return state


def step(game: Game, state: ChromaState, stream: Stream, going: NDArray[np.bool_]) -> None:
    rows = np.flatnonzero(going & ~state.over)
    part, some = state.take(rows), stream[rows]
    game.step(part, game.packing.pick(game.legal(part), some))
    state.put(rows, part)
    stream[rows] = some


def legal_sets(game: Game) -> LegalSets:
    return game._legal_sets


def colours_in(word: int) -> set[int]:
    return {colour for colour in range(COLOURS) if word >> colour & 1}


def lane(words: list[int], space: int) -> set[int]:
    """The colours in the lane of a space."""
    return colours_in(words[WORD[space]] >> int(LANE_OF[space]) * LANE_WIDTH)


def placements(game: Game, state: ChromaState) -> NDArray[np.bool_]:
    """Which cards may go where: bool (B, T, 77)."""
    mask = game.action_mask(state)[:, : game.draw]
    return mask.reshape(len(state), len(game.cards), SPACES).astype(np.bool_)


@pytest.mark.parametrize("copies", range(5))
def test_hands_are_cut_into_planes(copies: int) -> None:
    game = Game(power_copies=copies)
    state = played(game)
    types = types_held(state, np.arange(GAMES), state.seat)
    planes = legal_sets(game).planes(types)
    assert planes.shape == (copies + 1, GAMES)
    hands = state.hands[np.arange(GAMES), state.seat].reshape(GAMES, copies + 1, COLOURS)
    for row, plane in np.ndindex(GAMES, copies + 1):
        assert colours_in(int(planes[plane, row])) == set(np.flatnonzero(hands[row, plane]))


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), min_size=3, max_size=3), min_size=1))
def test_sets_are_united(sets: list[list[int]]) -> None:
    words = np.array(sets, np.uint64)
    kept = words.copy()
    assert _union(words).tolist() == np.bitwise_or.reduce(words, axis=0).tolist()
    assert _union([*words]).tolist() == _union(words).tolist()
    assert np.array_equal(words, kept)


@pytest.mark.parametrize("seats", range(2, 7))
def test_the_seat_to_decide_has_no_mark_among_those_of_the_others(seats: int) -> None:
    game, random = Game(num_players=seats), np.random.default_rng(seats)
    state = game.deal(np.arange(GAMES))
    state.seat = random.integers(0, seats, GAMES).astype(np.int8)
    state.marks = random.choice([0, 0, 1, 40, LOCK_MARK, 154], (GAMES, seats)).astype(np.uint8)
    state.marks[np.arange(GAMES), state.seat] = NO_MARK
    rows = random.permutation(GAMES)[:20]
    found = opposing_marks(state, rows)
    for row, some in zip(rows, found.T.tolist(), strict=True):
        others = np.delete(state.marks[row], state.seat[row]).tolist()
        assert sorted(some) == sorted(others)


def around(space: int) -> list[int]:
    return [int(each) for each in NEIGHBOURS[:, space] if each < SPACES]


def test_locks_forbid_the_spaces_around_them() -> None:
    """Also several Locks side by side, whose spaces share words; Magnets forbid none."""
    game, random = Game(num_players=4), np.random.default_rng(1)
    state = game.deal(np.arange(GAMES))
    lanes(state.room)[:WORDS] = random.integers(0, 2**63, (WORDS, GAMES), np.uint64)
    rows = random.permutation(GAMES)[:40]
    spaces = random.integers(0, SPACES, (3, 40))
    spaces[1, ::2] = (spaces[0, ::2] + random.choice([1, 2, 25, 26, 27], 20)) % SPACES
    kind = random.choice([MAGNET_MARK, LOCK_MARK, LOCK_MARK], (3, 40))
    marks = np.where(random.random((3, 40)) < 0.2, NO_MARK, kind + spaces).astype(np.uint8)
    before = state.room.copy()
    left = left_by_locks(state, rows, marks)
    assert np.array_equal(state.room, before)
    for number, row in enumerate(rows):
        locked = {
            near
            for mark in marks[:, number].tolist()
            if mark >= LOCK_MARK
            for near in around(mark - LOCK_MARK)
        }
        words, free = left[:, number].tolist(), state.room[row].tolist()
        for space in range(SPACES):
            assert lane(words, space) == (set() if space in locked else lane(free, space))


@pytest.mark.parametrize("copies", [0, 2, 3, 4])
def test_games_are_blocked_where_no_card_left_fits(copies: int) -> None:
    """Decks that were drawn still lie there, but do not count; all hands do."""
    game, random = Game(num_players=3, power_copies=copies), np.random.default_rng(copies)
    state = played(game)
    state.drawn = random.integers(90, PACK + 1, GAMES).astype(np.uint8)
    rows = random.permutation(GAMES)
    # The colours that fit are none, or few, of which some are among the cards left.
    fitting = (random.integers(0, 2**20, (3, GAMES), np.uint64) & ALL_COLOURS).T
    fitting = np.bitwise_and.reduce(fitting, axis=1)
    found = is_blocked(state, rows, fitting)
    for row, fits, blocked in zip(rows, fitting.tolist(), found.tolist(), strict=True):
        types = set(state.deck[row, state.drawn[row] :].tolist())
        types |= set(np.flatnonzero(state.hands[row].any(axis=0)).tolist())
        assert blocked == (not {each % COLOURS for each in types} & colours_in(fits))
    assert found.any()
    assert not found.all()


def test_wild_cards_may_go_to_all_empty_spaces() -> None:
    state = played(Game())
    rows = np.random.default_rng(2).permutation(GAMES)[:30]
    words = empty_spaces(state, rows)
    for row, found in zip(rows, words.T.tolist(), strict=True):
        full = sum(
            int(LANE_BITS[space]) << 64 * int(WORD[space])
            for space in range(SPACES)
            if not state.board[row, space]
        )
        assert found == [full >> 64 * word & 2**64 - 1 for word in range(WORDS)]


OPTIONS: list[dict[str, Any]] = [
    {"num_players": 2, "power_copies": 4},
    {"num_players": 3, "power_copies": 3, "wheel": "narrow"},
    {"num_players": 5, "power_copies": 2},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_placements_are_told_without_legal_sets(options: dict[str, Any]) -> None:
    """Where one is due: Locks may leave none, Magnets never take the last one (C9)."""
    game = Game(**options)
    state, stream = game.deal(np.arange(400)), as_seeds(np.arange(400))
    met = set()
    for _ in range(45):
        step(game, state, stream, ~state.over)
        rows = np.flatnonzero((state.phase == PLACE) & ~state.over)
        can = np.logical_or.reduce(placements(game, state)[rows], axis=(1, 2))
        assert game.can_place(state, rows).tolist() == can.tolist()
        fits = free_of_marks(game, state, rows)
        marks = state.marks[rows].max(axis=1)
        met |= set(zip((marks >= LOCK_MARK).tolist(), fits.tolist(), can.tolist(), strict=True))
    assert {(True, True, True), (True, True, False), (False, False, False)} <= met


def free_of_marks(game: Game, state: ChromaState, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where the seat to decide would have a placement without Magnets and Locks."""
    fitting: Words = fitting_anywhere(lanes(state.room)[:WORDS].take(rows, axis=1))
    types = types_held(state, rows, state.seat.take(rows))
    return ~legal_sets(game).hand(types, fitting).stuck


@pytest.mark.parametrize("copies", range(1, 5))
@pytest.mark.parametrize("seats", [2, 6])
def test_every_type_in_hand_may_be_given_or_laid_face_down(copies: int, seats: int) -> None:
    """Their bits lie across the words of legal sets, otherwise with each number of seats."""
    game = Game(num_players=seats, power_copies=copies)
    state, stream = game.deal(np.arange(300)), as_seeds(np.arange(300))
    met = set()
    for _ in range(30):
        step(game, state, stream, ~state.over)
        mask, cards = game.action_mask(state), placements(game, state)
        for row in np.flatnonzero(~state.over & np.isin(state.phase, (GIVE, WILD))):
            held = state.hands[row, state.seat[row]] > 0
            giving = state.phase[row] == GIVE
            assert np.array_equal(mask[row, game.give :], held & giving)
            free = (state.board[row, :SPACES] == 0) & ~giving
            assert np.array_equal(cards[row], held[:, None] & free)
            met.add(bool(giving))
    assert met == {False, True}
