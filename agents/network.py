"""Policy networks: from observations to a logit for every action and a value.

The networks know nothing of training. A game that wants a trunk of its own adds a class here and
names it in `NETWORKS`; policy files and presets name it by that.
"""

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from chromazoo.agents.legal_head import legal_logits
from chromazoo.agents.listing import Listing
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Game

Architecture = dict[str, int | str]
MOST_WEIGHTS = 2**24
"""How many numbers a network may learn; four bytes of each are in a policy file."""


@dataclass(frozen=True)
class Description:
    """What a network is told of n positions with m legal actions in all.

    Attributes:
        listing: The legal actions.
        positions: (n, any), a row for each position.
        actions: (m, any), a row for each legal action.
    """

    listing: Listing
    positions: NDArray[Any]
    actions: NDArray[Any]

    @classmethod
    def joined(cls, parts: Sequence["Description"]) -> "Description":
        """Join descriptions, at least one, one after the other."""
        return cls(
            Listing.joined([part.listing for part in parts]),
            np.concatenate([part.positions for part in parts]),
            np.concatenate([part.actions for part in parts]),
        )

    def take(self, positions: NDArray[np.int64]) -> "Description":
        """Copy some positions out, in any order: int64 (k,)."""
        listing, entries = self.listing.take(positions)
        return Description(
            listing, self.positions.take(positions, axis=0), self.actions.take(entries, axis=0)
        )

    def cut(self, start: int, end: int) -> "Description":
        """Cut out the positions from one number up to another; arrays are not copied."""
        listing, entries = self.listing.cut(start, end)
        return Description(listing, self.positions[start:end], self.actions[entries])


class Network(nn.Module):
    """What every policy network is: logits and a value from an observation.

    Attributes:
        kind: Its name in `NETWORKS`.
        plays: The type of the games that it plays.
        game: The game that it was built for.
        architecture: What `build_network` needs to build it again, in JSON types.
    """

    kind: ClassVar[str]
    plays: ClassVar[type[Game[Any]]] = Game  # type: ignore[type-abstract]
    scale: Tensor

    def __init__(self, game: Game[Any], **sizes: int) -> None:
        """Keep the sizes and the highest values of the game's observations.

        Args:
            game: What the network is to play.
            sizes: The sizes that make up the architecture.

        Raises:
            InvalidConfig: a size is out of range, or the network plays another game.
        """
        super().__init__()
        check_sizes(self.kind, sizes, 4096)
        if not isinstance(game, self.plays):
            raise InvalidConfig(f"network {self.kind} plays {self.plays.id}, not {game.id}")
        self.game = game
        self.architecture: Architecture = {"kind": self.kind, **sizes}
        high = torch.from_numpy(game.fields.high).double()
        self.register_buffer("scale", 1.0 / high, persistent=False)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Judge n positions.

        Args:
            observation: (n, F), uint8 or floating, entries from 0 to the fields' highest values.

        Returns:
            Logits (n, A) of all actions, legal or not, and values (n,): the reward that the
            observing seat may expect, from -1 to 1 in theory.
        """
        raise NotImplementedError

    def describe(self, observation: Observation, listing: Listing) -> Description:
        """Gather what the network is told; weights have no part in it.

        Args:
            observation: uint8 (n, F).
            listing: The legal actions, m in all.

        Returns:
            The description: the observations as they are, unless a network knows better.
        """
        nothing = np.zeros((len(listing.places), 0), np.float32)
        return Description(listing, observation, nothing)

    def judge(self, description: Description) -> tuple[Tensor, Tensor]:
        """Judge n positions and no actions but the legal ones.

        Args:
            description: What `describe` returned.

        Returns:
            Logits (m,) of the listed actions and values (n,).
        """
        logits, values = self(torch.from_numpy(description.positions))
        places = torch.from_numpy(description.listing.places)
        return logits.flatten().index_select(0, places), values

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights anew.

        Args:
            generator: Where the weights are drawn from; no global generator is touched.
        """
        raise NotImplementedError

    def scaled(self, observation: Tensor) -> Tensor:
        """Divide observations by the fields' highest values, in the dtype of the weights."""
        return observation.to(self.scale.dtype) * self.scale

    # What Stable-Baselines3 asks of the `mlp_extractor` of its policies.

    def forward_actor(self, observation: Tensor) -> Tensor:
        """Return the logits alone: (n, A)."""
        logits: Tensor = self(observation)[0]
        return logits

    def forward_critic(self, observation: Tensor) -> Tensor:
        """Return the values alone: (n,)."""
        values: Tensor = self(observation)[1]
        return values


