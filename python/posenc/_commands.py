# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`posenc compile` and `posenc run`."""

from __future__ import annotations

import argparse
import io
import pathlib
import sys

import numpy as np

from ._compiler import Module
from ._errors import Error
from ._files import make_folder, require_file, write_file
from ._function import load


def compile_model(module: Module, parsed: argparse.Namespace) -> int:
    """Writes the artifact and what the flags ask for besides; IR goes to the standard output
    where no file is named. Raises `posenc.Error`, for an output that is the model itself, too."""
    output = parsed.output or pathlib.Path(
        pathlib.Path(parsed.model).stem + (".ir.mlir" if parsed.to else ".so")
    )
    if parsed.to:
        _require_text_output(parsed.to, parsed.emit, output)
    kind = parsed.emit or ("mlir" if parsed.to else None)
    if not kind and not output.suffix:
        raise Error(
            f"'{output.name}' does not say what to write; use a suffix of "
            ".so .a .o .s .ll .mlir, or --emit"
        )
    if output.exists() and output.samefile(parsed.model):
        raise Error(f"-o {output} is the model itself; name another file")
    more = {"to": parsed.to} if parsed.to else {}
    result = module.compile(
        output.name,
        kind,
        ir=bool(parsed.dump_dir),
        weights=parsed.dump_weights,
        remarks=_remark_format(parsed.remarks),
        **more,
    )
    if parsed.to and parsed.output is None:
        sys.stdout.write(result.artifact.decode())
    else:
        module.write_result(result, output, kind or output.suffix.lstrip("."))
    if parsed.dump_dir:
        make_folder(parsed.dump_dir)
        for number, (phase, text) in enumerate(result.ir.items()):
            write_file(parsed.dump_dir / f"{number}-{phase}.mlir", text.encode())
    if parsed.remarks == "-":
        sys.stderr.write(result.remarks)
    elif parsed.remarks:
        write_file(pathlib.Path(parsed.remarks), result.remarks.encode())
    if parsed.time_phases:
        for step, seconds in result.times.items():
            print(f"{step:>10} {seconds:.4f} s", file=sys.stderr)
    return 0


def _require_text_output(phase: str, emit: str | None, output: pathlib.Path) -> None:
    """Raises `posenc.Error` where IR is to be written as something else."""
    if emit not in (None, "mlir"):
        raise Error(f"--to={phase} writes MLIR text, --emit={emit} another kind; give one of them")
    if output.suffix not in ("", ".mlir"):
        raise Error(
            f"--to={phase} writes MLIR text, but -o {output} ends in {output.suffix}; "
            "name a file in .mlir"
        )


def _remark_format(file: str | None) -> bool | str:
    """The setting `remarks` of the compiler: YAML by the suffix of the file, else text."""
    if file is not None and pathlib.Path(file).suffix in (".yaml", ".yml"):
        return "yaml"
    return file is not None


def run_library(
    library: pathlib.Path, name: str | None, inputs: list[str], outputs: list[str]
) -> int:
    """Calls a function on arrays from .npy files and prints the results' types and shapes.

    inputs: `FILE` in order or `NAME=FILE`; outputs: no file, or one a result. Raises
    `posenc.Error` for files that cannot be read or written, and what the call raises.
    """
    function = load(library, name)
    positional, named = [], {}
    for given in inputs:
        label, equals, path = given.partition("=")
        array = _read(path if equals else given)
        if equals and label in named:
            raise Error(f"--input {label}= was given twice")
        if equals:
            named[label] = array
        else:
            positional.append(array)
    results = function(*positional, **named)
    results = results if isinstance(results, tuple) else (results,)
    if outputs and len(outputs) != len(results):
        raise Error(
            f"{function.signature.name} has {len(results)} results; "
            f"--output was given {len(outputs)} times"
        )
    for number, (argument, result) in enumerate(zip(function.signature.outputs, results)):
        print(f"{argument.name}: {result.dtype} {list(result.shape)}")
        if outputs:
            buffer = io.BytesIO()
            np.save(buffer, result)
            write_file(pathlib.Path(outputs[number]), buffer.getvalue())
    return 0


def _read(path: str) -> np.ndarray:
    require_file(pathlib.Path(path))
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, EOFError, ValueError) as error:
        raise Error(f"cannot read {path}: {error}") from error
    if not isinstance(array, np.ndarray):
        raise Error(f"{path} is an archive of arrays; give one .npy file for each input")
    return array
