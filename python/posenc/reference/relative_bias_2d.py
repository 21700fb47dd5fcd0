# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Biases by distance between the places of a window: Swin, Swin v2, BEiT.

Sources: Swin Transformer (Liu et al. 2021), Swin Transformer V2 (Liu et al.
2022), BEiT (Bao et al. 2022).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import checks


def index(window: Sequence[int], *, class_token: bool) -> np.ndarray:
    """The table's row of every query and key, tokens row by row of the window.

    (dh + Wh - 1)(2 Ww - 1) + dw + Ww - 1, d = query - key. class_token: a first
    token without a place; of the n rows then, n - 3 is of its query and any key,
    n - 2 of any query and its key, n - 1 of its query and its key.

    Returns int64 [tokens, tokens].
    """
    height, width = window
    rows, columns = np.divmod(np.arange(height * width), width)
    down = rows[:, np.newaxis] - rows + height - 1
    across = columns[:, np.newaxis] - columns + width - 1
    result = down * (2 * width - 1) + across
    if not class_token:
        return result
    distances = (2 * height - 1) * (2 * width - 1)
    result = np.pad(result, ((1, 0), (1, 0)))
    result[0, :] = distances
    result[:, 0] = distances + 1
    result[0, 0] = distances + 2
    return result


def bias(table: np.ndarray, window: Sequence[int], *, class_token: bool) -> np.ndarray:
    """table[index, h]: [N, H] to float64 [H, tokens, tokens]."""
    table = np.asarray(table, dtype=np.float64)
    return np.moveaxis(table[index(window, class_token=class_token)], -1, 0)


def log_spaced_coordinates(
    window: Sequence[int],
    *,
    pretrained_window: Sequence[int] | None = None,
    spacing: str,
) -> np.ndarray:
    """Distances (dh, dw) on a logarithmic scale, in the order of the table's rows.

    spacing: "window" is Swin v2's, sign(x) log2(1 + |x|) / log2(8) of
    x = 8 d / (W - 1), W that of the pretrained window where given; "natural" is
    sign(d) ln(1 + |d|). Distance 0 has coordinate 0 whatever W.

    Returns float64 [(2 Wh - 1)(2 Ww - 1), 2].
    Raises ValueError for an unknown choice.
    """
    checks.one_of("spacing", spacing, ("window", "natural"))
    axes = []
    for size, trained in zip(window, pretrained_window or window, strict=True):
        d = np.arange(1 - size, size, dtype=np.float64)
        if spacing == "natural":
            axes.append(np.sign(d) * np.log(1 + np.abs(d)))
        else:
            x = 8 * d / max(trained - 1, 1)
            axes.append(np.sign(x) * np.log2(1 + np.abs(x)) / np.log2(8))
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)


def swin_v2_table(
    coordinates: np.ndarray, weight: np.ndarray, hidden_bias: np.ndarray, output: np.ndarray
) -> np.ndarray:
    """Swin v2's table, 16 sigmoid(perceptron(coordinates)).

    coordinates: [N, 2]; weight [W, 2], hidden_bias [W], output [H, W] (no bias);
    max(x, 0) between. Returns float64 [N, H].
    """
    units = np.maximum(coordinates @ np.asarray(weight, dtype=np.float64).T + hidden_bias, 0)
    return 16 / (1 + np.exp(-(units @ np.asarray(output, dtype=np.float64).T)))


def resize_table(
    table: np.ndarray, old_window: Sequence[int], window: Sequence[int]
) -> np.ndarray:
    """The table of another window, bilinearly; BEiT's class-token rows stay.

    Half-pixel centres, nothing beyond the border. table: [N, H], of the old
    window's distances and perhaps three rows more.
    """
    table = np.asarray(table, dtype=np.float64)
    sizes = [2 * size - 1 for size in old_window]
    distances = sizes[0] * sizes[1]
    grid = table[:distances].reshape(*sizes, -1)
    for axis, size in enumerate(window):
        grid = _resize_axis(grid, axis, 2 * size - 1)
    return np.concatenate([grid.reshape(-1, table.shape[1]), table[distances:]])


def _resize_axis(grid: np.ndarray, axis: int, size: int) -> np.ndarray:
    old = grid.shape[axis]
    at = np.clip((np.arange(size) + 0.5) * old / size - 0.5, 0, old - 1)
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, old - 1)
    shape = [1] * grid.ndim
    shape[axis] = size
    share = (at - low).reshape(shape)
    return np.take(grid, low, axis) * (1 - share) + np.take(grid, high, axis) * share
