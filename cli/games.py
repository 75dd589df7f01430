"""`chromazoo games`: which games there are."""

from chromazoo.cli.options import AsJson, Sets, games_with, parse_sets, print_json, print_table

EXAMPLES = (
    "chromazoo games",
    "chromazoo games --set size=baby",
    "chromazoo games --json",
)


def games(sets: Sets = None, as_json: AsJson = False) -> None:
    """List the games, their options and their sizes.

    With --set only the games that have these options are listed, so configured.
    """
    listed = games_with(parse_sets(sets))
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


def _shown(value: object) -> str:
    """Write an option's value as `--set` would take it."""
    return value if isinstance(value, str) else str(value).lower()
