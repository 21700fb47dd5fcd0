# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled graphs with learned and computed biases, fused and unfused, against float64.

Several biases share a graph: what each adds alone is told by the formula tests.
"""

from __future__ import annotations

import pytest
from bias_parts import (
    alibi_shard,
    alibi_two_sided,
    dynamic,
    fire,
    forgetting,
    gated,
    kerple,
    logit_scale,
    relative,
    sandwich,
    swin,
    swin_v2,
)
from compiled_attention import Graph, Sizes
from encoding_parts import causal, dense, padding, sinks, soft_cap

SIZES = [Sizes(2, 5, 7), Sizes(1, 1, 65), Sizes(3, 17, 3), Sizes(1, 65, 129), Sizes(2, 70, 70)]
WINDOW = [Sizes(5, 6, 6), Sizes(1, 6, 6)]

GRAPHS = {
    "kerple_log_causal": (Graph((kerple(6, "log", later_keys="zero", offset=2), causal(2)), heads=6), SIZES),
    "kerple_power_two_sided": (
        Graph((kerple(4, "power", later_keys="symmetric"), alibi_two_sided(4, offset=3), padding()), logsumexp=True),
        SIZES),
    "sandwich_forgetting": (Graph((sandwich(4, 16, offset=1), forgetting(4, bidirectional=False, offset=1), causal(1)),
                                  kv_heads=1), SIZES),
    "fire_causal": (Graph((fire(4, 12, first=1, offset=1), causal("bottom_right"))), SIZES),
    "fire_gated": (Graph((fire(4, 5, first=0), gated(4)), kv_heads=4), SIZES),
    "forgetting_both_ways": (Graph((forgetting(4, bidirectional=True), alibi_shard(4, total=6, first=2)),
                                   element="f16"), SIZES),
    "relative_clip": (Graph((soft_cap(3.0), sinks(4), relative(4, 33, sign="key_minus_query", outside="clip",
                                                               origin=16, element="bf16", offset=1)),
                            element="bf16"), SIZES),
    "relative_zero": (Graph((relative(4, 9, sign="query_minus_key", outside="zero", origin=4), causal(0)),
                            logsumexp=True), SIZES),
    "dynamic": (Graph((dynamic(4, 8),)), SIZES),
    "swin_shifted": (Graph((swin(4, (2, 3)), dense("i1", "bij", 4))), WINDOW),
    "swin_table": (Graph((logit_scale(4), swin(4, (2, 3))), static=Sizes(3, 6, 6)), [Sizes(3, 6, 6)]),
    "beit": (Graph((swin(4, (2, 3), class_token=True, element="f16"),)), [Sizes(3, 7, 7)]),
    "swin_v2": (Graph((logit_scale(4), swin_v2(4, (2, 3), 8)), scale=1.0), WINDOW),
}


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("name", GRAPHS)
def test_bias(name: str, fuse: bool) -> None:
    graph, sizes_of_calls = GRAPHS[name]
    for sizes in sizes_of_calls:
        graph.check(sizes, fuse=fuse)
