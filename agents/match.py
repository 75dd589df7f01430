"""Matches: agents play whole games against each other, many games at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, check_agent, decide
from chromazoo.envs.episodes import checked_max_plies, truncated
from chromazoo.envs.errors import InvalidArgument, InvalidConfig
from chromazoo.envs.game import Game, Seeds
from chromazoo.envs.randomness import Stream, agent_stream, as_seeds, mix
from chromazoo.envs.state import State

Progress = Callable[[int], object]

_Z95 = 1.959963984540054  # the normal distribution's 97.5% quantile


@dataclass(frozen=True)
class Outcome:
    """How G games of N seats ended.

    Attributes:
        rewards: float64 (G, N), by seat; zero in truncated games.
        plies: int32 (G,), decisions taken.
        truncated: bool (G,), whether the game was broken off at `max_plies`.
    """

    rewards: NDArray[np.float64]
    plies: NDArray[np.int32]
    truncated: NDArray[np.bool_]


class Recorder(Protocol):
    """Who watches the games of `play_games`, such as `chromazoo.envs.records.GameRecorder`.

    `games` numbers the games as their seeds are numbered, one for each row of the states.
    """

    def deal(self, games: NDArray[np.int64], seeds: Stream) -> None:
        """See games begin."""
        ...

    def ply(
        self, games: NDArray[np.int64], before: Any, after: Any, actions: NDArray[np.int64]
    ) -> None:
        """See one decision in each of the games: the states before and after it."""
        ...

    def finish(self, games: NDArray[np.int64], state: Any, truncated: NDArray[np.bool_]) -> None:
        """See games end; some of them may be truncated."""
        ...


def require_end(game: Game[Any], max_plies: int | None) -> None:
    """Refuse to play games that might never end.

    Args:
        game: What is to be played.
        max_plies: Where games are truncated, None for nowhere.

    Raises:
        InvalidConfig: the limit is below 1, or there is none and this config needs one.
    """
    if checked_max_plies(max_plies) is None and not game.always_ends:
        raise InvalidConfig(f"{game!r} could play for ever: max_plies is needed")


def play_games(
    game: Game[Any],
    agents: Sequence[Agent],
    seeds: Seeds,
    *,
    seating: NDArray[np.integer] | Sequence[Sequence[int]] | None = None,
    agent_seeds: NDArray[np.uint64] | None = None,
    max_plies: int | None = None,
    batch: int = 1024,
    recorder: Recorder | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Play whole games between agents.

    Each game is dealt from its seed, and the agent at each of its seats draws from a stream of
    that game and seat, so a game plays out the same whatever the batch.

    Args:
        game: The rules.
        agents: The players.
        seeds: G seeds, taken modulo 2^64.
        seating: Integers (G, N): the number of the agent at each seat; agent i at seat i if not
            given.
        agent_seeds: uint64 (G, N): the stream of the agent at each seat, as `agent_stream` opens
            it; that of the game's seed and the seat if not given.
        max_plies: Decisions after which a game is truncated.
        batch: How many games are played at once.
        recorder: Who watches.
        progress: Called now and then with the number of games that ended since its last call.

    Returns:
        How the games ended, in the order of the seeds.

    Raises:
        InvalidArgument: the seating or the streams do not fit the agents or the game, the batch is
            below 1, or something is of a wrong type.
        InvalidConfig: games might never end; see `require_end`.
        InvalidAgent: an agent was made for another game or config, or is none.
        IllegalAction: an agent took an action that is not legal.
    """
    _check_game(game)
    require_end(game, max_plies)
    _check_agents(game, agents)
    check_whole("batch", batch, 1)
    starts = as_seeds(seeds)
    seats = _checked_seating(seating, len(starts), game.num_seats, len(agents))
    streams = _checked_streams(agent_seeds, starts, game.num_seats)
    outcome = Outcome(
        np.zeros((len(starts), game.num_seats)),
        np.zeros(len(starts), np.int32),
        np.zeros(len(starts), np.bool_),
    )
    for first in range(0, len(starts), batch):
        games = np.arange(first, min(first + batch, len(starts)))
        _play_block(
            game, agents, starts, seats, streams, games, max_plies, outcome, recorder, progress
        )
    return outcome


def _check_game(game: object) -> None:
    """Refuse what is no game."""
    if not isinstance(game, Game):
        raise InvalidArgument(f"game: the rules of a game needed, not {game!r:.60}")


