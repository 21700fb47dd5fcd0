# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes what the ONNX importer prints, by stock lowering: see `stock_lowering.py`."""

from __future__ import annotations

import pathlib
import re
import tempfile
from collections.abc import Sequence

import numpy as np

from stock_lowering import Executable
from tools import NUMPY

# No stock pass takes linalg.softmax down; the transform dialect does.
_SOFTMAX = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %module
      : (!transform.any_op) -> !transform.any_op
    %parts = transform.structured.decompose_interface %softmax
      : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
"""


def execute(text: str, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of the module's function on `inputs`; posenc ops are decomposed first."""
    signature = re.search(r"func\.func @(\w+)\(.*\) -> \((.*)\) \{\n", text)
    assert signature, text[:500]
    results = [
        (shape.count("x"), NUMPY[element])
        for shape, element in re.findall(r"tensor<([0-9?x]*?)(bf16|[fi]\d+)>", signature.group(2))
    ]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "softmax.mlir").write_text(_SOFTMAX)
        passes = [
            "--posenc-fuse=no-fuse",
            f"--transform-preload-library=transform-library-paths={folder}/softmax.mlir",
            "--transform-interpreter",
            "--canonicalize",
        ]
        executable = Executable(
            text.replace(f"@{signature.group(1)}(", "@main(", 1), passes, folder
        )
        return executable(*inputs, results=results)
