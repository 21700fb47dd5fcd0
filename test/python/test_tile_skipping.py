# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much of a mask Plan skips, counted by running its `bounds` and `tile`, against the true share."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import re
import subprocess

import numpy as np
import pytest

from formulas import Operand
from posenc.reference import (
    block_sparse,
    causal,
    chunked,
    document,
    global_tokens,
    prefix,
    tree,
    window,
)
from tools import LLVM_BIN, llvm_tool, posenc_opt

LENGTH, TILE, HEADS = 777, 64, 2
X = f"tensor<1x{HEADS}x{LENGTH}x8xf32>"
RNG = np.random.default_rng(0)

LOWERING = [
    "--posenc-inline-elements", "--posenc-decompose", "--posenc-tile-classes", "--test-posenc-tile-classes",
    "--one-shot-bufferize=bufferize-function-boundaries", "--convert-linalg-to-loops", "--lower-affine",
    "--convert-scf-to-cf", "--expand-strided-metadata", "--lower-affine", "--arith-expand",
    "--convert-vector-to-llvm", "--finalize-memref-to-llvm", "--convert-to-llvm",
    "--reconcile-unrealized-casts",
]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Case:
    """A mask in MLIR and in numpy.

    ops: assembly, with `{name}` and `{name.type}` for operands, of the values `masks`, which `join` joins.
    least: how much of the true share must be skipped.
    """

    ops: str
    operands: dict[str, np.ndarray | int]
    truth: np.ndarray
    masks: tuple[str, ...] = ("m",)
    join: str = "ori"
    head: str = "%zero"
    least: float = 1.0


