# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mathematical properties of encodings and attention, on random inputs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from posenc.reference import (
    add,
    alibi,
    block_sparse,
    bucketed_bias,
    causal,
    chunked,
    document,
    frequencies,
    global_tokens,
    padding,
    prefix,
    rotary,
    sinusoidal,
    tree,
    window,
)
from posenc.reference.attention import attention, error_scale, probabilities

LANES = st.sampled_from(["half", "interleaved"])
SIDES = st.sampled_from(["first", "last"])
SEEDS = st.integers(0, 2**32 - 1)


def draw(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def rotated(x: np.ndarray, positions, lanes: str, side: str = "first") -> np.ndarray:
    """`x` with 6 of its lanes rotated."""
    inv_freq, _ = frequencies.default(6, 10000)
    return rotary.rotary(x, np.asarray(positions), inv_freq, lanes=lanes, side=side)


@given(seed=SEEDS, lanes=LANES, side=SIDES, start=st.integers(0, 10**6))
def test_rotation_preserves_norms(seed: int, lanes: str, side: str, start: int) -> None:
    x = draw(seed, 1, 2, 3, 8)
    y = rotated(x, start + np.arange(3), lanes, side)
    np.testing.assert_allclose(np.linalg.norm(y, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-13)


@given(seed=SEEDS, lanes=LANES, side=SIDES)
def test_inverse_undoes_rotation(seed: int, lanes: str, side: str) -> None:
    x, inv_freq = draw(seed, 1, 2, 3, 8), frequencies.default(6, 10000)[0]
    placement = {"lanes": lanes, "side": side}
    y = rotary.rotary(x, np.arange(3), inv_freq, **placement)
    back = rotary.rotary(y, np.arange(3), inv_freq, inverse=True, **placement)
    np.testing.assert_allclose(back, x, atol=1e-14)


@given(seed=SEEDS, lanes=LANES, shift=st.integers(-1000, 1000))
def test_rotary_scores_are_relative(seed: int, lanes: str, shift: int) -> None:
    q, k = draw(seed, 2, 1, 1, 5, 8)
    positions = np.arange(5) + 1000
    scores, shifted = (
        rotated(q, p, lanes) @ np.swapaxes(rotated(k, p, lanes), -1, -2)
        for p in (positions, positions + shift)
    )
    np.testing.assert_allclose(shifted, scores, atol=1e-10)


@given(seed=SEEDS)
def test_lanes_differ_by_a_permutation(seed: int) -> None:
    """Lane i of half is lane (2i, then 2i + 1) of interleaved."""
    x = draw(seed, 1, 1, 4, 6)
    order = [0, 2, 4, 1, 3, 5]
    interleaved = rotated(x, np.arange(4), "interleaved")
    half = rotated(x[..., order], np.arange(4), "half")
    np.testing.assert_array_equal(interleaved[..., order], half)
    inv_freq, _ = frequencies.default(6, 10000)
    written = rotary.rotary(x, np.arange(4), inv_freq, lanes="interleaved", output_lanes="half")
    np.testing.assert_array_equal(written, half)


def test_rotate_takes_any_numbers() -> None:
    """Caches are factors, not angles: nothing is normalized."""
    x = np.array([2.0, 3.0]).reshape(1, 1, 1, 2)
    y = rotary.rotate(x, np.array([[5.0]]), np.array([[7.0]]), lanes="half")
    assert y.ravel().tolist() == [2 * 5 - 3 * 7, 2 * 7 + 3 * 5]


@given(factor=st.floats(0.25, 64), position=st.integers(0, 100000))
def test_linear_scaling_divides_positions(factor: float, position: int) -> None:
    plain, _ = frequencies.default(8, 10000)
    scaled, _ = frequencies.linear(8, 10000, factor)
    np.testing.assert_allclose(position * scaled, position / factor * plain, rtol=1e-14)


@given(shift=st.integers(0, 1000))
def test_sinusoidal_products_are_relative(shift: int) -> None:
    """The reason the paper gives for its sines and cosines."""
    tables = [
        sinusoidal.sinusoidal(np.arange(6) + start, 8, layout="interleaved", exponents="paper")
        for start in (0, shift)
    ]
    products = [table @ table.T for table in tables]
    np.testing.assert_allclose(products[0], products[1], atol=1e-11)


def test_layouts_are_permutations() -> None:
    interleaved, concatenated = (
        sinusoidal.sinusoidal(np.arange(5), 7, layout=layout, exponents="paper", odd="extra_sine")
        for layout in ("interleaved", "concatenated")
    )
    np.testing.assert_array_equal(interleaved[:, [0, 2, 4, 6, 1, 3, 5]], concatenated)


ENCODINGS = ("none", "sinusoidal", "rotary", "alibi", "bucketed")


def self_attention(x: np.ndarray, encoding: str) -> np.ndarray:
    """Attention of tokens x [1, 1, L, 8] over themselves, with one encoding."""
    length, q, bias = x.shape[2], x, None
    if encoding == "sinusoidal":
        table = sinusoidal.sinusoidal(np.arange(length), 8, layout="interleaved", exponents="paper")
        q = add.add(x[:, 0], table)[:, np.newaxis]
    elif encoding == "rotary":
        q = rotated(x, np.arange(length), "half")
    elif encoding == "alibi":
        bias = alibi.bias(alibi.slopes(1), length, length, offset=0, symmetric=True)
    elif encoding == "bucketed":
        bias = bucketed_bias.bias(
            np.arange(8.0)[:, np.newaxis],
            length,
            length,
            max_distance=16,
            bidirectional=True,
            offset=0,
        )
    return attention(q, q, x, bias=bias)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(seed=SEEDS, order=st.permutations(range(6)))
def test_only_an_encoding_sees_the_order(encoding: str, seed: int, order) -> None:
    """Without an encoding attention commutes with permutations of its tokens."""
    # A reversal keeps all distances.
    assume(list(order) not in ([*range(6)], [*range(5, -1, -1)]))
    x = draw(seed, 1, 1, 6, 8)
    permuted = self_attention(x[:, :, order], encoding)
    expected = self_attention(x, encoding)[:, :, order]
    commutes = np.allclose(permuted, expected, rtol=0, atol=1e-9)
    assert commutes == (encoding == "none")


@given(seed=SEEDS, shift=st.integers(-50, 50))
def test_alibi_is_invariant_to_a_shift(seed: int, shift: int) -> None:
    """slope * (j - i) and slope * j differ by a constant along a row."""
    q, k, v = draw(seed, 3, 1, 2, 5, 4)
    slopes = alibi.slopes(2)
    outputs = [
        attention(q, k, v, bias=alibi.bias(slopes, 5, 5, offset=offset, symmetric=False))
        for offset in (0, shift)
    ]
    np.testing.assert_allclose(outputs[0], outputs[1], atol=1e-12)


SIZES = st.tuples(st.integers(0, 9), st.integers(0, 9))
OFFSETS = st.integers(-9, 9)
DISTANCES = st.one_of(st.none(), st.integers(0, 9))


@given(sizes=SIZES, offset=OFFSETS, left=DISTANCES, right=DISTANCES)
def test_masks_intersect(sizes, offset: int, left, right) -> None:
    def keep(left, right) -> np.ndarray:
        return window.window(*sizes, left=left, right=right, offset=offset)

    assert keep(None, None).all()
    np.testing.assert_array_equal(keep(left, right), keep(left, None) & keep(None, right))
    np.testing.assert_array_equal(keep(None, 0), causal.causal(*sizes, offset=offset))


@given(sizes=SIZES, offset=OFFSETS, length=st.integers(0, 9))
def test_a_prefix_is_a_union(sizes, offset: int, length: int) -> None:
    queries, keys = sizes
    lengths = np.array([min(length, keys)])
    union = causal.causal(*sizes, offset=offset) | padding.padding(lengths, keys, side="right")
    np.testing.assert_array_equal(prefix.prefix(lengths, *sizes, offset=offset), union)
    # The tokens of the prefix are one block.
    query, key = (np.where(np.arange(n) < length, 0, -1)[np.newaxis] for n in sizes)
    blocks = prefix.blocks(query, key, offset=0)
    np.testing.assert_array_equal(
        blocks[0, 0, :length], prefix.prefix(lengths, *sizes, offset=0)[0, 0, :length]
    )


@given(sizes=SIZES, offset=OFFSETS, chunk=st.integers(1, 9), start=OFFSETS)
def test_chunks_are_documents(sizes, offset: int, chunk: int, start: int) -> None:
    queries, keys = sizes
    ids = [((np.arange(n) + first - start) // chunk)[np.newaxis] for n, first in
           ((queries, offset), (keys, 0))]  # fmt: skip
    keep = chunked.chunked(*sizes, chunk=chunk, offset=offset, starts=np.array([start]))
    np.testing.assert_array_equal(keep, document.document(*ids))


@given(sizes=SIZES, offset=OFFSETS, left=DISTANCES, dilation=st.integers(1, 4))
def test_a_dilated_window_is_one_of_every_few_keys(sizes, offset, left, dilation) -> None:
    keep = window.window(*sizes, left=left, right=0, offset=offset, dilation=dilation)
    for i, row in enumerate(keep):
        steps = range(sizes[1] if left is None else left + 1)
        seen = {i + offset - step * dilation for step in steps} & set(range(sizes[1]))
        if left is not None:
            assert set(np.flatnonzero(row).tolist()) == seen
        assert all((i + offset - j) % dilation == 0 for j in np.flatnonzero(row))


@given(seed=SEEDS, length=st.integers(1, 9))
def test_global_tokens_are_seen_as_they_see(seed: int, length: int) -> None:
    tokens = np.random.default_rng(seed).random((2, length)) < 0.3
    keep = global_tokens.global_tokens(tokens, tokens)
    np.testing.assert_array_equal(keep, keep.swapaxes(2, 3))
    np.testing.assert_array_equal(keep.all(axis=(1, 3)), tokens | tokens.all(axis=1)[:, None])


@given(length=st.integers(1, 9), cached=st.integers(0, 5))
def test_a_tree_of_one_branch_is_causal(length: int, cached: int) -> None:
    chain = tree.ancestors(np.arange(length) - 1)
    keep = tree.tree(chain[np.newaxis], np.array([cached]), cached + length)
    np.testing.assert_array_equal(
        keep[0, 0], causal.causal(length, cached + length, offset=cached)
    )


@given(seed=SEEDS, sizes=st.tuples(st.integers(1, 9), st.integers(1, 9)))
def test_blocks_of_one_are_any_mask(seed: int, sizes) -> None:
    mask = np.random.default_rng(seed).random((1, 2, *sizes)) < 0.5
    keep = block_sparse.block_sparse(mask, *sizes, query_block=1, key_block=1)
    np.testing.assert_array_equal(keep, mask)


@given(sizes=SIZES, offsets=st.lists(OFFSETS, min_size=1, max_size=3))
def test_offset_a_batch_entry(sizes, offsets: list[int]) -> None:
    batched = causal.causal(*sizes, offset=np.array(offsets))
    assert batched.shape == (len(offsets), 1, *sizes)
    for b, offset in enumerate(offsets):
        np.testing.assert_array_equal(batched[b, 0], causal.causal(*sizes, offset=offset))


@given(seed=SEEDS, lengths=st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_packed_documents_are_separate(seed: int, lengths: list[int]) -> None:
    """Packed attention with restarted positions is attention of each document."""
    total = sum(lengths)
    bounds = np.cumsum([0, *lengths])
    q, k, v = draw(seed, 3, 1, 2, total, 8)
    ids = document.ids_from_cumulative_lengths(bounds, total)[np.newaxis]
    positions = document.reset_positions(ids)
    mask = document.document(ids, ids) & causal.causal(total, total, offset=0)
    packed = attention(rotated(q, positions, "half"), rotated(k, positions, "half"), v, mask=mask)
    for start, stop in itertools.pairwise(bounds):
        part = np.s_[:, :, start:stop]
        own = np.arange(stop - start)
        alone = attention(
            rotated(q[part], own, "half"),
            rotated(k[part], own, "half"),
            v[part],
            mask=causal.causal(own.size, own.size, offset=0),
        )
        np.testing.assert_allclose(packed[part], alone, atol=1e-13)


@given(seed=SEEDS, kept=st.lists(st.booleans(), min_size=7, max_size=7))
def test_masking_is_removing(seed: int, kept: list[bool]) -> None:
    q, k, v = draw(seed, 3, 1, 2, 7, 4)
    mask = np.array(kept)
    masked = attention(q, k, v, mask=mask, return_logsumexp=True)
    removed = attention(q, k[:, :, mask], v[:, :, mask], return_logsumexp=True)
    by_bias = attention(q, k, v, bias=np.where(mask, 0.0, -np.inf), return_logsumexp=True)
    for a, b, c in zip(masked, removed, by_bias, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-13)
        np.testing.assert_array_equal(a, c)


@given(seed=SEEDS, split=st.integers(0, 7))
def test_parts_merge_by_logsumexp(seed: int, split: int) -> None:
    """What splitting keys over workers relies on."""
    q, k, v = draw(seed, 3, 1, 2, 7, 4)
    whole, whole_lse = attention(q, k, v, return_logsumexp=True)
    merged, total = 0.0, -np.inf
    for part in (np.s_[:, :, :split], np.s_[:, :, split:]):
        output, lse = attention(q, k[part], v[part], return_logsumexp=True)
        merged = merged + np.exp(lse - whole_lse)[..., np.newaxis] * output
        total = np.logaddexp(total, lse)
    np.testing.assert_allclose(merged, whole, atol=1e-13)
    np.testing.assert_allclose(total, whole_lse, atol=1e-13)


@given(seed=SEEDS, length=st.integers(1, 6))
def test_decoding_is_the_last_row(seed: int, length: int) -> None:
    q, k, v = draw(seed, 3, 2, 2, length, 8)
    positions = np.arange(length)
    k = rotated(k, positions, "interleaved")
    whole = attention(
        rotated(q, positions, "interleaved"),
        k,
        v,
        mask=causal.causal(length, length, offset=0),
    )
    step = attention(
        rotated(q[:, :, -1:], positions[-1:], "interleaved"),
        k,
        v,
        mask=causal.causal(1, length, offset=length - 1),
    )
    np.testing.assert_allclose(step, whole[:, :, -1:], atol=1e-14)


@given(seed=SEEDS)
def test_error_scale_bounds_the_output(seed: int) -> None:
    q, k, v = draw(seed, 3, 1, 4, 5, 4)
    v = v[:, :2]
    weights, _ = probabilities(q, k[:, :2])
    scale = error_scale(weights, v)
    assert scale.shape == (1, 4, 5)
    assert (np.abs(attention(q, k[:, :2], v)).max(axis=-1) <= scale + 1e-15).all()
    np.testing.assert_allclose(error_scale(weights, -2 * v), 2 * scale, rtol=1e-15)
    by_hand = max(weights[0, 3, 1] @ np.abs(v[0, 1, :, d]) for d in range(4))
    assert scale[0, 3, 1] == pytest.approx(by_hand)
