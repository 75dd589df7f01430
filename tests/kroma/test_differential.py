"""The engine against the reference: whole random games of every variant, and random positions."""

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.kroma.board import REACHES
from chromazoo.envs.kroma.rules import Game
from tests.kroma.agreement import assert_agree, assert_seen, pair, viewed
from tests.kroma.reference import (
    BOARDS,
    REACH,
    SETUPS,
    Config,
    Kroma,
    Square,
    all_variants,
    begin,
    from_position,
    square_of,
)
from tests.thorough import THOROUGH

GAMES = 16 if THOROUGH else 2  # of each variant and choice of options
LONGEST = 160  # plies, for games that need not end
LIMITS = [0, 1, 2, 5, 100]


def choose(reference: Kroma, random: Random) -> str:
    """A legal move, captures more often, so that games end both ways."""
    legal = reference.legal()
    captures = []
    if not reference.placing:
        captures = [move for move in legal if square_of(move[3:]) in reference.pieces]
    return random.choice(captures if captures and random.random() < 0.4 else legal)


@pytest.mark.parametrize("variant", all_variants(), ids=lambda v: "-".join(map(str, v.values())))
def test_random_games(variant: dict[str, Any]) -> None:
    random = Random(str(variant))
    for leap in (True, False):
        for piece_rows in (1, 2):
            limit = random.choice(LIMITS)
            options = {"leap": leap, "piece_rows": piece_rows, "no_capture_limit": limit}
            check_games(random, {**variant, **options})


def check_games(random: Random, options: dict[str, Any]) -> None:
    """Play some games in one batch, every ply of engine and reference compared."""
    game, config = pair(**options)
    setups = game.setups([random.getrandbits(64) for _ in range(GAMES)])
    state = game.from_setup(setups)
    references = [begin(config, setup) for setup in setups]
    for ply in range(LONGEST):
        actions = np.zeros(GAMES, np.int64)
        for row, reference in enumerate(references):
            assert_agree(game, state, row, reference)
            if ply % 7 == row % 7:
                assert_seen(game, state, row, reference)
            if reference.result() is None:
                move = choose(reference, random)
                references[row] = reference.after(move)
                actions[row] = game.parse_move(state, row, move)
                assert game.move_text(state, row, actions[row]) == move
        if state.over.all():
            return
        game.step(state, actions)


@st.composite
def options_of_positions(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "size": draw(st.sampled_from(list(BOARDS))),
        "influence": draw(st.sampled_from(["friendly", "public", "reversed"])),
        "symmetry": draw(st.sampled_from(["mirrored", "flipped"])),
        "leap": draw(st.booleans()),
        "no_capture_limit": draw(st.sampled_from(LIMITS)),
    }


@st.composite
def positions(draw: st.DrawFn) -> Kroma:
    """Any pieces on rows of squares in any order: no symmetry, any number of each piece."""
    config = Config(**draw(options_of_positions()))
    random = Random(draw(st.integers(0, 2**32)))
    rows = [draw(st.permutations(config.colours)) for _ in range(config.height)]
    squares = {
        (column, row): colour
        for row, colours in enumerate(rows, 1)
        for column, colour in enumerate(colours, 1)
    }
    density = draw(st.sampled_from([0.0, 0.1, 0.2, 0.4, 0.7, 1.0]))
    white = draw(st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]))
    pieces = {
        square: (int(random.random() >= white), random.choice(config.colours))
        for square in squares
        if random.random() < density
    }
    clock = draw(st.integers(0, 12) | st.integers(0, 10**9))
    seat = draw(st.integers(0, 1))
    return Kroma(config, seat, [], [], squares, pieces, clock, placing=False)


def engine(config: Config) -> Game:
    return Game(**vars(config))


@given(positions())
def test_random_positions(reference: Kroma) -> None:
    game = engine(reference.config)
    text = reference.position()
    assert from_position(reference.config, text) == reference
    state = game.from_position([text])
    assert_agree(game, state, 0, reference)
    built = replace(reference, built=[[""]] * len(reference.config.building))
    assert_seen(game, state, 0, built)


