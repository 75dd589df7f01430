"""Listings of legal actions, compared with masks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from chromazoo.agents.listing import Listing
from chromazoo.envs.errors import InvalidArgument
from tests.games import EXAMPLES

MASKS = arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=9)).filter(
    lambda mask: mask.any(axis=1).all()
)


def mask_of(listing: Listing) -> NDArray[np.bool_]:
    """The mask that a listing was made of."""
    mask = np.zeros((len(listing.counts), listing.num_actions), np.bool_)
    mask[listing.rows, listing.actions] = True
    return mask


@given(MASKS)
def test_a_listing_holds_what_the_mask_allows(mask: NDArray[np.bool_]) -> None:
    listing = Listing.of_mask(mask)
    rows, actions = np.nonzero(mask)
    assert (listing.rows == rows).all()
    assert (listing.actions == actions).all()
    assert (listing.counts == mask.sum(axis=1)).all()
    assert (listing.rows[listing.starts] == np.arange(len(mask))).all()


@pytest.mark.parametrize("name", ["tiny", "baby", "chroma-4"])
def test_packed_legal_sets_are_listed_as_their_masks_are(name: str) -> None:
    game = EXAMPLES[name]
    state = game.deal(range(20))
    listing = Listing.of_words(game.packing, game.legal(state))
    assert (listing.places == Listing.of_mask(game.action_mask(state)).places).all()
    assert listing.num_actions == game.num_actions


@given(MASKS, st.data())
def test_positions_are_taken_and_joined(mask: NDArray[np.bool_], data: st.DataObject) -> None:
    listing = Listing.of_mask(mask)
    chosen = np.array(data.draw(st.lists(st.integers(0, len(mask) - 1), min_size=1)))
    taken, entries = listing.take(chosen)
    assert (mask_of(taken) == mask[chosen]).all()
    assert (listing.actions[entries] == taken.actions).all()
    assert (listing.rows[entries] == chosen[taken.rows]).all()
    assert (mask_of(Listing.joined([listing, taken])) == np.vstack([mask, mask[chosen]])).all()


@given(MASKS, st.data())
def test_positions_are_cut_out(mask: NDArray[np.bool_], data: st.DataObject) -> None:
    listing = Listing.of_mask(mask)
    start, end = sorted(data.draw(st.integers(0, len(mask))) for _ in range(2))
    part, entries = listing.cut(start, end)
    assert (mask_of(part) == mask[start:end]).all()
    assert (listing.actions[entries] == part.actions).all()
    assert (listing.rows[entries] == start + part.rows).all()


@given(MASKS, st.data())
def test_softmax_is_that_over_the_legal_actions(
    mask: NDArray[np.bool_], data: st.DataObject
) -> None:
    listing = Listing.of_mask(mask)
    number = st.floats(-700, 700)
    logits = data.draw(arrays(np.float64, len(listing.places), elements=number))
    probabilities, logs = listing.softmax(logits)
    table = np.zeros(mask.shape)
    table[mask] = probabilities
    np.testing.assert_allclose(table.sum(axis=1), 1)
    for row, allowed in enumerate(mask):
        own = logits[listing.rows == row]
        wanted = np.exp(own - own.max())
        np.testing.assert_allclose(table[row, allowed], wanted / wanted.sum(), atol=1e-15)
    np.testing.assert_allclose(np.exp(logs), probabilities, atol=1e-15)
    padded = listing.pad(probabilities)
    assert (padded.sum(axis=1).round(9) == 1).all()
    assert padded.shape == (len(mask), mask.sum(axis=1).max())


@given(MASKS)
def test_actions_are_found(mask: NDArray[np.bool_]) -> None:
    listing = Listing.of_mask(mask)
    last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    assert (listing.actions[listing.find(last)] == last).all()
    if not mask.all():
        row = int(np.flatnonzero(~mask.all(axis=1))[0])
        last[row] = mask[row].argmin()
        with pytest.raises(InvalidArgument, match="not legal"):
            listing.find(last)


def test_rows_without_actions_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="row 1"):
        Listing.of_mask(np.array([[True], [False]]))
