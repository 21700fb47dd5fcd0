# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions as Python callables."""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import tempfile
import weakref
from typing import Any

from . import _compiler, _dlpack
from ._elf import require_whole
from ._errors import Error
from ._files import require_file
from ._signature import Argument, Signature, read_library

PathLike = "str | os.PathLike[str]"


class CompiledFunction:
    """A function of a compiled library.

    Call it with arrays in the order of the graph's inputs, or by name (with `_` for what
    Python's names lack), from any thread: NumPy arrays or anything with `__dlpack__`, of the
    types and shapes that `signature` and `repr` state, contiguous in the last dimension.
    Inputs are not written, but for those that the signature calls donated. Results are new
    NumPy arrays, or torch tensors where the first argument is one; several results come as a
    tuple. Raises `posenc.Error` for arguments that do not fit, with the library's own message.
    """

    def __init__(
        self,
        path: pathlib.Path,
        library: ctypes.CDLL,
        signature: Signature,
        module: _compiler.Module | None = None,
    ):
        self.signature = signature
        self._path = path
        self._module = module
        self._library = library
        self._library.posenc_last_error.restype = ctypes.c_char_p
        self._run = self._entry(signature.name)
        self._shapes = self._entry(f"{signature.name}_shapes")

    def _entry(self, name: str):
        function = getattr(self._library, name)
        function.restype = ctypes.c_int
        function.argtypes = [ctypes.POINTER(_dlpack.DLTensor)] * len(self.signature.arguments)
        return function

    def __repr__(self) -> str:
        def spell(arguments):
            return ", ".join(
                f"{a.name}: {a.element}[{', '.join(map(str, a.dimensions))}]" for a in arguments
            )

        return (
            f"<posenc function {self.signature.name}({spell(self.signature.inputs)}) -> "
            f"({spell(self.signature.outputs)})>"
        )

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        values = self._bind(arguments, named)
        borrowed = [
            self._borrow(argument, value) for argument, value in zip(self.signature.inputs, values)
        ]
        tensors = [tensor for tensor, _ in borrowed]
        blanks = [_dlpack.blank() for _ in self.signature.outputs]
        self._check(
            self._shapes(
                *map(ctypes.byref, tensors), *(ctypes.byref(tensor) for tensor, _ in blanks)
            )
        )
        results, outputs, alive = [], [], []
        for argument, (tensor, shape) in zip(self.signature.outputs, blanks):
            result, array = self._allocate(
                argument, shape[: tensor.ndim], values[0] if values else None
            )
            output, keep = _dlpack.describe(array)
            results.append(result)
            outputs.append(output)
            alive.append(keep)
        self._check(self._run(*map(ctypes.byref, tensors), *map(ctypes.byref, outputs)))
        del borrowed, alive  # Until here the memory behind the pointers had to stay.
        return results[0] if len(results) == 1 else tuple(results)

    def _bind(self, arguments: tuple, named: dict[str, Any]) -> list[Any]:
        names = [argument.name for argument in self.signature.inputs]
        if len(arguments) > len(names):
            raise Error(
                f"{self.signature.name} takes {len(names)} arguments ({', '.join(names)}), "
                f"{len(arguments)} were given"
            )
        values = dict(zip(names, arguments))
        keywords = {argument.keyword: argument.name for argument in self.signature.inputs}
        for keyword, value in named.items():
            name = keyword if keyword in names else keywords.get(keyword)
            if name is None:
                raise Error(
                    f"{self.signature.name} has no input '{keyword}'; it has {', '.join(names)}"
                )
            if name in values:
                raise Error(f"'{name}' was given twice")
            values[name] = value
        missing = [name for name in names if name not in values]
        if missing:
            raise Error(f"{self.signature.name} also needs {', '.join(missing)}")
        return [values[name] for name in names]

    @staticmethod
    def _borrow(argument: Argument, value: Any):
        try:
            return _dlpack.borrow(value, is_written=argument.is_donated)
        except Error as error:
            raise Error(f"argument '{argument.name}': {error}") from None
        except (BufferError, RuntimeError, TypeError) as error:
            raise Error(
                f"argument '{argument.name}' cannot be passed by DLPack: {error}"
            ) from error

    @staticmethod
    def _allocate(argument: Argument, shape: list[int], like: Any):
        for axis, extent in enumerate(shape):
            if extent < 0:
                raise Error(
                    f"dimension {axis} of '{argument.name}' would be {extent} for these inputs; "
                    "no extent is negative"
                )
        try:
            return _dlpack.allocate(shape, _dlpack.dtype_of(argument.element), like)
        except Error:
            raise
        except (MemoryError, RuntimeError, ValueError) as error:
            sizes = ", ".join(map(str, shape))
            raise Error(
                f"there is no memory for '{argument.name}' of the sizes [{sizes}]"
            ) from error

    def _check(self, code: int) -> None:
        if code:
            message = self._library.posenc_last_error().decode(errors="replace")
            raise Error(message or f"{self.signature.name} failed with code {code}")

    def save(self, path: PathLike) -> None:
        """Writes what the suffix of `path` names: .so, .a, .o, .s, .ll or .mlir.

        A C header goes beside a library or an object.
        A suffix other than .so compiles once more. Raises `posenc.Error` for a suffix
        that is none of these, for a path that cannot be written, and for another kind
        than .so of a loaded library, which has no source.
        """
        path = pathlib.Path(path)
        if path.suffix != ".so":
            self._source().write(path)
            return
        try:
            shutil.copyfile(self._path, path)
            header = self._path.with_suffix(".h")
            if header.exists():  # A library may have been loaded without one.
                shutil.copyfile(header, path.with_suffix(".h"))
        except shutil.SameFileError:
            pass
        except OSError as error:
            raise Error(f"cannot write {path}: {error}") from error

    def ir(self, phase: str) -> str:
        """The IR after `phase`: input, import, simplify, fuse, plan or codegen.

        Raises `posenc.Error` for another phase and for a loaded library.
        """
        phases = self._source().phases()
        if phase not in phases:
            raise Error(f"there is no phase '{phase}'; there are {', '.join(phases)}")
        return phases[phase]

    def remarks(self) -> str:
        """What was fused and what was not, and why, one line each:

        `FILE:LINE:COLUMN: remark: SENTENCE [PASS]`, of an ONNX model
        `FILE: node 'NAME': remark: SENTENCE [PASS]`; `[PASS: missed]` for what was not done.
        Raises `posenc.Error` for a loaded library.
        """
        return self._source().remarks()

    def report(self, path: PathLike) -> None:
        """Writes an HTML page: what became of each attention and encoding, the IR of each phase.

        Raises `posenc.Error` without jinja2 (`posenc[report]`), for a path that cannot be
        written, and for a loaded library.
        """
        from ._report import write_report

        write_report(self._source(), self.signature.name, pathlib.Path(path))

    def _source(self) -> _compiler.Module:
        if self._module is None:
            raise Error("a loaded library has no IR; compile the model to see it")
        return self._module


