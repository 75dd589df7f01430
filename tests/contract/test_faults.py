"""Games with one planted fault each: the check that is there for it must fail."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.errors import InvalidChance, InvalidFile, InvalidMove
from chromazoo.envs.fields import VIEWS, Field, Layout, Observation, View
from chromazoo.envs.game import Seats, Seeds
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import chance_stream, mix
from chromazoo.envs.svg import Viewer
from tests.contract import checks
from tests.contract.play import AnyGame, mixed
from tests.tiny.game import BID, DRAW, GIVE, SEATS, Game, TinyState


class ObservationShowsNextSecret(Game):
    """The seat to the left plays with an open card."""

    def observe(
        self, state: TinyState, seats: Seats | None = None, views: Sequence[View] = VIEWS
    ) -> Observation:
        eyes = state.seat if seats is None else np.asarray(seats)
        seen = super().observe(state, seats, views)
        if "secret" in self.fields.only(views).slices:
            cards = state.secrets[np.arange(len(state)), (eyes + 1) % SEATS]
            self.fields.only(views).get(seen, "secret")[np.arange(len(state)), cards] = 1
        return seen


class BidsAreOpen(Game):
    """Bids are shown before all are made."""

    def observe(
        self, state: TinyState, seats: Seats | None = None, views: Sequence[View] = VIEWS
    ) -> Observation:
        opened = state.copy()
        opened.phase[state.phase == BID] = GIVE
        eyes = state.seat if seats is None else np.asarray(seats)
        seen = super().observe(opened, eyes, views)
        layout = self.fields.only(views)
        if "phase" in layout.slices:
            true = super().observe(state, eyes, views)
            layout.get(seen, "phase")[:] = layout.get(true, "phase")
        return seen


class MaskTellsOtherSecret(Game):
    """Whether the leader may keep the card depends on another seat's secret."""

    def _legal(self, state: TinyState, seats: Seats | None = None) -> Words:
        turned = state.copy()
        turned.secrets[:] = np.roll(state.secrets, 1, axis=1)
        return super()._legal(turned, seats)


class MaskOfOtherSeat(Game):
    """A seat that waits sees what the deciding seat may do."""

    def _legal(self, state: TinyState, seats: Seats | None = None) -> Words:
        own = super()._legal(state, seats)
        return np.where(own, own, super()._legal(state, None))


class MaskLacksAction(Game):
    """The unpacked mask lacks an action that the packed set has."""

    def action_mask(self, state: TinyState, seats: Seats | None = None) -> Any:
        mask = super().action_mask(state, seats)
        mask[:, DRAW] = False
        return mask


