"""Recorded chance on the compiled engine: taken and refused as on the numpy engine."""

import numpy as np
import pytest

from chromazoo.envs.chroma.rules import Game
from chromazoo.envs.errors import InvalidChance
from tests.contract.play import mixed
from tests.contract.test_engines import demand_same

GAMES = 300
OPTIONS = {"num_players": 3, "power_copies": 4}


def test_recorded_chance_is_taken_and_refused_alike() -> None:
    game, compiled = Game(**OPTIONS), Game(engine="compiled", **OPTIONS)
    plain = mixed(game, GAMES)
    fast = compiled.adopt(plain)
    legal = game.action_mask(plain)
    gifts = np.flatnonzero(legal[:, game.gift])
    actions = np.where(plain.over, -1, legal.argmax(axis=1))
    actions[gifts] = game.gift
    assert len(gifts) > 2
    assert plain.over.any()
    chance: list[str | None] = [None] * GAMES
    for row in gifts.tolist():
        partner = (plain.seat[row] + 1) % game.num_seats
        chance[row] = game.cards.names[np.flatnonzero(plain.hands[row, partner])[-1]]
    chance[int(np.argmax(plain.over))] = "finished games ignore theirs"

    other = int(np.flatnonzero(~plain.over & ~np.isin(np.arange(GAMES), gifts))[0])
    for row, text in ((gifts[-1], None), (gifts[1], "no card"), (other, "red")):
        wrong = [*chance]
        wrong[int(row)] = text
        said = []
        for each, state in ((game, plain), (compiled, fast)):
            with pytest.raises(InvalidChance) as caught:
                each.step(state, actions, chance=wrong)
            said.append((caught.value.row, str(caught.value)))
        assert said[0] == said[1]
        assert said[0][0] == row
        demand_same(plain, fast)

    streams = plain.stream.copy()
    game.step(plain, actions, chance=chance)
    compiled.step(fast, actions, chance=chance)
    demand_same(plain, fast)
    assert np.array_equal(fast.stream, streams)  # nothing was drawn
