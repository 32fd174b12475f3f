// See dimension_reasons.h.
#include "core/ops/shared/dimension_reasons.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ops/inference/infer.h"
#include "core/ops/shared/dimension_relations.h"

namespace tessera {
namespace {

constexpr std::string_view kGiven = ", given by the instruction's shape";

// "dimension 1", "dimensions 0 and 2"
std::string dimensionList(const std::vector<size_t>& dimensions) {
  std::string out = dimensions.size() == 1 ? "dimension " : "dimensions ";
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (i > 0) out += i + 1 < dimensions.size() ? ", " : " and ";
    out += std::to_string(dimensions[i]);
  }
  return out;
}

std::string slicedWords(const SliceDimension& slice) {
  if (slice.stride == 1) return fmt::format(": limit {} - start {}", slice.limit, slice.start);
  return fmt::format(": one in {} of the elements of [{}, {})", slice.stride, slice.start, slice.limit);
}

std::string paddedWords(const PaddingDimension& padding, int64_t size) {
  const std::string holes = padding.interior == 0 ? "" : fmt::format(" with {} between neighbours", padding.interior);
  return fmt::format(": low padding {} + {}{} + high padding {}", padding.low, size, holes, padding.high);
}

std::string windowedWords(const WindowDimension& window, int64_t size) {
  std::string base = std::to_string(size);
  if (window.baseDilation != 1) base += fmt::format(" dilated by {}", window.baseDilation);
  if (window.paddingLow || window.paddingHigh)
    base += fmt::format(" padded by {} and {}", window.paddingLow, window.paddingHigh);
  std::string span = std::to_string(window.size);
  if (window.windowDilation != 1) span += fmt::format(" dilated by {}", window.windowDilation);
  return fmt::format(": a window of {} with stride {} fits so often into {}", span, window.stride, base);
}

class Reasons {
 public:
  explicit Reasons(const InferContext& context) : context_(context) {
    if (!isUnbounded(*context.written) &&
        std::ranges::none_of(context.operands, [](const Shape* operand) { return isUnbounded(*operand); }))
      relations_ = dimensionRelationsOf(context);
  }

  std::string of(size_t d) const {
    const bool dynamic = context_.written->isDynamicDimension(static_cast<int64_t>(d));
    const int64_t size = context_.written->dimensions[d];
    const std::string text = size == Shape::kUnbounded ? "?" : std::to_string(size);
    return fmt::format("dimension {} {} {}{}", d, dynamic ? "<=" : "=", text, why(d));
  }

 private:
  std::string why(size_t d) const {
    const DimensionRef result = DimensionRef::result(d);
    for (const DimensionRelation& row : relations_.rows)
      if (row.to == result && (row.rule == DimensionRule::Fixed || row.from != result)) return fromOperand(row);
    for (const DimensionRelation& row : relations_.rows)
      if (row.from == result && row.to.of == DimensionRef::Of::Operand && row.rule != DimensionRule::Fixed)
        return ofOperandThatFollows(row);
    for (const ReshapeGroup& group : relations_.groups)
      if (std::ranges::find(group.to, d) != group.to.end()) return inGroup(group, d);
    return std::string(kGiven) + (isRepeated() ? ": the operand is repeated along it" : "");
  }

  // Of a dimension that no relation tells of: the one operand's elements are moved, and each of its dimensions is
  // aligned with another one of the result.
  bool isRepeated() const {
    if (context_.operands.size() != 1 || !context_.op->category.has(kMovesData)) return false;
    for (size_t d = 0; d < context_.operand(0).dimensions.size(); ++d)
      if (std::ranges::none_of(relations_.rows, [&](const DimensionRelation& row) {
            return row.aligned && row.from == DimensionRef::operand(0, d) && row.to.of == DimensionRef::Of::Result;
          }))
        return false;
    return !relations_.opaque;
  }

