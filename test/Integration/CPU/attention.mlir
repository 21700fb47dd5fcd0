// RUN: posenc-compile %s -o %t.so
// RUN: %numpy %S/Inputs/check_attention.py %t.so
// RUN: posenc-compile %s -o %t.v3.so --cpu=x86-64-v3
// RUN: %numpy %S/Inputs/check_attention.py %t.v3.so

// The kernels against float64: ragged rows and keys, head groups, sizes that no
// tile divides, a dense mask with rows that see no key, values that are not
// finite behind the mask, a bias, log-sum-exp, f16 storage.

!q = tensor<?x?x?x40xf32>
!v = tensor<?x?x?x24xf32>
!lse = tensor<?x?x?xf32>
!table = tensor<?x?xf32>
!mask = tensor<?x?xi1>
!half = tensor<?x?x?x64xf16>

func.func @prefill(%q: !q, %k: !q, %v: !v, %bias: !table, %mask: !mask) -> (!v, !lse) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !q
  %heads = tensor.dim %q, %c1 : !q
  %rows = tensor.dim %q, %c2 : !q
  %o = tensor.empty(%batch, %heads, %rows) : !v
  %l = tensor.empty(%batch, %heads, %rows) : !lse
  %scale = arith.constant 0.15811388 : f32
  %output, %lse = posenc.attention query(%q : !q) key(%k : !q) value(%v : !v) scale(%scale)
      outs(%o : !v) logsumexp(%l : !lse)
      schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>)
      score(%x, %b, %h, %i, %j) {
        %g = tensor.extract %bias[%i, %j] : !table
        %y = arith.addf %x, %g : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %visible = tensor.extract %mask[%i, %j] : !mask
        posenc.yield %visible : i1
      } -> !v, !lse
  return %output, %lse : !v, !lse
}

func.func @decode(%q: !q, %k: !q, %v: !v, %bias: !table, %mask: !mask) -> (!v, !lse) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !q
  %heads = tensor.dim %q, %c1 : !q
  %rows = tensor.dim %q, %c2 : !q
  %o = tensor.empty(%batch, %heads, %rows) : !v
  %l = tensor.empty(%batch, %heads, %rows) : !lse
  %scale = arith.constant 0.15811388 : f32
  %output, %lse = posenc.attention query(%q : !q) key(%k : !q) value(%v : !v) scale(%scale)
      outs(%o : !v) logsumexp(%l : !lse)
      schedule(#posenc.cpu_decode<key_block = 64, rows = 4, split = 3>)
      score(%x, %b, %h, %i, %j) {
        %g = tensor.extract %bias[%i, %j] : !table
        %y = arith.addf %x, %g : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %visible = tensor.extract %mask[%i, %j] : !mask
        posenc.yield %visible : i1
      } -> !v, !lse
  return %output, %lse : !v, !lse
}

func.func @halves(%q: !half, %k: !half, %v: !half) -> !half {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !half
  %heads = tensor.dim %q, %c1 : !half
  %rows = tensor.dim %q, %c2 : !half
  %o = tensor.empty(%batch, %heads, %rows) : !half
  %scale = arith.constant 0.125 : f32
  %output = posenc.attention query(%q : !half) key(%k : !half) value(%v : !half) scale(%scale)
      outs(%o : !half)
      schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 16, rows = 6>)
      mask(%b, %h, %i, %j) {
        %visible = arith.cmpi sle, %j, %i : index
        posenc.yield %visible : i1
      } -> !half
  return %output : !half
}
