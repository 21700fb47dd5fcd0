// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @whole
//       CHECK:   posenc.token_positions %{{.*}} {first = 0 : i64, padding = -1 : i64} : tensor<?x?xi1> -> tensor<?x?xi64>
func.func @whole(%m: tensor<?x?xi1>) {
  %0 = posenc.token_positions %m {first = 0 : i64, padding = -1 : i64} : tensor<?x?xi1> -> tensor<?x?xi64>
  return
}

// CHECK-LABEL: func @last
//       CHECK:   posenc.token_positions %{{.*}} length(%{{.*}}) offset(%{{.*}}) {first = 0 : i64, padding = -1 : i64} : tensor<2x9xi1> -> tensor<2x?xi32>
func.func @last(%m: tensor<2x9xi1>, %l: index, %o: index) {
  %0 = posenc.token_positions %m length(%l) offset(%o) {first = 0 : i64, padding = -1 : i64} : tensor<2x9xi1> -> tensor<2x?xi32>
  return
}
