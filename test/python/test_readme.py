# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The README's examples run as they stand, and the demo prints what it shows."""

import ast
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("POSENC_BUILD_DIR", ROOT / "build"))


def blocks(language: str) -> list[str]:
    """The texts of the README's fenced blocks in `language`; "" for unmarked ones."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )


@pytest.fixture
def checkout(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """A folder that looks like a built checkout; its examples write to `build/` only."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "build").mkdir()
    for folder in ("bin", "lib"):
        (tmp_path / "build" / folder).symlink_to(BUILD / folder)
    yield tmp_path
    assert {path.name for path in tmp_path.iterdir()} == {"examples", "build"}


def run(command: list[str], folder: pathlib.Path) -> str:
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), POSENC_BUILD_DIR=str(BUILD))
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_python_example(checkout: pathlib.Path) -> None:
    (example,) = blocks("python")
    shown = run([sys.executable, "-c", example], checkout)
    assert "posenc.attention" in shown and "rotate_query" in shown
    written = {path.name for path in (checkout / "build").iterdir()}
    assert {"llama_attention.so", "llama_attention.h"} < written


def test_c_example(checkout: pathlib.Path) -> None:
    (example,) = [block for block in blocks("") if "examples/c/main.c" in block]
    assert run(["sh", "-e", "-c", example], checkout)


def formats(source: str) -> list[re.Pattern]:
    """What each `print` of `source` may print, where that is a literal; any text stands for a value."""
    patterns = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print" and node.args:
            text = node.args[0]
            parts = text.values if isinstance(text, ast.JoinedStr) else [text]
            patterns.append(
                "".join(
                    re.escape(part.value) if isinstance(part, ast.Constant) else ".+"
                    for part in parts
                )
            )
    return [re.compile(pattern) for pattern in patterns]


def test_demo_prints_what_the_readme_shows() -> None:
    (shown,) = [block for block in blocks("") if block.startswith("LLaMA attention layer")]
    known = formats((ROOT / "examples/llama_attention.py").read_text())
    for line in shown.splitlines():
        assert any(pattern.fullmatch(line) for pattern in known), line
