# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resize: along each axis a sum of a few elements, with positions and weights from tables.

The tables follow from the sizes, which are static; they are computed in float64
by the formulas of the operator's specification.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...._errors import ImportFailure
from ..registry import NodeContext, handles, known
from ..scalars import Scalars
from ..symbols import Extent
from ..values import F32, I64, Value

# How far from the position the elements lie that count.
_RADIUS = {"nearest": 0, "linear": 1, "cubic": 2}


@dataclass
class _Axis:
    """One axis to resize; `scale` is what the graph asks for, not always outputs / inputs."""

    inputs: int
    outputs: int
    scale: float


@handles("Resize", since=11)
def resize(ctx: NodeContext):
    x = ctx.input(0)
    mode = ctx.attribute("mode", "nearest")
    if mode not in _RADIUS:
        raise ImportFailure(f"the mode '{mode}' is not known")
    if mode != "nearest" and x.element.kind != "f":
        raise ImportFailure(f"interpolates elements of type {x.element.mlir}; cast to float32")
    for axis, sizes in _axes(ctx, x).items():
        if sizes.inputs == sizes.outputs and sizes.scale == 1.0:
            continue
        x = _resize_axis(ctx, x, axis, sizes.outputs, *_tables(ctx, mode, sizes))
    return [x]


def _axes(ctx: NodeContext, x: Value) -> dict[int, _Axis]:
    scales, sizes = ctx.optional(2), ctx.optional(3)
    axes = ctx.axes(ctx.attribute("axes", list(range(x.rank))), x.rank)
    wanted = sizes if sizes is not None and sizes.shape[0] != 0 else scales
    if wanted is None or not wanted.is_number or wanted.content.size != len(axes):
        raise ImportFailure(f"needs constant scales or sizes of {len(axes)} dimensions")
    numbers = [float(number) for number in wanted.content.reshape(-1)]
    inputs = [x.shape[axis].static for axis in axes]
    if None in inputs:
        changed = [
            axis
            for axis, extent, number in zip(axes, inputs, numbers)
            if extent is None and not (wanted is scales and number == 1.0)
        ]
        if changed:
            raise ImportFailure(
                f"resizes dimension {changed[0]}, which is dynamic; give it a number"
            )
    pairs = [(axis, i, n) for axis, i, n in zip(axes, inputs, numbers) if i is not None]
    if wanted is scales:
        return {axis: _Axis(i, math.floor(i * n), n) for axis, i, n in pairs}
    ratios = [n / i for _, i, n in pairs]
    policy = ctx.attribute("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        ratio = min(ratios) if policy == "not_larger" else max(ratios)
        return {axis: _Axis(i, math.floor(i * ratio + 0.5), ratio) for axis, i, _ in pairs}
    return {axis: _Axis(i, int(n), n / i) for axis, i, n in pairs}


def _positions(ctx: NodeContext, sizes: _Axis) -> np.ndarray:
    """Where each output lies among the inputs."""
    x, scale = np.arange(sizes.outputs, dtype=np.float64), sizes.scale
    length = scale * sizes.inputs  # The number of outputs, not yet rounded.
    name = ctx.attribute("coordinate_transformation_mode", "half_pixel")
    if name == "align_corners":
        return x * (sizes.inputs - 1) / (length - 1) if length != 1 else 0 * x
    if name == "asymmetric":
        return x / scale
    if name == "half_pixel_symmetric":
        part = sizes.outputs / length
        return sizes.inputs / 2 * (1 - part) + (x + 0.5) / scale - 0.5
    if name == "pytorch_half_pixel":
        return (x + 0.5) / scale - 0.5 if length != 1 else 0 * x
    if name == "half_pixel":
        return (x + 0.5) / scale - 0.5
    raise ImportFailure(f"coordinate_transformation_mode '{name}' is not known")


def _tables(ctx: NodeContext, mode: str, sizes: _Axis) -> tuple[np.ndarray, np.ndarray]:
    """(positions [outputs, taps], weights [outputs, taps])."""
    at = _positions(ctx, sizes)
    if mode == "nearest":
        rows, weights = _nearest(ctx, at)[:, None], np.ones((len(at), 1))
    else:
        # Against aliasing the kernel widens as the picture shrinks.
        narrow = min(sizes.scale, 1.0) if ctx.attribute("antialias", 0) else 1.0
        start = math.floor(-_RADIUS[mode] / narrow) + 1
        rows = np.floor(at).astype(np.int64)[:, None] + np.arange(start, 2 - start)
        distance = np.abs(at[:, None] - rows) * narrow
        weights = np.maximum(1 - distance, 0)
        if mode == "cubic":
            weights = _cubic(distance, ctx.attribute("cubic_coeff_a", -0.75))
        weights /= weights.sum(1, keepdims=True)
        if ctx.attribute("exclude_outside", 0):
            weights = np.where((rows < 0) | (rows >= sizes.inputs), 0, weights)
            weights /= weights.sum(1, keepdims=True)
    return np.clip(rows, 0, sizes.inputs - 1), weights


def _nearest(ctx: NodeContext, at: np.ndarray) -> np.ndarray:
    name = ctx.attribute("nearest_mode", "round_prefer_floor")
    rounded = {
        "round_prefer_floor": np.ceil(at - 0.5),
        "round_prefer_ceil": np.floor(at + 0.5),
        "floor": np.floor(at),
        "ceil": np.ceil(at),
    }
    if name not in rounded:
        raise ImportFailure(f"nearest_mode '{name}' is not known")
    return rounded[name].astype(np.int64)


def _cubic(x: np.ndarray, a: float) -> np.ndarray:
    """The convolution kernel of Keys, 1981, at the distances x >= 0."""
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def _resize_axis(
    ctx: NodeContext, x: Value, axis: int, outputs: int, rows: np.ndarray, weights: np.ndarray
) -> Value:
    shape = (*x.shape[:axis], Extent.of(outputs), *x.shape[axis + 1 :])
    positions, factors = known(rows, I64), known(weights.astype(np.float32), F32)
    source, row_table = ctx.emit.ssa(x), ctx.emit.ssa(positions)
    weighted = not (weights == 1).all()
    weight_table = ctx.emit.ssa(factors) if weighted else None

    def body(s: Scalars, _: list[str]) -> str:
        at = [s.loop(d) for d in range(x.rank)]
        total = None
        for tap in range(rows.shape[1]):
            place = f"[{at[axis]}, {s.index(tap)}]"
            row = s.op(f"tensor.extract {row_table}{place} : {positions.type}")
            reads = [s.to_index(row, I64) if d == axis else at[d] for d in range(x.rank)]
            read = s.op(f"tensor.extract {source}[{', '.join(reads)}] : {x.type}")
            if not weighted:
                return read
            factor = s.op(f"tensor.extract {weight_table}{place} : {factors.type}")
            term = s.binary("Mul", s.convert(read, x.element, F32), factor, F32)
            total = term if total is None else s.binary("Add", total, term, F32)
        return s.convert(total, F32, x.element)

    return ctx.build.generic([], [], x.element, shape, body)
