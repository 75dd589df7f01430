"""States of strangers: `Game.loads` reads what play can reach, and nothing that harms an engine."""

import json
import re
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.game import Game
from chromazoo.envs.npz import npz
from chromazoo.envs.randomness import as_seeds, mix
from chromazoo.envs.state import State
from tests.games import EXAMPLES, FAST, VARIANTS

PAIRS = [name.removesuffix("-fast") for name in FAST]
GAMES = {name: EXAMPLES[name] for name in (*PAIRS, "guardians-2", "baby-endless", "chroma-6")}
# Where a change need not contradict: what is free to be otherwise, or is never looked at again.
FREE = {
    "kroma": {"stream", "plies", "clock", "pieces", "seat"},
    "chroma": {
        *("stream", "plies", "passes", "first", "partner", "marks", "spot"),
        *("deck", "known", "knowers"),
    },
    "guardians": {"stream", "decks", "scores", "places", "seat"},
}


def play_on(game: Game[Any], state: State, seed: int, plies: int) -> list[State]:
    """Play at random; return copies of the states on the way."""
    stream = mix(as_seeds(seed), np.arange(len(state), dtype=np.uint64))
    passed = [state.copy()]
    for _ in range(plies):
        if state.over.all():
            break
        actions = game.packing.pick(game.legal(state), stream)
        game.step(state, np.maximum(actions, 0))  # finished games have none
        passed.append(state.copy())
    return passed


@cache
def moments(name: str) -> tuple[State, ...]:
    """States of one game each, at all stages."""
    game = GAMES[name]
    passed = play_on(game, game.deal(np.arange(12)), 1, 300)
    return tuple(state.take([row]) for state in passed[::7] + passed[-1:] for row in (3, 7))


def content(game: Game[Any], arrays: dict[str, Any]) -> bytes:
    """Write arrays as a file of the game."""
    head = {"game": game.id, "version": game.version, "config": game.options}
    text = np.frombuffer(json.dumps(head).encode(), np.uint8)
    return npz({"chromazoo": text, **arrays})


def copied(state: State) -> dict[str, Any]:
    """Copy the arrays of a state, each game's entries together."""
    return {name: np.array(array, order="C") for name, array in state.arrays.items()}


def flip(array: np.ndarray[Any, Any], bit: int) -> None:
    """Flip one bit of an array."""
    array.reshape(-1).view(np.uint8)[bit >> 3] ^= np.uint8(1 << (bit & 7))


@pytest.mark.parametrize("name", VARIANTS)
def test_all_that_play_reaches_is_read(name: str) -> None:
    for number in range(36):
        random = Random(number)
        game = VARIANTS[name](number * (2 if name == "kroma" else 1), random)
        state = game.deal(np.arange(8) + 100 * number)
        for stage, reached in enumerate(play_on(game, state, number, 250)):
            if stage < 3 or random.random() < 0.1:
                again = game.loads(game.dumps(reached))
                assert game.dumps(again) == game.dumps(reached)
        assert game.dumps(game.loads(game.dumps(state))) == game.dumps(state)


@pytest.mark.parametrize("name", GAMES)
def test_drawn_worlds_are_read_and_all_that_comes_after_them(name: str) -> None:
    game = GAMES[name]
    for number, state in enumerate(moments(name)):
        world = game.redeal(state, np.array([number % game.num_seats]), [number])
        for reached in play_on(game, world, number, 20)[::4]:
            assert game.dumps(game.loads(game.dumps(reached))) == game.dumps(reached)


def test_positions_are_read() -> None:
    game = EXAMPLES["baby"]
    texts = [
        "py/1P/2/1Y py/py/yp/yp b 99",
        "py/2/2/2 py/py/py/py w 0",
        "2/2/2/2 py/py/py/py b 1000000000",
    ]
    state = game.from_position(texts)
    assert game.dumps(game.loads(game.dumps(state))) == game.dumps(state)


@pytest.mark.parametrize("name", GAMES)
def test_one_bit_makes_a_contradiction(name: str) -> None:
    game, rng = GAMES[name], np.random.default_rng(5)
    whole = moments(name)
    for field in sorted(set(whole[0].arrays) - FREE[game.id]):
        for _ in range(25):
            state = whole[rng.integers(len(whole))]
            arrays = copied(state)
            flip(arrays[field], int(rng.integers(8 * arrays[field].nbytes)))
            if (arrays[field] == getattr(state, field)).all():
                continue  # no more than the sign of a zero
            with pytest.raises(InvalidFile, match=r"^strange: game 0 has a wrong [a-z]+: .+$"):
                game.loads(content(game, arrays), "strange")


@pytest.mark.parametrize("name", GAMES)
def test_the_game_and_the_array_are_named(name: str) -> None:
    game = GAMES[name]
    arrays = copied(game.deal(np.arange(5)))
    arrays["seat"][3] = 9
    with pytest.raises(InvalidFile, match=r"^some\.npz: game 3 has a wrong seat: 0 to \d$"):
        game.loads(content(game, arrays), "some.npz")


