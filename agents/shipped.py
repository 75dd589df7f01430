"""The policies that come with the package: a file for each config that has one.

Each has a JSON file beside it that says the same as its head, for readers without a program. They
are trained and put there by maintainers (`python -m chromazoo.training.ship`).
"""

import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple

from chromazoo.agents.policy_heads import Head, policy_head, read_policy, trained_config
from chromazoo.envs.errors import InvalidConfig, UnknownName
from chromazoo.envs.game import Game
from chromazoo.envs.titles import config_title, option_texts

POLICIES = Path(__file__).parent / "policies"
SUFFIX = ".safetensors"


class Shipped(NamedTuple):
    """A policy that comes with the package.

    Attributes:
        path: Its file.
        head: What it says of itself.
        config: The config for which it was trained.
    """

    path: Path
    head: Head
    config: Any


def shipped_policies(game: Game[Any]) -> list[Shipped]:
    """List the policies that come with the package for a game.

    Args:
        game: Any config of the game.

    Returns:
        Its policies of all configs, in the order of their files' names.

    Raises:
        InvalidFile: a file is damaged.
    """
    found = []
    for path in sorted(POLICIES.glob(f"{game.id}*{SUFFIX}")):
        head = policy_head(read_policy(path), str(path))
        if head["game"] == game.id:
            found.append(Shipped(path, head, trained_config(game, head, str(path))))
    return found


def find_shipped(game: Game[Any]) -> Path:
    """Find the policy that was trained for exactly the config of a game.

    Args:
        game: The game; options that it was not given and those that have the default are the same.

    Returns:
        The policy's file.

    Raises:
        UnknownName: no policy is shipped for this config.
        InvalidFile: a file is damaged.
    """
    every = shipped_policies(game)
    for policy in every:
        if policy.config == game.config:
            return policy.path
    titles = ", ".join(config_title(game, policy.config) for policy in every)
    has = f"{game.id} has some for {titles}" if every else f"{game.id} has none"
    sets = "".join(f" --set {shlex.quote(text)}" for text in option_texts(game))
    raise UnknownName(
        f"no policy is shipped for {game!r}: {has}. Train one (chromazoo train {game.id}{sets}"
        " --out runs/mine) and name its folder: ppo:runs/mine"
    )


def shipped_name(game: Game[Any]) -> str:
    """Name the file of a policy that is to come with the package, without its suffix.

    Args:
        game: The game in the policy's config.

    Returns:
        The game and those of its options that are not the default.

    Raises:
        InvalidConfig: it cannot be the name of a file everywhere.
    """
    name = "-".join([game.id, *option_texts(game)])
    if not re.fullmatch(r"[\w=.-]{1,80}", name, re.ASCII):
        raise InvalidConfig(f"no file can be named for this config: {name:.80}")
    return name
