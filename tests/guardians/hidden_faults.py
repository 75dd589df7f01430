"""Games of Guardians with one planted fault each, and the checks that must find it."""

from functools import cache
from random import Random
from typing import Any

import numpy as np

from chromazoo.envs.errors import IllegalAction
from chromazoo.envs.guardians.cards import ARROWS, BIT, flags, lowest
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.guardians.rules import Game, GuardiansState
from chromazoo.envs.svg import Viewer
from tests.contract import hidden_faults
from tests.contract.hidden_faults import HiddenFaults, SingleCheck
from tests.contract.play import mixed
from tests.guardians import secrecy
from tests.guardians.play import shuffled_setup
from tests.guardians.reference import Config
from tests.guardians.secrecy import BATCH_CHECKS, Check
from tests.guardians.table import SideBySide
from tests.guardians.test_hidden import (
    check_everything_is_uniform,
    check_pairs_are_uniform,
    check_twins,
    in_last_turn,
    last_turn,
)
from tests.guardians.twins import Line, long_twins

# What is shown


class SealedChoicesAreShown(hidden_faults.Shows, Game):
    """As if they were revealed already."""

    def change(self, state: GuardiansState, eyes: Any, seen: Any) -> None:
        seen[:, self.fields.slices["seen"]] |= flags(np.bitwise_or.reduce(state.chosen, axis=1))


class SizesTellArrows(hidden_faults.Shows, Game):
    """The number of cards is right, and one too high where a card with an arrow is sealed."""

    def change(self, state: GuardiansState, eyes: Any, seen: Any) -> None:
        others = state.chosen[self.following(state, eyes)] & ARROWS != 0
        seen[:, self.fields.slices["sizes"].start + 1] += others


class SizesTellWhoHasChosen(hidden_faults.Shows, Game):
    """Sealed cards are not counted."""

    def change(self, state: GuardiansState, eyes: Any, seen: Any) -> None:
        order = (eyes[:, None] + np.arange(self.num_seats)) % self.num_seats
        held = np.bitwise_count(state.hands)
        seen[:, self.fields.slices["sizes"]] = np.take_along_axis(held, order, axis=1)


class FaceDownCardsAreShown(hidden_faults.Shows, Game):
    def change(self, state: GuardiansState, eyes: Any, seen: Any) -> None:
        seen[:, self.fields.slices["chief"]] |= flags(state.chief[:, 1])


class AnotherHandIsShown(hidden_faults.Shows, Game):
    def change(self, state: GuardiansState, eyes: Any, seen: Any) -> None:
        seen[:, self.fields.slices["seen"]] |= flags(state.hands[self.following(state, eyes)])


class NextCardIsShown(hidden_faults.Shows, Game):
    def change(self, state: GuardiansState, eyes: Any, seen: Any) -> None:
        rows = np.arange(len(state))
        place = np.minimum(secrecy.drawn(self, state), CARDS - 1)
        card = state.decks[rows, state.round, place].astype(np.int64)
        seen[rows, self.fields.slices["beside"].start + card] = 1


class NextDeckIsShown(hidden_faults.Shows, Game):
    def change(self, state: GuardiansState, eyes: Any, seen: Any) -> None:
        seen[:, self.fields.slices["round"]] += (state.decks[:, -1, 0] % 2)[:, None]


class MaskForAll(Game):
    """Seats that have chosen are offered their hands again."""

    def _legal(self, state: GuardiansState, seats: Any = None) -> Any:
        eyes = np.asarray(state.seat if seats is None else seats)
        return state.hands[np.arange(len(state)), eyes][:, None].copy()


class MaskTellsChoices(Game):
    """The lowest card is not on offer, if there are others, after an odd sum of sealed cards."""

    def _legal(self, state: GuardiansState, seats: Any = None) -> Any:
        found = super()._legal(state, seats).copy()
        sealed = flags(np.bitwise_or.reduce(state.chosen, axis=1)) @ np.arange(CARDS)
        fewer = found & found - np.uint64(1)
        return np.where((fewer != 0) & (sealed % 2 == 1)[:, None], fewer, found)


class TextShowsHands(hidden_faults.TextShowsHands, Game):
    pass


