"""Hidden information: what a seat cannot know changes nothing that it is shown.

The checks are in `secrecy.py`; `test_hidden_faults.py` shows that they find planted faults.
"""

from collections import Counter
from functools import partial
from math import comb
from random import Random
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.aec import AECFace
from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.vector import VectorFace
from tests.chroma.agreement import own_wheel, pair, types_of
from tests.chroma.play import TEMPERS, Temper, anything, chance_for, crowding, shuffled_setup
from tests.chroma.reference import SPACES, begin, colour_of, space_name
from tests.chroma.secrecy import (
    BATCH_CHECKS,
    check_all_unknown_varies,
    check_plays_on,
    check_world,
)
from tests.chroma.table import HANDS, TWO_LEFT, Table, pile, wheel
from tests.chroma.twins import Line, long_twins
from tests.contract.chances import evenly, far_from, slots
from tests.contract.play import differences, play, player_stream
from tests.contract.secrecy import see
from tests.faces.checkers import moment, shown_by_aec
from tests.faces.play import stage
from tests.thorough import THOROUGH

GAMES = 120 if THOROUGH else 20
EVERY = 1 if THOROUGH else 4  # plies between two looks
OPTIONS: list[dict[str, Any]] = [
    {},
    {"power_copies": 4},
    {"num_players": 3, "power_copies": 4, "wheel": "ring"},
    {"num_players": 4, "power_copies": 2, "wheel": own_wheel(Random(2))},
    {"num_players": 5, "power_copies": 3},
    {"num_players": 6, "power_copies": 4, "wheel": "narrow"},
]


def kinds_of(game: Game, state: ChromaState) -> Counter[str]:
    """How many games are in each kind of situation."""
    names = ["place", "wild", "power", "give"]
    counts: Counter[str] = Counter()
    for row, phase in enumerate(see(game, state, 0, "phase")):
        passing = game.move_text(state, row, int(game.action_mask(state)[row].argmax())) == "draw"
        name = "over" if state.over[row] else "pass" if passing else names[int(phase.argmax())]
        counts[name] += 1
        if not state.over[row] and see(game, state.take([row]), 0, "replaying")[0]:
            counts["replaying"] += 1
    return counts


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: str(options)[:60])
def test_random_positions(options: dict[str, Any]) -> None:
    """Some thousand positions, every seat's point of view."""
    game = Game(**options)
    seeds = np.arange(GAMES)
    met: Counter[str] = Counter()
    for number, (state, _, _) in enumerate(play(game, game.deal(seeds), player_stream(seeds))):
        if number % EVERY == 0:
            # Of the games that are over, the first ones will do.
            some = state.take(np.flatnonzero(~state.over | (seeds < 2)))
            for check in BATCH_CHECKS:
                check(game, some)
            met += kinds_of(game, some)
    expected = {"place", "pass", "replaying", "wild", "power", "give", "over"}
    assert set(met) >= expected if options.get("power_copies") == 4 else met.total() > GAMES


@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
def test_worlds_are_games_as_they_could_be(num_players: int) -> None:
    """By the reference: legal sets, what all seats see, and play to the end."""
    random = Random(num_players)
    game, config = pair(num_players=num_players, power_copies=random.choice([3, 4]))
    for temper in TEMPERS:
        setup = shuffled_setup(config.pack, num_players, random)
        reference, state, ply = begin(config, setup), game.from_setup([setup]), 0
        played_on = False
        while True:
            ended = reference.result() is not None
            seat = random.randrange(num_players)
            if reference.phase in ("wild", "give") or reference.again or ended or ply % 7 == 0:
                check_world(game, state, reference, seat, ply)
                check_all_unknown_varies(game, state, reference, seat)
            if ply > 20 and reference.phase != "place" and not played_on:
                check_plays_on(game, state, reference, seat, ply)
                played_on = True
            if ended:
                break
            move = temper(reference, random)
            chance = chance_for(reference, move, random)
            game.step(state, [game.parse_move(state, 0, move)], chance=[chance])
            reference, ply = reference.after(move, chance), ply + 1


# Worlds are drawn uniformly


def worlds(table: Table, seat: int, number: int = 8000) -> ChromaState:
    many = table.state.take(np.zeros(number, np.int64))
    return table.game.redeal(many, np.full(number, seat), np.arange(number))


