"""Small networks with clear opinions, for the tests of all networks."""

from typing import Any

import torch

from chromazoo.agents.network import Network, build_network
from chromazoo.envs.game import Game

SMALL = {
    "mlp": {"width": 12, "depth": 2},
    "kroma": {"width": 12, "channels": 8, "keys": 4},
    "chroma": {"width": 12, "channels": 8},
    "guardians": {"width": 12, "channels": 8, "worlds": 4},
}


def network_for(game: Game[Any], kind: str | None = None, seed: int = 1) -> Network:
    """A network, by default the game's own, with weights large enough to have clear opinions."""
    kind = kind or game.id
    network = build_network(game, {"kind": kind, **SMALL[kind]})
    network.initialise(torch.Generator().manual_seed(seed))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return network.eval().requires_grad_(False)
