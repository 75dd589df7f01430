"""What every game must do, as functions that take the game and raise `AssertionError`.

They are functions, not tests, so that `test_faults.py` can run them on games with planted faults.
"""

import copy
import json
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from chromazoo.agents.agent import Decision, RandomAgent, decide
from chromazoo.envs.errors import (
    IllegalAction,
    InvalidArgument,
    InvalidChance,
    InvalidConfig,
    InvalidFile,
    InvalidMove,
    InvalidSetup,
)
from chromazoo.envs.fields import VIEWS, View
from chromazoo.envs.randomness import agent_stream, as_seeds, chance_stream, draw, mix
from chromazoo.envs.state import State, lanes
from tests.contract.play import (
    LONGEST,
    AnyGame,
    Moves,
    assert_memory_order,
    assert_same,
    content,
    differences,
    history,
    mixed,
    moves,
    pick_seats,
    play,
    player_stream,
    seated,
)

JUNK = [
    "",
    " ",
    "junk",
    "0",
    "-1",
    "None",
    "L:",
    "a1",
    "bid:3",
    "draw ",
    "DRAW",
    "a9-z9",
    "\n",
    "é",
]


def check_options(game: AnyGame) -> None:
    """Options make the same game again; unknown ones are refused by name; the config is frozen."""
    kind = type(game)
    defaults = {field.name: field.default for field in fields(game.config_type)}
    known = list(defaults)
    assert list(game.options) == known
    again = kind(**json.loads(json.dumps(game.options)))
    assert again == game
    assert hash(again) == hash(game)
    assert again.digest == game.digest
    made = eval(repr(game), {game.id: SimpleNamespace(Game=kind)})
    assert (made, made.engine) == (game, game.engine)
    assert (
        repr(kind())
        == f"{game.id}.Game({'' if kind.engine == 'numpy' else 'engine=' + repr(kind.engine)})"
    )
    assert kind().options.keys() == game.options.keys()
    with pytest.raises(InvalidConfig) as caught:
        kind(**game.options, colour="puce")
    assert all(name in str(caught.value) for name in ["colour", *known])
    for name in known:
        with pytest.raises(InvalidConfig):
            kind(**{**game.options, name: "no such value"})
        if defaults[name] is not None:
            with pytest.raises(InvalidConfig):
                kind(**{**game.options, name: None})
    with pytest.raises(FrozenInstanceError):
        setattr(game.config, known[0], game.options[known[0]])


def check_layouts(game: AnyGame) -> None:
    """Blocks cover the actions; fields cover the observation, within their highest values."""
    assert sum(block.size for block in game.blocks) == game.num_actions
    assert sum(field.size for field in game.fields) == game.num_features
    state = mixed(game)
    for seat in range(game.num_seats):
        before = content(state)
        observation = game.observe(state, seated(state, seat))
        assert content(state) == before
        assert observation.dtype == np.uint8
        assert observation.shape == (len(state), game.num_features)
        assert observation.flags.c_contiguous
        assert (observation <= game.fields.high).all()
        for row in range(len(state)):
            alone = game.observe(state.take([row]), np.array([seat]))
            assert np.array_equal(alone[0], observation[row])
    assert np.array_equal(game.observe(state), game.observe(state, state.seat))
    described = game.describe(game.observe(state)[0]).splitlines()
    assert [line.split()[0] for line in described] == [field.name for field in game.fields]


def check_views(game: AnyGame) -> None:
    """An observation of some views is the whole one without the fields of the others."""
    state = mixed(game)
    choices: list[tuple[View, ...]] = [(), VIEWS, *((view,) for view in VIEWS), VIEWS[:2]]
    for seat in range(game.num_seats):
        whole = game.observe(state, seated(state, seat))
        for views in choices:
            part = game.observe(state, seated(state, seat), views)
            layout = game.fields.only(views)
            assert part.shape == (len(state), layout.size)
            assert part.dtype == np.uint8
            for field in layout:
                expected = game.fields.get(whole, field.name)
                assert np.array_equal(layout.get(part, field.name), expected)


