"""What hidden information demands, as functions that raise `AssertionError`.

They are functions, not tests, so that `test_hidden_faults.py` can run them on games with planted
faults.
"""

from collections import Counter
from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma.rules import ChromaState, Game
from tests.chroma.agreement import assert_agree, assert_seen, types_of
from tests.chroma.play import anything, chance_for
from tests.chroma.reference import COLUMNS, ROWS, SPACES, Chroma, Space
from tests.contract.play import differences, seated
from tests.contract.secrecy import see, some_seeds, varies

OPEN_TO_ALL = ("seat", "pending", "over", "rewards", "plies")


def read_pile(game: Game, types: list[str], state: ChromaState, row: int) -> list[str]:
    """The draw pile of a game, next card first."""
    return [types[card] for card in state.deck[row, state.drawn[row] :].tolist()]


def count_cards(game: Game, state: ChromaState) -> NDArray[np.int64]:
    """How many cards of each type there are in all, wherever they are: (games, types)."""
    types = state.hands.shape[2]
    counts: NDArray[np.int64] = state.hands.sum(axis=1, dtype=np.int64)
    up = np.where(state.board <= types, state.board, 0)
    lying = np.concatenate([up, state.hidden], axis=1)  # 1 + type
    rows, places = np.nonzero(lying)
    np.add.at(counts, (rows, lying[rows, places] - 1), 1)
    rows, places = np.nonzero(np.arange(state.deck.shape[1]) >= state.drawn[:, None])
    np.add.at(counts, (rows, state.deck[rows, places]), 1)
    return counts


# Whole batches


def check_waiting_seats_see_no_choice(game: Game, state: ChromaState) -> None:
    """A seat that does not decide has an empty mask, whatever the phase."""
    for seat in range(game.num_seats):
        mask = game.action_mask(state, seated(state, seat))
        assert np.array_equal(mask.any(axis=1), (state.seat == seat) & ~state.over)
        assert not game.legal(state, seated(state, seat))[state.seat != seat].any()


def check_redeal_shows_nothing_new(game: Game, state: ChromaState) -> None:
    """Observation and mask stay as they are, byte for byte, and all that everyone sees."""
    for seat in range(game.num_seats):
        eyes = seated(state, seat)
        world = game.redeal(state, eyes, some_seeds(state, 0))
        assert game.observe(world, eyes).tobytes() == game.observe(state, eyes).tobytes()
        assert game.legal(world, eyes).tobytes() == game.legal(state, eyes).tobytes()
        assert game.action_mask(world, eyes).tobytes() == game.action_mask(state, eyes).tobytes()
        assert not set(OPEN_TO_ALL) & set(differences(world, state))
        for other in range(game.num_seats):
            both = [game.observe(one, seated(one, other), ("public",)) for one in (world, state)]
            assert both[0].tobytes() == both[1].tobytes()
        for row in range(0, len(state), 3):
            assert game.text(world, row) == game.text(state, row)


def check_worlds_are_whole(game: Game, state: ChromaState) -> None:
    """The pack is complete, hands have their sizes, and what the seat knows is where it was."""
    pack = count_cards(game, game.deal([0]))[0]
    assert (count_cards(game, state) == pack).all()
    for seat in range(game.num_seats):
        eyes = seated(state, seat)
        world = game.redeal(state, eyes, some_seeds(state, 0))
        assert (count_cards(game, world) == pack).all()
        known, sizes = see(game, state, seat, "known"), see(game, state, seat, "sizes")
        for away in range(1, game.num_seats):
            other = (seat + away) % game.num_seats
            hand, before = see(game, world, other, "hand"), see(game, state, other, "hand")
            assert np.array_equal(hand.sum(axis=1), sizes[:, away])
            assert (hand >= known[:, away - 1]).all()
            single = sizes[:, away] == 1
            assert np.array_equal(hand[single], before[single])
            down = see(game, state, other, "own_wild")
            assert np.array_equal(see(game, world, other, "own_wild") > 0, down > 0)
        assert np.array_equal(
            see(game, world, seat, "own_wild"), see(game, state, seat, "own_wild")
        )
        assert (world.stream != state.stream).all()


def check_redeal_keeps_nothing_else(game: Game, state: ChromaState) -> None:
    """A redealt world follows from what the seat knows and the seeds, to the last byte.

    Worlds that are redealt once more become the same, whichever they were.
    """
    seeds = [some_seeds(state, number) for number in range(3)]
    for seat in range(game.num_seats):
        eyes = seated(state, seat)
        one, other = (game.redeal(state, eyes, some) for some in seeds[:2])
        last = [game.redeal(world, eyes, seeds[2]) for world in (state, one, other)]
        for world in last[1:]:
            assert not differences(last[0], world)


