"""The queue's bit boards against plain columns: what explodes, what slides, what lies where.

A card here is called by the space where it lies once the turn's cards are put in: 1 + 8 column +
space, columns from 0. So the reference, which knows cards by numbers, tells spaces.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby, product
from operator import itemgetter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chromazoo.envs.guardians.queue import (
    COLUMNS,
    PLANES,
    SPACES,
    Explosions,
    _alike,
    _all_where_none,
    _columns_slid,
    _slide,
    arrange,
    explode,
    explosion_steps,
    insert,
    mirrored,
    set_up,
    sides,
    taken_down,
    true_columns,
)
from tests.guardians.reference import Config, Guardians, Placement, Space
from tests.thorough import THOROUGH

Words = NDArray[np.uint64]
COLOURS = 5


@dataclass
class Turn:
    """A queue and the cards of a turn.

    Attributes:
        number: The turn, from 0.
        colours: Column and space -> colour of the cards in the queue, columns from 0.
        placed: The colours of the turn's cards by column.
        backwards: Whether columns are served from the last to the first.
    """

    number: int
    colours: dict[Space, int]
    placed: list[int]
    backwards: bool


def name_of(column: int, space: int) -> int:
    return 1 + SPACES * column + space


def quiet(turn: int, heights: list[int], wanted: list[int]) -> dict[Space, int]:
    """A queue in which no two cards of one colour touch, with colours as near as can be to some."""
    colours: dict[Space, int] = {}
    for column, height in enumerate(heights):
        for space in range(turn - 1, max(-1, turn - 1 - height), -1):
            around = {colours.get((column, space + 1)), colours.get((column - 1, space))}
            first = wanted[SPACES * column + space]
            choice = [(first + more) % COLOURS for more in range(COLOURS)]
            colours[column, space] = next(colour for colour in choice if colour not in around)
    return colours


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    number = draw(st.integers(0, SPACES - 1))
    heights = draw(st.lists(st.integers(0, number), min_size=COLUMNS, max_size=COLUMNS))
    some = st.integers(0, draw(st.sampled_from([1, 2, 4])))
    wanted = draw(st.lists(some, min_size=40, max_size=40))
    placed = draw(st.lists(some, min_size=COLUMNS, max_size=COLUMNS))
    return Turn(number, quiet(number, heights, wanted), placed, draw(st.booleans()))


def any_turn(random: Random) -> Turn:
    number = random.randrange(SPACES)
    heights = [random.randint(0, number) for _ in range(COLUMNS)]
    most = random.choice([1, 2, 4, 4])
    wanted = [random.randint(0, most) for _ in range(40)]
    placed = random.choices(range(most + 1), k=COLUMNS)
    return Turn(number, quiet(number, heights, wanted), placed, random.random() < 0.5)


# The reference


def resolved(turn: Turn) -> Guardians:
    """The reference after a turn that seat 0 played alone."""
    config = Config(colors=[0] * 40)
    colours = config.colours
    for (column, space), colour in turn.colours.items():
        colours[name_of(column, space) - 1] = colour
    for column, colour in enumerate(turn.placed):
        colours[name_of(column, turn.number) - 1] = colour
    queue = {(1 + column, space): name_of(column, space) for column, space in turn.colours}
    ends = dict.fromkeys(range(1, COLUMNS + 1), turn.number)
    game = Guardians(config, [], queue=queue, ends=ends, exploded=[[]], marks=[0])
    order = range(COLUMNS)[::-1] if turn.backwards else range(COLUMNS)
    for column in order:
        game._place(Placement(name_of(column, turn.number), 0, 1 + column))
    return game


def explosions_of(game: Guardians) -> list[tuple[int, list[int]]]:
    """By which column's turn, from 0, what exploded, step by step."""
    return [
        (served, step)
        for served, placement in enumerate(game.placements)
        for step in placement.explosions
    ]


# The engine


@dataclass
class Batch:
    """Many turns as the engine takes them."""

    turns: Words
    backwards: NDArray[np.bool_]
    colours: Words  # bit planes that are set up, with the turn's cards


def batch_of(some: list[Turn]) -> Batch:
    numbers = np.array([turn.number for turn in some], np.uint64)
    backwards = np.array([turn.backwards for turn in some], np.bool_)
    before = np.zeros((PLANES, len(some)), np.uint64)
    for row, turn in enumerate(some):
        for (column, space), colour in turn.colours.items():
            before[:, row] |= planes_of(column, space, colour)
    codes = np.zeros((len(some), 8), np.uint8)
    for row, turn in enumerate(some):
        codes[row, :COLUMNS] = 1 + np.array(turn.placed)
    colours = before.copy()
    insert(colours, codes, numbers)
    return Batch(numbers, backwards, set_up(colours, numbers, backwards))


def planes_of(column: int, space: int, colour: int) -> Words:
    bits = [((1 + colour) >> plane & 1) << (SPACES * column + space) for plane in range(PLANES)]
    return np.array(bits, np.uint64)


def names_in(word: int) -> list[int]:
    """The names of the spaces of a word."""
    return [1 + bit for bit in range(64) if word >> bit & 1]


