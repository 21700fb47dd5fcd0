# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ONNX operators of the oracle against onnx's own reference evaluator.

Random signed float64 inputs over the grid of attributes and optional inputs. The
evaluator and the oracle disagree in two known places, which are tested as such:
test_raw_scores_with_softcap and test_mask_of_rank_one.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from posenc.reference import onnx_ops

BATCH, HEADS, KV_HEADS, QUERIES, NEW_KEYS, PAST = 2, 4, 2, 3, 5, 2
HEAD_SIZE, VALUE_SIZE = 4, 6
ATTENTION_INPUTS = "Q K V attn_mask past_key past_value nonpad_kv_seqlen".split()
ATTENTION_OUTPUTS = "Y present_key present_value qk_matmul_output".split()


def evaluate(
    op: str, opset: int, names: list[str], feeds: dict, outputs: list[str], attributes
) -> list[np.ndarray]:
    """Runs one node of the standard domain in onnx's reference evaluator."""
    names = list(names)
    while names[-1] not in feeds:
        names.pop()
    node = helper.make_node(
        op, [name if name in feeds else "" for name in names], outputs, **attributes
    )
    graph = helper.make_graph(
        [node],
        op,
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for name, x in feeds.items()
        ],
        [helper.make_tensor_value_info(name, TensorProto.DOUBLE, None) for name in outputs],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    return ReferenceEvaluator(model).run(None, feeds)


def evaluate_attention(opset: int, feeds: dict, attributes: dict) -> list[np.ndarray]:
    return evaluate("Attention", opset, ATTENTION_INPUTS, feeds, ATTENTION_OUTPUTS, attributes)


def oracle_attention(opset: int, feeds: dict, attributes: dict) -> onnx_ops.AttentionOutputs:
    inputs = [feeds.get(name) for name in ATTENTION_INPUTS]
    return onnx_ops.attention(*inputs, opset=opset, **attributes)


def assert_same(actual, expected, tolerance: float = 1e-12) -> None:
    """Equal to `tolerance`, infinities and NaNs in the same places."""
    for name, a, e in zip(ATTENTION_OUTPUTS, actual, expected, strict=True):
        assert a.shape == e.shape, (name, a.shape, e.shape)
        np.testing.assert_allclose(a, e, rtol=0, atol=tolerance, err_msg=name)


def tensors(rank: int, cache: str, seed: int) -> tuple[dict, dict]:
    """Random Q, K, V and cache inputs, with the attributes their rank needs."""
    random = np.random.default_rng(seed)

    def draw(heads: int, length: int, size: int) -> np.ndarray:
        return random.standard_normal((BATCH, heads, length, size))

    feeds = {
        "Q": draw(HEADS, QUERIES, HEAD_SIZE),
        "K": draw(KV_HEADS, NEW_KEYS, HEAD_SIZE),
        "V": draw(KV_HEADS, NEW_KEYS, VALUE_SIZE),
    }
    attributes = {}
    if rank == 3:
        feeds = {
            name: np.swapaxes(x, 1, 2).reshape(BATCH, x.shape[2], -1).copy()
            for name, x in feeds.items()
        }
        attributes = {"q_num_heads": HEADS, "kv_num_heads": KV_HEADS}
    if cache == "past":
        feeds["past_key"] = draw(KV_HEADS, PAST, HEAD_SIZE)
        feeds["past_value"] = draw(KV_HEADS, PAST, VALUE_SIZE)
    if cache == "nonpad":
        # The second entry has fewer keys than queries: causal rows without a key.
        feeds["nonpad_kv_seqlen"] = np.array([NEW_KEYS - 1, QUERIES - 1])
    return feeds, attributes


def mask_of(kind: str, total: int, seed: int) -> np.ndarray | None:
    """A random mask; [S, T], [H, S, T] and [B, 1, S, T] by `kind`.

    Its first row has no key. A "short" one lacks the last key.
    """
    if kind == "none":
        return None
    random = np.random.default_rng(seed)
    value, rank, *short = kind.split("-")
    shape = {
        "2": (QUERIES, total),
        "3": (HEADS, QUERIES, total),
        "4": (BATCH, 1, QUERIES, total),
    }[rank]
    keep = random.random(shape) < 0.7
    keep[..., 0, :] = False
    if short:
        keep = keep[..., :-1]
    if value == "bool":
        return keep
    return np.where(keep, random.standard_normal(keep.shape), -np.inf)


