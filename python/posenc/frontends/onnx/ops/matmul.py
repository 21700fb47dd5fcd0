# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products."""

from __future__ import annotations

from ..emitter import literal
from ..registry import NodeContext, handles
from ..scalars import Scalars
from ..structured import Structured
from ..symbols import Extent, product
from ..values import F32, Shape, Value


@handles("MatMul")
def matmul(ctx: NodeContext):
    a, b = ctx.input(0), ctx.input(1)
    return [multiply(ctx.build, a, b)]


def multiply(build: Structured, a: Value, b: Value) -> Value:
    """NumPy's matmul; 16-bit floats are summed in f32 and rounded once."""
    build.same_element([a, b])
    one = Extent.of(1)
    left = a if a.rank > 1 else build.reshape(a, (one,) + a.shape)
    right = b if b.rank > 1 else build.reshape(b, b.shape + (one,))
    build.agree(left.shape[-1], right.shape[-2])
    if right.rank == 2:
        result = _by_matrix(build, left, right)
    elif left.shape[:-2] == right.shape[:-2] and left.rank == 3:
        shape = left.shape[:-1] + (right.shape[-1],)
        result = _named(build, "batch_matmul", left, right, shape)
    else:
        result = _broadcast(build, left, right)
    result = build.cast(result, a.element)
    shape = result.shape
    if a.rank == 1:
        shape = shape[:-2] + shape[-1:]
    if b.rank == 1:
        shape = shape[:-1]
    return build.reshape(result, shape)


def _by_matrix(build: Structured, left: Value, right: Value) -> Value:
    """All rows of `left`, whatever its batch dimensions, times one matrix."""
    if sum(extent.static is None for extent in left.shape[:-1]) > 1:
        # Taking the rows apart again would have two dynamic sizes in one group of an expand_shape.
        return _broadcast(build, left, right)
    rows = product(left.shape[:-1])
    flat = build.reshape(left, (rows, left.shape[-1]))
    result = _named(build, "matmul", flat, right, (rows, right.shape[-1]))
    return build.reshape(result, left.shape[:-1] + (right.shape[-1],))


def _named(build: Structured, name: str, left: Value, right: Value, shape: Shape) -> Value:
    build.refuse_f64(left)
    element = F32 if left.element.is_half else left.element
    result = Value(element, shape)
    a, b = build.emit.ssa(left), build.emit.ssa(right)
    init = build.emit.filled(element, shape, build.emit.scalar(element.mlir, literal(element, 0)))
    result.ssa = build.emit.op(
        f"linalg.{name} ins({a}, {b} : {left.type}, {right.type}) "
        f"outs({init} : {result.type}) -> {result.type}"
    )
    return result


def _broadcast(build: Structured, left: Value, right: Value) -> Value:
    """Batch dimensions broadcast: a contraction with the maps that say so."""
    batch = build.broadcast_shapes([left.shape[:-2], right.shape[:-2]])
    rank = len(batch)
    shape = batch + (left.shape[-2], right.shape[-1])
    left, left_axes = _repeated_dropped(build, left, batch)
    right, right_axes = _repeated_dropped(build, right, batch)
    return build.contract(
        left,
        ", ".join([*left_axes, f"d{rank}", "r0"]),
        right,
        ", ".join([*right_axes, "r0", f"d{rank + 1}"]),
        shape,
    )


def _repeated_dropped(build: Structured, value: Value, batch: Shape) -> tuple[Value, list[str]]:
    """`value` without the batch dimensions of size 1 that repeat, and the loops of the others.

    Contractions read by plain loops are what the compiler knows as such.
    """
    offset = len(batch) - (value.rank - 2)
    kept = [
        axis
        for axis, extent in enumerate(value.shape[:-2])
        if extent != 1 or batch[axis + offset] == 1
    ]
    shape = tuple(value.shape[axis] for axis in kept) + value.shape[-2:]
    return build.reshape(value, shape), [f"d{axis + offset}" for axis in kept]


@handles("Gemm")
def gemm(ctx: NodeContext):
    """alpha A' B' + beta C, each transposed where its attribute says so."""
    a, b, c = ctx.input(0), ctx.input(1), ctx.optional(2)
    alpha, beta = ctx.attribute("alpha", 1.0), ctx.attribute("beta", 1.0)
    a = ctx.build.transpose(a, [1, 0]) if ctx.attribute("transA", 0) else a
    b = ctx.build.transpose(b, [1, 0]) if ctx.attribute("transB", 0) else b
    result = multiply(ctx.build, a, b)
    element = a.element

    def body(s: Scalars, x: list[str]) -> str:
        y = x[0] if alpha == 1.0 else s.binary("Mul", x[0], s.constant(element, alpha), element)
        if c is None:
            return y
        offset = x[1] if beta == 1.0 else s.binary("Mul", x[1], s.constant(element, beta), element)
        return s.binary("Add", y, offset, element)

    if c is None and alpha == 1.0:
        return [result]
    return [
        ctx.build.elementwise([result] if c is None else [result, c], element, body, result.shape)
    ]
