# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer and root-mean-square normalization; statistics in f32."""

from __future__ import annotations

from ...._errors import ImportFailure
from ..registry import NodeContext, handles
from ..scalars import Scalars
from ..structured import Structured
from ..symbols import Extent
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
    x = ctx.input(0)
    epsilon = ctx.attribute("epsilon", 1e-5)
    return [rms_normalize(ctx.build, x, ctx.input(1), _axes(ctx, x), epsilon)[0]]


def rms_normalize(
    build: Structured, x: Value, scale: Value, axes: list[int], epsilon: float
) -> tuple[Value, Value]:
    """The result and 1 / sqrt(mean(x^2) + epsilon)."""
    build.refuse_f64(x)
    inverse = _inverse_deviation(build, _mean_square(build, x, axes), epsilon)

    def body(s: Scalars, v: list[str]) -> str:
        normal = s.binary("Mul", s.convert(v[0], x.element, F32), v[1], F32)
        return s.binary("Mul", s.convert(normal, F32, scale.element), v[2], scale.element)

    return build.elementwise([x, inverse, scale], scale.element, body, x.shape), inverse


@handles("LayerNormalization", since=17)
def layer_normalization(ctx: NodeContext):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias; also mean, inverse deviation."""
    x = ctx.input(0)
    epsilon = ctx.attribute("epsilon", 1e-5)
    return layer_normalize(ctx.build, x, ctx.input(1), ctx.optional(2), _axes(ctx, x), epsilon)


def layer_normalize(
    build: Structured, x: Value, scale: Value, bias: Value | None, axes: list[int], epsilon: float
) -> list[Value]:
    """The result, the mean and the inverse deviation."""
    build.same_element([x, scale] if bias is None else [x, scale, bias])
    average = mean(build, build.cast(x, F32), axes)
    centred = build.elementwise(
        [x, average],
        F32,
        lambda s, v: s.binary("Sub", s.convert(v[0], x.element, F32), v[1], F32),
        x.shape,
    )
    inverse = _inverse_deviation(build, _mean_square(build, centred, axes), epsilon)
    element = x.element

    def body(s: Scalars, v: list[str]) -> str:
        y = s.convert(s.binary("Mul", v[0], v[1], F32), F32, element)
        y = s.binary("Mul", y, v[2], element)
        return y if bias is None else s.binary("Add", y, v[3], element)

    operands = [centred, inverse, scale] + ([] if bias is None else [bias])
    return [build.elementwise(operands, element, body, x.shape), average, inverse]


@handles("InstanceNormalization")
def instance_normalization(ctx: NodeContext):
    """Layer normalization over the spatial dimensions, scale and bias a channel."""
    x = ctx.input(0)
    scale, bias = (_by_channel(ctx.build, ctx.input(i), x) for i in (1, 2))
    axes = list(range(2, x.rank))
    return layer_normalize(ctx.build, x, scale, bias, axes, ctx.attribute("epsilon", 1e-5))[:1]


@handles("GroupNormalization", since=21)
def group_normalization(ctx: NodeContext):
    """Layer normalization over the channels of a group, scale and bias a channel."""
    x = ctx.input(0)
    groups = ctx.attribute("num_groups")
    size = x.shape[1].divided_exactly(groups)
    if size is None:
        raise ImportFailure(f"{groups} groups do not divide {x.shape[1]} channels")
    grouped = ctx.build.reshape(x, (x.shape[0], Extent.of(groups), size, *x.shape[2:]))
    part = (Extent.of(groups), size, *(Extent.of(1) for _ in x.shape[2:]))
    scale, bias = (ctx.build.reshape(ctx.input(i), part) for i in (1, 2))
    axes = list(range(2, grouped.rank))
    epsilon = ctx.attribute("epsilon", 1e-5)
    normal = layer_normalize(ctx.build, grouped, scale, bias, axes, epsilon)[0]
    return [ctx.build.reshape(normal, x.shape)]


@handles("BatchNormalization", since=14)
def batch_normalization(ctx: NodeContext):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias, with statistics that are inputs."""
    if ctx.attribute("training_mode", 0):
        raise ImportFailure("is in training mode; export the model for inference")
    x = ctx.input(0)
    epsilon = ctx.attribute("epsilon", 1e-5)
    scale, bias, average, variance = (
        _by_channel(ctx.build, ctx.input(i), x) for i in range(1, 5)
    )
    deviation = _inverse_deviation(ctx.build, ctx.build.cast(variance, F32), epsilon)
    operands = [x, scale, bias, average, deviation]

    def body(s: Scalars, v: list[str]) -> str:
        wide = [s.convert(each, value.element, F32) for each, value in zip(v, operands)]
        centred = s.binary("Sub", wide[0], wide[3], F32)
        normal = s.binary("Mul", s.binary("Mul", centred, wide[4], F32), wide[1], F32)
        return s.convert(s.binary("Add", normal, wide[2], F32), F32, x.element)

    return [ctx.build.elementwise(operands, x.element, body, x.shape)]


def _by_channel(build: Structured, value: Value, x: Value) -> Value:
    """[C] as [C, 1, ...], for the second dimension of x."""
    return build.reshape(value, value.shape + (Extent.of(1),) * (x.rank - 2))
