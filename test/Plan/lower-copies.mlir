// RUN: posenc-opt %s --posenc-lower-copies | FileCheck %s

// CHECK-LABEL: func @strided
//  CHECK-SAME:   %[[FROM:.*]]: memref<4x?xf32>, %[[TO:.*]]: memref<4x?xf32, strided<[?, 1]>>
//       CHECK:   linalg.generic {{.*}} ins(%[[FROM]] : {{.*}}) outs(%[[TO]] : {{.*}})
//   CHECK-NOT:   memref.copy
func.func @strided(%from: memref<4x?xf32>, %to: memref<4x?xf32, strided<[?, 1]>>) {
  memref.copy %from, %to : memref<4x?xf32> to memref<4x?xf32, strided<[?, 1]>>
  return
}
