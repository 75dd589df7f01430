"""Guardians through the AEC, the parallel and the batched face: one game, and nothing hidden shown.

The checks are functions that take the faces, so that `test_faces_faults.py` can run them on faces
with planted faults.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.aec import AECFace
from chromazoo.envs.guardians.rules import Game, GuardiansState
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.vector import VectorFace
from tests.contract.play import history, player_stream
from tests.faces import checkers
from tests.faces.checkers import moment, shown_by_aec
from tests.faces.play import Players, decide, stage
from tests.guardians.agreement import observation, pair
from tests.guardians.play import PLAYERS, shuffled_setup
from tests.guardians.reference import TURNS, Config, Guardians, begin
from tests.guardians.secrecy import owed
from tests.guardians.twins import Line, long_twins

MakeAEC = Callable[..., AECFace]
MakeParallel = Callable[..., ParallelFace]
MakeVector = Callable[..., VectorFace]
AEC = partial(AECFace, render_mode="ansi")
PARALLEL = partial(ParallelFace, render_mode="ansi")
VECTOR = partial(VectorFace, render_mode="ansi")
KINDS = pytest.mark.parametrize(("num_players", "duel"), PLAYERS)


# One game


@dataclass
class Views:
    """What each seat was told when it chose, what it chose, and how the game ended.

    Attributes:
        choices: By seat: observation, mask and action of each of its choices.
        last: The observations of all seats at the end.
        rewards: The sum of each seat's rewards.
        truncated: Whether the game was broken off.
    """

    choices: list[list[tuple[bytes, bytes, int]]]
    last: list[bytes] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    truncated: bool = False


def told(seen: dict[str, Any], action: int) -> tuple[bytes, bytes, int]:
    return seen["observation"].tobytes(), seen["action_mask"].tobytes(), action


def through_aec(env: AECFace, seed: int) -> Views:
    """A game in which every seat plays at random, its choices from a stream of its own."""
    env.reset(seed=seed)
    names = env.possible_agents
    views, players = Views([[] for _ in names]), Players([seed], len(names))
    views.rewards = [0.0] * len(names)
    while not (any(env.terminations.values()) or any(env.truncations.values())):
        seat, seen = names.index(env.agent_selection), env.observe(env.agent_selection)
        action = decide(players, seen, seat)
        views.choices[seat].append(told(seen, action))
        env.step(action)
        views.rewards = [
            total + env.rewards[name] for total, name in zip(views.rewards, names, strict=True)
        ]
    views.last = [env.observe(name)["observation"].tobytes() for name in names]
    views.truncated = any(env.truncations.values())
    return views


def through_parallel(env: ParallelFace, seed: int) -> Views:
    """The same, all seats at once."""
    seen, _ = env.reset(seed=seed)
    names = env.possible_agents
    views, players = Views([[] for _ in names]), Players([seed], len(names))
    views.rewards = [0.0] * len(names)
    while env.agents:
        actions = {}
        for seat, name in enumerate(names):
            if seen[name]["action_mask"].any():
                actions[name] = decide(players, seen[name], seat)
                views.choices[seat].append(told(seen[name], actions[name]))
        seen, rewards, _, truncations, _ = env.step(actions)
        views.rewards = [
            total + rewards[name] for total, name in zip(views.rewards, names, strict=True)
        ]
        views.truncated = any(truncations.values())
    views.last = [seen[name]["observation"].tobytes() for name in names]
    return views


def check_same_game(
    make_aec: MakeAEC, make_parallel: MakeParallel, game: Game, limit: int | None = None
) -> None:
    """The same choices give the same game; each seat sees the same when it chooses.

    Of a game that is broken off amid a turn the parallel face has asked more seats than had their
    turn in the AEC face. In the duel variant these differ in whose choices are sealed by then.
    """
    aec, parallel = make_aec(game, max_plies=limit), make_parallel(game, max_plies=limit)
    for seed in range(2 if limit else 4):
        one, other = through_aec(aec, seed), through_parallel(parallel, seed)
        assert one.truncated == other.truncated
        assert one.rewards == other.rewards
        for mine, theirs in zip(one.choices, other.choices, strict=True):
            both = min(len(mine), len(theirs))
            assert mine[:both] == theirs[:both]
            assert both == len(mine) == len(theirs) or one.truncated
        if game.choices == 1 or not one.truncated or limit is None or limit % 4 != 2:
            assert one.last == other.last
        else:
            assert [public(game, view) for view in one.last] == [
                public(game, view) for view in other.last
            ]


def public(game: Game, view: bytes) -> bytes:
    """What is seen beside the own cards."""
    seen = np.frombuffer(view, np.uint8).copy()
    for name in ("hand", "chosen"):
        seen[game.fields.slices[name]] = 0
    return seen.tobytes()


@KINDS
@pytest.mark.parametrize("rounds", [1, 3])
def test_the_parallel_face_gives_the_game_of_the_aec_face(
    num_players: int, duel: bool, rounds: int
) -> None:
    check_same_game(AEC, PARALLEL, Game(num_players=num_players, duel=duel, rounds=rounds))


@KINDS
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6, 7, 8, 11, 15])
def test_games_that_are_broken_off(num_players: int, duel: bool, limit: int) -> None:
    check_same_game(AEC, PARALLEL, Game(num_players=num_players, duel=duel), limit)


@KINDS
def test_a_limit_at_the_end_breaks_nothing_off(num_players: int, duel: bool) -> None:
    game = Game(num_players=num_players, duel=duel)
    length = TURNS * num_players * game.choices
    for limit, truncated in ((length - 1, True), (length, False), (length + 1, False)):
        env = AECFace(game, max_plies=limit)
        assert through_aec(env, 1).truncated == truncated
        check_same_game(AEC, PARALLEL, game, limit)


def test_the_order_of_seats_in_the_duel_variant() -> None:
    """G7: 0, 0, 1, 1 in the AEC face, in the parallel one two steps a turn."""
    env = AECFace(Game())
    env.reset(seed=1)
    order = []
    for _ in range(8):
        order.append(env.agent_selection)
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert order == ["player_0", "player_0", "player_1", "player_1"] * 2
    parallel = ParallelFace(Game())
    seen, _ = parallel.reset(seed=1)
    for _ in range(3):
        masks = [[part["action_mask"].copy() for part in seen.values()]]
        first = {name: int(part["action_mask"].argmax()) for name, part in seen.items()}
        seen, *_ = parallel.step(first)
        masks.append([part["action_mask"] for part in seen.values()])
        for seat, card in enumerate(first.values()):
            masks[0][seat][card] = 0  # the second mask lacks the first card
            assert np.array_equal(masks[0][seat], masks[1][seat])
        seen, *_ = parallel.step(
            {name: int(part["action_mask"].argmax()) for name, part in seen.items()}
        )


@KINDS
def test_the_faces_against_the_reference(num_players: int, duel: bool) -> None:
    """A whole game of two rounds through both faces, compared with the reference at every step."""
    random = Random(f"{num_players} {duel}")
    game, config = pair(num_players=num_players, duel=duel, rounds=2)
    setup = shuffled_setup(2, random)
    aec, parallel = AECFace(game), ParallelFace(game)
    aec.reset(seed=1, options={"setup": setup})
    seen, _ = parallel.reset(seed=1, options={"setup": setup})
    reference = begin(config, setup)
    while not reference.over:
        check_seen(game, reference, seen)
        choices = [
            (seat, random.sample(reference.legal(seat), game.choices)) for seat in reference.seats
        ]
        for number in range(game.choices):
            some = {f"player_{seat}": int(cards[number]) - 1 for seat, cards in choices}
            seen, rewards, *_ = parallel.step(some)
        for seat, cards in choices:
            for card in cards:
                assert aec.agent_selection == f"player_{seat}"
                assert aec.observe(f"player_{seat}")["action_mask"].sum() == len(
                    reference.legal(seat)
                )
                aec.step(int(card) - 1)
                reference = reference.after(card, seat)
    result = reference.result()
    assert result is not None
    for given in (rewards, aec.rewards):
        assert list(given.values()) == pytest.approx(result["rewards"], abs=1e-9)


def check_seen(game: Game, reference: Guardians, seen: dict[str, Any]) -> None:
    for seat, parts in enumerate(seen.values()):
        expected = [values.ravel() for values in observation(reference, seat).values()]
        assert np.array_equal(parts["observation"], np.concatenate(expected))
        legal = (1 + np.flatnonzero(parts["action_mask"])).tolist()
        assert sorted(map(str, legal)) == reference.legal(seat)


# Hidden information


@KINDS
def test_what_a_seat_cannot_know_changes_nothing_it_is_shown(num_players: int, duel: bool) -> None:
    game = Game(num_players=num_players, duel=duel, rounds=2)
    seeds = np.arange(5)
    for number, batch in enumerate(history(game, game.deal(seeds), player_stream(seeds))):
        if number <= num_players * game.choices or number % 11 == 0:
            state = batch.take([number % len(seeds)])
            checkers.check_hidden_aec(AEC, game, state)
            checkers.check_hidden_vector(VECTOR, game, state)
            checkers.check_hidden_parallel(PARALLEL, game, state)


def at_turns(game: Game, *turns: int) -> list[GuardiansState]:
    """A game at the beginning of some turns."""
    a_turn = game.num_seats * game.choices
    found = []
    for number, state in enumerate(history(game, game.deal([3]), player_stream([3]))):
        assert isinstance(state, GuardiansState)
        if number in [turn * a_turn for turn in turns]:
            found.append(state)
    return found


def sealed_choices(
    game: Game, state: GuardiansState, viewer: int, random: Random
) -> list[list[list[int]]]:
    """Two ways in which all seats choose in a turn, the same for one seat: [way][seat][choice]."""
    hands = [
        np.flatnonzero(game.action_mask(state, np.array([seat]))[0]).tolist()
        for seat in range(game.num_seats)
    ]
    ways = [[random.sample(hand, game.choices) for hand in hands] for _ in range(2)]
    for seat, hand in enumerate(hands):
        while seat != viewer and set(ways[0][seat]) & set(ways[1][seat]):
            ways[1][seat] = random.sample(hand, game.choices)
    ways[1][viewer] = ways[0][viewer]
    return ways


def check_sealed_aec(make: MakeAEC, game: Game, state: GuardiansState) -> None:
    """Until the reveal a seat is shown the same, whatever the others chose before and after it."""
    random = Random(7)
    for viewer in range(game.num_seats):
        ways = sealed_choices(game, state, viewer, random)
        envs = [make(stage(game, state)) for _ in ways]
        for env in envs:
            env.reset(seed=0)
        order = [(seat, number) for seat in range(game.num_seats) for number in range(game.choices)]
        for seat, number in order[:-1]:
            for env, way in zip(envs, ways, strict=True):
                assert env.agent_selection == f"player_{seat}"
                env.step(way[seat][number])
            assert shown_by_aec(envs[0], f"player_{viewer}") == shown_by_aec(
                envs[1], f"player_{viewer}"
            )
        sealed = any(seat != viewer for seat, _ in order[:-1])
        assert (envs[0].state().tobytes() != envs[1].state().tobytes()) == sealed


def check_sealed_vector(make: MakeVector, game: Game, state: GuardiansState) -> None:
    """The same in two rows of a batch."""
    random = Random(8)
    for viewer in range(game.num_seats):
        ways = sealed_choices(game, state, viewer, random)
        env = make(stage(game, state), 2)
        env.reset(seed=0)
        order = [(seat, number) for seat in range(game.num_seats) for number in range(game.choices)]
        for seat, number in order[:-1]:
            env.step(np.array([way[seat][number] for way in ways]))
            now = moment(env)
            parts = [now.seats, now.rewards, now.reward, now.terminations, now.truncations]
            if now.seats[0] == viewer:
                parts += [now.observation, now.mask]
            assert all(np.array_equal(part[0], part[1]) for part in parts)
            assert env.render(0) == env.render(1)


def check_sealed_parallel(make: MakeParallel, game: Game, state: GuardiansState) -> None:
    """In the duel variant the others' first cards are not shown after the first of two steps."""
    random = Random(9)
    for viewer in range(game.num_seats):
        ways = sealed_choices(game, state, viewer, random)
        shown = []
        for way in ways:
            env = make(stage(game, state))
            env.reset(seed=0)
            for number in range(game.choices - 1):
                choices = {f"player_{seat}": cards[number] for seat, cards in enumerate(way)}
                seen, *rest = env.step(choices)
                parts = [part.tobytes() for part in seen[f"player_{viewer}"].values()]
                shown.append((*parts, repr(rest), repr(env.agents), env.render()))
        assert len(set(shown)) <= 1
        assert bool(shown) == (game.choices > 1)


