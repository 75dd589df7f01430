"""`chromazoo play`: people play against agents, in the terminal or in the browser."""

import secrets
import sys
from typing import Annotated

import typer

from chromazoo.agents.match import require_end
from chromazoo.agents.table import Table
from chromazoo.cli.options import (
    Engine,
    GameName,
    MaxPlies,
    Sets,
    configured,
    naming_max_plies,
    needing,
)
from chromazoo.cli.seating import (
    advisers,
    checked_people,
    opponent_names,
    seat_players,
)
from chromazoo.cli.terminal_game import TerminalGame
from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.files import require_folder
from chromazoo.envs.game import ENGINES

EXAMPLES = (
    "chromazoo play kroma --set size=baby",
    "chromazoo play chroma --opponent heuristic --seat 1 --seed 7",
    "chromazoo play guardians --set num_players=4 --web",
    "chromazoo play chroma --set num_players=3 --web --seat 0 --seat 1 --opponent ppo:runs/mine",
)


def play(
    game: GameName,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            "--opponent",
            metavar="AGENT",
            help="Who plays against you: random, heuristic, ppo, ppo:PATH or module:attribute. One "
            "for all other seats, or repeated, one each in order. If not given: ppo where a "
            "policy comes with the package, else heuristic.",
        ),
    ] = None,
    seat: Annotated[
        list[int] | None,
        typer.Option(
            "--seat",
            metavar="N",
            help="Your seat, from 0, which it is if not given; with --web repeated for several "
            "people.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="The seed of the game, taken modulo 2^64; any if not given."),
    ] = None,
    sets: Sets = None,
    max_plies: MaxPlies = None,
    save: Annotated[
        str | None,
        typer.Option("--save", metavar="FILE", help="Write the record there once the game ends."),
    ] = None,
    web: Annotated[
        bool, typer.Option("--web", help="Play in the browser, with the mouse; extra web.")
    ] = False,
    port: Annotated[
        int,
        typer.Option(
            "--port", min=0, max=65535, help="Where --web listens; any that is free if 0."
        ),
    ] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="With --web, do not open a browser.")
    ] = False,
    engine: Engine = ENGINES[0],
) -> None:
    """Play a game against agents.

    In the terminal, legal moves are typed by number or in the game's notation; help tells the
    rest. With --web a page on this machine, and for nobody else, does the same with the mouse;
    each person has an address of their own. Nobody is shown what their seat may not know.
    """
    configuration = configured(game, sets, engine)
    with naming_max_plies():
        require_end(configuration, max_plies)
    people = checked_people(configuration, seat)
    if save is not None:
        require_folder(save)
    if len(people) > 1 and not web:
        raise InvalidArgument("--seat: one person in the terminal; several need --web")
    names = opponent_names(configuration, people, opponent)
    if web:
        with needing("--web needs", "web"):
            from chromazoo.cli.web.server import serve
    elif sys.stdin is None:
        raise InvalidArgument("play: standard input is closed")
    players = seat_players(configuration, people, names)
    number = secrets.randbits(64) if seed is None else seed
    table = Table(configuration, players, number, max_plies)
    asked = advisers(configuration, names)
    if web:
        serve(table, asked, port, save, not no_open)
    else:
        TerminalGame(table, people[0], asked).play(save)
