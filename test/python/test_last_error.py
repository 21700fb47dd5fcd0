# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What went wrong is told by the library that was called, whatever else the process has loaded."""

import pathlib
import subprocess
import sys

PROGRAM = """
import ctypes
import numpy as np
import posenc

def double(name):
    return posenc.compile(f'''func.func @{name}(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %y = arith.addf %x, %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }}''')

double("first").save("first.so")
first = ctypes.CDLL("./first.so", mode=ctypes.RTLD_GLOBAL)
second = double("second")
assert (second(np.ones(4, np.float32)) == 2).all()
try:
    second(np.zeros(4))
except posenc.Error as error:
    print(error)
first.posenc_last_error.restype = ctypes.c_char_p
print(first.posenc_last_error().decode())
"""


def test_beside_a_library_in_the_global_scope(tmp_path: pathlib.Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and lines[0] == lines[1]
    assert "expected float32, got float64" in lines[0]
