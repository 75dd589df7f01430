"""What the commands share: reading `--set`, and saying things on the two streams."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from chromazoo.cli.compiling import tell_of_compiling
from chromazoo.envs.errors import ChromazooError, InvalidConfig
from chromazoo.envs.files import require_folder
from chromazoo.envs.game import ENGINES, Game
from chromazoo.envs.registry import MODULES, make_game

GameName = Annotated[str, typer.Argument(metavar="GAME", help="The game, such as kroma.")]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="An option of the game; may be repeated. The value is read as JSON, else as text.",
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")
]
MaxPlies = Annotated[
    int | None,
    typer.Option(
        "--max-plies",
        min=1,
        max=1_000_000_000,
        help="Break games off after so many decisions; needed where a game could go on for ever.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="The seed of the whole run, taken modulo 2^64.")]


def known_engine(name: str | None) -> str | None:
    """Refuse an engine that does not exist; a callback of Typer's."""
    if name is not None and name not in ENGINES:
        raise typer.BadParameter(f"no engine {name!r:.60}; engines are {', '.join(ENGINES)}")
    if name == "compiled":
        tell_of_compiling()
    return name


ENGINE_OPTION: Any = typer.Option(
    "--engine",
    metavar="NAME",
    callback=known_engine,
    help=f"What computes: {' or '.join(ENGINES)}. The results are the same; compiled is faster and "
    "needs the extra fast.",
)
Engine = Annotated[str, ENGINE_OPTION]


def parse_sets(texts: Sequence[str] | None) -> dict[str, Any]:
    """Read the values of `--set`.

    Args:
        texts: The texts `key=value`.

    Returns:
        Key -> value, read as JSON where it is JSON, else as text.

    Raises:
        InvalidConfig: a text without `=`, a key that is given twice, or the engine, which is no
            option of a game.

    >>> parse_sets(["size=baby", "leap=false", "no_capture_limit=50"])
    {'size': 'baby', 'leap': False, 'no_capture_limit': 50}
    """
    found: dict[str, Any] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InvalidConfig(f"--set {text!r}: KEY=VALUE was expected")
        if key in found:
            raise InvalidConfig(f"--set {key}: given twice")
        if key == "engine":
            raise InvalidConfig("--set engine: no option of a game; --engine is for that")
        try:
            found[key] = json.loads(value)
        except (ValueError, RecursionError):
            found[key] = value
    return found


def configured(game_id: str, sets: Sequence[str] | None, engine: str = ENGINES[0]) -> Game[Any]:
    """Configure a game as the command line says.

    Args:
        game_id: The game's name.
        sets: The texts of `--set`.
        engine: What computes.

    Returns:
        The game.

    Raises:
        UnknownName: there is no such game.
        InvalidConfig: the options do not fit it, or it cannot run on that engine here.
    """
    return make_game(game_id, engine=engine, **parse_sets(sets))


def games_with(options: dict[str, Any]) -> list[Game[Any]]:
    """Configure the games that have all of some options.

    Args:
        options: The options by name.

    Returns:
        The games, at least one.

    Raises:
        InvalidConfig: no game has them all, or their values do not fit.
    """
    every = [make_game(name) for name in MODULES]
    for key in options:
        if not any(key in game.options for game in every):
            known = "; ".join(f"{game.id}: {', '.join(game.options)}" for game in every)
            raise InvalidConfig(f"no game has an option {key!r} ({known})")
    fitting = [game.id for game in every if options.keys() <= game.options.keys()]
    if not fitting:
        raise InvalidConfig(f"no game has all of the options {', '.join(options)}")
    return [make_game(name, **options) for name in fitting]


def games_or_all(names: Sequence[str] | None, sets: Sequence[str] | None) -> list[Game[Any]]:
    """Configure the games that a command line names, or all that have the options if it names none.

    Args:
        names: The games' names; one named twice counts once.
        sets: The texts of `--set`.

    Returns:
        The games, at least one.

    Raises:
        UnknownName: there is no such game.
        InvalidConfig: the options do not fit.
    """
    named = dict.fromkeys(names or ())
    return [configured(name, sets) for name in named] or games_with(parse_sets(sets))


@contextmanager
def needing(what: str, extra: str = "train") -> Iterator[None]:
    """Say in one line what to install where an import fails, as of what the base install lacks.

    Args:
        what: Who needs it, with its verb, such as `plots need`.
        extra: Which extra brings it.

    Raises:
        ChromazooError: a package is not installed.
    """
    try:
        yield
    except ImportError as error:
        if (error.name or "").startswith("chromazoo"):
            raise
        raise ChromazooError(
            f"{what} {error.name}, which is not installed: pip install 'chromazoo[{extra}]'"
        ) from None


def checked_picture(path: str, example: str) -> Path:
    """Refuse the name of a picture that could not be written.

    Args:
        path: What --plot was given.
        example: What it might be.

    Raises:
        InvalidConfig: it is no PNG file.
        FileNotFoundError: its folder is not there.
    """
    if not path.endswith(".png"):
        raise InvalidConfig(f"--plot {path}: a PNG file was expected, such as {example}")
    require_folder(path)
    return Path(path)


def filled(text: str | None) -> str | None:
    """Refuse an option whose value is nothing; a callback of Typer's."""
    if text is not None and not text.strip():
        raise typer.BadParameter("a name was expected, not nothing")
    return text


def print_json(value: Any) -> None:
    """Print a JSON object on a line of standard output."""
    sys.stdout.write(json.dumps(value) + "\n")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on standard output; columns after the first that hold numbers align right."""
    table = Table()
    cells = [[str(cell) for cell in row] for row in rows]
    for number, name in enumerate(columns):
        numeric = all(row[number][:1].isdigit() for row in cells)
        table.add_column(name, justify="right" if numeric and number else "left", overflow="fold")
    for row in cells:
        table.add_row(*row)
    Console(markup=False, highlight=False, soft_wrap=False).print(table)


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write how many there are of something.

    >>> counted(1, "record"), counted(0, "ply", "plies")
    ('1 record', '0 plies')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


@contextmanager
def naming_max_plies() -> Iterator[None]:
    """Let what is said of `max_plies` name the option of the command line.

    Raises:
        InvalidConfig: a limit is needed, or it is below 1.
    """
    try:
        yield
    except InvalidConfig as error:
        raise InvalidConfig(str(error).replace("max_plies", "--max-plies")) from None


def note(text: str) -> None:
    """Say something on standard error, if it is open: `print` would take standard output."""
    if sys.stderr is not None:
        print(text, file=sys.stderr)
