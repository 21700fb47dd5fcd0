# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package: imports, calls by DLPack, files, errors, the command line."""

import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import posenc
from posenc.__main__ import main
from tools import llvm_tool

ROOT = pathlib.Path(__file__).resolve().parents[2]
# y = s x and z = x + x, of N rows of 4.
TEXT = """
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @scale(%x: tensor<?x4xf32> {posenc.name = "x", posenc.symbols = ["N", ""]},
                 %s: tensor<?x1xf32> {posenc.name = "s", posenc.symbols = ["N", ""]})
    -> (tensor<?x4xf32> {posenc.name = "y"}, tensor<?x4xf32> {posenc.name = "z"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#map, affine_map<(d0, d1) -> (d0, 0)>, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x4xf32>, tensor<?x1xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.mulf %a, %b : f32
      linalg.yield %r : f32
  } -> tensor<?x4xf32>
  %z = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %a : f32
      linalg.yield %r : f32
  } -> tensor<?x4xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
}
"""
X = np.arange(12, dtype=np.float32).reshape(3, 4)
S = np.array([[1], [2], [3]], np.float32)


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


def test_results_are_a_tuple(scale) -> None:
    y, z = scale(X, S)
    np.testing.assert_array_equal(y, X * S)
    np.testing.assert_array_equal(z, X + X)


def test_arguments_by_name(scale) -> None:
    np.testing.assert_array_equal(scale(s=S, x=X)[0], X * S)


def test_repr_says_what_it_takes(scale) -> None:
    assert repr(scale).startswith(
        "<posenc function scale(x: float32[N, 4], s: float32[N, 1]) -> (y: float32["
    )


def test_torch_in_torch_out(scale) -> None:
    torch = pytest.importorskip("torch")
    y, _ = scale(torch.from_numpy(X).requires_grad_(), torch.from_numpy(S))
    assert isinstance(y, torch.Tensor)
    np.testing.assert_array_equal(y.numpy(), X * S)


