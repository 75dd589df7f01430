"""The engine against the reference: random games, every choice, every seat's point of view."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.guardians.drawing import queue_text
from chromazoo.envs.guardians.rules import Game, GuardiansState
from tests.guardians.agreement import assert_agree, assert_seen, pair
from tests.guardians.play import PLAYERS, any_choice, banded_colours, own_colours, shuffled_setup
from tests.guardians.reference import TURNS, Guardians, begin
from tests.guardians.test_reference import events_of
from tests.thorough import THOROUGH

GAMES = 12 if THOROUGH else 2  # in a batch
TIMES = 8 if THOROUGH else 1
MANY = {"default": (150, 1), "own": (60, 2), "banded": (60, 1)}  # colours: games and rounds
COLOURS: dict[str, Callable[[Random], list[int] | None]] = {
    "default": lambda _: None,
    "own": own_colours,
    "banded": banded_colours,
}
KINDS = pytest.mark.parametrize(
    ("num_players", "duel"), PLAYERS, ids=["duel", *(f"{number}p" for number in range(2, 6))]
)


@KINDS
@pytest.mark.parametrize("colours", COLOURS)
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_random_games(num_players: int, duel: bool, colours: str, rounds: int) -> None:
    """In each row another seat may decide, and those that are pending in any order."""
    random = Random(f"{num_players} {duel} {colours} {rounds}")
    options = {
        "num_players": num_players,
        "duel": duel,
        "rounds": rounds,
        "colors": COLOURS[colours](random),
    }
    check_games(random, options, GAMES)


def check_games(random: Random, options: dict[str, Any], games: int) -> None:
    """Play games in one batch, some faster than others; compare engine and reference throughout."""
    game, config = pair(**options)
    setups = [shuffled_setup(config.rounds, random) for _ in range(games)]
    state = game.from_setup(setups)
    references = [begin(config, setup) for setup in setups]
    moved = list(range(games))
    while not state.over.all():
        assert_seen(game, state, moved, references)
        for row in moved:
            assert_agree(game, state, row, references[row])
        live = np.flatnonzero(~state.over).tolist()
        moved = [row for row in live if random.random() < 0.8]
        part = state.take(moved)
        step_all(game, part, moved, references, random)
        state.put(moved, part)
    for row in range(games):
        assert_agree(game, state, row, references[row])
    assert_seen(game, state, range(games), references)


def step_all(
    game: Game,
    state: GuardiansState,
    rows: Sequence[int],
    references: list[Guardians],
    random: Random,
) -> None:
    """Take a choice of any pending seat in every game of a state.

    Args:
        game: The rules.
        state: Some games; changed.
        rows: Which of the references they are.
        references: Games as the reference has them; changed.
        random: Chooses.
    """
    seats, actions = np.zeros((2, len(rows)), np.int64)
    for number, row in enumerate(rows):
        seat, move = any_choice(references[row], random)
        seats[number], actions[number] = seat, game.parse_move(state, number, move, seat)
        assert game.move_text(state, number, int(actions[number]), seat) == move
        references[row] = references[row].after(move, seat)
    game.step(state, actions, seats)


@KINDS
def test_many_games(num_players: int, duel: bool) -> None:
    """All turns of many games at once, in which all that there is befalls some cards."""
    random = Random(f"{num_players} {duel}")
    met: Counter[str] = Counter()
    for colours, (games, rounds) in MANY.items():
        options: dict[str, Any] = {"num_players": num_players, "duel": duel, "rounds": rounds}
        options["colors"] = COLOURS[colours](random)
        met += check_turns(random, options, games * TIMES)
    expected = {"no explosion", "explosion", "chain", "long chain", "colours at once"}
    expected |= {"three at first", "both ways"}
    if num_players < 5:
        expected |= {"of the chief", "added beside", "taken in the turn", "taken later", "dropped"}
    assert set(met) == expected


def check_turns(random: Random, options: dict[str, Any], games: int) -> Counter[str]:
    """Play games in one batch, compared after each turn; return what befell how often."""
    game, config = pair(**options)
    setups = [shuffled_setup(config.rounds, random) for _ in range(games)]
    state = game.from_setup(setups)
    references = [begin(config, setup) for setup in setups]
    met: Counter[str] = Counter()
    for turn in range(TURNS * config.rounds):
        for _ in range(config.num_players * config.choices):
            before = list(references)
            step_all(game, state, range(games), references, random)
        some = range(turn % TURNS, games, TURNS)
        assert_seen(game, state, some, references)
        marks = game.marks(state).tolist()
        for row in range(games):
            met.update(events_of(before[row], references[row]))
            assert queue_text(state, row) == references[row].queue_text()
            assert marks[row] == references[row].marks
    for row in range(games):
        assert_agree(game, state, row, references[row])
    assert state.over.all()
    return met
