# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is raised to an encoding is one, at every length, key and position."""

from __future__ import annotations

import numpy as np
import pytest
from tools import posenc_opt

# Of %i and %j: what defines %c.
CAUSAL = {
    "negated": """%no = arith.cmpi sgt, %j, %i : index
      %true = arith.constant true
      %c = arith.xori %no, %true : i1""",
    "difference": """%zero = arith.constant 0 : index
      %d = arith.subi %i, %j : index
      %c = arith.cmpi sge, %d, %zero : index""",
    "clamped difference": """%zero = arith.constant 0 : index
      %d = arith.subi %i, %j : index
      %e = arith.maxsi %d, %zero : index
      %c = arith.cmpi eq, %d, %e : index""",
    "blocks and rests": """%n = arith.constant 16 : index
      %bi = arith.divsi %i, %n : index
      %bj = arith.divsi %j, %n : index
      %ri = arith.remsi %i, %n : index
      %rj = arith.remsi %j, %n : index
      %past = arith.cmpi sgt, %bi, %bj : index
      %own = arith.cmpi eq, %bi, %bj : index
      %before = arith.cmpi sle, %rj, %ri : index
      %c = arith.select %past, %past, %both : i1""".replace(
        "%c =", "%both = arith.andi %own, %before : i1\n %c ="
    ),
    "sign of a condition": """%zero = arith.constant 0 : i32
      %le = arith.cmpi sle, %j, %i : index
      %n = arith.extsi %le : i1 to i32
      %c = arith.cmpi slt, %n, %zero : i32""",
    "what hides no key": """%le = arith.cmpi sle, %j, %i : index
      %minus = arith.constant -1 : index
      %natural = arith.cmpi sgt, %j, %minus : index
      %c = arith.andi %le, %natural : i1""",
    "unsigned": "%c = arith.cmpi ule, %j, %i : index",
}
NOT_CAUSAL = {
    "product of constants": """%n = arith.constant 16 : index
      %le = arith.cmpi sle, %j, %i : index
      %bi = arith.divsi %i, %n : index
      %bj = arith.divsi %j, %n : index
      %d = arith.subi %bi, %bj : index
      %near = arith.cmpi slt, %d, %n : index
      %c = arith.andi %le, %near : i1""",
    "one key": """%n = arith.constant 5000 : index
      %le = arith.cmpi sle, %j, %i : index
      %one = arith.cmpi eq, %j, %n : index
      %c = arith.ori %le, %one : i1""",
    "one element": """%n = arith.constant 70000 : index
      %m = arith.constant 90001 : index
      %le = arith.cmpi sle, %j, %i : index
      %row = arith.cmpi eq, %i, %n : index
      %key = arith.cmpi eq, %j, %m : index
      %one = arith.andi %row, %key : i1
      %c = arith.ori %le, %one : i1""",
    "one element on two slants": """%n = arith.constant 90000 : index
      %m = arith.constant 2000 : index
      %le = arith.cmpi sle, %j, %i : index
      %sum = arith.addi %i, %j : index
      %difference = arith.subi %j, %i : index
      %on = arith.cmpi eq, %sum, %n : index
      %off = arith.cmpi eq, %difference, %m : index
      %one = arith.andi %on, %off : i1
      %c = arith.ori %le, %one : i1""",
    "threshold behind a minimum": """%n = arith.constant 3000 : index
      %m = arith.constant 2999 : index
      %le = arith.cmpi sle, %j, %i : index
      %d = arith.subi %i, %j : index
      %e = arith.minsi %d, %n : index
      %near = arith.cmpi sle, %e, %m : index
      %c = arith.andi %le, %near : i1""",
    "threshold behind quotients": """%n = arith.constant 64 : index
      %le = arith.cmpi sle, %j, %i : index
      %d = arith.subi %i, %j : index
      %e = arith.divsi %d, %n : index
      %f = arith.divsi %e, %n : index
      %near = arith.cmpi slt, %f, %n : index
      %c = arith.andi %le, %near : i1""",
    "threshold behind a rest": """%n = arith.constant 1000 : index
      %m = arith.constant 999 : index
      %le = arith.cmpi sle, %j, %i : index
      %r = arith.remsi %j, %n : index
      %s = arith.muli %r, %n : index
      %last = arith.constant 999000 : index
      %seen = arith.cmpi ne, %s, %last : index
      %c = arith.andi %le, %seen : i1""",
    "threshold between reals": """%w = arith.constant 1024.0 : f32
      %le = arith.cmpi sle, %j, %i : index
      %d = arith.subi %i, %j : index
      %di = arith.index_cast %d : index to i32
      %df = arith.sitofp %di : i32 to f32
      %near = arith.cmpf olt, %df, %w : f32
      %c = arith.andi %le, %near : i1""",
    "few bits": """%a = arith.index_cast %i : index to i16
      %b = arith.index_cast %j : index to i16
      %c = arith.cmpi sle, %b, %a : i16""",
    "a product that wraps": """%n = arith.constant 100000 : i32
      %a = arith.index_cast %i : index to i32
      %b = arith.index_cast %j : index to i32
      %x = arith.muli %a, %n : i32
      %y = arith.muli %b, %n : i32
      %c = arith.cmpi sle, %y, %x : i32""",
    "a given window": """%le = arith.cmpi sle, %j, %i : index
      %d = arith.subi %i, %j : index
      %near = arith.cmpi slt, %d, %window : index
      %c = arith.andi %le, %near : i1""",
    "the least quotient": """%min = arith.constant -9223372036854775808 : i64
      %minus = arith.constant -1 : i64
      %jj = arith.index_cast %j : index to i64
      %none = arith.subi %jj, %jj : i64
      %x = arith.addi %min, %none : i64
      %y = arith.addi %minus, %none : i64
      %t = arith.divsi %x, %y : i64
      %c = arith.cmpi sle, %t, %jj : i64""",
    "an axis that is not there": """%n = arith.constant 7 : index
      %d = tensor.dim %q, %n : tensor<1x2x?x16xf32>
      %c = arith.cmpi sle, %j, %d : index""",
}


