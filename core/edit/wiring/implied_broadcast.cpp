// Placements: a depth-first walk over the dimensions of the larger shape. What dimensions are derived from: a
// breadth-first walk along the operands, with the relations of core/ops.
#include "core/edit/wiring/implied_broadcast.h"

#include <algorithm>
#include <functional>

#include "core/ops/inference/infer.h"
#include "core/ops/shared/dimension_relations.h"

namespace tessera {
namespace {

void place(const Shape& from, const Shape& to, std::vector<int64_t>& chosen, size_t next, size_t most,
           std::vector<std::vector<int64_t>>& out) {
  if (out.size() >= most) return;
  if (chosen.size() == from.dimensions.size()) {
    out.push_back(chosen);
    return;
  }
  const int64_t wanted = from.dimensions[chosen.size()];
  for (size_t d = next; d + (from.dimensions.size() - chosen.size()) <= to.dimensions.size(); ++d) {
    if (to.dimensions[d] != wanted) continue;
    chosen.push_back(static_cast<int64_t>(d));
    place(from, to, chosen, d + 1, most, out);
    chosen.pop_back();
  }
}

constexpr size_t kMostAncestors = 64;

// For each dimension of a value the dimension of the ancestor that it is aligned with; -1: none.
struct Ancestor {
  InstructionId id;
  std::vector<int64_t> dimensions;
};

// The value itself first, then what it is computed of, the nearest first.
std::vector<Ancestor> ancestorsOf(const Module& module, InstructionId value) {
  std::vector<int64_t> own(module.shapeOf(value).dimensions.size());
  for (size_t d = 0; d < own.size(); ++d) own[d] = static_cast<int64_t>(d);
  std::vector<Ancestor> out{{value, std::move(own)}};
  for (size_t k = 0; k < out.size(); ++k) {
    if (!agreesWithInference(module, out[k].id)) continue;  // unfinished: its relations tell nothing
    const Instruction& instruction = module.at(out[k].id);
    for (size_t i = 0; i < instruction.operands.size() && out.size() < kMostAncestors; ++i) {
      const InstructionId operand = instruction.operands[i];
      if (!module.contains(operand) || !module.shapeOf(operand).isArray()) continue;
      if (std::ranges::find(out, operand, &Ancestor::id) != out.end()) continue;
      const std::vector<int64_t> aligned = alignedDimensions(module, instruction, i);
      std::vector<int64_t> dimensions;
      for (int64_t d : out[k].dimensions)
        dimensions.push_back(d < 0 || static_cast<size_t>(d) >= aligned.size() ? -1 : aligned[static_cast<size_t>(d)]);
      out.push_back({operand, std::move(dimensions)});
    }
  }
  return out;
}

// Where the dimensions of one are among those of the other; empty: not all of them are.
std::vector<int64_t> placesAmong(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  std::vector<int64_t> out;
  for (int64_t d : from) {
    const auto found = std::ranges::find(to, d);
    if (d < 0 || found == to.end()) return {};
    out.push_back(found - to.begin());
  }
  return out;
}

}  // namespace

std::vector<int64_t> derivedPlacement(const Module& module, InstructionId from, InstructionId to) {
  if (!module.contains(from) || !module.contains(to)) return {};
  if (!module.shapeOf(from).isArray() || !module.shapeOf(to).isArray()) return {};
  const std::vector<Ancestor> of = ancestorsOf(module, to);
  for (const Ancestor& each : ancestorsOf(module, from)) {
    const auto common = std::ranges::find(of, each.id, &Ancestor::id);
    if (common == of.end()) continue;
    auto out = placesAmong(each.dimensions, common->dimensions);
    if (!out.empty() && std::ranges::adjacent_find(out, std::greater_equal()) == out.end()) return out;
  }
  return {};
}

std::vector<std::vector<int64_t>> broadcastPlacements(const Shape& from, const Shape& to, size_t most) {
  std::vector<std::vector<int64_t>> out;
  if (!from.isArray() || !to.isArray() || from.type != to.type || from.dimensions.size() >= to.dimensions.size())
    return out;
  std::vector<int64_t> chosen;
  place(from, to, chosen, 0, most, out);
  return out;
}

}  // namespace tessera
