"""Whatever is handed in, what does not fit is refused in one line of Chromazoo's own."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from chromazoo.envs import chroma_v0, guardians_v0, kroma_v0
from chromazoo.envs.errors import ChromazooError, InvalidConfig
from chromazoo.envs.game import ENGINES

MODULES: dict[str, Any] = {"kroma": kroma_v0, "chroma": chroma_v0, "guardians": guardians_v0}
HERE = [name for name in ENGINES if name == "numpy" or find_spec("numba")]
COLOURS = [str(number) for number in range(20)]
WILD: list[Any] = [
    *(None, 5, -1, 2.0, float("nan"), "x", "", b"x", True, object(), type, 2**70, len, "🂡"),
    *([1, 2], (1,), {}, {"a": 1}, {1: 2}, [[1, 2]], range(3), set()),
    *(np.array([1, 2]), np.zeros((2, 2)), np.array([[0, 1], [2, 3]]), np.array([1, None], object)),
    *(np.array(3), np.array("x"), np.array(["standard", "x"]), [np.array([1, 2])] * 2),
    *(np.int64(2), np.float32(1), np.bool_(True), np.datetime64("nat")),
]


def refused_or_done(call: Callable[[], object]) -> None:
    """Some wild values are right somewhere; all else is one clear line."""
    said = "done"
    try:
        call()
    except ChromazooError as error:
        said = str(error)
    assert said
    assert "\n" not in said


def options_of(module: Any, engine: str, value: Any) -> Iterator[Callable[[], object]]:
    """Calls that make games and environments."""

    def make(kind: Callable[..., object], *arguments: object, name: str) -> Callable[[], object]:
        return lambda: kind(*arguments, **{"engine": engine, name: value})

    for name in [*module.Game().options, "engine"]:
        yield make(module.Game, name=name)
    for name in ("render_mode", "max_plies", "engine"):
        yield make(module.env, name=name)
    for name in ("render_mode", "max_plies", "autoreset_mode", "engine"):
        yield make(module.vector_env, 2, name=name)


def calls_of(module: Any, engine: str, value: Any) -> Iterator[Callable[[], object]]:
    """Calls that take games, seats, actions, seeds and the like."""
    game = module.Game(engine=engine)
    state = game.deal([0, 1])
    right = game.packing.select(game.legal(state), np.zeros(2, np.int64))
    yield lambda: game.from_setup(value)
    yield lambda: game.from_setup([value])
    yield lambda: game.from_position(value)
    yield lambda: game.from_position([value])
    yield lambda: game.observe(value)
    yield lambda: game.observe(state, value)
    yield lambda: game.observe(state, views=value)
    yield lambda: game.observe(state, views=[value])
    yield lambda: game.observe(state, out=value)
    yield lambda: game.action_mask(value)
    yield lambda: game.action_mask(state, out=value)
    yield lambda: game.step(state.copy(), value)
    yield lambda: game.step(state.copy(), right, value)
    yield lambda: game.step(state.copy(), right, chance=value)
    yield lambda: game.redeal(state, value, [0, 1])
    yield lambda: game.redeal(state, [0, 0], value)
    yield lambda: game.loads(value)
    yield lambda: game.adopt(value)
    yield lambda: game.describe(value)
    yield lambda: state.take(value)
    yield lambda: state.copy().put([0], value)
    env, batch = module.env(engine=engine), module.vector_env(2, engine=engine)
    yield lambda: env.reset(seed=value)
    yield lambda: env.reset(options=value)
    yield lambda: batch.reset(seed=value)
    yield lambda: batch.reset(options=value)
    batch.reset(seed=0)
    yield lambda: batch.reset(options={"reset_mask": value})
    yield lambda: batch.step(value)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("number", range(len(WILD)))
def test_options_of_any_type(name: str, engine: str, number: int) -> None:
    for call in options_of(MODULES[name], engine, WILD[number]):
        refused_or_done(call)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("number", range(len(WILD)))
def test_arguments_of_any_type(name: str, engine: str, number: int) -> None:
    for call in calls_of(MODULES[name], engine, WILD[number]):
        refused_or_done(call)


@pytest.mark.parametrize("number", range(len(WILD)))
def test_tables_of_any_type(number: int) -> None:
    value = WILD[number]
    for wheel in (
        {"names": value, "compatible": []},
        {"names": [value] * 20, "compatible": []},
        {"names": COLOURS, "compatible": value},
        {"names": COLOURS, "compatible": [value]},
    ):
        refused_or_done(lambda wheel=wheel: chroma_v0.Game(wheel=wheel))
    refused_or_done(lambda: guardians_v0.Game(colors=[value] * 50))


def test_arrays_are_quoted_on_one_line() -> None:
    with pytest.raises(InvalidConfig, match=r"^guardians: colors are 50 numbers .* array\(\[\[1\."):
        guardians_v0.Game(colors=np.ones((5, 10)))
    with pytest.raises(InvalidConfig) as refused:
        kroma_v0.Game(piece_rows=np.ones((2, 2)))
    assert str(refused.value).endswith("not array([[1., 1.], [1., 1.]])")
