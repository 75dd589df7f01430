"""The head for legal actions alone, compared with one over all actions."""

import numpy as np
import pytest
import torch

from chromazoo.agents.legal_head import legal_logits
from chromazoo.agents.listing import Listing


def masks(positions: int, actions: int) -> np.ndarray:
    """Few legal actions in some positions, all or one in others; the last actions never."""
    generator = np.random.default_rng(1)
    found = generator.random((positions, actions)) < generator.random((positions, 1)) ** 2
    found[0], found[1] = True, False
    found[np.arange(positions), generator.integers(0, actions // 2, positions)] = True
    found[:, -3:] = False
    return found


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("positions", "actions", "width"), [(40, 90, 7), (2, 70_000, 3)])
def test_logits_and_gradients_are_those_of_all_actions(
    dtype: torch.dtype, positions: int, actions: int, width: int
) -> None:
    generator = torch.Generator().manual_seed(2)
    shapes = (positions, width), (actions, width), (actions,)
    inputs = [torch.randn(shape, generator=generator, dtype=dtype) for shape in shapes]
    ours, theirs = ([each.clone().requires_grad_() for each in inputs] for _ in range(2))
    listing = Listing.of_mask(masks(positions, actions))
    found = legal_logits(*ours, listing)
    whole = torch.nn.functional.linear(*theirs)
    wanted = whole.flatten().index_select(0, torch.from_numpy(listing.places))
    torch.testing.assert_close(found, wanted)
    pull = torch.randn(found.shape, generator=generator, dtype=dtype)
    (found * pull).sum().backward()
    (wanted * pull).sum().backward()
    for one, other in zip(ours, theirs, strict=True):
        assert one.grad is not None
        assert other.grad is not None
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-4)
    assert ours[1].grad is not None
    assert not ours[1].grad[-3:].any()
    with torch.inference_mode():
        assert (legal_logits(*inputs, listing) == found).all()


def test_a_position_has_the_same_logits_in_any_batch() -> None:
    inputs = [torch.randn(shape) for shape in ((64, 16), (500, 16), (500,))]
    listing = Listing.of_mask(masks(64, 500))
    together = legal_logits(*inputs, listing)
    rows = np.array([3, 60, 5])
    part, entries = listing.take(rows)
    alone = legal_logits(inputs[0][rows], inputs[1], inputs[2], part)
    assert (alone == together[torch.from_numpy(entries)]).all()
