# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `posenc`: compile, run, verify, explain."""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Sequence

from ._errors import Error


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
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_compile(commands)
    _add_run(commands)
    _add_verify(commands)
    _add_explain(commands)
    return parser


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a graph: MODEL.onnx or MODEL.mlir")


def _add_target_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target",
        choices=["cpu", "cuda"],
        default="cpu",
        help="what runs the code: cpu (default); cuda is not there yet",
    )
    parser.add_argument("--arch", help="sm_80, sm_90a: not there yet")
    parser.add_argument(
        "--cpu",
        default="native",
        help="native (default), x86-64-v3, x86-64-v4, sapphirerapids, generic-aarch64",
    )
    parser.add_argument(
        "--threads",
        choices=["pool", "host", "serial", "openmp"],
        default="pool",
        help="what runs parallel work: a pool of the library's own (default), the calling "
        "program's threads, the calling thread alone, or OpenMP",
    )


def _add_fusion_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-fuse", dest="fuse", action="store_false", help="leave encodings outside of attention"
    )


def _add_compile(commands) -> None:
    parser = commands.add_parser(
        "compile",
        help="compile a graph to a library",
        description="Compiles a graph to a library with a C header beside it, to an object, "
        "or to the text of a step on the way.",
    )
    _add_model(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=pathlib.Path,
        metavar="FILE",
        help="the suffix says what to write: .so .a .o .s .ll .mlir "
        "(default: the model's name with .so)",
    )
    parser.add_argument("--name", help="name of the C function (default: the graph's)")
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
        help="write the IR after each phase, one numbered file each",
    )
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
    _add_target_options(parser)
    _add_fusion_option(parser)
    parser.set_defaults(run=_compile)


def _add_run(commands) -> None:
    parser = commands.add_parser(
        "run",
        help="run a compiled library on .npy files",
        description="Calls a function of a compiled library on arrays from .npy files and "
        "prints the types and shapes of its results.",
    )
    parser.add_argument(
        "library",
        type=pathlib.Path,
        metavar="LIBRARY",
        help="LIBRARY.so, with the LIBRARY.h that was written with it beside it",
    )
    parser.add_argument("--function", metavar="NAME", help="which, where the library has several")
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


def _add_verify(commands) -> None:
    parser = commands.add_parser(
        "verify",
        help="compare fused, unfused and reference on random inputs",
        description="Compiles a graph with and without fusion, runs both on the same random "
        "inputs and compares them with each other and, for an ONNX model, with ONNX's reference "
        "evaluator. The status is 1 if a difference is larger than the tolerance.",
    )
    _add_model(parser)
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="DIMENSION=N",
        help="size of a dynamic dimension; once for each (default: 7, 8, ...)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the inputs (default: 0)")
    parser.add_argument(
        "--tolerance",
        type=float,
        default=1e-5,
        help="largest difference, relative to the largest value (default: 1e-5)",
    )
    _add_target_options(parser)
    parser.set_defaults(run=_verify, fuse=True)


def _add_explain(commands) -> None:
    parser = commands.add_parser(
        "explain",
        help="write an HTML report of what each phase did",
        description="Writes an HTML page: what was fused and what was not, and why; the "
        "operations and the IR after each phase.",
    )
    _add_model(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=pathlib.Path,
        default=pathlib.Path("report.html"),
        metavar="FILE",
        help="the page (default: report.html)",
    )
    _add_target_options(parser)
    _add_fusion_option(parser)
    parser.set_defaults(run=_explain)


def _module(parsed: argparse.Namespace, name: str | None = None):
    from ._compiler import Options, module_from

    options = Options(parsed.target, parsed.cpu, parsed.threads, parsed.fuse, parsed.arch)
    return module_from(parsed.model, name, options)


def _compile(parsed: argparse.Namespace) -> int:
    from ._commands import compile_model

    return compile_model(_module(parsed, parsed.name), parsed)


def _run(parsed: argparse.Namespace) -> int:
    from ._commands import run_library

    return run_library(parsed.library, parsed.function, parsed.input, parsed.output)


def _verify(parsed: argparse.Namespace) -> int:
    from ._verify import verify_model

    return verify_model(_module(parsed), parsed.model, parsed.size, parsed.seed, parsed.tolerance)


def _explain(parsed: argparse.Namespace) -> int:
    from ._report import write_report

    write_report(_module(parsed), pathlib.Path(parsed.model).name, parsed.output)
    print(parsed.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
