# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`posenc compile` and `posenc run`."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Optional

import numpy as np

from ._compiler import Module
from ._errors import Error
from ._function import load


def compile_model(module: Module, parsed: argparse.Namespace) -> int:
    """Writes the artifact and what the flags ask for besides."""
    output = parsed.output or pathlib.Path(pathlib.Path(parsed.model).stem + (".mlir" if parsed.to else ".so"))
    kind = parsed.emit or ("mlir" if parsed.to else output.suffix.lstrip("."))
    if not kind:
        raise Error(f"'{output.name}' does not say what to write; use a suffix of .so .a .o .s .ll .mlir, or --emit")
    more = {"to": parsed.to} if parsed.to else {}
    result = module.compile(output.name, kind, ir=bool(parsed.dump_dir), remarks=parsed.remarks is not None,
                            times=parsed.time_phases, **more)
    module.write_result(result, output, kind)
    if parsed.dump_dir:
        parsed.dump_dir.mkdir(parents=True, exist_ok=True)
        for number, (phase, text) in enumerate(result.ir.items()):
            (parsed.dump_dir / f"{number}-{phase}.mlir").write_text(text)
    if parsed.remarks == "-":
        sys.stderr.write(result.remarks)
    elif parsed.remarks:
        pathlib.Path(parsed.remarks).write_text(result.remarks)
    sys.stderr.write(result.times)
    return 0


def run_library(library: pathlib.Path, name: Optional[str], inputs: list[str], outputs: list[str]) -> int:
    """Calls a function on arrays from files; without --output the results' shapes are printed."""
    function = load(library, name)
    positional, named = [], {}
    for given in inputs:
        label, equals, path = given.partition("=")
        array = _read(path if equals else given)
        if equals:
            named[label] = array
        else:
            positional.append(array)
    results = function(*positional, **named)
    results = results if isinstance(results, tuple) else (results,)
    if outputs and len(outputs) != len(results):
        raise Error(f"{function.signature.name} has {len(results)} results; --output was given {len(outputs)} times")
    for number, (argument, result) in enumerate(zip(function.signature.outputs, results)):
        print(f"{argument.name}: {result.dtype} {list(result.shape)}")
        if outputs:
            np.save(outputs[number], result)
    return 0


def _read(path: str) -> np.ndarray:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise Error(f"cannot read {path}: {error}") from error
