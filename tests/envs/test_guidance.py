"""What guides people: clicks that make moves, spots in pictures, news, and the rules in short."""

import re
from collections import Counter, defaultdict
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from chromazoo.envs import chroma_v0, guardians_v0, kroma_v0
from chromazoo.envs.chroma.config import PHASES, WHEELS
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import as_seeds, below
from chromazoo.envs.state import State
from tests.chroma.agreement import own_wheel
from tests.contract.play import history, player_stream, seated
from tests.games import EXAMPLES, FAST, GUARDIANS, TINY, VARIANTS
from tests.guardians.reference import COLOURS, Config, begin, marks_on

ALL = {name: game for name, game in EXAMPLES.items() if name not in FAST}


def course(game: Game[Any], seed: int) -> list[State]:
    """Some of the states of a game of random play, one by one, with its first and last ones."""
    states = history(game, game.deal(seed), player_stream([seed]), longest=300)
    return states[:4] + states[4 : -4 : max(7, len(states) // 12)] + states[-4:]


def choices(game: Game[Any], state: State, seat: int) -> list[int]:
    """The legal actions of a seat, none where it is not to decide."""
    return np.flatnonzero(game.action_mask(state, seated(state, seat))[0]).tolist()


@pytest.mark.parametrize("name", ALL)
def test_clicks_lead_to_every_move_and_to_one_alone(name: str) -> None:
    game = ALL[name]
    for state in course(game, 3):
        for seat in range(game.num_seats):
            chains = [
                tuple(click.spot for click in game.clicks(state, 0, action, seat))
                for action in choices(game, state, seat)
            ]
            assert all(chains)
            assert len(set(chains)) == len(chains)
            beginnings = {chain[:length] for chain in chains for length in range(len(chain))}
            assert not beginnings & set(chains)


@pytest.mark.parametrize("name", ALL)
def test_choices_are_in_the_picture_or_are_buttons_with_words(name: str) -> None:
    game = ALL[name]
    buttons = set()
    for state in course(game, 4):
        for seat in range(game.num_seats):
            spots = game.svg(state, seat=seat).spots
            wide, high = game.svg(state, seat=seat).size
            for boxes in spots.values():
                assert boxes
                for box in boxes:
                    assert 0 <= box.x < box.x + box.width <= wide
                    assert 0 <= box.y < box.y + box.height <= high
            words: dict[Any, set[str]] = defaultdict(set)
            prompts: dict[Any, set[str]] = defaultdict(set)
            for action in choices(game, state, seat):
                clicks = game.clicks(state, 0, action, seat)
                for step, click in enumerate(clicks):
                    before = tuple(each.spot for each in clicks[:step])
                    words[before, click.words].add(click.spot)
                    prompts[before].add(click.prompt)
                    if click.spot not in spots:
                        buttons.add(click.spot.partition(":")[0])
            assert all(len(found) == 1 for found in words.values())  # nothing is called alike
            assert all(len(found) == 1 for found in prompts.values())
    assert buttons <= {"kroma": {"end"}, "chroma": {"use", "skip"}, "tiny": {"move"}}.get(
        game.id, set()
    )


SECRETIVE = ["chroma", "chroma-3", "chroma-6", *GUARDIANS, *TINY]


@pytest.mark.parametrize("name", SECRETIVE)
def test_spots_tell_nothing_that_the_seat_cannot_know(name: str) -> None:
    game = ALL[name]
    for number, state in enumerate(course(game, 5)):
        for seat in range(game.num_seats):
            world = game.redeal(state, [seat], [number])
            for viewer in (seat, "public"):
                one, other = game.svg(state, 0, viewer), game.svg(world, 0, viewer)
                assert one.spots == other.spots
                assert game.text(state, 0, viewer) == game.text(world, 0, viewer)
            assert choices(game, state, seat) == choices(game, world, seat)
            for action in choices(game, state, seat):
                assert game.clicks(state, 0, action, seat) == game.clicks(world, 0, action, seat)


def worlds(game: Game[Any], state: State, viewer: int, number: int) -> list[State]:
    """The game, and some others that a viewer cannot tell from it."""
    seeds = range(100 * number, 100 * number + 6)
    return [state, *(game.redeal(state, [viewer], [seed]) for seed in seeds)]


def telling(game: Game[Any]) -> list[State]:
    """Moments of random games at which something hidden is decided, and a few others."""
    found, others = [], []
    for seed in range(3):
        for state in history(game, game.deal(seed), player_stream([seed]), longest=300)[:-1]:
            hiding = game.simultaneous or PHASES[state.phase[0]] in ("wild", "give")  # type: ignore[attr-defined]
            hiding |= not game.simultaneous and bool(
                game.packing.contains(game.legal(state), np.array([game.gift]))[0]
            )  # type: ignore[attr-defined]
            (found if hiding else others).append(state)
    return found[:: max(1, len(found) // 9)] + others[:: max(1, len(others) // 3)]


def news_that_differ(game: Game[Any]) -> tuple[int, list[Any]]:
    """How many decisions that look the same to a viewer were compared, and what was told of them.

    They look the same if the viewer sees the same before and after; only what differs is listed.
    """
    stream = as_seeds(8)
    compared, differ = 0, []
    for number, state in enumerate(telling(game)):
        seat = int(state.seat[0])
        for viewer in {(seat + 1) % game.num_seats, seat, number % game.num_seats}:
            told: dict[bytes, list[Any]] = defaultdict(list)
            for world in worlds(game, state, viewer, number):
                legal = choices(game, world, seat)
                for action in {legal[int(below(stream, len(legal))[0])] for _ in range(25)}:
                    after = world.copy()
                    game.step(after, [action])
                    seen = game.observe(after, [viewer]).tobytes()
                    own = action if viewer == seat else -1
                    news = game.news(world, after, 0, action, seat, viewer)
                    told[seen + str(own).encode()].append(news)
            compared += sum(len(each) > 1 for each in told.values())
            differ += [set(each) for each in told.values() if len(set(each)) > 1]
    return compared, differ


@pytest.mark.parametrize("name", ["chroma", "chroma-4", "guardians", "guardians-3", "guardians-5"])
def test_news_tell_nothing_that_the_viewer_cannot_know(name: str) -> None:
    compared, differ = news_that_differ(ALL[name])
    assert compared > 20
    assert differ == []


@pytest.mark.parametrize("name", ["chroma-3", "guardians-4"])
def test_the_check_of_news_finds_what_tells_too_much(name: str) -> None:
    class Leaking(type(ALL[name])):  # type: ignore[misc]
        def news(self, before, after, row, action, seat, viewer):  # type: ignore[no-untyped-def]
            return super().news(before, after, row, action, seat, None)

    assert news_that_differ(Leaking(**ALL[name].options))[1]


def news_of(game: Game[Any], setup: Any, moves: list[str], viewer: Any) -> list[str]:
    """The words of what a viewer learns of a game."""
    state = game.from_setup([setup])
    found = []
    for move in moves:
        before = state.copy()
        seat, action = int(state.seat[0]), game.parse_move(state, 0, move)
        game.step(state, [action])
        told = game.news(before, state, 0, action, seat, viewer)
        found.append(told.words if told else "")
    return found


def test_news_of_kroma() -> None:
    game = kroma_v0.Game(size="baby")
    moves = ["L:purple", "R:yellow", "a2-a3"]
    assert news_of(game, {}, moves, 0) == [
        "You: purple at the left end",
        "Black: yellow at the right end",
        "You: purple a2-a3, takes purple",
    ]
    assert news_of(game, {}, moves, "public")[2] == "White: purple a2-a3, takes purple"


def test_the_first_square_of_a_row_of_kroma_has_one_place() -> None:
    game = kroma_v0.Game(size="baby")
    state = game.deal(1)
    prompts = []
    for move in ("L:purple", "R:yellow"):
        action = game.parse_move(state, 0, move)
        prompts.append([click.prompt for click in game.clicks(state, 0, action)])
        game.step(state, [action])
    first, second = prompts
    assert first[0] == "Choose the colour of the first square of the row"
    assert first[1].endswith("purple is the first in the row")
    assert second == [
        "Choose the colour of the next square of the row",
        "Choose where in the row yellow goes",
    ]


def test_news_of_guardians() -> None:
    game = guardians_v0.Game(num_players=3)
    deck = [*range(1, 10), *range(11, 20), *range(21, 30), 10, *range(40, 51), 20, *range(30, 40)]
    setup = {"decks": [deck]}
    told = {viewer: news_of(game, setup, ["9", "13", "24"], viewer) for viewer in (0, 1, "public")}
    turn = "Turn 1: into columns 1 to 5 go {}, 10 purple (chief), {}, 24 blue (seat 2), "
    assert told[0][:2] == ["You: 9 chosen", ""]
    assert told[1][:2] == ["", "You: 13 chosen"]
    assert told["public"][:2] == ["", ""]
    assert told[0][2].startswith(turn.format("9 blue (you)", "13 green (seat 1)"))
    assert told[1][2].startswith(turn.format("9 blue (seat 0)", "13 green (you)"))
    assert told["public"][2].endswith(", 40 purple (chief). Nothing explodes")


def told_of_turn(words: str) -> tuple[list[tuple[str, str]], list[tuple[int, list[Any], str]]]:
    """The cards with their owners in the order of laying, and the explosions, as news tell them."""
    first, *sentences = words.split(". ")
    laid = re.findall(r"(\d+ \w+) \(([^)]*)\)", first)
    blasts = []
    for sentence in sentences:
        if sentence == "Nothing explodes":
            continue
        chain, _, taker = sentence.partition(": ")
        cause, _, steps = chain.partition(" explodes with ")
        groups = [re.findall(r"\d+", step) for step in steps.split(", then ")]
        blasts.append((int(cause), [sorted(map(int, group)) for group in groups], taker))
    return laid, blasts


@pytest.mark.parametrize("options", [{}, {"num_players": 3, "rounds": 2}, {"num_players": 5}])
def test_news_of_guardians_tell_a_turn_as_the_reference_resolves_it(options: Any) -> None:
    game, config = guardians_v0.Game(**options), Config(**options)
    seen = Counter[str]()
    for seed in range(4):
        reference = begin(config, game.setups([seed])[0])
        random = Random(seed)
        state = game.deal(seed)
        while not reference.over:
            before, past, seat = state.copy(), reference, reference.seat
            move = random.choice(reference.legal())
            action = game.parse_move(state, 0, move)
            game.step(state, [action])
            reference = past.after(move)
            if past.turn == reference.turn and past.round == reference.round:
                continue
            news = game.news(before, state, 0, action, seat, "public")
            assert news is not None
            last = replace(config, rounds=past.round + 1)  # so that placements are kept
            placements = replace(past, config=last).after(move).placements
            laid, blasts = told_of_turn(news.words)
            names = {None: "chief"} | {who: f"seat {who}" for who in reference.seats}
            assert laid == [
                (f"{each.card} {COLOURS[config.colour_of(each.card)]}", names[each.owner])
                for each in placements
            ]
            columns = [each.column for each in placements]
            assert f"columns {columns[0]} to {columns[-1]}" in news.words
            beside = list(past.beside)
            expected = []
            for each in placements:
                if not each.explosions:
                    continue
                first, *further = each.explosions
                chain = [[card for card in first if card != each.card], *further]
                gone = [card for step in each.explosions for card in step]
                if each.owner is None:
                    beside += gone
                    expected.append((each.card, chain, "beside the chief"))
                    seen["chief"] += 1
                    continue
                marks = sum(map(marks_on, gone + beside))
                told = f"seat {each.owner} +{marks} mark"
                expected.append((each.card, chain, told))
                seen["stack"] += bool(beside)
                seen["chain"] += bool(further)
                beside = []
            assert [blast[:2] for blast in blasts] == [blast[:2] for blast in expected]
            for blast, wanted in zip(blasts, expected, strict=True):
                assert blast[2].startswith(wanted[2])
            seen["nothing"] += "Nothing explodes" in news.words
            assert bool(blasts) != ("Nothing explodes" in news.words)
    assert seen["chain"]
    assert seen["nothing"]
    assert config.is_duel or config.num_players == 5 or (seen["chief"] and seen["stack"])


def test_news_of_guardians_point_at_what_has_moved() -> None:
    game = guardians_v0.Game(num_players=4)
    spots = set()
    for seed in range(6):
        states = history(game, game.deal(seed), player_stream([seed]))
        for before in states[3::4]:
            action = int(np.flatnonzero(game.action_mask(before)[0])[0])
            after = before.copy()
            game.step(after, [action])
            news = game.news(before, after, 0, action, 3, "public")
            assert news is not None
            spots |= set(news.spots) - set(game.svg(after, seat="public").spots)
    assert {name.partition(":")[0] for name in spots} <= {"queued"}  # which have exploded


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_rules_in_short_fit_the_options(name: str) -> None:
    game = EXAMPLES[name]
    text = game.primer()
    assert bool(text) == (game.id != "tiny")
    assert "{" not in text
    assert "}" not in text
    assert "<" not in text
    assert not text or text.startswith("# ")
    assert not re.search("  |^ | $", text, re.MULTILINE)


def test_the_rules_in_short_tell_the_options() -> None:
    kroma = kroma_v0.Game(influence="reversed", no_capture_limit=40).primer()
    assert "Only **your enemy's** pieces" in kroma
    assert "After 40 moves" in kroma
    assert "green" not in kroma_v0.Game(size="basic").primer()
    assert "draw" not in kroma_v0.Game(no_capture_limit=0).primer()
    assert "lay the coloured squares" not in kroma_v0.Game(random=True).primer()
    assert "need the square between to be empty" in kroma_v0.Game(leap=False).primer()
    assert "Powers" not in chroma_v0.Game(power_copies=0).primer()
    assert "Six players" in chroma_v0.Game(num_players=6).primer()
    wheel = own_wheel(Random(1))
    assert wheel["names"][3].replace("-", "\\-") in chroma_v0.Game(wheel=wheel).primer()
    duel, four = guardians_v0.Game(), guardians_v0.Game(num_players=4, rounds=2)
    assert "chooses **two** cards" in duel.primer()
    assert "chooses **one** card" in four.primer()
    assert "two rounds" in four.primer()
    assert "beside the chief" in four.primer()
    assert "hief" not in guardians_v0.Game(num_players=5).primer()


@pytest.mark.parametrize("size", ["baby", "basic", "standard"])
def test_the_rules_in_short_of_kroma_name_colours_of_the_board_alone(size: str) -> None:
    game = kroma_v0.Game(size=size)
    colours = ("purple", "yellow", "blue", "orange", "red", "green")
    named = set(re.findall(rf"\b({'|'.join(colours)})\b", game.primer()))
    assert named == set(game.board.colours)
    assert "below" not in game.primer().replace("your own side is below", "")


def test_what_the_rules_in_short_say_of_colours_is_so() -> None:
    """The sentence on the wheel `tones`, taken at its word."""
    wheel = WHEELS["tones"]
    hues = ["red", "orange", "yellow", "green", "blue", "purple"]
    for one, name in enumerate(wheel.names[:18]):
        for other in range(18):
            (hue, tone), (that, shade) = divmod(one, 3), divmod(other, 3)
            apart = min((hue - that) % 6, (that - hue) % 6)
            fits = (apart == 0 and abs(tone - shade) == 1) or (
                apart == 1 and abs(tone - shade) <= 1
            )
            assert wheel.table[one, other] == fits
        assert hues[one // 3] in name
        assert wheel.table[18, one] == name.startswith("light")
        assert wheel.table[19, one] == name.startswith("dark")


@pytest.mark.parametrize("game_id", ["kroma", "chroma", "guardians"])
def test_any_options_can_be_played(game_id: str) -> None:
    random = Random(5)
    for number in range(0, 72, 9):
        game = VARIANTS[game_id](number, random)
        state = game.deal(number)
        seat = int(state.seat[0])
        assert game.primer()
        for action in choices(game, state, seat):
            assert game.clicks(state, 0, action, seat)


def test_a_seat_of_kroma_sees_its_own_side_below_in_text() -> None:
    game = kroma_v0.Game(size="baby", symmetry="flipped")
    state = game.from_position(["py/1y/PY/PY py/py/yp/yp b 0"])
    white, black = (game.text(state, 0, seat).splitlines()[:5] for seat in (0, 1))
    assert white == ["4 pp yy", "3 .p yy", "2 Py Yp", "1 Py Yp", "  a  b"]
    assert black == ["1 Yp Py", "2 Yp Py", "3 yy .p", "4 yy pp", "  b  a"]


@pytest.mark.parametrize(
    "name", ["basic-short", "chroma", "chroma-6", "guardians-2", "guardians-5"]
)
def test_why_games_ended_is_told_in_words(name: str) -> None:
    game = ALL[name]
    told = set()
    for seed in range(12):
        state = history(game, game.deal(seed), player_stream([seed]))[-1]
        assert game.ending(state)
        told.add((game.result(state)["reason"], game.ending(state).partition(";")[0]))
    reasons = [reason for reason, _ in told]
    assert len(set(reasons)) == len(reasons) or game.id == "kroma"
    assert all(words not in reasons for _, words in told)


def test_a_game_without_words_for_its_ends_tells_the_reason() -> None:
    game = TINY["tiny"]
    state = history(game, game.deal(1), player_stream([1]))[-1]
    assert game.ending(state) == game.result(state)["reason"]
