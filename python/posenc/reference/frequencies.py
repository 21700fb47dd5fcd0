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


def ntk(rotary_dim: int, base: float, alpha: float) -> tuple[np.ndarray, float]:
    """NTK-aware scaling: the base becomes base * alpha^(r / (r - 2)).

    Source: bloc97 (r/LocalLLaMA, 2023); rotary-embedding-torch
    theta_rescale_factor.
    Raises ValueError as `default`, for alpha <= 0 and for rotary_dim 2.
    """
    checks.positive("alpha", alpha)
    _several_pairs(rotary_dim)
    return default(rotary_dim, base * alpha ** (rotary_dim / (rotary_dim - 2)))


def dynamic_ntk(
    rotary_dim: int,
    base: float,
    *,
    factor: float,
    original_max_position: int,
    length: int | None,
) -> tuple[np.ndarray, float]:
    """NTK scaling by (factor n / Lmax) - (factor - 1), n = max(length, Lmax).

    Source: emozilla (r/LocalLLaMA, 2023); transformers
    _compute_dynamic_ntk_parameters. `length` None stands for a short call.
    Raises ValueError as `ntk`, and for a factor below 1.
    """
    if factor < 1:
        raise ValueError(f"factor is {factor}; it must be at least 1")
    checks.positive("original_max_position", original_max_position)
    n = max(length or 0, original_max_position)
    return ntk(rotary_dim, base, factor * n / original_max_position - (factor - 1))


def yarn(
    rotary_dim: int,
    base: float,
    *,
    factor: float,
    original_max_position: int,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    truncate: bool = True,
    attention_factor: float | None = None,
    mscale: float | None = None,
    mscale_all_dim: float | None = None,
) -> tuple[np.ndarray, float]:
    """YaRN: pairs of many turns stay, pairs of few are interpolated.

    The pair that makes t turns in the original length Lo has the (real) number
    d ln(Lo / (2 pi t)) / (2 ln base); between those of beta_fast and beta_slow
    turns a linear ramp goes from theta to theta / factor. Bounds are rounded
    outwards if `truncate`, then clamped to 0 and d - 1, d the rotary dimension.

    Source: YaRN (Peng et al. 2023), section 3.2 and 3.4; transformers
    _compute_yarn_parameters for the clamps and the attention factor.
    Raises ValueError as `linear`.
    """
    checks.positive("factor", factor)
    checks.positive("original_max_position", original_max_position)
    theta, _ = default(rotary_dim, base)

    def pair_of(turns: float) -> float:
        wavelength = original_max_position / turns
        return rotary_dim * math.log(wavelength / (2 * math.pi)) / (2 * math.log(base))

    first, last = pair_of(beta_fast), pair_of(beta_slow)
    if truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, rotary_dim - 1)
    if first == last:
        last += 0.001
    pairs = np.arange(rotary_dim // 2, dtype=np.float64)
    interpolated = np.clip((pairs - first) / (last - first), 0, 1)
    scaled = theta / factor * interpolated + theta * (1 - interpolated)

    def magnitude(scale: float) -> float:
        return 0.1 * scale * math.log(factor) + 1.0 if factor > 1 else 1.0

    if attention_factor is None:
        if mscale and mscale_all_dim:
            attention_factor = magnitude(mscale) / magnitude(mscale_all_dim)
        else:
            attention_factor = magnitude(1.0)
    return scaled, attention_factor


def longrope(
    rotary_dim: int,
    base: float,
    *,
    short_factor: list[float],
    long_factor: list[float],
    original_max_position: int,
    length: int | None,
    factor: float | None = None,
    attention_factor: float | None = None,
) -> tuple[np.ndarray, float]:
    """LongRoPE: theta_i / ext_i, the long list for lengths above the original one.

    Source: LongRoPE (Ding et al. 2024); transformers
    _compute_longrope_parameters. `length` None stands for a short call. The
    attention factor, where not given, is sqrt(1 + ln factor / ln original).
    Raises ValueError as `default`, for lists of another length than the pairs,
    and where both factors are missing.
    """
    is_long = length is not None and length > original_max_position
    divisors = np.asarray(long_factor if is_long else short_factor, dtype=np.float64)
    theta, _ = default(rotary_dim, base)
    if divisors.shape != theta.shape:
        raise ValueError(f"{divisors.size} divisors for {theta.size} pairs; one each is needed")
    if attention_factor is None:
        if factor is None:
            raise ValueError("neither factor nor attention_factor is given")
        attention_factor = (
            math.sqrt(1 + math.log(factor) / math.log(original_max_position)) if factor > 1 else 1.0
        )
    return theta / divisors, attention_factor


def proportional(
    rotary_dim: int, base: float, *, fraction: float, factor: float = 1.0
) -> tuple[np.ndarray, float]:
    """p-RoPE: the first int(fraction d / 2) pairs turn, with exponents 2i / d.

    The other pairs have frequency 0; all are divided by `factor`.

    Source: Round and Round We Go (Barbero et al. 2024); transformers
    _compute_proportional_rope_parameters.
    Raises ValueError as `linear`, and for a fraction outside of 0 to 1.
    """
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction is {fraction}; it must be from 0 to 1")
    theta, attention_factor = linear(rotary_dim, base, factor)
    theta[int(fraction * rotary_dim // 2) :] = 0.0
    return theta, attention_factor


def pixel(bands: int, max_frequency: float, *, spacing: str) -> tuple[np.ndarray, float]:
    """Bands for coordinates in -1 to 1: pi to pi max_frequency / 2.

    spacing: "linear", evenly spaced (Perceiver; rotary-embedding-torch), or
    "geometric", in even ratios (timm).
    Raises ValueError for another spacing or max_frequency <= 0.
    """
    checks.one_of("spacing", spacing, ("linear", "geometric"))
    checks.positive("max_frequency", max_frequency)
    if spacing == "linear":
        return np.pi * np.linspace(1.0, max_frequency / 2, bands), 1.0
    return np.pi * 2.0 ** np.linspace(0.0, math.log2(max_frequency) - 1, bands), 1.0


def _several_pairs(rotary_dim: int) -> None:
    if rotary_dim <= 2:
        raise ValueError(
            f"rotary_dim is {rotary_dim}; the exponent r / (r - 2) needs at least 4"
        )
