// RUN: posenc-opt %s --posenc-raise-encodings --split-input-file \
// RUN:   --remarks-filter='posenc.*' --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: posenc-opt %s --posenc-raise-encodings --split-input-file | FileCheck %s --check-prefix=IR

// Positions are rows of a grid two wide: that of the first half of the pairs is
// the grid's row, of the second half its column.

//    CHECK: Missed] raise-encodings {{.*}}no op of posenc proposes to compute what it does
// IR-LABEL: func @two_axes
//   IR-NOT:   posenc.rotary
//       IR:   posenc.attention
func.func @two_axes(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32) -> tensor<1x2x7x16xf32> {
  %frequencies = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %cos = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    %y = arith.divui %i, %two : index
    %x = arith.remui %i, %two : index
    %isRow = arith.cmpi ult, %pair, %four : index
    %axis = arith.select %isRow, %y, %x : index
    %i32 = arith.index_cast %axis : index to i32
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
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    %y = arith.divui %i, %two : index
    %x = arith.remui %i, %two : index
    %isRow = arith.cmpi ult, %pair, %four : index
    %axis = arith.select %isRow, %y, %x : index
    %i32 = arith.index_cast %axis : index to i32
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
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%k : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// Only one head is rotated.

//    CHECK: Missed] raise-encodings {{.*}}it is not 'posenc.rotary': they differ at
// IR-LABEL: func @one_head
//   IR-NOT:   posenc.rotary
//       IR:   posenc.attention
func.func @one_head(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32) -> tensor<1x2x7x16xf32> {
  %frequencies = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %cos = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %zero = arith.constant 0 : index
    %isFirst = arith.cmpi eq, %h, %zero : index
    %row = arith.select %isFirst, %i, %zero : index
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
    %zero = arith.constant 0 : index
    %isFirst = arith.cmpi eq, %h, %zero : index
    %row = arith.select %isFirst, %i, %zero : index
    %i32 = arith.index_cast %row : index to i32
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
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%k : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// Both members of a pair take the sine with the same sign: no rotation.

//    CHECK: Missed] raise-encodings {{.*}}it is not 'posenc.rotary': they differ at
// IR-LABEL: func @wrong_sign
//   IR-NOT:   posenc.rotary
//       IR:   posenc.attention
func.func @wrong_sign(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32) -> tensor<1x2x7x16xf32> {
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
  %rq_half = tensor.concat dim(3) %rq_hi, %rq_lo : (tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x7x16xf32>
  %rq_cos = arith.mulf %q, %cos : tensor<1x2x7x16xf32>
  %rq_sin = arith.mulf %rq_half, %sin : tensor<1x2x7x16xf32>
  %rq = arith.addf %rq_cos, %rq_sin : tensor<1x2x7x16xf32>
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%k : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// The tables are those of interleaved pairs, the lanes mix as halves.

//    CHECK: Missed] raise-encodings {{.*}}it is not 'posenc.rotary': they differ at
// IR-LABEL: func @wrong_lanes
//   IR-NOT:   posenc.rotary
//       IR:   posenc.attention
func.func @wrong_lanes(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32) -> tensor<1x2x7x16xf32> {
  %frequencies = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %cos = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %two = arith.constant 2 : index
    %pair = arith.divui %c, %two : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = arith.index_cast %i : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.cos %angle : f32
    tensor.yield %value : f32
  } : tensor<1x2x7x16xf32>
  %sin = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %two = arith.constant 2 : index
    %pair = arith.divui %c, %two : index
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
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%k : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// Keys are rotated, queries are not: each is judged for itself.

// IR-LABEL: func @keys_only
//  IR-SAME:   (%[[Q:.*]]: tensor<1x2x7x16xf32>, %[[K:.*]]: tensor<1x2x7x16xf32>, %{{.*}}: tensor<1x2x7x16xf32>
//       IR:   %[[ROTATED:.*]] = posenc.rotary %[[K]]
//       IR:   posenc.attention query(%[[Q]] : {{.*}}) key(%[[ROTATED]] :
func.func @keys_only(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32) -> tensor<1x2x7x16xf32> {
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
  %rk_lo = tensor.extract_slice %k[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rk_hi = tensor.extract_slice %k[0, 0, 0, 8] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rk_neg = arith.negf %rk_hi : tensor<1x2x7x8xf32>
  %rk_half = tensor.concat dim(3) %rk_neg, %rk_lo : (tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x7x16xf32>
  %rk_cos = arith.mulf %k, %cos : tensor<1x2x7x16xf32>
  %rk_sin = arith.mulf %rk_half, %sin : tensor<1x2x7x16xf32>
  %rk = arith.addf %rk_cos, %rk_sin : tensor<1x2x7x16xf32>
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%q : tensor<1x2x7x16xf32>) key(%rk : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// Cosine and sine are given, and may be any numbers.

// IR-LABEL: func @given_caches
//       IR:   posenc.rotary {{.*}} cos(
func.func @given_caches(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>, %scale: f32,
                        %cos: tensor<1x7x8xf32>, %sin: tensor<1x7x8xf32>) -> tensor<1x2x7x16xf32> {
  %rq = posenc.rotary %q cos(%cos : tensor<1x7x8xf32>) sin(%sin : tensor<1x7x8xf32>)
      lanes(<half, first = 0, count = 16>) : tensor<1x2x7x16xf32>
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%k : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}

// -----

// A window is not causal.

// IR-LABEL: func @window
//   IR-NOT:   posenc.causal
//       IR:   posenc.attention
func.func @window(%q: tensor<1x2x9x16xf32>, %k: tensor<1x2x9x16xf32>, %scale: f32) -> tensor<1x2x9x16xf32> {
  %visible = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %four = arith.constant 4 : index
    %next = arith.addi %j, %four : index
    %future = arith.cmpi sle, %j, %i : index
    %near = arith.cmpi slt, %i, %next : index
    %sees = arith.andi %future, %near : i1
    tensor.yield %sees : i1
  } : tensor<1x1x9x9xi1>
  %o_init = tensor.empty() : tensor<1x2x9x16xf32>
  %o = posenc.attention query(%q : tensor<1x2x9x16xf32>) key(%k : tensor<1x2x9x16xf32>) value(%k : tensor<1x2x9x16xf32>)
      scale(%scale) outs(%o_init : tensor<1x2x9x16xf32>)
      mask(%b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %sees = tensor.extract %visible[%c0, %c0, %i, %j] : tensor<1x1x9x9xi1>
        posenc.yield %sees : i1
      } -> tensor<1x2x9x16xf32>
  return %o : tensor<1x2x9x16xf32>
}
