# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an ONNX model to MLIR text: declares the arguments and walks the nodes in order."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import numpy as np
import onnx

from ..._errors import ImportFailure
from ..._expressions import evaluate
from .emitter import Emitter, quote
from .folding import fold, keep_numbers
from .loading import (
    ModelLike,
    content_of,
    domain_of,
    graphs_of,
    inferred_types,
    inline,
    is_constant,
    load,
    one_line,
    opset_of,
)
from .registry import NodeContext, element_type, find_handler, known, node_name
from .structured import Structured
from .symbols import Extent, Undecidable, product
from .values import Shape, Value


def import_model(model: ModelLike, name: str | None = None) -> str:
    """MLIR text of an ONNX model: linalg on tensors and posenc ops.

    `model` is a path, serialized bytes or a ModelProto; `name` overrides the
    function's name, by default the graph's as a C identifier. Raises
    `ImportFailure`, in one line, for a model that is invalid or that holds
    operators posenc does not know (all of them are listed).
    """
    folder = os.path.dirname(model) if isinstance(model, (str, os.PathLike)) else ""
    model = inline(load(model))
    return _GraphImporter(model, folder).run(_identifier(name or model.graph.name))


class _GraphImporter:
    """Holds the values by name while the nodes are walked."""

    def __init__(self, model: onnx.ModelProto, folder: str):
        self.model = model
        self.folder = folder  # where files with the data of tensors lie
        self.opset = opset_of(model)
        self.emit = Emitter()
        self.build = Structured(self.emit)
        self.values: dict[str, Value | None] = {"": None}
        self.arguments: list[str] = []
        self.inferred = inferred_types(model)

    def run(self, name: str) -> str:
        graph = self.model.graph
        if not graph.output:
            raise ImportFailure("the model has no outputs; name what it computes")
        needed, read = _needed_nodes(graph)
        self._initializers(graph, read)
        constants = {tensor.name for tensor in graph.initializer}
        conditions = []
        for info in graph.input:
            if info.name not in constants:
                conditions += self._argument(info)
        for symbol, origin in conditions:
            self._tie_expression(symbol, origin)
        for node in needed:
            self._node(node)
        return self._finish(name)

    def _initializers(self, graph: onnx.GraphProto, read: set[str]) -> None:
        for tensor in graph.initializer:
            if tensor.name in read:
                self.values[tensor.name] = _constant(tensor, self.folder)
        if graph.sparse_initializer:
            raise ImportFailure("the model has sparse initializers; make them dense")

    def _subgraph(self, graph: onnx.GraphProto) -> list[Value]:
        """The outputs of a branch; what it reads from outside is known by name."""
        location = self.emit.location
        needed, read = _needed_nodes(graph)
        self._initializers(graph, read)
        for node in needed:
            self._node(node)
        self.emit.location = location
        missing = [info.name for info in graph.output if self.values.get(info.name) is None]
        if missing:
            raise ImportFailure(f"output '{missing[0]}' of '{graph.name}' is not computed")
        return [self.values[info.name] for info in graph.output]

    def _argument(self, info: onnx.ValueInfoProto) -> list[tuple[str, str]]:
        """Declares one argument; returns dimensions whose size is an expression."""
        if not info.type.HasField("tensor_type"):
            raise ImportFailure(f"input '{info.name}' is not a tensor")
        tensor = info.type.tensor_type
        try:
            element = element_type(tensor.elem_type)
        except ImportFailure as error:
            raise ImportFailure(f"input '{info.name}' {error}") from error
        if not tensor.HasField("shape"):
            raise ImportFailure(
                f"input '{info.name}' has no shape; give its rank (dimensions may be symbols)"
            )
        ssa = f"%arg{len(self.arguments)}"
        shape, symbols, dynamic = [], [], []
        for axis, dimension in enumerate(tensor.shape.dim):
            if dimension.HasField("dim_value"):
                if dimension.dim_value < 0:
                    raise ImportFailure(
                        f"input '{info.name}' has the size {dimension.dim_value} in dimension "
                        f"{axis}; give it a size of at least 0 or a symbol"
                    )
                shape.append(Extent.of(dimension.dim_value))
                symbols.append("")
                continue
            symbol = dimension.dim_param or f"{info.name}.{axis}"
            shape.append(Extent.symbol(symbol))
            symbols.append(symbol)
            dynamic.append((symbol, axis))
        value = Value(element, tuple(shape), ssa=ssa)
        expressions = []
        for symbol, axis in dynamic:
            size = self.emit.op(f"tensor.dim {ssa}, {self.emit.index(axis)} : {value.type}")
            origin = f"dimension {axis} of '{info.name}'"
            self.emit.bind(symbol, size, origin)
            expressions.append((symbol, origin))
        self.arguments.append(f"{ssa}: {value.type} {_attributes(info.name, symbols)}")
        self.values[info.name] = value
        return expressions

    def _tie_expression(self, symbol: str, origin: str) -> None:
        """`2*s75 - 1` as a dimension: where s75 is one too, the two are tied."""
        extent = _parse_expression(symbol)
        if extent is None or not all(self.emit.is_bound(name) for name in extent.symbols()):
            return
        self.emit.require(
            "eq",
            Extent.symbol(symbol),
            extent,
            f"{origin} must be {symbol}{self.emit.where(extent)}",
        )

    def _node(self, node: onnx.NodeProto) -> None:
        self.emit.location = node_name(node)
        try:
            outputs = self._outputs(node)
        except ImportFailure as error:
            raise ImportFailure(f"node '{node_name(node)}' ({node.op_type}): {error}") from error
        except Undecidable as error:
            raise ImportFailure(
                f"node '{node_name(node)}' ({node.op_type}): the {error} depends on the sizes of "
                "the arguments; give the dimensions numbers"
            ) from error
        except Exception as error:  # What NumPy and ONNX raise for a node that is not valid.
            raise ImportFailure(
                f"node '{node_name(node)}' ({node.op_type}): is not valid: "
                f"{one_line(error) or type(error).__name__}"
            ) from error
        for name, value in zip(node.output, outputs):
            if name and value is not None:
                self._compare_with_inferred(node, name, value)
                self.values[name] = self._without_elements(value)
        self.emit.location = None

    def _outputs(self, node: onnx.NodeProto):
        if is_constant(node):
            return [_constant_node(node, self.folder)]
        missing = [name for name in node.input if name not in self.values]
        if missing:
            raise ImportFailure(f"needs '{missing[0]}', an output posenc does not compute")
        context = NodeContext(
            node,
            self.opset,
            [self.values[name] for name in node.input],
            self.emit,
            self.build,
            self._subgraph,
        )
        folded = fold(context)
        if folded is not None:
            return folded
        results = find_handler(domain_of(node), node.op_type, self.opset)(context)
        keep_numbers(context, results)
        return results

    def _without_elements(self, value: Value) -> Value:
        """Nothing computes what has no elements: no slice has a start that lies in 0 elements."""
        if value.content is not None or product(value.shape) != 0:
            return value
        return Value(value.element, value.shape, ssa=self.emit.empty(value.element, value.shape))

    def _compare_with_inferred(self, node: onnx.NodeProto, name: str, value: Value) -> None:
        """ONNX's own inference is a second opinion on every type."""
        inferred = self.inferred.get(name)
        if inferred is None:
            return
        element, sizes = inferred
        agree = element in (0, value.element.onnx) and (
            sizes is None
            or (
                len(sizes) == value.rank
                and all(
                    theirs is None or ours.static in (None, theirs)
                    for theirs, ours in zip(sizes, value.shape)
                )
            )
        )
        if not agree:
            raise ImportFailure(
                f"node '{node_name(node)}' ({node.op_type}): output '{name}' is {value.type} by "
                f"its inputs, but the model or ONNX's shape inference says {sizes} of type "
                f"{element}"
            )

    def _finish(self, name: str) -> str:
        results, returned = [], []
        for info in self.model.graph.output:
            value = self.values.get(info.name)
            if value is None:
                raise ImportFailure(f"output '{info.name}' is not computed")
            returned.append(self.emit.ssa(value))
            results.append((value.type, _attributes(info.name, _symbols(value.shape))))
        return self.emit.function(name, self.arguments, results, returned)


