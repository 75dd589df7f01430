"""Playing at random with the reference, in ways that lead to all ends."""

from collections.abc import Callable
from random import Random

from tests.chroma.reference import Chroma, Space, space_of

Temper = Callable[[Chroma, Random], str]


def space_in(move: str) -> Space:
    """The space that a placement or a wild card names."""
    return space_of(move.rsplit("@")[1])


def touches(reference: Chroma, move: str) -> int:
    return len(reference.touched(space_in(move)))


def anything(reference: Chroma, random: Random) -> str:
    """Any legal move."""
    return random.choice(reference.legal())


def eager(reference: Chroma, random: Random) -> str:
    """Placements that touch most, and powers used."""
    legal = reference.legal()
    if reference.phase == "place":
        most = max(touches(reference, move) for move in legal)
        legal = [move for move in legal if touches(reference, move) == most]
    return _using_powers(legal, random)


def spreading(reference: Chroma, random: Random) -> str:
    """Placements that touch least, which empties the pile, and powers used."""
    legal = reference.legal()
    if reference.phase == "place":
        least = min(touches(reference, move) for move in legal)
        legal = [move for move in legal if touches(reference, move) == least]
    return _using_powers(legal, random)


def crowding(reference: Chroma, random: Random) -> str:
    """Placements that touch three, so that wild cards are laid; no card wins at once."""
    legal = reference.legal()
    if reference.phase == "place":
        by_number = {move: touches(reference, move) for move in legal}
        for number in (3, 2, 1):
            some = [move for move in legal if by_number[move] == number]
            if some and random.random() < 0.9:
                return random.choice(some)
    return _using_powers(legal, random)


def _using_powers(legal: list[str], random: Random) -> str:
    if "skip" in legal and random.random() < 0.9:
        legal = [move for move in legal if move != "skip"]
    return random.choice(legal)


TEMPERS: list[Temper] = [anything, eager, spreading, crowding]


def chance_for(reference: Chroma, move: str, random: Random) -> str | None:
    """A card that a Gift may take, None where no chance is due."""
    return random.choice(reference.chances(move)) if reference.chance_due(move) else None


def shuffled_setup(reference_pack: list[str], players: int, random: Random) -> dict[str, object]:
    """A set-up drawn here, not by the engine."""
    deck = list(reference_pack)
    random.shuffle(deck)
    return {"deck": deck, "first_player": random.randrange(players)}