def raised(body: str) -> str:
    """What raise-encodings prints of attention under the mask."""
    return posenc_opt(
        f"""func.func @f(%q: tensor<1x2x?x16xf32>, %window: index, %scale: f32)
      -> tensor<1x2x?x16xf32> {{
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %l = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %empty = tensor.empty(%l, %l) : tensor<1x1x?x?xi1>
  %mask = linalg.generic {{indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      outs(%empty : tensor<1x1x?x?xi1>) {{
  ^bb0(%o: i1):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    {body}
    linalg.yield %c : i1
  }} -> tensor<1x1x?x?xi1>
  %out = tensor.empty(%l) : tensor<1x2x?x16xf32>
  %r = posenc.attention query(%q : tensor<1x2x?x16xf32>) key(%q : tensor<1x2x?x16xf32>)
      value(%q : tensor<1x2x?x16xf32>) scale(%scale) outs(%out : tensor<1x2x?x16xf32>)
      mask(%batch, %h, %i, %j) {{
        %p = tensor.extract %mask[%c0, %c0, %i, %j] : tensor<1x1x?x?xi1>
        posenc.yield %p : i1
      }} -> tensor<1x2x?x16xf32>
  return %r : tensor<1x2x?x16xf32>
}}""",
        "--posenc-raise-encodings",
    )


@pytest.mark.parametrize("name", CAUSAL)
def test_a_causal_mask_is_raised_however_it_is_written(name: str) -> None:
    assert "posenc.causal" in raised(CAUSAL[name])


@pytest.mark.parametrize("name", NOT_CAUSAL)
def test_a_mask_that_differs_anywhere_is_not_raised(name: str) -> None:
    assert "posenc.causal" not in raised(NOT_CAUSAL[name])