class TextShowsChoices(Game):
    def text(self, state: GuardiansState, row: int = 0, seat: Viewer = "public") -> str:
        return f"{super().text(state, row, seat)}\n{state.chosen[row].tolist()}"


class TextShowsFaceDownCards(Game):
    def text(self, state: GuardiansState, row: int = 0, seat: Viewer = "public") -> str:
        return f"{super().text(state, row, seat)}\n{state.chief[row].tolist()}"


class RewardsTellChoices(Game):
    """Seats get a little for their sealed cards before the end."""

    def _advance(self, state: GuardiansState, *arguments: Any) -> None:
        super()._advance(state, *arguments)
        state.rewards[~state.over] = np.bitwise_count(state.chosen & ARROWS)[~state.over]


# What is drawn anew


class RedealsNothing(hidden_faults.RedealsNothing, Game):
    pass


class KeepsStream(hidden_faults.KeepsStream, Game):
    pass


class ForgetsSeeds(hidden_faults.ForgetsSeeds, Game):
    pass


class _Keeps(Game):
    """Some hidden cards stay where they are; all else is as it should be."""

    def kept(self, state: GuardiansState, row: int) -> Any:
        """The set of cards at a place of the state; it lies at the same place in the world."""
        raise NotImplementedError

    def redeal(self, state: GuardiansState, seats: Any, seeds: Any) -> GuardiansState:
        world = super().redeal(state, seats, seeds)
        cards = np.tile(np.arange(CARDS), (len(state), 1))
        for row in range(len(state)):
            true, drawn = self.kept(state, row), self.kept(world, row)
            missing = np.flatnonzero(flags(np.array(true & ~drawn)))
            surplus = np.flatnonzero(flags(np.array(drawn & ~true)))
            cards[row, surplus], cards[row, missing] = missing, surplus
        gone = world.decks == 0
        world = secrecy.exchanged(world, cards)
        world.decks[gone] = 0
        world.moves = self.legal(world, world.seat)
        return world


class KeepsChoices(_Keeps):
    """The choices of the highest seat."""

    def kept(self, state: GuardiansState, row: int) -> Any:
        return state.chosen[row, -1]


class KeepsFaceDownCards(_Keeps):
    def kept(self, state: GuardiansState, row: int) -> Any:
        return state.chief[row, 1]


class KeepsNextCard(_Keeps):
    def kept(self, state: GuardiansState, row: int) -> Any:
        place = int(secrecy.drawn(self, state)[row])
        return BIT[state.decks[row, state.round[row], place]] if place < CARDS else np.uint64(0)


class KeepsOldDeck(Game):
    """The part of the deck that has been drawn stays: it tells the hands."""

    def redeal(self, state: GuardiansState, seats: Any, seeds: Any) -> GuardiansState:
        world = super().redeal(state, seats, seeds)
        rows = np.arange(len(state))
        gone = np.arange(CARDS) < secrecy.drawn(self, state)[:, None]
        now = np.where(gone, state.decks[rows, state.round], world.decks[rows, state.round])
        world.decks[rows, state.round] = now
        return world


class KeepsDecksOfOtherRounds(Game):
    def redeal(self, state: GuardiansState, seats: Any, seeds: Any) -> GuardiansState:
        world = super().redeal(state, seats, seeds)
        rows = np.arange(len(state))
        now = world.decks[rows, state.round].copy()
        world.decks = state.decks
        world.decks[rows, state.round] = now
        return world


class KeepsLegalSet(Game):
    """The world offers what the seat to decide holds in truth."""

    def redeal(self, state: GuardiansState, seats: Any, seeds: Any) -> GuardiansState:
        world = super().redeal(state, seats, seeds)
        world.moves = state.moves
        return world


class DrawsExplodedCards(Game):
    """Cards that have been open are dealt again."""

    def redeal(self, state: GuardiansState, seats: Any, seeds: Any) -> GuardiansState:
        ignorant = state.copy()
        ignorant.places[state.places > 2] = 0
        world = super().redeal(ignorant, seats, seeds)
        world.places = state.places
        return world