  std::string fromOperand(const DimensionRelation& row) const {
    if (row.aligned) return same(row);
    switch (row.rule) {
      case DimensionRule::Part: return fmt::format(", part of the {} of {}", sizeOf(row.from), nameOf(row.from));
      case DimensionRule::Sum: return sum(row);
      case DimensionRule::Sliced: return slicedWords(std::get<SliceDimension>(row.how));
      case DimensionRule::Padded: return paddedWords(std::get<PaddingDimension>(row.how), sizeOf(row.from));
      case DimensionRule::Windowed: return windowedWords(std::get<WindowDimension>(row.how), sizeOf(row.from));
      case DimensionRule::Multiple: return fmt::format(": {} times {}", std::get<int64_t>(row.how), nameOf(row.from));
      case DimensionRule::Quotient:
        return fmt::format(": {} divided by {}", nameOf(row.from), std::get<int64_t>(row.how));
      case DimensionRule::Half: return fmt::format(": the complex side of {} real numbers", sizeOf(row.from));
      case DimensionRule::Fixed: return fmt::format(": {}", row.fixed);
      case DimensionRule::Same: break;
    }
    return same(row);
  }
  // The relation has the operand's size as what follows from the result's.
  std::string ofOperandThatFollows(const DimensionRelation& row) const {
    if (row.rule == DimensionRule::Multiple)
      return fmt::format(": {} divided by {}", nameOf(row.to), std::get<int64_t>(row.how));
    if (row.rule == DimensionRule::Half) return fmt::format(": {} is its complex side", nameOf(row.to));
    return same({row.from, DimensionRule::Same, row.to});
  }
  std::string same(const DimensionRelation& row) const {
    if (row.from.of != DimensionRef::Of::Operand) return ", as the called computation gives";
    if (row.from.dimension != row.to.dimension) return ", as " + nameOf(row.from);
    return ", as in " + operandName(row.from);
  }
  std::string sum(const DimensionRelation& row) const {
    constexpr size_t kMaxTerms = 8;
    std::string out;
    size_t count = 0;
    for (const DimensionRelation& each : relations_.rows)
      if (each.rule == DimensionRule::Sum && each.to == row.to && count++ < kMaxTerms)
        out += (count == 1 ? ": " : " + ") + std::to_string(sizeOf(each.from));
    return count > kMaxTerms ? out + " + …" : out;
  }
  std::string inGroup(const ReshapeGroup& group, size_t d) const {
    if (group.from.empty()) return std::string(kGiven);
    if (group.to.size() == 1 && group.from.size() == 1)
      return same({DimensionRef::result(d), DimensionRule::Same, DimensionRef::operand(0, group.from[0])});
    const std::string from = dimensionList(group.from) + " of operand 0";
    if (group.to.size() == 1) return ": the product of " + from;
    std::vector<size_t> others = group.to;
    std::erase(others, d);
    return fmt::format("{}: with {} its product is that of {}", kGiven, dimensionList(others), from);
  }

  int64_t sizeOf(const DimensionRef& ref) const {
    return leavesOf(context_.operand(ref.value))[ref.leaf].shape->dimensions[ref.dimension];
  }
  std::string operandName(const DimensionRef& ref) const {
    const std::string name = "operand " + std::to_string(ref.value);
    return context_.operand(ref.value).isTuple() ? fmt::format("array {} of {}", ref.leaf, name) : name;
  }
  std::string nameOf(const DimensionRef& ref) const {
    return fmt::format("dimension {} of {}", ref.dimension, operandName(ref));
  }

  const InferContext& context_;
  DimensionRelations relations_;
};

}  // namespace

std::vector<std::string> dimensionReasons(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  if (!instruction.shape->isArray() || !agreesWithInference(module, id)) return {};
  const InferContext context = inferContextOf(module, instruction);
  const Reasons reasons(context);
  std::vector<std::string> out;
  for (size_t d = 0; d < instruction.shape->dimensions.size(); ++d) out.push_back(reasons.of(d));
  return out;
}

}  // namespace tessera