def explosions_found(some: list[Turn], found: Explosions) -> list[list[tuple[int, list[int]]]]:
    """The explosions of each game as `explosions_of` tells them, those by one card in one."""
    steps: list[list[tuple[int, list[int]]]] = [[] for _ in some]
    for game, column, cards, cause in zip(*found[:4], strict=True):
        turn = some[game]
        place = COLUMNS - 1 - column if turn.backwards else column
        lowest = 7 - turn.number
        names = [name_of(int(place), space - lowest) for space in range(8) if cards >> space & 1]
        assert names
        if not steps[game] or steps[game][-1][0] != cause:
            steps[game].append((int(cause), []))
        steps[game][-1][1].extend(names)
    return [[(cause, sorted(names)) for cause, names in row] for row in steps]


def by_cause(steps: list[tuple[int, list[int]]]) -> list[tuple[int, list[int]]]:
    """Steps with those that one card caused in one."""
    return [
        (cause, sorted(name for _, names in group for name in names))
        for cause, group in groupby(steps, key=itemgetter(0))
    ]


def check(some: list[Turn]) -> None:
    """What explodes by which card, the colours and the numbers in the end are the reference's."""
    games, batch = [resolved(turn) for turn in some], batch_of(some)
    told: list[list[tuple[int, list[int]]]] = [[] for _ in some]
    colours = batch.colours.copy()
    for rows, words, causes in explosion_steps(colours):
        cards = taken_down(words, batch.turns[rows], batch.backwards[rows])
        for row, word, cause in zip(rows, cards, causes, strict=True):
            told[row].append((int(cause), names_in(int(word))))
    assert told == [explosions_of(game) for game in games]
    assert np.array_equal(colours, batch.colours)
    found = explode(colours)
    assert explosions_found(some, found) == [by_cause(explosions_of(game)) for game in games]

    after = taken_down(colours, batch.turns, batch.backwards)
    numbers = np.zeros((len(some) + 1, COLUMNS, SPACES), np.uint8)
    numbers[-1] = 99  # a game in which nothing happens
    expected = np.zeros_like(numbers)
    expected[-1] = 99
    gone = taken_down(found.gone, batch.turns, batch.backwards)
    for row, (turn, game) in enumerate(zip(some, games, strict=True)):
        planes = np.zeros(PLANES, np.uint64)
        for (column, space), name in game.queue.items():
            planes |= planes_of(column - 1, space, game.config.colour_of(name))
            expected[row, column - 1, space] = name
        assert after[:, row].tolist() == planes.tolist()
        before = [*turn.colours, *((each, turn.number) for each in range(COLUMNS))]
        for column, space in before:
            numbers[row, column, space] = name_of(column, space)
        left = set(game.queue.values())
        spaces = {8 * column + space for column, space in before}
        assert int(gone[row]) == sum(1 << each for each in spaces if each + 1 not in left)
    arrange(numbers, np.arange(len(some)), found.gone, batch.turns, batch.backwards)
    assert np.array_equal(numbers, expected)


@given(st.lists(turns(), min_size=1, max_size=4))
def test_turns(some: list[Turn]) -> None:
    check(some)


@pytest.mark.parametrize("games", [0, 1, 2, 40, 60, 200, 900])
def test_many_turns_at_once(games: int) -> None:
    """Those that are done are left out while others still explode."""
    random = Random(games)
    for _ in range(20 if THOROUGH else 1):
        check([any_turn(random) for _ in range(games)])


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95])
def test_turns_of_which_some_explode(share: float) -> None:
    random = Random(f"{share}")
    loud = [
        turn for turn in (any_turn(random) for _ in range(600)) if explosions_of(resolved(turn))
    ]
    still = Turn(3, {(2, 2): 4}, [0, 1, 2, 3, 4], backwards=False)
    assert not explosions_of(resolved(still))
    some = [random.choice(loud) if random.random() < share else still for _ in range(150)]
    check(some)


def test_the_turns_meet_much() -> None:
    """Chains of up to many steps, several explosions in a turn, all columns and directions."""
    random = Random(1)
    some = [any_turn(random) for _ in range(900)]
    steps = [explosions_of(resolved(turn)) for turn in some]
    assert {served for row in steps for served, _ in row} == {0, 1, 2, 3, 4}
    assert max(map(len, steps)) > 5
    assert max(sum(len(cards) for _, cards in row) for row in steps) > 20
    assert any(not row for row in steps)


# Parts


def column_byte(word: int, column: int) -> int:
    return word >> 8 * column & 255