class DrawsTheOpenCard(Game):
    """The chief's open card is dealt again."""

    def redeal(self, state: GuardiansState, seats: Any, seeds: Any) -> GuardiansState:
        ignorant = state.copy()
        ignorant.chief[:, 0] = 0
        world = super().redeal(ignorant, seats, seeds)
        world.chief[:, 0] = state.chief[:, 0]
        return world


class FavoursLowCards(Game):
    """Of two worlds the one in which seats 1 and 2 hold lower cards is taken, one time in two."""

    def redeal(self, state: GuardiansState, seats: Any, seeds: Any) -> GuardiansState:
        one = super().redeal(state, seats, seeds)
        other = super().redeal(state, seats, np.asarray(seeds) + 10**9)
        sums = [
            flags(world.hands[:, 1] | world.hands[:, 2]) @ np.arange(CARDS)
            for world in (one, other)
        ]
        better = np.flatnonzero((sums[1] < sums[0]) & (np.arange(len(state)) % 2 == 0))
        one.put(better, other.take(better))
        return one


class ChoosesTheLowest(Game):
    """What another seat has sealed is lower than what it holds."""

    def redeal(self, state: GuardiansState, seats: Any, seeds: Any) -> GuardiansState:
        world = super().redeal(state, seats, seeds)
        for seat in range(self.num_seats):
            held = world.hands[:, seat] | world.chosen[:, seat]
            single = np.bitwise_count(world.chosen[:, seat]) == 1
            rows = np.flatnonzero(single & (np.asarray(seats) != seat))
            world.chosen[rows, seat] = BIT[lowest(held[rows])]
            world.hands[rows, seat] = held[rows] & ~world.chosen[rows, seat]
        world.moves = self.legal(world, world.seat)
        return world


# What is remembered


class RevealedForTheRound(Game):
    """The last turn of a round is forgotten in the next."""

    def _end_round(self, state: GuardiansState, rows: Any) -> None:
        super()._end_round(state, rows)
        state.revealed[rows[~state.over[rows]]] = 0


class ForgetsWhatExploded(Game):
    """Once a turn is over only what lies in the queue has been seen."""

    def _begin_turn(self, state: GuardiansState, rows: Any) -> None:
        super()._begin_turn(state, rows)
        state.places[rows] *= state.places[rows] == 1


class SeesOwnHand(hidden_faults.Shows, Game):
    """Own cards count as seen by all."""

    def change(self, state: GuardiansState, eyes: Any, seen: Any) -> None:
        own = state.hands[np.arange(len(state)), eyes]
        seen[:, self.fields.slices["seen"]] |= flags(own)


KINDS: list[dict[str, Any]] = [{"rounds": 2}, {"num_players": 3, "rounds": 2}, {"num_players": 5}]


@cache
def positions() -> list[tuple[dict[str, Any], GuardiansState]]:
    """Games at all stages."""
    return [(options, mixed(Game(**options), 40)) for options in KINDS]


