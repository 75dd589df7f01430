"""The compiled engine gives the same bytes as the numpy engine: each is the other's test."""

import copy
import pickle
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.errors import IllegalAction, InvalidArgument, InvalidConfig
from chromazoo.envs.fields import VIEWS
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import agent_stream, as_seeds
from chromazoo.envs.state import State
from tests.contract.play import AnyGame, mixed
from tests.games import COMPILED, VARIANTS
from tests.tiny.game import Game as TinyGame

Pair = tuple[AnyGame, AnyGame]
SEEDS = as_seeds(range(40))


def pairs(name: str) -> Iterator[Pair]:
    """Make a game of every config in turn on both engines."""
    random, number = Random(3), 0
    while True:
        game = VARIANTS[name](number, random)
        yield game, type(game)(engine="compiled", **game.options)
        number += 1


def demand_same(plain: State, fast: State) -> None:
    """Demand the same bytes in every array."""
    for name, array in plain.arrays.items():
        other = fast.arrays[name]
        assert (array.dtype, array.shape) == (other.dtype, other.shape), name
        assert array.tobytes() == other.tobytes(), name


def demand_same_sight(pair: Pair, plain: State, fast: State) -> None:
    """Demand the same legal sets, masks and observations of all seats."""
    games = len(plain)
    for seats in (None, *(np.full(games, seat) for seat in range(pair[0].num_seats))):
        for see in (Game.legal, Game.action_mask, Game.observe):
            found = [
                getattr(game, see.__name__)(state, seats)
                for game, state in zip(pair, (plain, fast), strict=True)
            ]
            assert found[0].dtype == found[1].dtype
            assert found[0].shape == found[1].shape
            assert found[0].tobytes() == found[1].tobytes(), see.__name__


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("part", range(4))
def test_whole_games_are_the_same(name: str, part: int) -> None:
    for pair in islice(pairs(name), part, 72, 4):
        plain, fast = (game.deal(SEEDS) for game in pair)
        streams = [agent_stream(SEEDS, 0) for _ in pair]
        for ply in range(400):
            demand_same(plain, fast)
            if ply % 7 == 0 or plain.over.any():
                demand_same_sight(pair, plain, fast)
            if plain.over.all():
                break
            chosen = [
                game.packing.pick(game.legal(state), stream)
                for game, state, stream in zip(pair, (plain, fast), streams, strict=True)
            ]
            assert chosen[0].tolist() == chosen[1].tolist()
            assert streams[0].tolist() == streams[1].tolist()
            for game, state in zip(pair, (plain, fast), strict=True):
                game.step(state, chosen[0])


@pytest.mark.parametrize("name", COMPILED)
def test_all_other_ways_to_a_state_are_the_same(name: str) -> None:
    for game, compiled in islice(pairs(name), 8):
        setups = compiled.setups(SEEDS[:5])
        assert setups == game.setups(SEEDS[:5])
        demand_same(game.from_setup(setups), compiled.from_setup(setups))
        plain = mixed(game, 30)
        fast = compiled.adopt(plain)
        demand_same(plain, fast)
        demand_same_sight((game, compiled), plain, fast)
        assert compiled.adopt(fast) is fast
        demand_same(game.adopt(fast), fast)
        demand_same(
            game.redeal(plain, plain.seat, SEEDS[:30]),
            compiled.redeal(fast, fast.seat, SEEDS[:30]),
        )
        for again in (
            compiled.loads(game.dumps(plain)),
            game.loads(compiled.dumps(fast)),
            copy.deepcopy(fast),
            pickle.loads(pickle.dumps(fast)),
            fast.copy(),
            fast.take(np.arange(30)),
        ):
            demand_same(plain, again)
        some, rows = fast.take([3, 1, 3]), np.array([7, 2, 29])
        demand_same(plain.take([3, 1, 3]), some)
        fast.put(rows, some)
        plain.put(rows, game.adopt(some))
        demand_same(plain, fast)


@pytest.mark.parametrize("name", COMPILED)
def test_some_views_are_the_same(name: str) -> None:
    game, compiled = next(pairs(name))
    plain = mixed(game, 20)
    fast = compiled.adopt(plain)
    for views in (*([view] for view in VIEWS), VIEWS[:2], []):
        seen = compiled.observe(fast, fast.seat, views)
        assert seen.tobytes() == game.observe(plain, plain.seat, views).tobytes()
        assert seen.shape == (20, game.fields.only(views).size)


@pytest.mark.parametrize("name", COMPILED)
def test_legal_sets_of_any_make_are_read_alike(name: str) -> None:
    game, compiled = next(pairs(name))
    words = game.legal(mixed(game, 50))
    for sets in (words, np.asfortranarray(words), words[::2], words[::-1]):
        k = np.random.default_rng(1).integers(-2, 12, len(sets))
        actions = np.arange(len(sets)) - 3
        for pack in ("count", "unpack", "listed"):
            one, other = (getattr(each.packing, pack)(sets) for each in (game, compiled))
            assert np.array_equal(one, other)
        assert np.array_equal(game.packing.select(sets, k), compiled.packing.select(sets, k))
        assert np.array_equal(
            game.packing.contains(sets, actions), compiled.packing.contains(sets, actions)
        )