def _attributes(name: str, symbols: Sequence[str]) -> str:
    """What the function says of an argument or result."""
    listed = ", ".join(quote(symbol) for symbol in symbols)
    return f"{{posenc.name = {quote(name)}, posenc.symbols = [{listed}]}}"


def _symbols(shape: Shape) -> list[str]:
    """The sizes as names and expressions of the graph's dimensions; "" for numbers."""
    return [str(extent) if extent.static is None else "" for extent in shape]


def _constant(tensor: onnx.TensorProto, folder: str) -> Value:
    try:
        element = element_type(tensor.data_type)
    except ImportFailure as error:
        raise ImportFailure(f"initializer '{tensor.name}' {error}") from error
    try:
        content = content_of(tensor, folder)
    except (MemoryError, OSError, TypeError, ValueError) as error:
        raise ImportFailure(
            f"initializer '{tensor.name}' of the sizes {list(tensor.dims)} does not fit its data: "
            f"{one_line(error)}"
        ) from error
    if content.shape != tuple(tensor.dims):
        raise ImportFailure(
            f"initializer '{tensor.name}' has the sizes {list(tensor.dims)}; none may be negative"
        )
    return known(content, element)


def _constant_node(node: onnx.NodeProto, folder: str) -> Value:
    attribute = node.attribute[0]
    value = onnx.helper.get_attribute_value(attribute)
    if attribute.name == "value":
        return _constant(value, folder)
    kinds = {
        "value_float": np.float32,
        "value_floats": np.float32,
        "value_int": np.int64,
        "value_ints": np.int64,
    }
    if attribute.name not in kinds:
        raise ImportFailure(f"a constant given as {attribute.name} is not known")
    array = np.asarray(value, dtype=kinds[attribute.name])
    return known(array, element_type(onnx.helper.np_dtype_to_tensor_dtype(array.dtype)))


def _needed_nodes(graph: onnx.GraphProto) -> tuple[list[onnx.NodeProto], set[str]]:
    """The nodes that contribute to an output of the graph, in order, and all names read."""
    read = {info.name for info in graph.output}
    needed = []
    for node in reversed(graph.node):
        if any(output in read for output in node.output):
            read.update(node.input)
            for graph in graphs_of(node):
                read.update(_needed_nodes(graph)[1])
            needed.append(node)
    return needed[::-1], read


def _parse_expression(text: str) -> Extent | None:
    """A sum or product of numbers and names, as exporters print; None for a plain name."""
    if text.isidentifier():
        return None
    try:
        return evaluate(text, Extent.symbol, Extent.of)
    except Undecidable:
        return None


def _identifier(name: str) -> str:
    cleaned = re.sub(r"\W", "_", name or "", flags=re.ASCII)
    if not cleaned.strip("_"):
        return "graph"
    return f"_{cleaned}" if cleaned[0].isdigit() else cleaned
