# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model by ONNX's own reference evaluator, with all its floats in float64."""

from __future__ import annotations

import pathlib
import warnings

import numpy as np
import onnx
import onnx.inliner
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator

from ._errors import NoReference

_FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16}
# Attributes that name an element type.
_TYPE_ATTRIBUTES = {"to", "dtype", "stash_type", "softmax_precision", "output_dtype"}


def evaluate_model(path: pathlib.Path, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """The results for the graph's inputs, in order; floats as float64.

    Raises `NoReference` where the evaluator fails.
    """
    try:
        model = widen(onnx.load(path))
        evaluator = ReferenceEvaluator(model)
        feeds = {
            name: array.astype(np.float64) if "float" in array.dtype.name else array
            for name, array in zip(evaluator.input_names, inputs)
        }
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return [np.asarray(result) for result in evaluator.run(None, feeds)]
    except Exception as error:  # Each of its operators raises types of its own.
        raise NoReference(f"ONNX's evaluator fails on {path.name}: {error}") from error


def widen(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy in which 16 and 32 bit floats are float64: inputs, constants, casts."""
    model = onnx.inliner.inline_local_functions(model)
    del model.graph.value_info[:]
    for info in (*model.graph.input, *model.graph.output):
        if info.type.tensor_type.elem_type in _FLOATS:
            info.type.tensor_type.elem_type = TensorProto.DOUBLE
    for tensor in model.graph.initializer:
        _widen_tensor(tensor)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                _widen_tensor(attribute.t)
            elif attribute.name in _TYPE_ATTRIBUTES and attribute.i in _FLOATS:
                attribute.i = TensorProto.DOUBLE
            elif node.op_type == "Constant" and attribute.name in ("value_float", "value_floats"):
                _replace_by_tensor(attribute)
    return model


def _widen_tensor(tensor: onnx.TensorProto) -> None:
    if tensor.data_type in _FLOATS:
        wide = numpy_helper.to_array(tensor).astype(np.float64)
        tensor.CopyFrom(numpy_helper.from_array(wide, tensor.name))


def _replace_by_tensor(attribute: onnx.AttributeProto) -> None:
    """`value_float` makes a float32; a tensor says its type."""
    numbers = np.asarray(onnx.helper.get_attribute_value(attribute), np.float64)
    attribute.CopyFrom(onnx.helper.make_attribute("value", numpy_helper.from_array(numbers)))