def _check_agents(game: Game[Any], agents: object) -> None:
    """Refuse what is no list of agents for a game."""
    if not isinstance(agents, Sequence) or isinstance(agents, str):
        raise InvalidArgument(f"agents: a list of them needed, not {agents!r:.60}")
    for agent in agents:
        check_agent(game, agent)


def check_whole(name: str, number: object, least: int, why: str = "") -> None:
    """Refuse what is no whole number, or below the least.

    Args:
        name: What it is, for the error.
        number: The number.
        least: The least that will do.
        why: What follows the least in the error.

    Raises:
        InvalidArgument: it is no whole number of at least that.
    """
    whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if not whole or number < least:  # type: ignore[operator]
        raise InvalidArgument(
            f"{name}: a whole number of at least {least}{why}, not {number!r:.60}"
        )


def _checked_seating(
    seating: NDArray[np.integer] | Sequence[Sequence[int]] | None,
    games: int,
    num_seats: int,
    num_agents: int,
) -> NDArray[np.integer]:
    """Return the seating as an array of shape (games, seats)."""
    if seating is None:
        if num_agents != num_seats:
            raise InvalidArgument(f"{num_seats} agents needed, one a seat; {num_agents} given")
        return np.broadcast_to(np.arange(num_seats), (games, num_seats))
    seats = np.asarray(seating)
    if seats.shape != (games, num_seats) or seats.dtype.kind not in "iu":
        raise InvalidArgument(f"seating: integers of shape {(games, num_seats)} needed")
    if games and (seats.min() < 0 or seats.max() >= num_agents):
        raise InvalidArgument(f"seating: agents from 0 to {num_agents - 1}")
    return seats


def _checked_streams(
    agent_seeds: NDArray[np.uint64] | None, seeds: Stream, num_seats: int
) -> NDArray[np.uint64]:
    """Return the streams of the agents as an array of shape (games, seats) of its own."""
    if agent_seeds is None:
        return np.stack([agent_stream(seeds, seat) for seat in range(num_seats)], axis=1)
    streams = np.array(agent_seeds)
    if streams.shape != (len(seeds), num_seats) or streams.dtype != np.uint64:
        raise InvalidArgument(f"agent_seeds: uint64 of shape {(len(seeds), num_seats)} needed")
    return streams


def _play_block(
    game: Game[Any],
    agents: Sequence[Agent],
    seeds: Stream,
    seating: NDArray[np.integer],
    all_streams: NDArray[np.uint64],
    games: NDArray[np.int64],
    max_plies: int | None,
    outcome: Outcome,
    recorder: Recorder | None,
    progress: Progress | None,
) -> None:
    """Play some of the games to their ends; finished ones leave the batch at once."""
    state = game.deal(seeds[games])
    streams = all_streams[games]  # (games, seats), a copy
    if recorder is not None:
        recorder.deal(games, seeds[games])
    while len(games):
        cut = truncated(state, max_plies)
        done = state.over | cut
        if done.any():
            ended = games[done]
            outcome.rewards[ended] = state.rewards[done]
            outcome.plies[ended] = state.plies[done]
            outcome.truncated[ended] = cut[done]
            if recorder is not None:
                recorder.finish(ended, state.take(np.flatnonzero(done)), cut[done])
            if progress is not None:
                progress(len(ended))
            live = np.flatnonzero(~done)
            state, games, streams = state.take(live), games[live], streams[live]
            continue
        actions = _decide_all(agents, game, state, seating[games, state.seat], streams)
        before = None if recorder is None else state.copy()
        game.step(state, actions)
        if recorder is not None:
            recorder.ply(games, before, state, actions)


