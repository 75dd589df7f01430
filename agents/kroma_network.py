"""A policy network for Kroma: one vector a square, and a score for every pair of squares.

Kroma's moves depend on what stands where, so the network is told what each square means: which
piece is on it, how that piece reaches, and by which reaches either side could get there. A layer
over the whole board adds what is the same for all squares. A move is scored by the product of a
vector of its origin and one of its target, as in the policy heads of Leela Chess Zero.
"""

import math

import torch
from torch import Tensor, nn

from chromazoo.agents.network import Network, orthogonal
from chromazoo.envs.kroma import rules
from chromazoo.envs.kroma.board import REACHES


class KromaNetwork(Network):
    """Judges a board of Kroma square by square."""

    kind = "kroma"
    plays = rules.Game
    game: rules.Game
    pairs: Tensor
    links: Tensor

    def __init__(
        self, game: rules.Game, width: int = 128, channels: int = 64, keys: int = 32
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
        super().__init__(game, width=width, channels=channels, keys=keys)
        self._fields = {
            field.name: (game.fields.slices[field.name], field.shape) for field in game.fields
        }
        board = game.board
        self._colours, self._squares = board.width, board.squares
        target = torch.from_numpy(board.target)  # (reaches, squares)
        inside = target >= 0
        origin = torch.arange(board.squares).expand_as(target)
        links = torch.zeros(2 * (board.width, board.squares))  # colour, from, colour, to
        for reach in range(4 * board.width):
            there, colour = inside[reach], reach // 4
            links[colour, origin[reach][there], colour, target[reach][there]] = 1.0
        self.register_buffer("links", links.flatten(2).flatten(0, 1), persistent=False)
        pairs = torch.where(inside, origin * board.squares + target, 0).flatten()
        self.register_buffer("pairs", pairs, persistent=False)
        self.whole = nn.Linear(game.num_features, width)
        self.square = nn.Linear(7 * board.width, channels)
        self.spread = nn.Linear(width, channels, bias=False)
        self.place = nn.Parameter(torch.zeros(board.squares, channels))
        self.inner = nn.Linear(channels, channels)
        self.ends = nn.Linear(channels, 2 * keys)  # as the origin and as the target of a move
        self.reach_bias = nn.Parameter(torch.zeros(len(REACHES)))
        self.summary = nn.Linear(width + channels, width)
        self.drops = nn.Linear(width, game.num_actions - len(REACHES) * board.squares)
        self.value_head = nn.Linear(width, 1)
        self.float()

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Judge n positions; see `Network.forward`."""
        seen = self.scaled(observation)
        board = self.whole(seen).relu_()  # (n, width)
        shared = self.spread(board)[:, None] + self.place  # (n, squares, channels)
        local = self.square(self._squares_of(seen)).add_(shared).relu_()
        local = (self.inner(local) + local).relu_()
        origins, targets = self.ends(local).chunk(2, 2)
        scores = origins @ targets.transpose(1, 2)  # (n, from, to)
        moves = scores.flatten(1).index_select(1, self.pairs)
        moves = moves + self.reach_bias.repeat_interleave(self._squares)
        summary = self.summary(torch.cat([board, local.mean(1)], 1)).relu_()
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
        goals = (movers.flatten(1) @ self.links).view_as(movers)
        enemy_goals = (enemy_movers.flatten(1) @ self.links).view_as(movers)
        parts = [own, enemy, squares, movers, enemy_movers, goals, enemy_goals]
        return torch.cat(parts, 1).transpose(1, 2)

    def _field(self, seen: Tensor, name: str) -> Tensor:
        """Cut a field out of the observations."""
        where, shape = self._fields[name]
        return seen[:, where].reshape(-1, *shape)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw orthogonal weights; the policy begins close to uniform."""
        orthogonal(self, generator, {self.drops: 0.01, self.value_head: 1.0, self.ends: 0.1})
        nn.init.zeros_(self.reach_bias)
        nn.init.normal_(self.place, std=1 / math.sqrt(self.place.shape[1]), generator=generator)
