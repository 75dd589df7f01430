"""CHROMA's moves and set-ups as text (rules page `chroma.md`, Notation and Record)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from chromazoo.envs.chroma.board import SPACES, space_name, space_number
from chromazoo.envs.chroma.cards import PACK
from chromazoo.envs.errors import InvalidMove, InvalidSetup

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import Game


def move_text(game: "Game", seat: int, wild: bool, action: int) -> str:
    """Write an action.

    Args:
        game: The rules.
        seat: Who takes it.
        wild: Whether a face-down card is due.
        action: The action index.

    Returns:
        `red+replay@f5`, `wild:dark-blue@a1`, `draw`, `use`, `skip`, `gift:2` or `give:red`.
    """
    names = game.cards.names
    if action < game.draw:
        card, space = divmod(action, SPACES)
        return f"{'wild:' if wild else ''}{names[card]}@{space_name(space)}"
    if action < game.gift:
        return ("draw", "use", "skip")[action - game.draw]
    if action < game.give:
        return f"gift:{(seat + 1 + action - game.gift) % game.num_seats}"
    return f"give:{names[action - game.give]}"


def parse_move(game: "Game", seat: int, wild: bool, text: str) -> int:
    """Read an action; arguments as for `move_text`.

    Raises:
        InvalidMove: the text names no action.
    """
    number = game.cards.number
    simple = {"draw": game.draw, "use": game.use, "skip": game.skip}
    if text in simple:
        return simple[text]
    kind, _, rest = text.partition(":")
    if kind == "give" and rest in number:
        return game.give + number[rest]
    others = {str(other): other for other in range(game.num_seats) if other != seat}
    if kind == "gift" and rest in others:
        return game.gift + (others[rest] - seat - 1) % game.num_seats
    due = text.removeprefix("wild:") if wild else text
    if not wild or due != text:
        name, _, place = due.rpartition("@")
        space = space_number(place)
        if name in number and space is not None:
            return number[name] * SPACES + space
    card, other = game.cards.names[0], (seat + 1) % game.num_seats
    raise InvalidMove(
        f"{text[:60]!r} is no move; moves look like {'wild:' if wild else ''}{card}@f5, draw, use, "
        f"skip, gift:{other} or give:{card}"
    )


def read_deck(game: "Game", row: int, setup: Mapping[str, Any]) -> list[int]:
    """Read one set-up: its deck as types.

    Args:
        game: The rules.
        row: The number of the game, for errors.
        setup: What a record keeps; see Record of the rules page.

    Returns:
        100 types, the next card first.

    Raises:
        InvalidSetup: it does not fit.
    """
    seat, fixed = setup["first_player"], game.config.first_player
    if type(seat) is not int or not 0 <= seat < game.num_seats or fixed not in (None, seat):
        due = f"a seat below {game.num_seats}" if fixed is None else fixed
        raise InvalidSetup(f"game {row}: first_player is {due}, not {seat!r:.60}")
    texts = setup["deck"]
    if not isinstance(texts, list) or len(texts) != PACK:
        raise InvalidSetup(f"game {row}: the deck is a list of {PACK} cards")
    for number, text in enumerate(texts):
        if not isinstance(text, str) or text not in game.cards.number:
            raise InvalidSetup(f"game {row}: card {number} of the deck is no card: {text!r:.60}")
    deck = [game.cards.number[text] for text in texts]
    found = np.bincount(deck, minlength=len(game.cards))
    if (found != game.cards.copies).any():
        card = int(np.argmax(found != game.cards.copies))
        raise InvalidSetup(
            f"game {row}: the deck has {found[card]} cards {game.cards.names[card]}, "
            f"not {game.cards.copies[card]}"
        )
    return deck
