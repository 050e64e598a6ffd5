// RUN: norm-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect -o /dev/null

// Numbers that a module does not give are those of the table.
module attributes {norm.row_target = {lanes = 32, tail_lanes = 32, block_elements = 0}} {}

// -----

module attributes {norm.row_target = {}} {}

// -----

// expected-error @+1 {{'builtin.module' op 'norm.row_target' has no number 'lame'}}
module attributes {norm.row_target = {lame = 32}} {}

// -----

// expected-error @+1 {{expects 'lanes' of 'norm.row_target' to be a power of two from 16 to 1024, got 48 : i64}}
module attributes {norm.row_target = {lanes = 48}} {}

// -----

// expected-error @+1 {{expects 'stack_bytes' of 'norm.row_target' to be a 64-bit integer from 0 to 1048576, got -1 : i64}}
module attributes {norm.row_target = {stack_bytes = -1}} {}

// -----

// expected-error @+1 {{expects 'unrolled' of 'norm.row_target' to be a 64-bit integer from 1 to 1024, got 4 : i32}}
module attributes {norm.row_target = {unrolled = 4 : i32}} {}

// -----

// expected-error @+1 {{expects 'tail_lanes' of 'norm.row_target' to be at most 'lanes', got 128 and 64}}
module attributes {norm.row_target = {tail_lanes = 128}} {}

// -----

// expected-error @+1 {{expects 'part_lanes' of 'norm.row_target' to be at most 'lanes', got 32 and 16}}
module attributes {norm.row_target = {lanes = 16, part_lanes = 32}} {}

// -----

// expected-error @+1 {{expects 'least_rows_per_block' of 'norm.row_target' to be at most 'most_rows_per_block', got 17 and 16}}
module attributes {norm.row_target = {least_rows_per_block = 17}} {}

// -----

// expected-error @+1 {{expects 'norm.row_target' to be a dictionary on a module}}
module attributes {norm.row_target = 4} {}

// -----

// expected-error @+1 {{expects 'norm.row_target' to be a dictionary on a module}}
func.func private @f() attributes {norm.row_target = {}}
