"""A face plays the same games whatever the engine, and says in a line when it has none."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from chromazoo.envs import chroma_v0, guardians_v0, kroma_v0
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.game import ENGINES
from tests.faces.checkers import ROWS, by_row, play_on
from tests.faces.play import Players, play_aec, play_parallel
from tests.games import COMPILED

GAMES: list[tuple[ModuleType, dict[str, Any]]] = [
    (kroma_v0, {"size": "basic"}),
    (kroma_v0, {"size": "baby", "random": True}),
    (chroma_v0, {"num_players": 3}),
    (guardians_v0, {}),
    (guardians_v0, {"num_players": 4}),
]
SIMULTANEOUS = [(module, options) for module, options in GAMES if module is guardians_v0]
FACES: list[Callable[..., Any]] = [
    make
    for module in (kroma_v0, chroma_v0, guardians_v0)
    for name, make in vars(module).items()
    if name in ("env", "raw_env", "parallel_env")
]


def test_all_games_with_a_compiled_engine_are_here() -> None:
    assert {module.Game.id for module, _ in GAMES} == set(COMPILED)
    assert len(FACES) == 7


@pytest.mark.parametrize("face", ["env", "raw_env"])
@pytest.mark.parametrize(("module", "options"), GAMES)
def test_aec(module: ModuleType, options: dict[str, Any], face: str) -> None:
    courses: list[Any] = []
    for engine in ENGINES:
        env = getattr(module, face)(engine=engine, max_plies=200, render_mode="ansi", **options)
        assert env.unwrapped.game.engine == engine
        played = []
        for seed in (4, None):  # None: the game that follows
            env.reset(seed=seed)
            course = play_aec(env, Players([4], len(env.possible_agents)))
            assert len(course.decisions) > 2
            played += [course, env.state().tobytes(), env.render()]
        courses.append(played)
    assert courses[0] == courses[1]


@pytest.mark.parametrize(("module", "options"), SIMULTANEOUS)
def test_parallel(module: ModuleType, options: dict[str, Any]) -> None:
    courses = []
    for engine in ENGINES:
        env = module.parallel_env(engine=engine, **options)
        assert env.game.engine == engine
        seen, _ = env.reset(seed=4)
        course = play_parallel(env, Players([4], len(env.possible_agents)), seen)
        assert len(course.decisions) > 2
        courses.append(course)
    assert courses[0] == courses[1]


@pytest.mark.parametrize("autoreset_mode", ["NextStep", "Disabled"])
@pytest.mark.parametrize(("module", "options"), GAMES)
def test_vector(module: ModuleType, options: dict[str, Any], autoreset_mode: str) -> None:
    courses = []
    for engine in ENGINES:
        env = module.vector_env(
            ROWS, engine=engine, max_plies=40, autoreset_mode=autoreset_mode, **options
        )
        assert env.game.engine == engine
        env.reset(seed=4)
        players = Players(np.arange(ROWS), env.game.num_seats)
        courses.append(by_row(list(play_on(env, players, 90))))
    assert courses[0] == courses[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_set_ups_and_positions(engine: str) -> None:
    env = kroma_v0.env(engine=engine, size="baby", render_mode="ansi")
    env.reset(seed=1, options={"position": "py/py/PY/PY py/py/py/py b 3"})
    assert env.agent_selection == "player_1"
    text = env.render()
    setup = env.unwrapped.game.setups([9])[0]
    env.reset(seed=1, options={"setup": setup})
    assert env.agent_selection == "player_0"
    assert env.render() != text
    env.step(int(env.last()[0]["action_mask"].argmax()))


def refused(make: Callable[..., Any], words: str, *arguments: int, **options: Any) -> None:
    """Expect an error of one line."""
    with pytest.raises(InvalidConfig, match=words) as caught:
        make(*arguments, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("module", [kroma_v0, chroma_v0, guardians_v0])
def test_without_numba_there_is_one_clear_line(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chromazoo.envs.game.find_spec", lambda name: None)
    words = r"^the compiled engine needs numba: pip install 'chromazoo\[fast\]'$"
    for make in FACES:
        refused(make, words, engine="compiled")
    refused(module.vector_env, words, 3, engine="compiled")
    module.vector_env(3)  # which needs none


def test_engines_that_do_not_exist_are_refused() -> None:
    for make in FACES:
        refused(make, "^no engine 'steam'; engines are numpy, compiled$", engine="steam")
