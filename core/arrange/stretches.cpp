// Of a long order the cheapest boundary of each of some hundred windows is tried; of these the cheapest choice is found
// by dynamic programming.
#include "core/arrange/stretches.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/arrange/arrangement.h"
#include "core/arrange/compact_order.h"
#include "core/hlo/argument_path.h"

namespace tessera {
namespace {

constexpr size_t kMostBoundaries = 400;  // that are tried
constexpr float kLongestPiece = 2.5f;    // times the mean
constexpr float kUnevenness = 3;         // what a piece of twice the mean length costs, in values that cross
constexpr float kSharedKey = 0.5f;       // what a key in common costs, in values that cross

// The parameter that an instruction reads, by its path; "": none.
std::string readBy(const Module& module, const Instruction& i) {
  for (InstructionId operand : i.operands)
    if (module.contains(operand) && module.at(operand).opcode == Opcode::Parameter)
      return argumentPath(module.at(operand));
  return {};
}

size_t sharedKeys(std::string_view a, std::string_view b) {
  size_t keys = 0;
  const auto ends = [](std::string_view text, size_t at) {
    return at == text.size() || text[at] == '[' || text[at] == '.';
  };
  for (size_t at = 0;; ++at) {
    if (at > 0 && ends(a, at) && ends(b, at)) ++keys;
    if (at == a.size() || at == b.size() || a[at] != b[at]) return keys;
  }
}

}  // namespace

std::vector<float> partingCosts(const Module& module, const Computation& computation, std::span<const int32_t> items,
                                const OperandPlaces& operands) {
  const std::vector<uint32_t> across = valuesAcross(items, operands);
  std::vector<float> out(across.begin(), across.end());
  std::string before;
  size_t begin = 0;  // behind the last item that reads a parameter
  for (size_t k = 0; k < items.size(); ++k) {
    std::string own = readBy(module, module.at(computation.instructions[at(items[k])]));
    if (own.empty()) continue;
    const float shared = kSharedKey * static_cast<float>(sharedKeys(before, own));
    for (size_t boundary = begin; boundary <= k; ++boundary) out[boundary] += shared;
    begin = k + 1;
    before = std::move(own);
  }
  return out;
}

std::vector<size_t> stretchesOf(std::span<const float> costs, size_t pieces) {
  const size_t n = costs.size() - 1;
  if (pieces < 2 || n < 2 * pieces) return {n};
  std::vector<size_t> places{0};  // the best boundary of each of as many windows as are tried
  const size_t window = std::max<size_t>(1, n / kMostBoundaries);
  for (size_t begin = 1; begin < n; begin += window) {
    const auto found = std::min_element(costs.begin() + static_cast<std::ptrdiff_t>(begin),
                                        costs.begin() + static_cast<std::ptrdiff_t>(std::min(begin + window, n)));
    places.push_back(static_cast<size_t>(found - costs.begin()));
  }
  places.push_back(n);
  const float mean = static_cast<float>(n) / static_cast<float>(pieces);
  struct Best {
    float cost = INFINITY;
    size_t from = 0;
  };
  std::vector<Best> best(places.size());
  best[0].cost = 0;
  for (size_t end = 1; end < places.size(); ++end)
    for (size_t from = end; from-- > 0;) {
      const float length = static_cast<float>(places[end] - places[from]) / mean;
      if (length > kLongestPiece && from + 1 < end) break;
      const float uneven = length > 1 ? length - 1 : 1 / length - 1;
      const float cost = best[from].cost + costs[places[end]] + kUnevenness * uneven * uneven;
      if (cost < best[end].cost) best[end] = {cost, from};
    }
  std::vector<size_t> out;
  for (size_t end = places.size() - 1; end > 0; end = best[end].from) out.push_back(places[end]);
  std::ranges::reverse(out);
  return out;
}

}  // namespace tessera
