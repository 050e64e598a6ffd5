//===- Passes.td - memory policy and threads of CPUs -------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_CPU_PASSES
#define NORM_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def NormStreamRows : Pass<"norm-stream-rows", "ModuleOp"> {
  let summary = "Non-temporal stores and prefetch where rows leave the cache";
  let description = [{
    An ordinary store to memory that is not in the cache reads the line first:
    a loop that writes more than the cache holds moves half as much again as it
    has to. This pass makes a second version of each outermost loop on buffers that
    is, or holds, one of norm-tile-rows or norm-vectorize-rows, and chooses between
    the two when the loop is reached. The second one writes with non-temporal stores
    and fetches the next row while it writes this one, or in another loop over the
    same strips that computes far more: into the level 2 cache, so that it does not
    push this row out of level 1, or into level 1 where the loop computes functions.
    It is taken when

    * the buffers of the loop hold more than `cache-bytes` bytes together; with
      0, sixteen times the level 2 cache that `sysconf` reports, or 16 MiB where
      it reports none (level 3 is no measure: virtual machines report that of
      the whole socket);
    * no buffer that the loop reads overlaps one that it streams.

    A written buffer is streamed when the loop never reads it, its last
    dimension is contiguous, and it is written lane by lane in an inner loop
    whose body does nothing else (elementwise ops, reads, writes). Rows need no
    alignment: the inner loop of the second version starts at the first address
    that is a multiple of 64. What is left of a line on both sides is written by
    loops over quarters of a line and over elements (`#norm.loop<edge>`), with ordinary
    stores; the line at the end of the row, where the next one begins, is fetched
    before, because a store that misses the caches holds up all others. Where a row is one
    vector and has no inner loop, all rows must be aligned, which is part of the condition.

    A loop that also adds to what it reads, such as a row of sums, has a version for aligned
    rows, whose bounds stay (norm-reverse-strips needs constants), and one for all others; rows
    of less than 2048 elements must be aligned. The next row is fetched in the second loop that
    reads this one, because no other row is read while it is written.

    Example:

    ```mlir
    scf.for %i = %c0 to %m step %c1 {
      %sum = scf.for ... {norm.loop = #norm.loop<statistic>} // reads %x[%i, ...]
      scf.for %k = %c0 to %c4096 step %c64 {
        ...
        vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]}
      } {norm.loop = #norm.loop<strips>}
    } {norm.loop = #norm.loop<rows>}
    ```

    becomes

    ```mlir
    %large = ... // bytes of %x and %y > cache-bytes, no overlap
    scf.if %large {
      scf.for %i = %c0 to %m step %c1 {
        %sum = scf.for ...
        %head = ... // elements before the first aligned address of %y[%i, ...]
        scf.if %unaligned { ... } // the elements before it
        scf.for %k = %head to %end step %c64 {
          memref.prefetch %x[%next, %k], read, locality<2>, data // 4 lines
          ...
          vector.store %v, %y[%i, %k] {alignment = 64, nontemporal = true}
        }
        scf.if %unaligned { ... } // lines and elements from %end to %c4096
      }
    } else {
      ... // the loop as it was
    }
    ```

    The first statistic of a row, if it only reads, goes on beside the
    strips of the row before, so that memory is read and written all the time:

    ```mlir
    %first = scf.for ... // reduces row 0
    %last = scf.for %i = %c0 to %m_minus_1 step %c1 iter_args(%sum = %first) {
      ... // of %sum
      %next = scf.for %k = %c0 to %c4096 step %c64 {
        memref.prefetch %x[%i_plus_1, %k_plus_256], read, locality<3>, data
        ... // a strip of row %i, in pieces of 64 bytes
        ... // a strip of the reduction of row %i + 1
      }
      scf.yield %next
    }
    ... // the last row
    ```

    It applies where both loops have the same strips, 32 at least, and 32-bit
    results; an `scf.forall` becomes turns of up to 32 rows.

    Non-temporal stores need norm-fence-streams later on. Limits: loops without a
    role (`norm.loop`) stay as they are; buffers with dynamic strides, masked strips
    and loops that carry values are not streamed.
  }];
  let options = [
    Option<"cacheBytes", "cache-bytes", "int64_t", /*default=*/"0",
           "Stream from this many bytes on; 0: from what the machine reports">];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "memref::MemRefDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def NormReverseStrips : Pass<"norm-reverse-strips", "func::FuncOp"> {
  let summary = "Write a long row from the end that was read last";
  let description = [{
    A row that is read twice, for its statistic and to be scaled, and does not fit the
    level 1 cache leaves its last strips there. Read from the front again, each strip
    pushes out the one that is needed next, and all of them come from level 2; read from
    the end, those that are left are used. This pass turns a loop over strips
    (norm-vectorize-rows) if

    * the loop before it in the same block, over strips or of a statistic, goes up and
      accesses a buffer that this one reads,
    * it reads more than 32 KiB in all, so that they do not stay in level 1 anyway,
    * its strips are independent: no results, vector reads and writes within the columns
      of the strip, and nothing else with effects but prefetches.

    Of the next loops over the row, each goes against the one before it. A statistic
    always goes up, because the order of its additions is part of the result. The order
    of strips is not: every element is computed from the same operands.

    Example:

    ```mlir
    %sum = scf.for %k = %c0 to %c16384 step %c64 iter_args(...) -> (vector<64xf32>) {
      ... // reads %x[%i, %k]
    } {norm.loop = #norm.loop<statistic>}
    scf.for %k = %c0 to %c16384 step %c64 {
      ... // reads %x[%i, %k], writes %y[%i, %k]
    } {norm.loop = #norm.loop<strips>}
    ```

    becomes

    ```mlir
    %sum = scf.for ...
    scf.for %k = %c0 to %c16384 step %c64 {
      %column = arith.subi %c16320, %k : index
      ... // reads %x[%i, %column], writes %y[%i, %column]
    } {norm.loop = #norm.loop<strips>}
    ```

    Limits: constant bounds, which streamed rows (norm-stream-rows) only have if they are
    also summed. Buffers that overlap in part, which are undefined for callers too, are only
    seen where both are views of one buffer.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def NormSplitMaskedRows : Pass<"norm-split-masked-rows", "func::FuncOp"> {
  let summary = "Write the end of a row in pieces instead of under a mask";
  let description = [{
    A masked store takes as long as a whole short row on some CPUs (`vmaskmovps` is a
    microprogram on AMD's), and AVX2 has none for 16 bits, nor a masked load: LLVM
    goes element by element. Where the mask is a constant, the vector is written in
    pieces whose sizes are powers of two, and so is one of less than 32 bits read.
    Wider masked loads are fast and stay.

    Example:

    ```mlir
    %mask = vector.constant_mask [15] : vector<16xi1>
    vector.transfer_write %v, %y[%i, %c96], %mask {in_bounds = [true]}
    ```

    becomes writes of 8, 4, 2 and 1 elements at columns 96, 104, 108 and 110.

    Limits: vectors of one dimension along a contiguous row of a buffer. CPUs whose
    masked stores are fast (AVX-512, SVE) get the pieces too.
  }];
  let dependentDialects = ["arith::ArithDialect", "vector::VectorDialect"];
}

def NormStackTemporaries : Pass<"norm-stack-temporaries", "func::FuncOp"> {
  let summary = "Small temporaries on the stack of the function";
  let description = [{
    A buffer of at most 1024 bytes that is allocated and freed in the same block
    is allocated on the stack instead, once, at the start of the function: a block
    of short rows keeps one value a row, and a call of `malloc` takes as long as a row.

    Example:

    ```mlir
    scf.for ... {
      %sums = memref.alloc() : memref<16xf32>
      ...
      memref.dealloc %sums : memref<16xf32>
    }
    ```

    becomes

    ```mlir
    %sums = memref.alloca() : memref<16xf32>
    scf.for ... {
      ...
    }
    ```

    Limits: static shapes; not in an `scf.forall` or `scf.parallel`, where each thread
    needs its own.
  }];
  let dependentDialects = ["memref::MemRefDialect"];
}

def NormFenceStreams : Pass<"norm-fence-streams", "func::FuncOp"> {
  let summary = "A fence after loops with non-temporal stores";
  let description = [{
    Non-temporal stores are not ordered with what follows. A fence, sequentially
    consistent or with `sfence` the instruction of x86, follows each outermost
    `scf.for` that has such stores; in an `omp.parallel` it stands at the end of the region, so
    that every thread's stores are visible before the threads join.

    Example:

    ```mlir
    scf.for ... { vector.store ... {nontemporal = true} }
    ```

    becomes

    ```mlir
    scf.for ... { vector.store ... {nontemporal = true} }
    llvm.fence seq_cst
    ```

    Limits: runs after convert-scf-to-openmp; an `scf.forall` or `scf.parallel`
    that streams is an error, because its threads could not fence.
  }];
  let options = [Option<"sfence", "sfence", "bool", /*default=*/"false",
                        "The instruction of x86 instead of a general fence">];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def NormSerializeLoops : Pass<"norm-serialize-loops", "func::FuncOp"> {
  let summary = "No threads for loops over few bytes and for those that may fail";
  let description = [{
    Starting threads takes longer than a small loop. Each outermost `scf.forall`
    without results gets a second version, nested `scf.for` loops, that is taken
    when the buffers used in the loop hold fewer than `grain` bytes together, or
    when it has one iteration at most. Both versions do the same operations on
    each element, so results do not depend on the choice.

    Example:

    ```mlir
    scf.forall (%i) in (%m) { ... %x ... %y ... }
    ```

    becomes

    ```mlir
    %small = ... // bytes of %x and %y < grain, or %m < 2
    scf.if %small {
      scf.for %i = %c0 to %m step %c1 { ... }
    } else {
      scf.forall (%i) in (%m) { ... }
    }
    ```

    The loops of the first version lose their roles (`norm.loop`): norm-stream-rows
    has nothing to gain there.

    An `scf.forall` or `scf.parallel` with a `cf.assert` or a call in it becomes
    `scf.for` loops without a choice: a failed assertion may be an error of the call
    (runtime/cpu/Assertions.h), and only the caller's thread can return to it.

    ```mlir
    scf.forall (%i) in (%m) { cf.assert %fits, "index must be smaller than dim size" ... }
    ```

    becomes

    ```mlir
    scf.for %i = %c0 to %m step %c1 { cf.assert %fits, "index must be smaller than dim size" ... }
    ```

    Limits: a small loop that uses no buffer from outside stays as it is. An
    `scf.parallel` with results and an assertion is an error.
  }];
  let options = [Option<"grain", "grain", "int64_t", /*default=*/"1048576",
                        "Bytes from which on threads are started">];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect"];
}

def NormKeepStripLoops : Pass<"norm-keep-strip-loops", "func::FuncOp"> {
  let summary = "No unrolling of loops over vectors of 64 elements, or of windows";
  let description = [{
    An iteration over vectors of 64 elements and more is many instructions already, and
    its accumulators are independent: unrolling it gains nothing, and LLVM unrolls
    loops of a small constant count as a whole, which blocks of 16 strips
    (norm-vectorize-rows) are. This pass marks `scf.for` loops whose body works on
    such vectors, unless they are innermost and have four iterations at most, and
    those over the edges of a row (`#norm.loop<edge>`), which have three iterations or less,
    or one per element of a quarter of a line. It also marks loops of a constant count that
    hold loops of loops and no vectors, such as the outer one over the window of a pooling:
    LLVM would make nine copies of the loop inside of three by three iterations, and spend
    half of a compilation on their addresses.

    Example:

    ```mlir
    scf.for %k = %begin to %end step %c64 { ... vector<64xf32> ... }
    ```

    becomes

    ```mlir
    scf.for %k = %begin to %end step %c64 { ... vector<64xf32> ... }
        {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    ```

    Limits: the attribute is discardable; passes that rebuild the loop may lose it.
    convert-scf-to-cf hands it to the branch, where norm-attach-loop-annotations
    must find it.
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def NormAttachLoopAnnotations
    : Pass<"norm-attach-loop-annotations", "LLVM::LLVMFuncOp"> {
  let summary = "Loop annotations of scf loops where LLVM IR reads them";
  let description = [{
    convert-scf-to-cf copies `llvm.loop_annotation` of a loop to its latch, and
    convert-cf-to-llvm keeps it as a discardable attribute, which the translation
    to LLVM IR does not look at. This pass makes it the branch's own
    `loop_annotation`, which becomes `!llvm.loop` metadata.

    Example:

    ```mlir
    llvm.br ^bb1(%0 : i64) {llvm.loop_annotation = #loop}
    ```

    becomes

    ```mlir
    llvm.br ^bb1(%0 : i64) {loop_annotation = #loop}
    ```

    Limits: only `llvm.br` and `llvm.cond_br`.
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def NormMaximaToIntegers : Pass<"norm-maxima-to-integers"> {
  let summary = "Compute maxima of magnitudes as maxima of integers";
  let description = [{
    x86 has no instruction for `arith.maximumf`: `maxps` returns its second operand if
    one is NaN or both are zeros, so LLVM needs six instructions, four of which wait
    for each other. But f32 numbers without a sign have the order of their bits, in
    which NaN is above infinity, and the maximum of integers is one instruction. The
    largest magnitude of a row, from which a scale follows, is such a maximum.

    Example:

    ```mlir
    %top = scf.for %i = %c0 to %n step %c64 iter_args(%most = %minus_infinity) -> (vector<64xf32>) {
      %x = vector.transfer_read %row[%i], %zero {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
      %size = math.absf %x : vector<64xf32>
      %next = arith.maximumf %most, %size : vector<64xf32>
      scf.yield %next : vector<64xf32>
    }
    ```

    `%next` becomes

    ```mlir
    %0 = arith.bitcast %most : vector<64xf32> to vector<64xi32>
    %1 = arith.bitcast %size : vector<64xf32> to vector<64xi32>
    %2 = arith.maxsi %0, %1 : vector<64xi32>
    %next = arith.bitcast %2 : vector<64xi32> to vector<64xf32>
    ```

    Operands come from `math.absf` and from constants without a sign or of minus
    infinity, the neutral element, whose bits are below those of all magnitudes; from
    maxima, selections and parts of them, and loops that carry them.

    Limits: f32 only. Of several NaNs the one with the largest payload is kept, not
    the first one.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def NormNarrowTemporaries : Pass<"norm-narrow-temporaries", "func::FuncOp"> {
  let summary = "Keep as bf16 or f16 what was widened to f32 only to be kept";
  let description = [{
    A model rounds a normalized row to bf16 and widens it again for what comes next, such
    as a scale and a quantization. Where a temporary lies between, fusion has put the
    widening before it: the row takes twice the cache, and the rounding is not seen to
    end in bf16, so `norm-narrow-floats-to-integers` cannot work by pairs of elements.
    This pass moves the widening behind the temporary, to each read.

    Example:

    ```mlir
    %row = memref.alloc() : memref<1x4096xf32>
    ...
    %w = arith.extf %v : vector<64xbf16> to vector<64xf32>
    vector.transfer_write %w, %row[%c0, %i] {in_bounds = [true]} : vector<64xf32>, memref<1x4096xf32>
    ...
    %r = vector.transfer_read %row[%c0, %j], %zero {in_bounds = [true]} : memref<1x4096xf32>, vector<64xf32>
    ```

    becomes

    ```mlir
    %row = memref.alloc() : memref<1x4096xbf16>
    ...
    vector.transfer_write %v, %row[%c0, %i] {in_bounds = [true]} : vector<64xbf16>, memref<1x4096xbf16>
    ...
    %n = vector.transfer_read %row[%c0, %j], %bf16_zero {in_bounds = [true]} : memref<1x4096xbf16>, vector<64xbf16>
    %r = arith.extf %n : vector<64xbf16> to vector<64xf32>
    ```

    Limits: buffers of f32 that only loads, stores, vector transfers (with a padding of
    zero) and a `memref.dealloc` use, and into which nothing else is stored than what was
    widened from one type.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def NormRoundToIntegers : Pass<"norm-round-to-integers"> {
  let summary = "Round and convert vectors to integers by one instruction";
  let description = [{
    x86 converts f32 to i32 with a rounding to even (`cvtps2dq`) as fast as toward zero,
    so a `math.roundeven` before is one instruction too many. It may stand before a
    clamp to integers, which is the same after it. From i32, saturating packs make i8 or
    i16 of whole registers, but LLVM uses halves of them for an `arith.fptosi` to i8.

    Example:

    ```mlir
    %r = math.roundeven %x : vector<64xf32>
    %c = arith.minimumf %r, %bound : vector<64xf32>  // splat of 127.0
    %q = arith.fptosi %c : vector<64xf32> to vector<64xi8>
    ```

    becomes

    ```mlir
    %c = arith.minimumf %x, %bound : vector<64xf32>
    %i = llvm.intr.lrint(%c) : (vector<64xf32>) -> vector<64xi32>
    %q = arith.trunci %i overflow<nsw> : vector<64xi32> to vector<64xi8>
    ```

    Limits: signed integers of 8, 16, 24 or 32 bits and vectors of one dimension of f32.
    The rounding mode is that of MXCSR, as it is of all arithmetic, and to even unless
    the caller sets another.
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect"];
}

def NormRoundByDotProducts : Pass<"norm-round-by-dot-products"> {
  let summary = "Round to bf16 by two instructions of AVX512-VNNI";
  let description = [{
    `norm-narrow-floats-to-integers` rounds the bits w of an f32 to the upper half of
    w + 0x7FFF + ((w >> 16) & 1): a shift, a mask and two additions. `vpdpwssd` adds to
    w the products of the halves of two words, here of (w & 0x10000) | 0x7FFF, which is
    one `vpternlogd`, and of ones. That is the same integer, and two instructions.

    Example:

    ```mlir
    %high = arith.shrui %w, %c16 : vector<16xi32>
    %last = arith.andi %high, %c1 : vector<16xi32>
    %biased = arith.addi %w, %c0x7FFF : vector<16xi32>
    %rounded = arith.addi %biased, %last : vector<16xi32>
    ```

    becomes

    ```mlir
    %odd = arith.andi %w, %c0x10000 : vector<16xi32>
    %terms = arith.ori %odd, %c0x7FFF : vector<16xi32>
    %halves = vector.bitcast %terms : vector<16xi32> to vector<32xi16>
    %rounded = llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.512"(%w, %halves, %ones)
    ```

    Limits: vectors of one dimension of 4 or 8 words, or of a multiple of 16, which are
    rounded 16 at a time. The CPU needs AVX512-VNNI and AVX512-VL.
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "vector::VectorDialect"];
}

def NormTuneForX86 : Pass<"norm-tune-for-x86", "LLVM::LLVMFuncOp"> {
  let summary = "Tell LLVM's x86 back end what it does not do by itself";
  let description = [{
    Functions get `prefer_vector_width = "512"`, unless they have a width: on many
    CPUs with AVX-512, LLVM prefers vectors of 256 bits, and a row at the speed of
    memory takes half the instructions with 512.

    With `f16-vectors`, non-temporal stores of f16 vectors become those of f32. LLVM
    22 has none of the types that AVX512-FP16 makes legal, and stores them like any
    other. (Without AVX512-FP16 it has: of what `vcvtps2ph` gives.) The arithmetic
    fence, which is no instruction, keeps LLVM from folding the bitcast
    into the store.

    Example:

    ```mlir
    llvm.store %v, %p {nontemporal} : vector<32xf16>, !llvm.ptr
    ```

    becomes

    ```mlir
    %0 = llvm.bitcast %v : vector<32xf16> to vector<16xf32>
    %1 = llvm.call_intrinsic "llvm.arithmetic.fence"(%0)
           : (vector<16xf32>) -> vector<16xf32>
    llvm.store %1, %p {nontemporal} : vector<16xf32>, !llvm.ptr
    ```

    Limits: stores of rank-1 vectors of an even number of elements.
  }];
  let options = [Option<"f16Vectors", "f16-vectors", "bool",
                        /*default=*/"false",
                        "The CPU has vectors of f16 (AVX512-FP16)">];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

#endif // NORM_TARGET_CPU_PASSES
