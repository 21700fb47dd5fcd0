// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.sandwich {width = 128 : i64} : tensor<1x8x3x5xf32>
func.func @plain() -> tensor<1x8x3x5xf32> {
  %r = posenc.sandwich {width = 128 : i64} : tensor<1x8x3x5xf32>
  return %r : tensor<1x8x3x5xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.sandwich sizes(%{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) ratios(%{{.*}} : tensor<?xf32>) {base = 5.000000e+02 : f64, max_ratio = 4.000000e+00 : f64, width = 2 : i64} : tensor<1x?x?x?xf32>
func.func @everything(%h: index, %lq: index, %lk: index, %offset: index, %ratios: tensor<?xf32>) -> tensor<1x?x?x?xf32> {
  %r = posenc.sandwich sizes(%h, %lq, %lk) offset(%offset) ratios(%ratios : tensor<?xf32>)
      {base = 500.0, max_ratio = 4.0, width = 2 : i64} : tensor<1x?x?x?xf32>
  return %r : tensor<1x?x?x?xf32>
}
