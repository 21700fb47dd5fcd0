// RUN: posenc-opt %s --posenc-decompose-scans | FileCheck %s
// RUN: posenc-opt %s | posenc-opt | FileCheck %s --check-prefix=KEPT

// Elements up to the own one count, from the neutral element on.
// KEPT: tm_tensor.scan dimension(1) inclusive(true) ins(%{{.*}} : tensor<1x9xi64>)
// CHECK-LABEL: func @inclusive
// CHECK-SAME:    %[[X:[^:]*]]: tensor<1x9xi64>
//      CHECK:   %[[ZERO:.*]] = arith.constant 0 : i64
//      CHECK:   %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : i64)
//      CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]] : tensor<1x9xi64>) outs(%[[INIT]] : tensor<1x9xi64>)
//  CHECK-DAG:     %[[I:.*]] = linalg.index 1
//  CHECK-DAG:     %[[J:.*]] = linalg.index 2
//      CHECK:     arith.cmpi sle, %[[J]], %[[I]]
//  CHECK-NOT:   linalg.generic
func.func @inclusive(%x: tensor<1x9xi64>, %init: tensor<1x9xi64>,
                     %total: tensor<1xi64>) -> tensor<1x9xi64> {
  %0:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<1x9xi64>)
      outs(%init, %total : tensor<1x9xi64>, tensor<1xi64>) {
  ^bb0(%a: i64, %b: i64):
    %sum = arith.addi %a, %b : i64
    tm_tensor.yield %sum : i64
  } -> tensor<1x9xi64>, tensor<1xi64>
  return %0#0 : tensor<1x9xi64>
}

// Without itself the scan starts from the accumulator; the total is a reduction.
// CHECK-LABEL: func @exclusive
// CHECK-SAME:    %[[TOTAL:[^:]*]]: tensor<?xf32>
//      CHECK:   linalg.broadcast ins(%[[TOTAL]] : tensor<?xf32>) {{.*}} dimensions = [0]
//      CHECK:     arith.cmpi slt
//      CHECK:   linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} {{.*}} outs(%[[TOTAL]] : tensor<?xf32>)
//      CHECK:     arith.mulf
func.func @exclusive(%total: tensor<?xf32>, %x: tensor<?x?xf32>, %init: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?xf32>) {
  %0:2 = tm_tensor.scan dimension(0) inclusive(false) ins(%x : tensor<?x?xf32>)
      outs(%init, %total : tensor<?x?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    tm_tensor.yield %product : f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?xf32>
}
