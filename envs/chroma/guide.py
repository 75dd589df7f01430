"""What guides people who play CHROMA: the rules in short, clicks, and news of actions."""

from pathlib import Path
from typing import TYPE_CHECKING

from chromazoo.envs.chroma.board import NEIGHBOURS, OFF, SPACES, space_name
from chromazoo.envs.chroma.cards import GIFT, LOCK, MAGNET, POWERS, REPLAY
from chromazoo.envs.chroma.config import WILD, Wheel
from chromazoo.envs.guidance import Click, News
from chromazoo.envs.svg import Viewer

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game

_USES = {
    REPLAY: "use Replay: place another card",
    MAGNET: "use Magnet: the others must place beside it",
    LOCK: "use Lock: the others cannot place beside it",
}
_TOUCHING = {
    1: "touches one card and draws a card",
    2: "touches two cards",
    3: "touches three cards",
    4: "touches four cards and wins",
}
_PLAYERS = ("", "", "Two", "Three", "Four", "Five", "Six")
_ENDINGS = {
    "perfect": "a card touches four others",
    "empty-hand": "no card left in hand",
    "pile": "the pile is used up, the fewest cards win",
    "blocked": "no card that is left fits anywhere, the fewest cards win",
    "passes": "nobody has placed a card for two rounds, the fewest cards win",
}
_TONES = (
    "There are six hues (red, orange, yellow, green, blue, purple, in a circle), each light, "
    "plain and dark, and white and black. Two colours go together if they are the same hue one "
    "step of tone apart (light and plain, or plain and dark), or neighbouring hues in the same "
    "tone{more}. White goes with all light colours, black with all dark ones."
)
_COMPATIBLE = {
    "tones": _TONES.format(more=" or one step apart"),
    "narrow": _TONES.format(more=""),
    "ring": "There are 18 hues in a circle, numbered 0 to 17, and white and black. Two hues go "
    "together if they are one or two steps apart. White goes with the hues 0 to 8, black with "
    "9 to 17.",
}


def primer(game: "Game") -> str:
    """Tell the rules in short for the game's options; see `Game.primer`."""
    config = game.config
    text = (Path(__file__).parent / "primer.md").read_text(encoding="utf-8")
    before, powers, after = text.split("<!-- powers -->\n")
    wheel = config.wheel
    return (before + (powers if config.power_copies else "") + after).format(
        players=_PLAYERS[game.num_seats],
        compatible=_pairs(wheel) if isinstance(wheel, Wheel) else _COMPATIBLE[wheel],
        copies=("one", "two", "three", "four")[max(config.power_copies, 1) - 1],
        have="has" if config.power_copies == 1 else "have",
        passes=2 * game.num_seats,
    )


def _pairs(wheel: Wheel) -> str:
    """Tell a wheel of one's own: which colours go with each."""
    table = wheel.table
    fitting = [", ".join(wheel.names[other] for other in row.nonzero()[0]) for row in table]
    lines = [
        f"- **{_plain(name)}**: {_plain(others) or 'nothing'}"
        for name, others in zip(wheel.names, fitting, strict=True)
    ]
    return "These colours go together:\n\n" + "\n".join(lines)


