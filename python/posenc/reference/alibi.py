# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ALiBi: a bias that falls linearly with distance, one slope a query head.

Source: Train Short, Test Long (Press et al. 2022) and its get_slopes. Slopes
belong to query heads, also under grouped-query attention.
"""

from __future__ import annotations

import numpy as np

from . import checks
from .positions import coordinates


def slopes(heads: int, *, max_bias: float = 8.0) -> np.ndarray:
    """The slope of every head.

    heads = n a power of two: 2^(-max_bias (h + 1) / n), h = 0 ... n - 1.
    Otherwise, with p the largest power of two below n: the slopes of p heads,
    then the first n - p of the entries 0, 2, 4, ... of the slopes of 2p heads
    (so they are not sorted).

    Returns float64 [heads]. Raises ValueError for heads < 1.
    """
    checks.positive("heads", heads)
    power = 1 << (heads.bit_length() - 1)
    result = _geometric(power, max_bias)
    if power < heads:
        between = _geometric(2 * power, max_bias)[0::2]
        result = np.concatenate([result, between[: heads - power]])
    return result


def bias(
    head_slopes: np.ndarray,
    queries: int,
    keys: int,
    *,
    offset: int | np.ndarray,
    symmetric: bool,
) -> np.ndarray:
    """slope * (j - i), or -slope * |j - i| when symmetric.

    i is the query's index plus `offset` (the key coordinate of query 0; a
    scalar, or [B]), j the key's index. The plain form is meant for causal
    attention, where j <= i; above the diagonal it is positive.
    It is added to the scores after they are scaled (BLOOM, MPT; Falcon scales
    the bias too).

    head_slopes: [H]. Returns float64 [H, Lq, Lk], or [B, H, Lq, Lk] for offsets
    [B].
    """
    i, j = coordinates(queries, keys, offset)
    return _bias(head_slopes, j - i, symmetric)


def bias_at(
    head_slopes: np.ndarray,
    query_positions: np.ndarray,
    key_positions: np.ndarray,
    *,
    symmetric: bool,
) -> np.ndarray:
    """`bias` for given positions.

    query_positions [Lq] and key_positions [Lk] give [H, Lq, Lk]; [B, Lq] and
    [B, Lk] give [B, H, Lq, Lk].
    """
    query_positions = np.asarray(query_positions)[..., :, np.newaxis]
    key_positions = np.asarray(key_positions)[..., np.newaxis, :]
    distance = key_positions - query_positions
    if distance.ndim == 3:
        distance = distance[:, np.newaxis]
    return _bias(head_slopes, distance, symmetric)


def two_sided_bias(
    earlier_slopes: np.ndarray,
    later_slopes: np.ndarray,
    queries: int,
    keys: int,
    *,
    offset: int | np.ndarray,
) -> np.ndarray:
    """-slope * |j - i|, with slopes of their own for keys after the query, [H] each.

    Returns as `bias`.
    """
    i, j = coordinates(queries, keys, offset)
    both = [_bias(slopes, j - i, True) for slopes in (earlier_slopes, later_slopes)]
    return np.where(j > i, both[1], both[0])


def _geometric(count: int, max_bias: float) -> np.ndarray:
    """2^(-max_bias (h + 1) / count), h = 0 ... count - 1."""
    return np.exp2(-max_bias * np.arange(1, count + 1, dtype=np.float64) / count)


def _bias(head_slopes: np.ndarray, distance: np.ndarray, symmetric: bool) -> np.ndarray:
    """slope * distance with heads as the axis before [Lq, Lk]."""
    head_slopes = np.asarray(head_slopes, dtype=np.float64)
    distance = distance.astype(np.float64)
    if symmetric:
        distance = -np.abs(distance)
    return head_slopes[:, np.newaxis, np.newaxis] * distance
