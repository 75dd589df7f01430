"""The page of a replay: one HTML file with pictures of all positions, moves and a player.

It asks for nothing outside itself, works from disk, and runs no script but its own: its policy
names that by its digest. What a record says reaches it as JSON in which no tag can begin or end.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from chromazoo.envs.options import option_text
from chromazoo.envs.svg import Picture, Viewer
from chromazoo.envs.titles import game_title

if TYPE_CHECKING:
    from chromazoo.envs.replays import Replay

HEIGHT = 660  # pixels of a frame in a notebook

_PARTS = files("chromazoo.envs") / "pages"
_SLOT = re.compile(r"\{\{(\w+)\}\}")

Progress = Callable[[int], object]
"""Takes the number of pictures drawn since it was last called."""

Lines = dict[str, int]
"""Lines of pictures, each once, with their numbers."""

Change = list[int]
"""Where lines change, how many go, and the numbers of those that come instead."""


def page(replay: "Replay", viewers: Sequence[Viewer], progress: Progress | None = None) -> str:
    """Make the page of a replay.

    Args:
        replay: The replay.
        viewers: Whose views it has, at least one; the first is shown first.
        progress: Called after every picture; there is one for each viewer and position.

    Returns:
        HTML. Nothing in it depends on what none of the viewers may know, but for the result, and
        for what becomes known to them later in the game.

    Raises:
        InvalidArgument: there is no such seat.
    """
    style, script = (_part(f"replay.{kind}") for kind in ("css", "js"))
    slots = {
        "policy": f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'",
        "title": escape(f"Replay of {game_title(replay.game)}"),
        "style": style,
        "data": harmless(contents(replay, viewers, progress)),
        "script": script,
    }
    return _SLOT.sub(lambda slot: slots[slot[1]], _part("replay.html"))


def frame(html: str) -> str:
    """Show a page within another, such as a notebook, where neither can reach the other.

    Args:
        html: The page.

    Returns:
        HTML of a frame.
    """
    return (
        f'<iframe srcdoc="{escape(html)}" sandbox="allow-scripts" title="Replay" '
        f'style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'
    )


def contents(
    replay: "Replay", viewers: Sequence[Viewer], progress: Progress | None = None
) -> dict[str, Any]:
    """Tell all that the page shows, in JSON types.

    Args:
        replay: The replay.
        viewers: Whose views it has.
        progress: See `page`.

    Returns:
        `title` of the game; `options`, pairs of texts; `seats`, their names; `turns`, the seat that
        decides at each ply; `result`; `lines` of pictures, each once; and for each viewer in
        `views` its `name`, its `words` for each ply, its `notes` (notation and chance, of the open
        view alone), and for each position the changes of lines in `frames` and in `marks` the boxes
        where the ply before it happened, `[x, y, width, height]`.
    """
    lines: Lines = {}
    game = replay.game
    return {
        "title": game_title(game),
        "options": [[name, option_text(value)] for name, value in game.options.items()],
        "seats": [game.seat_name(seat) for seat in range(game.num_seats)],
        "turns": [replay.seat(ply) for ply in range(replay.plies)],
        "result": replay.result,
        "views": [_view(replay, viewer, lines, progress) for viewer in viewers],
        "lines": list(lines),
    }


def harmless(value: Any) -> str:
    r"""Write JSON that may stand in a script element: no tag or comment begins or ends in it.

    >>> print(harmless("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def changes(pictures: Iterable[Picture], lines: Lines) -> Iterator[list[Change]]:
    """Tell pictures by what changes in each from the one before it, the first from nothing.

    Args:
        pictures: The pictures.
        lines: Numbers of the lines seen so far; what is new is added.

    Yields:
        The changes of a picture, by place in the picture before it: the last is to be made first.
    """
    before: list[int] = []
    for picture in pictures:
        after = [lines.setdefault(line, len(lines)) for line in picture.split("\n")]
        yield _apart(before, after)
        before = after


def _apart(before: list[int], after: list[int]) -> list[Change]:
    """Find what turns one list into another."""
    begin, end = 0, 0
    least = min(len(before), len(after))
    while begin < least and before[begin] == after[begin]:
        begin += 1
    while end < least - begin and before[-1 - end] == after[-1 - end]:
        end += 1
    one, other = before[begin : len(before) - end], after[begin : len(after) - end]
    found = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return [
        [begin + first, last - first, *other[low:high]]
        for kind, first, last, low, high in found
        if kind != "equal"
    ]


def _view(
    replay: "Replay", viewer: Viewer, lines: Lines, progress: Progress | None
) -> dict[str, Any]:
    """Tell what one viewer sees; see `contents`."""
    news = [replay.news(ply, viewer) for ply in range(replay.plies)]
    places = [(), *(told.spots for told in news)]  # (positions,)
    notes = [replay.notes(ply, told.words) for ply, told in enumerate(news)]
    marks = []

    def drawn() -> Iterator[Picture]:
        for picture, names in zip(replay.pictures(viewer), places, strict=True):
            marks.append([list(box) for name in names for box in picture.spots.get(name, ())])
            yield picture
            if progress is not None:
                progress(1)

    return {
        "name": _name(replay, viewer),
        "words": [told.words for told in news],
        "notes": notes if viewer is None else [],
        "frames": list(changes(drawn(), lines)),
        "marks": marks,
    }


def _name(replay: "Replay", viewer: Viewer) -> str:
    """Name a view."""
    if viewer is None:
        return "Everything, open"
    if viewer == "public":
        return "What all may see"
    return f"As {replay.game.seat_name(viewer)} sees it"


def _part(name: str) -> str:
    """Read a part of the page."""
    return (_PARTS / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Name a script or a style in a policy by its digest."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
