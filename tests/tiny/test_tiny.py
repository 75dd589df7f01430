"""The rules of Tiny, by example and against the plain reference."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from chromazoo.agents.agent import RandomAgent, decide
from chromazoo.envs.errors import InvalidConfig, InvalidSetup
from chromazoo.envs.randomness import agent_stream, as_seeds
from tests.contract.play import play, player_stream
from tests.tiny.game import Game, TinyState
from tests.tiny.reference import Reference


def started(game: Game, secrets: list[int], first: int) -> TinyState:
    """Begin one game with given cards."""
    return game.from_setup([{"secrets": secrets, "first": first}])


def say(game: Game, state: TinyState, *moves: str) -> None:
    """Take moves of the seats to decide; `draw=4` draws the 4."""
    for move in moves:
        text, _, chance = move.partition("=")
        action = game.parse_move(state, 0, text)
        game.step(state, [action], chance=[chance or None])


def seen(game: Game, state: TinyState, name: str, seat: int) -> Any:
    """Look at one field of a seat's observation."""
    return game.fields.get(game.observe(state, np.array([seat]))[0], name).tolist()


def many(state: TinyState, games: int) -> TinyState:
    """Repeat one game."""
    return state.take(np.zeros(games, int))


def assert_even(found: list[Any], outcomes: int) -> None:
    """Demand that so many outcomes come up about equally often."""
    times = Counter(found)
    assert len(times) == outcomes
    expected = len(found) / outcomes
    assert max(abs(n - expected) for n in times.values()) < 5 * expected**0.5


def test_a_game_from_start_to_stop() -> None:
    game = Game(cards=6)
    state = started(game, [3, 0, 5], first=1)
    assert state.pending.tolist() == [[True, True, True]]
    say(game, state, "bid:2", "bid:0", "bid:2")
    assert state.seat.tolist() == [2]  # 1 is first in turn order, then 2, then 0
    assert state.paid.tolist() == [[0, 0, 2]]
    say(game, state, "draw=4")
    assert state.seat.tolist() == [2]  # the same seat decides twice
    assert game.action_mask(state)[0].tolist() == [False] * 6 + [True, True]  # 4 is not over 5
    say(game, state, "give:1")
    assert state.given.tolist() == [[0, 4, 0]]
    say(game, state, "bid:0", "bid:1", "bid:0", "draw=2", "give:1")
    assert state.over.tolist() == [False]
    say(game, state, "bid:0", "bid:0", "bid:0", "stop")
    assert state.over.tolist() == [True]
    assert state.plies.tolist() == [14]
    assert state.seat.tolist() == [1]
    assert game.result(state) == {
        "rewards": [-0.5, 1.0, -0.5],
        "reason": "stop",
        "scores": [3, 5, 3],
    }


def test_a_higher_card_may_be_kept_and_the_pile_ends_the_game() -> None:
    game = Game(cards=4)
    state = started(game, [1, 0, 3], first=0)
    say(game, state, "bid:1", "bid:0", "bid:1", "draw=2")
    assert [game.move_text(state, 0, action) for action in (5, 6, 7)] == [
        "give:0",
        "give:1",
        "give:2",
    ]
    say(game, state, "give:0")
    assert game.result(state)["reason"] == "pile"
    assert game.result(state)["scores"] == [2, 0, 3]


@pytest.mark.parametrize(
    ("secrets", "moves", "rewards"),
    [
        ([2, 1, 0], ["bid:1", "bid:0", "bid:0", "stop"], [0.25, 0.25, -0.5]),
        ([2, 1, 0], ["bid:0", "bid:0", "bid:0", "stop"], [1.0, -0.5, -0.5]),
        ([2, 3, 1], ["bid:0", "bid:0", "bid:0", "draw=0", "give:1"], [-0.5, 1.0, -0.5]),
        ([1, 3, 2], ["bid:0", "bid:2", "bid:0", "draw=0", "give:0"], [-0.5, -0.5, 1.0]),
    ],
)
def test_rewards(secrets: list[int], moves: list[str], rewards: list[float]) -> None:
    state = started(game := Game(cards=4), secrets, first=0)
    say(game, state, *moves)
    assert state.over.tolist() == [True]
    assert state.rewards.tolist() == [rewards]


