"""Puts the policies of finished runs into the package: `python -m chromazoo.training.ship RUN`.

It is for maintainers, who run it in a checkout. The policy's file is copied as it is, so whoever
repeats the training can compare bytes.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from chromazoo.agents import shipped
from chromazoo.agents.policy_files import parse_policy
from chromazoo.agents.policy_heads import POLICY_FILE, Head, policy_head, read_policy
from chromazoo.envs.errors import ChromazooError, InvalidFile
from chromazoo.envs.files import write_atomic
from chromazoo.envs.registry import make_game

TOLD = {"command": str, "seed": int, "settings": dict, "versions": dict, "evaluation": dict}
"""What the description of a policy that is shipped says of its training."""
MOST_BYTES = 1_500_000
"""How long its file may be."""


def ship(run: Path) -> Path:
    """Put the policy of a finished run into the package.

    Args:
        run: The run's folder.

    Returns:
        The policy's file in the package; one of the same config that was there is replaced.

    Raises:
        InvalidFile: there is no policy in the folder, or it is damaged, of another version of the
            game, not finished, not described in full, or too long.
        InvalidConfig: its config cannot be the name of a file.
        OSError: it cannot be written.
    """
    path = run / POLICY_FILE
    content = read_policy(path)
    head = policy_head(content, str(path))
    check_description(head, str(path))
    if len(content) > MOST_BYTES:
        raise InvalidFile(f"{path}: {len(content):,} bytes, and {MOST_BYTES:,} are the most")
    game = make_game(head["game"], **head["config"])
    parse_policy(game, content, str(path))
    target = shipped.POLICIES / f"{shipped.shipped_name(game)}{shipped.SUFFIX}"
    target.parent.mkdir(exist_ok=True)
    write_atomic(target, content)
    write_atomic(target.with_suffix(".json"), description(head))
    return target


def check_description(head: Head, name: str) -> None:
    """Refuse a policy that is not finished or does not say how it was made.

    Args:
        head: What it says of itself.
        name: What to call it in errors.

    Raises:
        InvalidFile: something is missing.
    """
    training = head["training"]
    for entry, kind in TOLD.items():
        if not isinstance(training.get(entry), kind) or training[entry] in ("", {}):
            raise InvalidFile(
                f"{name}: no {entry} in its description; a run that is finished has one"
            )
    budget = training["settings"].get("steps")
    if type(budget) is not int or head["steps"] < budget:
        raise InvalidFile(f"{name}: trained for {head['steps']} steps of {budget!r:.20}")


def description(head: Head) -> str:
    """Write what a policy says of itself as the JSON file that goes beside it."""
    return json.dumps(head, indent=2) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Ship the policies of some runs.

    Args:
        arguments: Those of the command line, if not given.

    Returns:
        The exit status: 0, or 2 where a run was refused.
    """
    parser = argparse.ArgumentParser(
        prog="python -m chromazoo.training.ship",
        description="Put the policies of finished training runs into the package.",
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the folder of a run")
    options = parser.parse_args(arguments)
    try:
        for run in options.runs:
            print(ship(Path(run)))
    except (ChromazooError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
