"""The PPO agent, and the files in which policies are kept.

A policy file is one safetensors file: the weights, and in its header some JSON that says what they
are for. Nothing in it is ever executed.
"""

import hashlib
import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from chromazoo.agents.agent import Decision
from chromazoo.agents.listing import Listing
from chromazoo.agents.network import Network, build_network
from chromazoo.envs.errors import InvalidConfig, InvalidFile, UnknownName
from chromazoo.envs.fields import Observation
from chromazoo.envs.game import Game
from chromazoo.envs.options import option_text
from chromazoo.envs.randomness import uniform

FORMAT = "chromazoo-policy/1"
POLICY_FILE = "policy.safetensors"
SHIPPED = Path(__file__).parent / "policies"

_HEADER = "chromazoo"
_ENTRIES = {
    "game": str, "version": int, "digest": str, "config": dict, "architecture": dict,
    "steps": int, "sha256": str,
}  # fmt: skip


class PPOAgent:
    """Plays by a policy network, sampling from its distribution over the legal actions.

    One number is drawn from each game's stream and looked up in the cumulated probabilities. A game
    plays out the same in any batch as far as rounding lets it: products of matrices may differ in
    their last bits with the number of rows, which can change an action only where the number drawn
    falls within that difference of a border; so `load_ppo` gives networks in float64.
    """

    wants_states = False

    def __init__(self, network: Network, *, greedy: bool = False, name: str = "ppo") -> None:
        """Play by a network.

        Args:
            network: The network; it is not copied.
            greedy: Whether to take the likeliest action, the first of equals, and draw nothing.
            name: What tables call the agent.
        """
        self.network = network
        self.game = network.game
        self.greedy = greedy
        self.name = name

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        listing = Listing.of_words(decision.game.packing, decision.legal)
        probabilities = listing.pad(
            action_probabilities(self.network, decision.observation, listing)
        )  # (games, legal actions)
        if self.greedy:
            chosen = probabilities.argmax(axis=1)
        else:
            chosen = sample_actions(probabilities, uniform(decision.stream))
        actions: NDArray[np.int64] = listing.actions[listing.starts + chosen]
        return actions


@torch.inference_mode()
def action_probabilities(
    network: Network, observation: Observation, listing: Listing
) -> NDArray[np.floating]:
    """Ask a network how likely it is to take each legal action.

    Args:
        network: The network.
        observation: uint8 (n, F).
        listing: The legal actions, m in all.

    Returns:
        (m,) in the dtype of the network.
    """
    logits, _ = network.judge(network.describe(observation, listing))
    return listing.softmax(logits.numpy())[0]


def sample_actions(
    probabilities: NDArray[np.floating], uniforms: NDArray[np.floating]
) -> NDArray[np.int64]:
    """Draw an action of each row by inverting its cumulated probabilities.

    Args:
        probabilities: (n, A), not negative, with a positive sum in each row.
        uniforms: (n,), numbers from [0, 1).

    Returns:
        int64 (n,); never an action of probability zero.

    >>> sample_actions(np.array([[0.0, 0.5, 0.0, 0.5]] * 3), np.array([0.0, 0.49, 0.5])).tolist()
    [1, 1, 3]
    """
    cumulated = probabilities.cumsum(axis=1)
    beyond = cumulated > (uniforms * cumulated[:, -1])[:, None]  # (games, actions)
    actions: NDArray[np.int64] = beyond.argmax(axis=1)
    missed = np.flatnonzero(~beyond[:, -1])  # the product was rounded up to the sum itself
    if len(missed):
        backwards = probabilities[missed, ::-1] > 0
        actions[missed] = probabilities.shape[1] - 1 - backwards.argmax(axis=1)
    return actions


# Files


def dump_policy(network: Network, game: Game[Any], steps: int) -> bytes:
    """Write a policy as the bytes of a policy file.

    Args:
        network: Its network.
        game: The game for which it was trained.
        steps: How many steps it was trained.

    Returns:
        The same bytes for the same weights.
    """
    weights = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    head = {
        "format": FORMAT,
        "game": game.id,
        "version": game.version,
        "digest": game.digest,
        "config": game.options,
        "architecture": network.architecture,
        "steps": steps,
        "sha256": _checksum(weights),
    }
    return save(weights, metadata={_HEADER: json.dumps(head)})


def parse_policy(game: Game[Any], content: bytes, name: str = "policy") -> Network:
    """Read a policy from the bytes of a policy file.

    Args:
        game: What it is to play. It must have the layouts of observations and actions for which
            the policy was trained; other options may differ.
        content: What `dump_policy` wrote.
        name: What to call it in errors.

    Returns:
        The network, in float32.

    Raises:
        InvalidFile: damaged, no policy, or of another game, version or layout.
    """
    head = policy_head(content, name)
    weights = _weights(content, name)
    if head["sha256"] != _checksum(weights):
        raise InvalidFile(f"{name}: damaged (the weights do not have their checksum)")
    _check_fits(game, head, name)
    try:
        network = build_network(game, head["architecture"])
        network.load_state_dict(weights)
    except (InvalidConfig, RuntimeError) as error:
        raise InvalidFile(f"{name}: weights do not fit their network ({_line(error)})") from None
    if not all(tensor.isfinite().all() for tensor in weights.values()):
        raise InvalidFile(f"{name}: some weights are no finite numbers")
    return network.eval().requires_grad_(False)


