# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: compile, run, explain, and messages of one line."""

import pathlib

import numpy as np
import pytest

import posenc
from posenc.__main__ import main
from scale_graph import TEXT, S, X


@pytest.fixture(scope="module")
def scale() -> posenc.CompiledFunction:
    return posenc.compile(TEXT)


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


def test_version(capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"posenc {posenc.__version__}\n"


def test_name_chooses_one_function_of_a_module(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.mlir").write_text(TEXT + TEXT[TEXT.index("func") :].replace("@scale", "@main"))
    assert main(["compile", "two.mlir"]) == 0
    with pytest.raises(posenc.Error, match="has the functions scale, main_graph; choose one"):
        posenc.load("two.so")
    assert posenc.load("two.so", name="scale").signature.name == "scale"
    assert main(["compile", "two.mlir", "--name", "main", "-o", "one.so"]) == 0
    assert posenc.load("one.so").signature.name == "main_graph"
    with pytest.raises(posenc.Error, match="has no function 'main'; it has main_graph"):
        posenc.load("one.so", name="main")


def test_phases_are_timed_in_this_process(graph, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("posenc._library._run_tool", None)
    assert main(["compile", str(graph), "-o", str(tmp_path / "g.so"), "--time-phases"]) == 0
    lines = capsys.readouterr().err.splitlines()
    steps = ["parse", "import", "simplify", "fuse", "plan", "codegen", "object"]
    assert [line.split()[0] for line in lines] == steps
    assert all(line.endswith(" s") and float(line.split()[1]) >= 0 for line in lines)


def test_without_the_library_the_tool_compiles(graph, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("posenc._library.load_compiler", lambda path: None)
    folder = tmp_path / "ir"
    flags = ["--time-phases", f"--dump-dir={folder}", "--dump-weights", "--name=scale"]
    assert main(["compile", str(graph), "-o", str(tmp_path / "g.so"), *flags]) == 0
    assert "codegen" in capsys.readouterr().err and len(list(folder.iterdir())) == 6
    np.testing.assert_array_equal(posenc.load(tmp_path / "g.so")(X, S)[0], X * S)
    assert main(["verify", str(graph)]) == 0  # Which asks for the generic form.


def test_dumps_have_large_constants_only_if_asked(tmp_path) -> None:
    numbers = ", ".join(f"{number}.5" for number in range(100))
    (tmp_path / "g.mlir").write_text(f"""
    func.func @f(%x: tensor<100xf32>) -> tensor<100xf32> {{
      %w = arith.constant dense<[{numbers}]> : tensor<100xf32>
      %y = arith.addf %x, %w : tensor<100xf32>
      return %y : tensor<100xf32>
    }}""")
    for flags, is_whole in (([], False), (["--dump-weights"], True)):
        command = ["compile", str(tmp_path / "g.mlir"), "-o", str(tmp_path / "out.mlir"), *flags]
        assert main([*command, "--to=fuse", f"--dump-dir={tmp_path / 'ir'}"]) == 0
        for path in (tmp_path / "ir").iterdir():
            assert ("__elided__" in path.read_text()) != is_whole
        assert "__elided__" not in (tmp_path / "out.mlir").read_text()
    function = posenc.compile(tmp_path / "g.mlir")
    assert "__elided__" in function.ir("plan") and "__elided__" in function.ir("codegen")
    function.save(tmp_path / "whole.mlir")
    assert "__elided__" not in (tmp_path / "whole.mlir").read_text()


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


def test_links_and_devices_stay(graph, tmp_path, capsys) -> None:
    (tmp_path / "link.so").symlink_to("behind.so")
    for _ in range(2):  # The file is not there yet, then it is.
        assert main(["compile", str(graph), "-o", str(tmp_path / "link.so")]) == 0
        assert (tmp_path / "link.so").is_symlink() and (tmp_path / "behind.so").is_file()
    (tmp_path / "full.so").symlink_to("/dev/full")
    assert main(["compile", str(graph), "-o", str(tmp_path / "full.so")]) == 1
    assert "full.so: No space left on device" in capsys.readouterr().err
    (tmp_path / "null.so").symlink_to("/dev/null")
    assert main(["compile", str(graph), "-o", str(tmp_path / "null.so")]) == 0
    assert not (tmp_path / "null.h").exists()


def test_planned_ir_goes_on_for_its_cpu(graph, tmp_path, capsys) -> None:
    planned = str(tmp_path / "planned.mlir")
    assert main(["compile", str(graph), "--to=plan", "--cpu=generic-aarch64", "-o", planned]) == 0
    assert main(["compile", planned, "-o", str(tmp_path / "planned.s")]) == 0
    assert main(["compile", planned, "--cpu=native", "-o", str(tmp_path / "other.s")]) == 1
    assert "was planned for generic-aarch64, not for --cpu=native" in capsys.readouterr().err


def test_explain(graph, tmp_path, monkeypatch, capsys) -> None:
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    assert main(["explain", str(graph)]) == 0
    assert capsys.readouterr().out == "graph.html\n" and (tmp_path / "graph.html").exists()
    assert main(["explain", str(graph), "-o", str(tmp_path / "report.html")]) == 0
    assert (tmp_path / "report.html").exists()


NO_SUCH = "no/such/folder"
# Arguments, with FOLDER for a folder of a graph, its library, an array and a broken file, and
# what the message says.
FAILURES = {
    "no_model": ("compile none.mlir", "no such file: none.mlir"),
    "no_onnx_model": ("compile none.onnx", "no such file: none.onnx"),
    "model_is_a_folder": ("compile FOLDER", "is a folder; name a file"),
    "model_is_empty": ("compile FOLDER/empty.mlir", "empty.mlir is empty"),
    "onnx_model_is_empty": ("verify FOLDER/empty.onnx", "empty.onnx is empty"),
    "model_is_binary": ("compile FOLDER/binary.mlir", "cannot read"),
    "model_is_no_onnx": ("explain FOLDER/broken.onnx", "not a valid ONNX model"),
    "suffix": ("compile FOLDER/x.npy -o y.so", "has the suffix '.npy', which says neither ONNX"),
    "no_suffix": ("compile FOLDER/model", "has the suffix '', which says neither ONNX nor MLIR"),
    "no_such_function": (
        "compile FOLDER/graph.mlir --name nosuch",
        "graph.mlir: there is no function 'nosuch'; there are 'scale'",
    ),
    "model_does_not_parse": ("compile FOLDER/broken.mlir", "broken.mlir:1:"),
    "no_kind": ("compile FOLDER/graph.mlir -o y", "'y' does not say what to write"),
    "output": (f"compile FOLDER/graph.mlir -o {NO_SUCH}/y.so", f"cannot write {NO_SUCH}/y.so: No"),
    "output_is_a_folder": ("compile FOLDER/graph.mlir --emit=ll -o FOLDER", "Is a directory"),
    "remarks": (f"compile FOLDER/graph.mlir -o y.ll --remarks={NO_SUCH}/r", "cannot write"),
    "dumps": (
        "compile FOLDER/graph.mlir -o y.ll --dump-dir=FOLDER/x.npy",
        "cannot make the folder",
    ),
    "no_library": ("run FOLDER/none.so", "no such file"),
    "library_is_a_folder": ("run FOLDER", "is a folder; name a file"),
    "library_is_empty": ("run FOLDER/empty.so", "empty.so is empty"),
    "library_is_none": ("run FOLDER/fake.so", "cannot load"),
    "library_is_cut_short": ("run FOLDER/cut.so", "cut.so is cut short: it has"),
    "library_is_a_model": ("run FOLDER/broken.onnx", "is a graph; compile it before: posenc comp"),
    "several_functions": ("verify FOLDER/two.mlir", "choose one with name= (--name)"),
    "no_function": ("run FOLDER/graph.so --function f", "no function 'f'; it has scale"),
    "no_array": ("run FOLDER/graph.so --input FOLDER/none.npy", "no such file"),
    "array_is_none": ("run FOLDER/graph.so --input FOLDER/broken.mlir", "cannot read"),
    "array_is_empty": ("run FOLDER/graph.so --input FOLDER/empty.npy", "empty.npy is empty"),
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
    (folder / "graph.h").unlink()  # A library needs none.
    library = (folder / "graph.so").read_bytes()
    (folder / "cut.so").write_bytes(library[: len(library) * 3 // 4])
    (folder / "two.mlir").write_text(TEXT + TEXT[TEXT.index("func") :].replace("@scale", "@twice"))
    for name in ("empty.so", "empty.npy", "empty.mlir", "empty.onnx"):
        (folder / name).touch()
    for name in ("fake.so", "broken.onnx", "binary.mlir", "model"):
        (folder / name).write_bytes(b"\xff\xfe")
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


@pytest.mark.parametrize(
    "flags, says",
    [
        (["--target=cuda"], "--target=cuda: code for NVIDIA GPUs is not there yet"),
        (["--arch=sm_90a"], "--arch=sm_90a: code for NVIDIA GPUs is not there yet"),
        (["-o", "graph.ptx"], "--emit=ptx: code for NVIDIA GPUs is not there yet"),
        (["--cpu=x86-64-v3,pentium"], "unknown CPU 'pentium': use one of native, x86-64-v3"),
        (["-o", "graph.dll"], "the suffix '.dll' of graph.dll does not say what to write"),
        (["--to=fuse", "-o", "graph.so"], "--to=fuse writes MLIR text, but -o graph.so ends in"),
        (["--to=fuse", "--emit=so"], "--to=fuse writes MLIR text, --emit=so another kind"),
        (["--threads=2"], "how many is POSENC_NUM_THREADS=2 where the library runs"),
        (["--name="], "--function= names no function"),
        (["-o", "graph"], "'graph' does not say what to write"),
    ],
)
def test_what_is_not_there_yet_says_so(graph, tmp_path, monkeypatch, capsys, flags, says) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compile", str(graph), *flags]) == 1
    error = capsys.readouterr().err
    assert error.startswith("posenc: error: ") and says in error and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["graph.mlir"]