def check_deals(game: AnyGame) -> None:
    """The same seed deals the same game in any row of any batch; memory lies games last."""
    seeds = np.array([5, 0, 2**64 - 1, 5, 17, *range(100, 130)], np.uint64)
    state = game.deal(seeds)
    assert_memory_order(state)
    assert len(state) == len(seeds)
    assert state.nbytes == sum(array.nbytes for array in state.arrays.values())
    for row in (0, 1, 2, 3, 4, 20):
        assert_same(game.deal(seeds[[row]]), state.take([row]))
    assert_same(game.deal(seeds[::-1]), state.take(slice(None, None, -1)))
    assert_same(game.deal([5, 0, -1]), state.take([0, 1, 2]))
    assert_same(game.deal(17), state.take([4]))
    assert seeds.tolist()[:2] == [5, 0]
    for array in state.arrays.values():
        assert array.dtype.kind in "biuf"
    assert not state.over.any()
    assert not state.plies.any()


def check_setups(game: AnyGame) -> None:
    """A deal is its set-up played with its seed; what is no set-up is refused."""
    seeds = np.arange(1000, 1030)
    setups = json.loads(json.dumps(game.setups(seeds)))
    assert setups == game.setups(seeds)
    assert setups[3:4] == game.setups(seeds[3:4])
    assert_same(game.from_setup(setups, seeds), game.deal(seeds))
    assert_memory_order(game.from_setup(setups, seeds))
    assert_same(game.from_setup(setups), game.from_setup(setups, range(len(setups))))
    assert_same(
        game.from_setup(setups[:2], [7, 8]), game.from_setup(setups, range(7, 37)).take([0, 1])
    )
    with pytest.raises(ValueError, match="seeds"):
        game.from_setup(setups, seeds[1:])
    first = setups[0]
    wrong: list[dict[str, Any]] = [{**first, "surplus": 1}]
    for name, right in first.items():
        wrong.append({key: value for key, value in first.items() if key != name})
        values: list[Any] = [None, [], {}, "x", -1, True, [[]], 1.5]
        if isinstance(right, list):
            values += [right[:-1], right + right[-1:], [*right[:-1], "x"], [None, *right[1:]]]
        wrong += [{**first, name: value} for value in values]
    for setup in wrong:
        with pytest.raises(InvalidSetup):
            game.from_setup([first, setup])


def check_batches(game: AnyGame) -> None:
    """A game plays out the same alone, in any row, and whatever is played in the other rows."""
    seeds = np.arange(20, 44)
    together = history(game, game.deal(seeds), player_stream(seeds))
    for row in (0, 7, 23):
        alone = history(game, game.deal(seeds[[row]]), player_stream(seeds[[row]]))
        for now, then in zip(alone, together, strict=False):
            assert_same(now, then.take([row]))
        assert alone[-1].over.all() or len(alone) == LONGEST + 1
        assert_same(alone[-1], together[-1].take([row]))
    shuffled = np.argsort(draw(as_seeds(seeds)))[:9]
    apart = history(game, game.deal(seeds[shuffled]), player_stream(seeds[shuffled]))
    assert_same(apart[-1], together[-1].take(shuffled))
    again = history(type(game)(**game.options), game.deal(seeds), player_stream(seeds))
    assert_same(again[-1], together[-1])


def check_turns(game: AnyGame) -> None:
    """A step is one ply; `seat` is the lowest pending seat, at the end the one that moved last."""
    seeds = np.arange(24)
    state = game.deal(seeds)
    before = state.copy()
    for now, seats, actions in play(game, state, player_stream(seeds)):
        assert np.array_equal(now.plies, before.plies + ~before.over)
        assert (now.over >= before.over).all()
        assert np.array_equal(now.pending.any(axis=1), ~now.over)
        lowest = now.pending.argmax(axis=1)
        assert np.array_equal(now.seat[~now.over], lowest[~now.over])
        ended = now.over & ~before.over
        assert np.array_equal(now.seat[ended], seats[ended])
        assert game.simultaneous or (now.pending.sum(axis=1) <= 1).all()
        assert_memory_order(now)
        if np.array_equal(seats, before.seat):
            game.step(before, actions)
            assert_same(before, now)
        before = now.copy()


def check_waiting_seats(game: AnyGame) -> None:
    """Who is pending has something to choose, who is not has nothing; other seats are refused."""
    state = mixed(game)
    for seat in range(game.num_seats):
        counts = game.packing.count(game.legal(state, seated(state, seat)))
        assert np.array_equal(counts > 0, state.pending[:, seat])
    assert np.array_equal(game.legal(state), game.legal(state, state.seat))
    for wrong in (-1, game.num_seats):
        with pytest.raises(ValueError, match="seats"):
            game.legal(state, seated(state, wrong))
    with pytest.raises(ValueError, match="seats"):
        game.legal(state, state.seat[1:])


