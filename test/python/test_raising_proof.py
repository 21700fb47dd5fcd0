# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A mask is raised to posenc.causal if and only if it is one, at every length and key."""

from __future__ import annotations

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
