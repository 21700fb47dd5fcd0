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
from ._version import __version__ as __version__

__all__ = ["CompiledFunction", "Error", "ImportFailure", "compile", "load"]


def compile(
    source: Any,
    *,
    name: str | None = None,
    example_inputs: Any = None,
    fuse: bool = True,
    target: str = "cpu",
    cpu: str | None = None,
    threads: str = "pool",
) -> CompiledFunction:
    """Compiles a graph to a function of this process.

    source: a path (.onnx or .mlir), an `onnx.ModelProto`, MLIR text, a
    `torch.export.ExportedProgram`, or a `torch.nn.Module` with `example_inputs`.
    name: what to call an imported graph's function; of MLIR, which function to compile. A
    name that C reserves gets `_graph` behind it in the library: `main_graph`.
    example_inputs: a tuple of tensors, the arguments to export a torch module with.
    fuse: whether encodings move into attention. target: "cpu"; "cuda" is not built yet.
    cpu: "native", "x86-64-v3", "x86-64-v4", "sapphirerapids" or "generic-aarch64", or
    several, separated by commas, of which the function runs the best that fits; by default
    "native", or for planned IR what it is planned for.
    threads: what runs parallel work, "pool", "host", "serial" or "openmp".

    Raises `posenc.ImportFailure` for a graph that cannot be imported and `posenc.Error`
    for a file that cannot be read, an option that is none of these, and IR that does
    not compile; the message is one line.
    """
    options = _Options(target=target, cpu=cpu, threads=threads, fuse=fuse)
    return _compile_module(_module_from(source, name, options, example_inputs))
