// Comparison of values with a tolerance at each array's own scale: an element is close when
//   |found - expected| <= rtol·|expected| + atol·(largest finite |expected| of its array).
// So an array of 1e-6s is compared as tightly as one of 1e6s, and zeros are never accepted for either.
// Used by `tessera run --expected`, by the joining of devices' blocks and by every test that compares values.
#pragma once

#include <cstdint>
#include <string>

#include "core/hlo/literal.h"

namespace tessera {

struct Tolerance {
  double rtol = 0, atol = 0;
  // Differences up to this never count, whatever the scale. Never below the smallest normal number of the element type:
  // XLA:CPU flushes what is smaller to zero. With all three zero numbers compare exactly.
  double floor = 0;
  bool isExact() const { return rtol == 0 && atol == 0 && floor == 0; }
};
// f32 and c64 2e-3 / 1e-4, f64 and c128 1e-9 / 1e-12, f16 and bf16 3e-2 / 1e-2 as rtol / atol; all else exact.
Tolerance defaultTolerance(ElementType type);
// What differences of an array whose largest finite magnitude is `scale` may have besides rtol·|expected|.
double allowedAtScale(ElementType type, Tolerance tolerance, double scale);
// The largest finite magnitude; 0 of integers, predicates and arrays without elements.
double scaleOf(const Literal& literal);

struct Comparison {
  bool equal = true;
  double maxAbsError = 0, maxRelError = 0;  // NaN where one value is NaN and the other is not
  double worstShare = 0;                    // the largest error as a share of what is allowed; more than 1 differs
  int64_t mismatches = 0;
  std::string firstMismatch;  // "out0[3,4]: expected 1.5, found 1.25"
  // Takes in another array's.
  void add(const Comparison& other);
};
// Integers and predicates compare exactly whatever the tolerance. NaN equals NaN and an infinity one of its sign, where
// both have it. Complex numbers compare by magnitude where both are finite, else by parts. Tuples compare element by
// element; with other shapes, or another number of elements, they differ.
Comparison compareLiterals(const Literal& expected, const Literal& found, Tolerance tolerance, const std::string& name);

}  // namespace tessera
