# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ONNX importer: `import_model(model) -> MLIR text`."""

from . import ops  # noqa: F401  (registers the handlers)
from .importer import import_model

__all__ = ["import_model"]
