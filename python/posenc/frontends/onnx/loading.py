# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and checks an ONNX model, and brings it down to operators that posenc knows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Union

import numpy as np
import onnx
import onnx.checker
import onnx.defs
import onnx.inliner
import onnx.numpy_helper
import onnx.shape_inference
from google.protobuf.message import Message
from onnx.external_data_helper import ExternalDataInfo, uses_external_data

from ..._errors import ImportFailure
from .registry import find_handler, node_name

_OLDEST_OPSET = 13
_DEEPEST_DEFINITION = 4
ModelLike = Union[str, "os.PathLike[str]", bytes, onnx.ModelProto]
# Element type and sizes (None where dynamic), or None for an unknown rank.
InferredType = tuple[int, list[int | None] | None]


def load(model: ModelLike) -> onnx.ModelProto:
    """The model, checked."""
    try:
        if isinstance(model, onnx.ModelProto):
            loaded = onnx.ModelProto()
            loaded.CopyFrom(model)
        elif isinstance(model, bytes):
            loaded = onnx.load_model_from_string(model)
        else:
            loaded = onnx.load(os.fspath(model), load_external_data=False)
        if _restore_domain(loaded) or isinstance(model, (bytes, onnx.ModelProto)):
            onnx.checker.check_model(loaded)
        else:  # By its path, because no message holds more than 2 GiB.
            onnx.checker.check_model(os.fspath(model))
    except OSError as error:
        raise ImportFailure(f"cannot read the model: {error}") from error
    except Exception as error:  # protobuf and the checker raise types of their own.
        raise ImportFailure(f"not a valid ONNX model: {one_line(error)}") from error
    if _has_broken_text(loaded):
        raise ImportFailure("not a valid ONNX model: a name in it is not UTF-8")
    if opset_of(loaded) < _OLDEST_OPSET:
        raise ImportFailure(
            f"the model is of opset {opset_of(loaded)}; posenc takes {_OLDEST_OPSET} and later: "
            "convert it with onnx.version_converter or export it anew"
        )
    return loaded


def content_of(tensor: onnx.TensorProto, folder: str) -> np.ndarray:
    """The elements; those that lie in a file beside the model are mapped, not read.

    Raises OSError or ValueError where the data do not fit the tensor's sizes.
    """
    if not uses_external_data(tensor):
        return onnx.numpy_helper.to_array(tensor)
    where = ExternalDataInfo(tensor)
    element = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type))
    shape = tuple(tensor.dims)
    size = element.itemsize * int(np.prod(shape))
    if where.length not in (None, size):
        raise ValueError(f"it needs {size} bytes, but has {where.length}")
    if size == 0:
        return np.zeros(shape, element)
    path = os.path.join(folder, where.location)
    return np.memmap(path, element, "r", where.offset or 0, shape)


def _restore_domain(model: onnx.ModelProto) -> bool:
    """onnxruntime writes one operator of its own as if it were ONNX's; whether there was one."""
    strays = [
        node
        for node in _all_nodes(model.graph)
        if node.op_type == "SimplifiedLayerNormalization" and not domain_of(node)
    ]
    for node in strays:
        node.domain = "com.microsoft"
    if strays and all(opset.domain != "com.microsoft" for opset in model.opset_import):
        model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    return bool(strays)


def _has_broken_text(message: Message) -> bool:
    """Whether a string in the message is no text: protobuf gives its bytes then, unasked."""
    for field, value in message.ListFields():
        values = [value] if isinstance(value, (str, bytes, Message)) else value
        if field.type == field.TYPE_STRING and any(isinstance(each, bytes) for each in values):
            return True
        if field.type == field.TYPE_MESSAGE and any(map(_has_broken_text, values)):
            return True
    return False


def inline(model: onnx.ModelProto) -> onnx.ModelProto:
    """Replaces functions of the model, and operators known by their ONNX definition only."""
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    unknown = _unknown_nodes(model)
    expanded, rest = model, unknown
    try:
        for _ in range(_DEEPEST_DEFINITION):
            if not rest:
                return expanded
            names = sorted({("", node.op_type) for node in rest})
            _write_defaults(rest, opset_of(expanded))
            expanded = onnx.inliner.inline_selected_functions(
                expanded, names, inline_schema_functions=True
            )
            rest = _unknown_nodes(expanded)
    except (RuntimeError, ValueError):
        # The inliner stumbles over an operator without a definition.
        pass
    opsets = {opset.domain: opset.version for opset in model.opset_import}
    listed = [
        f"{node.op_type} (domain '{node.domain or 'ai.onnx'}', opset {opsets.get(node.domain, 1)}, "
        f"node '{node_name(node)}')"
        for node in unknown
    ]
    raise ImportFailure(
        f"posenc does not know {len(unknown)} of the model's {sum(1 for _ in _all_nodes(model.graph))} nodes: "
        + "; ".join(listed)
    )


def _write_defaults(nodes: list[onnx.NodeProto], opset: int) -> None:
    """The inliner leaves out attributes that a node has by default only."""
    for node in nodes:
        if domain_of(node) or not onnx.defs.has(node.op_type, opset, ""):
            continue
        schema = onnx.defs.get_schema(node.op_type, opset, "")
        given = {attribute.name for attribute in node.attribute}
        node.attribute.extend(
            attribute.default_value
            for name, attribute in schema.attributes.items()
            if name not in given and attribute.default_value.name
        )


def _unknown_nodes(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    opsets = {"" if o.domain == "ai.onnx" else o.domain: o.version for o in model.opset_import}
    return [
        node
        for node in _all_nodes(model.graph)
        if not is_constant(node)
        and find_handler(domain_of(node), node.op_type, opsets.get(domain_of(node), 1)) is None
    ]


def graphs_of(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """The graphs that are attributes of a node: the branches of If."""
    return [a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]


def _all_nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """The nodes of a graph and of the branches in it."""
    for node in graph.node:
        yield node
        if node.op_type == "If":
            for branch in graphs_of(node):
                yield from _all_nodes(branch)


def domain_of(node: onnx.NodeProto) -> str:
    """The domain; ai.onnx and the empty name are one."""
    return "" if node.domain == "ai.onnx" else node.domain


def is_constant(node: onnx.NodeProto) -> bool:
    return node.op_type == "Constant" and not domain_of(node)


def inferred_types(model: onnx.ModelProto) -> dict[str, InferredType]:
    """What the model and ONNX's shape inference say of every value."""
    try:
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except onnx.shape_inference.InferenceError as error:
        raise ImportFailure(f"not a valid ONNX model: {one_line(error)}") from error
    types = {}
    for info in (*inferred.graph.value_info, *inferred.graph.output):
        tensor = info.type.tensor_type
        sizes = (
            [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
            if tensor.HasField("shape")
            else None
        )
        types[info.name] = (tensor.elem_type, sizes)
    return types


def opset_of(model: onnx.ModelProto) -> int:
    """The version of ONNX's own operators; 1 where none are imported."""
    return next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1)


def one_line(error: Exception) -> str:
    return " ".join(str(error).split())
