"""The games by name, for commands and files that name them."""

from importlib import import_module
from typing import Any

import gymnasium

from chromazoo.envs.errors import UnknownName
from chromazoo.envs.game import Game
from chromazoo.envs.state import State

MODULES = {
    "kroma": "chromazoo.envs.kroma_v0",
    "chroma": "chromazoo.envs.chroma_v0",
    "guardians": "chromazoo.envs.guardians_v0",
}


def game_type(game_id: str) -> type[Game[Any]]:
    """Find the class of a game's rules.

    Args:
        game_id: The game's name.

    Returns:
        Its `Game` class.

    Raises:
        UnknownName: there is no such game.
    """
    if game_id not in MODULES:
        raise UnknownName(f"no game {game_id!r}; the games are {', '.join(MODULES)}")
    found: type[Game[Any]] = import_module(MODULES[game_id]).Game
    return found


def make_game(game_id: str, /, **options: Any) -> Game[State]:
    """Configure a game by its name.

    Args:
        game_id: The game's name.
        options: Its options; see the game's README.

    Returns:
        The game.

    Raises:
        UnknownName: there is no such game.
        InvalidConfig: the options do not fit it.
    """
    return game_type(game_id)(**options)


def register_environments() -> None:
    """Tell Gymnasium the names of the games: `chromazoo/Kroma-v0` and so on.

    `gymnasium.make` then makes `single_env` of the game, `gymnasium.make_vec` its
    `single_vector_env`.
    """
    for game_id, module in MODULES.items():
        version = module.rpartition("_")[2]
        gymnasium.register(
            id=f"chromazoo/{game_id.capitalize()}-{version}",
            entry_point=f"{module}:single_env",
            vector_entry_point=f"{module}:single_vector_env",
        )
