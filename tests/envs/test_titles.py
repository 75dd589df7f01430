"""How games with their options are called."""

import shlex
from typing import Any

import pytest

from chromazoo.cli.options import parse_sets
from chromazoo.envs.chroma.config import WHEELS
from chromazoo.envs.guardians.config import BANDS
from chromazoo.envs.registry import make_game
from chromazoo.envs.titles import config_title, game_title, option_texts

WHEEL = {
    "names": list(WHEELS["ring"].names),
    "compatible": [list(p) for p in WHEELS["ring"].compatible],
}


@pytest.mark.parametrize(
    ("name", "options", "title"),
    [
        ("kroma", {}, "kroma"),
        ("kroma", {"size": "standard", "leap": False}, "kroma leap=false"),
        ("kroma", {"size": "baby", "no_capture_limit": 0}, "kroma size=baby no_capture_limit=0"),
        ("chroma", {"num_players": 3, "first_player": 2}, "chroma num_players=3 first_player=2"),
        ("guardians", {"num_players": 2, "duel": True, "colors": list(BANDS)}, "guardians"),
        ("guardians", {"num_players": 4, "duel": False}, "guardians num_players=4"),
        ("guardians", {"duel": False}, "guardians duel=false"),
        (
            "guardians",
            {"colors": list(BANDS[::-1])},
            "guardians colors=[4,3,2,1,0,4,3,2,1,0,4,3,2,1,0,4…",
        ),
    ],
)
def test_titles_tell_what_need_be_told(name: str, options: dict[str, Any], title: str) -> None:
    game = make_game(name, **options)
    assert game_title(game) == title
    assert config_title(game) == (" ".join(option_texts(game)) or "the defaults")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("kroma", {"size": "basic", "setup": "advanced", "random": True}),
        ("chroma", {"num_players": 5, "wheel": WHEEL}),
        ("guardians", {"num_players": 3, "colors": list(BANDS[::-1])}),
    ],
)
def test_options_can_be_given_as_they_are_told(name: str, options: dict[str, Any]) -> None:
    game = make_game(name, **options)
    sets = shlex.split(shlex.join(option_texts(game)))
    assert make_game(name, **parse_sets(sets)) == game
    assert option_texts(make_game(name), game.config) == option_texts(game)
