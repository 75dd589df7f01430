"""Position and move texts: read and written back, and junk refused with one clear line."""

import re
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.errors import InvalidMove, InvalidPosition
from chromazoo.envs.kroma.notation import size_of
from chromazoo.envs.kroma.rules import Game
from tests.kroma import golden

BABY = "py/py/PY/PY py/py/py/py w 0"
BASIC = "boy1/1oyp/4/bpOY/BO1P/2YP boyp/boyp/boyp/boyp/boyp/boyp b 3"
LARGE = (
    "6/3Py1/3o2/1gr1p1/2Y3/1R4/1B1G2/6 goprby/oybgpr/pogbyr/ybporg/gropby/rybgop/rpgbyo/ybrpog w 0"
)
GAMES = {size: Game(size=size) for size in ("standard", "basic", "baby")}
WHOLE = [(table["size"], table["position"]) for table in golden.perft_tables()]

JUNK = [
    "",
    " ",
    "w",
    "startpos",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    BASIC,
    LARGE,
    BABY[:-2],  # no clock
    BABY + " 0",
    BABY + "\n",
    "\n" + BABY,
    BABY.replace(" ", "  "),
    BABY.replace(" ", "\t"),
    BABY.replace("w", "W"),
    BABY.replace("w", "white"),
    BABY.replace("w", "-"),
    BABY.replace("w 0", "w -1"),
    BABY.replace("w 0", "w +1"),
    BABY.replace("w 0", "w 1.0"),
    BABY.replace("w 0", "w x"),
    BABY.replace("w 0", "w ²"),
    BABY.replace("w 0", "w ٣"),
    BABY.replace("w 0", "w 1_0"),
    BABY.replace("w 0", "w " + "9" * 10),
    BABY.replace("w 0", "w " + "9" * 5000),
    "py/py/PY py/py/py/py w 0",  # a row too few
    "py/py/PY/PY py/py/py w 0",
    "py/py/PY/PY/2 py/py/py/py w 0",
    "py/py/PY/PY/ py/py/py/py w 0",
    "py/py/PY/ py/py/py/py w 0",
    "py/py/PY/PYP py/py/py/py w 0",  # rows too long or too short
    "py/py/PY/P py/py/py/py w 0",
    "py/py/PY/P2 py/py/py/py w 0",
    "py/py/PY/3 py/py/py/py w 0",
    "py/py/PY/0PY py/py/py/py w 0",
    "py/py/PY/11 py/py/py/py w 0",  # one run of empty squares is one digit
    "py/py/PY/٢ py/py/py/py w 0",
    "py/py/PY/9 py/py/py/py w 0",
    "py/py/PY/BY py/py/py/py w 0",  # colours that the board lacks
    "py/py/PY/PX py/py/py/py w 0",
    "py/py/PY/P. py/py/py/py w 0",
    "py/py/PY/PY pb/py/py/py w 0",
    "py/py/PY/PY pp/yy/py/py w 0",  # not every colour once in a row
    "py/py/PY/PY PY/py/py/py w 0",
    "py/py/PY/PY 1y/py/py/py w 0",
    "py/py/PY/PY 2/py/py/py w 0",
    "py/py/PY/PY p/py/py/py w 0",
    "py/py/PY/PY pyp/py/py/py w 0",
    "p" * 10_000,
    "/" * 10_000,
]


def assert_refused(game: Game, texts: list[Any], row: int = 0) -> str:
    with pytest.raises(InvalidPosition) as caught:
        game.from_position(texts)
    line = str(caught.value)
    assert 10 < len(line) < 250
    assert "\n" not in line
    assert f"game {row}" in line
    return line


@pytest.mark.parametrize(("size", "position"), WHOLE, ids=[position for _, position in WHOLE])
def test_golden_positions_round_trip(size: str, position: str) -> None:
    state = GAMES[size].from_position([position, position])
    assert [GAMES[size].position_text(state, row) for row in (0, 1)] == [position] * 2
    assert size_of(position) == size


@pytest.mark.parametrize("junk", JUNK, ids=[repr(junk[:60]) for junk in JUNK])
def test_junk(junk: str) -> None:
    assert_refused(GAMES["baby"], [junk])


@pytest.mark.parametrize("junk", [None, 5, b"py/py/PY/PY py/py/py/py w 0", ["a"], {}])
def test_what_is_no_text(junk: object) -> None:
    assert_refused(GAMES["baby"], [junk])


def test_the_error_names_the_game_and_what_is_wrong() -> None:
    assert "row 3" in assert_refused(GAMES["baby"], [BABY, "py/py/PY/PY pp/yy/py/py w 0"], row=1)
    assert "side" in assert_refused(GAMES["baby"], [BABY, BABY, BABY.replace("w", "z")], row=2)


