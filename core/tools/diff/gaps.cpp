// See gaps.h.
#include "core/tools/diff/gaps.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr size_t kMaxGap = 24;   // instructions looked at, …
constexpr int kMaxGapDepth = 3;  // … and how far

using Ids = std::vector<InstructionId>;

// What has no partner, nearest first.
template <class IsFree>
Ids gapOf(const LabelledGraph& graph, InstructionId from, bool upwards, const IsFree& isFree) {
  Ids out;
  const auto add = [&](InstructionId id) {
    if (out.size() < kMaxGap && graph.module().contains(id) && isFree(id) && std::ranges::find(out, id) == out.end())
      out.push_back(id);
  };
  const auto step = [&](InstructionId id) {
    const auto users = graph.users(id);
    if (upwards)
      for (const UserEdge& edge : users.first(std::min(users.size(), kMaxUsersAsked))) add(edge.user);
    else
      for (InstructionId operand : graph.at(id).operands) add(operand);
  };
  step(from);
  for (size_t begin = 0, depth = 1; depth < kMaxGapDepth && begin < out.size(); ++depth) {
    const size_t end = out.size();
    for (; begin < end; ++begin) step(InstructionId(out[begin]));
  }
  return out;
}

template <class Pick>
InstructionPairs inBothDirections(const Partners& partners, InstructionId a, InstructionId b, const Pick& pick) {
  InstructionPairs out;
  for (const bool upwards : {true, false})
    pick(gapOf(partners.left, a, upwards, [&](InstructionId id) { return partners.isFree(id); }),
         gapOf(partners.right, b, upwards, [&](InstructionId id) { return partners.isFreeRight(id); }), out);
  return out;
}

}  // namespace

InstructionPairs loneBeyondGaps(const Partners& partners, InstructionId a, InstructionId b) {
  return inBothDirections(partners, a, b, [&](const Ids& ones, const Ids& others, InstructionPairs& out) {
    for (InstructionId x : ones) {
      const uint64_t label = partners.left.label(x);
      const auto sameLeft = [&](InstructionId id) { return partners.left.label(id) == label; };
      const auto sameRight = [&](InstructionId id) { return partners.right.label(id) == label; };
      if (std::ranges::count_if(ones, sameLeft) != 1 || std::ranges::count_if(others, sameRight) != 1) continue;
      out.emplace_back(x, *std::ranges::find_if(others, sameRight));
    }
  });
}

InstructionPairs nearestBeyondGaps(const Partners& partners, InstructionId a, InstructionId b) {
  return inBothDirections(partners, a, b, [&](const Ids& ones, const Ids& others, InstructionPairs& out) {
    for (InstructionId x : ones)
      for (InstructionId y : others)
        if (partners.left.label(x) == partners.right.label(y)) return void(out.emplace_back(x, y));
  });
}

}  // namespace tessera
