# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""xPos: rotary encoding whose scores decay with distance.

Source: A Length-Extrapolatable Transformer (Sun et al. 2022); torchscale XPOS.
"""

from __future__ import annotations

import numpy as np

from . import checks


def decay(
    positions: np.ndarray, rotary_dim: int, *, role: str, centre: float, scale_base: float
) -> np.ndarray:
    """What cos and sin of each pair are multiplied by: [..., L, rotary_dim / 2].

    zeta_i^((m - centre) / scale_base) for role "query", its inverse for "key",
    zeta_i = (2i + 0.4 d) / (1.4 d). Libraries disagree on the centre (the middle
    of the sequence, rounded down or up); it must be one for queries and keys.
    Raises ValueError for another role, an odd rotary_dim or scale_base <= 0.
    """
    checks.one_of("role", role, ("query", "key"))
    checks.even("rotary_dim", rotary_dim)
    checks.positive("scale_base", scale_base)
    zeta = (np.arange(0, rotary_dim, 2) + 0.4 * rotary_dim) / (1.4 * rotary_dim)
    exponent = (np.asarray(positions, dtype=np.float64) - centre)[..., np.newaxis] / scale_base
    return zeta ** (exponent if role == "query" else -exponent)
