# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs IR through posenc passes and then stock MLIR to the CPU, scalar loops only.

It shows what the IR after a phase means without posenc's own code generation.
posenc.cos_sin has no stock lowering: rotations must read caches.
"""

from __future__ import annotations

import ctypes
import pathlib
import subprocess

import numpy as np

from tools import llvm_tool, posenc_opt

STOCK = [
    "--one-shot-bufferize=bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map",
    "--convert-linalg-to-loops",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--arith-expand=include-bf16=true",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
]


class Executable:
    """`@main` of a module, compiled; its arguments and results are tensors."""

    def __init__(self, text: str, passes: list[str], directory: pathlib.Path):
        self.ir = posenc_opt(text, *passes)
        lowered = posenc_opt(self.ir, "--llvm-request-c-wrappers", *STOCK)
        llvm_ir = subprocess.run(
            [llvm_tool("mlir-translate"), "--mlir-to-llvmir"],
            input=lowered,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        source = directory / "module.ll"
        source.write_text(llvm_ir)
        library = directory / "module.so"
        runtime = pathlib.Path(llvm_tool("mlir-translate")).resolve().parents[1] / "lib"
        subprocess.run(
            [
                llvm_tool("clang"),
                "-O1",
                "-march=native",
                "-shared",
                "-Wno-override-module",
                "-fuse-ld=lld",
            ]
            + [str(source), "-o", str(library), "-lm", f"-L{runtime}"]
            + ["-lmlir_c_runner_utils", f"-Wl,-rpath,{runtime}"],
            check=True,
        )
        self._function = ctypes.CDLL(str(library))._mlir_ciface_main
        self._function.restype = None

    def __call__(self, *inputs: np.ndarray, results: list[tuple[int, type]]) -> list[np.ndarray]:
        """The results, each of the rank and type that `results` states."""

        class Returned(ctypes.Structure):
            _fields_ = [
                (f"result{number}", descriptor_type(rank))
                for number, (rank, _) in enumerate(results)
            ]

        returned = Returned()
        # Stock bufferization takes arguments for its own and may write them.
        arrays = [np.array(array, order="C") for array in inputs]
        descriptors = [describe(array) for array in arrays]
        self._function(ctypes.byref(returned), *[ctypes.byref(d) for d in descriptors])
        return [
            read(getattr(returned, f"result{number}"), dtype)
            for number, (_, dtype) in enumerate(results)
        ]


def descriptor_type(rank: int) -> type[ctypes.Structure]:
    """MLIR's C descriptor of a memref of that rank."""

    class Descriptor(ctypes.Structure):
        _fields_ = [
            ("allocated", ctypes.c_void_p),
            ("aligned", ctypes.c_void_p),
            ("offset", ctypes.c_int64),
            ("sizes", ctypes.c_int64 * rank),
            ("strides", ctypes.c_int64 * rank),
        ]

    return Descriptor


def describe(array: np.ndarray) -> ctypes.Structure:
    """A descriptor of `array`, which must be contiguous."""
    descriptor = descriptor_type(array.ndim)()
    descriptor.allocated = descriptor.aligned = array.ctypes.data
    descriptor.sizes[:] = array.shape
    descriptor.strides[:] = [stride // array.itemsize for stride in array.strides]
    return descriptor


def read(descriptor: ctypes.Structure, dtype: type) -> np.ndarray:
    """A copy of the elements that `descriptor` points to; a returned slice is not contiguous."""
    size = np.dtype(dtype).itemsize
    shape, strides = descriptor.sizes[:], descriptor.strides[:]
    if 0 in shape:
        return np.zeros(shape, dtype)
    span = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    start = descriptor.aligned + descriptor.offset * size
    buffer = (ctypes.c_byte * (span * size)).from_address(start)
    elements = np.frombuffer(buffer, dtype)
    return np.lib.stride_tricks.as_strided(
        elements, shape, [stride * size for stride in strides]
    ).copy()
