# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contextual positions: what lies between a key and the query counts by a gate.

Source: Contextual Position Encoding (Golovneva et al. 2024); x-transformers CoPE.
"""

from __future__ import annotations

import numpy as np


def bias(
    query: np.ndarray,
    key: np.ndarray,
    table: np.ndarray,
    *,
    scale: float,
    mask: np.ndarray | None,
) -> np.ndarray:
    """q_i . e[p_ij], e interpolated between the rows around p_ij.

    p_ij is the sum of the gates sigmoid(scale q_i . k_l) of the keys l from j to the
    last one, at most N - 1; keys that `mask` hides count nothing.

    query: [B, Hq, Lq, D]; key: [B, Hkv, Lk, D]; table: [N, D] or [Hq, N, D];
    mask: broadcast to [B, Hq, Lq, Lk], true = keep.

    Returns float64 [B, Hq, Lq, Lk].
    """
    query, key = np.asarray(query, np.float64), np.asarray(key, np.float64)
    key = np.repeat(key, query.shape[1] // key.shape[1], axis=1)
    gates = 1 / (1 + np.exp(-scale * (query @ key.swapaxes(-1, -2))))
    if mask is not None:
        gates = np.where(mask, gates, 0.0)
    table = np.asarray(table, np.float64)
    positions = np.cumsum(gates[..., ::-1], axis=-1)[..., ::-1]
    positions = np.minimum(positions, table.shape[-2] - 1)
    products = query @ table.swapaxes(-1, -2)
    low, high = np.floor(positions), np.ceil(positions)
    below, above = (
        np.take_along_axis(products, at.astype(np.int64), axis=-1) for at in (low, high)
    )
    return (1 - (positions - low)) * below + (positions - low) * above
