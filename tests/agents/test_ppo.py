"""The PPO agent: networks, what it draws, and where it finds its policy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.agents.agent import Agent, RandomAgent, decide, make_decision
from chromazoo.agents.listing import Listing
from chromazoo.agents.match import play_games
from chromazoo.agents.network import NETWORKS, build_network
from chromazoo.agents.policy_files import dump_policy
from chromazoo.agents.ppo import PPOAgent, load_ppo, sample_actions
from chromazoo.envs.errors import ChromazooError, InvalidConfig, InvalidFile, UnknownName
from chromazoo.envs.files import write_atomic
from chromazoo.envs.randomness import agent_stream, as_seeds
from chromazoo.envs.registry import make_game
from tests.agents.networks import SMALL, network_for
from tests.games import CHROMA, EXAMPLES, GUARDIANS, KROMA

# Networks


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tiny", "mlp"),
        ("chroma-3", "mlp"),
        *((name, "kroma") for name in KROMA),
        *((name, "chroma") for name in CHROMA),
        *((name, "guardians") for name in GUARDIANS),
    ],
)
def test_networks_have_the_right_shapes_and_play_legally(name: str, kind: str) -> None:
    game = EXAMPLES[name]
    network = network_for(game, kind)
    logits, values = network(torch.zeros(5, game.num_features, dtype=torch.uint8))
    assert logits.shape == (5, game.num_actions)
    assert values.shape == (5,)
    agents: list[Agent] = [PPOAgent(network), *[RandomAgent()] * (game.num_seats - 1)]
    outcome = play_games(game, agents, range(6), max_plies=60)
    assert outcome.plies.min() > 0


def test_a_network_sees_entries_divided_by_their_highest_values() -> None:
    game = EXAMPLES["baby"]
    network = network_for(EXAMPLES["baby"], "mlp")
    highest = torch.from_numpy(game.fields.high)[None]
    assert network.scaled(highest).tolist() == [[1.0] * game.num_features]
    assert set(game.fields.high.tolist()) != {1}


def test_the_kroma_network_scores_a_move_by_its_origin_and_target() -> None:
    # Between the same two squares there is one move, so each pair of squares has one logit.
    game = EXAMPLES["basic-reversed"]
    network = network_for(EXAMPLES["basic-reversed"], "kroma")
    pairs = network.pairs.reshape(24, -1)  # type: ignore[operator]
    board: Any = game.board  # type: ignore[attr-defined]
    for reach in range(24):
        for square in range(board.squares):
            target = board.target[reach, square]
            if target >= 0:
                assert pairs[reach, square] == square * board.squares + target


def test_the_kroma_network_knows_where_pieces_get() -> None:
    game = make_game("kroma", size="basic")
    network: Any = build_network(game, {"kind": "kroma", **SMALL["kroma"]})
    rng = RandomAgent()
    state = game.deal(range(64))
    for _ in range(20):
        game.step(state, decide(rng, game, state, as_seeds(range(64))))
    live = np.flatnonzero(~state.over)
    state = state.take(live)
    seen = network.scaled(torch.from_numpy(game.observe(state)))
    squares = network._squares_of(seen).numpy()  # (n, squares, 7 colours)
    goals = squares[:, :, 20:24]
    own = squares[:, :, :4].sum(2)
    moves = game.action_mask(state)[:, : 24 * 24].reshape(len(live), 24, 24)
    board: Any = game.board  # type: ignore[attr-defined]
    wanted = np.zeros_like(goals)
    for reach, square in zip(*np.nonzero(board.target >= 0), strict=True):
        if reach < 16:
            wanted[:, board.target[reach, square], reach // 4] += moves[:, reach, square]
    free = own == 0  # moves onto own pieces are not legal
    assert (goals[free] == wanted[free]).all()
    assert wanted[free].any()


def test_building_and_drawing_weights_touch_no_global_generator() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, two = network_for(EXAMPLES["baby"], "kroma"), network_for(EXAMPLES["baby"], "kroma")
    assert (torch.get_rng_state() == before).all()
    assert all((a == b).all() for a, b in zip(one.parameters(), two.parameters(), strict=True))


def test_the_game_s_own_network_is_the_default() -> None:
    assert build_network(EXAMPLES["baby"], {}).kind == "kroma"
    assert build_network(EXAMPLES["chroma-6"], {}).kind == "chroma"
    assert build_network(EXAMPLES["tiny"], {}).kind == "mlp"


@pytest.mark.parametrize(
    ("architecture", "why"),
    [
        ({"kind": "cnn"}, "the kinds are"),
        ({"kind": "mlp", "size": 3}, "no size 'size'"),
        ({"kind": "mlp", "width": 0}, "width"),
        ({"kind": "mlp", "width": 10**9}, "width"),
        ({"kind": "mlp", "width": 4096, "depth": 2}, "weights, of at most 16,777,216"),
        ({"kind": "mlp", "depth": True}, "depth"),
        ({"kind": "mlp", "depth": 2.0}, "depth"),
        ({"kind": "kroma", "keys": "4"}, "keys"),
        ({"kind": "kroma"}, "plays kroma"),
        ({"kind": "chroma", "channels": 1.5}, "channels"),
        ({"kind": "chroma"}, "plays chroma"),
    ],
)
def test_bad_architectures_are_refused(architecture: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidConfig, match=why):
        build_network(EXAMPLES["tiny"], architecture)


# Sampling


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=6, max_size=6).filter(any), min_size=1),
    st.data(),
)
def test_sampled_actions_have_the_number_drawn_in_their_interval(
    counts: list[list[int]], data: st.DataObject
) -> None:
    probabilities = np.array(counts) / np.array(counts).sum(axis=1, keepdims=True)
    numbers = np.array(
        [data.draw(st.floats(0, 1, exclude_max=True)) for _ in counts], dtype=np.float64
    )
    for dtype in (np.float64, np.float32):
        actions = sample_actions(probabilities.astype(dtype), numbers)
        assert (probabilities[np.arange(len(counts)), actions] > 0).all()
        ends = probabilities.cumsum(axis=1)[np.arange(len(counts)), actions]
        begins = ends - probabilities[np.arange(len(counts)), actions]
        assert (begins - 1e-6 <= numbers).all()
        assert (numbers <= ends + 1e-6).all()


def test_sampling_never_falls_off_the_end() -> None:
    probabilities = np.array([[0.1, 0.2, 0.7 - 1e-9, 0.0]], np.float32)
    assert sample_actions(probabilities, np.array([1.0])).tolist() == [2]


def test_games_do_not_depend_on_the_batch() -> None:
    game = EXAMPLES["basic-short"]
    agent = PPOAgent(network_for(EXAMPLES["basic-short"], "kroma").double())
    whole = play_games(game, [agent, agent], range(40), batch=40)
    parts = play_games(game, [agent, agent], range(40), batch=7)
    assert (whole.plies == parts.plies).all()
    assert (whole.rewards == parts.rewards).all()


def test_greedy_takes_the_likeliest_action_and_draws_nothing() -> None:
    game = EXAMPLES["basic-short"]
    network = network_for(EXAMPLES["basic-short"], "kroma")
    state = game.deal(range(9))
    stream = agent_stream(as_seeds(range(9)), 0)
    before = stream.copy()
    actions = decide(PPOAgent(network, greedy=True), game, state, stream)
    listing = Listing.of_mask(game.action_mask(state))
    logits, _ = network.judge(network.describe(game.observe(state), listing))
    likeliest = listing.pad(listing.softmax(logits.numpy())[0]).argmax(axis=1)
    assert (actions == listing.actions[listing.starts + likeliest]).all()
    assert (stream == before).all()
    decide(PPOAgent(network), game, state, stream)
    assert (stream != before).all()


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("name", ["kroma", "chroma", "guardians"])
def test_probabilities_add_up_whatever_the_network_calculates_in(name: str, greedy: bool) -> None:
    game = EXAMPLES[name]
    state = game.deal(range(20))
    for network in (network_for(game), network_for(game).double()):
        agent = PPOAgent(network, greedy=greedy)
        decision = make_decision(agent, game, state, agent_stream(as_seeds(range(20)), 0))
        told = agent.probabilities(decision)
        assert told.dtype == np.float64
        assert told.sum(axis=1) == pytest.approx(1, abs=1e-12)
        assert not told[~decision.action_mask].any()
        assert (told.max(axis=1) == 1).all() == greedy
        if greedy:
            assert (told.argmax(axis=1) == agent.act(decision)).all()


# Files


def test_a_training_folder_stands_for_its_policy(tmp_path: Path) -> None:
    game = EXAMPLES["baby"]
    with pytest.raises(InvalidFile, match="no policy"):
        load_ppo(game, str(tmp_path))
    for step, seed in ((100, 1), (200, 2)):
        path = tmp_path / "checkpoints" / f"step-{step:012d}" / "policy.safetensors"
        path.parent.mkdir(parents=True)
        write_atomic(path, dump_policy(network_for(EXAMPLES["baby"], "mlp", seed=seed), game, step))
    newest = load_ppo(game, str(tmp_path)).network.state_dict()
    wanted = network_for(EXAMPLES["baby"], "mlp", seed=2).double().state_dict()
    assert all((newest[key] == wanted[key]).all() for key in wanted)
    for steps, newer in ((300, True), (200, True), (199, False)):  # a finished run, or it goes on
        content = dump_policy(network_for(EXAMPLES["baby"], "mlp", seed=3), game, steps)
        (tmp_path / "policy.safetensors").write_bytes(content)
        agent = load_ppo(game, str(tmp_path))
        found = agent.network.state_dict()
        assert any((found[key] != wanted[key]).any() for key in wanted) == newer
        assert agent.unfinished != newer
        assert f"policy.safetensors of {max(steps, 200)} steps" in agent.source


def test_a_run_without_a_policy_is_told(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(InvalidFile, match="no policy yet; its run has not come to its first check"):
        load_ppo(EXAMPLES["baby"], str(tmp_path))


def test_an_agent_says_what_it_is(tmp_path: Path) -> None:
    game = make_game("kroma", size="baby")
    network = network_for(game, "mlp")
    weights = sum(tensor.numel() for tensor in network.parameters())
    path = tmp_path / "mine.safetensors"
    path.write_bytes(dump_policy(network, game, 12345))
    assert repr(load_ppo(game, f"{path}?greedy")) == (
        f"<PPOAgent 'ppo' for kroma.Game(size='baby'); mlp network of {weights:,} weights;"
        f" takes the likeliest action; {path} of 12,345 steps>"
    )
    assert repr(PPOAgent(network, name="me")) == (
        f"<PPOAgent 'me' for kroma.Game(size='baby'); mlp network of {weights:,} weights;"
        " draws its actions>"
    )


def test_what_is_not_there_is_refused() -> None:
    game = EXAMPLES["tiny"]
    with pytest.raises(UnknownName, match="no policy is shipped"):
        load_ppo(game, "")
    with pytest.raises(UnknownName, match="only greedy"):
        load_ppo(game, "somewhere?best")
    with pytest.raises(InvalidFile, match="cannot be read"):
        load_ppo(game, "/nowhere/at/all")
    for name in ("/nope", "a\0b", "/dev/null/file", "x" * 5000):
        with pytest.raises(InvalidFile) as refused:
            load_ppo(game, name)
        assert "None" not in str(refused.value)
    assert issubclass(InvalidFile, ChromazooError)
    assert set(SMALL) == set(NETWORKS)
