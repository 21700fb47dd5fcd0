# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T5's bias: a table read by the logarithmic bucket of the distance.

Source: Exploring the Limits of Transfer Learning (Raffel et al. 2020) and its
code, mesh_tensorflow _relative_position_bucket.
"""

from __future__ import annotations

import numpy as np

from .positions import coordinates


def bucket_starts(num_buckets: int, max_distance: int, *, bidirectional: bool) -> list[int]:
    """The least distance of every bucket of one direction.

    With nb buckets a direction and me = nb // 2, distances n < me have a bucket
    each; from me on the bucket is me + trunc(ln(n / me) / ln(D / me) (nb - me)),
    at most nb - 1, D = max_distance. Bucket me + t therefore starts at the least
    n with (n / me)^(nb - me) >= (D / me)^t, which is compared here in integers,
    so that no rounding of a logarithm moves a threshold.

    Returns [nb] integers, ascending; equal neighbors are buckets that nothing
    falls into (the later one wins).
    Raises ValueError for an odd num_buckets with both directions, fewer than two
    buckets a direction, or a max_distance that is not above nb // 2.
    """
    if bidirectional and num_buckets % 2:
        raise ValueError(f"num_buckets is {num_buckets}; both directions need an even number")
    buckets = num_buckets // 2 if bidirectional else num_buckets
    exact = buckets // 2
    if exact < 1:
        raise ValueError(
            f"num_buckets is {num_buckets}; at least {4 if bidirectional else 2} are needed"
        )
    if max_distance <= exact:
        raise ValueError(
            f"max_distance is {max_distance}; it must be above {exact}, the number of "
            "distances with a bucket of their own"
        )
    power = buckets - exact
    starts = list(range(exact))
    for step in range(power):
        threshold = max_distance**step * exact ** (power - step)
        low, high = exact, max_distance
        while low < high:
            middle = (low + high) // 2
            if middle**power >= threshold:
                high = middle
            else:
                low = middle + 1
        starts.append(low)
    return starts


def buckets(
    relative_position: np.ndarray,
    num_buckets: int,
    max_distance: int,
    *,
    bidirectional: bool,
) -> np.ndarray:
    """The bucket of every relative position r = key - query.

    bidirectional: the distance is |r|, and keys after the query (r > 0) use the
    upper half of the buckets. Otherwise the distance is max(-r, 0): keys after
    the query share bucket 0.

    relative_position: any shape, integers. Returns int64 of that shape.
    Raises ValueError as `bucket_starts`.
    """
    starts = bucket_starts(num_buckets, max_distance, bidirectional=bidirectional)
    relative_position = np.asarray(relative_position, dtype=np.int64)
    if bidirectional:
        distance = np.abs(relative_position)
        first = np.where(relative_position > 0, num_buckets // 2, 0)
    else:
        distance = np.maximum(-relative_position, 0)
        first = np.zeros_like(relative_position)
    return first + np.searchsorted(starts, distance, side="right") - 1


def bias(
    table: np.ndarray,
    queries: int,
    keys: int,
    *,
    max_distance: int,
    bidirectional: bool,
    offset: int | np.ndarray,
) -> np.ndarray:
    """table[bucket(j - i), h], i the query's index plus `offset`.

    table: [num_buckets, H], row-major. T5 adds it to scores that are not scaled
    by 1/sqrt(D) (MPNet and WavLM scale theirs): that is the caller's `scale`.

    Returns float64 [H, Lq, Lk], or [B, H, Lq, Lk] for offsets [B].
    Raises ValueError as `bucket_starts`.
    """
    table = np.asarray(table, dtype=np.float64)
    i, j = coordinates(queries, keys, offset)
    relative_position = j - i
    if relative_position.ndim == 4:
        relative_position = relative_position[:, 0]
    index = buckets(relative_position, table.shape[0], max_distance, bidirectional=bidirectional)
    return np.moveaxis(table[index], -1, -3)


def wavlm_gate(
    x: np.ndarray, weight: np.ndarray, linear_bias: np.ndarray, constant: np.ndarray
) -> np.ndarray:
    """WavLM's gate of every row: its biases are multiplied by a (b constant - 1) + 2.

    x: [B, H, L, D], the layer's input split into heads; weight [8, D] and
    linear_bias [8] give eight numbers, of which each half is summed and put
    through a sigmoid: a, b. constant: [H]. Returns float64 [B, H, L].
    Source: WavLM (Chen et al. 2022).
    """
    numbers = np.asarray(x, dtype=np.float64) @ np.asarray(weight, dtype=np.float64).T + linear_bias
    halves = numbers.reshape(*numbers.shape[:-1], 2, 4).sum(axis=-1)
    a, b = np.moveaxis(1 / (1 + np.exp(-halves)), -1, 0)
    return a * (b * np.asarray(constant, dtype=np.float64)[:, np.newaxis] - 1) + 2
