module attributes {posenc.functions = [{name = "scale_rows",
   inputs = [{name = "x", symbols = ["B", ""], type = tensor<?x64xf32>}, {name = "w", symbols = [""], type = tensor<64xf32>}],
   outputs = [{name = "y", symbols = ["B", ""], type = tensor<?x64xf32>}]}]} {
  func.func @scale_rows(%x: memref<?x64xf32, strided<[?, 1], offset: ?>>, %w: memref<64xf32, strided<[1], offset: ?>>,
                        %y: memref<?x64xf32, strided<[?, 1], offset: ?>>) attributes {posenc.entry} {
    %t = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%w : memref<64xf32, strided<[1], offset: ?>>) outs(%t : memref<64xf32>) {
      ^bb0(%a: f32, %o: f32):
        %e = math.exp %a : f32
        linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : memref<?x64xf32, strided<[?, 1], offset: ?>>, memref<64xf32>) outs(%y : memref<?x64xf32, strided<[?, 1], offset: ?>>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %e = arith.mulf %a, %b : f32
        linalg.yield %e : f32
    }
    return
  }
  func.func @scale_rows__shapes(%x: memref<?x64xf32, strided<[?, 1], offset: ?>>, %w: memref<64xf32, strided<[1], offset: ?>>, %dims: memref<?xi64>) attributes {posenc.shapes} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b = memref.dim %x, %c0 : memref<?x64xf32, strided<[?, 1], offset: ?>>
    %c7 = arith.constant 1000000 : index
    %ok = arith.cmpi ult, %b, %c7 : index
    cf.assert %ok, "dimension 0 of x must be below 1000000"
    %bi = arith.index_cast %b : index to i64
    memref.store %bi, %dims[%c0] : memref<?xi64>
    %c64 = arith.constant 64 : i64
    memref.store %c64, %dims[%c1] : memref<?xi64>
    return
  }
}
