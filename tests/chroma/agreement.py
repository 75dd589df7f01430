"""Comparing the engine with the reference, through what the contract tells: never by its arrays."""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.fields import block_slices
from tests.chroma.reference import COLUMNS, POWERS, ROWS, Chroma, Config, Space, colour_of
from tests.contract.agreement import assert_fields, assert_same_result, legal_texts

PHASES = ["place", "wild", "power", "give"]


def pair(**options: Any) -> tuple[Game, Config]:
    """The engine and the reference's config with the same options."""
    return Game(**options), Config(**options)


def types_of(game: Game) -> list[str]:
    """The texts of the card types in the order of the actions that give one."""
    give = block_slices(game.blocks)["give"]
    state = game.deal([0])
    texts = [game.move_text(state, 0, action) for action in range(give.start, give.stop)]
    return [text.removeprefix("give:") for text in texts]


def assert_agree(game: Game, state: ChromaState, row: int, reference: Chroma) -> None:
    """All that the contract tells of one game, but for observations, is what the reference says."""
    result = reference.result()
    assert bool(state.over[row]) == (result is not None)
    assert state.seat[row] == reference.seat
    waiting = [result is None and seat == reference.seat for seat in reference.seats]
    assert state.pending[row].tolist() == waiting
    assert legal_texts(game, state, row) == reference.legal()
    if result is None:
        assert not state.rewards[row].any()
    else:
        assert_same_result(game.result(state, row), result)
        assert game.result(state, row)["rewards"] == state.rewards[row].tolist()


def assert_seen(
    game: Game, types: list[str], state: ChromaState, rows: list[int], references: list[Chroma]
) -> None:
    """What every seat observes of some games is what the reference says that it may see."""
    seats = game.num_seats
    views = state.take(np.repeat(rows, seats))
    seen = game.observe(views, np.tile(np.arange(seats), len(rows)))
    for number, row in enumerate(rows):
        for seat in range(seats):
            fields = observation(references[row], types, seat)
            found = seen[number * seats + seat]
            assert_fields(game, found, fields, f"game {row}, seat {seat}")


def _spaces(spaces: Iterable[Space]) -> NDArray[np.int64]:
    board = np.zeros((ROWS, COLUMNS), np.int64)
    for column, row in spaces:
        board[row - 1, column - 1] = 1
    return board


def _one_of(number: int, chosen: int | None) -> NDArray[np.int64]:
    return np.array([int(each == chosen) for each in range(number)])


def observation(reference: Chroma, types: list[str], seat: int) -> dict[str, NDArray[np.int64]]:
    """The fields of an observation, unclipped, put together from the reference."""
    seats = reference.config.num_players
    order = [(seat + away) % seats for away in range(seats)]

    def whose(one: int | None) -> NDArray[np.int64]:
        return np.array([int(one == each) for each in order])

    def marked(markers: dict[Space, int]) -> NDArray[np.int64]:
        of_seat = [[space for space, owner in markers.items() if owner == each] for each in order]
        return np.array([_spaces(spaces) for spaces in of_seat])

    def by_type(cards: Iterable[str]) -> NDArray[np.int64]:
        counts = Counter(cards)
        return np.array([counts[card] for card in types])

    own_wild = np.zeros((ROWS, COLUMNS), np.int64)
    for (column, row), card in reference.knows_wilds(seat).items():
        own_wild[row - 1, column - 1] = 1 + types.index(card)
    phase = "place" if reference.phase in ("draw", "over") else reference.phase
    of_colour: dict[str, list[Space]] = {}
    for space, card in reference.shown.items():
        of_colour.setdefault(colour_of(card), []).append(space)
    power = reference.power
    return {
        "colours": np.array(
            [_spaces(of_colour.get(colour, [])) for colour in reference.config.colours]
        ),
        "wild": _spaces(reference.wilds),
        "magnets": marked(reference.magnets),
        "locks": marked(reference.locks),
        "spot": _spaces([reference.placed] if reference.placed else []),
        "turn": whose(None if reference.result() else reference.seat),
        "phase": np.array([int(phase == each) for each in PHASES]),
        "replaying": np.array(int(reference.again)),
        "power": _one_of(len(POWERS), POWERS.index(power) if power else None),
        "partner": whose(reference.giving_to),
        "first": whose(reference.first),
        "sizes": np.array([len(reference.hands[each]) for each in order]),
        "pile": np.array(len(reference.pile)),
        "passes": np.array(reference.passes),
        "hand": by_type(reference.hands[seat]),
        "own_wild": own_wild,
        "known": np.array(
            [by_type(reference.knows_of(seat, each).elements()) for each in order[1:]]
        ),
        "unseen": by_type(reference.unseen(seat).elements()),
    }


def own_wheel(random: Random) -> dict[str, Any]:
    """A wheel of one's own: names of many alphabets, some of them like words of the notation."""
    words = ["draw", "use", "skip", "wild", "gift", "give", "f4", "0", "é", "緑", "a-b", "Red"]
    names = words + [f"c{number}" for number in range(20 - len(words))]
    random.shuffle(names)
    density = random.choice([0.04, 0.08, 0.1, 0.12, 0.3, 0.9])
    pairs = [[i, j] for i in range(20) for j in range(i + 1, 20) if random.random() < density]
    random.shuffle(pairs)
    return {"names": names, "compatible": pairs}