@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=60)
@given(data=st.data())
def test_what_is_read_plays_on_to_its_end_on_both_engines(name: str, data: st.DataObject) -> None:
    game, fast = EXAMPLES[name], FAST[f"{name}-fast"]
    stages = st.integers(0, len(moments(name)) - 1)
    arrays = copied(moments(name)[data.draw(stages)])
    for _ in range(data.draw(st.integers(1, 3))):
        # What has no freedom is refused at once; the rest is tried more often.
        free = st.sampled_from(sorted(FREE[game.id]))
        field = data.draw(st.one_of(st.sampled_from(sorted(arrays)), free))
        if data.draw(st.booleans()):
            flip(arrays[field], data.draw(st.integers(0, 8 * arrays[field].nbytes - 1)))
        else:
            arrays[field] = copied(moments(name)[data.draw(stages)])[field]
    try:
        states = [game.loads(content(game, arrays))]
    except InvalidFile as error:
        with pytest.raises(InvalidFile, match=re.escape(str(error))):
            fast.loads(content(game, arrays))
        return
    ends = []
    states.append(fast.loads(content(game, arrays)))
    for each, state in zip((game, fast), states, strict=True):
        worlds = each.redeal(state, np.zeros(1, np.int64), [1])
        seen = [each.observe(state, np.full(1, seat)) for seat in range(game.num_seats)]
        each.action_mask(worlds)
        last = play_on(each, state, 4, 1000)[-1]
        assert last.over.all()
        ends.append((np.concatenate(seen).tobytes(), each.dumps(worlds), each.dumps(last)))
    assert ends[0] == ends[1]


def put_two_on_a_square(arrays: dict[str, Any]) -> None:
    arrays["pieces"][:, 0, 1] |= arrays["pieces"][:, 0, 0]


def put_one_beyond_the_board(arrays: dict[str, Any]) -> None:
    arrays["pieces"][:, 1, 0] |= np.uint64(1 << 60)


def put_one_card_more(arrays: dict[str, Any]) -> None:
    arrays["hands"][:, 0, 7] += 1
    arrays["sizes"][:, 0] += 1


STRANGE: list[tuple[str, str, Any]] = [
    ("kroma", "pieces", put_two_on_a_square),
    ("kroma", "pieces", put_one_beyond_the_board),
    ("kroma", "clock", ("clock", -1)),
    ("kroma", "drops", ("drops", 120)),
    ("kroma", "plies", ("plies", -5)),
    ("kroma", "moves", ("moves", 1)),
    ("kroma", "pending", ("pending", 0)),
    ("chroma", "drawn", ("drawn", 200)),
    ("chroma", "deck", ("deck", 250)),
    ("chroma", "board", ("board", 250)),
    ("chroma", "marks", ("marks", 255)),
    ("chroma", "spot", ("spot", 100)),
    ("chroma", "partner", ("partner", -2)),
    ("chroma", "power", ("power", 4)),
    ("chroma", "deck", put_one_card_more),
    ("chroma", "sizes", ("sizes", 3)),
    ("chroma", "held", ("held", 0)),
    ("chroma", "room", ("room", 2**64 - 1)),
    ("chroma", "moves", ("moves", 2**64 - 1)),
    ("guardians", "numbers", ("numbers", 51)),
    ("guardians", "places", ("places", 9)),
    ("guardians", "turn", ("turn", 9)),
    ("guardians", "round", ("round", 1)),
    ("guardians", "decks", ("decks", 50)),
    ("guardians", "hands", ("hands", 2**60)),
    ("guardians", "hands", ("hands", 1)),
    ("guardians", "chief", ("chief", 3)),
    ("guardians", "scores", ("scores", 200)),
]


@pytest.mark.parametrize(("name", "field", "change"), STRANGE)
def test_strange_states_are_refused(name: str, field: str, change: Any) -> None:
    game = GAMES[name]
    arrays = copied(play_on(game, game.deal([1]), 1, 40)[-1 if name == "kroma" else 5])
    if callable(change):
        change(arrays)
    else:
        arrays[change[0]][...] = change[1]
    with pytest.raises(InvalidFile, match=rf"^strange: game 0 has a wrong {field}: "):
        game.loads(content(game, arrays), "strange")


@pytest.mark.parametrize("name", ["kroma", "chroma", "guardians"])
def test_flags_are_true_or_false(name: str) -> None:
    game = GAMES[name]
    arrays = copied(game.deal([1]))
    arrays["over"].view(np.uint8)[:] = 2
    with pytest.raises(InvalidFile, match="wrong over: true or false"):
        game.loads(content(game, arrays))


@pytest.mark.parametrize("name", GAMES)
def test_no_games_are_read(name: str) -> None:
    game = GAMES[name]
    assert len(game.loads(game.dumps(game.deal(np.zeros(0, np.int64))))) == 0
