"""`chromazoo perft`: count the move trees of Kroma."""

import time
from typing import Annotated, Any

import typer

from chromazoo.cli.options import (
    AsJson,
    Engine,
    Sets,
    counted,
    parse_sets,
    print_json,
    print_table,
)
from chromazoo.envs.errors import InvalidConfig, InvalidPosition
from chromazoo.envs.game import ENGINES
from chromazoo.envs.kroma.notation import size_of
from chromazoo.envs.kroma.perft import divide as count_by_move
from chromazoo.envs.kroma.perft import perft as count
from chromazoo.envs.kroma.rules import Game

EXAMPLES = (
    'chromazoo perft "py/py/PY/PY py/py/py/py w 0" 5',
    'chromazoo perft "py/py/PY/PY py/py/py/py w 0" 3 --influence public --set leap=false --divide',
)


def perft(
    position: Annotated[
        str,
        typer.Argument(
            metavar="POSITION", help="A position: pieces, squares, side and clock, in quotes."
        ),
    ],
    depth: Annotated[
        int, typer.Argument(metavar="DEPTH", min=1, max=100, help="The greatest depth.")
    ],
    influence: Annotated[
        str | None,
        typer.Option("--influence", help="Whose pieces count: friendly, public or reversed."),
    ] = None,
    sets: Sets = None,
    divide: Annotated[
        bool, typer.Option("--divide", help="Count below each legal move, too.")
    ] = False,
    engine: Engine = ENGINES[0],
    as_json: AsJson = False,
) -> None:
    """Count the leaves of Kroma's tree of moves.

    Counts those at depth 1, 2, ... DEPTH. The size of the board is read off the position. The
    no-capture limit is off unless it is set.
    """
    game = _game(position, influence, parse_sets(sets), engine)
    begin = time.perf_counter()
    nodes, by_move = _count(game, position, depth, divide)
    seconds = time.perf_counter() - begin
    if as_json:
        found: dict[str, Any] = {"nodes": nodes, "seconds": seconds}
        print_json(found | ({"divide": by_move} if divide else {}))
        return
    if divide:
        print_table(["move", f"leaves at depth {depth}"], by_move.items())
    print_table(["depth", "leaves"], enumerate(nodes, start=1))
    print(f"{counted(sum(nodes), 'position')} in {seconds:.2f} s")


def _count(game: Game, position: str, depth: int, divide: bool) -> tuple[list[int], dict[str, int]]:
    """Count the leaves at each depth and, if asked to, those below each move."""
    try:
        if not divide:
            return count(game, position, depth), {}
        by_move = count_by_move(game, position, depth)
        above = count(game, position, depth - 1) if depth > 1 else []
    except InvalidPosition as error:
        raise InvalidPosition(str(error).removeprefix("game 0: ")) from None
    return [*above, sum(by_move.values())], by_move


def _game(position: str, influence: str | None, options: dict[str, Any], engine: str) -> Game:
    """Configure Kroma for a position."""
    given: dict[str, str] = {"size": size_of(position)}
    if influence is not None:
        given["influence"] = influence
    for key in given:
        if key in options:
            told = "read off the position" if key == "size" else "given by --influence"
            raise InvalidConfig(f"--set {key}: the {key} is {told}")
    return Game(engine=engine, **({"no_capture_limit": 0} | given | options))