# Of the row's index %n : i32, or the position it reads: what defines %p : f32.
ROTARY = {
    "plain": "%p = arith.sitofp %n : i32 to f32",
    "wide": """%w = arith.extsi %n : i32 to i64
      %p = arith.sitofp %w : i64 to f32""",
    "sum of reals": """%x = arith.sitofp %n : i32 to f32
      %zero = arith.constant 0.0 : f32
      %p = arith.addf %x, %zero : f32""",
}
NOT_ROTARY = {
    "clamped from above": """%x = arith.sitofp %n : i32 to f32
      %most = arith.constant 100.0 : f32
      %p = arith.minimumf %x, %most : f32""",
    "shifted beyond a comparison": """%x = arith.sitofp %n : i32 to f32
      %most = arith.constant 100.0 : f32
      %zero = arith.constant 0.0 : f32
      %far = arith.cmpf ogt, %x, %most : f32
      %shift = arith.select %far, %most, %zero : f32
      %p = arith.addf %x, %shift : f32""",
    "shifted by a rounded quotient": """%x = arith.sitofp %n : i32 to f32
      %block = arith.constant 100.0 : f32
      %d = arith.divf %x, %block : f32
      %f = math.floor %d : f32
      %p = arith.addf %x, %f : f32""",
    "shifted by a truncated quotient": """%x = arith.sitofp %n : i32 to f32
      %block = arith.constant 100.0 : f32
      %d = arith.divf %x, %block : f32
      %t = arith.fptosi %d : f32 to i32
      %f = arith.sitofp %t : i32 to f32
      %p = arith.addf %x, %f : f32""",
    "shifted by a quotient": """%block = arith.constant 100 : i32
      %d = arith.divsi %n, %block : i32
      %m = arith.addi %n, %d : i32
      %p = arith.sitofp %m : i32 to f32""",
    "eight bits": """%b = arith.trunci %n : i32 to i8
      %p = arith.sitofp %b : i8 to f32""",
    "masked bits": """%bits = arith.constant 127 : i32
      %b = arith.andi %n, %bits : i32
      %p = arith.sitofp %b : i32 to f32""",
    "shifted bits": """%seven = arith.constant 7 : i32
      %b = arith.shrsi %n, %seven : i32
      %m = arith.addi %n, %b : i32
      %p = arith.sitofp %m : i32 to f32""",
    "unsigned minimum": """%most = arith.constant 100 : i32
      %m = arith.minui %n, %most : i32
      %p = arith.sitofp %m : i32 to f32""",
    "slightly quadratic": """%x = arith.sitofp %n : i32 to f32
      %small = arith.constant 1.0e-9 : f32
      %u = arith.mulf %x, %small : f32
      %v = arith.mulf %x, %u : f32
      %p = arith.addf %x, %v : f32""",
}
# What defines %n.
ROWS = {
    "rows": "%n = arith.index_cast %i : index to i32",
    "positions": "%n = tensor.extract %positions[%i] : tensor<?xi32>",
}
# A row of a cache, as %row : index.
CACHE_ROWS = {
    "sliced": "%row = arith.addi %i, %i0 : index",
    "from an offset": "%row = arith.addi %i, %past : index",
    "gathered": """%n = tensor.extract %positions[%i] : tensor<?xi32>
      %row = arith.index_cast %n : i32 to index""",
}
FREQUENCIES = 10000.0 ** (-np.arange(8) / 8)


def dense(values: np.ndarray) -> str:
    """`values` as an MLIR constant of f32."""
    shape = "x".join(map(str, values.shape))
    return f'dense<"0x{values.astype("<f4").tobytes().hex()}"> : tensor<{shape}xf32>'


