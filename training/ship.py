"""Puts the policies of finished runs into the package: `python -m chromazoo.training.ship RUN`.

It is for maintainers, who run it in a checkout. The policy's file is copied as it is, so whoever
repeats the training can compare bytes.
"""

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from chromazoo.agents import shipped
from chromazoo.agents.policy_heads import POLICY_FILE, Head, policy_head, read_policy
from chromazoo.envs.errors import ChromazooError, InvalidConfig, InvalidFile
from chromazoo.envs.files import write_atomic
from chromazoo.envs.registry import make_game
from chromazoo.training.preset import load_preset, preset_names

TOLD = {"command": str, "seed": int, "settings": dict, "versions": dict, "evaluation": dict}
"""What the description of a policy that is shipped says of its training."""
MOST_BYTES = 1_500_000
"""How long its file may be."""


class _Policy(NamedTuple):
    """A policy that may be shipped: the bytes of its file, what it says, and where it goes."""

    content: bytes
    head: Head
    target: Path


def ship(runs: Sequence[Path], replace: bool = False) -> list[Path]:
    """Put the policies of finished runs into the package: all of them, or none if one is refused.

    Args:
        runs: The runs' folders.
        replace: Whether they may take the places of others for the same configs.

    Returns:
        The policies' files in the package.

    Raises:
        InvalidFile: there is no policy in a folder, or it is damaged, of another version of the
            game, not finished, not described in full, not to be repeated by one command within its
            preset's budget, measured in games of which some were truncated, or too long.
        InvalidConfig: a config cannot be the name of a file, two policies have the same, or there
            is another policy of it.
        OSError: something cannot be written.
    """
    policies = [_checked(run) for run in runs]
    for number, (run, policy) in enumerate(zip(runs, policies, strict=True)):
        target = policy.target
        for other, before in zip(runs[:number], policies, strict=False):
            if before.target == target:
                raise InvalidConfig(f"{other} and {run}: both for {target.stem}; ship one")
        if not replace and target.exists() and read_policy(target) != policy.content:
            raise InvalidConfig(f"{run}: there is another {target.name}; --replace replaces it")
    for policy in policies:
        policy.target.parent.mkdir(exist_ok=True)
        write_atomic(policy.target, policy.content)
        write_atomic(policy.target.with_suffix(".json"), description(policy.head))
    return [policy.target for policy in policies]


def _checked(run: Path) -> _Policy:
    """Read the policy of a run, and refuse what is not to be shipped."""
    try:
        from chromazoo.agents.policy_files import parse_policy
        from chromazoo.training.checkpoints import newest_checkpoint
        from chromazoo.training.folder import CHECKPOINTS, SETTINGS
    except ImportError as error:
        raise ChromazooError(
            f"this needs {error.name}, which is not installed: pip install 'chromazoo[train]'"
        ) from None
    path = run / POLICY_FILE
    if (run / SETTINGS).exists() and not path.exists():
        raise InvalidFile(f"{run}: an unfinished run, with no {POLICY_FILE} in it yet")
    content = read_policy(path)
    head = policy_head(content, str(path))
    newest = newest_checkpoint(run / CHECKPOINTS)
    if newest is not None:
        later = policy_head(read_policy(newest / POLICY_FILE), str(newest))["steps"]
        if later > head["steps"]:
            raise InvalidFile(
                f"{run}: an unfinished run, which went on: {later} steps, and its policy has"
                f" {head['steps']}"
            )
    check_description(head, str(path))
    if len(content) > MOST_BYTES:
        raise InvalidFile(f"{path}: {len(content):,} bytes, and {MOST_BYTES:,} are the most")
    game = make_game(head["game"], **head["config"])
    parse_policy(game, content, str(path))
    return _Policy(
        content, head, shipped.POLICIES / f"{shipped.shipped_name(game)}{shipped.SUFFIX}"
    )


def check_description(head: Head, name: str) -> None:
    """Refuse a policy that is not finished or not measured, or does not say how to repeat it.

    Args:
        head: What it says of itself.
        name: What to call it in errors.

    Raises:
        InvalidFile: something is missing; or its command is none, its budget was changed on the
            way, or is above its preset's; or games of its evaluation were truncated.
    """
    training = head["training"]
    for entry, kind in TOLD.items():
        if not isinstance(training.get(entry), kind) or training[entry] in ("", {}):
            why = ": an unfinished run" if entry == "evaluation" else ""
            raise InvalidFile(f"{name}: no {entry} in its description{why}")
    budget, command = training["settings"].get("steps"), training["command"]
    if type(budget) is not int or head["steps"] < budget:
        raise InvalidFile(
            f"{name}: an unfinished run, trained for {head['steps']} steps of {budget!r:.20}"
        )
    if "\n" in command:
        raise InvalidFile(f"{name}: its budget was changed on the way; train it in one go")
    try:
        most = _preset_steps(head["game"], command)
    except ValueError as error:
        raise InvalidFile(f"{name}: no shell reads {command!r:.80} ({error})") from None
    if most is not None and budget > most:
        raise InvalidFile(f"{name}: a budget of {budget} steps, and its preset has {most}")
    for opponent, measured in training["evaluation"].items():
        cut = measured.get("truncated", 0) if isinstance(measured, dict) else 0
        if cut:
            raise InvalidFile(
                f"{name}: {cut} games of its evaluation against {opponent:.40} were truncated;"
                " measure it in games that end"
            )


def _preset_steps(game: str, command: str) -> int | None:
    """Look up the budget of the preset that a command names, None if it names none of the game.

    Raises:
        ValueError: the command is none, as of a quotation that does not end.
    """
    words = shlex.split(command)
    name = words[words.index("--preset") + 1] if "--preset" in words[:-1] else ""
    if name not in preset_names(game):
        return None
    preset: dict[str, Any] = load_preset(game, name)
    steps: int | None = preset.get("steps")
    return steps


def description(head: Head) -> str:
    """Write what a policy says of itself as the JSON file that goes beside it."""
    return json.dumps(head, indent=2) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Ship the policies of some runs.

    Args:
        arguments: Those of the command line, if not given.

    Returns:
        The exit status: 0, or 2 where a run was refused and so none was shipped.
    """
    parser = argparse.ArgumentParser(
        prog="python -m chromazoo.training.ship",
        description="Put the policies of finished training runs into the package.",
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the folder of a run")
    parser.add_argument(
        "--replace", action="store_true", help="replace policies of the same configs"
    )
    options = parser.parse_args(arguments)
    try:
        for target in ship([Path(run) for run in options.runs], options.replace):
            print(target)
    except (ChromazooError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