def policy_head(content: bytes, name: str = "policy") -> dict[str, Any]:
    """Read what a policy file says of itself.

    Args:
        content: The bytes of the file.
        name: What to call it in errors.

    Returns:
        `format`, `game`, `version`, `digest`, `config`, `architecture`, `steps` and `sha256`.

    Raises:
        InvalidFile: damaged, or no policy.
    """
    # A safetensors file begins with the length of its header, eight bytes, and the header, in JSON.
    length = int.from_bytes(content[:8], "little")
    try:
        head = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][_HEADER])
        if head["format"] != FORMAT:
            raise ValueError(f"its format is {head['format']!r}, not {FORMAT!r}")
        for entry, kind in _ENTRIES.items():
            if type(head[entry]) is not kind:
                raise ValueError(f"its {entry} is {head[entry]!r:.80}")
    except KeyError as error:
        raise InvalidFile(f"{name}: not a policy file, or damaged (no {error})") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidFile(f"{name}: not a policy file, or damaged ({error})") from None
    return cast(dict[str, Any], head)


def _weights(content: bytes, name: str) -> dict[str, Tensor]:
    """Read the tensors of a policy file, all of which must be float32."""
    try:
        weights = load(content)
    except (SafetensorError, KeyError, ValueError, TypeError, RuntimeError) as error:
        raise InvalidFile(f"{name}: damaged ({_line(error)})") from None
    for key, tensor in weights.items():
        if tensor.dtype != torch.float32:
            raise InvalidFile(f"{name}: weights are float32, but {key} is {tensor.dtype}")
    return weights


def load_ppo(game: Game[Any], path_text: str = "") -> PPOAgent:
    """Load an agent from a policy file or a training folder.

    Args:
        game: What it is to play.
        path_text: The file or folder; of a training folder, the finished policy or else that of
            the newest checkpoint. With `?greedy` behind it the agent takes the likeliest action.
            Empty for the policy that is shipped for the game.

    Returns:
        The agent, which calculates in float64.

    Raises:
        UnknownName: no policy is shipped for this config.
        InvalidFile: the file is missing, damaged or of another game, version or layout.
    """
    name, _, manner = path_text.partition("?")
    if manner not in ("", "greedy"):
        raise UnknownName(f"agent ppo:{path_text}: after ? only greedy is known, not {manner!r}")
    path = _policy_path(Path(name)) if name else _shipped(game)
    network = parse_policy(game, _content(path), str(path))
    return PPOAgent(network.double(), greedy=manner == "greedy")


def _policy_path(path: Path) -> Path:
    """Find the policy file of a training folder."""
    if not os.path.isdir(path):  # false, unlike Path.is_dir, of names that cannot be
        return path
    if (path / POLICY_FILE).exists():
        return path / POLICY_FILE
    checkpoints = sorted((path / "checkpoints").glob(f"step-*/{POLICY_FILE}"))
    if not checkpoints:
        raise InvalidFile(f"{path}: no {POLICY_FILE} in it, and no checkpoint")
    return checkpoints[-1]


def _content(path: Path) -> bytes:
    """Read a file."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # a ValueError where the name holds a null byte
        reason = getattr(error, "strerror", None) or error
        raise InvalidFile(f"{path}: cannot be read ({reason})") from None


def _shipped(game: Game[Any]) -> Path:
    """Find the policy shipped for a game's config."""
    for path in sorted((SHIPPED / game.id).glob("*.safetensors")):
        if policy_head(_content(path), str(path))["config"] == game.options:
            return path
    raise UnknownName(f"no policy is shipped for {game!r}; train one and name its folder: ppo:PATH")


def _check_fits(game: Game[Any], head: Mapping[str, Any], name: str) -> None:
    """Refuse a policy of another game, version or layout."""
    if (head["game"], head["version"]) != (game.id, game.version):
        raise InvalidFile(
            f"{name}: a policy for {head['game']} v{head['version']},"
            f" not for {game.id} v{game.version}"
        )
    if head["digest"] == game.digest:
        return
    own, theirs = game.options, head["config"]
    other = [option for option in own if theirs.get(option) != own[option]]
    if other:
        listed = [
            ", ".join(f"{option}={options.get(option)!s:.80}" for option in other)
            for options in (theirs, own)
        ]
        sets = [shlex.quote(f"{option}={option_text(theirs.get(option)):.80}") for option in other]
        fix = " ".join(f"--set {text}" for text in sets)
        why = f"it was trained with {listed[0]}, this game has {listed[1]} (at a shell: {fix})"
    else:
        why = f"their digest is {head['digest']:.80}, that of this game {game.digest}"
    raise InvalidFile(f"{name}: its observations or actions are others; {why}")


def _line(error: Exception) -> str:
    """Return the first line of what an error says."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _checksum(weights: Mapping[str, Tensor]) -> str:
    """Hash names, shapes, dtypes and values of all weights."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        tensor = weights[name].contiguous()
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        digest.update(tensor.flatten().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
