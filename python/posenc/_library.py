# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler: libposenc in this process where it is installed, else posenc-compile."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Any

from ._errors import Error
from ._native import load_compiler

_TIME = re.compile(r"^ *(\w+) ([\d.]+) s$", re.MULTILINE)


@dataclass
class Compilation:
    """What one run of the compiler made."""

    artifact: bytes
    header: str = ""
    remarks: str = ""
    ir: dict[str, str] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)


def compile_text(text: str, name: str, settings: dict[str, Any]) -> Compilation:
    """Compiles MLIR text that messages call `name`.

    `settings` are options of posenc-compile by name: those of `Options`,
    `emit`, `name` (of the file to write), and optionally `to`, `ir`, `weights`,
    `generic`, `remarks`.
    """
    native = load_compiler(_find("lib", "libposenc.so"))
    if native is not None:
        return Compilation(*native.compile(text, name, settings))
    tool = _find("bin", "posenc-compile")
    if tool is None:
        raise Error(
            "the compiler is not built: run make, or set POSENC_BUILD_DIR to the build folder"
        )
    return _run_tool(tool, text, name, settings)


def _find(folder: str, name: str) -> pathlib.Path | None:
    """A file installed with the package, or in the build folder of a checkout."""
    import posenc

    places = [pathlib.Path(entry) / name for entry in posenc.__path__]
    build = os.environ.get("POSENC_BUILD_DIR")
    checkout = pathlib.Path(__file__).resolve().parents[2] / "build"
    places.append((pathlib.Path(build) if build else checkout) / folder / name)
    return next((place for place in places if place.is_file()), None)


def _run_tool(tool: pathlib.Path, text: str, name: str, settings: dict[str, Any]) -> Compilation:
    with tempfile.TemporaryDirectory(prefix="posenc-") as temporary:
        folder = pathlib.Path(temporary)
        source, output = folder / "graph.mlir", folder / "out" / settings["name"]
        output.parent.mkdir()
        source.write_text(text)
        command = [str(tool), str(source), "-o", str(output)]
        # The output's suffix is the setting `output`.
        valued = ("emit", "target", "arch", "cpu", "threads", "to", "function")
        command += [f"--{option}={settings[option]}" for option in valued if option in settings]
        command += [] if settings["fuse"] else ["--no-fuse"]
        command += [f"--dump-dir={folder / 'ir'}"] if settings.get("ir") else []
        command += ["--dump-weights"] if settings.get("weights") else []
        command += ["--dump-generic"] if settings.get("generic") else []
        remarks = folder / ("remarks.yaml" if settings.get("remarks") == "yaml" else "remarks")
        command += [f"--remarks={remarks}"] if settings.get("remarks") else []
        command += ["--time-phases"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            message = _message(done.stderr).replace(str(source), name)
            raise Error(message or f"posenc-compile ended with status {done.returncode}")
        return Compilation(
            output.read_bytes(),
            _read(output.with_suffix(".h")),
            _read(remarks).replace(str(source), name),
            _read_dumps(folder / "ir"),
            {step: float(seconds) for step, seconds in _TIME.findall(done.stderr)},
        )


def _message(stderr: str) -> str:
    """The compiler's one line."""
    lines = [line for line in stderr.splitlines() if "error:" in line] or stderr.splitlines()[:1]
    return " ".join(lines).removeprefix("posenc-compile: error: ")


def _read(path: pathlib.Path) -> str:
    return path.read_text() if path.exists() else ""


def _read_dumps(folder: pathlib.Path) -> dict[str, str]:
    """`3-fuse.mlir` becomes the entry `fuse`."""
    files = (
        sorted(folder.glob("*.mlir"), key=lambda path: int(path.name.split("-")[0]))
        if folder.exists()
        else []
    )
    return {path.stem.split("-", 1)[1]: path.read_text() for path in files}