class PrivateCalledPublic(Game):
    """A private field is in the wrong view."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.fields = Layout(
            [
                Field(field.name, field.shape, field.high, field.meaning)
                if field.name == "secret"
                else field
                for field in self.fields
            ]
        )


class ViewsIgnored(Game):
    """All fields are shown whatever views are asked for."""

    def observe(
        self, state: TinyState, seats: Seats | None = None, views: Sequence[View] = VIEWS
    ) -> Observation:
        return super().observe(state, seats)


class ObservationOverHighest(Game):
    """A value is greater than its field says."""

    def observe(
        self, state: TinyState, seats: Seats | None = None, views: Sequence[View] = VIEWS
    ) -> Observation:
        seen = super().observe(state, seats, views)
        seen[:, 0] *= 2
        return seen


class ObservingChanges(Game):
    """Looking has a side effect."""

    def observe(
        self, state: TinyState, seats: Seats | None = None, views: Sequence[View] = VIEWS
    ) -> Observation:
        state.given[state.pending[:, 1], 1] += 1
        return super().observe(state, seats, views)


class TextShowsSecrets(Game):
    """The drawing shows the hidden cards."""

    def text(self, state: TinyState, row: int = 0, seat: Viewer = "public") -> str:
        return f"{super().text(state, row, seat)}\n{state.secrets[row]}"


class RedealKeepsStream(Game):
    """A search could look into the future."""

    def redeal(self, state: TinyState, seats: Seats, seeds: Seeds) -> TinyState:
        world = super().redeal(state, seats, seeds)
        world.stream = state.stream.copy()
        return world


class RedealInPlace(Game):
    """Redealing changes the games it is given."""

    def redeal(self, state: TinyState, seats: Seats, seeds: Seeds) -> TinyState:
        world = super().redeal(state, seats, seeds)
        state.secrets[:] = world.secrets
        return world


class RedealTakesOwnCard(Game):
    """The card of the seat that looks is drawn anew too."""

    def redeal(self, state: TinyState, seats: Seats, seeds: Seeds) -> TinyState:
        return super().redeal(state, (np.asarray(seats) + 1) % SEATS, seeds)


class RedealOfBatch(Game):
    """All games of a batch are redealt from the first seed."""

    def redeal(self, state: TinyState, seats: Seats, seeds: Seeds) -> TinyState:
        first = np.broadcast_to(np.asarray(seeds)[:1], len(state))
        return super().redeal(state, seats, mix(first.astype(np.uint64), 1))


class RefusalChanges(Game):
    """An illegal action counts as a ply before it is refused."""

    def step(self, state: TinyState, *arguments: Any, **named: Any) -> None:
        state.plies += 1
        super().step(state, *arguments, **named)
        state.plies -= 1


class RefusalLeavesRowsDone(Game):
    """The rows before the illegal one have moved when it is refused."""

    def step(
        self,
        state: TinyState,
        actions: Any,
        seats: Seats | None = None,
        chance: Sequence[str | None] | None = None,
    ) -> None:
        if chance is not None or len(state) < 2:
            return super().step(state, actions, seats, chance)
        movers = (state.seat if seats is None else np.asarray(seats)).copy()
        for row in range(len(state)):
            one = state.take([row])
            super().step(one, np.asarray(actions)[[row]], movers[[row]])
            state.put([row], one)
        return None


class AllowsAnything(Game):
    """Actions are not checked."""

    def step(
        self,
        state: TinyState,
        actions: Any,
        seats: Seats | None = None,
        chance: Sequence[str | None] | None = None,
    ) -> None:
        legal = self.packing.contains(self.legal(state, seats), np.asarray(actions, np.int64))
        instead = self.packing.select(self.legal(state, seats), np.zeros(len(state), np.int64))
        super().step(state, np.where(legal, actions, instead), seats, chance)


class RefusesLegal(Game):
    """The mask allows what the step refuses."""

    def _legal(self, state: TinyState, seats: Seats | None = None) -> Words:
        words = super()._legal(state, seats)
        words[(words > 0)[:, 0] & (state.phase == GIVE)] |= np.uint64(1 << 1)
        return words

    def _advance(self, state: TinyState, actions: Any, *rest: Any) -> None:
        if (actions[state.phase == GIVE] < DRAW).any():
            raise ValueError("no bids now")
        super()._advance(state, actions, *rest)


class FinishedGamesMove(Game):
    """Plies of finished games go on counting."""

    def step(self, state: TinyState, *arguments: Any, **named: Any) -> None:
        over = state.over.copy()
        super().step(state, *arguments, **named)
        state.plies += over


class ChanceOfFirstRow(Game):
    """All games that draw at once draw from the stream of the first of them."""

    def _draw(self, state: TinyState, rows: Any) -> Any:
        keep = state.stream.copy()
        state.stream[rows] = state.stream[rows[:1]]
        cards = super()._draw(state, rows)
        state.stream[rows] = mix(keep[rows], 1)
        return cards


class GlobalChance(Game):
    """Chance comes from a generator that all games share."""

    generator = np.random.default_rng(0)

    def _draw(self, state: TinyState, rows: Any) -> Any:
        state.stream[rows] = self.generator.integers(2**63, size=len(rows)).astype(np.uint64)
        return super()._draw(state, rows)


class ChanceWithoutNeed(Game):
    """Every ply moves the chance stream, not only those that chance answers."""

    def _advance(self, state: TinyState, *arguments: Any) -> None:
        super()._advance(state, *arguments)
        state.stream += np.uint64(1)


class ChanceNotReplayed(Game):
    """Recorded chance is checked, then drawn all the same."""

    def _read(self, state: TinyState, rows: Any, chance: Sequence[str | None]) -> Any:
        super()._read(state, rows, chance)
        return self._draw(state, rows)


class ChanceRefusedTooLate(Game):
    """Wrong chance is refused when something has changed already."""

    def _read(self, state: TinyState, rows: Any, chance: Sequence[str | None]) -> Any:
        state.plies += 1
        cards = super()._read(state, rows, chance)
        state.plies -= 1
        return cards


class UndueChanceAllowed(Game):
    """Chance where none is due is passed over."""

    def _no_chance(self, chance: Sequence[str | None] | None) -> None:
        pass


class ChanceForgotten(Game):
    """The record lacks what chance answered."""

    def chance_text(self, *arguments: Any) -> str | None:
        return None


class SetupDrawsFirst(Game):
    """A deal has used its chance stream, a given set-up has not."""

    def deal(self, seeds: Seeds) -> TinyState:
        state = super().deal(seeds)
        state.stream = mix(state.stream, 1)
        return state


class AnySetupAllowed(Game):
    """Set-ups may say more than is known."""

    def from_setup(self, setups: Sequence[Mapping[str, Any]], seeds: Any = None) -> TinyState:
        known = [{key: setup[key] for key in self.setup_keys if key in setup} for setup in setups]
        return super().from_setup(known, seeds)


class DealOfBatch(Game):
    """The first seed of a batch deals all its games."""

    def _shuffle(self, seeds: Any) -> Any:
        return super()._shuffle(np.full_like(seeds, seeds[0] if len(seeds) else 0))


class RewardsAreNotZeroSum(Game):
    """Who loses pays nothing."""

    def _end(self, state: TinyState, rows: Any) -> None:
        super()._end(state, rows)
        state.rewards[rows] = np.maximum(state.rewards[rows], 0)


class RewardsOfSharedWin(Game):
    """Each of two winners gets the whole reward, and the loser pays for both."""

    def _end(self, state: TinyState, rows: Any) -> None:
        super()._end(state, rows)
        shared = rows[(state.rewards[rows] > 0).sum(axis=1) == 2]
        state.rewards[shared] *= 4


class RewardsBeforeEnd(Game):
    """The leader is paid at once."""

    def _advance(self, state: TinyState, *arguments: Any) -> None:
        super()._advance(state, *arguments)
        state.rewards[(state.phase == GIVE)] = [1, -0.5, -0.5]


class PendingAfterEnd(Game):
    """A finished game still waits for someone."""

    def _end(self, state: TinyState, rows: Any) -> None:
        super()._end(state, rows)
        state.pending[rows, 0] = True


class SeatNotLowest(Game):
    """Of several pending seats the highest is to decide."""

    def _advance(self, state: TinyState, *arguments: Any) -> None:
        super()._advance(state, *arguments)
        highest = SEATS - 1 - state.pending[:, ::-1].argmax(axis=1)
        state.seat[~state.over] = highest[~state.over]


class LastSeatForgotten(Game):
    """At the end seat 0 is to decide."""

    def _end(self, state: TinyState, rows: Any) -> None:
        super()._end(state, rows)
        state.seat[rows] = 0


class OrderOfBidsMatters(Game):
    """Who bids last breaks the tie."""

    def _bid(self, state: TinyState, rows: Any, seats: Any, bids: Any) -> None:
        state.first[rows] = seats
        super()._bid(state, rows, seats, bids)


class TextNamesAnotherMove(Game):
    """Gifts are written from the giver's point of view, and read from seat 0's."""

    def parse_move(self, state: TinyState, row: int, text: str, seat: int | None = None) -> int:
        return super().parse_move(state, row, text, 0)


class JunkIsRead(Game):
    """Spaces around a move are passed over."""

    def parse_move(self, state: TinyState, row: int, text: str, seat: int | None = None) -> int:
        return super().parse_move(state, row, text.strip(), seat)


class JunkFallsThrough(Game):
    """What is no move is an action that does not exist."""

    def parse_move(self, state: TinyState, row: int, text: str, seat: int | None = None) -> int:
        try:
            return super().parse_move(state, row, text, seat)
        except InvalidMove:
            return -1


class CarelessState(TinyState):
    """Copies lose the memory order."""

    def copy(self) -> "CarelessState":
        copied = super().copy()
        copied.__dict__.update({name: array.copy("C") for name, array in self.arrays.items()})
        return copied


class SharingState(TinyState):
    """Games that are taken out are views of the batch."""

    def take(self, rows: Any) -> "SharingState":
        taken = super().take(rows)
        if isinstance(rows, slice):
            taken.__dict__.update({name: array[rows] for name, array in self.arrays.items()})
        return taken


class CopiesLoseOrder(Game):
    """See `CarelessState`."""

    state_type = CarelessState


class SlicesShare(Game):
    """See `SharingState`."""

    state_type = SharingState


class FilesOfAnyGame(Game):
    """What a file says of itself is not compared with the game."""

    def loads(self, content: bytes, name: str = "state") -> TinyState:
        try:
            return super().loads(content, name)
        except InvalidFile as error:
            if "a state of" not in str(error):
                raise
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        return self.state_type(**{key: arrays[key] for key in self.deal([0]).arrays})


class FilesLackStream(Game):
    """Saving forgets the stream."""

    def dumps(self, state: TinyState) -> bytes:
        forgetful = state.copy()
        forgetful.stream = chance_stream(np.arange(len(state), dtype=np.uint64))
        return super().dumps(forgetful)


class OptionsUnchecked(Game):
    """Unknown options are passed over."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{name: value for name, value in options.items() if name == "cards"})


