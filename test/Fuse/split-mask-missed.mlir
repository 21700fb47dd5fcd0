// RUN: posenc-opt %s --posenc-split-mask --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics --split-input-file

func.func @lowest_with_a_mask(%q: tensor<1x8x4x16xf32>, %keep: tensor<4xi1>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %low = arith.constant -3.4028234663852886E+38 : f32
        %k = tensor.extract %keep[%j] : tensor<4xi1>
        // expected-remark @below {{with another mask, a row of lowest finite values is the average of what that mask leaves}}
        %y = arith.select %k, %x, %low : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %c = arith.cmpi sle, %j, %i : index
        posenc.yield %c : i1
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

func.func @two_lowest(%q: tensor<1x8x4x16xf32>, %keep: tensor<4xi1>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %low = arith.constant -3.4028234663852886E+38 : f32
        %zero = arith.constant 0.0 : f32
        %k = tensor.extract %keep[%j] : tensor<4xi1>
        %c = arith.cmpi sle, %j, %i : index
        %m = arith.select %k, %zero, %low : f32
        %n = arith.select %c, %zero, %low : f32
        %y = arith.addf %x, %m : f32
        // expected-remark @below {{two lowest finite values add up to minus infinity}}
        %z = arith.addf %y, %n : f32
        posenc.yield %z : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

func.func @lowest_with_logsumexp(%q: tensor<1x8x4x16xf32>, %keep: tensor<4xi1>, %lse: tensor<1x8x4xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o, %l = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>) logsumexp(%lse : tensor<1x8x4xf32>)
      score(%x, %b, %h, %i, %j) {
        %low = arith.constant -3.4028234663852886E+38 : f32
        %k = tensor.extract %keep[%j] : tensor<4xi1>
        // expected-remark @below {{the log-sum-exp of a row without a key would be another}}
        %y = arith.select %k, %x, %low : f32
        posenc.yield %y : f32
      } -> tensor<1x8x4x16xf32>, tensor<1x8x4xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

func.func @depends_on_score(%q: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %inf = arith.constant 0xFF800000 : f32
        %zero = arith.constant 0.0 : f32
        %k = arith.cmpf oge, %x, %zero : f32
        // expected-remark @below {{the condition depends on the score}}
        %y = arith.select %k, %x, %inf : f32
        posenc.yield %y : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// A float mask that the caller gives may hold the lowest value too.

func.func @given_bias(%q: tensor<1x8x4x16xf32>, %bias: tensor<4x4xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %low = arith.constant -3.4028234663852886E+38 : f32
        %e = tensor.extract %bias[%i, %j] : tensor<4x4xf32>
        %c = arith.cmpi sle, %j, %i : index
        %y = arith.addf %x, %e : f32
        // expected-remark @below {{another term may be as low}}
        %z = arith.select %c, %y, %low : f32
        posenc.yield %z : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// The penalty of the old BLOOM graphs: a product beside a select.

func.func @product(%q: tensor<1x8x4x16xf32>, %keep: tensor<4xi1>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %low = arith.constant -3.4028234663852886E+38 : f32
        %future = arith.cmpi sgt, %j, %i : index
        %one = arith.uitofp %future : i1 to f32
        %penalty = arith.mulf %one, %low : f32
        %k = tensor.extract %keep[%j] : tensor<4xi1>
        %m = arith.select %k, %penalty, %low : f32
        // expected-remark @below {{another term may be as low}}
        %z = arith.addf %x, %m : f32
        posenc.yield %z : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// So may one that the graph computes, and a number that it reads.

func.func @computed_bias(%q: tensor<1x8x4x16xf32>, %given: tensor<4x2xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %low = arith.constant -3.4028234663852886E+38 : f32
  %init = tensor.empty() : tensor<4xf32>
  %lowest = linalg.fill ins(%low : f32) outs(%init : tensor<4xf32>) -> tensor<4xf32>
  %bias = linalg.reduce { arith.maximumf } ins(%given : tensor<4x2xf32>) outs(%lowest : tensor<4xf32>) dimensions = [1]
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %e = tensor.extract %bias[%j] : tensor<4xf32>
        %c = arith.cmpi sle, %j, %i : index
        %y = arith.addf %x, %e : f32
        // expected-remark @below {{another term may be as low}}
        %z = arith.select %c, %y, %low : f32
        posenc.yield %z : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

func.func @computed_number(%q: tensor<1x8x4x16xf32>, %e: f32, %scale: f32) -> tensor<1x8x4x16xf32> {
  %low = arith.constant -3.4028234663852886E+38 : f32
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %c = arith.cmpi sle, %j, %i : index
        %y = arith.addf %x, %e : f32
        // expected-remark @below {{another term may be as low}}
        %z = arith.select %c, %y, %low : f32
        posenc.yield %z : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// Added in f32, the lowest value of f16 leaves the scores as far apart as they are.

func.func @lowest_of_a_narrower_type(%q: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %low = arith.constant -65504.0 : f16
        %zero = arith.constant 0.0 : f16
        %c = arith.cmpi sle, %j, %i : index
        %m = arith.select %c, %zero, %low : f16
        %w = arith.extf %m : f16 to f32
        // expected-remark @below {{the lowest finite value of a narrower type is not the lowest of the type it is added or chosen in}}
        %y = arith.addf %x, %w : f32
        posenc.yield %y : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

func.func @lowest_of_two_types(%q: tensor<1x8x4x16xf32>, %keep: tensor<4xi1>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %half = arith.constant -65504.0 : f16
        %low = arith.constant -3.4028234663852886E+38 : f32
        %high = arith.extf %half : f16 to f32
        %c = arith.cmpi sle, %j, %i : index
        %k = tensor.extract %keep[%j] : tensor<4xi1>
        %m = arith.select %k, %x, %low : f32
        // expected-remark @below {{the lowest finite value of a narrower type is not the lowest of the type it is added or chosen in}}
        %y = arith.select %c, %m, %high : f32
        posenc.yield %y : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}
