"""How often an agent's choice gives away value in baby Kroma, by solved values of positions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Agent, decide
from chromazoo.agents.match import play_games
from chromazoo.envs.kroma.rules import Game, KromaState
from chromazoo.envs.randomness import agent_stream, as_seeds, mix
from tests.kroma.batch_solving import Keys, Solution, keys_of, solve


@dataclass(frozen=True)
class Judgement:
    """What choices cost in the decisions that an agent met, in the order in which it met them.

    Attributes:
        keys: uint64 (n,), what tells the positions apart, which does not include the clock.
        value: int64 (n,), the positions' values for the agent: a win 1, a draw 0, a loss -1.
        lost: int64 (n,), by how much the value after the choice is below that: 0, 1 or 2.
    """

    keys: Keys
    value: NDArray[np.int64]
    lost: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: Sequence["Judgement"]) -> "Judgement":
        """Join judgements, at least one, one after the other."""
        return cls(
            np.concatenate([part.keys for part in parts]),
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.lost for part in parts]),
        )

    @property
    def share(self) -> float:
        """The share of decisions that give away value."""
        return float((self.lost > 0).mean())

    @property
    def distinct_share(self) -> float:
        """The same with every position counted once, as it was first met."""
        first = np.unique(self.keys, return_index=True)[1]
        return float((self.lost[first] > 0).mean())


def solved(game: Game) -> Solution:
    """Solve a game with its no-capture limit off, so that endless play is a draw."""
    endless = Game(**{**game.options, "no_capture_limit": 0})
    return solve(endless, endless.deal([0]))


def judge_choices(
    game: Game, solution: Solution, state: KromaState, actions: NDArray[np.int64]
) -> Judgement:
    """Compare the values of positions before and after actions of the seats to decide."""
    following = state.copy()
    game.step(following, actions)
    keys = keys_of(game, state)
    value = solution.value[solution.places(keys)]
    enemy = solution.value[solution.places(keys_of(game, following))]
    return Judgement(keys, value, value + enemy)


@dataclass
class Judge:
    """Watches games, and judges what a chooser would do wherever the player decides.

    Attributes:
        game: The rules by which games are played.
        solution: What `solved` found.
        chooser: Whose choices are judged.
        own: int64 (games,), the player's seat in each game.
        parts: What was found so far.
    """

    game: Game
    solution: Solution
    chooser: Agent
    own: NDArray[np.int64]
    parts: list[Judgement] = field(default_factory=list)

    def deal(self, games: NDArray[np.int64], seeds: Any) -> None:
        """See games begin."""

    def finish(self, games: NDArray[np.int64], state: Any, truncated: NDArray[np.bool_]) -> None:
        """See games end."""

    def ply(
        self, games: NDArray[np.int64], before: Any, after: Any, actions: NDArray[np.int64]
    ) -> None:
        """See one decision in each game, and judge those of the player."""
        mine = np.flatnonzero(before.seat == self.own[games])
        if len(mine):
            state = before.take(mine)
            streams = agent_stream(mix(as_seeds(state.plies), games[mine].astype(np.uint64)), 0)
            chosen = decide(self.chooser, self.game, state, streams)
            self.parts.append(judge_choices(self.game, self.solution, state, chosen))


def judge_games(
    game: Game,
    solution: Solution,
    player: Agent,
    chooser: Agent,
    opponent: Agent,
    games: int,
    seed: int,
) -> Judgement:
    """Let a player meet an opponent, at each seat in turn, and judge choices in what it meets.

    Args:
        game: The rules.
        solution: What `solved` found.
        player: Who plays.
        chooser: Whose choices are judged where the player decides, such as its greedy form.
        opponent: Against whom.
        games: Number of games; game i has the seed `mix(seed, i)`.
        seed: The seed of them all.
    """
    own = np.arange(games) % 2
    judge = Judge(game, solution, chooser, own)
    seating = np.stack([own, 1 - own], axis=1)  # 0: player, 1: opponent
    seeds = mix(as_seeds(seed), np.arange(games, dtype=np.uint64))
    play_games(game, [player, opponent], seeds, seating=seating, recorder=judge)
    return Judgement.joined(judge.parts)
