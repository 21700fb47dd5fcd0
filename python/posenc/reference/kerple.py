# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""KERPLE: a learned kernel of the distance, logarithmic or a power.

Source: KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation
(Chi et al. 2022) and its code.
"""

from __future__ import annotations

import numpy as np

from . import checks
from .positions import coordinates

LEAST = 0.01
GREATEST_EXPONENT = 2.0


def bias(
    p: np.ndarray,
    a: np.ndarray,
    queries: int,
    keys: int,
    *,
    kernel: str,
    later_keys: str,
    clamp: bool,
    offset: int | np.ndarray,
) -> np.ndarray:
    """-p ln(1 + a n) ("log") or -a n^p ("power") of the distance n >= 0.

    Query i stands at i + offset (a scalar, or [B]). later_keys: keys after the
    query count as near ("zero": n = 0), as in the paper's causal models, or by
    their distance ("symmetric").
    clamp: p and a are first moved into [0.01, inf), the p of a power into
    [0.01, 2], as the paper's code does.

    p, a: [H]. Returns float64 [H, Lq, Lk], or [B, H, Lq, Lk] for offsets [B].
    Raises ValueError for an unknown choice.
    """
    checks.one_of("kernel", kernel, ("log", "power"))
    checks.one_of("later_keys", later_keys, ("zero", "symmetric"))
    p, a = (np.asarray(values, dtype=np.float64) for values in (p, a))
    if clamp:
        p, a = np.maximum(p, LEAST), np.maximum(a, LEAST)
        if kernel == "power":
            p = np.minimum(p, GREATEST_EXPONENT)
    i, j = coordinates(queries, keys, offset)
    distance = (i - j).astype(np.float64)
    distance = np.maximum(distance, 0) if later_keys == "zero" else np.abs(distance)
    p, a = (values[:, np.newaxis, np.newaxis] for values in (p, a))
    return -p * np.log(1 + a * distance) if kernel == "log" else -a * distance**p
