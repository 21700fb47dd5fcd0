// RUN: posenc-opt %s --posenc-entry-abi --split-input-file --verify-diagnostics

// expected-error @+1 {{cannot compute dimension 0 of result 'output0' of 'data' from the extents of its inputs: 'tensor.extract' makes it depend on data}}
func.func @data(%n: tensor<index>) -> tensor<?xf32> {
  %size = tensor.extract %n[] : tensor<index>
  %c0 = arith.constant 0.0 : f32
  %init = tensor.empty(%size) : tensor<?xf32>
  %y = linalg.fill ins(%c0 : f32) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-error @+1 {{cannot compute dimension 0 of result 'output0' of 'chosen' from the extents of its inputs: 'scf.if' makes it depend on data}}
func.func @chosen(%x: tensor<?xf32>, %y: tensor<?xf32>, %which: tensor<i1>) -> tensor<?xf32> {
  %condition = tensor.extract %which[] : tensor<i1>
  %z = scf.if %condition -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %z : tensor<?xf32>
}

// -----

// expected-error @+1 {{'scalar' takes 'input0' as 'f32'; entries take ranked tensors only, a scalar is a tensor of rank 0}}
func.func @scalar(%x: f32) {
  return
}

// -----

// expected-error @+1 {{'returned' returns 'n' as 'index'; entries return ranked tensors only}}
func.func @returned(%x: tensor<4xf32>) -> (index {posenc.name = "n"}) {
  %c0 = arith.constant 0 : index
  return %c0 : index
}

// -----

// expected-error @+1 {{'missing' donates 'cache' to result 1, but has 1 results; name an existing one}}
func.func @missing(%x: tensor<4xf32> {posenc.name = "cache", posenc.donated = 1}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'types' donates 'input0' to result 0 of type 'tensor<4xf32>', but is 'tensor<8xf32>'; the types must be equal}}
func.func @types(%x: tensor<8xf32> {posenc.donated = 0}, %y: tensor<4xf32>) -> tensor<4xf32> {
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{'twice' donates 'input1' to result 0, which 'input0' is donated to already; donate one input a result}}
func.func @twice(%x: tensor<8xf32> {posenc.donated = 0}, %y: tensor<8xf32> {posenc.donated = 0}) -> tensor<8xf32> {
  return %y : tensor<8xf32>
}

// -----

// expected-error @+1 {{'symbols' has 1 symbols for 'input0' of type 'tensor<?x?xf32>'; give one a dimension}}
func.func @symbols(%x: tensor<?x?xf32> {posenc.symbols = ["S"]}) {
  return
}

// -----

// expected-error @+1 {{'results' has 2 symbols for 'output0' of type 'tensor<?xf32>'; give one a dimension}}
func.func @results(%x: tensor<?xf32>) -> (tensor<?xf32> {posenc.symbols = ["S", ""]}) {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{'blocks' has 2 blocks; an entry is one block, with scf ops for control flow}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32>

func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'calls' calls 'callee'; a graph is one function, inline the callee first}}
  %y = call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{cannot compute the extents of the results of 'prints' before their data: 'tensor.extract' is or feeds an op with effects beyond its results; take that op out}}
func.func @prints(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.extract %x[%c0] : tensor<4xf32>
  vector.print %e : f32
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{the function 'g_shapes' made for the graph 'g' and 'g_shapes' of the module have one name; rename one of them}}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @g_shapes(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func private @g__compute()
// expected-error @+1 {{the function 'g__compute' made for the graph 'g' and 'g__compute' of the module have one name}}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @main_graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// expected-error @+1 {{the function 'main_graph' made for the graph 'main_graph' and 'main_graph' of the module have one name}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
