# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pad in its four modes."""

from __future__ import annotations

from ...._errors import ImportFailure
from ..emitter import literal
from ..registry import NodeContext, handles
from ..scalars import Scalars
from ..symbols import Extent
from ..values import Value


@handles("Pad")
def pad(ctx: NodeContext):
    x = ctx.input(0)
    mode = ctx.attribute("mode", "constant")
    if mode != "constant" and mode not in _SOURCES:
        raise ImportFailure(f"the mode '{mode}' is not known")
    amounts = ctx.extents(ctx.input(1), "the amount of padding")
    axes_value = ctx.optional(3)
    axes = (
        list(range(x.rank)) if axes_value is None else ctx.integers(axes_value, "the list of axes")
    )
    if len(amounts) != 2 * len(axes):
        raise ImportFailure(
            f"has {len(amounts)} amounts of padding for {len(axes)} axes; give two an axis"
        )
    low, high = [Extent.of(0)] * x.rank, [Extent.of(0)] * x.rank
    for position, axis in enumerate(ctx.axes(axes, x.rank)):
        low[axis] = amounts[position]
        high[axis] = amounts[position + len(axes)]
    for amount in (*low, *high):
        if not ctx.emit.at_least(amount, 0):
            if amount.static is not None:
                raise ImportFailure("pads by a negative amount; use Slice")
            ctx.emit.require("sge", amount, 0, f"the padding {amount} is negative")
    if mode == "constant":
        return [ctx.build.pad(x, low, high, _pad_scalar(ctx, x))]
    return [_copy_around(ctx, x, low, high, _SOURCES[mode])]


def _edge(s: Scalars, position: str, extent: str) -> str:
    return s.within(position, extent)


def _reflect(s: Scalars, position: str, extent: str) -> str:
    """Mirrored at the first and at the last element."""
    last = s.op(f"arith.subi {extent}, {s.index(1)} : index")
    below = s.op(f"arith.subi {s.index(0)}, {position} : index")
    position = s.op(f"arith.maxsi {position}, {below} : index")
    twice = s.op(f"arith.addi {last}, {last} : index")
    above = s.op(f"arith.subi {twice}, {position} : index")
    return s.within(s.op(f"arith.minsi {position}, {above} : index"), extent)


def _wrap(s: Scalars, position: str, extent: str) -> str:
    divisor = s.op(f"arith.maxsi {extent}, {s.index(1)} : index")
    rest = s.op(f"arith.remsi {position}, {divisor} : index")
    return s.from_the_front(rest, divisor)


_SOURCES = {"edge": _edge, "reflect": _reflect, "wrap": _wrap}


def _copy_around(ctx: NodeContext, x: Value, low, high, source) -> Value:
    """The padding repeats elements of x: `source` says which, of a position around it."""
    shape = tuple(before + extent + after for before, extent, after in zip(low, x.shape, high))
    name = ctx.emit.ssa(x)
    starts = [ctx.emit.index(before) for before in low]
    extents = [ctx.emit.index(extent) for extent in x.shape]

    def body(s: Scalars, _: list[str]) -> str:
        at = []
        for axis, (start, extent) in enumerate(zip(starts, extents)):
            position = s.op(f"arith.subi {s.loop(axis)}, {start} : index")
            moved = low[axis] != 0 or high[axis] != 0
            at.append(source(s, position, extent) if moved else s.loop(axis))
        return s.op(f"tensor.extract {name}[{', '.join(at)}] : {x.type}")

    return ctx.build.generic([], [], x.element, shape, body)


def _pad_scalar(ctx: NodeContext, x: Value) -> str:
    value = ctx.optional(2)
    if value is None:
        return ctx.emit.scalar(x.element.mlir, literal(x.element, 0))
    number = value.scalar()
    if number is None:
        at = ", ".join([ctx.emit.index(0)] * value.rank)
        return ctx.emit.op(f"tensor.extract {ctx.emit.ssa(value)}[{at}] : {value.type}")
    if isinstance(number, Extent):
        return ctx.emit.integer(number, x.element)
    return ctx.emit.scalar(x.element.mlir, literal(x.element, number))
