// A family is a text with one number in it that takes the values 0 … N-1 (or 1 … N).
#include "core/overview/layers.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/arrange/scopes.h"

namespace tessera {
namespace {

constexpr int64_t kFewTrips = 2;
constexpr size_t kMostFamilies = 4;

struct Family {
  std::set<int64_t> numbers;
  size_t members = 0;
  InstructionId first;
};
using Families = std::map<std::string, Family>;

// Adds the family of each number in the text: "p['h'][3]['fc'][0]" is in "p['h']" with 3 and, for that 3, in no other.
void addFirstNumber(std::string_view text, InstructionId id, Families& families) {
  const size_t begin = text.find_first_of("0123456789");
  if (begin == text.npos) return;
  size_t end = begin;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9' && end - begin < 9) ++end;
  const bool standsAlone = begin > 0 && (text[begin - 1] == '[' || text[begin - 1] == '_' || text[begin - 1] == '.');
  if (!standsAlone || end + 1 >= text.size()) return;  // the number of a leaf, not of a block
  Family& family = families[std::string(text.substr(0, begin - 1))];
  family.numbers.insert(lastNumber(text.substr(0, end)));
  if (family.members++ == 0) family.first = id;
}

bool isComplete(const Family& family) {
  const auto& n = family.numbers;
  return n.size() >= 2 && *n.begin() <= 1 && *n.rbegin() - *n.begin() + 1 == static_cast<int64_t>(n.size());
}

void addComplete(const Families& families, std::string_view from, std::vector<Overview::Layers>& out) {
  std::vector<std::pair<size_t, Overview::Layers>> sorted;
  for (const auto& [name, family] : families)
    if (isComplete(family))
      sorted.push_back({family.members, {name, static_cast<int64_t>(family.numbers.size()), from, family.first}});
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t k = 0; k < std::min(sorted.size(), kMostFamilies); ++k) out.push_back(sorted[k].second);
}

// Of the first argument that has one: the others (optimizer state) mirror it.
void addParameterFamilies(const Module& module, std::vector<Overview::Layers>& out) {
  Families families;
  std::string argument;
  for (InstructionId id : module.entryComputation().parameters) {
    const Metadata* metadata = module.at(id).metadata;
    std::string name = metadata && metadata->opName.find('/') == std::string::npos ? metadata->opName : std::string();
    std::erase(name, '\\');
    const std::string own = name.substr(0, name.find_first_of("[."));
    if (!families.empty() && own != argument) continue;
    addFirstNumber(name, id, families);
    if (!families.empty() && argument.empty()) argument = own;
  }
  addComplete(families, "parameters", out);
}

// Numbered scopes that lie in no other numbered one.
void addScopeFamilies(const Workload& work, std::vector<Overview::Layers>& out) {
  Families families;
  const Computation& entry = work.module.entryComputation();
  const ScopeTree tree = scopesOf(work.module, entry);
  const auto isNumbered = [&](int32_t s) { return lastNumber(tree.scopes[static_cast<size_t>(s)].name) >= 0; };
  for (size_t k = 0; k < entry.instructions.size(); ++k) {
    int32_t outermost = -1;
    for (int32_t s = tree.scopeOf[k]; s >= 0; s = tree.scopes[static_cast<size_t>(s)].parent)
      if (isNumbered(s)) outermost = s;
    if (outermost < 0) continue;
    const Scope& scope = tree.scopes[static_cast<size_t>(outermost)];
    const size_t digits = scope.name.find_last_not_of("0123456789");
    const bool bare = digits == std::string::npos;
    if (!bare && digits + 1 == scope.name.size()) continue;  // the number is not its end: bhqk2bqhd
    std::string name = bare ? (scope.parent < 0 ? "" : tree.scopes[static_cast<size_t>(scope.parent)].name)
                            : scope.name.substr(0, digits + 1);
    while (name.ends_with('_') || name.ends_with('.')) name.pop_back();
    Family& family = families[name];
    family.numbers.insert(lastNumber(scope.name));
    if (family.members++ == 0) family.first = entry.instructions[k];
  }
  addComplete(families, "scopes", out);
}

void addLoops(const Workload& work, std::vector<Overview::Layers>& out) {
  std::vector<Overview::Layers> loops;
  for (ComputationId computation : work.execution.computations)
    for (InstructionId id : work.module.at(computation).instructions) {
      const Instruction& i = work.module.at(id);
      const auto trips = i.opcode == Opcode::While ? tripCountOf(work.module, i) : std::nullopt;
      if (trips && *trips >= kFewTrips) loops.push_back({std::string(i.name), *trips, "loop", id});
    }
  const size_t kept = std::min(loops.size(), kMostFamilies);
  out.insert(out.end(), loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(kept));
}

}  // namespace

std::vector<Overview::Layers> layersOf(const Workload& work) {
  std::vector<Overview::Layers> out;
  if (!work.module.contains(work.module.entry())) return out;
  addParameterFamilies(work.module, out);
  addScopeFamilies(work, out);
  addLoops(work, out);
  return out;
}

}  // namespace tessera
