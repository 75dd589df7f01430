"""Guardians in text."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.guardians.cards import BESIDE, TAKEN, flags
from chromazoo.envs.guardians.config import COLOUR_NAMES
from chromazoo.envs.svg import Viewer

if TYPE_CHECKING:
    from chromazoo.envs.guardians.rules import Game, GuardiansState


def queue_text(state: "GuardiansState", row: int) -> str:
    """Write a queue: five columns from left to right, each from the top (rules page, Notation)."""
    columns = []
    for column in state.numbers[row].tolist():
        spaces = column[: int(state.turn[row])]
        columns.append(",".join(str(number) if number else "-" for number in spaces))
    return " | ".join(columns)


def text(game: "Game", state: "GuardiansState", row: int, viewer: Viewer) -> str:
    """Draw one game: the queue, colours by their first letters, and the cards.

    Args:
        game: The rules.
        state: B games.
        row: Which of them.
        viewer: Who looks on.

    Returns:
        The queue from the top, the queue cards below it, then chief and seats: marks, number of
        cards in hand, what was brought into the last turn and what lies in front; below a seat that
        the viewer sees, its hand and choices.
    """
    turn = int(state.turn[row])
    lines = []
    for space in range(turn):
        numbers = state.numbers[row, :, space].tolist()
        cells = [f"{number:3}{_letter(game, number)}" if number else "   ." for number in numbers]
        lines.append(" ".join(cells))
    lines.append(" ".join(["  =="] * len(state.numbers[row])))
    lines.append(_chief(state, row, viewer))
    marks = game.marks(state.take([row]))[0].tolist()
    for seat in range(game.num_seats):
        lines.append(f"  seat {seat}: {marks[seat]} marks, {_seat(state, row, seat)}")
        if viewer in (None, seat):
            lines.append(f"    hand: {_hand(game, state, row, seat)}")
    lines.append(_status(game, state, row))
    return "\n".join(lines)


def _letter(game: "Game", number: int) -> str:
    """Return the first letter of a card's colour."""
    return COLOUR_NAMES[int(game.code[number - 1]) - 1][0]


def _numbers(held: NDArray[np.bool_]) -> str:
    """Write the cards that are flagged, bool (50,)."""
    return " ".join(str(card + 1) for card in held.nonzero()[0].tolist()) or "none"


def _hand(game: "Game", state: "GuardiansState", row: int, seat: int) -> str:
    """Write a hand, and what is chosen in this turn."""
    held, chosen = flags(state.hands[row, seat]), flags(state.chosen[row, seat])
    numbers = [f"{card + 1}{_letter(game, card + 1)}" for card in held.nonzero()[0].tolist()]
    told = " ".join(numbers) or "none"
    return f"{told}; chosen: {_numbers(chosen)}" if chosen.any() else told


def _chief(state: "GuardiansState", row: int, viewer: Viewer) -> str:
    """Tell the chief's cards, what it brought into the last turn, and what lies beside it."""
    up, last = _numbers(flags(state.chief[row, 0])), _numbers(flags(state.revealed[row, -1]))
    beside = _numbers(state.places[row] == BESIDE)
    if viewer is None and state.chief[row, 1]:
        up += f" face up, {_numbers(flags(state.chief[row, 1]))} face down"
        return f"  chief: {up}; last turn: {last}; beside: {beside}"
    return f"  chief: {up} face up; last turn: {last}; beside: {beside}"


def _seat(state: "GuardiansState", row: int, seat: int) -> str:
    """Tell how many cards a seat holds, what it brought into the last turn, and what it took."""
    size = int(np.bitwise_count(state.hands[row, seat] | state.chosen[row, seat]))
    last = _numbers(flags(state.revealed[row, seat]))
    front = _numbers(state.places[row] == TAKEN + seat)
    return f"{size} cards; last turn: {last}; in front: {front}"


def _status(game: "Game", state: "GuardiansState", row: int) -> str:
    """Tell round and turn, or how the game ended."""
    if state.over[row]:
        result = game.result(state, row)
        return f"over ({result['reason']}): rewards {result['rewards']}"
    rounds = game.config.rounds
    return f"round {int(state.round[row]) + 1} of {rounds}, turn {int(state.turn[row]) + 1} of 8"
