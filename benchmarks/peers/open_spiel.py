"""OpenSpiel: one game at a time in Python, the rules in C++.

Observations go into one numpy buffer, by `open_spiel.python.observation`: the fastest way on offer.
Masks are made in the faster of two ways, as the number of actions wants it. Chance and a turn of
simultaneous choices are played as OpenSpiel asks; each choice counts as a decision.
"""

import random
from functools import partial
from typing import Any

import numpy as np

from chromazoo.benchmarks.peers.play import WITH, WITHOUT, Peer, Tally, measured, shape_text

_STEPS = 64
_FEW = 256  # up to so many actions OpenSpiel's own mask, a list, is faster than a numpy mask


def make(game: str, batch: int) -> Peer:
    """Make a game, to be played one at a time."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    rules = pyspiel.load_game(game)
    observation = make_observation(rules)
    table = _Table(rules, observation)
    return Peer(
        actions=rules.num_distinct_actions(),
        observation=shape_text(rules.observation_tensor_shape(), observation.tensor.dtype),
        plays={WITHOUT: partial(table.play, False), WITH: partial(table.play, True)},
    )


class _Table:
    """Plays one game after the other."""

    def __init__(self, rules: Any, observation: Any) -> None:
        """Begin the first game."""
        self._rules, self._observation = rules, observation
        self._state, self._random = rules.new_initial_state(), random.Random(0)
        self._actions = rules.num_distinct_actions()
        self._few = self._actions <= _FEW

    def play(self, observe: bool) -> Tally:
        """Play some turns."""
        decisions = choices = games = 0
        for _ in range(_STEPS):
            state = self._state
            while state.is_chance_node():
                state.apply_action(self._drawn(state.chance_outcomes()))
            if state.is_simultaneous_node():
                seats = range(self._rules.num_players())
                picked = [self._choose(seat, observe) for seat in seats]
                state.apply_actions([action for action, _ in picked])
            else:
                picked = [self._choose(state.current_player(), observe)]
                state.apply_action(picked[0][0])
            decisions += len(picked)
            choices += sum(number for _, number in picked)
            if state.is_terminal():
                self._state = self._rules.new_initial_state()
                games += 1
        return Tally(decisions, choices, games)

    def _choose(self, seat: int, observe: bool) -> tuple[int, int]:
        """Make mask and observation of a seat; choose one of so many legal actions."""
        state = self._state
        legal = state.legal_actions(seat)
        if self._few:
            state.legal_actions_mask(seat)
        else:
            mask = np.zeros(self._actions, bool)
            mask[legal] = True
        if observe:
            self._observation.set_from(state, seat)
        return legal[int(self._random.random() * len(legal))], len(legal)

    def _drawn(self, outcomes: list[tuple[int, float]]) -> int:
        """Draw a chance outcome."""
        left = self._random.random()
        for action, probability in outcomes:
            left -= probability
            if left < 0:
                return action
        return outcomes[-1][0]


run = partial(measured, make)
