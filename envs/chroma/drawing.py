"""CHROMA's board in text."""

from typing import TYPE_CHECKING

from chromazoo.envs.chroma import seen
from chromazoo.envs.chroma.board import COLUMNS, LOCK_MARK, MAGNET_MARK, ROWS, space_name
from chromazoo.envs.chroma.cards import PACK, POWERS
from chromazoo.envs.chroma.config import COLOURS, PHASES, POWER, REASONS
from chromazoo.envs.svg import Viewer

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game


def text(game: "Game", state: "ChromaState", viewer: Viewer) -> str:
    """Draw one game: colour numbers on the board, `##` for cards face down.

    Args:
        game: The rules.
        state: The game, alone.
        viewer: Who looks on.

    Returns:
        The board from the top row down, then marks, what the viewer knows of hands and of cards
        face down, and what is to happen.
    """
    types = len(game.cards)
    lines = []
    for number in reversed(range(ROWS)):
        cards = state.board[0, number * COLUMNS : (number + 1) * COLUMNS].tolist()
        cells = [
            " ." if not card else "##" if card > types else f"{(card - 1) % COLOURS:2}"
            for card in cards
        ]
        lines.append(f"{number + 1} {' '.join(cells)}")
    lines.append("   " + "  ".join("abcdefghijk"))
    used = sorted({(card - 1) % COLOURS for card in state.board[0].tolist() if 0 < card <= types})
    lines.append(", ".join(f"{colour} {game.cards.names[colour]}" for colour in used))
    hands = seen.hands(game, state, viewer)
    for seat in range(game.num_seats):
        lines.append(_seat_line(game, state, seat, hands[seat], seat == viewer))
    known = [
        f"{space_name(space)} {game.cards.names[card]}"
        for space, card in enumerate(seen.under(state, viewer))
        if card >= 0
    ]
    if known:
        lines.append(f"face down: {', '.join(known)}")
    lines.append(_status(state, 0))
    return "\n".join(lines)


def _seat_line(game: "Game", state: "ChromaState", seat: int, hand: list[int], own: bool) -> str:
    """Tell how many cards a seat holds, those that are known, and its Magnet or Lock."""
    size = int(state.sizes[0, seat])
    parts = [f"{'>' if state.pending[0, seat] else ' '} seat {seat}: {size} cards"]
    if own:
        parts[0] = parts[0].replace(f"seat {seat}", f"seat {seat} (you)")
    if hand:
        label = "holding" if own or len(hand) == size else "known"
        names = [game.cards.names[card] for card in hand]
        parts.append(", ".join(names) if size == 1 else f"{label}: {', '.join(names)}")
    mark = int(state.marks[0, seat])
    if mark >= LOCK_MARK:
        parts.append(f"Lock at {space_name(mark - LOCK_MARK)}")
    elif mark >= MAGNET_MARK:
        parts.append(f"Magnet at {space_name(mark - MAGNET_MARK)}")
    return ", ".join(parts)


def _status(state: "ChromaState", row: int) -> str:
    """Tell the pile and the phase, or how the game ended."""
    pile = f"pile {PACK - int(state.drawn[row])}, passes in a row {state.passes[row]}"
    if state.over[row]:
        return f"{pile}; over: {REASONS[state.reason[row]]}"
    power = POWERS[state.power[row]] if state.phase[row] == POWER else ""
    return f"{pile}; {PHASES[state.phase[row]]} {power}".rstrip()
