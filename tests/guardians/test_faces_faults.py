"""Faces with one planted leak each, which the checks of sealed choices must find."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.aec import AECFace
from chromazoo.envs.guardians.rules import Game
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.vector import VectorFace
from tests.faults import fails as fails_with
from tests.guardians.hidden_faults import (
    GUARDIANS,
    MaskTellsChoices,
    RewardsTellChoices,
    SealedChoicesAreShown,
    SizesTellArrows,
    SizesTellWhoHasChosen,
    TextShowsChoices,
)
from tests.guardians.test_faces import (
    at_turns,
    check_same_game,
    check_sealed_aec,
    check_sealed_parallel,
    check_sealed_vector,
)

fails = partial(fails_with, found_by=GUARDIANS.found_by)


class InfosTell(AECFace):
    """The last action is told to all."""

    def step(self, action: Any) -> None:
        super().step(action)
        self.infos = {agent: {"last": int(action)} for agent in self.agents}


class RewardsTell(AECFace):
    def step(self, action: Any) -> None:
        super().step(action)
        self.rewards = dict.fromkeys(self.agents, int(action) / 1000)


class OneObservationForAll(AECFace):
    """Everybody sees what the first seat sees."""

    def observe(self, agent: str) -> Any:
        mask = super().observe(agent)["action_mask"]
        return {"observation": super().observe("player_0")["observation"], "action_mask": mask}


class LastSeen(AECFace):
    """`last` alone shows what an earlier seat chose."""

    sealed = 0

    def step(self, action: Any) -> None:
        super().step(action)
        self.sealed = int(action)

    def last(self, observe: bool = True) -> Any:
        seen, *rest = super().last(observe)
        assert seen is not None
        return {**seen, "observation": seen["observation"] + np.uint8(self.sealed)}, *rest


class RendersHands(AECFace):
    def render(self) -> str | None:
        hands = [self.observe(agent)["observation"].sum() for agent in self.possible_agents]
        return f"{super().render()} {hands} {self._playing.chosen[0].tolist()}"


class ParallelInfosTell(ParallelFace):
    def step(self, actions: Any) -> Any:
        *told, infos = super().step(actions)
        return *told, {agent: {"choices": dict(actions)} for agent in infos}


class ParallelRewardsTell(ParallelFace):
    def step(self, actions: Any) -> Any:
        seen, rewards, *rest = super().step(actions)
        return seen, dict.fromkeys(rewards, sum(actions.values()) / 1000), *rest


class ParallelMasksTell(ParallelFace):
    """A card is not on offer, which one depends on what the others have chosen."""

    def step(self, actions: Any) -> Any:
        seen, *rest = super().step(actions)
        for agent, parts in seen.items():
            legal = np.flatnonzero(parts["action_mask"])
            others = sum(action for name, action in actions.items() if name != agent)
            parts["action_mask"][legal[others % len(legal)]] = 0
        return seen, *rest


class BatchRewardsTell(VectorFace):
    def step(self, actions: Any) -> None:
        super().step(actions)
        self.rewards = self.rewards + np.asarray(actions)[:, None] / 1000


class BatchRendersChoices(VectorFace):
    def render(self, row: int = 0) -> Any:
        return f"{super().render(row)} {self._playing.chosen[row].tolist()}"


DUEL, FOUR = Game(rounds=2), Game(num_players=4)


def aec(make: Any, game: Game = FOUR) -> None:
    for each in (game, *([DUEL] if game is FOUR else [])):
        for state in at_turns(each, 0, 6):
            check_sealed_aec(lambda *given: make(*given, render_mode="ansi"), each, state)


def parallel(make: Any, game: Game = DUEL) -> None:
    for state in at_turns(game, 0, 6):
        check_sealed_parallel(lambda *given: make(*given, render_mode="ansi"), game, state)


def vector(make: Any, game: Game = FOUR) -> None:
    for state in at_turns(game, 0, 6):
        check_sealed_vector(lambda *given: make(*given, render_mode="ansi"), game, state)


def same_game(make: Any, game: Game = FOUR) -> None:
    """One face beside the usual other one."""
    if issubclass(make, ParallelFace):
        check_same_game(AECFace, make, game)
    else:
        check_same_game(make, ParallelFace, game)


Check = Callable[..., None]


def test_without_faults_the_checks_pass() -> None:
    for game in (DUEL, FOUR):
        aec(AECFace, game)
        parallel(ParallelFace, game)
        vector(VectorFace, game)
        same_game(AECFace, game)


@pytest.mark.parametrize(
    ("face", "check"),
    [
        (InfosTell, aec),
        (RewardsTell, aec),
        (OneObservationForAll, aec),
        (LastSeen, aec),
        (RendersHands, aec),
        (ParallelInfosTell, parallel),
        (ParallelRewardsTell, parallel),
        (ParallelMasksTell, parallel),
        (BatchRewardsTell, vector),
        (BatchRendersChoices, vector),
        (RewardsTell, same_game),
        (OneObservationForAll, same_game),
        (ParallelRewardsTell, same_game),
    ],
)
def test_faces_that_leak_are_found(face: Any, check: Check) -> None:
    assert fails(lambda: check(face))


@pytest.mark.parametrize(
    "fault",
    [
        *(SealedChoicesAreShown, SizesTellArrows, MaskTellsChoices, TextShowsChoices),
        RewardsTellChoices,
    ],
)
def test_rules_that_leak_are_found_through_every_face(fault: type[Game]) -> None:
    assert fails(lambda: aec(AECFace, fault(num_players=4)))
    assert fails(lambda: aec(AECFace, fault()))
    assert fails(lambda: vector(VectorFace, fault(num_players=4)))
    assert fails(lambda: parallel(ParallelFace, fault()))


def test_who_has_chosen_must_not_be_seen() -> None:
    """Else a seat would see other things in the AEC than in the parallel face."""
    games = [SizesTellWhoHasChosen(), SizesTellWhoHasChosen(num_players=4)]
    assert all(fails(partial(same_game, AECFace, game)) for game in games)
