# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sinusoidal absolute encodings, and the diffusion timestep embedding.

Libraries differ in where sines and cosines go, in the exponents and in what an
odd width does, so these arguments have no default.
"""

from __future__ import annotations

import numpy as np

from . import checks


def sinusoidal(
    positions: np.ndarray,
    dim: int,
    *,
    layout: str,
    exponents: str,
    base: float = 10000.0,
    odd: str | None = None,
    cos_first: bool = False,
    scale: float = 1.0,
    padding_idx: int | None = None,
) -> np.ndarray:
    """Sines and cosines of position * f_k, k = 0, 1, ...

    layout:
      "interleaved"   columns 2k and 2k + 1 are sin and cos of frequency k
                      (Attention Is All You Need, section 3.5)
      "concatenated"  all sines, then all cosines (tensor2tensor)
    exponents, with h = dim // 2:
      "paper"          f_k = base^(-2k / dim)
      "tensor2tensor"  f_k = base^(-k / max(1, h - 1))
    odd: what an odd dim does; required then, and only looked at then:
      "zero_column"  h sines, h cosines, one column of zeros last (tensor2tensor)
      "extra_sine"   one sine more than cosines (the paper's formula read column
                     by column; Marian)
    cos_first: cosines where the sines would be, and the other way round (mlx).
    scale: multiplies the result.
    padding_idx: the position whose row is zero (fairseq); see
      positions.from_tokens for the positions that go with it.

    positions: any shape, integers or real. Returns float64 [*positions, dim].
    Raises ValueError for dim < 1, base <= 0, an unknown choice, or an odd dim
    without `odd`.
    """
    checks.one_of("layout", layout, ("interleaved", "concatenated"))
    checks.one_of("exponents", exponents, ("paper", "tensor2tensor"))
    checks.positive("dim", dim)
    checks.positive("base", base)
    half = dim // 2
    extra_sine = 0
    if dim % 2:
        checks.one_of(f"odd (dim is {dim})", odd, ("zero_column", "extra_sine"))
        extra_sine = int(odd == "extra_sine")
    denominator = dim / 2 if exponents == "paper" else max(1, half - 1)
    angles = _angles(positions, half + extra_sine, base, denominator)
    first, second = np.sin(angles), np.cos(angles)
    if cos_first:
        first, second = second, first

    result = np.zeros((*angles.shape[:-1], dim))
    if layout == "interleaved":
        first_columns = 2 * np.arange(half + extra_sine)
        second_columns = 2 * np.arange(half) + 1
    else:
        first_columns = np.arange(half + extra_sine)
        second_columns = np.arange(half) + half + extra_sine
    result[..., first_columns] = first
    result[..., second_columns] = second[..., :half]
    if padding_idx is not None:
        result[np.asarray(positions) == padding_idx] = 0.0
    return result * scale


def timestep(
    timesteps: np.ndarray,
    dim: int,
    *,
    flip_sin_to_cos: bool,
    downscale_freq_shift: float,
    scale: float = 1.0,
    base: float = 10000.0,
) -> np.ndarray:
    """Embedding of diffusion times.

    With h = dim // 2: f_k = base^(-k / (h - downscale_freq_shift)), angle
    scale * t * f_k, [sin | cos], or [cos | sin] when flip_sin_to_cos; an odd dim
    has a column of zeros last.

    timesteps: [N], real. Returns float64 [N, dim].
    Source: diffusers get_timestep_embedding (ggml_timestep_embedding is
    flip_sin_to_cos with shift 0).
    Raises ValueError where h - downscale_freq_shift is not positive, or dim < 2.
    """
    half = dim // 2
    if half < 1:
        raise ValueError(f"dim is {dim}; a timestep embedding needs at least 2")
    checks.positive("dim // 2 - downscale_freq_shift", half - downscale_freq_shift)
    checks.positive("base", base)
    angles = scale * _angles(timesteps, half, base, half - downscale_freq_shift)
    parts = [np.sin(angles), np.cos(angles)]
    if flip_sin_to_cos:
        parts.reverse()
    parts.append(np.zeros((*angles.shape[:-1], dim % 2)))
    return np.concatenate(parts, axis=-1)


def _angles(positions: np.ndarray, count: int, base: float, denominator: float) -> np.ndarray:
    """position * base^(-k / denominator), k = 0 ... count - 1, on a new last axis."""
    frequencies = np.float64(base) ** (-np.arange(count) / denominator)
    return np.asarray(positions, dtype=np.float64)[..., np.newaxis] * frequencies
