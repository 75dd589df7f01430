"""The render mode `rgb_array`: pixels without a display, never blank, of what all may see."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import env_checker
from numpy.typing import NDArray

from chromazoo.agents.single import SingleFace, SingleVectorFace
from chromazoo.envs import chroma_v0, kroma_v0, pixels
from chromazoo.envs.aec import AECFace, make_env
from chromazoo.envs.errors import InvalidConfig, InvalidRenderMode
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.svg import Box, Canvas, Picture
from chromazoo.envs.vector import VectorFace
from tests.contract.play import mixed
from tests.envs.drawn import texts
from tests.faces.play import stage
from tests.faces.test_single_checkers import Lenient, registered
from tests.games import EXAMPLES

Pixels = NDArray[np.uint8]
GAMES = ["tiny", "kroma", "baby", "chroma-6", "guardians-5"]
FACES: list[Callable[..., Any]] = [
    lambda game, mode: AECFace(game, mode),
    make_env,
    lambda game, mode: VectorFace(game, 1, mode),
    lambda game, mode: SingleFace(game, "random", render_mode=mode),
    lambda game, mode: SingleVectorFace(game, 1, "random", render_mode=mode),
]


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


def is_blank(drawn: Pixels) -> bool:
    """Whether a picture shows next to nothing: almost all of it in one colour."""
    packed = drawn.reshape(-1, 3) @ np.array([1 << 16, 1 << 8, 1])
    colours, counts = np.unique(packed, return_counts=True)
    return bool(len(colours) < 20 or counts.max() > 0.99 * counts.sum())


def test_blank_pictures_are_told_from_others() -> None:
    blank = Canvas(100, 80, "")
    assert is_blank(pixels.rgb(blank.picture()))
    blank.text("Some words on it", 4, 30, 12)
    assert not is_blank(pixels.rgb(blank.picture()))
    assert is_blank(np.zeros((80, 100, 3), np.uint8))


@pytest.mark.parametrize("name", [*GAMES, "chroma", "guardians"])
def test_pixels_are_never_blank(name: str) -> None:
    game = EXAMPLES[name]
    state = mixed(game, games=5)
    shapes = set()
    for row in range(5):
        env = AECFace(stage(game, state.take([row])), "rgb_array")
        env.reset()
        drawn: Any = env.render()
        assert isinstance(drawn, np.ndarray)
        assert drawn.dtype == np.uint8
        assert not is_blank(drawn)
        assert (drawn == pixels.rgb(game.svg(state, row, "public"))).all()
        shapes.add(drawn.shape)
    wide, high = game.svg(state).size
    assert shapes == {(high, wide, 3)}


@pytest.mark.parametrize("make", FACES)
def test_every_face_draws_what_all_may_see(make: Callable[..., Any]) -> None:
    game = EXAMPLES["guardians"]
    env = make(game, "rgb_array")
    assert env._repr_svg_() is None
    env.reset(seed=4)
    assert "rgb_array" in env.metadata["render_modes"]
    drawn = env.render()
    (drawn,) = drawn if isinstance(drawn, tuple) else (drawn,)
    public = game.svg(game.deal(4), seat="public")
    assert env._repr_svg_() == public
    assert (drawn == pixels.rgb(public)).all()
    drawn[:] = 0  # what is given away is the caller's own
    assert not is_blank(np.atleast_3d(np.squeeze(env.render())))


def test_the_parallel_face_and_batches_draw() -> None:
    game = EXAMPLES["guardians"]
    env = ParallelFace(game, "rgb_array")
    env.reset(seed=4)
    drawn: Any = env.render()
    assert (drawn == pixels.rgb(game.svg(game.deal(4), seat="public"))).all()
    batch = VectorFace(game, 3, "rgb_array")
    batch.reset(seed=4)
    several: Any = [batch.render(row) for row in range(3)]
    assert (several[0] == drawn).all()
    assert (several[1] != drawn).any()
    assert batch._repr_svg_() == game.sheet(game.deal([4, 5, 6]), "public")
    single = SingleVectorFace(game, 3, "random", render_mode="rgb_array")
    single.reset(seed=4)
    frames = single.render()
    assert frames is not None
    assert all((frame == other).all() for frame, other in zip(frames, several, strict=True))


def test_all_that_is_written_shows_without_any_font() -> None:
    game = EXAMPLES["chroma-6"]
    picture = game.svg(mixed(game, games=5), 2)
    whole = pixels.rgb(picture, zoom=2).astype(int)
    lines = picture.splitlines()
    words = [line for line in lines if 'role="text"' in line]
    without = pixels.rgb(Picture("\n".join(line for line in lines if line not in words)), zoom=2)
    changed = (whole != without).any(axis=2)
    assert len(words) > 60
    assert "<text" not in picture
    assert "font" not in picture
    for text in texts(picture):
        place = slice(int(2 * text.top), int(2 * text.bottom) + 1)
        inked = changed[place, int(2 * text.left) : int(2 * text.right) + 1]
        assert inked.mean() > 0.05, text.words


def test_pixels_are_those_of_the_picture() -> None:
    canvas = Canvas(40, 20, "")
    canvas.rect(Box(10, 5, 20, 10), "#0a6e14")
    once, twice = pixels.rgb(canvas.picture()), pixels.rgb(canvas.picture(), zoom=2)
    assert once.shape == (20, 40, 3)
    assert twice.shape == (40, 80, 3)
    assert (once[5:15, 10:30] == (10, 110, 20)).all()
    assert (twice[10:30, 20:60] == (10, 110, 20)).all()
    assert (once[4, 10:30] == once[0, 0]).all()
    assert pixels.png(canvas.picture()).startswith(b"\x89PNG")


@pytest.mark.parametrize("missing", ["resvg_py", "PIL"])
def test_without_the_extra_one_line_tells_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    found = pixels.find_spec
    monkeypatch.setattr(pixels, "find_spec", lambda name: None if name == missing else found(name))
    said = f"pixels need {missing}: pip install 'chromazoo\\[draw\\]'"
    for make in FACES:
        with pytest.raises(InvalidRenderMode, match=said) as caught:
            make(EXAMPLES["tiny"], "rgb_array")
        assert isinstance(caught.value, InvalidConfig)
        assert "\n" not in str(caught.value)
        make(EXAMPLES["tiny"], "ansi")
    game = kroma_v0.Game(size="baby")
    assert game.svg(game.deal(1))  # pictures themselves need nothing
    with pytest.raises(InvalidRenderMode, match=said):
        pixels.rgb(game.svg(game.deal(1)))


@pytest.mark.parametrize("name", ["baby", "guardians"])
def test_gymnasiums_checker_and_wrappers(name: str) -> None:
    env_checker.check_env(registered(Lenient, name, render_mode="rgb_array"))


def test_made_by_name() -> None:
    place = "chromazoo.envs:chromazoo/Chroma-v0"
    env = gymnasium.make(place, render_mode="rgb_array", num_players=3)
    env.reset(seed=3)
    drawn: Any = env.render()
    game = chroma_v0.Game(num_players=3)
    assert drawn.shape == (game.svg(game.deal(0)).size[1], game.svg(game.deal(0)).size[0], 3)
    env.close()
    envs = gymnasium.make_vec(place, num_envs=2, render_mode="rgb_array", num_players=3)
    envs.reset(seed=3)
    frames: Any = envs.render()
    assert [frame.shape for frame in frames] == [drawn.shape] * 2
    envs.close()
