# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled library offers, read from the table that its own checks use.

The structs are those of lib/Runtime/posenc_runtime.h; a library exports the outermost, and
says in its first word which layout it has.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, replace

from ._dlpack import DLDataType, name_of
from ._errors import Error

_SYMBOL = "posenc_library"
_VERSION = 1


@dataclass(frozen=True)
class Argument:
    """One parameter of a function.

    name: the graph's. element: NumPy's name of the type, `bool` and `bfloat16` included.
    dimensions: numbers, and names or expressions of dynamic sizes, `?` where the graph has
    no name. is_donated: the call updates it in place.
    """

    name: str
    element: str
    dimensions: tuple[int | str, ...]
    is_output: bool
    is_donated: bool

    @property
    def keyword(self) -> str:
        """The name with `_` for what Python's names lack."""
        return re.sub(r"\W", "_", self.name)


@dataclass(frozen=True)
class Signature:
    """A function of a library: its inputs come before its outputs."""

    name: str
    arguments: tuple[Argument, ...]

    @property
    def inputs(self) -> list[Argument]:
        return [argument for argument in self.arguments if not argument.is_output]

    @property
    def outputs(self) -> list[Argument]:
        return [argument for argument in self.arguments if argument.is_output]


class _Argument(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("extents", ctypes.POINTER(ctypes.c_int64)),
        ("symbols", ctypes.POINTER(ctypes.c_char_p)),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("is_output", ctypes.c_uint8),
        ("is_donated", ctypes.c_uint8),
    ]


class _Function(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("arguments", ctypes.POINTER(_Argument)),
        ("symbol_names", ctypes.POINTER(ctypes.c_char_p)),
        ("num_arguments", ctypes.c_int32),
        ("num_outputs", ctypes.c_int32),
        ("num_symbols", ctypes.c_int32),
    ]


class _Library(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int32),
        ("num_functions", ctypes.c_int32),
        ("functions", ctypes.POINTER(ctypes.POINTER(_Function))),
    ]


def read_library(library: ctypes.CDLL, path: str) -> dict[str, Signature]:
    """The signatures of all functions of a loaded library, which messages call `path`.

    Raises `posenc.Error` for a library that posenc did not make, or an older or newer one.
    """
    try:
        version = ctypes.c_int32.in_dll(library, _SYMBOL).value
    except ValueError:
        raise Error(
            f"{path} is no library that posenc compiled, or one of a version before it described "
            "its functions; compile the model again"
        ) from None
    if version != _VERSION:
        raise Error(
            f"{path} describes its functions in version {version}, this package reads "
            f"{_VERSION}; compile the model again"
        )
    table = _Library.in_dll(library, _SYMBOL)
    functions = [table.functions[number].contents for number in range(table.num_functions)]
    if not functions:
        raise Error(f"{path} has no functions; compile the model again")
    return {function.name.decode(): _read_function(function) for function in functions}


def _read_function(function: _Function) -> Signature:
    arguments: list[Argument] = []
    for number in range(function.num_arguments):
        argument = _read_argument(function.arguments[number])
        arguments.append(_renamed(argument, {known.name for known in arguments}))
    return Signature(function.name.decode(), tuple(arguments))


def _read_argument(argument: _Argument) -> Argument:
    names = argument.symbols or [None] * argument.rank
    dimensions: list[int | str] = []
    for axis in range(argument.rank):
        extent, name = argument.extents[axis], names[axis]
        dimensions.append(extent if extent >= 0 else name.decode() if name else "?")
    return Argument(
        argument.name.decode(),
        name_of(DLDataType(argument.code, argument.bits, 1)),
        tuple(dimensions),
        bool(argument.is_output),
        bool(argument.is_donated),
    )


def _renamed(argument: Argument, taken: set[str]) -> Argument:
    """With `_` behind a name that an earlier argument has, as the C header has it."""
    name = argument.name
    while name in taken:
        name += "_"
    return replace(argument, name=name)
