// A module that is built by lines of the palette and run. Used by tests of its forms.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/edit/edit.h"
#include "core/edit/palette/palette.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"

namespace tessera::palette_run {

using Numbers = std::vector<double>;

// Elements of the k-th argument: no two alike, some negative.
inline double given(size_t argument, size_t i) {
  return std::sin(1.7 * static_cast<double>(i) + 3 * static_cast<double>(argument));
}

struct Palette {
  History history{emptyModule()};
  std::vector<Literal> arguments;

  const Module& module() const { return history.current(); }
  InstructionId place(const std::string& line, std::vector<InstructionId> sources = {}) {
    const auto found = searchPalette(line);
    EXPECT_FALSE(found.empty()) << line;
    if (found.empty()) return {};
    auto done = history.perform(placing(module(), module().entry(), found[0], sources));
    EXPECT_TRUE(done) << line << ": " << done.error().toString();
    if (!done) return {};
    EXPECT_TRUE(done->diagnostics.empty()) << line << ": " << done->diagnostics.items()[0].toString();
    return done->added.back();
  }
  std::string shape(InstructionId id) const { return id.valid() ? toString(module().shapeOf(id), false) : ""; }

  // All parameters by rule; integers count up.
  std::vector<Numbers> run() {
    arguments.clear();
    for (const Shape& shape : entryArgumentShapes(module())) {
      Literal literal = Literal::zeros(withoutLayout(shape)).value();
      const auto width = static_cast<size_t>(byteWidth(shape.type));
      for (size_t i = 0; i * width < literal.bytes().size(); ++i) {
        if (isInteger(shape.type))
          storeInt(shape.type, literal.mutableBytes().data() + i * width, static_cast<int64_t>(i % 3));
        else
          storeDouble(shape.type, literal.mutableBytes().data() + i * width, given(arguments.size(), i));
      }
      arguments.push_back(std::move(literal));
    }
    std::vector<Numbers> out;
    const auto values = evaluateModule(module(), arguments);
    EXPECT_TRUE(values) << values.error().toString() << "\n" << printHloText(module());
    if (values)
      for (const Literal& each : *values) out.push_back(numbersOf(each));
    return out;
  }
  static Numbers numbersOf(const Literal& literal) {
    Numbers out;
    const auto width = static_cast<size_t>(byteWidth(literal.shape().type));
    for (size_t at = 0; at < literal.bytes().size(); at += width)
      out.push_back(loadDouble(literal.shape().type, literal.bytes().data() + at));
    return out;
  }
  Numbers result() {
    const auto all = run();
    return all.empty() ? Numbers() : all[0];
  }
};

// What is best found by a line.
inline std::string firstTitle(const std::string& line) {
  const auto found = searchPalette(line);
  return found.empty() ? "" : found[0].title;
}
// The result of a line placed on one parameter.
inline Numbers applied(const std::string& line, const std::string& shape = "f32[2,3]") {
  Palette p;
  p.place(line, {p.place(shape)});
  return p.result();
}

inline void expectNear(const Numbers& found, const Numbers& expected, double tolerance = 1e-5) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "element " << i;
}

}  // namespace tessera::palette_run
