// RUN: posenc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @attention_c1(%q: tensor<2x8x3x16xf32>, %k: tensor<1x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{'query' (b, h, l, d) is [2, 8, 3, 16] and 'key' [1, 2, 5, 16]; they must agree on the batch size}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<1x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c1_value(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<1x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{'query' (b, h, l, d) is [2, 8, 3, 16] and 'value' [1, 2, 5, 4]; they must agree on the batch size}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<1x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c1_output(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<1x8x3x4xf32>) {
  // expected-error @+1 {{'query' (b, h, l, d) is [2, 8, 3, 16] and 'output_init' [1, 8, 3, 4]; they must agree on the batch size}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<1x8x3x4xf32>) -> tensor<1x8x3x4xf32>
  return
}

// -----

func.func @attention_c2(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{'query' (b, h, l, d) is [2, 8, 3, 16] and 'key' [2, 2, 5, 8]; they must agree on the head size}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x8xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c2_dynamic(%q: tensor<2x8x3x?xf32>, %k: tensor<2x2x5x?xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{'query' (b, h, l, d) is [2, 8, 3, ?], 'key' [2, 2, 5, ?], 'value' [2, 2, 5, 4]; head sizes must be static: specialise the graph to its head size}}
  %r = posenc.attention query(%q : tensor<2x8x3x?xf32>) key(%k : tensor<2x2x5x?xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c3_heads(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x4x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{'key' (b, h, l, d) is [2, 2, 5, 16] and 'value' [2, 4, 5, 4]; they must agree on the number of heads}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x4x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c3_rows(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x6x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{'key' (b, h, l, d) is [2, 2, 5, 16] and 'value' [2, 2, 6, 4]; they must agree on the number of rows}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x6x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c3_group(%q: tensor<2x8x3x16xf32>, %k: tensor<2x3x5x16xf32>, %v: tensor<2x3x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{has 8 query heads and 3 key heads; the second must divide the first}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x3x5x16xf32>) value(%v : tensor<2x3x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c4_heads(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x4x3x4xf32>) {
  // expected-error @+1 {{'query' (b, h, l, d) is [2, 8, 3, 16] and 'output_init' [2, 4, 3, 4]; they must agree on the number of heads}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x4x3x4xf32>) -> tensor<2x4x3x4xf32>
  return
}

// -----

func.func @attention_c4_rows(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x4x4xf32>) {
  // expected-error @+1 {{'query' (b, h, l, d) is [2, 8, 3, 16] and 'output_init' [2, 8, 4, 4]; they must agree on the number of rows}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  return
}

// -----

func.func @attention_c4_size(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x16xf32>) {
  // expected-error @+1 {{'value' (b, h, l, d) is [2, 2, 5, 4] and 'output_init' [2, 8, 3, 16]; they must agree on the head size of values}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x16xf32>) -> tensor<2x8x3x16xf32>
  return
}

// -----

func.func @attention_c4_layout(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{'query' (b, h, l, d) is [2, 8, 3, 16] and 'output_init' [2, 3, 8, 4]; they must agree on the number of heads}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) layouts(bhld, bhld, bhld, blhd) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c5(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>, %l: tensor<2x8x4xf32>) {
  // expected-error @+1 {{'logsumexp_init' is [2, 8, 4]; for 'query' (b, h, l, d) [2, 8, 3, 16] it must be [2, 8, 3]}}
  %r:2 = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) logsumexp(%l : tensor<2x8x4xf32>) -> tensor<2x8x3x4xf32>, tensor<2x8x4xf32>
  return
}

// -----

func.func @attention_c5_sinks(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>, %k8: tensor<2xf32>) {
  // expected-error @+1 {{has 2 'sinks' for 8 query heads; one each is needed}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s) sinks(%k8 : tensor<2xf32>)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c6_mixed(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: memref<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{mixes tensors and memrefs; all shaped operands must be of one kind}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : memref<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c6_results(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>, %l: tensor<2x8x3xf32>) {
  // expected-error @+1 {{has 1 results for 2 destinations; on tensors each destination has one result, on memrefs there are none}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) logsumexp(%l : tensor<2x8x3xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c6_memrefs(%q: memref<2x8x3x16xf32>, %k: memref<2x2x5x16xf32>, %v: memref<2x2x5x4xf32>, %s: f32, %o: memref<2x8x3x4xf32>) {
  // expected-error @+1 {{has 1 results for 1 destinations; on tensors each destination has one result, on memrefs there are none}}
  %r = posenc.attention query(%q : memref<2x8x3x16xf32>) key(%k : memref<2x2x5x16xf32>) value(%v : memref<2x2x5x4xf32>) scale(%s)
      outs(%o : memref<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c6_type(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{result type 'tensor<2x8x?x4xf32>' differs from its destination's 'tensor<2x8x3x4xf32>'}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x?x4xf32>
  return
}

// -----

func.func @attention_c7_lanes_alone(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{needs 'rotate_query' and 'query_lanes' together, the lanes within a head of 16}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) query_lanes(<half, first = 0, count = 16>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c7_region_alone(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{needs 'rotate_query' and 'query_lanes' together, the lanes within a head of 16}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) rotate_query(%b, %h, %i, %pair) {
        posenc.yield %s, %s : f32, f32
      } -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c7_key(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{needs 'rotate_key' and 'key_lanes' together, the lanes within a head of 16}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) key_lanes(<half, first = 4, count = 16>) rotate_key(%b, %g, %j, %pair) {
        posenc.yield %s, %s : f32, f32
      } -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c8_op(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{region 'score' holds 'test.op', which is not a formula op: only scalar arith and math, element reads, dims, posenc.cos_sin, and scf.for over indices with constant bounds, a positive step and at most 1024 trips are}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) score(%x, %b, %h, %i, %j) {
        "test.op"() : () -> ()
        posenc.yield %x : f32
      } -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c8_step(%q: tensor<2x8x3x16xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %minus = arith.constant -1 : index
  %many = arith.constant 1025 : index
  %one = arith.constant 1 : index
  // expected-error @+1 {{region 'score' holds 'scf.for', which is not a formula op}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%q : tensor<2x8x3x16xf32>) value(%q : tensor<2x8x3x16xf32>) scale(%s)
      outs(%q : tensor<2x8x3x16xf32>) score(%x, %b, %h, %i, %j) {
        %y = scf.for %t = %c0 to %c3 step %minus iter_args(%a = %x) -> f32 {
          %z = arith.addf %a, %a : f32
          scf.yield %z : f32
        }
        posenc.yield %y : f32
      } -> tensor<2x8x3x16xf32>
  return
}

// -----

func.func @attention_c8_bounds(%q: tensor<2x8x3x16xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %minus = arith.constant -1 : index
  %many = arith.constant 1025 : index
  %one = arith.constant 1 : index
  // expected-error @+1 {{region 'score' holds 'scf.for', which is not a formula op}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%q : tensor<2x8x3x16xf32>) value(%q : tensor<2x8x3x16xf32>) scale(%s)
      outs(%q : tensor<2x8x3x16xf32>) score(%x, %b, %h, %i, %j) {
        %y = scf.for %t = %j to %c3 step %one iter_args(%a = %x) -> f32 {
          %z = arith.addf %a, %a : f32
          scf.yield %z : f32
        }
        posenc.yield %y : f32
      } -> tensor<2x8x3x16xf32>
  return
}

// -----

func.func @attention_c8_trips(%q: tensor<2x8x3x16xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %minus = arith.constant -1 : index
  %many = arith.constant 1025 : index
  %one = arith.constant 1 : index
  // expected-error @+1 {{region 'score' holds 'scf.for', which is not a formula op}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%q : tensor<2x8x3x16xf32>) value(%q : tensor<2x8x3x16xf32>) scale(%s)
      outs(%q : tensor<2x8x3x16xf32>) score(%x, %b, %h, %i, %j) {
        %y = scf.for %t = %c0 to %many step %one iter_args(%a = %x) -> f32 {
          %z = arith.addf %a, %a : f32
          scf.yield %z : f32
        }
        posenc.yield %y : f32
      } -> tensor<2x8x3x16xf32>
  return
}

// -----

func.func @attention_c8_nested_loops(%q: tensor<2x8x3x16xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %one = arith.constant 1 : index
  // expected-error @+1 {{region 'score' holds 'scf.for', which is not a formula op}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%q : tensor<2x8x3x16xf32>) value(%q : tensor<2x8x3x16xf32>) scale(%s)
      outs(%q : tensor<2x8x3x16xf32>) score(%x, %b, %h, %i, %j) {
        %y = scf.for %t = %c0 to %c40 step %one iter_args(%a = %x) -> f32 {
          %z = scf.for %u = %c0 to %c40 step %one iter_args(%w = %a) -> f32 {
            %v = arith.addf %w, %w : f32
            scf.yield %v : f32
          }
          scf.yield %z : f32
        }
        posenc.yield %y : f32
      } -> tensor<2x8x3x16xf32>
  return
}

// -----

func.func @attention_c8_loop_type(%q: tensor<2x8x3x16xf32>, %s: f32) {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %one = arith.constant 1 : i32
  // expected-error @+1 {{region 'score' holds 'scf.for', which is not a formula op}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%q : tensor<2x8x3x16xf32>) value(%q : tensor<2x8x3x16xf32>) scale(%s)
      outs(%q : tensor<2x8x3x16xf32>) score(%x, %b, %h, %i, %j) {
        %y = scf.for %t = %c0 to %c3 step %one iter_args(%a = %x) -> f32 : i32 {
          %z = arith.addf %a, %a : f32
          scf.yield %z : f32
        }
        posenc.yield %y : f32
      } -> tensor<2x8x3x16xf32>
  return
}

// -----

func.func @attention_c8_vector(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>, %w: vector<4xf32>) {
  // expected-error @+1 {{region 'score' holds 'arith.addf', which is not a formula op}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) score(%x, %b, %h, %i, %j) {
        %y = arith.addf %w, %w : vector<4xf32>
        posenc.yield %x : f32
      } -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c8_loop(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{region 'score' holds 'scf.for', which is not a formula op}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) score(%x, %b, %h, %i, %j) {
        %c1 = arith.constant 1 : index
        scf.for %n = %c1 to %i step %c1 {
        }
        posenc.yield %x : f32
      } -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c8_yield(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{region 'mask' yields ('f32'); it must yield ('i1')}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s)
      outs(%o : tensor<2x8x3x4xf32>) mask(%b, %h, %i, %j) {
        posenc.yield %s : f32
      } -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @attention_c9(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>, %t: tensor<3x4xi32>) {
  // expected-error @+1 {{'block_table' has 3 rows for a batch of 2; one row of page numbers a sequence is needed}}
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s) block_table(%t : tensor<3x4xi32>)
      outs(%o : tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @arguments_of_a_region(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s) outs(%o : tensor<2x8x3x4xf32>)
      // expected-error @+1 {{region 'mask' takes 4 arguments}}
      mask(%b, %h, %i) {
        %c = arith.constant true
        posenc.yield %c : i1
      } -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @layout_keyword(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  %r = posenc.attention query(%q : tensor<2x8x3x16xf32>) key(%k : tensor<2x2x5x16xf32>) value(%v : tensor<2x2x5x4xf32>) scale(%s) outs(%o : tensor<2x8x3x4xf32>)
      // expected-error @+1 {{expected 'bhld' or 'blhd'}}
      layouts(bhld, bhld, bshd, bhld) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error @+1 {{'posenc.yield' op expects parent op 'posenc.attention'}}
  posenc.yield
}
