# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A learned table of a grid, resized to another grid as vision transformers do."""

from __future__ import annotations

import numpy as np

from . import checks


def learned_2d(
    table: np.ndarray,
    grid: tuple[int, int],
    new_grid: tuple[int, int],
    *,
    prefix_tokens: int,
    interpolation: str,
    antialias: bool = False,
    align_corners: bool = False,
) -> np.ndarray:
    """The first `prefix_tokens` rows as they are, then the grid resized, row by row.

    table: [prefix_tokens + height * width, dim]. Returns float64.
    Raises ValueError for sizes that do not fit, or an unknown choice.
    """
    table = np.asarray(table, np.float64)
    if table.shape[0] != prefix_tokens + grid[0] * grid[1]:
        raise ValueError(
            f"the table has {table.shape[0]} rows; {prefix_tokens} tokens and a grid of "
            f"{grid[0]} by {grid[1]} are {prefix_tokens + grid[0] * grid[1]}"
        )
    vertical, horizontal = (
        weights(old, new, interpolation=interpolation, antialias=antialias,
                align_corners=align_corners)
        for old, new in zip(grid, new_grid)
    )  # fmt: skip
    image = table[prefix_tokens:].reshape(*grid, -1)
    resized = np.einsum("yu,uvc,xv->yxc", vertical, image, horizontal)
    return np.concatenate([table[:prefix_tokens], resized.reshape(-1, table.shape[1])])


def weights(
    old: int, new: int, *, interpolation: str, antialias: bool = False, align_corners: bool = False
) -> np.ndarray:
    """What each of `new` points along an axis takes of its `old` ones: [new, old].

    Source: PyTorch's upsample kernels, with and without antialias.
    """
    checks.one_of("interpolation", interpolation, ("bilinear", "bicubic"))
    checks.positive("the old size", old)
    checks.positive("the new size", new)
    if antialias and align_corners:
        raise ValueError("antialias and align_corners exclude each other; drop one")
    kernel = _cubic if interpolation == "bicubic" else _triangle
    result = np.zeros((new, old))
    for point in range(new):
        if antialias:
            stretch = max(1.0, old / new)
            reach = stretch * (2 if interpolation == "bicubic" else 1)
            centre = (point + 0.5) * old / new
            rows = range(
                max(int(centre - reach + 0.5), 0), min(int(centre + reach + 0.5), old)
            )
            taken = [kernel((row + 0.5 - centre) / stretch, -0.5) for row in rows]
            result[point, list(rows)] = np.array(taken) / sum(taken)
            continue
        if align_corners:
            at = point * (old - 1) / (new - 1) if new > 1 else 0.0
        else:
            at = (point + 0.5) * old / new - 0.5
        for row in range(int(np.floor(at)) - 1, int(np.floor(at)) + 3):
            result[point, min(max(row, 0), old - 1)] += kernel(at - row, -0.75)
    return result


def _triangle(x: float, _: float) -> float:
    return max(0.0, 1 - abs(x))


def _cubic(x: float, a: float) -> float:
    """Keys 1981, equation 15, with the parameter a."""
    x = abs(x)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    if x < 2:
        return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return 0.0