@KINDS
def test_sealed_choices_stay_sealed_until_they_are_revealed(num_players: int, duel: bool) -> None:
    game = Game(num_players=num_players, duel=duel, rounds=2)
    for state in at_turns(game, 0, 1, 5, 6, 8, 14):
        check_sealed_aec(AEC, game, state)
        check_sealed_vector(VECTOR, game, state)
        check_sealed_parallel(PARALLEL, game, state)


@KINDS
def test_whole_games_that_a_seat_cannot_tell_apart(num_players: int, duel: bool) -> None:
    """From `reset` on the seat is shown the same after every step, by all faces."""
    random = Random(f"{num_players} {duel}")
    config = Config(num_players=num_players, duel=duel)
    game = Game(num_players=num_players, duel=duel)
    a_turn = num_players * config.choices
    for viewer in range(num_players):
        lines = long_twins(config, viewer, random, shortest=5 * a_turn, in_turn=True)
        check_twins_aec(AEC, game, lines, viewer)
        check_twins_vector(VECTOR, game, lines, viewer)
        check_twins_parallel(PARALLEL, game, lines, viewer)


def check_twins_aec(make: MakeAEC, game: Game, lines: tuple[Line, Line], viewer: int) -> None:
    envs = [make(game) for _ in lines]
    for env, line in zip(envs, lines, strict=True):
        env.reset(seed=3, options={"setup": line.setup})
    for number in range(len(lines[1].plies)):
        assert len({shown_by_aec(env, f"player_{viewer}") for env in envs}) == 1
        for env, line in zip(envs, lines, strict=True):
            env.step(int(line.plies[number][1]) - 1)
    assert len({shown_by_aec(env, f"player_{viewer}") for env in envs}) == 1