BATCH_FAULTS: list[tuple[type[Game], Check]] = [
    (MaskForAll, secrecy.check_only_pending_seats_may_choose),
    (MaskTellsChoices, secrecy.check_only_pending_seats_may_choose),
    (SealedChoicesAreShown, secrecy.check_redeal_shows_nothing_new),
    (SizesTellArrows, secrecy.check_redeal_shows_nothing_new),
    (FaceDownCardsAreShown, secrecy.check_redeal_shows_nothing_new),
    (AnotherHandIsShown, secrecy.check_redeal_shows_nothing_new),
    (NextCardIsShown, secrecy.check_redeal_shows_nothing_new),
    (NextDeckIsShown, secrecy.check_redeal_shows_nothing_new),
    (MaskTellsChoices, secrecy.check_redeal_shows_nothing_new),
    (TextShowsHands, secrecy.check_redeal_shows_nothing_new),
    (TextShowsChoices, secrecy.check_redeal_shows_nothing_new),
    (TextShowsFaceDownCards, secrecy.check_redeal_shows_nothing_new),
    (KeepsStream, secrecy.check_worlds_are_whole),
    (KeepsOldDeck, secrecy.check_worlds_are_whole),
    (KeepsDecksOfOtherRounds, secrecy.check_worlds_are_whole),
    (DrawsExplodedCards, secrecy.check_worlds_are_whole),
    (DrawsTheOpenCard, secrecy.check_worlds_are_whole),
    (KeepsChoices, secrecy.check_redeal_keeps_nothing_else),
    (KeepsFaceDownCards, secrecy.check_redeal_keeps_nothing_else),
    (KeepsNextCard, secrecy.check_redeal_keeps_nothing_else),
    (KeepsOldDeck, secrecy.check_redeal_keeps_nothing_else),
    (KeepsDecksOfOtherRounds, secrecy.check_redeal_keeps_nothing_else),
    (KeepsLegalSet, secrecy.check_redeal_keeps_nothing_else),
    (RedealsNothing, secrecy.check_all_unknown_varies),
    (ForgetsSeeds, secrecy.check_all_unknown_varies),
    (KeepsChoices, secrecy.check_all_unknown_varies),
    (KeepsFaceDownCards, secrecy.check_all_unknown_varies),
    (KeepsNextCard, secrecy.check_all_unknown_varies),
    (KeepsDecksOfOtherRounds, secrecy.check_all_unknown_varies),
    (SealedChoicesAreShown, secrecy.check_sealed_choices),
    (SizesTellArrows, secrecy.check_sealed_choices),
    (AnotherHandIsShown, secrecy.check_sealed_choices),
    (MaskTellsChoices, secrecy.check_sealed_choices),
    (TextShowsChoices, secrecy.check_sealed_choices),
    (RewardsTellChoices, secrecy.check_sealed_choices),
]


# Single games


def check_worlds(fault: type[Game]) -> None:
    """A world in the middle of a turn, from every seat."""
    for options in KINDS:
        table = in_last_turn(**{"num_players": 2, **options})
        table.choose(1, table.reference.hands[1][0])
        game = fault(**table.game.options)
        for seat in table.reference.seats:
            secrecy.check_world(game, table.state, table.reference, seat)


def check_pairs(fault: type[Game]) -> None:
    table = last_turn()
    table.game = fault(**table.game.options)
    check_pairs_are_uniform(table)


def check_everything(fault: type[Game]) -> None:
    table = in_last_turn(num_players=3)
    table.game = fault(**table.game.options)
    check_everything_is_uniform(table)


@cache
def twins() -> tuple[Line, Line]:
    """Two games of three that seat 2 cannot tell apart for six turns."""
    return long_twins(Config(num_players=3), 2, Random(1), shortest=18)


def check_twin_games(fault: type[Game]) -> None:
    check_twins(fault(num_players=3), *twins(), viewer=2)


def check_memory(fault: type[Game]) -> None:
    """Some games beyond a round, compared with the reference at every choice."""
    for options in ({"rounds": 2}, {"num_players": 5, "rounds": 2}):
        random = Random(2)
        table = SideBySide(shuffled_setup(2, random), **options)
        table.game = fault(**options)
        while table.round == 0 or table.turn < 2:
            table.choose(table.seat, int(random.choice(table.reference.legal())))


SINGLE_FAULTS: list[tuple[type[Game], SingleCheck]] = [
    (KeepsLegalSet, check_worlds),
    (DrawsExplodedCards, check_worlds),
    (FavoursLowCards, check_pairs),
    (ChoosesTheLowest, check_pairs),
    (FavoursLowCards, check_everything),
    (ChoosesTheLowest, check_everything),
    (RedealsNothing, check_twin_games),
    (KeepsOldDeck, check_twin_games),
    (KeepsLegalSet, check_twin_games),
    (AnotherHandIsShown, check_twin_games),
    (TextShowsHands, check_twin_games),
    (SizesTellWhoHasChosen, check_memory),
    (RevealedForTheRound, check_memory),
    (ForgetsWhatExploded, check_memory),
    (SeesOwnHand, check_memory),
    (MaskForAll, check_memory),
    (RewardsTellChoices, check_memory),
]

GUARDIANS = HiddenFaults(
    Game,
    positions,
    BATCH_CHECKS,
    BATCH_FAULTS,
    SINGLE_FAULTS,
    found_by=(AssertionError, IllegalAction),  # a choice that must be legal may be refused
)
