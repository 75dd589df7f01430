"""Whether a state of CHROMA that somebody hands in could be one; see `envs/validity.py`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma.board import (
    ANY_COLOUR,
    CENTRE,
    FACE_DOWN,
    LOCK_MARK,
    NEIGHBOURS,
    NO_MARK,
    OFF,
    SPACES,
    fit_of,
)
from chromazoo.envs.chroma.cards import COLOUR, GIFT, LOCK, MAGNET, NO_POWER, PACK, POWERS, REPLAY
from chromazoo.envs.chroma.config import (
    BLOCKED,
    EMPTY_HAND,
    GIVE,
    PASSES,
    PERFECT,
    PHASES,
    PILE,
    PLACE,
    POWER,
    REASONS,
    WILD,
)
from chromazoo.envs.game import win_rewards
from chromazoo.envs.masks import Words
from chromazoo.envs.validity import Flaw, outside, somewhere, unlike

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game

_MARKS = 2 * SPACES
_CARD_OF_A_TURN = "that of the card placed last in this turn"


def flaws(game: "Game", state: "ChromaState") -> Iterator[Flaw]:
    """Look at what is CHROMA's own.

    Of a deck only what is still to be drawn counts: `Game.redeal` leaves no more.

    Args:
        game: The rules, on the numpy engine.
        state: B games.

    Yields:
        One thing after another; see `envs/validity.py`.
    """
    yield from _flaws_of_numbers(game, state)
    yield from _flaws_of_cards(game, state)
    yield from _flaws_of_knowledge(game, state)
    yield from _flaws_of_powers(game, state)
    yield from _flaws_of_phases(game, state)
    yield from _flaws_of_result(game, state)


def _flaws_of_numbers(game: "Game", state: "ChromaState") -> Iterator[Flaw]:
    """Look at what numbers or counts something."""
    seats, types = game.num_seats, len(game.cards)
    bounds = {
        "phase": (0, len(PHASES) - 1),
        "power": (NO_POWER, len(POWERS) - 1),
        "spot": (-1, SPACES - 1),
        "partner": (-1, seats - 1),
        "passes": (0, 2 * seats),
        "first": (0, seats - 1),
        "reason": (0, len(REASONS) - 1),
        "drawn": (_dealt(game), PACK),
        "marks": (NO_MARK, _MARKS),
        "hidden": (0, types),
        "knowers": (0, (1 << seats) - 1),
        "deck": (0, types - 1),
        "hands": (0, PACK),
        "known": (0, PACK),
    }
    for name, (low, high) in bounds.items():
        yield Flaw(name, outside(getattr(state, name), low, high), f"{low} to {high}")
    wrong = somewhere((state.board > types) & (state.board != FACE_DOWN))
    wrong |= (state.board[:, OFF] != 0) | outside(state.board[:, CENTRE], 1, types)
    yield Flaw("board", wrong, "cards, one of them face up on the centre")
    fixed = game.config.first_player
    if fixed is not None:
        yield Flaw("first", state.first != fixed, f"{fixed}, as the config says")


def _flaws_of_cards(game: "Game", state: "ChromaState") -> Iterator[Flaw]:
    """Look at where the cards are, and what room they leave."""
    rows, types, board = np.arange(len(state)), len(game.cards), state.board[:, :SPACES]
    down = board == FACE_DOWN
    yield Flaw("hidden", somewhere((state.hidden > 0) != down), "a card where one lies face down")
    yield Flaw("knowers", somewhere((state.knowers > 0) != down), "seats where one lies face down")
    piled = np.arange(PACK) >= state.drawn[:, None]
    lying = [np.where(down, 0, board), state.hidden, piled * (state.deck + 1)]
    place = rows[:, None] * (types + 1) + np.concatenate(lying, axis=1)
    found = np.bincount(place.ravel(), minlength=len(state) * (types + 1))
    found = found.reshape(len(state), types + 1)[:, 1:] + state.hands.sum(axis=1, dtype=np.int64)
    due = "with hands and board the cards of the pack, each once"
    yield Flaw("deck", somewhere(found != game.cards.copies), due)
    sizes = state.hands.sum(axis=2)
    yield Flaw("sizes", somewhere(state.sizes != sizes), "the numbers of cards in hand")
    held = game.cards.sets(state.hands)
    yield Flaw("held", somewhere(state.held != held), "the types in hand")
    room = _room(game, board).T
    yield Flaw("room", somewhere(state.room != room), "the colours that fit on the board")


def _room(game: "Game", board: NDArray[np.uint8]) -> Words:
    """Tell which colours fit each space of boards (B, 77): uint64 (27, B)."""
    colours = np.where(
        board == FACE_DOWN, ANY_COLOUR, COLOUR.take(board - np.int64(1), mode="wrap")
    )
    room = game.fits.openings(colours[:, CENTRE])
    for space in range(SPACES):
        if space != CENTRE:
            spaces = np.where(board[:, space] > 0, space, OFF)
            game.fits.occupy(room, spaces, fit_of(colours[:, space], spaces))
    return room


def _flaws_of_knowledge(game: "Game", state: "ChromaState") -> Iterator[Flaw]:
    """Look at what seats know of each other's cards (C13)."""
    hands = state.hands[:, :, None]  # (games, holders, 1, types)
    single = (state.sizes == 1)[:, :, None, None]
    wrong = (state.known > hands) | single & (state.known != hands)
    yield Flaw("known", somewhere(wrong), "cards in hand, and any card that is the only one")


