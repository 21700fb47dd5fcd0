# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emits linalg and tensor operations on values: the vocabulary of the op handlers.

Shapes are computed here, from those of the operands; where two sizes must agree
and only the call will tell, a condition on the sizes is emitted with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..._errors import ImportFailure
from .emitter import Emitter, literal
from .scalars import Scalars
from .symbols import Extent, ExtentLike, larger, limit_of, product, smaller
from .values import F32, ElementType, Shape, Value

# (scalar builder, operand scalars) -> result scalar.
Body = Callable[[Scalars, list[str]], str]


class Structured:
    """Operations on `Value`s, written to an emitter."""

    def __init__(self, emit: Emitter):
        self.emit = emit

    # Shapes.

    def agree(self, left: Extent, right: Extent) -> Extent:
        """One size for both; emits the condition that they are equal."""
        if left == right:
            return left
        if left.static is not None and right.static is not None:
            raise ImportFailure(f"sizes {left} and {right} do not agree")
        for whole, part in ((left, right), (right, left)):
            bound = limit_of(part, whole)
            if bound is not None:  # `S = min(S, rows)`, of a table sliced to the length.
                self.emit.require(
                    "sge",
                    bound,
                    whole,
                    f"the graph needs {whole} <= {bound}{self.emit.where(whole, bound)}",
                )
                return whole
        self.emit.require(
            "eq", left, right, f"the graph needs {left} = {right}{self.emit.where(left, right)}"
        )
        return right if left.static is None else left

    def broadcast_shapes(self, shapes: Sequence[Shape]) -> Shape:
        """NumPy's rule; a dynamic size is taken to be 1 only where it is the number 1."""
        rank = max((len(shape) for shape in shapes), default=0)
        result = []
        for axis in range(rank):
            extent = Extent.of(1)
            for shape in shapes:
                position = axis - (rank - len(shape))
                if position < 0 or shape[position] == 1:
                    continue
                extent = shape[position] if extent == 1 else self.agree(extent, shape[position])
            result.append(extent)
        return tuple(result)

    @staticmethod
    def same_element(values: Sequence[Value]) -> ElementType:
        """The element type that all operands share, or a refusal."""
        elements = sorted({value.element.mlir for value in values})
        if len(elements) != 1:
            raise ImportFailure("mixes element types " + ", ".join(elements))
        return values[0].element

    # Elementwise.

    def elementwise(
        self,
        inputs: Sequence[Value],
        element: ElementType,
        body: Body,
        shape: Shape | None = None,
    ) -> Value:
        """linalg.generic over the broadcast of `inputs`; single numbers go into the body."""
        shapes = [value.shape for value in inputs]
        wide = self.broadcast_shapes(shapes if shape is None else [shape, *shapes])
        if shape is not None and wide != shape and len(wide) > len(shape):
            raise ImportFailure(
                f"operands of rank {len(wide)} do not fit a result of rank {len(shape)}"
            )
        shape = wide if shape is None else shape
        tensors = [value for value in inputs if value.scalar() is None]
        maps = [broadcast_map(value.shape, shape) for value in tensors]
        uniform = {
            id(value): self._uniform(value) for value in inputs if value.scalar() is not None
        }

        def with_scalars(s: Scalars, reads: list[str]) -> str:
            read = iter(reads)
            return body(s, [uniform[id(v)] if id(v) in uniform else next(read) for v in inputs])

        return self.generic(tensors, maps, element, shape, with_scalars)

    def _uniform(self, value: Value) -> str:
        number = value.scalar()
        if isinstance(number, Extent):
            return self.emit.integer(number, value.element)
        return self.emit.scalar(value.element.mlir, literal(value.element, number))

    def generic(
        self,
        inputs: Sequence[Value],
        maps: Sequence[str],
        element: ElementType,
        shape: Shape,
        body: Body,
        *,
        reduced: Sequence[str] = (),
        out_map: str | None = None,
        init: str | None = None,
    ) -> Value:
        """linalg.generic; loops are those of `shape` unless `reduced` names more after them.

        With `reduced`, `out_map` are the result's subscripts, `init` the
        initial tensor, and the body's last operand the accumulator.
        """
        for value in (*inputs, Value(element, shape)):
            self.refuse_f64(value)
        loops = [f"d{i}" for i in range(len(shape))] + list(reduced)
        subscripts = [*maps, out_map if out_map is not None else ", ".join(loops)]
        affine = ", ".join(f"affine_map<({', '.join(loops)}) -> ({s})>" for s in subscripts)
        kinds = ", ".join(['"parallel"'] * len(shape) + ['"reduction"'] * len(reduced))
        operands = [self.emit.ssa(value) for value in inputs]
        init = init or self.emit.empty(element, shape)
        names = [self.emit.fresh() for _ in (*inputs, init)]
        types = [value.element.mlir for value in inputs] + [element.mlir]
        s = Scalars(self.emit)
        yielded = body(s, names if reduced else names[:-1])
        result = Value(element, shape)
        ins = f"ins({', '.join(operands)} : {', '.join(v.type for v in inputs)}) " if inputs else ""
        arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
        lines = "".join(f"  {line}\n" for line in s.lines)
        result.ssa = self.emit.op(
            f"linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}} {ins}"
            f"outs({init} : {result.type}) {{\n^bb0({arguments}):\n{lines}"
            f"  linalg.yield {yielded} : {element.mlir}\n}} -> {result.type}"
        )
        return result

    @staticmethod
    def refuse_f64(value: Value) -> None:
        if value.element.mlir == "f64":
            raise ImportFailure(
                "computes in float64, which posenc does not compile; export the model in float32"
            )

    def cast(self, value: Value, element: ElementType) -> Value:
        if value.element == element:
            return value
        return self.elementwise(
            [value], element, lambda s, x: s.convert(x[0], value.element, element), value.shape
        )

    def broadcast(self, value: Value, shape: Shape) -> Value:
        if value.shape == shape:
            return value
        return self.elementwise([value], value.element, lambda s, x: x[0], shape)

    # Reductions and contractions.

    def reduce(
        self,
        value: Value,
        axes: Sequence[int],
        element: ElementType,
        start: str,
        body: Body,
        keep: bool = True,
    ) -> Value:
        """Folds `axes` with body(element, accumulator), from the scalar `start`."""
        kept = [axis for axis in range(value.rank) if axis not in axes]
        shape = tuple(value.shape[axis] for axis in kept)
        reduced = [f"r{i}" for i in range(len(axes))]
        subscripts = [""] * value.rank
        for position, axis in enumerate(kept):
            subscripts[axis] = f"d{position}"
        for name, axis in zip(reduced, sorted(axes)):
            subscripts[axis] = name
        out = ", ".join(f"d{i}" for i in range(len(kept)))
        result = self.generic(
            [value],
            [", ".join(subscripts)],
            element,
            shape,
            body,
            reduced=reduced,
            out_map=out,
            init=self.emit.filled(element, shape, start),
        )
        if not keep:
            return result
        return self.reshape(
            result,
            tuple(
                Extent.of(1) if axis in axes else extent for axis, extent in enumerate(value.shape)
            ),
        )

    def contract(
        self,
        left: Value,
        left_map: str,
        right: Value,
        right_map: str,
        shape: Shape,
        reduced: Sequence[str] = ("r0",),
    ) -> Value:
        """Sum over `reduced` of the product, in f32 for 16-bit floats; d0.. index the result."""
        element = F32 if left.element.is_half or right.element.is_half else left.element
        zero = self.emit.scalar(element.mlir, literal(element, 0))

        def body(s: Scalars, x: list[str]) -> str:
            a, b = (s.convert(v, value.element, element) for v, value in zip(x, (left, right)))
            return s.binary("Add", x[2], s.binary("Mul", a, b, element), element)

        return self.generic(
            [left, right],
            [left_map, right_map],
            element,
            shape,
            body,
            reduced=reduced,
            out_map=", ".join(f"d{i}" for i in range(len(shape))),
            init=self.emit.filled(element, shape, zero),
        )

    # Views and data movement.

    def reshape(self, value: Value, shape: Shape) -> Value:
        """collapse_shape, expand_shape, or both."""
        shape = tuple(shape)
        if value.shape == shape:
            return value
        if product(shape) == 0:
            return Value(value.element, shape, ssa=self.emit.empty(value.element, shape))
        groups = _groups(value.shape, shape)
        if groups is None:
            self.agree(product(value.shape), product(shape))
            row = (
                self._reassociate(
                    "collapse_shape", value, (product(value.shape),), [list(range(value.rank))]
                )
                if value.rank != 1
                else value
            )
            value = self.retyped(row, (product(shape),))
            groups = [([0], list(range(len(shape))))]
        middle = tuple(
            shape[outs[0]] if len(outs) == 1 else product(value.shape[i] for i in ins)
            for ins, outs in groups
        )
        if any(len(ins) != 1 for ins, _ in groups) or (not groups and value.rank):
            value = self._reassociate(
                "collapse_shape", value, middle, [ins for ins, _ in groups] if value.rank else []
            )
        if any(len(outs) != 1 for _, outs in groups) or (not groups and shape):
            value = self._reassociate("expand_shape", value, shape, [outs for _, outs in groups])
        return Value(value.element, shape, ssa=self.emit.ssa(value))

    def split_heads(self, value: Value, heads: int, name: str) -> Value:
        """[B, S, H*D] to [B, S, H, D]; `name` is what a refusal calls the value."""
        batch, rows, columns = value.shape
        size = columns.divided_exactly(heads)
        if size is None:
            raise ImportFailure(f"the {columns} columns of the {name} do not make {heads} heads")
        return self.reshape(value, (batch, rows, Extent.of(heads), size))

    def _reassociate(self, name: str, value: Value, shape: Shape, groups: list[list[int]]) -> Value:
        source = self.emit.ssa(value)
        output = f" output_shape {self.emit.mixed_sizes(shape)}" if name == "expand_shape" else ""
        result = Value(value.element, shape)
        result.ssa = self.emit.op(
            f"tensor.{name} {source} {groups}{output} : {value.type} into {result.type}"
        )
        return result

    def transpose(self, value: Value, permutation: Sequence[int]) -> Value:
        if list(permutation) == list(range(value.rank)):
            return value
        shape = tuple(value.shape[axis] for axis in permutation)
        result = Value(value.element, shape)
        source, init = self.emit.ssa(value), self.emit.empty(value.element, shape)
        result.ssa = self.emit.op(
            f"linalg.transpose ins({source} : {value.type}) outs({init} : {result.type}) "
            f"permutation = {list(permutation)}"
        )
        return result

    def concat(self, values: Sequence[Value], axis: int) -> Value:
        first = values[0]
        self.same_element(values)
        shape = list(first.shape)
        for value in values[1:]:
            for d in range(first.rank):
                shape[d] = (
                    shape[d] + value.shape[d] if d == axis else self.agree(shape[d], value.shape[d])
                )
        values = [value for value in values if value.shape[axis] != 0] or [first]
        if len(values) == 1:
            return Value(first.element, tuple(shape), ssa=self.emit.ssa(values[0]))
        # The op infers a dynamic size from a dynamic operand; the sum may still be known.
        inferred = tuple(
            Extent.symbol("?")
            if any(v.shape[d].static is None for v in values) and d == axis
            else extent
            for d, extent in enumerate(shape)
        )
        bare = Value(first.element, inferred)
        operands, types = (
            ", ".join(self.emit.ssa(v) for v in values),
            ", ".join(v.type for v in values),
        )
        bare.ssa = self.emit.op(f"tensor.concat dim({axis}) {operands} : ({types}) -> {bare.type}")
        return self.retyped(bare, tuple(shape))

    def retyped(self, value: Value, shape: Shape) -> Value:
        """The same tensor under a shape known to be equal."""
        result = Value(value.element, shape, ssa=self.emit.ssa(value))
        if result.type != value.type:
            result.ssa = self.emit.op(f"tensor.cast {result.ssa} : {value.type} to {result.type}")
        return result

    def slice(
        self,
        value: Value,
        offsets: Sequence[ExtentLike],
        sizes: Sequence[ExtentLike],
        steps: Sequence[int] | None = None,
    ) -> Value:
        """tensor.extract_slice; a negative step becomes a gather."""
        offsets = [Extent.of(o) for o in offsets]
        shape = tuple(Extent.of(s) for s in sizes)
        steps = list(steps or [1] * value.rank)
        if shape == value.shape and all(o == 0 for o in offsets) and all(s == 1 for s in steps):
            return value
        if any(step < 0 for step in steps):
            return self._strided_read(value, offsets, shape, steps)
        result = Value(value.element, shape)
        if product(shape) == 0:  # The op wants its offset to lie in the tensor even so.
            result.ssa = self.emit.empty(value.element, shape)
            return result
        source = self.emit.ssa(value)
        result.ssa = self.emit.op(
            f"tensor.extract_slice {source}{self.emit.mixed_sizes(offsets)} "
            f"{self.emit.mixed_sizes(shape)} {steps}"
            f" : {value.type} to {result.type}"
        )
        return result

    def with_sizes(self, value: Value) -> Value:
        """A slice of all of the value: a loop or a branch does not tell its result's sizes."""
        if value.static_shape() is not None:
            return value
        source, sizes = self.emit.ssa(value), self.emit.mixed_sizes(value.shape)
        zeros, ones = [0] * value.rank, [1] * value.rank
        text = f"tensor.extract_slice {source}{zeros} {sizes} {ones} : {value.type} to {value.type}"
        return Value(value.element, value.shape, ssa=self.emit.op(text))

    def insert(
        self, part: Value, whole: Value, offsets: Sequence[ExtentLike], steps: Sequence[int]
    ) -> Value:
        """`whole` with `part` written over it at `offsets`, every `steps`-th element."""
        self.same_element([part, whole])
        if part.shape == whole.shape:
            return part
        source, target = self.emit.ssa(part), self.emit.ssa(whole)
        place = self.emit.mixed_sizes([Extent.of(offset) for offset in offsets])
        return Value(
            whole.element,
            whole.shape,
            ssa=self.emit.op(
                f"tensor.insert_slice {source} into {target}{place} "
                f"{self.emit.mixed_sizes(part.shape)} {list(steps)} : {part.type} into {whole.type}"
            ),
        )

    def _strided_read(
        self, value: Value, offsets: list[Extent], shape: Shape, steps: list[int]
    ) -> Value:
        source = self.emit.ssa(value)
        starts = [self.emit.index(offset) for offset in offsets]
        strides = [self.emit.index(step) for step in steps]

        def body(s: Scalars, _: list[str]) -> str:
            at = []
            for d, (start, stride) in enumerate(zip(starts, strides)):
                distance = s.op(f"arith.muli {s.loop(d)}, {stride} : index")
                at.append(s.op(f"arith.addi {start}, {distance} : index"))
            return s.op(f"tensor.extract {source}[{', '.join(at)}] : {value.type}")

        return self.generic([], [], value.element, shape, body)

    def pad(
        self, value: Value, low: Sequence[ExtentLike], high: Sequence[ExtentLike], scalar: str
    ) -> Value:
        """tensor.pad with a scalar of the value's element type."""
        low, high = [Extent.of(x) for x in low], [Extent.of(x) for x in high]
        if all(x == 0 for x in (*low, *high)):
            return value
        sizes = (before + x + after for before, x, after in zip(low, value.shape, high))
        result = Value(value.element, tuple(sizes))
        arguments = ", ".join(f"{self.emit.fresh()}: index" for _ in low)
        source = self.emit.ssa(value)
        below, above = self.emit.mixed_sizes(low), self.emit.mixed_sizes(high)
        result.ssa = self.emit.op(
            f"tensor.pad {source} low{below} high{above} {{\n"
            f"^bb0({arguments}):\n  tensor.yield {scalar} : {value.element.mlir}\n}} "
            f": {value.type} to {result.type}"
        )
        return result

    def clamp(self, position: ExtentLike, low: ExtentLike, high: ExtentLike) -> Extent:
        """`position` within [low, high], decided at import where it can be."""
        position, high = Extent.of(position), Extent.of(high)
        position = position if self.emit.at_least(high, position) else smaller(position, high)
        return position if self.emit.at_least(position, low) else larger(position, low)


