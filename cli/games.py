"""`chromazoo games`: which games there are, and all about their options."""

import inspect
import re
from collections.abc import Sequence
from dataclasses import asdict, fields
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from chromazoo.agents.shipped import Shipped, shipped_policies
from chromazoo.cli.options import (
    AsJson,
    Sets,
    games_or_all,
    print_json,
    print_table,
)
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.fields import block_slices
from chromazoo.envs.game import Game
from chromazoo.envs.options import option_text, told_options
from chromazoo.envs.registry import make_game
from chromazoo.envs.titles import config_title

_TOO_MANY = 20  # a whole number that an option with few values does not take

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
    configured. --json gives for each the options with few values with these values, as they may be
    set beside the others, and the policies.
    """
    listed = games_or_all(names, sets)
    if as_json:
        rows = [
            {
                "id": game.id,
                "options": game.options,
                "values": few_values(game),
                "num_seats": game.num_seats,
                "num_actions": game.num_actions,
                "num_features": game.num_features,
                "policies": [_policy(game, policy) for policy in shipped_policies(game)],
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
    """Print for which configs a policy comes with the package, and its shares of the win."""
    policies = shipped_policies(game)
    print(f"Policies of the agent ppo: {len(policies) or 'none'}")
    if policies:
        told = [_policy(game, policy) for policy in policies]
        opponents = list(dict.fromkeys(name for policy in told for name in policy["score"]))
        print_table(
            ["trained with", "steps", *(f"v. {name}" for name in opponents), "equal play"],
            [
                [
                    config_title(game, policy.config),
                    f"{entry['steps']:,}",
                    *(_percent(entry["score"].get(name)) for name in opponents),
                    f"{100 * entry['equal_score']:.3g} %",
                ]
                for policy, entry in zip(policies, told, strict=True)
            ],
        )


def _policy(game: Game[Any], policy: Shipped) -> dict[str, Any]:
    """Return what is told of a policy in JSON types; scores are shares of the win."""
    evaluation = policy.head["training"]["evaluation"]
    return {
        "options": told_options(game.config_type, asdict(policy.config)),
        "steps": policy.head["steps"],
        "score": {name: part["score"] for name, part in evaluation.items()},
        "equal_score": 1 / make_game(game.id, **asdict(policy.config)).num_seats,
    }


def few_values(game: Game[Any]) -> dict[str, list[Any]]:
    """List the values of options that take few.

    Args:
        game: The game; its other options stay as they are.

    Returns:
        Option -> its values in JSON types, found by trying; of texts, those that have a name.

    >>> few_values(make_game("guardians", num_players=3))
    {'num_players': [2, 3, 4, 5], 'rounds': [1, 2, 3], 'duel': [False]}
    """
    hints = get_type_hints(game.config_type)
    found = {}
    for option in fields(game.config_type):
        tried = option.metadata.get("values") or _candidates(hints[option.name])
        taken = _taken(game, option.name, tried)
        if taken and _TOO_MANY not in taken:
            found[option.name] = taken
    return found


def _candidates(hint: Any) -> list[Any]:
    """List the values that an option of a type might take; none if they cannot be listed."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    if get_origin(hint) is UnionType:
        parts = [_candidates(part) for part in get_args(hint)]
        return [value for part in parts for value in part] if all(parts) else []
    known: dict[Any, list[Any]] = {
        bool: [False, True],
        int: list(range(_TOO_MANY + 1)),
        NoneType: [None],
    }
    return known.get(hint, [])


def _taken(game: Game[Any], name: str, values: Sequence[Any]) -> list[Any]:
    """List those of some values that an option takes beside the others, as the config has them."""
    told = told_options(game.config_type, asdict(game.config))
    taken = []
    for value in values:
        try:
            made = getattr(game.config_type(**{**told, name: value}), name)
        except InvalidConfig:
            continue
        if made not in taken:
            taken.append(made)
    return taken


def _percent(share: float | None) -> str:
    """Write a share, if there is one."""
    return "" if share is None else f"{100 * share:.1f} %"


def _meanings(config_type: type[Any]) -> dict[str, str]:
    """Read what the docstring of a game's config says of each option."""
    text = inspect.getdoc(config_type) or ""
    described = re.findall(r"^    (\w+): (.+(?:\n {5,}.+)*)", text, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in described}


def _shape(shape: tuple[int, ...]) -> str:
    """Write a shape."""
    return " × ".join(map(str, shape)) or "1"
