# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler in this process: libposenc.so by ctypes (posenc-c/posenc.h)."""

from __future__ import annotations

import ctypes
import functools
import itertools
import pathlib
from typing import Any

from ._errors import Error

_Result = ctypes.c_void_p
_FUNCTIONS = {
    "posenc_compile": (
        _Result,
        [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)],
    ),
    "posenc_result_error": (ctypes.c_char_p, [_Result]),
    "posenc_result_artifact": (ctypes.c_void_p, [_Result, ctypes.POINTER(ctypes.c_size_t)]),
    "posenc_result_header": (ctypes.c_char_p, [_Result]),
    "posenc_result_remarks": (ctypes.c_char_p, [_Result]),
    "posenc_result_ir": (ctypes.c_char_p, [_Result, ctypes.c_char_p]),
    "posenc_result_time": (
        ctypes.c_char_p,
        [_Result, ctypes.c_int, ctypes.POINTER(ctypes.c_double)],
    ),
    "posenc_result_destroy": (None, [_Result]),
    "posenc_phase_name": (ctypes.c_char_p, [ctypes.c_int]),
}


class NativeCompiler:
    """The functions of one loaded library."""

    def __init__(self, path: pathlib.Path):
        # The default mode keeps its LLVM apart from any other in the process.
        self._library = ctypes.CDLL(str(path))
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments

    def compile(
        self, text: str, name: str, settings: dict[str, Any]
    ) -> tuple[bytes, str, str, dict[str, str], dict[str, float]]:
        """The artifact, its header, the remarks, the IR by phase and the seconds by step.

        Raises `posenc.Error` with the compiler's one line.
        """
        source = text.encode()
        options = [f"{option}={_spell(value)}".encode() for option, value in settings.items()]
        array = (ctypes.c_char_p * (len(options) + 1))(*options, None)
        library = self._library
        result = library.posenc_compile(source, len(source), name.encode(), array)
        try:
            error = library.posenc_result_error(result)
            if error is not None:
                raise Error(error.decode(errors="replace"))
            size = ctypes.c_size_t()
            address = library.posenc_result_artifact(result, ctypes.byref(size))
            return (
                ctypes.string_at(address, size.value),
                library.posenc_result_header(result).decode(),
                library.posenc_result_remarks(result).decode(),
                self._phases(result),
                self._times(result),
            )
        finally:
            library.posenc_result_destroy(result)

    def _phases(self, result: int) -> dict[str, str]:
        names, number = ["input"], 0
        while (name := self._library.posenc_phase_name(number)) is not None:
            names.append(name.decode())
            number += 1
        texts = {name: self._library.posenc_result_ir(result, name.encode()) for name in names}
        return {name: text.decode() for name, text in texts.items() if text is not None}

    def _times(self, result: int) -> dict[str, float]:
        times, seconds = {}, ctypes.c_double()
        for number in itertools.count():
            name = self._library.posenc_result_time(result, number, ctypes.byref(seconds))
            if name is None:
                return times
            times[name.decode()] = seconds.value


def _spell(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@functools.cache
def load_compiler(path: pathlib.Path | None) -> NativeCompiler | None:
    """The library at `path`, loaded once; None without one."""
    if path is None:
        return None
    try:
        return NativeCompiler(path)
    except (OSError, AttributeError) as error:
        raise Error(f"cannot load {path}: {error}") from error
