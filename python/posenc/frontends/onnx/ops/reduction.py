# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and softmax, in f32 for 16-bit floats."""

from __future__ import annotations

import numpy as np

from ...._errors import ImportFailure
from ..emitter import literal
from ..registry import NodeContext, handles
from ..scalars import Scalars
from ..structured import Structured
from ..symbols import Extent, product
from ..values import F32, I64, ElementType, Value
from .shape import axes_of

_SINCE_AXES_ARE_INPUTS = {"ReduceSum": 13}


def _start(name: str, element: ElementType) -> float | int:
    if name in ("ReduceMax", "ReduceMin"):
        if element.kind == "f":
            return -np.inf if name == "ReduceMax" else np.inf
        limits = np.iinfo(element.numpy)
        return limits.min if name == "ReduceMax" else limits.max
    return 1 if name == "ReduceProd" else 0


def fold_axes(build: Structured, value: Value, axes: list[int], name: str, keep: bool) -> Value:
    """ReduceSum, Max, Min or Prod (by `name`); the result is f32 for 16-bit floats."""
    element = F32 if value.element.is_half else value.element
    binary = {"ReduceMax": "Max", "ReduceMin": "Min", "ReduceProd": "Mul"}.get(name, "Add")
    start = build.emit.scalar(element.mlir, literal(element, _start(name, element)))
    return build.reduce(
        value,
        axes,
        element,
        start,
        lambda s, x: s.binary(binary, x[1], s.convert(x[0], value.element, element), element),
        keep,
    )


def mean(build: Structured, value: Value, axes: list[int], keep: bool = True) -> Value:
    """The mean over `axes` in f32."""
    total = fold_axes(build, value, axes, "ReduceSum", keep)
    count = reciprocal_operand(build, product(value.shape[axis] for axis in axes))
    return build.elementwise(
        [total],
        total.element,
        lambda s, x: s.binary("Div", x[0], count(s), total.element),
        total.shape,
    )


def reciprocal_operand(build: Structured, extent: Extent):
    """A number of elements as an f32, for use in a body."""
    if extent.static is not None:
        return lambda s: s.constant(F32, extent.static)
    count = build.emit.integer(extent)
    return lambda s: s.convert(count, I64, F32)


@handles("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2")
def reduce(ctx: NodeContext):
    x = ctx.input(0)
    name = ctx.node.op_type
    axes: list[int] | None = axes_of(ctx, x.rank, _SINCE_AXES_ARE_INPUTS.get(name, 18))
    if not axes:
        if ctx.attribute("noop_with_empty_axes", 0):
            return [x]
        axes = list(range(x.rank))
    keep = bool(ctx.attribute("keepdims", 1))
    if name == "ReduceMean":
        if x.element.kind != "f":
            raise ImportFailure("the mean of integers is not known; cast to float32 first")
        return [ctx.build.cast(mean(ctx.build, x, axes, keep), x.element)]
    if name == "ReduceL2":
        square = ctx.build.elementwise([x], F32, lambda s, v: _square(s, v[0], x.element), x.shape)
        total = fold_axes(ctx.build, square, axes, "ReduceSum", keep)
        return [
            ctx.build.elementwise(
                [total],
                x.element,
                lambda s, v: s.convert(s.math("Sqrt", v[0], F32), F32, x.element),
                total.shape,
            )
        ]
    if x.element.kind == "b":
        raise ImportFailure(f"{name} of booleans is not known; cast to int64 first")
    return [ctx.build.cast(fold_axes(ctx.build, x, axes, name, keep), x.element)]


@handles("GlobalAveragePool", "GlobalMaxPool")
def global_pool(ctx: NodeContext):
    """Over all dimensions but batch and channels."""
    x = ctx.input(0)
    axes = list(range(2, x.rank))
    if ctx.node.op_type == "GlobalMaxPool":
        return [ctx.build.cast(fold_axes(ctx.build, x, axes, "ReduceMax", True), x.element)]
    return [ctx.build.cast(mean(ctx.build, x, axes), x.element)]


@handles("ArgMax", "ArgMin")
def arg_extreme(ctx: NodeContext):
    """The first (or last) index at which the extreme stands, i64."""
    x = ctx.input(0)
    axis = ctx.axis(ctx.attribute("axis", 0), x.rank)
    last = ctx.attribute("select_last_index", 0)
    extreme = fold_axes(
        ctx.build, x, [axis], "ReduceMax" if ctx.node.op_type == "ArgMax" else "ReduceMin", True
    )
    compared = extreme.element
    kept = [d for d in range(x.rank) if d != axis]
    loops = {d: f"d{i}" for i, d in enumerate(kept)} | {axis: "r0"}
    shape = tuple(x.shape[d] for d in kept)
    nowhere = Extent.of(-1) if last else x.shape[axis]

    def body(s: Scalars, v: list[str]) -> str:
        here = s.compare("Equal", s.convert(v[0], x.element, compared), v[1], compared)
        index = s.op(f"arith.index_cast {s.loop(len(kept))} : index to i64")
        better = s.binary("Max" if last else "Min", v[2], index, I64)
        return s.select(here, better, v[2], I64)

    result = ctx.build.generic(
        [x, extreme],
        [
            ", ".join(loops[d] for d in range(x.rank)),
            ", ".join("0" if d == axis else loops[d] for d in range(x.rank)),
        ],
        I64,
        shape,
        body,
        reduced=["r0"],
        out_map=", ".join(loops[d] for d in kept),
        init=ctx.emit.filled(I64, shape, ctx.emit.integer(nowhere)),
    )
    if ctx.attribute("keepdims", 1):
        one = Extent.of(1)
        result = ctx.build.reshape(
            result, tuple(one if d == axis else x.shape[d] for d in range(x.rank))
        )
    return [result]


def _square(s: Scalars, operand: str, element: ElementType) -> str:
    wide = s.convert(operand, element, F32)
    return s.binary("Mul", wide, wide, F32)


def softmax_of(build: Structured, value: Value, axis: int) -> Value:
    """linalg.softmax in f32, rounded once to the value's type."""
    wide = build.cast(value, F32)
    result = Value(F32, wide.shape)
    source, init = build.emit.ssa(wide), build.emit.empty(F32, wide.shape)
    result.ssa = build.emit.op(
        f"linalg.softmax dimension({axis}) ins({source} : {wide.type}) "
        f"outs({init} : {result.type}) -> {result.type}"
    )
    return build.cast(result, value.element)


@handles("Softmax", since=13)
def softmax(ctx: NodeContext):
    x = ctx.input(0)
    ctx.build.refuse_f64(x)
    return [softmax_of(ctx.build, x, ctx.axis(ctx.attribute("axis", -1), x.rank))]