def test_all_three_may_share_the_win() -> None:
    game = Game(cards=6)
    state = started(game, [2, 4, 0], first=1)
    say(game, state, "bid:0", "bid:2", "bid:0", "draw=1", "give:2")  # 2, 2, 1
    say(game, state, "bid:0", "bid:0", "bid:0", "draw=3", "give:2")  # 2, 2, 4
    say(game, state, "bid:0", "bid:0", "bid:2", "stop")
    assert state.rewards.tolist() == [[0.0, 0.0, 0.0]]


def test_observations_turn_with_the_seat() -> None:
    game = Game(cards=6)
    state = started(game, [3, 0, 5], first=1)
    say(game, state, "bid:2", "bid:1")
    assert [seen(game, state, "own_bid", seat) for seat in range(3)] == [
        [0, 0, 1],
        [0, 1, 0],
        [0, 0, 0],
    ]
    assert not np.any([seen(game, state, "bids", seat) for seat in range(3)])
    assert seen(game, state, "pending", 0) == [0, 0, 1]
    assert seen(game, state, "pending", 1) == [0, 1, 0]
    assert seen(game, state, "first", 2) == [0, 0, 1]
    say(game, state, "bid:0", "draw=4")
    assert seen(game, state, "bids", 1) == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert seen(game, state, "paid", 2) == [0, 2, 0]
    assert seen(game, state, "secret", 2) == [0, 0, 0, 0, 0, 1]
    assert game.move_text(state, 0, 6) == "give:1"  # one seat on from the leader, seat 0
    say(game, state, "give:2")
    assert seen(game, state, "given", 1) == [0, 4, 0]
    assert seen(game, state, "table", 1) == [0] * 6
    assert seen(game, state, "drawn", 1) == [0, 0, 0, 0, 1, 0]
    assert not np.any(seen(game, state, "shown", 1))
    say(game, state, "bid:0", "bid:0", "bid:0", "stop")
    assert seen(game, state, "shown", 2)[0] == [0, 0, 0, 0, 0, 1]


def test_drawing() -> None:
    game = Game(cards=6)
    state = started(game, [3, 0, 5], first=1)
    say(game, state, "bid:2")
    assert game.text(state).splitlines() == [
        "bid, on the table: -",
        "  seat 0  bid ? paid 0 given 0 secret ?",
        "> seat 1* bid - paid 0 given 0 secret ?",
        "> seat 2  bid - paid 0 given 0 secret ?",
    ]
    say(game, state, "bid:0", "bid:0", "draw=4", "give:2", "bid:0", "bid:0", "bid:1", "stop")
    assert game.text(state).splitlines() == [
        "over, on the table: -",
        "  seat 0  bid 0 paid 2 given 0 secret 3",
        "  seat 1* bid 0 paid 0 given 0 secret 0",
        "  seat 2  bid 1 paid 1 given 4 secret 5",
    ]


@pytest.mark.parametrize("cards", [4, 6, 16])
def test_against_the_reference(cards: int) -> None:
    game = Game(cards=cards)
    seeds = np.arange(200)
    plain = [Reference(cards, **setup) for setup in game.setups(seeds)]
    state = game.deal(seeds)
    before = state.copy()

    def compare() -> None:
        masks = [game.action_mask(state, np.full(len(state), seat)) for seat in range(3)]
        for row, one in enumerate(plain):
            assert np.flatnonzero(state.pending[row]).tolist() == one.pending
            for seat in range(3):
                actions = np.flatnonzero(masks[seat][row]).tolist()
                texts = [game.move_text(state, row, action, seat) for action in actions]
                assert sorted(texts) == one.legal(seat)
            assert state.rewards[row].tolist() == one.rewards
            assert state.over[row] == one.over

    compare()
    for now, seats, actions in play(game, state, player_stream(seeds)):
        for row, one in enumerate(plain):
            if not one.over:
                action, seat = int(actions[row]), int(seats[row])
                text = game.move_text(before, row, action, seat)
                one.move(seat, text, game.chance_text(before, now, row, action))
        compare()
        before = now.copy()
    assert all(one.over for one in plain)
    for row, one in enumerate(plain):
        assert game.result(state, row)["scores"] == one.scores
    assert len({float(reward) for reward in state.rewards.ravel()}) >= 3
    assert len(np.unique(state.plies)) > 1


