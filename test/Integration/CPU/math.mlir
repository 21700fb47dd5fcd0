// RUN: posenc-compile %s -o %t.so
// RUN: %numpy %S/Inputs/check_math.py %t.so
// RUN: posenc-compile %s -o %t.v3.so --cpu=x86-64-v3
// RUN: %numpy %S/Inputs/check_math.py %t.v3.so

// Every math function against numpy in float64: the errors in ulp, and the corner
// cases.

#id = affine_map<(i) -> (i)>
!v = memref<?xf32, strided<[1]>>
!h = memref<?xf16, strided<[1]>>
!b = memref<?xbf16, strided<[1]>>

module attributes {posenc.functions = [
  {name = "functions", inputs = [{name = "x", symbols = ["N"], type = tensor<?xf32>}],
   outputs = [
     {name = "exp", type = tensor<?xf32>},
     {name = "exp2", type = tensor<?xf32>},
     {name = "expm1", type = tensor<?xf32>},
     {name = "log", type = tensor<?xf32>},
     {name = "log2", type = tensor<?xf32>},
     {name = "log10", type = tensor<?xf32>},
     {name = "log1p", type = tensor<?xf32>},
     {name = "tanh", type = tensor<?xf32>},
     {name = "erf", type = tensor<?xf32>},
     {name = "sin", type = tensor<?xf32>},
     {name = "cos", type = tensor<?xf32>},
     {name = "rsqrt", type = tensor<?xf32>},
     {name = "sqrt", type = tensor<?xf32>},
     {name = "floor", type = tensor<?xf32>},
     {name = "ceil", type = tensor<?xf32>},
     {name = "round", type = tensor<?xf32>},
     {name = "roundeven", type = tensor<?xf32>},
     {name = "atan", type = tensor<?xf32>}]},
  {name = "power", inputs = [{name = "x", symbols = ["N"], type = tensor<?xf32>}, {name = "y", symbols = ["N"], type = tensor<?xf32>}],
   outputs = [{name = "z", type = tensor<?xf32>}]},
  {name = "angle", inputs = [{name = "position", symbols = ["N"], type = tensor<?xf32>}, {name = "hi", symbols = ["N"], type = tensor<?xf32>},
                             {name = "lo", symbols = ["N"], type = tensor<?xf32>}],
   outputs = [{name = "cos", type = tensor<?xf32>}, {name = "sin", type = tensor<?xf32>}]},
  {name = "wide", inputs = [{name = "x", symbols = ["N"], type = tensor<?xf32>}, {name = "x_rest", symbols = ["N"], type = tensor<?xf32>}],
   outputs = [{name = "exp2", type = tensor<?xf32>}, {name = "exp2_rest", type = tensor<?xf32>},
              {name = "log2", type = tensor<?xf32>}, {name = "log2_rest", type = tensor<?xf32>}]},
  {name = "half", inputs = [{name = "x", symbols = ["N"], type = tensor<?xf16>}, {name = "y", symbols = ["N"], type = tensor<?xbf16>}],
   outputs = [{name = "exp", type = tensor<?xf16>}, {name = "tanh", type = tensor<?xbf16>}]}]} {
  func.func @functions(%x: !v, %exp: !v, %exp2: !v, %expm1: !v, %log: !v, %log2: !v, %log10: !v, %log1p: !v, %tanh: !v, %erf: !v, %sin: !v, %cos: !v, %rsqrt: !v, %sqrt: !v, %floor: !v, %ceil: !v, %round: !v, %roundeven: !v, %atan: !v) {
    linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : !v) outs(%exp, %exp2, %expm1, %log, %log2, %log10, %log1p, %tanh, %erf, %sin, %cos, %rsqrt, %sqrt, %floor, %ceil, %round, %roundeven, %atan : !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v) {
      ^bb0(%a: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32, %o5: f32, %o6: f32, %o7: f32, %o8: f32, %o9: f32, %o10: f32, %o11: f32, %o12: f32, %o13: f32, %o14: f32, %o15: f32, %o16: f32, %o17: f32):
        %r0 = math.exp %a : f32
        %r1 = math.exp2 %a : f32
        %r2 = math.expm1 %a : f32
        %r3 = math.log %a : f32
        %r4 = math.log2 %a : f32
        %r5 = math.log10 %a : f32
        %r6 = math.log1p %a : f32
        %r7 = math.tanh %a : f32
        %r8 = math.erf %a : f32
        %r9 = math.sin %a : f32
        %r10 = math.cos %a : f32
        %r11 = math.rsqrt %a : f32
        %r12 = math.sqrt %a : f32
        %r13 = math.floor %a : f32
        %r14 = math.ceil %a : f32
        %r15 = math.round %a : f32
        %r16 = math.roundeven %a : f32
        %r17 = math.atan %a : f32
        linalg.yield %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
    }
    return
  }
  func.func @functions__shapes(%x0: !v, %extents: memref<?xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x0, %c0 : !v
    %n64 = arith.index_cast %n : index to i64
    %outputs = memref.dim %extents, %c0 : memref<?xi64>
    scf.for %i = %c0 to %outputs step %c1 {
      memref.store %n64, %extents[%i] : memref<?xi64>
    }
    return
  }
  func.func @power(%x: !v, %y: !v, %z: !v) {
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : !v, !v) outs(%z : !v) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %r = math.powf %a, %b : f32
        linalg.yield %r : f32
    }
    return
  }
  func.func @power__shapes(%x0: !v, %x1: !v, %extents: memref<?xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x0, %c0 : !v
    %n64 = arith.index_cast %n : index to i64
    %outputs = memref.dim %extents, %c0 : memref<?xi64>
    scf.for %i = %c0 to %outputs step %c1 {
      memref.store %n64, %extents[%i] : memref<?xi64>
    }
    return
  }
  func.func @angle(%p: !v, %hi: !v, %lo: !v, %c: !v, %s: !v) {
    linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%p, %hi, %lo : !v, !v, !v) outs(%c, %s : !v, !v) {
      ^bb0(%a: f32, %h: f32, %l: f32, %o0: f32, %o1: f32):
        %cos, %sin = posenc.cos_sin %a, %h, %l : f32
        linalg.yield %cos, %sin : f32, f32
    }
    return
  }
  func.func @angle__shapes(%x0: !v, %x1: !v, %x2: !v, %extents: memref<?xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x0, %c0 : !v
    %n64 = arith.index_cast %n : index to i64
    %outputs = memref.dim %extents, %c0 : memref<?xi64>
    scf.for %i = %c0 to %outputs step %c1 {
      memref.store %n64, %extents[%i] : memref<?xi64>
    }
    return
  }
  // f64 goes in and out as two f32.
  func.func @wide(%x: !v, %rest: !v, %e: !v, %e_rest: !v, %l: !v, %l_rest: !v) {
    linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x, %rest : !v, !v) outs(%e, %e_rest, %l, %l_rest : !v, !v, !v, !v) {
      ^bb0(%a: f32, %b: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32):
        %wide = arith.extf %a : f32 to f64
        %more = arith.extf %b : f32 to f64
        %w = arith.addf %wide, %more : f64
        %exp2 = math.exp2 %w : f64
        %r0 = arith.truncf %exp2 : f64 to f32
        %back0 = arith.extf %r0 : f32 to f64
        %left0 = arith.subf %exp2, %back0 : f64
        %r1 = arith.truncf %left0 : f64 to f32
        %log2 = math.log2 %w : f64
        %r2 = arith.truncf %log2 : f64 to f32
        %back2 = arith.extf %r2 : f32 to f64
        %left2 = arith.subf %log2, %back2 : f64
        %r3 = arith.truncf %left2 : f64 to f32
        linalg.yield %r0, %r1, %r2, %r3 : f32, f32, f32, f32
    }
    return
  }
  func.func @wide__shapes(%x0: !v, %x1: !v, %extents: memref<?xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x0, %c0 : !v
    %n64 = arith.index_cast %n : index to i64
    %outputs = memref.dim %extents, %c0 : memref<?xi64>
    scf.for %i = %c0 to %outputs step %c1 {
      memref.store %n64, %extents[%i] : memref<?xi64>
    }
    return
  }
  func.func @half(%x: !h, %y: !b, %e: !h, %t: !b) {
    linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : !h, !b) outs(%e, %t : !h, !b) {
      ^bb0(%a: f16, %b: bf16, %o0: f16, %o1: bf16):
        %exp = math.exp %a : f16
        %tanh = math.tanh %b : bf16
        linalg.yield %exp, %tanh : f16, bf16
    }
    return
  }
  func.func @half__shapes(%x0: !h, %x1: !b, %extents: memref<?xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x0, %c0 : !h
    %n64 = arith.index_cast %n : index to i64
    %outputs = memref.dim %extents, %c0 : memref<?xi64>
    scf.for %i = %c0 to %outputs step %c1 {
      memref.store %n64, %extents[%i] : memref<?xi64>
    }
    return
  }
}
