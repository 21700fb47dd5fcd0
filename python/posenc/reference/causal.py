# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal mask: a query sees no key after its own coordinate."""

from __future__ import annotations

import numpy as np

from .positions import coordinates


def causal(queries: int, keys: int, *, offset: int | np.ndarray) -> np.ndarray:
    """True where j <= i + offset.

    offset has no default because libraries disagree for Lq != Lk: 0 aligns the
    first query with the first key (torch's is_causal, ONNX without a cache),
    Lk - Lq the last with the last (mlx, FlashAttention). It may be negative, and
    rows may be empty.

    offset: a scalar, or [B]. Returns bool [Lq, Lk], or [B, 1, Lq, Lk].
    """
    i, j = coordinates(queries, keys, offset)
    return j <= i