CACHES = {23: ("none", "past"), 24: ("none", "past", "nonpad")}
CACHES[25] = CACHES[24]
MASKS = {23: ("none", "bool-2", "bool-3", "bool-4", "float-2", "float-3", "float-4")}
MASKS[24] = MASKS[23] + ("bool-2-short", "float-4-short")
MASKS[25] = MASKS[24]
WINDOWS = {23: ((-1, -1),), 24: ((-1, -1),)}
WINDOWS[25] = ((-1, -1), (1, -1), (-1, 0), (0, 2))
GRID = [
    (opset, rank, cache, mask)
    for opset in (23, 24, 25)
    for rank in (3, 4)
    for cache in CACHES[opset]
    for mask in MASKS[opset]
]


@pytest.mark.parametrize(("opset", "rank", "cache", "mask"), GRID)
def test_attention(opset: int, rank: int, cache: str, mask: str) -> None:
    total = NEW_KEYS + (PAST if cache == "past" else 0)
    for case, (is_causal, softcap, mode, (left, right)) in enumerate(
        itertools.product((0, 1), (0.0, 0.75), (0, 1, 2, 3), WINDOWS[opset])
    ):
        feeds, attributes = tensors(rank, cache, case)
        user_mask = mask_of(mask, total, case)
        if user_mask is not None:
            feeds["attn_mask"] = user_mask
        attributes |= {"qk_matmul_output_mode": mode, "is_causal": is_causal}
        if softcap:
            attributes["softcap"] = softcap
        if case % 3:
            # The evaluator takes the root in f32: 0.5625 has an exact one, 0.75.
            attributes["scale"] = (0.0, 0.5625)[case % 2]
        if left >= 0:
            attributes["left_window_size"] = left
        if right >= 0:
            attributes["right_window_size"] = right
        actual = oracle_attention(opset, feeds, attributes)
        if mode == 0 and softcap:
            # See test_raw_scores_with_softcap.
            capped = oracle_attention(opset, feeds, attributes | {"qk_matmul_output_mode": 1})
            actual = actual._replace(qk_matmul_output=capped.qk_matmul_output)
        assert_same(actual, evaluate_attention(opset, feeds, attributes))


def test_raw_scores_with_softcap() -> None:
    """Mode 0 is the raw score by schema and function body; the evaluator caps it."""
    feeds, _ = tensors(4, "none", 0)
    raw = oracle_attention(24, feeds, {}).qk_matmul_output
    softcap = {"softcap": 0.75}
    assert_equal = np.testing.assert_array_equal
    assert_equal(oracle_attention(24, feeds, softcap).qk_matmul_output, raw)
    np.testing.assert_allclose(
        evaluate_attention(24, feeds, softcap)[3],
        0.75 * np.tanh(raw / 0.75),
        atol=1e-12,
    )


@pytest.mark.parametrize("is_causal", [0, 1])
def test_mask_of_rank_one(is_causal: int) -> None:
    """A mask [T] broadcasts to [S, T]; the evaluator refuses it when causal."""
    feeds, _ = tensors(4, "none", 1)
    attributes = {"is_causal": is_causal}
    mask = np.array([True, False, True, True, False])
    actual = oracle_attention(24, feeds | {"attn_mask": mask}, attributes)
    if is_causal:
        with pytest.raises(ValueError):
            evaluate_attention(24, feeds | {"attn_mask": mask}, attributes)
    feeds["attn_mask"] = np.broadcast_to(mask, (QUERIES, NEW_KEYS)).copy()
    assert_same(actual, evaluate_attention(24, feeds, attributes))