def rotated(constants: str, body: str) -> str:
    """What raise-encodings prints of a query turned by the %c and %s of `body`."""
    return posenc_opt(
        f"""func.func @f(%q: tensor<1x2x?x16xf32>, %positions: tensor<?xi32>, %past: index)
      -> tensor<1x2x?x16xf32> {{
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.25 : f32
  {constants}
  %l = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %empty = tensor.empty(%l) : tensor<1x?x8xf32>
  %t:2 = linalg.generic {{indexing_maps = [affine_map<(b, i, p) -> (b, i, p)>,
                                          affine_map<(b, i, p) -> (b, i, p)>],
      iterator_types = ["parallel", "parallel", "parallel"]}}
      outs(%empty, %empty : tensor<1x?x8xf32>, tensor<1x?x8xf32>) {{
  ^bb0(%x0: f32, %x1: f32):
    %i0 = arith.constant 0 : index
    %i = linalg.index 1 : index
    %pair = linalg.index 2 : index
    {body}
    linalg.yield %c, %s : f32, f32
  }} -> (tensor<1x?x8xf32>, tensor<1x?x8xf32>)
  %rq = posenc.rotary %q cos(%t#0 : tensor<1x?x8xf32>) sin(%t#1 : tensor<1x?x8xf32>)
      lanes(<half, first = 0, count = 16>) : tensor<1x2x?x16xf32>
  %out = tensor.empty(%l) : tensor<1x2x?x16xf32>
  %r = posenc.attention query(%rq : tensor<1x2x?x16xf32>) key(%q : tensor<1x2x?x16xf32>)
      value(%q : tensor<1x2x?x16xf32>) scale(%scale) outs(%out : tensor<1x2x?x16xf32>)
      -> tensor<1x2x?x16xf32>
  return %r : tensor<1x2x?x16xf32>
}}""",
        "--posenc-raise-encodings",
    )


def of_angle(rows: str, position: str) -> str:
    """A query turned by the angle of a position that is computed from rows."""
    return rotated(
        f"%table = arith.constant {dense(FREQUENCIES)}",
        f"""{ROWS[rows]}
      {position}
      %frequency = tensor.extract %table[%pair] : tensor<8xf32>
      %angle = arith.mulf %p, %frequency : f32
      %c = math.cos %angle : f32
      %s = math.sin %angle : f32""",
    )


def of_cache(rows: str, slower_from: int) -> str:
    """A query turned by a cache of 1024 rows, an eighth as fast from one on."""
    angles = np.arange(1024)[:, None] * FREQUENCIES
    angles[slower_from:] /= 8
    return rotated(
        f"""%cos = arith.constant {dense(np.cos(angles))}
  %sin = arith.constant {dense(np.sin(angles))}""",
        f"""{CACHE_ROWS[rows]}
      %c = tensor.extract %cos[%row, %pair] : tensor<1024x8xf32>
      %s = tensor.extract %sin[%row, %pair] : tensor<1024x8xf32>""",
    )


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", ROTARY)
def test_angles_of_positions_are_raised(name: str, rows: str) -> None:
    assert "frequencies(" in of_angle(rows, ROTARY[name])


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", NOT_ROTARY)
def test_angles_of_other_numbers_are_not_raised(name: str, rows: str) -> None:
    assert "frequencies(" not in of_angle(rows, NOT_ROTARY[name])


def test_angles_of_positions_clamped_at_zero_are_not_raised() -> None:
    position = """%x = arith.sitofp %n : i32 to f32
      %zero = arith.constant 0.0 : f32
      %p = arith.maximumf %x, %zero : f32"""
    assert "frequencies(" not in of_angle("positions", position)


@pytest.mark.parametrize("rows", CACHE_ROWS)
def test_a_cache_of_angles_is_raised(rows: str) -> None:
    assert "frequencies(" in of_cache(rows, 1024)


@pytest.mark.parametrize("slower_from", [256, 1023])
@pytest.mark.parametrize("rows", CACHE_ROWS)
def test_a_cache_that_differs_in_any_row_is_not_raised(rows: str, slower_from: int) -> None:
    assert "frequencies(" not in of_cache(rows, slower_from)


