"""What guides people who play Guardians: the rules in short, clicks, and news of turns."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chromazoo.envs.guardians.cards import ARROWS, BESIDE, MARKS, flags
from chromazoo.envs.guardians.config import COLOUR_NAMES
from chromazoo.envs.guardians.queue import COLUMNS, SPACES, explosion_steps, insert, set_up
from chromazoo.envs.guidance import Click, News
from chromazoo.envs.svg import Viewer

if TYPE_CHECKING:
    from chromazoo.envs.guardians.rules import Game, GuardiansState

_ENDINGS = {
    "marks": "the fewest marks",
    "tie-break": "the fewest marks, and of equals the fewest on the last card",
    "shared": "the fewest marks, and as few on the last card",
}
_BESIDE = (
    " What a card of the chief makes explode lies beside the chief, and goes to the next player "
    "who causes an explosion in that round, on top of the rest."
)
_COUNTS = ("no", "one", "two", "three", "four", "five")


def primer(game: "Game") -> str:
    """Tell the rules in short for the game's options; see `Game.primer`."""
    rounds, duel = game.config.rounds, bool(game.config.duel)
    text = (Path(__file__).parent / "primer.md").read_text(encoding="utf-8")
    chief = [
        f"{_COUNTS[count]} face {way}"
        for count, way in ((game.face_up, "up"), (game.face_down, "down"))
        if count
    ]
    return text.format(
        players=_COUNTS[game.num_seats].capitalize(),
        choose="draws a card and then chooses **two** cards" if duel else "chooses **one** card",
        beside=_BESIDE if chief else "",
        chief=f"The Multicolour Chief adds {' and '.join(chief)}. " if chief else "",
        rounds=f"There are {_COUNTS[rounds]} rounds, each with all cards shuffled anew, and the "
        "marks of all count."
        if rounds > 1
        else "There is one round.",
    )


def clicks(
    game: "Game", state: "GuardiansState", row: int, action: int, seat: int
) -> tuple[Click, ...]:
    """Tell which click chooses a card; see `Game.clicks`."""
    if game.choices == 1:
        prompt = "Choose a card of your hand for this turn"
    elif int(np.bitwise_count(state.chosen[row, seat])) == 0:
        prompt = "Choose the first of two cards of your hand for this turn"
    else:
        prompt = "Choose the second card for this turn"
    return (Click(f"card:{action + 1}", _card(game, action), prompt),)


def _card(game: "Game", card: int) -> str:
    """Tell a card in words: number, colour, marks and arrow."""
    marks = int(MARKS[card])
    told = f"{card + 1} {COLOUR_NAMES[int(game.code[card]) - 1]}, {marks} mark{'s' * (marks > 1)}"
    return f"{told}, arrow" if int(ARROWS) >> card & 1 else told


def news(
    game: "Game",
    before: "GuardiansState",
    after: "GuardiansState",
    row: int,
    action: int,
    seat: int,
    viewer: Viewer,
) -> News | None:
    """Tell what a viewer learns of a choice: the own one, or all of a turn that it completes."""
    if before.turn[row] == after.turn[row] and before.round[row] == after.round[row]:
        own = viewer in (None, seat)
        return News(f"{game.called(seat, viewer)}: {action + 1} chosen") if own else None
    cards = flags(np.bitwise_or.reduce(after.revealed[row])).nonzero()[0].tolist()
    gone = (after.places[row] >= BESIDE) & (after.places[row] != before.places[row])
    spots = (
        *(f"queued:{card + 1}" for card in cards),
        *(f"taken:{card + 1}" for card in gone.nonzero()[0].tolist()),
    )
    return News(_revealed(game, before, after, row, viewer), spots)


class _Blast(NamedTuple):
    """What one card of a turn made explode.

    Attributes:
        column: The column of the card that caused it, from 0.
        groups: What exploded at once in each step, cards from 0.
    """

    column: int
    groups: list[list[int]]


