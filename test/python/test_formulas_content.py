# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element formulas of encodings that queries and keys decide, against the float64 reference."""

from __future__ import annotations

import numpy as np
import pytest

from formulas import evaluate
from posenc.reference import decomposed_2d, disentangled, shaw, transformer_xl
from test_formulas import check, grid
from tools import FLOATS, NUMPY


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


# Products of numbers on a grid are exact, and so are their sums here: one rounding is left.
@pytest.mark.parametrize("outside", ["clip", "zero", "error"])
@pytest.mark.parametrize("relative", ["key_minus_query", "query_minus_key"])
def test_shaw(rng: np.random.Generator, relative: str, outside: str) -> None:
    query, key = grid(rng, (2, 4, 5, 3)), grid(rng, (2, 2, 7, 3))
    for table, left in ((grid(rng, (4, 3)), 1), (grid(rng, (4, 6, 3)), 5)):
        actual = evaluate(
            "posenc.shaw query({q} : {q.type}) key({k} : {k.type}) table({t} : {t.type}) "
            f"offset({{o}}) relative(<{relative}>) outside(<{outside}>) {{{{left = {left} : i64}}}} "
            ": tensor<2x4x5x7xf32>",
            q=query, k=key, t=table, o=1,
        )  # fmt: skip
        vectors = shaw.embeddings(
            table, 5, 7, left=left, relative=relative, offset=1,
            outside="zero" if outside == "zero" else "clip",
        )  # fmt: skip
        check(actual, shaw.bias(vectors, query=query, key=np.repeat(key, 2, axis=1)))


def test_shaw_raises_past_its_table(rng: np.random.Generator) -> None:
    for length in (3, 4):
        options = {"left": 2, "relative": "key_minus_query", "outside": "error", "offset": 0}
        if length == 3:
            shaw.embeddings(grid(rng, (5, 2)), length, length, **options)
        else:
            with pytest.raises(IndexError, match="need rows -1 to 5 of 5"):
                shaw.embeddings(grid(rng, (5, 2)), length, length, **options)


# DeBERTa's, then a few small ones: spans of a bucket, of less, and where M - 1 is a power.
@pytest.mark.parametrize(
    "size, most, rows",
    [
        (256, 512, 512),
        (8, 16, 16),
        (4, 4, 8),
        (32, 128, 64),
        (6, 65536, 12),
        (8, 33, 16),
        (8, 16, 6),
    ],
)
def test_log_buckets(size: int, most: int, rows: int) -> None:
    """The table's row is its number, so that the bias is the row that was read."""
    table = np.arange(rows, dtype=np.float32)[:, np.newaxis]
    distances = sorted({0, 1, size // 2, size // 2 + 1, size, most - 2, most - 1, most, 3 * most})
    for offset in (sign * distance for distance in distances for sign in (1, -1)):
        actual = evaluate(
            "posenc.disentangled query({q} : {q.type}) pos_key({t} : {t.type}) offset({o}) "
            f"buckets(<logarithmic>) {{{{bucket_size = {size} : i64, max_position = {most} : i64}}}} "
            ": tensor<1x1x1x3xf32>",
            q=np.ones((1, 1, 1, 1), np.float32), t=table, o=offset + 1,
        )  # fmt: skip
        index = disentangled.rows(
            1, 3, span=rows // 2, bucket_size=size, max_position=most, offset=offset + 1
        )
        check(actual[0, 0], index.astype(np.float64), roundings=0)


@pytest.mark.parametrize("storage", FLOATS)
def test_disentangled(rng: np.random.Generator, storage: str) -> None:
    dtype = NUMPY[storage]
    query, key = grid(rng, (2, 4, 5, 3), dtype), grid(rng, (2, 2, 7, 3), dtype)
    pos_key, pos_query = grid(rng, (6, 3), dtype), grid(rng, (4, 6, 3), dtype)
    actual = evaluate(
        "posenc.disentangled query({q} : {q.type}) pos_key({a} : {a.type}) key({k} : {k.type}) "
        "pos_query({b} : {b.type}) offset({o}) buckets(<identity>) : tensor<2x4x5x7xf32>",
        q=query, a=pos_key, k=key, b=pos_query, o=2,
    )  # fmt: skip
    index = disentangled.rows(5, 7, span=3, bucket_size=None, max_position=None, offset=2)
    query, key, pos_key, pos_query = (
        x.astype(np.float64) for x in (query, key, pos_key, pos_query)
    )
    expected = disentangled.bias(
        index, query=query, pos_key=pos_key, key=np.repeat(key, 2, axis=1), pos_query=pos_query
    )
    check(actual, expected)


@pytest.mark.parametrize("rows, count", [("transformer_xl", 7), ("xlnet", 8), ("xlnet", 12)])
@pytest.mark.parametrize("biased", [False, True])
def test_transformer_xl(rng: np.random.Generator, rows: str, count: int, biased: bool) -> None:
    query, relative = grid(rng, (2, 4, 5, 3)), grid(rng, (4, count, 3))
    bias = grid(rng, (4, 3))
    actual = evaluate(
        "posenc.transformer_xl query({q} : {q.type}) "
        f"{'query_bias({v} : {v.type})' if biased else ''} "
        f"relative({{r}} : {{r.type}}) offset({{o}}) rows(<{rows}>) : tensor<2x4x5x7xf32>",
        q=query, r=relative, o=2, **({"v": bias} if biased else {}),
    )  # fmt: skip
    expected = transformer_xl.bias(
        query, relative, 7, rows=rows, query_bias=bias if biased else None, offset=2
    )
    check(actual, expected)


def test_conformer(rng: np.random.Generator) -> None:
    query, relative = grid(rng, (1, 2, 5, 3)), grid(rng, (9, 3))
    actual = evaluate(
        "posenc.transformer_xl query({q} : {q.type}) relative({r} : {r.type}) rows(<conformer>) "
        ": tensor<1x2x5x5xf32>",
        q=query, r=relative,
    )  # fmt: skip
    check(
        actual,
        transformer_xl.bias(query, relative, 5, rows="conformer", query_bias=None, offset=0),
    )


@pytest.mark.parametrize("class_token", [False, True])
@pytest.mark.parametrize(
    "query_grid, key_grid", [((2, 3), (2, 3)), ((4, 2), (2, 1)), ((2, 3), (5, 4))]
)
def test_decomposed_2d(
    rng: np.random.Generator,
    query_grid: tuple[int, int],
    key_grid: tuple[int, int],
    class_token: bool,
) -> None:
    tokens = [grid_[0] * grid_[1] + class_token for grid_ in (query_grid, key_grid)]
    query = grid(rng, (2, 3, tokens[0], 3))
    rel_h, rel_w = (grid(rng, (2 * max(sizes) - 1, 3)) for sizes in zip(query_grid, key_grid))
    actual = evaluate(
        "posenc.decomposed_2d query({q} : {q.type}) rel_h({h} : {h.type}) rel_w({w} : {w.type}) "
        f"query_grid({list(query_grid)}) key_grid({list(key_grid)}) "
        f"{'class_token' if class_token else ''} "
        f": tensor<2x3x{tokens[0]}x{tokens[1]}xf32>",
        q=query, h=rel_h, w=rel_w,
    )  # fmt: skip
    expected = decomposed_2d.bias(
        query, rel_h, rel_w, query_grid=query_grid, key_grid=key_grid, class_token=class_token
    )
    check(actual, expected)
