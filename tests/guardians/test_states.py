"""What a state's arrays say twice agrees, at every choice of random games."""

import numpy as np
import pytest

from chromazoo.envs.guardians.cards import BESIDE, QUEUED, TAKEN
from chromazoo.envs.guardians.rules import Game
from tests.contract.play import play, player_stream
from tests.guardians.play import PLAYERS


@pytest.mark.parametrize(("num_players", "duel"), PLAYERS)
def test_what_is_kept_twice(num_players: int, duel: bool) -> None:
    """The queue as colours, as numbers and as places; whether cards lie beside the chief."""
    game = Game(num_players=num_players, duel=duel, rounds=3)
    code = np.array([0, *(1 + colour for colour in game.options["colors"])])
    seeds = np.arange(30)
    beside = 0
    for number, (state, _, _) in enumerate(play(game, game.deal(seeds), player_stream(seeds))):
        if number % num_players:
            continue
        bits = np.unpackbits(
            np.ascontiguousarray(state.colours).view(np.uint8), axis=1, bitorder="little"
        )
        planes = bits.reshape(len(state), 3, 8, 8).astype(
            np.int64
        )  # (games, planes, columns, spaces)
        colours = planes[:, 0] + 2 * planes[:, 1] + 4 * planes[:, 2]
        assert np.array_equal(colours[:, :5], code[state.numbers])
        assert not colours[:, 5:].any()
        queued = np.zeros((len(state), 51), np.bool_)
        np.put_along_axis(
            queued, state.numbers.reshape(len(state), -1).astype(np.int64), True, axis=1
        )
        assert np.array_equal(queued[:, 1:], state.places == QUEUED)
        assert np.array_equal(state.stacked, (state.places == BESIDE).any(axis=1))
        assert (state.places < TAKEN + num_players).all()
        beside += int(state.stacked.sum())
    assert (beside > 0) == (num_players < 5)
