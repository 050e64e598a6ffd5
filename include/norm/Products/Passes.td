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

    **Sums are wide.** 16-bit floats are added in f32, from zero. An elementwise op
    behind the product adds the destination, if that is not zero, and rounds once. It
    is fused with the elementwise op that reads the product, such as a bias, a
    residual connection or a gate; one gate may read two products.

    **Blocks of columns.** A loop goes over blocks of `product_columns` (64) columns of that
    op, or of 48 or 32 if these leave fewer columns of the last block empty, and computes
    for each block all rows of the products that it reads:

    ```mlir
    scf.for %j = %c0 to %c1024 step %c64 iter_args(%out = %dest) {
      %columns = tensor.extract_slice %b[0, %j] [1024, 64] [1, 1]
      %packed = linalg.generic ins(%columns) outs(%empty) {norm.pack} // widens
      %sums = linalg.generic ins(%a_f32, %packed) outs(%zero) {norm.product}
      %block = linalg.generic ins(%sums) outs(%slice) // rounds
      ...
    } {norm.loop = #norm.loop<product>}
    ```

    B is packed once per block: its columns become neighbors in memory, in the type of the
    sums. A is widened once, before the loop, often by the op that computes it. Neither is
    copied where it has the order and the type already. A B that is the same in all
    iterations of the loops around it, as the keys of an attention are for blocks of
    queries, is packed before them, if its blocks are full. An operand that a stride keeps
    apart in memory, such as one of two numbers of each element, is copied first. An
    elementwise op that computes B for this product alone, such as integers with scales,
    is fused into the block. Few rows are then computed as below, block by block, if its
    neighbors are along the sum.
    norm-vectorize-products builds the loops of a `norm.product`.

    **Words.** With `kinds=pairs` both operands stay bf16, and pairs of neighbors along
    the sum stay together, which one instruction of AVX512-BF16 multiplies and adds. With
    any of `kinds` but `elements` i8 become i16, of which AVX2 does the same. With
    `kinds=tiles` words of two bf16 or four i8 do, of which AMX multiplies two tiles of 16
    by 16, and the product also has `norm.amx`. It does so if the sum has whole tiles: its
    length is a multiple of 32 or 64. Other products are those of elements, or of i16.

    **Parts.** A long sum of at most 256 rows (`packed_rows`) goes by parts of up to 128
    products (`packed_depth`) that divide it, if columns that are neighbors in memory are
    packed: while a part is multiplied, memory fetches what is packed next. More rows
    have parts of up to 1024 (`product_depth`).

    AMX is faster than the caches behind level 2. It therefore multiplies parts of a long
    sum: of an A of 1.5 MiB and more (`large_bytes`) up to 256 words of each row
    (`tile_steps`) by up to 512 columns (`tile_columns`), of which as many are packed at
    once, or fewer where threads share the blocks (`tile_blocks` each); of a smaller A up
    to 128 words by 64 columns, if B has at least 512. A is copied by such parts, once for
    all products that read it; so are rows that fill no tile:

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

    A block has up to 128 rows (`chain_rows`), of 512 KiB (`chain_bytes`), which divide all
    rows if they can; threads share batches and blocks, but nothing in these. It has more
    where both B would be more than twice what is between: each block reads them again. If
    that takes more than 256 rows, as with most weights, there are no blocks; nor of less
    than 1.5 MiB (`large_bytes`), nor from an op on that others read, too. Views that join
    batches or groups of rows move behind the last product. The order of sums does not
    change.

    **Few rows.** A product of at most `few_rows` (8) rows, or 6 where tiles multiply
    integers, takes as long as to read B, which it does once, in place and in the order
    of memory, if neighbors there are columns, or are along the sum and neighbors in A,
    too: `norm.thin_product = 0`. The number is a kind: with
    `kinds=tiles` products of 2 to 16 rows whose words are neighbors in A and in B, such
    as those of a torch.nn.Linear, read B by tiles (2). So do those of up to 128 rows
    (`thin_tile_rows`) whose sums have 16 words per row and more (`thin_tile_words`), in
    blocks of columns with what reads them: to turn the sums then takes less than to pack
    B. Where the number of rows is not known, and is the only one, half as many rows are
    computed one by one so, and more rows by blocks, both into one destination, with what
    is fused behind them; not where B is computed. Threads have blocks of equal columns, as many as level 1 keeps the
    sums of, since memory is fastest with long rows; of `thin_columns` (512) where they
    are not known.

    **Order.** The products of an element are added one after the other along the sum,
    by fused multiplications and additions if the CPU has them, in blocks and for few
    rows if columns are neighbors in memory; else for few rows in as many parts as a
    register has lanes. Neither threads nor the number of columns change it.

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
    innermost loop keeps 6 vectors of 64 sums (`product_lanes`) in registers; the rows that are left get a tile of their own, or one each if
    their number is not known:

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
    elements, which are turned in registers; rows of B are fetched 16 rows ahead. A
    product of few rows reads 8 rows of B at once, or 8 columns where these are rows in
    memory, and fetches the next ones if level 2 does not keep B; by tiles of AMX 16
    columns, which it multiplies by the words of A, turned once.
  }];
  let dependentDialects = ["amx::AMXDialect", "arith::ArithDialect",
                           "memref::MemRefDialect", "scf::SCFDialect",
                           "vector::VectorDialect",
                           "x86vector::X86VectorDialect"];
}

#endif // NORM_PRODUCTS_PASSES