def hands(table: Table, world: ChromaState, seat: int) -> list[tuple[str, ...]]:
    counts = see(table.game, world, seat, "hand")
    types = np.array(table.types)
    return [tuple(np.repeat(types, row).tolist()) for row in counts]


def unseen(table: Table, seat: int) -> Counter[str]:
    return Counter(dict(zip(table.types, table.see(seat, "unseen"), strict=True)))


def two_left() -> Table:
    """Seat 0 holds two cards that seat 1 does not know."""
    return Table(*HANDS, power_copies=0, pile=pile()).play(TWO_LEFT)


def test_two_unknown_cards_of_a_hand_are_any_two_unseen_ones() -> None:
    check_pairs_are_uniform(two_left())


def check_pairs_are_uniform(table: Table) -> None:
    """All 210 pairs, each as often as there are cards to make it."""
    left = unseen(table, 1)
    ways = {
        (one, two): comb(left[one], 2) if one == two else left[one] * left[two]
        for number, one in enumerate(table.types)
        for two in table.types[number:]
        if one != two or left[one] > 1
    }
    assert len(ways) == 210
    found = Counter(hands(table, worlds(table, 1, 24_000), 0))
    assert not far_from(found, evenly(ways))


def test_places_of_the_pile_get_any_unseen_card() -> None:
    check_pile_is_uniform(Table(*HANDS, power_copies=1, pile="c11"))


def check_pile_is_uniform(table: Table) -> None:
    world = worlds(table, 1)
    chances = evenly(unseen(table, 1))
    for place in (0, 1, 44, 88):
        cards = world.deck[np.arange(len(world)), world.drawn + place]
        assert not far_from(Counter(table.types[card] for card in cards), chances)


def test_hand_wild_card_and_pile_are_drawn_together() -> None:
    """Which of them are of the first eight colours: every combination has its exact chance."""
    start = "c1@e4 c6@f5 c2@d4 c7@d5 c3@e5 wild:c4@a1"
    table = Table(*HANDS, power_copies=0, pile=pile()).play(start)
    assert table.see(1, "sizes") == [5, 3]
    left, good = unseen(table, 1), {f"c{number}" for number in range(8)}
    world = worlds(table, 1)
    rows = np.arange(len(world))
    down = see(table.game, world, 0, "own_wild")[:, 0, 0] - 1
    places = [down, world.deck[rows, world.drawn], world.deck[rows, 99]]
    found: Counter[Any] = Counter(
        (sum(card in good for card in hand), *(table.types[card] in good for card in cards))
        for hand, *cards in zip(hands(table, world, 0), *places, strict=True)
    )
    total, goods = left.total(), sum(left[card] for card in good)
    chances = {
        (number, *rest): comb(3, number)
        * slots(goods, total, (*(i < number for i in range(3)), *map(bool, rest)))
        for number in range(4)
        for rest in np.ndindex(2, 2, 2)
    }
    assert not far_from(found, chances)


def test_known_cards_stay_and_the_others_are_drawn() -> None:
    table = Table("c1+gift c2 c3 c4 c5", HANDS[1], pile="c11")
    table.play("c1+gift@e4 gift:1=c6 give:c2")  # seat 0 knows c2 of seat 1, five cards
    assert table.known(0, 1) == ["c2"]
    colours = [f"c{number}" for number in range(10)]
    left = unseen(table, 0)
    good = sum(left[card] for card in left if colour_of(card) in colours)
    found: Counter[Any] = Counter()
    for hand in hands(table, worlds(table, 0), 1):
        rest = list(hand)
        rest.remove("c2")
        found[sum(colour_of(card) in colours for card in rest)] += 1
    total = left.total()
    ways = {k: comb(good, k) * comb(total - good, 4 - k) for k in range(5)}
    assert not far_from(found, evenly(ways))


FEW = wheel("c0 c1 c6 c7")


