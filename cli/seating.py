"""Who sits where when people play: their own seats, and agents at the others."""

from collections.abc import Sequence
from typing import Any

from chromazoo.agents.agent import HEURISTICS, Agent, can_read_policies
from chromazoo.agents.shipped import shipped_policies
from chromazoo.cli.agents import load_agent
from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.game import Game


def default_opponent(game: Game[Any]) -> str:
    """Name the best agent that comes with the package for a game and can be used here."""
    if (
        any(policy.config == game.config for policy in shipped_policies(game))
        and can_read_policies()
    ):
        return "ppo"
    return "heuristic" if game.id in HEURISTICS else "random"


def advisers(game: Game[Any], opponents: Sequence[str]) -> list[str]:
    """Name the agents that people may ask for advice: the best first, then those they play."""
    best = default_opponent(game)
    heuristic = ["heuristic"] if game.id in HEURISTICS else []
    return list(dict.fromkeys([best, *heuristic, *opponents, "random"]))


def checked_people(game: Game[Any], seats: Sequence[int] | None) -> tuple[int, ...]:
    """Return the seats of people, in order; seat 0 if none are given.

    Args:
        game: The rules.
        seats: What --seat was given.

    Raises:
        InvalidArgument: there is no such seat, or one is named twice.
    """
    people = tuple(sorted(seats or (0,)))
    for seat in people:
        if not 0 <= seat < game.num_seats:
            raise InvalidArgument(f"--seat {seat}: from 0 to {game.num_seats - 1}")
    if len(set(people)) < len(people):
        raise InvalidArgument("--seat: every seat once")
    return people


def opponent_names(
    game: Game[Any], people: Sequence[int], named: Sequence[str] | None
) -> list[str]:
    """Name the agent at each seat that no person has.

    Args:
        game: The rules.
        people: The seats of people.
        named: What --opponent was given: none, one for all, or one a seat.

    Returns:
        As many names as there are such seats.

    Raises:
        InvalidArgument: not as many as are needed.
    """
    free = game.num_seats - len(people)
    given = list(named or ())
    if not free and given:
        raise InvalidArgument("--opponent: people have all seats")
    if len(given) not in (0, 1, free):
        raise InvalidArgument(f"--opponent: one for all, or {free}, not {len(given)}")
    given = given or [default_opponent(game)]
    return given * free if len(given) == 1 else given


def seat_players(
    game: Game[Any], people: Sequence[int], names: Sequence[str]
) -> tuple[Agent | None, ...]:
    """Load the agents and seat everybody.

    Args:
        game: The rules.
        people: The seats of people.
        names: The agents at the other seats, in order.

    Returns:
        A player a seat, None for people.

    Raises:
        ChromazooError: an agent cannot be loaded.
    """
    loaded = {name: load_agent(name, game) for name in dict.fromkeys(names)}
    rest = iter(names)
    return tuple(None if seat in people else loaded[next(rest)] for seat in range(game.num_seats))
