// The tree of scopes of each executed computation, joined by path, with the costs of the kernels summed upwards. What a
// called computation holds counts in the scopes of its callers, by how often each of them runs it.
#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "core/arrange/nearest_places.h"
#include "core/arrange/scopes.h"
#include "core/arrange/source_functions.h"
#include "core/base/sorting.h"
#include "core/ops/inference/trip_count.h"
#include "core/ops/op.h"
#include "core/ops/shared/op_cost.h"
#include "core/overview/overview.h"
#include "core/overview/rules.h"

namespace tessera {
namespace {

// Of everything: what holds so much and has no scopes inside is told by opcodes.
constexpr double kNeedsParts = 0.5;
constexpr size_t kMostCallers = 16;  // scopes that a computation is called from; more are one, which they share

struct Node {
  std::string name;
  size_t parent = 0;
  bool isOpcode = false;
  Cost cost;
  double weight = 0, heaviest = -1;
  InstructionId instruction;
  std::vector<size_t> children;
};

class CostTree {
 public:
  CostTree(const Workload& work, bool families)
      : work_(work), families_(families), functions_(work.module), nodes_(1) {}

  CostScope build(double leastShare) {
    for (ComputationId computation : work_.execution.computations) addComputation(computation);
    least_ = leastShare * nodes_[0].weight;
    return scopeOf({0});
  }

 private:
  // Where a computation is called from, and how often.
  struct Caller {
    size_t scope = 0;
    double times = 1;
  };

