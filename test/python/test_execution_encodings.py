# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled graphs, fused and unfused, against float64: biases, masks and what composes of them."""

from __future__ import annotations

import pytest
from compiled_attention import Graph, Sizes
from encoding_parts import (
    DOCUMENTS,
    TRIANGLE,
    alibi,
    bucketed,
    causal,
    dense,
    padding,
    sinks,
    soft_cap,
    window,
)

SIZES = [Sizes(2, 5, 7), Sizes(1, 1, 65), Sizes(3, 17, 3), Sizes(1, 65, 129), Sizes(2, 70, 70)]

GRAPHS = {
    "no_encoding": Graph(logsumexp=True),
    "triangle": Graph((TRIANGLE,), logsumexp=True),
    "causal_bottom_right": Graph((causal("bottom_right"),)),
    "causal_negative": Graph((causal(-3),), logsumexp=True),
    "causal_cached": Graph((causal(4),)),
    "window_both": Graph((window(3, 2),)),
    "window_left": Graph((window(2, None, offset=1),)),
    "window_right": Graph((window(None, 40, offset=-30),), logsumexp=True),
    "padding_right": Graph((padding(),), logsumexp=True),
    "padding_left": Graph((padding("left", shortest=1),)),
    "documents": Graph((DOCUMENTS,), logsumexp=True),
    "causal_documents_window": Graph((TRIANGLE, DOCUMENTS, window(20, 0))),
    "padded_causal_alibi": Graph((causal("bottom_right"), padding(), alibi(4))),
    "alibi_6": Graph((alibi(6),), heads=6),
    "alibi_8": Graph((alibi(8, offset=5),), heads=8),
    "alibi_12": Graph((alibi(12, symmetric=True),), heads=12, kv_heads=4),
    "alibi_slopes": Graph((alibi(4, slopes=True, symmetric=True),)),
    "t5_encoder": Graph((bucketed(4, bidirectional=True),), scale=1.0),
    "t5_decoder": Graph((bucketed(4, bidirectional=False, offset=2), causal(2)), scale=1.0),
    "bias_bhij": Graph((dense("f32", "bhij", 4),), logsumexp=True),
    "bias_hij": Graph((dense("f32", "hij", 4),)),
    "bias_bj": Graph((dense("f32", "bj", 4),)),
    "bias_i": Graph((dense("f32", "i", 4),)),
    "mask_bhij": Graph((dense("i1", "bhij", 4),), logsumexp=True),
    "mask_ij": Graph((dense("i1", "ij", 4),)),
    "mask_bj": Graph((dense("i1", "bj", 4),)),
    "mask_and_bias": Graph((dense("i1", "bij", 4), dense("f32", "hij", 4), TRIANGLE)),
    "soft_cap": Graph((soft_cap(2.0), TRIANGLE), logsumexp=True),
    "soft_cap_then_bias": Graph((soft_cap(2.0), alibi(4), TRIANGLE)),
    "sinks": Graph((sinks(4), causal(-3)), logsumexp=True),
    "average": Graph((dense("i1", "bhij", 4),), empty_rows="average"),
}


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("name", GRAPHS)
def test_encoding(name: str, fuse: bool) -> None:
    for sizes in SIZES:
        GRAPHS[name].check(sizes, fuse=fuse)
