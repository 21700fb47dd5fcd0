# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that users of other libraries reported, as small cases with known answers.

Each test names a report; the value in its comment as "wrong" is what the fault
gave.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from posenc.reference import (
    alibi,
    bucketed_bias,
    causal,
    document,
    frequencies,
    onnx_ops,
    padding,
    positions,
    rotary,
)
from posenc.reference.attention import attention, probabilities

RANDOM = np.random.default_rng(7)


def values(*numbers: float) -> np.ndarray:
    """One head of one lane: [1, 1, len, 1]."""
    return np.array(numbers, dtype=np.float64).reshape(1, 1, -1, 1)


def equal_scores(v: np.ndarray, **settings) -> float:
    """Output of one query whose scores are all zero."""
    return attention(np.zeros((1, 1, 1, 1)), np.zeros_like(v), v, **settings).item()


# EleutherAI/gpt-neox#1003
def test_angle_is_not_computed_in_f16() -> None:
    inv_freq, _ = frequencies.default(32, 10000)
    cos, _ = rotary.cos_sin(np.array([1857]), inv_freq)
    wrong = math.cos(np.float16(1857) * np.float16(inv_freq[1]))
    assert cos[0, 1] == pytest.approx(math.cos(1857 * 10000 ** (-1 / 16)), abs=1e-12)
    assert abs(cos[0, 1] - wrong) > 0.7


# pytorch/torchtitan#801, karpathy/nanochat#264, llama.cpp#7481
def test_lanes_are_not_mixed_up() -> None:
    inv_freq, _ = frequencies.default(4, 10000)
    x = np.array([1.0, 0, 0, 0]).reshape(1, 1, 1, 4)
    c, s = math.cos(1), math.sin(1)
    interleaved = rotary.rotary(x, np.array([1]), inv_freq, lanes="interleaved")
    half = rotary.rotary(x, np.array([1]), inv_freq, lanes="half")
    np.testing.assert_allclose(interleaved[0, 0, 0], [c, s, 0, 0], atol=1e-15)
    np.testing.assert_allclose(half[0, 0, 0], [c, 0, s, 0], atol=1e-15)


# pytorch/pytorch#103749, #103963; robertknight/rten#1321
def test_fully_masked_row_is_zero() -> None:
    q, k, v = (RANDOM.standard_normal((1, 1, n, 4)) for n in (6, 10, 10))
    mask = np.ones((6, 10), dtype=bool)
    mask[5] = False
    output, logsumexp = attention(q, k, v, mask=mask, return_logsumexp=True)
    assert (output[0, 0, 5] == 0).all()
    assert logsumexp[0, 0, 5] == -np.inf
    assert np.isfinite(output).all() and np.isfinite(logsumexp[0, 0, :5]).all()


# pytorch/pytorch#101967
@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_masked_key_never_touches_the_result(poison: float) -> None:
    q, k, v = (RANDOM.standard_normal((1, 1, 2, 4)) for _ in range(3))
    mask = np.array([True, False])
    clean = attention(q, k, v, mask=mask)
    k[0, 0, 1], v[0, 0, 1] = poison, poison
    np.testing.assert_array_equal(attention(q, k, v, mask=mask), clean)
    np.testing.assert_array_equal(clean[0, 0], v[0, 0, [0, 0]])


# microsoft/onnxruntime#28904, #28958
def test_finite_penalty_keeps_its_meaning() -> None:
    v = values(1, 2, 6)
    assert equal_scores(v, mask=np.zeros((1, 3), dtype=bool)) == 0
    assert equal_scores(v, bias=np.full((1, 3), -np.inf)) == 0
    assert equal_scores(v, bias=np.full((1, 3), -1e30)) == pytest.approx(3)
    lowest = np.full((1, 3), np.finfo(np.float32).min)
    averaged = equal_scores(v, mask=np.zeros((1, 3), dtype=bool), empty_rows="average")
    assert averaged == pytest.approx(equal_scores(v, bias=lowest))
    # With a sink such a graph gives the sink everything.
    sinks = {"sinks": np.array([0.0])}
    none = np.zeros((1, 3), dtype=bool)
    assert equal_scores(v, bias=lowest, **sinks) == 0
    assert equal_scores(v, mask=none, empty_rows="average", **sinks) == 0


# microsoft/onnxruntime#29020; pytorch/executorch#22426; ml-explore/mlx#2835
def test_causal_alignment_is_stated() -> None:
    assert causal.causal(1, 16, offset=0).tolist() == [[True] + [False] * 15]
    assert causal.causal(1, 16, offset=15).all()


# NVIDIA/cutlass#2336
def test_causal_with_more_keys_than_queries() -> None:
    assert causal.causal(3, 128, offset=0).sum(axis=1).tolist() == [1, 2, 3]
    assert causal.causal(3, 128, offset=125).sum(axis=1).tolist() == [126, 127, 128]


