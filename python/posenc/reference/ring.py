# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mask of a cache that keeps the last keys only."""

from __future__ import annotations

import numpy as np


def held(lengths: np.ndarray, rows: int, slots: int) -> np.ndarray:
    """The positions that the slots hold after `rows` more tokens, -1 where none: [B, slots]."""
    result = np.full((len(lengths), slots), -1, np.int64)
    for entry, length in enumerate(np.asarray(lengths).tolist()):
        for position in range(max(0, length + rows)):
            result[entry, position % slots] = position
    return result


def ring(
    lengths: np.ndarray, rows: int, slots: int, *, left: int | None = None
) -> np.ndarray:
    """Row i, at position lengths[b] + i, sees the keys held from `left` before it up to its own.

    lengths: [B]. Returns bool [B, 1, rows, slots].
    """
    key = held(lengths, rows, slots)[:, np.newaxis, np.newaxis]
    row = np.asarray(lengths, np.int64)[:, np.newaxis] + np.arange(rows)
    row = row[:, np.newaxis, :, np.newaxis]
    seen = (key >= 0) & (key <= row)
    return seen if left is None else seen & (key >= row - left)