L = f"{LENGTH}x{LENGTH}xi1>"
ONE = f"tensor<1x1x{L}"
SORTED = np.sort(RNG.integers(0, 9, (1, LENGTH))).astype(np.int32)
GLOBAL = np.arange(LENGTH)[None] % 250 == 3
BOUNDS = np.array([0, 100, 100, 350, 700], np.int32)
IMAGES = np.where(np.arange(LENGTH) // 90 % 2, np.arange(LENGTH) // 180, -1)[None].astype(np.int32)
BLOCKS = RNG.random((1, HEADS, 13, 13)) < 0.3
NARROW = RNG.random((1, HEADS, 7, 49)) < 0.1
STARTS = np.array([37])
AT = {"queries": LENGTH, "keys": LENGTH}
CAUSAL = causal.causal(LENGTH, LENGTH, offset=0)
LOCAL = window.window(**AT, left=20, right=20, offset=0)
IDS = document.ids_from_cumulative_lengths(np.append(BOUNDS, LENGTH), LENGTH)[None]
READ_WINDOW = f"%w = posenc.window left({{n}}) right({{n}}) : {ONE}\n"

CASES = {
    "documents": Case(
        f"%m = posenc.document query_ids({{ids}} : {{ids.type}}) key_ids({{ids}} : {{ids.type}}) : {ONE}",
        {"ids": SORTED}, document.document(SORTED, SORTED),
    ),
    "documents_causal": Case(
        f"%m = posenc.document query_ids({{ids}} : {{ids.type}}) key_ids({{ids}} : {{ids.type}}) : {ONE}\n"
        f"%c = posenc.causal : {ONE}",
        {"ids": SORTED}, document.document(SORTED, SORTED) & CAUSAL, ("m", "c"), "andi",
    ),
    "boundaries": Case(
        "%d = posenc.document_ids {c} number(<id>) : {c.type} -> "
        f"tensor<1x{LENGTH}xi32>\n"
        f"%m = posenc.document query_ids(%d : tensor<1x{LENGTH}xi32>) "
        f"key_ids(%d : tensor<1x{LENGTH}xi32>) : {ONE}",
        {"c": BOUNDS}, document.document(IDS, IDS),
    ),
    "prefix": Case(
        f"%m = posenc.prefix lengths({{n}} : {{n.type}}) : {ONE}",
        {"n": np.array([200])}, prefix.prefix(np.array([200]), **AT, offset=0),
    ),
    # Text between images widens the ids of a block that holds both.
    "images": Case(
        f"%m = posenc.prefix query_blocks({{ids}} : {{ids.type}}) key_blocks({{ids}} : {{ids.type}}) : {ONE}",
        {"ids": IMAGES}, prefix.blocks(IMAGES, IMAGES, offset=0), least=0.45,
    ),
    "chunks": Case(
        f"%m = posenc.chunked starts({{s}} : {{s.type}}) {{{{chunk = 150 : i64}}}} : {ONE}",
        {"s": STARTS}, chunked.chunked(**AT, chunk=150, offset=0, starts=STARTS),
    ),
    "chunks_causal": Case(
        f"%m = posenc.chunked {{{{chunk = 128 : i64}}}} : {ONE}\n%c = posenc.causal : {ONE}",
        {}, chunked.chunked(**AT, chunk=128, offset=0) & CAUSAL, ("m", "c"), "andi",
    ),
    "dilated": Case(
        f"%m = posenc.window left({{n}}) right({{n}}) {{{{dilation = 3 : i64}}}} : {ONE}",
        {"n": 30}, window.window(**AT, left=30, right=30, offset=0, dilation=3), least=0.95,
    ),
    "longformer": Case(
        f"%m = posenc.global_tokens query_global({{g}} : {{g.type}}) key_global({{g}} : {{g.type}}) : {ONE}\n"
        + READ_WINDOW,
        {"g": GLOBAL, "n": 20}, global_tokens.global_tokens(GLOBAL, GLOBAL) | LOCAL, ("m", "w"),
    ),
    "first_tokens": Case(
        f"%m = posenc.padding lengths({{k}} : {{k.type}}) : tensor<1x1x1x{LENGTH}xi1>\n" + READ_WINDOW,
        {"k": np.array([4]), "n": 20}, (np.arange(LENGTH) < 4) | LOCAL, ("m", "w"),
    ),
    "blocks": Case(
        "%m = posenc.block_sparse blocks({map} : {map.type}) {{query_block = 64 : i64, key_block = 64 : i64}} "
        f": tensor<1x{HEADS}x{L}",
        {"map": BLOCKS}, block_sparse.block_sparse(BLOCKS, **AT, query_block=64, key_block=64), head="%h",
    ),
    "narrow_blocks": Case(
        "%m = posenc.block_sparse blocks({map} : {map.type}) {{query_block = 128 : i64, key_block = 16 : i64}} "
        f": tensor<1x{HEADS}x{L}",
        {"map": NARROW}, block_sparse.block_sparse(NARROW, **AT, query_block=128, key_block=16), head="%h",
    ),
}  # fmt: skip


def function(name: str, case: Case) -> str:
    constants = {key: Operand(key, value) for key, value in case.operands.items()}
    ops = [f"%{key} = arith.constant {constant.literal}" for key, constant in constants.items()]
    ops += case.ops.format(**constants).splitlines()
    reads = []
    for mask in case.masks:
        line = next(line for line in ops if line.startswith(f"%{mask} = "))
        kind = line[line.rindex("tensor<") :]
        row = "%zero" if kind.startswith("tensor<1x1x1x") else "%i"
        reads.append(f"%at_{mask} = tensor.extract %{mask}[%zero, {case.head}, {row}, %j] : {kind}")
    seen = f"%at_{case.masks[0]}"
    if len(case.masks) > 1:
        reads.append(f"%both = arith.{case.join} {seen}, %at_{case.masks[1]} : i1")
        seen = "%both"
    lines = "\n  ".join(ops), "\n      ".join(reads)
    return f"""
func.func private @{name}() -> {X} attributes {{no_inline}} {{
  %scale = arith.constant 1.0 : f32
  %zero = arith.constant 0 : index
  {lines[0]}
  %q = tensor.empty() : {X}
  %r = posenc.attention query(%q : {X}) key(%q : {X}) value(%q : {X}) scale(%scale) outs(%q : {X})
    mask(%b, %h, %i, %j) {{
      {lines[1]}
      posenc.yield {seen} : i1
    }} -> {X}
  return %r : {X}
}}
"""


@functools.cache
def counts() -> dict[str, dict[str, int]]:
    """What the regions of each case classify, by name and kind; they are checked as they run."""
    text = "".join(function(name, case) for name, case in CASES.items())
    calls = "\n".join(f"  call @{name}() : () -> {X}" for name in CASES)
    lowered = posenc_opt(f"{text}\nfunc.func @main() {{\n{calls}\n  return\n}}\n", *LOWERING)
    runner = llvm_tool("mlir-runner")
    library = pathlib.Path(LLVM_BIN).parent / "lib/libmlir_c_runner_utils.so"
    done = subprocess.run(
        [runner, "-e", "main", "--entry-point-result=void", f"-shared-libs={library}"],
        input=lowered, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and not done.stderr, done.stderr
    found: dict[str, dict[str, int]] = {}
    for line in map(str.strip, done.stdout.splitlines()):
        if heading := re.fullmatch(r"(\w+):", line):
            found[heading[1]] = {}
        elif counter := re.fullmatch(r"(.*) (\d+)", line):
            found[list(found)[-1]][counter[1]] = int(counter[2])
    return found


def true_counts(mask: np.ndarray) -> tuple[int, int]:
    """Elements whose key no row of a block of rows sees, and elements of tiles without one that is seen."""
    mask = np.broadcast_to(mask, (1, HEADS, LENGTH, LENGTH))[0]
    columns = tiles = 0
    for head in mask:
        for i in range(0, LENGTH, TILE):
            rows = head[i : i + TILE]
            columns += (~rows.any(axis=0)).sum() * len(rows)
            for j in range(0, LENGTH, TILE):
                tile = rows[:, j : j + TILE]
                tiles += 0 if tile.any() else tile.size
    return int(columns), tiles


@pytest.mark.parametrize("name", CASES)
def test_hidden_keys_are_skipped(name: str) -> None:
    found, case = counts()[name], CASES[name]
    columns, tiles = true_counts(case.truth)
    assert tiles > 0
    # Bounds skip single keys, `tile` whole tiles.
    best = max(found["outside bounds"] / columns, found["hidden tiles"] / tiles)
    assert case.least <= best <= 1, (found, columns, tiles)
