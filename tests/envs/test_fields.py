"""Named fields of observations, and blocks of actions."""

import numpy as np
import pytest

from chromazoo.envs.fields import VIEWS, Block, Field, Layout, View, block_slices, block_table

LAYOUT = Layout(
    [
        Field("board", (2, 3), 1, "squares"),
        Field("clock", (), 9, "plies"),
        Field("hand", (4,), 200, "cards", "private"),
        Field("nothing", (0,), 1, "an empty field"),
        Field("seen", (2,), 255, "cards gone", "memory"),
    ]
)


def values(games: int) -> dict[str, np.ndarray]:
    """Make values of every field, each of another dtype."""
    return {
        "board": np.arange(6 * games).reshape(games, 2, 3) % 2 == 0,
        "clock": np.arange(games, dtype=np.int8) * 3,
        "hand": np.arange(4 * games, dtype=np.int32).reshape(games, 4) * 50,
        "nothing": np.zeros((games, 0), np.uint8),
        "seen": np.full((games, 2), 255, np.uint8),
        "surplus": np.zeros(games),
    }


def fill(layout: Layout, games: int) -> np.ndarray:
    """Fill new observations."""
    filled = np.full((games, layout.size), 77, np.uint8)
    layout.fill(filled, values(games))
    return filled


def test_layout_lies_one_after_the_other() -> None:
    assert LAYOUT.size == 13
    assert [field.name for field in LAYOUT] == ["board", "clock", "hand", "nothing", "seen"]
    assert LAYOUT.slices["hand"] == slice(7, 11)
    assert LAYOUT.high.tolist() == [1] * 6 + [9] + [200] * 4 + [255] * 2
    assert LAYOUT.high.dtype == np.uint8
    assert len(LAYOUT) == 5
    assert LAYOUT[1].name == "clock"
    assert [field.name for field in LAYOUT[3:]] == ["nothing", "seen"]


def test_fill_and_get_round_trip_and_clip() -> None:
    filled = fill(LAYOUT, 5)
    assert filled.shape == (5, 13)
    for field in LAYOUT:
        found = LAYOUT.get(filled, field.name)
        assert found.shape == (5, *field.shape)
        expected = np.minimum(values(5)[field.name].astype(np.int64), field.high)
        assert np.array_equal(found, expected)
        assert np.array_equal(LAYOUT.get(filled[2], field.name), expected[2])
    assert LAYOUT.get(filled, "clock").tolist() == [0, 3, 6, 9, 9]
    assert LAYOUT.get(filled, "hand").max() == 200
    assert fill(LAYOUT, 0).shape == (0, 13)


def test_get_is_a_view() -> None:
    filled = fill(LAYOUT, 2)
    LAYOUT.get(filled, "hand")[1, 3] = 77
    assert filled[1, 10] == 77


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("high", [1, 100, 127, 128, 254, 255])
def test_fill_clips_any_integers(dtype: str, high: int) -> None:
    layout = Layout([Field("value", (2,), high, "")])
    top = min(np.iinfo(dtype).max, 300)
    filled = np.full((1, 2), 77, np.uint8)
    layout.fill(filled, {"value": np.array([[0, top]], dtype)})
    assert filled.tolist() == [[0, min(top, high)]]


def test_views_keep_the_order() -> None:
    assert [f.name for f in LAYOUT.only(("memory", "public"))] == [
        "board",
        "clock",
        "nothing",
        "seen",
    ]
    assert LAYOUT.only(VIEWS).slices == LAYOUT.slices
    assert LAYOUT.only(()).size == 0
    assert fill(LAYOUT.only(()), 3).shape == (3, 0)
    private: list[View] = ["private"]
    assert fill(LAYOUT.only(private), 3).shape == (3, 4)


def test_unknown_names_and_wrong_fields() -> None:
    with pytest.raises(KeyError, match=r"no field 'hands'.*board, clock, hand"):
        LAYOUT.get(np.zeros(13, np.uint8), "hands")
    with pytest.raises(KeyError):
        LAYOUT.fill(np.zeros((1, 13), np.uint8), {"board": np.zeros((1, 2, 3), np.uint8)})
    with pytest.raises(ValueError, match="field a"):
        Layout([Field("a", (), 1, ""), Field("a", (), 1, "")])
    for high in (0, 256, -1):
        with pytest.raises(ValueError, match="field a"):
            Layout([Field("a", (), high, "")])


def test_describe_and_table() -> None:
    filled = fill(LAYOUT, 2)
    assert LAYOUT.describe(filled[1]).splitlines() == [
        "board    1 at 0,0 0,2 1,1  squares",
        "clock    3  plies",
        "hand     200 at 0 1 2 3  cards",
        "nothing  all 0  an empty field",
        "seen     255 at 0 1  cards gone",
    ]
    counts = Layout([Field("counts", (2, 2), 9, "cards")])
    assert (
        counts.describe(np.array([2, 0, 1, 2], np.uint8)) == "counts  1 at 1,0; 2 at 0,0 1,1  cards"
    )
    named = Layout(
        [
            Field("hands", (2, 3), 9, "whose, card", entries=((), ("ace", "king", "queen"))),
            Field("phase", (2,), 1, "now", entries=(("place", "draw"),)),
            Field("down", (3,), 2, "cards face down", values=("ace", "king")),
        ]
    )
    assert named.describe(np.array([2, 0, 1, 0, 0, 2, 0, 1, 2, 0, 1], np.uint8)).splitlines() == [
        "hands  1 at 0,queen; 2 at 0,ace 1,queen  whose, card",
        "phase  1 at draw  now",
        "down   ace at 2; king at 0  cards face down",
    ]
    table = LAYOUT.table().splitlines()
    assert table[2] == "| `board` | 2 × 3 | 0–5 | 1 | public | squares |"
    assert table[3] == "| `clock` | 1 | 6–6 | 9 | public | plies |"
    assert len(table) == 2 + len(LAYOUT)


def test_blocks() -> None:
    blocks = [Block("move", (3, 4), "reach, square"), Block("pass", (1,), "nothing")]
    assert block_slices(blocks) == {"move": slice(0, 12), "pass": slice(12, 13)}
    assert block_table(blocks).splitlines()[2:] == [
        "| `move` | 3 × 4 | 0–11 | reach, square |",
        "| `pass` | 1 | 12–12 | nothing |",
    ]
