# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs MLIR without posenc's own code generation, through stock LLVM 22 passes.

A second, slow way from imported IR to numbers: what the importer says can be
checked apart from the compiler behind it. Posenc ops are taken down by
`posenc-opt --posenc-fuse=no-fuse` first.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import subprocess
import tempfile
from typing import Sequence

import ml_dtypes
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LLVM = pathlib.Path("/usr/lib/llvm-22/bin")

_SOFTMAX_LIBRARY = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %module : (!transform.any_op) -> !transform.any_op
    %parts = transform.structured.decompose_interface %softmax : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
"""
_PIPELINE = (
    "builtin.module(transform-preload-library{transform-library-paths=LIBRARY},transform-interpreter,"
    "canonicalize,one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},"
    "func.func(convert-linalg-to-loops,lower-affine,llvm-request-c-wrappers),"
    "expand-realloc,expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "arith-expand,convert-math-to-llvm,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)")

_NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i64": np.int64, "i32": np.int32,
          "i16": np.int16, "i8": np.int8, "i1": np.bool_}


def tool(name: str) -> str:
    """A program of this build, or of LLVM."""
    build = pathlib.Path(os.environ.get("POSENC_BUILD_DIR", ROOT / "build"))
    for folder in (build / "bin", LLVM):
        if (folder / name).exists():
            return str(folder / name)
    raise AssertionError(f"{name} is not built; build it, or set POSENC_BUILD_DIR to the build folder")


def run_tool(name: str, *arguments: str, text: str = "") -> str:
    """Standard output of a tool; fails the test with its standard error."""
    done = subprocess.run([tool(name), *arguments], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{name} {' '.join(arguments)}: {done.stderr[-4000:]}"
    return done.stdout


class _Descriptor:
    """An MLIR memref descriptor: two pointers, an offset, sizes and strides."""

    def __init__(self, rank: int, array: np.ndarray | None = None):
        self.words = (ctypes.c_int64 * (3 + 2 * rank))()
        self.rank = rank
        if array is not None:
            self.words[0] = self.words[1] = array.ctypes.data
            for axis in range(rank):
                self.words[3 + axis] = array.shape[axis]
                self.words[3 + rank + axis] = array.strides[axis] // array.itemsize


def _signature(text: str) -> tuple[str, list[tuple[np.dtype, int]]]:
    """The function's name and the (type, rank) of its results."""
    match = re.search(r"func\.func @(\w+)\((.*)\) -> \((.*)\) \{\n", text)
    assert match, text[:500]
    results = re.findall(r"tensor<([0-9?x]*?)(bf16|[fi]\d+)>", match.group(3))
    return match.group(1), [(np.dtype(_NUMPY[element]), shape.count("x")) for shape, element in results]


def execute(text: str, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of the module's function, as the importer prints it, on `inputs`."""
    name, results = _signature(text)
    if "posenc." in re.sub(r"posenc\.(name|symbols)", "", text):
        text = run_tool("posenc-opt", "--posenc-fuse=no-fuse", text=text)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "library.mlir").write_text(_SOFTMAX_LIBRARY)
        lowered = run_tool("mlir-opt", "--pass-pipeline=" + _PIPELINE.replace("LIBRARY", str(path / "library.mlir")),
                           text=text)
        (path / "code.ll").write_text(run_tool("mlir-translate", "--mlir-to-llvmir", text=lowered))
        subprocess.run([tool("clang"), "-O1", "-w", "-shared", "-fPIC", str(path / "code.ll"), "-o",
                        str(path / "code.so"), "-lm",
                        f"-L{LLVM.parent / 'lib'}", f"-Wl,-rpath,{LLVM.parent / 'lib'}", "-lmlir_c_runner_utils"], check=True)
        library = ctypes.CDLL(str(path / "code.so"))
        return _call(library[f"_mlir_ciface_{name}"], inputs, results)


def _call(function, inputs: Sequence[np.ndarray], results: list[tuple[np.dtype, int]]) -> list[np.ndarray]:
    arrays = [np.array(array, order="C", copy=True) for array in inputs]
    arguments = [_Descriptor(array.ndim, array) for array in arrays]
    lengths = [3 + 2 * rank for _, rank in results]
    returned = (ctypes.c_int64 * sum(lengths))()
    function.restype = None
    function(ctypes.byref(returned), *(ctypes.byref(argument.words) for argument in arguments))
    outputs, at = [], 0
    for (element, rank), length in zip(results, lengths):
        words = list(returned[at:at + length])
        at += length
        shape, strides = words[3:3 + rank], words[3 + rank:]
        outputs.append(_copy(words[1], words[2], shape, strides, element))
    return outputs


def _copy(address: int, offset: int, shape: list[int], strides: list[int], element: np.dtype) -> np.ndarray:
    if 0 in shape:
        return np.zeros(shape, element)
    span = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    buffer = (ctypes.c_char * (span * element.itemsize)).from_address(address + offset * element.itemsize)
    flat = np.frombuffer(buffer, dtype=element)
    return np.lib.stride_tricks.as_strided(flat, shape, [s * element.itemsize for s in strides]).copy()
