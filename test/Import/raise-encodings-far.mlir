// What differs from an encoding only at long sequences, or past a constant, is
// not that encoding.

// RUN: posenc-opt %s --posenc-raise-encodings --split-input-file | FileCheck %s

// The same however far.
// RUN: sed -e 's/constant 99 : index/constant 2999999 : index/' -e 's/constant 100 : index/constant 3000000 : index/' %s | \
// RUN:   posenc-opt --posenc-raise-encodings --split-input-file | FileCheck %s

// CHECK-LABEL: func @window_of_100
//   CHECK-NOT:   posenc.causal
func.func @window_of_100(%q: tensor<1x2x?x16xf32>, %scale: f32) -> tensor<1x2x?x16xf32> {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %left = arith.constant 99 : index
  %l = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %empty = tensor.empty(%l, %l) : tensor<1x1x?x?xi1>
  %mask = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>],
                          iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%empty : tensor<1x1x?x?xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %before = arith.cmpi sle, %j, %i : index
    %distance = arith.subi %i, %j : index
    %near = arith.cmpi sle, %distance, %left : index
    %visible = arith.andi %before, %near : i1
    linalg.yield %visible : i1
  } -> tensor<1x1x?x?xi1>
  %init = tensor.empty(%l) : tensor<1x2x?x16xf32>
  %o = posenc.attention query(%q : tensor<1x2x?x16xf32>) key(%q : tensor<1x2x?x16xf32>)
      value(%q : tensor<1x2x?x16xf32>) scale(%scale) outs(%init : tensor<1x2x?x16xf32>)
      mask(%b, %h, %i, %j) {
        %m = tensor.extract %mask[%c0, %c0, %i, %j] : tensor<1x1x?x?xi1>
        posenc.yield %m : i1
      } -> tensor<1x2x?x16xf32>
  return %o : tensor<1x2x?x16xf32>
}

// -----

// An encoding stays what it is, however large its window.
// CHECK-LABEL: func @window_op
//   CHECK-NOT:   posenc.causal
//       CHECK:   posenc.window
//   CHECK-NOT:   posenc.causal
func.func @window_op(%q: tensor<1x2x?x16xf32>, %left: index, %scale: f32) -> tensor<1x2x?x16xf32> {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %l = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %mask = posenc.window sizes(%l, %l) left(%left) right(%c0) : tensor<1x1x?x?xi1>
  %init = tensor.empty(%l) : tensor<1x2x?x16xf32>
  %o = posenc.attention query(%q : tensor<1x2x?x16xf32>) key(%q : tensor<1x2x?x16xf32>)
      value(%q : tensor<1x2x?x16xf32>) scale(%scale) outs(%init : tensor<1x2x?x16xf32>)
      mask(%b, %h, %i, %j) {
        %m = tensor.extract %mask[%c0, %c0, %i, %j] : tensor<1x1x?x?xi1>
        posenc.yield %m : i1
      } -> tensor<1x2x?x16xf32>
  return %o : tensor<1x2x?x16xf32>
}

// -----

// Frequencies that switch with the length are not those of short sequences.
// CHECK-LABEL: func @switched_frequencies
//   CHECK-NOT:   frequencies(
//       CHECK:   posenc.rotary {{.*}} cos(
//   CHECK-NOT:   frequencies(
func.func @switched_frequencies(%q: tensor<1x2x?x16xf32>, %k: tensor<1x2x?x16xf32>, %scale: f32) -> tensor<1x2x?x16xf32> {
  %c2 = arith.constant 2 : index
  %c100 = arith.constant 100 : index
  %l = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %short = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %long = arith.constant dense<[0.5, 0.1, 0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001]> : tensor<8xf32>
  %isLong = arith.cmpi sgt, %l, %c100 : index
  %empty = tensor.empty(%l) : tensor<1x?x8xf32>
  %angles = linalg.generic {indexing_maps = [affine_map<(b, i, p) -> (p)>, affine_map<(b, i, p) -> (p)>,
                                             affine_map<(b, i, p) -> (b, i, p)>],
                            iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%short, %long : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<1x?x8xf32>) {
  ^bb0(%s: f32, %t: f32, %out: f32):
    %i = linalg.index 1 : index
    %i32 = arith.index_cast %i : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %frequency = arith.select %isLong, %t, %s : f32
    %angle = arith.mulf %position, %frequency : f32
    linalg.yield %angle : f32
  } -> tensor<1x?x8xf32>
  %cos = math.cos %angles : tensor<1x?x8xf32>
  %sin = math.sin %angles : tensor<1x?x8xf32>
  %rq = posenc.rotary %q cos(%cos : tensor<1x?x8xf32>) sin(%sin : tensor<1x?x8xf32>)
      lanes(<half, first = 0, count = 16>) : tensor<1x2x?x16xf32>
  %init = tensor.empty(%l) : tensor<1x2x?x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x?x16xf32>) key(%k : tensor<1x2x?x16xf32>)
      value(%k : tensor<1x2x?x16xf32>) scale(%scale) outs(%init : tensor<1x2x?x16xf32>)
      -> tensor<1x2x?x16xf32>
  return %o : tensor<1x2x?x16xf32>
}

// -----