def _revealed(
    game: "Game", before: "GuardiansState", after: "GuardiansState", row: int, viewer: Viewer
) -> str:
    """Tell how the cards of a turn were laid, what each made explode, and who took that."""
    sets = after.revealed[row]
    owners = {
        card: _owner(game, who, viewer)
        for who, held in enumerate(sets)
        for card in flags(held).nonzero()[0].tolist()
    }
    arrows = int(np.bitwise_count(np.bitwise_or.reduce(sets) & ARROWS))
    backwards = arrows >= 3
    cards = sorted(owners)
    laid = [f"{_coloured(game, [card])} ({owners[card]})" for card in cards]
    way = f"5 to 1 ({arrows} arrows)" if backwards else "1 to 5"
    told = ", ".join(reversed(laid) if backwards else laid)
    parts = [f"Turn {int(before.turn[row]) + 1}: into columns {way} go {told}"]
    beside = (before.places[row] == BESIDE).nonzero()[0].tolist()
    for blast in _blasts(game, before, row, cards, backwards):
        cause = cards[blast.column]
        gone = [card for group in blast.groups for card in group]
        with_it = [card for card in blast.groups[0] if card != cause]
        then = [f"then {_coloured(game, group)}" for group in blast.groups[1:]]
        told = ", ".join([f"{cause + 1} explodes with {_coloured(game, with_it)}", *then])
        if owners[cause] == "chief":
            beside += gone
            parts.append(f"{told}: beside the chief")
        else:
            marks = int(MARKS[gone + beside].sum())
            more = f", with {_coloured(game, beside)} from beside the chief" if beside else ""
            parts.append(f"{told}: {owners[cause]} +{marks} mark{'s' * (marks > 1)}{more}")
            beside = []
    return ". ".join(parts if len(parts) > 1 else [*parts, "Nothing explodes"])


def _blasts(
    game: "Game", before: "GuardiansState", row: int, cards: list[int], backwards: bool
) -> list[_Blast]:
    """Play a turn again, card by card.

    Args:
        game: The rules.
        before: The games before the turn's last choice.
        row: Which of them.
        cards: The five cards of the turn, by column.
        backwards: Whether they are laid from the last column to the first.

    Returns:
        What exploded, in order.
    """
    turn = int(before.turn[row])
    numbers = before.numbers[row].astype(int) - 1  # (columns, spaces), cards from 0
    numbers[:, turn] = cards
    codes = np.zeros((1, 8), np.uint8)
    codes[0, :COLUMNS] = game.code[cards]
    colours = before.colours[row][:, None].copy()  # (planes, games)
    turns, way = np.array([turn], np.uint64), np.array([backwards])
    insert(colours, codes, turns)
    found: list[_Blast] = []
    for step in explosion_steps(set_up(colours, turns, way)):
        octets = step.cards.view(np.uint8)[:COLUMNS, None]
        gone = np.unpackbits(octets, axis=1, bitorder="little")  # (columns, spaces)
        group = [
            int(numbers[_column(served, backwards), space - (SPACES - 1 - turn)])
            for served, space in zip(*gone.nonzero(), strict=True)
        ]
        column = _column(int(step.causes[0]), backwards)
        if not found or found[-1].column != column:
            found.append(_Blast(column, []))
        found[-1].groups.append(sorted(group))
    return found


def _owner(game: "Game", who: int, viewer: Viewer) -> str:
    """Name who brought a card: a seat, or after the seats the chief."""
    if who == viewer:
        return "you"
    return "chief" if who == game.num_seats else game.seat_name(who)


def _column(served: int, backwards: bool) -> int:
    """Number a column from the left, from 0, that is numbered as it is served."""
    return COLUMNS - 1 - served if backwards else served


def _coloured(game: "Game", cards: list[int]) -> str:
    """Write the numbers of cards, those of one colour together, and their colours."""
    by_colour: dict[int, list[str]] = {}
    for card in cards:
        by_colour.setdefault(int(game.code[card]) - 1, []).append(str(card + 1))
    return " and ".join(
        f"{', '.join(numbers)} {COLOUR_NAMES[colour]}" for colour, numbers in by_colour.items()
    )


def ending(game: "Game", state: "GuardiansState", row: int) -> str:
    """Say why a finished game ended; see `Game.ending`."""
    result = game.result(state, row)
    marks = ", ".join(str(count) for count in result["marks"])
    return f"{reason_words(result['reason'])}; marks by seat: {marks}"


def reason_words(reason: str) -> str:
    """Say in words what won a finished game, by the reason of its result."""
    return _ENDINGS[reason]
