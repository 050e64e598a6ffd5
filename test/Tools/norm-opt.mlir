// norm-opt knows upstream's dialects, passes and extensions, and ours.
// RUN: norm-opt --help-hidden | FileCheck %s --check-prefix=HELP
// HELP-DAG: --convert-linalg-to-loops
// HELP-DAG: --norm-recognize
// HELP-DAG: --norm-to-cpu
// HELP-DAG: --norm-to-nvvm
// HELP-DAG: --transform-interpreter
// RUN: norm-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// DIALECTS: linalg,{{.*}}norm,{{.*}}tosa

// Bad input.
// RUN: not norm-opt %S/Inputs/unparsable.txt 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: unparsable.txt:1:1: error:
// RUN: not norm-opt %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cannot open input file '{{.*}}missing'
// RUN: not norm-opt %s --norm-nonsense 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: Unknown command line argument '--norm-nonsense'
// RUN: not norm-opt %s --norm-recognize=rounding=nonsense 2>&1 | FileCheck %s --check-prefix=ROUNDING
// ROUNDING: for the --rounding option: Cannot find option named 'nonsense'
// RUN: not norm-opt %s --norm-stream-rows=cache-bytes=-1 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: for the --cache-bytes option: '-1' value invalid
func.func @f() {
  return
}
