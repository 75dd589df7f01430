"""PettingZoo's own tests.

Three of their warnings are passed over: two dislike every observation with an action mask that is
not one of PettingZoo's own environments, one the empty mask of a dead step.
"""

from functools import partial

import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test

from chromazoo.envs import kroma_v0
from chromazoo.envs.aec import AECFace, make_env
from chromazoo.envs.parallel import ParallelFace
from tests.games import EXAMPLES, TINY

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{message}:UserWarning")
    for message in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be",
        "Action mask numpy array is all zeros",
    )
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_api(name: str) -> None:
    api_test(make_env(EXAMPLES[name]), num_cycles=200)


@pytest.mark.parametrize("name", ["tiny", "baby"])
def test_api_without_wrappers(name: str) -> None:
    api_test(AECFace(EXAMPLES[name]), num_cycles=200)


@pytest.mark.parametrize("name", EXAMPLES)
def test_seed(name: str) -> None:
    seed_test(partial(make_env, EXAMPLES[name]), num_cycles=100)


@pytest.mark.parametrize("name", EXAMPLES)
def test_render(name: str) -> None:
    render_test(partial(make_env, EXAMPLES[name]))


@pytest.mark.parametrize("name", TINY)
def test_parallel_api(name: str) -> None:
    parallel_api_test(ParallelFace(EXAMPLES[name]), num_cycles=200)


@pytest.mark.parametrize("size", ["standard", "basic", "baby"])
def test_kroma_as_users_make_it(size: str) -> None:
    api_test(kroma_v0.env(size=size), num_cycles=200)
    api_test(kroma_v0.raw_env(size=size), num_cycles=200)
    seed_test(partial(kroma_v0.env, size=size), num_cycles=100)
    render_test(partial(kroma_v0.env, size=size))