def check_twins_vector(make: MakeVector, game: Game, lines: tuple[Line, Line], viewer: int) -> None:
    dealt = game.from_setup([line.setup for line in lines], [1, 1])
    env = make(stage(game, dealt), 2)
    env.reset(seed=3)
    for number in range(len(lines[1].plies)):
        now = moment(env)
        if now.seats[0] == viewer:
            assert now.row(0) == now.row(1)
        assert env.render(0) == env.render(1)
        env.step(np.array([int(line.plies[number][1]) - 1 for line in lines]))


def check_twins_parallel(
    make: MakeParallel, game: Game, lines: tuple[Line, Line], viewer: int
) -> None:
    """Whole turns, each choice of all seats in a step."""
    a_turn, name = game.num_seats * game.choices, f"player_{viewer}"
    shown: list[list[Any]] = []
    for line in lines:
        env = make(game)
        seen, infos = env.reset(seed=3, options={"setup": line.setup})
        parts = [part.tobytes() for part in seen[name].values()]
        course: list[Any] = [(parts, infos)]
        for start in range(0, len(lines[1].plies) - a_turn + 1, a_turn):
            turn = line.plies[start : start + a_turn]
            for number in range(game.choices):
                some = {
                    f"player_{seat}": int(move) - 1 for seat, move in turn[number :: game.choices]
                }
                seen, *rest = env.step(some)
                parts = [part.tobytes() for part in seen[name].values()]
                course.append((parts, rest, env.agents, env.render()))
        shown.append(course)
    assert shown[0] == shown[1]


def test_a_turn_is_as_long_as_it_seems() -> None:
    """`owed`, by which the checks know when a turn is revealed, counts all choices of a turn."""
    for num_players, duel in PLAYERS:
        game = Game(num_players=num_players, duel=duel)
        for state in at_turns(game, 0, 7):
            assert owed(game, state).tolist() == [num_players * game.choices]
