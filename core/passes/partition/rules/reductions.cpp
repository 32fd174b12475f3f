// Rules of reductions and windows: what is reduced is summed up, windows pass on dimensions that they do not span, and
// reach beyond a block along the others.
#include "core/passes/partition/rules.h"

#include "core/hlo/index_math.h"
#include "core/ops/shared/scalar_function.h"

namespace tessera::partition {
namespace {

void passWhereWindowIsOne(RuleBuilder& r) {
  const auto* window = r.attributes.get<Window>(Attr::window);
  for (size_t d = 0; window && d < window->dimensions.size(); ++d)
    if (window->dimensions[d] == WindowDimension{}) r.passesOfAll(static_cast<int64_t>(d));
}

}  // namespace

void reduceRule(RuleBuilder& r) {
  const IndexVector& reduced = r.attributes.ints(Attr::dimensions);
  const size_t arrays = r.instruction.operands.size() / 2;
  const auto combiner = arrays == 1 ? reducerOf(r.module, r.instruction, 0) : std::nullopt;
  int64_t next = 0;
  for (int64_t d = 0; d < r.operand(0).rank(); ++d) {
    const bool isSummed = containsDim(reduced, d);
    if (isSummed && !combiner) continue;
    Factor& factor = r.add();
    for (size_t i = 0; i < arrays; ++i) factor.operands[i] = d;
    if (!isSummed) std::fill(factor.results.begin(), factor.results.end(), next++);
  }
  if (combiner) r.rule.combiner = *combiner;
  r.rule.seed = 1;
}

void reduceWindowRule(RuleBuilder& r) {
  passWhereWindowIsOne(r);
  const auto* window = r.attributes.get<Window>(Attr::window);
  const auto combiner = r.instruction.operands.size() == 2 ? reducerOf(r.module, r.instruction, 0) : std::nullopt;
  if (!combiner) return;
  r.rule.combiner = *combiner;
  r.rule.outside = Outside::Neutral;
  for (size_t i = 0; window && i < window->dimensions.size(); ++i)
    if (const auto d = static_cast<int64_t>(i); window->dimensions[i] != WindowDimension{})
      r.reaches(0, d, d, reachOf(window->dimensions[i]));
}

void selectAndScatterRule(RuleBuilder& r) { passWhereWindowIsOne(r); }

}  // namespace tessera::partition
