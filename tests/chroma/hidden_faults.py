"""Games of CHROMA with one planted fault each, and the checks that must find it."""

from functools import cache
from typing import Any

import numpy as np

from chromazoo.envs.chroma.rules import ChromaState, Game
from tests.chroma import secrecy
from tests.chroma.secrecy import BATCH_CHECKS, Check
from tests.chroma.table import HANDS, Table, pile
from tests.chroma.test_hidden import (
    FEW,
    check_pairs_are_uniform,
    check_pile_is_uniform,
    check_twins,
    two_left,
)
from tests.chroma.twins import Line, twin
from tests.contract import hidden_faults
from tests.contract.hidden_faults import HiddenFaults, SingleCheck
from tests.contract.play import play, player_stream

# What is shown


class NextCardIsShown(hidden_faults.Shows, Game):
    def change(self, state: ChromaState, eyes: Any, seen: Any) -> None:
        rows = np.arange(len(state))
        place = np.minimum(state.drawn, 99)
        seen[:, self.fields.slices["pile"]] = state.deck[rows, place][:, None]


class AnotherHandIsShown(hidden_faults.Shows, Game):
    def change(self, state: ChromaState, eyes: Any, seen: Any) -> None:
        hand = state.hands[self.following(state, eyes)]
        where = self.fields.slices["known"]
        seen[:, where.start : where.start + hand.shape[1]] = hand


class FaceDownCardsAreShown(hidden_faults.Shows, Game):
    def change(self, state: ChromaState, eyes: Any, seen: Any) -> None:
        seen[:, self.fields.slices["own_wild"]] = state.hidden


class PassIsShown(hidden_faults.Shows, Game):
    """The phase is empty where the seat to decide cannot place a card."""

    def change(self, state: ChromaState, eyes: Any, seen: Any) -> None:
        drawing = self.packing.contains(state.moves, np.full(len(state), self.draw))
        seen[drawing, self.fields.slices["phase"]] = 0


class MaskForAll(Game):
    """Waiting seats are shown what the seat to decide may do."""

    def _legal(self, state: ChromaState, seats: Any) -> Any:
        return super()._legal(state, None)


class TextShowsHands(hidden_faults.TextShowsHands, Game):
    pass


# What is drawn anew


class RedealsNothing(hidden_faults.RedealsNothing, Game):
    pass


class KeepsStream(hidden_faults.KeepsStream, Game):
    pass


class ForgetsSeeds(hidden_faults.ForgetsSeeds, Game):
    pass


class KeepsNextCard(Game):
    """The next card of the pile is the true one, wherever a like one can be found in the pile."""

    def redeal(self, state: ChromaState, seats: Any, seeds: Any) -> ChromaState:
        world = super().redeal(state, seats, seeds)
        for row in range(len(state)):
            top = int(state.drawn[row])
            like = np.flatnonzero(world.deck[row, top:] == state.deck[row, min(top, 99)])
            if len(like):
                place = top + int(like[0])
                world.deck[row, [top, place]] = world.deck[row, [place, top]]
        return world


class KeepsOldDeck(Game):
    """The part of the deck that has been dealt stays: it tells the hands."""

    def redeal(self, state: ChromaState, seats: Any, seeds: Any) -> ChromaState:
        world = super().redeal(state, seats, seeds)
        gone = np.arange(100) < state.drawn[:, None]
        world.deck[:] = np.where(gone, state.deck, world.deck)
        return world


class KeepsFaceDownCards(Game):
    """Face-down cards stay, and so the pack is not complete."""

    def redeal(self, state: ChromaState, seats: Any, seeds: Any) -> ChromaState:
        world = super().redeal(state, seats, seeds)
        world.hidden[:] = state.hidden
        return world


class DrawsKnownCards(Game):
    """Cards that the seat knows in other hands are drawn anew."""

    def redeal(self, state: ChromaState, seats: Any, seeds: Any) -> ChromaState:
        ignorant = state.copy()
        ignorant.known[:] = 0
        world = super().redeal(ignorant, seats, seeds)
        world.known[:] = state.known
        return world


class KeepsKnowledgeOfOthers(Game):
    """The world tells what two other seats know of each other."""

    def redeal(self, state: ChromaState, seats: Any, seeds: Any) -> ChromaState:
        world = super().redeal(state, seats, seeds)
        world.known[:] = state.known
        return world


class ForgetsReplay(Game):
    """A seat that is seen to have a placement may be left without one."""

    def redeal(self, state: ChromaState, seats: Any, seeds: Any) -> ChromaState:
        plain = state.copy()
        plain.power[:] = -1
        plain.replaying[:] = False
        world = super().redeal(plain, seats, seeds)
        world.power[:] = state.power
        world.replaying[:] = state.replaying
        return world


class FavoursSomeCards(Game):
    """Of two worlds the one whose next hand has the lower types is taken, one time in four."""

    def redeal(self, state: ChromaState, seats: Any, seeds: Any) -> ChromaState:
        one = super().redeal(state, seats, seeds)
        other = super().redeal(state, seats, np.asarray(seeds) + 10**9)
        rows, holder = np.arange(len(state)), (np.asarray(seats) + 1) % self.num_seats
        types = np.arange(state.hands.shape[2])
        sums = [(world.hands[rows, holder] * types).sum(axis=1) for world in (one, other)]
        better = np.flatnonzero((sums[1] < sums[0]) & (rows % 4 == 0))
        one.put(better, other.take(better))
        return one


# What is remembered


class NeverForgets(Game):
    """Known cards stay known when a hidden card leaves the hand."""

    def _advance(self, state: ChromaState, *arguments: Any) -> None:
        before = state.known.copy()
        super()._advance(state, *arguments)
        state.known[:] = np.maximum(state.known, before)


