"""`chromazoo games`: which games there are, and all about their options."""

import inspect
import re
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from chromazoo.agents.shipped import shipped_policies
from chromazoo.cli.options import (
    AsJson,
    Sets,
    games_or_all,
    print_json,
    print_table,
)
from chromazoo.envs.fields import block_slices
from chromazoo.envs.game import Game
from chromazoo.envs.options import option_text
from chromazoo.envs.titles import config_title

EXAMPLES = (
    "chromazoo games",
    "chromazoo games kroma",
    "chromazoo games --set size=baby --json",
)


def games(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME...]", help="Games to tell all about; a list of all if none."),
    ] = None,
    sets: Sets = None,
    as_json: AsJson = False,
) -> None:
    """List the games, or tell all about some.

    Of a game that is named, all options are shown with the values they take, what its
    observations and actions are, and for which options a trained policy comes with the package.
    --set configures it; without a name, only the games that have these options are listed, so
    configured.
    """
    listed = games_or_all(names, sets)
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
    if names:
        for game in listed:
            _tell(game)
        return
    print_table(
        ["game", "seats", "actions", "features", "options"],
        [
            [
                game.id,
                game.num_seats,
                game.num_actions,
                game.num_features,
                " ".join(f"{name}={_short(value)}" for name, value in game.options.items()),
            ]
            for game in listed
        ],
    )
    print(f"All about one, such as the values its options take: chromazoo games {listed[0].id}")


def _short(value: object) -> str:
    """Write the value of an option, the beginning of a long one."""
    text = option_text(value)
    return text if len(text) <= 16 else f"{text[:12]}…"


def _tell(game: Game[Any]) -> None:
    """Print what a game's options, observations and actions are."""
    meanings = _meanings(game.config_type)
    print(f"{game.id}: {game.num_seats} seats. Options, for --set:")
    print_table(
        ["option", "value", "meaning"],
        [
            [name, option_text(value), meanings.get(name, "")]
            for name, value in game.options.items()
        ],
    )
    print(f"Observation: {game.num_features} values, uint8")
    print_table(
        ["field", "shape", "highest", "view", "meaning"],
        [
            [field.name, _shape(field.shape), field.high, field.view, field.meaning]
            for field in game.fields
        ],
    )
    print(f"Actions: {game.num_actions}")
    slices = block_slices(game.blocks)
    print_table(
        ["block", "shape", "numbers", "meaning"],
        [
            [
                block.name,
                _shape(block.shape),
                f"{slices[block.name].start}–{slices[block.name].stop - 1}",
                block.meaning,
            ]
            for block in game.blocks
        ],
    )
    _tell_policies(game)


def _tell_policies(game: Game[Any]) -> None:
    """Print for which configs a policy comes with the package."""
    policies = shipped_policies(game)
    print(f"Policies of the agent ppo: {len(policies) or 'none'}")
    if policies:
        print_table(
            ["trained with", "steps", "score"],
            [
                [
                    config_title(game, policy.config),
                    f"{policy.head['steps']:,}",
                    _scores(policy.head["training"]["evaluation"]),
                ]
                for policy in policies
            ],
        )


def _scores(evaluation: Mapping[str, Any]) -> str:
    """Write the share of the win that a policy had against each opponent."""
    return ", ".join(f"{100 * part['score']:.1f} % v. {name}" for name, part in evaluation.items())


def _meanings(config_type: type[Any]) -> dict[str, str]:
    """Read what the docstring of a game's config says of each option."""
    text = inspect.getdoc(config_type) or ""
    described = re.findall(r"^    (\w+): (.+(?:\n {5,}.+)*)", text, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in described}


def _shape(shape: tuple[int, ...]) -> str:
    """Write a shape."""
    return " × ".join(map(str, shape)) or "1"
