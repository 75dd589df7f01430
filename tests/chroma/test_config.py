"""The options: wheels (C1), the pack (C2), and what is refused."""

import json
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.chroma.config import Config as EngineConfig
from chromazoo.envs.chroma.config import Wheel
from chromazoo.envs.chroma.rules import Game
from chromazoo.envs.errors import InvalidConfig
from tests.chroma.agreement import own_wheel, pair, types_of
from tests.chroma.reference import Config, colour_of, power_of
from tests.contract.agreement import legal_texts

NAMES = [f"n{number}" for number in range(20)]
HUES = ["red", "orange", "yellow", "green", "blue", "purple"]
OWN = {"names": NAMES, "compatible": [[0, 1], [3, 17], [0, 19]]}


def partners(wheel: Any) -> dict[str, set[str]]:
    """Colour -> the colours that may lie beside it, found by play: what goes next to the centre.

    For every colour on the centre, hands that hold all colours between them, one game each.
    """
    game, config = pair(wheel=wheel, power_copies=0, first_player=0)
    colours = config.colours
    setups: list[dict[str, Any]] = []
    for centre in colours:
        for start in range(0, 20, 5):
            deck = [centre, *colours[start : start + 5]]
            rest = Counter(config.pack)
            rest.subtract(deck)
            setups.append({"deck": [*deck, *rest.elements()], "first_player": 0})
    state = game.from_setup(setups)
    found: dict[str, set[str]] = {colour: set() for colour in colours}
    for row, setup in enumerate(setups):
        moves = [move for move in legal_texts(game, state, row) if move != "draw"]
        found[setup["deck"][0]] |= {colour_of(move.split("@")[0]) for move in moves}
    return found


@pytest.mark.parametrize("wheel", ["tones", "narrow", "ring"])
def test_wheels(wheel: str) -> None:
    """By play, as the reference has them from the rules page."""
    config = Config(wheel=wheel)
    expected = {
        one: {other for other in config.colours if config.compatible(one, other)}
        for one in config.colours
    }
    assert partners(wheel) == expected


@pytest.mark.parametrize(
    ("wheel", "numbers"),
    [
        ("tones", {"light": 6, "mid": 8, "dark": 6, "white": 6, "black": 6}),
        ("narrow", {"light": 4, "mid": 4, "dark": 4, "white": 6, "black": 6}),
    ],
)
def test_numbers_of_partners(wheel: str, numbers: dict[str, int]) -> None:
    """As the rules page counts them."""
    for colour, found in partners(wheel).items():
        kind = colour if colour in numbers else colour.split("-")[0]
        assert len(found) == numbers.get(kind, numbers["mid"]), colour


def test_some_neighbours_in_tones() -> None:
    found = partners("tones")
    assert found["light-red"] == {
        *("red", "light-orange", "orange", "light-purple", "purple", "white")
    }
    assert found["red"] == {
        *("light-red", "dark-red", "orange", "light-orange", "dark-orange"),
        *("purple", "light-purple", "dark-purple"),
    }
    assert found["black"] == {f"dark-{hue}" for hue in HUES}
    assert found["white"] == {f"light-{hue}" for hue in HUES}


def test_some_neighbours_in_ring() -> None:
    found = partners("ring")
    assert found["hue-0"] == {"hue-1", "hue-2", "hue-17", "hue-16", "white"}
    assert found["hue-9"] == {"hue-7", "hue-8", "hue-10", "hue-11", "black"}
    assert found["white"] == {f"hue-{number}" for number in range(9)}
    assert found["black"] == {f"hue-{number}" for number in range(9, 18)}


def test_a_wheel_of_ones_own() -> None:
    found = partners(OWN)
    assert found["n0"] == {"n1", "n19"}
    assert found["n1"] == found["n19"] == {"n0"}
    assert found["n3"] == {"n17"}
    assert sum(map(len, found.values())) == 6


def test_a_wheel_may_be_given_in_any_form() -> None:
    """As JSON has it, as tuples, or as the engine's own class; all are one config."""
    tuples = {"names": tuple(NAMES), "compatible": ((0, 1), (3, 17), (0, 19))}
    built = Wheel(tuple(NAMES), ((0, 1), (3, 17), (0, 19)))
    games = [Game(wheel=wheel) for wheel in (OWN, tuples, built)]
    assert games[0] == games[1] == games[2]
    assert len({hash(game) for game in games}) == 1
    assert len({game.digest for game in games}) == 1
    for game in games:
        assert game.options["wheel"] == OWN
        assert Game(**json.loads(json.dumps(game.options))) == game
    assert Game(wheel="tones") != games[0]


def test_what_is_handed_in_is_not_kept() -> None:
    wheel: dict[str, Any] = {"names": list(NAMES), "compatible": [[0, 1]]}
    game = Game(wheel=wheel)
    wheel["names"].clear()
    assert game.options["wheel"]["names"] == NAMES


# The pack (C2)

KINDS = ["replay", "gift", "magnet", "lock"]


@pytest.mark.parametrize("power_copies", range(5))
@pytest.mark.parametrize("wheel", ["tones", "ring"])
def test_the_pack(power_copies: int, wheel: str) -> None:
    game, config = pair(power_copies=power_copies, wheel=wheel)
    deck = Counter(game.setups([7])[0]["deck"])
    assert deck.total() == 100
    assert set(deck) == set(types_of(game))
    for number, colour in enumerate(config.colours):
        powers = sorted(
            str(power_of(card)) for card in deck if colour_of(card) == colour and "+" in card
        )
        assert powers == sorted(KINDS[(number + copy) % 4] for copy in range(power_copies))
        assert deck[colour] == 5 - power_copies
    assert all(number == 1 for card, number in deck.items() if "+" in card)


