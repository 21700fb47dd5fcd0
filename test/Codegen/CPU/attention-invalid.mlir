// RUN: posenc-opt %s --posenc-attention --split-input-file --verify-diagnostics

!heads = memref<?x?x?x64xf32>
func.func @no_schedule(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %scale: f32) {
  // expected-error @below {{has no CPU schedule; give it one}}
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
  return
}

// -----

!heads = memref<?x?x?x64xf32>
func.func @paged(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %pages: memref<?x?xi32>, %scale: f32) {
  // expected-error @below {{has a 'block_table', which the CPU kernels do not read}}
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      block_table(%pages : memref<?x?xi32>) outs(%o : !heads)
      schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>)
  return
}

// -----

!heads = memref<?x?x?x64xf32>
func.func @lanes(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %scale: f32) {
  // expected-error @below {{has a prefill schedule of 24 lanes; they must be a multiple of 16}}
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 24, rows = 6>)
  return
}

// -----

!heads = memref<?x?x?x64xf32>
func.func @decode_lanes(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %scale: f32) {
  // expected-error @below {{has a decode schedule of 32 lanes; they must be 4, 8 or 16}}
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_decode<key_block = 64, rows = 4, split = 1, lanes = 32>)
  return
}

// -----

!heads = memref<?x?x?x64xf32>
func.func @rows(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %scale: f32) {
  // expected-error @below {{has a decode schedule of 3 rows; they must divide 16}}
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_decode<key_block = 64, rows = 3, split = 1>)
  return
}

// -----

!heads = memref<?x?x?x64xf32>
!strided = memref<?x?x?x64xf32, strided<[?, ?, ?, 2]>>
func.func @stride(%q: !strided, %k: !heads, %v: !heads, %o: !heads, %scale: f32) {
  // expected-error @below {{its last dimension must have stride 1}}
  posenc.attention query(%q : !strided) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>)
  return
}
