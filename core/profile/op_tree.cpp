// See op_tree.h.
#include "core/profile/op_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/base/ascii.h"

namespace tessera {
namespace {

std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  for (char c : text) {
    if (c != ' ' && c != '\t') {
      word += asciiLower(c);
    } else if (!word.empty()) {
      out.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) out.push_back(word);
  return out;
}

bool describes(const OpFacts& facts, const std::vector<std::string>& words) {
  if (words.empty()) return true;
  std::string all;
  for (const std::string* each : {&facts.name, &facts.opcode, &facts.scope, &facts.source, &facts.computation})
    for (char c : *each + '\n') all += asciiLower(c);
  return std::ranges::all_of(words, [&](const std::string& word) { return all.find(word) != all.npos; });
}

class TreeBuilder {
 public:
  TreeBuilder(const OpTimes& times, OpGrouping by, std::string_view filter)
      : times_(times), by_(by), words_(wordsOf(filter)) {}
  OpTree make();

 private:
  int32_t add(OpRow row, int32_t parent);
  int32_t groupOf(const OpFacts& facts);
  int32_t group(int32_t parent, const std::string& name);
  void addUnit(const OpUnit& unit);
  void addMember(const OpMember& member, int32_t parent);
  void addLost();
  void joinChains();
  void addUp();

  const OpTimes& times_;
  const OpGrouping by_;
  const std::vector<std::string> words_;
  std::map<std::pair<int32_t, std::string>, int32_t> groups_;  // by parent and name
  OpTree out_;
};

int32_t TreeBuilder::add(OpRow row, int32_t parent) {
  const auto place = static_cast<int32_t>(out_.rows.size());
  row.parent = parent;
  (parent < 0 ? out_.roots : out_.rows[static_cast<size_t>(parent)].children).push_back(place);
  out_.rows.push_back(std::move(row));
  return place;
}

int32_t TreeBuilder::group(int32_t parent, const std::string& name) {
  const auto [at, isNew] = groups_.try_emplace({parent, name}, -1);
  if (isNew) {
    OpRow row;
    row.facts.name = name;
    at->second = add(std::move(row), parent);
  }
  return at->second;
}

int32_t TreeBuilder::groupOf(const OpFacts& facts) {
  const auto named = [&](const std::string& name) { return group(-1, name.empty() ? "(none)" : name); };
  switch (by_) {
    case OpGrouping::Scope: break;
    case OpGrouping::Opcode: return named(facts.opcode);
    case OpGrouping::Category: return named(facts.category);
    case OpGrouping::Source: return named(facts.source);
    case OpGrouping::Computation: return named(facts.computation);
    case OpGrouping::None: return -1;
  }
  const std::string& place = placeInScopes(facts.scope, facts.computation, times_.entry);
  if (facts.scope.empty()) return place.empty() ? -1 : named(place);  // else beside the scopes
  int32_t at = -1;
  for (size_t begin = 0; begin <= facts.scope.size();) {
    const size_t slash = std::min(facts.scope.find('/', begin), facts.scope.size());
    if (slash > begin) at = group(at, facts.scope.substr(begin, slash - begin));
    begin = slash + 1;
  }
  return at;
}

void TreeBuilder::addMember(const OpMember& member, int32_t parent) {
  OpRow row{.kind = OpRowKind::Member, .facts = member.facts};
  row.totalNs = row.selfNs = member.timeNs;
  row.count = out_.rows[static_cast<size_t>(parent)].count;
  row.flops = member.flops;
  row.bytes = member.bytes;
  add(std::move(row), parent);
}

void TreeBuilder::addUnit(const OpUnit& unit) {
  std::vector<const OpMember*> members;
  const bool whole = describes(unit.facts, words_);
  for (const OpMember& member : unit.members)
    if (whole || describes(member.facts, words_)) members.push_back(&member);
  if (!whole && members.empty()) return;
  OpRow row{.kind = unit.members.empty() ? OpRowKind::Instruction : OpRowKind::Fusion, .facts = unit.facts};
  row.count = unit.count;
  row.selfNs = row.ratedNs = unit.selfNs;
  row.totalNs = unit.totalNs;
  row.lowNs = unit.lowNs, row.medianNs = unit.medianNs, row.highNs = unit.highNs;
  row.flops = unit.flops, row.bytes = unit.bytes;
  row.bound = unit.bound;
  row.attainableNs = unit.attainableNs;
  row.wastedNs = unit.wastedNs();
  row.runNs.assign(unit.runNs.begin(), unit.runNs.end());
  const int32_t place = add(std::move(row), groupOf(unit.facts));
  for (const OpMember* member : members) {
    addMember(*member, place);
    double& left = out_.rows[static_cast<size_t>(place)].selfNs;
    left = std::max(0.0, left - member->timeNs);
  }
  constexpr double kRounding = 1e-6;
  OpRow& added = out_.rows[static_cast<size_t>(place)];
  if (added.selfNs < kRounding * unit.selfNs) added.selfNs = 0;
}

void TreeBuilder::addLost() {
  int32_t parent = -1;
  for (const LostTime& lost : times_.lost) {
    OpRow row{.kind = OpRowKind::Lost};
    row.facts.name = lost.name;
    if (!describes(row.facts, words_)) continue;
    if (parent < 0) parent = group(-1, "(not placed)");
    row.count = static_cast<double>(lost.times.count);
    row.selfNs = row.totalNs = static_cast<double>(lost.times.selfNs > 0 ? lost.times.selfNs : lost.times.totalNs);
    row.reason = lost.reason;
    add(std::move(row), parent);
  }
}

// A scope that holds another scope alone is one row with it: "b › gpt".
void TreeBuilder::joinChains() {
  std::vector<OpRow> rows = std::exchange(out_.rows, {});
  std::vector<int32_t> place(rows.size());
  std::vector<bool> holdsOne(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) holdsOne[i] = rows[i].children.size() == 1;
  out_.roots.clear();
  out_.rows.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    OpRow& row = rows[i];
    const int32_t above = row.parent < 0 ? -1 : place[static_cast<size_t>(row.parent)];
    if (row.kind == OpRowKind::Group && row.parent >= 0 && holdsOne[static_cast<size_t>(row.parent)]) {
      out_.rows[static_cast<size_t>(above)].facts.name += " › " + row.facts.name;
      place[i] = above;
      continue;
    }
    row.children.clear();
    place[i] = add(std::move(row), above);
  }
}

// Parents precede their children. A unit counts once in all that is above it.
void TreeBuilder::addUp() {
  for (size_t i = out_.rows.size(); i-- > 0;) {
    const OpRow& row = out_.rows[i];
    if (row.parent < 0 || row.kind == OpRowKind::Member) continue;
    OpRow& above = out_.rows[static_cast<size_t>(row.parent)];
    above.totalNs += row.kind == OpRowKind::Group || row.kind == OpRowKind::Lost ? row.totalNs : row.ratedNs;
    above.ratedNs += row.ratedNs;
    above.count += row.count;
    above.flops += row.flops;
    above.bytes += row.bytes;
    above.attainableNs += row.attainableNs;
    above.wastedNs += row.wastedNs;
    above.runNs.resize(std::max(above.runNs.size(), row.runNs.size()));
    for (size_t run = 0; run < row.runNs.size(); ++run) above.runNs[run] += row.runNs[run];
  }
  for (OpRow& row : out_.rows) {
    if (row.kind != OpRowKind::Group || row.runNs.empty()) continue;
    row.lowNs = *std::ranges::min_element(row.runNs);
    row.highNs = *std::ranges::max_element(row.runNs);
  }
}

OpTree TreeBuilder::make() {
  out_.runs = times_.runs;
  out_.spreadOf = times_.spreadOf;
  out_.totalNs = times_.totalNs;
  out_.rows.reserve(times_.units.size());
  for (const OpUnit& unit : times_.units) addUnit(unit);
  addLost();
  if (by_ == OpGrouping::Scope) joinChains();
  addUp();
  sortRows(out_, OpColumn::Total, true);
  return std::move(out_);
}

}  // namespace

