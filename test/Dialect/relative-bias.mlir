// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.relative_bias %{{.*}} origin(%{{.*}}) sign(<key_minus_query>) outside(<clip>) : tensor<33x8xf32> -> tensor<1x8x3x5xf32>
func.func @plain(%table: tensor<33x8xf32>, %o: index) -> tensor<1x8x3x5xf32> {
  %r = posenc.relative_bias %table origin(%o) sign(<key_minus_query>) outside(<clip>) : tensor<33x8xf32> -> tensor<1x8x3x5xf32>
  return %r : tensor<1x8x3x5xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.relative_bias %{{.*}} origin(%{{.*}}) sizes(%{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) sign(<query_minus_key>) outside(<zero>) : tensor<?x?xbf16> -> tensor<1x?x?x?xf32>
func.func @everything(%table: tensor<?x?xbf16>, %o: index, %h: index, %lq: index, %lk: index, %offset: index) -> tensor<1x?x?x?xf32> {
  %r = posenc.relative_bias %table origin(%o) sizes(%h, %lq, %lk) offset(%offset) sign(<query_minus_key>) outside(<zero>)
      : tensor<?x?xbf16> -> tensor<1x?x?x?xf32>
  return %r : tensor<1x?x?x?xf32>
}
