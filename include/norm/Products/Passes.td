//===- Passes.td - passes of Products ----------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PRODUCTS_PASSES
#define NORM_PRODUCTS_PASSES

include "mlir/Pass/PassBase.td"

def NormTileProducts : Pass<"norm-tile-products", "func::FuncOp"> {
  let summary = "Divide products of matrices into blocks of columns";
  let description = [{
    A product of matrices is a `linalg.generic` that adds products of two elements,
    of f16, bf16, f32, f64, i32 or i64, which other operands may be widened to, also
    integers that the float type has all of:

    ```mlir
    %c = linalg.generic {iterator_types = ["parallel", "parallel", "reduction"], ...}
        ins(%a, %b : tensor<256x1024xbf16>, tensor<1024x1024xbf16>)
        outs(%zeros : tensor<256x1024xbf16>) {
    ^bb0(%x: bf16, %y: bf16, %sum: bf16):
      %xy = arith.mulf %x, %y : bf16
      %s = arith.addf %sum, %xy : bf16
      linalg.yield %s : bf16
    } -> tensor<256x1024xbf16>
    ```

    When each of the following is done, and in which order sums are added, is in
    docs/Codegen.md, "Products of matrices"; the numbers are those of `norm.row_target`.

    **Sums are wide.** 16-bit floats are added in f32, from zero. An elementwise op
    behind the product adds the destination, if that is not zero, and rounds once. It
    is fused with the elementwise op that reads the product, which may read two.

    **Blocks of columns.** A loop goes over blocks of columns of that op, and computes for
    each block all rows of the products that it reads:

    ```mlir
    scf.for %j = %c0 to %c1024 step %c64 iter_args(%out = %dest) {
      %columns = tensor.extract_slice %b[0, %j] [1024, 64] [1, 1]
      %packed = linalg.generic ins(%columns) outs(%empty) {norm.pack} // widens
      %sums = linalg.generic ins(%a_f32, %packed) outs(%zero) {norm.product}
      %block = linalg.generic ins(%sums) outs(%slice) // rounds
      ...
    } {norm.loop = #norm.loop<product>}
    ```

    norm-vectorize-products builds the loops of `norm.pack` and `norm.product`. Neither
    operand is copied where it has the order and the type already. A is widened before the
    loop; a B that is the same in all iterations of the loops around it is packed before
    them, if its blocks are full. An elementwise op that computes B for this product alone
    is fused into the block. An operand that a stride keeps apart in memory, such as one of
    two numbers of each element, is copied first.

    **Words.** With `kinds=pairs` both operands stay bf16, and pairs of neighbors along
    the sum stay together, which one instruction of AVX512-BF16 multiplies and adds. With
    any of `kinds` but `elements` i8 become i16, of which AVX2 does the same. With
    `kinds=tiles` words of two bf16 or four i8 do, of which AMX multiplies two tiles of 16
    by 16, and the product also has `norm.amx`. It does so if the sum has whole tiles: its
    length is a multiple of 32 or 64. Other products are those of elements, or of i16.

    **Parts.** A long sum goes by parts that divide it. For AMX, A is copied by such parts,
    once for all products that read it, and so are rows that fill no tile:

    ```mlir
    %parts = linalg.generic ins(%a) outs(%slice_of_alloc) {norm.pack} // [8, 512, 256, 2]
    scf.for %j = %c0 to %c4096 step %c512 ... {
      %sums = scf.for %k = %c0 to %c8 step %c1 iter_args(%sum = %zero) {
        %packed = ... // of words 256 * %k, ... and columns %j, ...
        %words = tensor.extract_slice %parts[%k, 0, 0, 0] [1, 512, 256, 2] [1, 1, 1, 1]
        %next = linalg.generic ins(%words, %packed) outs(%sum) {norm.amx, norm.product}
      } {norm.loop = #norm.loop<product>}
    ```

    **Chains.** A product whose A is computed row by row from another product, such as by
    the softmax of an attention, goes by blocks of rows together with all of that. What is
    between the products then exists for one block at a time, in level 2:

    ```mlir
    scf.for %b = %c0 to %c16 step %c1 ... {
      scf.for %m = %c0 to %c2048 step %c64 ... {
        %scores = ... // of rows %m, ... of batch %b, tensor<1x64x2048xf32>
        %p = ...      // their softmax
        %rows = ...   // its product with V
    ```

    Views that join batches or groups of rows move behind the last product. There are no
    blocks where each would read more than what is between the products, where that is
    less than `large_bytes`, nor from an op on that others read, too.

    **Few rows.** Such a product reads B in place, once, in the order of memory:
    `norm.thin_product = 0`, whose number says what an instruction adds: a product, those
    of pairs (1) or of tiles (2). Where only the number of rows is not known, and B is not
    computed, there are both such a product and blocks, into one destination, with what is
    fused behind them. Threads have blocks of equal columns, as many as level 1 keeps the
    sums of.

    **Operands that loops go across.** What the innermost loop of an elementwise op goes
    across in memory, in the same function, is copied by blocks of 64 rows and columns,
    which norm-vectorize-products turns; an op that does no more is such a copy itself. The
    op and its copies are in loops over these blocks:

    ```mlir
    scf.for %i = %c0 to %c1024 step %c64 ... {
      scf.for %j = %c0 to %c1024 step %c64 ... {
        %block = tensor.extract_slice %x[%j, %i] [64, 64] [1, 1]
        %turned = linalg.generic ins(%block) outs(%empty) {norm.pack}
        %sum = linalg.generic ins(%turned, %y_block) outs(%slice)
    ```

    Results that the op also reads stay, and so do operands of less than 16 rows or columns
    and those whose neighbors a stride keeps apart in memory.

    Products stay as they are, with a remark, if the result has less than 16 columns, or
    neighbors there are of other batches, the sum less than 8 products, or the body does
    more than to widen, multiply and add; also in functions that promise equal bits on any
    number of ranks (`norm.sum_parts`), and with `products=loops`. norm-tile-rows then
    treats them as other reductions.
  }];
  let options = [
    Option<"products", "products", "::mlir::norm::Products",
           "::mlir::norm::Products::Blocks", "How products are computed",
           "::mlir::norm::getProductsValues()">,
    Option<"threads", "threads", "unsigned", "1",
           "Threads that share the blocks of a product">,
    Option<"kinds", "kinds", "::mlir::norm::ProductKinds",
           "::mlir::norm::ProductKinds::Elements",
           "What an instruction of the CPU adds to a sum",
           "::mlir::norm::getProductKindsValues()">,
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "bufferization::BufferizationDialect",
                           "linalg::LinalgDialect", "norm::NormDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def NormVectorizeProducts : Pass<"norm-vectorize-products", "func::FuncOp"> {
  let summary = "Make loops of vectors of blocks of products";
  let description = [{
    The loops of what norm-tile-products has marked, on buffers. A block of a product,

    ```mlir
    linalg.generic ins(%a, %packed : memref<128x1024xf32>, memref<1024x64xf32>)
        outs(%sums : memref<128x64xf32>) attrs = {norm.product}
    ```

    becomes loops over 1024 products (`product_depth`) and 6 rows (`product_rows`), whose
    innermost loop keeps 6 vectors of 64 sums (`product_lanes`) in registers; the rows
    that are left get a tile of their own, or one each if their number is not known:

    ```mlir
    %sums:6 = scf.for %k = %from to %to step %c1 iter_args(...) {
      %y = vector.load %packed[%k, %c0] : memref<1024x64xf32>, vector<64xf32>
      %x0 = memref.load %a[%i, %k] : memref<128x1024xf32>
      %v0 = vector.broadcast %x0 : f32 to vector<64xf32>
      %s0 = vector.fma %v0, %y, %sum0 : vector<64xf32>
      ...
    }
    ```

    Sums that one pass adds to zeros start in registers: what fills `%sums` goes.

    With `norm.amx` the sums are four tiles of AMX, of 32 rows and 32 columns, to which the
    products of 16 pairs of tiles are added before they are stored. Rows are a multiple of
    16, those that no tile of 32 has are a tile by 64 columns:

    ```mlir
    %a = amx.tile_load %words_of_a[%i, %k, %c0], %pitch : memref<48x160x2xbf16> into !amx.tile<16x32xbf16>
    %b = amx.tile_load %packed[%k, %j], %c128 : memref<160x128xbf16> into !amx.tile<16x32xbf16>
    %s = amx.tile_mulf %a, %b, %sum : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
    ```

    While a block is computed, the columns that the next iteration of the loops around
    it packs are fetched, if they are neighbors in memory: a row for as many products as
    there are tiles, or what the steps of AMX have time for.

    Columns that are no neighbors in memory are packed by squares of 16 times 16
    elements, which are turned in registers; others of B are fetched 16 rows ahead
    (`packed_ahead`). A product of few rows reads 8 rows of B at once, or 8 columns where
    these are rows in memory, and fetches the next ones if level 2 does not keep B; by tiles
    of AMX 16 columns, which it multiplies by the words of A, turned once.
  }];
  let dependentDialects = ["amx::AMXDialect", "arith::ArithDialect",
                           "memref::MemRefDialect", "scf::SCFDialect",
                           "vector::VectorDialect",
                           "x86vector::X86VectorDialect"];
}

#endif // NORM_PRODUCTS_PASSES
