"""The PPO agent, and where it finds its policy."""

import os
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from chromazoo.agents.agent import Decision
from chromazoo.agents.listing import Listing
from chromazoo.agents.network import Network
from chromazoo.agents.policy_files import parse_policy
from chromazoo.agents.policy_heads import POLICY_FILE, policy_head, read_policy
from chromazoo.agents.shipped import find_shipped
from chromazoo.envs.errors import InvalidFile, UnknownName
from chromazoo.envs.game import Game
from chromazoo.envs.randomness import uniform


class PPOAgent:
    """Plays by a policy network, sampling from its distribution over the legal actions.

    One number is drawn from each game's stream and looked up in the cumulated probabilities. A game
    plays out the same in any batch as far as rounding lets it: products of matrices may differ in
    their last bits with the number of rows, which can change an action only where the number drawn
    falls within that difference of a border; so `load_ppo` gives networks in float64.
    """

    wants_states = False

    def __init__(
        self,
        network: Network,
        *,
        greedy: bool = False,
        name: str = "ppo",
        source: str = "",
        unfinished: bool = False,
    ) -> None:
        """Play by a network.

        Args:
            network: The network; it is not copied.
            greedy: Whether to take the likeliest action, the first of equals, and draw nothing.
            name: What tables call the agent.
            source: Where the policy is from, to be told.
            unfinished: Whether it is of a run that has not come to its end.
        """
        self.network = network
        self.game = network.game
        self.greedy = greedy
        self.name = name
        self.source = source
        self.unfinished = unfinished

    def __repr__(self) -> str:
        """Tell what it plays, how, and where its policy is from."""
        weights = sum(tensor.numel() for tensor in self.network.parameters())
        parts = [
            f"PPOAgent {self.name!r} for {self.game!r}",
            f"{self.network.kind} network of {weights:,} weights",
            "takes the likeliest action" if self.greedy else "draws its actions",
            *([self.source] if self.source else []),
        ]
        return f"<{'; '.join(parts)}>"

    @property
    def team(self) -> Hashable:
        """What agents have in common that decide together; see `TeamPlayer`."""
        # One network describes for all, and what it tells may depend on its sizes.
        architecture = tuple(sorted(self.network.architecture.items()))
        return architecture, self.network.scale.dtype, self.greedy

    def act(self, decision: Decision) -> NDArray[np.int64]:
        """Choose; see `Agent.act`."""
        return self.act_together([self], decision, np.array([len(decision.seats)]))

    def probabilities(self, decision: Decision) -> NDArray[np.float64]:
        """Tell the distribution over the legal actions, or the likeliest one if greedy.

        See `Candid.probabilities`.
        """
        listing, table = self._table([self], decision, np.array([len(decision.seats)]))
        if self.greedy:
            table = np.arange(table.shape[1]) == table.argmax(axis=1)[:, None]
        shares = table / table.sum(axis=1, keepdims=True, dtype=np.float64)
        found = np.zeros((len(decision.seats), listing.num_actions))
        found[listing.rows, listing.actions] = shares[
            listing.rows, np.arange(len(listing.rows)) - listing.starts[listing.rows]
        ]
        return found

    def act_together(
        self, agents: Sequence["PPOAgent"], decision: Decision, counts: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose for some agents, for which games are described once; see `TeamPlayer`."""
        listing, probabilities = self._table(agents, decision, counts)
        if self.greedy:
            chosen = probabilities.argmax(axis=1)
        else:
            chosen = sample_actions(probabilities, uniform(decision.stream))
        actions: NDArray[np.int64] = listing.actions[listing.starts + chosen]
        return actions

    @torch.inference_mode()
    def _table(
        self, agents: Sequence["PPOAgent"], decision: Decision, counts: NDArray[np.int64]
    ) -> tuple[Listing, NDArray[np.floating]]:
        """Judge decisions: the legal actions, and their probabilities laid out in rows."""
        listing = Listing.of_words(decision.game.packing, decision.legal)
        description = self.network.describe(decision.observation, listing)
        ends = counts.cumsum()
        logits = [
            agent.network.judge(description.cut(start, end))[0]
            for agent, start, end in zip(agents, ends - counts, ends, strict=True)
        ]
        shares, _ = listing.softmax(torch.cat(logits).numpy())
        return listing, listing.pad(shares)  # (games, legal actions)


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


def load_ppo(game: Game[Any], path_text: str = "") -> PPOAgent:
    """Load an agent from a policy file or a training folder.

    Args:
        game: What it is to play.
        path_text: The file or folder; of a training folder, the finished policy, or that of the
            newest checkpoint where the run is not finished or goes on. With `?greedy` behind it the
            agent takes the likeliest action. Empty for the policy that is shipped for the game.

    Returns:
        The agent, which calculates in float64.

    Raises:
        UnknownName: no policy is shipped for this config.
        InvalidFile: the file is missing, damaged or of another game, version or layout.
    """
    name, _, manner = path_text.partition("?")
    if manner not in ("", "greedy"):
        raise UnknownName(f"agent ppo:{path_text}: after ? only greedy is known, not {manner!r}")
    path, unfinished = _policy_path(Path(name)) if name else (find_shipped(game), False)
    content = read_policy(path)
    network = parse_policy(game, content, str(path))
    return PPOAgent(
        network.double(),
        greedy=manner == "greedy",
        source=f"{path} of {_steps(content, path):,} steps",
        unfinished=unfinished,
    )


def _policy_path(path: Path) -> tuple[Path, bool]:
    """Find the newest policy file of a training folder; whether its run is unfinished."""
    if not os.path.isdir(path):  # false, unlike Path.is_dir, of names that cannot be
        return path, False
    found = sorted((path / "checkpoints").glob(f"step-*/{POLICY_FILE}"))[-1:]
    if os.path.exists(path / POLICY_FILE):  # false, unlike Path.exists, of what may not be seen
        found.append(path / POLICY_FILE)
    if not found:
        run = os.path.exists(path / "settings.json")
        raise InvalidFile(
            f"{path}: no policy yet; its run has not come to its first checkpoint"
            if run
            else f"{path}: no {POLICY_FILE} in it, and no checkpoint"
        )
    if len(found) == 2:  # a finished run; if it goes on, its checkpoints are newer
        found.sort(key=lambda file: (_steps(read_policy(file), file), file == path / POLICY_FILE))
    return found[-1], found[-1] != path / POLICY_FILE


def _steps(content: bytes, path: Path) -> int:
    """Read how many steps a policy was trained."""
    steps: int = policy_head(content, str(path))["steps"]
    return steps
