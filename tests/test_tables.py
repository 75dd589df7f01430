import pytest

from chromazoo.envs.registry import MODULES, make_game
from tests.tables import readme, with_tables


@pytest.mark.parametrize("game_id", MODULES)
def test_readme_has_the_tables_of_the_code(game_id: str) -> None:
    assert readme(game_id).read_text() == with_tables(game_id), "run: python -m tests.tables"


@pytest.mark.parametrize("game_id", MODULES)
def test_readme_names_every_option_and_its_default(game_id: str) -> None:
    text = readme(game_id).read_text()
    for name, default in make_game(game_id).options.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        written = str(default).lower()[:18]  # the beginning of a long list
        assert written in row.rsplit("|", 2)[1].lower()
