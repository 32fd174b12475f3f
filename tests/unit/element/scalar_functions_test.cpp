// The rows of scalar_functions.inc: what is folded is what the evaluator computes, for every type that a function
// takes; neutral elements leave the other operand as it is; no form of another language belongs to two ops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/element/scalar_functions.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/stablehlo/lowering_rows.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"
#include "core/ops/op.h"
#include "tests/unit/ops/one_instruction.h"

namespace tessera {
namespace {

constexpr ElementType kFunctionTypes[] = {ElementType::Pred, ElementType::S8,   ElementType::U8,  ElementType::S32,
                                          ElementType::U64,  ElementType::BF16, ElementType::F32, ElementType::F64,
                                          ElementType::C64,  ElementType::C128};

// Off the cuts of complex functions, where zeros of either sign give either side.
Literal samples(ElementType type, bool second) {
  constexpr double kReal[] = {-3, -1.5, -1, -0.25, 0, 0.25, 0.5, 1, 2, 7}, kImag[] = {0.5, -2, 1, 3, -0.75};
  Literal out = Literal::allocate(Shape::arrayRowMajor(type, {std::ssize(kReal)})).value();
  std::byte* at = out.mutableBytes().data();
  for (size_t i = 0; i < std::size(kReal); ++i, at += byteWidth(type)) {
    const double value = kReal[second ? std::size(kReal) - 1 - i : i];
    if (isComplex(type))
      storeComplex(type, at, {value, kImag[i % std::size(kImag)]});
    else if (isFloat(type))
      storeDouble(type, at, value);
    else
      storeInt(type, at, type == ElementType::Pred ? value > 0 : static_cast<int64_t>(value));
  }
  return out;
}

TypedScalar elementOf(const Literal& literal, int64_t i) {
  const ElementType type = literal.shape().type;
  return {type, scalarFromBytes(type, literal.bytes().data() + i * byteWidth(type))};
}

bool isClose(ElementType type, ScalarBits a, ScalarBits b) {
  if (!isFloat(type) && !isComplex(type)) return a == b;
  const auto valueOf = [&](const ScalarBits& bits) {
    return isComplex(type) ? loadComplex(type, &bits) : std::complex<double>(loadDouble(type, &bits));
  };
  const std::complex<double> x = valueOf(a), y = valueOf(b);
  if (std::isnan(x.real()) || std::isnan(y.real())) return std::isnan(x.real()) && std::isnan(y.real());
  const double tolerance = type == ElementType::F64 || type == ElementType::C128 ? 1e-13
                           : type == ElementType::BF16                           ? 1e-2
                                                                                 : 1e-5;
  return x == y || std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y));
}

Literal evaluated(const ScalarFunctionInfo& function, std::span<const Literal> arguments) {
  Module module;
  const InstructionId id = test::addOver(module, arguments, function.opcode, arguments[0].shape());
  module.setShape(id, inferInstruction(module, id).value());
  return evaluateModule(module, arguments).value()[0];
}

class ScalarFunctions : public testing::TestWithParam<ScalarFunctionInfo> {};

TEST_P(ScalarFunctions, FoldAsTheyAreEvaluated) {
  const ScalarFunctionInfo& function = GetParam();
  for (ElementType type : kFunctionTypes) {
    if (!takesType(function.takes, type)) continue;
    std::vector<Literal> arguments{samples(type, false)};
    if (function.operands == 2) arguments.push_back(samples(type, true));
    const Literal expected = evaluated(function, arguments);
    const ElementType result = expected.shape().type;
    for (int64_t i = 0; i < expected.elementCount(); ++i) {
      std::vector<TypedScalar> in;
      for (const Literal& argument : arguments) in.push_back(elementOf(argument, i));
      const ScalarBits folded = applyScalar(Node{function.node, result}, in);
      EXPECT_TRUE(isClose(result, folded, elementOf(expected, i).bits))
          << nameOf(function.opcode) << " of " << nameOf(type) << ", element " << i;
    }
  }
}

TEST_P(ScalarFunctions, NeutralElementsChangeNothing) {
  const ScalarFunctionInfo& function = GetParam();
  for (ElementType type : kFunctionTypes) {
    const auto neutral = neutralElement(function, type);
    if (!neutral) continue;
    const Literal values = samples(type, false);
    for (int64_t i = 0; i < values.elementCount(); ++i) {
      const TypedScalar x = elementOf(values, i), n{type, *neutral};
      const TypedScalar after[] = {x, n}, before[] = {n, x};
      EXPECT_EQ(applyScalar(Node{function.node, type}, after), x.bits) << nameOf(type) << ", element " << i;
      EXPECT_EQ(applyScalar(Node{function.node, type}, before), x.bits) << nameOf(type) << ", element " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, ScalarFunctions, testing::ValuesIn(scalarFunctions().begin(), scalarFunctions().end()),
                         [](const auto& info) {
                           std::string name(nameOf(info.param.opcode));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(ScalarFunctionForms, EachNameIsOneOps) {
  std::set<std::string_view> seen;
  for (auto rows : {mlir::elementwiseRows(), mlir::movementRows(), mlir::contractionRows(), mlir::controlRows(),
                    mlir::effectRows(), mlir::chloRows(), mlir::dynamicRows()})
    for (const mlir::LoweringRow& row : rows) EXPECT_TRUE(seen.insert(row.name).second) << row.name;
}

TEST(ScalarFunctionForms, NarrowFloatsHaveTheirOwnExtremes) {
  const auto lowest = neutralElement(Opcode::Maximum, ElementType::F8E4M3FN);  // has no infinity
  ASSERT_TRUE(lowest);
  EXPECT_EQ(loadDouble(ElementType::F8E4M3FN, &*lowest), -448);
  EXPECT_FALSE(neutralElement(Opcode::Subtract, ElementType::F32));
}

}  // namespace
}  // namespace tessera
