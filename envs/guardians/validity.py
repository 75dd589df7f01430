"""Whether a state of Guardians that somebody hands in could be one; see `envs/validity.py`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.game import win_rewards
from chromazoo.envs.guardians.cards import BESIDE, BIT, HIDDEN, QUEUED, TAKEN
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.guardians.queue import COLUMNS, PLANES, SPACES
from chromazoo.envs.masks import Words
from chromazoo.envs.validity import Flaw, outside, somewhere

if TYPE_CHECKING:
    from chromazoo.envs.guardians.rules import Game, GuardiansState

_ALL = np.uint64((1 << CARDS) - 1)
_MARKS = 80  # of a round
_SPACE = np.arange(SPACES)
_TURNS = SPACES  # each of them lets every column grow by one


def flaws(game: "Game", state: "GuardiansState") -> Iterator[Flaw]:
    """Look at what is Guardians' own.

    Of a deck only what is still to be drawn counts: `Game.redeal` leaves no more.

    Args:
        game: The rules, on the numpy engine.
        state: B games.

    Yields:
        One thing after another; see `envs/validity.py`.
    """
    yield from _flaws_of_numbers(game, state)
    yield from _flaws_of_hands(game, state)
    yield from _flaws_of_queue(game, state)
    yield from _flaws_of_decks(game, state)
    yield from _flaws_of_result(game, state)


def _flaws_of_numbers(game: "Game", state: "GuardiansState") -> Iterator[Flaw]:
    """Look at what counts or numbers something."""
    rounds = game.config.rounds
    yield Flaw("round", outside(state.round, 0, rounds - 1), f"0 to {rounds - 1}")
    yield Flaw("round", state.over & (state.round != rounds - 1), "the last in a finished game")
    turn = (state.turn > _TURNS) | ((state.turn == _TURNS) != state.over)
    yield Flaw("turn", turn, f"0 to {_TURNS - 1}, {_TURNS} in a finished game")
    for name in ("hands", "chosen", "chief", "revealed"):
        yield Flaw(name, somewhere(getattr(state, name) & ~_ALL != 0), f"{CARDS} cards at most")
    highest = TAKEN + game.num_seats - 1
    yield Flaw("places", outside(state.places, HIDDEN, highest), f"0 to {highest}")
    yield Flaw("numbers", outside(state.numbers, 0, CARDS), f"0 to {CARDS}")
    yield Flaw("decks", outside(state.decks, 0, CARDS - 1), f"0 to {CARDS - 1}")
    marks = state.scores.sum(axis=1, dtype=np.int64) > _MARKS * state.round.astype(np.int64)
    yield Flaw("scores", marks, f"at most {_MARKS} marks of each earlier round")


def _flaws_of_hands(game: "Game", state: "GuardiansState") -> Iterator[Flaw]:
    """Look at hands, choices and the chief's cards."""
    live, turn = ~state.over, state.turn.astype(np.int64)
    sealed = np.bitwise_count(state.chosen).astype(np.int64)  # (games, seats)
    most = game.choices * live[:, None]
    wrong = somewhere(sealed > most) | (live & (sealed == most).all(axis=1))
    yield Flaw("chosen", wrong, "the choices of a turn that is not complete")
    owing = (sealed < game.choices) & live[:, None]
    yield Flaw("pending", somewhere(state.pending != owing), "the seats that have not chosen")
    drawn = game.draws // game.num_seats  # by a seat in each turn; after the last one card is left
    size = 1 + (drawn + (game.choices - drawn) * (_TURNS - turn)) * live
    held = np.bitwise_count(state.hands) + sealed
    yield Flaw("hands", somewhere(held != size[:, None]), "as many cards as the turn leaves")
    chief = np.array([game.face_up, game.face_down]) * live[:, None]
    wrong = somewhere(np.bitwise_count(state.chief) != chief)
    yield Flaw("chief", wrong, "the chief's cards of a turn")
    turns = _TURNS * state.round.astype(np.int64) + turn
    plies = turns * (game.num_seats * game.choices) + sealed.sum(axis=1)
    yield Flaw("plies", state.plies != plies, "the choices made so far")
    count, cards = _united(_hidden(state))
    yield Flaw("hands", count != np.bitwise_count(cards), "no card twice")
    open_cards = _set_of(state.places != HIDDEN)
    wrong = (open_cards & cards != 0) | (np.bitwise_count(open_cards) != COLUMNS * turn)
    yield Flaw("places", wrong, "five cards a turn, none of them in a hand")
    brought = np.append(np.full(game.num_seats, game.choices), game.face_up + game.face_down)
    some = (turns > 0)[:, None] * brought
    wrong = somewhere(np.bitwise_count(state.revealed) != some)
    count, cards = _united(state.revealed)
    wrong |= count != np.bitwise_count(cards)
    wrong |= (turn > 0) & (cards & ~open_cards != 0)
    yield Flaw("revealed", wrong, "the cards of the last turn")


