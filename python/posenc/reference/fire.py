# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FIRE: a perceptron of the distance relative to the query's position.

Source: Functional Interpolation for Relative Positions Improves Long Context
Transformers (Li et al. 2024).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .positions import coordinates


def bias(
    hidden: Sequence[np.ndarray],
    output: Sequence[np.ndarray],
    queries: int,
    keys: int,
    *,
    scale: float,
    threshold: float,
    first_position: int,
    epsilon: float = 1e-6,
    offset: int | np.ndarray,
) -> np.ndarray:
    """MLP(psi(i - j) / (psi(max(position of i, threshold)) + epsilon)).

    psi(x) = ln(|scale x| + 1). Query i stands at i + offset (a scalar, or [B]);
    its position counts from first_position: 1 in the paper, 0 in a port of it.
    hidden: weight [W] and bias [W]; output: weight [H, W] and bias [H]; the
    activation between is max(x, 0).

    Returns float64 [H, Lq, Lk], or [B, H, Lq, Lk] for offsets [B].
    """
    (w0, b0), (w1, b1) = (
        [np.asarray(values, dtype=np.float64) for values in layer] for layer in (hidden, output)
    )

    def psi(x: np.ndarray) -> np.ndarray:
        return np.log(np.abs(scale * x) + 1)

    i, j = coordinates(queries, keys, offset)
    x = psi(i - j) / (psi(np.maximum(i + first_position, threshold)) + epsilon)
    units = np.maximum(x[..., np.newaxis] * w0 + b0, 0)
    result = units @ w1.T + b1
    if result.ndim == 5:
        result = result[:, 0]
    return np.moveaxis(result, -1, -3)
