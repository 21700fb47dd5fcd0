# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chunk mask: a query sees the keys of its own chunk."""

from __future__ import annotations

import numpy as np

from . import checks
from .positions import coordinates


def chunked(
    queries: int,
    keys: int,
    *,
    chunk: int,
    offset: int | np.ndarray,
    starts: np.ndarray | None = None,
) -> np.ndarray:
    """True where query and key are of the same `chunk` tokens; causal is another mask.

    offset: the key coordinate of query 0. starts: [B], a key at which a chunk
    begins (the padding on the left in transformers), 0 if None.
    Returns bool [Lq, Lk], or [B, 1, Lq, Lk] with starts.
    Source: transformers masking_utils chunked_overlay (Llama 4).
    """
    checks.positive("chunk", chunk)
    i, j = coordinates(queries, keys, offset)
    if starts is not None:
        starts = np.asarray(starts, np.int64)[:, np.newaxis, np.newaxis, np.newaxis]
        i, j = i - starts, j - starts
    return i // chunk == j // chunk
