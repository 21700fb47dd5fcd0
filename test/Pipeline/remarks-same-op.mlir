// RUN: cd %S && posenc-compile remarks-same-op.mlir --cpu=x86-64-v3 --to=import -o %t.mlir --remarks=%t.txt
// RUN: FileCheck %s --input-file=%t.txt --implicit-check-not=raise-encodings

// A rotation by tables becomes one by frequencies, which is worth a remark; a
// mask that is written as an op already only gets its sizes anew, which is not.

// CHECK: remark: 'posenc.rotary' {frequencies = {{.*}}} replaces 'posenc.rotary' {lanes = {{.*}}}; operands: 3 before, 1 now [raise-encodings]

func.func @same(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x?x16xf32>, %v: tensor<1x2x?x16xf32>, %scale: f32) -> tensor<1x2x7x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %frequencies = arith.constant dense<[1.0, 0.31622776, 0.1, 0.031622775, 0.01, 0.0031622776, 0.001, 0.00031622776]> : tensor<8xf32>
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
  %l = tensor.dim %k, %c2 : tensor<1x2x?x16xf32>
  %c7 = arith.constant 7 : index
  %cached = arith.subi %l, %c7 : index
  %mask = posenc.causal sizes(%l) offset(%cached) : tensor<1x1x7x?xi1>
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%k : tensor<1x2x?x16xf32>) value(%v : tensor<1x2x?x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>)
      mask(%b, %h, %i, %j) {
        %m = tensor.extract %mask[%c0, %c0, %i, %j] : tensor<1x1x7x?xi1>
        posenc.yield %m : i1
      } -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}
