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
        of(stored(GQA, "f16"), shaw(stored(GQA, "f16"), of="qk", relative="query_minus_key", rows=41, left=20,
                                    by_head=True, element="f16")), SIZES),
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
