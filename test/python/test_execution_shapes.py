# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes, layouts, strides and storage types of compiled attention, against float64."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_attention import Graph, Sizes
from encoding_parts import TRIANGLE, causal, dense, padding

LENGTHS = (1, 2, 3, 5, 15, 16, 17, 63, 64, 65, 127, 129, 200)


@pytest.mark.parametrize("rows", LENGTHS)
def test_lengths(rows: int) -> None:
    graph = Graph((causal("bottom_right"),), heads=2, kv_heads=1, logsumexp=True)
    for keys in LENGTHS:
        graph.check(Sizes(1, rows, keys))


WIDTHS = [(width, "f32") for width in (8, 16, 24, 40, 64, 80, 96, 128, 256)]
NARROW_WIDTHS = [(8, "f16"), (24, "bf16"), (40, "f16"), (80, "bf16"), (128, "f16"), (256, "bf16")]


@pytest.mark.parametrize("width, element", WIDTHS + NARROW_WIDTHS)
def test_head_sizes(width: int, element: str) -> None:
    graph = Graph((TRIANGLE,), heads=2, kv_heads=1, width=width, value_width=width, element=element)
    for sizes in (Sizes(1, 1, 33), Sizes(2, 37, 37), Sizes(1, 5, 130)):
        graph.check(sizes)


@pytest.mark.parametrize("width, value_width", [(16, 64), (40, 24), (192, 128), (8, 1), (3, 5)])
def test_value_width_differs(width: int, value_width: int) -> None:
    graph = Graph((TRIANGLE,), heads=2, kv_heads=1, width=width, value_width=value_width)
    for sizes in (Sizes(1, 1, 33), Sizes(2, 37, 37)):
        graph.check(sizes)


@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_storage_types(element: str, fuse: bool) -> None:
    graph = Graph(
        (causal("bottom_right"), padding(shortest=1)),
        element=element,
        width=64,
        value_width=64,
        logsumexp=True,
    )
    for sizes in (Sizes(2, 1, 300), Sizes(2, 65, 100), Sizes(1, 3, 17)):
        graph.check(sizes, fuse=fuse)


@pytest.mark.parametrize("heads, kv_heads", [(4, 4), (8, 2), (8, 1), (6, 2), (7, 7)])
def test_head_groups(heads: int, kv_heads: int) -> None:
    graph = Graph((TRIANGLE,), heads=heads, kv_heads=kv_heads)
    for sizes in (Sizes(1, 1, 33), Sizes(2, 9, 9), Sizes(1, 33, 40)):
        graph.check(sizes)


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize(
    "layouts",
    [
        ("blhd",) * 4,
        ("bhld", "blhd", "bhld", "blhd"),
        ("blhd", "bhld", "bhld", "bhld"),
        ("bhld", "bhld", "blhd", "bhld"),
    ],
    ids="-".join,
)
def test_layouts(layouts: tuple[str, str, str, str], fuse: bool) -> None:
    graph = Graph((TRIANGLE, dense("f32", "bhij", 4)), layouts=layouts)
    for sizes in (Sizes(2, 1, 5), Sizes(2, 70, 70), Sizes(3, 5, 33)):
        graph.check(sizes, fuse=fuse)


@pytest.mark.parametrize(
    "sizes",
    [Sizes(0, 3, 5), Sizes(2, 0, 5), Sizes(2, 3, 0), Sizes(2, 1, 0), Sizes(0, 0, 0)],
    ids=str,
)
@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_nothing_there(sizes: Sizes, fuse: bool) -> None:
    Graph((causal("bottom_right"), padding()), logsumexp=True).check(sizes, fuse=fuse)


STRIDED = Graph((TRIANGLE, dense("f32", "bhij", 4), dense("i1", "bij", 4)))


def _spread(x: np.ndarray, steps: tuple[int, ...]) -> np.ndarray:
    """The same numbers with every outer axis `steps` apart in memory, NaN (or true) between."""
    wide = np.full(
        [extent * step for extent, step in zip(x.shape, steps)] + [x.shape[-1]],
        True if x.dtype == bool else np.nan,
        x.dtype,
    )
    view = wide[tuple(slice(None, None, step) for step in steps)]
    view[...] = x
    return view


