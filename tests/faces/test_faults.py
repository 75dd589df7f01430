"""Every checker fails on the faults that it is there to find.

That it passes on faces without them is shown where the faces are tested.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.aec import AECFace
from chromazoo.envs.errors import ChromazooError
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.state import State
from chromazoo.envs.vector import VectorFace
from tests.faces import checkers, faults
from tests.faces.checkers import shown_by_aec
from tests.faults import fails as fails_with
from tests.games import EXAMPLES
from tests.tiny.game import DRAW
from tests.tiny.game import Game as TinyGame

GAME = TinyGame(cards=16)
SEALED = GAME.deal([5])  # the first seat is to bid
ONE_BID = SEALED.copy()
GAME.step(ONE_BID, [2])

# A face may also refuse what it should take.
fails = partial(fails_with, found_by=(AssertionError, ChromazooError, pytest.fail.Exception))


BATCHED: list[tuple[type[VectorFace], Callable[[checkers.MakeVector], object]]] = [
    (faults.Unseeded, checkers.check_seeds),
    (faults.FirstGameSeeded, checkers.check_seeds),
    (faults.FirstGameSeeded, checkers.check_against_rules),
    (faults.OneSeedForAll, checkers.check_rows),
    (faults.OneSeedForAll, checkers.check_against_rules),
    (faults.BatchDependent, checkers.check_rows),
    (faults.SeedsCounted, checkers.check_against_rules),
    (faults.SeedsCounted, checkers.check_fresh_games),
    (faults.NeverFresh, checkers.check_fresh_games),
    (faults.FloatObservation, checkers.check_forms),
    (faults.BoolMask, checkers.check_forms),
    (faults.NewSpaceAtEveryCall, checkers.check_forms),
    (faults.MaskAfterTheEnd, checkers.check_forms),
    (faults.MaskAfterTheEnd, checkers.check_final_transition),
    (faults.SharesItsArrays, checkers.check_arrays_are_the_users),
    (faults.LosesFinalReward, checkers.check_against_rules),
    (faults.LosesFinalReward, checkers.check_final_transition),
    (faults.ResetsTooEarly, checkers.check_against_rules),
    (faults.ResetsTooEarly, checkers.check_final_transition),
    (faults.ResetsTooLate, checkers.check_against_rules),
    (faults.ResetsTooLate, checkers.check_final_transition),
    (faults.PlaysOnInNewGame, checkers.check_against_rules),
    (faults.SelectionMovesOn, checkers.check_final_transition),
    (faults.DisabledAndYetResets, checkers.check_disabled),
    (faults.RepeatsRewards, checkers.check_disabled),
    (faults.ResetsAllRows, checkers.check_disabled),
    (faults.PassesOverIllegal, checkers.check_illegal),
    (faults.StepsTheOthers, checkers.check_illegal),
    (faults.ForgetsTheEnd, checkers.check_illegal),
    (faults.CountsTheAttempt, checkers.check_illegal),
]


@pytest.mark.parametrize(("face", "check"), BATCHED)
def test_faults_of_the_batched_face_are_found(
    face: type[VectorFace], check: Callable[[checkers.MakeVector], object]
) -> None:
    assert fails(partial(check, partial(face, GAME)))


@pytest.mark.parametrize(
    ("face", "check"),
    [
        (faults.LosesFinalReward, checkers.check_rewards),
        (faults.NeverTruncates, checkers.check_truncation),
        (faults.TruncatesLate, checkers.check_truncation),
    ],
)
def test_faults_beside_the_aec_face_are_found(face: Any, check: Any) -> None:
    assert fails(partial(check, partial(face, GAME), partial(AECFace, GAME)))


PARALLEL: list[tuple[type[ParallelFace], Callable[[checkers.MakeParallel], object]]] = [
    (faults.ParallelUnseeded, checkers.check_parallel_seeds),
    (faults.ParallelAlwaysSeeded, checkers.check_parallel_seeds),
    (faults.MasksForAll, checkers.check_parallel_forms),
    (faults.OneViewForAll, checkers.check_parallel_forms),
    (faults.ParallelLosesRewards, checkers.check_parallel_forms),
    (faults.NumpyEnds, checkers.check_parallel_forms),
    (faults.SharesInfos, checkers.check_parallel_forms),
    (faults.SharesInfos, checkers.check_parallel_truncation),
    (faults.SharesFirstInfos, checkers.check_parallel_forms),
    (faults.SharesFirstInfos, checkers.check_parallel_seeds),
    (faults.KeepsRefusedChoices, checkers.check_parallel_illegal),
    (faults.MasksAfterTheEnd, checkers.check_parallel_truncation),
]
PARALLEL_GAMES = ["tiny-biggest", "guardians", "guardians-3"]


@pytest.mark.parametrize("name", PARALLEL_GAMES)
@pytest.mark.parametrize(("face", "check"), PARALLEL)
def test_faults_of_the_parallel_face_are_found(face: Any, check: Any, name: str) -> None:
    assert fails(partial(check, partial(face, EXAMPLES[name])))


@pytest.mark.parametrize(
    ("face", "check"),
    [
        (faults.ParallelChanceUnseeded, checkers.check_parallel_seeds),
        (faults.HeedsSeatsNotPending, checkers.check_parallel_forms),
        (faults.SeatsLeave, checkers.check_parallel_forms),
        (faults.OneSeatAStep, checkers.check_parallel_forms),
    ],
)
def test_faults_that_guardians_does_not_know_are_found(face: Any, check: Any) -> None:
    """There nothing is drawn after the deal, and all seats choose at every step."""
    assert fails(partial(check, partial(face, GAME)))


@pytest.mark.parametrize(
    ("face", "check"),
    [
        (faults.AECShowsSecrets, checkers.check_hidden_aec),
        (faults.AECTellsSecrets, checkers.check_hidden_aec),
        (faults.AECDrawsSecrets, checkers.check_hidden_aec),
        (faults.ParallelShowsSecrets, checkers.check_hidden_parallel),
        (faults.ParallelTellsSecrets, checkers.check_hidden_parallel),
        (faults.VectorShowsSecrets, checkers.check_hidden_vector),
        (faults.VectorMasksBySecrets, checkers.check_hidden_vector),
        (faults.VectorDrawsSecrets, checkers.check_hidden_vector),
    ],
)
@pytest.mark.parametrize("state", [SEALED, ONE_BID], ids=["before", "amid"])
def test_leaks_of_what_a_seat_cannot_know_are_found(face: Any, check: Any, state: State) -> None:
    kind = face.__mro__[1]
    assert not fails(partial(check, partial(kind, render_mode="ansi"), GAME, state))
    assert fails(partial(check, partial(face, render_mode="ansi"), GAME, state))


@pytest.mark.parametrize(
    "face",
    [
        faults.AECShowsSecrets,
        faults.AECTellsSecrets,
        faults.AECDrawsSecrets,
        faults.AECRewardsEarly,
        faults.VectorShowsSecrets,
        faults.VectorMasksBySecrets,
        faults.VectorDrawsSecrets,
    ],
)
def test_leaks_of_sealed_choices_are_found(face: Any) -> None:
    aec, vector = (partial(kind, render_mode="ansi") for kind in (AECFace, VectorFace))
    assert not fails(partial(checkers.check_sealed, aec, vector, GAME, SEALED))
    faulty = partial(face, render_mode="ansi")
    pair = (faulty, vector) if issubclass(face, AECFace) else (aec, faulty)
    assert fails(partial(checkers.check_sealed, *pair, GAME, SEALED))


def test_what_a_seat_may_know_does_change_what_it_is_shown() -> None:
    env = AECFace(GAME, "ansi")
    shown = set()
    for secret in range(2):
        setup = {"secrets": [secret, 4, 5], "first": 0}
        env.reset(options={"setup": setup})
        shown.add((shown_by_aec(env, "player_0"), shown_by_aec(env, "player_1")))
    assert len({own for own, _ in shown}) == 2
    assert len({other for _, other in shown}) == 1


def test_the_checkers_see_draws_of_chance() -> None:
    state = GAME.deal(np.arange(6))
    for _ in range(3):
        GAME.step(state, [1] * 6)
    GAME.step(state, [DRAW] * 6)
    assert len(set(state.table.tolist())) > 1