class SeatsUnchecked(Game):
    """Seat -1 is the last one, as numpy counts."""

    def _checked_seats(self, state: TinyState, seats: Seats) -> Seats:
        return super()._checked_seats(state, np.asarray(seats) % SEATS)


class NoneIsTooFew(Game):
    """A batch of no games has no first seed."""

    def _shuffle(self, seeds: Any) -> Any:
        assert seeds[0] >= 0
        return super()._shuffle(seeds)


class RowsOfLiveGames(Game):
    """Where games are over, complaints count the others only."""

    def step(
        self,
        state: TinyState,
        actions: Any,
        seats: Seats | None = None,
        chance: Sequence[str | None] | None = None,
    ) -> None:
        live = np.flatnonzero(~state.over)
        part = state.take(live)
        movers = part.seat if seats is None else np.asarray(seats)[live]
        said = None if chance is None else [chance[row] for row in live.tolist()]
        super().step(part, np.asarray(actions)[live], movers, said)
        state.put(live, part)


class ForgetfulState(TinyState):
    """Games that are put back keep the stream of those whose place they take."""

    def put(self, rows: Any, other: Any) -> None:
        stream = self.stream.copy()
        super().put(rows, other)
        self.stream[:] = stream


class PutForgetsStream(Game):
    """See `ForgetfulState`."""

    state_type = ForgetfulState


