"""Comparing the engine with the reference, through what the contract tells: never by its arrays."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.guardians.drawing import queue_text
from chromazoo.envs.guardians.rules import Game, GuardiansState
from tests.contract.agreement import assert_fields, assert_same_result, legal_texts
from tests.guardians.reference import (
    CARDS,
    COLOURS,
    COLUMNS,
    TURNS,
    Config,
    Guardians,
    marks_on,
)

MARKS = np.array([0, *map(marks_on, CARDS)])


def pair(**options: Any) -> tuple[Game, Config]:
    """The engine and the reference's config with the same options."""
    return Game(**options), Config(**options)


def assert_agree(game: Game, state: GuardiansState, row: int, reference: Guardians) -> None:
    """All that the contract tells of one game, but for observations, is what the reference says."""
    assert bool(state.over[row]) == reference.over
    assert state.seat[row] == reference.seat
    assert np.flatnonzero(state.pending[row]).tolist() == reference.pending
    for seat in reference.seats:
        assert legal_texts(game, state, row, seat) == reference.legal(seat)
    alone = state.take([row])
    assert np.array_equal(game.legal(alone), game.legal(alone, alone.seat))
    assert queue_text(state, row) == reference.queue_text()
    result = reference.result()
    if result is None:
        assert not state.rewards[row].any()
    else:
        assert_same_result(game.result(state, row), result)
        assert game.result(state, row)["rewards"] == state.rewards[row].tolist()


def assert_seen(
    game: Game, state: GuardiansState, rows: Sequence[int], references: Sequence[Guardians]
) -> None:
    """What every seat observes of some games is what the reference says that it may see.

    Args:
        game: The rules.
        state: The games.
        rows: Which of them.
        references: All games as the reference has them.
    """
    seats = game.num_seats
    views = state.take(np.repeat(np.array(rows, np.int64), seats))
    seen = game.observe(views, np.tile(np.arange(seats), len(rows)))
    for number, row in enumerate(rows):
        for seat in range(seats):
            fields = observation(references[row], seat)
            expected = np.concatenate([values.ravel() for values in fields.values()])
            assert (expected <= game.fields.high).all(), "a field is clipped"
            assert_fields(game, seen[number * seats + seat], fields, f"game {row}, seat {seat}")


def flags(cards: Iterable[int]) -> NDArray[np.int64]:
    """One number for each card."""
    counts = np.zeros(len(CARDS), np.int64)
    for card in cards:
        counts[card - 1] += 1
    return counts


def numbers_in(queue: str) -> NDArray[np.int64]:
    """The numbers in a queue's text: (columns, spaces), 0 for none."""
    numbers = np.zeros((len(COLUMNS), TURNS), np.int64)
    for column, text in enumerate(queue.split(" | ")):
        for space, word in enumerate(text.split(",") if text else []):
            numbers[column, space] = 0 if word == "-" else int(word)
    return numbers


def observation(reference: Guardians, seat: int) -> dict[str, NDArray[np.int64]]:
    """The fields of an observation, put together from what the reference says that a seat knows."""
    known, config = reference.knowledge(seat), reference.config
    order = [(seat + away) % config.num_players for away in reference.seats]
    numbers = numbers_in(known["queue"])
    colours = np.array([-1, *config.colours])[numbers]

    def turned(of_seats: list[Any]) -> list[Any]:
        return [of_seats[each] for each in order]

    return {
        "colours": (colours == np.arange(len(COLOURS))[:, None, None]).astype(np.int64),
        "marks": MARKS[numbers],
        "numbers": numbers,
        "chief": flags(known["face_up"]),
        "beside": flags(known["beside"]),
        "taken": np.array(turned(known["marks"])),
        "sizes": np.array(turned(known["sizes"])),
        "turn": np.array(known["turn"]),
        "round": np.array(known["round"]),
        "hand": flags(known["hand"]),
        "chosen": flags(known["chosen"]),
        "seen": flags(known["seen"]),
        "revealed": np.array(
            [flags(cards) for cards in [*turned(known["revealed"]), known["revealed"][-1]]]
        ),
        "exploded": np.array([flags(cards) for cards in turned(known["exploded"])]),
    }
