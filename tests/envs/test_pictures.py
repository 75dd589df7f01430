"""Pictures of games: nothing hidden shows, nothing overflows, and colours carry letters."""

import copy
import pickle
from itertools import combinations, product
from random import Random
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from chromazoo.envs import chroma_v0, guardians_v0, kroma_v0
from chromazoo.envs.chroma.config import COLOURS, WHEELS, Wheel
from chromazoo.envs.chroma.picture import tones
from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.game import Game
from chromazoo.envs.guardians import picture as guardians_picture
from chromazoo.envs.kroma import picture as kroma_picture
from chromazoo.envs.randomness import as_seeds
from chromazoo.envs.state import State
from chromazoo.envs.svg import HUES, PANEL, Box, Canvas, Colour, Picture, ink_on, luminance
from tests import pictures
from tests.chroma.agreement import own_wheel
from tests.contract.play import history, mixed, player_stream
from tests.envs import drawn
from tests.games import CHROMA, EXAMPLES, FAST, GUARDIANS, KROMA, TINY, VARIANTS

ALL = {name: game for name, game in EXAMPLES.items() if name not in FAST}
VIEWERS = (None, "public", 0, 1)


def course(game: Game[Any], seed: int) -> list[State]:
    """All states of a game of random play, one by one."""
    return history(game, game.deal(seed), player_stream([seed]), longest=200)


