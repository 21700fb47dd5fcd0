# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators, with NumPy's broadcasting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...._errors import ImportFailure
from ..registry import NodeContext, handles, known
from ..scalars import Scalars
from ..values import BOOL, F32, ElementType, Value


@handles("Add", "Sub", "Mul", "Min", "Max", "And", "Or", "Xor")
def binary(ctx: NodeContext):
    """Of two operands, or for Min and Max of any number."""
    return [_folded(ctx, ctx.node.op_type)]


@handles("Sum")
def sum_(ctx: NodeContext):
    return [_folded(ctx, "Add")]


@handles("Mean")
def mean(ctx: NodeContext):
    return [by_number(ctx, "Div", _folded(ctx, "Add"), len(ctx.inputs))]


def by_number(ctx: NodeContext, name: str, value: Value, number: float) -> Value:
    """Each element of `value` and `number` by a binary function."""
    element = value.element
    return ctx.build.elementwise(
        [value],
        element,
        lambda s, x: s.binary(name, x[0], s.constant(element, number), element),
        value.shape,
    )


def _folded(ctx: NodeContext, name: str) -> Value:
    """All inputs, broadcast, by one binary function from left to right."""
    operands = [ctx.input(i) for i in range(len(ctx.inputs))]
    element = ctx.build.same_element(operands)

    def body(s: Scalars, x: list[str]) -> str:
        result = x[0]
        for operand in x[1:]:
            result = s.binary(name, result, operand, element)
        return result

    return ctx.build.elementwise(operands, element, body)


@handles("Div")
def divide(ctx: NodeContext):
    """Floats as they are; integers towards zero, by 1 where the divisor is 0."""
    operands = [ctx.input(0), ctx.input(1)]
    element = ctx.build.same_element(operands)

    def body(s: Scalars, x: list[str]) -> str:
        return s.binary("Div", x[0], _divisor(s, x[1], operands[1]), element)

    return [ctx.build.elementwise(operands, element, body)]


def _divisor(s: Scalars, divisor: str, value: Value) -> str:
    """Division by zero is undefined on processors: no input may reach it."""
    if value.element.kind == "f" or (value.is_number and (value.content != 0).all()):
        return divisor
    is_zero = s.compare("Equal", divisor, s.constant(value.element, 0), value.element)
    return s.select(is_zero, s.constant(value.element, 1), divisor, value.element)


@handles("Mod")
def modulo(ctx: NodeContext):
    """fmod=1 has the sign of the dividend (C), fmod=0 that of the divisor (Python)."""
    operands = [ctx.input(0), ctx.input(1)]
    element = ctx.build.same_element(operands)
    like_c = ctx.attribute("fmod", 0)
    if element.kind == "f" and not like_c:
        raise ImportFailure("Mod of floats needs fmod=1")

    def body(s: Scalars, x: list[str]) -> str:
        if element.kind == "f":
            return s.op(f"arith.remf {x[0]}, {x[1]} : {element.mlir}")
        divisor = _divisor(s, x[1], operands[1])
        rest = s.op(f"arith.remsi {x[0]}, {divisor} : {element.mlir}")
        if like_c:
            return rest
        zero = s.constant(element, 0)
        signs = s.binary("Xor", rest, divisor, element)
        differ = s.compare("Less", signs, zero, element)
        is_rest = s.invert(s.compare("Equal", rest, zero, element))
        shifted = s.binary("Add", rest, divisor, element)
        return s.select(s.op(f"arith.andi {differ}, {is_rest} : i1"), shifted, rest, element)

    return [ctx.build.elementwise(operands, element, body)]


@handles("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")
def compare(ctx: NodeContext):
    operands = [ctx.input(0), ctx.input(1)]
    element = ctx.build.same_element(operands)
    return [
        ctx.build.elementwise(
            operands, BOOL, lambda s, x: s.compare(ctx.node.op_type, x[0], x[1], element)
        )
    ]


