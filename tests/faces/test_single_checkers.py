"""Gymnasium's and Stable-Baselines3's own checkers on the environment of one seat.

They sample actions without masks, so they get a face that plays the nearest legal one instead; and
they are shown to find faults on it.
"""

import secrets
from typing import Any

import gymnasium
import numpy as np
import pytest
import stable_baselines3.common.env_checker as stable_baselines
from gymnasium.utils import env_checker

from chromazoo.agents.single import SingleFace
from chromazoo.envs.errors import IllegalAction
from chromazoo.envs.randomness import as_seeds
from tests.games import EXAMPLES

GAMES = ["tiny", "tiny-biggest", "baby", "kroma-random", "chroma", "chroma-3", "guardians"]
GAMES += ["guardians-3"]


class Lenient(SingleFace):
    """Plays a legal action for any action: the one of that number, counted around."""

    def step(self, action: Any) -> Any:
        legal = np.flatnonzero(self.action_masks())
        return super().step(int(legal[action % len(legal)]))


def registered(face: type[SingleFace], name: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Make an environment by a name, as Gymnasium's checker wants it for render modes."""
    place = f"tests/{face.__name__}-v0"
    gymnasium.register(place, lambda **given: face(EXAMPLES[name], **given))
    try:
        return gymnasium.make(place, **options).unwrapped
    finally:
        del gymnasium.registry[place]


@pytest.mark.parametrize("seat", [None, 0, 1])
@pytest.mark.parametrize("name", GAMES)
def test_gymnasiums_checker(name: str, seat: int | None) -> None:
    for render_mode in (None, "ansi"):
        env = registered(Lenient, name, seat=seat, render_mode=render_mode)
        assert env.spec is not None
        assert not env.spec.nondeterministic
        env_checker.check_env(env)


@pytest.mark.parametrize("seat", [None, 0, 1])
@pytest.mark.parametrize("name", GAMES)
def test_stable_baselines3s_checker(name: str, seat: int | None) -> None:
    stable_baselines.check_env(Lenient(EXAMPLES[name], seat=seat), skip_render_check=False)
    stable_baselines.check_env(Lenient(EXAMPLES[name], seat=seat, render_mode="ansi"))


def test_actions_that_are_not_legal_reach_the_environment() -> None:
    """So the checkers do play, and do it without masks."""
    with pytest.raises(IllegalAction):
        env_checker.check_env(registered(SingleFace, "baby"))
    with pytest.raises(IllegalAction):
        stable_baselines.check_env(SingleFace(EXAMPLES["baby"]))


class Unseeded(Lenient):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed, options=options)
        rows = np.zeros(1, np.int64)
        self._games.sow(rows, as_seeds(secrets.randbits(64)), rows)
        self._games.deal(rows)
        self._games.settle()
        return self._look()


class DependsOnTheTime(Lenient):
    time = 0

    def step(self, action: Any) -> Any:
        self.time += 1
        return super().step(action + self.time)


class WideObservation(Lenient):
    def _look(self) -> Any:
        observation, info = super()._look()
        return observation.astype(np.int64), info


class BeyondItsSpace(Lenient):
    def _look(self) -> Any:
        observation, info = super()._look()
        return observation + np.uint8(100), info


class SharesItsMask(Lenient):
    def _look(self) -> Any:
        observation, info = super()._look()
        self._shared = getattr(self, "_shared", info)
        return observation, self._shared


class NumpyEnds(Lenient):
    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, np.bool_(terminated), truncated, info


class NoInfo(Lenient):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return super().reset(seed=seed, options=options)[0]


class TextReward(Lenient):
    def step(self, action: Any) -> Any:
        observation, reward, *rest = super().step(action)
        return observation, str(reward), *rest


@pytest.mark.parametrize(
    "face",
    [
        *(Unseeded, DependsOnTheTime, WideObservation, BeyondItsSpace, SharesItsMask),
        *(NoInfo, TextReward),
    ],
)
def test_gymnasiums_checker_finds_faults(face: type[SingleFace]) -> None:
    env = registered(face, "basic-random")
    with pytest.raises((AssertionError, UserWarning, TypeError)):
        env_checker.check_env(env)


@pytest.mark.parametrize("face", [WideObservation, BeyondItsSpace, NumpyEnds, NoInfo, TextReward])
def test_stable_baselines3s_checker_finds_faults(face: type[SingleFace]) -> None:
    with pytest.raises((AssertionError, UserWarning, ValueError)):
        stable_baselines.check_env(face(EXAMPLES["chroma"]))
