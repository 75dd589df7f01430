"""Playing at random with the reference; set-ups and colours drawn here, not by the engine."""

from random import Random
from typing import Any

from tests.guardians.reference import CARDS, Config, Guardians, begin

PLAYERS = [(2, True), (2, False), (3, False), (4, False), (5, False)]  # with or without the duel


def own_colours(random: Random) -> list[int]:
    """Ten cards of each colour, in any order."""
    colours = [colour for colour in range(5) for _ in range(10)]
    random.shuffle(colours)
    return colours


def shuffled_setup(rounds: int, random: Random) -> dict[str, Any]:
    """A set-up for so many rounds."""
    return {"decks": [random.sample(CARDS, len(CARDS)) for _ in range(rounds)]}


def any_choice(game: Guardians, random: Random) -> tuple[int, str]:
    """A seat that owes a decision, in any order, and one of its cards."""
    seat = random.choice(game.pending)
    return seat, random.choice(game.legal(seat))


def banded_colours(random: Random) -> list[int]:
    """Cards of like numbers have like colours, so that many of a turn touch their own."""
    colours = [colour for colour in range(5) for _ in range(10)]
    for _ in range(8):
        one, other = random.sample(range(50), 2)
        colours[one], colours[other] = colours[other], colours[one]
    return colours


def random_game(config: Config, random: Random) -> list[Guardians]:
    """A whole game, from the deal to the end."""
    games = [begin(config, shuffled_setup(config.rounds, random))]
    while games[-1].pending:
        seat, move = any_choice(games[-1], random)
        games.append(games[-1].after(move, seat))
    return games
