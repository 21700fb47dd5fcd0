# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary encodings over several axes: images, videos, text with both.

A token has a coordinate an axis; each pair of lanes turns with one of them.
`angles` functions return float64 [..., L, pairs], to be rotated by
`rotary.rotate` with their cosines and sines.
"""

from __future__ import annotations

import numpy as np

from . import checks

VISION = {1: "image", 2: "video"}


def mrope(
    positions: np.ndarray, inv_freq: np.ndarray, sections: list[int], *, order: str
) -> np.ndarray:
    """Angles of M-RoPE: every pair keeps its own frequency.

    positions: [axes, ..., L]; inv_freq: [pairs]; sections: pairs an axis.
    order: "chunked" (Qwen2-VL): runs of sections[axis] pairs;
    "interleaved" (Qwen3-VL): pairs 1, 4, 7 ... below 3 * sections[1] take axis 1,
    2, 5, 8 ... below 3 * sections[2] take axis 2, all others axis 0 (and so on
    for other numbers of axes).

    Source: Qwen2-VL (Wang et al. 2024); transformers qwen2_vl, qwen3_vl.
    """
    checks.one_of("order", order, ("chunked", "interleaved"))
    positions = np.asarray(positions, dtype=np.float64)
    every = positions[..., np.newaxis] * np.asarray(inv_freq, dtype=np.float64)
    if order == "chunked":
        starts = np.cumsum([0, *sections[:-1]])
        runs = [slice(start, start + n) for start, n in zip(starts, sections)]
        return np.concatenate([every[axis][..., run] for axis, run in enumerate(runs)], axis=-1)
    result = every[0].copy()
    for axis in range(1, len(sections)):
        taken = slice(axis, len(sections) * sections[axis], len(sections))
        result[..., taken] = every[axis][..., taken]
    return result


def restarting(positions: np.ndarray, frequencies: list[np.ndarray]) -> np.ndarray:
    """Angles of blocks of pairs, an axis each with frequencies of its own.

    positions: [axes, ..., L]; frequencies: [pairs of the axis] for each axis.

    Source: Qwen2-VL's vision tower, FLUX's EmbedND, timm's RotaryEmbeddingCat,
    rotary-embedding-torch's axial encodings, DINOv3.
    """
    positions = np.asarray(positions, dtype=np.float64)
    return np.concatenate(
        [place[..., np.newaxis] * own for place, own in zip(positions, frequencies, strict=True)],
        axis=-1,
    )


def strided(positions: np.ndarray, inv_freq: np.ndarray) -> np.ndarray:
    """Angles of blocks of pairs, an axis each, that deal the frequencies out in turn.

    Source: Pixtral 12B (Agrawal et al. 2024): rows take frequencies 0, 2, 4 ...,
    columns 1, 3, 5 ....
    """
    axes = len(positions)
    return restarting(positions, [np.asarray(inv_freq)[axis::axes] for axis in range(axes)])


def grid(height: int, width: int) -> np.ndarray:
    """Row and column of each token in row-major order, [2, height * width]."""
    return np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij")).reshape(2, -1)


def centred(index: np.ndarray, size: int) -> np.ndarray:
    """DINOv3's coordinate of the middle of cell `index` of `size`, in -1 to 1."""
    return 2 * (np.asarray(index, dtype=np.float64) + 0.5) / size - 1


def merged_grid(frames: int, height: int, width: int, merge: int) -> np.ndarray:
    """Row and column of Qwen2-VL's vision tokens, which go merge block by merge block.

    Returns [2, frames * height * width].
    """
    blocks = grid(height, width).reshape(2, height // merge, merge, width // merge, merge)
    return np.tile(blocks.transpose(0, 1, 3, 2, 4).reshape(2, -1), frames)


def mrope_positions(
    token_types: np.ndarray,
    grids: list[tuple[int, int, int]],
    *,
    merge: int,
    rule: str,
    ticks: float | None = None,
) -> tuple[np.ndarray, int]:
    """Positions T, H, W [3, L] of text and vision tokens; and largest position + 1 - L.

    token_types: [L], 0 text, 1 image, 2 video; grids: T, H, W of each run of
    vision tokens in patches, H and W before merging. Text counts on in all three;
    a vision block counts frames, rows and columns from where it starts.
    rule: where the text behind a block goes on: "largest", at its largest
    position + 1 (transformers 4.49); "extent", max(H, W) / merge behind its start
    (transformers 5).
    ticks: positions a frame of a video, whose product is truncated (Qwen2.5-VL).

    Source: Qwen2-VL (Wang et al. 2024), transformers get_rope_index.
    """
    checks.one_of("rule", rule, ("largest", "extent"))
    runs: list[np.ndarray] = []
    start, at, blocks = 0, 0, iter(grids)
    token_types = np.asarray(token_types)
    while at < len(token_types):
        kind = int(token_types[at])
        if kind == 0:
            runs.append(np.full((3, 1), start))
            start, at = start + 1, at + 1
            continue
        frames, height, width = next(blocks)
        rows, columns = height // merge, width // merge
        block = np.stack(
            np.meshgrid(np.arange(frames), np.arange(rows), np.arange(columns), indexing="ij")
        ).reshape(3, -1)
        if ticks is not None and VISION[kind] == "video":
            block[0] = (block[0] * ticks).astype(np.int64)
        runs.append(block + start)
        start = runs[-1].max() + 1 if rule == "largest" else start + max(rows, columns)
        at += frames * rows * columns
    positions = np.concatenate(runs, axis=1).astype(np.int64)
    return positions, int(positions.max()) + 1 - len(token_types)
