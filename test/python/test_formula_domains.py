# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every formula op at every width through every domain, against the op as LLVM executes it.

`--test-posenc-domains` counts the elements of a region at which a domain disagrees with it: a
vector lane, a number, an interval. What it remarks of dependence is checked against the values,
which this file computes by the definition of the ops.
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pytest
from tools import BUILD, LLVM_BIN, llvm_tool, posenc_opt

ROWS, KEYS = 16, 24
WIDTHS = {"i1": 1, "i8": 8, "i32": 32, "i64": 64, "index": 64}
LOWERING = (
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--arith-expand",
    "--convert-vector-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
)


def wrap(value: int, width: int) -> int:
    """`value` as a signed integer of `width` bits: of one bit 0 or -1."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def unsigned(value: int, width: int) -> int:
    return value & ((1 << width) - 1)


def quotient(a: int, b: int) -> int:
    """a / b towards zero."""
    return -(-a // b) if (a < 0) != (b < 0) else a // b


# op -> what it is of two signed integers of a width; divisors are never zero.
BINARY: dict[str, Callable[[int, int, int], int]] = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "minsi": lambda a, b, w: min(a, b),
    "maxsi": lambda a, b, w: max(a, b),
    "minui": lambda a, b, w: min(unsigned(a, w), unsigned(b, w)),
    "maxui": lambda a, b, w: max(unsigned(a, w), unsigned(b, w)),
    "divsi": lambda a, b, w: quotient(a, b),
    "remsi": lambda a, b, w: a - b * quotient(a, b),
    "floordivsi": lambda a, b, w: a // b,
    "ceildivsi": lambda a, b, w: -(-a // b),
    "divui": lambda a, b, w: unsigned(a, w) // unsigned(b, w),
    "remui": lambda a, b, w: unsigned(a, w) % unsigned(b, w),
    "ceildivui": lambda a, b, w: -(-unsigned(a, w) // unsigned(b, w)),
}
SIGNED_DIVISIONS = ("divsi", "remsi", "floordivsi", "ceildivsi")
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def compare(predicate: str, a: int, b: int, width: int) -> bool:
    if predicate[0] == "u":
        a, b = unsigned(a, width), unsigned(b, width)
    name = {"eq": "__eq__", "ne": "__ne__"}.get(predicate, f"__{predicate[1:]}__")
    return bool(getattr(a, name)(b))


class Region(NamedTuple):
    """The body of a mask over %i and %j that defines %c, and its value at (i, j)."""

    name: str
    body: str
    value: Callable[[int, int], bool]


def operands(type_: str) -> tuple[str, Callable[[int, int], tuple[int, int]]]:
    """Ops that define %x and %y of a type from %i and %j, and their signed values."""
    if type_ == "i1":
        text = """%x = arith.cmpi slt, %i, %j : index
          %sum = arith.addi %i, %j : index
          %wide = arith.index_cast %sum : index to i32
          %y = arith.trunci %wide : i32 to i1"""
        return text, lambda i, j: (-(i < j), -((i + j) % 2))
    text = """%c3 = arith.constant 37 : index
          %c5 = arith.constant 5 : index
          %i3 = arith.muli %i, %c3 : index
          %xi = arith.subi %i3, %j : index
          %yi = arith.subi %j, %c5 : index
          """
    cast = "arith.addi %{}i, %zero : index" if type_ == "index" else (
        "arith.index_cast %{}i : index to " + type_
    )
    zero = "%zero = arith.constant 0 : index\n" if type_ == "index" else ""
    text += f"{zero} %x = {cast.format('x')}\n %y = {cast.format('y')}"
    width = WIDTHS[type_]
    return text, lambda i, j: (wrap(37 * i - j, width), wrap(j - 5, width))


def binary(op: str, type_: str) -> Region:
    """`op` of %x and %y, compared with %x; a divisor is made odd."""
    setup, values = operands(type_)
    width = WIDTHS[type_]
    divides = "div" in op or "rem" in op
    odd = f"%one = arith.constant {'true' if type_ == 'i1' else f'1 : {type_}'}\n"
    divisor = odd + f"%d = arith.ori %y, %one : {type_}" if divides else ""
    body = f"""{setup}
          {divisor}
          %z = arith.{op} %x, {'%d' if divides else '%y'} : {type_}
          %c = arith.cmpi slt, %z, %x : {type_}"""

    def value(i: int, j: int) -> bool:
        a, b = values(i, j)
        b = wrap(b | 1, width) if divides else b
        return wrap(BINARY[op](a, b, width), width) < a

    return Region(f"{op}-{type_}", body, value)


def comparison(predicate: str, type_: str) -> Region:
    setup, values = operands(type_)
    body = f"{setup}\n %c = arith.cmpi {predicate}, %x, %y : {type_}"
    return Region(
        f"cmpi-{predicate}-{type_}",
        body,
        lambda i, j: compare(predicate, *values(i, j), WIDTHS[type_]),
    )


def cast(op: str, source: str, target: str) -> Region:
    """A cast of %x, compared with a constant below zero and between its values."""
    setup, values = operands(source)
    zero = f"%bound = arith.constant {'false' if target == 'i1' else f'3 : {target}'}"
    body = f"""{setup}
          {zero}
          %z = arith.{op} %x : {source} to {target}
          %c = arith.cmpi slt, %z, %bound : {target}"""

    def value(i: int, j: int) -> bool:
        x, _ = values(i, j)
        if op in ("extui", "index_castui"):
            x = unsigned(x, WIDTHS[source])
        return wrap(x, WIDTHS[target]) < (0 if target == "i1" else 3)

    return Region(f"{op}-{source}-{target}", body, value)


def to_real(op: str, source: str) -> Region:
    setup, values = operands(source)
    body = f"""{setup}
          %bound = arith.constant 3.0 : f32
          %z = arith.{op} %x : {source} to f32
          %c = arith.cmpf olt, %z, %bound : f32"""

    def value(i: int, j: int) -> bool:
        x, _ = values(i, j)
        return (unsigned(x, WIDTHS[source]) if op == "uitofp" else x) < 3

    return Region(f"{op}-{source}", body, value)


def product(factor: int) -> Region:
    """A linear index beyond 2^31 taken apart again, as a reshape of a large table does."""
    body = f"""%n = arith.constant {factor} : index
          %r = arith.muli %i, %n : index
          %l = arith.addi %r, %j : index
          %x = arith.divsi %l, %n : index
          %y = arith.remsi %l, %n : index
          %c = arith.cmpi slt, %x, %y : index"""
    return Region(f"linear-{factor}", body, lambda i, j: i < j)


def distance(type_: str) -> Region:
    """The difference of 37 j and 37 i, each cast to a type: by distance where that holds them."""
    extend = f"%x = arith.extsi %xt : {type_} to i64\n %y = arith.extsi %yt : {type_} to i64"
    cast = "" if type_ == "i64" else extend
    x, y = ("%xt", "%yt") if type_ == "i64" else ("%x", "%y")
    body = f"""%n = arith.constant 37 : index
          %bound = arith.constant 3 : i64
          %xi = arith.muli %j, %n : index
          %yi = arith.muli %i, %n : index
          %xt = arith.index_cast %xi : index to {type_}
          %yt = arith.index_cast %yi : index to {type_}
          {cast}
          %z = arith.subi {x}, {y} : i64
          %c = arith.cmpi slt, %z, %bound : i64"""
    width = WIDTHS[type_]
    return Region(
        f"distance-{type_}", body, lambda i, j: wrap(37 * j, width) - wrap(37 * i, width) < 3
    )


def regions() -> Iterator[Region]:
    for type_ in WIDTHS:
        for op in BINARY:
            # -1 / -1 of one bit overflows.
            if not (type_ == "i1" and op in SIGNED_DIVISIONS):
                yield binary(op, type_)
        for predicate in PREDICATES:
            yield comparison(predicate, type_)
    integers = [type_ for type_ in WIDTHS if type_ != "index"]
    for narrow, wide in ((a, b) for a in integers for b in integers if WIDTHS[a] < WIDTHS[b]):
        yield cast("extsi", narrow, wide)
        yield cast("extui", narrow, wide)
        yield cast("trunci", wide, narrow)
    for type_ in integers:
        for op in ("index_cast", "index_castui"):
            yield cast(op, type_, "index")
            yield cast(op, "index", type_)
        yield to_real("sitofp", type_)
        yield to_real("uitofp", type_)
    for type_ in ("i1", "i8", "i32", "i64"):
        yield distance(type_)
    yield product(65537)
    yield product(1 << 28)
    yield product(1 << 40)


REGIONS = {region.name: region for region in regions()}


@functools.cache
def outcome() -> dict[str, tuple[dict[str, int], str]]:
    """Of each region: how often each domain disagrees, and what it is said to depend on."""
    bodies = "".join(
        f"""posenc.attention query(%q : memref<1x1x{ROWS}x8xf32>) key(%k : memref<1x1x{KEYS}x8xf32>)
          value(%k : memref<1x1x{KEYS}x8xf32>) scale(%scale) outs(%q : memref<1x1x{ROWS}x8xf32>)
          mask(%b, %h, %i, %j) {{
          {region.body}
          posenc.yield %c : i1 }}\n"""
        for region in REGIONS.values()
    )
    text = f"""func.func @main() {{
      %scale = arith.constant 1.0 : f32
      %q = memref.alloc() : memref<1x1x{ROWS}x8xf32>
      %k = memref.alloc() : memref<1x1x{KEYS}x8xf32>
      {bodies} return }}"""
    checked = subprocess.run(
        [str(BUILD / "bin" / "posenc-opt"), "--test-posenc-domains"],
        input=text, capture_output=True, text=True, check=False,
    )
    assert checked.returncode == 0, checked.stderr[-2000:]
    dependences = re.findall(r"remark: mask depends on(.*)", checked.stderr)
    runner = [llvm_tool("mlir-runner"), "-e", "main", "--entry-point-result=void"]
    runner.append(f"-shared-libs={LLVM_BIN}/../lib/libmlir_c_runner_utils.so")
    printed = subprocess.run(
        runner, input=posenc_opt(checked.stdout, *LOWERING),
        capture_output=True, text=True, check=False,
    )
    assert printed.returncode == 0, printed.stderr[-2000:]
    counts = re.findall(r"mask (\w+) (\d+)", printed.stdout)
    assert len(counts) == 3 * len(REGIONS) and len(dependences) == len(REGIONS)
    return {
        name: ({kind: int(count) for kind, count in counts[3 * n : 3 * n + 3]}, dependences[n])
        for n, name in enumerate(REGIONS)
    }


@pytest.mark.parametrize("name", REGIONS)
def test_no_domain_disagrees_with_the_region(name: str) -> None:
    """Lanes, Number and Interval say what the ops do at each of 16 x 24 elements."""
    counts, _ = outcome()[name]
    assert counts == {"lanes": 0, "number": 0, "interval": 0}


@pytest.mark.parametrize("name", REGIONS)
def test_dependence_is_not_less_than_the_values_show(name: str) -> None:
    """What is said not to depend on an index is the same for all of it."""
    _, said = outcome()[name]
    facts = said.split()
    values = np.array(
        [[REGIONS[name].value(i, j) for j in range(KEYS)] for i in range(ROWS)]
    )
    if facts == ["j-i"]:
        for distance in range(-ROWS + 1, KEYS):
            assert len(set(np.diagonal(values, distance))) == 1
    elif "j-i" not in facts:
        if "i" not in facts:
            assert (values == values[:1]).all()
        if "j" not in facts:
            assert (values == values[:, :1]).all()


@pytest.mark.parametrize("type_", ["i32", "i64"])
def test_a_difference_of_positions_is_known_to_depend_on_it_alone(type_: str) -> None:
    assert outcome()[f"distance-{type_}"][1].split() == ["j-i"]
