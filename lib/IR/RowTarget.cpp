//===- RowTarget.cpp - what code generation assumes of a machine ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/IR/RowTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using norm::RowTarget;

namespace {
/// A row of the table, or a heading, which has no field.
struct Entry {
  StringRef name;
  int64_t RowTarget::*field;
  int64_t least, most;
  bool isPower;
  StringRef unit, source;
};
} // namespace

static ArrayRef<Entry> getTable() {
#define ROW_ENTRY(field, least, most, isPower, unit, source)                   \
  {#field, &RowTarget::field, least, most, isPower, unit, source},
  static const Entry table[] = {
#define ROW_HEADING(title) {title, nullptr, 0, 0, false, "", ""},
#define ROW_NUMBER(field, value, least, most, unit, source)                    \
  ROW_ENTRY(field, least, most, false, unit, source)
#define ROW_POWER(field, value, least, most, unit, source)                     \
  ROW_ENTRY(field, least, most, true, unit, source)
#include "norm/IR/RowTarget.def"
  };
#undef ROW_ENTRY
  return table;
}

/// The name in the attribute, which are spelled as all are in MLIR.
static std::string getName(const Entry &entry) {
  return llvm::convertToSnakeFromCamelCase(entry.name);
}

static const Entry *find(StringRef name) {
  const Entry *found = llvm::find_if(getTable(), [&](const Entry &entry) {
    return entry.field && getName(entry) == name;
  });
  return found == getTable().end() ? nullptr : found;
}

static RowTarget read(DictionaryAttr attr) {
  RowTarget target;
  for (const Entry &entry : getTable())
    if (entry.field && attr)
      if (auto value = attr.getAs<IntegerAttr>(getName(entry)))
        target.*entry.field = value.getInt();
  return target;
}

RowTarget norm::getRowTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto attr = op->getAttrOfType<DictionaryAttr>(rowTargetAttrName))
      return read(attr);
  return RowTarget();
}

static bool isInRange(const Entry &entry, int64_t value) {
  return value >= entry.least && value <= entry.most &&
         (!entry.isPower || llvm::isPowerOf2_64(value));
}

static std::string describeRange(const Entry &entry) {
  return (Twine(entry.isPower ? "a power of two" : "a 64-bit integer") +
          " from " + Twine(entry.least) + " to " + Twine(entry.most))
      .str();
}

LogicalResult
norm::verifyRowNumber(function_ref<InFlightDiagnostic()> emitError,
                      StringRef name, int64_t value) {
  const Entry *entry = find(name);
  if (isInRange(*entry, value))
    return success();
  return emitError() << "expects '" << name << "' to be "
                     << describeRange(*entry) << ", got " << value;
}

static LogicalResult verifyNumber(Operation *op, NamedAttribute given) {
  const Entry *entry = find(given.getName());
  if (!entry)
    return op->emitOpError("'")
           << norm::rowTargetAttrName << "' has no number '"
           << given.getName().getValue() << "'";
  auto value = dyn_cast<IntegerAttr>(given.getValue());
  if (value && value.getType().isSignlessInteger(64) &&
      isInRange(*entry, value.getInt()))
    return success();
  return op->emitOpError("expects '")
         << given.getName().getValue() << "' of '" << norm::rowTargetAttrName
         << "' to be " << describeRange(*entry) << ", got " << given.getValue();
}

LogicalResult norm::verifyRowTarget(Operation *op, Attribute attr) {
  auto numbers = dyn_cast<DictionaryAttr>(attr);
  if (!numbers || !isa<ModuleOp>(op))
    return op->emitOpError("expects '")
           << rowTargetAttrName << "' to be a dictionary on a module";
  for (NamedAttribute given : numbers)
    if (failed(verifyNumber(op, given)))
      return failure();
  RowTarget target = read(numbers);
  auto verifyAtMost = [&](StringRef name, int64_t value, StringRef other,
                          int64_t most) -> LogicalResult {
    if (value <= most)
      return success();
    return op->emitOpError("expects '")
           << name << "' of '" << rowTargetAttrName << "' to be at most '"
           << other << "', got " << value << " and " << most;
  };
  return success(
      succeeded(verifyAtMost("tail_lanes", target.tailLanes, "lanes",
                             target.lanes)) &&
      succeeded(verifyAtMost("part_lanes", target.partLanes, "lanes",
                             target.lanes)) &&
      succeeded(verifyAtMost("least_summed_rows", target.leastSummedRows,
                             "most_summed_rows", target.mostSummedRows)) &&
      succeeded(verifyAtMost("least_rows_per_block", target.leastRowsPerBlock,
                             "most_rows_per_block", target.mostRowsPerBlock)));
}

void norm::printRowTarget(Operation *op, raw_ostream &os) {
  RowTarget target = getRowTarget(op);
  os << "{";
  for (const Entry &entry : getTable()) {
    if (!entry.field) {
      os << "\n  // " << entry.name << "\n";
      continue;
    }
    os << "  " << getName(entry) << " = " << target.*entry.field
       << (&entry == &getTable().back() ? " " : ", ") << "// " << entry.unit
       << ": " << entry.source << "\n";
  }
  os << "}\n";
}
