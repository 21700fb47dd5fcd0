# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small ONNX models for tests, and their results by ONNX's reference evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

OPSET = 25


def make_model(
    nodes: Sequence[onnx.NodeProto],
    inputs: dict[str, np.ndarray],
    outputs: Sequence[str],
    constants: dict[str, np.ndarray] | None = None,
    symbols: dict[str, Sequence[Any]] | None = None,
    opset: int = OPSET,
    ranks: dict[str, int] | None = None,
) -> onnx.ModelProto:
    """A model of `nodes`; `symbols` names the dynamic dimensions of an input.

    `ranks` are those of outputs for which ONNX's shape inference finds none.
    """
    infos = []
    for name, array in inputs.items():
        shape = (symbols or {}).get(name, array.shape)
        infos.append(
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape)
        )
    results = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * ranks[name])
        if ranks
        else helper.make_empty_tensor_value_info(name)
        for name in outputs
    ]
    initializers = [
        numpy_helper.from_array(np.asarray(array), name)
        for name, array in (constants or {}).items()
    ]
    graph = helper.make_graph(list(nodes), "graph", infos, results, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return model if ranks else onnx.shape_inference.infer_shapes(model)


def node(op: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    """`node("Add", "x y", "z")`; `_` is an input left out."""
    names = ["" if name == "_" else name for name in inputs.split()]
    return helper.make_node(op, names, outputs.split(), **attributes)


def evaluate(model: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        return [np.asarray(result) for result in ReferenceEvaluator(model).run(None, inputs)]
