"""Pairs of games that differ only in what one seat cannot know, found with the reference alone."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from chromazoo.envs.chroma.rules import ChromaState, Game
from tests.chroma.agreement import observation
from tests.chroma.play import Temper, chance_for
from tests.chroma.reference import Chroma, Config, begin

Ply = tuple[str, str | None]  # move, chance


@dataclass
class Line:
    """One game of a pair: its set-up and plies."""

    setup: dict[str, Any]
    plies: list[Ply] = field(default_factory=list)

    def states(self, game: Game) -> list[ChromaState]:
        """The engine's states, from the set-up on."""
        states = [game.from_setup([self.setup], [1])]
        for move, chance in self.plies:
            state = states[-1].copy()
            game.step(state, [game.parse_move(state, 0, move)], chance=[chance])
            states.append(state)
        return states


def same_to(one: Chroma, other: Chroma, types: list[str], viewer: int) -> bool:
    """Whether a seat is told the same in two games (C13)."""
    if (one.seat, one.result() is None) != (other.seat, other.result() is None):
        return False
    if one.seat == viewer and one.legal() != other.legal():
        return False
    fields = observation(one, types, viewer)
    return all(
        np.array_equal(values, fields[name])
        for name, values in observation(other, types, viewer).items()
    )


def swapped(text: str | None, card: str, for_card: str) -> str | None:
    """A hidden card's text in the other game, where two cards have changed places."""
    if text is None:
        return None
    head, _, rest = text.rpartition(":")
    name, at, space = rest.partition("@")
    name = for_card if name == card else card if name == for_card else name
    return f"{head}:{name}{at}{space}" if head else f"{name}{at}{space}"


def played(config: Config, setup: dict[str, Any], temper: Temper, random: Random) -> Line:
    """A whole game."""
    line, game = Line(setup), begin(config, setup)
    while game.result() is None:
        move = temper(game, random)
        line.plies.append((move, chance_for(game, move, random)))
        game = game.after(*line.plies[-1])
    return line


def twin(
    config: Config, types: list[str], line: Line, viewer: int, places: tuple[int, int]
) -> tuple[Line, Line]:
    """The same game with two cards of the deck exchanged, as far as a seat cannot tell them apart.

    Returns:
        Both games, cut off where they would differ for the seat or the other one is impossible.
    """
    deck = list(line.setup["deck"])
    first, second = places
    deck[first], deck[second] = deck[second], deck[first]
    other = Line({**line.setup, "deck": deck})
    cards = (deck[first], deck[second])
    games = [begin(config, line.setup), begin(config, other.setup)]
    if cards[0] == cards[1] or not same_to(games[0], games[1], types, viewer):
        return Line(line.setup), Line(line.setup)
    for number, (move, chance) in enumerate(line.plies):
        after = games[0].after(move, chance)
        hidden = games[0].seat != viewer and move.startswith(("wild:", "give:"))
        moves = [move, swapped(move, *cards)] if hidden else [move]
        found = None
        for text in moves:
            for taken in dict.fromkeys([chance, swapped(chance, *cards)]):
                try:
                    found = games[1].after(str(text), taken)
                except ValueError:
                    continue
                if same_to(after, found, types, viewer):
                    other.plies.append((str(text), taken))
                    break
                found = None
            if found:
                break
        if not found:
            return Line(line.setup, line.plies[:number]), other
        games = [after, found]
    return line, other


def long_twins(
    config: Config, types: list[str], temper: Temper, viewer: int, random: Random, shortest: int
) -> tuple[Line, Line]:
    """A pair of games that a seat cannot tell apart for some plies, its cards in others' hands."""
    players = config.num_players
    while True:
        deck = list(config.pack)
        random.shuffle(deck)
        first = random.randrange(players) if config.first_player is None else config.first_player
        line = played(config, {"deck": deck, "first_player": first}, temper, random)
        for _ in range(30):
            holder = random.choice([seat for seat in range(players) if seat != viewer])
            place = 1 + 5 * holder + random.randrange(5)
            pair = twin(config, types, line, viewer, (place, random.randrange(1, 100)))
            if len(pair[1].plies) >= shortest:
                return pair
