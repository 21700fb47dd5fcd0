// RUN: posenc-opt %s --posenc-stage-tables --remarks-filter='posenc.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s

!q = tensor<1x4x?x8xf32>

// CHECK: remark: [Passed] stage-tables | {{.*}} | Remark="'posenc.attention' reads a table of type tensor<?xf32>, computed once a call by key minus query row"
// CHECK: remark: [Passed] stage-tables | {{.*}} | Remark="'posenc.attention' reads a table of type tensor<?xf32>, computed once a call by key row"
func.func @distance(%q: !q, %scale: f32, %init: !q) -> !q {
  %r = posenc.attention query(%q : !q) key(%q : !q) value(%q : !q) scale(%scale) outs(%init : !q)
    score(%x, %b, %h, %i, %j) {
      %d = arith.subi %j, %i : index
      %d32 = arith.index_cast %d : index to i32
      %df = arith.sitofp %d32 : i32 to f32
      %e = math.exp %df : f32
      %j32 = arith.index_cast %j : index to i32
      %jf = arith.sitofp %j32 : i32 to f32
      %s = math.sqrt %jf : f32
      %w = arith.mulf %e, %s : f32
      %y = arith.addf %x, %w : f32
      posenc.yield %y : f32
    } -> !q
  return %r : !q
}

// What depends on row and key, and not on their distance, fits no table.

// CHECK: remark: [Passed] stage-tables | {{.*}} | Remark="'posenc.attention' reads a table of 28 bytes, computed once a call by query row"
// CHECK: remark: [Missed] stage-tables | {{.*}} | Reason="it depends on both, and not on their distance alone", Remark="'math.exp' is computed for every query row and key of 'posenc.attention' at {{.*}}"
func.func @both(%q: tensor<1x4x7x8xf32>, %scale: f32) -> tensor<1x4x7x8xf32> {
  %r = posenc.attention query(%q : tensor<1x4x7x8xf32>) key(%q : tensor<1x4x7x8xf32>) value(%q : tensor<1x4x7x8xf32>)
    scale(%scale) outs(%q : tensor<1x4x7x8xf32>)
    score(%x, %b, %h, %i, %j) {
      %p = arith.muli %i, %j : index
      %p32 = arith.index_cast %p : index to i32
      %pf = arith.sitofp %p32 : i32 to f32
      %e = math.exp %pf : f32
      %i32 = arith.index_cast %i : index to i32
      %if = arith.sitofp %i32 : i32 to f32
      %s = math.sqrt %if : f32
      %w = arith.mulf %e, %s : f32
      %y = arith.addf %x, %w : f32
      posenc.yield %y : f32
    } -> tensor<1x4x7x8xf32>
  return %r : tensor<1x4x7x8xf32>
}
