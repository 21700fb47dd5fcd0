# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frequencies of rotary encodings: the plain rule and its scalings.

Every function returns (inv_freq, attention_factor): inv_freq is float64
[rotary_dim / 2], in radians a position, pair 0 (the fastest) first;
attention_factor multiplies cos and sin. Exponents run over the rotary
dimension, not over the head size, where the two differ.
"""

from __future__ import annotations

import math

import numpy as np

from . import checks


def default(rotary_dim: int, base: float) -> tuple[np.ndarray, float]:
    """theta_i = base^(-2i / rotary_dim), i = 0 ... rotary_dim/2 - 1.

    Source: RoFormer (Su et al. 2021), section 3.2.2.
    Raises ValueError for an odd rotary_dim or base <= 0.
    """
    checks.even("rotary_dim", rotary_dim)
    checks.positive("base", base)
    exponents = np.arange(0, rotary_dim, 2, dtype=np.float64) / rotary_dim
    return np.float64(base) ** -exponents, 1.0


def linear(rotary_dim: int, base: float, factor: float) -> tuple[np.ndarray, float]:
    """Position interpolation: theta_i / factor, the same as positions / factor.

    Source: Extending Context Window of LLMs via Positional Interpolation
    (Chen et al. 2023).
    Raises ValueError as `default`, and for factor <= 0.
    """
    checks.positive("factor", factor)
    inv_freq, attention_factor = default(rotary_dim, base)
    return inv_freq / factor, attention_factor


def llama3(
    rotary_dim: int,
    base: float,
    *,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_max_position: int,
) -> tuple[np.ndarray, float]:
    """Llama 3.1's scaling by wavelength w = 2 pi / theta, Lo = original_max_position.

    w < Lo / high_freq_factor:  theta          (short waves are kept)
    w > Lo / low_freq_factor:   theta / factor (long waves are interpolated)
    else: theta ((1 - s) / factor + s), s = (Lo / w - low) / (high - low).
    The comparisons are strict; both thresholds give the continuous value.

    Source: Meta's llama-models apply_scaling; transformers
    _compute_llama3_parameters.
    Raises ValueError as `linear`, and unless
    0 < low_freq_factor < high_freq_factor and original_max_position > 0.
    """
    checks.positive("factor", factor)
    checks.positive("low_freq_factor", low_freq_factor)
    checks.positive("original_max_position", original_max_position)
    if not high_freq_factor > low_freq_factor:
        raise ValueError(
            f"high_freq_factor is {high_freq_factor}; it must be greater than "
            f"low_freq_factor, {low_freq_factor}"
        )
    inv_freq, attention_factor = default(rotary_dim, base)
    scaled = np.empty_like(inv_freq)
    for pair, theta in enumerate(inv_freq):
        wavelength = 2 * math.pi / theta
        if wavelength < original_max_position / high_freq_factor:
            scaled[pair] = theta
        elif wavelength > original_max_position / low_freq_factor:
            scaled[pair] = theta / factor
        else:
            smooth = (original_max_position / wavelength - low_freq_factor) / (
                high_freq_factor - low_freq_factor
            )
            scaled[pair] = theta * ((1 - smooth) / factor + smooth)
    return scaled, attention_factor
