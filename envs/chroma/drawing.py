"""CHROMA's board in text."""

from typing import TYPE_CHECKING

from chromazoo.envs.chroma.board import COLUMNS, LOCK_MARK, MAGNET_MARK, ROWS, space_name
from chromazoo.envs.chroma.cards import PACK, POWERS
from chromazoo.envs.chroma.config import COLOURS, PHASES, POWER, REASONS

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game


def text(game: "Game", state: "ChromaState", row: int) -> str:
    """Draw one game: colour numbers on the board, `##` for cards face down, nothing hidden.

    Args:
        game: The rules.
        state: B games.
        row: Which of them.

    Returns:
        The board from the top row down, then marks, hands and what is to happen.
    """
    types = len(game.cards)
    lines = []
    for number in reversed(range(ROWS)):
        cards = state.board[row, number * COLUMNS : (number + 1) * COLUMNS].tolist()
        cells = [
            " ." if not card else "##" if card > types else f"{(card - 1) % COLOURS:2}"
            for card in cards
        ]
        lines.append(f"{number + 1} {' '.join(cells)}")
    lines.append("   " + "  ".join("abcdefghijk"))
    used = sorted({(card - 1) % COLOURS for card in state.board[row].tolist() if 0 < card <= types})
    lines.append(", ".join(f"{colour} {game.cards.names[colour]}" for colour in used))
    lines += [_seat_line(game, state, row, seat) for seat in range(game.num_seats)]
    lines.append(_status(state, row))
    return "\n".join(lines)


def _seat_line(game: "Game", state: "ChromaState", row: int, seat: int) -> str:
    """Tell how many cards a seat holds, the card if it is one, and its Magnet or Lock."""
    size = int(state.sizes[row, seat])
    parts = [f"{'>' if state.pending[row, seat] else ' '} seat {seat}: {size} cards"]
    if size == 1:
        parts.append(game.cards.names[int(state.hands[row, seat].argmax())])
    mark = int(state.marks[row, seat])
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