# Single games, with the reference


def world_of(
    game: Game, types: list[str], world: ChromaState, row: int, reference: Chroma, eyes: int
) -> Chroma:
    """The reference in an engine's world: its hands and face-down cards as their seats see them."""
    hands: list[list[str]] = []
    wilds: dict[Space, str] = {}
    one = world.take([row])
    for seat in reference.seats:
        counts = dict(zip(types, see(game, one, seat, "hand")[0].tolist(), strict=True))
        hands.append(sorted(Counter(counts).elements()))
        for (column, line), number in zip(
            SPACES, see(game, one, seat, "own_wild")[0].ravel().tolist(), strict=True
        ):
            if number:
                card = types[number - 1]
                assert wilds.setdefault((column, line), card) == card
    assert set(wilds) == set(reference.wilds)
    return reference.in_world(eyes, hands, wilds, read_pile(game, types, world, row))


def check_world(game: Game, state: ChromaState, reference: Chroma, seat: int, seed: int) -> Chroma:
    """A redealt world is a game as it could be: by the reference, all is legal and agrees.

    Returns:
        The reference in that world.
    """
    types = types_of(game)
    world = game.redeal(state, np.array([seat]), [seed])
    found = world_of(game, types, world, 0, reference, seat)
    everything = [card for hand in found.hands for card in hand]
    everything += [*found.shown.values(), *found.wilds.values(), *found.pile]
    assert Counter(everything) == Counter(reference.config.pack)
    assert sorted(found.hands[seat]) == sorted(reference.hands[seat])
    assert found.knows_wilds(seat) == reference.knows_wilds(seat)
    for holder in reference.seats:
        assert reference.knows_of(seat, holder) <= Counter(found.hands[holder])
    offered = found.phase == "power" and found.power == "replay"
    if offered or found.again:
        assert found.placements(), "a seat seen to have a placement has none"
    if found.phase in ("place", "draw") and not found.again and reference._any_card_fits():
        assert found._any_card_fits(), "a turn begins in a game that is blocked"
    assert_agree(game, world, 0, found)
    assert_seen(game, types, world, [0], [found])
    return found


def check_plays_on(game: Game, state: ChromaState, reference: Chroma, seat: int, seed: int) -> None:
    """From a redealt world the game goes on to its end, engine and reference side by side."""
    found = check_world(game, state, reference, seat, seed)
    types = types_of(game)
    world, random = game.redeal(state, np.array([seat]), [seed]), Random(seed)
    while found.result() is None:
        move = anything(found, random)
        chance = chance_for(found, move, random)
        game.step(world, [game.parse_move(world, 0, move)], chance=[chance])
        found = found.after(move, chance)
        assert_agree(game, world, 0, found)
        assert_seen(game, types, world, [0], [found])


def check_all_unknown_varies(
    game: Game, state: ChromaState, reference: Chroma, seat: int, worlds: int = 48
) -> None:
    """Every hand, face-down card and place of the pile that the seat does not know takes turns."""
    unseen = reference.unseen(seat)
    if not unseen or max(unseen.values()) > 0.7 * unseen.total():
        return  # hands may well be alike
    many = game.redeal(
        state.take(np.zeros(worlds, np.int64)), np.full(worlds, seat), np.arange(worlds)
    )
    down = np.zeros((worlds, ROWS, COLUMNS), np.uint8)
    for holder in reference.seats:
        known = reference.knows_of(seat, holder).total() == len(reference.hands[holder])
        hands = see(game, many, holder, "hand")
        if known or free_to_vary(reference, seat, holder):
            assert varies(hands) != known, f"hand of seat {holder}"
        down = np.maximum(down, see(game, many, holder, "own_wild"))
    for column, line in reference.wilds:
        known = (column, line) in reference.knows_wilds(seat)
        assert varies(down[:, line - 1, column - 1]) != known, "a face-down card"
    for place in range(len(reference.pile)):
        cards = many.deck[np.arange(worlds), many.drawn + place]
        assert varies(cards), f"card {place} of the pile"
    assert varies(many.stream)


def free_to_vary(reference: Chroma, seat: int, holder: int) -> bool:
    """Whether more than the need of a placement decides a hand."""
    needs = reference.again or (reference.phase == "power" and reference.power == "replay")
    return not (needs and holder == reference.seat != seat)


Check = Callable[[Game, ChromaState], None]
BATCH_CHECKS: list[Check] = [
    check_waiting_seats_see_no_choice,
    check_redeal_shows_nothing_new,
    check_worlds_are_whole,
    check_redeal_keeps_nothing_else,
]
