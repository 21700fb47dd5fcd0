// RUN: posenc-opt %s --posenc-raise-encodings --split-input-file | FileCheck %s

// CHECK-LABEL: func @half
//       CHECK:   %[[Q:.*]] = posenc.rotary %{{.*}} lanes(<half, first = 0, count = 16>)
//  CHECK-SAME:     frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x2x7x16xf32>
//       CHECK:   %[[K:.*]] = posenc.rotary
//       CHECK:   posenc.attention query(%[[Q]] : {{.*}}) key(%[[K]] :
func.func @half(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32) -> tensor<1x2x7x16xf32> {
  %frequencies = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %cos = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = arith.index_cast %i : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.cos %angle : f32
    tensor.yield %value : f32
  } : tensor<1x2x7x16xf32>
  %sin = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = arith.index_cast %i : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.sin %angle : f32
    tensor.yield %value : f32
  } : tensor<1x2x7x16xf32>
  %rq_lo = tensor.extract_slice %q[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rq_hi = tensor.extract_slice %q[0, 0, 0, 8] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rq_neg = arith.negf %rq_hi : tensor<1x2x7x8xf32>
  %rq_half = tensor.concat dim(3) %rq_neg, %rq_lo : (tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x7x16xf32>
  %rq_cos = arith.mulf %q, %cos : tensor<1x2x7x16xf32>
  %rq_sin = arith.mulf %rq_half, %sin : tensor<1x2x7x16xf32>
  %rq = arith.addf %rq_cos, %rq_sin : tensor<1x2x7x16xf32>
  %rk_lo = tensor.extract_slice %k[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rk_hi = tensor.extract_slice %k[0, 0, 0, 8] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rk_neg = arith.negf %rk_hi : tensor<1x2x7x8xf32>
  %rk_half = tensor.concat dim(3) %rk_neg, %rk_lo : (tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x7x16xf32>
  %rk_cos = arith.mulf %k, %cos : tensor<1x2x7x16xf32>
  %rk_sin = arith.mulf %rk_half, %sin : tensor<1x2x7x16xf32>
  %rk = arith.addf %rk_cos, %rk_sin : tensor<1x2x7x16xf32>
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%rk : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// Row 0 stands at a position of its own; the query turns the other way.

// CHECK-LABEL: func @offset_and_inverse
//  CHECK-SAME:   %[[CACHED:[a-z0-9]+]]: index)
//       CHECK:   posenc.rotary %{{.*}} offset(%[[CACHED]]) {{.*}} inverse
//       CHECK:   posenc.rotary %{{.*}} offset(%[[CACHED]])
//   CHECK-NOT:     inverse
func.func @offset_and_inverse(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32, %cached: index) -> tensor<1x2x7x16xf32> {
  %frequencies = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %cos = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %row = arith.addi %i, %cached : index
    %i32 = arith.index_cast %row : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.cos %angle : f32
    tensor.yield %value : f32
  } : tensor<1x2x7x16xf32>
  %sin = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %row = arith.addi %i, %cached : index
    %i32 = arith.index_cast %row : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.sin %angle : f32
    tensor.yield %value : f32
  } : tensor<1x2x7x16xf32>
  %rq_lo = tensor.extract_slice %q[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rq_hi = tensor.extract_slice %q[0, 0, 0, 8] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rq_neg = arith.negf %rq_lo : tensor<1x2x7x8xf32>
  %rq_half = tensor.concat dim(3) %rq_hi, %rq_neg : (tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x7x16xf32>
  %rq_cos = arith.mulf %q, %cos : tensor<1x2x7x16xf32>
  %rq_sin = arith.mulf %rq_half, %sin : tensor<1x2x7x16xf32>
  %rq = arith.addf %rq_cos, %rq_sin : tensor<1x2x7x16xf32>
  %rk_lo = tensor.extract_slice %k[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rk_hi = tensor.extract_slice %k[0, 0, 0, 8] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rk_neg = arith.negf %rk_hi : tensor<1x2x7x8xf32>
  %rk_half = tensor.concat dim(3) %rk_neg, %rk_lo : (tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x7x16xf32>
  %rk_cos = arith.mulf %k, %cos : tensor<1x2x7x16xf32>
  %rk_sin = arith.mulf %rk_half, %sin : tensor<1x2x7x16xf32>
  %rk = arith.addf %rk_cos, %rk_sin : tensor<1x2x7x16xf32>
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%rk : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// A factor on cosine and sine is part of the rotation.

// CHECK-LABEL: func @attention_factor
//       CHECK:   posenc.rotary {{.*}} frequencies(#posenc.explicit_frequencies<[1.0, {{.*}}], attention_factor = 1.34
func.func @attention_factor(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32) -> tensor<1x2x7x16xf32> {
  %frequencies = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %cos = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = arith.index_cast %i : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.cos %angle : f32
    %factor = arith.constant 1.34 : f32
    %scaled = arith.mulf %value, %factor : f32
    tensor.yield %scaled : f32
  } : tensor<1x2x7x16xf32>
  %sin = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = arith.index_cast %i : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.sin %angle : f32
    %factor = arith.constant 1.34 : f32
    %scaled = arith.mulf %value, %factor : f32
    tensor.yield %scaled : f32
  } : tensor<1x2x7x16xf32>
  %rq_lo = tensor.extract_slice %q[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rq_hi = tensor.extract_slice %q[0, 0, 0, 8] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rq_neg = arith.negf %rq_hi : tensor<1x2x7x8xf32>
  %rq_half = tensor.concat dim(3) %rq_neg, %rq_lo : (tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x7x16xf32>
  %rq_cos = arith.mulf %q, %cos : tensor<1x2x7x16xf32>
  %rq_sin = arith.mulf %rq_half, %sin : tensor<1x2x7x16xf32>
  %rq = arith.addf %rq_cos, %rq_sin : tensor<1x2x7x16xf32>
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%k : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// CHECK-LABEL: func @positions
//  CHECK-SAME:   %[[POSITIONS:[a-z0-9]+]]: tensor<1x7xi64>)
//       CHECK:   posenc.rotary %{{.*}} positions(%[[POSITIONS]] : tensor<1x7xi64>) lanes(
func.func @positions(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32, %positions: tensor<1x7xi64>) -> tensor<1x2x7x16xf32> {
  %frequencies = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %cos = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = tensor.extract %positions[%b, %i] : tensor<1x7xi64>
    %position = arith.sitofp %i32 : i64 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.cos %angle : f32
    tensor.yield %value : f32
  } : tensor<1x2x7x16xf32>
  %sin = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = tensor.extract %positions[%b, %i] : tensor<1x7xi64>
    %position = arith.sitofp %i32 : i64 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.sin %angle : f32
    tensor.yield %value : f32
  } : tensor<1x2x7x16xf32>
  %rq_lo = tensor.extract_slice %q[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rq_hi = tensor.extract_slice %q[0, 0, 0, 8] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rq_neg = arith.negf %rq_hi : tensor<1x2x7x8xf32>
  %rq_half = tensor.concat dim(3) %rq_neg, %rq_lo : (tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x7x16xf32>
  %rq_cos = arith.mulf %q, %cos : tensor<1x2x7x16xf32>
  %rq_sin = arith.mulf %rq_half, %sin : tensor<1x2x7x16xf32>
  %rq = arith.addf %rq_cos, %rq_sin : tensor<1x2x7x16xf32>
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%k : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// Caches whose entries are those of a geometric sequence of frequencies.

// CHECK-LABEL: func @caches
//       CHECK:   posenc.rotary %{{[a-z0-9]+}} lanes(<interleaved, first = 0, count = 16>)
//  CHECK-SAME:     frequencies(#posenc.frequencies<base = 10000.0>)
func.func @caches(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32) -> tensor<1x2x7x16xf32> {
  %frequencies = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %cos = tensor.generate {
  ^bb0(%b: index, %i: index, %pair: index):
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = arith.index_cast %i : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.cos %angle : f32
    tensor.yield %value : f32
  } : tensor<1x7x8xf32>
  %sin = tensor.generate {
  ^bb0(%b: index, %i: index, %pair: index):
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = arith.index_cast %i : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.sin %angle : f32
    tensor.yield %value : f32
  } : tensor<1x7x8xf32>
  %rq = posenc.rotary %q cos(%cos : tensor<1x7x8xf32>) sin(%sin : tensor<1x7x8xf32>)
      lanes(<interleaved, first = 0, count = 16>) : tensor<1x2x7x16xf32>
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%k : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// A causal mask over cached keys, read through a selection.

// CHECK-LABEL: func @causal
//  CHECK-SAME:   %[[CACHED:[a-z0-9]+]]: index)
//       CHECK:   %[[MASK:.*]] = posenc.causal sizes(%{{.*}}, %{{.*}}) offset(%[[CACHED]]) : tensor<1x1x?x?xi1>
//       CHECK:   linalg.generic {{.*}} ins(%[[MASK]]
func.func @causal(%q: tensor<1x2x?x16xf32>, %k: tensor<1x2x?x16xf32>, %scale: f32, %cached: index) -> tensor<1x2x?x16xf32> {
  %c2 = arith.constant 2 : index
  %lq = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %lk = tensor.dim %k, %c2 : tensor<1x2x?x16xf32>
  %visible = tensor.generate %lq, %lk {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %last = arith.addi %i, %cached : index
    %sees = arith.cmpi sle, %j, %last : index
    tensor.yield %sees : i1
  } : tensor<1x1x?x?xi1>
  %penalty_init = tensor.empty(%lq, %lk) : tensor<1x1x?x?xf32>
  %penalty = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>],
                             iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%visible : tensor<1x1x?x?xi1>) outs(%penalty_init : tensor<1x1x?x?xf32>) {
  ^bb0(%sees: i1, %out: f32):
    %none = arith.constant 0.0 : f32
    %all = arith.constant 0xFF800000 : f32
    %p = arith.select %sees, %none, %all : f32
    linalg.yield %p : f32
  } -> tensor<1x1x?x?xf32>
  %o_init = tensor.empty(%lq) : tensor<1x2x?x16xf32>
  %o = posenc.attention query(%q : tensor<1x2x?x16xf32>) key(%k : tensor<1x2x?x16xf32>) value(%k : tensor<1x2x?x16xf32>)
      scale(%scale) outs(%o_init : tensor<1x2x?x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %p = tensor.extract %penalty[%c0, %c0, %i, %j] : tensor<1x1x?x?xf32>
        %y = arith.addf %x, %p : f32
        posenc.yield %y : f32
      } -> tensor<1x2x?x16xf32>
  return %o : tensor<1x2x?x16xf32>
}

// -----

// The same folded to a constant of penalties.

// CHECK-LABEL: func @folded_causal
//       CHECK:   %[[MASK:.*]] = posenc.causal : tensor<1x1x3x3xi1>
//       CHECK:   %[[PENALTY:.*]] = linalg.generic {{.*}} ins(%[[MASK]] : tensor<1x1x3x3xi1>)
//       CHECK:     tensor.extract %[[PENALTY]]
func.func @folded_causal(%q: tensor<1x2x3x16xf32>, %k: tensor<1x2x3x16xf32>, %scale: f32) -> tensor<1x2x3x16xf32> {
  %penalty = arith.constant dense<[[[[0.0, -3.40282347E+38, -3.40282347E+38], [0.0, 0.0, -3.40282347E+38], [0.0, 0.0, 0.0]]]]> : tensor<1x1x3x3xf32>
  %o_init = tensor.empty() : tensor<1x2x3x16xf32>
  %o = posenc.attention query(%q : tensor<1x2x3x16xf32>) key(%k : tensor<1x2x3x16xf32>) value(%k : tensor<1x2x3x16xf32>)
      scale(%scale) outs(%o_init : tensor<1x2x3x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %p = tensor.extract %penalty[%c0, %c0, %i, %j] : tensor<1x1x3x3xf32>
        %y = arith.addf %x, %p : f32
        posenc.yield %y : f32
      } -> tensor<1x2x3x16xf32>
  return %o : tensor<1x2x3x16xf32>
}

// -----

// Tables folded to constants, and only the last lanes rotate.

// CHECK-LABEL: func @folded_tables_partial
//  CHECK-SAME:   (%[[Q:[a-z0-9]+]]: tensor<1x2x3x6xf32>
//       CHECK:   posenc.rotary %[[Q]] lanes(<half, first = 2, count = 4>)
//  CHECK-SAME:     frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x2x3x6xf32>
#row = affine_map<(b, h, i, c) -> (i, c)>
#all = affine_map<(b, h, i, c) -> (b, h, i, c)>
func.func @folded_tables_partial(%q: tensor<1x2x3x6xf32>, %k: tensor<1x2x3x6xf32>, %scale: f32) -> tensor<1x2x3x6xf32> {
  %cos = arith.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.540302277, 0.999949992, 0.540302277, 0.999949992],
                               [-0.416146845, 0.999800026, -0.416146845, 0.999800026]]> : tensor<3x4xf32>
  %sin = arith.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.841470957, 0.00999983307, 0.841470957, 0.00999983307],
                               [0.909297406, 0.0199986659, 0.909297406, 0.0199986659]]> : tensor<3x4xf32>
  %pass = tensor.extract_slice %q[0, 0, 0, 0] [1, 2, 3, 2] [1, 1, 1, 1] : tensor<1x2x3x6xf32> to tensor<1x2x3x2xf32>
  %x = tensor.extract_slice %q[0, 0, 0, 2] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<1x2x3x6xf32> to tensor<1x2x3x4xf32>
  %low = tensor.extract_slice %x[0, 0, 0, 0] [1, 2, 3, 2] [1, 1, 1, 1] : tensor<1x2x3x4xf32> to tensor<1x2x3x2xf32>
  %high = tensor.extract_slice %x[0, 0, 0, 2] [1, 2, 3, 2] [1, 1, 1, 1] : tensor<1x2x3x4xf32> to tensor<1x2x3x2xf32>
  %negated = arith.negf %high : tensor<1x2x3x2xf32>
  %turned = tensor.concat dim(3) %negated, %low : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %init = tensor.empty() : tensor<1x2x3x4xf32>
  %rotated = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %turned, %cos, %sin : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) outs(%init : tensor<1x2x3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %s: f32, %out: f32):
    %ac = arith.mulf %a, %c : f32
    %bs = arith.mulf %b, %s : f32
    %sum = arith.addf %ac, %bs : f32
    linalg.yield %sum : f32
  } -> tensor<1x2x3x4xf32>
  %rq = tensor.concat dim(3) %pass, %rotated : (tensor<1x2x3x2xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x6xf32>
  %o_init = tensor.empty() : tensor<1x2x3x6xf32>
  %o = posenc.attention query(%rq : tensor<1x2x3x6xf32>) key(%k : tensor<1x2x3x6xf32>) value(%k : tensor<1x2x3x6xf32>)
      scale(%scale) outs(%o_init : tensor<1x2x3x6xf32>) -> tensor<1x2x3x6xf32>
  return %o : tensor<1x2x3x6xf32>
}