def check_sealed_choices(game: AnyGame) -> None:
    """Of simultaneous choices the others see nothing until all are made; their order is nothing."""
    state = mixed(game, 60)
    state = state.take(np.flatnonzero(state.pending.sum(axis=1) > 1))
    assert game.simultaneous == (len(state) > 0)
    if not game.simultaneous:
        return
    lowest, highest = state.seat, game.num_seats - 1 - state.pending[:, ::-1].argmax(axis=1)
    for chooser in (lowest, highest):
        counts = game.packing.count(game.legal(state, chooser))
        after = [state.copy(), state.copy()]
        for one, k in zip(after, (np.zeros_like(counts), counts - 1), strict=True):
            game.step(one, game.packing.select(game.legal(state, chooser), k), chooser)
        assert differences(after[0], after[1])
        for away in range(1, game.num_seats):
            seen = [
                (
                    game.observe(one, (chooser + away) % game.num_seats).tolist(),
                    game.action_mask(one, (chooser + away) % game.num_seats).tolist(),
                    one.seat.tolist(),
                    one.pending.tolist(),
                    [game.text(one, row) for row in range(len(one))],
                )
                for one in after
            ]
            assert seen[0] == seen[1]
    actions = [
        game.packing.pick(game.legal(state, seated(state, seat)), player_stream(range(len(state))))
        for seat in range(game.num_seats)
    ]
    ends = [state.copy(), state.copy()]
    for one, order in zip(ends, (1, -1), strict=True):
        for seat in range(game.num_seats)[::order]:
            rows = np.flatnonzero(state.pending[:, seat])
            part = one.take(rows)
            game.step(part, actions[seat][rows], seated(part, seat))
            one.put(rows, part)
    assert_same(ends[0], ends[1], ignore=("seat",))  # in a finished game, who moved last
    live = ~ends[0].over
    assert np.array_equal(ends[0].seat[live], ends[1].seat[live])


def check_rewards(game: AnyGame) -> None:
    """Rewards come once, at the end, sum to zero, and follow the formula of shared wins."""
    seeds = np.arange(60)
    state = game.deal(seeds)
    given = np.zeros_like(state.rewards)
    seats = game.num_seats
    ended = 0
    for now, _, _ in play(game, state, player_stream(seeds)):
        was_over = given.any(axis=1)
        assert not now.rewards[~now.over].any()
        assert np.array_equal(now.rewards[was_over], given[was_over])
        given = now.rewards.copy()
        ended = int(now.over.sum())
    assert ended > 0
    rewards = state.rewards[state.over]
    assert np.abs(rewards.sum(axis=1)).max() < 1e-9
    assert np.array_equal(np.signbit(rewards), rewards < 0), "no negative zero"
    won = rewards == rewards.max(axis=1, keepdims=True)
    k = won.sum(axis=1, keepdims=True)
    formula = np.where(
        won, (seats - k) / (k * (seats - 1)), np.where(k == seats, 0, -1 / (seats - 1))
    )
    assert np.abs(rewards - formula).max() < 1e-9
    for row in np.flatnonzero(state.over)[:10]:
        result = json.loads(json.dumps(game.result(state, int(row))))
        assert np.allclose(result["rewards"], state.rewards[row], rtol=0, atol=1e-9)
        assert isinstance(result["reason"], str)


