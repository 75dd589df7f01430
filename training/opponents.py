"""The pool of opponents in self-play: baselines, the policy as it is, and snapshots of its past."""

import copy
from collections.abc import Mapping
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
from chromazoo.training.settings import OpponentSettings


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

    Attributes:
        snapshot_steps: How many steps each snapshot had been trained, by its place.
    """

    def __init__(self, game: Game[Any], network: Network, settings: OpponentSettings) -> None:
        """Begin with the policy before it has learnt anything as the first snapshot.

        Args:
            game: The rules.
            network: The learner's network, which goes on learning.
            settings: Weights and number of snapshots.
        """
        self._settings = settings
        self._network = network
        self._baselines = baselines(game)
        self._current = PPOAgent(network, name="current")
        self._snapshots: list[Network] = []
        self.snapshot_steps: list[int] = []
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
        """How often each agent is to be drawn; the snapshots share theirs."""
        names = self.names
        return [getattr(self._settings, name) / names.count(name) for name in names]

    def add_snapshot(self, steps: int) -> None:
        """Keep the policy as it is, in the place of the oldest snapshot if the pool is full.

        Args:
            steps: How many steps it was trained.
        """
        network = copy.deepcopy(self._network).eval().requires_grad_(False)
        if len(self._snapshots) < self._settings.max_snapshots:
            self._snapshots.append(network)
            self.snapshot_steps.append(steps)
            return
        oldest = self.snapshot_steps.index(min(self.snapshot_steps))
        self._snapshots[oldest] = network
        self.snapshot_steps[oldest] = steps

    def dump(self) -> dict[str, Tensor]:
        """Return the weights of all snapshots, named by their places."""
        return {
            f"{place}/{name}": tensor
            for place, network in enumerate(self._snapshots)
            for name, tensor in network.state_dict().items()
        }

    def restore(self, weights: Mapping[str, Tensor], steps: list[int]) -> None:
        """Take over snapshots.

        Args:
            weights: What `dump` returned.
            steps: What `snapshot_steps` was.

        Raises:
            InvalidFile: they do not fit the network or the settings.
        """
        if not isinstance(steps, list) or any(type(number) is not int for number in steps):
            raise InvalidFile(f"opponents: the steps of snapshots are {steps!r:.80}")
        if not 1 <= len(steps) <= self._settings.max_snapshots:
            raise InvalidFile(f"opponents: {len(steps)} snapshots")
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
        self._snapshots, self.snapshot_steps = networks, list(steps)

    def scores(self, tallies: NDArray[np.float64]) -> dict[str, float]:
        """Average the learner's rewards against each kind of opponent.

        Args:
            tallies: What `SelfPlayVecEnv.tallies` returned.

        Returns:
            Name of the kind -> mean reward; kinds that it did not meet are left out.
        """
        names = np.array(self.names)
        means = {}
        for name in dict.fromkeys(self.names):
            games, rewards, _ = tallies[names == name].sum(axis=0)
            if games:
                means[name] = float(rewards / games)
        return means
