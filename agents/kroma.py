"""A heuristic agent for Kroma: looks one ply ahead at every legal move."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.agent import Decision
from chromazoo.agents.choice import best, best_shares
from chromazoo.envs.errors import UnknownName
from chromazoo.envs.game import Game
from chromazoo.envs.kroma import rules
from chromazoo.envs.randomness import uniform
from chromazoo.envs.state import lanes

_BLOCK = 4096


@dataclass(frozen=True)
class Weights:
    """What a position is worth to the seat that has just moved, in pieces.

    Attributes:
        win: A game won by stalemate.
        mobility: Each legal move that seat would have.
        freedom: Each legal move the enemy has; stalemate is the goal, so it counts against.
        attack: Each capture that seat would have.
        danger: Each capture the enemy has.
    """

    win: float = 1000.0
    mobility: float = 0.02
    freedom: float = 0.05
    attack: float = 0.1
    danger: float = 0.4


class KromaHeuristic:
    """Takes the move after which the position is worth most; ties are broken at random."""

    name = "heuristic"
    wants_states = True

    def __init__(self, game: Game[rules.KromaState], weights: Weights | None = None) -> None:
        """Set the agent up.

        Args:
            game: Kroma in any variant.
            weights: What it values.

        Raises:
            UnknownName: the game is not Kroma.
        """
        if not isinstance(game, rules.Game):
            raise UnknownName(f"this heuristic plays Kroma, not {game.id}")
        self.game = game
        self._weights = weights or Weights()

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        return best(*self._weigh(decision), uniform(decision.stream))

    def probabilities(self, decision: Decision) -> NDArray[np.float64]:
        """Tell the chance of each action: even among the best; see `Candid.probabilities`."""
        return best_shares(*self._weigh(decision), self.game.num_actions)

    def _weigh(
        self, decision: Decision
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """List the legal moves: their games, the moves, and what they are worth: (moves,) each."""
        assert isinstance(decision.states, rules.KromaState)
        states = self.game.adopt(decision.states)
        rows, actions = decision.game.packing.listed(decision.legal)
        blocks = [slice(start, start + _BLOCK) for start in range(0, len(rows), _BLOCK)]
        worth = np.concatenate(
            [self._look_ahead(states, rows[block], actions[block]) for block in blocks]
        )
        return rows, actions, worth

    def _look_ahead(
        self, states: rules.KromaState, rows: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Tell what each move is worth to the seat that makes it: (moves,)."""
        after = states.take(rows)
        movers = after.seat.copy()
        self.game.step(after, actions)
        weights = self._weights
        enemy, own = (_count(after.pieces[:, index]) for index in (0, 1))
        moves, captures = (_count(words) for words in self.game.prospects(after, waiting=True))
        freedom, danger = (_count(words) for words in self.game.prospects(after, waiting=False))
        worth: NDArray[np.float64] = (
            (own - enemy)
            + weights.mobility * moves
            - weights.freedom * freedom
            + weights.attack * captures
            - weights.danger * danger
        )
        ended = after.over
        outcome = after.rewards[np.arange(len(rows)), movers]
        worth[ended] = weights.win * outcome[ended]
        return worth


def _count(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Count the set bits of each game's words: (B, W) -> (B,)."""
    counts: NDArray[np.int64] = np.bitwise_count(lanes(words)).sum(axis=0, dtype=np.int64)
    return counts
