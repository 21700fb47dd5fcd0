# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addition of an absolute encoding to embeddings."""

from __future__ import annotations

import numpy as np


def add(x: np.ndarray, encoding: np.ndarray, *, embedding_scale: float = 1.0) -> np.ndarray:
    """x * embedding_scale + encoding.

    x: [B, L, dim]; encoding: [L, dim], [1, L, dim] or [B, L, dim].
    embedding_scale: sqrt(dim) in Attention Is All You Need (section 3.4) and
    fairseq, 1 in BERT and GPT-2. The encoding is not scaled.
    Returns float64 [B, L, dim].
    Raises ValueError where the encoding does not broadcast to x.
    """
    x = np.asarray(x, dtype=np.float64)
    encoding = np.asarray(encoding, dtype=np.float64)
    try:
        encoding = np.broadcast_to(encoding, x.shape)
    except ValueError:
        raise ValueError(
            f"the encoding has shape {encoding.shape}, which does not broadcast to "
            f"the embeddings' {x.shape}"
        ) from None
    return x * embedding_scale + encoding
