"""`chromazoo games`: which games there are."""

from typing import Any

from chromazoo.cli.options import AsJson, Sets, parse_sets, print_json, print_table
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.game import Game
from chromazoo.envs.registry import MODULES, make_game

EXAMPLES = (
    "chromazoo games",
    "chromazoo games --set size=baby",
    "chromazoo games --json",
)


def games(sets: Sets = None, as_json: AsJson = False) -> None:
    """List the games, their options and their sizes.

    With --set only the games that have these options are listed, so configured.
    """
    options = parse_sets(sets)
    listed = _with_options(options)
    if as_json:
        rows = [
            {
                "id": game.id,
                "options": game.options,
                "num_actions": game.num_actions,
                "num_features": game.num_features,
            }
            for game in listed
        ]
        print_json({"games": rows})
        return
    print_table(
        ["game", "seats", "actions", "features", "options"],
        [
            [
                game.id,
                game.num_seats,
                game.num_actions,
                game.num_features,
                " ".join(f"{name}={_shown(value)}" for name, value in game.options.items()),
            ]
            for game in listed
        ],
    )


def _with_options(options: dict[str, Any]) -> list[Game[Any]]:
    """Configure the games that have all of these options."""
    every = [make_game(name) for name in MODULES]
    for key in options:
        if not any(key in game.options for game in every):
            known = "; ".join(f"{game.id}: {', '.join(game.options)}" for game in every)
            raise InvalidConfig(f"no game has an option {key!r} ({known})")
    fitting = [game.id for game in every if options.keys() <= game.options.keys()]
    if not fitting:
        raise InvalidConfig(f"no game has all of the options {', '.join(options)}")
    return [make_game(name, **options) for name in fitting]


def _shown(value: object) -> str:
    """Write an option's value as `--set` would take it."""
    return value if isinstance(value, str) else str(value).lower()