def _plain(text: str) -> str:
    """Escape what Markdown would read in names of colours."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()<>#+-.!|&" else letter for letter in text)


def clicks(game: "Game", state: "ChromaState", row: int, action: int) -> tuple[Click, ...]:
    """Tell which clicks make a move; see `Game.clicks`."""
    seat, power = int(state.seat[row]), int(state.power[row])
    if action < game.draw:
        card, space = divmod(action, SPACES)
        wild = state.phase[row] == WILD
        if wild:
            first = "Your card touches three: choose a card to lay face down"
        elif state.replaying[row]:
            first = "Replay: choose one more card to place"
        else:
            first = "Choose a card of your hand to place"
        return (
            _card(game, card, first),
            _space(state, row, space, wild, _words(game, card)),
        )
    if action == game.draw:
        return (Click("pile", "draw a card", "None of your cards can be placed: draw one"),)
    if action == game.skip:
        return (Click("skip", "do without it", _offer(power)),)
    if action == game.use:
        return (Click("use", _USES[power], _offer(power)),)
    if action < game.give:
        other = (seat + 1 + action - game.gift) % game.num_seats
        words = f"take a card from {game.seat_name(other)}"
        return (Click(f"seat:{other}", words, _offer(GIFT)),)
    to = game.seat_name(int(state.partner[row]))
    return (_card(game, action - game.give, f"Choose a card to give to {to}"),)


def _offer(power: int) -> str:
    """Ask whether a power is to be used."""
    if power == GIFT:
        return "Gift: choose a player to take a card from, or do without it"
    return f"You may use {POWERS[power].capitalize()}"


def _card(game: "Game", card: int, prompt: str) -> Click:
    """Make the click on a card of the own hand."""
    return Click(f"card:{game.cards.names[card]}", _words(game, card), prompt)


def _words(game: "Game", card: int) -> str:
    """Name a card in words."""
    name, _, power = game.cards.names[card].partition("+")
    return f"{name} with {power.capitalize()}" if power else name


def _space(state: "ChromaState", row: int, space: int, wild: bool, card: str) -> Click:
    """Make the click on an empty space."""
    name = space_name(space)
    if wild:
        return Click(f"space:{name}", f"on {name}", f"Choose an empty space for {card}, face down")
    touches = _touches(state, row, space)
    return Click(f"space:{name}", f"on {name}, touching {touches}", f"Choose a space for {card}")


def _touches(state: "ChromaState", row: int, space: int) -> int:
    """Count the cards beside a space."""
    near = NEIGHBOURS[:, space]
    return int((state.board[row, near[near != OFF]] > 0).sum())


def news(
    game: "Game",
    before: "ChromaState",
    after: "ChromaState",
    row: int,
    action: int,
    viewer: Viewer,
) -> News:
    """Tell what a viewer learns of an action; see `Game.news`."""
    seat, power = int(before.seat[row]), int(before.power[row])
    who = game.called(seat, viewer)
    if action < game.draw:
        return _laid(game, before, after, row, action, viewer)
    if action == game.draw:
        drawn = after.drawn[row] > before.drawn[row]
        return News(f"{who}: cannot place, {'draws a card' if drawn else 'and the pile is empty'}")
    spots = (f"space:{space_name(int(before.spot[row]))}",)
    if action in (game.use, game.skip):
        verb = "uses" if action == game.use else "does without"
        return News(f"{who}: {verb} {POWERS[power].capitalize()}", spots)
    if action < game.give:
        partner = (seat + 1 + action - game.gift) % game.num_seats
        card = game.chance_text(before, after, row, action) or ""
        known = viewer in (None, seat, partner)
        from_whom = "you" if partner == viewer else game.seat_name(partner)
        return News(f"{who}: takes {card if known else 'a card'} from {from_whom}")
    partner = int(before.partner[row])
    known = viewer in (None, seat, partner)
    card = game.cards.names[action - game.give]
    to = "you" if partner == viewer else game.seat_name(partner)
    return News(f"{who}: gives {to} {card if known else 'a card'}")


def _laid(
    game: "Game",
    before: "ChromaState",
    after: "ChromaState",
    row: int,
    action: int,
    viewer: Viewer,
) -> News:
    """Tell of a card that was laid, face up or face down."""
    card, space = divmod(action, SPACES)
    seat = int(before.seat[row])
    who, place = game.called(seat, viewer), space_name(space)
    spots = (f"space:{place}",)
    if before.phase[row] == WILD:
        shown = game.cards.names[card] if viewer in (None, seat) else "a card"
        return News(f"{who}: {shown} face down on {place}", spots)
    touches = _touches(before, row, space)
    result = _TOUCHING[touches]
    if touches == 1 and after.drawn[row] == before.drawn[row]:
        result = "touches one card"
    return News(f"{who}: {game.cards.names[card]} on {place}, {result}", spots)


def ending(game: "Game", state: "ChromaState", row: int) -> str:
    """Say why a finished game ended; see `Game.ending`."""
    return _ENDINGS[game.result(state, row)["reason"]]