@pytest.mark.parametrize(
    ("precision", "tolerance"),
    [
        (TensorProto.DOUBLE, 1e-12),
        (TensorProto.FLOAT, 1e-6),
        (TensorProto.FLOAT16, 5e-3),
        (TensorProto.BFLOAT16, 4e-2),
    ],
)
def test_softmax_precision(precision: int, tolerance: float) -> None:
    """The attribute rounds; in float64 it changes nothing."""
    feeds, _ = tensors(4, "none", 2)
    attributes = {"softmax_precision": precision, "qk_matmul_output_mode": 3}
    actual = oracle_attention(23, feeds, attributes)
    plain = oracle_attention(23, feeds, {"qk_matmul_output_mode": 3})
    assert_same(actual, plain, 0.0)
    assert_same(actual, evaluate_attention(23, feeds, attributes), tolerance)


def test_negative_scale_is_nan() -> None:
    """Both q and k are multiplied by the square root of the scale."""
    feeds, _ = tensors(4, "none", 3)
    assert np.isnan(oracle_attention(24, feeds, {"scale": -0.5}).y).all()


@pytest.mark.parametrize(
    ("opset", "feeds", "attributes", "message"),
    [
        (22, {}, {}, "opset is 22"),
        (25, {}, {"q_num_heads": 4, "kv_num_heads": 2}, "4-D inputs"),
        (24, {}, {"left_window_size": 1}, "needs opset 25"),
        (25, {}, {"right_window_size": -2}, "right_window_size is -2"),
        (23, {"nonpad_kv_seqlen": np.array([1, 1])}, {}, "needs opset 24"),
        (24, {"nonpad_kv_seqlen": np.array([1])}, {}, "one length a batch entry"),
        (24, {"past_key": np.zeros((2, 2, 1, 4))}, {}, "given together"),
        (23, {"attn_mask": np.ones((3, 4), dtype=bool)}, {}, "broadcast"),
        (24, {"attn_mask": np.ones((2, 3, 5), dtype=bool)}, {}, "does not broadcast"),
        (24, {}, {"qk_matmul_output_mode": 4}, "qk_matmul_output_mode is 4"),
    ],
)
def test_attention_refuses(opset: int, feeds: dict, attributes: dict, message: str) -> None:
    inputs, _ = tensors(4, "none", 4)
    with pytest.raises(ValueError, match=message):
        oracle_attention(opset, inputs | feeds, attributes)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("rotary_dim", [0, 4])
@pytest.mark.parametrize("rank", [3, 4])
@pytest.mark.parametrize("with_positions", [False, True])
def test_rotary_embedding(
    interleaved: int, rotary_dim: int, rank: int, with_positions: bool
) -> None:
    random = np.random.default_rng(5)
    heads, length, size = 3, 4, 8
    pairs = (rotary_dim or size) // 2
    x = random.standard_normal((BATCH, heads, length, size))
    if rank == 3:
        x = np.swapaxes(x, 1, 2).reshape(BATCH, length, heads * size)
    cache_shape = (10, pairs) if with_positions else (BATCH, length, pairs)
    feeds = {
        "X": x,
        "cos_cache": random.standard_normal(cache_shape),
        "sin_cache": random.standard_normal(cache_shape),
    }
    if with_positions:
        feeds["position_ids"] = random.integers(0, 10, (BATCH, length))
    attributes = {"interleaved": interleaved, "rotary_embedding_dim": rotary_dim}
    if rank == 3:
        attributes["num_heads"] = heads
    names = "X cos_cache sin_cache position_ids".split()
    (expected,) = evaluate("RotaryEmbedding", 23, names, feeds, ["Y"], attributes)
    actual = onnx_ops.rotary_embedding(*(feeds.get(name) for name in names), **attributes)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-14)


def test_rotary_embedding_refuses() -> None:
    x, cache = np.zeros((1, 2, 3, 8)), np.zeros((4, 4))
    rotate = onnx_ops.rotary_embedding
    with pytest.raises(IndexError, match="position 4 is outside the cache of 4 rows"):
        rotate(x, cache, cache, np.array([[0, 1, 4]]))
    with pytest.raises(ValueError, match="cos_cache has shape"):
        rotate(x, cache, cache)
    with pytest.raises(ValueError, match="cos has shape"):
        rotate(x, cache[:, :2], cache[:, :2], np.array([[0, 1, 2]]))
    with pytest.raises(ValueError, match="number of heads is None"):
        rotate(np.zeros((1, 3, 16)), cache, cache, np.array([[0, 1, 2]]))
