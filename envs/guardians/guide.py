"""What guides people who play Guardians: the rules in short, clicks, and news of turns."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chromazoo.envs.guardians.cards import ARROWS, BESIDE, MARKS, TAKEN, flags
from chromazoo.envs.guardians.config import COLOUR_NAMES
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
    """Tell what a viewer learns of a choice: the own one, and all of a turn that it completes."""
    parts = []
    if viewer in (None, seat):
        parts.append(f"{game.called(seat, viewer)}: {action + 1} chosen")
    spots: tuple[str, ...] = ()
    if before.turn[row] != after.turn[row] or before.round[row] != after.round[row]:
        parts.append(_revealed(game, before, after, row, viewer))
        cards = flags(np.bitwise_or.reduce(after.revealed[row])).nonzero()[0].tolist()
        gone = (after.places[row] >= BESIDE) & (after.places[row] != before.places[row])
        spots = (
            *(f"queued:{card + 1}" for card in cards),
            *(f"taken:{card + 1}" for card in gone.nonzero()[0].tolist()),
        )
    return News(". ".join(parts), spots) if parts else None


def _revealed(
    game: "Game", before: "GuardiansState", after: "GuardiansState", row: int, viewer: Viewer
) -> str:
    """Tell what everybody brought into a turn, and who took what."""
    brought = []
    for who in (*range(game.num_seats), -1):
        cards = flags(after.revealed[row, who]).nonzero()[0].tolist()
        name = "chief" if who == -1 else game.called(who, viewer)
        if cards:
            brought.append(f"{name} {_numbers(cards)}")
    gained = game.marks(after.take([row]))[0] - game.marks(before.take([row]))[0]
    taken = []
    for who, marks in enumerate(gained.tolist()):
        cards = _moved(before, after, row, TAKEN + who)
        if marks:
            told = f" for {_numbers(cards)}" if cards else ""
            taken.append(f"{game.called(who, viewer)} +{marks} mark{'s' * (marks > 1)}{told}")
    beside = _moved(before, after, row, BESIDE)
    if beside:
        taken.append(f"{_numbers(beside)} beside the chief")
    turn = int(before.turn[row]) + 1
    return f"Turn {turn}: {'; '.join(brought)}. {', '.join(taken) or 'Nothing explodes'}"


def _moved(before: "GuardiansState", after: "GuardiansState", row: int, place: int) -> list[int]:
    """List the cards that have come to a place; none where a new round has begun."""
    here = (after.places[row] == place) & (before.places[row] != place)
    return here.nonzero()[0].tolist()  # type: ignore[no-any-return]


def _numbers(cards: list[int]) -> str:
    """Write the numbers of cards."""
    return ", ".join(str(card + 1) for card in cards)


def ending(game: "Game", state: "GuardiansState", row: int) -> str:
    """Say why a finished game ended; see `Game.ending`."""
    result = game.result(state, row)
    marks = ", ".join(str(count) for count in result["marks"])
    return f"{_ENDINGS[result['reason']]}; marks by seat: {marks}"
