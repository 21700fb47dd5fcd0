# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the functions of library.mlir against numpy."""

from __future__ import annotations

import sys

import numpy as np
from library import Library


def check_product(library: Library, rng: np.random.Generator) -> None:
    for m, k, n in [(1, 1, 1), (130, 70, 33), (0, 5, 4), (4, 0, 5), (3, 300, 0), (257, 64, 129)]:
        a = rng.standard_normal((m, k)).astype(np.float32)
        b = rng.standard_normal((k, n)).astype(np.float32)
        assert library.shapes("product", [a, b], [2]) == [(m, n)]
        c = np.full((m, n), np.nan, np.float32)
        library.run("product", a, b, c)
        scale = np.abs(a).astype(np.float64) @ np.abs(b) + 1e-30
        assert (np.abs(c - a.astype(np.float64) @ b) <= 1e-6 * scale).all()
        # Rows with a stride, and one row read again and again.
        wide = np.full((m, n + 3), 7, np.float32)
        library.run("product", np.asfortranarray(a[:1]).repeat(m, 0), b, wide[:, :n])
        library.run("product", np.broadcast_to(a[:1], (m, k)) if m else a, b, c)
        assert np.array_equal(c, wide[:, :n]) and (wide[:, n:] == 7).all()


def check_row_sums(library: Library, rng: np.random.Generator) -> None:
    a = rng.standard_normal((700, 129)).astype(np.float32)
    flags = rng.random(700) < 0.5
    sums = np.empty(700, np.float32)
    library.run("row_sums", a, flags, sums)
    assert np.allclose(sums, np.where(flags, a.sum(1, dtype=np.float64), 0), atol=1e-4)


def check_shift(library: Library, rng: np.random.Generator) -> None:
    """The cache is updated in place; a failing assertion leaves it alone."""
    cache = rng.standard_normal((5000, 4)).astype(np.float16)
    before = cache.copy()
    expected = (before + np.array([1, 2, -3, 0.5], np.float32) * np.float32(2)).astype(np.float16)
    by, limit = np.array(2, np.float32), np.array(5000, np.int64)
    library.run("shift", cache, by, limit)
    assert np.array_equal(cache, expected)
    code, message = library.call("shift", cache, by, np.array(4999, np.int64))
    assert code == 4 and message == "shift: more rows than 'limit'", message
    assert np.array_equal(cache, expected)
    code, message = library.call("shift", cache.astype(np.float32), by, limit)
    assert code != 0 and "float32" in message and "float16" in message, message


def check_reversed(library: Library, rng: np.random.Generator) -> None:
    for m, n in [(1, 1), (7, 16), (40, 33), (0, 3), (3, 0)]:
        a = rng.standard_normal((m, n)).astype(np.float32)
        r = np.zeros_like(a)
        library.run("reversed", a, r)
        assert np.array_equal(r, a[:, ::-1])


if __name__ == "__main__":
    compiled = Library(sys.argv[1])
    generator = np.random.default_rng(2)
    check_product(compiled, generator)
    check_row_sums(compiled, generator)
    check_shift(compiled, generator)
    check_reversed(compiled, generator)
