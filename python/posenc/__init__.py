# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""posenc compiles attention graphs ahead of time.

    f = posenc.compile("model.onnx")
    y = f(x)
    f.save("model.so")

Importing it needs NumPy only; `onnx`, `torch` and `jinja2` are imported where
they are used.
"""

from __future__ import annotations

from typing import Any

from ._compiler import Options as _Options
from ._compiler import module_from as _module_from
from ._errors import Error, ImportFailure
from ._function import CompiledFunction, load
from ._function import compile_module as _compile_module

__all__ = ["CompiledFunction", "Error", "ImportFailure", "compile", "load"]
__version__ = "0.1.0"


def compile(
    source: Any,
    *,
    name: str | None = None,
    example_inputs: Any = None,
    fuse: bool = True,
    target: str = "cpu",
    cpu: str = "native",
    threads: str = "pool",
) -> CompiledFunction:
    """Compiles a graph to a function of this process.

    `source` is a path (.onnx or .mlir), an `onnx.ModelProto`, MLIR text, a
    `torch.nn.Module` with `example_inputs`, or a `torch.export.ExportedProgram`.
    `name` renames an imported graph's function, or chooses one of a module's.
    The other options are those of `posenc-compile`. Raises `posenc.Error`.
    """
    options = _Options(target=target, cpu=cpu, threads=threads, fuse=fuse)
    return _compile_module(_module_from(source, name, options, example_inputs), name)