class MLP(Network):
    """Layers of rectified units, shared by one linear head for the logits and one for the value."""

    kind = "mlp"

    def __init__(self, game: Game[Any], width: int = 256, depth: int = 2) -> None:
        """Build the layers.

        Args:
            game: What the network is to play.
            width: Units of each hidden layer.
            depth: Number of hidden layers.

        Raises:
            InvalidConfig: a size is out of range.
        """
        check_sizes(self.kind, {"depth": depth}, 16)
        super().__init__(game, width=width, depth=depth)
        layers: list[nn.Module] = []
        for inputs in [game.num_features] + [width] * (depth - 1):
            layers += [nn.Linear(inputs, width), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)
        self.policy_head = nn.Linear(width, game.num_actions)
        self.value_head = nn.Linear(width, 1)
        self.float()

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Judge n positions; see `Network.forward`."""
        latent = self.trunk(self.scaled(observation))
        return self.policy_head(latent), self.value_head(latent).squeeze(1)

    def forward_critic(self, observation: Tensor) -> Tensor:
        """Return the values alone; see `Network.forward_critic`."""
        values: Tensor = self.value_head(self.trunk(self.scaled(observation))).squeeze(1)
        return values

    def judge(self, description: Description) -> tuple[Tensor, Tensor]:
        """Judge n positions and no actions but the legal ones; see `Network.judge`."""
        latent = self.trunk(self.scaled(torch.from_numpy(description.positions)))
        head = self.policy_head
        logits = legal_logits(latent, head.weight, head.bias, description.listing)
        return logits, self.value_head(latent).squeeze(1)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw orthogonal weights; the policy begins close to uniform."""
        orthogonal(self, generator, {self.policy_head: 0.01, self.value_head: 1.0})


def orthogonal(
    network: nn.Module, generator: torch.Generator, gains: Mapping[nn.Module, float]
) -> None:
    """Draw orthogonal weights for all linear layers, and set their biases to zero.

    Args:
        network: The network.
        generator: Where they are drawn from.
        gains: Layer -> gain; the square root of 2 for those not named.
    """
    for layer in network.modules():
        if isinstance(layer, nn.Linear):
            nn.init.orthogonal_(layer.weight, gains.get(layer, math.sqrt(2)), generator)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


NETWORKS = {
    "mlp": "chromazoo.agents.network:MLP",
    "chroma": "chromazoo.agents.chroma_network:ChromaNetwork",
    "guardians": "chromazoo.agents.guardians_network:GuardiansNetwork",
    "kroma": "chromazoo.agents.kroma_network:KromaNetwork",
}


def build_network(game: Game[Any], architecture: Mapping[str, Any]) -> Network:
    """Build a network; its weights are not to be relied on before `initialise` or loading.

    Args:
        game: What it is to play.
        architecture: `kind`, a name in `NETWORKS` (if not given, the game's own kind, or `mlp`
            where it has none), and the sizes of that kind that are not to have their defaults.

    Returns:
        The network, in float32.

    Raises:
        InvalidConfig: an unknown kind, an unknown size, a size out of range, or too many weights.
    """
    sizes = dict(architecture)
    kind = sizes.pop("kind", game.id if game.id in NETWORKS else MLP.kind)
    if not isinstance(kind, str) or kind not in NETWORKS:
        raise InvalidConfig(f"no network {kind!r:.80}; the kinds are {', '.join(NETWORKS)}")
    module, _, name = NETWORKS[kind].partition(":")
    network: type[Network] = getattr(import_module(module), name)
    known = list(inspect.signature(network).parameters)[1:]
    unknown = sorted(set(sizes) - set(known))
    if unknown:
        raise InvalidConfig(f"network {kind}: no size {unknown[0]!r}; there are {', '.join(known)}")
    with torch.random.fork_rng(devices=[]):  # torch's layers draw from the global generator
        built = network(game, **sizes)
    weights = sum(parameter.numel() for parameter in built.parameters())
    if weights > MOST_WEIGHTS:
        raise InvalidConfig(f"network {kind}: {weights:,} weights, of at most {MOST_WEIGHTS:,}")
    return built


def check_sizes(kind: str, sizes: Mapping[str, Any], bound: int) -> None:
    """Refuse sizes that are no integers from 1 to a bound.

    Args:
        kind: The network's kind.
        sizes: Name -> size.
        bound: The highest that is allowed.

    Raises:
        InvalidConfig: one is not.
    """
    for name, value in sizes.items():
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= bound:
            raise InvalidConfig(f"network {kind}: {name} from 1 to {bound}, not {value!r}")
