# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What several tests share: the tools of the build, element types, compiled functions."""

from __future__ import annotations

import functools
import os
import pathlib
import shutil
import subprocess

import ml_dtypes
import numpy as np

import posenc

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("POSENC_BUILD_DIR", ROOT / "build"))
LLVM_BIN = "/usr/lib/llvm-22/bin"

# NumPy's type of an MLIR element type.
NUMPY = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i64": np.dtype(np.int64),
    "i32": np.dtype(np.int32),
    "i16": np.dtype(np.int16),
    "i8": np.dtype(np.int8),
    "i1": np.dtype(np.bool_),
}
FLOATS = ("f32", "f16", "bf16")


def llvm_tool(name: str) -> str:
    """The path of an LLVM tool; AssertionError where it is not installed."""
    path = shutil.which(f"{name}-22") or shutil.which(name, path=LLVM_BIN)
    assert path, f"{name} is not installed; run make setup"
    return path


def posenc_opt(text: str, *flags: str) -> str:
    """What posenc-opt prints for the module `text`; AssertionError with its diagnostics."""
    command = [str(BUILD / "bin" / "posenc-opt"), *flags]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{text[:4000]}\n{done.stderr}"
    return done.stdout


@functools.cache
def compiled(text: str, *, fuse: bool = True) -> posenc.CompiledFunction:
    """The compiled function of a module, one for each text in a process."""
    return posenc.compile(text, fuse=fuse)
