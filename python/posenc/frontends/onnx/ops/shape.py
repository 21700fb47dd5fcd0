# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move elements without looking at them."""

from __future__ import annotations

import numpy as np

from ...._errors import ImportFailure
from ..emitter import literal
from ..registry import NodeContext, handles, known
from ..scalars import Scalars
from ..symbols import Extent, product
from ..values import F32, I64, Value

_INT64_MAX = 2**63 - 1


def axes_of(ctx: NodeContext, rank: int, since: int, position: int = 1) -> list[int] | None:
    """The attribute `axes` before opset `since`, the input after; None where absent."""
    if ctx.opset < since:
        axes = ctx.attribute("axes")
    else:
        value = ctx.optional(position)
        axes = None if value is None else ctx.integers(value, "the list of axes")
    return None if axes is None else ctx.axes(axes, rank)


@handles("Shape")
def shape(ctx: NodeContext):
    extents = ctx.input(0).shape[ctx.attribute("start", 0) : ctx.attribute("end", None)]
    content = np.empty(len(extents), dtype=object)
    content[:] = extents
    return [known(content, I64)]


@handles("Size")
def size(ctx: NodeContext):
    content = np.empty((), dtype=object)
    content[()] = product(ctx.input(0).shape)
    return [known(content, I64)]


@handles("Reshape")
def reshape(ctx: NodeContext):
    x = ctx.input(0)
    wanted = ctx.extents(ctx.input(1), "the new shape")
    copy_zero = not ctx.attribute("allowzero", 0)
    shape = [
        x.shape[axis] if copy_zero and extent == 0 and axis < x.rank else extent
        for axis, extent in enumerate(wanted)
    ]
    free = [axis for axis, extent in enumerate(shape) if extent == -1]
    if len(free) > 1:
        raise ImportFailure("has -1 more than once in the new shape")
    if free:
        rest = product(extent for extent in shape if extent != -1)
        total = product(x.shape)
        shape[free[0]] = total // rest if rest != 0 else Extent.of(0)
    return [ctx.build.reshape(x, tuple(shape))]


@handles("Flatten")
def flatten(ctx: NodeContext):
    x = ctx.input(0)
    axis = ctx.attribute("axis", 1)
    axis = axis + x.rank if axis < 0 else axis
    return [ctx.build.reshape(x, (product(x.shape[:axis]), product(x.shape[axis:])))]


@handles("Unsqueeze")
def unsqueeze(ctx: NodeContext):
    x = ctx.input(0)
    count = len(ctx.integers(ctx.input(1), "the list of axes"))
    axes = axes_of(ctx, x.rank + count, 13)
    rest = iter(x.shape)
    return [
        ctx.build.reshape(
            x, tuple(Extent.of(1) if axis in axes else next(rest) for axis in range(x.rank + count))
        )
    ]


@handles("Squeeze")
def squeeze(ctx: NodeContext):
    x = ctx.input(0)
    axes = axes_of(ctx, x.rank, 13)
    if axes is None:
        axes = [axis for axis, extent in enumerate(x.shape) if extent == 1]
    for axis in axes:
        ctx.build.agree(x.shape[axis], Extent.of(1))
    kept = tuple(axis for axis in range(x.rank) if axis not in axes)
    if any(x.shape[axis] != 1 for axis in axes):
        x = ctx.build.retyped(
            x, tuple(Extent.of(1) if a in axes else e for a, e in enumerate(x.shape))
        )
    return [ctx.build.reshape(x, tuple(x.shape[axis] for axis in kept))]


@handles("Transpose")
def transpose(ctx: NodeContext):
    x = ctx.input(0)
    permutation = ctx.attribute("perm", list(range(x.rank))[::-1])
    if sorted(permutation) != list(range(x.rank)):
        raise ImportFailure(f"perm {list(permutation)} does not permute {x.rank} dimensions")
    return [ctx.build.transpose(x, permutation)]


@handles("Expand")
def expand(ctx: NodeContext):
    x = ctx.input(0)
    wanted = tuple(ctx.extents(ctx.input(1), "the new shape"))
    result = ctx.build.broadcast(x, ctx.build.broadcast_shapes([x.shape, wanted]))
    result.uniform = x.uniform
    return [result]


@handles("Concat")
def concat(ctx: NodeContext):
    values = [ctx.input(i) for i in range(len(ctx.inputs))]
    return [ctx.build.concat(values, ctx.axis(ctx.attribute("axis"), values[0].rank))]


