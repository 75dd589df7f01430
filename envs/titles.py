"""How a game in one of its configs is called: in tables, above pictures and on the command line."""

from dataclasses import asdict
from typing import Any

from chromazoo.envs.game import Game
from chromazoo.envs.options import option_text, told_options

_LONGEST = 40  # characters of an option in a title


def option_texts(game: Game[Any], config: Any = None) -> list[str]:
    """Write those options of a config that need be told, as `--set` takes them.

    Args:
        game: Any config of the game.
        config: The config; that of the game if not given.

    Returns:
        Texts `name=value`; without them, the config is the default.

    >>> from chromazoo.envs.registry import make_game
    >>> option_texts(make_game("kroma", size="baby", leap=False))
    ['size=baby', 'leap=false']
    """
    own = game.config if config is None else config
    options = told_options(game.config_type, asdict(own))
    return [f"{name}={option_text(value)}" for name, value in options.items()]


def config_title(game: Game[Any], config: Any = None) -> str:
    """Name a config by those of its options that need be told.

    Args:
        game: Any config of the game.
        config: The config; that of the game if not given.

    Returns:
        The options, as `--set` takes them, or `the defaults`.

    >>> from chromazoo.envs.registry import make_game
    >>> config_title(make_game("kroma"))
    'the defaults'
    """
    return " ".join(option_texts(game, config)) or "the defaults"


def game_title(game: Game[Any]) -> str:
    """Name a game with those of its options that need be told, the beginnings of long ones.

    >>> from chromazoo.envs.registry import make_game
    >>> game_title(make_game("guardians", num_players=4))
    'guardians num_players=4'
    >>> game_title(make_game("guardians"))
    'guardians'
    """
    told = [
        text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in option_texts(game)
    ]
    return " ".join([game.id, *told])
