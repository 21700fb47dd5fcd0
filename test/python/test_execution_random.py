# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random combinations of encodings, masks, heads, layouts and storage, compiled and compared with float64.

Always the same ones, about a minute's worth; `make test-nightly` runs ten times as many, others each time.
"""

from __future__ import annotations

import dataclasses
import os

import bias_parts
import mask_parts
from compiled_attention import TOLERANCE, Graph, Sizes
from encoding_parts import (
    DOCUMENTS,
    TRIANGLE,
    alibi,
    bucketed,
    causal,
    padding,
    sinks,
    soft_cap,
    window,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rotary_parts import CHUNKED, STRIDED, Rotary, rotated

NIGHTLY = bool(os.environ.get("POSENC_NIGHTLY"))
EXAMPLES = 500 if NIGHTLY else 50

# Of a number of heads. What caps or adds to the denominator comes first and last.
BIASES = {
    "alibi": lambda heads: alibi(heads, offset=2),
    "alibi_two_sided": lambda heads: bias_parts.alibi_two_sided(heads),
    "t5": lambda heads: bucketed(heads, bidirectional=True, element="f16"),
    "kerple": lambda heads: bias_parts.kerple(heads, "log", later_keys="symmetric"),
    "sandwich": lambda heads: bias_parts.sandwich(heads, 8),
    "forgetting": lambda heads: bias_parts.forgetting(heads, bidirectional=True),
    "relative": lambda heads: bias_parts.relative(
        heads, 17, sign="key_minus_query", outside="clip", origin=8
    ),
}
MASKS = {
    "triangle": TRIANGLE,
    "causal": causal("bottom_right"),
    "window": window(30, 5),
    "padding": padding(),
    "documents": DOCUMENTS,
    "chunks": mask_parts.chunks(24),
    "prefix or causal": mask_parts.union(mask_parts.PREFIX, causal("bottom_right")),
    "global or window": mask_parts.union(mask_parts.GLOBALS, window(9, 9)),
}
ROTATIONS = {
    "half": Rotary(),
    "interleaved": Rotary("interleaved", count=8, positions="batch"),
    "cache": Rotary(positions="cache"),
    "dynamic_ntk": Rotary("interleaved", positions="row", scaling="dynamic_ntk"),
    "longrope": Rotary(scaling="longrope"),
    "chunked": Rotary(positions="axes", sections=CHUNKED),
    "strided": Rotary(positions="axes", sections=STRIDED),
    "xpos": Rotary("interleaved", decay=True),
}


def some(names: dict, most: int) -> st.SearchStrategy:
    return st.lists(st.sampled_from(sorted(names)), max_size=most, unique=True)


@st.composite
def graphs(draw) -> Graph:
    kv_heads, groups = draw(st.sampled_from([1, 2, 3])), draw(st.sampled_from([1, 2, 4]))
    heads = kv_heads * groups
    layout = st.sampled_from(["bhld", "blhd"])
    graph = Graph(
        heads=heads,
        kv_heads=kv_heads,
        width=draw(st.sampled_from([16, 40])),
        value_width=draw(st.sampled_from([16, 24])),
        element=draw(st.sampled_from(["f32", "f32", "f16", "bf16"])),
        layouts=tuple(draw(layout) for _ in range(4)),
        logsumexp=draw(st.booleans()),
    )
    parts = [soft_cap(20.0)] if draw(st.booleans()) else []
    parts += [BIASES[name](heads) for name in draw(some(BIASES, 2))]
    parts += [MASKS[name] for name in draw(some(MASKS, 2))]
    parts += [sinks(heads)] if draw(st.booleans()) else []
    rotations = {**ROTATIONS, "last": Rotary(count=8, first=graph.width - 8, scaling="llama3")}
    turned = draw(st.sampled_from(["", *sorted(rotations)]))
    if turned:
        # What a rotation rounds to 16 bits moves the log-sum-exp, which is f32, by more than f32's share.
        graph = dataclasses.replace(graph, logsumexp=graph.logsumexp and graph.element == "f32")
        parts.append(rotated(rotations[turned], graph))
    return dataclasses.replace(graph, parts=tuple(parts))


# Prefill, one row (decoding), more rows than keys, blocks and one more or less.
LENGTHS = st.sampled_from([(1, 1), (1, 200), (7, 65), (33, 9), (63, 64), (70, 130)])


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not NIGHTLY,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
@given(graphs(), st.lists(LENGTHS, min_size=2, max_size=3, unique=True), st.booleans())
def test_combination(graph: Graph, lengths: list[tuple[int, int]], fuse: bool) -> None:
    # A rotated query or key is rounded to its 16 bits again.
    is_rotated = any(part.query != "%q" for part in graph.parts)
    roundings = 2 if is_rotated and graph.element != "f32" else 1
    for batch, (rows, keys) in enumerate(lengths, start=1):
        sizes = Sizes(batch, rows, keys)
        graph.check(sizes, fuse=fuse, tolerance=roundings * TOLERANCE[graph.element])