@pytest.mark.parametrize("moves", ["c1+replay@e4", "c1+replay@e4 use"])
def test_who_is_seen_to_have_a_placement_has_one(moves: str) -> None:
    """And otherwise the hand is drawn uniformly: hypergeometric, given one card that fits."""
    table = Table("c1+replay c6 c3 c4 c5", "c11 c12 c13 c14 c15", pile="c16", wheel=FEW)
    table.play(moves)
    assert table.seat == 0
    fits = {card for card in table.types if colour_of(card) in ("c0", "c1", "c6", "c7")}
    left = unseen(table, 1)
    good, total = sum(left[card] for card in fits), left.total()
    found = Counter(
        sum(card in fits for card in hand) for hand in hands(table, worlds(table, 1), 0)
    )
    ways = {k: comb(good, k) * comb(total - good, 5 - k) for k in range(1, 5)}
    found[4] += found.pop(5, 0)  # seldom
    ways[4] += comb(good, 5)
    assert not far_from(found, evenly(ways))


def test_who_may_have_to_pass_is_not_seen_to() -> None:
    """At the beginning of a turn nothing is known: hands without a placement are drawn too."""
    table = Table("c1 c6 c3 c4 c5", "c11 c12 c13 c14 c15", pile="c16", wheel=FEW)
    fits = {card for card in table.types if colour_of(card) in ("c1", "c6", "c7")}
    left = unseen(table, 1)
    good, total = sum(left[card] for card in fits), left.total()
    world = worlds(table, 1)
    found: Counter[Any] = Counter(
        sum(card in fits for card in hand) for hand in hands(table, world, 0)
    )
    ways = {k: comb(good, k) * comb(total - good, 5 - k) for k in range(6)}
    found[4] += found.pop(5, 0)
    ways[4] += ways.pop(5)
    assert not far_from(found, evenly(ways))
    passing = table.game.parse_move(table.state, 0, "draw")
    assert table.game.action_mask(world)[:, passing].sum() == found[0]


@pytest.mark.parametrize("moves", ["c1@a4 wild:c3@f7", "c1@a4 wild:c3@f7 draw"])
def test_a_game_that_goes_on_is_not_blocked(moves: str) -> None:
    """Only c1 fits the last space; the last of its cards may be in any place but face down."""
    table = last_c1().play(moves)
    assert not table.state.over[0]
    for seat in (0, 1):
        for seed in range(60):
            check_world(table.game, table.state, table.reference, seat, seed)
    world = worlds(table, 1, 2000)
    last = table.types.index("c1+lock") + 1
    assert not (world.hidden == last).any()
    holders = [(see(table.game, world, 0, "hand")[:, last - 1] > 0).mean(), 3 / 16]
    assert abs(holders[0] - holders[1]) < 0.05


def last_c1() -> Table:
    """A board with three empty spaces, where c1 goes with all and nothing else does.

    Three cards c1 lie on it, two are in the hand of seat 0, which is to move.
    """
    spaces = [space_name(space) for space in SPACES]
    powers, holes, own = ("", "+replay", "+gift", "+magnet", "+lock"), "a4 f7 k2", "c3 c4 c5"
    rest = [f"c{colour}{power}" for power in powers for colour in (0, *range(3, 20))]
    laid = [card for card in rest if card not in own.split()]
    cards = dict(zip([space for space in spaces if space not in holes.split()], laid, strict=False))
    cards |= {"c2": "c1+replay", "f2": "c1+gift", "i2": "c1+magnet"}
    centre = cards.pop("f4")
    table = Table(
        f"c1 c1+lock {own}",
        " ".join(f"c2{power}" for power in powers),
        centre=centre,
        pile=" ".join(cards.values()),
        wheel=wheel(*(f"c1 c{colour}" for colour in range(20) if colour != 1)),
    )
    return table.lay(cards)


def test_a_pass_that_is_due_is_seen_by_nobody_else() -> None:
    hand = "c3 c4 c5 c8 c9"
    passing, placing = (
        Table(first, second, "c11 c12 c13 c14 c15", wheel=FEW)
        for first, second in ((hand, "c1 c2 c6 c7 c10"), ("c1 c2 c6 c7 c10", hand))
    )
    assert passing.legal == ["draw"] != placing.legal
    seen = [table.game.observe(table.state, np.array([2])) for table in (passing, placing)]
    assert seen[0].tobytes() == seen[1].tobytes()


