// RUN: posenc-compile %s -o %t.so
// RUN: %numpy %S/Inputs/check_library.py %t.so
// RUN: posenc-compile %s -o %t.serial.so --threads=serial --cpu=x86-64-v3
// RUN: %numpy %S/Inputs/check_library.py %t.serial.so

// What reaches Codegen from Plan, called through the C functions: contractions,
// reductions, constants, copies, 16-bit and bool storage, scalars, donation,
// scratch, assertions in a body.

#matrix = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
!m = memref<?x?xf32, strided<[?, 1]>>
!cache = memref<?x4xf16, strided<[?, 1]>>
!flags = memref<?xi1, strided<[1]>>

module attributes {posenc.functions = [
  {name = "product", inputs = [{name = "a", symbols = ["M", "K"], type = tensor<?x?xf32>}, {name = "b", symbols = ["K", "N"], type = tensor<?x?xf32>}],
   outputs = [{name = "c", symbols = ["M", "N"], type = tensor<?x?xf32>}]},
  {name = "row_sums", inputs = [{name = "a", symbols = ["M", "K"], type = tensor<?x?xf32>}, {name = "flags", symbols = ["M"], type = tensor<?xi1>}],
   outputs = [{name = "sums", symbols = ["M"], type = tensor<?xf32>}]},
  {name = "shift", inputs = [{name = "cache", symbols = ["S", ""], type = tensor<?x4xf16>, donated = true}, {name = "by", symbols = [], type = tensor<f32>},
                             {name = "limit", symbols = [], type = tensor<i64>}], outputs = []},
  {name = "reversed", inputs = [{name = "a", symbols = ["M", "K"], type = tensor<?x?xf32>}],
   outputs = [{name = "r", symbols = ["M", "K"], type = tensor<?x?xf32>}]}]} {

  memref.global "private" constant @weights : memref<4xf16> = dense<[1.0, 2.0, -3.0, 0.5]> {alignment = 64 : i64}

  func.func @product(%a: !m, %b: !m, %c: !m) attributes {posenc.entry} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : !m)
    linalg.matmul ins(%a, %b : !m, !m) outs(%c : !m)
    return
  }
  func.func @product__shapes(%a: !m, %b: !m, %extents: memref<?xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %a, %c0 : !m
    %columns = memref.dim %b, %c1 : !m
    %m = arith.index_cast %rows : index to i64
    %n = arith.index_cast %columns : index to i64
    memref.store %m, %extents[%c0] : memref<?xi64>
    memref.store %n, %extents[%c1] : memref<?xi64>
    return
  }

  func.func @row_sums(%a: !m, %flags: !flags, %sums: memref<?xf32, strided<[1]>>) attributes {posenc.entry} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %rows = memref.dim %a, %c0 : !m
    %t = memref.alloc(%rows) {alignment = 64 : i64} : memref<?xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<?xf32>)
    linalg.generic {indexing_maps = [#matrix, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %flags : !m, !flags) outs(%t : memref<?xf32>) {
      ^bb0(%x: f32, %flag: i1, %sum: f32):
        %kept = arith.select %flag, %x, %zero : f32
        %r = arith.addf %sum, %kept : f32
        linalg.yield %r : f32
    }
    memref.copy %t, %sums : memref<?xf32> to memref<?xf32, strided<[1]>>
    memref.dealloc %t : memref<?xf32>
    return
  }
  func.func @row_sums__shapes(%a: !m, %flags: !flags, %extents: memref<?xi64>) {
    %c0 = arith.constant 0 : index
    %rows = memref.dim %a, %c0 : !m
    %m = arith.index_cast %rows : index to i64
    memref.store %m, %extents[%c0] : memref<?xi64>
    return
  }

  func.func @shift(%cache: !cache, %by: memref<f32>, %limit: memref<i64>) attributes {posenc.entry} {
    %c0 = arith.constant 0 : index
    %rows = memref.dim %cache, %c0 : !cache
    %most = memref.load %limit[] : memref<i64>
    %m = arith.index_cast %rows : index to i64
    %fits = arith.cmpi sle, %m, %most : i64
    cf.assert %fits, "more rows than 'limit'"
    %w = memref.get_global @weights : memref<4xf16>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%w, %by : memref<4xf16>, memref<f32>) outs(%cache : !cache) {
      ^bb0(%weight: f16, %s: f32, %old: f16):
        %wide = arith.extf %weight : f16 to f32
        %d = arith.mulf %wide, %s : f32
        %o = arith.extf %old : f16 to f32
        %sum = arith.addf %o, %d : f32
        %new = arith.truncf %sum : f32 to f16
        linalg.yield %new : f16
    }
    return
  }
  func.func @shift__shapes(%cache: !cache, %by: memref<f32>, %limit: memref<i64>, %extents: memref<?xi64>) {
    return
  }

  // Rows in blocks of 16 through scratch; ragged.
  func.func @reversed(%a: !m, %r: !m) attributes {posenc.entry} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %rows = memref.dim %a, %c0 : !m
    %columns = memref.dim %a, %c1 : !m
    %last = arith.subi %columns, %c1 : index
    scf.forall (%i, %j) = (0, 0) to (%rows, %columns) step (1, 16) {
      %block = memref.alloca() : memref<16xf32>
      %left = arith.subi %columns, %j : index
      %count = arith.minui %left, %c16 : index
      scf.for %k = %c0 to %count step %c1 {
        %at = arith.addi %j, %k : index
        %x = memref.load %a[%i, %at] : !m
        memref.store %x, %block[%k] : memref<16xf32>
      }
      scf.for %k = %c0 to %count step %c1 {
        %x = memref.load %block[%k] : memref<16xf32>
        %at = arith.addi %j, %k : index
        %to = arith.subi %last, %at : index
        memref.store %x, %r[%i, %to] : !m
      }
    }
    return
  }
  func.func @reversed__shapes(%a: !m, %extents: memref<?xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %a, %c0 : !m
    %columns = memref.dim %a, %c1 : !m
    %m = arith.index_cast %rows : index to i64
    %n = arith.index_cast %columns : index to i64
    memref.store %m, %extents[%c0] : memref<?xi64>
    memref.store %n, %extents[%c1] : memref<?xi64>
    return
  }
}