class RemembersNothing(Game):
    def _advance(self, state: ChromaState, *arguments: Any) -> None:
        super()._advance(state, *arguments)
        state.known[:] = 0


class SeesEveryGift(Game):
    """All seats are told what two of them pass to each other."""

    def _advance(self, state: ChromaState, *arguments: Any) -> None:
        super()._advance(state, *arguments)
        state.known[:] = state.known.max(axis=2, keepdims=True)


FACE_DOWN = "c1@e4 c6@f5 c2@d4 c7@d5 c3@e5 wild:c4@a1"
GIFT = "c1+gift@e4 gift:1=c7 give:c5"
THIRD = "c11 c12 c13 c14 c15"
NEXT = "c16 c17 c18 c19"


@cache
def positions() -> list[tuple[dict[str, Any], ChromaState]]:
    """Batches from the middle of random games, and some games laid out by hand."""
    found = []
    for players in (2, 3):
        game, seeds = Game(num_players=players, power_copies=4), np.arange(30)
        for number, (state, *_) in enumerate(play(game, game.deal(seeds), player_stream(seeds))):
            if number % 9 == 8:
                found.append((game.options, state.copy()))
    return found + [(table.game.options, table.state) for table in tables()]


def tables() -> list[Table]:
    """A face-down card, known cards, a Replay that is used, and two seats with a secret."""
    return [
        Table(*HANDS, pile=pile()).play(FACE_DOWN),
        Table("c1+gift c2 c3 c4 c5", HANDS[1], THIRD, pile=NEXT).play(GIFT),
        Table("c1+replay c6 c3 c4 c5", THIRD, pile="c16", wheel=FEW).play("c1+replay@e4 use"),
        Table("c1+gift c2 c3 c4 c5", HANDS[1], THIRD, pile=NEXT).play(f"{GIFT} c6@d4"),
    ]


BATCH_FAULTS: list[tuple[type[Game], Check]] = [
    (NextCardIsShown, secrecy.check_redeal_shows_nothing_new),
    (AnotherHandIsShown, secrecy.check_redeal_shows_nothing_new),
    (FaceDownCardsAreShown, secrecy.check_redeal_shows_nothing_new),
    (PassIsShown, secrecy.check_redeal_shows_nothing_new),
    (MaskForAll, secrecy.check_waiting_seats_see_no_choice),
    (MaskForAll, secrecy.check_redeal_shows_nothing_new),
    (TextShowsHands, secrecy.check_redeal_shows_nothing_new),
    (KeepsStream, secrecy.check_worlds_are_whole),
    (KeepsFaceDownCards, secrecy.check_worlds_are_whole),
    (DrawsKnownCards, secrecy.check_worlds_are_whole),
    (KeepsNextCard, secrecy.check_redeal_keeps_nothing_else),
]


def check_worlds(fault: type[Game]) -> None:
    """Some worlds of each table, for every seat."""
    for table in tables():
        game = fault(**table.game.options)
        for seat in table.reference.seats:
            for seed in range(15):
                secrecy.check_world(game, table.state, table.reference, seat, seed)


def check_variety(fault: type[Game]) -> None:
    for table in tables():
        game = fault(**table.game.options)
        for seat in table.reference.seats:
            secrecy.check_all_unknown_varies(game, table.state, table.reference, seat)


def check_pairs(fault: type[Game]) -> None:
    table = two_left()
    table.game = fault(**table.game.options)
    check_pairs_are_uniform(table)


def check_pile(fault: type[Game]) -> None:
    table = Table(*HANDS, power_copies=1, pile="c11")
    table.game = fault(**table.game.options)
    check_pile_is_uniform(table)


@cache
def twins() -> tuple[Line, Line]:
    """Seat 2 sees the same of both: seats 0 and 1 pass other cards to each other."""
    table = tables()[1]
    line = Line(table.setup, [("c1+gift@e4", None), ("gift:1", "c7"), ("give:c5", None)])
    places = (table.setup["deck"].index("c7"), table.setup["deck"].index("c17"))
    return twin(table.reference.config, table.types, line, 2, places)


def check_twin_games(fault: type[Game]) -> None:
    check_twins(fault(**tables()[1].game.options), *twins(), viewer=2)


def check_memory(fault: type[Game]) -> None:
    """Play through examples of knowledge, compared with the reference at every ply."""
    table = Table("c1+gift c2 c3 c4 c5", "c6+gift c7 c8 c9 c10", THIRD, pile=NEXT)
    table.game = fault(**table.game.options)
    table.play(f"{GIFT} c6+gift@d4 gift:2=c13 give:c8")


SINGLE_FAULTS: list[tuple[type[Game], SingleCheck]] = [
    (DrawsKnownCards, check_worlds),
    (KeepsFaceDownCards, check_worlds),
    (KeepsKnowledgeOfOthers, check_worlds),
    (ForgetsReplay, check_worlds),
    (RedealsNothing, check_variety),
    (ForgetsSeeds, check_variety),
    (KeepsNextCard, check_pile),
    (KeepsFaceDownCards, check_variety),
    (FavoursSomeCards, check_pairs),
    (RedealsNothing, check_twin_games),
    (KeepsOldDeck, check_twin_games),
    (KeepsKnowledgeOfOthers, check_twin_games),
    (NextCardIsShown, check_twin_games),
    (AnotherHandIsShown, check_twin_games),
    (TextShowsHands, check_twin_games),
    (SeesEveryGift, check_twin_games),
    (NeverForgets, check_memory),
    (RemembersNothing, check_memory),
    (SeesEveryGift, check_memory),
]

CHROMA = HiddenFaults(Game, positions, BATCH_CHECKS, BATCH_FAULTS, SINGLE_FAULTS)
