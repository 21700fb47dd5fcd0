# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products with what follows them, compiled, against NumPy's float64.

The error of an element is measured against sum_k |a_mk b_kn|, which bounds all of its partial sums. A
sum of K terms is one of K / 128 panels, each from zero: at most 128 + K / 128 roundings meet a term, each
of u = 2**-24 of a partial sum, 131 u = 7.8e-6 at K = 300. They are random, so that about sqrt(131) u =
6.8e-7 is what they come to; `SUM` allows half as much again. A 16-bit result is rounded once more, with
the unit of its type.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import pathlib
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import posenc

NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
#: One rounding to the storage type, relative.
ROUNDING = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
#: Of sums of up to 300 terms.
SUM = 1e-6


def gelu(x: np.ndarray) -> np.ndarray:
    return x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x * 0.5**0.5))


def silu(x: np.ndarray) -> np.ndarray:
    return x / (1 + np.exp(-x))


#: What follows a product: the lines that make %y of %s (and %u), and the same in float64.
EPILOGUES = {
    "none": ("", lambda s, u: s),
    "scale": ("%c = arith.constant 0.125 : f32\n %y = arith.mulf %s, %c : f32", lambda s, u: 0.125 * s),
    "add": ("%y = arith.addf %s, %u : f32", lambda s, u: s + u),
    "gelu": ("""%t = arith.addf %s, %u : f32
      %root = arith.constant 0.70710678118 : f32
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %scaled = arith.mulf %t, %root : f32
      %erf = math.erf %scaled : f32
      %gate = arith.addf %erf, %one : f32
      %part = arith.mulf %t, %half : f32
      %y = arith.mulf %part, %gate : f32""", lambda s, u: gelu(s + u)),
    "silu": ("""%one = arith.constant 1.0 : f32
      %minus = arith.negf %s : f32
      %power = math.exp %minus : f32
      %below = arith.addf %power, %one : f32
      %t = arith.divf %s, %below : f32
      %y = arith.addf %t, %u : f32""", lambda s, u: silu(s) + u),
}


