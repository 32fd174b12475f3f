// Rules of reductions and windows: what is reduced is summed up, windows pass on dimensions that they do not span, and
// reach beyond a block along the others.
#include "core/passes/partition/rules.h"

#include "core/evaluate/evaluate.h"
#include "core/hlo/index_math.h"
#include "core/ops/shared/scalar_function.h"

namespace tessera::partition {
namespace {

void passWhereWindowIsOne(RuleBuilder& r) {
  const auto* window = r.attributes.get<Window>(Attr::window);
  for (size_t d = 0; window && d < window->dimensions.size(); ++d)
    if (window->dimensions[d] == WindowDimension{}) r.passesOfAll(static_cast<int64_t>(d));
}

// Whether initial values may count more than once: combined with themselves they stay what they are.
bool mayRepeatInitialValues(const RuleBuilder& r) {
  const size_t arrays = r.instruction.operands.size() / 2;
  std::vector<Literal> twice;
  for (size_t i = 0; i < 2 * arrays; ++i) {
    const Instruction& value = r.module.at(r.instruction.operands[arrays + i % arrays]);
    if (!value.literal) return false;
    twice.push_back(*value.literal);
  }
  const auto combined = evaluateComputation(r.module, r.module.callees(r.instruction)[0], twice);
  if (!combined) return false;
  for (size_t i = 0; i < arrays; ++i) {
    const Literal& one = combined->shape().isTuple() ? combined->elements()[i] : *combined;
    if (!std::ranges::equal(one.bytes(), twice[i].bytes())) return false;
  }
  return true;
}

// The neutral element of the choice between two elements: whatever else there is, is chosen.
std::optional<Opcode> choiceOf(const Module& module, ComputationId select) {
  const Instruction& root = module.at(module.at(select).root);
  if (root.opcode != Opcode::Compare) return std::nullopt;
  for (size_t i = 0; i < 2; ++i)
    if (const Instruction& side = module.at(root.operands[i]);
        side.opcode != Opcode::Parameter || side.parameterNumber != static_cast<int64_t>(i))
      return std::nullopt;
  const std::string_view direction = root.attributes->textOr(Attr::direction, "");
  if (direction == "GE" || direction == "GT") return Opcode::Maximum;
  if (direction == "LE" || direction == "LT") return Opcode::Minimum;
  return std::nullopt;
}

}  // namespace

void reduceRule(RuleBuilder& r) {
  const IndexVector& reduced = r.attributes.ints(Attr::dimensions);
  const size_t arrays = r.instruction.operands.size() / 2;
  const auto combiner = arrays == 1 ? reducerOf(r.module, r.instruction, 0) : std::nullopt;
  r.rule.joinsItself = !combiner && mayRepeatInitialValues(r);
  int64_t next = 0;
  for (int64_t d = 0; d < r.operand(0).rank(); ++d) {
    const bool isSummed = containsDim(reduced, d);
    if (isSummed && !combiner && !r.rule.joinsItself) continue;
    Factor& factor = r.add();
    for (size_t i = 0; i < arrays; ++i) factor.operands[i] = d;
    if (!isSummed) std::fill(factor.results.begin(), factor.results.end(), next++);
  }
  if (r.rule.joinsItself) r.rule.outside = Outside::InitialValues;
  if (!combiner) return;
  r.rule.combiner = *combiner;
  r.rule.seed = 1;
}

void reduceWindowRule(RuleBuilder& r) {
  passWhereWindowIsOne(r);
  const auto* window = r.attributes.get<Window>(Attr::window);
  const size_t arrays = r.instruction.operands.size() / 2;
  const auto combiner = arrays == 1 ? reducerOf(r.module, r.instruction, 0) : std::nullopt;
  if (!combiner && !mayRepeatInitialValues(r)) return;
  r.rule.combiner = combiner.value_or(r.rule.combiner);
  r.rule.outside = combiner ? Outside::Neutral : Outside::InitialValues;
  for (size_t i = 0; window && i < window->dimensions.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (window->dimensions[i] == WindowDimension{}) continue;
    r.reaches(0, d, d, reachOf(window->dimensions[i]));
    for (size_t k = 1; k < arrays; ++k) {
      r.rule.factors.back().operands[k] = d;
      r.rule.factors.back().reaches[k] = reachOf(window->dimensions[i]);
    }
  }
}

// A block of the result needs the source elements of all windows that touch it, and all that these windows span. What
// they write beyond the block, others compute as well. Elements of the padding lose against all others.
void selectAndScatterRule(RuleBuilder& r) {
  passWhereWindowIsOne(r);
  const auto* window = r.attributes.get<Window>(Attr::window);
  const auto choice = choiceOf(r.module, *r.attributes.get<ComputationId>(Attr::select));
  const auto combiner = reducerOf(r.module, *r.attributes.get<ComputationId>(Attr::scatter));
  if (!window || !choice || !combiner) return;
  r.rule.combiner = *combiner;
  r.rule.outside = Outside::Neutral;
  r.rule.neutrals = {*choice, *combiner, *combiner};
  r.rule.givesRange = true;
  for (size_t i = 0; i < window->dimensions.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    const WindowDimension& one = window->dimensions[i];
    const int64_t size = one.size, stride = one.stride, low = one.paddingLow;
    if (one == WindowDimension{} || size < stride) continue;
    // The windows that touch index 0, from the first one to the last one.
    const int64_t first = -floorDivide(size - 1 - low, stride), last = floorDivide(low - 1, stride);
    r.reaches(0, d, d, {.offset = first * stride - low, .extent = (last - first) * stride + size + 1});
    Factor& factor = r.rule.factors.back();
    factor.operands[1] = d;
    factor.reaches[1] = Reach{.offset = low - size + 1, .extent = size, .dilation = stride};
  }
}

}  // namespace tessera::partition
