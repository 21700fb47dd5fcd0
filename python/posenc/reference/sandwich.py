# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sandwich: the inner product of two sinusoidal encodings as a bias.

Source: Dissecting Transformer Length Extrapolation via the Lens of Receptive
Field Analysis (Chi et al. 2022).
"""

from __future__ import annotations

import numpy as np

from .positions import coordinates
from .sinusoidal import sinusoidal


def ratios(heads: int, *, max_ratio: float = 8.0) -> np.ndarray:
    """The paper's compression ratio of every head, max_ratio (h + 1) / heads."""
    return max_ratio * np.arange(1, heads + 1, dtype=np.float64) / heads


def bias(
    head_ratios: np.ndarray,
    queries: int,
    keys: int,
    *,
    width: int,
    base: float = 10000.0,
    offset: int | np.ndarray,
) -> np.ndarray:
    """PE(i) . PE(j) / ratio, PE the sinusoidal encoding of `width` columns.

    Query i stands at i + offset (a scalar, or [B]).
    head_ratios: [H]. Returns float64 [H, Lq, Lk], or [B, H, Lq, Lk].
    """

    def encoding(positions: np.ndarray) -> np.ndarray:
        return sinusoidal(positions, width, layout="interleaved", exponents="paper", base=base)

    i, j = coordinates(queries, keys, offset)
    rows = encoding(np.ravel(i)).reshape(*i.shape[:-1], width)
    products = rows @ encoding(j).T
    return products / np.asarray(head_ratios, dtype=np.float64)[:, np.newaxis, np.newaxis]
