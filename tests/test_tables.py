import pytest

from chromazoo.envs.registry import MODULES, make_game
from tests.tables import readme, with_tables


@pytest.mark.parametrize("game_id", MODULES)
def test_a_page_has_what_the_code_tells(game_id: str) -> None:
    assert readme(game_id).read_text(encoding="utf-8") == with_tables(game_id), (
        "run: python -m tests.tables"
    )


@pytest.mark.parametrize("game_id", MODULES)
def test_a_page_names_every_option_in_its_table(game_id: str) -> None:
    text = readme(game_id).read_text(encoding="utf-8")
    for name in make_game(game_id).options:
        assert f"\n| `{name}` | " in text