@pytest.mark.parametrize("name", COMPILED)
def test_illegal_actions_are_refused_alike(name: str) -> None:
    game, compiled = next(pairs(name))
    plain = mixed(game, 20)
    fast = compiled.adopt(plain)
    live = np.flatnonzero(~plain.over)
    legal = np.where(plain.over, 0, game.packing.select(game.legal(plain), np.zeros(20, int)))
    for row in live[[0, -1]]:
        for action in (-1, game.num_actions, np.flatnonzero(~game.action_mask(plain)[row])[0]):
            wrong = legal.copy()
            wrong[row] = action
            said = []
            for each, state in ((game, plain), (compiled, fast)):
                with pytest.raises(IllegalAction) as caught:
                    each.step(state, wrong)
                said.append(str(caught.value))
            assert said[0] == said[1]
            demand_same(plain, fast)
    waiting = (plain.seat + 1) % game.num_seats
    if not game.simultaneous:
        with pytest.raises(IllegalAction):
            compiled.step(fast, legal, waiting)
        demand_same(plain, fast)


@pytest.mark.parametrize("name", COMPILED)
def test_what_is_said_of_chance_in_finished_games_is_ignored(name: str) -> None:
    game, compiled = next(pairs(name))
    plain = game.deal(SEEDS[:2])
    stream = agent_stream(SEEDS[:2], 0)
    while not plain.over.all():
        game.step(plain, game.packing.pick(game.legal(plain), stream))
    fast, before = compiled.adopt(plain), plain.copy()
    for each, state in ((game, plain), (compiled, fast)):
        each.step(state, [-1, 0], chance=["red", None])
        demand_same(before, state)


@pytest.mark.parametrize("name", COMPILED)
def test_states_of_the_other_engine_are_refused_in_a_line(name: str) -> None:
    game, compiled = next(pairs(name))
    plain, fast = game.deal(SEEDS), compiled.deal(SEEDS)
    first = compiled.packing.select(compiled.legal(fast), np.zeros(len(fast), int))
    with pytest.raises(InvalidArgument, match="adopt"):
        compiled.step(plain, first)
    with pytest.raises(InvalidArgument, match="adopt"):
        compiled.observe(plain)
    with pytest.raises(InvalidArgument, match="engine"):
        fast.put(np.arange(len(plain)), plain)
    demand_same(plain, fast)


@pytest.mark.parametrize("name", COMPILED)
def test_the_engine_is_chosen_by_name(name: str) -> None:
    game, compiled = next(pairs(name))
    assert (game.engine, compiled.engine) == ("numpy", "compiled")
    assert isinstance(compiled, type(game))
    assert game == compiled  # the same game
    assert compiled.digest == game.digest
    assert repr(compiled) == repr(game)[:-1] + f"{', ' * (repr(game)[-2] != '(')}engine='compiled')"
    for again in (pickle.loads(pickle.dumps(compiled)), copy.deepcopy(compiled)):
        assert again.engine == "compiled"
        demand_same(game.deal(SEEDS), again.deal(SEEDS))


def test_engines_that_do_not_exist_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = type(next(pairs("kroma"))[0])
    with pytest.raises(InvalidConfig, match="engines are numpy, compiled"):
        game(engine="turbo")
    with pytest.raises(InvalidConfig, match="tiny has no compiled engine"):
        TinyGame(engine="compiled")
    monkeypatch.setattr("chromazoo.envs.game.find_spec", lambda name: None)
    with pytest.raises(InvalidConfig, match=r"pip install 'chromazoo\[fast\]'"):
        game(engine="compiled")


def test_machine_code_goes_by_all_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    from chromazoo.envs import compiled as shared

    for folder in ("agents", "envs/game", "envs/other"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setattr(shared, "__file__", str(tmp_path / "envs" / "compiled.py"))
    own = "envs/game/rules", "envs/game/cards", "envs/randomness", "envs/state", "envs/compiled"
    others = "envs/other/rules", "agents/choice"
    for source, changed, count in (
        ("envs/game/rules", own, 10),
        ("envs/game/rules", others, 1),
        ("agents/choice", own + others, 14),
    ):
        stamps = set()
        for name in changed:
            for text in ("one", "two"):
                (tmp_path / f"{name}.py").write_text(text + source)
                stamps.add(shared._stamp.__wrapped__(str(tmp_path / f"{source}.py")))
        assert len(stamps) == count


# What users may hand in, on both engines


@pytest.mark.parametrize("name", COMPILED)
def test_any_words_are_unpacked_alike(name: str) -> None:
    """Bits that stand for no action mean nothing."""
    plain, fast = (game.packing for game in next(pairs(name)))
    rng = np.random.default_rng(1)
    words = rng.integers(0, 2**64, (300, plain.num_words), np.uint64)
    words[0] = ~np.uint64(0)
    assert np.array_equal(plain.unpack(words), fast.unpack(words))


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("engine", [0, 1])
def test_what_does_not_fit_legal_sets_is_refused(name: str, engine: int) -> None:
    packing = next(pairs(name))[engine].packing
    words = np.ones((50, packing.num_words), np.uint64)
    stream = np.zeros(1, np.uint64)
    for call, given in (
        (packing.pick, (words, stream)),
        (packing.select, (words, np.zeros(3, np.int64))),
        (packing.contains, (words, np.zeros(80, np.int64))),
        (packing.unpack, (words.astype(np.int64),)),
        (packing.unpack, (words[:, :, None],)),
        (packing.count, (np.ones((50, packing.num_words + 1), np.uint64),)),
        (packing.listed, (words[0],)),
    ):
        with pytest.raises(InvalidArgument, match="legal sets"):
            call(*given)
    assert stream.tolist() == [0]


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("engine", [0, 1])
def test_games_change_places_within_a_state(name: str, engine: int) -> None:
    state = next(pairs(name))[engine].deal(range(5))
    wanted = state.take([2, 0, 1, 3, 4])
    state.put([1, 2, 0], state.take([0, 1, 2]))
    demand_same(wanted, state)
    state = next(pairs(name))[engine].deal(range(3))
    state.put([1, 2, 0], state)
    demand_same(wanted.take([0, 1, 2]), state)
