import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from chromazoo.envs.aec import AECFace
from chromazoo.envs.errors import ChromazooError, InvalidConfig
from chromazoo.envs.vector import VectorFace
from tests.faces import checkers
from tests.faces.checkers import ROWS, play_on
from tests.faces.play import Players, stage
from tests.games import EXAMPLES, TINY
from tests.tiny.game import Game as TinyGame

GAMES = [*TINY, "baby", "basic-reversed", "kroma-random", "guardians", "guardians-3"]
SHORT = [*TINY, "guardians"]
LIMIT = 60  # decisions, for games that are long


def make(name: str) -> checkers.MakeVector:
    def face(num_envs: int, **options: object) -> VectorFace:
        limit = {} if name in SHORT else {"max_plies": LIMIT}
        return VectorFace(EXAMPLES[name], num_envs, **(limit | options))  # type: ignore[arg-type]

    return face


def make_aec(name: str) -> checkers.MakeAEC:
    def face(**options: object) -> AECFace:
        limit = {} if name in SHORT else {"max_plies": LIMIT}
        return AECFace(EXAMPLES[name], **(limit | options))  # type: ignore[arg-type]

    return face


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    "check",
    [
        checkers.check_forms,
        checkers.check_seeds,
        checkers.check_rows,
        checkers.check_against_rules,
        checkers.check_final_transition,
        checkers.check_disabled,
        checkers.check_illegal,
        checkers.check_fresh_games,
        checkers.check_arrays_are_the_users,
    ],
)
def test_the_batched_face(check: object, name: str) -> None:
    assert callable(check)
    check(make(name))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("check", [checkers.check_rewards, checkers.check_truncation])
def test_it_gives_what_the_aec_face_gives(check: object, name: str) -> None:
    assert callable(check)
    check(make(name), make_aec(name))


def test_metadata_tells_name_modes_and_autoreset() -> None:
    env = VectorFace(TinyGame(), 2)
    assert env.metadata == {
        "name": "tiny_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    for mode in (AutoresetMode.DISABLED, "Disabled", "DISABLED"):
        env = VectorFace(TinyGame(), 2, autoreset_mode=mode)
        assert env.autoreset_mode is env.metadata["autoreset_mode"] is AutoresetMode.DISABLED


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"num_envs": 2.0}, "num_envs"),
        ({"num_envs": True}, "num_envs"),
        ({"max_plies": 0}, "max_plies"),
        ({"max_plies": 1.5}, "max_plies"),
        ({"render_mode": "rgb"}, "render_mode"),
        ({"autoreset_mode": AutoresetMode.SAME_STEP}, "NEXT_STEP or DISABLED"),
        ({"autoreset_mode": "sometimes"}, "NEXT_STEP or DISABLED"),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidConfig, match=said):
        VectorFace(TinyGame(), **({"num_envs": 2} | options))  # type: ignore[arg-type]


def test_nothing_is_told_before_reset() -> None:
    env = VectorFace(TinyGame(), 2, render_mode="ansi")
    for use in (
        env.last,
        env.render,
        lambda: env.step([0, 0]),
        lambda: env.reset(options={"reset_mask": np.ones(2, np.bool_)}),
    ):
        with pytest.raises(ChromazooError, match=r"reset\(\)"):
            use()


def test_wrong_reset_options_are_refused() -> None:
    env = VectorFace(TinyGame(), 2)
    env.reset(seed=1)
    for mask in ([True], [1, 0], "x", np.ones((2, 2), np.bool_), None):
        with pytest.raises(ChromazooError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
    with pytest.raises(ChromazooError, match="no option 'position'; there is reset_mask"):
        env.reset(options={"position": "x"})


@pytest.mark.parametrize("actions", [[0], [0, 0, 0], [[0], [0]], [0.0, 0.0], [True, True], 0])
def test_actions_are_one_integer_a_row(actions: object) -> None:
    env = VectorFace(TinyGame(), 2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="2 integers needed"):
        env.step(actions)  # type: ignore[arg-type]


def test_last_makes_observations_only_if_asked() -> None:
    env = VectorFace(TinyGame(), 3)
    env.reset(seed=1)
    seen, *rest = env.last(observe=False)
    assert seen is None
    assert [part.tolist() for part in rest[:-1]] == [[0.0] * 3, [False] * 3, [False] * 3]


def test_render_draws_one_row(capsys: pytest.CaptureFixture[str]) -> None:
    game = TinyGame()
    env = VectorFace(game, 3, render_mode="ansi")
    env.reset(seed=1)
    for row in range(3):
        assert env.render(row) == game.text(game.deal([1 + row]))
    printed = VectorFace(game, 3, render_mode="human")
    printed.reset(seed=1)
    assert printed.render(2) is None
    assert capsys.readouterr().out.strip() == game.text(game.deal([3])).strip()


def test_rendering_without_a_mode_warns() -> None:
    env = VectorFace(TinyGame(), 1)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_all_rows_may_be_finished_at_once() -> None:
    env = VectorFace(TinyGame(), ROWS, max_plies=2)
    env.reset(seed=1)
    ends = [now.done.tolist() for now in play_on(env, Players(np.arange(ROWS), 3), 5)]
    assert ends == [[done] * ROWS for done in (False, False, True, False, False, True)]


def test_a_game_that_is_over_when_dealt_is_shown_as_finished() -> None:
    game = TinyGame()
    state = game.deal([3])
    while not state.over[0]:
        game.step(state, game.packing.select(game.legal(state), np.array([1])))
    env = VectorFace(stage(game, state), 2)
    env.reset()
    for now in play_on(env, Players([0, 1], 3), 3):
        assert now.terminations.all()
        assert np.array_equal(now.rewards, state.rewards[[0, 0]])
        assert not now.mask.any()


def test_a_mask_that_marks_nothing_cannot_begin() -> None:
    env = VectorFace(TinyGame(), 2)
    with pytest.raises(ChromazooError):
        env.reset(options={"reset_mask": np.zeros(2, np.bool_)})