class OnlyDLPack:
    """Some framework's tensor."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_anything_with_dlpack(scale) -> None:
    np.testing.assert_array_equal(scale(OnlyDLPack(X), OnlyDLPack(S))[0], X * S)


def test_inputs_are_not_written_and_may_be_read_only(scale) -> None:
    x = X.copy()
    x.flags.writeable = False
    scale(x, S)
    np.testing.assert_array_equal(x, X)


def test_strided_rows_and_broadcast_inputs(scale) -> None:
    wide = np.zeros((6, 4), np.float32)
    wide[::2] = X
    np.testing.assert_array_equal(
        scale(wide[::2], np.broadcast_to(np.float32(2), (3, 1)))[0], 2 * X
    )


def test_no_rows(scale) -> None:
    assert [result.shape for result in scale(X[:0], S[:0])] == [(0, 4), (0, 4)]


WRONG = {
    "also needs s": lambda f: f(X),
    "takes 2 arguments": lambda f: f(X, S, S),
    "has no input 'w'": lambda f: f(X, S, w=S),
    "given twice": lambda f: f(X, S, x=X),
    "a float was passed": lambda f: f(X, 2.0),
    "a object was passed": lambda f: f(X, object()),
    "expected float32, got float64": lambda f: f(X.astype(np.float64), S),
    "N = 2": lambda f: f(X, S[:2]),
    "expected stride 1 in the last dimension": lambda f: f(np.asfortranarray(X), S),
    "arrays of object": lambda f: f(X.astype(object), S),
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_calls_say_what_is_wrong(scale, message: str) -> None:
    with pytest.raises(posenc.Error, match=message) as caught:
        WRONG[message](scale)
    assert "\n" not in str(caught.value)


def test_save_and_load(scale, tmp_path) -> None:
    scale.save(tmp_path / "scale.so")
    loaded = posenc.load(tmp_path / "scale.so")
    np.testing.assert_array_equal(loaded(X, S)[0], X * S)
    with pytest.raises(posenc.Error, match="a loaded library has no IR"):
        loaded.ir("fuse")
    (tmp_path / "scale.h").unlink()
    with pytest.raises(posenc.Error, match="needs the .h"):
        posenc.load(tmp_path / "scale.so")


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


def test_bfloat16_arrays_pass() -> None:
    text = TEXT.replace("f32", "bf16")
    x = X.astype(ml_dtypes.bfloat16)
    y, _ = posenc.compile(text)(x, S.astype(ml_dtypes.bfloat16))
    assert y.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(y.astype(np.float32), X * S)


# The command.


@pytest.fixture
def graph(tmp_path) -> pathlib.Path:
    path = tmp_path / "graph.mlir"
    path.write_text(TEXT)
    return path


def test_compile_and_run(graph, tmp_path, capsys) -> None:
    library = tmp_path / "graph.so"
    assert main(["compile", str(graph), "-o", str(library)]) == 0
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "s.npy", S)
    assert (
        main(
            [
                "run",
                str(library),
                "--input",
                str(tmp_path / "x.npy"),
                "--input",
                f"s={tmp_path / 's.npy'}",
                "--output",
                str(tmp_path / "y.npy"),
                "--output",
                str(tmp_path / "z.npy"),
            ]
        )
        == 0
    )
    assert capsys.readouterr().out == "y: float32 [3, 4]\nz: float32 [3, 4]\n"
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), X * S)


def test_stop_after_a_phase(graph, tmp_path) -> None:
    output = tmp_path / "fused.mlir"
    assert (
        main(
            ["compile", str(graph), "--to=fuse", "-o", str(output), f"--dump-dir={tmp_path / 'ir'}"]
        )
        == 0
    )
    assert "linalg.generic" in output.read_text()
    assert [path.name for path in sorted((tmp_path / "ir").iterdir())] == [
        "0-input.mlir",
        "1-import.mlir",
        "2-simplify.mlir",
        "3-fuse.mlir",
    ]


def test_verify(graph, capsys) -> None:
    assert main(["verify", str(graph), "--size", "N=5"]) == 0
    assert "y: fused and unfused differ by 0.0e+00" in capsys.readouterr().out


def test_verify_against_the_reference(capsys) -> None:
    model = ROOT / "test" / "data" / "models" / "llama_rope.sdpa.dynamo23.dyn" / "model.onnx"
    assert main(["verify", str(model), "--size", "s75=9"]) == 0
    assert "fused and reference differ" in capsys.readouterr().out


def test_explain(graph, tmp_path) -> None:
    pytest.importorskip("jinja2")
    assert main(["explain", str(graph), "-o", str(tmp_path / "report.html")]) == 0
    assert (tmp_path / "report.html").exists()


NO_SUCH = "no/such/folder"
# Arguments, with FOLDER for a folder of a graph, its library, an array and a broken file, and
# what the message says.
FAILURES = {
    "no_model": ("compile none.mlir", "cannot read none.mlir"),
    "model_is_no_text": ("compile FOLDER/x.npy -o y.so", "not a valid ONNX model"),
    "model_does_not_parse": ("compile FOLDER/broken.mlir", "broken.mlir:1:"),
    "no_kind": ("compile FOLDER/graph.mlir -o y", "'y' does not say what to write"),
    "output": (f"compile FOLDER/graph.mlir -o {NO_SUCH}/y.so", f"cannot write {NO_SUCH}/y.so: No"),
    "output_is_a_folder": ("compile FOLDER/graph.mlir --emit=ll -o FOLDER", "Is a directory"),
    "remarks": (f"compile FOLDER/graph.mlir -o y.ll --remarks={NO_SUCH}/r", "cannot write"),
    "dumps": (
        "compile FOLDER/graph.mlir -o y.ll --dump-dir=FOLDER/x.npy",
        "cannot make the folder",
    ),
    "no_library": ("run FOLDER/none.so", "none.so does not exist"),
    "library_is_none": ("run FOLDER/fake.so", "the header is not one that posenc wrote"),
    "header_is_no_text": ("run FOLDER/binary.so", "cannot read"),
    "no_function": ("run FOLDER/graph.so --function f", "no function 'f'; it has scale"),
    "no_array": ("run FOLDER/graph.so --input FOLDER/none.npy", "cannot read"),
    "array_is_none": ("run FOLDER/graph.so --input FOLDER/broken.mlir", "cannot read"),
    "array_is_empty": ("run FOLDER/graph.so --input FOLDER/empty.npy", "cannot read"),
    "archive": ("run FOLDER/graph.so --input FOLDER/x.npz", "is an archive of arrays"),
    "input_twice": (
        "run FOLDER/graph.so --input x=FOLDER/x.npy --input x=FOLDER/x.npy",
        "--input x= was given twice",
    ),
    "inputs": ("run FOLDER/graph.so --input FOLDER/x.npy", "scale also needs s"),
    "outputs": (
        "run FOLDER/graph.so --input x=FOLDER/x.npy --input s=FOLDER/s.npy --output y.npy",
        "scale has 2 results; --output was given 1 times",
    ),
    "result": (
        "run FOLDER/graph.so --input x=FOLDER/x.npy --input s=FOLDER/s.npy "
        f"--output {NO_SUCH}/y.npy --output z.npy",
        "cannot write",
    ),
    "size": ("verify FOLDER/graph.mlir --size N", "--size N is not of the form DIMENSION=N"),
    "no_size": ("verify FOLDER/graph.mlir --size M=3", "no input has that dimension; there are N"),
    "huge_size": ("verify FOLDER/graph.mlir --size N=99999999999999", "out of memory"),
    "report": (f"explain FOLDER/graph.mlir -o {NO_SUCH}/r.html", "cannot write"),
}


@pytest.fixture(scope="module")
def folder(scale, tmp_path_factory) -> pathlib.Path:
    """A graph, its library, arrays, and files that are not what their names say."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "graph.mlir").write_text(TEXT)
    (folder / "broken.mlir").write_text("func.func @broken(")
    scale.save(folder / "graph.so")
    for name in ("fake.so", "fake.h", "empty.npy"):
        (folder / name).touch()
    (folder / "binary.so").touch()
    (folder / "binary.h").write_bytes(b"\xff\xfe")
    np.save(folder / "x.npy", X)
    np.save(folder / "s.npy", S)
    np.savez(folder / "x.npz", X)
    return folder