@handles("Pow")
def power(ctx: NodeContext):
    base, exponent = ctx.input(0), ctx.input(1)
    element = base.element
    number = exponent.scalar() if exponent.is_number else None

    def body(s: Scalars, x: list[str]) -> str:
        if number is not None and float(number) == 2.0:
            return s.binary("Mul", x[0], x[0], element)
        if element.kind == "i":
            if exponent.element != element:
                raise ImportFailure("Pow of integers needs an exponent of the same type")
            return s.op(f"math.ipowi {x[0]}, {x[1]} : {element.mlir}")
        if number is not None and float(number) == 0.5:
            return s.math("Sqrt", x[0], element)
        wide, by = s.convert(x[0], element, F32), s.convert(x[1], exponent.element, F32)
        return s.convert(s.op(f"math.powf {wide}, {by} : f32"), F32, element)

    return [ctx.build.elementwise([base, exponent], element, body)]


@handles("Sqrt", "Exp", "Log", "Tanh", "Sin", "Cos", "Erf", "Floor", "Ceil", "Round")
def unary_math(ctx: NodeContext):
    x = ctx.input(0)
    return [
        ctx.build.elementwise(
            [x], x.element, lambda s, v: s.math(ctx.node.op_type, v[0], x.element)
        )
    ]


@handles("Neg")
def negate(ctx: NodeContext):
    x = ctx.input(0)
    return [ctx.build.elementwise([x], x.element, lambda s, v: s.negate(v[0], x.element))]


@handles("Abs")
def absolute(ctx: NodeContext):
    x = ctx.input(0)

    def body(s: Scalars, v: list[str]) -> str:
        if x.element.kind == "f":
            return s.math("Abs", v[0], x.element)
        return s.op(f"math.absi {v[0]} : {x.element.mlir}")

    return [ctx.build.elementwise([x], x.element, body)]


@handles("Not")
def logical_not(ctx: NodeContext):
    return [ctx.build.elementwise([ctx.input(0)], BOOL, lambda s, v: s.invert(v[0]))]


@handles("IsNaN")
def is_nan(ctx: NodeContext):
    x = ctx.input(0)
    return [
        ctx.build.elementwise(
            [x], BOOL, lambda s, v: s.op(f"arith.cmpf uno, {v[0]}, {v[0]} : {x.element.mlir}")
        )
    ]


@handles("IsInf")
def is_infinite(ctx: NodeContext):
    x = ctx.input(0)
    signs = {"detect_positive": np.inf, "detect_negative": -np.inf}
    wanted = [limit for name, limit in signs.items() if ctx.attribute(name, 1)]

    def body(s: Scalars, v: list[str]) -> str:
        result = s.constant(BOOL, False)
        for limit in wanted:
            equal = s.compare("Equal", v[0], s.constant(x.element, limit), x.element)
            result = s.binary("Or", result, equal, BOOL)
        return result

    return [ctx.build.elementwise([x], BOOL, body)]


@handles("Sign")
def sign(ctx: NodeContext):
    x = ctx.input(0)

    def body(s: Scalars, v: list[str]) -> str:
        zero, one, minus = (s.constant(x.element, n) for n in (0, 1, -1))
        below = s.select(s.compare("Less", v[0], zero, x.element), minus, zero, x.element)
        return s.select(s.compare("Greater", v[0], zero, x.element), one, below, x.element)

    return [ctx.build.elementwise([x], x.element, body)]


def of_float(ctx: NodeContext, formula: Callable[[Scalars, str], str]):
    """`formula`, on f32, of the only input."""
    x = ctx.input(0)
    if x.element.kind != "f":
        raise ImportFailure(f"needs floats, has {x.element.mlir}")
    return [
        ctx.build.elementwise(
            [x], x.element, lambda s, v: s.of_float(v[0], x.element, lambda f32: formula(s, f32))
        )
    ]


@handles("Reciprocal")
def reciprocal(ctx: NodeContext):
    return of_float(ctx, lambda s, x: s.binary("Div", s.constant(F32, 1.0), x, F32))


@handles("Sigmoid")
def sigmoid(ctx: NodeContext):
    return of_float(ctx, lambda s, x: s.sigmoid(x))


