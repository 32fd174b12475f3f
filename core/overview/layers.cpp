// A family is a text with one number in it that takes the values 0 … N-1 (or 1 … N). Parameters and scopes often
// tell of the same layers: they are told once where layer k reads the parameters with number k.
#include "core/overview/layers.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "core/arrange/arrangement.h"
#include "core/arrange/recognise.h"
#include "core/arrange/scopes.h"
#include "core/base/sorting.h"
#include "core/hlo/argument_path.h"
#include "core/ops/inference/trip_count.h"
#include "core/overview/loop_weights.h"
#include "core/overview/rules.h"

namespace tessera {
namespace {

constexpr int64_t kFewTrips = 2;
constexpr size_t kMostFamilies = 4;
constexpr double kLeastLoopShare = 0.05;  // of the module's cost: smaller loops are not layers

struct Family {
  std::set<int64_t> numbers;
  std::vector<std::pair<InstructionId, int64_t>> members;  // with their numbers
  void add(InstructionId id, int64_t number) {
    numbers.insert(number);
    members.push_back({id, number});
  }
};
using Families = std::map<std::string, Family>;
using NamedFamily = std::pair<std::string, const Family*>;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Where the first number from there on begins that stands alone: of "res_net18/block_3" the 3.
size_t firstNumber(std::string_view text, size_t from) {
  for (size_t at = from; at < text.size(); ++at)
    if (isDigit(text[at]) && (text[at - 1] == '[' || text[at - 1] == '_' || text[at - 1] == '.')) return at;
  return text.npos;
}

// Adds the family of the first number in the text: "p['h'][3]['fc'][0]" is in "p['h']" with 3, and in no other.
void addFirstNumber(std::string_view text, InstructionId id, Families& families, size_t from = 1) {
  const size_t begin = firstNumber(text, from);
  if (begin == text.npos) return;
  size_t end = begin;
  while (end < text.size() && isDigit(text[end]) && end - begin < 9) ++end;
  if (end + 1 >= text.size()) return;  // the number of a leaf, not of a block
  families[std::string(text.substr(0, begin - 1))].add(id, lastNumber(text.substr(0, end)));
}

// Where the first number is the same in all, the next one tells: "p['Net_0']['Conv_2']['w']".
void addSecondNumbers(const Module& module, Families& families) {
  Families second;
  for (const auto& [text, family] : families)
    if (family.numbers.size() == 1)
      for (const auto& [id, number] : family.members)
        addFirstNumber(argumentPath(module.at(id)), id, second, text.size() + 2);
  families.merge(second);
}

// "linear" is the first of "linear_1", "linear_2" …
void addUnnumbered(std::string_view text, InstructionId id, Families& families) {
  for (size_t end = text.find_first_of("'/].", 1); end != text.npos; end = text.find_first_of("'/].", end + 1)) {
    const auto found = families.find(std::string(text.substr(0, end)));
    if (found != families.end() && *found->second.numbers.begin() == 1) return found->second.add(id, 0);
  }
}

bool isComplete(const Family& family) {
  const auto& n = family.numbers;
  return n.size() >= 2 && *n.begin() <= 1 && *n.rbegin() - *n.begin() + 1 == static_cast<int64_t>(n.size());
}

// The largest ones.
std::vector<NamedFamily> completeOf(const Families& families) {
  std::vector<NamedFamily> out;
  for (const auto& [name, family] : families)
    if (isComplete(family)) out.push_back({name, &family});
  sortWith(out, [](const auto& a, const auto& b) { return a.second->members.size() > b.second->members.size(); });
  out.resize(std::min(out.size(), kMostFamilies));
  return out;
}

// Where the number is the end of a key, that key and those before it: "p['params']['Conv" is "Conv", with two of that
// name "params.Conv".
std::string keyOf(std::string_view text, size_t keys) {
  if (const size_t slash = text.rfind('/'); slash != text.npos && keys == 1) return std::string(text.substr(slash + 1));
  if (const size_t dot = text.rfind('.'); dot != text.npos && keys == 1) return std::string(text.substr(dot + 1));
  const size_t open = text.rfind('[');
  if (open == text.npos || text.find(']', open) != text.npos) return std::string(text);
  std::string_view own = text.substr(open + 1);
  while (!own.empty() && (own.front() == '\'' || own.front() == '"')) own.remove_prefix(1);
  const size_t before = text.rfind('[', open - 1);
  if (keys == 1 || open == 0 || before == text.npos) return std::string(own.empty() ? text.substr(0, open) : own);
  std::string outer(text.substr(before + 1, open - before - 1));
  std::erase_if(outer, [](char c) { return c == '\'' || c == '"' || c == ']'; });
  return outer + "." + std::string(own);
}

void addParameterLayers(const std::vector<NamedFamily>& families, std::vector<Overview::Layers>& out) {
  for (const auto& [text, family] : families) {
    const auto isNamesake = [&, own = keyOf(text, 1)](const NamedFamily& other) {
      return other.second != family && keyOf(other.first, 1) == own;
    };
    out.push_back({keyOf(text, std::ranges::any_of(families, isNamesake) ? 2 : 1),
                   static_cast<int64_t>(family->numbers.size()), "parameters", family->members.front().first});
  }
}

// Of the first argument that has one: the others (optimizer state) mirror it.
Families parameterFamilies(const Module& module) {
  Families families;
  std::string argument;
  for (InstructionId id : module.entryComputation().parameters) {
    const std::string name = argumentPath(module.at(id)), own = argumentOf(name);
    if (!families.empty() && own != argument) continue;
    addFirstNumber(name, id, families);
    if (!families.empty() && argument.empty()) argument = own;
  }
  addSecondNumbers(module, families);
  for (InstructionId id : module.entryComputation().parameters)
    if (const std::string name = argumentPath(module.at(id)); argumentOf(name) == argument)
      addUnnumbered(name, id, families);
  return families;
}

// "linear" is the first of the scopes "linear_1", "linear_2" …
void addUnnumberedScopes(const Computation& entry, const ScopeTree& tree, Families& families) {
  for (size_t k = 0; k < entry.instructions.size(); ++k) {
    Family* outermost = nullptr;
    for (int32_t s = tree.scopeOf[k]; s >= 0; s = tree.scopes[static_cast<size_t>(s)].parent) {
      const Scope& scope = tree.scopes[static_cast<size_t>(s)];
      const auto found = families.find(scope.name);
      if (lastNumber(scope.name) >= 0)
        outermost = nullptr;  // that one is told by its number
      else if (found != families.end() && found->second.numbers.contains(1))
        outermost = &found->second;
    }
    if (outermost) outermost->add(entry.instructions[k], 0);
  }
}

// Numbered scopes that are in no other numbered one.
Families scopeFamilies(const Workload& work) {
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
    families[name].add(entry.instructions[k], lastNumber(scope.name));
  }
  addUnnumberedScopes(entry, tree, families);
  return families;
}

bool isSameWord(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Whether block k of the scopes reads the parameters with number k, through a few converts and copies.
bool readsInOrder(const Workload& work, const Family& parameters, const Family& scopes) {
  std::unordered_map<InstructionId, int64_t> numberOf(scopes.members.begin(), scopes.members.end());
  size_t same = 0, others = 0;
  const auto look = [&](auto&& self, InstructionId value, int64_t number, int steps) -> void {
    for (InstructionId reader : readersOf(work, value)) {
      const auto found = numberOf.find(reader);
      if (found != numberOf.end())
        ++(found->second - *scopes.numbers.begin() == number ? same : others);
      else if (steps > 0 && work.module.at(reader).operands.size() == 1)
        self(self, reader, number, steps - 1);
    }
  };
  constexpr int kSteps = 2;
  for (const auto& [id, number] : parameters.members) look(look, id, number - *parameters.numbers.begin(), kSteps);
  return same > others;
}

bool areSameLayers(const Workload& work, const NamedFamily& parameters, const NamedFamily& scopes) {
  if (parameters.second->numbers.size() != scopes.second->numbers.size()) return false;
  return isSameWord(keyOf(parameters.first, 1), scopes.first) || readsInOrder(work, *parameters.second, *scopes.second);
}

// Cost of a run of a loop, including called computations.
double weightInside(const Workload& work, const Instruction& loop) {
  double weight = 0;
  std::vector<ComputationId> open = work.module.callees(loop);
  std::set<ComputationId> seen;
  while (!open.empty()) {
    const ComputationId computation = open.back();
    open.pop_back();
    if (!work.module.contains(computation) || !seen.insert(computation).second) continue;
    for (InstructionId id : work.module.at(computation).instructions) {
      weight += work.weightOf(id);
      for (ComputationId callee : work.module.callees(work.module.at(id))) open.push_back(callee);
    }
  }
  return weight;
}

// The boxes of a view whose instructions multiply.
std::set<int32_t> boxesOfProducts(const Workload& work, const GraphView& view) {
  std::set<int32_t> out;
  for (ComputationId computation : work.execution.computations)
    for (InstructionId id : work.module.at(computation).instructions)
      if (hasTrait(work.module.at(id).opcode, kContraction)) out.insert(view.boxOf(id));
  return out;
}

// The boxes of a view of the entry that update parameters: what repeats in them is parameters, not layers.
std::set<int32_t> boxesOfUpdates(const Workload& work, const GraphView& view) {
  const Computation& entry = work.module.entryComputation();
  std::vector<int32_t> positions(work.module.instructionSlots(), -1);
  for (size_t k = 0; k < entry.instructions.size(); ++k)
    positions[entry.instructions[k].value] = static_cast<int32_t>(k);
  std::set<int32_t> out;
  for (const Recognised& each : recognise(work.module, entry, work.users, positions))
    if (isUpdate(each.pattern)) out.insert(view.boxOf(entry.instructions[at(each.item)]));
  return out;
}

// Where no name tells: equal blocks one after the other that multiply, the outermost, those of most blocks first.
void addEqualBlocks(const Workload& work, std::vector<Overview::Layers>& out) {
  constexpr std::string_view kStack = "repeat@";  // "parts/repeat@dot.7/3" is the fourth block of the stack at dot.7
  ViewMaker maker(work.module);
  std::map<std::string, int64_t> blocksIn;  // by the path of the stack
  ViewOptions around;                       // the stacks are seen, and closed
  for (const std::string& path : maker.groupPaths(work.module.entry())) {
    const size_t begin = path.find(kStack), end = path.find('/', begin + kStack.size());
    if (begin == path.npos || end == path.npos || path.find('/', end + 1) != path.npos) continue;
    ++blocksIn[path.substr(0, end)];
    for (size_t at = path.find('/'); at < begin; at = path.find('/', at + 1))
      around.openGroups.insert(path.substr(0, at));
  }
  if (blocksIn.empty()) return;
  const GraphView view = maker.view(work.module.entry(), around);
  const std::set<int32_t> products = boxesOfProducts(work, view), updates = boxesOfUpdates(work, view);
  std::vector<Overview::Layers> stacks;
  for (const auto& [path, count] : blocksIn) {
    const std::string first = path.substr(path.find(kStack) + kStack.size());
    const auto id = work.module.findInstruction(first);
    const int32_t box = view.findGroup(path);
    if (id && products.contains(box) && !updates.contains(box)) stacks.push_back({first, count, "blocks", *id});
  }
  sortWith(stacks, [](const auto& a, const auto& b) { return a.count > b.count; });
  stacks.resize(std::min(stacks.size(), kMostFamilies));
  out.insert(out.end(), stacks.begin(), stacks.end());
}

}  // namespace

std::vector<Overview::Layers> loopsOf(const Workload& work) {
  std::vector<Overview::Layers> out;
  for (ComputationId computation : work.execution.computations)
    for (InstructionId id : work.module.at(computation).instructions) {
      const Instruction& i = work.module.at(id);
      const auto trips = i.opcode == Opcode::While ? tripCountOf(work.module, i) : std::nullopt;
      if (trips && *trips >= kFewTrips && weightInside(work, i) >= kLeastLoopShare * work.totalWeight())
        out.push_back({std::string(i.name), *trips, "loop", id});
    }
  out.resize(std::min(out.size(), kMostFamilies));
  return out;
}

std::vector<Overview::Layers> layersOf(const Workload& work) {
  std::vector<Overview::Layers> out;
  if (!work.module.contains(work.module.entry())) return out;
  const Families parameters = parameterFamilies(work.module), scopes = scopeFamilies(work);
  const std::vector<NamedFamily> told = completeOf(parameters);
  addParameterLayers(told, out);
  for (const NamedFamily& scope : completeOf(scopes))
    if (std::ranges::none_of(told, [&](const NamedFamily& known) { return areSameLayers(work, known, scope); }))
      out.push_back({scope.first, static_cast<int64_t>(scope.second->numbers.size()), "scopes",
                     scope.second->members.front().first});
  for (const Overview::Layers& loop : loopsOf(work))
    if (hasWeightsOfItsOwn(work.module, work.module.at(loop.instruction))) out.push_back(loop);
  if (out.empty()) addEqualBlocks(work, out);
  return out;
}

}  // namespace tessera
