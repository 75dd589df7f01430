"""The fast learner, compared with sb3-contrib's on the same rollouts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback, EvalCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecMonitor

from chromazoo.agents.agent import RandomAgent
from chromazoo.agents.listing import Listing
from chromazoo.agents.network import build_network
from chromazoo.envs.errors import IllegalAction, InvalidArgument
from chromazoo.training.buffer import Batch, SelfPlayRolloutBuffer
from chromazoo.training.distribution import LegalCategorical
from chromazoo.training.policy import NetworkPolicy
from chromazoo.training.ppo import SelfPlayPPO
from chromazoo.training.selfplay import SelfPlayVecEnv
from tests.games import EXAMPLES

COMMON: dict[str, Any] = {
    "n_steps": 16,
    "batch_size": 48,
    "n_epochs": 3,
    "learning_rate": 1e-2,
    "ent_coef": 0.02,
    "gamma": 0.98,
    "gae_lambda": 0.9,
}


class StockPolicy(NetworkPolicy):
    """The same network behind the methods of sb3-contrib."""

    forward = MaskableActorCriticPolicy.forward
    evaluate_actions = MaskableActorCriticPolicy.evaluate_actions
    _predict = MaskableActorCriticPolicy._predict


def environment(name: str = "tiny", rows: int = 8, **options: Any) -> SelfPlayVecEnv:
    return SelfPlayVecEnv(EXAMPLES[name], rows, [RandomAgent()], seed=4, **options)


def policy_kwargs(name: str = "tiny") -> dict[str, Any]:
    return {"game": EXAMPLES[name], "architecture": {"kind": "mlp", "width": 24, "depth": 2}}


def learner(env: SelfPlayVecEnv, name: str = "tiny", **changes: Any) -> SelfPlayPPO:
    model = SelfPlayPPO(env, seed=3, policy_kwargs=policy_kwargs(name), **{**COMMON, **changes})
    model.set_logger(Logger(None, []))
    return model


def stock_learner(env: SelfPlayVecEnv, name: str, **changes: Any) -> MaskablePPO:
    kwargs = {**policy_kwargs(name), "seed": 3}
    model = MaskablePPO(
        StockPolicy, env, policy_kwargs=kwargs, device="cpu", **{**COMMON, **changes}
    )
    model.set_logger(Logger(None, []))
    return model


def random_masks(rows: int, actions: int) -> NDArray[np.bool_]:
    generator = np.random.default_rng(5)
    masks = generator.random((rows, actions)) < 0.2
    masks[np.arange(rows), generator.integers(actions, size=rows)] = True
    return masks


def test_log_probabilities_entropies_and_gradients_are_stock() -> None:
    masks = torch.from_numpy(random_masks(64, 50))
    generator = torch.Generator().manual_seed(1)
    values = 5 * torch.randn(64, 50, generator=generator)
    actions = (values * masks).argmax(1) * 0 + masks.float().argmax(1)
    weights = torch.randn(2, 64, generator=generator)
    ours, stock = values.clone().requires_grad_(), values.clone().requires_grad_()

    listing = Listing.of_mask(masks.numpy())
    legal = ours.flatten().index_select(0, torch.from_numpy(listing.places))
    found = LegalCategorical(legal, listing).evaluate(actions)
    distribution = MaskableCategoricalDistribution(50).proba_distribution(stock)
    distribution.apply_masking(masks)
    wanted = distribution.log_prob(actions), distribution.entropy()
    for one, two, weight in zip(found, wanted, weights, strict=True):
        torch.testing.assert_close(one, two)
        (one * weight).sum().backward(retain_graph=True)
        (two * weight).sum().backward(retain_graph=True)
    assert ours.grad is not None
    torch.testing.assert_close(ours.grad, stock.grad)
    assert ours.grad.abs().sum() > 1
    assert not ours.grad[~masks].any()


def test_extreme_logits_stay_finite() -> None:
    logits = torch.tensor([[1e6, -1e6, 0.0], [0.0, 0.0, 0.0]], requires_grad=True)
    masks = torch.tensor([[True, True, False], [False, False, True]])
    listing = Listing.of_mask(masks.numpy())
    legal = logits.flatten().index_select(0, torch.from_numpy(listing.places))
    log_prob, entropy = LegalCategorical(legal, listing).evaluate(torch.tensor([0, 2]))
    (log_prob.sum() + entropy.sum()).backward()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()
    assert log_prob.tolist() == [0, 0]
    assert entropy.tolist() == [0, 0]


def test_actions_that_are_not_legal_are_not_judged() -> None:
    listing = Listing.of_mask(np.array([[True, True, False], [False, False, True]]))
    for actions in ([2, 2], [0, 1], [0, 9]):
        with pytest.raises(InvalidArgument, match="not legal"):
            LegalCategorical(torch.zeros(3), listing).evaluate(torch.tensor(actions))
    with pytest.raises(InvalidArgument, match="row 1"):
        Listing.of_mask(np.array([[True, False], [False, False]]))


def test_sampling_follows_the_probabilities() -> None:
    policy = learner(environment()).policy
    observations = torch.zeros(20_000, EXAMPLES["tiny"].num_features, dtype=torch.uint8)
    with torch.no_grad():
        policy.network.policy_head.bias.copy_(torch.arange(8) / 3)  # type: ignore[union-attr,operator]
    masks = np.zeros((20_000, 8), np.bool_)
    masks[:, [1, 4, 6, 7]] = True
    with torch.inference_mode():
        actions, _, log_probs = policy(observations, action_masks=masks)
    counts = np.bincount(actions.numpy(), minlength=8) / 20_000
    wanted = np.exp(np.arange(8) / 3) * masks[0]
    assert np.abs(counts - wanted / wanted.sum()).max() < 0.015
    for action in (1, 4, 6, 7):
        assert log_probs[actions == action][0].exp().item() == pytest.approx(
            wanted[action] / wanted.sum(), rel=0.05
        )
    best = policy(observations[:5], deterministic=True, action_masks=masks[:5])[0]
    assert best.tolist() == [7] * 5


@pytest.mark.parametrize(
    ("name", "changes"),
    [("tiny", {}), ("baby", {}), ("tiny", {"clip_range_vf": 0.01}), ("tiny", {"target_kl": 1e-3})],
)
def test_a_whole_update_is_stock(name: str, changes: dict[str, Any]) -> None:
    ours = learner(environment(name), name, **changes)
    stock = stock_learner(environment(name), name, **changes)
    for model in (ours, stock):
        model._setup_learn(1, None)
    _, callback = ours._setup_learn(1, None)
    ours.collect_rollouts(ours.env, callback, ours.rollout_buffer, 16)  # type: ignore[arg-type]
    theirs = stock.rollout_buffer
    for array in (
        "observations", "actions", "rewards", "episode_starts", "values", "log_probs",
        "advantages", "returns", "action_masks",
    ):  # fmt: skip
        own = getattr(ours.rollout_buffer, array)
        getattr(theirs, array)[:] = own
    assert ours.rollout_buffer.action_masks.dtype == np.bool_
    assert ours.rollout_buffer.observations.dtype == np.uint8
    theirs.full = True
    before = {k: v.clone() for k, v in ours.policy.state_dict().items()}

    ours.rollout_buffer.generator = np.random.RandomState(11)  # type: ignore[attr-defined]
    np.random.seed(11)  # noqa: NPY002
    ours.train()
    stock.train()
    log, wanted = ours.logger.name_to_value, stock.logger.name_to_value
    assert set(wanted) == set(log)
    for figure, value in wanted.items():
        assert log[figure] == pytest.approx(value, rel=1e-4, abs=1e-6), figure
    other = stock.policy.state_dict()
    for key, tensor in ours.policy.state_dict().items():
        torch.testing.assert_close(tensor, other[key], rtol=1e-4, atol=1e-5)
        assert "scale" in key or (tensor != before[key]).any(), key


def test_collected_figures_are_those_of_stock() -> None:
    model = learner(environment("baby"), "baby", n_steps=32)
    next(iter(model.updates(1)))
    buffer: Any = model.rollout_buffer
    plain = MaskableRolloutBuffer(
        32, model.observation_space, model.action_space, "cpu", 0.9, 0.98, n_envs=8
    )
    for array in ("rewards", "episode_starts", "values"):
        getattr(plain, array)[:] = getattr(buffer, array)
    last = model._last_obs
    policy = learner(environment("baby"), "baby").policy  # the weights before the update
    with torch.no_grad():
        values = policy.predict_values(torch.from_numpy(last))  # type: ignore[arg-type]
        again, logs, _ = policy.evaluate_actions(
            torch.from_numpy(buffer.observations.reshape(256, -1)),
            torch.from_numpy(buffer.actions.reshape(256)),
            torch.from_numpy(buffer.action_masks.reshape(256, -1)),
        )
    plain.compute_returns_and_advantage(values, np.asarray(model._last_episode_starts))
    np.testing.assert_allclose(plain.advantages, buffer.advantages, atol=1e-6)
    np.testing.assert_allclose(again, buffer.values.reshape(256), atol=1e-6)
    np.testing.assert_allclose(logs, buffer.log_probs.reshape(256), atol=1e-5)
    assert (buffer.rewards != 0).any()
    assert buffer.action_masks.reshape(256, -1)[np.arange(256), buffer.actions.reshape(256)].all()


def test_batches_are_those_of_the_stock_buffer() -> None:
    env = environment()
    spaces = env.observation_space, env.action_space
    ours = SelfPlayRolloutBuffer(6, *spaces, "cpu", n_envs=8, generator=np.random.RandomState(2))
    stock = MaskableRolloutBuffer(6, *spaces, "cpu", n_envs=8)
    generator = np.random.default_rng(0)
    for buffer in (ours, stock):
        buffer.full = True
    for name in ("observations", "actions", "values", "log_probs", "advantages", "returns"):
        drawn = generator.integers(0, 2, getattr(ours, name).shape)
        getattr(ours, name)[:] = drawn
        getattr(stock, name)[:] = drawn
    ours.action_masks[:] = stock.action_masks[:] = random_masks(48, 8).reshape(6, 8, 8)
    network = build_network(EXAMPLES["tiny"], {"kind": "mlp"})
    for seen, mask in zip(ours.observations, ours.action_masks, strict=True):
        ours.descriptions.append(network.describe(seen, Listing.of_mask(mask)))
    np.random.seed(2)  # noqa: NPY002
    for size in (None, 20):
        for one, two in zip(ours.get(size), stock.get(size), strict=True):
            listing = Listing.of_mask(two.action_masks.numpy() > 0)
            assert (one.description.positions == two.observations.numpy()).all()
            assert (one.description.listing.places == listing.places).all()
            assert (one.description.listing.counts == listing.counts).all()
            for name in Batch._fields[1:]:
                assert (getattr(one, name) == getattr(two, name).flatten()).all(), name


def test_truncated_games_are_bootstrapped() -> None:
    env = environment("baby-endless", max_plies=7)
    model = learner(env, "baby-endless", gamma=0.5, n_steps=20)
    with torch.no_grad():
        model.policy.network.value_head.bias.fill_(0.8)  # type: ignore[union-attr,operator]
        model.policy.network.value_head.weight.fill_(0.0)  # type: ignore[union-attr,operator]
    next(iter(model.updates(1)))
    rewards = model.rollout_buffer.rewards
    assert np.isclose(rewards, 0.4).any()
    assert np.isin(rewards, np.array([0.0, 0.4, 1.0, -1.0], np.float32)).all()


def test_no_global_generator_is_used() -> None:
    np.random.seed(1)  # noqa: NPY002
    torch.manual_seed(1)
    before = np.random.get_state()[1].tobytes(), torch.get_rng_state()  # type: ignore[index,union-attr]  # noqa: NPY002
    model = learner(environment("baby"), "baby")
    for _ in model.updates(300):
        pass
    after = np.random.get_state()[1].tobytes(), torch.get_rng_state()  # type: ignore[index,union-attr]  # noqa: NPY002
    assert before[0] == after[0]
    assert (before[1] == after[1]).all()


def test_a_loss_that_is_no_number_is_not_passed_over() -> None:
    model = learner(environment())
    updates = iter(model.updates(10_000))
    next(updates)
    with torch.no_grad():
        model.policy.network.value_head.bias.fill_(float("nan"))  # type: ignore[union-attr,operator]
    with pytest.raises(FloatingPointError, match="learning rate"):
        next(updates)


def test_use_masking_cannot_be_turned_off() -> None:
    with pytest.raises(ValueError, match="use_masking"):
        learner(environment()).learn(100, use_masking=False)


def test_learn_and_updates_train_alike() -> None:
    one, two = learner(environment()), learner(environment())
    one.learn(300)
    for _ in two.updates(300):
        pass
    assert one.num_timesteps == two.num_timesteps == 384
    states = one.policy.state_dict(), two.policy.state_dict()
    assert all((states[0][key] == states[1][key]).all() for key in states[0])


class Seen(BaseCallback):
    """Notes what a callback may rely on."""

    names: frozenset[str] = frozenset()

    def _on_step(self) -> bool:
        self.names = frozenset(self.locals)
        assert self.locals["new_obs"].shape == self.locals["self"]._last_obs.shape
        assert (self.locals["new_obs"] != self.locals["self"]._last_obs).any()
        return True


def test_callbacks_find_what_stock_gives_them() -> None:
    ours, theirs = Seen(), Seen()
    learner(environment()).learn(16, callback=ours)
    stock_learner(environment(), "tiny").learn(16, callback=theirs)
    wanted = {"new_obs", "rewards", "dones", "infos", "actions", "values", "log_probs"}
    wanted |= {"action_masks", "env", "rollout_buffer", "n_rollout_steps"}
    assert wanted <= theirs.names
    assert wanted <= ours.names


def test_a_monitor_tells_of_the_episodes() -> None:
    env = VecMonitor(environment())
    model = SelfPlayPPO(env, seed=3, policy_kwargs=policy_kwargs(), **COMMON)
    model.learn(300)
    assert model.ep_info_buffer
    assert {-1.0, 1.0} & {episode["r"] for episode in model.ep_info_buffer}
    plain = learner(environment())
    plain.learn(300)
    states = model.policy.state_dict(), plain.policy.state_dict()
    assert all((states[0][key] == states[1][key]).all() for key in states[0])


class OneByOne(SelfPlayVecEnv):
    """Tells masks as other vector environments do."""

    action_masks: Any = None


def test_masks_come_from_any_vector_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    one = learner(OneByOne(EXAMPLES["tiny"], 8, [RandomAgent()], seed=4))
    two = learner(environment())
    for model in (one, two):
        if model is two:
            monkeypatch.delattr(SelfPlayVecEnv, "env_method")
        model.learn(128)
    states = one.policy.state_dict(), two.policy.state_dict()
    assert all((states[0][key] == states[1][key]).all() for key in states[0])


def test_pickles_are_refused(tmp_path: Path) -> None:
    model = learner(environment())
    path = str(tmp_path / "model.zip")
    for call in (model.save, SelfPlayPPO.load, model.policy.save, NetworkPolicy.load):
        with pytest.raises(InvalidArgument, match=r"chromazoo\.agents\.(policy_files|ppo)\b"):
            call(path)
    assert not list(tmp_path.iterdir())


def test_early_stopping_by_divergence() -> None:
    model = learner(environment(), target_kl=1e-9)
    for _ in model.updates(300):
        pass
    assert model._n_updates == 3, "one epoch an update, broken off"


def test_stock_maskable_ppo_learns_in_the_environment() -> None:
    model = MaskablePPO("MlpPolicy", environment("baby"), n_steps=16, batch_size=64, n_epochs=1)
    model.learn(300)
    assert model.num_timesteps == 384


def test_the_masked_callback_keeps_masks_and_the_plain_one_is_found_out() -> None:
    # sb3-contrib #142 and #226: an evaluation that forgets the masks plays illegal moves unseen.
    # Here every illegal move raises.
    model = learner(environment("baby"), "baby")
    masked = MaskableEvalCallback(
        environment("baby", 2), eval_freq=16, n_eval_episodes=4, verbose=0, warn=False
    )
    model.learn(128, callback=masked)
    assert -1 <= masked.last_mean_reward <= 1
    plain = EvalCallback(
        environment("baby", 2), eval_freq=16, n_eval_episodes=4, verbose=0, warn=False
    )
    with pytest.raises(IllegalAction):
        model.learn(128, callback=plain)
