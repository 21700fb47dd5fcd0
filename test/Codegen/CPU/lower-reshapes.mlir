// RUN: posenc-opt %s --posenc-lower-reshapes | FileCheck %s

// CHECK-DAG: #[[$ROWS:.*]] = affine_map<()[s0, s1] -> (s0 * s1)>
// CHECK-DAG: #[[$ALL:.*]] = affine_map<()[s0, s1] -> ((s0 * s1) * 3)>

// CHECK-LABEL: func @several(
//  CHECK-SAME:   %[[ROW:.*]]: memref<?x4xf32, strided<[?, ?], offset: ?>>, %[[B:.*]]: index, %[[R:.*]]: index)
//       CHECK:   %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[ROW]]
//   CHECK-DAG:   %[[MIDDLE:.*]] = affine.apply #[[$ROWS]]()[%[[STRIDES]]#0, %[[R]]]
//   CHECK-DAG:   %[[OUTER:.*]] = affine.apply #[[$ALL]]()[%[[STRIDES]]#0, %[[R]]]
//       CHECK:   memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%[[B]], 3, %[[R]], 4], strides: [%[[OUTER]], %[[MIDDLE]], %[[STRIDES]]#0, %[[STRIDES]]#1]
//   CHECK-NOT:   memref.expand_shape
func.func @several(%row: memref<?x4xf32, strided<[?, ?], offset: ?>>, %b: index, %r: index)
    -> memref<?x3x?x4xf32, strided<[?, ?, ?, ?], offset: ?>> {
  %0 = memref.expand_shape %row [[0, 1, 2], [3]] output_shape [%b, 3, %r, 4]
      : memref<?x4xf32, strided<[?, ?], offset: ?>> into memref<?x3x?x4xf32, strided<[?, ?, ?, ?], offset: ?>>
  return %0 : memref<?x3x?x4xf32, strided<[?, ?, ?, ?], offset: ?>>
}

// One dynamic extent a group is upstream's.
// CHECK-LABEL: func @one(
//       CHECK:   memref.expand_shape
func.func @one(%row: memref<?x?xf32>, %b: index, %r: index) -> memref<?x3x?x4xf32> {
  %0 = memref.expand_shape %row [[0, 1], [2, 3]] output_shape [%b, 3, %r, 4]
      : memref<?x?xf32> into memref<?x3x?x4xf32>
  return %0 : memref<?x3x?x4xf32>
}
