// RUN: posenc-opt %s --posenc-tile-classes | FileCheck %s

!x = tensor<2x4x?x8xf32>

// Comparisons linear in j give exact bounds: no tile is asked.

// CHECK-LABEL: func @causal
//       CHECK:   %[[KEYS:.*]] = tensor.dim %{{.*}}, %c2
//       CHECK:   bounds(%{{.*}}, %{{.*}}, %[[I0:.*]], %[[I1:.*]]) {
//   CHECK-DAG:     %[[SEEN:.*]] = arith.addi %[[I0]], %c1
//   CHECK-DAG:     %[[LAST:.*]] = arith.minsi %[[I1]], %[[KEYS]]
//       CHECK:     %[[HI:.*]] = arith.maxsi %[[LAST]], %c0
//       CHECK:     %[[FULL:.*]] = arith.minsi %[[SEEN]], %[[HI]]
//       CHECK:     %[[FULL_HI:.*]] = arith.maxsi %[[FULL]], %c0
//       CHECK:     posenc.yield %c0, %c0, %[[FULL_HI]], %[[HI]]
//   CHECK-NOT:   tile
//       CHECK:   return
func.func @causal(%x: !x, %scale: f32) -> !x {
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x)
    mask(%b, %h, %i, %j) {
      %visible = arith.cmpi sle, %j, %i : index
      posenc.yield %visible : i1
    } -> !x
  return %r : !x
}

// A length that the mask reads for the batch is read once a block of rows.

// CHECK-LABEL: func @padding
//  CHECK-SAME:   %[[LENGTHS:[a-z0-9]+]]: tensor<2xi64>
//   CHECK-NOT:   linalg.generic
//       CHECK:   bounds(%[[B:.*]], %{{.*}}, %{{.*}}, %{{.*}}) {
//       CHECK:     tensor.extract %[[LENGTHS]][%[[B]]]
//   CHECK-NOT:   tile
//       CHECK:   return
func.func @padding(%lengths: tensor<2xi64>, %x: !x, %scale: f32) -> !x {
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x)
    mask(%b, %h, %i, %j) {
      %length = tensor.extract %lengths[%b] : tensor<2xi64>
      %end = arith.index_cast %length : i64 to index
      %visible = arith.cmpi slt, %j, %end : index
      posenc.yield %visible : i1
    } -> !x
  return %r : !x
}

// Document ids have the least and the greatest of each block of 64 in a table.

// CHECK-LABEL: func @documents
//  CHECK-SAME:   %[[IDS:[a-z0-9]+]]: tensor<2x?xi32>
//       CHECK:   %[[COUNT:.*]] = arith.ceildivsi %{{.*}}, %c64
//       CHECK:   %[[BLOCKS:.*]] = arith.maxsi %[[COUNT]], %c1
//       CHECK:   tensor.empty(%[[BLOCKS]]) : tensor<2x?xi32>
//       CHECK:   %[[TABLE:.*]]:2 = linalg.generic
//       CHECK:     scf.for
//       CHECK:       tensor.extract %[[IDS]]
//       CHECK:   posenc.attention
//       CHECK:   tile(
//       CHECK:     tensor.extract %[[TABLE]]#0
//   CHECK-NOT:     tensor.extract %[[IDS]]
//       CHECK:     posenc.yield %{{.*}}, %{{.*}} : i1, i1
func.func @documents(%ids: tensor<2x?xi32>, %x: !x, %scale: f32) -> !x {
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x)
    mask(%b, %h, %i, %j) {
      %q_id = tensor.extract %ids[%b, %i] : tensor<2x?xi32>
      %k_id = tensor.extract %ids[%b, %j] : tensor<2x?xi32>
      %same = arith.cmpi eq, %q_id, %k_id : i32
      posenc.yield %same : i1
    } -> !x
  return %r : !x
}

// A mask that is always true has all keys in the full range.

// CHECK-LABEL: func @everything
//       CHECK:   %[[KEYS:.*]] = tensor.dim
//       CHECK:   bounds
//       CHECK:     posenc.yield %c0, %c0, %[[KEYS]], %[[KEYS]]
func.func @everything(%x: !x, %scale: f32) -> !x {
  %true = arith.constant true
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x)
    mask(%b, %h, %i, %j) {
      posenc.yield %true : i1
    } -> !x
  return %r : !x
}

// Without a mask there is nothing to say.

// CHECK-LABEL: func @no_mask
//   CHECK-NOT:   bounds
//       CHECK:   return
func.func @no_mask(%x: !x, %scale: f32) -> !x {
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x) -> !x
  return %r : !x
}

// A map of blocks is read by the block: the elements that a tile meets, no table.

// CHECK-LABEL: func @blocks
//   CHECK-NOT:   linalg.generic
//       CHECK:   tile(
// CHECK-COUNT-4:   tensor.extract %{{.*}} : tensor<4x?x?xi1>
//   CHECK-NOT:     tensor.extract
//       CHECK:     posenc.yield
func.func @blocks(%map: tensor<4x?x?xi1>, %x: !x, %scale: f32) -> !x {
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x)
    mask(%b, %h, %i, %j) {
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %row = arith.divsi %i, %c128 : index
      %key = arith.divsi %j, %c64 : index
      %m = tensor.extract %map[%h, %row, %key] : tensor<4x?x?xi1>
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// Of rows one by one and keys by the block, the table is over rows.

// CHECK-LABEL: func @rows_by_blocks
//       CHECK:   linalg.generic
//       CHECK:   tile(
//       CHECK:     posenc.yield %{{[^t].*}}, %{{[^f].*}} : i1, i1
func.func @rows_by_blocks(%map: tensor<?x?xi1>, %x: !x, %scale: f32) -> !x {
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x)
    mask(%b, %h, %i, %j) {
      %c64 = arith.constant 64 : index
      %key = arith.divsi %j, %c64 : index
      %m = tensor.extract %map[%i, %key] : tensor<?x?xi1>
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// Of rows and keys one by one nothing is known.

// CHECK-LABEL: func @elements
//   CHECK-NOT:   linalg.generic
//   CHECK-NOT:   tile(
//       CHECK:   return
func.func @elements(%map: tensor<?x?xi1>, %x: !x, %scale: f32) -> !x {
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x)
    mask(%b, %h, %i, %j) {
      %m = tensor.extract %map[%i, %j] : tensor<?x?xi1>
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}
