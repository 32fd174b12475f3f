// Programs on which the rules of simplify fire, each with the rule that it is for. passes_simplify_rules_test runs them
// and holds that every rule has one.
#pragma once

#include <span>
#include <string_view>

namespace tessera::test {

struct SimplifyCase {
  std::string_view rule;
  std::string_view program;  // instructions, separated by "; "; the reducers are in the test
};

std::span<const SimplifyCase> arithmeticCases();
std::span<const SimplifyCase> logicCases();
std::span<const SimplifyCase> shapeCases();
std::span<const SimplifyCase> reductionCases();

}  // namespace tessera::test