@pytest.mark.parametrize("name", FAILURES)
def test_failures_are_one_line(folder, name: str, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, message = FAILURES[name]
    assert main(arguments.replace("FOLDER", str(folder)).split()) == 1
    error = capsys.readouterr().err
    assert error.startswith("posenc: error: ") and error.count("\n") == 1
    assert message in error


@pytest.mark.parametrize("command", ["compile", "run", "verify", "explain"])
def test_help_explains_every_option(command: str, monkeypatch, capsys) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    options = [line for line in lines if line.startswith("  -")]
    assert options
    # A line of the option alone has its help below it.
    for line, below in zip(lines, [*lines[1:], ""]):
        if line in options:
            assert "   " in line.strip() or below.startswith(" " * 10), line


def test_saving_where_nothing_can_be_written(scale, tmp_path) -> None:
    with pytest.raises(posenc.Error, match="cannot write"):
        scale.save(tmp_path / "none" / "scale.so")


@pytest.mark.parametrize("flags, says", [
    (["--target=cuda"], "--target=cuda: code for NVIDIA GPUs is not there yet"),
    (["--arch=sm_90a"], "--arch=sm_90a: code for NVIDIA GPUs is not there yet"),
    (["-o", "graph.ptx"], "--emit=ptx: code for NVIDIA GPUs is not there yet"),
    (["--cpu=x86-64-v3,pentium"], "unknown CPU 'pentium': use one of native, x86-64-v3"),
    (["-o", "graph.dll"], "unknown value 'dll' of --emit: use one of so"),
    (["-o", "graph"], "'graph' does not say what to write"),
])
def test_what_is_not_there_says_so(graph, tmp_path, monkeypatch, capsys, flags, says) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compile", str(graph), *flags]) == 1
    error = capsys.readouterr().err
    assert error.startswith("posenc: error: ") and says in error and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["graph.mlir"]
