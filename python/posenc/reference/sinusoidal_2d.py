# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sinusoidal encodings of the rows and columns of a grid of tokens."""

from __future__ import annotations

import numpy as np

from . import checks


def sinusoidal_2d(
    height: int,
    width: int,
    dim: int,
    *,
    first: str,
    order: str,
    base: float = 10000.0,
    axis_scale: tuple[float, float] = (1.0, 1.0),
) -> np.ndarray:
    """A quarter of the columns each: sines and cosines of the row, and of the column.

    first: the axis that comes first, "row" or "column".
    order:
      "axes_apart"       [sin first | cos first | sin second | cos second]: MAE and
                         diffusers (column first), timm's interleave_sin_cos (row first)
      "functions_apart"  [sin first | sin second | cos first | cos second]: timm
      "interleaved"      sin and cos take turns, of the first axis, then of the second:
                         the package positional-encodings
    axis_scale: factors of row and column; diffusers has base_size / size of the grid.
    Frequencies are base^(-k / (dim / 4)). Returns float64 [height, width, dim].
    Raises ValueError for an unknown choice or a dim that is no multiple of 4.
    """
    checks.one_of("first", first, ("row", "column"))
    checks.one_of("order", order, ("axes_apart", "functions_apart", "interleaved"))
    checks.positive("base", base)
    if dim < 4 or dim % 4:
        raise ValueError(f"dim is {dim}; sines and cosines of two axes need a multiple of 4")
    frequencies = np.float64(base) ** (-np.arange(dim // 4) / (dim // 4))
    rows, columns = np.meshgrid(
        np.arange(height) * axis_scale[0], np.arange(width) * axis_scale[1], indexing="ij"
    )
    axes = (rows, columns) if first == "row" else (columns, rows)
    a, b = (axis[..., np.newaxis] * frequencies for axis in axes)
    if order == "functions_apart":
        parts = [np.sin(a), np.sin(b), np.cos(a), np.cos(b)]
    elif order == "axes_apart":
        parts = [np.sin(a), np.cos(a), np.sin(b), np.cos(b)]
    else:
        parts = [
            np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(height, width, dim // 2)
            for angle in (a, b)
        ]
    return np.concatenate(parts, axis=-1)
