// RUN: norm-opt %s --norm-finish-llvm | FileCheck %s

// The other properties of an object stay, and what has none is left alone.
// CHECK: gpu.binary @timed [#gpu.object<#nvvm.target<chip = "sm_90">, properties = {O = 3 : i32}, bin = "cubin">]
gpu.binary @timed [#gpu.object<#nvvm.target<chip = "sm_90">,
    properties = {ISAToBinaryTimeInMs = 7 : i64, LLVMIRToISATimeInMs = 16 : i64, O = 3 : i32},
    bin = "cubin">]

// CHECK: gpu.binary @plain [#gpu.object<#nvvm.target<chip = "sm_90">, assembly = "ptx">, #gpu.object<#nvvm.target<chip = "sm_80">, bin = "cubin">]
gpu.binary @plain [#gpu.object<#nvvm.target<chip = "sm_90">, assembly = "ptx">,
                   #gpu.object<#nvvm.target<chip = "sm_80">, bin = "cubin">]
