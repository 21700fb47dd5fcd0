// RUN: posenc-opt %s --posenc-attention --remarks-filter='posenc.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --implicit-check-not="memref<?x?xf32>,"

!heads = memref<?x?x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>

// Keys are lanes of decode: the table is a vector load, the buckets are not.
func.func @decode(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %t: memref<?x?xf32>, %w: memref<32xf32>, %scale: f32) {
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_decode<key_block = 64, rows = 4, split = 1>)
      score(%x, %b, %h, %i, %j) {
        %c31 = arith.constant 31 : index
        %bias = memref.load %t[%i, %j] : memref<?x?xf32>
        %distance = arith.subi %i, %j : index
        %bucket = arith.minsi %distance, %c31 : index
        %zero = arith.constant 0 : index
        %at = arith.maxsi %bucket, %zero : index
        // CHECK: :[[@LINE+1]]:19: remark: [Missed] attention | {{.*}} | Reason="its last index is not the next one from lane to lane", Remark="'posenc.attention' gathers from a memref<32xf32>, an element a lane"
        %weight = memref.load %w[%at] : memref<32xf32>
        %sum = arith.addf %bias, %weight : f32
        %y = arith.addf %x, %sum : f32
        posenc.yield %y : f32
      }
  return
}
