// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @one_side
//       CHECK:   posenc.window left(%{{.*}}) : tensor<1x1x3x5xi1>
//       CHECK:   posenc.window right(%{{.*}}) : tensor<1x1x3x5xi1>
func.func @one_side(%distance: index) -> (tensor<1x1x3x5xi1>, tensor<1x1x3x5xi1>) {
  %left = posenc.window left(%distance) : tensor<1x1x3x5xi1>
  %right = posenc.window right(%distance) : tensor<1x1x3x5xi1>
  return %left, %right : tensor<1x1x3x5xi1>, tensor<1x1x3x5xi1>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.window sizes(%{{.*}}, %{{.*}}) left(%{{.*}}) right(%{{.*}}) offset(%{{.*}}) : tensor<1x1x?x?xi1>
func.func @everything(%lq: index, %lk: index, %left: index, %right: index,
                      %offset: index) -> tensor<1x1x?x?xi1> {
  %mask = posenc.window sizes(%lq, %lk) left(%left) right(%right) offset(%offset) : tensor<1x1x?x?xi1>
  return %mask : tensor<1x1x?x?xi1>
}

// CHECK-LABEL: func @dilated
//       CHECK:   posenc.window left(%{{.*}}) {dilation = 2 : i64} : tensor<1x1x3x5xi1>
func.func @dilated(%distance: index) -> tensor<1x1x3x5xi1> {
  %mask = posenc.window left(%distance) {dilation = 2 : i64} : tensor<1x1x3x5xi1>
  return %mask : tensor<1x1x3x5xi1>
}
