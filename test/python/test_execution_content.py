# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encodings that queries and keys decide, compiled, against float64."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from compiled_attention import Graph, Part, Sizes, compiled
from content_parts import cope, decomposed_2d, disentangled, shaw, transformer_xl
from encoding_parts import TRIANGLE, causal

import posenc
from posenc.reference import disentangled as disentangled_reference
from posenc.reference import shaw as shaw_reference

SIZES = [Sizes(2, 5, 7), Sizes(1, 1, 65), Sizes(3, 17, 3), Sizes(1, 65, 129)]
SQUARE = [Sizes(2, 5, 5), Sizes(1, 65, 65)]

GQA = Graph(heads=4, kv_heads=2, width=16, value_width=16)
MHA = Graph(heads=3, kv_heads=3, width=16, value_width=16)
MQA = Graph(heads=4, kv_heads=1, width=16, value_width=16)


def of(graph: Graph, part: Part, *others: Part) -> Graph:
    return dataclasses.replace(graph, parts=(part, *others))


def stored(graph: Graph, element: str) -> Graph:
    return dataclasses.replace(graph, element=element)


GRAPHS = {
    "shaw": (of(GQA, shaw(GQA, offset=2), causal(2)), SIZES),
    "shaw_zero": (of(MQA, shaw(MQA, outside="zero", rows=7, left=3, by_head=True)), SIZES),
    "relative_key_query": (
        of(stored(GQA, "f16"), shaw(stored(GQA, "f16"), of="qk", relative="query_minus_key", outside="error",
                                    rows=200, left=128, by_head=True, element="f16")), SIZES),
    "deberta_v2": (of(GQA, disentangled(GQA, rows=32, buckets=(16, 64), offset=1)), SIZES),
    "deberta_v1": (
        of(stored(MHA, "bf16"), disentangled(stored(MHA, "bf16"), terms="p2c", by_head=False, element="bf16")), SIZES),
    "transformer_xl": (
        of(GQA, transformer_xl(GQA, rows="transformer_xl", count=lambda sizes: sizes.keys, offset=3), causal(3)),
        SIZES),
    "xlnet": (of(MHA, transformer_xl(MHA, rows="xlnet", count=lambda sizes: 200, static=200, query_bias=False)), SIZES),
    "conformer": (
        of(stored(MHA, "f16"), transformer_xl(stored(MHA, "f16"), rows="conformer", element="f16",
                                              count=lambda sizes: 2 * sizes.keys - 1)), SQUARE),
    "sam": (of(MHA, decomposed_2d(MHA, query_grid=(5, 7), key_grid=(5, 7))), [Sizes(2, 35, 35)]),
    "mvitv2": (
        of(MHA, decomposed_2d(MHA, query_grid=(4, 3), key_grid=(2, 5), class_token=True)), [Sizes(2, 13, 11)]),
    "cope": (of(GQA, cope(GQA, rows=6, causal=True), TRIANGLE), [*SIZES, Sizes(1, 70, 140)]),
}


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("name", GRAPHS)
def test_encoding(name: str, fuse: bool) -> None:
    graph, sizes = GRAPHS[name]
    for extents in sizes:
        graph.check(extents, fuse=fuse)


def test_a_table_that_is_too_short() -> None:
    """Of one where a position without a row is an error; the call says so."""
    graph, _ = GRAPHS["relative_key_query"]
    qkv, extra = graph.draw(Sizes(1, 2, 130))
    with pytest.raises(posenc.Error, match="keys after their query are farther away than the table"):
        graph.call(qkv, extra)


def test_dynamic_heads() -> None:
    """Of queries, keys and tables, so that the group of a key head is known at run time only."""
    text = """
func.func @heads(%q: tensor<?x?x?x8xf32> {posenc.symbols = ["B", "Hq", "Lq", ""]},
    %k: tensor<?x?x?x8xf32> {posenc.symbols = ["B", "Hkv", "Lk", ""]}, %t: tensor<9x8xf32>,
    %p: tensor<?x6x8xf32> {posenc.symbols = ["Hq", "", ""]}) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x?x8xf32>
  %h = tensor.dim %q, %c1 : tensor<?x?x?x8xf32>
  %lq = tensor.dim %q, %c2 : tensor<?x?x?x8xf32>
  %lk = tensor.dim %k, %c2 : tensor<?x?x?x8xf32>
  %x = posenc.shaw query(%q : tensor<?x?x?x8xf32>) key(%k : tensor<?x?x?x8xf32>) table(%t : tensor<9x8xf32>)
      sizes(%b, %h, %lq, %lk) relative(<key_minus_query>) outside(<clip>) {left = 4 : i64} : tensor<?x?x?x?xf32>
  %y = posenc.disentangled key(%k : tensor<?x?x?x8xf32>) pos_query(%p : tensor<?x6x8xf32>)
      sizes(%b, %h, %lq, %lk) buckets(<identity>) : tensor<?x?x?x?xf32>
  return %x, %y : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}"""
    rng = np.random.default_rng(0)
    for heads, kv_heads in ((6, 2), (3, 1), (2, 2)):
        q, k, t, p = (rng.standard_normal(shape).astype(np.float32) for shape in (
            (2, heads, 5, 8), (2, kv_heads, 7, 8), (9, 8), (heads, 6, 8)))
        shaw_bias, bias = compiled(text)(q, k, t, p)
        vectors = shaw_reference.embeddings(t, 5, 7, left=4, relative="key_minus_query", outside="clip", offset=0)
        expected = shaw_reference.bias(vectors, query=q, key=np.repeat(k, heads // kv_heads, axis=1))
        np.testing.assert_allclose(shaw_bias, expected, rtol=0, atol=2e-6 * np.abs(expected).max())
        index = disentangled_reference.rows(5, 7, span=3, bucket_size=None, max_position=None, offset=0)
        expected = disentangled_reference.bias(index, key=k, pos_query=p)
        np.testing.assert_allclose(bias, expected, rtol=0, atol=2e-6 * np.abs(expected).max())


def test_shaw_values() -> None:
    """The term of the values is no part of attention: probabilities in, rows out."""
    text = """
func.func @values(%p: tensor<?x4x?x?xf32>, %table: tensor<4x7x12xf16>, %at: tensor<i64>) -> tensor<?x4x?x12xf32> {
  %e = tensor.extract %at[] : tensor<i64>
  %offset = arith.index_cast %e : i64 to index
  %r = posenc.shaw_values %p table(%table : tensor<4x7x12xf16>) offset(%offset) relative(<key_minus_query>)
      outside(<zero>) {left = 2 : i64} : tensor<?x4x?x?xf32> -> tensor<?x4x?x12xf32>
  return %r : tensor<?x4x?x12xf32>
}"""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((4, 7, 12)).astype(np.float16)
    for sizes in SIZES:
        weights = rng.random((sizes.batch, 4, sizes.rows, sizes.keys)).astype(np.float32)
        vectors = shaw_reference.embeddings(table, sizes.rows, sizes.keys, left=2, relative="key_minus_query",
                                            outside="zero", offset=1)
        expected = shaw_reference.values(weights, vectors)
        actual = compiled(text)(weights, table, np.asarray(1))
        np.testing.assert_allclose(actual, expected, rtol=0, atol=2e-6 * np.abs(expected).max(initial=1))
