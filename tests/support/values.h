// How tests compare values: the number of outputs, their shapes and every element, at each array's own scale
// (core/evaluate/compare.h). Nothing to compare is a failure. Used by every test that has values.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "core/evaluate/compare.h"

namespace tessera::test {

// Absent: the default tolerance of each output's type. Exact: the same bits.
struct Closeness {
  std::optional<Tolerance> tolerance;
  bool exact = false;
  Tolerance of(ElementType type) const { return tolerance.value_or(defaultTolerance(type)); }
};
inline constexpr Closeness kSameBits{std::nullopt, true};

// Use as EXPECT_TRUE(sameValues(expected, found)) << context.
testing::AssertionResult sameValues(const std::vector<Literal>& expected, const std::vector<Literal>& found,
                                    const Closeness& closeness = {});
testing::AssertionResult sameValues(const Result<std::vector<Literal>>& expected,
                                    const Result<std::vector<Literal>>& found, const Closeness& closeness = {});

}  // namespace tessera::test
