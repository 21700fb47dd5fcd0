# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution over any number of dimensions: a matrix product, or a sum over the kernel."""

from __future__ import annotations

from dataclasses import dataclass

from ...._errors import ImportFailure
from ..emitter import literal
from ..registry import NodeContext, handles
from ..structured import Structured
from ..symbols import Extent, larger, product
from ..values import F32, Shape, Value


@dataclass
class _Window:
    """How the kernel moves along one spatial dimension."""

    kernel: int
    stride: int
    dilation: int
    before: Extent
    after: Extent

    @property
    def reach(self) -> int:
        """Elements from the first one the kernel reads to the last."""
        return self.dilation * (self.kernel - 1) + 1

    def outputs(self, extent: Extent) -> Extent:
        moved = self.before + extent + self.after - self.reach
        if self.stride == 1:
            return moved + 1
        steps = moved + self.stride
        return (steps if steps.bounds(0)[0] >= 0 else larger(steps, 0)) // self.stride


@handles("Conv")
def convolution(ctx: NodeContext):
    """X [N, C, ...], W [F, C/group, kernel...], bias [F] to [N, F, ...]."""
    x, weight, bias = ctx.input(0), ctx.input(1), ctx.optional(2)
    ctx.build.same_element([x, weight] if bias is None else [x, weight, bias])
    if x.element.kind != "f":
        raise ImportFailure(f"convolves elements of type {x.element.mlir}; they must be floats")
    if weight.rank != x.rank or x.rank < 3:
        raise ImportFailure(
            f"the input has rank {x.rank} and the weight rank {weight.rank}; "
            "both must have one more than two dimensions"
        )
    group = ctx.attribute("group", 1)
    # What is agreed on may be static where the input's own size is not.
    channels = ctx.build.agree(x.shape[1], weight.shape[1] * group)
    x = ctx.build.retyped(x, (x.shape[0], channels, *x.shape[2:]))
    filters = weight.shape[0].divided_exactly(group)
    if filters is None:
        raise ImportFailure(f"{group} groups do not divide {weight.shape[0]} filters")
    windows = _windows(ctx, x, weight)
    shape = (x.shape[0], weight.shape[0]) + tuple(
        window.outputs(extent) for window, extent in zip(windows, x.shape[2:])
    )
    result = _convolve(ctx.build, _padded(ctx.build, x, windows), weight, group, windows, shape)
    if bias is None:
        return [ctx.build.cast(result, x.element)]
    column = ctx.build.reshape(bias, bias.shape + (Extent.of(1),) * (x.rank - 2))
    return [
        ctx.build.elementwise(
            [result, column],
            x.element,
            lambda s, v: s.convert(
                s.binary("Add", v[0], s.convert(v[1], bias.element, F32), F32), F32, x.element
            ),
            shape,
        )
    ]


def _windows(ctx: NodeContext, x: Value, weight: Value) -> list[_Window]:
    count = x.rank - 2
    kernel = [extent.static for extent in weight.shape[2:]]
    if None in kernel:
        raise ImportFailure("the size of the kernel is dynamic; export it with a fixed size")
    if list(ctx.attribute("kernel_shape", kernel)) != kernel:
        raise ImportFailure(
            f"kernel_shape is {list(ctx.attribute('kernel_shape'))} but the weight is {weight.type}"
        )
    strides = ctx.attribute("strides", [1] * count)
    dilations = ctx.attribute("dilations", [1] * count)
    pads = ctx.attribute("pads", [0] * (2 * count))
    if not len(strides) == len(dilations) == len(pads) // 2 == count:
        raise ImportFailure(f"needs {count} strides, {count} dilations and {2 * count} pads")
    if min(*strides, *dilations) < 1 or min(pads) < 0:
        raise ImportFailure("needs strides and dilations of at least 1, and pads of at least 0")
    windows = [
        _Window(k, s, d, Extent.of(before), Extent.of(after))
        for k, s, d, before, after in zip(kernel, strides, dilations, pads, pads[count:])
    ]
    automatic = ctx.attribute("auto_pad", "NOTSET")
    for window, extent in zip(windows, x.shape[2:]):
        if automatic in ("SAME_UPPER", "SAME_LOWER"):
            outputs = (extent + (window.stride - 1)) // window.stride
            total = larger((outputs - 1) * window.stride + window.reach - extent, 0)
            half = total // 2
            upper = automatic == "SAME_UPPER"
            window.before, window.after = (half, total - half) if upper else (total - half, half)
        elif automatic == "VALID":
            window.before = window.after = Extent.of(0)
        elif automatic != "NOTSET":
            raise ImportFailure(f"auto_pad '{automatic}' is not known")
    return windows