def _flaws_of_powers(game: "Game", state: "ChromaState") -> Iterator[Flaw]:
    """Look at the card placed last in a turn, and at Magnets and Locks."""
    rows = np.arange(len(state))
    powers = np.full(FACE_DOWN + 1, NO_POWER, np.int8)  # of what may lie on a space
    powers[1 : len(game.cards) + 1] = game.cards.power
    face = state.board[rows, state.spot]  # -1 is off the board, where nothing lies
    lying = (face > 0) & (face != FACE_DOWN)
    yield Flaw("spot", (state.spot >= 0) & ~lying, "where a card lies face up")
    yield Flaw("power", state.power != powers[face], _CARD_OF_A_TURN)
    space = (state.marks - np.int64(1)) % SPACES  # (games, seats)
    due = np.where(state.marks >= LOCK_MARK, LOCK, MAGNET)
    there = powers[state.board[rows[:, None], space]] == due
    wrong = somewhere((state.marks != NO_MARK) & ~there)
    wrong |= ~state.over & (state.marks[rows, state.seat] != NO_MARK)
    yield Flaw("marks", wrong, "Magnets and Locks on the board, none of the seat to decide")


def _flaws_of_phases(game: "Game", state: "ChromaState") -> Iterator[Flaw]:
    """Look at what a seat may decide on, and with what."""
    rows, live, phase = np.arange(len(state)), ~state.over, state.phase
    begins = _begins(state)
    yield Flaw("phase", state.over & (phase != PLACE), "place in a finished game")
    replaying = live & (phase == PLACE) & (state.power == REPLAY)
    yield Flaw("replaying", state.replaying & ~replaying, "only while a card is placed by Replay")
    yield Flaw("spot", live & ((state.spot < 0) != begins), "none where a turn begins, else one")
    yield Flaw("passes", live & ~begins & (state.passes != 0), "0 where a card was placed")
    giving = live & (phase == GIVE)
    given = giving | state.over & (state.power == GIFT)
    partner = (state.partner >= 0) & (~given | (state.partner == state.seat))
    partner |= giving & (state.partner < 0)
    yield Flaw("partner", partner, "another seat while a card is to be given back")
    power = ((phase == POWER) & (state.power == NO_POWER)) | giving & (state.power != GIFT)
    yield Flaw("power", power, "one that is used")
    seats = np.arange(game.num_seats)
    free = ~begins[:, None] & (seats == state.seat[:, None])
    free = np.where(giving[:, None], seats == state.partner[:, None], free)
    empty = live[:, None] & (state.sizes == 0) & ~free
    wild = phase == WILD
    wrong = somewhere(empty) | wild & (state.sizes[rows, state.seat] == 0)
    yield Flaw("sizes", wrong, "a card in every hand but that of a seat whose turn is not over")
    full = (state.board[:, :SPACES] > 0).all(axis=1)
    yield Flaw("phase", wild & (full | (_touches(state) != 3)), "wild after three cards were met")
    offered = np.flatnonzero(state.replaying | (phase == POWER) & (state.power == REPLAY))
    stuck = np.zeros(len(state), np.bool_)
    stuck[offered] = ~game.can_place(state, offered)
    yield Flaw("power", stuck, "Replay only where a card can be placed")
    fresh = state.plies == 0
    wrong = (state.drawn != _dealt(game)) | (state.board[:, :SPACES] > 0).sum(axis=1) != 1
    wrong |= ~begins | (state.seat != state.first)
    yield Flaw("plies", fresh & wrong, "0 only as dealt")


def _flaws_of_result(game: "Game", state: "ChromaState") -> Iterator[Flaw]:
    """Look at the legal set and the result: work them out again."""
    again = state.copy()
    begun = _begins(state) & (state.plies > 0)
    last = np.where(begun, (state.seat - 1) % game.num_seats, state.seat)
    again.reason = _find_reasons(game, state, last) * (begun | state.over)
    again.over = again.reason > 0
    alone = np.arange(game.num_seats) == last[:, None]
    fewest = state.sizes == state.sizes.min(axis=1, keepdims=True)
    winners = np.where((again.reason <= EMPTY_HAND)[:, None], alone, fewest)
    again.rewards = win_rewards(winners) * again.over[:, None]
    for name in ("over", "reason", "rewards"):
        yield unlike(state, again, name, "what follows from the rules of the end")
    game._note_moves(again)
    yield unlike(state, again, "moves", "the legal set of the seat to decide")


def _find_reasons(game: "Game", state: "ChromaState", last: NDArray[np.int8]) -> NDArray[np.int8]:
    """Tell why games would end if the turn of a seat were over (C16): int8 (B,), 0 for not."""
    rows = np.arange(len(state))
    reason = np.where(state.passes >= 2 * game.num_seats, np.int8(PASSES), np.int8(0))
    blocked = game.is_blocked(state, rows)
    # In finished games `Game.redeal` draws face-down cards that may have blocked them.
    drawn = state.over & (state.hidden > 0).any(axis=1)
    reason[np.where(drawn, state.reason == BLOCKED, blocked)] = BLOCKED
    reason[state.drawn == PACK] = PILE
    reason[state.sizes[rows, last] == 0] = EMPTY_HAND
    reason[(state.reason == PERFECT) & (_touches(state) == 4)] = PERFECT
    return reason


def _dealt(game: "Game") -> int:
    """Tell how many cards are dealt."""
    return int(game._model.drawn[0])


def _begins(state: "ChromaState") -> NDArray[np.bool_]:
    """Tell where a turn begins: bool (B,)."""
    begins: NDArray[np.bool_] = ~state.over & (state.phase == PLACE) & ~state.replaying
    return begins


def _touches(state: "ChromaState") -> NDArray[np.int64]:
    """Count the cards that touch the card placed last: int64 (B,), 0 where there is none."""
    near = state.board[np.arange(len(state)), NEIGHBOURS[:, state.spot]]  # (neighbours, games)
    touches: NDArray[np.int64] = (near > 0).sum(axis=0)
    return touches
