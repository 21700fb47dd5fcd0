// RUN: posenc-opt %s --posenc-attach-target="cpu=x86-64-v4" --posenc-schedule | FileCheck %s
// RUN: posenc-opt %s --posenc-attach-target="cpu=x86-64-v3" --posenc-schedule | FileCheck %s --check-prefix=AVX2
// RUN: posenc-opt %s --posenc-attach-target="cpu=generic-aarch64" --posenc-schedule | FileCheck %s --check-prefix=NEON

!q = memref<1x8x128x64xf32>
!one = memref<1x8x1x64xf32>
!k = memref<1x2x?x64xf32>
!wide = memref<1x1x?x576xf32>

// CHECK-LABEL: func @prefill
//       CHECK:   schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>)
// AVX2-LABEL: func @prefill
//       AVX2:   schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 16, rows = 6>)
// NEON-LABEL: func @prefill
//       NEON:   schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 16, rows = 5>)
func.func @prefill(%q: !q, %k: !k, %scale: f32) {
  posenc.attention query(%q : !q) key(%k : !k) value(%k : !k) scale(%scale) outs(%q : !q)
  return
}

// Eight units a sequence for each of two key heads.

// CHECK-LABEL: func @decode
//       CHECK:   schedule(#posenc.cpu_decode<key_block = 256, rows = 4, split = 8>)
func.func @decode(%q: !one, %k: !k, %scale: f32) {
  posenc.attention query(%q : !one) key(%k : !k) value(%k : !k) scale(%scale) outs(%q : !one)
  return
}

// Keys and values of a large head leave room in the cache.

// AVX2-LABEL: func @large_head
//       AVX2:   schedule(#posenc.cpu_prefill<query_block = 64, key_block = 16,
func.func @large_head(%q: !wide, %scale: f32) {
  posenc.attention query(%q : !wide) key(%q : !wide) value(%q : !wide) scale(%scale) outs(%q : !wide)
  return
}

// CHECK-LABEL: func @scheduled_by_the_user
//       CHECK:   schedule(#posenc.cpu_prefill<query_block = 32, key_block = 32, lanes = 32, rows = 4>)
func.func @scheduled_by_the_user(%q: !q, %k: !k, %scale: f32) {
  posenc.attention query(%q : !q) key(%k : !k) value(%k : !k) scale(%scale) outs(%q : !q)
    schedule(#posenc.cpu_prefill<query_block = 32, key_block = 32, lanes = 32, rows = 4>)
  return
}