@handles("Slice")
def slice_(ctx: NodeContext):
    x = ctx.input(0)
    starts = ctx.extents(ctx.input(1), "where the slice starts")
    ends = ctx.extents(ctx.input(2), "where the slice ends")
    axes = ctx.optional(3)
    axes = list(range(len(starts))) if axes is None else ctx.integers(axes, "the list of axes")
    steps = ctx.optional(4)
    steps = [1] * len(starts) if steps is None else ctx.integers(steps, "the step of the slice")
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise ImportFailure(
            f"has {len(starts)} starts, {len(ends)} ends, {len(axes)} axes and {len(steps)} steps; "
            "give one of each a dimension"
        )
    offsets, sizes, strides = [Extent.of(0)] * x.rank, list(x.shape), [1] * x.rank
    for start, end, axis, step in zip(starts, ends, ctx.axes(axes, x.rank), steps):
        if step == 0:
            raise ImportFailure("has a step of 0")
        offsets[axis], sizes[axis] = _slice_bounds(ctx, start, end, step, x.shape[axis])
        strides[axis] = step
    return [ctx.build.slice(x, offsets, sizes, strides)]


def _slice_bounds(
    ctx: NodeContext, start: Extent, end: Extent, step: int, extent: Extent
) -> tuple[Extent, Extent]:
    """Offset and number of elements, by the clamping rules of ONNX."""
    lowest, highest = (0, extent) if step > 0 else (-1, extent - 1)
    start, end = (_position(ctx, p, extent, lowest, highest) for p in (start, end))
    if start == (extent if step > 0 else -1):
        return Extent.of(0), Extent.of(0)
    span = end - start if step > 0 else start - end
    length = (span + (abs(step) - 1)) // abs(step)
    return start, ctx.build.clamp(length, 0, extent)


def _position(
    ctx: NodeContext, position: Extent, extent: Extent, lowest: int, highest: Extent
) -> Extent:
    static = position.static
    if static is not None and static >= _INT64_MAX // 2:
        return Extent.of(highest)
    if static is not None and static <= -_INT64_MAX // 2:
        return Extent.of(lowest)
    if ctx.emit.at_least(-1, position):
        position = position + extent
    return ctx.build.clamp(position, lowest, highest)


@handles("Split")
def split(ctx: NodeContext):
    x = ctx.input(0)
    axis = ctx.axis(ctx.attribute("axis", 0), x.rank)
    given = ctx.optional(1)
    count = len(ctx.node.output)
    if given is not None:
        sizes = ctx.extents(given, "the list of sizes")
        if len(sizes) != count:
            raise ImportFailure(f"has {len(sizes)} sizes for {count} outputs; give one an output")
    else:
        chunk = (x.shape[axis] + (count - 1)) // count
        sizes = [chunk] * (count - 1) + [x.shape[axis] - chunk * (count - 1)]
    total = sum(sizes, Extent.of(0))
    if None not in (total.static, x.shape[axis].static) and total != x.shape[axis]:
        raise ImportFailure(
            f"the sizes [{', '.join(map(str, sizes))}] add up to {total}, but dimension {axis} "
            f"has {x.shape[axis]}"
        )
    results, offset = [], Extent.of(0)
    for size in sizes:
        offsets, shape = [Extent.of(0)] * x.rank, list(x.shape)
        offsets[axis], shape[axis] = offset, size
        results.append(ctx.build.slice(x, offsets, shape))
        offset = offset + size
    ctx.build.agree(offset, x.shape[axis])
    return results


@handles("Tile")
def tile(ctx: NodeContext):
    x = ctx.input(0)
    repeats = ctx.extents(ctx.input(1), "the list of repeats")
    apart = ctx.build.reshape(x, tuple(e for extent in x.shape for e in (Extent.of(1), extent)))
    wide = ctx.build.broadcast(apart, tuple(e for pair in zip(repeats, x.shape) for e in pair))
    return [ctx.build.reshape(wide, tuple(r * extent for r, extent in zip(repeats, x.shape)))]


@handles("ConstantOfShape")
def constant_of_shape(ctx: NodeContext):
    shape = tuple(ctx.extents(ctx.input(0), "the shape"))
    tensor = ctx.attribute("value")
    element, number = F32, np.float32(0)
    if tensor is not None:
        from onnx import numpy_helper

        element, number = (
            ctx.element(tensor.data_type),
            numpy_helper.to_array(tensor).reshape(-1)[0],
        )
    result = Value(element, shape)
    static = result.static_shape()
    if static is not None and int(np.prod(static)) <= 64:
        return [known(np.full(static, number, dtype=element.numpy), element)]
    scalar = ctx.emit.scalar(element.mlir, literal(element, number))
    result.ssa = ctx.emit.filled(element, shape, scalar)
    return [result]


