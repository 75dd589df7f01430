"""MaskablePPO made fast on a CPU: the same losses from fewer and cheaper steps.

The class of sb3-contrib is kept, and with it its callbacks and wrappers. What it works with has
rooms of its own: the policy (`policy.py`), its distributions (`distribution.py`) and the rollout
buffer (`buffer.py`).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor
from torch.nn import functional as F

from chromazoo.envs.errors import InvalidArgument
from chromazoo.training.buffer import Batch, SelfPlayRolloutBuffer
from chromazoo.training.policy import NetworkPolicy
from chromazoo.training.stopwatch import ENVIRONMENT, LEARNING, POLICY, Stopwatch


class SelfPlayPPO(MaskablePPO):
    """`MaskablePPO` on a `SelfPlayVecEnv`, with a `NetworkPolicy` and a `SelfPlayRolloutBuffer`.

    The losses, and what is done with them, are those of `MaskablePPO`. It runs on the CPU and
    always masks. `save` and `load` refuse, since their files are pickles; checkpoints and policy
    files keep what was learnt.

    Attributes:
        stopwatch: Tells how the time of `updates` divides.
    """

    policy: NetworkPolicy

    def __init__(
        self, env: VecEnv, *, seed: int = 0, policy_kwargs: dict[str, Any], **kwargs: Any
    ) -> None:
        """Set up the learner.

        Args:
            env: Where it learns, such as a `SelfPlayVecEnv`; it is not seeded here.
            seed: Seed of the first weights, the draws and the permutations.
            policy_kwargs: `game` and `architecture`; see `NetworkPolicy`.
            kwargs: What else `MaskablePPO` takes, but for `policy`, `device` and the class and the
                arguments of the rollout buffer.
        """
        self.stopwatch = Stopwatch()
        super().__init__(
            NetworkPolicy,
            env,
            policy_kwargs={**policy_kwargs, "seed": seed},
            rollout_buffer_class=SelfPlayRolloutBuffer,
            rollout_buffer_kwargs={"generator": np.random.default_rng([seed, 1])},
            device="cpu",
            **kwargs,
        )

    @property
    def generators(self) -> dict[str, np.random.Generator]:
        """The generators of the draws and of the permutations, by name."""
        buffer: Any = self.rollout_buffer
        return {"actions": self.policy.generator, "batches": buffer.generator}

    def updates(self, total_steps: int) -> Iterator[None]:
        """Train as `learn` does, step by step.

        Args:
            total_steps: The budget, with what was trained before; learning rates that fall reach
                their ends there.

        Yields:
            After every update.
        """
        _, callback = self._setup_learn(0, None, reset_num_timesteps=False)
        assert self.env is not None
        while self.num_timesteps < total_steps:
            with self.stopwatch.during(LEARNING):
                self.collect_rollouts(self.env, callback, self.rollout_buffer, self.n_steps)
                self._update_current_progress_remaining(self.num_timesteps, total_steps)
                self.train()
            yield

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Fill the buffer with the learner's decisions; see `MaskablePPO.collect_rollouts`.

        Raises:
            InvalidArgument: masks are turned off.
        """
        if not use_masking:
            raise InvalidArgument(
                "the games know legal and illegal actions: use_masking must be on"
            )
        assert isinstance(rollout_buffer, SelfPlayRolloutBuffer)
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        observations: Any = self._last_obs
        for _ in range(n_rollout_steps):
            with self.stopwatch.during(POLICY), torch.inference_mode():
                action_masks = _action_masks(env)
                description = self.policy.describe(torch.from_numpy(observations), action_masks)
                chosen, values, log_probs = self.policy.choose(description)
            actions = chosen.numpy()
            with self.stopwatch.during(ENVIRONMENT):
                new_obs, rewards, dones, infos = env.step(actions)
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            self._update_info_buffer(infos, dones)
            self._bootstrap(rewards, dones, infos)
            rollout_buffer.add(
                observations,
                actions,
                rewards,
                self._last_episode_starts,
                values,
                log_probs,
                action_masks=action_masks,
            )
            rollout_buffer.descriptions.append(description)
            observations = new_obs
            self._last_obs = observations
            self._last_episode_starts = dones
        with self.stopwatch.during(POLICY), torch.inference_mode():
            values = self.policy.predict_values(torch.from_numpy(observations))
        rollout_buffer.compute_returns_and_advantage(last_values=values, dones=dones)
        callback.on_rollout_end()
        return True

    def _bootstrap(
        self,
        rewards: NDArray[np.float32],
        dones: NDArray[np.bool_],
        infos: list[dict[str, Any]],
    ) -> None:
        """Add the discounted value of the last position to the rewards of truncated games."""
        rows = [row for row in np.flatnonzero(dones) if infos[row].get("TimeLimit.truncated")]
        if rows:
            last = np.stack([infos[row]["terminal_observation"] for row in rows])
            with torch.inference_mode():
                values = self.policy.predict_values(torch.from_numpy(last))
            rewards[rows] += self.gamma * values.numpy()

    def train(self) -> None:
        """Learn from the buffer; see `MaskablePPO.train`.

        Raises:
            FloatingPointError: the loss is no finite number.
        """
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        remaining = self._current_progress_remaining
        clip_range: float = self.clip_range(remaining)  # type: ignore[operator]
        value_range: float | None = None
        if self.clip_range_vf is not None:
            value_range = self.clip_range_vf(remaining)  # type: ignore[operator]
        buffer: Any = self.rollout_buffer
        figures: list[Tensor] = []
        loss = torch.zeros(())
        stop = False
        epoch = 0  # the figures before the latest epoch
        for _ in range(self.n_epochs):
            epoch = len(figures)
            for batch in buffer.get(self.batch_size):
                loss, measured = self._loss(batch, clip_range, value_range)
                figures.append(measured)
                if self.target_kl is not None and measured[_KL] > 1.5 * self.target_kl:
                    stop = True
                    break
                self.policy.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                self.policy.optimizer.step()
            self._n_updates += 1
            if stop:
                break
        kl = torch.stack(figures[epoch:])[:, _KL].mean().item()
        self._record(torch.stack(figures), kl, loss.item(), clip_range)
        if value_range is not None:
            self.logger.record("train/clip_range_vf", value_range)

    def _loss(
        self,
        batch: Batch,
        clip_range: float,
        value_range: float | None,
    ) -> tuple[Tensor, Tensor]:
        """Calculate the loss of one batch, and the figures that are logged: see `_FIGURES`."""
        values, log_prob, entropy = self.policy.evaluate(batch.description, batch.actions)
        advantages = batch.advantages
        if self.normalize_advantage:
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        log_ratio = log_prob - batch.old_log_prob
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
        policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
        if value_range is not None:
            moved = (values - batch.old_values).clamp(-value_range, value_range)
            values = batch.old_values + moved
        value_loss = F.mse_loss(batch.returns, values)
        entropy_loss = -entropy.mean()
        loss = policy_loss + self.ent_coef * entropy_loss + self.vf_coef * value_loss
        with torch.no_grad():
            if not loss.isfinite():
                raise FloatingPointError(
                    f"the loss is {loss.item()} after {self.num_timesteps} steps: "
                    "try a lower learning rate"
                )
            kl = (ratio - 1 - log_ratio).mean()
            clipped_share = ((ratio - 1).abs() > clip_range).float().mean()
            figures = torch.stack([entropy_loss, policy_loss, value_loss, kl, clipped_share])
        return loss, figures

    def _record(self, figures: Tensor, kl: float, loss: float, clip_range: float) -> None:
        """Log the figures of an update, (batches, figures), and the divergence at its end."""
        for name, value in zip(_FIGURES, figures.mean(0).tolist(), strict=True):
            self.logger.record(f"train/{name}", value)
        self.logger.record("train/approx_kl", kl)
        buffer = self.rollout_buffer
        explained = explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        self.logger.record("train/loss", loss)
        self.logger.record("train/explained_variance", float(explained))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", clip_range)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Refuse; see the class.

        Raises:
            InvalidArgument: always.
        """
        raise InvalidArgument(
            "a SelfPlayPPO is not saved as a pickle: chromazoo.agents.policy_files writes its"
            " policy, chromazoo.training.checkpoints all that a run needs"
        )

    @classmethod
    def load(cls, *args: Any, **kwargs: Any) -> Any:
        """Refuse; see the class.

        Raises:
            InvalidArgument: always.
        """
        raise InvalidArgument(
            "a SelfPlayPPO is not loaded from a pickle: chromazoo.agents.ppo.load_ppo reads"
            " policies, chromazoo.training.run.TrainingRun goes on from checkpoints"
        )


def _action_masks(env: VecEnv) -> NDArray[np.bool_]:
    """Ask for the legal actions, (N, A): all at once where the environment can tell them so."""
    own = getattr(env, "action_masks", None)
    masks: NDArray[np.bool_] = own() if own else np.stack(env.env_method("action_masks"))
    return masks


_FIGURES = ("entropy_loss", "policy_gradient_loss", "value_loss", "approx_kl", "clip_fraction")
_KL = _FIGURES.index("approx_kl")
