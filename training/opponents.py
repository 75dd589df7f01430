"""The pool of opponents in self-play: baselines, the policy as it is, and snapshots of its past."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from chromazoo.agents.agent import HEURISTICS, Agent, RandomAgent, load
from chromazoo.agents.network import Network
from chromazoo.agents.ppo import PPOAgent
from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.game import Game
from chromazoo.training.settings import LARGEST, OpponentSettings

_PRIOR_GAMES = 20  # against each snapshot, of which half are won
_MOST_GAMES = 1e12  # beside which those still count in float64


def baselines(game: Game[Any]) -> dict[str, Agent]:
    """Return the agents against which policies of a game are measured, by name.

    Args:
        game: The rules.

    Returns:
        The random agent, and the heuristic where the game has one.
    """
    agents: dict[str, Agent] = {"random": RandomAgent()}
    if game.id in HEURISTICS:
        agents["heuristic"] = load("heuristic", game)
    return agents


class OpponentPool:
    """Who plays against the learner, and how often.

    Snapshots are prioritised towards those that still beat the learner ("prioritised fictitious
    self-play", as in AlphaStar, Nature 575, 2019, 350-354). What counts is the score head to head:
    half of 1 + the learner's share of the win - the snapshot's. That is 1/2 among equals at any
    table, and with two players the share of the win. With s that score, a snapshot's weight is
    (1 - s) to a power, and a part of all weight is spread evenly, so that none is forgotten.

    Scores are taken from the games that end. A game counts half as much after a number of steps,
    and some games that nobody played, half won, stand beside them: so what was not met for long
    is met again. All numbers are worked out in one order, and checkpoints keep them as they are.

    Attributes:
        snapshot_steps: How many steps each snapshot had been trained, by its place.
    """

    def __init__(self, game: Game[Any], network: Network, settings: OpponentSettings) -> None:
        """Begin with the policy before it has learnt anything as the first snapshot.

        Args:
            game: The rules.
            network: The learner's network, which goes on learning.
            settings: Weights, number of snapshots, and how they are prioritised.
        """
        self._settings = settings
        self._network = network
        self._seats = game.num_seats
        self._baselines = baselines(game)
        self._current = PPOAgent(network, name="current")
        self._snapshots: list[Network] = []
        self.snapshot_steps: list[int] = []
        self._record = np.zeros((0, 2))  # (snapshots, 2): games and points, the older the less
        self.add_snapshot(0)

    @property
    def agents(self) -> list[Agent]:
        """Baselines, the current policy, the snapshots."""
        past = [PPOAgent(network, name="snapshots") for network in self._snapshots]
        return [*self._baselines.values(), self._current, *past]

    @property
    def names(self) -> list[str]:
        """The kind of each agent: a setting of `OpponentSettings`."""
        return [agent.name for agent in self.agents]

    @property
    def weights(self) -> list[float]:
        """How often each agent is to be drawn; the snapshots divide theirs."""
        fixed = [*self._baselines, "current"]
        divided = self._settings.snapshots * self.priorities
        return [*(float(getattr(self._settings, name)) for name in fixed), *divided.tolist()]

    @property
    def priorities(self) -> NDArray[np.float64]:
        """How the snapshots divide their weight: float64 (snapshots,); they sum to 1."""
        even = self._settings.even
        missed = 1 - self.snapshot_scores
        wanted = (missed / missed.max()) ** self._settings.priority
        shares: NDArray[np.float64] = (1 - even) * wanted / wanted.sum() + even / len(wanted)
        return shares

    @property
    def snapshot_scores(self) -> NDArray[np.float64]:
        """The learner's score head to head against each snapshot, as estimated: (snapshots,)."""
        games, points = self._record.T
        scores: NDArray[np.float64] = (points + _PRIOR_GAMES / 2) / (games + _PRIOR_GAMES)
        return scores

    def add_snapshot(self, steps: int) -> None:
        """Keep the policy as it is.

        A full pool drops the snapshot that leaves the smallest gap, so that those that it keeps lie
        evenly over the whole run. The games that the dropped one was playing go on with the new
        one in its place and count for the new one alone: few beside those of a `half_life`, and
        the learner learns as well from the moves of either.

        Args:
            steps: How many steps it was trained, no fewer than any before.
        """
        network = copy.deepcopy(self._network).eval().requires_grad_(False)
        if len(self._snapshots) < self._settings.max_snapshots:
            self._snapshots.append(network)
            self.snapshot_steps.append(steps)
            self._record = np.concatenate([self._record, np.zeros((1, 2))])
            return
        place = least_missed(self.snapshot_steps, steps)
        self._snapshots[place] = network
        self.snapshot_steps[place] = steps
        self._record[place] = 0

    def record(self, tallies: NDArray[np.float64], steps: int) -> dict[str, float]:
        """Take note of how games ended.

        Args:
            tallies: What `SelfPlayVecEnv.tallies` returned for the agents as they are.
            steps: How many steps were trained meanwhile.

        Returns:
            Columns of the metrics. `score_against_KIND`: the learner's score head to head in these
            games, for each kind of opponent that it met. By age of the snapshots, the oldest being
            number 1: `steps_of_snapshot_N`, and `score_against_snapshot_N` as it is estimated now.
        """
        names = np.array(self.names)
        results = self._results(tallies)
        snapshots = results[names == "snapshots"]
        self._record = self._record * 0.5 ** (steps / self._settings.half_life) + snapshots
        row = {}
        for name in dict.fromkeys(self.names):
            games, points = results[names == name].sum(axis=0)
            if games:
                row[f"score_against_{name}"] = float(points / games)
        scores = self.snapshot_scores
        for age, place in enumerate(np.argsort(self.snapshot_steps, kind="stable"), start=1):
            row[f"steps_of_snapshot_{age}"] = float(self.snapshot_steps[place])
            row[f"score_against_snapshot_{age}"] = float(scores[place])
        return row

    def _results(self, tallies: NDArray[np.float64]) -> NDArray[np.float64]:
        """Count games and points, the scores head to head: (agents, 4) -> (agents, 2)."""
        games, own, theirs, _ = tallies.T
        ahead = (own - theirs) * (self._seats - 1) / self._seats  # shares of the win, see win_share
        return np.stack([games, ((games + ahead) / 2).clip(0, games)], axis=1)

    # Checkpoints

    def dump(self) -> dict[str, Tensor]:
        """Return the weights of all snapshots, named by their places."""
        return {
            f"{place}/{name}": tensor
            for place, network in enumerate(self._snapshots)
            for name, tensor in network.state_dict().items()
        }

    def progress(self) -> dict[str, list[Any]]:
        """Return what else is known of the snapshots, by their places, in JSON types."""
        games, points = self._record.T.tolist()
        return {"steps": list(self.snapshot_steps), "games": games, "points": points}

    def restore(self, weights: Mapping[str, Tensor], progress: Mapping[str, Any]) -> None:
        """Take over snapshots.

        Args:
            weights: What `dump` returned.
            progress: What `progress` returned.

        Raises:
            InvalidFile: they do not fit the network or the settings, or one another.
        """
        steps, record = self._parsed(progress)
        if any(tensor.dtype != torch.float32 for tensor in weights.values()):
            raise InvalidFile("opponents: weights that are not float32")
        networks = []
        for place in range(len(steps)):
            prefix = f"{place}/"
            own = {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}
            network = copy.deepcopy(self._network).eval().requires_grad_(False)
            try:
                network.load_state_dict(own)
            except RuntimeError as error:
                raise InvalidFile(f"opponents: {str(error).splitlines()[0]}") from None
            networks.append(network)
        self._snapshots, self.snapshot_steps, self._record = networks, steps, record

    def _parsed(self, progress: object) -> tuple[list[int], NDArray[np.float64]]:
        """Read what `progress` returned: steps, and games and points, (snapshots, 2)."""
        columns = []
        for name, kind in (("steps", int), ("games", float), ("points", float)):
            column = progress.get(name) if isinstance(progress, dict) else None
            if not isinstance(column, list) or any(type(number) is not kind for number in column):
                raise InvalidFile(f"opponents: the {name} of snapshots are {column!r:.80}")
            columns.append(column)
        steps, games, points = columns
        if any(not 0 <= number <= LARGEST for number in steps):
            raise InvalidFile("opponents: steps that no snapshot can have")
        if not 1 <= len(steps) <= self._settings.max_snapshots:
            raise InvalidFile(f"opponents: {len(steps)} snapshots")
        if not len(steps) == len(games) == len(points):
            raise InvalidFile("opponents: not the same number of steps, games and points")
        record = np.array([games, points]).T
        played, won = record.T
        if not ((won >= 0) & (won <= played) & (played <= _MOST_GAMES)).all():
            raise InvalidFile("opponents: games and points that no snapshot can have")
        return list(steps), record


def least_missed(kept: Sequence[int], new: int) -> int:
    """Choose which snapshot a full pool drops for a new one.

    Args:
        kept: How many steps each snapshot was trained; at least one.
        new: The same of the new one, no fewer than any.

    Returns:
        The place of the snapshot without which the gap from the one before to the one after is
        smallest, the oldest of equals. Before the first lies the beginning of the run.

    >>> least_missed([0, 100, 200, 300], 400)
    0
    >>> least_missed([400, 100, 200, 300], 500)
    1
    >>> least_missed([200, 400, 500, 600], 700)
    2
    """
    order = np.argsort(kept, kind="stable")
    steps = np.array([0, *(kept[place] for place in order), new])
    return int(order[np.argmin(steps[2:] - steps[:-2])])