# ml-explore/mlx#343; NVIDIA/TensorRT-LLM#1611; transformers#28380
def test_slopes_of_any_head_count() -> None:
    assert alibi.slopes(6).tolist() == [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8]
    assert alibi.slopes(3).tolist() == [1 / 16, 1 / 256, 1 / 4]
    expected = [2 ** (-(h + 1) / 4) for h in range(32)]
    expected += [2 ** (-(h + 1) / 8) for h in range(0, 16, 2)]
    np.testing.assert_allclose(alibi.slopes(40), expected, rtol=1e-15)


# onnx#7865, #7867; onnxruntime#28370
def test_soft_cap_comes_before_the_mask() -> None:
    mask = np.array([True, False])
    assert equal_scores(values(1, 0), soft_cap=2.0, mask=mask) == 1
    bias = np.array([0.0, -np.inf])
    assert equal_scores(values(1, 0), soft_cap=2.0, bias=bias) == 1


# onnxruntime#28205; vllm#47407; sglang#10788
def test_position_outside_the_cache_is_refused() -> None:
    with pytest.raises(IndexError, match="position 4 is outside the cache of 4 rows"):
        rotary.cache_rows(np.zeros((4, 2)), np.array([[3, 4]]))
    with pytest.raises(IndexError, match="position -1 is outside"):
        rotary.cache_rows(np.zeros((4, 2)), np.array([[-1]]))


# apache/tvm#18102; ROCm/aiter#2199; vllm#43199
def test_partial_rotation_leaves_the_rest() -> None:
    inv_freq, _ = frequencies.default(4, 10000)
    assert inv_freq.tolist() == pytest.approx([1, 0.01])
    x = RANDOM.standard_normal((1, 1, 3, 8))
    y = rotary.rotary(x, np.array([1, 2, 3]), inv_freq, lanes="half")
    np.testing.assert_array_equal(y[..., 4:], x[..., 4:])
    assert (y[..., :4] != x[..., :4]).all()
    last = rotary.rotary(x, np.array([1, 2, 3]), inv_freq, lanes="half", side="last")
    np.testing.assert_array_equal(last[..., :4], x[..., :4])


# transformers#48101, #35233; rotary-embedding-torch#45
def test_odd_rotary_dim_is_refused() -> None:
    for rotary_dim in (65, 3, 0):
        with pytest.raises(ValueError, match=f"rotary_dim is {rotary_dim}"):
            frequencies.default(rotary_dim, 10000)
    tables = np.ones((1, 1))
    with pytest.raises(ValueError, match="rotary_dim is 3"):
        rotary.rotate(np.ones((1, 1, 1, 3)), tables, tables, lanes="half")


# openvino#28815
def test_query_head_reads_the_head_of_its_group() -> None:
    v = np.arange(2.0).reshape(1, 2, 1, 1)
    output = attention(np.zeros((1, 8, 1, 1)), np.zeros((1, 2, 1, 1)), v)
    assert output.ravel().tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


# unsloth#3699; transformers#22161; nnsight#673
def test_left_padding_does_not_shift_positions() -> None:
    ids = positions.from_mask(np.array([[0, 0, 1, 1]]), pad_position=1)
    assert ids.tolist() == [[1, 1, 0, 1]]
    keep = padding.padding(np.array([2]), 4, side="left")
    assert keep.tolist() == [[[[False, False, True, True]]]]


# OLMo-core#591; torchtitan#2559; Megatron#453
def test_positions_restart_in_every_document() -> None:
    ids = document.ids_from_cumulative_lengths(np.array([0, 3, 5]), 5)
    assert ids.tolist() == [0, 0, 0, 1, 1]
    assert document.reset_positions(ids).tolist() == [0, 1, 2, 0, 1]
    back = document.ids_from_positions(document.reset_positions(ids)[np.newaxis])
    assert back.tolist() == [[0, 0, 0, 1, 1]]


# flash-attention#1797, #1819; jax#30964
def test_sink_takes_its_share() -> None:
    weights, logsumexp = probabilities(
        np.zeros((1, 1, 1, 1)), np.zeros((1, 1, 1, 1)), sinks=np.array([0.0])
    )
    assert weights.item() == 0.5
    assert logsumexp.item() == pytest.approx(math.log(2))


# tt-forge-onnx#422; executorch#2010
def test_padded_cache_slots_are_not_seen() -> None:
    keep = padding.padding(np.array([3]), 8, side="right")
    cache = values(1, 2, 6, *[np.nan] * 5)
    assert equal_scores(cache, mask=keep) == pytest.approx(3)