def test_the_games_own_seeds_tell_nothing() -> None:
    """A redeal with the seeds of the deals is as far from the truth as any other."""
    game = Game(power_copies=0)
    seeds = np.arange(6000)
    state = game.deal(seeds)
    world = game.redeal(state, np.zeros(6000, np.int64), seeds)
    rows = np.arange(6000)
    truth = state.deck[rows, state.drawn]
    left = see(game, state, 0, "unseen")
    chances = left[rows, truth] / left.sum(axis=1)
    matches = int((world.deck[rows, world.drawn] == truth).sum())
    spread = float(np.sqrt((chances * (1 - chances)).sum()))
    assert abs(matches - chances.sum()) < 5 * spread
    assert (world.stream != state.stream).all()


# Pairs of games that a seat cannot tell apart


def all_shown(game: Game, state: ChromaState, seat: int) -> tuple[Any, ...]:
    """All that the rules and the AEC face show to a seat."""
    env = AECFace(stage(game, state), render_mode="ansi")
    env.reset(seed=0)
    eyes = np.array([seat])
    return (
        game.observe(state, eyes).tobytes(),
        game.legal(state, eyes).tobytes(),
        game.action_mask(state, eyes).tobytes(),
        game.text(state),
        *shown_by_aec(env, f"player_{seat}"),
    )


@pytest.mark.parametrize("temper", [anything, crowding], ids=lambda temper: temper.__name__)
@pytest.mark.parametrize("num_players", [2, 3, 4, 6])
def test_games_that_differ_only_in_what_a_seat_cannot_know(
    num_players: int, temper: Temper
) -> None:
    """Equal bytes through the rules, the AEC face and the batched face, at every ply.

    What is redealt from either game is the same to the last byte, too.
    """
    random = Random(num_players)
    game, config = pair(num_players=num_players, power_copies=4)
    types = types_of(game)
    for viewer in random.sample(range(num_players), min(num_players, 3)):
        lines = long_twins(config, types, temper, viewer, random, shortest=12)
        check_twins(game, *lines, viewer)


def check_twins(game: Game, one: Line, other: Line, viewer: int) -> None:
    """A seat is shown the same of both games, whatever shows it."""
    for state, twin in zip(one.states(game), other.states(game), strict=True):
        assert differences(state, twin)
        assert all_shown(game, state, viewer) == all_shown(game, twin, viewer)
        redealt = [game.redeal(each, np.array([viewer]), [5]) for each in (state, twin)]
        assert not differences(redealt[0], redealt[1])
        both = state.take([0, 0])
        both.put([1], twin)
        check_batched_face(game, both, viewer)


def check_batched_face(game: Game, both: ChromaState, viewer: int) -> None:
    """Two rows that a seat cannot tell apart show it the same."""
    env = VectorFace(stage(game, both), 2, render_mode="ansi")
    env.reset(seed=0)
    now = moment(env)
    same = [now.seats, now.rewards, now.terminations, now.truncations, now.reward]
    if now.seats[0] == viewer:
        same += [now.observation, now.mask]
    assert all((part[0] == part[1]).all() for part in same)
    assert env.render(0) == env.render(1)


@pytest.mark.parametrize("num_players", [2, 5])
def test_whole_games_through_the_faces(num_players: int) -> None:
    """From `reset` on, without Gifts: the seat is shown the same after every step."""
    random = Random(num_players)
    game, config = pair(num_players=num_players, power_copies=0)
    lines = long_twins(config, types_of(game), anything, 1, random, shortest=15)
    envs = [AECFace(game, render_mode="ansi") for _ in lines]
    dealt = game.from_setup([line.setup for line in lines], [1, 1])
    batch = VectorFace(stage(game, dealt), 2)
    batch.reset(seed=3)
    for env, line in zip(envs, lines, strict=True):
        env.reset(seed=3, options={"setup": line.setup})
    shown = partial(shown_by_aec, agent="player_1")
    for number in range(len(lines[1].plies)):
        assert shown(envs[0]) == shown(envs[1])
        now = moment(batch)
        if now.seats[0] == 1:
            assert now.row(0) == now.row(1)
        actions = []
        for env, line in zip(envs, lines, strict=True):
            mask = env.observe(env.agent_selection)["action_mask"]
            action = action_of(game, line.plies[number][0], mask)
            env.step(action)
            actions.append(action)
        batch.step(np.array(actions))
    assert shown(envs[0]) == shown(envs[1])


def action_of(game: Game, text: str, mask: Any) -> int:
    """The legal action with that text, whether or not a wild card is due."""
    action = game.parse_move(game.deal([0]), 0, text.removeprefix("wild:"))
    assert mask[action]
    return action
