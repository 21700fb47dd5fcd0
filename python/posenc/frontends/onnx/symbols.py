# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic sizes: integer polynomials over the dynamic dimensions of a graph.

Every dimension of an imported tensor, and every element of a shape tensor, is
an `Extent`: a sum of integer multiples of products of atoms. An atom is the
name of a dimension or an operation that no polynomial expresses (`//`, `%`,
`min`, `max`). Equal extents compare equal, so that what a graph computes about
shapes folds at import.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Union

ExtentLike = Union["Extent", int]


class Undecidable(Exception):
    """The answer depends on the sizes the graph is called with."""


@dataclass(frozen=True)
class Operation:
    """An atom: `kind` is floordiv, mod, min or max."""

    kind: str
    left: Extent
    right: Extent

    def __str__(self) -> str:
        infix = {"floordiv": "//", "mod": "%"}.get(self.kind)
        if infix:
            return f"(({self.left}) {infix} ({self.right}))"
        return f"{self.kind}({self.left}, {self.right})"


Atom = str | Operation
Monomial = tuple[Atom, ...]


class Extent:
    """An immutable integer polynomial; `terms` maps monomials to coefficients."""

    __slots__ = ("terms", "_hash")

    def __init__(self, terms: dict[Monomial, int]):
        self.terms = {
            monomial: coefficient for monomial, coefficient in terms.items() if coefficient
        }
        self._hash = hash(frozenset(self.terms.items()))

    @staticmethod
    def of(value: ExtentLike) -> Extent:
        return value if isinstance(value, Extent) else Extent({(): int(value)})

    @staticmethod
    def symbol(name: str) -> Extent:
        return Extent({(name,): 1})

    @staticmethod
    def _atom(kind: str, left: Extent, right: Extent) -> Extent:
        return Extent({(Operation(kind, left, right),): 1})

    # Facts.

    @property
    def is_static(self) -> bool:
        return not any(self.terms)

    @property
    def static(self) -> int | None:
        """The number, or None where it depends on a dimension."""
        return self.terms.get((), 0) if self.is_static else None

    def symbols(self) -> set[str]:
        """The names of all dimensions the extent depends on."""
        names: set[str] = set()
        for monomial in self.terms:
            for atom in monomial:
                if isinstance(atom, str):
                    names.add(atom)
                else:
                    names |= atom.left.symbols() | atom.right.symbols()
        return names

    def bounds(self, least: int) -> tuple[float, float]:
        """An interval that holds the extent if every dimension is >= `least`."""
        low, high = 0.0, 0.0
        for monomial, coefficient in self.terms.items():
            lo, hi = 1.0, 1.0
            for atom in monomial:
                atom_lo, atom_hi = _atom_bounds(atom, least)
                if atom_lo < 0:
                    lo, hi = -float("inf"), float("inf")
                    break
                lo, hi = lo * atom_lo, hi * atom_hi if hi and atom_hi else 0.0
            if coefficient < 0:
                lo, hi = hi, lo
            low += coefficient * lo if lo else 0.0
            high += coefficient * hi if hi else 0.0
        return low, high

    # Arithmetic.

    def __add__(self, other: ExtentLike) -> Extent:
        terms = dict(self.terms)
        for monomial, coefficient in Extent.of(other).terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Extent(terms)

    __radd__ = __add__

    def __neg__(self) -> Extent:
        return Extent({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __sub__(self, other: ExtentLike) -> Extent:
        return self + -Extent.of(other)

    def __rsub__(self, other: ExtentLike) -> Extent:
        return Extent.of(other) - self

    def __mul__(self, other: ExtentLike) -> Extent:
        terms: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in Extent.of(other).terms.items():
                monomial = tuple(sorted(left + right, key=str))
                terms[monomial] = terms.get(monomial, 0) + a * b
        return Extent(terms)

    __rmul__ = __mul__

    def divided_exactly(self, divisor: ExtentLike) -> Extent | None:
        """The quotient where `divisor` divides for every size, else None."""
        divisor = Extent.of(divisor)
        if not divisor.terms:
            return None
        quotient, rest = Extent.of(0), self
        for _ in range(len(self.terms) + 1):
            if not rest.terms:
                return quotient
            term = _divided(rest._leading(), divisor._leading())
            if term is None:
                return None
            quotient, rest = quotient + term, rest - term * divisor
        return None

    def _leading(self) -> tuple[Monomial, int]:
        return max(
            self.terms.items(), key=lambda item: (len(item[0]), [str(atom) for atom in item[0]])
        )

    def __floordiv__(self, other: ExtentLike) -> Extent:
        other = Extent.of(other)
        if self.is_static and other.is_static and other.static:
            return Extent.of(self.static // other.static)
        exact = self.divided_exactly(other)
        if exact is not None:
            return exact
        _require_natural(self, other)
        return Extent._atom("floordiv", self, other)

    def __rfloordiv__(self, other: ExtentLike) -> Extent:
        return Extent.of(other) // self

    def __mod__(self, other: ExtentLike) -> Extent:
        other = Extent.of(other)
        if self.is_static and other.is_static and other.static:
            return Extent.of(self.static % other.static)
        if self.divided_exactly(other) is not None:
            return Extent.of(0)
        _require_natural(self, other)
        return Extent._atom("mod", self, other)

    def __rmod__(self, other: ExtentLike) -> Extent:
        return Extent.of(other) % self

    def __abs__(self) -> Extent:
        if self.bounds(0)[0] >= 0:
            return self
        if self.bounds(0)[1] <= 0:
            return -self
        raise Undecidable(f"sign of {self}")

    # Comparisons: equality is structural, order is decided or raises.

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Extent, int)) and self.terms == Extent.of(other).terms

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        if self.is_static:
            return str(self.static)
        parts = []
        # In alphabetical order, the number last.
        for monomial, coefficient in sorted(
            self.terms.items(), key=lambda item: (not item[0], str(item[0]))
        ):
            factors = [str(atom) for atom in monomial]
            if coefficient != 1 or not factors:
                factors.insert(0, str(coefficient))
            parts.append("*".join(factors))
        return " + ".join(parts).replace("+ -", "- ")

    __repr__ = __str__


def _divided(term: tuple[Monomial, int], by: tuple[Monomial, int]) -> Extent | None:
    """The quotient of two terms of a polynomial, if it is one."""
    rest = list(term[0])
    for atom in by[0]:
        if atom not in rest:
            return None
        rest.remove(atom)
    return Extent({tuple(rest): term[1] // by[1]}) if term[1] % by[1] == 0 else None


def _atom_bounds(atom: Atom, least: int) -> tuple[float, float]:
    if isinstance(atom, str):
        return float(least), float("inf")
    (left_lo, left_hi), (right_lo, right_hi) = atom.left.bounds(least), atom.right.bounds(least)
    if atom.kind == "min":
        return min(left_lo, right_lo), min(left_hi, right_hi)
    if atom.kind == "max":
        return max(left_lo, right_lo), max(left_hi, right_hi)
    if atom.kind == "floordiv":
        return 0.0, left_hi
    return 0.0, max(right_hi - 1, 0.0)


def _require_natural(numerator: Extent, divisor: Extent) -> None:
    """ONNX divides towards zero, `//` downwards: they agree on naturals only."""
    if numerator.bounds(0)[0] < 0 or divisor.bounds(1)[0] < 1:
        raise Undecidable(f"quotient of {numerator} and {divisor}")


def product(extents: Iterable[ExtentLike]) -> Extent:
    result = Extent.of(1)
    for extent in extents:
        result = result * extent
    return result


def at_least(left: ExtentLike, right: ExtentLike, least: int = 0) -> bool | None:
    """Whether `left >= right` for all sizes; None where it depends on them."""
    low, high = (Extent.of(left) - right).bounds(least)
    if low >= 0:
        return True
    return False if high < 0 else None


def equals(left: ExtentLike, right: ExtentLike) -> bool:
    """Whether the two are equal; raises Undecidable where sizes decide."""
    if Extent.of(left) == Extent.of(right):
        return True
    low, high = (Extent.of(left) - right).bounds(0)
    if low > 0 or high < 0:
        return False
    raise Undecidable(f"{left} == {right}")


def smaller(left: ExtentLike, right: ExtentLike) -> Extent:
    left, right = Extent.of(left), Extent.of(right)
    if at_least(right, left):
        return left
    return right if at_least(left, right) else Extent._atom("min", left, right)


def larger(left: ExtentLike, right: ExtentLike) -> Extent:
    left, right = Extent.of(left), Extent.of(right)
    if at_least(left, right):
        return left
    return right if at_least(right, left) else Extent._atom("max", left, right)


def limit_of(part: Extent, whole: Extent) -> Extent | None:
    """The `limit` where `part` is min(whole, limit), else None."""
    (monomial, coefficient), *others = part.terms.items() or [((), 0)]
    if others or coefficient != 1 or len(monomial) != 1 or not isinstance(monomial[0], Operation):
        return None
    atom = monomial[0]
    if atom.kind != "min" or whole not in (atom.left, atom.right):
        return None
    return atom.right if atom.left == whole else atom.left
