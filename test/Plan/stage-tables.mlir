// RUN: posenc-opt %s --posenc-stage-tables | FileCheck %s

!q = tensor<2x4x?x8xf32>

// A gather by a clipped distance is staged by i - j, in the order of i.

// CHECK-LABEL: func @clipped_distance
//       CHECK:   %[[TABLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x?xf32>)
//       CHECK:     %[[HEAD:.*]] = linalg.index 0
//       CHECK:     tensor.extract %{{.*}}[%{{.*}}, %[[HEAD]]] : tensor<32x4xf32>
//       CHECK:   posenc.attention
//       CHECK:     score(%[[X:.*]], %{{.*}}, %[[H:.*]], %[[I:.*]], %[[J:.*]]) {
//   CHECK-DAG:       %[[LAST:.*]] = arith.subi %{{.*}}, %c1
//   CHECK-DAG:       %[[D:.*]] = arith.subi %[[I]], %[[J]]
//       CHECK:       %[[AT:.*]] = arith.addi %[[D]], %[[LAST]]
//       CHECK:       %[[W:.*]] = tensor.extract %[[TABLE]][%[[H]], %[[AT]]]
//  CHECK-NEXT:       arith.addf %[[X]], %[[W]]
func.func @clipped_distance(%q: !q, %scale: f32, %init: !q, %bias: tensor<32x4xf32>) -> !q {
  %c31 = arith.constant 31 : index
  %c0 = arith.constant 0 : index
  %r = posenc.attention query(%q : !q) key(%q : !q) value(%q : !q) scale(%scale) outs(%init : !q)
    score(%x, %b, %h, %i, %j) {
      %d = arith.subi %j, %i : index
      %n = arith.minsi %d, %c31 : index
      %p = arith.maxsi %n, %c0 : index
      %w = tensor.extract %bias[%p, %h] : tensor<32x4xf32>
      %y = arith.addf %x, %w : f32
      posenc.yield %y : f32
    } -> !q
  return %r : !q
}

// A slope times the distance is cheaper computed.

// CHECK-LABEL: func @slope
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @slope(%q: !q, %scale: f32, %init: !q, %slopes: tensor<4xf32>) -> !q {
  %r = posenc.attention query(%q : !q) key(%q : !q) value(%q : !q) scale(%scale) outs(%init : !q)
    score(%x, %b, %h, %i, %j) {
      %slope = tensor.extract %slopes[%h] : tensor<4xf32>
      %d = arith.subi %j, %i : index
      %d32 = arith.index_cast %d : index to i32
      %df = arith.sitofp %d32 : i32 to f32
      %w = arith.mulf %df, %slope : f32
      %y = arith.addf %x, %w : f32
      posenc.yield %y : f32
    } -> !q
  return %r : !q
}

// A logarithm of the row is staged by row; one of the score is not.

// CHECK-LABEL: func @row
//       CHECK:   %[[TABLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?xf32>)
//       CHECK:     math.log
//       CHECK:   score(%[[X:.*]], %{{.*}}, %{{.*}}, %[[I:.*]], %{{.*}}) {
//       CHECK:     %[[L:.*]] = tensor.extract %[[TABLE]][%[[I]]]
//       CHECK:     %[[T:.*]] = math.tanh %[[X]]
//       CHECK:     arith.mulf %[[T]], %[[L]]
func.func @row(%q: !q, %scale: f32, %init: !q) -> !q {
  %r = posenc.attention query(%q : !q) key(%q : !q) value(%q : !q) scale(%scale) outs(%init : !q)
    score(%x, %b, %h, %i, %j) {
      %i32 = arith.index_cast %i : index to i32
      %if = arith.sitofp %i32 : i32 to f32
      %l = math.log %if : f32
      %t = math.tanh %x : f32
      %y = arith.mulf %t, %l : f32
      posenc.yield %y : f32
    } -> !q
  return %r : !q
}

// Angles are computed once a call, cosine and sine by one op, a table a batch
// where positions differ by batch.

// CHECK-LABEL: func @angles
//       CHECK:   %[[Q:.*]]:2 = linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<2x?x4xf32>, tensor<2x?x4xf32>)
//       CHECK:     posenc.cos_sin
//       CHECK:   %[[K:.*]]:2 = linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>)
//       CHECK:     posenc.cos_sin
//       CHECK:   rotate_query(%[[B:.*]], %{{.*}}, %[[I:.*]], %[[P:.*]]) {
//   CHECK-DAG:     %[[C:.*]] = tensor.extract %[[Q]]#0[%[[B]], %[[I]], %[[P]]]
//   CHECK-DAG:     %[[S:.*]] = tensor.extract %[[Q]]#1[%[[B]], %[[I]], %[[P]]]
//       CHECK:     posenc.yield %[[C]], %[[S]]
//       CHECK:   rotate_key(%{{.*}}, %{{.*}}, %[[J:.*]], %[[P:.*]]) {
//       CHECK:     tensor.extract %[[K]]#{{[01]}}[%[[J]], %[[P]]]
func.func @angles(%q: !q, %scale: f32, %init: !q, %frequencies: tensor<4xf32>, %positions: tensor<2x?xi64>) -> !q {
  %lo = arith.constant 0.0 : f32
  %r = posenc.attention query(%q : !q) key(%q : !q) value(%q : !q) scale(%scale) outs(%init : !q)
    query_lanes(<half, first = 0, count = 8>) key_lanes(<half, first = 0, count = 8>)
    rotate_query(%b, %h, %i, %p) {
      %position = tensor.extract %positions[%b, %i] : tensor<2x?xi64>
      %f = arith.sitofp %position : i64 to f32
      %hi = tensor.extract %frequencies[%p] : tensor<4xf32>
      %c, %s = posenc.cos_sin %f, %hi, %lo : f32
      posenc.yield %c, %s : f32, f32
    } rotate_key(%b, %h, %j, %p) {
      %j32 = arith.index_cast %j : index to i32
      %f = arith.sitofp %j32 : i32 to f32
      %hi = tensor.extract %frequencies[%p] : tensor<4xf32>
      %c, %s = posenc.cos_sin %f, %hi, %lo : f32
      posenc.yield %c, %s : f32, f32
    } -> !q
  return %r : !q
}

