"""The generated tables in the games' READMEs; `python -m tests.tables` writes them anew."""

import re
from pathlib import Path

from chromazoo.envs.fields import block_table
from chromazoo.envs.registry import MODULES, make_game

ROOT = Path(__file__).parent.parent


def readme(game_id: str) -> Path:
    return ROOT / "envs" / game_id / "README.md"


def with_tables(game_id: str) -> str:
    """Return a game's README with the tables as the code has them."""
    game = make_game(game_id)
    text = readme(game_id).read_text()
    for name, table in (("fields", game.fields.table()), ("actions", block_table(game.blocks))):
        parts = re.split(f"(<!-- {name} -->).*?(<!-- end -->)", text, flags=re.DOTALL)
        assert len(parts) == 4, f"{game_id}: one place for {name} needed"
        before, begin, end, after = parts
        text = f"{before}{begin}\n{table}\n{end}{after}"
    return text


if __name__ == "__main__":
    for game_id in MODULES:
        readme(game_id).write_text(with_tables(game_id))
