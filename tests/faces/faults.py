"""Faces with one planted fault each, on which a checker must fail."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from chromazoo.envs.aec import AECFace
from chromazoo.envs.episodes import EpisodeSeeds
from chromazoo.envs.errors import IllegalAction
from chromazoo.envs.parallel import ParallelFace
from chromazoo.envs.randomness import as_seeds, mix
from chromazoo.envs.spaces import observation_space
from chromazoo.envs.vector import VectorFace
from tests.tiny.game import TinyState

# The batched face: seeds


class Unseeded(VectorFace):
    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        super().reset(None, options)


class FirstGameSeeded(VectorFace):
    """Only the first games follow from the seed."""

    def _renew(self, rows: Any, seed: int | None = None) -> None:
        fresh = EpisodeSeeds(len(rows)).following(np.arange(len(rows)))
        self._playing.put(rows, self.game.deal(fresh))


class OneSeedForAll(VectorFace):
    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        super().reset(seed, options)
        if seed is not None:
            self._state = self.game.deal(np.full(self.num_envs, seed))
            self._publish(self._state.seat, np.zeros(self.num_envs, np.bool_))


class BatchDependent(VectorFace):
    """Chance depends on how many rows there are."""

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        super().reset(seed, options)
        state = self._playing
        state.stream[:] = mix(as_seeds(state.stream), self.num_envs)


class SeedsCounted(VectorFace):
    """The n-th new game of a row has the seed s + n."""

    def _renew(self, rows: Any, seed: int | None = None) -> None:
        self._seeds.following(rows, seed)
        seeds = self._seeds._first[rows] + self._seeds._count[rows]
        self._playing.put(rows, self.game.deal(seeds))


class NeverFresh(VectorFace):
    """Without a seed every reset begins the same games."""

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        super().reset(seed or 0, options)


# The batched face: forms


class FloatObservation(VectorFace):
    def last(self, observe: bool = True) -> Any:
        seen, *rest = super().last(observe)
        assert seen is not None
        return {**seen, "observation": seen["observation"].astype(np.float32)}, *rest


class BoolMask(VectorFace):
    def last(self, observe: bool = True) -> Any:
        seen, *rest = super().last(observe)
        assert seen is not None
        return {**seen, "action_mask": seen["action_mask"].astype(np.bool_)}, *rest


class NewSpaceAtEveryCall(VectorFace):
    @property
    def single_observation_space(self) -> Any:
        return observation_space(self.game)

    @single_observation_space.setter
    def single_observation_space(self, space: Any) -> None:
        pass


class MaskAfterTheEnd(VectorFace):
    def last(self, observe: bool = True) -> Any:
        seen, *rest = super().last(observe)
        assert seen is not None
        seen["action_mask"][self._done] = 1
        return seen, *rest


class SharesItsArrays(VectorFace):
    def _publish(self, movers: Any, stale: Any) -> None:
        super()._publish(movers, stale)
        self._seat = self.agent_selection


# The batched face: ends and new games


class LosesFinalReward(VectorFace):
    """Only the seat that moved last gets a reward."""

    def _publish(self, movers: Any, stale: Any) -> None:
        super()._publish(movers, stale)
        self.rewards *= np.arange(self.game.num_seats) == self._seat[:, None]


class ResetsTooEarly(VectorFace):
    """A new game takes the place of the final transition."""

    def _publish(self, movers: Any, stale: Any) -> None:
        state = self._playing
        rewards = state.rewards.copy()
        self._renew(np.flatnonzero(state.over))
        super()._publish(movers, stale)
        self.rewards = rewards


class ResetsTooLate(VectorFace):
    """The final transition is shown twice."""

    def step(self, actions: Any) -> None:
        waiting = self._done & ~self._stale
        self.autoreset_mode = AutoresetMode.DISABLED
        super().step(actions)
        rows = np.flatnonzero(self._done & self._stale & ~waiting)
        self._renew(rows)
        self._publish(self._seat, self._stale & waiting)


class PlaysOnInNewGame(VectorFace):
    """The step that deals a new game takes its first decision too."""

    def step(self, actions: Any) -> None:
        done = self._done
        super().step(actions)
        rows = np.flatnonzero(done)
        part = self._playing.take(rows)
        legal = self.game.packing.select(self.game.legal(part), np.zeros(len(rows), np.int64))
        self.game.step(part, legal)
        self._playing.put(rows, part)
        self._publish(self._seat, np.zeros(self.num_envs, np.bool_))


class SelectionMovesOn(VectorFace):
    def _publish(self, movers: Any, stale: Any) -> None:
        super()._publish(movers, stale)
        self._seat = np.where(self._done, (self._seat + 1) % self.game.num_seats, self._seat)
        self.agent_selection = self._seat.copy()


class DisabledAndYetResets(VectorFace):
    def step(self, actions: Any) -> None:
        self.autoreset_mode = AutoresetMode.NEXT_STEP
        super().step(actions)


class RepeatsRewards(VectorFace):
    """A finished row that stays tells its rewards again at every step."""

    def _publish(self, movers: Any, stale: Any) -> None:
        super()._publish(movers, stale & False)


class ResetsAllRows(VectorFace):
    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        super().reset(seed, options and {"reset_mask": np.ones(self.num_envs, np.bool_)})


class NeverTruncates(VectorFace):
    def _publish(self, movers: Any, stale: Any) -> None:
        self.max_plies = None
        super()._publish(movers, stale)


class TruncatesLate(VectorFace):
    def _publish(self, movers: Any, stale: Any) -> None:
        limit, self.max_plies = self.max_plies, self.max_plies and self.max_plies + 1
        super()._publish(movers, stale)
        self.max_plies = limit


# The batched face: illegal actions


class PassesOverIllegal(VectorFace):
    def step(self, actions: Any) -> None:
        try:
            super().step(actions)
        except IllegalAction:
            return


class StepsTheOthers(VectorFace):
    """Rows with legal actions move on although another row's is illegal."""

    def step(self, actions: Any) -> None:
        try:
            super().step(actions)
        except IllegalAction as error:
            rows = np.arange(self.num_envs)[np.arange(self.num_envs) != error.row]
            part = self._playing.take(rows)
            masks = self.game.action_mask(part)
            self.game.step(part, masks.argmax(axis=1))
            self._playing.put(rows, part)
            raise


