# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformer-XL's position term, as XLNet and the Conformer have it too.

Source: Transformer-XL (Dai et al. 2019), mem_transformer
RelPartialLearnableMultiHeadAttn; XLNet (Yang et al. 2019); Conformer (Gulati et
al. 2020), transformers Wav2Vec2ConformerSelfAttention.
"""

from __future__ import annotations

import numpy as np

from .positions import coordinates


def zero_row(rows: str, keys: int) -> int:
    """The row of relative position i - j = 0; row zero_row - (i - j) is that of i - j.

    rows: "transformer_xl" (Lk - 1 down to 0), "xlnet" (from Lk down) or "conformer"
    (Lk - 1 down to -(Lk - 1)). Raises ValueError for another.
    """
    if rows not in ("transformer_xl", "xlnet", "conformer"):
        raise ValueError(f"rows is {rows!r}; it must be transformer_xl, xlnet or conformer")
    return keys if rows == "xlnet" else keys - 1


def bias(
    query: np.ndarray,
    relative: np.ndarray,
    keys: int,
    *,
    rows: str,
    query_bias: np.ndarray | None,
    offset: int,
) -> np.ndarray:
    """(q_i + v) . r[row of i - j], not scaled; i is the query's index plus `offset`.

    query: [B, H, Lq, D]; relative: [R, D] or [H, R, D]; query_bias: [H, D].
    Where the table has no row of that number the nearest is read: libraries shift
    rows of neighboring queries in there, and mask it.

    Returns float64 [B, H, Lq, Lk].
    """
    query = np.asarray(query, np.float64)
    if query_bias is not None:
        query = query + np.asarray(query_bias, np.float64)[:, np.newaxis]
    i, j = coordinates(query.shape[2], keys, offset)
    row = np.clip(zero_row(rows, keys) - (i - j), 0, relative.shape[-2] - 1)
    scores = query @ np.swapaxes(np.asarray(relative, np.float64), -1, -2)
    return scores[:, :, np.arange(query.shape[2])[:, np.newaxis], row]