@dataclasses.dataclass(frozen=True)
class Product:
    """`epilogue(a @ b, u)`: a is [batch.., M, K] of any M, `b` [K, N], [N, K] or [batch, K, N].

    `u`, f32, is [N] or, as a residual, of the result's shape. Sums are in f32.
    """

    columns: int
    depth: int
    element: str = "f32"
    result: str = "f32"
    transposed: bool = False
    batched: bool = False
    broadcast: bool = False
    epilogue: str = "none"
    residual: bool = False

    def mlir(self) -> str:
        lead, loops = ("?x", "b, ") if self.batched else ("", "")
        a = f"tensor<{lead}?x{self.depth}x{self.element}>"
        shape = (self.columns, self.depth) if self.transposed else (self.depth, self.columns)
        b_lead, b_loop = ("", "") if self.broadcast else (lead, loops)
        b = f"tensor<{b_lead}{shape[0]}x{shape[1]}x{self.element}>"
        sums = f"tensor<{lead}?x{self.columns}xf32>"
        out = f"tensor<{lead}?x{self.columns}x{self.result}>"
        u = sums if self.residual else f"tensor<{self.columns}xf32>"
        sizes = "%size0, %size1" if self.batched else "%size0"
        dims = "\n".join(f"%i{d} = arith.constant {d} : index\n%size{d} = tensor.dim %a, %i{d} : {a}"
                         for d in range(1 + self.batched))
        widen, wide = "", ""
        if self.element != "f32":
            wide = "32"
            widen = "".join(f"%{x}32 = arith.extf %{x} : {self.element} to f32\n" for x in ("x", "w"))
        every = f"{loops}m, n"
        lines, _ = EPILOGUES[self.epilogue]
        value = "%y" if lines else "%s"
        if self.result != "f32":
            lines += f"\n%r = arith.truncf {value} : f32 to {self.result}"
            value = "%r"
        tail = f"return %sums : {sums}" if not lines else f"""
    %init = tensor.empty({sizes}) : {out}
    %output = linalg.generic {{indexing_maps = [affine_map<({every}) -> ({every})>,
        affine_map<({every}) -> ({every if self.residual else "n"})>, affine_map<({every}) -> ({every})>],
        iterator_types = [{", ".join(['"parallel"'] * (2 + self.batched))}]}}
        ins(%sums, %u : {sums}, {u}) outs(%init : {out}) {{
    ^bb0(%s: f32, %u0: f32, %old: {self.result}):
      {re.sub(r"%u", "%u0", lines)}
      linalg.yield {value} : {self.result}
    }} -> {out}
    return %output : {out}"""
        return f"""
func.func @product(%a: {a}, %b: {b}, %u: {u}) -> {out if lines else sums} {{
    {dims}
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty({sizes}) : {sums}
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : {sums}) -> {sums}
    %sums = linalg.generic {{indexing_maps = [affine_map<({every}, k) -> ({loops}m, k)>,
        affine_map<({every}, k) -> ({b_loop}{"n, k" if self.transposed else "k, n"})>,
        affine_map<({every}, k) -> ({every})>],
        iterator_types = [{", ".join(['"parallel"'] * (2 + self.batched))}, "reduction"]}}
        ins(%a, %b : {a}, {b}) outs(%zeros : {sums}) {{
    ^bb0(%x: {self.element}, %w: {self.element}, %sum: f32):
      {widen}
      %p = arith.mulf %x{wide}, %w{wide} : f32
      %next = arith.addf %sum, %p : f32
      linalg.yield %next : f32
    }} -> {sums}
    {tail}
}}
"""

    def draw(self, rows: int, batch: int = 3) -> list[np.ndarray]:
        rng = np.random.default_rng(rows * 1000 + self.columns)
        lead = (batch,) if self.batched else ()
        shape = (self.columns, self.depth) if self.transposed else (self.depth, self.columns)
        b_lead = () if self.broadcast else lead
        u = lead + (rows, self.columns) if self.residual else (self.columns,)
        return [rng.standard_normal(lead + (rows, self.depth)).astype(NUMPY[self.element]),
                rng.standard_normal(b_lead + shape).astype(NUMPY[self.element]),
                rng.standard_normal(u).astype(np.float32)]

    def check(self, rows: int, batch: int = 3) -> None:
        a, b, u = self.draw(rows, batch)
        actual = compiled(self)(a, b, u)
        a, b, u = (x.astype(np.float64) for x in (a, b, u))
        b = b.swapaxes(-1, -2) if self.transposed else b
        expected = EPILOGUES[self.epilogue][1](a @ b, u)
        # No epilogue grows an error by more than 1.2; what it adds is as exact as the sum.
        scale = np.abs(a) @ np.abs(b) + np.abs(u) + 1
        allowed = 1.2 * SUM * scale + ROUNDING[self.result] * np.abs(expected) * 1.01
        assert actual.shape == expected.shape and actual.dtype == NUMPY[self.result]
        assert (np.abs(actual.astype(np.float64) - expected) <= allowed).all()


@functools.cache
def compiled(product: Product, cpu: str = "native") -> posenc.CompiledFunction:
    return posenc.compile(product.mlir(), cpu=cpu)


ROWS = [0, 1, 2, 3, 4, 5, 6, 7, 13, 95, 96, 97, 193]


