# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PoPE: every lane is a polar number, its magnitude content, its phase position."""

from __future__ import annotations

import numpy as np


def pope(
    x: np.ndarray,
    positions: np.ndarray,
    inv_freq: np.ndarray,
    *,
    phase: np.ndarray | None = None,
) -> np.ndarray:
    """[mu cos a | mu sin a], mu = softplus(x), a = m inv_freq + clip(phase, -2 pi, 0).

    x: [B, H, L, D]; positions: [L] or [B, L]; inv_freq: [D], base^(-i / D) in the
    paper; phase: [H, D], for keys. Returns float64 [B, H, L, 2D].

    Source: Decoupling the What and Where with Polar Coordinate Positional
    Embedding (Gopalakrishnan et al. 2025); x_transformers PolarEmbedding.
    """
    x = np.asarray(x, dtype=np.float64)
    angles = np.asarray(positions, dtype=np.float64)[..., np.newaxis] * inv_freq
    if angles.ndim == 3:
        angles = angles[:, np.newaxis]
    if phase is not None:
        angles = angles + np.clip(np.asarray(phase, np.float64), -2 * np.pi, 0)[:, np.newaxis]
    magnitude = np.logaddexp(x, 0)
    return np.concatenate([magnitude * np.cos(angles), magnitude * np.sin(angles)], axis=-1)
