"""The settings of a training run."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from chromazoo.agents.match import require_end
from chromazoo.agents.network import build_network
from chromazoo.envs.errors import InvalidConfig, InvalidFile
from chromazoo.envs.files import read_file
from chromazoo.envs.game import ENGINES, Game
from chromazoo.envs.options import check_choice
from chromazoo.envs.registry import make_game
from chromazoo.training.preset import LONGEST, load_preset

Number = TypeVar("Number", int, float)


LARGEST = 2**63 - 1


def _number(default: Number, low: float, high: float = LARGEST) -> Number:
    """Declare a setting that is a number within bounds, an integer unless its default is none."""
    return field(default=default, metadata={"bounds": (low, high)})


@dataclass(frozen=True)
class PPOSettings:
    """How the policy learns.

    Attributes:
        num_envs: Games played at once.
        rollout_steps: Decisions of the learner in each of them between updates.
        batch_size: Decisions in one step of the optimiser.
        epochs: How often an update goes through all decisions.
        learning_rate: Adam's learning rate at the start; it falls in a straight line.
        final_learning_rate: The same at the end.
        gamma: Discount of the reward for each decision of the learner.
        gae_lambda: Trade-off of bias and variance (generalised advantage estimation).
        clip_range: How far a probability may move, as a ratio, before its gradient is cut.
        entropy: Weight of the entropy at the start; it falls in a straight line.
        final_entropy: The same at the end.
        value: Weight of the value loss.
        max_grad_norm: The gradient's norm is cut to this.
    """

    num_envs: int = _number(512, 1, 65536)
    rollout_steps: int = _number(32, 1, 65536)
    batch_size: int = _number(2048, 2)
    epochs: int = _number(3, 1, 100)
    learning_rate: float = _number(2e-3, 0, 1)
    final_learning_rate: float = _number(2e-4, 0, 1)
    gamma: float = _number(0.997, 0, 1)
    gae_lambda: float = _number(0.9, 0, 1)
    clip_range: float = _number(0.2, 1e-6, 10)
    entropy: float = _number(0.01, 0, 10)
    final_entropy: float = _number(0.0, 0, 10)
    value: float = _number(0.5, 0, 100)
    max_grad_norm: float = _number(0.5, 1e-6, 1e6)

    def __post_init__(self) -> None:
        """Refuse values out of bounds."""
        _check_numbers(self, "ppo.")
        if self.num_envs * self.rollout_steps < 2:
            raise InvalidConfig("ppo: num_envs times rollout_steps is at least 2")
        if self.num_envs * self.rollout_steps % self.batch_size == 1:
            raise InvalidConfig("ppo.batch_size: it would leave a last batch of one decision")


@dataclass(frozen=True)
class OpponentSettings:
    """Who plays against the learner. The weights, up to a million, say how often, in proportion.

    Attributes:
        random: Weight of the random agent.
        heuristic: Weight of the game's heuristic; left out where there is none.
        current: Weight of the policy as it is.
        snapshots: Weight of all snapshots of past policies together.
        snapshot_every: Steps between snapshots; the first is the policy before it learnt anything.
        max_snapshots: How many are kept; from then on they lie evenly over the whole run.
        priority: How much oftener snapshots are drawn that the learner scores less against: with a
            score of s head to head, in proportion to 1 - s to this power. 0: all alike.
        even: The part of the snapshots' weight that they share evenly all the same.
        half_life: Steps after which a game counts half as much in those scores.
    """

    random: float = _number(0.05, 0, 1e6)
    heuristic: float = _number(0.1, 0, 1e6)
    current: float = _number(0.6, 0, 1e6)
    snapshots: float = _number(0.25, 0, 1e6)
    snapshot_every: int = _number(100_000, 1)
    max_snapshots: int = _number(8, 1, 1000)
    priority: float = _number(2.0, 0, 100)
    even: float = _number(0.2, 0, 1)
    half_life: int = _number(200_000, 1)

    def __post_init__(self) -> None:
        """Refuse values out of bounds."""
        _check_numbers(self, "opponents.")
        if self.random + self.current + self.snapshots <= 0:
            raise InvalidConfig("opponents: random, current or snapshots must have a weight")


@dataclass(frozen=True)
class EvaluationSettings:
    """How the policy is measured, against the random agent and the game's heuristic.

    Attributes:
        every: Steps between evaluations while it learns.
        games: Games of each of them against each opponent.
        final_games: Games of the evaluation at the end against each opponent.
    """

    every: int = _number(250_000, 1)
    games: int = _number(200, 16, 10_000_000)
    final_games: int = _number(2000, 16, 10_000_000)

    def __post_init__(self) -> None:
        """Refuse values out of bounds."""
        _check_numbers(self, "evaluation.")


@dataclass(frozen=True)
class CheckpointSettings:
    """When checkpoints are written.

    Attributes:
        every: Steps between checkpoints; there is always one at the end, when a run is stopped, and
            after some minutes.
        keep: How many of the newest are kept.
    """

    every: int = _number(250_000, 1)
    keep: int = _number(2, 1, 1000)

    def __post_init__(self) -> None:
        """Refuse values out of bounds."""
        _check_numbers(self, "checkpoints.")


@dataclass(frozen=True)
class Settings:
    """All that says what a training run does.

    Attributes:
        game: The game's name.
        options: The game's options; those not named have their defaults.
        steps: The budget: decisions of the learner in all games together. The last rollout is
            finished, so a run may take a few more.
        seed: All that is random follows from it.
        max_plies: Decisions of all seats after which a game is truncated, None for never.
        threads: Threads of torch; another number may round otherwise.
        engine: On what the game runs, of `ENGINES`; the policy is the same on all of them.
        network: `kind` and sizes of the policy network; see `build_network`.
        ppo: How the policy learns.
        opponents: Who plays against it.
        evaluation: How it is measured.
        checkpoints: When checkpoints are written.
    """

    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    steps: int = _number(10_000_000, 1)
    seed: int = _number(1, 0)
    max_plies: int | None = None
    threads: int = _number(2, 1, 1024)
    engine: str = ENGINES[0]
    network: Mapping[str, Any] = field(default_factory=dict)
    ppo: PPOSettings = field(default_factory=PPOSettings)
    opponents: OpponentSettings = field(default_factory=OpponentSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)

    def __post_init__(self) -> None:
        """Refuse values out of bounds, unknown games, and options and networks that do not fit."""
        _check_numbers(self, "")
        if not isinstance(self.game, str):
            raise InvalidConfig(f"game: a name, not {self.game!r:.80}")
        check_choice("engine", self.engine, ENGINES)
        if "engine" in self.options:
            raise InvalidConfig("options: the engine is no option of the game, but a setting")
        game = make_game(self.game, **self.options)  # whatever engines there are here
        build_network(game, self.network)
        require_end(game, self.max_plies)

    def make_game(self) -> Game[Any]:
        """Configure the game, on the engine of the settings.

        Raises:
            InvalidConfig: it cannot run on that engine here.
        """
        return make_game(self.game, engine=self.engine, **self.options)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings in JSON types; `from_dict` reads them."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Settings":
        """Read settings.

        Args:
            values: Names and values, sections as mappings of their own; those not named have their
                defaults.

        Raises:
            InvalidConfig: an unknown name or a wrong value.
            UnknownName: there is no such game.
        """
        given = dict(values)
        for name, section in _SECTIONS.items():
            if name in given:
                given[name] = _build(section, _mapping(given[name], name), f"{name}.")
        for name in ("options", "network"):
            if name in given:
                given[name] = dict(_mapping(given[name], name))
        return _build(cls, given, "")


_SECTIONS: dict[str, type[Any]] = {
    "ppo": PPOSettings,
    "opponents": OpponentSettings,
    "evaluation": EvaluationSettings,
    "checkpoints": CheckpointSettings,
}
S = TypeVar("S")


def _build(kind: type[S], values: Mapping[str, Any], prefix: str) -> S:
    """Make a dataclass of values; names that it lacks are refused."""
    known = [entry.name for entry in dataclasses.fields(kind)]  # type: ignore[arg-type]
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise InvalidConfig(f"no setting {prefix}{unknown[0]}; there are {', '.join(known)}")
    if "game" in known and "game" not in values:
        raise InvalidConfig("settings need a game")
    return kind(**values)


def _mapping(value: object, name: str) -> Mapping[str, Any]:
    """Refuse what is no mapping."""
    if not isinstance(value, Mapping):
        raise InvalidConfig(f"{name}: a table of names and values, not {value!r:.80}")
    return value


def _check_numbers(settings: Any, prefix: str) -> None:
    """Refuse numbers out of bounds or of the wrong kind; whole numbers may stand for fractions."""
    for entry in dataclasses.fields(settings):
        if "bounds" not in entry.metadata:
            continue
        value, (low, high) = getattr(settings, entry.name), entry.metadata["bounds"]
        whole = isinstance(entry.default, int)
        kinds = (int,) if whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
            what = "a whole number" if whole else "a number"
            beyond = isinstance(value, int) and value > high
            limit = f"from {low} to {high}" if beyond or high < LARGEST else f"from {low}"
            raise InvalidConfig(f"{prefix}{entry.name}: {what} {limit}, not {value!r:.80}")
        if not whole:
            object.__setattr__(settings, entry.name, float(value))


# Making and reading settings


def make_settings(
    game: str,
    preset: str | None = None,
    *,
    steps: int | None = None,
    seed: int | None = None,
    max_plies: int | None = None,
    engine: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Settings:
    """Make settings from a preset and what is to be different.

    Args:
        game: The game's name.
        preset: The name of a preset of that game, or the path of one; the defaults of `Settings` if
            not given.
        steps: Another budget.
        seed: Another seed.
        max_plies: Decisions after which a game is truncated; as the preset has it if not given.
        engine: On what the game runs; as the preset has it if not given.
        options: Options of the game, over those of the preset.

    Returns:
        The settings.

    Raises:
        UnknownName: there is no such game, or no such preset of it.
        InvalidConfig: the preset is for another game, or a value is wrong.
        InvalidFile: the preset cannot be read.

    >>> make_settings("kroma", "demo", options={"influence": "public"}).options
    {'size': 'basic', 'influence': 'public'}
    """
    values = load_preset(game, preset) if preset else {}
    if values.setdefault("game", game) != game:
        raise InvalidConfig(f"preset {preset} is for {values['game']}, not for {game}")
    values["options"] = {**_mapping(values.get("options", {}), "options"), **(options or {})}
    changes = {"steps": steps, "seed": seed, "max_plies": max_plies, "engine": engine}
    values.update({name: value for name, value in changes.items() if value is not None})
    return Settings.from_dict(values)


def read_settings(path: Path) -> Settings:
    """Read settings from the JSON file that a run keeps.

    Raises:
        InvalidFile: it cannot be read, or holds no settings.
    """
    try:
        values = json.loads(read_file(path, LONGEST))
        return Settings.from_dict(_mapping(values, "settings"))
    except InvalidFile:
        raise
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read ({error.strerror or error})") from None
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{path}: no settings of a training run ({error})") from None
