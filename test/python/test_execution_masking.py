# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is masked never touches a result, and rows whose softmax is hard to compute."""

from __future__ import annotations

import math

import numpy as np
import pytest
from compiled_attention import NUMPY, Graph, Sizes
from encoding_parts import DOCUMENTS, TRIANGLE, alibi, causal, dense, padding, sinks, window
from tools import compiled

KINDS = {
    "causal": (causal("bottom_right"),),
    "window": (window(4, 3, offset=2),),
    "padding": (padding(shortest=2),),
    "left_padding": (padding("left", shortest=2),),
    "documents": (DOCUMENTS,),
    "bool_mask": (dense("i1", "bhij", 2),),
    "key_mask": (dense("i1", "bj", 2),),
    "float_mask": (dense("f32", "bhij", 2),),
    "float_mask_with_alibi": (dense("f32", "bij", 2), alibi(2)),
}


def visible(graph: Graph, sizes: Sizes, extra: list[list[np.ndarray]]) -> np.ndarray:
    """Which keys any row of any head sees, [B, Lk]."""
    keep = np.ones((sizes.batch, graph.heads, sizes.rows, sizes.keys), bool)
    for part, arrays in zip(graph.parts, extra):
        terms = part.terms(sizes, *arrays)
        if terms.mask is not None:
            keep &= terms.mask
        if terms.bias is not None:
            keep &= terms.bias > -np.inf
    return keep.any(axis=(1, 2))


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("name", KINDS)
def test_unseen_keys_may_hold_anything(name: str, fuse: bool) -> None:
    """The same bits whether keys and values that no row sees are numbers, NaN or infinite.

    A float mask is added to scores, and NaN - infinity is NaN: there the keys stay numbers.
    """
    graph = Graph(KINDS[name], heads=2, kv_heads=1, logsumexp=True)
    for sizes in (Sizes(2, 1, 40), Sizes(2, 3, 70), Sizes(1, 66, 130)):
        (q, k, v), extra = graph.draw(sizes)
        if name == "bool_mask":
            extra[0][0][..., sizes.keys // 2 :] = False
        elif name.startswith("float_mask"):
            extra[0][0][..., sizes.keys // 2 :] = -np.inf
        hidden = ~visible(graph, sizes, extra)[:, None, :, None]
        clean = graph.call((q, k, v), extra, fuse)
        graph.expected(sizes, (q, k, v), extra).compare(clean, 2e-6)
        for poison in (np.nan, np.inf, -np.inf):
            keys = k if name.startswith("float_mask") else np.where(hidden, poison, k)
            dirty = graph.call((q, keys, np.where(hidden, poison, v)), extra, fuse)
            for a, b in zip(clean, dirty):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
def test_a_row_is_not_touched_by_what_others_see(fuse: bool, element: str) -> None:
    """Key 20 is not a number: rows 0 ... 19 of a causal pass are as before, later ones are not numbers."""
    graph = Graph((TRIANGLE,), heads=2, kv_heads=1, element=element)
    for rows in (40, 130):
        sizes = Sizes(2, rows, rows)
        (q, k, v), extra = graph.draw(sizes)
        clean = graph.call((q, k, v), extra, fuse)
        for poison in (np.nan, np.inf):
            spoilt = v.copy()
            spoilt[:, :, 20] = poison
            dirty = graph.call((q, k, spoilt), extra, fuse)
            np.testing.assert_array_equal(clean[:, :, :20], dirty[:, :, :20])
            assert not np.isfinite(dirty[:, :, 20:]).any()
            spoilt = k.copy()
            spoilt[:, :, 20] = poison
            dirty = graph.call((q, spoilt, v), extra, fuse)
            np.testing.assert_array_equal(clean[:, :, :20], dirty[:, :, :20])


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_rows_without_a_key(fuse: bool) -> None:
    graph = Graph((causal(-3),), heads=2, kv_heads=1, logsumexp=True)
    for sizes in (Sizes(2, 5, 70), Sizes(1, 1, 9), Sizes(1, 2, 300), Sizes(1, 70, 70)):
        (q, k, v), extra = graph.draw(sizes)
        v[:, :, 2] = np.nan
        output, logsumexp = graph.call((q, k, v), extra, fuse)
        assert (output[:, :, :3] == 0).all() and np.isneginf(logsumexp[:, :, :3]).all()


def test_rows_without_a_key_but_with_a_sink() -> None:
    graph = Graph((sinks(2), causal(-3)), heads=2, kv_heads=1, logsumexp=True)
    for sizes in (Sizes(2, 5, 70), Sizes(1, 1, 9)):
        qkv, extra = graph.draw(sizes)
        output, logsumexp = graph.call(qkv, extra)
        assert (output[:, :, :3] == 0).all()
        np.testing.assert_allclose(
            logsumexp[:, :, :3],
            extra[0][0][:, None].repeat(min(3, sizes.rows), 1)[None].repeat(sizes.batch, 0),
            rtol=1e-6,
        )


# One key and a sink of the same score share the row.
def test_a_sink_takes_its_share() -> None:
    graph = Graph((sinks(1),), heads=1, kv_heads=1, width=8, value_width=8)
    zero, one = np.zeros((1, 1, 1, 8), np.float32), np.ones((1, 1, 1, 8), np.float32)
    np.testing.assert_allclose(
        graph.call((zero, zero, one), [[np.zeros(1, np.float32)]]), 0.5, rtol=1e-6
    )


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("rows", [1, 5, 70])
def test_scores_far_below_zero(rows: int, fuse: bool) -> None:
    """No finite number stands in for minus infinity; also behind a block of keys that is masked."""
    graph = Graph(
        (dense("i1", "j", 1),),
        heads=1,
        kv_heads=1,
        width=1,
        value_width=1,
        scale=1.0,
        logsumexp=True,
    )
    for before in (0, 1, 64, 256, 600):
        q = np.ones((1, 1, rows, 1), np.float32)
        k = np.full((1, 1, before + 2, 1), -300000, np.float32)
        v = np.full((1, 1, before + 2, 1), np.nan, np.float32)
        v[0, 0, -2:, 0] = 1, 3
        keep = np.arange(before + 2) >= before
        output, logsumexp = graph.call((q, k, v), [[keep]], fuse)
        np.testing.assert_allclose(output, 2, rtol=2e-6)
        np.testing.assert_allclose(logsumexp, -299999.3, atol=0.05)


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("rows", [1, 5, 70])
@pytest.mark.parametrize(
    "bias", [np.finfo(np.float32).min, -3e38, -2.4e38, 3e38, np.finfo(np.float32).max]
)
def test_biases_near_the_largest_float(bias: float, rows: int, fuse: bool) -> None:
    """Finite biases count as such, also where base 2 cannot hold them; minus infinity hides a key."""
    graph = Graph((dense("f32", "j", 1),), heads=1, kv_heads=1, width=8, value_width=1)
    q, k = np.ones((1, 1, rows, 8), np.float32), np.zeros((1, 1, 40, 8), np.float32)
    v = np.arange(40, dtype=np.float32).reshape(1, 1, 40, 1)
    biases = np.full(40, bias, np.float32)
    np.testing.assert_allclose(graph.call((q, k, v), [[biases]], fuse), 19.5, rtol=1e-6)
    biases[20:] = -np.inf
    np.testing.assert_allclose(graph.call((q, k, v), [[biases]], fuse), 9.5, rtol=1e-6)
    biases[3] = 0
    np.testing.assert_allclose(
        graph.call((q, k, v), [[biases]], fuse), 3 if bias < 0 else 187 / 19, rtol=1e-6
    )
    biases[:] = -np.inf
    np.testing.assert_array_equal(graph.call((q, k, v), [[biases]], fuse), 0)


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("rows", [1, 70])
def test_a_row_of_selected_penalties(rows: int, fuse: bool) -> None:
    """Scores that the graph replaces by the lowest float: all of them, so the mean of the values."""
    text = f"""
      func.func @penalised(%q: tensor<1x1x{rows}x8xf32>, %k: tensor<1x1x40x8xf32>, %v: tensor<1x1x40x8xf32>,
                           %keep: tensor<40xi1>) -> tensor<1x1x{rows}x8xf32> {{
        %s = arith.constant 1.0 : f32
        %low = arith.constant 0xFF7FFFFF : f32
        %e = tensor.empty() : tensor<1x1x{rows}x8xf32>
        %o = posenc.attention query(%q : tensor<1x1x{rows}x8xf32>) key(%k : tensor<1x1x40x8xf32>)
            value(%v : tensor<1x1x40x8xf32>) scale(%s) outs(%e : tensor<1x1x{rows}x8xf32>)
            score(%x, %b, %h, %i, %j) {{
              %kept = tensor.extract %keep[%j] : tensor<40xi1>
              %y = arith.select %kept, %x, %low : f32
              posenc.yield %y : f32
            }} -> tensor<1x1x{rows}x8xf32>
        return %o : tensor<1x1x{rows}x8xf32>
      }}"""
    q, k, v = (
        np.random.default_rng(0).standard_normal((1, 1, n, 8)).astype(np.float32)
        for n in (rows, 40, 40)
    )
    output = compiled(text, fuse=fuse)(q, k, v, np.zeros(40, bool))
    np.testing.assert_allclose(
        output, np.broadcast_to(v.mean(axis=2, keepdims=True), output.shape), atol=1e-6
    )


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_scores_far_apart(fuse: bool) -> None:
    """The greatest score comes last, first, in the middle; the others vanish beside it."""
    graph = Graph((), heads=1, kv_heads=1, width=1, value_width=1, scale=1.0, logsumexp=True)
    for rows, keys in ((1, 300), (1, 17), (70, 200)):
        for at in (0, keys // 2, keys - 1):
            k = np.linspace(-4000, -3000, keys, dtype=np.float32).reshape(1, 1, keys, 1)
            k[0, 0, at] = 3e4
            v = np.arange(keys, dtype=np.float32).reshape(1, 1, keys, 1)
            output, logsumexp = graph.call((np.ones((1, 1, rows, 1), np.float32), k, v), [], fuse)
            np.testing.assert_array_equal(output, at)
            np.testing.assert_allclose(logsumexp, 3e4, rtol=1e-6)


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("element, keys", [("f16", 4096), ("bf16", 512)])
@pytest.mark.parametrize("rows", [1, 3, 65])
def test_denominators_do_not_stall(element: str, keys: int, rows: int, fuse: bool) -> None:
    graph = Graph((), heads=1, kv_heads=1, width=8, value_width=8, element=element)
    q = np.ones((1, 1, rows, 8), NUMPY[element])
    k, v = np.zeros((1, 1, keys, 8), NUMPY[element]), np.ones((1, 1, keys, 8), NUMPY[element])
    np.testing.assert_array_equal(graph.call((q, k, v), [], fuse).astype(np.float32), 1)


# A bias is in natural units, and is not scaled.
@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("rows", [1, 70])
def test_a_bias_is_not_scaled(rows: int, fuse: bool) -> None:
    graph = Graph((dense("f32", "j", 1),), heads=1, kv_heads=1, width=64, value_width=1)
    q, k = np.zeros((1, 1, rows, 64), np.float32), np.zeros((1, 1, 2, 64), np.float32)
    v = np.array([1, 0], np.float32).reshape(1, 1, 2, 1)
    output = graph.call((q, k, v), [[np.array([math.log(3), 0], np.float32)]], fuse)
    np.testing.assert_allclose(output, 0.75, rtol=2e-6)


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_a_step_with_a_bias_by_distance(fuse: bool) -> None:
    """ALiBi of head 0 of 8 at the fourth token: slope 1/2, equal scores."""
    graph = Graph((alibi(8, offset=3),), heads=8, kv_heads=1, width=8, value_width=1)
    q, k = np.zeros((1, 8, 1, 8), np.float32), np.zeros((1, 1, 4, 8), np.float32)
    v = np.array([1, 2, 4, 8], np.float32).reshape(1, 1, 4, 1)
    output = graph.call((q, k, v), [[np.asarray(3)]], fuse)
    np.testing.assert_allclose(output[0, 0, 0, 0], 5.18080, rtol=1e-5)


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_a_bool_mask_removes_keys(fuse: bool) -> None:
    graph = Graph((dense("i1", "j", 1),), heads=1, kv_heads=1, width=8, value_width=1)
    for rows in (1, 70):
        q, k = np.zeros((1, 1, rows, 8), np.float32), np.zeros((1, 1, 2, 8), np.float32)
        v = np.array([1, 0], np.float32).reshape(1, 1, 2, 1)
        np.testing.assert_array_equal(graph.call((q, k, v), [[np.array([True, False])]], fuse), 1)


def test_a_masked_row_is_the_mean_where_the_graph_says_so() -> None:
    """empty_rows = average: the mean of all values, whatever the keys hold."""
    graph = Graph((dense("i1", "bj", 2),), heads=2, kv_heads=1, empty_rows="average")
    for sizes in (Sizes(2, 1, 9), Sizes(2, 70, 70)):
        (q, k, v), extra = graph.draw(sizes)
        extra[0][0][0] = False
        k[0] = np.nan
        output = graph.call((q, k, v), extra)
        np.testing.assert_allclose(
            output[0],
            np.broadcast_to(v[0].mean(axis=1, keepdims=True), output[0].shape),
            rtol=1e-5,
            atol=1e-6,
        )