@pytest.mark.parametrize(("size", "other"), [("standard", BABY), ("basic", LARGE)])
def test_positions_of_other_sizes(size: str, other: str) -> None:
    assert_refused(GAMES[size], [other])


@given(
    st.sampled_from(WHOLE),
    st.integers(0, 2**32),
    st.text("pybogrPYBOGRw /0123456789-\nxé٣", max_size=3),
)
def test_damaged_positions(whole: tuple[str, str], seed: int, insert: str) -> None:
    """Damage a position: it is refused, or still a position, and then written back as it is."""
    size, position = whole
    random = Random(seed)
    start = random.randrange(len(position) + 1)
    damaged = position[:start] + insert + position[start + random.randrange(4) :]
    game = GAMES[size]
    try:
        state = game.from_position([damaged])
    except InvalidPosition:
        assert_refused(game, [damaged])
        return
    written = game.position_text(state)
    assert written == re.sub(r"(\d+)$", lambda clock: str(int(clock[0])), damaged)


@given(st.text())
def test_any_text(text: str) -> None:
    for game in GAMES.values():
        assert_refused(game, [text])


def test_clock_of_a_long_game() -> None:
    """A clock that is read can go on."""
    game = Game(size="baby", no_capture_limit=0)
    state = game.from_position(["py/2/2/PY py/py/py/py w 1000000000"])
    game.step(state, [game.parse_move(state, 0, "a1-a2")])
    assert game.position_text(state) == "py/2/P1/1Y py/py/py/py b 1000000001"
    for clock in (2**31 - 1, 2**31, 2**32, 2**63, 2**64):
        text = f"py/2/2/PY py/py/py/py w {clock}"
        try:
            state = game.from_position([text])
        except InvalidPosition:
            continue
        game.step(state, [game.parse_move(state, 0, "a1-a2")])
        assert state.clock[0] == clock + 1


def test_placement_has_no_position() -> None:
    game = GAMES["basic"]
    state = game.deal([0])
    for text in ("L:purple", "L:yellow", "R:blue"):
        with pytest.raises(InvalidPosition, match="placement"):
            game.position_text(state)
        game.step(state, [game.parse_move(state, 0, text)])
    game.step(state, [game.parse_move(state, 0, "R:orange")])
    assert game.position_text(state).endswith(" w 0")


def test_no_positions_at_all() -> None:
    assert len(GAMES["baby"].from_position([])) == 0


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    "text",
    [
        *["", "a1", "a1-", "-a1", "a1-a1", "a1-a4", "a1-c1", "a0-a1", "a4-a5", "A1-A2", "a1 - a2"],
        *["a1-a2-a3", "a1-a2 ", "a1xa2", "L:blue", "L:", "l:purple", "M:purple", "LR:purple"],
        *[":purple", "L:purple ", "R:Purple", "a1-a²", "a٣-a2", "gift:0", "pass", "\n", "a1-a2\n"],
    ],
)
def test_junk_moves(text: str, seat: int) -> None:
    game = GAMES["baby"]
    state = game.from_position([BABY.replace("w", "wb"[seat])])
    with pytest.raises(InvalidMove) as caught:
        game.parse_move(state, 0, text)
    assert "\n" not in str(caught.value)


def test_moves_off_the_board_have_no_text() -> None:
    """Every action either names a move on the board, which reads back, or nothing."""
    for game in GAMES.values():
        state = game.deal([0, 1])
        game.step(state, [game.parse_move(state, row, "L:purple") for row in (0, 1)])
        for seat in (0, 1):
            names = []
            for action in range(-2, game.num_actions + 2):
                try:
                    names.append(game.move_text(state, 1, action, seat))
                except InvalidMove:
                    continue
                assert game.parse_move(state, 1, names[-1], seat) == action
            width, height = game.board.width, game.board.height
            steps = [(1, 0), (1, 1), (2, 0), (2, 1), (1, 2), (2, 2)]
            inside = sum(
                max(0, width - across) * max(0, height - up) * 2 * (1 if 0 in (across, up) else 2)
                for across, up in [*steps, (0, 1), (0, 2)]
            )
            assert len(set(names)) == len(names) == inside + 2 * width


def test_positions_in_one_batch_are_their_own() -> None:
    positions = [position for size, position in WHOLE if size == "basic"]
    game = GAMES["basic"]
    batch = game.from_position(positions)
    for row, position in enumerate(positions):
        alone = game.from_position([position])
        assert np.array_equal(game.action_mask(batch)[row], game.action_mask(alone)[0])
        assert game.position_text(batch, row) == position
