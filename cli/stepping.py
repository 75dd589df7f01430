"""Stepping through a replay in the terminal, by keys or all at once."""

from collections.abc import Callable, Sequence

from rich.console import Console

from chromazoo.cli.keys import pressed_keys
from chromazoo.envs.errors import printable
from chromazoo.envs.replays import Replay
from chromazoo.envs.svg import Viewer, viewer_text

KEYS = "right or space: forward   left: back   home, end   v: view   q: leave"

_KEYS = {
    "forward": (" ", "\r", "\n", "\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB", "\xe0M", "\xe0P"),
    "back": ("\x7f", "\b", "\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA", "\xe0K", "\xe0H"),
    "first": ("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~", "\xe0G"),
    "last": ("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~", "\xe0O"),
    "view": ("v", "V"),
    "leave": ("q", "Q", "\x1b"),
}
_ACTS = {key: act for act, keys in _KEYS.items() for key in keys}


def step_through(replay: Replay, viewers: Sequence[Viewer], keys: bool) -> None:
    """Show a game, position by position.

    Args:
        replay: The game.
        viewers: Whose views there are, the first shown first.
        keys: Whether keys step through it; else all positions are printed, from the first view.
    """
    if not keys:
        for position in range(replay.plies + 1):
            print(shown(replay, position, viewers[0]) + "\n")
        return
    console = Console(markup=False, highlight=False, emoji=False)
    with pressed_keys() as pressed:
        console.set_alt_screen(True)
        console.show_cursor(False)
        try:
            _follow_keys(replay, viewers, console, pressed)
        except EOFError:
            return
        finally:
            console.show_cursor(True)
            console.set_alt_screen(False)


def shown(replay: Replay, position: int, viewer: Viewer) -> str:
    """Write a position: the ply that led to it, the game, and who is to decide."""
    head = [f"{position} of {replay.plies}"]
    if position:
        words = replay.news(position - 1, viewer).words
        head += [words] if viewer is not None else [words, *replay.notes(position - 1, words)]
    if position < replay.plies:
        foot = f"{replay.game.seat_name(replay.seat(position))} decides next"
    else:
        foot = f"The end: {replay.result}"
    # Names in a record are a stranger's.
    return printable("\n".join(("  ".join(head), "", replay.text(position, viewer), "", foot)))


def _follow_keys(
    replay: Replay,
    viewers: Sequence[Viewer],
    console: Console,
    pressed: Callable[[], list[str]],
) -> None:
    """Show positions as keys ask for them."""
    position, view, end = 0, 0, replay.plies
    while True:
        console.clear()
        console.print(f"{viewer_text(viewers[view])}\n", soft_wrap=True)
        console.print(shown(replay, position, viewers[view]), soft_wrap=True)
        console.print(f"\n{KEYS}", soft_wrap=True)
        for key in pressed():
            act = _ACTS.get(key, "")
            if act == "leave":
                return
            if act == "view":
                view = (view + 1) % len(viewers)
            places = {"forward": position + 1, "back": position - 1, "first": 0, "last": end}
            position = min(max(places.get(act, position), 0), end)
