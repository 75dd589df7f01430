"""Which suites and games are set beside ours, and what a reader must know to compare them."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec

from chromazoo.envs.errors import InvalidArgument

OURS = "chromazoo"
ADAPTERS = "chromazoo.benchmarks.peers"
# Numbers of games at once that are tried where a suite plays many.
BATCHED = (1024, 4096, 16384)  # ours
BOARDS = (16, 64, 512, 4096)  # Pgx, whose boards are fastest at few, cards at many
CARDS = (64, 4096, 16384, 65536)


@dataclass(frozen=True)
class Suite:
    """A suite of games.

    Attributes:
        name: Its name.
        distribution: The package that carries its version.
        modules: The modules that must be found for its games to run.
        requirement: What `pip install` wants.
        note: How it plays, in a sentence.
    """

    name: str
    distribution: str
    modules: tuple[str, ...]
    requirement: str
    note: str

    @property
    def missing(self) -> str | None:
        """Name the first of its modules that is not installed, None if all are."""
        return next((name for name in self.modules if find_spec(name) is None), None)

    @property
    def version(self) -> str | None:
        """Tell the version that is installed, None if none is."""
        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:
            return None


@dataclass(frozen=True)
class Entry:
    """A row of the table: one game, played in one way.

    Attributes:
        suite: The suite.
        game: The game's name in its suite.
        beside: The game of ours that it is set beside.
        kind: Board or cards, and what is hidden.
        holds: What an observation holds.
        batches: Numbers of games at once, of which the best is shown.
        adapter: The module whose `run` measures it.
    """

    suite: Suite
    game: str
    beside: str
    kind: str
    holds: str
    batches: tuple[int, ...]
    adapter: str

    @property
    def name(self) -> str:
        """Its name for `--only`."""
        return f"{self.suite.name}/{self.game}"


CHROMAZOO = Suite(
    OURS,
    "chromazoo",
    (),
    "chromazoo",
    "many games at once in numpy; the rows with one game are the same engine at batch 1, and its "
    "AEC face env(), played by the loop that plays PettingZoo's",
)
COMPILED = Suite(
    f"{OURS}-compiled",
    "chromazoo",
    ("numba",),
    "chromazoo[fast]",
    "the same games on the compiled engine",
)
OPEN_SPIEL = Suite(
    "open_spiel",
    "open_spiel",
    ("pyspiel", "open_spiel"),
    "open_spiel",
    "one game at once, rules in C++ called from Python; chance is played by the caller, and "
    "takes time",
)
PETTINGZOO = Suite(
    "pettingzoo",
    "pettingzoo",
    ("pettingzoo", "chess", "pygame"),
    "pettingzoo[classic]",
    "one game at once in Python, through env(); the mask is part of the observation, so there is "
    "no play without observations",
)
RLCARD = Suite(
    "rlcard",
    "rlcard",
    ("rlcard",),
    "rlcard",
    "one game at once in Python; without observations is the game beneath Env, which still lists "
    "cards and legal actions by name",
)
PGX = Suite(
    "pgx",
    "pgx",
    ("pgx", "jax"),
    "pgx",
    "many games at once, compiled by JAX for one core of the processor, where Pgx is made for "
    "accelerators; new games by its auto_reset, which makes one for every row at every step",
)

_KINDS = {
    "kroma": (
        "6×8 board, two players, nothing hidden",
        "the position, what each colour reaches, plies since the last capture",
    ),
    "chroma": (
        "cards and a board, two players, hidden hands, chance, turns of several steps",
        "board, own hand, stage of the turn, and what a perfect memory would keep",
    ),
    "guardians": (
        "cards, two players, sealed simultaneous choices, chance",
        "queue, own hand and choices, marks, and what a perfect memory would keep",
    ),
}


def _ours(suite: Suite, game: str, batches: tuple[int, ...]) -> Entry:
    """List a game of ours on one engine, or its AEC face."""
    name = game.removesuffix("-aec")
    adapter = "ours" if suite is CHROMAZOO else "ours_compiled"
    return Entry(suite, game, name, *_KINDS[name], batches, adapter)


def _peer(
    suite: Suite, game: str, beside: str, kind: str, holds: str, batches: tuple[int, ...] = (1,)
) -> Entry:
    """List a game of another suite."""
    return Entry(suite, game, beside, kind, holds, batches, suite.name)


ENTRIES = (
    *(
        _ours(suite, game, batches)
        for suite in (CHROMAZOO, COMPILED)
        for game in _KINDS
        for batches in (BATCHED, (1,))
    ),
    *(_ours(suite, f"{game}-aec", (1,)) for suite in (CHROMAZOO, COMPILED) for game in _KINDS),
    _peer(
        OPEN_SPIEL,
        "chess",
        "kroma",
        "8×8 chess, nothing hidden",
        "the position, no past ones",
    ),
    _peer(
        OPEN_SPIEL,
        "breakthrough",
        "kroma",
        "8×8 board, one kind of piece, nothing hidden",
        "the position",
    ),
    _peer(
        OPEN_SPIEL,
        "goofspiel",
        "guardians",
        "13 cards each, simultaneous bids, prizes in random order, bids shown once made",
        "points, hands, this prize and those to come",
    ),
    _peer(
        OPEN_SPIEL,
        "gin_rummy",
        "chroma",
        "52 cards, two players, hidden hands, chance",
        "own hand, upcard, discards, size of the stock, melds laid",
    ),
    _peer(
        PETTINGZOO,
        "chess_v6",
        "kroma",
        "8×8 chess, nothing hidden",
        "the position and seven past ones",
    ),
    _peer(
        PETTINGZOO,
        "connect_four_v3",
        "kroma",
        "6×7 board, nothing hidden",
        "the position",
    ),
    _peer(
        RLCARD,
        "uno",
        "chroma",
        "108 cards, two players, hidden hands, chance",
        "own hand and the top card; not the numbers of cards in hands",
    ),
    _peer(
        RLCARD,
        "leduc-holdem",
        "chroma",
        "six cards, two players, one hidden card each, chance",
        "own card, public card, chips",
    ),
    _peer(
        PGX,
        "gardner_chess",
        "kroma",
        "5×5 chess, nothing hidden",
        "the position and seven past ones",
        BOARDS,
    ),
    _peer(
        PGX,
        "animal_shogi",
        "kroma",
        "4×3 board with drops, nothing hidden",
        "the position and seven past ones",
        BOARDS,
    ),
    _peer(
        PGX,
        "leduc_holdem",
        "chroma",
        "six cards, two players, one hidden card each, chance",
        "own card, public card, chips",
        CARDS,
    ),
)


def chosen(names: Iterable[str]) -> tuple[Entry, ...]:
    """List the entries that are named: `pgx` all of a suite, `pgx/leduc_holdem` one; all if none.

    Args:
        names: Names of suites and of entries.

    Returns:
        The entries, in the order of the table.

    Raises:
        InvalidArgument: a name that is neither.
    """
    wanted = list(names)
    for name in wanted:
        if not any(name in (entry.suite.name, entry.name) for entry in ENTRIES):
            suites = dict.fromkeys(entry.suite.name for entry in ENTRIES)
            raise InvalidArgument(
                f"no suite or game {name!r}; suites are {', '.join(suites)}, "
                f"and {ENTRIES[-1].name} is a game"
            )
    return tuple(
        entry
        for entry in ENTRIES
        if not wanted or entry.suite.name in wanted or entry.name in wanted
    )