def broadcast_map(shape: Shape, loops: Shape) -> str:
    """Subscripts that read a tensor of `shape` right-aligned in loops of the sizes `loops`."""
    offset = len(loops) - len(shape)
    return ", ".join(
        "0" if extent == 1 and loops[axis + offset] != 1 else f"d{axis + offset}"
        for axis, extent in enumerate(shape)
    )


def _groups(source: Shape, target: Shape) -> list[tuple[list[int], list[int]]] | None:
    """Pairs of adjacent dimensions with equal products, the finest; None if there are none."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(source) and j < len(target):
        ins, outs = [i], [j]
        left, right = source[i], target[j]
        i, j = i + 1, j + 1
        while left != right:
            # Grow the side that divides the other, the shorter one where neither does.
            grow_left = right.divided_exactly(left) is not None
            if not grow_left and left.divided_exactly(right) is None:
                grow_left = len(source) - i >= len(target) - j
            if grow_left and i < len(source):
                left, i = left * source[i], i + 1
                ins.append(i - 1)
            elif j < len(target):
                right, j = right * target[j], j + 1
                outs.append(j - 1)
            elif i < len(source):
                left, i = left * source[i], i + 1
                ins.append(i - 1)
            else:
                return None
        groups.append((ins, outs))
    rest_in, rest_out = list(range(i, len(source))), list(range(j, len(target)))
    if any(source[d] != 1 for d in rest_in) or any(target[d] != 1 for d in rest_out):
        return None
    if groups:
        groups[-1][0].extend(rest_in)
        groups[-1][1].extend(rest_out)
    return groups
