"""One training run: learner, games, opponents and metrics, and how to stop and go on."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.logger import Logger
from torch import Tensor

from chromazoo.agents.agent import RandomAgent
from chromazoo.agents.match import evaluate
from chromazoo.agents.policy_files import dump_policy, parse_policy
from chromazoo.agents.policy_heads import policy_head
from chromazoo.agents.ppo import PPOAgent
from chromazoo.envs.errors import ChromazooError, InvalidFile
from chromazoo.envs.randomness import as_seeds, mix
from chromazoo.training.checkpoints import (
    Checkpoint,
    newest_checkpoint,
    read_checkpoint,
    saved_steps,
    write_checkpoint,
)
from chromazoo.training.folder import CHECKPOINTS, METRICS, TENSORBOARD
from chromazoo.training.metrics import MetricsLog, Row, parse_rows
from chromazoo.training.opponents import OpponentPool, baselines
from chromazoo.training.origin import Budgets, origin, parse_budgets, with_budget
from chromazoo.training.ppo import SelfPlayPPO
from chromazoo.training.selfplay import SelfPlayVecEnv
from chromazoo.training.settings import Settings
from chromazoo.training.stopwatch import PARTS, shares, timed

CHECKPOINT_SECONDS = 180.0
"""After so many seconds a checkpoint is due, however few steps were trained; it changes nothing."""

_FIGURES = {
    "train/policy_gradient_loss": "policy_loss",
    "train/value_loss": "value_loss",
    "train/entropy_loss": "entropy_loss",
    "train/approx_kl": "approx_kl",
    "train/clip_fraction": "clip_fraction",
    "train/explained_variance": "explained_variance",
    "train/learning_rate": "learning_rate",
}


class TrainingRun:
    """A run in its folder. It goes on from the newest checkpoint that the folder holds.

    A run that is resumed does exactly what it would have done without the stop: all that is random
    comes from streams and generators that checkpoints keep, no global one is used, and every number
    is calculated in the same order.

    Attributes:
        settings: The settings.
        folder: The run's folder.
        game: The rules.
        model: The learner.
        metrics: What was measured so far.
    """

    def __init__(self, settings: Settings, folder: Path) -> None:
        """Set the run up, or take it up where its newest checkpoint left it.

        Args:
            settings: The settings.
            folder: The run's folder.

        Raises:
            InvalidFile: the newest checkpoint is damaged or does not fit the settings.
        """
        self.settings = settings
        self.folder = folder
        self.game = settings.make_game()
        torch.set_num_threads(settings.threads)
        self._environment = SelfPlayVecEnv(
            self.game,
            settings.ppo.num_envs,
            [RandomAgent()],
            seed=derived_seed(settings.seed, "play"),
            max_plies=settings.max_plies,
        )
        self.model = _learner(settings, self._environment)
        self._pool = OpponentPool(self.game, self.model.policy.network, settings.opponents)
        self._baselines = baselines(self.game)
        self._earlier = 0.0  # seconds spent before this start
        self._budgets: Budgets = []
        rows: list[Row] = []
        newest = newest_checkpoint(folder / CHECKPOINTS)
        if newest is not None:
            rows = self._restore(read_checkpoint(newest), newest)
        self._budgets = with_budget(self._budgets, self.steps, settings.steps)
        self._origin = origin(settings, self._budgets)
        self._set_opponents()
        self._started = self._saved_at = time.monotonic()
        self.metrics = MetricsLog(folder / METRICS, folder / TENSORBOARD, rows)

    @property
    def steps(self) -> int:
        """Steps trained so far."""
        return self.model.num_timesteps

    @property
    def seconds(self) -> float:
        """Seconds spent so far, those before stops too."""
        return self._earlier + time.monotonic() - self._started

    @property
    def time(self) -> dict[str, float]:
        """How the time of all updates so far divides: part -> share; all zero before the first."""
        rows = self.metrics.rows
        return shares({part: sum(row.get(_column(part), 0.0) for row in rows) for part in PARTS})

    def updates(self) -> Iterator[Row]:
        """Train to the end of the budget.

        Yields:
            The rows of the metrics: one with an evaluation before anything is learnt, then one
            after every update and all that was due then: an evaluation, a snapshot, a checkpoint.
        """
        if not self.steps:
            yield self._add({"steps": 0, **self._evaluate()})
        ppo, budget = self.settings.ppo, self.settings.steps
        entropy = _falling(ppo.entropy, ppo.final_entropy)
        before, clock = self.steps, time.monotonic()
        self.model.ent_coef = entropy(1 - before / budget)
        for _ in self.model.updates(budget):
            speed = (self.steps - before) / (time.monotonic() - clock)
            yield self._after_update(before, speed)
            before, clock = self.steps, time.monotonic()
            self.model.ent_coef = entropy(1 - before / budget)

    def policy(self, evaluation: Mapping[str, Any] | None = None) -> bytes:
        """Return the policy as the bytes of a policy file.

        Args:
            evaluation: How it was measured at the end, for its description.
        """
        measured = {} if evaluation is None else {"evaluation": evaluation}
        told = self._origin | measured
        return dump_policy(self.model.policy.network, self.game, self.steps, told)

    def save(self) -> None:
        """Write a checkpoint, unless there is one or nothing is trained; only between updates.

        Raises:
            OSError: it cannot be written.
        """
        checkpoints = self.folder / CHECKPOINTS
        if self.steps > saved_steps(checkpoints):
            write_checkpoint(checkpoints, self._checkpoint(), self.settings.checkpoints.keep)
        self._saved_at = time.monotonic()

    def _after_update(self, before: int, speed: float) -> Row:
        """Measure, and do what is due after an update that took `steps` on from `before`."""
        settings, steps = self.settings, self.steps

        def due(every: int) -> bool:
            return steps >= settings.steps or steps // every > before // every

        row = self._measure(speed, steps - before)
        if due(settings.evaluation.every):
            row |= self._evaluate()
        self._add(row)
        if due(settings.opponents.snapshot_every):
            self._pool.add_snapshot(steps)
        self._set_opponents()
        late = time.monotonic() - self._saved_at >= CHECKPOINT_SECONDS
        if late or due(settings.checkpoints.every):
            self.save()
        return row

    def _add(self, row: Row) -> Row:
        """Add a row to the metrics, with the time."""
        row["seconds"] = round(self.seconds, 3)
        self.metrics.add(row)
        return row

    def _measure(self, speed: float, trained: int) -> Row:
        """Collect the figures of an update of some steps; the pool learns how its games ended."""
        tallies = self._environment.tallies()
        self._environment.clear_tallies()
        row: Row = {"steps": self.steps, "steps_per_second": round(speed, 1)}
        for part, seconds in self.model.stopwatch.taken().items():
            row[_column(part)] = round(seconds, 4)
        figures = self.model.logger.name_to_value
        row |= {column: float(figures[name]) for name, column in _FIGURES.items()}
        met, _, _, decisions = tallies.sum(axis=0)  # every game has so many opponents' seats
        row["games"] = float(met / (self.game.num_seats - 1))
        if met:
            row["decisions_per_game"] = float(decisions / met)
        return row | self._pool.record(tallies, trained)

    def _set_opponents(self) -> None:
        """Let the environment draw from the pool as it is."""
        stopwatch = self.model.stopwatch
        agents = [timed(agent, stopwatch) for agent in self._pool.agents]
        self._environment.set_opponents(agents, self._pool.weights)

    def _evaluate(self) -> Row:
        """Play against the baselines: score and the ends of its interval for each."""
        table = evaluate(
            self.game,
            PPOAgent(self.model.policy.network),
            self._baselines,
            self.settings.evaluation.games,
            derived_seed(self.settings.seed, "measure"),
            self.settings.max_plies,
        )
        return {
            f"{name}_{figure}": result[figure]
            for name, result in table.items()
            for figure in ("score", "low", "high")
        }

    # Checkpoints

    def _checkpoint(self) -> Checkpoint:
        """Gather all that is needed to go on."""
        starts = np.asarray(self.model._last_episode_starts)
        return Checkpoint(
            steps=self.steps,
            policy=self.policy(),
            optimiser=_moments(self.model),
            opponents=self._pool.dump(),
            environment={**self._environment.dump(), "episode_starts": starts},
            progress={
                "updates": self.model._n_updates,
                "seconds": self.seconds,
                "budgets": self._budgets,
                "snapshots": self._pool.progress(),
                "generators": {
                    name: generator.bit_generator.state
                    for name, generator in self.model.generators.items()
                },
                "metrics": self.metrics.rows,
            },
        )

    def _restore(self, checkpoint: Checkpoint, name: Path) -> list[Row]:
        """Take over a checkpoint; return the rows of its metrics."""
        try:
            return self._take_over(checkpoint)
        except ChromazooError as error:
            reason = str(error)
        except KeyError as error:
            reason = f"no {error} in it"
        except (TypeError, ValueError, OverflowError) as error:
            reason = f"does not fit this run ({error})"
        raise InvalidFile(f"{name}: {reason}")

    def _take_over(self, checkpoint: Checkpoint) -> list[Row]:
        """Do what `_restore` does and let the errors through."""
        model, progress, steps = self.model, checkpoint.progress, checkpoint.steps
        network = parse_policy(self.game, checkpoint.policy)
        if network.architecture != model.policy.network.architecture:
            raise InvalidFile("another network than that of the settings")
        trained = policy_head(checkpoint.policy)["steps"]
        if trained != steps:
            raise InvalidFile(f"of {steps} steps, but its policy is of {trained}")
        model.policy.network.load_state_dict(network.state_dict())
        _set_moments(model, checkpoint.optimiser)
        self._pool.restore(checkpoint.opponents, progress["snapshots"])
        self._set_opponents()
        model._last_obs = self._environment.restore(checkpoint.environment)
        starts = checkpoint.environment["episode_starts"]
        if starts.dtype != np.bool_ or starts.shape != (self._environment.num_envs,):
            raise InvalidFile("environment: array 'episode_starts' is of another kind")
        model._last_episode_starts = starts
        for key, generator in model.generators.items():
            generator.bit_generator.state = progress["generators"][key]
        model.num_timesteps = steps
        model._n_updates = _checked(progress, "updates", int)
        self._earlier = float(_checked(progress, "seconds", float))
        self._budgets = parse_budgets(progress["budgets"])
        return parse_rows(progress["metrics"], steps)


def _column(part: str) -> str:
    """Name the column of the metrics that holds the seconds of a part."""
    return f"{part}_seconds"


def _checked(progress: Mapping[str, Any], name: str, kind: type[Any]) -> Any:
    """Return a number that a checkpoint keeps; it must be finite and not negative."""
    value = progress[name]
    if type(value) is not kind or not 0 <= value < math.inf:
        raise InvalidFile(f"{name}: {value!r:.80}")
    return value


def derived_seed(seed: int, purpose: str) -> int:
    """Derive a seed for one purpose, so that runs with neighbouring seeds share no games.

    Args:
        seed: The run's seed.
        purpose: What it is for, up to eight ASCII characters.

    Returns:
        The seed.
    """
    return int(mix(as_seeds(seed), int.from_bytes(purpose.encode(), "little"))[0])


def _falling(first: float, last: float) -> Callable[[float], float]:
    """Make a schedule: progress that remains, from 1 to 0 -> a value on a straight line.

    The last rollout may go beyond the budget; the value does not go beyond `last`.
    """
    return lambda remaining: last + (first - last) * max(0.0, remaining)


def _learner(settings: Settings, environment: SelfPlayVecEnv) -> SelfPlayPPO:
    """Set the learner up."""
    ppo = settings.ppo
    model = SelfPlayPPO(
        environment,
        seed=settings.seed,
        policy_kwargs={"game": environment.game, "architecture": settings.network},
        n_steps=ppo.rollout_steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.epochs,
        learning_rate=_falling(ppo.learning_rate, ppo.final_learning_rate),
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        vf_coef=ppo.value,
        max_grad_norm=ppo.max_grad_norm,
    )
    model.set_logger(Logger(None, []))
    return model


def _moments(model: SelfPlayPPO) -> dict[str, Tensor]:
    """Return Adam's counts and moments, `kind/parameter` -> tensor."""
    state = model.policy.optimizer.state
    return {
        f"{kind}/{name}": tensor
        for name, parameter in model.policy.network.named_parameters()
        for kind, tensor in state[parameter].items()
    }


def _set_moments(model: SelfPlayPPO, moments: Any) -> None:
    """Take over Adam's counts and moments.

    Raises:
        KeyError: one is missing.
        InvalidFile: one has the wrong shape or dtype.
    """
    state = model.policy.optimizer.state
    for name, parameter in model.policy.network.named_parameters():
        found = {kind: moments[f"{kind}/{name}"] for kind in ("step", "exp_avg", "exp_avg_sq")}
        shapes = {"step": (), "exp_avg": parameter.shape, "exp_avg_sq": parameter.shape}
        for kind, tensor in found.items():
            if tensor.shape != shapes[kind] or tensor.dtype != torch.float32:
                raise InvalidFile(f"optimiser: {kind} of {name} has another shape or dtype")
        state[parameter] = found
