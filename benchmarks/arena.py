"""The arena: agents meet on duplicate deals, in every seating, and are ranked.

A *deal* is the seed of a game together with the seeds of the agents: deal d of seed S has the game
seed `mix(S, d)`, and the k-th seat that an entrant has at a table draws from the stream
`agent_stream(game seed, row + k K)`, where row is the entrant's number and K how many there are. So
an entrant keeps its stream as it changes seats, and two of the same name never play alike.

Every deal is played at every table, and there in every rotation of an order of the places. With two
seats a table is a pair. With more it is a set of as many entrants as there are seats; if they are
fewer, all have the same number of places, but for some that have one more at each table in turn.
Every (N - 1)! deals bring each order around the table once, in a sequence that the seed shuffles.
So all entrants sit equally often at each seat and, over as many deals, behind each neighbour.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from itertools import combinations, permutations
from math import comb, lcm
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent
from chromazoo.agents.match import Progress, check_whole, play_games, require_end, win_share
from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import Stream, agent_stream, as_seeds, mix, shuffled

MOST_AGENTS = 100
MOST_GAMES = 20_000_000  # in all: a few of their figures stay in memory
BATCH = 4096

_ORDERS = int.from_bytes(b"orders", "little")


@dataclass(frozen=True)
class Tournament:
    """Who meets whom, on which deals.

    Attributes:
        game: The rules.
        names: The names of the K entrants; one named twice is two entrants.
        games: How many games, as `make` was asked but rounded up to whole deals: of each pair at
            games of two seats, else in all.
        deals: Number of deals, D.
        seed: The seed of everything, taken modulo 2^64.
        max_plies: Decisions after which a game is truncated, and shared by all; None for never.
    """

    game: Game[Any]
    names: tuple[str, ...]
    games: int
    deals: int
    seed: int
    max_plies: int | None

    @classmethod
    def make(
        cls,
        game: Game[Any],
        names: Sequence[str],
        games: int,
        seed: int = 0,
        max_plies: int | None = None,
    ) -> Self:
        """Plan a tournament.

        Args:
            game: The rules.
            names: The names of the entrants, at least two.
            games: How many games at least: of each pair at games of two seats, else in all.
            seed: The seed of everything, taken modulo 2^64.
            max_plies: Decisions after which a game is truncated, None for never.

        Returns:
            The tournament.

        Raises:
            InvalidArgument: fewer than two entrants, too many, or too many games.
            InvalidConfig: games might never end; see `require_end`.
        """
        require_end(game, max_plies)
        if not 2 <= len(names) <= MOST_AGENTS:
            raise InvalidArgument(
                f"an arena takes 2 to {MOST_AGENTS} agents, not {len(names)}; "
                "one named twice meets itself"
            )
        check_whole("games", games, 1)
        tables, seats = count_tables(len(names), game.num_seats), game.num_seats
        of_a_deal = seats if seats == 2 else seats * tables
        deals = -(-int(games) // of_a_deal)
        if deals * tables * seats > MOST_GAMES:
            raise InvalidArgument(
                f"{deals * tables * seats:,} games in all, {tables:,} tables in every rotation; "
                f"an arena plays up to {MOST_GAMES:,}"
            )
        seed = int(as_seeds(seed)[0])
        return cls(game, tuple(names), deals * of_a_deal, deals, seed, max_plies)

    @cached_property
    def tables(self) -> NDArray[np.int64]:
        """The entrant at each place of each table: int64 (T, N)."""
        return make_tables(len(self.names), self.game.num_seats)

    @property
    def games_of_a_deal(self) -> int:
        """Number of games that each deal is played in, at all tables: T N."""
        return int(self.tables.size)

    @property
    def unit(self) -> int:
        """How many units make a win, so that every share of it is whole."""
        return lcm(*range(1, self.game.num_seats + 1))

    def orders(self, deals: NDArray[np.int64]) -> NDArray[np.int64]:
        """Tell who sits where.

        Args:
            deals: int64 (n,), numbers of deals.

        Returns:
            int64 (n, N, N): the place of the table that has each seat, by deal, rotation and seat.
        """
        seats = self.game.num_seats
        around = np.array([(0, *others) for others in permutations(range(1, seats))])
        cycle, number = np.divmod(deals, len(around))
        stream = mix(mix(as_seeds(self.seed), _ORDERS), cycle.astype(np.uint64))
        chosen = shuffled(stream, len(around))[np.arange(len(deals)), number]
        rotations = (np.arange(seats)[:, None] + np.arange(seats)) % seats
        orders: NDArray[np.int64] = around[chosen][:, rotations]
        return orders

    def game_seeds(self, deals: NDArray[np.int64]) -> Stream:
        """Return the games' seeds, uint64 (n,), of deals, int64 (n,)."""
        return mix(as_seeds(self.seed), deals.astype(np.uint64))

    def play(
        self,
        agents: Mapping[str, Agent],
        first: int = 0,
        batch: int = BATCH,
        progress: Progress | None = None,
    ) -> Iterator["Results"]:
        """Play, some whole deals at a time.

        Args:
            agents: The agents by name. The same one serves all entrants of its name.
            first: The deal with which to begin.
            batch: How many games are played at once, of any pairs and seatings; all games of at
                least one deal come before the next results.
            progress: Called now and then with the number of games that ended since its last call.

        Yields:
            Results of the deals that come next. They do not depend on the batch (a network's
            answers do in their last bits: see `PPOAgent`).

        Raises:
            InvalidArgument: the batch is below 1.
            InvalidAgent: an agent was made for another game or config, or is none.
            IllegalAction: an agent took an action that is not legal.
        """
        check_whole("batch", batch, 1)
        some = max(1, batch // self.games_of_a_deal)
        for start in range(first, self.deals, some):
            deals = np.arange(start, min(start + some, self.deals))
            yield self._play(agents, deals, batch, progress)

    def _play(
        self,
        agents: Mapping[str, Agent],
        deals: NDArray[np.int64],
        batch: int,
        progress: Progress | None,
    ) -> "Results":
        """Play all games of some deals: axes (deals, tables, rotations, seats)."""
        begin = perf_counter()
        seats, rows = self.game.num_seats, len(self.names)
        orders = self.orders(deals)
        shape = (len(deals), len(self.tables), seats, seats)
        places = np.broadcast_to(orders[:, None], shape)
        table = np.arange(len(self.tables))[:, None, None]
        entrants = self.tables[table, places]
        seeds = self.game_seeds(deals)
        opened = np.stack(  # (deals, entrants at their first place, at their second, ...)
            [agent_stream(seeds, number) for number in range(rows * (1 + int(self._copies.max())))],
            axis=1,
        )
        streams = opened[
            np.arange(len(deals))[:, None, None, None],
            entrants + rows * self._copies[table, places],
        ]
        players = list(agents)
        own = np.array([players.index(name) for name in self.names])
        outcome = play_games(
            self.game,
            [agents[name] for name in players],
            np.repeat(seeds, self.games_of_a_deal),
            seating=own[entrants].reshape(-1, seats),
            agent_seeds=streams.reshape(-1, seats),
            max_plies=self.max_plies,
            batch=batch,
            progress=progress,
        )
        shares = _in_units(win_share(outcome.rewards), self.unit).reshape(shape)
        return Results(
            int(deals[0]),
            shares,
            outcome.plies.reshape(shape[:-1]),
            outcome.truncated.reshape(shape[:-1]),
            perf_counter() - begin,
        )

    @cached_property
    def _copies(self) -> NDArray[np.int64]:
        """At each place, how many places before it the same entrant has: int64 (T, N)."""
        same = self.tables[:, :, None] == self.tables[:, None, :]
        copies: NDArray[np.int64] = np.tril(same, k=-1).sum(axis=2)
        return copies

    def wins(self, results: "Results") -> NDArray[np.int64]:
        """Add up what each place of each table won, over the rotations.

        Args:
            results: Those of D deals.

        Returns:
            int64 (D, T, N), in units.
        """
        orders = self.orders(results.first + np.arange(len(results.shares)))
        seat_of = orders.argsort(axis=2)  # (deals, rotations, places)
        shares = np.take_along_axis(results.shares, seat_of[:, None], axis=3)
        wins: NDArray[np.int64] = shares.sum(axis=2, dtype=np.int64)
        return wins


@dataclass(frozen=True)
class Results:
    """How the games of some deals ended, which follow one another.

    Attributes:
        first: The number of the first deal.
        shares: uint16 (D, T, N, N), the share of the win in units, by deal, table, rotation and
            seat.
        plies: int32 (D, T, N), decisions taken, by deal, table and rotation.
        truncated: bool (D, T, N), whether the game was broken off.
        seconds: How long they were played.
    """

    first: int
    shares: NDArray[np.uint16]
    plies: NDArray[np.int32]
    truncated: NDArray[np.bool_]
    seconds: float

    @property
    def end(self) -> int:
        """The number of the deal after the last."""
        return self.first + len(self.shares)

    @classmethod
    def joined(cls, parts: Sequence["Results"]) -> "Results":
        """Join results that follow one another; at least one."""
        return cls(
            parts[0].first,
            np.concatenate([part.shares for part in parts]),
            np.concatenate([part.plies for part in parts]),
            np.concatenate([part.truncated for part in parts]),
            sum(part.seconds for part in parts),
        )


def count_tables(entrants: int, seats: int) -> int:
    """Count what `make_tables` makes.

    >>> [count_tables(entrants, 4) for entrants in (2, 3, 4, 6)]
    [1, 3, 1, 15]
    """
    return comb(entrants, seats if entrants >= seats else seats % entrants)


def make_tables(entrants: int, seats: int) -> NDArray[np.int64]:
    """Fill tables so that all entrants sit equally often.

    Args:
        entrants: Number of entrants, K.
        seats: Number of seats, N.

    Returns:
        int64 (T, N), the entrant at each place: all sets of N entrants; where K < N, every entrant
        N // K times, and each set of N % K of them once more.

    >>> make_tables(3, 2).tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> make_tables(3, 4).tolist()
    [[0, 0, 1, 2], [0, 1, 1, 2], [0, 1, 2, 2]]
    """
    if entrants >= seats:
        return np.array([*combinations(range(entrants), seats)], np.int64)
    usual = [*range(entrants)] * (seats // entrants)
    more = combinations(range(entrants), seats % entrants)
    return np.array([sorted([*usual, *others]) for others in more], np.int64)


def identity(tournament: Tournament, agents: Mapping[str, Agent]) -> dict[str, Any]:
    """Tell what a tournament's results depend on, in JSON types, but for the number of its deals.

    Args:
        tournament: The tournament.
        agents: The agents by name; a hash of the weights of a network stands for what it plays.

    Returns:
        Equal for tournaments of which one may go on with the results of the other.
    """
    return {
        "chromazoo": version("chromazoo"),
        "game": tournament.game.id,
        "version": tournament.game.version,
        "config": tournament.game.options,
        "agents": list(tournament.names),
        "weights": {name: _weights(agents[name]) for name in sorted(agents)},
        "seed": tournament.seed,
        "max_plies": tournament.max_plies,
    }


def _weights(agent: Agent) -> str | None:
    """Hash the weights of an agent that has a network."""
    network = getattr(agent, "network", None)
    if network is None:
        return None
    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()


def _in_units(shares: NDArray[np.float64], unit: int) -> NDArray[np.uint16]:
    """Turn shares of the win into whole numbers of units."""
    units = np.rint(shares * unit)
    if not np.allclose(units, shares * unit, rtol=0, atol=1e-6):
        raise InvalidArgument("an arena is for games whose rewards share out one win")
    return units.astype(np.uint16)
