//===- Kerple.td - Kernelized relative biases --------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_KERPLE
#define POSENC_ENCODINGS_KERPLE

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def PosEnc_KerpleKernel : PosEnc_Enum<"KerpleKernel",
    "the kernel of a distance", [
    I32EnumAttrCase<"Log", 0, "log">,
    I32EnumAttrCase<"Power", 1, "power">]>;
def KerpleKernelAttr : PosEnc_EnumAttr<PosEnc_KerpleKernel, "kerple_kernel">;

def PosEnc_LaterKeys : PosEnc_Enum<"LaterKeys",
    "how far keys after the query are", [
    I32EnumAttrCase<"Zero", 0, "zero">,
    I32EnumAttrCase<"Symmetric", 1, "symmetric">]>;
def LaterKeysAttr : PosEnc_EnumAttr<PosEnc_LaterKeys, "later_keys">;

def KerpleOp : PosEnc_SizedOp<"kerple", [AttrSizedOperandSegments]> {
  let summary = "a bias that falls with a learned kernel of the distance";
  let description = [{
    With the distance `n` of query row `i` and key `j`:

    ```
    bias[0, h, i, j] = -p[h] ln(1 + a[h] n)   kernel(<log>)
                       -a[h] n^p[h]           kernel(<power>)
    n = max(i + offset - j, 0)                later_keys(<zero>)
        |i + offset - j|                      later_keys(<symmetric>)
    ```

    The paper's models are causal and its code counts keys after the query as
    near (`zero`); encoders need `symmetric`. With `clamp`, `p` and `a` are at
    least 0.01, and the `p` of a power at most 2, as the code of the paper has
    it; without, they are taken as they are. The kernels need both positive.

    Constraints:
    - C1 the result is f32 `[1, Hq, Lq, Lk]`;
    - C2 `p` and `a` are f32 `[Hq]`;
    - C3 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @kerple(%p: tensor<8xf32>, %a: tensor<8xf32>, %l: index) -> tensor<1x8x?x?xf32> {
      %bias = posenc.kerple %p, %a sizes(%l, %l) kernel(<log>) later_keys(<zero>) clamp
          : tensor<8xf32>, tensor<8xf32> -> tensor<1x8x?x?xf32>
      return %bias : tensor<1x8x?x?xf32>
    }
    ```
    Source: Chi et al. 2022a, KERPLE, and its code.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32], [1]>, "the factor (log) or exponent (power) of a head, `[Hq]`">:$p,
    Arg<TensorRankOf<[F32], [1]>, "the scale of a head, `[Hq]`">:$a,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    KerpleKernelAttr:$kernel, LaterKeysAttr:$later_keys, UnitAttr:$clamp);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    $p `,` $a (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    `kernel` `(` $kernel `)` `later_keys` `(` $later_keys `)` (`clamp` $clamp^)?
    attr-dict `:` type($p) `,` type($a) `->` type($result)
  }];
}

#endif // POSENC_ENCODINGS_KERPLE