std::string_view nameOf(OpGrouping by) {
  constexpr std::string_view kNames[] = {"scope", "opcode", "category", "source line", "computation", "none"};
  return kNames[static_cast<size_t>(by)];
}

int32_t OpTree::rowOf(InstructionId id) const {
  int32_t member = -1;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].facts.instruction != id) continue;
    if (rows[i].kind != OpRowKind::Member) return static_cast<int32_t>(i);
    if (member < 0) member = static_cast<int32_t>(i);
  }
  return member;
}

std::vector<InstructionId> OpTree::instructionsOf(int32_t row) const {
  std::vector<InstructionId> out;
  std::unordered_set<InstructionId> seen;
  std::vector<int32_t> open{row};
  while (!open.empty()) {
    const OpRow& at = rows[static_cast<size_t>(open.back())];
    open.pop_back();
    if (at.facts.instruction.valid() && seen.insert(at.facts.instruction).second) out.push_back(at.facts.instruction);
    // A fusion of the module stands for its members.
    if (at.kind == OpRowKind::Fusion && at.facts.instruction.valid()) continue;
    open.insert(open.end(), at.children.rbegin(), at.children.rend());
  }
  return out;
}

OpTree opTree(const OpTimes& times, OpGrouping by, std::string_view filter) {
  return TreeBuilder(times, by, filter).make();
}

}  // namespace tessera
