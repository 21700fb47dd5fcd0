# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/adding-an-encoding.md says what the addition of KERPLE took, and no more was needed."""

from __future__ import annotations

import pathlib
import re

import pytest
from tools import posenc_opt

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/adding-an-encoding.md").read_text()
QUOTES = re.findall(r"^```[\w+]+ file=(\S+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def mentions(folder: str) -> dict[str, list[str]]:
    """The lines below a folder that name KERPLE, by file; its own files excepted."""
    found = {}
    for path in (ROOT / folder).rglob("*"):
        if not path.is_file() or path.suffix == ".pyc" or path.stem.lower() == "kerple":
            continue
        lines = [line for line in path.read_text().splitlines() if "kerple" in line.lower()]
        if lines:
            found[str(path.relative_to(ROOT))] = lines
    return found


@pytest.mark.parametrize("file, quote", QUOTES, ids=[file.rsplit("/", 1)[1] for file, _ in QUOTES])
def test_what_is_quoted_is_there(file: str, quote: str) -> None:
    assert quote in (ROOT / file).read_text()


def test_files_that_are_named_exist() -> None:
    named = set(re.findall(r"`((?:include|lib|python|test)/[\w/.-]+)`", TEXT))
    assert named and not [name for name in named if not (ROOT / name).exists()]


def test_the_compiler_needed_two_files_and_two_lines() -> None:
    edits = {**mentions("include"), **mentions("lib"), **mentions("tools")}
    quoted = {file: quote.splitlines() for file, quote in QUOTES if file in edits}
    assert edits == quoted and all(len(lines) == 1 for lines in edits.values())
    for suffix in ("td", "cpp"):
        assert len([*ROOT.glob(f"include/**/Kerple.{suffix}"), *ROOT.glob(f"lib/**/Kerple.{suffix}")]) == 1


def test_every_constraint_has_its_invalid_case() -> None:
    [definition] = ROOT.glob("include/**/Kerple.td")
    constraints = set(re.findall(r"- C(\d+) ", definition.read_text()))
    cases = re.findall(r"@kerple_c(\d+)", (ROOT / "test/Dialect/kerple-invalid.mlir").read_text())
    assert constraints and set(cases) == constraints


def test_plan_stages_the_table_that_the_page_promises() -> None:
    """The op of the definition's example, read by attention."""
    planned = posenc_opt(
        """func.func @f(%q: tensor<1x8x?x16xf32>, %p: tensor<8xf32>, %a: tensor<8xf32>) -> tensor<1x8x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.25 : f32
  %l = tensor.dim %q, %c2 : tensor<1x8x?x16xf32>
  %bias = posenc.kerple %p, %a sizes(%l, %l) kernel(<log>) later_keys(<zero>)
      : tensor<8xf32>, tensor<8xf32> -> tensor<1x8x?x?xf32>
  %out = tensor.empty(%l) : tensor<1x8x?x16xf32>
  %r = posenc.attention query(%q : tensor<1x8x?x16xf32>) key(%q : tensor<1x8x?x16xf32>)
      value(%q : tensor<1x8x?x16xf32>) scale(%scale) outs(%out : tensor<1x8x?x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %e = tensor.extract %bias[%c0, %h, %i, %j] : tensor<1x8x?x?xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      } -> tensor<1x8x?x16xf32>
  return %r : tensor<1x8x?x16xf32>
}""",
        "--posenc-fuse",
        "--posenc-stage-tables",
    )
    assert "posenc.kerple" not in planned
    # Heads and distances, once a call; attention only reads them.
    table = re.search(r"linalg\.generic.*?-> tensor<8x\?xf32>", planned, re.DOTALL)
    assert table and "log1p" in table.group()
    assert "log1p" not in planned[planned.index("posenc.attention") :]
