// Modules from text for the tests of the passes, arguments with special values in them, and the comparison of what a
// module gives before and after a pass: same bits for integers, same zeros, NaN and infinities for floats.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"
#include "core/passes/pipeline.h"

namespace tessera::test {

inline std::string messagesOf(const Diagnostics& found) {
  std::string out;
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::Error) out += d.toString() + "\n";
  return out;
}

// A verified module; an empty one after a failure, which is reported.
inline Module moduleFrom(const std::string& text) {
  ReadResult read = readHloText(text);
  EXPECT_EQ(messagesOf(read.diagnostics), "") << text;
  if (!read.module) return Module();
  EXPECT_EQ(messagesOf(inferModule(*read.module)), "") << text;
  EXPECT_EQ(messagesOf(verify(*read.module)), "") << text;
  return std::move(*read.module);
}

// Element `i` of an argument: small numbers, and, `special`, what algebra gets wrong.
inline void storeExample(ElementType type, std::byte* at, size_t i, bool special) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kSpecial[] = {1.5, -0.0, kInfinity, 0.0, -2.25, kNaN, -kInfinity, 3.0, 1e-3, -7.0, 1e4};
  constexpr int64_t kWhole[] = {3, 0, -1, 7, INT64_MIN, 2, INT64_MAX, 100, -8, 1, 5};
  const double plain = static_cast<double>((i * 7 + 3) % 23) / 4 - 2.5;
  if (type == ElementType::Pred) return storeInt(type, at, (i * 5 + i / 3) % 2);
  if (isInteger(type)) {
    const int64_t value = special ? kWhole[i % std::size(kWhole)] : static_cast<int64_t>((i * 7 + 1) % 11) - 3;
    return storeInt(type, at, isUnsigned(type) && !special ? std::abs(value) : value);
  }
  const double value = special ? kSpecial[i % std::size(kSpecial)] : plain;
  if (isComplex(type)) return storeComplex(type, at, {value, plain});
  storeDouble(type, at, value);
}

inline std::vector<Literal> exampleArguments(const Module& module, bool special) {
  std::vector<Literal> out;
  size_t next = 0;
  for (const Shape& shape : entryArgumentShapes(module)) {
    Literal literal = Literal::allocate(shape).value();
    const auto width = static_cast<size_t>(byteWidth(shape.type));
    for (size_t at = 0; at + width <= literal.bytes().size(); at += width)
      storeExample(shape.type, literal.mutableBytes().data() + at, next++, special);
    out.push_back(std::move(literal));
  }
  return out;
}

inline bool sameNumber(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return a != 0 || std::signbit(a) == std::signbit(b);
  return std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b));
}

inline void expectSameLiteral(const Literal& wanted, const Literal& found, double tolerance, const std::string& what) {
  ASSERT_TRUE(sameIgnoringLayout(wanted.shape(), found.shape())) << what;
  const ElementType type = wanted.shape().type;
  const auto width = static_cast<size_t>(byteWidth(type));
  for (size_t at = 0; at + width <= wanted.bytes().size(); at += width) {
    const std::byte *a = wanted.bytes().data() + at, *b = found.bytes().data() + at;
    bool same = true;
    if (isComplex(type)) {
      const std::complex<double> x = loadComplex(type, a), y = loadComplex(type, b);
      same = sameNumber(x.real(), y.real(), tolerance) && sameNumber(x.imag(), y.imag(), tolerance);
    } else {
      same = isFloat(type) ? sameNumber(loadDouble(type, a), loadDouble(type, b), tolerance)
                           : loadInt(type, a) == loadInt(type, b);
    }
    ASSERT_TRUE(same) << what << ", element " << at / width << ": wanted " << printLiteral(wanted) << ", found "
                      << printLiteral(found);
  }
}

// The changed module is right HLO with whole provenance, and gives what the source gives.
inline void expectSameValues(const Module& source, const Module& changed, double tolerance = 0) {
  const std::string text = printHloText(changed);
  ASSERT_EQ(messagesOf(verify(changed)), "") << text;
  for (ComputationId computation : changed.order())
    for (InstructionId id : changed.at(computation).instructions) {
      ASSERT_TRUE(changed.at(id).provenance && !changed.at(id).provenance->sources.empty()) << changed.at(id).name;
      for (InstructionId s : changed.at(id).provenance->sources) ASSERT_LT(s.value, source.instructionSlots());
    }
  for (bool special : {false, true}) {
    const std::vector<Literal> in = exampleArguments(source, special);
    const auto wanted = evaluateModule(source, in), found = evaluateModule(changed, in);
    ASSERT_TRUE(wanted) << wanted.error().toString();
    ASSERT_TRUE(found) << found.error().toString() << text;
    ASSERT_EQ(wanted->size(), found->size());
    for (size_t i = 0; i < wanted->size(); ++i)
      expectSameLiteral((*wanted)[i], (*found)[i], tolerance, text + (special ? "special values" : "plain values"));
  }
}

// How often an opcode occurs in the computations that are run.
inline int countOf(const Module& module, Opcode opcode) {
  int n = 0;
  for (ComputationId c : module.order())
    for (InstructionId id : module.at(c).instructions) n += module.at(id).opcode == opcode;
  return n;
}

}  // namespace tessera::test
