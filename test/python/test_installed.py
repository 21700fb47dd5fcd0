# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the wheel holds works without the checkout, and with NumPy alone."""

import pathlib
import shutil
import subprocess
import sys

import pytest

from scale_graph import TEXT
from tools import BUILD, ROOT

PROGRAM = """
import pathlib, sys
sys.modules.update(dict.fromkeys(("onnx", "torch", "jinja2"), None))  # Not there.
import numpy as np
import posenc
from posenc.__main__ import main

assert pathlib.Path(posenc.__file__).is_relative_to(sys.argv[1])
x, s = np.ones((3, 4), np.float32), np.full((3, 1), 2, np.float32)
function = posenc.compile("graph.mlir")
assert (function(x, s)[0] == 2).all()
function.save("graph.so")
pathlib.Path("graph.h").unlink()
assert posenc.load("graph.so")(x, s)[0].shape == (3, 4)
assert main(["verify", "graph.mlir"]) == 0
for arguments, word in (["verify", "graph.onnx"], "onnx"), (["explain", "graph.mlir"], "jinja2"):
    assert main(arguments) == 1, word
"""


@pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is not installed")
def test_the_installed_package(tmp_path: pathlib.Path) -> None:
    site, folder = tmp_path / "site", tmp_path / "folder"
    install = ["cmake", "--install", BUILD, "--component", "python", "--prefix", site]
    subprocess.run(install, check=True, capture_output=True)
    shutil.copytree(
        ROOT / "python" / "posenc",
        site / "posenc",
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    folder.mkdir()
    (folder / "graph.mlir").write_text(TEXT)
    (folder / "graph.onnx").write_bytes(b"some")
    environment = {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, site],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    messages = done.stderr.splitlines()
    assert messages[0].endswith("the ONNX importer needs onnx: pip install 'posenc[onnx]'")
    assert messages[1].endswith("the report needs jinja2: pip install 'posenc[report]'")
    left = {path.name for path in folder.iterdir()}
    assert left == {"graph.mlir", "graph.onnx", "graph.so"}
