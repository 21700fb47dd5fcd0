# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bias of SAM and MViTv2: a table for distances along each axis of a grid.

Source: MViTv2 (Li et al. 2022); segment-anything add_decomposed_rel_pos and
get_rel_pos; timm mvitv2.cal_rel_pos_type.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def resize(table: np.ndarray, rows: int) -> np.ndarray:
    """Linear interpolation to `rows` rows, half-pixel centers, clamped at the ends.

    table: [R, D]. What SAM does with a table of another grid. Returns [rows, D].
    """
    table = np.asarray(table, np.float64)
    if len(table) == rows:
        return table
    at = np.clip((np.arange(rows) + 0.5) * (len(table) / rows) - 0.5, 0, len(table) - 1)
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, len(table) - 1)
    weight = (at - low)[:, np.newaxis]
    return (1 - weight) * table[low] + weight * table[high]


def axis_rows(queries: int, keys: int) -> np.ndarray:
    """t(i, j) = trunc(i max(K / Q, 1) - j max(Q / K, 1) + (K - 1) max(Q / K, 1)): [Q, K]."""
    stretch_query = max(Fraction(keys, queries), Fraction(1))
    stretch_key = max(Fraction(queries, keys), Fraction(1))
    last = (keys - 1) * stretch_key
    return np.array(
        [
            [int(i * stretch_query - j * stretch_key + last) for j in range(keys)]
            for i in range(queries)
        ]
    )


def bias(
    query: np.ndarray,
    rel_h: np.ndarray,
    rel_w: np.ndarray,
    *,
    query_grid: tuple[int, int],
    key_grid: tuple[int, int],
    class_token: bool,
) -> np.ndarray:
    """q . Rh[t_h] + q . Rw[t_w], the query not scaled; tokens of a grid row-major.

    query: [B, H, Lq, D]; rel_h, rel_w: 2 max(Q, K) - 1 rows of D, or that for every head.
    class_token: token 0 of queries and keys is none of the grid; it has no bias.

    Returns float64 [B, H, Lq, Lk].
    """
    query = np.asarray(query, np.float64)
    first = int(class_token)
    patches = query[:, :, first:]
    (query_rows, query_columns), (key_rows, key_columns) = query_grid, key_grid
    tokens = np.arange(query_rows * query_columns)
    rows, columns = tokens // query_columns, tokens % query_columns
    total: np.ndarray | float = 0.0
    for table, at, index in (
        (rel_h, rows, np.repeat(axis_rows(query_rows, key_rows), key_columns, axis=1)),
        (rel_w, columns, np.tile(axis_rows(query_columns, key_columns), key_rows)),
    ):
        products = patches @ np.swapaxes(np.asarray(table, np.float64), -1, -2)
        total = total + products[:, :, tokens[:, np.newaxis], index[at]]
    return np.pad(np.asarray(total), ((0, 0), (0, 0), (first, 0), (first, 0)))
