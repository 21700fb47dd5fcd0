# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Queries multiplied by a factor that grows with their position."""

from __future__ import annotations

import numpy as np

from . import checks


def factors(
    positions: np.ndarray, *, beta: float, original_length: int, position_shift: int
) -> np.ndarray:
    """1 + beta ln(1 + floor((m + position_shift) / original_length)), float64 like positions.

    position_shift: 1 in Llama 4, 0 in Ministral 3.

    Source: transformers llama4 (attn_scale, floor_scale) and ministral3.
    Raises ValueError for original_length <= 0.
    """
    checks.positive("original_length", original_length)
    steps = (np.asarray(positions, dtype=np.int64) + position_shift) // original_length
    return 1 + beta * np.log(1.0 + steps)