def test_deals_are_uniform() -> None:
    state = Game(cards=4).deal(np.arange(24_000))
    assert_even([tuple(row) for row in state.secrets.tolist()], 24)
    assert_even(state.first.tolist(), 3)


def test_draws_are_uniform_over_the_pile() -> None:
    game = Game(cards=6)
    state = started(game, [3, 0, 5], first=1)
    say(game, state, "bid:0", "bid:0", "bid:0")
    state = many(state, 9000)
    state.stream = game.deal(np.arange(9000)).stream
    game.step(state, np.full(9000, 3))
    assert_even(state.table.tolist(), 3)
    assert set(state.table.tolist()) == {1, 2, 4}


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_redeals_are_uniform_over_what_a_seat_does_not_know(seat: int) -> None:
    game = Game(cards=6)
    state = started(game, [3, 0, 5], first=1)
    say(game, state, "bid:0", "bid:0", "bid:0", "draw=4", "give:0", "bid:2", "bid:1")
    world = game.redeal(many(state, 12_000), np.full(12_000, seat), np.arange(12_000))
    own = [3, 0, 5][seat]
    others = [other for other in range(3) if other != seat]
    assert set(world.secrets[:, seat].tolist()) == {own}
    assert_even([tuple(row) for row in world.secrets[:, others].tolist()], 4 * 3)
    assert not (world.secrets == 4).any()  # that card was drawn
    sealed = [other for other in others if other != 2]  # seat 2 has not bid yet
    assert (world.bids[:, 2] == -1).all()
    assert_even([tuple(row) for row in world.bids[:, sealed].tolist()], 3 ** len(sealed))
    if seat != 2:
        assert set(world.bids[:, seat].tolist()) == {[2, 1][seat]}
    hidden = [(*a, *b) for a, b in zip(world.secrets.tolist(), world.bids.tolist(), strict=True)]
    assert_even(hidden, 12 * 3 ** len(sealed))


def test_redeal_of_a_finished_game_changes_the_stream_alone() -> None:
    game = Game(cards=6)
    state = started(game, [3, 0, 5], first=1)
    say(game, state, "bid:0", "bid:0", "bid:0", "stop")
    world = game.redeal(state, np.array([0]), [9])
    assert world.secrets.tolist() == [[3, 0, 5]]
    assert world.stream != state.stream


def test_agents_never_change_the_first_card() -> None:
    game = Game(cards=16)
    seeds = as_seeds(np.arange(100))
    cards = []
    for player in range(3):
        state, stream = game.deal(seeds), agent_stream(seeds, player)
        for _ in range(3):
            game.step(state, decide(RandomAgent(), game, state, stream))
        game.step(state, np.full(len(state), 3))
        cards.append(state.table.tolist())
    assert cards[0] == cards[1] == cards[2]
    assert len(set(cards[0])) > 10


@pytest.mark.parametrize("cards", [3, 17, -1, "6", 6.0, True, None, [6]])
def test_wrong_packs(cards: Any) -> None:
    with pytest.raises(InvalidConfig, match=r"cards: .*from 4 to 16"):
        Game(cards=cards)


@pytest.mark.parametrize(
    "setup",
    [
        {"secrets": [0, 1, 1], "first": 0},
        {"secrets": [0, 1, 6], "first": 0},
        {"secrets": [0, 1, -1], "first": 0},
        {"secrets": [0, 1, True], "first": 0},
        {"secrets": [0, 1], "first": 0},
        {"secrets": "012", "first": 0},
        {"secrets": [0, 1, 2], "first": 3},
        {"secrets": [0, 1, 2], "first": False},
        {"secrets": [0, 1, 2]},
        {"secrets": [0, 1, 2], "first": 0, 3: 4},
    ],
)
def test_wrong_set_ups(setup: dict[str, Any]) -> None:
    right = {"secrets": [0, 1, 2], "first": 0}
    with pytest.raises(InvalidSetup, match="game 1: "):
        Game(cards=6).from_setup([right, setup])