@handles("Range")
def range_(ctx: NodeContext):
    """start + index * step; the number of elements must follow from sizes or constants."""
    start, limit, step = ctx.input(0), ctx.input(1), ctx.input(2)
    element = start.element
    if element.kind == "f":
        numbers = [value.scalar() if value.is_number else None for value in (start, limit, step)]
        if None in numbers:
            raise ImportFailure("the bounds of a range of floats must be constant")
        count = Extent.of(
            max(int(np.ceil((float(numbers[1]) - float(numbers[0])) / float(numbers[2]))), 0)
        )
    else:
        first, last = (ctx.extents(v, "the range")[0] for v in (start, limit))
        (by,) = ctx.integers(step, "the step of the range")
        span = last - first if by > 0 else first - last
        count = (ctx.build.clamp(span, 0, span) + (abs(by) - 1)) // abs(by)

    def body(s: Scalars, x: list[str]) -> str:
        integer = element.mlir if element.kind == "i" else "i64"
        at = s.op(f"arith.index_cast {s.loop(0)} : index to {integer}")
        if element.kind == "f":
            at = s.convert(at, I64, element)
        if step.scalar() != 1:
            at = s.binary("Mul", at, x[1], element)
        return at if start.is_number and start.scalar() == 0 else s.binary("Add", x[0], at, element)

    return [ctx.build.elementwise([start, step], element, body, (count,))]


@handles("Trilu", since=14)
def trilu(ctx: NodeContext):
    """Keeps one triangle, with the diagonal moved by k; zeros elsewhere."""
    x, k = ctx.input(0), ctx.optional(1)
    diagonal = Extent.of(0) if k is None else ctx.extents(k, "the diagonal")[0]
    moved = ctx.emit.index(diagonal)
    predicate = "sge" if ctx.attribute("upper", 1) else "sle"

    def body(s: Scalars, v: list[str]) -> str:
        row, column = s.loop(x.rank - 2), s.loop(x.rank - 1)
        edge = s.op(f"arith.addi {row}, {moved} : index")
        keeps = s.op(f"arith.cmpi {predicate}, {column}, {edge} : index")
        return s.select(keeps, v[0], s.constant(x.element, 0), x.element)

    return [ctx.build.elementwise([x], x.element, body, x.shape)]


@handles("EyeLike")
def eye_like(ctx: NodeContext):
    """Ones on a diagonal, of the size of the input."""
    x = ctx.input(0)
    given = ctx.attribute("dtype")
    element = x.element if given is None else ctx.element(given)
    diagonal = ctx.attribute("k", 0)

    def body(s: Scalars, _: list[str]) -> str:
        edge = s.op(f"arith.addi {s.loop(0)}, {s.index(diagonal)} : index")
        on = s.op(f"arith.cmpi eq, {s.loop(1)}, {edge} : index")
        return s.select(on, s.constant(element, 1), s.constant(element, 0), element)

    return [ctx.build.elementwise([], element, body, x.shape)]


@handles("DepthToSpace", "SpaceToDepth")
def depth_and_space(ctx: NodeContext):
    """Channels to blocks of pixels, or back."""
    x = ctx.input(0)
    block = Extent.of(ctx.attribute("blocksize"))
    n, c, h, w = x.shape
    if ctx.node.op_type == "SpaceToDepth":
        rows, columns = h.divided_exactly(block), w.divided_exactly(block)
        if rows is None or columns is None:
            raise ImportFailure(f"blocks of {block} do not divide the picture {h} x {w}")
        apart = ctx.build.reshape(x, (n, c, rows, block, columns, block))
        columns_first = ctx.attribute("mode", "DCR") == "CRD"
        order = [0, 1, 3, 5, 2, 4] if columns_first else [0, 3, 5, 1, 2, 4]
        moved = ctx.build.transpose(apart, order)
        return [ctx.build.reshape(moved, (n, c * block * block, rows, columns))]
    depth = c.divided_exactly(block * block)
    if depth is None:
        raise ImportFailure(f"blocks of {block} x {block} do not divide {c} channels")
    columns_first = ctx.attribute("mode", "DCR") == "CRD"
    split = (depth, block, block) if columns_first else (block, block, depth)
    apart = ctx.build.reshape(x, (n, *split, h, w))
    order = [0, 1, 4, 2, 5, 3] if columns_first else [0, 3, 4, 1, 5, 2]
    return [ctx.build.reshape(ctx.build.transpose(apart, order), (n, depth, h * block, w * block))]
