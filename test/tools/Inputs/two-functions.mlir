func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = arith.addf %x, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

func.func @negate(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = arith.negf %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