def compile_module(module: _compiler.Module) -> CompiledFunction:
    """Compiles to a library in a temporary folder that goes with the function.

    Raises `posenc.Error` for a module of several functions of which none was chosen.
    """
    folder = pathlib.Path(tempfile.mkdtemp(prefix="posenc-"))
    try:
        library = folder / "graph.so"
        module.write(library)
        function = load(library, module=module)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(function, shutil.rmtree, folder, ignore_errors=True)
    return function


def load(
    path: PathLike, name: str | None = None, module: _compiler.Module | None = None
) -> CompiledFunction:
    """A function of a compiled library; the .so is all it needs.

    `name` chooses one where it has several; `module` is its source, where that is known.
    Raises `posenc.Error` where the file is missing or not of posenc, where there is no such
    function, and where `name` is needed.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise Error(f"cannot load a {type(path).__name__}; give the path of a compiled library")
    path = pathlib.Path(path)
    require_file(path)
    if path.suffix in (".onnx", ".mlir"):
        raise Error(f"{path} is a graph; compile it before: posenc compile {path}")
    require_whole(path)
    try:
        library = ctypes.CDLL(str(path.absolute()))
    except OSError as error:
        raise Error(f"cannot load {path}: {error}") from error
    title = module.name if module else path.name
    signatures = read_library(library, title)
    if name is None and len(signatures) > 1:
        known = ", ".join(signatures)
        raise Error(f"{title} has the functions {known}; choose one with name= (--name)")
    if name is not None and name not in signatures:
        raise Error(f"{title} has no function '{name}'; it has {', '.join(signatures)}")
    return CompiledFunction(
        path.absolute(), library, signatures[name or next(iter(signatures))], module
    )
