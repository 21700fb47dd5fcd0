# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations with a bias, and the matrix product with transposes and a factor."""

from __future__ import annotations

from collections.abc import Callable

from ...registry import NodeContext, handles
from ...scalars import Scalars
from ...values import F32, Value
from ..elementwise import by_number, gelu_by_erf, gelu_by_tanh, of_float, swish_of
from ..matmul import multiply
from .normalization import MICROSOFT


def _with_bias(ctx: NodeContext, formula: Callable[[Scalars, str], str]):
    """formula(X + bias), in f32 and rounded once."""
    x, bias = ctx.input(0), ctx.optional(1)
    if bias is None:
        return of_float(ctx, formula)
    element = ctx.build.same_element([x, bias])

    def body(s: Scalars, v: list[str]) -> str:
        total = s.binary("Add", *(s.convert(each, element, F32) for each in v), F32)
        return s.convert(formula(s, total), F32, element)

    return [ctx.build.elementwise([x, bias], element, body, x.shape)]


@handles("Gelu", "BiasGelu", domain=MICROSOFT)
def bias_gelu(ctx: NodeContext):
    return _with_bias(ctx, gelu_by_erf)


@handles("FastGelu", domain=MICROSOFT)
def fast_gelu(ctx: NodeContext):
    return _with_bias(ctx, gelu_by_tanh)


@handles("QuickGelu", domain=MICROSOFT)
def quick_gelu(ctx: NodeContext):
    return of_float(ctx, swish_of(ctx.attribute("alpha", 1.702)))


@handles("FusedMatMul", domain=MICROSOFT)
def fused_matmul(ctx: NodeContext):
    """alpha A' B'; transBatchA moves the first dimension behind the batch dimensions."""
    alpha = ctx.attribute("alpha", 1.0)
    operands = [_transposed(ctx, ctx.input(i), name) for i, name in enumerate("AB")]
    result = multiply(ctx.build, *operands)
    return [result if alpha == 1.0 else by_number(ctx, "Mul", result, alpha)]


def _transposed(ctx: NodeContext, x: Value, name: str) -> Value:
    order = list(range(x.rank))
    if x.rank > 2 and ctx.attribute(f"transBatch{name}", 0):
        order = [*order[1:-1], 0, order[-1]]
    if x.rank > 1 and ctx.attribute(f"trans{name}", 0):
        order[-2:] = order[:-3:-1]
    return ctx.build.transpose(x, order)
