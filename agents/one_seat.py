"""One seat against opponents: many games at once, and in each of them one seat is the learner's.

The learner is whoever plays through a face: `chromazoo.agents.single` for Gymnasium,
`chromazoo.training.selfplay` for Stable-Baselines3. Between its decisions the opponents move.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, Decision, TeamPlayer, decide
from chromazoo.agents.match import require_end
from chromazoo.envs.episodes import episode_seeds, truncated
from chromazoo.envs.errors import IllegalAction, InvalidArgument, InvalidConfig, InvalidFile
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import Stream, agent_stream, mix, uniform
from chromazoo.envs.state import State

_MATCHES = int.from_bytes(b"matches", "little")
_LEARNER = -1
_TALLIED = 4  # columns of the tallies

Rows = NDArray[np.int64]


class OneSeatGames:
    """B games, in each of which the learner has one seat and opponents have the others.

    A row plays one game after the other: the first from the seed that `sow` gave it, the n-th after
    it from `mix(seed, n)`. A game that ends is at rest until `deal` begins the next one in its row.
    Games that end before the learner's first decision are passed over.

    Opponents draw from streams of their own, which depend on the game's seed and their seat, so the
    same seeds, opponents and actions give the same games. They see their own `Decision`s and no
    more.

    >>> from chromazoo.agents.agent import RandomAgent
    >>> from chromazoo.envs import kroma_v0
    >>> games = OneSeatGames(kroma_v0.Game(size="baby"), 2, [RandomAgent()])
    >>> rows = np.arange(2)
    >>> games.sow(rows, np.array([7, 8], np.uint64), rows)
    >>> games.deal(rows)
    >>> games.settle().tolist(), games.learner.tolist()  # no game has ended, White and Black
    ([], [0, 1])
    >>> games.step(games.game.action_mask(games.state, games.learner).argmax(axis=1))
    >>> games.settle().tolist(), games.state.plies.tolist()
    ([], [2, 3])

    Attributes:
        game: The rules.
        num_envs: Number of games, B.
        opponents: The pool.
        weights: float64 (opponents,), how often each is drawn; they sum to 1.
        seat: The learner's seat; None: it moves on by one seat from game to game.
        seated: Whether opponent k has the seat k + 1 seats after the learner's, instead of being
            drawn.
        max_plies: Decisions, of all seats, after which a game is truncated; None for never.
        resting: bool (B,), whether the row's game has ended and the next is not dealt yet.
    """

    def __init__(
        self,
        game: Game[Any],
        num_envs: int,
        opponents: Sequence[Agent],
        weights: Sequence[float] | None = None,
        *,
        seat: int | None = None,
        seated: bool = False,
        max_plies: int | None = None,
    ) -> None:
        """Lay out B games, which `sow` and `deal` begin.

        Args:
            game: The rules.
            num_envs: Number of games, B.
            opponents: The pool from which every other seat draws its player, game by game.
            weights: How often each is drawn, in proportion; all equally if not given.
            seat: The learner's seat; None: it moves on by one seat from game to game.
            seated: Opponent k has the seat k + 1 seats after the learner's; nobody is drawn.
            max_plies: Decisions, of all seats, after which a game is truncated.

        Raises:
            InvalidConfig: games might never end, or pool and weights do not fit.
        """
        require_end(game, max_plies)
        if num_envs < 1:
            raise InvalidConfig(f"num_envs: at least 1, not {num_envs}")
        self.game = game
        self.num_envs = num_envs
        self.seat = seat
        self.seated = seated
        self.max_plies = max_plies
        self.set_opponents(opponents, weights)
        seats = game.num_seats
        self.resting = np.zeros(num_envs, np.bool_)
        self._state: State | None = None
        self._row_seeds = np.zeros(num_envs, np.uint64)
        self._first_seats = np.arange(num_envs)  # the learner's, in the first games of the rows
        self._games = np.zeros(num_envs, np.int64)  # games dealt in this row, this one included
        self._learner = np.zeros(num_envs, np.int8)
        self._opponents = np.full((num_envs, seats), _LEARNER, np.int16)
        self._streams = np.zeros((num_envs, seats), np.uint64)
        self._lengths = np.zeros(num_envs, np.int64)  # the learner's decisions in this game
        self.clear_tallies()

    # The pool

    def set_opponents(
        self, opponents: Sequence[Agent], weights: Sequence[float] | None = None
    ) -> None:
        """Change the pool. Games under way keep the places in the pool that their seats drew.

        So a pool may grow, and an agent that takes the place of another, such as a later snapshot
        of a policy, goes on with its games.

        Args:
            opponents: The pool; not smaller than before.
            weights: How often each is drawn, in proportion; all equally if not given.

        Raises:
            InvalidConfig: the pool is empty or shrinks, or the weights do not fit.
        """
        given = [1.0] * len(opponents) if weights is None else weights
        try:
            shares = np.asarray(given, np.float64)
        except (OverflowError, TypeError, ValueError):
            raise InvalidConfig(f"weights: numbers, not {given!r:.80}") from None
        if not len(opponents) or len(opponents) < len(getattr(self, "opponents", ())):
            raise InvalidConfig("opponents: at least one, and never fewer than before")
        if shares.shape != (len(opponents),) or not (np.isfinite(shares) & (shares >= 0)).all():
            raise InvalidConfig("weights: one for each opponent, finite and not negative")
        with np.errstate(over="ignore"):
            total = shares.sum()
        if not 0 < total < np.inf:
            raise InvalidConfig(f"weights: their sum is positive and finite, not {total}")
        self.opponents = tuple(opponents)
        self._team_of: list[Hashable] = [
            ("team", agent.team) if isinstance(agent, TeamPlayer) else ("alone", number)
            for number, agent in enumerate(opponents)
        ]
        self.weights: NDArray[np.float64] = shares / total

    # Playing

    @property
    def state(self) -> State:
        """The B games; they must have been dealt."""
        if self._state is None:
            raise InvalidArgument("no games are dealt: call reset first")
        return self._state

    @property
    def learner(self) -> NDArray[np.int8]:
        """The learner's seat in each game: int8 (B,). Do not write to it."""
        return self._learner

    @property
    def dealt(self) -> NDArray[np.int64]:
        """How many games each row has dealt since it was sown: int64 (B,). Do not write to it."""
        return self._games

    def sow(self, rows: Rows, seeds: Stream, first_seats: Rows) -> None:
        """Let some rows begin anew: the next games dealt there are the first ones of new seeds.

        Args:
            rows: int64 (n,), which rows.
            seeds: uint64 (n,).
            first_seats: int64 (n,), the learner's seats in the first games, taken modulo N.
        """
        self._row_seeds[rows] = seeds
        self._first_seats[rows] = first_seats
        self._games[rows] = 0

    def deal(self, rows: Rows, begin: Callable[[Stream], State] | None = None) -> None:
        """Begin the next game in some rows: deal, seat the learner, seat or draw the opponents.

        Args:
            rows: int64 (n,), which rows; all of them the first time.
            begin: Seeds -> games, in place of the game's `deal`.
        """
        turn = self._games[rows].astype(np.uint64)
        seeds = episode_seeds(self._row_seeds[rows], turn)
        fresh = self.game.deal(seeds) if begin is None else begin(seeds)
        self._games[rows] += 1
        self._lengths[rows] = 0
        self.resting[rows] = False
        if len(rows) == self.num_envs:
            self._state = fresh
        else:
            self.state.put(rows, fresh)
        self._seat_players(rows, seeds, turn.astype(np.int64))

    def _seat_players(self, rows: Rows, seeds: Stream, turn: NDArray[np.int64]) -> None:
        """Seat the learner and its opponents in the games that rows begin, the `turn`-th there."""
        seats = self.game.num_seats
        learner = (self._first_seats[rows] + turn) % seats
        if self.seat is not None:
            learner[:] = self.seat
        self._learner[rows] = learner
        matches = mix(seeds, _MATCHES)
        borders = self.weights.cumsum()
        for seat in range(seats):
            if self.seated:
                player = (seat - learner - 1) % seats
            else:
                player = np.searchsorted(borders, uniform(matches) * borders[-1], side="right")
            self._opponents[rows, seat] = np.where(seat == learner, _LEARNER, player)
            self._streams[rows, seat] = agent_stream(seeds, seat)

    def step(self, actions: NDArray[np.integer]) -> None:
        """Take the learner's decision in every game that is not at rest; `settle` goes on.

        Args:
            actions: (B,) action indices; those of games at rest are ignored.

        Raises:
            IllegalAction: an action is not legal; nothing has changed.
            InvalidArgument: not B integers, or no games are dealt.
        """
        state = self.state
        live = np.flatnonzero(~self.resting)
        if len(live) == self.num_envs:
            self.game.step(state, actions, seats=self._learner)
        elif len(live):
            part = state.take(live)
            try:
                self.game.step(part, actions[live], seats=self._learner[live])
            except IllegalAction as error:
                row = int(live[error.row])
                raise IllegalAction(row, error.seat, error.action, error.why) from None
            state.put(live, part)
        self._lengths[live] += 1

    def settle(self) -> Rows:
        """Let opponents move until the learner is to decide everywhere, or until games end.

        Call it until it returns no rows: then every game is at rest or waits for the learner.

        Returns:
            int64 (n,), rows whose games have just ended after a decision of the learner. They are
            at rest now.
        """
        rows = np.arange(self.num_envs)
        while True:
            state = self.state
            ended = np.flatnonzero((state.over | truncated(state, self.max_plies)) & ~self.resting)
            played = ended[self._lengths[ended] > 0]
            if len(played):
                self._tally(played)
                self.resting[played] = True
                return played
            if len(ended):
                self.deal(ended)
                continue
            waiting = np.flatnonzero(~state.pending[rows, self._learner] & ~self.resting)
            if not len(waiting):
                return waiting
            self._opponents_move(waiting)

    def _opponents_move(self, rows: Rows) -> None:
        """Let the seats to decide of some rows decide: those of one opponent, or team, at once."""
        state = self.state
        whole = len(rows) == self.num_envs
        part = state if whole else state.take(rows)
        seats = part.seat.copy()
        players = self._opponents[rows, seats]
        actions = np.empty(len(rows), np.int64)
        for agent, own in self._teams(players):
            stream: Stream = self._streams[rows[own], seats[own]]
            actions[own] = decide(agent, self.game, part.take(own), stream)
            self._streams[rows[own], seats[own]] = stream
        self.game.step(part, actions)
        if not whole:
            state.put(rows, part)

    def _teams(self, players: NDArray[np.int16]) -> Iterator[tuple[Agent, Rows]]:
        """Put opponents together that can decide together.

        Args:
            players: int16 (n,), the places in the pool of those who are to decide.

        Yields:
            An agent or a team, and the decisions that it has to take, in order of its members.
        """
        counts = np.bincount(players, minlength=len(self.opponents))
        parts = np.split(players.argsort(kind="stable"), counts.cumsum()[:-1])
        teams: dict[Hashable, list[int]] = {}
        for player in np.flatnonzero(counts).tolist():
            teams.setdefault(self._team_of[player], []).append(player)
        for members in teams.values():
            agents = [self.opponents[player] for player in members]
            team = agents[0] if len(agents) == 1 else _Team(agents, counts[members])
            yield team, np.concatenate([parts[player] for player in members])

    # Tallies

    def clear_tallies(self) -> None:
        """Forget how games ended so far."""
        # games, the learner's rewards, the opponent's, lengths
        self._tallies = np.zeros((len(self.opponents), _TALLIED))

    def tallies(self) -> NDArray[np.float64]:
        """Tell how the games ended since the tallies were cleared.

        Returns:
            float64 (opponents, 4): for each opponent the number of seats at which it met the
            learner, and the sums over them of the learner's rewards, of the opponent's, and of the
            learner's decisions.
        """
        grown = len(self.opponents) - len(self._tallies)
        return np.concatenate([self._tallies, np.zeros((grown, _TALLIED))])

    def _tally(self, rows: Rows) -> None:
        """Count games that have ended."""
        self._tallies = self.tallies()
        rewards = self.state.rewards[rows]  # (games, seats)
        own = rewards[np.arange(len(rows)), self._learner[rows]]
        for seat in range(self.game.num_seats):
            player = self._opponents[rows, seat]
            met = player != _LEARNER
            results = [np.ones(met.sum()), own[met], rewards[met, seat], self._lengths[rows[met]]]
            for column, result in enumerate(results):
                self._tallies[:, column] += np.bincount(player[met], result, len(self._tallies))

    # Files

    def dump(self) -> dict[str, NDArray[Any]]:
        """Return all that is needed to go on later, but for the agents themselves.

        The learner is to decide in every game; what was laid out (`seat` and the like, and the
        learner's seats in the rows' first games) is not in it.

        Returns:
            Name -> array.
        """
        return {
            "state": np.frombuffer(self.game.dumps(self.state), np.uint8),
            **{name: getattr(self, f"_{name}") for name in _KEPT},
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on where `dump` was called, with as many games and the same pool of opponents.

        Args:
            arrays: What `dump` returned.

        Raises:
            InvalidFile: the arrays are not those of such games.
        """
        for name in _KEPT:
            own, found = getattr(self, f"_{name}"), arrays.get(name)
            if found is None or found.dtype != own.dtype or found.shape[1:] != own.shape[1:]:
                raise InvalidFile(f"environment: array {name!r} is missing or of another kind")
            if name != "tallies" and len(found) != self.num_envs:
                raise InvalidFile(f"environment: {len(found)} games, not {self.num_envs}")
        if "state" not in arrays:
            raise InvalidFile("environment: array 'state' is missing")
        state = self.game.loads(arrays["state"].tobytes(), "environment")
        if len(state) != self.num_envs or len(arrays["tallies"]) > len(self.opponents):
            raise InvalidFile("environment: other numbers of games or opponents")
        self._check_seats(arrays["learner"], arrays["opponents"], state)
        for name in _KEPT:
            setattr(self, f"_{name}", np.array(arrays[name]))
        self._state = state
        self.resting[:] = False

    def _check_seats(
        self, learner: NDArray[np.int8], opponents: NDArray[np.int16], state: State
    ) -> None:
        """Refuse seats that do not exist, players that are not there, and learners not to decide.

        Args:
            learner: (B,).
            opponents: (B, seats).
            state: B games.
        """
        own = np.arange(self.game.num_seats) == learner[:, None]  # (games, seats)
        known = (opponents >= 0) & (opponents < len(self.opponents))
        if not (own.any(axis=1) & np.where(own, opponents == _LEARNER, known).all(axis=1)).all():
            raise InvalidFile("environment: seats or opponents that do not exist")
        if not state.pending[own].all():
            raise InvalidFile("environment: a game in which the learner has nothing to decide")


class _Team:
    """Some agents that decide together, each in games of its own; see `TeamPlayer`."""

    name = "team"

    def __init__(self, agents: Sequence[Agent], counts: NDArray[np.int64]) -> None:
        """Make a team for decisions in order of the agents, so many for each."""
        self._agents = cast(Sequence[TeamPlayer], agents)
        self.wants_states = agents[0].wants_states
        self._counts = counts

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        return self._agents[0].act_together(self._agents, decision, self._counts)


_KEPT = ("row_seeds", "games", "learner", "opponents", "streams", "lengths", "tallies")