def test_queues_are_mirrored() -> None:
    random = Random(2)
    words = [random.getrandbits(40) for _ in range(50)]
    for word, other in zip(words, mirrored(np.array(words, np.uint64)).tolist(), strict=True):
        for column in range(COLUMNS):
            assert column_byte(other, COLUMNS - 1 - column) == column_byte(word, column)
        assert other >> 40 == 0


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 2**40 - 1), st.booleans())))
def test_set_up_moves_to_the_bottom_and_is_undone(some: list[tuple[int, int, bool]]) -> None:
    spaces = [sum((2 << turn) - 1 << 8 * each for each in range(COLUMNS)) for turn, _, _ in some]
    words = np.array([word & mask for (_, word, _), mask in zip(some, spaces, strict=True)])
    words = words.astype(np.uint64)
    numbers = np.array([turn for turn, _, _ in some], np.uint64)
    backwards = np.array([mirror for _, _, mirror in some], np.bool_)
    up = set_up(words, numbers, backwards)
    assert taken_down(up, numbers, backwards).tolist() == words.tolist()
    for (turn, _, mirror), word, moved in zip(some, words.tolist(), up.tolist(), strict=True):
        for column in range(COLUMNS):
            place = COLUMNS - 1 - column if mirror else column
            assert column_byte(moved, place) == column_byte(word, column) << 7 - turn


def plain_slide(cards: int, holes: int) -> int:
    """A column, lowest space 7: what lies above a hole goes down."""
    left = [cards >> space & 1 for space in range(7, -1, -1) if not holes >> space & 1]
    return sum(card << 7 - place for place, card in enumerate(left))


def test_every_column_slides() -> None:
    """All columns with holes where cards lay, each in all five places."""
    pairs = [(cards, holes) for cards, holes in product(range(256), repeat=2) if not holes & ~cards]
    assert len(pairs) == 3**8
    for shift in range(0, 40, 8):
        cards, holes = (
            np.array(some, np.uint64) << np.uint64(shift) for some in zip(*pairs, strict=True)
        )
        full = np.full(len(cards), 255 << shift, np.uint64)
        queues = np.array([cards] * PLANES + [full])
        columns, went = _slide(queues, holes)
        expected = [plain_slide(*each) << shift for each in pairs]
        assert queues[:PLANES].tolist() == [expected] * PLANES
        assert queues[PLANES].tolist() == (full ^ holes).tolist()
        some = holes.nonzero()[0]
        assert columns.tolist() == (8 * some + shift // 8).tolist()
        assert went.tolist() == (holes[some] >> np.uint64(shift)).tolist()


def words_of(columns: Iterable[int]) -> int:
    return sum(byte << 8 * column for column, byte in enumerate(columns))


@given(st.lists(st.integers(0, 2**40 - 1), min_size=3, max_size=3), st.integers(0, 2**40 - 1))
def test_planes_slide_alike(planes: list[int], holes: int) -> None:
    queues = np.array([[plane] for plane in [*planes, 2**40 - 1]], np.uint64)
    _slide(queues, np.array([holes], np.uint64))
    for plane, after in zip(planes, queues[:, 0].tolist(), strict=False):
        columns = (
            plain_slide(column_byte(plane, column), column_byte(holes, column))
            for column in range(COLUMNS)
        )
        assert after == words_of(columns)


def test_cards_are_known_by_where_they_lay_at_first() -> None:
    """Those on the holes are told from those that have slid there."""
    queues = np.array([[0b11110000]] * (PLANES + 1), np.uint64)
    assert _slide(queues, np.array([0b01100000], np.uint64))[1].tolist() == [0b01100000]
    assert queues[:, 0].tolist() == [0b11000000] * PLANES + [0b10010000]
    assert _slide(queues, np.array([0b01000000], np.uint64))[1].tolist() == [0b00010000]


def test_columns_of_numbers_slide() -> None:
    """Over all sets of holes, as bytes that tell their spaces."""
    holes = np.arange(256, dtype=np.uint8)
    column = bytes(range(1, 9))
    columns = np.full(256, int.from_bytes(column, "little"), np.uint64)
    for hole, word in enumerate(_columns_slid(columns, holes).tolist()):
        left = bytes(byte for space, byte in enumerate(column) if not hole >> space & 1)
        assert word.to_bytes(8, "little") == left.rjust(8, b"\0")


def test_columns_are_numbered_from_the_left() -> None:
    columns = np.arange(COLUMNS)
    for backwards in (False, True):
        expected = columns[::-1] if backwards else columns
        side = sides(np.full(COLUMNS, backwards))
        assert true_columns(columns, side).tolist() == expected.tolist()


def test_words_that_are_nothing_give_all_bits() -> None:
    words = np.array([0, 1, 1 << 39, 2**40 - 1, 0], np.uint64)
    every = 2**64 - 1
    assert _all_where_none(words).tolist() == [every, 0, 0, 0, every]


@given(st.lists(st.integers(0, 5), min_size=40, max_size=40))
def test_spaces_are_like_those_before(codes: list[int]) -> None:
    """Empty ones, 0, too; before the first lie empty ones."""
    colours = np.zeros((PLANES, 1), np.uint64)
    for space, code in enumerate(codes):
        colours[:, 0] |= planes_of(0, space, code - 1)
    for bits in (1, 8):
        found = _alike(colours, ~colours, np.array(bits, np.uint64))
        before = [0] * bits + codes
        expected = [before[space] == code for space, code in enumerate(codes)]
        assert [bool(int(found[0]) >> space & 1) for space in range(40)] == expected