// What every row of a table has in common is computed once.

// CHECK-LABEL: func @columns
//       CHECK:   %[[COLUMNS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
//       CHECK:     math.exp2
//       CHECK:   linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>)
//   CHECK-NOT:     math.exp2
//       CHECK:     %[[PAIR:.*]] = linalg.index 1
//       CHECK:     %[[TURNS:.*]] = tensor.extract %[[COLUMNS]][%[[PAIR]]]
//       CHECK:     posenc.cos_sin %{{.*}}, %[[TURNS]], %{{.*}}
//       CHECK:   posenc.attention
func.func @columns(%q: !q, %scale: f32, %init: !q, %growth: f32) -> !q {
  %r = posenc.attention query(%q : !q) key(%q : !q) value(%q : !q) scale(%scale) outs(%init : !q)
    query_lanes(<half, first = 0, count = 8>)
    rotate_query(%b, %h, %i, %pair) {
      %zero = arith.constant 0.0 : f32
      %i32 = arith.index_cast %i : index to i32
      %m = arith.sitofp %i32 : i32 to f32
      %p32 = arith.index_cast %pair : index to i32
      %p = arith.sitofp %p32 : i32 to f32
      %exponent = arith.mulf %p, %growth : f32
      %turns = math.exp2 %exponent : f32
      %cos, %sin = posenc.cos_sin %m, %turns, %zero : f32
      posenc.yield %cos, %sin : f32, f32
    } -> !q
  return %r : !q
}

// What is gathered by an index of both, for few rows and keys and several batch
// entries, is staged whole, in the order of lanes of rows.

!w = tensor<2x4x6x8xf32>

// CHECK-LABEL: func @window
//       CHECK:   %[[TABLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x6x6xf32>)
//       CHECK:     tensor.extract %{{.*}} : tensor<64x4xf32>
//       CHECK:   score(%[[X:.*]], %{{.*}}, %[[H:.*]], %[[I:.*]], %[[J:.*]]) {
//  CHECK-NEXT:     %[[W:.*]] = tensor.extract %[[TABLE]][%[[H]], %[[J]], %[[I]]]
//  CHECK-NEXT:     arith.addf %[[X]], %[[W]]
func.func @window(%q: !w, %scale: f32, %bias: tensor<64x4xf32>) -> !w {
  %r = posenc.attention query(%q : !w) key(%q : !w) value(%q : !w) scale(%scale) outs(%q : !w)
    score(%x, %b, %h, %i, %j) {
      %p = arith.muli %i, %j : index
      %w = tensor.extract %bias[%p, %h] : tensor<64x4xf32>
      %y = arith.addf %x, %w : f32
      posenc.yield %y : f32
    } -> !w
  return %r : !w
}

// One that is read where row and key say is in order already.

// CHECK-LABEL: func @dense
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @dense(%q: !w, %scale: f32, %bias: tensor<4x6x6xf32>) -> !w {
  %r = posenc.attention query(%q : !w) key(%q : !w) value(%q : !w) scale(%scale) outs(%q : !w)
    score(%x, %b, %h, %i, %j) {
      %w = tensor.extract %bias[%h, %i, %j] : tensor<4x6x6xf32>
      %y = arith.addf %x, %w : f32
      posenc.yield %y : f32
    } -> !w
  return %r : !w
}

// A single batch entry would read each but once, and many rows and keys are
// more than the table may hold.

// CHECK-LABEL: func @single
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @single(%q: tensor<1x4x6x8xf32>, %scale: f32, %bias: tensor<64xf32>) -> tensor<1x4x6x8xf32> {
  %r = posenc.attention query(%q : tensor<1x4x6x8xf32>) key(%q : tensor<1x4x6x8xf32>) value(%q : tensor<1x4x6x8xf32>)
    scale(%scale) outs(%q : tensor<1x4x6x8xf32>)
    score(%x, %b, %h, %i, %j) {
      %p = arith.muli %i, %j : index
      %w = tensor.extract %bias[%p] : tensor<64xf32>
      %y = arith.addf %x, %w : f32
      posenc.yield %y : f32
    } -> tensor<1x4x6x8xf32>
  return %r : tensor<1x4x6x8xf32>
}

// CHECK-LABEL: func @many
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @many(%q: tensor<2x4x513x8xf32>, %scale: f32, %bias: tensor<?xf32>) -> tensor<2x4x513x8xf32> {
  %r = posenc.attention query(%q : tensor<2x4x513x8xf32>) key(%q : tensor<2x4x513x8xf32>) value(%q : tensor<2x4x513x8xf32>)
    scale(%scale) outs(%q : tensor<2x4x513x8xf32>)
    score(%x, %b, %h, %i, %j) {
      %p = arith.muli %i, %j : index
      %w = tensor.extract %bias[%p] : tensor<?xf32>
      %y = arith.addf %x, %w : f32
      posenc.yield %y : f32
    } -> tensor<2x4x513x8xf32>
  return %r : tensor<2x4x513x8xf32>
}
