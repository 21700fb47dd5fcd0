# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch modules, by way of PyTorch's own ONNX exporter at opset 23.

From opset 23 on the exporter prints Attention and RotaryEmbedding as single
operators, which keeps the most of what a model says.
"""

from __future__ import annotations

from typing import Any

from .._errors import Error, ImportFailure

_OPSET = 23


def export_to_onnx(module: Any, example_inputs: Any) -> Any:
    """An onnx.ModelProto of a torch.nn.Module or a torch.export.ExportedProgram."""
    import torch

    is_exported = isinstance(module, torch.export.ExportedProgram)
    if not is_exported and not isinstance(module, torch.nn.Module):
        raise Error(
            f"cannot compile a {type(module).__name__}; "
            "give a torch.nn.Module or an exported program"
        )
    if not is_exported and example_inputs is None:
        raise Error(
            "a torch.nn.Module needs example_inputs=(tensor, ...), from which it is exported"
        )
    arguments = () if is_exported else tuple(example_inputs)
    try:
        program = torch.onnx.export(module, arguments, dynamo=True, opset_version=_OPSET)
    except ModuleNotFoundError as error:
        raise Error(
            f"PyTorch's ONNX exporter needs {error.name}: pip install onnxscript"
        ) from error
    except Exception as error:  # The exporter raises many types.
        raise ImportFailure(
            f"PyTorch cannot export the module to ONNX: {' '.join(str(error).split())}"
        ) from error
    return program.model_proto