@pytest.mark.parametrize("name", ALL)
def test_a_view_shows_nothing_that_its_seat_cannot_know_at_any_moment(name: str) -> None:
    game = ALL[name]
    states = course(game, 5)
    # Kroma hides nothing but what chance might do; the longest games are looked at now and then.
    every = max(1, len(states) // (8 if name in KROMA else 60))
    for ply, state in enumerate(states[::every]):
        seats = range(game.num_seats) if ply % 8 == 0 else [ply % game.num_seats]
        assert drawn.leaks(game, state, [ply], seats) == []


@pytest.mark.parametrize("name", [*CHROMA, *GUARDIANS])
def test_the_check_finds_pictures_that_show_too_much(name: str) -> None:
    class Leaking(type(ALL[name])):  # type: ignore[misc]
        def _picture(self, state: Any, viewer: Any) -> Any:
            return super()._picture(state, None if viewer == "public" else viewer)

    game = Leaking(**ALL[name].options)
    assert drawn.leaks(game, game.deal(3), [1], range(game.num_seats)) == [*range(game.num_seats)]


def test_a_seat_sees_the_hand_that_it_holds_and_backs_of_others() -> None:
    game = CHROMA["chroma"]
    state = game.deal(4)
    own = [game.cards.names[card] for card in np.flatnonzero(state.hands[0, 1])]  # type: ignore[attr-defined]
    shown = game.svg(state, seat=1)
    assert shown != game.svg(state, seat=0)
    assert shown != game.svg(state)
    letters = {tone.name: tone.letters for tone in tones(WHEELS["tones"])}
    written_on = [text.words for text in drawn.texts(shown)]
    assert all(letters[name.partition("+")[0]] in written_on for name in own)


@pytest.mark.parametrize("game_id", ["kroma", "chroma", "guardians"])
def test_nothing_overflows_whatever_the_options(game_id: str) -> None:
    random = Random(3)
    for number in range(0, 72, 11):
        game = VARIANTS[game_id](number, random)
        state = mixed(game, games=12, seed=number)
        sizes = set()
        for row, viewer in product((number % 12, 11 - number % 12), VIEWERS):
            picture = game.svg(state, row, viewer)
            assert drawn.overflows(picture) == []
            sizes.add(picture.size)
        assert len(sizes) == 1


@pytest.mark.parametrize("name", ["chroma-6", "guardians-5", "kroma-advanced", "baby", "chroma-4"])
def test_nothing_overflows_in_a_whole_game(name: str) -> None:
    game = ALL[name]
    for state in course(game, 8)[::3]:
        assert drawn.overflows(game.svg(state)) == []


def test_the_fullest_hands_fit() -> None:
    game: Any = CHROMA["chroma-6"]
    state = game.deal(1)
    state.sizes[:] = 0
    state.hands[:] = 0
    state.sizes[0, 2] = 60
    state.hands[0, 2, :60] = 1
    state.sizes[0, 0], state.hands[0, 0, 0] = 1, 1
    assert drawn.overflows(game.svg(state)) == []
    assert drawn.overflows(game.svg(state, seat=0)) == []


@pytest.mark.parametrize(
    ("x", "y", "size", "beside"),
    [(-4, 50, 10, 90), (85, 50, 10, 5), (20, 50, 60, 5), (22, 19, 10, 5), (40, 50, 10, 45)],
)
def test_the_check_finds_what_overflows(x: float, y: float, size: float, beside: float) -> None:
    def sheet(x: float, y: float, size: float) -> Picture:
        canvas = Canvas(100, 100, "")
        canvas.rect(Box(15, 20, 70, 60), PANEL)
        canvas.text("one", x, y, size)
        canvas.text("i", beside, 50, 10)
        return canvas.picture()

    assert drawn.overflows(sheet(22, 50, 10)) == []
    assert drawn.overflows(sheet(x, y, size))


def lettered(picture: str, colours: tuple[Colour, ...]) -> dict[str, bool]:
    """For every colour that fills a rectangle or disc: whether its letters stand on each."""
    found: dict[str, bool] = {}
    shapes = drawn.shapes(picture)
    for number, shape in enumerate(shapes):
        for colour in colours:
            if shape.kind != "path" and shape.fill == colour.fill:
                words = {text.words for text in shapes[number:] if shape.holds(text, 1.0)}
                right = colour.letters in words or colour.letters.lower() in words
                found[colour.name] = found.get(colour.name, True) and right
    return found


@pytest.mark.parametrize("name", ["chroma", "chroma-3", "chroma-6", "guardians", "guardians-4"])
def test_every_card_has_the_letters_of_its_colour(name: str) -> None:
    game: Any = ALL[name]
    colours = guardians_picture.TONES if name in GUARDIANS else tones(game.config.colours)
    found: dict[str, bool] = {}
    for state in course(game, 2)[::6]:
        for colour, right in lettered(game.svg(state), colours).items():
            found[colour] = found.get(colour, True) and right
    assert found == {colour.name: True for colour in colours}


@pytest.mark.parametrize("name", ["kroma", "basic-flipped", "baby"])
def test_every_piece_and_tile_has_the_letter_of_its_colour(name: str) -> None:
    game: Any = ALL[name]
    colours = kroma_picture.TONES[: game.board.width]
    for state in course(game, 2)[::6]:
        found = lettered(game.svg(state), colours)
        assert found
        assert all(found.values())


@pytest.mark.parametrize("wheel", [*WHEELS.values(), Wheel(**own_wheel(Random(1)))])
def test_letters_of_a_wheel_differ_and_stand_out(wheel: Wheel) -> None:
    colours = tones(wheel)
    assert len({colour.letters for colour in colours}) == COLOURS
    assert len({colour.fill for colour in colours}) == COLOURS
    for colour in colours:
        assert contrast(colour.fill, ink_on(colour.fill)) > 4.5  # WCAG 2, AA


def test_letters_of_the_hues_stand_out() -> None:
    for fill in HUES.values():
        assert contrast(fill, ink_on(fill)) > 4.5


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours (WCAG 2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


# How colours look to people without one of the three kinds of cones (Machado et al. 2009, severity
# 1), in linear RGB.
SIGHTS = {
    "all": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def lab(fill: str, sight: Any) -> Any:
    """A colour in CIE L*a*b* as someone sees it."""
    parts = np.array([int(fill[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    seen = to_xyz @ np.clip(sight @ linear, 0, 1) / np.array([0.9505, 1, 1.089])
    root = np.where(seen > 0.008856, np.cbrt(seen), 7.787 * seen + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("sight", SIGHTS)
def test_hues_stay_apart_for_colour_blind_people(sight: str) -> None:
    seen = {name: lab(fill, SIGHTS[sight]) for name, fill in HUES.items()}
    apart = {(a, b): float(np.linalg.norm(seen[a] - seen[b])) for a, b in combinations(seen, 2)}
    assert min(apart.values()) > 15  # 2.3 is a difference that one just sees


@pytest.mark.parametrize("name", FAST)
def test_engines_draw_the_same(name: str) -> None:
    fast = FAST[name]
    slow = type(ALL[name.removesuffix("-fast")])(**fast.options)
    state = mixed(slow, games=6)
    for row, viewer in product(range(6), VIEWERS):
        assert slow.svg(state, row, viewer) == fast.svg(fast.adopt(state), row, viewer)


@pytest.mark.parametrize("name", ["tiny", "kroma", "chroma", "guardians"])
def test_drawing_changes_nothing_and_is_repeatable(name: str) -> None:
    game = ALL[name]
    state = mixed(game, games=5)
    before = game.dumps(state)
    pictures = [game.svg(state, row, viewer) for row, viewer in product(range(5), VIEWERS)]
    assert pictures == [
        game.svg(copy.deepcopy(state), row, viewer) for row, viewer in product(range(5), VIEWERS)
    ]
    assert game.dumps(state) == before
    assert game.svg(state, -1) == game.svg(state, 4) == game.svg(state.take([4]))


@pytest.mark.parametrize("name", ["tiny", "kroma", "chroma", "guardians"])
def test_states_show_themselves(name: str) -> None:
    game = ALL[name]
    states = mixed(game, games=9)
    one = states.take([3])
    assert one._repr_svg_() == game.svg(one) == game.svg(one)._repr_svg_()
    several = states._repr_svg_()
    assert several == game.sheet(states) == pickle.loads(pickle.dumps(states))._repr_svg_()
    captions = [text.get("aria-label") for text in ElementTree.fromstring(several or "")]
    assert [words for words in captions if words] == [f"game {row} of 9" for row in range(4)]
    assert states.take([])._repr_svg_() is None
    ownerless = type(states)(**states.arrays)
    assert ownerless._repr_svg_() is None


def test_states_of_the_compiled_engine_show_themselves() -> None:
    fast = FAST["guardians-fast"]
    state = fast.deal(3)
    assert state._repr_svg_() == fast.svg(state)


def test_names_of_any_kind_are_drawn() -> None:
    names = ["<&>", '"quoted"', "\x07bell", "日本", "-", "a--b", "\U0001f600", "\ufffe"]
    names += [f"colour-{number}" for number in range(6)] + ["x" * 80, "R", "r", "r-r", "rr", "r-R"]
    game = chroma_v0.Game(wheel={"names": names, "compatible": [[0, 1]]}, num_players=3)
    assert len({tone.letters for tone in tones(game.config.colours)}) == COLOURS
    state = game.deal(range(6))
    for row in range(6):
        picture = game.svg(state, row)
        ElementTree.fromstring(picture)
        assert drawn.overflows(picture) == []


def test_a_game_without_a_picture_of_its_own_shows_its_text() -> None:
    game = TINY["tiny"]
    state = game.deal(3)
    for viewer in VIEWERS:
        lines = [text.words for text in drawn.texts(game.svg(state, 0, viewer))]
        assert lines == game.text(state, 0, viewer).splitlines()


def test_kroma_shows_a_seat_its_own_side_below() -> None:
    game = kroma_v0.Game(size="baby", symmetry="flipped")
    state = game.from_position(["py/py/PY/PY py/py/py/py w 0"])
    columns = [
        [text.words for text in drawn.texts(game.svg(state, seat=seat)) if text.words in ("a", "b")]
        for seat in (0, 1)
    ]
    assert columns == [["a", "b"], ["b", "a"]]


@pytest.mark.parametrize("seat", [2, -1, 0.5, True, "open", [0]])
def test_viewers_that_do_not_exist_are_refused(seat: Any) -> None:
    game = guardians_v0.Game()
    with pytest.raises(InvalidArgument, match="seat: from 0 to 1, 'public' or None, not"):
        game.svg(game.deal(1), 0, seat)


def test_games_that_do_not_exist_are_refused() -> None:
    game = guardians_v0.Game()
    with pytest.raises(InvalidArgument, match="rows: from 0 to 0"):
        game.svg(game.deal(1), 1)
    with pytest.raises(InvalidArgument, match="a state of another config"):
        game.svg(guardians_v0.Game(num_players=3).deal(as_seeds(1)))
    with pytest.raises(InvalidArgument, match="rows"):
        game.sheet(game.deal([]))


def test_the_readme_shows_pictures_as_they_are() -> None:
    for name, picture in pictures.shown().items():
        kept = (pictures.FOLDER / name).read_text(encoding="utf-8")
        assert kept == picture + "\n", "python -m tests.pictures draws them anew"


def test_all_kroma_variants_show_all_that_is_on_the_board() -> None:
    for name in KROMA:
        game: Any = KROMA[name]
        state = mixed(game, games=6)
        for row in range(6):
            count = int(np.bitwise_count(state.pieces[row]).sum())
            told = [
                text.words for text in drawn.texts(game.svg(state, row)) if "seat " in text.words
            ]
            assert sum(int(words.split()[2]) for words in told) == count


def reached(game: Any, state: Any, lenders: list[list[int]]) -> set[str]:
    """The moves of the seat to move if pieces of each colour have the reach of these colours."""
    board, own = game.board, int(np.bitwise_or.reduce(state.pieces[0, 0]))
    found = set()
    for pieces, lent in zip(state.pieces[0, 0].tolist(), lenders, strict=True):
        for square in range(board.squares):
            for reach in (4 * colour + way for colour in lent for way in range(4)):
                target = int(board.target[reach, square])
                if pieces >> square & 1 and target >= 0 and not own >> target & 1:
                    ends = (square, target)
                    if state.turn[0]:
                        ends = tuple(board.turned[each] for each in ends)
                    found.add("-".join(map(board.square_name, ends)))
    return found


@pytest.mark.parametrize("influence", ["friendly", "public", "reversed"])
@pytest.mark.parametrize("symmetry", ["mirrored", "flipped"])
def test_kroma_shows_what_the_pieces_of_both_seats_reach(influence: str, symmetry: str) -> None:
    options = {"influence": influence, "symmetry": symmetry, "random": True, "leap": True}
    game: Any = kroma_v0.Game(size="basic", **options)
    for state in course(game, 6)[:40:3]:
        if state.over[0]:
            continue
        drawing = kroma_picture._Drawing(game, state, "public")
        board, squares, _, clock = game.position_text(state).split()
        for seat, letter in enumerate("wb"):
            turned = game.from_position([f"{board} {squares} {letter} {clock}"])
            legal = np.flatnonzero(game.action_mask(turned)[0]).tolist()
            moves = {game.move_text(turned, 0, action) for action in legal}
            assert moves == reached(game, turned, drawing.reaches(seat))


@pytest.mark.parametrize("size", ["standard", "basic", "baby"])
def test_kroma_says_whose_pieces_reach_what(size: str) -> None:
    game = kroma_v0.Game(size=size, random=True)
    words = [text.words for text in drawn.texts(game.svg(game.deal(2), seat=1))]
    assert words.index("What Black's pieces reach") < words.index("What White's pieces reach")


def test_signs_of_active_powers_lie_on_their_cards() -> None:
    game: Any = chroma_v0.Game(num_players=4, power_copies=2)
    badges = 0
    for seed in range(6):
        for state in course(game, seed)[::5]:
            if not state.marks[0].any():
                continue
            shown = game.svg(state)
            spaces = [box for name, (box,) in shown.spots.items() if name.startswith("space:")]
            for shape in drawn.shapes(shown):
                wide = shape.right - shape.left
                if (shape.kind, shape.fill) != ("rect", PANEL) or not 20 < wide < 50:
                    continue
                badges += 1
                assert any(
                    box.x <= shape.left
                    and shape.right <= box.x + box.width
                    and box.y <= shape.top
                    and shape.bottom <= box.y + box.height
                    for box in spaces
                )
    assert badges > 5


def test_guardians_says_in_words_what_won() -> None:
    game = guardians_v0.Game(num_players=3)
    for seed in range(3):
        state = course(game, seed)[-1]
        (status,) = [each.words for each in drawn.texts(game.svg(state)) if "win" in each.words]
        assert status.endswith(f": {game.ending(state).partition(';')[0]}")
