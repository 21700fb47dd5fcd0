//===- TMTensor.td - The op of torch-mlir that stock MLIR lacks ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_IMPORT_TMTENSOR
#define POSENC_IMPORT_TMTENSOR

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TMTensor_Dialect : Dialect {
  let name = "tm_tensor";
  let summary = "torch-mlir's scan, so that its graphs can be read";
  let description = [{
    torch-mlir prints a cumulative sum as `tm_tensor.scan`, an op of its own
    dialect. posenc knows this op alone, in order to take it apart
    (`posenc-decompose-scans`).
  }];
  let cppNamespace = "::mlir::posenc::tm_tensor";
}

def ScanOp : Op<TMTensor_Dialect, "scan", [Pure]> {
  let summary = "the running combination of the elements along a dimension";
  let description = [{
    Along `dimension`, `output[i]` combines `input[0]` to `input[i]`; without
    `inclusive` it combines `accumulator_init` and `input[0]` to `input[i - 1]`.
    `accumulator` is the combination of all. The body combines two elements and
    is associative; `output_init` is not read.

    ```mlir
    %sums, %total = tm_tensor.scan dimension(1) inclusive(true)
        ins(%x : tensor<1x9xi64>) outs(%init, %zero : tensor<1x9xi64>, tensor<1xi64>) {
    ^bb0(%a: i64, %b: i64):
      %sum = arith.addi %a, %b : i64
      tm_tensor.yield %sum : i64
    } -> tensor<1x9xi64>, tensor<1xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$output_init,
      AnyRankedTensor:$accumulator_init, I64Attr:$dimension, BoolAttr:$inclusive);
  let results = (outs AnyRankedTensor:$output, AnyRankedTensor:$accumulator);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)` attr-dict
    `ins` `(` $input `:` type($input) `)`
    `outs` `(` $output_init `,` $accumulator_init `:`
    type($output_init) `,` type($accumulator_init) `)` $combiner
    `->` type($output) `,` type($accumulator)
  }];
  let hasVerifier = 1;
}

def YieldOp : Op<TMTensor_Dialect, "yield", [Pure, ReturnLike, Terminator, HasParent<"ScanOp">]> {
  let summary = "the combination of two elements";
  let arguments = (ins AnyType:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

#endif // POSENC_IMPORT_TMTENSOR