def _padded(build: Structured, x: Value, windows: list[_Window]) -> Value:
    none = [Extent.of(0)] * 2
    zero = build.emit.scalar(x.element.mlir, literal(x.element, 0))
    before, after = ([w.before for w in windows], [w.after for w in windows])
    return build.pad(x, none + before, none + after, zero)


def _convolve(
    build: Structured, x: Value, weight: Value, group: int, windows: list[_Window], shape: Shape
) -> Value:
    """The sum over input channels and kernel positions in f32, [N, F, ...]."""
    groups, filters, channels = Extent.of(group), weight.shape[0] // group, weight.shape[1]
    x = build.reshape(x, (x.shape[0], groups, channels, *x.shape[2:]))
    weight = build.reshape(weight, (groups, filters, channels, *weight.shape[2:]))
    # A row of columns is taken apart again, which has room for one dynamic size.
    dynamic = sum(extent.static is None for extent in shape[2:])
    convolve = _by_positions if filters == 1 or dynamic > 1 else _by_columns
    grouped = (shape[0], groups, filters, *shape[2:])
    return build.reshape(convolve(build, x, weight, windows, grouped), shape)


def _by_positions(
    build: Structured, x: Value, weight: Value, windows: list[_Window], shape: Shape
) -> Value:
    """The kernel's positions are loops of the contraction; x [N, G, C, ...], weight [G, F, C, ...].

    For a depthwise kernel, which has no matrix product in it.
    """
    kernel = [f"r{1 + i}" for i in range(len(windows))]
    reads = [
        f"d{3 + i} * {window.stride} + r{1 + i} * {window.dilation}"
        for i, window in enumerate(windows)
    ]
    return build.contract(
        x,
        ", ".join(["d0", "d1", "r0", *reads]),
        weight,
        ", ".join(["d1", "d2", "r0", *kernel]),
        shape,
        reduced=["r0", *kernel],
    )


def _by_columns(
    build: Structured, x: Value, weight: Value, windows: list[_Window], shape: Shape
) -> Value:
    """A matrix product with what the kernel reads at each place as a column."""
    batch, groups, filters, *outputs = shape
    depth = product(weight.shape[2:])
    columns = _columns(build, x, windows, outputs)
    return build.contract(
        build.reshape(weight, (groups, filters, depth)),
        "d1, d2, r0",
        build.reshape(columns, (batch, groups, depth, product(outputs))),
        "d0, d1, r0, d3",
        (batch, groups, filters, product(outputs)),
    )


def _columns(build: Structured, x: Value, windows: list[_Window], outputs: list[Extent]) -> Value:
    """[N, G, C, kernel..., outputs...]: the element that each position of the kernel reads."""
    if all(window.kernel == window.stride == 1 for window in windows):
        return x
    count = len(windows)
    reads = [
        f"d{3 + count + i} * {window.stride} + d{3 + i} * {window.dilation}"
        for i, window in enumerate(windows)
    ]
    kernel = tuple(Extent.of(window.kernel) for window in windows)
    return build.generic(
        [x],
        [", ".join(["d0", "d1", "d2", *reads])],
        x.element,
        (*x.shape[:3], *kernel, *outputs),
        lambda s, v: v[0],
    )
