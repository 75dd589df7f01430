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
from chromazoo.agents.policy_heads import POLICY_FILE, read_policy
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
            likeliest = table.argmax(axis=1)
            table = (np.arange(table.shape[1]) == likeliest[:, None]).astype(np.float64)
        found = np.zeros((len(decision.seats), listing.num_actions))
        found[listing.rows, listing.actions] = table[
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
    path = _policy_path(Path(name)) if name else find_shipped(game)
    network = parse_policy(game, read_policy(path), str(path))
    return PPOAgent(network.double(), greedy=manner == "greedy")


def _policy_path(path: Path) -> Path:
    """Find the policy file of a training folder."""
    if not os.path.isdir(path):  # false, unlike Path.is_dir, of names that cannot be
        return path
    if os.path.exists(path / POLICY_FILE):  # false, unlike Path.exists, of what may not be seen
        return path / POLICY_FILE
    checkpoints = sorted((path / "checkpoints").glob(f"step-*/{POLICY_FILE}"))
    if not checkpoints:
        raise InvalidFile(f"{path}: no {POLICY_FILE} in it, and no checkpoint")
    return checkpoints[-1]
