"""The generated parts of the games' pages; `python -m tests.tables` writes them anew."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chromazoo.envs.fields import block_table
from chromazoo.envs.game import Game
from chromazoo.envs.options import option_text
from chromazoo.envs.registry import MODULES, make_game

ROOT = Path(__file__).parent.parent
LONGEST = 20  # characters of a default


def readme(game_id: str) -> Path:
    return ROOT / "envs" / game_id / "README.md"


def with_tables(game_id: str) -> str:
    """Return a game's page with the generated parts as the code has them."""
    game = make_game(game_id)
    parts = {
        "primer": primer(game),
        "options": options_table(game),
        "fields": game.fields.table(),
        "actions": block_table(game.blocks),
    }
    text = readme(game_id).read_text(encoding="utf-8")
    for name, part in parts.items():
        pieces = re.split(f"(<!-- {name} -->).*?(<!-- end -->)", text, flags=re.DOTALL)
        assert len(pieces) == 4, f"{game_id}: one place for {name} needed"
        before, begin, end, after = pieces
        text = f"{before}{begin}\n{part}\n{end}{after}"
    return text


def primer(game: Game[Any]) -> str:
    """Return the rules in short, as people who play are told them, a heading further down."""
    return re.sub(r"^(#+ )", r"#\1", game.primer().strip(), flags=re.MULTILINE)


def options_table(game: Game[Any]) -> str:
    """Lay out the options with what the docstring of the game's config says of them."""
    return "\n".join(["| option | meaning | default |", "|---|---|---|", *_options(game)])


def _options(game: Game[Any]) -> Iterator[str]:
    """Write a row for each option."""
    text = inspect.getdoc(game.config_type) or ""
    described = re.findall(r"^    (\w+): (.+(?:\n {5,}.+)*)", text, re.MULTILINE)
    meanings = {name: " ".join(meaning.split()) for name, meaning in described}
    for name, value in game.options.items():
        default = option_text(value)
        shown = default if len(default) <= LONGEST else f"{default[:LONGEST]}…"
        yield f"| `{name}` | {meanings[name]} | {shown} |"


if __name__ == "__main__":
    for game_id in MODULES:
        readme(game_id).write_text(with_tables(game_id), encoding="utf-8")
