# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DeBERTa's disentangled attention: content to position and position to content.

Source: DeBERTa (He et al. 2021) and its code; transformers deberta (v1) and
deberta_v2 (v2, v3; make_log_bucket_position).
"""

from __future__ import annotations

import numpy as np

from .positions import coordinates


def log_buckets(relative: np.ndarray, bucket_size: int, max_position: int) -> np.ndarray:
    """b(r): r itself up to mid = bucket_size // 2 on either side, logarithmic beyond.

    Beyond, it is sign(r) (mid + ceil(ln(|r| / mid) / ln((M - 1) / mid) (mid - 1))),
    M = max_position, which is not bounded. The ceiling is the least t with
    |r|^(mid - 1) mid^t <= (M - 1)^t mid^(mid - 1), compared here in integers.

    relative: any shape, integers. Returns int64 of that shape.
    Raises ValueError for a bucket_size below 4 or a max_position below it.
    """
    if bucket_size < 4 or max_position < bucket_size:
        raise ValueError(
            f"bucket_size is {bucket_size} and max_position {max_position}; "
            "at least 4 and no less than that are needed"
        )
    mid = bucket_size // 2
    relative = np.asarray(relative, dtype=np.int64)
    distances = np.unique(np.abs(relative))
    buckets = []
    step = 0
    for distance in map(int, distances):
        if distance <= mid:
            buckets.append(distance)
            continue
        while distance ** (mid - 1) * mid**step > (max_position - 1) ** step * mid ** (mid - 1):
            step += 1
        buckets.append(mid + step)
    found = np.array(buckets, np.int64)[np.searchsorted(distances, np.abs(relative))]
    return np.sign(relative) * found


def rows(
    queries: int,
    keys: int,
    *,
    span: int,
    bucket_size: int | None,
    max_position: int | None,
    offset: int,
) -> np.ndarray:
    """c(i, j) = clip(b(i - j) + span, 0, 2 span - 1), the row both terms read: [Lq, Lk].

    bucket_size, max_position: of the logarithmic buckets; None where b is the identity.
    """
    i, j = coordinates(queries, keys, offset)
    bucket = i - j
    if bucket_size is not None and max_position is not None:
        bucket = log_buckets(bucket, bucket_size, max_position)
    return np.clip(bucket + span, 0, 2 * span - 1)


def bias(
    index: np.ndarray,
    *,
    query: np.ndarray | None = None,
    pos_key: np.ndarray | None = None,
    key: np.ndarray | None = None,
    pos_query: np.ndarray | None = None,
) -> np.ndarray:
    """q_i . P_k[c] + k_j . P_q[c], either or both, not scaled.

    index: c, of `rows`. query [B, Hq, Lq, D] with pos_key, key [B, Hkv, Lk, D] with
    pos_query; tables [R, D] or [Hq, R, D]. Returns float64 [B, Hq, Lq, Lk].
    """
    total: np.ndarray | float = 0.0
    queries, keys = index.shape
    if query is not None and pos_key is not None:
        products = query @ np.swapaxes(np.asarray(pos_key, np.float64), -1, -2)
        total = total + products[:, :, np.arange(queries)[:, np.newaxis], index]
    if key is not None and pos_query is not None:
        pos_query = np.asarray(pos_query, np.float64)
        heads = query.shape[1] if query is not None else key.shape[1]
        if pos_query.ndim == 3:
            heads = pos_query.shape[0]
        products = np.repeat(key, heads // key.shape[1], axis=1) @ np.swapaxes(pos_query, -1, -2)
        total = total + products[:, :, np.arange(keys), index]
    return np.asarray(total)
