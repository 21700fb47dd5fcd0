# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package: imports, names, files, IR, errors of compiling."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

import posenc
from scale_graph import TEXT, S, X
from tools import llvm_tool

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def scale() -> posenc.CompiledFunction:
    return posenc.compile(TEXT)


@pytest.mark.parametrize("name", ["a\\0Ab", "*/ int evil; /*", "a,b", "a] b", "\\5C"])
def test_names_of_dimensions_stay_in_the_comment(name: str, tmp_path) -> None:
    """MLIR's escapes: a newline and a backslash. The header is C, and the call reads it."""
    function = posenc.compile(f"""
    func.func @same(%x: tensor<?xf32> {{posenc.symbols = ["{name}"]}}) -> tensor<?xf32> {{
      return %x : tensor<?xf32>
    }}
    """)
    assert function(X[0]).tolist() == X[0].tolist()
    assert [len(argument.dimensions) for argument in function.signature.arguments] == [1, 1]
    function.save(tmp_path / "same.so")
    command = [llvm_tool("clang"), "-Wall", "-Werror", "-fsyntax-only", "-x", "c"]
    subprocess.run([*command, tmp_path / "same.h"], check=True)


@pytest.mark.parametrize("name, given", [("_init", "_init_graph"), ("posenc_x", "graph_posenc_x")])
def test_reserved_names(name: str, given: str) -> None:
    row = "tensor<3xf32>"
    text = f"func.func @{name}(%x: {row}) -> {row} {{\n return %x : {row}\n}}"
    assert posenc.compile(text).signature.name == given


def test_importing_needs_numpy_only() -> None:
    optional = ("onnx", "torch", "jinja2", "rich", "ml_dtypes")
    code = f"import sys, posenc; print([m for m in {optional} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_save_and_load(scale, tmp_path) -> None:
    scale.save(tmp_path / "scale.so")
    loaded = posenc.load(tmp_path / "scale.so")
    np.testing.assert_array_equal(loaded(X, S)[0], X * S)
    with pytest.raises(posenc.Error, match="a loaded library has no IR"):
        loaded.ir("fuse")


def test_the_library_alone_is_loadable(scale, tmp_path) -> None:
    scale.save(tmp_path / "scale.so")
    (tmp_path / "scale.h").unlink()
    loaded = posenc.load(tmp_path / "scale.so")
    assert loaded.signature == scale.signature
    loaded.save(tmp_path / "again.so")
    assert not (tmp_path / "again.h").exists()
    np.testing.assert_array_equal(posenc.load(tmp_path / "again.so")(X, S)[0], X * S)


FOREIGN = {
    "int other;": "is no library that posenc compiled, or one of a version before",
    "const int posenc_library[4] = {1, 0};": "has no functions",
    "const int posenc_library[4] = {99};": "describes its functions in version 99, this package",
}


@pytest.mark.parametrize("source", FOREIGN)
def test_libraries_of_others_are_refused(source: str, tmp_path) -> None:
    (tmp_path / "other.c").write_text(source)
    command = [llvm_tool("clang"), "-shared", "-fPIC", "other.c", "-o", "other.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    with pytest.raises(posenc.Error, match=FOREIGN[source]) as caught:
        posenc.load(tmp_path / "other.so")
    assert "\n" not in str(caught.value)


def test_the_signature_names_all_dimensions(tmp_path) -> None:
    function = posenc.compile("""
    func.func @double(%x: tensor<?x4xbf16> {posenc.name = "x.0", posenc.symbols = ["N", ""]},
                      %p: tensor<?xi1> {posenc.name = "x.0"})
        -> (tensor<?x4xbf16> {posenc.name = "y", posenc.symbols = ["2*N, at least", ""]}) {
      %y = tensor.concat dim(0) %x, %x : (tensor<?x4xbf16>, tensor<?x4xbf16>) -> tensor<?x4xbf16>
      return %y : tensor<?x4xbf16>
    }""")
    x, p, y = function.signature.arguments
    assert (x.name, x.element, x.dimensions, x.keyword) == ("x.0", "bfloat16", ("N", 4), "x_0")
    assert (p.name, p.element, p.dimensions) == ("x.0_", "bool", ("?",))
    assert (y.name, y.dimensions, y.is_output) == ("y", ("2*N, at least", 4), True)
    function.save(tmp_path / "double.so")
    assert "out y: bfloat16 [2.N. at least, 4]" in (tmp_path / "double.h").read_text()


@pytest.mark.parametrize("text", ["\n", "module {\n}", "func.func private @f()\n"])
def test_a_module_without_a_function(text: str) -> None:
    with pytest.raises(posenc.Error, match="graph: holds no function to compile"):
        posenc.compile(text)


@pytest.mark.parametrize("name", ["main", "int"])
def test_a_reserved_name_is_found_by_what_was_asked(name: str) -> None:
    other = TEXT[TEXT.index("func") :].replace("@scale", f"@{name}")
    function = posenc.compile(TEXT + other, name=name)
    assert function.signature.name == f"{name}_graph"
    np.testing.assert_array_equal(function(X, S)[0], X * S)
    with pytest.raises(posenc.Error, match=f"'nosuch'; there are 'scale', '{name}'"):
        posenc.compile(TEXT + other, name="nosuch")
    with pytest.raises(posenc.Error, match=f"the functions scale, {name}_graph; choose one"):
        posenc.compile(TEXT + other)


@pytest.mark.parametrize("suffix", [".a", ".o", ".s", ".ll"])
def test_save_other_kinds(scale, tmp_path, suffix: str) -> None:
    scale.save(tmp_path / f"scale{suffix}")
    assert (tmp_path / f"scale{suffix}").stat().st_size > 0


def test_ir_of_each_phase(scale) -> None:
    assert "tensor<?x4xf32>" in scale.ir("import")
    assert "llvm.func" in scale.ir("codegen")
    with pytest.raises(
        posenc.Error, match="there is no phase 'frobnicate'; there are input, import, simplify"
    ):
        scale.ir("frobnicate")


def test_report(scale, tmp_path) -> None:
    pytest.importorskip("jinja2")
    scale.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "<summary>fuse" in page and "linalg.generic" in page


def test_errors_of_compiling_name_the_place() -> None:
    with pytest.raises(posenc.Error) as caught:
        posenc.compile("func.func @broken(\n")
    assert "\n" not in str(caught.value)
    with pytest.raises(posenc.Error, match="x86-64-v3"):
        posenc.compile(TEXT, cpu="z80")
    with pytest.raises(posenc.Error, match="cannot compile a int"):
        posenc.compile(3)
    with pytest.raises(posenc.Error, match=r"graph:2: the character '.ud800' is half of a pair"):
        posenc.compile("// Half\n// \ud800\n" + TEXT)


@pytest.mark.parametrize("path", [None, 5, b"graph.so"])
def test_what_is_no_path_is_not_loaded(path) -> None:
    with pytest.raises(posenc.Error, match=f"cannot load a {type(path).__name__}; give the path"):
        posenc.load(path)


def test_saving_where_nothing_can_be_written(scale, tmp_path) -> None:
    with pytest.raises(posenc.Error, match="cannot write"):
        scale.save(tmp_path / "none" / "scale.so")
