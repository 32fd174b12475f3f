// What the tests of core/tools share: a module from text, and what a module computes.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera::test {

// Reads, infers and verifies; a failure is the test's.
inline Module moduleOf(const std::string& text) {
  ReadResult read = readHloText(text, "test.hlo");
  for (const Diagnostic& d : read.diagnostics.items()) ADD_FAILURE() << d.toString();
  if (!read.module) return Module();
  Diagnostics found = inferModule(*read.module);
  found.addAll(verify(*read.module).items());
  for (const Diagnostic& d : found.items()) ADD_FAILURE() << d.toString();
  return std::move(*read.module);
}

// The module through its text, as any other program would read it: must be right.
inline Module again(const Module& module) { return moduleOf(printHloText(module)); }

inline InstructionId named(const Module& module, std::string_view name) {
  const auto found = module.findInstruction(name);
  EXPECT_TRUE(found) << name;
  return found.value_or(InstructionId());
}

// mean of squares, with a reducer
inline const char* kMeanSquares = R"(HloModule mean

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  y = f32[4,8]{1,0} parameter(1)
  difference = f32[4,8]{1,0} subtract(x, y)
  square = f32[4,8]{1,0} multiply(difference, difference)
  zero = f32[] constant(0)
  total = f32[4]{0} reduce(square, zero), dimensions={1}, to_apply=sum
  wave = f32[4]{0} sine(total)
  ROOT both = (f32[4]{0}, f32[4]{0}) tuple(total, wave)
}
)";

}  // namespace tessera::test
