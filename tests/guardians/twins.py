"""Pairs of games that differ only in what one seat cannot know, found with the reference alone."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from chromazoo.envs.guardians.rules import Game, GuardiansState
from tests.guardians.play import any_choice, shuffled_setup
from tests.guardians.reference import CARDS, HAND, Config, Guardians, begin

Ply = tuple[int, str]  # seat, move


@dataclass
class Line:
    """One game of a pair: its set-up and plies."""

    setup: dict[str, Any]
    plies: list[Ply] = field(default_factory=list)

    def states(self, game: Game) -> list[GuardiansState]:
        """The engine's states, from the set-up on."""
        states = [game.from_setup([self.setup], [1])]
        for seat, move in self.plies:
            state = states[-1].copy()
            game.step(state, [game.parse_move(state, 0, move, seat)], np.array([seat]))
            states.append(state)
        return states


def same_to(one: Guardians, other: Guardians, viewer: int) -> bool:
    """Whether a seat is told the same in two games (G9)."""
    return (
        one.knowledge(viewer) == other.knowledge(viewer)
        and (one.pending, one.seat, one.over) == (other.pending, other.seat, other.over)
        and one.legal(viewer) == other.legal(viewer)
    )


def played(config: Config, setup: dict[str, Any], random: Random, in_turn: bool) -> Line:
    """A whole game, in order of the seats or in any other."""
    line, game = Line(setup), begin(config, setup)
    while game.pending:
        seat, move = any_choice(game, random)
        if in_turn:
            seat, move = game.seat, random.choice(game.legal())
        line.plies.append((seat, move))
        game = game.after(move, seat)
    return line


def twin(
    config: Config, line: Line, viewer: int, number: int, cards: set[int]
) -> tuple[Line, Line]:
    """The same game with two cards of a deck exchanged, as far as a seat cannot tell them apart.

    Args:
        config: The options.
        line: The game.
        viewer: The seat.
        number: The round of the deck.
        cards: The two cards.

    Returns:
        Both games, cut off where they would differ for the seat.
    """
    one, other = cards

    def exchanged(card: int) -> int:
        return {one: other, other: one}.get(card, card)

    decks = [list(deck) for deck in line.setup["decks"]]
    decks[number] = [exchanged(card) for card in decks[number]]
    found = Line({"decks": decks})
    games = [begin(config, line.setup), begin(config, found.setup)]
    if not same_to(games[0], games[1], viewer):
        return Line(line.setup), found
    for count, (seat, move) in enumerate(line.plies):
        hidden = games[0].round == number and seat != viewer
        text = str(exchanged(int(move))) if hidden else move
        games = [games[0].after(move, seat), games[1].after(text, seat)]
        if not same_to(games[0], games[1], viewer):
            return Line(line.setup, line.plies[:count]), found
        found.plies.append((seat, text))
    return line, found


def long_twins(
    config: Config,
    viewer: int,
    random: Random,
    shortest: int,
    number: int = 0,
    in_turn: bool = False,
) -> tuple[Line, Line]:
    """A pair of games that a seat cannot tell apart for some plies, one card in another's hand."""
    others = [seat for seat in range(config.num_players) if seat != viewer]
    while True:
        line = played(config, shuffled_setup(config.rounds, random), random, in_turn)
        for _ in range(20):
            place = HAND * random.choice(others) + random.randrange(HAND)
            second = random.randrange(len(CARDS))
            deck = line.setup["decks"][number]
            if second != place:
                pair = twin(config, line, viewer, number, {deck[place], deck[second]})
                if len(pair[1].plies) >= shortest:
                    return pair