@pytest.mark.parametrize("sizes", [Sizes(2, 1, 37), Sizes(2, 37, 37), Sizes(1, 3, 5)], ids=str)
@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_strided_inputs(sizes: Sizes, fuse: bool) -> None:
    qkv, extra = STRIDED.draw(sizes)
    expected = STRIDED.expected(sizes, qkv, extra)
    spread = [[_spread(x, (2, 3, 2)[: x.ndim - 1]) for x in arrays] for arrays in extra]
    expected.compare(STRIDED.call([_spread(x, (2, 3, 2)) for x in qkv], spread, fuse), 2e-6)
    # Token-major memory seen head-major.
    turned = [np.ascontiguousarray(x.swapaxes(1, 2)).swapaxes(1, 2) for x in qkv]
    expected.compare(STRIDED.call(turned, extra, fuse), 2e-6)


def test_reversed_rows() -> None:
    sizes = Sizes(2, 37, 37)
    qkv, extra = STRIDED.draw(sizes)
    backwards = [np.ascontiguousarray(x[:, :, ::-1])[:, :, ::-1] for x in qkv]
    STRIDED.expected(sizes, qkv, extra).compare(STRIDED.call(backwards, extra), 2e-6)


@pytest.mark.parametrize("sizes", [Sizes(2, 1, 37), Sizes(2, 37, 37)], ids=str)
def test_broadcast_inputs(sizes: Sizes) -> None:
    """Stride 0 over the batch, over heads, over keys."""
    qkv, extra = STRIDED.draw(sizes)
    q, k, v = qkv
    for axis, operands in (
        (0, [q[:1], k[:1], v[:1]]),
        (1, [q[:, :1], k[:, :1], v[:, :1]]),
        (2, [q, k[:, :, :1], v]),
    ):
        stretched = [np.broadcast_to(x, given.shape) for x, given in zip(operands, qkv)]
        STRIDED.expected(sizes, stretched, extra).compare(STRIDED.call(stretched, extra), 2e-6)
    bias = np.broadcast_to(extra[1][0][:1, :1, :1], extra[1][0].shape)
    STRIDED.expected(sizes, qkv, [[], [bias], extra[2]]).compare(
        STRIDED.call(qkv, [[], [bias], extra[2]]), 2e-6
    )


@pytest.mark.parametrize("layout", ["bhld", "blhd"])
def test_one_packed_projection(layout: str) -> None:
    """q, k and v as views of one [B, L, 3, H, D] array."""
    graph = Graph((TRIANGLE,), kv_heads=4, layouts=(layout,) * 4)
    for sizes in (Sizes(2, 1, 1), Sizes(2, 40, 40)):
        qkv, extra = graph.draw(sizes)
        packed = np.stack([x.swapaxes(1, 2) for x in qkv], axis=2)
        views = [packed[:, :, part].swapaxes(1, 2) for part in range(3)]
        graph.expected(sizes, qkv, extra).compare(graph.call(views, extra), 2e-6)


@pytest.mark.parametrize("parts", [(causal("bottom_right"),), ()], ids=["causal", "none"])
def test_a_step_is_the_last_row_of_a_pass(parts: tuple) -> None:
    graph = Graph(parts, width=64, value_width=64)
    for keys in (1, 2, 17, 64, 129, 300):
        full = Sizes(2, keys, keys)
        (q, k, v), extra = graph.draw(full)
        whole = graph.call((q, k, v), extra)
        step = Sizes(2, 1, keys)
        extra = [list(part.inputs(np.random.default_rng(0), step)) for part in parts]
        last = graph.call((q[:, :, -1:], k, v), extra)
        expected = graph.expected(step, (q[:, :, -1:], k, v), extra)
        expected.compare(last, 2e-6)
        expected.compare(whole[:, :, -1:], 2e-6)


@pytest.mark.parametrize(
    "sizes", [Sizes(1, 64, 64), Sizes(2, 13, 29), Sizes(1, 1, 70), Sizes(2, 3, 0)], ids=str
)
def test_static_sizes(sizes: Sizes) -> None:
    Graph(logsumexp=True, static=sizes).check(sizes)
