"""Policy files: weights as safetensors, and in their header some JSON that says what they are for.

A file may be a stranger's. Nothing in it is executed, and nothing is made on its word alone: a
network gets no memory before the file has shown weights for all of it.
"""

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, deserialize
from safetensors.torch import save
from torch import Tensor
from torch.overrides import TorchFunctionMode

from chromazoo.agents.network import Network, build_network
from chromazoo.agents.policy_heads import FORMAT, HEADER, policy_head, trained_config
from chromazoo.envs.errors import InvalidConfig, InvalidFile
from chromazoo.envs.game import Game
from chromazoo.envs.options import option_text

_Entries = dict[str, dict[str, Any]]


def dump_policy(
    network: Network, game: Game[Any], steps: int, training: Mapping[str, Any] | None = None
) -> bytes:
    """Write a policy as the bytes of a policy file.

    Args:
        network: Its network.
        game: The game for which it was trained.
        steps: How many steps it was trained.
        training: What else is to be told of how it was made, in JSON types, such as `command`,
            `seed`, `versions` and `evaluation`.

    Returns:
        The same bytes for the same weights and words.
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
        "sha256": checksum(weights),
        "training": dict(training or {}),
    }
    return save(weights, metadata={HEADER: json.dumps(head, allow_nan=False)})


def parse_policy(game: Game[Any], content: bytes, name: str = "policy") -> Network:
    """Read a policy from the bytes of a policy file, which may be anything.

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
    entries = _entries(content, name)
    _check_fits(game, head, name)
    try:
        with _Hollow():
            network = build_network(game, head["architecture"])
    except InvalidConfig as error:
        raise InvalidFile(f"{name}: there is no such network ({error!s:.200})") from None
    _check_tensors(network, entries, name)
    weights = {key: _tensor(entry) for key, entry in entries.items()}
    if head["sha256"] != checksum(weights):
        raise InvalidFile(f"{name}: damaged (the weights do not have their checksum)")
    if not all(tensor.isfinite().all() for tensor in weights.values()):
        raise InvalidFile(f"{name}: some weights are no finite numbers")
    network.load_state_dict(weights, assign=True)
    return network.eval().requires_grad_(False)


def checksum(weights: Mapping[str, Tensor]) -> str:
    """Hash names, shapes, dtypes and values of all weights.

    Args:
        weights: Name -> tensor.

    Returns:
        The SHA-256, as hex digits.
    """
    digest = hashlib.sha256()
    for name in sorted(weights):
        tensor = weights[name].contiguous()
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        digest.update(tensor.flatten().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


class _Hollow(TorchFunctionMode):
    """Lets layers be made without memory for their weights, until weights take their places."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Put what is not to be filled nowhere."""
        where = {"device": "meta"} if func is torch.empty else {}
        return func(*args, **{**(kwargs or {}), **where})


def _entries(content: bytes, name: str) -> _Entries:
    """Read the tensors of a policy file: for each its `dtype`, `shape` and `data`."""
    try:
        return dict(deserialize(content))  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise InvalidFile(f"{name}: damaged ({error!s:.200})") from None


def _check_tensors(network: Network, entries: _Entries, name: str) -> None:
    """Refuse tensors that are not those of a network."""
    due = {key: list(tensor.shape) for key, tensor in network.state_dict().items()}
    for key in sorted(due.keys() ^ entries.keys()):
        which = "it lacks" if key in due else "there is none for"
        raise InvalidFile(f"{name}: weights do not fit their network ({which} {key!r:.80})")
    for key, entry in sorted(entries.items()):
        if entry["dtype"] != "F32":
            raise InvalidFile(f"{name}: weights are float32, but {key} is {entry['dtype']}")
        if entry["shape"] != due[key]:
            raise InvalidFile(
                f"{name}: weights do not fit their network"
                f" ({key} is {entry['shape']!s:.80}, not {due[key]})"
            )


def _tensor(entry: Mapping[str, Any]) -> Tensor:
    """Make a tensor of an entry, whose dtype is float32."""
    values = np.frombuffer(entry["data"], "<f4").astype(np.float32).reshape(entry["shape"])
    return torch.from_numpy(values)


def _check_fits(game: Game[Any], head: Mapping[str, Any], name: str) -> None:
    """Refuse a policy of another game, version or layout."""
    if (head["game"], head["version"]) != (game.id, game.version):
        raise InvalidFile(
            f"{name}: a policy for {head['game']:.80} v{head['version']},"
            f" not for {game.id} v{game.version}"
        )
    config = trained_config(game, head, name)
    if head["digest"] == game.digest:
        return
    own, theirs = asdict(game.config), asdict(config)
    other = [option for option in own if theirs[option] != own[option]]
    if other:
        listed = [
            ", ".join(f"{option}={options[option]!s:.80}" for option in other)
            for options in (theirs, own)
        ]
        sets = [shlex.quote(f"{option}={option_text(theirs[option]):.80}") for option in other]
        fix = " ".join(f"--set {text}" for text in sets)
        why = f"it was trained with {listed[0]}, this game has {listed[1]} (at a shell: {fix})"
    else:
        why = f"their digest is {head['digest']:.80}, that of this game {game.digest}"
    raise InvalidFile(f"{name}: its observations or actions are others; {why}")