  // A path in a called computation goes on from its callers', or begins as those of the entry do.
  size_t beginOf(const std::string& name, size_t base) const {
    return base == 0 || byName_.contains("0/" + name) ? 0 : base;
  }
  void addComputation(ComputationId id) {
    const Computation& computation = work_.module.at(id);
    const ScopeTree tree = scopesOf(work_.module, computation);
    place_.clear();
    std::vector<int32_t> scopes = tree.scopeOf;
    for (size_t k = 0; k < scopes.size(); ++k) {
      const InstructionId instruction = computation.instructions[k];
      place_[instruction] = k;
      if (work_.module.at(instruction).opcode == Opcode::Parameter) scopes[k] = -1;
    }
    nearest_ = nearestPlaces(work_.module, computation, work_.users, scopes);
    const auto called = callers_.find(id);
    if (called == callers_.end()) return addCalled(computation, tree, {}, 1);
    double all = 0;
    for (const Caller& caller : called->second) all += caller.times;
    const std::vector<Caller> callers = called->second;  // the list grows meanwhile
    for (const Caller& caller : callers)
      addCalled(computation, tree, caller, all > 0 ? caller.times / all : 1 / static_cast<double>(callers.size()));
  }
  void addCalled(const Computation& computation, const ScopeTree& tree, const Caller& caller, double share) {
    std::vector<size_t> nodeOf;
    for (const Scope& scope : tree.scopes) {
      const size_t outer =
          scope.parent < 0 ? beginOf(scope.name, caller.scope) : nodeOf[static_cast<size_t>(scope.parent)];
      nodeOf.push_back(scope.isFunction && isIn(outer, scope.name) ? outer : child(outer, scope.name));
    }
    for (InstructionId instruction : computation.instructions) {
      const Instruction& i = work_.module.at(instruction);
      const bool calls = executesCallees(i.opcode);
      if (!calls && !work_.isKernel(i)) continue;
      const size_t own = scopeOf(i, tree, nodeOf, caller.scope);
      if (calls) noteCall(i, {own, caller.times});
      if (work_.isKernel(i)) count(instruction, own == 0 ? child(0, "no scope") : own, share);
    }
  }
  // In a called computation a path may be the operation alone: then the source functions are the scopes.
  size_t scopeOf(const Instruction& i, const ScopeTree& tree, const std::vector<size_t>& nodeOf, size_t base) {
    const auto nodeAt = [&](size_t place) { return nodeOf[static_cast<size_t>(tree.scopeOf[place])]; };
    const size_t place = place_.at(i.id);
    if (tree.scopeOf[place] >= 0) return nodeAt(place);
    if (base != 0 && i.metadata)
      if (const size_t inner = functionsIn(base, *i.metadata); inner != base) return inner;
    return nearest_[place] >= 0 ? nodeAt(static_cast<size_t>(nearest_[place])) : base;
  }
  // Without those that the path there tells of already.
  size_t functionsIn(size_t base, const Metadata& metadata) {
    size_t out = base;
    for (const std::string& name : functions_.namesOf(metadata))
      if (!isIn(base, name)) out = child(out, name);
    return out;
  }
  bool isIn(size_t node, const std::string& function) const {
    for (; node != 0; node = nodes_[node].parent)
      if (nodes_[node].name == function || nodes_[node].name == "jit(" + function + ")") return true;
    return false;
  }
  void noteCall(const Instruction& i, Caller caller) {
    if (i.opcode == Opcode::While) caller.times *= static_cast<double>(tripCountOf(work_.module, i).value_or(1));
    for (ComputationId callee : work_.module.callees(i)) {
      std::vector<Caller>& known = callers_[callee];
      const auto same = std::ranges::find(known, caller.scope, &Caller::scope);
      if (same != known.end())
        same->times += caller.times;
      else
        known.push_back(caller);
      if (known.size() <= kMostCallers) continue;
      for (const Caller& each : known) known[0].scope = common(known[0].scope, each.scope);
      for (size_t k = 1; k < known.size(); ++k) known[0].times += known[k].times;
      known.resize(1);
    }
  }
  size_t depthOf(size_t node) const {
    size_t depth = 0;
    for (; node != 0; node = nodes_[node].parent) ++depth;
    return depth;
  }
  size_t common(size_t a, size_t b) const {
    size_t depthA = depthOf(a), depthB = depthOf(b);
    while (a != b)
      if (depthA >= depthB)
        a = nodes_[a].parent, --depthA;
      else
        b = nodes_[b].parent, --depthB;
    return a;
  }
  void count(InstructionId instruction, size_t scope, double share) {
    add(opcodeIn(scope, work_.module.at(instruction)), instruction, share);
    for (; scope != 0; scope = nodes_[scope].parent) add(scope, instruction, share);
    add(0, instruction, share);
  }
  size_t child(size_t parent, const std::string& name) {
    const auto [known, isNew] = byName_.try_emplace(std::to_string(parent) + "/" + name, nodes_.size());
    if (!isNew) return known->second;
    nodes_.push_back({});
    nodes_.back().name = name;
    nodes_.back().parent = parent;
    nodes_[parent].children.push_back(known->second);
    return known->second;
  }
  // Fusions by what they end in.
  size_t opcodeIn(size_t scope, const Instruction& i) {
    const Computation* fused = work_.fusedBy(i);
    std::string name(fused ? work_.module.at(fused->root).opcodeName() : i.opcodeName());
    const size_t out = child(scope, (fused ? "%fusion " : "%") + name);  // no segment begins so
    nodes_[out].name = fused ? name + " fusion" : std::move(name);
    nodes_[out].isOpcode = true;
    return out;
  }
  bool showsOpcodes(const Node& own) const {
    return isStructural(own.name) ||
           (own.weight >= kNeedsParts * nodes_[0].weight && std::ranges::all_of(own.children, [this](size_t k) {
              return nodes_[k].isOpcode || nodes_[k].weight <= 0;
            }));
  }
  void add(size_t node, InstructionId instruction, double share) {
    Node& own = nodes_[node];
    const Cost& cost = work_.costOf(instruction);
    addWork(own.cost, cost, share);
    own.cost.bytesAccessed += share * cost.bytesAccessed;
    const double weight = share * work_.weightOf(instruction);
    own.weight += weight;
    if (weight > own.heaviest) own.heaviest = weight, own.instruction = instruction;
  }
  // Without the number at its end: "block_3" and "block" are of one family, and so are "0" and "1"; else without the
  // number between: "encoder_3_attn" is one of "encoder_…_attn".
  static std::string familyOf(const std::string& name) {
    constexpr std::string_view kDigits = "0123456789";
    const size_t end = name.find_last_not_of(kDigits);
    if (end == std::string::npos) return {};
    if (end > 0 && end + 1 < name.size() && name[end] == '_') return name.substr(0, end);
    for (size_t bar = name.find('_'); bar != std::string::npos; bar = name.find('_', bar + 1)) {
      const size_t after = name.find_first_not_of(kDigits, bar + 1);
      if (after != std::string::npos && after > bar + 1 && name[after] == '_')
        return name.substr(0, bar + 1) + "…" + name.substr(after);
    }
    return name;
  }
  // Children of all, by what they are shown as.
  std::vector<std::pair<std::string, std::vector<size_t>>> partsOf(const std::vector<size_t>& same) const {
    std::vector<std::pair<std::string, std::vector<size_t>>> out;
    std::unordered_map<std::string, size_t> known;
    for (size_t node : same) {
      const bool opcodes = showsOpcodes(nodes_[node]);
      for (size_t inner : nodes_[node].children) {
        const bool opcode = nodes_[inner].isOpcode;
        if ((opcode && !opcodes) || nodes_[inner].weight <= 0) continue;
        const std::string& name = nodes_[inner].name;
        const auto [found, isNew] = known.try_emplace(opcode      ? "%" + name
                                                      : families_ ? familyOf(name)
                                                                  : name,
                                                      out.size());
        if (isNew) out.push_back({found->first, {}});
        out[found->second].second.push_back(inner);
      }
    }
    return out;
  }
  // The work of all, and the costliest instruction of the one that is the hottest.
  CostScope sumOf(const std::vector<size_t>& same) const {
    CostScope out;
    double heaviest = -1;
    for (size_t node : same) {
      const Node& own = nodes_[node];
      addWork(out.cost, own.cost, 1);
      out.cost.bytesAccessed += own.cost.bytesAccessed;
      out.weight += own.weight;
      if (own.heaviest > heaviest) heaviest = own.heaviest, out.instruction = own.instruction;
    }
    return out;
  }
  std::string nameOfAll(const std::string& family, const std::vector<size_t>& same) const {
    std::set<std::string_view> names;
    for (size_t node : same) names.insert(nodes_[node].name);
    const std::string_view gap = family.empty() ? "" : " ";
    return names.size() > 1 ? fmt::format("{}{}× {}", family, gap, names.size()) : std::string(*names.begin());
  }
  // No deeper than scopes go (scopes.cpp bounds them).
  CostScope scopeOf(const std::vector<size_t>& same) const {
    CostScope out = sumOf(same), rest{"…", {}, 0, {}, {}};
    out.opcode = nodes_[same[0]].isOpcode;
    for (const auto& [family, nodes] : partsOf(same)) {
      const CostScope sum = sumOf(nodes);
      if (sum.weight >= least_) {
        out.children.push_back(scopeOf(nodes));
        out.children.back().name = nameOfAll(family, nodes);
        continue;
      }
      addWork(rest.cost, sum.cost, 1);
      rest.cost.bytesAccessed += sum.cost.bytesAccessed, rest.weight += sum.weight;
      if (!rest.instruction.valid()) rest.instruction = sum.instruction;
    }
    sortWith(out.children, [](const auto& a, const auto& b) { return a.weight > b.weight; });
    if (rest.weight > 0) out.children.push_back(std::move(rest));
    return out;
  }

  const Workload& work_;
  const bool families_;
  const SourceFunctions functions_;
  std::vector<Node> nodes_;
  std::unordered_map<ComputationId, std::vector<Caller>> callers_;
  std::unordered_map<std::string, size_t> byName_;
  std::unordered_map<InstructionId, size_t> place_;  // in the computation
  std::vector<int32_t> nearest_;                     // by place: the one whose scope it has
  double least_ = 0;
};

}  // namespace

CostScope costByScope(const Workload& work, double leastShare) { return CostTree(work, false).build(leastShare); }
CostScope costByScopeFamily(const Workload& work, double leastShare) { return CostTree(work, true).build(leastShare); }

}  // namespace tessera
