"""A linear head over all actions that is calculated for the legal ones alone.

A head over A actions costs n × A products of vectors; where m actions are legal in n positions it
is m, forward, and as many for each of the two gradients backward.
"""

import warnings
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from chromazoo.agents.listing import Listing

with warnings.catch_warnings(action="ignore"):  # torch says once a process that these are in beta
    torch.empty((1, 1), layout=torch.sparse_csr)


def legal_logits(latent: Tensor, weight: Tensor, bias: Tensor, listing: Listing) -> Tensor:
    """Calculate `latent @ weight.T + bias` at the legal actions.

    Args:
        latent: (n, k), a row for each position.
        weight: (A, k), a row for each action.
        bias: (A,).
        listing: The legal actions, m in all.

    Returns:
        (m,), in the order of the listing, with gradients.
    """
    logits: Tensor = _LegalLogits.apply(latent, weight, bias, listing)  # type: ignore[no-untyped-call]
    return logits


class _LegalLogits(torch.autograd.Function):
    """The products of rows of two tables, chosen by a listing.

    With G the sparse (n, A) gradient of the logits, the gradients are G @ weight and G.T @ latent:
    weighted sums of rows, position by position and action by action, which is what a bag of
    embeddings is.
    """

    @staticmethod
    def forward(ctx: Any, latent: Tensor, weight: Tensor, bias: Tensor, listing: Listing) -> Tensor:
        """Multiply the rows."""
        ctx.save_for_backward(latent, weight)
        ctx.listing = listing
        actions = torch.from_numpy(listing.actions)
        zeros = latent.new_zeros(len(actions))
        pattern = torch.sparse_csr_tensor(
            torch.from_numpy(np.append(listing.starts, len(actions))),
            actions,
            zeros,
            (len(latent), len(weight)),
            check_invariants=False,
        )
        product = torch.sparse.sampled_addmm(pattern, latent, weight.t(), beta=0)
        logits: Tensor = product.values()
        return logits.add_(bias.index_select(0, actions))

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        """Add the rows up, each as often as its gradient says."""
        latent, weight = ctx.saved_tensors
        listing: Listing = ctx.listing
        actions, starts = torch.from_numpy(listing.actions), torch.from_numpy(listing.starts)
        latent_grad = _weighted_sums(weight, actions, starts, grad)
        order = torch.from_numpy(listing.by_action)
        ends = np.bincount(listing.actions, minlength=len(weight)).cumsum()
        firsts = torch.from_numpy(np.concatenate([[0], ends[:-1]]))
        rows = torch.from_numpy(listing.rows).index_select(0, order)
        weight_grad = _weighted_sums(latent, rows, firsts, grad.index_select(0, order))
        bias_grad = np.bincount(listing.actions, grad.numpy(), len(weight))
        return latent_grad, weight_grad, torch.from_numpy(bias_grad).to(grad.dtype), None


def _weighted_sums(table: Tensor, rows: Tensor, firsts: Tensor, weights: Tensor) -> Tensor:
    """Add rows of a table up in bags.

    Args:
        table: (r, k).
        rows: int64 (m,), which rows.
        firsts: int64 (bags,), where each bag begins; it ends where the next begins.
        weights: (m,), how much of each row.

    Returns:
        (bags, k), zeros for an empty bag.
    """
    sums: Tensor = F.embedding_bag(rows, table, firsts, mode="sum", per_sample_weights=weights)
    return sums