# keras-hub#2861, #2977; huggingface/candle#899
def test_bias_of_a_decoding_step() -> None:
    # Wrong: 3.75, the bias of one key broadcast to all.
    step = alibi.bias(alibi.slopes(8)[:1], 1, 4, offset=3, symmetric=False)
    q, k = np.zeros((1, 1, 1, 1)), np.zeros((1, 1, 4, 1))
    weights, _ = probabilities(q, k, bias=step)
    np.testing.assert_allclose(weights[0, 0, 0], [0.10154, 0.16741, 0.27600, 0.45505], atol=5e-6)
    v = values(1, 2, 4, 8)
    assert equal_scores(v, bias=step) == pytest.approx(5.18080, abs=5e-6)
    whole = alibi.bias(alibi.slopes(8)[:1], 4, 4, offset=0, symmetric=False)
    np.testing.assert_array_equal(step[:, 0], whole[:, -1])


def test_bucketed_bias_of_a_decoding_step() -> None:
    # Wrong: 1/6.
    table = np.arange(32.0)[:, np.newaxis] * math.log(2)
    bias = bucketed_bias.bias(table, 1, 6, max_distance=128, bidirectional=False, offset=5)
    weights, _ = probabilities(np.zeros((1, 1, 1, 1)), np.zeros((1, 1, 6, 1)), bias=bias)
    assert weights[0, 0, 0, 0] == pytest.approx(32 / 63)


# huggingface/candle#3727; sonos/tract#2586; pytorch/executorch#20090
@pytest.mark.parametrize("keys", [512, 4096])
def test_denominator_does_not_stall(keys: int) -> None:
    assert equal_scores(np.ones((1, 1, keys, 1))) == pytest.approx(1)


# flashinfer#4267
@pytest.mark.parametrize("masked_first", [0, 512])
def test_very_low_scores_are_scores(masked_first: int) -> None:
    # Wrong: zeros.
    k = values(*[0.0] * masked_first, -300000, -300000)
    v = values(*[9.0] * masked_first, 1, 3)
    mask = np.arange(masked_first + 2) >= masked_first
    output, logsumexp = attention(
        np.ones((1, 1, 1, 1)), k, v, scale=1.0, mask=mask, return_logsumexp=True
    )
    assert output.item() == 2
    assert logsumexp.item() == pytest.approx(-300000 + math.log(2), abs=1e-9)


# segment-anything-fast#71; tt-metal#42891; TransformerEngine#103
def test_scale_does_not_touch_the_bias() -> None:
    # Wrong: .68168 without log2(e), .53428 with the scale on the bias.
    q, k = np.zeros((1, 1, 1, 64)), np.zeros((1, 1, 2, 64))
    bias = np.array([math.log(3), 0])
    assert attention(q, k, values(1, 0), bias=bias).item() == pytest.approx(0.75)
    by_score = attention(q, k, values(1, 0), score=lambda scores: scores + bias)
    assert by_score.item() == pytest.approx(0.75)


# openvino#31630, #35959; torch-mlir#3831
def test_boolean_mask_selects_and_broadcasts() -> None:
    # Wrong: .73106, the mask added as 1 and 0.
    assert equal_scores(values(1, 0), mask=np.array([True, False])) == 1
    x = RANDOM.standard_normal((2, 3, 6, 4))
    k = RANDOM.standard_normal((2, 3, 208, 4))
    mask = RANDOM.random((1, 1, 6, 208)) < 0.5
    both = attention(x, k, k, mask=mask)
    for b in range(2):
        alone = attention(x[b : b + 1], k[b : b + 1], k[b : b + 1], mask=mask)
        np.testing.assert_allclose(both[b], alone[0], rtol=1e-12)


# TensorRT#4333, #4328; ROCm/hip-ep#621
def test_default_scale_is_of_the_head() -> None:
    # Wrong: .99966, the scale taken for 1/2; .80443, the packed width.
    for size, product, expected in ((16, 16, 0.98201), (4, 4, 0.88080)):
        q, k = np.zeros((1, 1, 1, size)), np.zeros((1, 1, 2, size))
        q[..., 0], k[0, 0, 0, 0] = 1, product
        output = attention(q, k, values(1, 0)).item()
        assert output == pytest.approx(expected, abs=5e-6)


# onnxruntime#27450; python_backend#444
def test_empty_tensors() -> None:
    q, k = np.ones((1, 8, 2, 4)), np.ones((1, 8, 3, 4))
    past = np.ones((1, 8, 0, 4))
    with_past = onnx_ops.attention(q, k, k, None, past, past, opset=23, is_causal=1)
    without = onnx_ops.attention(q, k, k, opset=23, is_causal=1)
    np.testing.assert_array_equal(with_past.y, without.y)
    assert attention(q[:, :, :0], k, k).shape == (1, 8, 0, 4)
    packed = onnx_ops.attention(*[np.ones((0, 3, 8))] * 3, opset=24, q_num_heads=2, kv_num_heads=2)
    assert packed.y.shape == (0, 3, 8)
    assert attention(q[:0], k[:0], k[:0]).shape == (0, 8, 2, 4)
    for empty_rows in ("zero", "average"):
        no_keys = attention(q, k[:, :, :0], k[:, :, :0], empty_rows=empty_rows)
        assert (no_keys == 0).all()
