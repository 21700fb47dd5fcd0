# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates at import what depends on constants and sizes only.

Small constants go through the ONNX reference evaluator. Shape arithmetic runs
on NumPy arrays of `Extent`s. A fold may fail (`Undecidable`, or an operator not
listed): the node is then emitted like any other.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from .registry import NodeContext, known
from .symbols import Extent, Undecidable, at_least, equals, larger, smaller
from .values import BOOL, ELEMENT_TYPES, Value

# Formulas are worth more than tables: larger results are computed by the graph.
_MAX_ELEMENTS = 32
_MAX_INTEGER_ROW = 4096
_MAX_EVALUATED = 1 << 16


def fold(ctx: NodeContext) -> list[Value] | None:
    """The node's outputs if their contents are known, else None."""
    inputs = [value for value in ctx.inputs if value is not None]
    if not inputs or any(value.content is None for value in inputs):
        return None
    if all(value.is_number for value in inputs):
        return _fold_numbers(ctx)
    folder = _FOLDERS.get(ctx.node.op_type) if ctx.node.domain == "" else None
    if folder is None:
        return None
    try:
        results = folder(ctx, [None if value is None else _extents(value) for value in ctx.inputs])
    except Undecidable:
        return None
    element = (
        BOOL
        if ctx.node.op_type in _COMPARISONS
        else ctx.inputs[-1 if ctx.node.op_type == "Where" else 0].element
    )
    if ctx.node.op_type == "Cast":
        element = ctx.element(ctx.attribute("to"))
    return [known(np.asarray(result), element) for result in results]


def _fold_numbers(ctx: NodeContext) -> list[Value] | None:
    if any(value is not None and value.content.size > _MAX_INTEGER_ROW for value in ctx.inputs):
        return None
    if any(attribute.HasField("g") for attribute in ctx.node.attribute) or _grows(ctx):
        return None
    values = []
    for result in _run(ctx) or [None]:
        if result is None:
            return None
        row = result.ndim <= 1 and result.dtype.kind in "iub" and result.size <= _MAX_INTEGER_ROW
        element = next((e for e in ELEMENT_TYPES.values() if e.numpy == result.dtype), None)
        if element is None or (result.size > _MAX_ELEMENTS and not row):
            return None
        values.append(known(result, element))
    return values


def _run(ctx: NodeContext) -> list[np.ndarray] | None:
    """The node's outputs by ONNX's reference evaluator, None where it fails."""
    from onnx.reference import ReferenceEvaluator

    feeds = {
        name: value.numbers for name, value in zip(ctx.node.input, ctx.inputs) if value is not None
    }
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            results = ReferenceEvaluator(_single_node_model(ctx)).run(None, feeds)
    except Exception:  # The evaluator raises what it likes; the node is emitted instead.
        return None
    return [np.asarray(result) for result in results]


def keep_numbers(ctx: NodeContext, results: Sequence[Value | None]) -> None:
    """Integers that are computed in the graph although they are known stay known beside it.

    Who writes or reads at such positions (ScatterND of an older exporter has an index an
    element) then knows them.
    """
    unknown = [value for value in results if value is not None and value.content is None]
    inputs = [value for value in ctx.inputs if value is not None]
    if (
        not unknown
        or not inputs
        or any(value.numbers is None for value in inputs)
        or any(value.element.kind == "f" or not _is_small(value) for value in results if value)
        or any(attribute.HasField("g") for attribute in ctx.node.attribute)
    ):
        return
    for value, numbers in zip(results, _run(ctx) or []):
        if value is not None and value.content is None and numbers.shape == value.static_shape():
            value.evaluated = numbers


def _is_small(value: Value) -> bool:
    static = value.static_shape()
    return static is not None and int(np.prod(static)) <= _MAX_EVALUATED


def _grows(ctx: NodeContext) -> bool:
    """Whether a small input asks for a large result, by its value."""
    contents = [value.content for value in ctx.inputs if value is not None]
    if ctx.node.op_type == "Range":
        start, limit, step = (float(content.reshape(-1)[0]) for content in contents)
        return step == 0 or (limit - start) / step > _MAX_INTEGER_ROW
    if ctx.node.op_type in ("ConstantOfShape", "Expand"):
        return float(np.prod(np.abs(contents[-1].astype(np.float64)))) > _MAX_INTEGER_ROW
    return ctx.node.op_type in ("Tile", "Pad", "Resize", "OneHot", "Upsample")


