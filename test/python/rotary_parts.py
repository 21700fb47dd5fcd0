# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary encodings as parts of a `compiled_attention.Graph`, with the oracle's own rotation."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from compiled_attention import NUMPY, Graph, Part, Sizes, Terms, tensor

from posenc.reference import frequencies, multi_axis, query_temperature, rotary, xpos

LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position": 64}
ORIGINAL = 64  # the length beyond which LongRoPE and dynamic NTK scale
SHORT, LONG = 1.25, 6.5  # LongRoPE's divisors: these to the power of the pair's share


def _lists(count: int) -> dict[str, list[float]]:
    share = np.arange(count // 2) / (count // 2)
    return {"short_factor": (SHORT**share).tolist(), "long_factor": (LONG**share).tolist()}


Turning = Callable[[int, float, int], tuple[np.ndarray, float]]
# Of a number of lanes: the rule; of the lanes, the base and the length of the call: frequencies and factor.
SCALINGS: dict[str, tuple[Callable[[int], str], Turning]] = {
    "": (lambda r: "", lambda r, base, n: frequencies.default(r, base)),
    "linear": (lambda r: "linear<factor = 4.0>", lambda r, base, n: frequencies.linear(r, base, 4.0)),
    "llama3": (
        lambda r: "llama3<factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 64>",
        lambda r, base, n: frequencies.llama3(r, base, **LLAMA3)),
    "ntk": (lambda r: "ntk<alpha = 3.5>", lambda r, base, n: frequencies.ntk(r, base, 3.5)),
    "yarn": (
        lambda r: "yarn<factor = 8.0, original_length = 2048, beta_fast = 32.0, beta_slow = 1.0, truncate = true>",
        lambda r, base, n: frequencies.yarn(r, base, factor=8.0, original_max_position=2048)),
    "proportional": (
        lambda r: "proportional<fraction = 0.4, factor = 2.0>",
        lambda r, base, n: frequencies.proportional(r, base, fraction=0.4, factor=2.0)),
    "dynamic_ntk": (
        lambda r: f"dynamic_ntk<factor = 2.0, original_length = {ORIGINAL}>",
        lambda r, base, n: frequencies.dynamic_ntk(r, base, factor=2.0, original_max_position=ORIGINAL, length=n)),
    "longrope": (
        lambda r: "longrope<" + "".join(f"{name} = {values}, " for name, values in _lists(r).items())
        + f"original_length = {ORIGINAL}, factor = 8.0>",
        lambda r, base, n: frequencies.longrope(
            r, base, **_lists(r), original_max_position=ORIGINAL, length=n, factor=8.0)),
}
OF_LENGTH = ("dynamic_ntk", "longrope")
SCALE_BASE = 64.0
TEMPERATURE = {"beta": 0.25, "original_length": 8, "position_shift": 0}


@dataclasses.dataclass(frozen=True)
class Rotary:
    """How queries and keys turn.

    positions: "offset", "batch", "row" ([L]), "axes" ([axes, B, L]) or "cache" (cos and sin rows).
    sections: the attribute's text and, of positions, lanes and base, the angles; two axes of "axes".
    decay: xPos; temperature: queries grow with position besides.
    """

    lanes: str = "half"
    count: int = 16
    first: int = 0
    inverse: bool = False
    positions: str = "offset"
    scaling: str = ""
    cache: str = "f32"
    base: float = 10000.0
    sections: tuple[str, Callable[[np.ndarray, int, float], np.ndarray]] | None = None
    decay: bool = False
    temperature: bool = False

    def attribute(self) -> str:
        rule = SCALINGS[self.scaling][0](self.count)
        scaling = f", scaling = #posenc.{rule}" if rule else ""
        return f"frequencies(#posenc.frequencies<base = {self.base:.1f}{scaling}>)"

    def inv_freq(self, length: int = 0) -> np.ndarray:
        return self.turning(length)[0]

    def turning(self, length: int = 0) -> tuple[np.ndarray, float]:
        """Frequencies and attention factor in a call of this length."""
        return SCALINGS[self.scaling][1](self.count, self.base, length)


CHUNKED = ("chunked, [3, 5], ordinary", lambda m, r, base: multi_axis.mrope(
    m, frequencies.default(r, base)[0], [3, 5], order="chunked"))
MROPE_INTERLEAVED = ("interleaved, [4, 4], ordinary", lambda m, r, base: multi_axis.mrope(
    m, frequencies.default(r, base)[0], [4, 4], order="interleaved"))
STRIDED = ("chunked, [4, 4], strided", lambda m, r, base: multi_axis.strided(m, frequencies.default(r, base)[0]))
RESTARTING = ("chunked, [2, 6], restarting", lambda m, r, base: multi_axis.restarting(
    m, [frequencies.default(4, base)[0], frequencies.default(12, base)[0]]))

OFFSETS = {"q": 11, "k": 3}
CACHE_ROWS = 256
POSITIONS = {"row": "tensor<?xi64>", "batch": "tensor<?x?xi64>", "cache": "tensor<?x?xi64>",
             "axes": "tensor<2x?x?xi64>"}
Scalar = "tensor<i64>"


def _index(name: str) -> str:
    """%name_i as an index, from the rank-0 tensor %name."""
    return (f"\n  %{name}_e = tensor.extract %{name}[] : {Scalar}\n"
            f"  %{name}_i = arith.index_cast %{name}_e : i64 to index\n")


def rotated(how: Rotary, graph: Graph) -> Part:
    """Queries and keys turned; each side has its own positions."""
    arguments = [(name, kind_of(how)) for name in ("cos", "sin") if how.positions == "cache"]
    arguments += [(f"{name}_at", POSITIONS.get(how.positions, Scalar)) for name in OFFSETS]
    arguments += [("length", Scalar)] if how.scaling in OF_LENGTH else []
    arguments += [("centre", Scalar)] if how.decay else []
    body = "".join(_index(name) for name, kind in arguments if kind == Scalar)
    for operand, (name, role) in enumerate((("q", "query"), ("k", "key"))):
        where = _where(how, name)
        clauses = [f"sections(<{how.sections[0]}>)"] if how.sections else []
        clauses += [f"decay(<{role}, scale_base = {SCALE_BASE}>)"] if how.decay else []
        frequency = "" if how.positions == "cache" else how.attribute()
        lanes = f"lanes(<{how.lanes}, first = {how.first}, count = {how.count}>)"
        layout = f"layout(<{graph.layouts[operand]}>)"
        body += (f"  %{name}r = posenc.rotary %{name} {where} {_runtime(how)} {lanes} {frequency} {' '.join(clauses)} "
                 f"{layout} {'inverse' if how.inverse else ''} : {graph.type(operand)}\n")
        if how.temperature and role == "query":
            numbers = ", ".join(f"{key} = {value} : {'f64' if key == 'beta' else 'i64'}"
                                for key, value in TEMPERATURE.items())
            body += f"  %qt = posenc.query_temperature %qr {where} {lanes} {layout} {{{numbers}}} : {graph.type(0)}\n"
    return Part(arguments=tuple(arguments), inputs=lambda rng, sizes: _inputs(how, rng, sizes), body=body,
                query="%qt" if how.temperature else "%qr", key="%kr",
                terms=lambda sizes, *given: _terms(how, dict(zip((name for name, _ in arguments), given)), sizes))


def _where(how: Rotary, name: str) -> str:
    if how.positions == "offset":
        return f"offset(%{name}_at_i)"
    return f"positions(%{name}_at : {POSITIONS[how.positions]})"


def _runtime(how: Rotary) -> str:
    clauses = [f"cos(%cos : {kind_of(how)}) sin(%sin : {kind_of(how)})"] if how.positions == "cache" else []
    clauses += ["length(%length_i)"] if how.scaling in OF_LENGTH else []
    clauses += ["centre(%centre_i)"] if how.decay else []
    return " ".join(clauses)


def kind_of(how: Rotary) -> str:
    return tensor([CACHE_ROWS, how.count // 2], how.cache)


def _inputs(how: Rotary, rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
    given: list[np.ndarray] = []
    if how.positions == "cache":
        # No rotation at all: caches may hold any numbers.
        given += [rng.uniform(-1, 1, (CACHE_ROWS, how.count // 2)).astype(NUMPY[how.cache]) for _ in range(2)]
    for name, length in (("q", sizes.rows), ("k", sizes.keys)):
        if how.positions == "offset":
            given.append(np.asarray(OFFSETS[name], np.int64))
        else:
            shape = {"row": (length,), "axes": (2, sizes.batch, length)}.get(how.positions, (sizes.batch, length))
            given.append(rng.integers(0, 5000 if how.positions in ("row", "axes") else CACHE_ROWS, shape))
    given += [np.asarray(sizes.keys, np.int64)] if how.scaling in OF_LENGTH else []
    return given + ([np.asarray(sizes.keys // 2, np.int64)] if how.decay else [])


def _terms(how: Rotary, given: dict[str, np.ndarray], sizes: Sizes) -> Terms:
    side = "first" if how.first == 0 else "last"
    places = {name: given[f"{name}_at"] for name in OFFSETS}
    if how.positions == "offset":
        places = {"q": places["q"] + np.arange(sizes.rows), "k": places["k"] + np.arange(sizes.keys)}

    def tables(name: str) -> tuple[np.ndarray, np.ndarray]:
        positions = places[name]
        if how.positions == "cache":
            return tuple(rotary.cache_rows(given[cache], positions) for cache in ("cos", "sin"))
        inv_freq, factor = how.turning(int(given.get("length", 0)))
        if how.sections:
            angles = how.sections[1](positions, how.count, how.base)
            return np.cos(angles), np.sin(angles)
        cos, sin = rotary.cos_sin(positions, inv_freq, factor)
        if how.decay:
            decay = xpos.decay(positions, how.count, role={"q": "query", "k": "key"}[name],
                               centre=int(given["centre"]), scale_base=SCALE_BASE)
            cos, sin = cos * decay, sin * decay
        return cos, sin

    def turn(name: str):
        def rotate(x: np.ndarray) -> np.ndarray:
            y = rotary.rotate(x, *tables(name), lanes=how.lanes, rotary_dim=how.count, side=side, inverse=how.inverse)
            if how.temperature and name == "q":
                y *= np.atleast_2d(query_temperature.factors(places[name], **TEMPERATURE))[:, None, :, None]
            return y

        return rotate

    return Terms(turn_query=turn("q"), turn_key=turn("k"))
