"""A policy network for Kroma: one vector a square, and a score for every pair of squares.

Kroma's moves depend on what stands where, so the network is told what each square means: which
piece is on it, how that piece reaches, and by which reaches either side could get there. A layer
over the whole board adds what is the same for all squares. A move is scored by the product of a
vector of its origin and one of its target, as in the policy heads of Leela Chess Zero.
"""

import math

import numpy as np
import torch
from torch import Tensor, nn

from chromazoo.agents.listing import Listing
from chromazoo.agents.network import Description, Network, orthogonal
from chromazoo.envs.fields import Observation
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
        links = torch.zeros(board.width, board.squares, board.squares)  # colour, from, to
        for reach in range(4 * board.width):
            there, colour = inside[reach], reach // 4
            links[colour, origin[reach][there], target[reach][there]] = 1.0
        self.register_buffer("links", links, persistent=False)
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

    def describe(self, observation: Observation, listing: Listing) -> Description:
        """Gather what the network is told; see `Network.describe`.

        Positions are uint8 (n, F + 7 squares colours): the observation, then what each square
        means.
        """
        with torch.no_grad():
            squares = self._squares_of(self.scaled(torch.from_numpy(observation)))
        told = squares.flatten(1).to(torch.uint8).numpy()
        nothing = np.zeros((len(listing.places), 0), np.float32)
        return Description(listing, np.concatenate([observation, told], axis=1), nothing)

    def judge(self, description: Description) -> tuple[Tensor, Tensor]:
        """Judge n positions and no actions but the legal ones; see `Network.judge`."""
        listing = description.listing
        told = torch.from_numpy(description.positions)
        seen = self.scaled(told[:, : self.game.num_features])
        squares = told[:, self.game.num_features :].to(seen.dtype)
        origins, targets, summary = self._look(seen, squares.view(len(seen), self._squares, -1))
        actions = torch.from_numpy(listing.actions)
        moves = actions.clamp(max=len(self.pairs) - 1)
        rows = torch.from_numpy(listing.rows)
        first = rows * self._squares
        pairs = self.pairs.index_select(0, moves)
        origin = origins.flatten(0, 1).index_select(0, first + pairs // self._squares)
        target = targets.flatten(0, 1).index_select(0, first + pairs % self._squares)
        reach = self.reach_bias.index_select(0, moves // self._squares)
        logits = (origin * target).sum(1) + reach
        drops = actions >= len(self.pairs)
        dropped = self.drops(summary)[rows[drops], actions[drops] - len(self.pairs)]
        logits = logits.masked_scatter(drops, dropped)
        return logits, self.value_head(summary).squeeze(1)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Judge n positions; see `Network.forward`."""
        seen = self.scaled(observation)
        origins, targets, summary = self._look(seen, self._squares_of(seen))
        scores = origins @ targets.transpose(1, 2)  # (n, from, to)
        moves = scores.flatten(1).index_select(1, self.pairs)
        moves = moves + self.reach_bias.repeat_interleave(self._squares)
        logits = torch.cat([moves, self.drops(summary)], 1)
        return logits, self.value_head(summary).squeeze(1)

    def _look(self, seen: Tensor, squares: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Look at boards.

        Args:
            seen: (n, F), scaled observations.
            squares: (n, squares, 7 colours), what `_squares_of` tells.

        Returns:
            A vector of each square as the origin of a move and one as its target,
            (n, squares, keys) each, and one of the whole board (n, width).
        """
        board = self.whole(seen).relu_()  # (n, width)
        shared = self.spread(board)[:, None] + self.place  # (n, squares, channels)
        local = self.square(squares).add_(shared).relu_()
        local = (self.inner(local) + local).relu_()
        origins, targets = self.ends(local).chunk(2, 2)
        summary = self.summary(torch.cat([board, local.mean(1)], 1)).relu_()
        return origins, targets, summary

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
        goals, enemy_goals = (
            (every.transpose(0, 1) @ self.links).transpose(0, 1) for every in (movers, enemy_movers)
        )
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
