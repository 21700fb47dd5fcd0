# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module on its way through the compiler, and the options it goes with."""

from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass, fields, replace
from typing import Any

from ._errors import Error
from ._files import require_file, write_file
from ._library import Compilation, compile_text


@dataclass(frozen=True)
class Options:
    """The options of posenc-compile, by the same names."""

    target: str = "cpu"
    cpu: str | None = None
    threads: str = "pool"
    fuse: bool = True
    arch: str | None = None
    function: str | None = None

    def settings(self) -> dict[str, Any]:
        """The options that are set, as the compiler takes them."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


class Module:
    """MLIR text and its options; compiled once for each thing asked of it."""

    def __init__(self, text: str, name: str, options: Options):
        self.text = text
        self.name = name
        self.options = options
        self._with_ir: Compilation | None = None

    def write(self, path: pathlib.Path) -> None:
        """Writes the artifact that the suffix names, and a header beside a library or object."""
        if not path.suffix:
            raise Error(f"{path} has no suffix; .so .a .o .s .ll and .mlir say what to write")
        self.write_result(self.compile(path.name, None), path, path.suffix.lstrip("."))

    def compile(self, file_name: str, kind: str | None, **more: Any) -> Compilation:
        """Runs the compiler; without a kind the file's suffix says what is written.

        `more` are further settings: to, ir, weights, remarks.
        """
        what = {"emit": kind} if kind else {"output": file_name}
        return compile_text(
            self.text,
            self.name,
            self.options.settings() | what | {"name": file_name} | more,
        )

    @staticmethod
    def write_result(result: Compilation, path: pathlib.Path, kind: str) -> None:
        """Writes the artifact, and the header beside it where it can be linked."""
        write_file(path, result.artifact)
        if result.header and path.is_file() and kind in ("so", "a", "o"):
            write_file(path.with_suffix(".h"), result.header.encode())

    def phases(self) -> dict[str, str]:
        """The IR after each phase, by its name, in order."""
        return self._inspected().ir

    def generic_form(self) -> str:
        """The graph as it was given, whole, in MLIR's generic form."""
        result = self.compile(
            "graph.mlir", "mlir", to="import", ir=True, weights=True, generic=True
        )
        return result.ir["input"]

    def remarks(self) -> str:
        return self._inspected().remarks

    def with_options(self, **changes: Any) -> Module:
        """The same graph with some options changed."""
        return Module(self.text, self.name, replace(self.options, **changes))

    def _inspected(self) -> Compilation:
        if self._with_ir is None:
            self._with_ir = self.compile("graph.mlir", "mlir", to="codegen", ir=True, remarks=True)
        return self._with_ir


def module_from(
    source: Any, name: str | None, options: Options, example_inputs: Any = None
) -> Module:
    """A module from a path, an ONNX model, MLIR text, or a torch module or exported program.

    `name` is what the function of an imported graph is to be called, and which of an MLIR
    module's functions is to be compiled.
    """
    kind = type(source).__module__.split(".")[0]
    if kind == "torch" or any(
        base.__module__.startswith("torch.") for base in type(source).__mro__
    ):
        from .frontends.torch import export_to_onnx

        source = export_to_onnx(source, example_inputs)
        kind = "onnx"
    if kind == "onnx":
        return Module(_import_onnx(source, name), name or "graph", options)
    if isinstance(source, str) and "\n" in source:
        _require_text(source)
        return Module(source, "graph", replace(options, function=name))
    if not isinstance(source, (str, os.PathLike)):
        raise Error(
            f"cannot compile a {type(source).__name__}; give a path, an ONNX model, MLIR text, "
            "a torch module with example_inputs or an exported program"
        )
    return _module_from_file(pathlib.Path(source), name, options)


def _require_text(source: str) -> None:
    """Raises `posenc.Error` for what no file of text could hold."""
    try:
        source.encode()
    except UnicodeEncodeError as error:
        line = source.count("\n", 0, error.start) + 1
        raise Error(
            f"graph:{line}: the character {source[error.start]!a} is half of a pair; "
            "give MLIR text that can be encoded as UTF-8"
        ) from None


def _module_from_file(path: pathlib.Path, name: str | None, options: Options) -> Module:
    require_file(path)
    if path.suffix == ".onnx":
        return Module(_import_onnx(path, name), path.name, options)
    if path.suffix != ".mlir":
        raise Error(
            f"{path} has the suffix '{path.suffix}', which says neither ONNX nor MLIR; "
            "give a MODEL.onnx or a MODEL.mlir"
        )
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"cannot read {path}: {error}") from error
    return Module(text, path.name, replace(options, function=name))


def _import_onnx(model: Any, name: str | None) -> str:
    try:
        from .frontends.onnx import import_model
    except ModuleNotFoundError as error:
        raise Error(f"the ONNX importer needs {error.name}: pip install 'posenc[onnx]'") from error
    return import_model(model, name)
