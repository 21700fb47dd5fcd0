# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the functions of attention.mlir against float64."""

from __future__ import annotations

import sys

import numpy as np
from library import Library


def attend(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, bias: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Output [B, H, L, Dv], log-sum-exp [B, H, L] and each row's scale, the largest
    sum of p |v| over lanes. `bias` and `mask` are [L, S]."""
    group = query.shape[1] // key.shape[1]
    key, value = key.repeat(group, 1).astype(np.float64), value.repeat(group, 1).astype(np.float64)
    scores = np.einsum("bhid,bhjd->bhij", query.astype(np.float64), key) / np.sqrt(query.shape[3])
    scores = np.where(mask, scores + bias, -np.inf)
    largest = scores.max(-1, keepdims=True, initial=-np.inf)
    reference = np.where(np.isfinite(largest), largest, 0)
    p = np.exp(scores - reference)
    total = p.sum(-1, keepdims=True)
    p = np.divide(p, total, out=np.zeros_like(p), where=total > 0)
    value = np.where(np.isfinite(value), value, 0)
    with np.errstate(divide="ignore"):
        lse = (reference + np.log(total))[..., 0]
    scale = np.einsum("bhij,bhjd->bhid", p, np.abs(value)).max(-1, keepdims=True)
    return np.einsum("bhij,bhjd->bhid", p, value), lse, scale


def check_masked(library: Library, name: str, rng: np.random.Generator) -> None:
    for batch, heads, groups, rows, keys in [(2, 4, 2, 70, 131), (1, 3, 1, 1, 300), (1, 2, 2, 5, 3)]:
        query = rng.standard_normal((batch, heads, rows, 40)).astype(np.float32)
        key = rng.standard_normal((batch, groups, keys, 40)).astype(np.float32)
        value = rng.standard_normal((batch, groups, keys, 24)).astype(np.float32)
        bias = rng.standard_normal((rows, keys)).astype(np.float32)
        mask = rng.random((rows, keys)) < 0.7
        mask[rows // 2] = rows == 1
        mask[:, keys // 2] = False
        key[:, :, keys // 2], value[:, :, keys // 2] = np.nan, np.inf
        output = np.full((batch, heads, rows, 24), np.nan, np.float32)
        lse = np.full((batch, heads, rows), np.nan, np.float32)
        library.run(name, query, key, value, bias, mask, output, lse)
        expected, expected_lse, scale = attend(
            query, np.where(np.isfinite(key), key, 0), value, bias, mask
        )
        assert (np.abs(output - expected) <= 2e-6 * scale).all(), name
        assert np.allclose(lse, expected_lse, rtol=0, atol=1e-5), name


def check_halves(library: Library, rng: np.random.Generator) -> None:
    query, key, value = (
        rng.standard_normal((1, heads, 100, 64)).astype(np.float16) for heads in (4, 2, 2)
    )
    output = np.full(query.shape, np.nan, np.float16)
    library.run("halves", query, key, value, output)
    mask = np.tri(100, dtype=bool)
    expected, _, scale = attend(query, key, value, np.zeros((100, 100)), mask)
    assert (np.abs(output - expected) <= 2.0**-10 * scale).all()


def main() -> None:
    library = Library(sys.argv[1])
    rng = np.random.default_rng(0)
    check_masked(library, "prefill", rng)
    check_masked(library, "decode", rng)
    check_halves(library, rng)


if __name__ == "__main__":
    main()