// A minimum that positions cross past what is drawn.
// CHECK-LABEL: func @clamped_positions
//   CHECK-NOT:   frequencies(
func.func @clamped_positions(%q: tensor<1x2x?x16xf32>, %k: tensor<1x2x?x16xf32>, %pos: tensor<?xi32>) -> tensor<1x2x?x16xf32> {
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.25 : f32
  %l = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %short = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %most = arith.constant 100.0 : f32
  %empty = tensor.empty(%l) : tensor<1x?x8xf32>
  %angles = linalg.generic {indexing_maps = [affine_map<(b, i, p) -> (p)>, affine_map<(b, i, p) -> (i)>,
                                             affine_map<(b, i, p) -> (b, i, p)>],
                            iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%short, %pos : tensor<8xf32>, tensor<?xi32>) outs(%empty : tensor<1x?x8xf32>) {
  ^bb0(%s: f32, %t: i32, %out: f32):
    %p0 = arith.sitofp %t : i32 to f32
    %position = arith.minimumf %p0, %most : f32
    %angle = arith.mulf %position, %s : f32
    linalg.yield %angle : f32
  } -> tensor<1x?x8xf32>
  %cos = math.cos %angles : tensor<1x?x8xf32>
  %sin = math.sin %angles : tensor<1x?x8xf32>
  %rq = posenc.rotary %q cos(%cos : tensor<1x?x8xf32>) sin(%sin : tensor<1x?x8xf32>)
      lanes(<half, first = 0, count = 16>) : tensor<1x2x?x16xf32>
  %init = tensor.empty(%l) : tensor<1x2x?x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x?x16xf32>) key(%k : tensor<1x2x?x16xf32>)
      value(%k : tensor<1x2x?x16xf32>) scale(%scale) outs(%init : tensor<1x2x?x16xf32>)
      -> tensor<1x2x?x16xf32>
  return %o : tensor<1x2x?x16xf32>
}

// -----

// Positions that wrap.
// CHECK-LABEL: func @eight_bits
//   CHECK-NOT:   frequencies(
func.func @eight_bits(%q: tensor<1x2x?x16xf32>, %k: tensor<1x2x?x16xf32>, %pos: tensor<?xi32>) -> tensor<1x2x?x16xf32> {
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.25 : f32
  %l = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %short = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %zz = arith.constant 0.0 : f32
  %empty = tensor.empty(%l) : tensor<1x?x8xf32>
  %angles = linalg.generic {indexing_maps = [affine_map<(b, i, p) -> (p)>, affine_map<(b, i, p) -> (i)>,
                                             affine_map<(b, i, p) -> (b, i, p)>],
                            iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%short, %pos : tensor<8xf32>, tensor<?xi32>) outs(%empty : tensor<1x?x8xf32>) {
  ^bb0(%s: f32, %t: i32, %out: f32):
    %t8 = arith.trunci %t : i32 to i8
    %p0 = arith.sitofp %t8 : i8 to f32
    %position = arith.addf %p0, %zz : f32
    %angle = arith.mulf %position, %s : f32
    linalg.yield %angle : f32
  } -> tensor<1x?x8xf32>
  %cos = math.cos %angles : tensor<1x?x8xf32>
  %sin = math.sin %angles : tensor<1x?x8xf32>
  %rq = posenc.rotary %q cos(%cos : tensor<1x?x8xf32>) sin(%sin : tensor<1x?x8xf32>)
      lanes(<half, first = 0, count = 16>) : tensor<1x2x?x16xf32>
  %init = tensor.empty(%l) : tensor<1x2x?x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x?x16xf32>) key(%k : tensor<1x2x?x16xf32>)
      value(%k : tensor<1x2x?x16xf32>) scale(%scale) outs(%init : tensor<1x2x?x16xf32>)
      -> tensor<1x2x?x16xf32>
  return %o : tensor<1x2x?x16xf32>
}

// -----

// What grows slowly.
// CHECK-LABEL: func @slightly_quadratic
//   CHECK-NOT:   frequencies(
func.func @slightly_quadratic(%q: tensor<1x2x?x16xf32>, %k: tensor<1x2x?x16xf32>) -> tensor<1x2x?x16xf32> {
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.25 : f32
  %l = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %short = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %most = arith.constant 1.0e-9 : f32
  %empty = tensor.empty(%l) : tensor<1x?x8xf32>
  %angles = linalg.generic {indexing_maps = [affine_map<(b, i, p) -> (p)>,
                                             affine_map<(b, i, p) -> (b, i, p)>],
                            iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%short : tensor<8xf32>) outs(%empty : tensor<1x?x8xf32>) {
  ^bb0(%s: f32, %out: f32):
    %ix = linalg.index 1 : index
    %i32 = arith.index_cast %ix : index to i32
    %p0 = arith.sitofp %i32 : i32 to f32
    %u = arith.mulf %p0, %most : f32
    %w = arith.mulf %p0, %u : f32
    %position = arith.addf %w, %p0 : f32
    %angle = arith.mulf %position, %s : f32
    linalg.yield %angle : f32
  } -> tensor<1x?x8xf32>
  %cos = math.cos %angles : tensor<1x?x8xf32>
  %sin = math.sin %angles : tensor<1x?x8xf32>
  %rq = posenc.rotary %q cos(%cos : tensor<1x?x8xf32>) sin(%sin : tensor<1x?x8xf32>)
      lanes(<half, first = 0, count = 16>) : tensor<1x2x?x16xf32>
  %init = tensor.empty(%l) : tensor<1x2x?x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x?x16xf32>) key(%k : tensor<1x2x?x16xf32>)
      value(%k : tensor<1x2x?x16xf32>) scale(%scale) outs(%init : tensor<1x2x?x16xf32>)
      -> tensor<1x2x?x16xf32>
  return %o : tensor<1x2x?x16xf32>
}
