# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""New keys or values behind those of a cache, or around a ring."""

from __future__ import annotations

import numpy as np


def cache_append(
    cache: np.ndarray, rows: np.ndarray, lengths: np.ndarray, *, ring: bool = False
) -> np.ndarray:
    """The cache with row l of batch entry b at lengths[b] + l, modulo its size if a ring.

    cache: [B, H, Lmax, D]; rows: [B, H, L, D]; lengths: [B].
    Raises IndexError for a row outside of the cache, or more rows than a ring has.
    """
    result = np.array(cache)
    slots, count = cache.shape[2], rows.shape[2]
    for entry, length in enumerate(np.asarray(lengths).tolist()):
        if length < 0 or count + (0 if ring else length) > slots:
            raise IndexError(f"{count} rows behind {length} do not fit a cache of {slots}")
        for row in range(count):
            slot = (length + row) % slots if ring else length + row
            result[entry, :, slot] = rows[entry, :, row]
    return result