class ForgetsTheEnd(VectorFace):
    """After an illegal action finished rows hold another game."""

    def _advance(self, actions: Any) -> None:
        try:
            super()._advance(actions)
        except IllegalAction:
            rows = np.flatnonzero(self._done)
            self._playing.put(rows, self._stand_in.take(0 * rows))
            raise


class CountsTheAttempt(VectorFace):
    """An illegal action uses up the seeds of the games to be dealt."""

    def _advance(self, actions: Any) -> None:
        try:
            super()._advance(actions)
        except IllegalAction:
            self._seeds.following(np.flatnonzero(self._done))
            raise


# Hidden information, in Tiny


def secret_sum(state: Any) -> int:
    """A number below 251 that no seat may know."""
    assert isinstance(state, TinyState)
    return int(state.secrets[0] @ [1, 5, 25] + state.bids[0] @ [1, 5, 25]) % 251


class VectorShowsSecrets(VectorFace):
    def last(self, observe: bool = True) -> Any:
        seen, *rest = super().last(observe)
        assert seen is not None
        state = self._playing
        assert isinstance(state, TinyState)
        seen["observation"][:, 0] = (state.secrets + 4 * state.bids).sum(axis=1)
        return seen, *rest


class VectorMasksBySecrets(VectorFace):
    def last(self, observe: bool = True) -> Any:
        seen, *rest = super().last(observe)
        assert seen is not None
        state = self._playing
        assert isinstance(state, TinyState)
        seen["action_mask"][:, 0] &= (state.secrets + state.bids).sum(axis=1) % 2 == 0
        return seen, *rest


class VectorDrawsSecrets(VectorFace):
    def render(self, row: int = 0) -> str | None:
        state = self._playing
        assert isinstance(state, TinyState)
        return f"{super().render(row)} {state.secrets[row]} {state.bids[row]}"


