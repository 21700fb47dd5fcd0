# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler itself: libposenc through its C API, or posenc-compile as a process."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Any, Optional

from ._errors import Error


@dataclass
class Compilation:
    """What one run of the compiler made."""

    artifact: bytes
    header: str = ""
    remarks: str = ""
    times: str = ""
    ir: dict[str, str] = field(default_factory=dict)


def build_folders() -> list[pathlib.Path]:
    """Where the compiler may lie: installed with the package, or in the build of a checkout."""
    import posenc

    folders = [pathlib.Path(entry) for entry in posenc.__path__]
    build = os.environ.get("POSENC_BUILD_DIR")
    folders.append(pathlib.Path(build) if build else folders[0].parent.parent / "build")
    return folders


def find_tool(name: str) -> Optional[pathlib.Path]:
    for folder in build_folders():
        for candidate in (folder / "bin" / name, folder / name):
            if candidate.is_file():
                return candidate
    return None


def compile_text(text: str, name: str, settings: dict[str, Any]) -> Compilation:
    """Compiles MLIR text; `settings` are options of posenc-compile: those of
    `Options`, `emit`, `name` (of the file to write), and optionally `to`, `ir`, `remarks`, `times`."""
    tool = find_tool("posenc-compile")
    if tool is None:
        raise Error("posenc-compile is not installed; build it (`make`), or set POSENC_BUILD_DIR to the build folder")
    return _run_tool(tool, text, name, settings)


def _run_tool(tool: pathlib.Path, text: str, name: str, settings: dict[str, Any]) -> Compilation:
    with tempfile.TemporaryDirectory(prefix="posenc-") as temporary:
        folder = pathlib.Path(temporary)
        source = folder / (name if name.endswith(".mlir") else f"{name}.mlir")
        output = folder / "out" / settings["name"]
        output.parent.mkdir()
        source.write_text(text)
        command = [str(tool), str(source), "-o", str(output), f"--emit={settings['emit']}"]
        command += [f"--{option}={settings[option]}" for option in ("target", "cpu", "threads", "to")
                    if option in settings]
        command += [] if settings.get("fuse", True) else ["--no-fuse"]
        command += [f"--dump-dir={folder / 'ir'}"] if settings.get("ir") else []
        command += [f"--remarks={folder / 'remarks'}"] if settings.get("remarks") else []
        command += ["--time-phases"] if settings.get("times") else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Error(_message(done.stderr, source, name) or f"posenc-compile ended with status {done.returncode}")
        return Compilation(output.read_bytes(), _read(output.with_suffix(".h")), _read(folder / "remarks"),
                           done.stderr if settings.get("times") else "", _read_dumps(folder / "ir"))


def _message(stderr: str, source: pathlib.Path, name: str) -> str:
    """The compiler's one line, with the user's name of the file."""
    lines = [line for line in stderr.strip().splitlines() if "error:" in line] or stderr.strip().splitlines()[:1]
    return " ".join(lines).replace(str(source), name).removeprefix("posenc-compile: error: ")


def _read(path: pathlib.Path) -> str:
    return path.read_text() if path.exists() else ""


def _read_dumps(folder: pathlib.Path) -> dict[str, str]:
    """`3-fuse.mlir` becomes the entry `fuse`."""
    files = sorted(folder.glob("*.mlir"), key=lambda path: int(path.name.split("-")[0])) if folder.exists() else []
    return {path.stem.split("-", 1)[1]: path.read_text() for path in files}
