// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.chunked {chunk = 3 : i64} : tensor<1x1x3x5xi1>
func.func @plain() -> tensor<1x1x3x5xi1> {
  %mask = posenc.chunked {chunk = 3 : i64} : tensor<1x1x3x5xi1>
  return %mask : tensor<1x1x3x5xi1>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.chunked sizes(%{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) starts(%{{.*}} : tensor<?xi32>) {chunk = 8192 : i64} : tensor<?x1x?x?xi1>
func.func @everything(%b: index, %lq: index, %lk: index, %offset: index,
                      %starts: tensor<?xi32>) -> tensor<?x1x?x?xi1> {
  %mask = posenc.chunked sizes(%b, %lq, %lk) offset(%offset) starts(%starts : tensor<?xi32>)
      {chunk = 8192 : i64} : tensor<?x1x?x?xi1>
  return %mask : tensor<?x1x?x?xi1>
}
