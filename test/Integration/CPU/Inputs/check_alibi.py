# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the function of alibi.mlir against float64."""

from __future__ import annotations

import sys

import numpy as np
from library import Library


def reference(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Causal attention with the slopes 2^-1 ... 2^-8, and each row's scale A.

    q: [B, 8, L, D]; k, v: [B, 2, L, D].
    """
    q, k, v = (array.astype(np.float64) for array in (q, k, v))
    k, v = np.repeat(k, 4, axis=1), np.repeat(v, 4, axis=1)
    rows = np.arange(q.shape[2])
    distance = rows[None, :] - rows[:, None]
    scores = 0.125 * q @ k.swapaxes(-1, -2)
    scores += (2.0 ** -np.arange(1, 9))[:, None, None] * distance
    scores = np.where(distance <= 0, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ v, (weights @ np.abs(v)).max(-1, keepdims=True)


if __name__ == "__main__":
    library = Library(sys.argv[1])
    rng = np.random.default_rng(3)
    for batch, length in [(1, 1), (2, 5), (1, 64), (2, 131), (1, 300)]:
        q = rng.standard_normal((batch, 8, length, 64)).astype(np.float32)
        k, v = rng.standard_normal((2, batch, 2, length, 64)).astype(np.float32)
        output = np.full_like(q, np.nan)
        assert library.shapes("alibi", [q, k, v], [4]) == [q.shape]
        library.run("alibi", q, k, v, output)
        expected, scale = reference(q, k, v)
        error = (np.abs(output - expected) / scale).max()
        print(f"B={batch} L={length}: error {error:.3g} A")
        assert error <= 2e-6
    empty = np.empty((2, 8, 0, 64), np.float32)
    library.run("alibi", empty, empty[:, :2], empty[:, :2], empty)
    code, message = library.call("alibi", q, k[:, :, :10], v, output)
    assert code == 2 and "dimension 2 is L = 10" in message, message
