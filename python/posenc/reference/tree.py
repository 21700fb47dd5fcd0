# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tree mask: a speculated token sees the cached keys, its ancestors and itself."""

from __future__ import annotations

import numpy as np


def ancestors(parents: np.ndarray) -> np.ndarray:
    """Which tokens each one descends from, itself included.

    parents: [T], the number of each token's parent, which comes before it, or
    a negative number for a root. Returns bool [T, T].
    Raises ValueError for a parent that does not come before its token.
    """
    parents = np.asarray(parents)
    late = np.flatnonzero(parents >= np.arange(parents.size))
    if late.size:
        raise ValueError(f"token {late[0]} has the parent {parents[late[0]]}; parents come first")
    matrix = np.eye(parents.size, dtype=bool)
    for token, parent in enumerate(parents):
        if parent >= 0:
            matrix[token] |= matrix[parent]
    return matrix


def packed(matrix: np.ndarray) -> np.ndarray:
    """A matrix [..., T, T] as bits, 32 a word, the least significant first: int32 [..., T, W]."""
    matrix = np.asarray(matrix, bool)
    words = -(-matrix.shape[-1] // 32)
    padded = np.zeros((*matrix.shape[:-1], words * 32), bool)
    padded[..., : matrix.shape[-1]] = matrix
    return np.packbits(padded, axis=-1, bitorder="little").view("<i4").astype(np.int32)


def unpacked(words: np.ndarray, tokens: int) -> np.ndarray:
    """The inverse of `packed`: bool [..., T, T]."""
    octets = np.ascontiguousarray(words).astype("<i4").view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little")[..., :tokens].astype(bool)


def tree(matrix: np.ndarray, cached: np.ndarray, keys: int) -> np.ndarray:
    """True at the cached[b] first keys and at the ancestors, whose keys follow.

    matrix: bool [B or 1, T, T]; cached: [B]. Keys behind those of the tokens are
    hidden. Returns bool [B, 1, T, Lk].
    Source: Miao et al. 2024 (SpecInfer), section 4.2.
    """
    matrix, cached = np.asarray(matrix, bool), np.asarray(cached)
    tokens = matrix.shape[-1]
    mask = np.zeros((cached.size, 1, tokens, keys), bool)
    for b, first in enumerate(cached):
        mask[b, 0, :, : max(first, 0)] = True
        for key in range(max(first, 0), min(first + tokens, keys)):
            mask[b, 0, :, key] = matrix[b if len(matrix) > 1 else 0, :, key - first]
    return mask
