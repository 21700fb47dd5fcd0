# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structured masks alone and in pairs, fused and unfused, against float64."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_attention import Graph, Sizes
from encoding_parts import DOCUMENTS, TRIANGLE, alibi, causal, padding, window
from mask_parts import GLOBALS, IMAGES, PREFIX, blocks, chunks, packed_documents, tree, union
from test_execution_masking import visible

# Small, a decode step, more rows than keys, prefill, prefill of many blocks, a ragged batch.
SIZES = [Sizes(2, 5, 7), Sizes(1, 1, 300), Sizes(2, 17, 3), Sizes(1, 65, 129), Sizes(2, 130, 130),
         Sizes(3, 3, 70)]  # fmt: skip
SELF = [Sizes(2, 7, 7), Sizes(1, 1, 1), Sizes(1, 130, 130), Sizes(2, 65, 65)]

MHA = {"heads": 2, "kv_heads": 2}
MQA = {"heads": 3, "kv_heads": 1}

# Each with a mask of another kind, over MHA, GQA (4 heads, 2 key heads) and MQA.
GRAPHS = {
    "prefix_window": Graph((PREFIX, window(50, 40)), logsumexp=True, **MHA),
    "images_padding": Graph((IMAGES, padding()), **MQA),
    "chunks_causal_padding": Graph((chunks(48), causal("bottom_right"), padding(shortest=1))),
    "dilated": Graph((window(6, 3, offset=1, dilation=5),), logsumexp=True, **MQA),
    "longformer": Graph((union(window(3, 3), GLOBALS), padding()), logsumexp=True),
    "longformer_dilated": Graph((union(window(9, 0, dilation=3), GLOBALS), TRIANGLE), **MQA),
    "sinks_and_window": Graph((union(padding(), window(20, 0)), TRIANGLE), **MHA),
    "three": Graph((union(window(9, 0), GLOBALS, DOCUMENTS), alibi(4))),
    "tree": Graph((tree(packed=False),), logsumexp=True),
    "tree_bits_alibi": Graph((tree(packed=True), alibi(3)), **MQA),
    "blocks": Graph((blocks(4, 64, 64),), logsumexp=True),
    "small_blocks_causal": Graph((blocks(2, 16, 24), causal(2)), **MHA),
    "blocks_documents": Graph((blocks(3, 128, 48), DOCUMENTS), logsumexp=True, **MQA),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_fused(name: str) -> None:
    graph = GRAPHS[name]
    for sizes in SIZES:
        graph.check(sizes)
    if graph.logsumexp:
        for sizes in (Sizes(2, 1, 300), Sizes(1, 66, 130)):
            check_unseen_keys(graph, sizes)


# Every op once.
@pytest.mark.parametrize(
    "name", ["prefix_window", "images_padding", "chunks_causal_padding", "longformer_dilated",
             "tree", "tree_bits_alibi", "small_blocks_causal"],
)  # fmt: skip
def test_unfused(name: str) -> None:
    for sizes in SIZES:
        GRAPHS[name].check(sizes, fuse=False)


def check_unseen_keys(graph: Graph, sizes: Sizes) -> None:
    """The same bits, and zeros in a row without a key, whatever keys hold that no row sees."""
    (q, k, v), extra = graph.draw(sizes)
    arguments = [argument for part in graph.parts for argument, _ in part.arguments]
    # Some of the keys, at least, must be hidden from every row.
    for argument, array in zip(arguments, [array for arrays in extra for array in arrays]):
        if argument == "query_global":
            array[:] = False
        elif argument == "blocks":
            array[..., -1] = False
    hidden = ~visible(graph, sizes, extra)
    assert hidden.any() or "prefixes" in arguments
    hidden = np.repeat(hidden[:, None, :, None], graph.kv_heads, axis=1)
    clean = graph.call((q, k, v), extra)
    expected = graph.expected(sizes, (q, k, v), extra)
    expected.compare(clean, 2e-6)
    for poison in (np.nan, np.inf):
        dirty = graph.call((q, np.where(hidden, poison, k), np.where(hidden, poison, v)), extra)
        for a, b in zip(clean, dirty):
            np.testing.assert_array_equal(a, b)
    empty = np.isneginf(expected.logsumexp)
    assert (clean[0][empty] == 0).all() and np.isneginf(clean[1][empty]).all()


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_packed_documents(fuse: bool) -> None:
    """Ids and positions from one list of boundaries: a mask, and rotations that restart."""
    graph = Graph((packed_documents(Graph()), TRIANGLE))
    for sizes in SELF:
        for seed in range(2):
            graph.check(sizes, fuse=fuse, seed=seed)