def _flaws_of_queue(game: "Game", state: "GuardiansState") -> Iterator[Flaw]:
    """Look at the queue and what lies beside the chief."""
    there = state.numbers > 0  # (games, columns, spaces)
    cards = np.append(np.uint64(0), BIT)[state.numbers].reshape(len(state), COLUMNS * SPACES)
    count, queued = _united(cards)
    wrong = (count != np.bitwise_count(queued)) | (queued != _set_of(state.places == QUEUED))
    yield Flaw("numbers", wrong, "the cards that are in the queue, each once")
    filled = state.turn[:, None, None] > _SPACE  # above the queue cards
    holes = there[:, :, :-1] & ~there[:, :, 1:] & filled[:, :, 1:]
    yield Flaw("numbers", somewhere(there & ~filled) | somewhere(holes), "columns without holes")
    codes = np.append(np.uint8(0), game.code)[state.numbers]  # (games, columns, spaces)
    beside = (codes[:, 1:] == codes[:, :-1]) & there[:, 1:]
    above = (codes[:, :, 1:] == codes[:, :, :-1]) & there[:, :, 1:]
    due = "no cards of one colour side by side"
    yield Flaw("numbers", somewhere(beside) | somewhere(above), due)
    wrong = somewhere(state.colours != _planes(codes))
    yield Flaw("colours", wrong, "the colours of the numbers in the queue")
    stacked = (state.places == BESIDE).any(axis=1)
    yield Flaw("stacked", state.stacked != stacked, "whether cards lie beside the chief")


def _flaws_of_decks(game: "Game", state: "GuardiansState") -> Iterator[Flaw]:
    """Look at what is still to be drawn."""
    rows, place = np.arange(len(state)), np.arange(CARDS)
    drawn = game.next_card(state, rows) + game.from_pile * ~state.over
    deck = BIT[state.decks[rows, state.round]]  # (games, cards)
    pile = np.bitwise_or.reduce(deck * (place >= drawn[:, None]), axis=1)
    left = _ALL & ~_united(_hidden(state))[1] & ~_set_of(state.places != HIDDEN)
    wrong = (pile != left) | (np.bitwise_count(left) != CARDS - drawn)
    later = np.arange(game.config.rounds) > state.round[:, None]  # (games, rounds)
    wrong |= somewhere((np.sort(state.decks, axis=2) != place) & later[:, :, None])
    yield Flaw("decks", wrong, "every card that lies nowhere else once")


def _flaws_of_result(game: "Game", state: "GuardiansState") -> Iterator[Flaw]:
    """Look at the legal set and the result.

    Which of the seats with the fewest marks win is not asked: `Game.redeal` draws the cards anew
    that are left in the others' hands, in finished games too.
    """
    moves = game._sets(state, state.seat)
    wrong = somewhere(state.moves != moves)
    yield Flaw("moves", wrong, "the cards that the seat to decide may choose")
    marks = game.marks(state)
    fewest = marks == marks.min(axis=1, keepdims=True)  # (games, seats)
    winners = state.rewards == state.rewards.max(axis=1, keepdims=True)
    wrong = somewhere((state.rewards != win_rewards(winners)) | (winners & ~fewest))
    yield Flaw("rewards", state.over & wrong, "the win of some with the fewest marks")
    tied, shared = fewest.sum(axis=1) > 1, winners.sum(axis=1) > 1
    reason = (1 + tied + (tied & shared)) * state.over  # `rules.REASONS` in their order
    yield Flaw("reason", state.reason != reason, "what follows from the marks")


def _hidden(state: "GuardiansState") -> Words:
    """List the sets of cards in hands, chosen, and with the chief: uint64 (B, sets)."""
    return np.concatenate([state.hands, state.chosen, state.chief], axis=1)


def _united(sets: Words) -> tuple[NDArray[np.integer], Words]:
    """Count the cards of some sets (B, sets), and unite them: integers and uint64 (B,)."""
    return np.bitwise_count(sets).sum(axis=1), np.bitwise_or.reduce(sets, axis=1)


def _set_of(flags: NDArray[np.bool_]) -> Words:
    """Make sets of flags: bool (B, 50) to uint64 (B,)."""
    sets: Words = np.bitwise_or.reduce(flags * BIT, axis=1)
    return sets


def _planes(codes: NDArray[np.uint8]) -> Words:
    """Make the bit planes of queues (`queue.py`): uint8 (B, 5, 8) to uint64 (B, 3)."""
    place = np.arange(COLUMNS * SPACES, dtype=np.uint64)
    spread = (
        codes.reshape(len(codes), 1, len(place)) >> np.arange(PLANES, dtype=np.uint8)[:, None] & 1
    )
    planes: Words = np.bitwise_or.reduce(spread.astype(np.uint64) << place, axis=2)
    return planes
