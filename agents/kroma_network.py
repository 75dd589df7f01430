"""A policy network for Kroma: one vector a square, and a score for every pair of squares.

Kroma's moves depend on what stands where, so the network is told what each square means: which
piece is on it, how that piece reaches, and by which reaches either side could get there. A layer
over the whole board adds what is the same for all squares. A move is scored by the product of a
vector of its origin and one of its target, as in the policy heads of Leela Chess Zero.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn

from chromazoo.agents.network import Network, check_sizes, orthogonal
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.game import Game
from chromazoo.envs.kroma import rules
from chromazoo.envs.kroma.board import REACHES


class KromaNetwork(Network):
    """Judges a board of Kroma square by square."""

    kind = "kroma"
    targets: Tensor
    links: Tensor

    def __init__(
        self, game: Game[Any], width: int = 128, channels: int = 64, keys: int = 32
    ) -> None:
        """Build the layers.

        Args:
            game: Kroma in any variant.
            width: Units of the layers over the whole board.
            channels: Numbers that describe a square.
            keys: Length of the vectors of origins and targets.

        Raises:
            InvalidConfig: a size is out of range, or the game is not Kroma.
        """
        sizes = {"width": width, "channels": channels, "keys": keys}
        check_sizes(self.kind, sizes, 4096)
        if not isinstance(game, rules.Game):
            raise InvalidConfig(f"network {self.kind} plays Kroma, not {game.id}")
        super().__init__(game, **sizes)
        self._fields = {
            field.name: (game.fields.slices[field.name], field.shape) for field in game.fields
        }
        board = game.board
        self._colours, self._squares = board.width, board.squares
        target = torch.from_numpy(board.target)  # (reaches, squares)
        inside = target >= 0
        origin = torch.arange(board.squares).expand_as(target)
        links = torch.zeros(board.width, board.squares, board.squares)  # colour, from, to
        for reach in range(4 * board.width):
            there = inside[reach]
            links[reach // 4, origin[reach][there], target[reach][there]] = 1.0
        self.register_buffer("links", links, persistent=False)
        pairs = torch.where(inside, origin * board.squares + target, 0).flatten()
        self.register_buffer("targets", pairs, persistent=False)
        self.whole = nn.Linear(game.num_features, width)
        self.square = nn.Linear(7 * board.width, channels)
        self.spread = nn.Linear(width, channels, bias=False)
        self.place = nn.Parameter(torch.zeros(board.squares, channels))
        self.inner = nn.Linear(channels, channels)
        self.origins = nn.Linear(channels, keys)
        self.goals = nn.Linear(channels, keys)
        self.reach_bias = nn.Parameter(torch.zeros(len(REACHES)))
        self.summary = nn.Linear(width + channels, width)
        self.drops = nn.Linear(width, game.num_actions - len(REACHES) * board.squares)
        self.value_head = nn.Linear(width, 1)
        self.float()

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Judge n positions; see `Network.forward`."""
        seen = self.scaled(observation)
        board = torch.relu(self.whole(seen))  # (n, width)
        local = self.square(self._squares_of(seen)) + self.place
        local = torch.relu(local + self.spread(board)[:, None])  # (n, squares, channels)
        local = torch.relu(self.inner(local) + local)
        scores = self.origins(local) @ self.goals(local).transpose(1, 2)  # (n, from, to)
        moves = scores.flatten(1).index_select(1, self.targets)
        moves = moves + self.reach_bias.repeat_interleave(self._squares)
        summary = torch.relu(self.summary(torch.cat([board, local.mean(1)], 1)))
        logits = torch.cat([moves, self.drops(summary)], 1)
        return logits, self.value_head(summary).squeeze(1)

    def _squares_of(self, seen: Tensor) -> Tensor:
        """Describe each square: (n, squares, 7 colours).

        For each colour: an own piece on the square, an enemy piece, the square's own colour; own
        and enemy pieces on it that reach as the colour does; how many own and enemy pieces get
        there by such a reach.
        """
        own, enemy, squares = (
            self._field(seen, name).flatten(2) for name in ("own_pieces", "enemy_pieces", "squares")
        )  # (n, colours, squares)
        movers = self._field(seen, "own_reach") @ own
        enemy_movers = self._field(seen, "enemy_reach") @ enemy
        parts = [own, enemy, squares, movers, enemy_movers]
        for pieces in (movers, enemy_movers):
            parts.append(torch.einsum("nks,kst->nkt", pieces, self.links))
        return torch.cat(parts, 1).transpose(1, 2)

    def _field(self, seen: Tensor, name: str) -> Tensor:
        """Cut a field out of the observations."""
        where, shape = self._fields[name]
        return seen[:, where].reshape(-1, *shape)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw orthogonal weights; the policy begins close to uniform."""
        orthogonal(
            self,
            generator,
            {self.drops: 0.01, self.value_head: 1.0, self.origins: 0.1, self.goals: 0.1},
        )
        nn.init.zeros_(self.reach_bias)
        nn.init.normal_(self.place, std=1 / math.sqrt(self.place.shape[1]), generator=generator)
