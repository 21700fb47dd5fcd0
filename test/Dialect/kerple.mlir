// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.kerple %{{.*}}, %{{.*}} kernel(<log>) later_keys(<zero>) : tensor<8xf32>, tensor<8xf32> -> tensor<1x8x3x5xf32>
func.func @plain(%p: tensor<8xf32>, %a: tensor<8xf32>) -> tensor<1x8x3x5xf32> {
  %r = posenc.kerple %p, %a kernel(<log>) later_keys(<zero>) : tensor<8xf32>, tensor<8xf32> -> tensor<1x8x3x5xf32>
  return %r : tensor<1x8x3x5xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.kerple %{{.*}}, %{{.*}} sizes(%{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) kernel(<power>) later_keys(<symmetric>) clamp : tensor<?xf32>, tensor<?xf32> -> tensor<1x?x?x?xf32>
func.func @everything(%p: tensor<?xf32>, %a: tensor<?xf32>, %h: index, %lq: index, %lk: index, %offset: index) -> tensor<1x?x?x?xf32> {
  %r = posenc.kerple %p, %a sizes(%h, %lq, %lk) offset(%offset) kernel(<power>) later_keys(<symmetric>) clamp
      : tensor<?xf32>, tensor<?xf32> -> tensor<1x?x?x?xf32>
  return %r : tensor<1x?x?x?xf32>
}
