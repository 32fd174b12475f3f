// The table of rules.
#include "core/passes/partition/rules.h"

#include <algorithm>

#include "core/ops/op.h"

namespace tessera::partition {
namespace {

struct RuleEntry {
  Opcode opcode;
  void (*build)(RuleBuilder& r);
};

constexpr RuleEntry kRules[] = {
    {Opcode::BitcastConvert, bitcastConvertRule},
    {Opcode::Broadcast, broadcastRule},
    {Opcode::Cholesky, choleskyRule},
    {Opcode::Concatenate, concatenateRule},
    {Opcode::Convolution, convolutionRule},
    {Opcode::Copy, elementwiseRule},
    {Opcode::Dot, dotRule},
    {Opcode::DynamicSlice, dynamicSliceRule},
    {Opcode::DynamicUpdateSlice, dynamicUpdateSliceRule},
    {Opcode::Fft, fftRule},
    {Opcode::Gather, gatherRule},
    {Opcode::Map, elementwiseRule},
    {Opcode::Pad, padRule},
    {Opcode::Reduce, reduceRule},
    {Opcode::ReduceWindow, reduceWindowRule},
    {Opcode::Reverse, reverseRule},
    {Opcode::Scatter, scatterRule},
    {Opcode::SelectAndScatter, selectAndScatterRule},
    {Opcode::Slice, sliceRule},
    {Opcode::Sort, sortRule},
    {Opcode::Topk, topkRule},
    {Opcode::Transpose, transposeRule},
    {Opcode::TriangularSolve, triangularSolveRule},
};

void (*builderOf(Opcode opcode))(RuleBuilder&) {
  const auto found = std::ranges::find(kRules, opcode, &RuleEntry::opcode);
  if (found != std::end(kRules)) return found->build;
  const bool draws = opcode == Opcode::StochasticConvert;  // as any elementwise op: its bits are an operand
  return hasTrait(opcode, kElementwise) || draws ? elementwiseRule : nullptr;
}

bool isStaticArray(const Shape& shape) {
  return shape.isArray() && !shape.hasDynamicDimensions() && !isUnbounded(shape);
}

bool hasStaticArrays(const Module& module, const Instruction& instruction) {
  const auto leaves = leavesOf(*instruction.shape);
  return std::ranges::all_of(leaves, [](const ShapeLeaf& leaf) { return isStaticArray(*leaf.shape); }) &&
         std::ranges::all_of(instruction.operands,
                             [&](InstructionId operand) { return isStaticArray(module.shapeOf(operand)); });
}

}  // namespace

bool Rule::isSummed(const Factor& factor) {
  return std::ranges::all_of(factor.results, [](int64_t d) { return d < 0; });
}

const Reach* Rule::reachOf(const Factor& factor, size_t operand) {
  return operand < factor.reaches.size() && factor.reaches[operand] ? &*factor.reaches[operand] : nullptr;
}

namespace {

template <class T, class Change>
void change(AttributeSet& attributes, Attr name, const Change& how) {
  if (const T* there = attributes.get<T>(name)) {
    T made = *there;
    how(made);
    attributes.set(name, std::move(made));
  }
}

}  // namespace

void localizeReach(AttributeSet& attributes, const Factor& factor, int64_t block, int64_t paddingLow,
                   int64_t paddingHigh) {
  auto d = static_cast<size_t>(factor.operands[0]);
  change<std::vector<SliceDimension>>(attributes, Attr::slice, [&](auto& ranges) {
    const int64_t stride = factor.reaches[0]->stride;
    ranges[d] = {0, (block - 1) * stride + 1, stride};
  });
  change<std::vector<PaddingDimension>>(attributes, Attr::padding, [&](auto& padding) {
    padding[d] = {paddingLow, paddingHigh, padding[d].interior};
  });
  if (const auto* labels = attributes.get<ConvolutionDimensions>(Attr::dim_labels))
    d = static_cast<size_t>(std::ranges::find(labels->inputSpatial, factor.operands[0]) - labels->inputSpatial.begin());
  change<Window>(attributes, Attr::window, [&](Window& window) {
    window.dimensions[d].paddingLow = paddingLow;
    window.dimensions[d].paddingHigh = paddingHigh;
    if (Rule::isSummed(factor)) window.dimensions[d].size = block;
  });
}

std::optional<Rule> ruleOf(const Module& module, const Instruction& instruction) {
  const auto build = builderOf(instruction.opcode);
  if (!build || !hasStaticArrays(module, instruction)) return std::nullopt;
  RuleBuilder builder(module, instruction);
  build(builder);
  builder.setSizes();
  return std::move(builder.rule);
}

AttributeSet localAttributesOf(const Instruction& whole, std::span<const Shape> operands, const Shape& result) {
  AttributeSet out = *whole.attributes;
  if (const auto* ranges = out.get<std::vector<SliceDimension>>(Attr::slice)) {
    std::vector<SliceDimension> local = *ranges;  // dimensions that are cut are taken as they are
    for (size_t d = 0; d < local.size(); ++d)
      if (result.dimensions[d] != whole.shape->dimensions[d]) local[d] = {0, result.dimensions[d], 1};
    out.set(Attr::slice, std::move(local));
  }
  if (out.has(Attr::dynamic_slice_sizes)) out.set(Attr::dynamic_slice_sizes, result.dimensions);
  if (whole.opcode == Opcode::Gather) {
    std::vector<int64_t> sizes = out.ints(Attr::slice_sizes);
    for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = std::min(sizes[d], operands[0].dimensions[d]);
    out.set(Attr::slice_sizes, std::move(sizes));
  }
  return out;
}

RuleBuilder::RuleBuilder(const Module& module, const Instruction& instruction)
    : module(module),
      instruction(instruction),
      attributes(*instruction.attributes),
      results_(leavesOf(*instruction.shape).size()) {}

Factor& RuleBuilder::add() {
  return rule.factors.emplace_back(
      Factor{std::vector<int64_t>(instruction.operands.size(), -1), std::vector<int64_t>(results_, -1)});
}

void RuleBuilder::setSizes() {
  const Shape& result = *leavesOf(*instruction.shape)[0].shape;
  for (Factor& factor : rule.factors) {
    for (size_t i = 0; i < factor.operands.size(); ++i)
      if (factor.operands[i] >= 0 && !Rule::reachOf(factor, i))
        factor.size = operand(i).dimensions[static_cast<size_t>(factor.operands[i])];
    if (!Rule::isSummed(factor)) factor.size = result.dimensions[static_cast<size_t>(factor.results[0])];
  }
}

void RuleBuilder::onlyResult(int64_t to) { std::ranges::fill(add().results, to); }

void RuleBuilder::passes(size_t i, int64_t from, int64_t to) {
  Factor& factor = add();
  factor.operands[i] = from;
  std::ranges::fill(factor.results, to);
}

Reach reachOf(const WindowDimension& window) {
  return {.stride = window.stride,
          .offset = -window.paddingLow,
          .extent = (window.size - 1) * window.windowDilation + 1,
          .dilation = window.baseDilation};
}

void RuleBuilder::reaches(size_t i, int64_t from, int64_t to, const Reach& reach) {
  passes(i, from, to);
  rule.factors.back().reaches.resize(instruction.operands.size());
  rule.factors.back().reaches[i] = reach;
}

void RuleBuilder::passesOfAll(int64_t d) {
  Factor& factor = add();
  const int64_t rank = leavesOf(*instruction.shape)[0].shape->rank();
  for (size_t i = 0; i < factor.operands.size(); ++i)
    if (operand(i).rank() == rank) factor.operands[i] = d;
  std::ranges::fill(factor.results, d);
}

}  // namespace tessera::partition
