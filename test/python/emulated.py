# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions on CPUs that this machine is not, by qemu-user.

    program = Program(graph.text(), "generic-aarch64", AARCH64, tmp_path)
    [output] = program.run([(inputs, (2, 4, 5, 16), np.float32)])
"""

from __future__ import annotations

import dataclasses
import pathlib
import shutil
import struct
import subprocess
from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest
from tools import BUILD, llvm_tool

# DLPack's code of an element type.
CODES = {
    np.dtype(np.float32): 2,
    np.dtype(np.float16): 2,
    np.dtype(ml_dtypes.bfloat16): 4,
    np.dtype(np.int64): 0,
}

# Reads tensors from its input, calls, writes the last tensor; again until the input ends.
DRIVER = """
#include <stdio.h>
#include <stdlib.h>

static int read_tensor(DLTensor *tensor) {
  static int64_t shapes[COUNT][8];
  int64_t head[4], (*shape)[8] = shapes + head_count;
  if (fread(head, 8, 4, stdin) != 4)
    return 0;
  if (fread(*shape, 8, head[2], stdin) != (size_t)head[2])
    abort();
  void *data = aligned_alloc(64, (head[3] + 127) / 64 * 64);
  if (fread(data, 1, head[3], stdin) != (size_t)head[3])
    abort();
  DLTensor read = {data, {kDLCPU, 0}, (int32_t)head[2], {(uint8_t)head[0], (uint8_t)head[1], 1}, *shape, NULL, 0};
  *tensor = read;
  bytes = head[3];
  return 1;
}

int main(void) {
  DLTensor t[COUNT];
  for (;;) {
    for (head_count = 0; head_count < COUNT; ++head_count)
      if (!read_tensor(t + head_count))
        return 0;
    if (attention(ARGUMENTS)) {
      fprintf(stderr, "%s\\n", posenc_last_error());
      return 3;
    }
    fwrite(t[COUNT - 1].data, 1, bytes, stdout);
    for (int i = 0; i < COUNT; ++i)
      free(t[i].data);
  }
}
"""


@dataclasses.dataclass(frozen=True)
class Machine:
    """A CPU, what runs its programs here, and clang's name of its architecture."""

    command: tuple[str, ...]
    triple: str

    def require(self) -> None:
        """Skips the test where programs for it cannot be linked or run."""
        if not shutil.which(self.command[0]):
            pytest.skip(f"{self.command[0]} is not installed")
        arch = self.triple.split("-")[0]
        folders = (f"/usr/{self.triple}/lib", f"/usr/lib/{self.triple}")
        if not any(pathlib.Path(folder, "libc.a").exists() for folder in folders):
            pytest.skip(f"no C library for {arch} is installed")


AARCH64 = Machine(("qemu-aarch64",), "aarch64-linux-gnu")
HASWELL = Machine(("qemu-x86_64", "-cpu", "Haswell"), "x86_64-linux-gnu")
NEHALEM = Machine(("qemu-x86_64", "-cpu", "Nehalem"), "x86_64-linux-gnu")

# The inputs of one call, and the shape and type of its output.
Call = tuple[Sequence[np.ndarray], tuple[int, ...], np.dtype]


class Program:
    """The function `attention` of an MLIR module, compiled for `cpu` and linked for `machine`."""

    def __init__(self, text: str, cpu: str, machine: Machine, folder: pathlib.Path, count: int):
        """count: of the function's arguments, the output included."""
        machine.require()
        self.machine = machine
        self.path = folder / "program"
        (folder / "graph.mlir").write_text(text)
        subprocess.run([BUILD / "bin" / "posenc-compile", folder / "graph.mlir", "-o", folder / "graph.a",
                        f"--cpu={cpu}"], check=True)
        arguments = ", ".join(f"t + {i}" for i in range(count))
        (folder / "driver.c").write_text(
            f'#include "graph.h"\n#include <stddef.h>\n#define COUNT {count}\n#define ARGUMENTS {arguments}\n'
            f"static int head_count;\nstatic int64_t bytes;\n{DRIVER}")
        subprocess.run([llvm_tool("clang"), f"--target={machine.triple}", "-static", "-fuse-ld=lld", "-O1",
                        folder / "driver.c", folder / "graph.a", "-o", self.path], check=True)

    def execute(self, calls: Sequence[Call]) -> subprocess.CompletedProcess[bytes]:
        """The program's end, whatever it was."""
        stream = []
        for inputs, shape, dtype in calls:
            poison = np.full(shape, np.nan, dtype)
            for array in (*inputs, poison):
                head = (CODES[array.dtype], array.dtype.itemsize * 8, array.ndim, array.nbytes)
                stream.append(struct.pack(f"<4q{array.ndim}q", *head, *array.shape))
                stream.append(np.ascontiguousarray(array).tobytes())
        return subprocess.run([*self.machine.command, self.path], input=b"".join(stream), capture_output=True,
                              check=False)

    def run(self, calls: Sequence[Call]) -> list[np.ndarray]:
        """The output of each call; AssertionError where the program fails."""
        done = self.execute(calls)
        assert done.returncode == 0, done.stderr.decode()
        outputs, at = [], 0
        for _, shape, dtype in calls:
            count = int(np.prod(shape))
            outputs.append(np.frombuffer(done.stdout, dtype, count, at).reshape(shape))
            at += outputs[-1].nbytes
        assert at == len(done.stdout)
        return outputs