# Of an element %e before it is turned: what defines %x.
ELEMENTS = {"as it is": "%x = arith.addf %e, %zero : f32"}
CHANGED_ELEMENTS = {
    "clamped": """%most = arith.constant 100.0 : f32
      %x = arith.minimumf %e, %most : f32""",
    "clamped to what f16 holds": """%most = arith.constant 65504.0 : f32
      %x = arith.minimumf %e, %most : f32""",
    "flushed": """%least = arith.constant 1.0e-4 : f32
      %size = math.absf %e : f32
      %small = arith.cmpf olt, %size, %least : f32
      %x = arith.select %small, %zero, %e : f32""",
    "shifted": """%little = arith.constant 1.0e-3 : f32
      %x = arith.addf %e, %little : f32""",
    "saturated": """%slope = arith.constant 1.0e-3 : f32
      %y = arith.mulf %e, %slope : f32
      %z = math.tanh %y : f32
      %steep = arith.constant 1.0e3 : f32
      %x = arith.mulf %z, %steep : f32""",
}


def turned(element: str) -> str:
    """What raise-encodings prints of a query turned in primitives, its elements changed first."""
    return posenc_opt(
        f"""func.func @f(%q: tensor<1x2x?x16xf32>, %k: tensor<1x2x?x16xf32>) -> tensor<1x2x?x16xf32> {{
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.25 : f32
  %table = arith.constant {dense(FREQUENCIES)}
  %l = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %empty = tensor.empty(%l) : tensor<1x2x?x16xf32>
  %rq = linalg.generic {{indexing_maps = [affine_map<(b, h, i, d) -> (b, h, i, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      outs(%empty : tensor<1x2x?x16xf32>) {{
  ^bb0(%o: f32):
    %zero = arith.constant 0.0 : f32
    %eight = arith.constant 8 : index
    %b = linalg.index 0 : index
    %h = linalg.index 1 : index
    %i = linalg.index 2 : index
    %d = linalg.index 3 : index
    %pair = arith.remui %d, %eight : index
    %first = arith.cmpi ult, %d, %eight : index
    %next = arith.addi %pair, %eight : index
    %other = arith.select %first, %next, %pair : index
    %n = arith.index_cast %i : index to i32
    %m = arith.sitofp %n : i32 to f32
    %frequency = tensor.extract %table[%pair] : tensor<8xf32>
    %angle = arith.mulf %m, %frequency : f32
    %c = math.cos %angle : f32
    %s = math.sin %angle : f32
    %minus = arith.negf %s : f32
    %signed = arith.select %first, %minus, %s : f32
    %e = tensor.extract %q[%b, %h, %i, %d] : tensor<1x2x?x16xf32>
    {element}
    %u = tensor.extract %q[%b, %h, %i, %other] : tensor<1x2x?x16xf32>
    %xc = arith.mulf %x, %c : f32
    %us = arith.mulf %u, %signed : f32
    %t = arith.addf %xc, %us : f32
    linalg.yield %t : f32
  }} -> tensor<1x2x?x16xf32>
  %r = posenc.attention query(%rq : tensor<1x2x?x16xf32>) key(%k : tensor<1x2x?x16xf32>)
      value(%k : tensor<1x2x?x16xf32>) scale(%scale) outs(%empty : tensor<1x2x?x16xf32>)
      -> tensor<1x2x?x16xf32>
  return %r : tensor<1x2x?x16xf32>
}}""",
        "--posenc-raise-encodings",
    )


@pytest.mark.parametrize("name", ELEMENTS)
def test_a_rotation_in_primitives_is_raised(name: str) -> None:
    assert "posenc.rotary" in turned(ELEMENTS[name])


@pytest.mark.parametrize("name", CHANGED_ELEMENTS)
def test_a_rotation_of_other_elements_is_not_raised(name: str) -> None:
    assert "posenc.rotary" not in turned(CHANGED_ELEMENTS[name])