@pytest.mark.parametrize("transposed", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("columns, depth", [(1, 1), (15, 3), (64, 16), (65, 17), (127, 127), (128, 128), (129, 129),
                                            (1024, 64), (1025, 40), (2100, 300)])
def test_sizes(columns: int, depth: int, transposed: bool) -> None:
    for rows in ROWS:
        Product(columns, depth, transposed=transposed).check(rows)


@pytest.mark.parametrize("transposed", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("columns, depth, result", [(1, 7, None), (130, 129, None), (130, 129, "f32"),
                                                    (1100, 272, None)])
def test_16_bit(columns: int, depth: int, result: str | None, element: str, transposed: bool) -> None:
    for rows in ROWS:
        Product(columns, depth, element, result or element, transposed, epilogue="scale").check(rows)


@pytest.mark.parametrize("epilogue", [name for name in EPILOGUES if name != "none"])
@pytest.mark.parametrize("residual", [False, True], ids=["bias", "residual"])
def test_epilogues(epilogue: str, residual: bool) -> None:
    for rows in (0, 1, 6, 7, 97):
        Product(1030, 33, epilogue=epilogue, residual=residual).check(rows)
        Product(130, 33, "bf16", "bf16", transposed=True, epilogue=epilogue, residual=residual).check(rows)


@pytest.mark.parametrize("epilogue", ["none", "gelu"])
@pytest.mark.parametrize("broadcast", [False, True])
def test_batches(broadcast: bool, epilogue: str) -> None:
    for batch, rows in ((0, 5), (1, 1), (3, 1), (2, 7), (3, 100)):
        Product(70, 35, batched=True, broadcast=broadcast, epilogue=epilogue).check(rows, batch)


def test_no_terms() -> None:
    """A sum of nothing is zero, also where the output held something."""
    for product in (Product(70, 0), Product(70, 0, epilogue="add"), Product(70, 0, "bf16", transposed=True)):
        for rows in (1, 7, 97):
            product.check(rows)


def test_no_columns() -> None:
    Product(0, 16).check(5)
    Product(0, 16, epilogue="gelu").check(5)


@pytest.mark.parametrize("product", [
    Product(1100, 300), Product(130, 300, transposed=True), Product(130, 300, epilogue="gelu"),
    Product(1100, 300, "bf16", "bf16", epilogue="silu"), Product(130, 300, "f16", transposed=True),
], ids=["rows", "columns", "gelu", "bf16", "f16"])
def test_bits_do_not_depend_on_the_other_rows(product: Product) -> None:
    a, b, u = product.draw(197)
    whole = compiled(product)(a, b, u)
    for begin, end in ((0, 1), (5, 7), (20, 24), (90, 96), (96, 103), (0, 97)):
        assert compiled(product)(a[begin:end], b, u).tobytes() == whole[begin:end].tobytes()


CALL_SAVED = """
import hashlib, sys
import numpy as np, posenc
arrays = np.load(sys.argv[2])
result = posenc.load(sys.argv[1])(*(arrays[name] for name in arrays.files))
print(hashlib.sha256(np.ascontiguousarray(result).tobytes()).hexdigest())
"""


def test_bits_do_not_depend_on_threads(tmp_path: pathlib.Path) -> None:
    product = Product(1100, 300, epilogue="gelu")
    compiled(product).save(tmp_path / "product.so")
    for rows in (1, 197):
        a, b, u = product.draw(rows)
        np.savez(tmp_path / "inputs.npz", a=a, b=b, u=u)
        digests = {
            subprocess.run([sys.executable, "-c", CALL_SAVED, tmp_path / "product.so", tmp_path / "inputs.npz"],
                           env=os.environ | {"POSENC_NUM_THREADS": str(threads)}, capture_output=True, text=True,
                           check=True).stdout
            for threads in (1, 2, 7)
        }
        assert len(digests) == 1


@pytest.mark.parametrize("cpu", ["x86-64-v3"])
def test_narrower_vectors(cpu: str) -> None:
    """Tiles of other extents sum in the same order: fused multiply-adds, 128 steps from zero."""
    for product in (Product(130, 300, epilogue="add"), Product(1100, 300, transposed=True)):
        for rows in (1, 7, 97):
            a, b, u = product.draw(rows)
            assert compiled(product, cpu)(a, b, u).tobytes() == compiled(product)(a, b, u).tobytes()


def test_rows_apart_in_memory() -> None:
    product = Product(130, 64, epilogue="add")
    for rows in (1, 7, 97):
        a, b, u = product.draw(rows)
        apart = np.repeat(a, 2, axis=0)[::2], np.repeat(b, 3, axis=0)[::3], u
        assert compiled(product)(*apart).tobytes() == compiled(product)(a, b, u).tobytes()
