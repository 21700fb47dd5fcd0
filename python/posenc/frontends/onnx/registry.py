# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which handler imports which operator.

A handler takes a `NodeContext` and returns the node's outputs (`None` for an
output it does not compute). It serves every opset version from `since` to the
next handler of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx

from ..._errors import ImportFailure
from .emitter import Emitter
from .structured import Structured
from .symbols import Extent
from .values import ELEMENT_TYPES, ElementType, Value


def node_name(node: onnx.NodeProto) -> str:
    """What messages call a node: its name, else that of its first output."""
    return node.name or next((name for name in node.output if name), node.op_type)


@dataclass
class NodeContext:
    """One node, its inputs (None where left out) and the emitters."""

    node: onnx.NodeProto
    opset: int
    inputs: list[Value | None]
    emit: Emitter
    build: Structured
    import_graph: Callable[[onnx.GraphProto], list[Value]]

    def attribute(self, name: str, default: Any = None) -> Any:
        for attribute in self.node.attribute:
            if attribute.name == name:
                value = onnx.helper.get_attribute_value(attribute)
                return value.decode() if isinstance(value, bytes) else value
        return default

    def subgraph(self, name: str) -> list[Value]:
        """The outputs of the graph that is the attribute `name`, written here."""
        return self.import_graph(self.attribute(name))

    def optional(self, position: int) -> Value | None:
        return self.inputs[position] if position < len(self.inputs) else None

    def input(self, position: int) -> Value:
        value = self.optional(position)
        if value is None:
            raise ImportFailure(f"has no input {position}, which {self.node.op_type} needs")
        return value

    def wants(self, output: int) -> bool:
        return output < len(self.node.output) and bool(self.node.output[output])

    def element(self, onnx_type: int) -> ElementType:
        return element_type(onnx_type)

    def axis(self, axis: int, rank: int) -> int:
        if not -rank <= axis < max(rank, 1):
            raise ImportFailure(f"axis {axis} is out of range for rank {rank}")
        return axis + rank if axis < 0 else axis

    def axes(self, axes: Sequence[int], rank: int) -> list[int]:
        """The axes counted from the front, each of them once."""
        counted = [self.axis(axis, rank) for axis in axes]
        if len(set(counted)) != len(counted):
            raise ImportFailure(f"the axes {list(axes)} name one of {rank} dimensions twice")
        return counted

    def extents(self, value: Value, what: str) -> list[Extent]:
        """The elements of an integer tensor known at import, or a refusal."""
        if value.content is None:
            raise ImportFailure(
                f"{what} depends on data; only what follows from the sizes of the arguments "
                "or from constants can be compiled"
            )
        return [Extent.of(element) for element in value.content.reshape(-1)]

    def integers(self, value: Value, what: str) -> list[int]:
        """The same, where each must be a number."""
        numbers = [extent.static for extent in self.extents(value, what)]
        if None in numbers:
            raise ImportFailure(
                f"{what} depends on the sizes of the arguments; it must be constant"
            )
        return numbers


Handler = Callable[[NodeContext], Sequence[Value | None]]
_HANDLERS: dict[tuple[str, str], list[tuple[int, Handler]]] = {}


def handles(*names: str, since: int = 1, domain: str = "") -> Callable[[Handler], Handler]:
    """Registers a handler for operators of one domain."""

    def register(handler: Handler) -> Handler:
        for name in names:
            versions = _HANDLERS.setdefault((domain, name), [])
            versions.append((since, handler))
            versions.sort(key=lambda item: item[0])
        return handler

    return register


def find_handler(domain: str, name: str, opset: int) -> Handler | None:
    found = [handler for since, handler in _HANDLERS.get((domain, name), []) if since <= opset]
    return found[-1] if found else None


def element_type(onnx_type: int) -> ElementType:
    if onnx_type not in ELEMENT_TYPES:
        named = onnx.TensorProto.DataType.values()
        name = onnx.TensorProto.DataType.Name(onnx_type) if onnx_type in named else onnx_type
        raise ImportFailure(
            f"has elements of type {name}; "
            "posenc takes FLOAT, FLOAT16, "
            "BFLOAT16, INT64, INT32, INT16, INT8 and BOOL"
        )
    return ELEMENT_TYPES[onnx_type]


def known(content: np.ndarray, element: ElementType) -> Value:
    """A value whose content the importer knows."""
    if content.dtype == object and all(
        not isinstance(e, Extent) or e.is_static for e in content.reshape(-1)
    ):
        flat = [e.static if isinstance(e, Extent) else e for e in content.reshape(-1)]
        content = np.array(flat, dtype=element.numpy).reshape(content.shape)
    if content.dtype != object:
        content = content.astype(element.numpy, copy=False)
    return Value(element, tuple(Extent.of(size) for size in content.shape), content=content)
