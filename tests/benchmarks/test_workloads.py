"""What a workload counts, and that it is done on games at all stages, or at one."""

from typing import Any

import numpy as np
import pytest

from chromazoo.benchmarks import workloads
from chromazoo.benchmarks.clock import run
from chromazoo.benchmarks.workloads import IN_STEP, make_pool, make_works
from chromazoo.envs.guardians.rules import Game as Guardians
from chromazoo.envs.state import State
from tests.benchmarks.counting import Counting
from tests.games import EXAMPLES
from tests.tiny.game import Game as TinyGame

COUNTERS = {
    "deal": "dealt",
    "mask": "asked",
    "step": "decided",
    "observe": "looked",
    "redeal": "redealt",
    "play": "decided",
    "play+mask": "decided",
    "play+mask+observe": "decided",
}


@pytest.mark.parametrize("what", COUNTERS)
@pytest.mark.parametrize(("batch", "threads"), [(1, 1), (7, 1), (64, 1), (7, 3)])
def test_a_rate_counts_what_was_done(what: str, batch: int, threads: int) -> None:
    game = Counting()
    works = make_works(game, what, make_pool(game, 0), batch, threads, 0)
    before = vars(game).copy()
    units = sum(work(passes)[0] for work in works for passes in (1, 4, 15))
    done = {name: getattr(game, name) - before[name] for name in set(COUNTERS.values())}
    assert units == done[COUNTERS[what]] == 20 * batch
    assert done["asked"] == (units if "mask" in what else 0)
    assert done["looked"] == (units if "observe" in what else 0)


class Written(Counting):
    """Remembers the arrays that it was to write to."""

    def __init__(self) -> None:
        super().__init__()
        self.masks: list[Any] = []
        self.sights: list[Any] = []

    def action_mask(self, *arguments: Any, out: Any = None) -> Any:
        self.masks.append(out)
        return super().action_mask(*arguments, out=out)

    def observe(self, *arguments: Any, out: Any = None) -> Any:
        self.sights.append(out)
        return super().observe(*arguments, out=out)


@pytest.mark.parametrize("what", COUNTERS)
def test_one_array_is_written_to_and_none_made_that_is_not(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Written()
    pool = make_pool(game, 0)
    sizes: list[Any] = []
    empty = np.empty

    def counted(shape: Any, *arguments: Any) -> Any:
        sizes.append(shape)
        return empty(shape, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(np, "empty", counted)
        (work,) = make_works(game, what, pool, 8, 1, 0)
    work(5)
    for asked, size, outs in (
        ("mask" in what, game.num_actions, game.masks),
        ("observe" in what, game.num_features, game.sights),
    ):
        assert sizes.count((8, size)) == asked
        assert len(outs) == 5 * asked
        assert all(out is outs[0] is not None for out in outs)


def test_only_copying_for_step_does_not_count() -> None:
    game = TinyGame()
    pool = make_pool(game, 0)
    for what in COUNTERS:
        units, apart = make_works(game, what, pool, 8, 1, 0)[0](3)
        assert units == 24
        assert (apart > 0) == (what == "step")


def test_play_goes_on_through_many_games() -> None:
    game = Counting()
    work = make_works(game, "play", make_pool(game, 0), 16, 1, 0)[0]
    dealt = game.dealt
    work(160)
    assert game.dealt - dealt > 16


@pytest.mark.parametrize("name", ["tiny", "tiny-biggest", "kroma", "basic-short", "baby-endless"])
def test_the_pool_holds_running_games_at_all_stages(name: str) -> None:
    game = EXAMPLES[name]
    pool = make_pool(game, 0)
    assert not pool.over.any()
    assert len(np.unique(pool.plies)) >= 4
    lengths = np.bincount(pool.plies)
    assert lengths.max() < 0.6 * len(pool)
    again = make_pool(game, 0)
    for key, array in pool.arrays.items():
        assert np.array_equal(array, again.arrays[key]), key


@pytest.mark.parametrize("batch", [1, 64, 1000, 3000])
def test_batches_have_their_size(batch: int) -> None:
    states = workloads._batches(make_pool(TinyGame(), 0), batch)
    assert all(isinstance(state, State) and len(state) == batch for state in states)
    assert len(states) == (16 if batch <= 64 else 1)


class Recording(Guardians):
    """Remembers the states in which it stepped."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.seen: list[State] = []

    def step(self, state: Any, *arguments: Any, **named: Any) -> None:
        self.seen.append(state.copy())
        super().step(state, *arguments, **named)


@pytest.mark.parametrize("options", [{}, {"num_players": 4}, {"num_players": 3, "rounds": 2}])
def test_play_in_step_has_all_games_at_one_stage(options: dict[str, Any]) -> None:
    game = Recording(**options)
    assert game.fixed_length is not None
    pool = make_pool(game, 0)
    game.seen.clear()
    units, _ = make_works(game, IN_STEP, pool, 6, 1, 0)[0](2)
    assert units == 6 * 2 * game.fixed_length == 6 * len(game.seen)
    for number, state in enumerate(game.seen):
        assert (state.plies == number % game.fixed_length).all()
        assert len(np.unique(state.seat)) == 1
    game.seen.clear()
    make_works(game, "play", pool, 6, 1, 0)[0](1)
    assert len(np.unique(game.seen[0].plies)) > 1


@pytest.mark.parametrize("name", [name for name, game in EXAMPLES.items() if game.fixed_length])
def test_games_of_fixed_length_have_it(name: str) -> None:
    game = EXAMPLES[name]
    state = make_pool(game, 5)
    stream = np.arange(len(state), dtype=np.uint64)
    for _ in range(game.fixed_length or 0):
        assert not state.over[state.plies < (game.fixed_length or 0)].any()
        game.step(state, game.packing.pick(game.legal(state), stream))
    assert state.over.all()
    assert (state.plies == game.fixed_length).all()


def test_which_games_have_a_fixed_length() -> None:
    fixed = {game.id for game in EXAMPLES.values() if game.fixed_length}
    assert fixed == {"guardians"}
    assert all(game.fixed_length for game in EXAMPLES.values() if game.id == "guardians")


def test_threads_have_states_and_streams_of_their_own() -> None:
    game = Recording()
    pool = make_pool(game, 0)
    works = make_works(game, "play", pool, 8, 2, 0)
    game.seen.clear()
    works[0](1)
    works[1](1)
    first, second = game.seen
    assert (len(first), len(second)) == (4, 4)
    assert not np.array_equal(first.decks, second.decks)


def test_threads_play_as_they_do_alone() -> None:
    """The rules hold nothing that a thread writes to while another reads."""
    for name in ("kroma", "chroma", "guardians"):
        ends = []
        for threads in (1, 2):
            states: list[list[Any]] = [[], []]

            def follow(part: int, passes: int, name: str = name, states: Any = states) -> Any:
                game = EXAMPLES[name]
                state = game.deal(np.arange(300 * part, 300 * part + 300))
                stream = np.arange(300, dtype=np.uint64)
                for _ in range(passes):
                    game.step(state, game.packing.pick(game.legal(state), stream))
                    game.observe(state)
                states[part].append(state)
                return 300 * passes, 0.0

            works = [lambda passes, part=part: follow(part, passes) for part in (0, 1)]  # type: ignore[misc]
            if threads == 1:
                for work in works:
                    run([work], 60)
            else:
                run(works, 60)
            ends.append([part[0].arrays for part in states])
        for alone, together in zip(*ends, strict=True):
            for key, array in alone.items():
                assert np.array_equal(array, together[key]), (name, key)