def junk_moves(game: AnyGame) -> None:
    """Run the check of junk on texts that are always the same."""
    checks.check_junk_moves(game, mixed(game, 6), checks.JUNK)


FAULTS: list[tuple[type[Game], Any]] = [
    (ObservationShowsNextSecret, checks.check_redeal),
    (BidsAreOpen, checks.check_redeal),
    (BidsAreOpen, checks.check_sealed_choices),
    (MaskTellsOtherSecret, checks.check_redeal),
    (MaskOfOtherSeat, checks.check_waiting_seats),
    (MaskLacksAction, checks.check_packing),
    (PrivateCalledPublic, checks.check_redeal),
    (ViewsIgnored, checks.check_views),
    (ObservationOverHighest, checks.check_layouts),
    (ObservingChanges, checks.check_layouts),
    (TextShowsSecrets, checks.check_text),
    (RedealKeepsStream, checks.check_redeal),
    (RedealInPlace, checks.check_redeal),
    (RedealTakesOwnCard, checks.check_redeal),
    (RedealOfBatch, checks.check_redeal),
    (RefusalChanges, checks.check_illegal_actions),
    (RefusalLeavesRowsDone, checks.check_illegal_actions),
    (AllowsAnything, checks.check_illegal_actions),
    (RefusesLegal, checks.check_legal_actions),
    (FinishedGamesMove, checks.check_finished_games),
    (ChanceOfFirstRow, checks.check_batches),
    (GlobalChance, checks.check_batches),
    (GlobalChance, checks.check_randomness_is_local),
    (ChanceWithoutNeed, checks.check_chance),
    (ChanceNotReplayed, checks.check_chance),
    (ChanceNotReplayed, checks.check_replay),
    (ChanceRefusedTooLate, checks.check_chance),
    (UndueChanceAllowed, checks.check_chance),
    (ChanceForgotten, checks.check_replay),
    (SetupDrawsFirst, checks.check_setups),
    (AnySetupAllowed, checks.check_setups),
    (DealOfBatch, checks.check_deals),
    (RewardsAreNotZeroSum, checks.check_rewards),
    (RewardsOfSharedWin, checks.check_rewards),
    (RewardsBeforeEnd, checks.check_rewards),
    (PendingAfterEnd, checks.check_turns),
    (SeatNotLowest, checks.check_turns),
    (LastSeatForgotten, checks.check_turns),
    (OrderOfBidsMatters, checks.check_sealed_choices),
    (TextNamesAnotherMove, checks.check_notation),
    (JunkIsRead, checks.check_notation),
    (JunkFallsThrough, checks.check_notation),
    (CopiesLoseOrder, checks.check_copies),
    (SlicesShare, checks.check_copies),
    (FilesOfAnyGame, checks.check_files),
    (FilesLackStream, checks.check_copies),
    (OptionsUnchecked, checks.check_options),
    (SeatsUnchecked, checks.check_arguments),
    (NoneIsTooFew, checks.check_empty_batch),
    (RowsOfLiveGames, checks.check_chance_beside_finished_games),
    (PutForgetsStream, checks.check_take_and_put),
    (GlobalChance, checks.check_agents),
    (JunkIsRead, junk_moves),
]


# What these faults raise in the midst of play is how the check finds them.
ESCAPES: dict[type[AnyGame], tuple[type[Exception], ...]] = {
    RefusesLegal: (ValueError,),
    ChanceForgotten: (InvalidChance,),
    NoneIsTooFew: (IndexError,),
}


@pytest.mark.parametrize(
    ("fault", "check"), FAULTS, ids=[f"{f.__name__}-{c.__name__[6:]}" for f, c in FAULTS]
)
def test_fault_is_found(fault: type[AnyGame], check: Any) -> None:
    check(Game())
    with pytest.raises((AssertionError, pytest.fail.Exception, *ESCAPES.get(fault, ()))):
        check(fault())


def test_every_check_has_a_fault() -> None:
    assert {check for _, check in FAULTS} == {*checks.CHECKS, junk_moves}
