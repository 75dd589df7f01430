import numpy as np
import pytest

from chromazoo.envs.episodes import EpisodeSeeds, begin, truncated
from chromazoo.envs.errors import ChromazooError
from chromazoo.envs.randomness import as_seeds, mix
from chromazoo.envs.vector import VectorFace
from tests.tiny.game import Game as TinyGame

ROWS = np.arange(4)


def test_rows_count_their_games_apart() -> None:
    seeds = EpisodeSeeds(4)
    assert seeds.following(ROWS, 10).tolist() == [10, 11, 12, 13]
    some = seeds.following(ROWS[[2, 0]])
    assert some.tolist() == mix(as_seeds([12, 10]), 1).tolist()
    second = seeds.following(ROWS)
    expected = [mix(as_seeds(10 + row), number)[0] for row, number in enumerate([2, 1, 2, 1])]
    assert second.tolist() == expected
    assert seeds.following(ROWS[1:2], 5).tolist() == [6]
    assert seeds.following(ROWS[1:2]).tolist() == mix(as_seeds(6), 1).tolist()


def test_seeds_are_taken_modulo_two_to_the_64() -> None:
    seeds = EpisodeSeeds(4)
    assert seeds.following(ROWS, -2).tolist() == [2**64 - 2, 2**64 - 1, 0, 1]
    assert seeds.following(ROWS, 2**64 + 1).tolist() == [1, 2, 3, 4]


def test_the_seeds_handed_out_are_the_users() -> None:
    seeds = EpisodeSeeds(4)
    seeds.following(ROWS, 3)[:] = 0
    assert seeds.following(ROWS).tolist() == mix(as_seeds([3, 4, 5, 6]), 1).tolist()


def test_without_a_seed_there_is_one_from_entropy_and_then_its_series() -> None:
    seeds = EpisodeSeeds(4)
    first = seeds.following(ROWS)
    assert np.array_equal(first - first[0], ROWS)
    assert seeds.following(ROWS).tolist() == mix(first, 1).tolist()
    assert first.tolist() != EpisodeSeeds(4).following(ROWS).tolist()
    some = EpisodeSeeds(4)
    some.following(ROWS[:1])
    others = some.following(ROWS[1:])
    assert len(set(others.tolist())) == 3


def test_the_key_that_pettingzoo_sends_is_passed_over() -> None:
    game = TinyGame()
    for options in (None, {}, {"options": 1}):
        state = begin(game, as_seeds(3), options)
        assert np.array_equal(state.secrets, game.deal([3]).secrets)
    with pytest.raises(ChromazooError, match="no option 'option'; there is position or setup"):
        begin(game, as_seeds(3), {"option": 1})


def test_finished_games_are_not_truncated() -> None:
    game = TinyGame()
    state = game.deal(range(3))
    state.plies[:] = [4, 5, 6]
    state.over[2] = True
    assert truncated(state, None).tolist() == [False, False, False]
    assert truncated(state, 5).tolist() == [False, True, False]


def test_a_reset_mask_with_a_seed_sows_those_rows_only() -> None:
    game = TinyGame(cards=16)
    env = VectorFace(game, 4)
    env.reset(seed=0)
    env.step([0, 0, 0, 0])
    env.reset(seed=50, options={"reset_mask": np.array([False, True, False, True])})
    assert env.agent_selection.tolist() == [1, 0, 1, 0]
    seen = env.last()[0]
    assert seen is not None
    fresh = game.observe(game.deal([51, 53]))
    assert np.array_equal(seen["observation"][[1, 3]], fresh)
    env.reset()
    seen = env.last()[0]
    assert seen is not None
    following = mix(as_seeds([0, 51, 2, 53]), 1)
    assert np.array_equal(seen["observation"], game.observe(game.deal(following)))
