# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that read at positions given as data.

A position may count from the end, as ONNX has it. A constant one outside the
tensor is an error, of the import or of the call, whichever knows the size. One
that is data is clamped to the nearest row, so that no input makes compiled code
read elsewhere.
"""

from __future__ import annotations

import numpy as np

from ...._errors import ImportFailure
from ..registry import NodeContext, handles
from ..scalars import Scalars
from ..structured import broadcast_map
from ..symbols import Extent
from ..values import I64, Value


def as_integers(indices: Value) -> Value:
    if indices.element.kind != "i":
        raise ImportFailure(
            f"positions have elements of type {indices.element.mlir}; they must be integers"
        )
    return indices


def require_inside(ctx: NodeContext, positions: np.ndarray | None, extent: Extent) -> None:
    """Known positions lie in a dimension of this size; where only a call knows it, it checks."""
    if positions is None or positions.size == 0:
        return
    low, high = int(positions.min()), int(positions.max())
    for row, least in ((high, high + 1), (low, -low)):
        message = f"row {row} is outside a dimension of size {extent}"
        if extent.static is not None and extent.static < least:
            raise ImportFailure(message)
        if extent.static is None and not ctx.emit.at_least(extent, least):
            ctx.emit.require("sge", extent, least, message + ctx.emit.where(extent))


@handles("Gather")
def gather(ctx: NodeContext):
    data, indices = ctx.input(0), as_integers(ctx.input(1))
    axis = ctx.axis(ctx.attribute("axis", 0), data.rank)
    shape = data.shape[:axis] + indices.shape + data.shape[axis + 1 :]
    require_inside(ctx, indices.numbers, data.shape[axis])
    row = indices.scalar() if indices.is_number else None
    if row is not None:
        return [_row(ctx, data, axis, int(row), shape)]
    source, extent = ctx.emit.ssa(data), ctx.emit.index(data.shape[axis])
    subscripts = ", ".join(f"d{axis + i}" for i in range(indices.rank))

    def body(s: Scalars, x: list[str]) -> str:
        at = [s.loop(d) for d in range(axis)]
        at.append(s.row_within(s.to_index(x[0], indices.element), extent))
        at += [s.loop(axis + indices.rank + d) for d in range(data.rank - axis - 1)]
        return s.op(f"tensor.extract {source}[{', '.join(at)}] : {data.type}")

    return [ctx.build.generic([indices], [subscripts], data.element, shape, body)]


def _row(ctx: NodeContext, data: Value, axis: int, row: int, shape) -> Value:
    """One row at a known position, which is inside: a slice."""
    extent = data.shape[axis]
    position = extent + row if row < 0 else Extent.of(row)
    offsets, sizes = [Extent.of(0)] * data.rank, list(data.shape)
    offsets[axis], sizes[axis] = position, Extent.of(1)
    return ctx.build.reshape(ctx.build.slice(data, offsets, sizes), shape)


@handles("GatherElements")
def gather_elements(ctx: NodeContext):
    data, indices = ctx.input(0), as_integers(ctx.input(1))
    axis = ctx.axis(ctx.attribute("axis", 0), data.rank)
    require_inside(ctx, indices.numbers, data.shape[axis])
    source, extent = ctx.emit.ssa(data), ctx.emit.index(data.shape[axis])

    def body(s: Scalars, x: list[str]) -> str:
        at = [
            s.row_within(s.to_index(x[0], indices.element), extent) if d == axis else s.loop(d)
            for d in range(data.rank)
        ]
        return s.op(f"tensor.extract {source}[{', '.join(at)}] : {data.type}")

    subscripts = broadcast_map(indices.shape, indices.shape)
    return [ctx.build.generic([indices], [subscripts], data.element, indices.shape, body)]


@handles("GatherND")
def gather_nd(ctx: NodeContext):
    """The last dimension of the indices is a tuple of positions."""
    data, indices = ctx.input(0), as_integers(ctx.input(1))
    batch = ctx.attribute("batch_dims", 0)
    width = indices.shape[-1].static
    if width is None:
        raise ImportFailure("the number of positions a tuple holds must be static")
    if indices.numbers is not None:
        for i in range(width):
            require_inside(ctx, indices.numbers[..., i], data.shape[batch + i])
    shape = indices.shape[:-1] + data.shape[batch + width :]
    source, tuples = ctx.emit.ssa(data), ctx.emit.ssa(indices)
    extents = [ctx.emit.index(data.shape[batch + i]) for i in range(width)]

    def body(s: Scalars, _: list[str]) -> str:
        loops = [s.loop(d) for d in range(len(shape))]
        outer = loops[: indices.rank - 1]
        at = loops[:batch]
        for i in range(width):
            position = s.op(
                f"tensor.extract {tuples}[{', '.join([*outer, s.index(i)])}] : {indices.type}"
            )
            at.append(s.row_within(s.to_index(position, indices.element), extents[i]))
        at += loops[indices.rank - 1 :]
        return s.op(f"tensor.extract {source}[{', '.join(at)}] : {data.type}")

    return [ctx.build.generic([], [], data.element, shape, body)]


@handles("CumSum")
def cumulative_sum(ctx: NodeContext):
    """The sum over the elements up to each one, in one linalg.generic."""
    x = ctx.input(0)
    (axis,) = ctx.integers(ctx.input(1), "the axis")
    axis = ctx.axis(axis, x.rank)
    strict, backwards = ctx.attribute("exclusive", 0), ctx.attribute("reverse", 0)
    predicate = ("sg" if backwards else "sl") + ("t" if strict else "e")
    subscripts = ", ".join("r0" if d == axis else f"d{d}" for d in range(x.rank))
    zero = ctx.emit.scalar(x.element.mlir, "0" if x.element.kind == "i" else "0.0")

    def body(s: Scalars, v: list[str]) -> str:
        counts = s.op(f"arith.cmpi {predicate}, {s.loop(x.rank)}, {s.loop(axis)} : index")
        term = s.select(counts, v[0], s.constant(x.element, 0), x.element)
        return s.binary("Add", v[1], term, x.element)

    return [
        ctx.build.generic(
            [x],
            [subscripts],
            x.element,
            x.shape,
            body,
            reduced=["r0"],
            out_map=", ".join(f"d{d}" for d in range(x.rank)),
            init=ctx.emit.filled(x.element, x.shape, zero),
        )
    ]


@handles("OneHot")
def one_hot(ctx: NodeContext):
    """`values` [off, on] along a new axis; nothing is on where the index lies outside."""
    indices, values = ctx.build.cast(ctx.input(0), I64), ctx.input(2)
    (depth,) = ctx.extents(ctx.input(1), "the depth")
    axis = ctx.axis(ctx.attribute("axis", -1), indices.rank + 1)
    shape = (*indices.shape[:axis], depth, *indices.shape[axis:])
    source, extent = ctx.emit.ssa(values), ctx.emit.index(depth)
    subscripts = ", ".join(f"d{d}" for d in range(len(shape)) if d != axis)

    def body(s: Scalars, x: list[str]) -> str:
        at = s.from_the_front(s.to_index(x[0], indices.element), extent)
        on = s.op(f"arith.cmpi eq, {at}, {s.loop(axis)} : index")
        which = s.op(f"arith.select {on}, {s.index(1)}, {s.index(0)} : index")
        return s.op(f"tensor.extract {source}[{which}] : {values.type}")

    return [ctx.build.generic([indices], [subscripts], values.element, shape, body)]
