"""The canvas: letters, rooms for cards, and text that is escaped."""

import string
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.lettering import GLYPHS, outline, width
from chromazoo.envs.svg import PANEL, Box, Canvas, Picture, cells, sheet, written
from tests.envs.drawn import Shape, shapes, texts


def test_all_that_games_write_has_glyphs() -> None:
    assert set(string.ascii_letters + string.digits + ".,:;!?'\"-–_+=×·*/|()[]<>#%") <= set(GLYPHS)


def test_glyphs_differ() -> None:
    drawn = {letter: outline(letter, 0, 0, 200) for letter in [*GLYPHS, "é"]}
    assert len(set(drawn.values())) == len(drawn)
    assert outline("é", 0, 0, 20) == outline("\U0001f600", 0, 0, 20)


@given(
    st.text(min_size=1, max_size=30), st.floats(5, 40), st.sampled_from(["start", "middle", "end"])
)
def test_a_text_is_where_it_is_said_to_be(words: str, size: float, anchor: str) -> None:
    canvas = Canvas(2000, 100, "")
    wide = canvas.text(words, 1000, 50, size, anchor=anchor)  # type: ignore[arg-type]
    left = 1000 - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
    box = Shape("", "", "", left, 50 - 0.9 * size, left + wide, 50 + 0.9 * size)
    assert all(box.holds(text, slack=0.11) for text in texts(canvas.picture()))


@given(st.text(min_size=1, max_size=60), st.floats(20, 100), st.booleans())
def test_a_text_is_made_to_fit(words: str, room: float, bold: bool) -> None:
    canvas = Canvas(400, 60, "")
    assert canvas.text(words, 10, 30, 20, fit=room, bold=bold) <= room + 1e-9
    box = Shape("", "", "", 10, 0, 10 + room, 60)
    assert all(box.holds(text, slack=0.11) for text in texts(canvas.picture()))


def test_steps_do_not_drift() -> None:
    words = "m" * 400
    canvas = Canvas(9000, 60, "")
    wide = canvas.text(words, 0, 30, 17)
    (text,) = texts(canvas.picture())
    assert text.right == pytest.approx(wide, abs=0.1)
    assert width(words, 17) < wide


@given(st.text())
def test_whatever_is_written_is_well_formed(words: str) -> None:
    canvas = Canvas(400, 60, words)
    canvas.text(words, 10, 30, 20)
    root = ElementTree.fromstring(canvas.picture())
    assert root.get("viewBox") == "0 0 400 60"
    assert canvas.picture().size == (400, 60)
    assert len(root.get("aria-label") or "") == len(words)


@given(
    st.integers(0, 120),
    st.floats(30, 700),
    st.floats(12, 300),
    st.floats(0.5, 2),
    st.floats(10, 90),
)
def test_cards_fit_their_room(
    count: int, wide: float, high: float, ratio: float, most: float
) -> None:
    room = Box(7, 11, wide, high)
    found = cells(count, room, ratio, most, 4)
    assert len(found) == count
    for card in found:
        assert card.height <= most + 1e-9
        assert card.width == pytest.approx(ratio * card.height)
        assert card.x >= 7
        assert card.y >= 11
        assert card.x + card.width <= 7 + wide + 1e-6
        assert card.y + card.height <= 11 + high + 1e-6
    for one, other in combinations(found[:30], 2):
        across = abs(one.x - other.x) >= one.width - 1e-6
        assert across or abs(one.y - other.y) >= one.height - 1e-6


@given(st.integers(1, 40))
def test_cards_are_no_smaller_than_they_need_be(count: int) -> None:
    card = cells(count, Box(0, 0, 300, 60), 1, 60, 0)[0]
    larger = card.height * 1.001
    assert larger > 60 or int(300 / larger) * int(60 / larger) < count


def test_a_sheet_holds_its_pictures() -> None:
    one, other = written("one"), written("other")
    both = sheet([one, other, one], ["first", "<second>", "third"])
    inner = [element for element in ElementTree.fromstring(both) if element.tag.endswith("svg")]
    assert len(inner) == 3
    assert [len(element) for element in inner] == [2, 2, 2]
    wide, high = both.size
    for element in inner:
        edges = [float(element.attrib[name]) for name in ("x", "y", "width", "height")]
        assert edges[0] + edges[2] <= wide
        assert edges[1] + edges[3] <= high
        assert edges[2] / edges[3] == pytest.approx(640 / 440, rel=0.01)


def test_shapes_lie_where_they_are_drawn() -> None:
    canvas = Canvas(100, 80, "")
    canvas.rect(Box(10, 20, 30, 40), PANEL, line="#000000", radius=4, dashed=True)
    canvas.circle(50, 40, 8, PANEL)
    canvas.lines([(1, 2), (3, 4)], [(5, 70), (6, 7)])
    found = [(each.left, each.top, each.right, each.bottom) for each in shapes(canvas.picture())]
    assert found == [(0, 0, 100, 80), (10, 20, 40, 60), (42, 32, 58, 48), (1, 2, 6, 70)]
    assert isinstance(canvas.picture(), Picture)
