//===- Programs.cpp - the program of a random norm ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Norms.h"
#include <sstream>

using namespace norm_test;

namespace {
struct Operand {
  std::string name;
  std::vector<int64_t> dims; // of x
  Float type;
  const Layout &layout;
  bool isDynamicLayout;
};

/// Writes the program of a norm.
class Printer {
public:
  explicit Printer(const Norm &norm) : norm(norm) {}

  std::string print();

private:
  std::string tensor(const Operand &operand) const;
  std::string view(const Operand &operand) const;
  void printParameters(const std::vector<Operand> &inputs,
                       const std::vector<Operand> &outputs);
  void printToTensor(const Operand &input);
  void printBinary(const std::string &op, const std::string &a,
                   const std::string &b, const std::string &result,
                   const Operand &like);
  void printOnePlus(const Operand &w);
  void printQuantization(const std::string &value, const Operand &y);
  void printEnd(const std::vector<std::string> &values,
                const std::vector<Operand> &outputs);

  const Norm &norm;
  std::ostringstream os;
};
} // namespace

static std::string elementType(Float type) {
  return format(type).bytes == 1 ? "i8" : format(type).name;
}

std::string Printer::tensor(const Operand &operand) const {
  return "tensor<" + printExtents(norm, operand.dims) +
         elementType(operand.type) + ">";
}

std::string Printer::view(const Operand &operand) const {
  std::ostringstream text;
  text << "memref<" << printExtents(norm, operand.dims)
       << elementType(operand.type) << ", strided<[";
  for (size_t i = 0; i < operand.dims.size(); ++i) {
    text << (i ? ", " : "");
    // A static unit stride is what most callers promise.
    if (operand.isDynamicLayout && operand.layout.strides[i] != 1)
      text << "?";
    else
      text << operand.layout.strides[i];
  }
  text << "]";
  if (operand.isDynamicLayout)
    text << ", offset: ?";
  else if (operand.layout.offset)
    text << ", offset: " << operand.layout.offset;
  text << ">>";
  return text.str();
}

void Printer::printParameters(const std::vector<Operand> &inputs,
                              const std::vector<Operand> &outputs) {
  os << "func.func @norm(";
  const char *separator = "";
  for (const Operand &input : inputs) {
    os << separator << "%" << input.name
       << (norm.views ? "_view: " + view(input) : ": " + tensor(input));
    separator = ", ";
  }
  if (norm.views) {
    for (const Operand &output : outputs)
      os << ", %" << output.name << "_view: " << view(output);
    os << ") {\n";
    return;
  }
  os << ") -> (";
  for (size_t i = 0; i < outputs.size(); ++i)
    os << (i ? ", " : "") << tensor(outputs[i]);
  os << ") {\n";
}

void Printer::printToTensor(const Operand &input) {
  if (norm.views)
    os << "  %" << input.name << " = bufferization.to_tensor %" << input.name
       << "_view restrict : " << view(input) << " to " << tensor(input) << "\n";
}

void Printer::printBinary(const std::string &op, const std::string &a,
                          const std::string &b, const std::string &result,
                          const Operand &like) {
  std::string type = tensor(like), init = "%" + result + "_init";
  os << printEmpty(norm, init, like.dims, type) << "  %" << result
     << " = linalg." << op << " ins(%" << a << ", %" << b << " : " << type
     << ", " << type << ") outs(" << init << " : " << type << ") -> " << type
     << "\n";
}

void Printer::printOnePlus(const Operand &w) {
  std::string type = tensor(w);
  os << printEmpty(norm, "%ones_init", w.dims, type)
     << "  %one = arith.constant 1.0 : " << elementType(w.type)
     << "\n  %ones = linalg.fill ins(%one : " << elementType(w.type)
     << ") outs(%ones_init : " << type << ") -> " << type << "\n";
  printBinary("add", "ones", w.name, "w", w);
}