def _single_node_model(ctx: NodeContext):
    from onnx import helper

    inputs = [
        helper.make_tensor_value_info(name, value.element.onnx, value.numbers.shape)
        for name, value in dict(zip(ctx.node.input, ctx.inputs)).items()
        if value is not None
    ]
    outputs = [helper.make_empty_tensor_value_info(name) for name in ctx.node.output if name]
    graph = helper.make_graph([ctx.node], "fold", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(ctx.node.domain, ctx.opset)])


def _objects(items) -> np.ndarray:
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        array[i] = item
    return array


def _extents(value: Value) -> np.ndarray:
    """The content as an object array; floats stay numbers."""
    if value.content.dtype == object:
        return value.content
    flat = [
        Extent.of(int(e)) if value.element.kind == "i" else e for e in value.content.reshape(-1)
    ]
    return _objects(flat).reshape(value.content.shape)


def _numbers(array: np.ndarray) -> list[int]:
    if any(Extent.of(e).static is None for e in array.reshape(-1)):
        raise Undecidable("a position depends on sizes")
    return [Extent.of(e).static for e in array.reshape(-1)]


def _pairwise(function: Callable) -> Callable:
    apply = np.frompyfunc(function, 2, 1)
    return lambda ctx, x: [apply(x[0], x[1])]


def _ordered(left, right) -> bool:
    answer = at_least(left, right)
    if answer is None:
        raise Undecidable(f"{left} >= {right}")
    return answer


def _unsqueeze(ctx, x):
    axes = _numbers(x[1])
    rank = x[0].ndim + len(axes)
    return [np.expand_dims(x[0], tuple(ctx.axis(axis, rank) for axis in axes))]


def _squeeze(ctx, x):
    return [np.squeeze(x[0], tuple(_numbers(x[1])) if len(x) > 1 and x[1] is not None else None)]


def _slice(ctx, x):
    starts, ends = _numbers(x[1]), _numbers(x[2])
    axes = _numbers(x[3]) if len(x) > 3 and x[3] is not None else list(range(len(starts)))
    steps = _numbers(x[4]) if len(x) > 4 and x[4] is not None else [1] * len(starts)
    selection = [slice(None)] * x[0].ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        stop = None if step < 0 and end < -x[0].shape[axis] else end
        selection[axis] = slice(start, stop, step)
    return [x[0][tuple(selection)]]


def _gather(ctx, x):
    indices = np.array(_numbers(x[1]), dtype=np.int64).reshape(x[1].shape)
    return [np.take(x[0], indices, axis=ctx.attribute("axis", 0))]


def _concat(ctx, x):
    return [np.concatenate(x, axis=ctx.attribute("axis"))]


def _reshape(ctx, x):
    return [x[0].reshape(_numbers(x[1]))]


def _where(ctx, x):
    return [np.where(x[0].astype(bool), x[1], x[2])]


def _cast(ctx, x):
    if ctx.element(ctx.attribute("to")).kind != "i" or ctx.input(0).element.kind != "i":
        raise Undecidable("a size as another type")
    return [x[0]]


def _reduce_prod(ctx, x):
    total = Extent.of(1)
    for element in x[0].reshape(-1):
        total = total * element
    return [_objects([total]).reshape([1] * x[0].ndim if ctx.attribute("keepdims", 1) else [])]


_COMPARISONS = {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"}
_FOLDERS = {
    "Identity": lambda ctx, x: [x[0]],
    "Cast": _cast,
    "Concat": _concat,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Slice": _slice,
    "Gather": _gather,
    "Reshape": _reshape,
    "Where": _where,
    "ReduceProd": _reduce_prod,
    "Neg": lambda ctx, x: [-x[0]],
    "Abs": lambda ctx, x: [abs(x[0])],
    "Add": lambda ctx, x: [x[0] + x[1]],
    "Sub": lambda ctx, x: [x[0] - x[1]],
    "Mul": lambda ctx, x: [x[0] * x[1]],
    "Div": lambda ctx, x: [x[0] // x[1]],
    "Mod": lambda ctx, x: [x[0] % x[1]],
    "Min": _pairwise(smaller),
    "Max": _pairwise(larger),
    "Equal": _pairwise(equals),
    "GreaterOrEqual": _pairwise(_ordered),
    "LessOrEqual": _pairwise(lambda a, b: _ordered(b, a)),
    "Greater": _pairwise(lambda a, b: not _ordered(b, a)),
    "Less": _pairwise(lambda a, b: not _ordered(a, b)),
}
