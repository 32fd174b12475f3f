// The hottest scope: of the nearest scopes whose names tell, each refined to the part that says best what is hot in it,
// the costliest.
#include <algorithm>

#include "core/arrange/scopes.h"
#include "core/overview/overview.h"

namespace tessera {
namespace {

using Way = std::vector<const CostScope*>;

constexpr double kMost = 0.5;  // a part that holds so much of a scope is told instead
// A scope that holds so much of the program, or of what is around it, is only its name, as LeNet of jvp(): of its parts
// one is told that holds kLarge of it.
constexpr double kProgram = 0.75, kWrapped = 0.95, kLarge = 0.3;
constexpr double kLittle = 0.1;  // of the program: a loop that holds most of it says more

bool isScope(const CostScope& scope) { return !scope.opcode && scope.name != "…" && scope.name != "no scope"; }
// Not how a program was made. Of jit(f) the outermost is the program, others are functions of libraries.
bool tells(const CostScope& scope, bool outermost) {
  const bool function = !outermost && scope.name.starts_with("jit(") && scope.name != "jit(main)";
  return function || scope.name.find("->") != scope.name.npos || !isStructural(scope.name);
}

class Search {
 public:
  explicit Search(const CostScope& root) : root_(root) {}

  // An opcode where that costs more than any scope.
  Way find() const {
    std::vector<Way> ways = nearest({}, true);
    const auto heaviest = std::ranges::max_element(ways, {}, weightOf);
    if (heaviest == ways.end() || heaviest->back()->opcode) return heaviest == ways.end() ? Way() : *heaviest;
    std::erase_if(ways, [](const Way& way) { return way.back()->opcode; });
    Way best = bestOf(std::move(ways), 0), loop = largestLoop();
    return weightOf(best) < kLittle * root_.weight && !loop.empty() ? loop : best;
  }

 private:
  static double weightOf(const Way& way) { return way.empty() ? 0 : way.back()->weight; }
  const CostScope& endOf(const Way& way) const { return way.empty() ? root_ : *way.back(); }

  // The innermost loop or branch that holds most of the program; empty: none does.
  Way largestLoop() const {
    Way way, out;
    for (;;) {
      const auto& inside = endOf(way).children;
      const auto heaviest = std::ranges::max_element(inside, {}, &CostScope::weight);
      if (heaviest == inside.end() || !isScope(*heaviest) || heaviest->weight < kMost * root_.weight) return out;
      way.push_back(&*heaviest);
      const std::string& name = heaviest->name;
      if (name == "while" || name == "body" || name == "cond" || name.starts_with("branch_")) out = way;
    }
  }
  // The nearest scopes inside whose names tell, through others; opcodes of what those hold themselves.
  void nearest(const Way& way, bool opcodes, std::vector<Way>& out) const {
    for (const CostScope& child : endOf(way).children) {
      Way inner = way;
      inner.push_back(&child);
      if (isScope(child) && !tells(child, way.empty()))
        nearest(inner, opcodes, out);
      else if (isScope(child) || (child.opcode && opcodes))
        out.push_back(std::move(inner));
    }
  }
  std::vector<Way> nearest(const Way& way, bool opcodes) const {
    std::vector<Way> out;
    nearest(way, opcodes, out);
    return out;
  }
  Way bestOf(std::vector<Way> ways, double least) const {
    Way best;
    for (Way& way : ways) {
      if (weightOf(way) < least) continue;
      if (Way refined = refinedOf(std::move(way)); weightOf(refined) > weightOf(best)) best = std::move(refined);
    }
    return best;
  }
  Way refinedOf(Way way) const {
    const CostScope& scope = *way.back();
    const double around = way.size() > 1 ? way[way.size() - 2]->weight : root_.weight;
    const bool repeated = scope.name.find("× ") != scope.name.npos;
    if (scope.weight >= kProgram * root_.weight || (scope.weight >= kWrapped * around && !repeated)) {
      Way part = bestOf(nearest(way, false), kLarge * scope.weight);
      return part.empty() ? way : part;
    }
    for (;;) {
      const std::vector<Way> inside = nearest(way, false);
      const auto heaviest = std::ranges::max_element(inside, {}, weightOf);
      if (heaviest == inside.end() || weightOf(*heaviest) < kMost * scope.weight) return way;
      way = *heaviest;
    }
  }

  const CostScope& root_;
};

}  // namespace

std::vector<const CostScope*> hottestScope(const CostScope& root) { return Search(root).find(); }

}  // namespace tessera