/// 8-bit floats are returned as bytes.
void Printer::printQuantization(const std::string &value, const Operand &y) {
  Operand from = y;
  from.type = norm.resultType;
  const char *narrow = format(y.type).name, *wide = format(from.type).name;
  os << printEmpty(norm, "%q_init", y.dims, tensor(y))
     << "  %q = linalg.map ins(" << value << " : " << tensor(from)
     << ") outs(%q_init : " << tensor(y) << ")\n    (%e : " << wide
     << ", %old : i8) {\n"
     << "      %t = arith.truncf %e : " << wide << " to " << narrow
     << "\n      %b = arith.bitcast %t : " << narrow << " to i8\n"
     << "      linalg.yield %b : i8\n    }\n";
}

void Printer::printEnd(const std::vector<std::string> &values,
                       const std::vector<Operand> &outputs) {
  if (norm.views) {
    for (size_t i = 0; i < outputs.size(); ++i)
      os << "  bufferization.materialize_in_destination " << values[i]
         << " in restrict writable %" << outputs[i].name << "_view : ("
         << tensor(outputs[i]) << ", " << view(outputs[i]) << ") -> ()\n";
    os << "  return\n}\n";
    return;
  }
  os << "  return ";
  for (size_t i = 0; i < outputs.size(); ++i)
    os << (i ? ", " : "") << values[i];
  os << " : ";
  for (size_t i = 0; i < outputs.size(); ++i)
    os << (i ? ", " : "") << tensor(outputs[i]);
  os << "\n}\n";
}

std::string Printer::print() {
  std::vector<int64_t> all = allDims(norm);
  auto isDynamic = [&](unsigned i) { return (norm.dynamicLayout >> i) & 1; };
  std::vector<Operand> inputs{
      {norm.residual ? "x0" : "x", all, norm.type, norm.x, isDynamic(0) != 0}};
  if (norm.residual)
    inputs.push_back({"h", all, norm.type, norm.h, isDynamic(1) != 0});
  if (norm.weightDims)
    inputs.push_back({norm.onePlusWeight ? "w0" : "w", *norm.weightDims,
                      norm.weightType, norm.w, isDynamic(2) != 0});
  if (norm.gate)
    inputs.push_back({"g", all, norm.resultType, norm.g, isDynamic(3) != 0});
  std::vector<Operand> outputs{
      {"out", all, norm.outputType(), norm.y, isDynamic(4) != 0}};
  if (norm.withInvRms)
    outputs.push_back(
        {"rout", batchDims(norm), norm.compute, norm.r, isDynamic(5) != 0});

  printParameters(inputs, outputs);
  for (const Operand &input : inputs)
    printToTensor(input);
  os << printDims(norm, "%" + inputs[0].name);
  if (norm.residual)
    printBinary("add", "x0", "h", "x", inputs[0]);
  if (norm.onePlusWeight)
    printOnePlus(inputs[norm.residual ? 2 : 1]);
  os << printNorm(norm);
  std::string y = norm.withInvRms ? "y#0" : "y";
  if (norm.gate) {
    printBinary("mul", y, "g", "gated", inputs.back());
    y = "gated";
  }
  y = "%" + y;
  if (norm.quantizedType) {
    printQuantization(y, outputs[0]);
    y = "%q";
  }
  printEnd({y, "%y#1"}, outputs);
  return os.str();
}

std::string norm_test::printProgram(const Norm &norm) {
  return Printer(norm).print();
}

std::string norm_test::describeNorm(const Norm &norm) {
  std::string text = describe(norm);
  auto add = [&](bool is, const std::string &what) {
    if (is)
      text += ", " + what;
  };
  add(norm.views, "strided views");
  add(norm.inPlace, "in place");
  add(norm.residual, "residual");
  add(norm.onePlusWeight, "1 + w");
  add(norm.gate, "gate");
  if (norm.quantizedType)
    add(true, format(*norm.quantizedType).name);
  add(norm.cacheBytes == 1, "streamed");
  add(true, std::string("values: ") + getName(norm.values));
  return text;
}
