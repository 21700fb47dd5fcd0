# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bias read from a table by distance, and the perceptron that may compute one.

Sources: Self-Attention with Relative Position Representations (Shaw et al.
2018), with a number instead of a vector for each distance; CrossFormer (Wang et
al. 2022) and x-transformers DynamicPositionBias.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import checks
from .positions import coordinates


def bias(
    table: np.ndarray,
    queries: int,
    keys: int,
    *,
    origin: int,
    sign: str,
    outside: str,
    offset: int | np.ndarray,
) -> np.ndarray:
    """table[origin + r, h], r = j - i ("key_minus_query") or i - j ("query_minus_key").

    Query i stands at i + offset (a scalar, or [B]). outside: rows that the table
    does not have are the nearest one ("clip"), or the bias is 0 ("zero").

    table: [N, H]. Returns float64 [H, Lq, Lk], or [B, H, Lq, Lk] for offsets [B].
    Raises ValueError for an unknown choice or an empty table.
    """
    checks.one_of("sign", sign, ("key_minus_query", "query_minus_key"))
    checks.one_of("outside", outside, ("clip", "zero"))
    table = np.asarray(table, dtype=np.float64)
    checks.positive("the table's number of rows", table.shape[0])
    i, j = coordinates(queries, keys, offset)
    row = origin + (j - i if sign == "key_minus_query" else i - j)
    if row.ndim == 4:
        row = row[:, 0]
    result = table[np.clip(row, 0, table.shape[0] - 1)]
    if outside == "zero":
        inside = (row >= 0) & (row < table.shape[0])
        result = np.where(inside[..., np.newaxis], result, 0.0)
    return np.moveaxis(result, -1, -3)


def dynamic_table(
    layers: Sequence[tuple[np.ndarray, np.ndarray]], distances: np.ndarray, *, log_distance: bool
) -> np.ndarray:
    """The table of a dynamic position bias: a perceptron of each distance.

    layers: weight [out, in] and bias [out]; SiLU between them. log_distance:
    of sign(d) ln(1 + |d|) instead of the distance d.
    Returns float64 [distances, heads].
    """
    x = np.asarray(distances, dtype=np.float64)[:, np.newaxis]
    if log_distance:
        x = np.sign(x) * np.log(1 + np.abs(x))
    for number, (weight, layer_bias) in enumerate(layers):
        if number:
            x = x / (1 + np.exp(-x))
        x = x @ np.asarray(weight, dtype=np.float64).T + layer_bias
    return x
