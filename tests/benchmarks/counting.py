"""A game that counts what it is asked for."""

from typing import Any

from tests.tiny.game import Game as TinyGame


class Counting(TinyGame):
    """Counts what it is asked for, game by game."""

    def __init__(self) -> None:
        super().__init__()
        self.dealt = self.asked = self.decided = self.looked = self.redealt = 0

    def deal(self, seeds: Any) -> Any:
        self.dealt += len(seeds)
        return super().deal(seeds)

    def action_mask(self, state: Any, seats: Any = None, **named: Any) -> Any:
        self.asked += len(state)
        return super().action_mask(state, seats, **named)

    def step(self, state: Any, actions: Any, seats: Any = None, chance: Any = None) -> None:
        self.decided += int((~state.over).sum())
        super().step(state, actions, seats, chance)

    def observe(self, state: Any, *arguments: Any, **named: Any) -> Any:
        self.looked += len(state)
        return super().observe(state, *arguments, **named)

    def redeal(self, state: Any, seats: Any, seeds: Any) -> Any:
        self.redealt += len(state)
        return super().redeal(state, seats, seeds)
