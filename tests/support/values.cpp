// See values.h.
#include "tests/support/values.h"

#include <string>

namespace tessera::test {

testing::AssertionResult sameValues(const std::vector<Literal>& expected, const std::vector<Literal>& found,
                                    const Closeness& closeness) {
  if (expected.empty()) return testing::AssertionFailure() << "no output is expected: nothing is compared";
  if (expected.size() != found.size())
    return testing::AssertionFailure() << "expected " << expected.size() << " outputs, found " << found.size();
  Comparison all;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (closeness.exact && expected[i].identical(found[i])) continue;
    const std::string name = "out" + std::to_string(i);
    const Tolerance tolerance = closeness.exact ? Tolerance{} : closeness.of(expected[i].shape().type);
    all.add(compareLiterals(expected[i], found[i], tolerance, name));
    if (all.equal && closeness.exact && !expected[i].identical(found[i]))
      return testing::AssertionFailure() << name << ": equal numbers, other bits";
  }
  if (all.equal) return testing::AssertionSuccess();
  return testing::AssertionFailure() << all.firstMismatch << "; " << all.mismatches << " elements differ, max abs "
                                     << all.maxAbsError << ", max rel " << all.maxRelError << ", " << all.worstShare
                                     << " of what is allowed";
}

testing::AssertionResult sameValues(const Result<std::vector<Literal>>& expected,
                                    const Result<std::vector<Literal>>& found, const Closeness& closeness) {
  if (!expected) return testing::AssertionFailure() << "what is expected: " << expected.error().toString();
  if (!found) return testing::AssertionFailure() << "what is found: " << found.error().toString();
  return sameValues(*expected, *found, closeness);
}

}  // namespace tessera::test
