# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutional encodings: wav2vec 2.0 over a sequence, CPVT over a grid."""

from __future__ import annotations

import itertools

import numpy as np


def conv(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    """The convolution of zero-padded tokens, as many as there are; without activation.

    x: [B, L, C] or [B, H, W, C]; weight: [C, C / groups, K] or [C, C / groups, K, K'], a weight
    norm folded in; bias: [C]. With an even K the last of the L + 1 samples is dropped.
    Returns float64 of x's shape.
    Sources: transformers Wav2Vec2PositionalConvEmbedding; CPVT's PosCNN.
    """
    x, weight = np.asarray(x, np.float64), np.asarray(weight, np.float64)
    channels, each, *kernel = weight.shape
    groups = channels // each
    tokens = x.shape[1:-1]
    widths = [(0, 0), *((size // 2, size // 2) for size in kernel), (0, 0)]
    padded = np.pad(x, widths)
    result = np.zeros(x.shape)
    for group in range(groups):
        members = slice(group * each, (group + 1) * each)
        for at in itertools.product(*(range(size) for size in kernel)):
            seen = tuple(slice(start, start + size) for start, size in zip(at, tokens))
            result[..., members] += (
                padded[(slice(None), *seen, members)] @ weight[(members, slice(None), *at)].T
            )
    return result if bias is None else result + np.asarray(bias, np.float64)
