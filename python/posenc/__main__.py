# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `posenc`: compile, run, verify, explain."""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Sequence

from ._errors import Error
from ._version import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; an error is one line on standard error and status 1."""
    parsed = _parser().parse_args(arguments)
    try:
        return parsed.run(parsed)
    except Error as error:
        return _fail(str(error))
    except MemoryError:
        return _fail("out of memory; give dynamic dimensions smaller sizes")
    except BrokenPipeError:
        return 1


def _fail(message: str) -> int:
    print(f"posenc: error: {' '.join(message.split())}", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="posenc",
        description="Compiles attention graphs ahead of time.",
        epilog="posenc COMMAND --help has the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    model, fusion = _model_options(), _fusion_option()
    _add_compile(commands, [model, fusion])
    _add_run(commands)
    _add_verify(commands, [model])
    _add_explain(commands, [model, fusion])
    return parser


def _model_options() -> argparse.ArgumentParser:
    """What every command that compiles takes."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("model", metavar="MODEL", help="a graph: MODEL.onnx or MODEL.mlir")
    parser.add_argument(
        "--name",
        "--function",
        help="what to call the C function of an ONNX graph (default: the graph's name); "
        "which function of an MLIR module to compile (default: every public one)",
    )
    parser.add_argument(
        "--target",
        choices=["cpu", "cuda"],
        default="cpu",
        help="what runs the code: cpu (default); cuda is not there yet",
    )
    parser.add_argument("--arch", help="sm_80, sm_90a: not there yet")
    parser.add_argument(
        "--cpu",
        metavar="CPU[,CPU...]",
        help="native (default; for planned IR what it is planned for), x86-64-v3, x86-64-v4, "
        "sapphirerapids, generic-aarch64; the library runs the best that fits",
    )
    parser.add_argument(
        "--threads",
        metavar="{pool,host,serial,openmp}",
        default="pool",
        help="what runs parallel work: a pool of the library's own (default), the calling "
        "program's threads, the calling thread alone, or OpenMP; "
        "how many is POSENC_NUM_THREADS where the library runs",
    )
    return parser


def _fusion_option() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(
        "--no-fuse", dest="fuse", action="store_false", help="leave encodings outside of attention"
    )
    return parser


def _add_compile(commands, parents: list[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "compile",
        parents=parents,
        help="compile a graph to a library",
        description="Compiles a graph to a library with a C header beside it, to an object, "
        "or to the text of a step on the way.",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=pathlib.Path,
        metavar="FILE",
        help="the suffix says what to write: .so .a .o .s .ll .mlir "
        "(default: the model's name with .so)",
    )
    parser.add_argument(
        "--emit", metavar="KIND", help="what to write, where the suffix does not say it"
    )
    parser.add_argument(
        "--to",
        choices=["import", "simplify", "fuse", "plan", "codegen"],
        help="stop after a phase and write its IR",
    )
    parser.add_argument(
        "--dump-dir",
        type=pathlib.Path,
        metavar="FOLDER",
        help="write the IR after each phase, one numbered file each; large constants are left out",
    )
    parser.add_argument("--dump-weights", action="store_true", help="write those, too")
    parser.add_argument(
        "--remarks",
        nargs="?",
        const="-",
        metavar="FILE",
        help="say what was fused and what was not, and why, as text or, by the suffix .yaml, as "
        "LLVM's YAML (default: to standard error)",
    )
    parser.add_argument(
        "--time-phases", action="store_true", help="print the seconds of each phase"
    )
    parser.set_defaults(run=_compile)


def _add_run(commands) -> None:
    parser = commands.add_parser(
        "run",
        help="run a compiled library on .npy files",
        description="Calls a function of a compiled library on arrays from .npy files and "
        "prints the types and shapes of its results.",
    )
    parser.add_argument("library", type=pathlib.Path, metavar="LIBRARY", help="LIBRARY.so")
    parser.add_argument(
        "--name",
        "--function",
        metavar="NAME",
        help="which function, where the library has several",
    )
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="[NAME=]FILE.npy",
        help="an input, in order or by name; once for each",
    )
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="FILE.npy",
        help="where a result goes, in order; once for each",
    )
    parser.set_defaults(run=_run)


def _add_verify(commands, parents: list[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verify",
        parents=parents,
        help="compare fused, unfused and reference on random inputs",
        description="Compiles a graph with and without fusion, runs both on the same random "
        "inputs and compares them with each other and with a float64 reference: ONNX's own "
        "evaluator for an ONNX model, posenc.reference for MLIR. What may differ follows from "
        "the element types. The status is 1 if anything differs by more.",
    )
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="DIMENSION=N",
        help="size of a dynamic dimension; once for each (default: 2 for the first dimension of "
        "an input, 67 and then 256 for the others)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the inputs (default: 0)")
    parser.add_argument(
        "--tolerance",
        type=float,
        help="largest difference, relative to the row's largest value (default: by the element "
        "types of the graph)",
    )
    parser.set_defaults(run=_verify, fuse=True)


def _add_explain(commands, parents: list[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "explain",
        parents=parents,
        help="write an HTML report of what each phase did",
        description="Writes an HTML page: what was fused and what was not, and why; the "
        "operations and the IR after each phase.",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=pathlib.Path,
        metavar="FILE",
        help="the page (default: the model's name with .html)",
    )
    parser.set_defaults(run=_explain)


def _module(parsed: argparse.Namespace):
    from ._compiler import Options, module_from

    options = Options(parsed.target, parsed.cpu, parsed.threads, parsed.fuse, parsed.arch)
    return module_from(parsed.model, parsed.name, options)


def _compile(parsed: argparse.Namespace) -> int:
    from ._commands import compile_model

    return compile_model(_module(parsed), parsed)


def _run(parsed: argparse.Namespace) -> int:
    from ._commands import run_library

    return run_library(parsed.library, parsed.name, parsed.input, parsed.output)


def _verify(parsed: argparse.Namespace) -> int:
    from ._verify import verify_model

    return verify_model(_module(parsed), parsed.model, parsed.size, parsed.seed, parsed.tolerance)


def _explain(parsed: argparse.Namespace) -> int:
    from ._report import write_report

    model = pathlib.Path(parsed.model)
    output = parsed.output or pathlib.Path(model.stem + ".html")
    write_report(_module(parsed), model.name, output)
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
