// The tree of scopes of each executed computation, joined by path, with the costs of the kernels summed upwards.
#include <algorithm>
#include <unordered_map>

#include "core/arrange/scopes.h"
#include "core/base/sorting.h"
#include "core/ops/shared/op_cost.h"
#include "core/overview/overview.h"

namespace tessera {
namespace {

// Of everything: what holds so much and has no scopes inside is told by opcodes.
constexpr double kNeedsParts = 0.5;

struct Node {
  std::string name;
  bool isOpcode = false;
  Cost cost;
  double weight = 0, heaviest = -1;
  InstructionId instruction;
  std::vector<size_t> children;
};

class CostTree {
 public:
  explicit CostTree(const Workload& work) : work_(work), nodes_(1) {}

  CostScope build(double leastShare) {
    for (ComputationId computation : work_.execution.computations) addComputation(computation);
    least_ = leastShare * nodes_[0].weight;
    return scopeOf(0);
  }

 private:
  void addComputation(ComputationId id) {
    const Computation& computation = work_.module.at(id);
    const ScopeTree tree = scopesOf(work_.module, computation);
    std::vector<size_t> nodeOf;
    for (const Scope& scope : tree.scopes)
      nodeOf.push_back(child(scope.parent < 0 ? 0 : nodeOf[static_cast<size_t>(scope.parent)], scope.name));
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      const InstructionId instruction = computation.instructions[k];
      if (!work_.isKernel(work_.module.at(instruction))) continue;
      const int32_t scope = tree.scopeOf[k];
      add(0, instruction);
      const size_t own = scope < 0 ? child(0, "no scope") : nodeOf[static_cast<size_t>(scope)];
      add(opcodeIn(own, work_.module.at(instruction)), instruction);
      if (scope < 0) add(own, instruction);
      for (int32_t s = scope; s >= 0; s = tree.scopes[static_cast<size_t>(s)].parent)
        add(nodeOf[static_cast<size_t>(s)], instruction);
    }
  }
  size_t child(size_t parent, const std::string& name) {
    const auto [known, isNew] = byName_.try_emplace(std::to_string(parent) + "/" + name, nodes_.size());
    if (!isNew) return known->second;
    nodes_.push_back({});
    nodes_.back().name = name;
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
  // Opcodes or scopes.
  bool showsOpcodes(const Node& own) const {
    return own.weight >= kNeedsParts * nodes_[0].weight &&
           std::ranges::all_of(own.children, [this](size_t k) { return nodes_[k].isOpcode || nodes_[k].weight <= 0; });
  }
  void add(size_t node, InstructionId instruction) {
    Node& own = nodes_[node];
    const Cost& cost = work_.costOf(instruction);
    addWork(own.cost, cost, 1);
    own.cost.bytesAccessed += cost.bytesAccessed;
    const double weight = work_.weightOf(instruction);
    own.weight += weight;
    if (weight > own.heaviest) own.heaviest = weight, own.instruction = instruction;
  }
  // No deeper than scopes go (scopes.cpp bounds them).
  CostScope scopeOf(size_t node) const {
    const Node& own = nodes_[node];
    CostScope out{own.name, own.cost, own.weight, own.instruction, {}};
    CostScope rest{"…", {}, 0, {}, {}};
    const bool opcodes = showsOpcodes(own);
    for (size_t inner : own.children) {
      const Node& part = nodes_[inner];
      if (part.isOpcode != opcodes) continue;
      if (part.weight > 0 && part.weight >= least_) {
        out.children.push_back(scopeOf(inner));
      } else if (part.weight > 0) {
        addWork(rest.cost, part.cost, 1);
        rest.cost.bytesAccessed += part.cost.bytesAccessed, rest.weight += part.weight;
        if (!rest.instruction.valid()) rest.instruction = part.instruction;
      }
    }
    sortWith(out.children, [](const auto& a, const auto& b) { return a.weight > b.weight; });
    if (rest.weight > 0) out.children.push_back(std::move(rest));
    return out;
  }

  const Workload& work_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, size_t> byName_;
  double least_ = 0;
};

}  // namespace

CostScope costByScope(const Workload& work, double leastShare) { return CostTree(work).build(leastShare); }

}  // namespace tessera