def test_the_default_powers() -> None:
    """One card of each colour: replay, gift, magnet, lock for colour number mod 4."""
    deck = Game().setups([0])[0]["deck"]
    some = ["light-red+replay", "red+gift", "dark-red+magnet", "light-orange+lock", "orange+replay"]
    assert all(deck.count(card) == 1 for card in [*some, "white+magnet", "black+lock"])


def test_actions_and_default_options() -> None:
    game = Game()
    assert game.options == {
        "num_players": 2,
        "wheel": "tones",
        "power_copies": 1,
        "first_player": None,
    }
    assert [(block.name, block.size) for block in game.blocks] == [
        *(("card", 40 * 77), ("draw", 1), ("use", 1), ("skip", 1), ("gift", 1), ("give", 40)),
    ]


# What is refused


NO_VALUES: dict[str, list[Any]] = {
    "num_players": [0, 1, 7, -2, 2.0, "2", True, None, [2], 2**70],
    "power_copies": [-1, 5, 1.0, "1", False, None, [], 10**30],
    "first_player": [-1, 2, 1.0, "0", True, [0], {}],
    "wheel": [None, "", "tone", "Tones", b"tones", 5, ["tones"], {}, set(), Counter()],
}


@pytest.mark.parametrize(
    "options",
    [
        *({name: value} for name, values in NO_VALUES.items() for value in values),
        {"num_players": 3, "first_player": 3},
        {"colour": "red"},
    ],
    ids=repr,
)
def test_options_that_do_not_fit(options: dict[str, Any]) -> None:
    assert_refused(options)


def assert_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfig) as caught:
        Game(**options)
    line = str(caught.value)
    assert "chroma" in line
    assert "\n" not in line
    assert len(line) < 300


def changed(**parts: Any) -> dict[str, Any]:
    return {**OWN, **parts}


BAD_WHEELS: list[Any] = [
    {"names": NAMES},
    {"compatible": []},
    changed(more=1),
    changed(names=NAMES[:-1]),
    changed(names=[*NAMES, "n20"]),
    changed(names=[*NAMES[:-1], "n0"]),
    changed(names=" ".join(NAMES)),
    changed(names=None),
    changed(names=5),
    changed(names=dict.fromkeys(NAMES, 0)),
    changed(names=set(NAMES)),
    *(
        changed(names=[*NAMES[:-1], name])
        for name in (
            "",
            " ",
            "a b",
            "a\tb",
            "a\n",
            "\u00a0",
            "\ud800",
            "a+b",
            "a@b",
            "a:b",
            "+",
            "@",
            ":",
        )
    ),
    *(changed(names=[*NAMES[:-1], name]) for name in (None, 19, True, b"n19", ["n19"], 1.5)),
    changed(compatible=None),
    changed(compatible=5),
    changed(compatible="01"),
    changed(compatible={0: 1}),
    *(
        changed(compatible=[[0, 1], pair])
        for pair in (
            *([1, 0], [1, 1], [0, 1], [0, 20], [-1, 3], [0], [], [0, 1, 2], [0, 2.0], [0, "2"]),
            *([0, True], [None, 2], "02", 5, None, {0: 2}, {0, 2}, [[0], [2]], [0, 2**70]),
        )
    ),
]


@pytest.mark.parametrize("number", range(len(BAD_WHEELS)))
def test_wheels_that_are_none(number: int) -> None:
    assert_refused({"wheel": BAD_WHEELS[number]})


def test_wheels_at_the_edge_are_wheels() -> None:
    assert sum(map(len, partners(changed(compatible=[])).values())) == 0
    every = [[i, j] for i in range(20) for j in range(i + 1, 20)]
    assert all(len(found) == 19 for found in partners(changed(compatible=every)).values())


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.sampled_from(["num_players", "power_copies", "first_player", "wheel"]), JUNK)
def test_junk_options(name: str, value: Any) -> None:
    """Junk is refused in one line, or it is an option like any other."""
    try:
        game = Game(**{name: value})
    except InvalidConfig:
        assert_refused({name: value})
    else:
        assert game.options[name] == value


@given(st.sampled_from(["names", "compatible"]), JUNK)
def test_junk_wheels(name: str, value: Any) -> None:
    wheel = changed(**{name: value})
    try:
        game = Game(wheel=wheel)
    except InvalidConfig:
        assert_refused({"wheel": wheel})
    else:
        assert game.options["wheel"] == wheel


@given(st.integers(0, 2**32))
def test_any_own_wheel_is_read_as_given(seed: int) -> None:
    wheel = own_wheel(Random(seed))
    options = Game(wheel=wheel).options
    assert options["wheel"] == wheel


def test_a_wheel_may_be_made_of_lists() -> None:
    made = Wheel(list(NAMES), [[0, 1], [3, 17]])  # type: ignore[arg-type, list-item]
    assert made == Wheel(tuple(NAMES), ((0, 1), (3, 17)))
    assert hash(made) == hash(Wheel(tuple(NAMES), ((0, 1), (3, 17))))
    for names, pairs in ((None, []), ([1] * 20, []), (NAMES, 3), (NAMES, [[0, "1"]])):
        with pytest.raises(InvalidConfig, match="chroma: wheel: "):
            Wheel(names, pairs)  # type: ignore[arg-type]


def test_the_config_is_frozen() -> None:
    config = EngineConfig()
    with pytest.raises(AttributeError):
        config.num_players = 3  # type: ignore[misc]


def test_deals_of_all_options_begin() -> None:
    for num_players in range(2, 7):
        for power_copies in range(5):
            game = Game(num_players=num_players, power_copies=power_copies)
            state = game.deal(np.arange(3))
            assert game.packing.count(game.legal(state)).min() > 0