def check_packing(game: AnyGame) -> None:
    """Packed sets and masks say the same: count, contains, select, pick, listed, unpack, pack."""
    state, packing = mixed(game), game.packing
    for seat in range(game.num_seats):
        before = content(state)
        words = game.legal(state, seated(state, seat))
        mask = game.action_mask(state, seated(state, seat))
        assert content(state) == before
        assert words.shape == (len(state), packing.num_words)
        assert words.dtype == np.uint64
        assert mask.shape == (len(state), game.num_actions)
        assert mask.dtype == np.bool_
        assert np.array_equal(packing.pack(mask), words)
        counts = packing.count(words)
        assert np.array_equal(counts, mask.sum(axis=1))
        chosen = [packing.select(words, np.full(len(state), k)) for k in range(counts.max() + 1)]
        for row in range(len(state)):
            listed = [int(some[row]) for some in chosen]
            assert sorted(listed[: counts[row]]) == np.flatnonzero(mask[row]).tolist()
            assert set(listed[counts[row] :]) == {-1}
        rows, actions = packing.listed(words)
        assert sorted(zip(rows.tolist(), actions.tolist(), strict=True)) == [
            (row, action) for row, action in np.argwhere(mask).tolist()
        ]
        for action in {0, game.num_actions // 2, game.num_actions - 1}:
            held = packing.contains(words, np.full(len(state), action))
            assert np.array_equal(held, mask[:, action])
        picked = packing.pick(words, player_stream(np.arange(len(state))))
        assert np.array_equal(picked >= 0, counts > 0)
        assert mask[counts > 0, picked[counts > 0]].all()
    assert np.array_equal(game.action_mask(state), game.action_mask(state, state.seat))


def check_legal_actions(game: AnyGame) -> None:
    """Every action that the masks allow can be taken, alone as in a batch, one ply each."""
    state = mixed(game)
    choices = moves(game, state, legal=True).some(1500)
    after = state.take(choices.rows)
    game.step(after, choices.actions, choices.seats)
    assert np.array_equal(after.plies, state.plies[choices.rows] + 1)
    assert_memory_order(after)
    lowest = np.flatnonzero(choices.seats == state.seat[choices.rows])
    unnamed = state.take(choices.rows[lowest])
    game.step(unnamed, choices.actions[lowest].tolist())
    assert_same(unnamed, after.take(lowest))
    for i in range(0, len(choices), max(1, len(choices) // 40)):
        alone = state.take(choices.rows[[i]])
        game.step(alone, choices.actions[i : i + 1].astype(np.int32), choices.seats[[i]])
        assert_same(alone, after.take([i]))


def _legal_choices(game: AnyGame, state: State) -> tuple[Any, Any]:
    """Name one pending seat and one legal action in each game."""
    seats = pick_seats(state, player_stream(np.arange(len(state))))
    return seats, game.packing.select(game.legal(state, seats), np.zeros(len(state), np.int64))


def _assert_refused(
    game: AnyGame, state: State, row: int, seat: int, action: int, seats: Any, actions: Any
) -> None:
    """Demand that one wrong choice among right ones is refused by name and changes nothing."""
    seats, actions = seats.copy(), actions.copy()
    seats[row], actions[row] = seat, action
    before, given = content(state), (seats.copy(), actions.copy())
    with pytest.raises(IllegalAction) as caught:
        game.step(state, actions, seats)
    error = caught.value
    assert (error.row, error.seat, error.action) == (row, seat, action)
    assert f"game {row}: seat {seat} took {action}" in str(error)
    assert "\n" not in str(error)
    assert content(state) == before
    assert np.array_equal(given, (seats, actions))
    again = pickle.loads(pickle.dumps(error))
    assert (again.row, again.seat, again.action, str(again)) == (row, seat, action, str(error))


def check_illegal_actions(game: AnyGame) -> None:
    """Every action that the masks forbid is refused and leaves the whole batch as it was."""
    state = mixed(game)
    seats, actions = _legal_choices(game, state)
    choices = moves(game, state, legal=False).some(1500)
    assert len(choices)
    for row, seat, action in zip(
        choices.rows.tolist(), choices.seats.tolist(), choices.actions.tolist(), strict=True
    ):
        _assert_refused(game, state, row, seat, action, seats, actions)
    live = np.flatnonzero(~state.over).tolist()
    for row in live[:5]:
        for action in (-1, game.num_actions, -(2**40), 2**40, 2**62):
            _assert_refused(game, state, row, int(seats[row]), action, seats, actions)
    first = actions.copy()
    first[live] = -1
    with pytest.raises(IllegalAction) as caught:
        game.step(state, first, seats)
    assert caught.value.row == live[0]


def check_arguments(game: AnyGame) -> None:
    """Arguments that have not one entry a game, or are no integers, are refused."""
    state = mixed(game, 8)
    before = content(state)
    seats, actions = _legal_choices(game, state)
    wrong: list[dict[str, Any]] = [
        {"actions": actions[1:]},
        {"actions": actions.astype(float)},
        {"actions": actions.astype(bool)},
        {"actions": actions[:, None]},
        {"actions": int(actions[0])},
        {"actions": [str(action) for action in actions]},
        {"actions": [None] * len(state)},
        {"seats": seats[1:]},
        {"seats": np.full(len(state), -1)},
        {"seats": np.full(len(state), game.num_seats)},
        {"chance": [None]},
    ]
    for arguments in wrong:
        with pytest.raises(ValueError, match=next(iter(arguments))):
            game.step(state, **{"actions": actions, "seats": seats, **arguments})
        assert content(state) == before
    with pytest.raises(ValueError, match="seeds"):
        game.redeal(state, seated(state, 0), np.arange(len(state) - 1))
    with pytest.raises(ValueError, match="seats"):
        game.redeal(state, seated(state, game.num_seats), np.arange(len(state)))
    with pytest.raises(ValueError, match="seats"):
        game.observe(state, seated(state, -1))


def check_finished_games(game: AnyGame) -> None:
    """A finished game ignores its action and does not change; the others go on."""
    state = mixed(game)
    assert state.over.any()
    assert not state.over.all()
    seats, actions = _legal_choices(game, state)
    for ignored in (-1, 0, game.num_actions + 5):
        after = state.copy()
        game.step(after, np.where(state.over, ignored, actions), seats)
        assert_same(after.take(np.flatnonzero(state.over)), state.take(np.flatnonzero(state.over)))
        live = np.flatnonzero(~state.over)
        expected = state.take(live)
        game.step(expected, actions[live], seats[live])
        assert_same(after.take(live), expected)
    done = state.take(np.flatnonzero(state.over))
    before = content(done)
    game.step(done, np.zeros(len(done), np.int64))
    assert content(done) == before


def check_empty_batch(game: AnyGame) -> None:
    """A batch of no games works everywhere."""
    none = np.zeros(0, np.int64)
    state = game.deal(none)
    assert len(state) == 0
    assert_same(game.from_setup([], none), state)
    assert game.setups(none) == []
    assert game.legal(state).shape == (0, game.packing.num_words)
    assert game.action_mask(state).shape == (0, game.num_actions)
    assert game.observe(state).shape == (0, game.num_features)
    game.step(state, none)
    assert_same(game.redeal(state, none, none), state)
    assert_same(game.loads(game.dumps(state)), state)
    assert_same(mixed(game, 4).take(none), state)


def check_copies(game: AnyGame) -> None:
    """Copies, pickles and files hold the same, share nothing, lie alike and play on alike."""
    state = mixed(game)
    before = content(state)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.npz"
        game.save(state, path)
        saved = game.load(path)
        game.save(saved.take([0]), str(path))
        assert_same(game.load(str(path)), state.take([0]))
        assert [found.name for found in path.parent.iterdir()] == ["state.npz"]
    restored = {
        "copy": state.copy(),
        "copy.copy": copy.copy(state),
        "deepcopy": copy.deepcopy(state),
        "pickle": pickle.loads(pickle.dumps(state)),
        "take": state.take(np.arange(len(state))),
        "slice": state.take(slice(None)),
        "list": state.take(list(range(len(state)))),
        "load": saved,
        "loads": game.loads(game.dumps(state)),
    }
    streams = np.arange(len(state))
    expected = history(game, state, player_stream(streams), 12)[-1]
    for name, other in restored.items():
        assert_same(other, state)
        assert_memory_order(other)
        for array in other.arrays.values():
            assert not any(np.shares_memory(array, own) for own in state.arrays.values())
        for _ in play(game, other, player_stream(streams), 12):
            pass
        assert_same(other, expected)
        assert content(state) == before, name
    holder = copy.deepcopy({"game": game, "state": [state, state]})
    assert holder["game"] == game
    assert pickle.loads(pickle.dumps(game)) == game


def check_take_and_put(game: AnyGame) -> None:
    """Games can be taken out in any order, and put back in place of others."""
    nothing = mixed(game, 20)
    nothing.put([], nothing.take([]))
    assert_same(nothing, mixed(game, 20))
    state, other = mixed(game, 20), mixed(game, 12, seed=9)
    rows = np.array([7, 3, 19, 3])
    taken = state.take(rows)
    for i, row in enumerate(rows):
        assert_same(taken.take([i]), state.take([row]))
    rows = np.array([11, 0, 4, 19])
    target = state.copy()
    target.put(rows, other.take([2, 3, 5, 7]))
    assert_same(target.take(rows), other.take([2, 3, 5, 7]))
    rest = np.setdiff1d(np.arange(20), rows)
    assert_same(target.take(rest), state.take(rest))
    assert_memory_order(target)
    target.put(slice(4, 16), other)
    assert_same(target.take(slice(4, 16)), other)
    target.put(rows, other, [5, 2, 2, -1])
    assert_same(target.take(rows), other.take([5, 2, 2, 11]))
    turned = target.take([2, 0, 1])
    target.put([0, 1, 2], target, [2, 0, 1])
    assert_same(target.take([0, 1, 2]), turned)
    with pytest.raises(InvalidArgument, match="put: 3 rows for 2 games"):
        target.put([0, 1, 2], other, [0, 1])
    assert_same(target.take([0, 1, 2]), turned)
    before = content(other)
    for array in target.arrays.values():
        lanes(array)[...] = 0
    assert content(other) == before


def check_files(game: AnyGame) -> None:
    """Files of another game, version or config, damaged or cut off, are refused in one line."""
    state = mixed(game, 6)
    whole = game.dumps(state)
    assert whole == game.dumps(state.copy())

    def refused(found: bytes) -> None:
        with pytest.raises(InvalidFile) as caught:
            game.loads(found, "some.npz")
        assert str(caught.value).startswith("some.npz: ")
        assert "\n" not in str(caught.value)

    for cut in {0, 1, 4, 30, len(whole) // 3, len(whole) // 2, len(whole) - 100, len(whole) - 1}:
        refused(whole[:cut])
    rng = np.random.default_rng(3)
    for place in [*range(0, 200, 3), *rng.integers(len(whole), size=150).tolist()]:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(rng.integers(8))
        try:
            found = game.loads(bytes(flipped))
        except InvalidFile:
            continue
        assert_same(found, state)  # the bit is one that zip does not use
    for junk in (
        b"junk",
        b"\x93NUMPY",
        pickle.dumps([1]),
        _npy(np.arange(3)),
        _npz(a=np.arange(3)),
    ):
        refused(junk)
    head = np.frombuffer(_head(whole), np.uint8)
    arrays = state.arrays
    refused(_npz(**arrays))
    assert_same(game.loads(_npz(chromazoo=head, **arrays)), state)
    for name, array in arrays.items():
        others = {key: value for key, value in arrays.items() if key != name}
        refused(_npz(chromazoo=head, **others))
        for wrong in (
            array[:-1],
            array[..., None],
            array.astype(np.complex64),
            array.astype(array.dtype.newbyteorder(">")) if array.dtype.itemsize > 1 else array[:0],
            np.zeros((), array.dtype),
            np.zeros(len(array), "S1"),
        ):
            refused(_npz(chromazoo=head, **others, **{name: wrong}))
    described = json.loads(head.tobytes())
    changes: list[dict[str, Any]] = [
        {"game": "other"},
        {"version": game.version + 1},
        {"config": {**game.options, "colour": "puce"}},
        {"config": {}},
    ]
    for change in changes:
        text = json.dumps({**described, **change}).encode()
        refused(_npz(chromazoo=np.frombuffer(text, np.uint8), **arrays))
    for text in (b"[]", b"{", b"\xff", b"null", b"[" * 100_000):
        refused(_npz(chromazoo=np.frombuffer(text, np.uint8), **arrays))
    with pytest.raises(FileNotFoundError):
        game.load("/no/such/file.npz")


def _npy(array: Any) -> bytes:
    """Write one array as the bytes of an npy file."""
    with tempfile.TemporaryFile() as file:
        np.save(file, array)
        file.seek(0)
        return file.read()


def _npz(**arrays: Any) -> bytes:
    """Write arrays as the bytes of an npz file."""
    with tempfile.TemporaryFile() as file:
        np.savez(file, **arrays)
        file.seek(0)
        return file.read()


def _head(whole: bytes) -> bytes:
    """Read what a saved state says of itself."""
    with tempfile.TemporaryFile() as file:
        file.write(whole)
        file.seek(0)
        with np.load(file, allow_pickle=False) as archive:
            head: bytes = archive["chromazoo"].tobytes()
    return head


def check_notation(game: AnyGame) -> None:
    """Every legal action has a text of its own that names it again; junk names nothing."""
    state = mixed(game)
    before = content(state)
    texts: dict[tuple[int, int], list[str]] = {}
    choices = moves(game, state, legal=True)
    for row, seat, action in zip(
        choices.rows.tolist(), choices.seats.tolist(), choices.actions.tolist(), strict=True
    ):
        text = game.move_text(state, row, action, seat)
        assert game.parse_move(state, row, text, seat) == action
        assert type(game.parse_move(state, row, text, seat)) is int
        assert text == text.strip()
        if seat == state.seat[row]:
            assert game.move_text(state, row, action) == text
            assert game.parse_move(state, row, text) == action
        texts.setdefault((row, seat), []).append(text)
    assert all(len(set(found)) == len(found) for found in texts.values())
    for row in np.flatnonzero(~state.over)[:3].tolist():
        for action in range(-2, game.num_actions + 2):
            try:
                text = game.move_text(state, row, action)
            except InvalidMove:
                continue
            assert game.parse_move(state, row, text) == action
        for text in (some + end for some in texts[row, int(state.seat[row])] for end in " x\n"):
            with pytest.raises(InvalidMove):
                game.parse_move(state, row, text)
    assert content(state) == before


def check_junk_moves(game: AnyGame, state: State, junk: list[str]) -> None:
    """Texts that are no moves are refused in one line; those that are, name their action."""
    for row in np.flatnonzero(~state.over).tolist():
        for text in junk:
            try:
                action = game.parse_move(state, row, text)
            except InvalidMove as error:
                why = str(error)
                assert why.isprintable()
            else:
                assert game.move_text(state, row, action) == text


def check_text(game: AnyGame) -> None:
    """The drawing shows some lines, and nothing that some seat does not know."""
    state = mixed(game, 12)
    before = content(state)
    drawn = [game.text(state, row) for row in range(len(state))]
    assert all(text and not text.endswith("\n") for text in drawn)
    assert len(set(drawn)) > 1
    for seat in range(game.num_seats):
        world = game.redeal(state, seated(state, seat), np.arange(len(state)))
        assert [game.text(world, row) for row in range(len(world))] == drawn
    assert content(state) == before


def check_redeal(game: AnyGame) -> None:
    """A redeal changes nothing that the seat sees, makes a game that plays on, and is seeded."""
    state = mixed(game)
    before = content(state)
    seeds = np.arange(300, 300 + len(state))
    open_to_all = ("seat", "pending", "over", "rewards", "plies")
    for seat in range(game.num_seats):
        eyes = seated(state, seat)
        world = game.redeal(state, eyes, seeds)
        assert content(state) == before
        assert_memory_order(world)
        assert np.array_equal(game.observe(world, eyes), game.observe(state, eyes))
        assert np.array_equal(game.action_mask(world, eyes), game.action_mask(state, eyes))
        assert_same(game.redeal(state, eyes.astype(np.uint64), seeds), world)
        assert not set(open_to_all) & set(differences(world, state))
        for other in range(game.num_seats):
            public = game.observe(state, seated(state, other), ("public",))
            assert np.array_equal(game.observe(world, seated(state, other), ("public",)), public)
        assert (world.stream != state.stream).all()
        assert_same(game.redeal(state, eyes, seeds), world)
        rows = np.array([9, 2, 30])
        assert_same(game.redeal(state.take(rows), eyes[rows], seeds[rows]), world.take(rows))
        assert (game.redeal(state, eyes, seeds + 1000).stream != world.stream).all()
        for now, _, _ in play(game, world, player_stream(seeds), 40):
            assert np.array_equal(now.pending.any(axis=1), ~now.over)
            assert np.abs(now.rewards.sum(axis=1)).max() < 1e-9
    eyes = np.arange(len(state)) % game.num_seats
    world = game.redeal(state, eyes, seeds)
    for row in (0, 1, 2, 11):
        assert_same(game.redeal(state.take([row]), eyes[[row]], seeds[[row]]), world.take([row]))


def _stepped(
    game: AnyGame, state: State, choices: Moves, chance: list[str | None] | None = None
) -> State:
    """Take choices in copies of their games."""
    after = state.take(choices.rows)
    game.step(after, choices.actions, choices.seats, chance)
    return after


def _chances(game: AnyGame, before: State, after: State, actions: Any) -> list[str | None]:
    """Write what chance answered in each game."""
    return [game.chance_text(before, after, row, int(a)) for row, a in enumerate(actions)]


def check_chance(game: AnyGame) -> None:
    """Recorded chance takes the place of the stream; missing, undue or impossible is refused."""
    state = mixed(game)
    choices = moves(game, state, legal=True).some(300)
    before = state.take(choices.rows)
    after = _stepped(game, state, choices)
    said = _chances(game, before, after, choices.actions)
    other = state.copy()
    other.stream = chance_stream(as_seeds(np.arange(len(state))))
    assert_same(_stepped(game, other, choices, said), after, ignore=("stream",))
    drawn = np.array([text is not None for text in said])
    assert np.array_equal(after.stream != before.stream, drawn), "only chance moves the stream"

    wrong: list[tuple[int, str | None]] = []
    for row in np.flatnonzero(drawn)[:5].tolist():
        wrong += [(row, None), (row, ""), (row, "junk"), (row, "-1"), (row, f"{said[row]} ")]
    wrong += [(row, text) for row in np.flatnonzero(~drawn)[:5].tolist() for text in ("", "0", "4")]
    for row, text in wrong:
        changed = before.copy()
        with pytest.raises(InvalidChance) as caught:
            game.step(
                changed, choices.actions, choices.seats, [*said[:row], text, *said[row + 1 :]]
            )
        assert f"game {row}:" in str(caught.value)
        assert content(changed) == content(before)


def check_chance_beside_finished_games(game: AnyGame) -> None:
    """Where some games are over, wrong chance is refused by the right row, and changes nothing."""
    state = mixed(game)
    seats, actions = _legal_choices(game, state)
    after = state.copy()
    game.step(after, actions, seats)
    said = _chances(game, state, after, actions)
    assert [said[row] for row in np.flatnonzero(state.over)] == [None] * int(state.over.sum())
    replayed = state.copy()
    game.step(replayed, actions, seats, said)
    assert_same(replayed, after, ignore=("stream",))
    for row in np.flatnonzero(~state.over)[-3:].tolist():
        changed = state.copy()
        with pytest.raises(InvalidChance) as caught:
            game.step(changed, actions, seats, [*said[:row], "junk", *said[row + 1 :]])
        assert f"game {row}:" in str(caught.value)
        assert content(changed) == content(state)


def check_replay(game: AnyGame) -> None:
    """A game's texts, chance and set-up say all: replayed without its seed it is the same."""
    seeds = np.arange(70, 82)
    setups = game.setups(seeds)
    state = game.deal(seeds)
    before = state.copy()
    replayed = game.from_setup(setups)
    for now, seats, actions in play(game, state, player_stream(seeds)):
        texts = [
            None if before.over[row] else game.move_text(before, row, int(a), int(seats[row]))
            for row, a in enumerate(actions)
        ]
        chance = json.loads(json.dumps(_chances(game, before, now, actions)))
        parsed = [
            -1 if text is None else game.parse_move(replayed, row, text, int(seats[row]))
            for row, text in enumerate(texts)
        ]
        game.step(replayed, parsed, seats, chance)
        assert_same(replayed, now, ignore=("stream",))
        before = now.copy()
    ended = np.flatnonzero(state.over).tolist()
    assert [game.result(state, row) for row in ended] == [
        game.result(replayed, row) for row in ended
    ]


class _Restless:
    """Takes the first legal action, but draws from its stream a number of times of its own."""

    name = "restless"
    wants_states = False

    def __init__(self, draws: int) -> None:
        self.draws = draws

    def act(self, decision: Decision) -> Any:
        for _ in range(self.draws):
            draw(decision.stream)
        return decision.game.packing.select(decision.legal, np.zeros(len(decision.seats), int))


def check_agents(game: AnyGame) -> None:
    """What agents draw never changes a deal, nor the chance that follows the same decisions."""
    seeds = as_seeds(np.arange(40, 56))

    def played(agent: Any, stream: Any, longest: int = 60) -> list[State]:
        state, states = game.deal(seeds), []
        for _ in range(longest):
            states.append(state.copy())
            live = np.flatnonzero(~state.over)
            if not len(live):
                break
            part = state.take(live)
            drawn = stream[live]
            game.step(part, decide(agent, game, part, drawn))
            stream[live] = drawn
            state.put(live, part)
        return states

    quiet = played(_Restless(0), agent_stream(seeds, 0))
    restless = played(_Restless(7), agent_stream(mix(seeds, 3), 0))
    assert len(quiet) == len(restless)
    for one, other in zip(quiet, restless, strict=True):
        assert_same(one, other)
    first = played(RandomAgent(), agent_stream(seeds, 0))
    second = played(RandomAgent(), agent_stream(seeds, 1))
    assert_same(first[0], second[0])
    assert differences(first[min(6, len(first) - 1)], second[min(6, len(second) - 1)])


def check_randomness_is_local(game: AnyGame) -> None:
    """Neither global generators nor games played in between have a say."""
    seeds = np.arange(8)
    state = game.deal(seeds)
    expected = history(game, state, player_stream(seeds), 30)[-1]
    legacy = np.random.get_state()  # noqa: NPY002
    game.redeal(state, seated(state, 0), seeds)
    history(game, game.deal(seeds + 50), player_stream(seeds), 30)
    assert_same(history(game, game.deal(seeds), player_stream(seeds), 30)[-1], expected)
    assert str(np.random.get_state()) == str(legacy)  # noqa: NPY002


CHECKS: list[Callable[[AnyGame], None]] = [
    found
    for name, found in list(globals().items())
    if name.startswith("check_") and name != "check_junk_moves"
]
