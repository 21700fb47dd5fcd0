# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer and root-mean-square normalization; statistics in f32."""

from __future__ import annotations

from ..registry import NodeContext, handles
from ..scalars import Scalars
from ..structured import Structured
from ..values import F32, Value
from .reduction import mean


def _axes(ctx: NodeContext, x: Value) -> list[int]:
    return list(range(ctx.axis(ctx.attribute("axis", -1), x.rank), x.rank))


def _mean_square(build: Structured, x: Value, axes: list[int]) -> Value:
    def square(s: Scalars, v: list[str]) -> str:
        wide = s.convert(v[0], x.element, F32)
        return s.binary("Mul", wide, wide, F32)

    return mean(build, build.elementwise([x], F32, square, x.shape), axes)


def _inverse_deviation(build: Structured, variance: Value, epsilon: float) -> Value:
    """1 / sqrt(variance + epsilon)."""

    def body(s: Scalars, v: list[str]) -> str:
        root = s.math("Sqrt", s.binary("Add", v[0], s.constant(F32, epsilon), F32), F32)
        return s.binary("Div", s.constant(F32, 1.0), root, F32)

    return build.elementwise([variance], F32, body, variance.shape)


@handles("RMSNormalization", since=23)
def rms_normalization(ctx: NodeContext):
    """x / sqrt(mean(x^2) + epsilon), rounded to the type of x, times the scale."""
    x, scale = ctx.input(0), ctx.input(1)
    ctx.build.refuse_f64(x)
    inverse = _inverse_deviation(
        ctx.build, _mean_square(ctx.build, x, _axes(ctx, x)), ctx.attribute("epsilon", 1e-5)
    )

    def body(s: Scalars, v: list[str]) -> str:
        normal = s.binary("Mul", s.convert(v[0], x.element, F32), v[1], F32)
        return s.binary("Mul", s.convert(normal, F32, scale.element), v[2], scale.element)

    return [ctx.build.elementwise([x, inverse, scale], scale.element, body, x.shape)]


@handles("LayerNormalization", since=17)
def layer_normalization(ctx: NodeContext):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias; also mean, inverse deviation."""
    x, scale, bias = ctx.input(0), ctx.input(1), ctx.optional(2)
    ctx.build.same_element([x, scale] if bias is None else [x, scale, bias])
    axes = _axes(ctx, x)
    average = mean(ctx.build, ctx.build.cast(x, F32), axes)
    centred = ctx.build.elementwise(
        [x, average],
        F32,
        lambda s, v: s.binary("Sub", s.convert(v[0], x.element, F32), v[1], F32),
        x.shape,
    )
    inverse = _inverse_deviation(
        ctx.build, _mean_square(ctx.build, centred, axes), ctx.attribute("epsilon", 1e-5)
    )
    element = x.element

    def body(s: Scalars, v: list[str]) -> str:
        y = s.convert(s.binary("Mul", v[0], v[1], F32), F32, element)
        y = s.binary("Mul", y, v[2], element)
        return y if bias is None else s.binary("Add", y, v[3], element)

    operands = [centred, inverse, scale] + ([] if bias is None else [bias])
    return [ctx.build.elementwise(operands, element, body, x.shape), average, inverse]