@given(positions(), st.integers(0, 2**32))
def test_moves_from_random_positions(reference: Kroma, seed: int) -> None:
    """All children of a position, in one batch."""
    game = engine(reference.config)
    legal = reference.legal()
    state = game.from_position([reference.position()] * len(legal))
    game.step(state, np.array([game.parse_move(state, 0, move) for move in legal], np.int64))
    for row, move in enumerate(legal):
        assert_agree(game, state, row, reference.after(move))


def turned(reference: Kroma) -> Kroma:
    """The same position with White and Black exchanged, and the board turned with them."""
    config = reference.config

    def turn(square: Square) -> Square:
        row, column = viewed(config, 1, square)
        return column + 1, row + 1

    squares = {turn(square): colour for square, colour in reference.squares.items()}
    pieces = {turn(square): (1 - seat, c) for square, (seat, c) in reference.pieces.items()}
    return replace(reference, seat=1 - reference.seat, squares=squares, pieces=pieces)


@given(positions())
def test_both_seats_see_alike(reference: Kroma) -> None:
    """A position and the one turned look the same to the seats that decide: mask and all."""
    game = engine(reference.config)
    state = game.from_position([reference.position(), turned(reference).position()])
    assert np.array_equal(*game.action_mask(state))
    seen = game.observe(state, np.array([0, 1]))
    assert np.array_equal(*seen)
    seen = game.observe(state, np.array([1, 0]))
    assert np.array_equal(*seen)


def test_reaches_belong_to_their_colours() -> None:
    for number, colour in enumerate(REACH):
        reaches = {(right, up) for up, right in REACHES[4 * number : 4 * number + 4]}
        assert reaches == set(REACH[colour])


@given(positions())
def test_actions_are_from_the_movers_view(reference: Kroma) -> None:
    """Action (reach, row, column): the mover sees the piece there, and the move go that way."""
    game, config = engine(reference.config), reference.config
    state = game.from_position([reference.position()])
    shape = (len(REACHES), config.height, config.width)
    assert game.blocks[0].shape == shape
    for action in np.flatnonzero(game.action_mask(state)[0]).tolist():
        reach, row, column = (int(part) for part in np.unravel_index(action, shape))
        up, right = REACHES[reach]
        origin, target = map(square_of, game.move_text(state, 0, action).split("-"))
        assert viewed(config, reference.seat, origin) == (row, column)
        assert viewed(config, reference.seat, target) == (row + up, column + right)


@pytest.mark.parametrize("size", BOARDS)
@pytest.mark.parametrize("seat", [0, 1])
def test_drops_are_not_turned(size: str, seat: int) -> None:
    """L is the left end for both seats.

    Turned or reflected, Black's side looks to Black as White's side looks to White.
    """
    for symmetry in ("mirrored", "flipped"):
        game, config = pair(size=size, symmetry=symmetry)
        state = game.deal([0])
        if seat == 1:
            game.step(state, [game.parse_move(state, 0, "L:purple")])
        for number, (end, colour) in enumerate((e, c) for e in "LR" for c in config.colours):
            action = game.packing.num_actions - 2 * config.width + number
            assert game.move_text(state, 0, action) == f"{end}:{colour}"
            assert game.parse_move(state, 0, f"{end}:{colour}") == action


def test_variants_are_all_accepted_and_no_others() -> None:
    accepted = {tuple(variant.items()) for variant in all_variants()}
    for size in BOARDS:
        for setup in SETUPS["standard"]:
            options = {"influence": "public", "symmetry": "flipped", "setup": setup}
            named = {"size": size, **options, "random": True}
            if tuple(named.items()) in accepted:
                assert Game(**named).options.items() >= named.items()
            else:
                with pytest.raises(ValueError, match="set-up"):
                    Game(**named)
