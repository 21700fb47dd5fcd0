# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element formulas of grids, and of the mask of a ring, against their oracles."""

from __future__ import annotations

import numpy as np
import pytest

from formulas import evaluate
from posenc.reference import cache_append, learned_2d, ring, sinusoidal_2d
from test_formulas import check, grid
from tools import FLOATS, NUMPY


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.mark.parametrize("order", ["axes_apart", "functions_apart", "interleaved"])
@pytest.mark.parametrize("first", ["row", "column"])
@pytest.mark.parametrize("width", [4, 8, 12])
def test_sinusoidal_2d(first: str, order: str, width: int) -> None:
    actual = evaluate(
        f"posenc.sinusoidal_2d first(<{first}>) order(<{order}>) {{{{base = 100.0 : f64, axis_scale = array<f64: 0.75, 2.0>}}}} "
        f": tensor<3x5x{width}xf32>"
    )
    expected = sinusoidal_2d.sinusoidal_2d(3, 5, width, first=first, order=order, base=100.0,
                                           axis_scale=(0.75, 2.0))
    check(actual, expected)


RESIZES = {
    "bicubic antialias": {"interpolation": "bicubic", "antialias": True},
    "bicubic": {"interpolation": "bicubic"},
    "bicubic align_corners": {"interpolation": "bicubic", "align_corners": True},
    "bilinear antialias": {"interpolation": "bilinear", "antialias": True},
    "bilinear": {"interpolation": "bilinear"},
    "bilinear align_corners": {"interpolation": "bilinear", "align_corners": True},
}


@pytest.mark.parametrize("grids", [((4, 4), (6, 5)), ((7, 5), (2, 3)), ((3, 1), (1, 4))])
@pytest.mark.parametrize("prefix", [0, 2])
@pytest.mark.parametrize("rule", RESIZES)
def test_learned_2d(rng: np.random.Generator, rule: str, prefix: int, grids: tuple) -> None:
    old, new = grids
    interpolation, *flags = rule.split()
    table = grid(rng, (prefix + old[0] * old[1], 3))
    actual = evaluate(
        f"posenc.learned_2d {{t}} interpolation(<{interpolation}>) {' '.join(flags)} "
        f"{{{{grid = array<i64: {old[0]}, {old[1]}>, new_grid = array<i64: {new[0]}, {new[1]}>, "
        f"prefix_tokens = {prefix} : i64}}}} "
        f": {{t.type}} -> tensor<{prefix + new[0] * new[1]}x3xf32>",
        t=table,
    )
    expected = learned_2d.learned_2d(table, old, new, prefix_tokens=prefix, **RESIZES[rule])
    # Each weight was rounded to f32, two for a product.
    check(actual, expected, roundings=8)


@pytest.mark.parametrize("storage", FLOATS)
def test_learned_2d_stored(rng: np.random.Generator, storage: str) -> None:
    table = grid(rng, (5, 3), NUMPY[storage])
    actual = evaluate(
        "posenc.learned_2d {t} interpolation(<bilinear>) {{grid = array<i64: 2, 2>, "
        f"new_grid = array<i64: 4, 4>, prefix_tokens = 1 : i64}}}} : {{t.type}} -> "
        f"tensor<17x3x{storage}>",
        t=table,
    )
    options = {"prefix_tokens": 1, "interpolation": "bilinear"}
    check(actual, learned_2d.learned_2d(table, (2, 2), (4, 4), **options))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("left", [None, 0, 2])
@pytest.mark.parametrize("rows", [1, 3])
def test_ring(dtype: type, left: int | None, rows: int) -> None:
    lengths = np.array([0, 2, 5, 11, 100], dtype)
    operands = {} if left is None else {"n": left}
    actual = evaluate(
        f"posenc.ring lengths({{l}} : {{l.type}}) {'' if left is None else 'left({n})'} "
        f": tensor<5x1x{rows}x5xi1>",
        l=lengths,
        **operands,
    )
    np.testing.assert_array_equal(actual, ring.ring(lengths, rows, 5, left=left))


def test_a_ring_is_what_appending_leaves() -> None:
    """Slots hold the positions that cache_append wrote there."""
    cache = np.full((2, 1, 5, 1), -1.0)
    lengths = np.zeros(2, np.int64)
    for count in (3, 2, 1, 4):
        rows = (lengths[:, None] + np.arange(count)).astype(float)[:, None, :, None]
        cache = cache_append.cache_append(cache, rows, lengths, ring=True)
        np.testing.assert_array_equal(cache[:, 0, :, 0], ring.held(lengths, count, 5))
        lengths += count
