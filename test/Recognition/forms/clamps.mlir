// RUN: norm-opt %s --norm-recognize | FileCheck %s

// The larger of the root and epsilon, in every spelling of a maximum.

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#flat = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @maximumf(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @maximumf(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %m = arith.maximumf %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @maximumf_swapped(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @maximumf_swapped(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %m = arith.maximumf %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @maxnumf(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @maxnumf(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %m = arith.maxnumf %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @maxnumf_swapped(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @maxnumf_swapped(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %m = arith.maxnumf %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_ogt(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_ogt(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ogt, %root, %eps : f32
    %m = arith.select %c, %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_ogt_swapped(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_ogt_swapped(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ogt, %eps, %root : f32
    %m = arith.select %c, %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_oge(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_oge(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf oge, %root, %eps : f32
    %m = arith.select %c, %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_oge_swapped(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_oge_swapped(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf oge, %eps, %root : f32
    %m = arith.select %c, %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_ugt(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_ugt(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ugt, %root, %eps : f32
    %m = arith.select %c, %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_ugt_swapped(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_ugt_swapped(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ugt, %eps, %root : f32
    %m = arith.select %c, %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_uge(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_uge(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf uge, %root, %eps : f32
    %m = arith.select %c, %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_uge_swapped(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_uge_swapped(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf uge, %eps, %root : f32
    %m = arith.select %c, %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_olt(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_olt(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf olt, %root, %eps : f32
    %m = arith.select %c, %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_olt_swapped(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_olt_swapped(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf olt, %eps, %root : f32
    %m = arith.select %c, %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_ole(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_ole(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ole, %root, %eps : f32
    %m = arith.select %c, %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_ole_swapped(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_ole_swapped(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ole, %eps, %root : f32
    %m = arith.select %c, %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_ult(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_ult(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ult, %root, %eps : f32
    %m = arith.select %c, %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_ult_swapped(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_ult_swapped(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ult, %eps, %root : f32
    %m = arith.select %c, %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_ule(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_ule(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ule, %root, %eps : f32
    %m = arith.select %c, %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @select_ule_swapped(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
func.func @select_ule_swapped(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ule, %eps, %root : f32
    %m = arith.select %c, %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// The smaller of the two bounds the root from above.

// CHECK-LABEL: func.func @select_minimum(
// CHECK-NOT: norm.rmsnorm
// CHECK: return
func.func @select_minimum(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ogt, %root, %eps : f32
    %m = arith.select %c, %eps, %root : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// Compared with another value than the one that is selected.

// CHECK-LABEL: func.func @select_other(
// CHECK-NOT: norm.rmsnorm
// CHECK: return
func.func @select_other(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %c = arith.cmpf ogt, %mean, %eps : f32
    %m = arith.select %c, %root, %eps : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// A clamp of the mean is one of the root at the root of epsilon, 1e-3.

// CHECK-LABEL: func.func @clamp_of_mean(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = {{(1.000000e-03|9.99999977E-4|0.00100000005|1.00000005E-3|9.99999931E-4)}} : f32 epsilon_mode = clamp
func.func @clamp_of_mean(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.maximumf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @clamp_of_mean_by_select(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = {{(1.000000e-03|9.99999977E-4|0.00100000005|1.00000005E-3|9.99999931E-4)}} : f32 epsilon_mode = clamp
func.func @clamp_of_mean_by_select(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %c = arith.cmpf olt, %mean, %eps : f32
    %m = arith.select %c, %eps, %mean : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// torch.where: the comparison is an op of its own, in f64 with the constant
// before it was rounded.
// CHECK-LABEL: func.func @where(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>) {{.*}} epsilon = 9.99999997E-7 : f32 epsilon_mode = clamp
// CHECK-NOT: arith.cmpf
// CHECK: return
func.func @where(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %wide = arith.constant 1.0e-6 : f64
  %eps = arith.constant dense<1.0e-6> : tensor<4xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %roots = linalg.generic {indexing_maps = [#flat, #flat], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    linalg.yield %root : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4xi1>
  %above = linalg.generic {indexing_maps = [#flat, #flat], iterator_types = ["parallel"]}
      ins(%roots : tensor<4xf32>) outs(%e2 : tensor<4xi1>) {
  ^bb0(%root: f32, %out: i1):
    %r = arith.extf %root : f32 to f64
    %c = arith.cmpf ogt, %r, %wide : f64
    linalg.yield %c : i1
  } -> tensor<4xi1>
  %e3 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %above, %roots, %eps : tensor<4x32xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) outs(%e3 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %c: i1, %root: f32, %e: f32, %out: f32):
    %m = arith.select %c, %root, %e : f32
    %z = arith.divf %in, %m : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// Arithmetic in f16, with the reciprocal of the number of terms.
// CHECK-LABEL: func.func @narrow(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x21xf16>) {{.*}} epsilon = 3.906250e-03 : f16 epsilon_mode = clamp
func.func @narrow(%x: tensor<4x21xf16>) -> tensor<4x21xf16> {
  %zero = arith.constant dense<0.0> : tensor<4xf16>
  %inverse = arith.constant 4.760740e-02 : f16
  %eps = arith.constant 3.906250e-03 : f16
  %one = arith.constant 1.0 : f16
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x21xf16>) outs(%zero : tensor<4xf16>) {
  ^bb0(%in: f16, %acc: f16):
    %square = arith.mulf %in, %in : f16
    %next = arith.addf %acc, %square : f16
    linalg.yield %next : f16
  } -> tensor<4xf16>
  %e = tensor.empty() : tensor<4x21xf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x21xf16>, tensor<4xf16>) outs(%e : tensor<4x21xf16>) {
  ^bb0(%in: f16, %s: f16, %out: f16):
    %mean = arith.mulf %s, %inverse : f16
    %root = math.sqrt %mean : f16
    %m = arith.maximumf %root, %eps : f16
    %r = arith.divf %one, %m : f16
    %z = arith.mulf %in, %r : f16
    linalg.yield %z : f16
  } -> tensor<4x21xf16>
  return %y : tensor<4x21xf16>
}
