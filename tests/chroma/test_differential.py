"""The engine against the reference: whole random games, every ply, every seat's point of view."""

from collections import Counter
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.chroma.agreement import assert_agree, assert_seen, own_wheel, pair, types_of
from tests.chroma.play import TEMPERS, chance_for, shuffled_setup
from tests.chroma.reference import begin
from tests.thorough import THOROUGH

ROUNDS = 8 if THOROUGH else 1  # of games with each choice of options
WHEELS = ["tones", "narrow", "ring", "own"]
PLAYERS = [2, 3, 4, 5, 6]


def some_options(random: Random, num_players: int, wheel: str) -> list[dict[str, Any]]:
    """Options with these players and this wheel; by default two of the five power copies.

    Over all players and wheels each number of copies meets every number of players and every wheel.
    """
    first = num_players + WHEELS.index(wheel)
    copies = range(5) if THOROUGH else [first % 5, (first + 2) % 5]
    return [
        {
            "num_players": num_players,
            "wheel": own_wheel(random) if wheel == "own" else wheel,
            "power_copies": number,
            "first_player": random.choice([None, random.randrange(num_players)]),
        }
        for number in copies
        for _ in range(ROUNDS)
    ]


@pytest.mark.parametrize("wheel", WHEELS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_random_games(num_players: int, wheel: str) -> None:
    random = Random(f"{num_players} {wheel}")
    for options in some_options(random, num_players, wheel):
        check_games(random, options)


def test_the_choice_of_options_leaves_none_out() -> None:
    met: set[tuple[Any, int]] = set()
    for num_players, wheel in product(PLAYERS, WHEELS):
        for options in some_options(Random(0), num_players, wheel):
            met |= {(num_players, options["power_copies"]), (wheel, options["power_copies"])}
    assert met == set(product([*PLAYERS, *WHEELS], range(5)))


def check_games(random: Random, options: dict[str, Any]) -> Counter[str]:
    """Play a game in each temper, in one batch, every ply of engine and reference compared.

    Returns:
        How often each phase was met and each end was reached.
    """
    game, config = pair(**options)
    types = types_of(game)
    setups = [shuffled_setup(config.pack, config.num_players, random) for _ in TEMPERS]
    for setup in setups:
        if config.first_player is not None:
            setup["first_player"] = config.first_player
    state = game.from_setup(setups)
    references = [begin(config, setup) for setup in setups]
    met: Counter[str] = Counter()
    unseen = list(range(len(references)))  # finished games are looked at once
    while True:
        actions = np.full(len(references), -1)  # finished games ignore theirs
        chances: list[str | None] = [None] * len(references)
        assert_seen(game, types, state, unseen, references)
        for row in unseen:
            reference = references[row]
            assert_agree(game, state, row, reference)
            if reference.result() is not None:
                continue
            met[reference.phase] += 1
            move = TEMPERS[row](reference, random)
            chances[row] = chance_for(reference, move, random)
            references[row] = reference.after(move, chances[row])
            actions[row] = game.parse_move(state, row, move)
            assert game.move_text(state, row, int(actions[row])) == move
        unseen = np.flatnonzero(~state.over).tolist()
        if not unseen:
            return met + Counter(str(reference.reason) for reference in references)
        before = state.copy()
        game.step(state, actions, chance=chances)
        for row, chance in enumerate(chances):
            if actions[row] >= 0:
                assert game.chance_text(before, state, row, int(actions[row])) == chance
