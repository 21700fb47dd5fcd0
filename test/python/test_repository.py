# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the source tree: layers, sizes, licences, paths."""

import pathlib
import re
import subprocess
from typing import Iterator

import posenc
import pytest
from tools import BUILD

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("benchmarks", "cmake", "docs", "examples", "include", "lib", "python", "test", "tools", "utils")
DIALECT = ("lib/Dialect/PosEnc/IR", "include/posenc/Dialect/PosEnc/IR")
# What a folder of lib or include/posenc may include: itself and what has a lower number.
LAYERS = {
    "Formula": 0,  # with Dialect one library below all phases
    "Dialect": 0,
    "Import": 1,
    "Simplify": 2,
    "Fuse": 3,
    "Plan": 4,
    "Codegen": 5,
    "Object": 6,
    "Runtime": 6,  # hands its bitcode to Object, through Object's headers
    "InitAll.h": 7,
    "Pipeline": 7,
    "CAPI": 8,
}


def files(*suffixes: str, folders: tuple[str, ...] = FOLDERS) -> Iterator[pathlib.Path]:
    """The files of the tree with one of `suffixes`, but for data and what others wrote."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in suffixes and path.is_file() and not name.startswith("test/data/"):
                yield path


def matches(pattern: str, paths: Iterator[pathlib.Path]) -> list[str]:
    """`file:line: text` of each line in which `pattern` occurs."""
    found = re.compile(pattern)
    return [f"{path.relative_to(ROOT)}:{number}: {line.strip()}" for path in paths
            for number, line in enumerate(path.read_text().splitlines(), 1) if found.search(line)]


def encodings() -> list[tuple[str, str]]:
    """(C++ class, mnemonic) of every encoding."""
    definitions = "".join(path.read_text() for path in files(".td", folders=(f"{DIALECT[1]}/Encodings",)))
    return re.findall(r'^def (\w+Op) : PosEnc_(?:Sized)?Op<"(\w+)"', definitions, re.MULTILINE)


def outside_the_dialect() -> Iterator[pathlib.Path]:
    return (path for path in files(".cpp", ".h", ".td", folders=("lib", "include", "tools"))
            if not path.relative_to(ROOT).as_posix().startswith(DIALECT))


def test_no_pass_names_an_encoding() -> None:
    """Passes ask interfaces, so that a new encoding changes no pass."""
    assert len(encodings()) >= 10
    classes = "|".join(name for name, _ in encodings())
    mnemonics = "|".join(mnemonic for _, mnemonic in encodings())
    # LLVM::AddOp is another op.
    assert not matches(rf"(?<![\w:])((mlir::)?posenc::)?({classes})\b", outside_the_dialect())
    assert not matches(rf'"posenc\.({mnemonics})"', outside_the_dialect())


@pytest.mark.parametrize("layer", LAYERS)
def test_no_layer_includes_a_later_one(layer: str) -> None:
    later = "|".join(name for name, rank in LAYERS.items() if rank > LAYERS[layer])
    owned = (path for path in files(".cpp", ".h", ".td", folders=(f"lib/{layer}", f"include/posenc/{layer}")))
    assert not later or not matches(rf'^\s*#?include "posenc/({later})\b', owned)


def test_every_folder_has_a_layer() -> None:
    found = {path.name for folder in ("lib", "include/posenc") for path in (ROOT / folder).iterdir()}
    assert found - {"CMakeLists.txt"} == set(LAYERS)


def test_targets_do_not_include_each_other() -> None:
    targets = {path.name for path in (ROOT / "lib/Codegen").iterdir() if path.is_dir()}
    for target in targets:
        others = "|".join(targets - {target, "Common"})
        owned = files(".cpp", ".h", ".td", folders=(f"lib/Codegen/{target}", f"include/posenc/Codegen/{target}"))
        assert not others or not matches(rf'include "posenc/Codegen/({others})/', owned)


def test_files_are_short() -> None:
    long = {str(path.relative_to(ROOT)): lines for path in files(".cpp", ".c", ".h", ".td", ".py")
            if (lines := len(path.read_text().splitlines())) > 500}
    assert not long, "split them by what they hold"


def test_files_name_their_licence() -> None:
    assert not [str(path.relative_to(ROOT)) for path in files(".cpp", ".c", ".h", ".td", ".py", ".sh")
                if "SPDX-License-Identifier: " not in "".join(path.read_text().splitlines(keepends=True)[:8])]


def test_no_path_of_a_machine() -> None:
    texts = files(".cpp", ".c", ".h", ".td", ".py", ".sh", ".md", ".mlir", ".test", ".txt", ".cmake", ".in", ".json",
                  ".toml")
    assert not matches(r"(?<![\w.}>-])/(home|root|work|Users|tmp)/", texts)


def test_the_version_is_one() -> None:
    """One file spells it; what is built and installed has it from there."""
    places = [ROOT / "CMakeLists.txt", ROOT / "pyproject.toml", *files(".py", ".h", ".cpp", folders=FOLDERS)]
    spelt = matches(re.escape(posenc.__version__) + r"\b(?!\.)", (p for p in places if "test" not in p.parts))
    assert [line.split(":")[0] for line in spelt] == ["python/posenc/_version.py"]
    for tool in ("posenc-compile", "posenc-opt"):
        shown = subprocess.run([BUILD / "bin" / tool, "--version"], capture_output=True, text=True, check=True)
        assert shown.stdout.startswith(f"{tool} {posenc.__version__} (LLVM ")