@handles("Relu")
def relu(ctx: NodeContext):
    x = ctx.input(0)
    return [
        ctx.build.elementwise(
            [x], x.element, lambda s, v: s.binary("Max", v[0], s.constant(x.element, 0), x.element)
        )
    ]


@handles("Swish", since=24)
def swish(ctx: NodeContext):
    return of_float(ctx, swish_of(ctx.attribute("alpha", 1.0)))


def swish_of(alpha: float) -> Callable[[Scalars, str], str]:
    """x sigmoid(alpha x) of an f32."""

    def formula(s: Scalars, x: str) -> str:
        scaled = x if alpha == 1.0 else s.binary("Mul", x, s.constant(F32, alpha), F32)
        return s.binary("Mul", x, s.sigmoid(scaled), F32)

    return formula


@handles("Gelu", since=20)
def gelu(ctx: NodeContext):
    """x Phi(x), or its tanh approximation."""
    approximate = ctx.attribute("approximate", "none")

    formula = gelu_by_tanh if approximate == "tanh" else gelu_by_erf
    return of_float(ctx, formula)


def gelu_by_erf(s: Scalars, x: str) -> str:
    """x Phi(x) of an f32."""
    gate = s.math("Erf", s.binary("Mul", x, s.constant(F32, np.sqrt(0.5)), F32), F32)
    return _gated_half(s, x, gate)


def gelu_by_tanh(s: Scalars, x: str) -> str:
    """The approximation of x Phi(x) by a hyperbolic tangent, of an f32."""
    cube = s.binary("Mul", s.binary("Mul", x, x, F32), x, F32)
    inner = s.binary("Add", x, s.binary("Mul", cube, s.constant(F32, 0.044715), F32), F32)
    inner = s.binary("Mul", inner, s.constant(F32, np.sqrt(2 / np.pi)), F32)
    return _gated_half(s, x, s.math("Tanh", inner, F32))


def _gated_half(s: Scalars, x: str, gate: str) -> str:
    half = s.binary("Mul", x, s.constant(F32, 0.5), F32)
    return s.binary("Mul", half, s.binary("Add", gate, s.constant(F32, 1.0), F32), F32)


@handles("Clip")
def clip(ctx: NodeContext):
    x, low, high = ctx.input(0), ctx.optional(1), ctx.optional(2)
    operands = [value for value in (x, low, high) if value is not None]

    def body(s: Scalars, v: list[str]) -> str:
        bounds = iter(v[1:])
        result = v[0]
        if low is not None:
            result = s.binary("Max", result, next(bounds), x.element)
        if high is not None:
            result = s.binary("Min", result, next(bounds), x.element)
        return result

    return [ctx.build.elementwise(operands, x.element, body)]


@handles("Where")
def where(ctx: NodeContext):
    condition, yes, no = ctx.input(0), ctx.input(1), ctx.input(2)
    element = ctx.build.same_element([yes, no])
    return [
        ctx.build.elementwise(
            [condition, yes, no], element, lambda s, x: s.select(x[0], x[1], x[2], element)
        )
    ]


@handles("Cast")
def cast(ctx: NodeContext):
    return [_cast(ctx, ctx.input(0), ctx.element(ctx.attribute("to")))]


@handles("CastLike", since=15)
def cast_like(ctx: NodeContext):
    return [_cast(ctx, ctx.input(0), ctx.input(1).element)]


def _cast(ctx: NodeContext, x: Value, element: ElementType) -> Value:
    if x.is_number and x.content.size <= 1:
        return known(x.content.astype(element.numpy), element)
    return ctx.build.cast(x, element)


@handles("Identity")
def identity(ctx: NodeContext):
    return [ctx.input(0)]


@handles("Dropout")
def dropout(ctx: NodeContext):
    """Inference: the identity."""
    training = ctx.optional(2)
    if training is not None and training.scalar() != False:  # noqa: E712 (a NumPy bool)
        raise ImportFailure("is in training mode; export the model for inference")
    return [ctx.input(0)]