class AECShowsSecrets(AECFace):
    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        seen["observation"][0] = secret_sum(self._playing)
        return seen


class AECTellsSecrets(AECFace):
    def _publish(self) -> None:
        super()._publish()
        self.infos = {agent: {"sum": secret_sum(self._playing)} for agent in self.agents}


class AECDrawsSecrets(AECFace):
    def render(self) -> str | None:
        return f"{super().render()} {secret_sum(self._playing)}"


class AECRewardsEarly(AECFace):
    """Bids cost at once, so that the others learn them."""

    def _publish(self) -> None:
        super()._publish()
        state = self._playing
        assert isinstance(state, TinyState)
        for agent, bid in zip(self.agents, state.bids[0].tolist(), strict=False):
            self.rewards[agent] -= bid


class ParallelShowsSecrets(ParallelFace):
    def _look(self, seat: int, deciding: bool) -> Any:
        seen = super()._look(seat, deciding)
        seen["observation"][0] = secret_sum(self._playing)
        return seen


class ParallelTellsSecrets(ParallelFace):
    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        seen, _ = super().reset(seed, options)
        told = secret_sum(self._playing)
        return seen, {agent: {"sum": told} for agent in self.agents}


# The parallel face


class ParallelUnseeded(ParallelFace):
    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(None, options)


class ParallelChanceUnseeded(ParallelFace):
    """The deal follows from the seed, later chance does not."""

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        told = super().reset(seed, options)
        self._playing.stream[:] = EpisodeSeeds(1).following(np.arange(1))
        return told


class ParallelAlwaysSeeded(ParallelFace):
    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(seed or 0, options)


class HeedsSeatsNotPending(ParallelFace):
    def step(self, actions: Any) -> Any:
        for action in actions.values():
            if action >= self.game.num_actions:
                raise IllegalAction(0, 0, action, "sent by a seat that is not pending")
        return super().step(actions)


class MasksForAll(ParallelFace):
    def _look(self, seat: int, deciding: bool) -> Any:
        seen = super()._look(seat, deciding)
        seen["action_mask"][:] = deciding
        return seen


class SeatsLeave(ParallelFace):
    """Only pending seats are told anything."""

    def _observations(self) -> Any:
        seen = super()._observations()
        return {agent: part for agent, part in seen.items() if part["action_mask"].any()}


class OneSeatAStep(ParallelFace):
    """Only the lowest pending seat chooses."""

    def step(self, actions: Any) -> Any:
        pending = self._playing.pending[0].copy()
        self._playing.pending[0] = pending.cumsum() * pending == 1
        return super().step(actions)


class ParallelLosesRewards(ParallelFace):
    def step(self, actions: Any) -> Any:
        seen, rewards, *rest = super().step(actions)
        return seen, dict.fromkeys(rewards, 0.0), *rest


class KeepsRefusedChoices(ParallelFace):
    """A step that is refused keeps the choices of the seats before."""

    def step(self, actions: Any) -> Any:
        state = self._playing
        vars(state)["copy"] = lambda: state
        return super().step(actions)


class MasksAfterTheEnd(ParallelFace):
    def _look(self, seat: int, deciding: bool) -> Any:
        return super()._look(seat, True)


class SharesInfos(ParallelFace):
    """What one seat puts into its infos the others find in theirs."""

    def step(self, actions: Any) -> Any:
        *told, infos = super().step(actions)
        return *told, dict.fromkeys(infos, infos["player_0"])


class SharesFirstInfos(ParallelFace):
    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        seen, infos = super().reset(seed, options)
        return seen, dict.fromkeys(infos, infos["player_0"])


class OneViewForAll(ParallelFace):
    """All see what the first seat sees."""

    def _observations(self) -> Any:
        seen = super()._observations()
        first = seen["player_0"]["observation"]
        return {agent: {**part, "observation": first} for agent, part in seen.items()}


class NumpyEnds(ParallelFace):
    def step(self, actions: Any) -> Any:
        seen, rewards, terminations, *rest = super().step(actions)
        return seen, rewards, {name: np.bool_(end) for name, end in terminations.items()}, *rest