def _decide_all(
    agents: Sequence[Agent],
    game: Game[Any],
    state: State,
    actors: NDArray[np.integer],
    streams: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """Let each agent decide in its games: actors (games,), streams (games, seats)."""
    actions = np.empty(len(state), np.int64)
    for actor in np.unique(actors):
        rows = np.flatnonzero(actors == actor)
        part = state if len(rows) == len(state) else state.take(rows)
        seats = state.seat[rows]
        stream = streams[rows, seats]
        actions[rows] = decide(agents[actor], game, part, stream)
        streams[rows, seats] = stream
    return actions


def win_share(rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn rewards into shares of the win: 1 for a sole winner, 1/k for one of k, 0 for a loser.

    With two players a draw is 1/2. A truncated game, where nobody has a reward, is shared by all.

    Args:
        rewards: float64 (..., N), by seat.

    Returns:
        float64 (..., N); each row adds up to 1.

    >>> win_share(np.array([[1.0, -1.0], [0.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    >>> win_share(np.array([0.25, 0.25, -0.5])).round(6).tolist()
    [0.5, 0.5, 0.0]
    """
    seats = rewards.shape[-1]
    shares: NDArray[np.float64] = (rewards * (seats - 1) + 1) / seats
    return shares


def score_interval(
    scores: NDArray[np.floating] | Sequence[float],
) -> tuple[float, float, float]:
    """Estimate a mean score with its 95% interval.

    Wilson's score interval ("Probable inference", JASA 22, 1927) with the variance p (1 - p) of
    games without draws. Scores between 0 and 1 vary less, so with draws the interval is wider than
    need be; unlike the usual interval it never shrinks to nothing when all games end alike.

    Args:
        scores: One score a game, its share of the win: 0 for a loss, 1 for a win, 1/k where k seats
            share it; at least one.

    Returns:
        The mean, and the lower and the upper end of the interval.

    Raises:
        InvalidArgument: no scores, or one that is not from 0 to 1.

    >>> [round(end, 3) for end in score_interval([1, 1, 1, 0.5, 0])]
    [0.7, 0.299, 0.927]
    >>> [round(end, 3) for end in score_interval([1] * 20)]
    [1.0, 0.839, 1.0]
    """
    values = np.asarray(scores, np.float64)
    if not len(values) or not ((values >= 0) & (values <= 1)).all():
        raise InvalidArgument("scores: at least one, each from 0 to 1")
    games, mean = len(values), float(values.mean())
    weight = _Z95**2 / games
    centre = (mean + weight / 2) / (1 + weight)
    half = sqrt(weight * (mean * (1 - mean) + weight / 4)) / (1 + weight)
    return mean, max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half))


def evaluate(
    game: Game[Any],
    agent: Agent,
    opponents: Mapping[str, Agent],
    games: int,
    seed: int,
    max_plies: int | None = None,
    progress: Progress | None = None,
    batch: int = 1024,
) -> dict[str, dict[str, Any]]:
    """Measure an agent against each of several opponents.

    The agent sits at each seat in turn, against copies of the opponent at all others. Every
    opponent meets the same deals: game i has the seed `mix(seed, i)`.

    Args:
        game: The rules.
        agent: Who is measured.
        opponents: Name -> agent.
        games: Number of games against each opponent; at least one a seat.
        seed: The seed of the whole measurement, taken modulo 2^64.
        max_plies: Decisions after which a game is truncated; it counts as a draw.
        progress: Called now and then with the number of games that ended since its last call.
        batch: How many games are played at once.

    Returns:
        By name of the opponent, in JSON types: `games`, `win`, `draw`, `loss` (numbers of games;
        a win shared by some or all is a draw), `truncated` (how many of the draws), `score`
        (mean share of the win), `low`, `high` (its 95% interval) and `seats`, a list with the same
        for the games at each seat.

    Raises:
        InvalidArgument: fewer games than seats, or something is of a wrong type.
        InvalidConfig: games might never end; see `require_end`.
        InvalidAgent: an agent was made for another game or config, or is none.
    """
    _check_game(game)
    check_whole("games", games, game.num_seats, ", one a seat")
    if not isinstance(opponents, Mapping):
        raise InvalidArgument(f"opponents: names with their agents needed, not {opponents!r:.60}")
    _check_agents(game, [agent, *opponents.values()])
    seeds = mix(as_seeds(seed), np.arange(games, dtype=np.uint64))
    own = np.arange(games) % game.num_seats
    seating = (np.arange(game.num_seats) != own[:, None]).astype(np.int64)  # 0: agent, 1: opponent
    table = {}
    for name, opponent in opponents.items():
        outcome = play_games(
            game,
            [agent, opponent],
            seeds,
            seating=seating,
            max_plies=max_plies,
            batch=batch,
            progress=progress,
        )
        shares = win_share(outcome.rewards)[np.arange(games), own]
        by_seat = [
            _tally(shares[own == seat], outcome.truncated[own == seat])
            for seat in range(game.num_seats)
        ]
        table[name] = _tally(shares, outcome.truncated) | {"seats": by_seat}
    return table


def _tally(shares: NDArray[np.float64], truncated: NDArray[np.bool_]) -> dict[str, Any]:
    """Count wins, draws and losses and estimate the score."""
    win = int((shares > 1 - 1e-9).sum())
    loss = int((shares < 1e-9).sum())
    score, low, high = score_interval(shares.clip(0, 1))
    return {
        "games": len(shares),
        "win": win,
        "draw": len(shares) - win - loss,
        "loss": loss,
        "truncated": int(truncated.sum()),
        "score": score,
        "low": low,
        "high": high,
    }
