// One sweep sums up the shapes in each member, whatever their order; in each stack the most frequent sum is the rule.
#include "core/arrange/outliers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/hash.h"
#include "core/base/units.h"

namespace tessera {
namespace {

struct BlockShapes {
  uint64_t sum = 0;  // of hashes
  double bytes = 0;
};

uint64_t hashOfShape(const Shape& shape) {
  uint64_t out = mixedHash(7, static_cast<uint64_t>(shape.type));
  for (int64_t size : shape.dimensions) out = mixedHash(out, static_cast<uint64_t>(size));
  for (const Shape& element : shape.elements) out = mixedHash(out, hashOfShape(element));
  return out;
}

std::vector<BlockShapes> shapesByGroup(const Module& module, const Computation& computation,
                                       const std::vector<bool>& hubs, const Outline& outline) {
  std::vector<BlockShapes> out(outline.groups.size());
  for (size_t i = 0; i < outline.groupOf.size(); ++i) {
    if (hubs[i] || outline.groupOf[i] < 0) continue;
    const Instruction& instruction = module.at(computation.instructions[i]);
    const uint64_t hash = mixedHash(hashOfShape(*instruction.shape), static_cast<uint64_t>(instruction.opcode));
    const double bytes = static_cast<double>(instruction.shape->denseBytes().value_or(0));
    for (int32_t g = outline.groupOf[i]; g >= 0; g = outline.groups[static_cast<size_t>(g)].parent)
      out[static_cast<size_t>(g)].sum += hash, out[static_cast<size_t>(g)].bytes += bytes;
  }
  return out;
}

void putBefore(std::string& note, const std::string& words) { note = note.empty() ? words : words + " · " + note; }

std::string wordsFor(const BlockShapes& own, const BlockShapes& rule) {
  if (own.bytes == rule.bytes) return "other shapes";
  return fmt::format("other shapes: {}, elsewhere {}", bytesText(own.bytes), bytesText(rule.bytes));
}

}  // namespace

void noteOutliers(const Module& module, const Computation& computation, const std::vector<bool>& hubs,
                  Outline& outline) {
  std::map<int32_t, std::vector<size_t>> stacks;
  for (size_t g = 0; g < outline.groups.size(); ++g) {
    const OutlineGroup& own = outline.groups[g];
    if (own.kind == OutlineGroup::Kind::Member && own.parent >= 0 && !own.transparent) stacks[own.parent].push_back(g);
  }
  if (stacks.empty()) return;
  const std::vector<BlockShapes> shapes = shapesByGroup(module, computation, hubs, outline);
  for (const auto& [stack, members] : stacks) {
    std::map<uint64_t, std::vector<size_t>> kinds;
    for (size_t member : members) kinds[shapes[member].sum].push_back(member);
    const auto rule = std::ranges::max_element(kinds, {}, [](const auto& kind) { return kind.second.size(); });
    const size_t others = members.size() - rule->second.size();
    if (others == 0 || others * 4 > members.size()) continue;
    for (const auto& [sum, kind] : kinds)
      for (size_t member : kind)
        if (sum != rule->first)
          putBefore(outline.groups[member].note, wordsFor(shapes[member], shapes[rule->second[0]]));
    putBefore(outline.groups[static_cast<size_t>(stack)].note,
              fmt::format("{} of {} with other shapes", others, members.size()));
  }
}

}  // namespace tessera
